// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_CHOLESKYFACTOR_HPP
#define KOKKOSCONTRACT_DENSE_CHOLESKYFACTOR_HPP

// Cholesky in memory. Every case is A = L L^H with L the lower triangle of a Matrix: the upper
// triangle, transposed, holds the conjugate of the lower one, and its factor is the conjugate of L.
//
//   factor    one worker, left-looking: blocks of four columns, whose elements are each loaded and
//             stored once; on a host, of panels of a matrix that may be large (HalvedCholesky.hpp)
//   by_rows   several workers, right-looking: in step p the owner of a row below p subtracts in it.
//             It divides the elements of column p that it needs itself. Column p is unchanged until
//             the next step, and its diagonal element until the end, so one barrier a step is
//             enough

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/core/Select.hpp>
#include <KokkosContract/dense/HalvedCholesky.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Info.hpp>
#include <KokkosContract/operand/Matrix.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The real part of an element, or of its register.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto real_part(const X& x) {
  if constexpr (is_pack<X>) {
    Pack<real_t<X>, X::length> result;
    KOKKOSCONTRACT_UNROLL
    for (int l = 0; l < X::length; ++l) result[l] = real_part(x[l]);
    return result;
  } else if constexpr (is_complex<X>) {
    return x.real();
  } else {
    return x;
  }
}

/// The reciprocal of the root of diagonal element number p, which is d. `failed` becomes p + 1 if d
/// is the first that is not positive. `exact` becomes false if the reciprocal is not usable.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R inverse_root_of_diagonal(const R& d, int p, int& failed,
                                                       bool& exact) {
  failed = !(d > 0) & (failed == 0) ? p + 1 : failed;
  bool exists = true;
  const R factor = short_inverse_root(d, exists);
  exact = exact & (exists | (failed != 0));  // without branches between the shuffles
  return factor;
}

template <class A, class Acc>
struct CholeskyFactor {
  const A& a;

  using T = typename A::value_type;
  using Element = register_t<Acc, 1>;
  using Size = size_of_t<Acc>;
  static constexpr int block = 4;
  /// The number of rows of a block, or registers of rows, that are computed at once.
  static constexpr int tile_rows = [] {
    const int rows = KOKKOSCONTRACT_VECTOR_REGISTERS / 8;
    return PackRegisters<Acc>::count > 1 ? rows / 2 : rows;
  }();

  KOKKOS_FORCEINLINE_FUNCTION Element get(int z, int i, int j) const {
    return load_columns<Acc, 1, true>(a, z, i, j, 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Element& value) const {
    store_columns<Acc, 1, true>(a, z, i, j, 1, value);
  }

  /// A register with x in all lanes. Lanes are rows here.
  template <int W>
  static KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> spread(const Element& x) {
    if constexpr (W == 1) {
      return x;
    } else {
      return splat<W>(x);
    }
  }
  /// Computes x * factor. The factor is real.
  template <int W>
  static KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> times(const register_t<Acc, W>& x,
                                                              const Size& factor) {
    if constexpr (W > 1) {
      return x * splat<W>(factor);
    } else if constexpr (is_pack<Element> && is_complex<scalar_t<Acc>>) {
      Element result;
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < Element::length; ++l) result[l] = x[l] * factor[l];
      return result;
    } else {
      return x * factor;
    }
  }

