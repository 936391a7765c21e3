// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_QR_HPP
#define KOKKOSCONTRACT_DENSE_QR_HPP

// Householder reflectors H = I - tau v v^H with v_k = 1, which are in column k of a matrix: v below
// the diagonal, and tau in a vector of its own. Geqrf computes them, Ormqr applies them, and Gels
// does both.
//
//   factor       one worker has a whole problem
//   factor_qr_by_panels
//                one worker of a host has a whole problem, which may be large (PanelQR.hpp)
//   factor_in_warps
//                on a GPU, up to 32 static rows and columns: in the registers of a few lanes of a
//                warp, which have whole columns. A right-hand side is one more column
//   by_columns   several workers for fewer problems: each computes the reflector of step k for
//                itself, and applies it to some columns. Column k is unchanged until all workers
//                have the reflector, so one barrier a step is enough. Then one worker stores v,
//                while the others continue: column k is not read again

#include <KokkosContract/dense/Factored.hpp>
#include <KokkosContract/dense/PanelQR.hpp>
#include <KokkosContract/dense/Reflector.hpp>
#include <KokkosContract/dense/Set.hpp>
#include <KokkosContract/lanes/InLanes.hpp>
#include <KokkosContract/lanes/Solve.hpp>
#include <KokkosContract/operand/Info.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class A, class Tau, class Acc>
struct QRFactor {
  const A& a;
  const Tau& tau;  // a column

  using T = typename A::value_type;

  KOKKOS_FORCEINLINE_FUNCTION int steps() const {
    return a.rows() < a.cols() ? a.rows() : a.cols();
  }

