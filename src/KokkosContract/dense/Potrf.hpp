// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_POTRF_HPP
#define KOKKOSCONTRACT_DENSE_POTRF_HPP

// Cholesky. Every case is A = L L^H with L the lower triangle of a Matrix: the upper triangle,
// transposed, holds the conjugate of the lower one, and its factor is the conjugate of L. Three
// ways:
//
//   factor    one worker, left-looking: a block of four columns at a time, each element of which is
//             loaded and stored once
//   factor_lower_rows, factor_lower_tiles
//             on a GPU, up to 32 static rows: the triangle in the registers of a few lanes of a
//             warp
//   by_rows   several workers, right-looking: in step p the owner of a row below p subtracts in it.
//             It divides for itself what it needs of column p, which stays as it is until the next
//             step, and its diagonal element until the end, so that one barrier a step is enough

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/core/Select.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/WarpRows.hpp>
#include <KokkosContract/level/Call.hpp>
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

template <class A, class Acc>
struct CholeskyFactor {
  const A& a;

  using T = typename A::value_type;
  using Element = register_t<Acc, 1>;
  using Size = size_of_t<Acc>;
  static constexpr int block = 4;
  static constexpr int most_unrolled = 16;
  /// So many rows of a block, or registers of rows, are computed at once.
  static constexpr int tile_rows = [] {
    const int rows = KOKKOSCONTRACT_VECTOR_REGISTERS / 8;
    return PackRegisters<Acc>::count > 1 ? rows / 2 : rows;
  }();

  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> get(int z, int i, int j, int count) const {
    // With W > 1 neighbours are in a column; how a register is loaded is the same.
    return load_columns<Acc, W, Full>(a, z, i, j, count);
  }
  template <int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, int count,
                                       const register_t<Acc, W>& value) const {
    store_columns<Acc, W, Full>(a, z, i, j, count, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION Element get(int z, int i, int j) const {
    return get<1, true>(z, i, j, 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int i, int j, const Element& value) const {
    put<1, true>(z, i, j, 1, value);
  }

  /// A register with x in all lanes, which are rows.
  template <int W>
  static KOKKOS_FORCEINLINE_FUNCTION register_t<Acc, W> spread(const Element& x) {
    if constexpr (W == 1) {
      return x;
    } else {
      return splat<W>(x);
    }
  }
  /// x * factor, which is real.
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
  /// What a diagonal element becomes: its root, or d itself where that is not positive, by which a
  /// failed factorisation is known.
  static KOKKOS_FORCEINLINE_FUNCTION Size root_if_positive(const Size& d) {
    return select<IsGreater>(d, all_lanes<Acc>(real_t<Acc>(0)), square_root(d), d);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_diagonal(int z, int p, const Size& d) const {
    a(z, p, p) = convert<T>(pack_of_sizes<Acc>(root_if_positive(d)));
  }
  /// In all lanes.
  static KOKKOS_FORCEINLINE_FUNCTION bool is_positive(const Size& d) {
    const auto test = [](const auto& x) { return x > 0; };
    if constexpr (is_pack<Acc>) {
      return pack_of_sizes<Acc>(d).all_of(test);
    } else {
      return test(d);
    }
  }

  // --- several workers ---

  /// Of row i: column p - 1 becomes final, and the product with column p is subtracted behind it.
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
      const int rows = n - p;
      for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * rows,
               [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
                 update_row(static_cast<int>(t / rows), static_cast<int>(t % rows) + p, p);
               });
      level.barrier();
    }
    for_each(level, static_cast<std::ptrdiff_t>(a.batch()) * n,
             [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
               const int z = static_cast<int>(t / n);
               const int p = static_cast<int>(t % n);
               put_diagonal(z, p, real_part(get(z, p, p)));
             });
    level.barrier();
  }

  // --- one worker ---

  /// The triangle in rows and columns p to p + B - 1, and the reciprocals of its diagonal. False
  /// where a diagonal element (in a pack: a lane of it) is not positive; without lanes, it is the
  /// last that is stored.
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

  /// R registers of rows from i on, below the triangle of columns p to p + B - 1.
  template <int B, int R, int W, bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void solve_tile(int z, int i, int p, int count,
                                              const Element (&triangle)[B][B],
                                              const Size (&reciprocal)[B]) const {
    register_t<Acc, W> sum[R][B];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < R; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < B; ++c) sum[r][c] = get<W, Full>(z, i + r * W, p + c, count);
    }
    for (int k = 0; k < p; ++k) {
      register_t<Acc, W> x[R];
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < R; ++r) x[r] = get<W, Full>(z, i + r * W, k, count);
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
        put<W, Full>(z, i + r * W, p + c, count, sum[r][c]);
      }
    }
  }

  /// All rows from i on.
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
      // Few rows one by one: a partial store cannot be forwarded to the load that follows soon.
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

  /// Blocks of a few static columns, from column First on.
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

  /// Returns whether A is positive definite (a pack: in all lanes).
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(int z) const {
    if constexpr (A::static_rows > 0 && A::static_rows <= most_unrolled) {
      return factor_unrolled<W, 0>(z);
    } else {
      return factor_blocks<W>(z);
    }
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_blocks(int z) const {
    const int n = a.rows();
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

  /// In one function for all levels.
  template <int W>
  KOKKOSCONTRACT_SHARED_FUNCTION void factor_apart(int z) const {
    factor<W>(z);
  }

  /// Returns whether all problems are known to be positive definite.
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

  /// By short code. Returns the 1-based index of the first diagonal element that is not positive
  /// (in a pack: not in all lanes), or 0.
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

/// The reciprocal of the root of d, number p on the diagonal, which becomes `failed` if it is the
/// first that is not positive. False in `exact` where that does not serve.
template <class R>
KOKKOS_FORCEINLINE_FUNCTION R inverse_root_of_diagonal(const R& d, int p, int& failed,
                                                       bool& exact) {
  failed = !(d > 0) & (failed == 0) ? p + 1 : failed;
  bool exists = true;
  const R factor = short_inverse_root(d, exists);
  exact = exact & (exists | (failed != 0));  // without branches between the shuffles
  return factor;
}

/// Factors the lower triangle of a matrix in registers, whole rows to a lane; above it there may be
/// anything. The diagonal gets no roots. Returns the 1-based index of its first element that is not
/// positive, or 0. False in `exact` where the reciprocal of a root does not serve.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_lower_rows(M& m, bool& exact) {
  using T = typename M::value_type;
  static_assert(M::grid.cols == 1);
  int failed = 0;
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = decltype(step)::value;
    constexpr int r0 = p / M::lanes;
    const auto d = real_part(m.get(p, p));
    const auto factor = inverse_root_of_diagonal(d, p, failed, exact);
    T column[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      column[r] = m.tile[r][p] * factor;
      m.tile[r][p] = choose(r > r0 || m.row() > p % M::lanes, column[r], m.tile[r][p]);
    }
    for_each_step<M::n - p - 1>([&](auto next) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int j = p + 1 + decltype(next)::value;
      const T x = conjugate_if<true>(m.group.from(column[j / M::lanes], j % M::lanes));
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = j / M::lanes; r < M::tile_rows; ++r) {
        m.tile[r][j] = m.tile[r][j] - column[r] * x;
      }
    });
  });
  return failed;
}

