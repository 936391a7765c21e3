// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_LU_HPP
#define KOKKOSCONTRACT_IMPL_LU_HPP

// LU without pivoting, right-looking, by rows: in step p the owner of a row below p eliminates in
// it with row p, which is final, and touches no other row. So one barrier a step is enough.

#include <KokkosContract/Impl/Contract.hpp>
#include <KokkosContract/Impl/Front.hpp>
#include <KokkosContract/Impl/Gemm.hpp>
#include <KokkosContract/Impl/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Adds |tiny| to a pivot, away from zero. A pack's lanes have their own signs.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T push_from_zero(const T& pivot, const T& tiny) {
  if constexpr (is_pack<T>) {
    T result;
    for (int l = 0; l < T::length; ++l) result[l] = push_from_zero(pivot[l], tiny[l]);
    return result;
  } else {
    using R = real_t<T>;
    const R size = Kokkos::abs(tiny);
    R real;
    if constexpr (is_complex<T>) {
      real = pivot.real();
    } else {
      real = pivot;
    }
    return real < R(0) ? pivot - T(size) : pivot + T(size);
  }
}

template <class A, class Acc>
struct Eliminator {
  const A& a;
  const Acc& tiny;

  using T = typename A::value_type;

  KOKKOS_FORCEINLINE_FUNCTION void adjust_pivot(int z, int p) const {
    if (!is_zero(tiny)) a(z, p, p) = convert<T>(push_from_zero(convert<Acc>(a(z, p, p)), tiny));
  }

  /// Row i -= factor * row p, from column `from` on, W columns at a time.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void update_row(int z, int i, int p, int from,
                                              const Acc& factor) const {
    const int n = a.cols();
    int j = from;
    if constexpr (W > 1) {
      for (; j + W <= n; j += W) {
        const auto row = load<W, true, true>(&a(z, i, j), 1, W);
        const auto pivot_row = load<W, true, true>(&a(z, p, j), 1, W);
        store<W, true, true>(&a(z, i, j), 1, row - splat<W>(factor) * pivot_row, W);
      }
    }
    for (; j < n; ++j) {
      a(z, i, j) = convert<T>(convert<Acc>(a(z, i, j)) - factor * convert<Acc>(a(z, p, j)));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int steps() const {
    return a.rows() < a.cols() ? a.rows() : a.cols();
  }

  /// Eliminates in row i with row p, which is final.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate_row(int z, int i, int p) const {
    const Acc factor = divide_unless_zero(convert<Acc>(a(z, i, p)), convert<Acc>(a(z, p, p)));
    a(z, i, p) = convert<T>(factor);
    update_row<W>(z, i, p, p + 1, factor);
  }

  // --- several workers ---

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    if (!is_zero(tiny) && steps() > 0) {
      for_each(level, a.batch(), [&](std::ptrdiff_t z) { adjust_pivot(static_cast<int>(z), 0); });
      level.barrier();
    }
    for (int p = 0; p < steps() && p + 1 < a.rows(); ++p) {
      const int below = a.rows() - p - 1;
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * below, [&](std::ptrdiff_t t) {
        const int z = static_cast<int>(t / below);
        const int i = static_cast<int>(t % below) + p + 1;
        eliminate_row<W>(z, i, p);
        if (i == p + 1 && i < steps()) adjust_pivot(z, i);
      });
      level.barrier();
    }
  }

  // --- one worker ---

  static constexpr int block = 4;

  /// Rows i to i + R - 1 -= multiplier * rows p to p + block - 1, in the columns of one register.
  template <int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void update_columns(int z, int i, int p, int j, int count,
                                                  const Acc (&multiplier)[R][block]) const {
    register_t<Acc, W> row[R];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) row[r] = get<W, Full>(z, i + r, j, count);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < block; ++q) {
      const register_t<Acc, W> pivot_row = get<W, Full>(z, p + q, j, count);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) row[r] = row[r] - splat<W>(multiplier[r][q]) * pivot_row;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if constexpr (W == 1) {
        a(z, i + r, j) = convert<T>(row[r]);
      } else {
        store<W, true, Full>(&a(z, i + r, j), 1, row[r], count);
      }
    }
  }

  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> get(int z, int i, int j, int count) const {
    if constexpr (W == 1) {
      return convert<Acc>(a(z, i, j));
    } else {
      return load<W, true, Full>(&a(z, i, j), 1, count);
    }
  }

  /// Eliminates in rows i to i + R - 1 with rows p to p + block - 1, which are final.
  template <int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate_rows(int z, int i, int p,
                                                  const Acc (&reciprocal)[block]) const {
    Acc multiplier[R][block];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < block; ++q) {
        Acc sum = convert<Acc>(a(z, i + r, p + q));
        KOKKOSCONTRACT_UNROLL
        for (int s = 0; s < q; ++s) {
          sum = sum - multiplier[r][s] * convert<Acc>(a(z, p + s, p + q));
        }
        multiplier[r][q] = sum * reciprocal[q];
        a(z, i + r, p + q) = convert<T>(multiplier[r][q]);
      }
    }
    int j = p + block;
    for (; j + W <= a.cols(); j += W) update_columns<R, W, true>(z, i, p, j, W, multiplier);
    if (j < a.cols()) update_columns<R, W, false>(z, i, p, j, a.cols() - j, multiplier);
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void factor(int z) const {
    int p = 0;
    while (p < steps()) {
      const int last = p + block < steps() ? p + block : steps();
      for (int i = p; i < last; ++i) {
        for (int q = p; q < i; ++q) eliminate_row<W>(z, i, q);
        adjust_pivot(z, i);
      }
      Acc reciprocal[block];
      bool blocked = last - p == block;
      for (int q = 0; blocked && q < block; ++q) {
        const Acc pivot = convert<Acc>(a(z, p + q, p + q));
        blocked = has_reciprocal(pivot);
        if (blocked) reciprocal[q] = Acc(real_t<Acc>(1)) / pivot;
      }
      int i = last;
      if (blocked) {
        for (; i + 2 <= a.rows(); i += 2) eliminate_rows<2, W>(z, i, p, reciprocal);
        if (i < a.rows()) eliminate_rows<1, W>(z, i, p, reciprocal);
      } else {
        for (; i < a.rows(); ++i) {
          for (int q = p; q < last; ++q) eliminate_row<W>(z, i, q);
        }
      }
      p = last;
    }
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void eliminate(const L& level) const {
    if (level.size() == 1) {
      for (int z = 0; z < a.batch(); ++z) factor<W>(z);
    } else if constexpr (!is_single_worker<L>()) {
      by_rows<W>(level);
    }
  }

  /// The 1-based index of the first zero pivot of problem z in this lane, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int first_zero_pivot(int z, [[maybe_unused]] int lane) const {
    for (int p = 0; p < steps(); ++p) {
      if constexpr (is_pack<Acc>) {
        if (a(z, p, p)[lane] == scalar_t<T>(0)) return p + 1;
      } else {
        if (convert<Acc>(a(z, p, p)) == Acc(0)) return p + 1;
      }
    }
    return 0;
  }
};