  KOKKOS_FORCEINLINE_FUNCTION Reflector<Acc> reflector(int z, int k) const {
    return make_reflector<Acc>(a.rows() - k, [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      return convert<Acc>(a(z, k + i, k));
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void put(int z, int k, const Reflector<Acc>& h) const {
    a(z, k, k) = convert<T>(h.beta);
    for (int i = k + 1; i < a.rows(); ++i) {
      a(z, i, k) = convert<T>(h.tail(convert<Acc>(a(z, i, k))));
    }
    tau(z, k, 0) = convert<typename Tau::value_type>(h.tau);
  }

  template <class L>
  static constexpr DenseChoice choice = dense_choice<DenseRoutine::qr, L, A>;

  /// Registers of columns at once, in memory. It is one if this code is rare, because lanes usually
  /// hold the matrix. Several would take registers of the kernel.
  template <class L>
  static constexpr int several = choice<L>.way == DenseWay::lanes || is_plain<L> ? 1 : 4;

  template <int W, int Several>
  KOKKOS_FORCEINLINE_FUNCTION void factor(int z) const {
    for (int k = 0; k < steps(); ++k) {
      const Reflector<Acc> h = reflector(z, k);
      put(z, k, h);
      reflect_columns<W, Several>(
          a, z, k, k + 1, a.cols(), conjugate_if<true>(h.tau),
          [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA { return convert<Acc>(a(z, i, k)); });
    }
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void by_columns(const L& level) const {
    for (int k = 0; k < steps(); ++k) {
      int found = -1;  // the problem of reflector h
      Reflector<Acc> h{};
      const auto find = [&](int z) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (z != found) h = reflector(z, k);
        found = z;
      };
      for_columns<W>(level, a.batch(), k + 1, a.cols(),
                     [&](int z, int begin, int end) KOKKOSCONTRACT_INLINE_LAMBDA {
                       find(z);
                       reflect_columns<W, several<L>>(
                           a, z, k, begin, end, conjugate_if<true>(h.tau),
                           [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
                             return convert<Acc>(convert<T>(h.tail(convert<Acc>(a(z, i, k)))));
                           });
                     });
      // With one part of columns, its worker is the only one that still reads the problem.
      if (a.cols() - k - 1 > W) level.barrier();
      for_each(level, a.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int z = static_cast<int>(t);
        find(z);
        put(z, k, h);
      });
    }
  }

  static constexpr int rows = static_cast<int>(A::static_rows);
  static constexpr int cols = static_cast<int>(A::static_cols);
  static constexpr int count = rows < cols ? rows : cols;
  template <class L, int Cols>
  using Tiles = LaneMatrix<level_machine_t<L>, Acc, rows, A::unit_rows, choice<L>.grid,
                           (Cols > 0 ? Cols : 1)>;

  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void load(M& m, int z) const {
    m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (z >= 0 && j < cols) x = convert<Acc>(a(z, i, j));
    });
  }
  /// Factors a matrix in registers. Element k * M::lanes + m.group.lane of tau is taus[k]. `exact`
  /// becomes false as in reflect_tiles.
  template <class M>
  static KOKKOS_FORCEINLINE_FUNCTION void factor_tiles(M& m, Acc (&taus)[M::per_lane],
                                                       bool& exact) {
    for_each_step<count>([&](auto step) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int p = step.value;
      const Acc t = reflect_tiles<p>(m, exact);
      if (m.group.lane == p % M::lanes) taus[p / M::lanes] = t;
    });
  }
  template <class M>
  KOKKOS_FORCEINLINE_FUNCTION void store(M& m, int z, const Acc (&taus)[M::per_lane]) const {
    m.for_tile([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (j < cols) a(z, i, j) = convert<T>(x);
    });
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < M::per_lane; ++k) {
      const int p = k * M::lanes + m.group.lane;
      if (p < count) tau(z, p, 0) = convert<typename Tau::value_type>(taus[k]);
    }
  }

  /// Returns false, and does nothing, if there are no groups of lanes.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_in_warps(const L& level) const {
    using M = Tiles<L, cols>;
    const auto factor_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load(m, z);
      Acc taus[M::per_lane];
      (void)compute_in_lanes<Exact::in_all_lanes>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            factor_tiles(m, taus, exact);
            return 0;
          },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (stores) store(m, z, taus);
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
            factor<1, several<L>>(z);
            return 0;
          });
    };
    return for_each_problem<M::lanes, A::is_interleaved>(level, a.batch(), factor_one);
  }

  /// Solves least squares: also replaces the column b of each problem by the solution, followed by
  /// the residual. If reciprocals are not usable, in_memory(z) does all of this, and returns an
  /// info.
  template <class Op, Level L, class B, class Info, class InMemory>
  KOKKOS_FORCEINLINE_FUNCTION bool solve_in_warps(const L& level, const B& b, const Info& info,
                                                  FirstInfo& failed,
                                                  const InMemory& in_memory) const {
    using M = Tiles<L, cols + 1>;
    const auto solve_one = [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
      M m{group, {}};
      load(m, z);
      m.for_tile([&](Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        if (z >= 0 && j == cols) x = convert<Acc>(b(z, i, 0));
      });
      Acc taus[M::per_lane];
      Acc solution[M::tile_rows];
      return compute_in_lanes<Exact::in_each_lane>(
          m, z,
          [&](bool& exact) KOKKOSCONTRACT_INLINE_LAMBDA {
            factor_tiles(m, taus, exact);
            solve_last_column<cols>(m, solution, exact);
            return 0;
          },
          [&](bool stores) KOKKOSCONTRACT_INLINE_LAMBDA {
            if (!stores) return;
            store(m, z, taus);
            m.for_tile([&](const Acc& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
              if (j == cols && i >= cols) b(z, i, 0) = convert<typename B::value_type>(x);
            });
            m.for_rows([&](int r, int i) KOKKOSCONTRACT_INLINE_LAMBDA {
              if (i < cols) b(z, i, 0) = convert<typename B::value_type>(solution[r]);
            });
          },
          [&]() KOKKOSCONTRACT_INLINE_LAMBDA { return in_memory(z); });
    };
    return factor_each_problem<M::lanes, A::is_interleaved, Op, T>(level, a.batch(), info, failed,
                                                                   solve_one);
  }

  template <int W, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void factor_all(const L& level) const {
    bool done = false;
    if constexpr (choice<L>.way == DenseWay::lanes) {
      if (factor_in_warps(level)) {
        level.barrier();
        return;
      }
    }
    if constexpr (!is_single_worker<L>()) {
      if (a.batch() < level.size()) {
        by_columns<W>(level);
        done = true;
      }
    }
    if (!done) {
      for_each(level, a.batch(), [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
        const int z = static_cast<int>(t);
        if constexpr (choice<L>.way == DenseWay::panels &&
                      is_host_blocked<Acc, T, typename Tau::value_type>()) {
          if (is_large_for_qr_panels(a, steps())) {
            factor_qr_by_panels(run_time_matrix(a, z),
                                [&](int k)
                                    KOKKOSCONTRACT_INLINE_LAMBDA -> auto& { return tau(z, k, 0); });
            return;
          }
        }
        factor<W, several<L>>(z);
      });
    }
    level.barrier();
  }
};

/// The vector tau, or a batch of such vectors, as columns.
template <class Tau, bool Batch>
using TauColumns = Matrix<operand_t<Tau>, Batch>;