/// The same for a matrix that is dealt out in both directions.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION int factor_lower_tiles(M& m, bool& exact) {
  using T = typename M::value_type;
  constexpr int g = M::grid.rows;
  static_assert(M::grid.cols == g);
  int failed = 0;
  for_each_step<M::n>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int p = step.value;
    constexpr int r0 = p / g;
    const auto d = real_part(m.get(p, p));
    const auto factor = inverse_root_of_diagonal(d, p, failed, exact);
    // Column p of the factor, by this lane's rows and by its columns; zero where nothing is left.
    T by_row[M::tile_rows];
    T by_col[M::tile_rows];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      T x = m.tile[r][r0] * factor;
      if (r == r0 && m.row() <= p % g) x = T(0);
      by_row[r] = m.group.from(x, M::lane_at(m.row(), p % g));
      by_col[r] = conjugate_if<true>(m.group.from(x, M::lane_at(m.col(), p % g)));
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = r0; c < M::tile_rows; ++c) {
        if (c <= r) m.tile[r][c] = m.tile[r][c] - by_row[r] * by_col[c];
      }
      if (m.col() == p % g && (r > r0 || m.row() > p % g)) m.tile[r][r0] = by_row[r];
    }
  });
  return failed;
}

/// Factors all problems in the registers of groups of lanes and stores their infos. False, with
/// nothing done, where there are no such groups or no room; `failed`: a problem is not positive
/// definite.
template <class Op, Level L, class A, class Acc, class Info>
KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level,
                                                 const CholeskyFactor<A, Acc>& cholesky,
                                                 const Info& info, FirstInfo& failed) {
  using T = typename A::value_type;
  const A& a = cholesky.a;
  constexpr DenseChoice choice = dense_choice<DenseRoutine::triangle, L, A>;
  if constexpr (choice.way != DenseWay::lanes) {
    return false;
  } else {
    using M = WarpMatrix<level_machine_t<L>, Acc, A::static_rows, A::unit_rows, choice.grid>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load_lower_rows(m, a, z);
      return compute_in_lanes<Exact::in_all_lanes>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            int found;
            if constexpr (M::grid.cols == 1) {
              found = factor_lower_rows(m, exact);
            } else {
              found = factor_lower_tiles(m, exact);
            }
            m.for_diagonal([&](Acc& x, int, int) KOKKOSCONTRACT_INLINE_LAMBDA {
              x = Acc(CholeskyFactor<A, Acc>::root_if_positive(real_part(x)));
            });
            return found;
          },
          [&](bool stores)
              KOKKOSCONTRACT_INLINE_LAMBDA { store_lower_rows(m, a, stores ? z : -1); },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA { return cholesky.factor_by_columns(z); });
    };
    return factor_each_problem<M::lanes, A::is_interleaved, Op, T>(level, a.batch(), info, failed,
                                                                   factor_one);
  }
}

