// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_INTERCHANGE_HPP
#define KOKKOSCONTRACT_DENSE_INTERCHANGE_HPP

// Row interchanges, and the search for a pivot. Number p swaps row p with a row r >= p. Each lane
// of a pack has its own r. It is held as a real number, so that it can be compared in the pack's
// registers.

#include <KokkosContract/core/Select.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The number of a row, in each lane of an Acc.
template <class Acc>
using row_number_t = std::conditional_t<is_pack<Acc>, size_of_t<Acc>, int>;

template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION row_number_t<Acc> row_number(int row) {
  if constexpr (is_pack<Acc>) {
    return all_lanes<Acc>(static_cast<real_t<Acc>>(row));
  } else {
    return row;
  }
}

template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION bool is_in_all_lanes(const row_number_t<Acc>& rows, int row) {
  const auto is_equal = [r = static_cast<real_t<Acc>>(row)](const auto& x) { return x == r; };
  return pack_of_sizes<Acc>(rows).all_of(is_equal);
}

/// The largest of the elements offered, and its row. It is NaN only if all elements are NaN.
template <class Acc>
struct Largest {
  row_number_t<Acc> row;
  size_of_t<Acc> size = all_lanes<Acc>(real_t<Acc>(-1));

  KOKKOS_FORCEINLINE_FUNCTION explicit Largest(int first) : row(row_number<Acc>(first)) {}

  KOKKOS_FORCEINLINE_FUNCTION void offer(const register_t<Acc, 1>& x, int i) {
    const size_of_t<Acc> other = size_of(x);
    if constexpr (is_pack<Acc>) {
      row = select<IsGreater>(other, size, row_number<Acc>(i), row);
    } else {
      row = other > size ? i : row;
    }
    size = select<IsGreater>(other, size, other, size);
  }
};

/// The leading bits of x. If those of two sizes differ, the larger size has the larger ones. They
/// are negative if x is.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION int leading_bits(const R& x) {
  if constexpr (std::is_same_v<R, double>) {
    return static_cast<int>(Kokkos::bit_cast<std::int64_t>(x) >> 32);
  } else {
    return Kokkos::bit_cast<int>(x);
  }
}

/// The operand ipiv for matrices with elements Acc: (batch) row (lane).
template <class Op, bool Batch, class Acc>
struct Pivots {
  using accumulator_type = Acc;
  static constexpr int rank = (Batch ? 2 : 1) + (is_pack<Acc> ? 1 : 0);
  static constexpr int row_dimension = Batch ? 1 : 0;
  static_assert(Op::rank == rank,
                "KokkosContract: ipiv has one dimension for the rows, behind one for a batch, and "
                "for packs a last one for the lanes");
  static_assert(std::is_integral_v<typename Op::value_type> && sizeof(typename Op::value_type) > 1,
                "KokkosContract: ipiv is an operand of integers of 16 bits or more");

  Op ipiv;

  /// Whether it has room for this number of interchanges and of problems.
  KOKKOS_FORCEINLINE_FUNCTION bool fits(int problems, int steps) const {
    bool fits = ipiv.extent(row_dimension) == steps;
    if constexpr (Batch) fits = fits && ipiv.extent(0) == problems;
    if constexpr (is_pack<Acc>) fits = fits && ipiv.extent(rank - 1) == Acc::length;
    return fits;
  }

  KOKKOS_FORCEINLINE_FUNCTION auto& entry([[maybe_unused]] int z, int p,
                                          [[maybe_unused]] int l) const {
    std::ptrdiff_t offset = p * ipiv.template stride<row_dimension>();
    if constexpr (Batch) offset += z * ipiv.template stride<0>();
    if constexpr (is_pack<Acc>) offset += l * ipiv.template stride<rank - 1>();
    return ipiv.data()[offset];
  }

  KOKKOS_FORCEINLINE_FUNCTION row_number_t<Acc> get(int z, int p) const {
    if constexpr (is_pack<Acc>) {
      Pack<real_t<Acc>, Acc::length> rows;
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < Acc::length; ++l) rows[l] = static_cast<real_t<Acc>>(entry(z, p, l));
      return sizes_of_pack<Acc>(rows);
    } else {
      return entry(z, p, 0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int p, const row_number_t<Acc>& row) const {
    using Integer = typename Op::value_type;
    if constexpr (is_pack<Acc>) {
      const auto rows = pack_of_sizes<Acc>(row);
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < Acc::length; ++l) entry(z, p, l) = static_cast<Integer>(rows[l]);
    } else {
      entry(z, p, 0) = static_cast<Integer>(row);
    }
  }
};