struct GeqrfRoutine {
  static constexpr Signature signature{"Geqrf", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Tau>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Tau& tau) {
    require_output<A>();
    require_output<Tau>();
    using Op = operand_t<A>;
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    constexpr bool batch = Op::rank == 3;
    static_assert(Op::rank == 2 || batch,
                  "KokkosContract: Geqrf: A must have rank 2, or 3 with a leading batch dimension");
    static_assert(operand_t<Tau>::rank == Op::rank - 1,
                  "KokkosContract: Geqrf: tau has one dimension less than A");
    static_assert(std::is_same_v<value_t<Tau>, T>,
                  "KokkosContract: Geqrf: tau has elements of another type than A");
    static_assert(!std::is_integral_v<scalar_t<T>>,
                  "KokkosContract: Geqrf needs a floating-point type");
    using M = Matrix<Op, batch>;
    const M matrix{as_operand(a)};
    const TauColumns<Tau, batch> taus{as_operand(tau)};
    const QRFactor<M, TauColumns<Tau, batch>, Acc> qr{matrix, taus};
    if (taus.rows() != qr.steps() || taus.batch() != matrix.batch()) return extents_disagree;
    qr.template factor_all<runs_on_gpu<L>() ? 1 : column_lanes<Acc, M>()>(level);
    return 0;
  }
  /// The workspace is not needed.
  template <Level L, class A, class Tau, class Work>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Tau& tau,
                                             const Work&) {
    return run(level, a, tau);
  }
};

/// Applies the reflectors in A and tau to the columns of C by panels, the first or the last one
/// first. It is for one worker of a host. Returns false, and does nothing, if the elements are of a
/// type that has no panels, or panels do not pay off.
template <bool FirstOneFirst, class A, class Tau, class C>
KOKKOS_FORCEINLINE_FUNCTION bool apply_panels([[maybe_unused]] const A& a,
                                              [[maybe_unused]] const Tau& tau,
                                              [[maybe_unused]] const C& c) {
  using T = typename C::value_type;
  if constexpr (!C::is_vector &&
                is_host_blocked<T, typename A::value_type, typename Tau::value_type>()) {
    const int steps = tau.rows();
    if (!is_large_for_qr_panels(a, steps) || c.cols() < qr_panels.least_cols_of_target) {
      return false;
    }
    for (int z = 0; z < c.batch(); ++z) {
      apply_qr_by_panels<FirstOneFirst>(
          run_time_matrix(a, z), [&](int k) KOKKOSCONTRACT_INLINE_LAMBDA { return tau(z, k, 0); },
          steps, run_time_matrix(c, z));
    }
    return true;
  } else {
    return false;
  }
}

/// Applies Q. From the right, it is applied to the rows of C as to columns, with the conjugate of
/// v.
template <class Where, class TransQ>
struct OrmqrRoutine {
  static constexpr Signature signature{"Ormqr", 2};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Tau, class C>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Tau& tau,
                                             const C& c) {
    require_output<C>();
    using OpA = operand_t<A>;
    using OpC = operand_t<C>;
    using T = value_t<C>;
    using Acc = accumulator_t<value_t<A>, T>;
    constexpr bool right = std::is_same_v<Where, Side::Right>;
    constexpr bool batch = is_shared<A> || OpA::rank == 3;
    constexpr bool a_batch = has_batch<A, batch>;
    constexpr bool vector = OpC::rank == (batch ? 2 : 1);
    static_assert(OpA::rank == (a_batch ? 3 : 2) && is_shared<A> == is_shared<Tau> &&
                      operand_t<Tau>::rank == OpA::rank - 1,
                  "KokkosContract: Ormqr: A has rank 2, or 3 with a leading batch dimension, and "
                  "tau one dimension less; both are shared, or neither is");
    static_assert(vector ? !right : OpC::rank == (batch ? 3 : 2),
                  "KokkosContract: Ormqr: C has the rank of A, or one less for a single column");
    static_assert(!is_complex<scalar_t<Acc>> || !std::is_same_v<TransQ, Trans::Transpose>,
                  "KokkosContract: Ormqr: a complex Q is applied as it is, or as Q^H");
    static_assert(is_complex<scalar_t<T>> || !is_complex<scalar_t<Acc>>,
                  "KokkosContract: Ormqr: a complex Q needs a complex C");
    static_assert(is_pack<T> || !is_pack<Acc>,
                  "KokkosContract: Ormqr: a Q of packs needs a C of packs");
    using M = Matrix<OpC, batch, right>;
    const Matrix<OpA, a_batch> reflectors{as_operand(a)};
    const TauColumns<Tau, a_batch> taus{as_operand(tau)};
    const M target{as_operand(c)};
    const int steps = taus.rows();
    if (reflectors.rows() != target.rows() || steps > reflectors.rows() ||
        steps > reflectors.cols() || (a_batch && reflectors.batch() != target.batch()) ||
        taus.batch() != reflectors.batch()) {
      return extents_disagree;
    }
    constexpr bool backwards = is_transposed<TransQ> == right;
    if constexpr (is_single_worker<L>() && !runs_on_gpu<L>()) {
      if (apply_panels<!backwards>(reflectors, taus, target)) return 0;
    }
    const auto apply = [&]<int W>(std::integral_constant<int, W>) KOKKOSCONTRACT_INLINE_LAMBDA {
      for_columns<W>(level, target.batch(), 0, target.cols(),
                     [&](int z, int begin, int end) KOKKOSCONTRACT_INLINE_LAMBDA {
                       for (int p = 0; p < steps; ++p) {
                         const int k = backwards ? steps - 1 - p : p;
                         const Acc t =
                             conjugate_if<is_transposed<TransQ>>(convert<Acc>(taus(z, k, 0)));
                         reflect_columns<W>(
                             target, z, k, begin, end, t, [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
                               return conjugate_if<right>(convert<Acc>(reflectors(z, i, k)));
                             });
                       }
                     });
    };
    apply(std::integral_constant<int, runs_on_gpu<L>() ? 1 : column_lanes<Acc, M>()>{});
    level.barrier();
    return 0;
  }
  /// The workspace is not needed.
  template <Level L, class A, class Tau, class C, class Work>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Tau& tau, const C& c,
                                             const Work&) {
    return run(level, a, tau, c);
  }
};