template <class Triangle, Level L, class A, class Info = NoInfo>
KOKKOS_FORCEINLINE_FUNCTION int potrf(const L& level, const A& a, const Info& info = {}) {
  using Op = operand_t<A>;
  using T = value_t<A>;
  using Acc = accumulator_t<T>;
  static_assert(Op::rank == 2 || Op::rank == 3,
                "KokkosContract: Potrf: A must have rank 2, or 3 with a leading batch dimension");
  static_assert(!std::is_const_v<typename Op::value_type>,
                "KokkosContract: Potrf: A is an operand of const elements");
  static_assert(!is_shared<A>,
                "KokkosContract: Potrf: A is factored in place and cannot be shared");
  static_assert(!std::is_integral_v<scalar_t<T>>,
                "KokkosContract: Potrf needs a floating-point type");
  const Matrix<Op, Op::rank == 3, std::is_same_v<Triangle, Uplo::Upper>> matrix{as_operand(a)};
  if (matrix.rows() != matrix.cols() || !info_fits<Op, T>(info, matrix.batch())) {
    return extents_disagree;
  }

  const CholeskyFactor<decltype(matrix), Acc> cholesky{matrix};
  constexpr int width = std::is_same_v<T, Acc> && decltype(matrix)::unit_rows ? host_lanes<T>() : 1;
  bool positive = false;
  if constexpr (has_warps<L> && !is_pack<T>) {
    FirstInfo failed;
    if (factor_in_warps<Op>(level, cholesky, info, failed)) return first_info(level, failed);
    cholesky.by_rows(level);
  } else if constexpr (runs_on_gpu<L>()) {
    positive = cholesky.factor_on_device(level);
  } else {
    positive = cholesky.template factor_all<width>(level);
  }
  if constexpr (std::is_same_v<Info, NoInfo>) {
    if (positive) return 0;
  }
  return report<Op, T>(level, matrix.batch(), info, [&](int z, int l) KOKKOSCONTRACT_INLINE_LAMBDA {
    return cholesky.first_not_positive(z, l);
  });
}

template <class Triangle>
struct PotrfRoutine {
  static constexpr Signature signature{"Potrf", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return potrf<Triangle>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