/// Swaps rows p and r of problem z, in columns first to end - 1.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void swap_rows(const M& m, int z, int p, int r, int first, int end) {
  using T = typename M::value_type;
  int j = first;
  if constexpr (!is_device_code() && M::unit_cols && has_vec<T>) {
    constexpr int W = native_lanes<T>;
    for (; j + W <= end; j += W) {
      const auto row = load<W, true, true>(&m(z, p, j), 1, W);
      store<W, true, true>(&m(z, p, j), 1, load<W, true, true>(&m(z, r, j), 1, W), W);
      store<W, true, true>(&m(z, r, j), 1, row, W);
    }
  }
  KOKKOSCONTRACT_NO_UNROLL
  for (; j < end; ++j) {
    const T x = m(z, p, j);
    m(z, p, j) = m(z, r, j);
    m(z, r, j) = x;
  }
}

/// Swaps x and y in the lanes whose row is `here`.
template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION void swap_lanes(const row_number_t<Acc>& row,
                                            const row_number_t<Acc>& here, register_t<Acc, 1>& x,
                                            register_t<Acc, 1>& y) {
  const register_t<Acc, 1> before = x;
  x = select<IsEqual>(row, here, y, x);
  y = select<IsEqual>(row, here, before, y);
}

/// Runs interchanges number p to p + B - 1 of packs, or the same ones backwards, in columns j to j
/// + C - 1. It reads all rows below, without branches, because most of them take part in some lane.
/// A row of the block is swapped with the rows after it in the block before it is swapped with
/// those below the block.
template <class Acc, int B, int C, bool Backwards, class M>
KOKKOS_FORCEINLINE_FUNCTION void interchange_lanes(const M& m, int z, int p,
                                                   const row_number_t<Acc> (&rows)[B], int j) {
  using T = typename M::value_type;
  using Register = register_t<Acc, 1>;
  const auto get = [&](int i, int c) KOKKOSCONTRACT_INLINE_LAMBDA -> Register {
    return to_register(convert<Acc>(m(z, i, j + c)));
  };
  const auto put = [&](int i, int c, const Register& x) KOKKOSCONTRACT_INLINE_LAMBDA {
    m(z, i, j + c) = convert<T>(from_register<Acc>(x));
  };
  Register x[B][C];
  const auto among = [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < B; ++k) {
      const int q = Backwards ? B - 1 - k : k;
      KOKKOSCONTRACT_UNROLL
      for (int s = q + 1; s < B; ++s) {
        KOKKOSCONTRACT_UNROLL
        for (int c = 0; c < C; ++c)
          swap_lanes<Acc>(rows[q], row_number<Acc>(p + s), x[q][c], x[s][c]);
      }
    }
  };
  KOKKOSCONTRACT_UNROLL
  for (int q = 0; q < B; ++q) {
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) x[q][c] = get(p + q, c);
  }
  if (!Backwards) among();
  for (int i = p + B; i < m.rows(); ++i) {
    const auto here = row_number<Acc>(i);
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) {
      Register y = get(i, c);
      KOKKOSCONTRACT_UNROLL
      for (int k = 0; k < B; ++k) {
        const int q = Backwards ? B - 1 - k : k;
        swap_lanes<Acc>(rows[q], here, x[q][c], y);
      }
      put(i, c, y);
    }
  }
  if (Backwards) among();
  KOKKOSCONTRACT_UNROLL
  for (int q = 0; q < B; ++q) {
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) put(p + q, c, x[q][c]);
  }
}

/// Runs interchanges number p to p + B - 1 of problem z, or the same ones backwards, in columns
/// first to end - 1. For packs, it takes C columns at once.
template <class Acc, int B, int C, bool Backwards = false, class M>
KOKKOS_FORCEINLINE_FUNCTION void interchange(const M& m, int z, int p,
                                             const row_number_t<Acc> (&rows)[B], int first,
                                             int end) {
  if constexpr (is_pack<Acc>) {
    bool none = true;
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) none = none && is_in_all_lanes<Acc>(rows[q], p + q);
    int left = none ? 0 : end - first;
    for (; left >= C; left -= C, first += C) {
      interchange_lanes<Acc, B, C, Backwards>(m, z, p, rows, first);
    }
    if constexpr (C > 1) {
      for (; left > 0; --left, ++first) {
        interchange_lanes<Acc, B, 1, Backwards>(m, z, p, rows, first);
      }
    }
  } else {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < B; ++k) {
      const int q = Backwards ? B - 1 - k : k;
      if (rows[q] != p + q) swap_rows(m, z, p + q, rows[q], first, end);
    }
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