template <int D, std::ptrdiff_t Extent, int R>
consteval StaticShape<R> with_extent(StaticShape<R> shape) {
  shape.extent[D] = Extent;
  return shape;
}

/// The first n entries of dimension D. n is known at compile time if Extent is.
template <int D, std::ptrdiff_t Extent, class Op>
KOKKOS_FORCEINLINE_FUNCTION auto first_of(const Op& op, int n) {
  int extent[Op::rank]{};
  std::ptrdiff_t stride[Op::rank]{};
  for (int d = 0; d < Op::rank; ++d) {
    extent[d] = d == D ? n : op.extent(d);
    stride[d] = op.stride(d);
  }
  return strided_t<typename Op::value_type, with_extent<D, Extent>(Op::shape)>(op.data(), extent,
                                                                               stride);
}

struct GelsRoutine {
  static constexpr Signature signature{"Gels", 0};
  static constexpr bool takes_batch = true;
  template <Level L, class A, class Tau, class B, class Info = NoInfo>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const Tau& tau, const B& b,
                                             const Info& info = {}) {
    using Op = operand_t<A>;
    using T = value_t<A>;
    constexpr bool batch = Op::rank == 3;
    constexpr int rows = batch ? 1 : 0;
    const Matrix<Op, batch> matrix{as_operand(a)};
    const auto rhs = Matrix<operand_t<B>, batch>{as_operand(b)};
    const int n = matrix.cols();
    if (matrix.rows() < n || rhs.rows() != matrix.rows() || rhs.batch() != matrix.batch() ||
        !info_fits<Op, T>(info, matrix.batch())) {
      return extents_disagree;
    }
    const auto report_zeros = [&] {
      return report<Op, T>(level, matrix.batch(), info, [&](int z, int lane) {
        return first_zero_of_diagonal(matrix, z, n, lane);
      });
    };
    using Rhs = Matrix<operand_t<B>, batch>;
    using Taus = TauColumns<Tau, batch>;
    using Acc = accumulator_t<T, value_t<B>>;
    using QR = QRFactor<Matrix<Op, batch>, Taus, Acc>;
    if constexpr (QR::template choice<L>.way == DenseWay::lanes && !is_pack<Acc> &&
                  Rhs::is_vector && QR::rows >= QR::cols && std::is_same_v<Acc, accumulator_t<T>>) {
      const Taus taus{as_operand(tau)};
      if (taus.rows() != n || taus.batch() != matrix.batch()) return extents_disagree;
      const auto in_memory = [&](int z) KOKKOSCONTRACT_INLINE_LAMBDA {
        return run(SerialLevel{}, problem_if<batch>(as_operand(a), z),
                   problem_if<batch>(as_operand(tau), z), problem_if<batch>(as_operand(b), z));
      };
      FirstInfo failed;
      if (QR{matrix, taus}.template solve_in_warps<Op>(level, rhs, info, failed, in_memory)) {
        return first_info(level, failed);
      }
    }
    if (GeqrfRoutine::run(level, a, tau) != 0) return extents_disagree;
    OrmqrRoutine<Side::Left, Trans::ConjTranspose>::run(level, a, tau, b);
    const int code = report_zeros();
    constexpr std::ptrdiff_t extent = Op::shape.extent[rows + 1];
    const auto r = first_of<rows, extent>(as_operand(a), n);
    const auto x = first_of<rows, extent>(as_operand(b), n);
    using F = Factored<decltype(r), decltype(x)>;
    F::template solve<Uplo::Upper, Trans::NoTranspose, Diag::NonUnit>(level, r, x);
    return code;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