  static KOKKOS_FORCEINLINE_FUNCTION Size inverse_root(const Size& d) {
    return all_lanes<Acc>(real_t<Acc>(1)) / square_root(d);
  }
  /// The final value of a diagonal element: its root, or d itself if it is not positive. A value
  /// that is not positive identifies a failed factorisation.
  static KOKKOS_FORCEINLINE_FUNCTION Size root_if_positive(const Size& d) {
    return select<IsGreater>(d, all_lanes<Acc>(real_t<Acc>(0)), square_root(d), d);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_diagonal(int z, int p, const Size& d) const {
    a(z, p, p) = convert<T>(pack_of_sizes<Acc>(root_if_positive(d)));
  }
  /// Whether d is positive in all lanes.
  static KOKKOS_FORCEINLINE_FUNCTION bool is_positive(const Size& d) {
    const auto test = [](const auto& x) { return x > 0; };
    if constexpr (is_pack<Acc>) {
      return pack_of_sizes<Acc>(d).all_of(test);
    } else {
      return test(d);
    }
  }

  // --- several workers ---

  /// Updates row i: column p - 1 becomes final, and the product with column p is subtracted after
  /// it.
  KOKKOS_FORCEINLINE_FUNCTION void update_row(int z, int i, int p) const {
    if (p > 0) {
      const Size factor = inverse_root(real_part(get(z, p - 1, p - 1)));
      put(z, i, p - 1, times<1>(get(z, i, p - 1), factor));
    }
    if (i == p) return;
    const Size factor = inverse_root(real_part(get(z, p, p)));
    const Element own = times<1>(get(z, i, p), factor);
    KOKKOSCONTRACT_NO_UNROLL
    for (int j = p + 1; j <= i; ++j) {
      put(z, i, j, get(z, i, j) - own * conjugate_if<true>(times<1>(get(z, j, p), factor)));
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_rows(const L& level) const {
    const int n = a.rows();
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < n; ++p) {
      for_each_pair(level, a.batch(), n - p,
                    [&](int z, int i) KOKKOSCONTRACT_INLINE_LAMBDA { update_row(z, i + p, p); });
      level.barrier();
    }
    for_each_pair(level, a.batch(), n, [&](int z, int p) KOKKOSCONTRACT_INLINE_LAMBDA {
      put_diagonal(z, p, real_part(get(z, p, p)));
    });
    level.barrier();
  }

  // --- one worker ---

  /// Factors the triangle in rows and columns p to p + B - 1, and computes the reciprocals of its
  /// diagonal. Returns false if a diagonal element (in a pack: a lane of it) is not positive.
  /// Without packs, that element is the last one that is stored.
  template <int B>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_triangle(int z, int p, Element (&triangle)[B][B],
                                                   Size (&reciprocal)[B]) const {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c <= r; ++c) triangle[r][c] = get(z, p + r, p + c);
    }
    for (int k = 0; k < p; ++k) {
      Element x[B];
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < B; ++r) {
        x[r] = get(z, p + r, k);
        KOKKOSCONTRACT_UNROLL
        for (int c = 0; c <= r; ++c) {
          triangle[r][c] = triangle[r][c] - x[r] * conjugate_if<true>(x[c]);
        }
      }
    }
    bool positive = true;
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < B; ++c) {
      if (!is_pack<Acc> && !positive) continue;
      const Size d = real_part(triangle[c][c]);
      positive = positive && is_positive(d);
      reciprocal[c] = inverse_root(d);
      put_diagonal(z, p + c, d);
      KOKKOSCONTRACT_UNROLL
      for (int q = 0; q < c; ++q) put(z, p + c, p + q, triangle[c][q]);
      KOKKOSCONTRACT_UNROLL
      for (int r = c + 1; r < B; ++r) {
        triangle[r][c] = times<1>(triangle[r][c], reciprocal[c]);
        KOKKOSCONTRACT_UNROLL
        for (int q = c + 1; q <= r; ++q) {
          triangle[r][q] = triangle[r][q] - triangle[r][c] * conjugate_if<true>(triangle[q][c]);
        }
      }
    }
    return positive;
  }

  /// Solves for R registers of rows from i on, below the triangle of columns p to p + B - 1.
  /// load_columns loads them: neighbours in a register are rows here.
  template <int B, int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void solve_tile(int z, int i, int p, int count,
                                              const Element (&triangle)[B][B],
                                              const Size (&reciprocal)[B]) const {
    register_t<Acc, W> sum[R][B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c)
        sum[r][c] = load_columns<Acc, W, Full>(a, z, i + r * W, p + c, count);
    }
    for (int k = 0; k < p; ++k) {
      register_t<Acc, W> x[R];
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) x[r] = load_columns<Acc, W, Full>(a, z, i + r * W, k, count);
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) {
        const auto y = spread<W>(conjugate_if<true>(get(z, p + c, k)));
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < R; ++r) sum[r][c] = sum[r][c] - x[r] * y;
      }
    }
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < B; ++c) {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) {
        KOKKOSCONTRACT_UNROLL
        for (int q = 0; q < c; ++q) {
          sum[r][c] = sum[r][c] - sum[r][q] * spread<W>(conjugate_if<true>(triangle[c][q]));
        }
        sum[r][c] = times<W>(sum[r][c], reciprocal[c]);
        store_columns<Acc, W, Full>(a, z, i + r * W, p + c, count, sum[r][c]);
      }
    }
  }

  /// Solves for all rows from i on.
  template <int B, int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION void solve_rows(int z, int i, int p, const Element (&triangle)[B][B],
                                              const Size (&reciprocal)[B]) const {
    int left = a.rows() - i;
    for (; left >= R * W; left -= R * W, i += R * W) {
      solve_tile<B, R, W, true>(z, i, p, W, triangle, reciprocal);
    }
    if constexpr (R > 1) {
      solve_rows<B, R / 2, W>(z, i, p, triangle, reciprocal);
    } else if constexpr (W > 1) {
      // Few rows are solved one by one: a partial store cannot be forwarded to the load that
      // follows soon.
      if (left > W / 2) {
        solve_tile<B, 1, W, false>(z, i, p, left, triangle, reciprocal);
      } else {
        solve_rows<B, 1, 1>(z, i, p, triangle, reciprocal);
      }
    }
  }

  template <int B, int R, int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_columns(int z, int p) const {
    Element triangle[B][B];
    Size reciprocal[B];
    const bool positive = factor_triangle<B>(z, p, triangle, reciprocal);
    if (!is_pack<Acc> && !positive) return false;
    solve_rows<B, R, W>(z, p + B, p, triangle, reciprocal);
    return positive;
  }

  /// Factors blocks of a few static columns, from column First on.
  template <int W, int First>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_unrolled(int z) const {
    constexpr int left = static_cast<int>(A::static_rows) - First;
    if constexpr (left <= 0) {
      return true;
    } else {
      constexpr int B = left < block ? left : block;
      const bool positive = factor_columns<B, tile_rows, W>(z, First);
      if (!is_pack<Acc> && !positive) return false;
      return factor_unrolled<W, First + B>(z) && positive;
    }
  }

  /// Factors problem z. Returns whether A is positive definite (a pack: in all lanes).
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
    if constexpr (A::static_rows > 0 && A::static_rows <= most_unrolled_rows) {
      return factor_unrolled<W, 0>(z);
    } else {
      if constexpr (is_halved<DenseRoutine::triangle, A, Acc>) {
        if (is_large_for_halved_cholesky(a)) {
          return factor_cholesky_by_halves(run_time_matrix(a, z));
        }
      }
      return factor_blocks<W>(z);
    }
  }

  /// Factors the columns of A, whose rows may be more.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_blocks(int z) const {
    const int n = a.cols();
    bool positive = true;
    int p = 0;
    for (; p + block <= n; p += block) {
      positive = factor_columns<block, tile_rows, W>(z, p) && positive;
      if (!is_pack<Acc> && !positive) return false;
    }
    bool rest = true;
    if (n - p == 3) rest = factor_columns<3, tile_rows, W>(z, p);
    if (n - p == 2) rest = factor_columns<2, tile_rows, W>(z, p);
    if (n - p == 1) rest = factor_columns<1, tile_rows, W>(z, p);
    return positive && rest;
  }

  /// Factors problem z, in one function for all levels.
  template <int W>
  KOKKOSCONTRACT_SHARED_FUNCTION void factor_apart(int z) const {
    factor<W>(z);
  }

  /// Factors all problems. Returns whether all are known to be positive definite.
  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_all(const L& level) const {
    bool positive = false;
    if (level.size() == 1) {
      positive = true;
      for (int z = 0; z < a.batch(); ++z) positive = factor<W>(z) && positive;
    } else if constexpr (!is_single_worker<L>()) {
      if (a.batch() >= level.size()) {
        for_each(level, a.batch(), [&](std::ptrdiff_t z) KOKKOSCONTRACT_INLINE_LAMBDA {
          factor_apart<W>(static_cast<int>(z));
        });
        level.barrier();
      } else {
        by_rows(level);
      }
    }
    return positive;
  }

  /// Factors problem z by short code. Returns the 1-based index of the first diagonal element that
  /// is not positive (in a pack: not in all lanes), or 0.
  KOKKOS_FORCEINLINE_FUNCTION int factor_by_columns(int z) const {
    int failed = 0;
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < a.rows(); ++p) {
      if (!factor_columns<1, 1, 1>(z, p) && failed == 0) failed = p + 1;
      if (!is_pack<Acc> && failed != 0) break;
    }
    return failed;
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_on_device(const L& level) const {
    bool positive = false;
    if constexpr (is_single_worker<L>()) {
      positive = true;
      for (int z = 0; z < a.batch(); ++z) positive = factor_by_columns(z) == 0 && positive;
    } else {
      by_rows(level);
    }
    return positive;
  }

  /// The 1-based index of the first diagonal element of problem z that is not positive in this
  /// lane, or 0.
  KOKKOS_FORCEINLINE_FUNCTION int first_not_positive(int z, [[maybe_unused]] int lane) const {
    KOKKOSCONTRACT_NO_UNROLL
    for (int p = 0; p < a.rows(); ++p) {
      bool positive;
      if constexpr (is_pack<Acc>) {
        positive = real_part(convert<scalar_t<Acc>>(a(z, p, p)[lane])) > 0;
      } else {
        positive = real_part(convert<Acc>(a(z, p, p))) > 0;
      }
      if (!positive) return p + 1;
    }
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