/// Stands for an absent info View.
struct NoInfo {};

template <Level L, class A, class Info, class Tiny>
KOKKOS_FORCEINLINE_FUNCTION int lu_with_info(const L& level, const A& a, const Info& info,
                                             const Tiny& tiny) {
  using Op = operand_t<A>;
  using T = value_t<A>;
  using Acc = accumulator_t<T>;
  static_assert(Op::rank == 2 || Op::rank == 3,
                "KokkosContract: LU: A must have rank 2, or 3 with a leading batch dimension");
  static_assert(!std::is_const_v<typename Op::value_type>,
                "KokkosContract: LU: A is an operand of const elements");
  static_assert(!is_shared<A>, "KokkosContract: LU: A is factored in place and cannot be shared");
  static_assert(!std::is_integral_v<scalar_t<T>>, "KokkosContract: LU needs a floating-point type");
  constexpr bool batch = Op::rank == 3;
  constexpr int lanes = is_pack<T> ? PackTraits<T>::lanes : 1;
  const Matrix<Op, batch> matrix{as_operand(a)};

  if constexpr (!std::is_same_v<Info, NoInfo>) {
    constexpr int rank = operand_t<Info>::rank;
    static_assert(
        rank == (batch ? 1 : 0) + (is_pack<T> ? 1 : 0),
        "KokkosContract: LU: info has one dimension for a batch and one for the lanes of a "
        "pack, so it has rank 0 for one matrix");
    const auto out = as_operand(info);
    bool fits = true;
    if constexpr (batch) fits = out.extent(0) == matrix.batch();
    if constexpr (is_pack<T>) fits = fits && out.extent(rank - 1) == lanes;
    if (!fits) return extents_disagree;
  }

  const Acc shift = convert<Acc>(tiny);
  const Eliminator<decltype(matrix), Acc> eliminator{matrix, shift};
  constexpr int width = std::is_same_v<T, Acc> && decltype(matrix)::unit_cols ? host_lanes<T>() : 1;
  KOKKOS_IF_ON_HOST((eliminator.template eliminate<width>(level);))
  KOKKOS_IF_ON_DEVICE((eliminator.template eliminate<1>(level);))

  int first = 0;
  for (int z = 0; z < matrix.batch(); ++z) {
    for (int l = 0; l < lanes; ++l) {
      const int found = eliminator.first_zero_pivot(z, l);
      first = first != 0 ? first : found;
      if constexpr (!std::is_same_v<Info, NoInfo>) {
        if (level.rank() == (z * lanes + l) % level.size()) {
          const auto out = as_operand(info);
          if constexpr (batch && is_pack<T>) {
            out(z, l) = found;
          } else if constexpr (batch) {
            out(z) = found;
          } else if constexpr (is_pack<T>) {
            out(l) = found;
          } else {
            out() = found;
          }
        }
      }
    }
  }
  if constexpr (!std::is_same_v<Info, NoInfo>) level.barrier();
  return first;
}

template <Level L, class A>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a) {
  return lu_with_info(level, a, NoInfo{}, real_t<value_t<A>>(0));
}

/// The second argument is tiny, or an info View.
template <Level L, class A, class Second>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a, const Second& second) {
  if constexpr (Kokkos::is_view_v<Second> || Operand<Second>) {
    return lu_with_info(level, a, second, real_t<value_t<A>>(0));
  } else {
    return lu_with_info(level, a, NoInfo{}, second);
  }
}

template <Level L, class A, class Info, class Tiny>
KOKKOS_FORCEINLINE_FUNCTION int lu(const L& level, const A& a, const Info& info, const Tiny& tiny) {
  return lu_with_info(level, a, info, tiny);
}

struct LURoutine {
  template <Level L, class... Arguments>
  KOKKOS_INLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return lu(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
