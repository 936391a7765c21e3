// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program in the style of KokkosBatched: extents at run time, vectors of lines, a kernel that
// factors and one that solves, and a level that a tag chooses. It is included where kb and blas are
// the namespaces of the routines, so one text is compiled for either library.

#include <type_traits>

#include "Problem.hpp"

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Kokkos::SharedSpace;
using Member = Kokkos::TeamPolicy<Space>::member_type;
using Kokkos::ALL;

constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
using Level = std::conditional_t<on_host, kb::Mode::Serial, kb::Mode::Team>;
using MatrixAlgo =
    std::conditional_t<on_host, kb::Algo::Level3::Blocked, kb::Algo::Level3::Unblocked>;
using VectorAlgo =
    std::conditional_t<on_host, kb::Algo::Level2::Blocked, kb::Algo::Level2::Unblocked>;

// A vector in memory, and the part of it that a worker takes.
constexpr int length = kb::DefaultVectorLength<double, Memory>::value;
constexpr int internal_length = kb::DefaultInternalVectorLength<double, Memory>::value;
using Vector = kb::Vector<kb::SIMD<double>, length>;
using Internal = kb::Vector<kb::SIMD<double>, internal_length>;

/// (vector of lines, block, part, row, column, index in the vector)
template <class T>
using Matrices = Kokkos::View<T******, Kokkos::LayoutRight, Memory>;
/// (vector of lines, right-hand side, block, row, index in the vector)
template <class T>
using Vectors = Kokkos::View<T*****, Kokkos::LayoutRight, Memory>;

using None = kb::Trans::NoTranspose;
using Lower = kb::Uplo::Lower;
using Upper = kb::Uplo::Upper;
using Unit = kb::Diag::Unit;
using NonUnit = kb::Diag::NonUnit;

/// y = y - A x
template <class A, class X>
KOKKOS_FUNCTION void subtract_product([[maybe_unused]] const Member& member, const A& a, const X& x,
                                      const X& y) {
  if constexpr (on_host) {
    (void)blas::SerialGemv<None, VectorAlgo>::invoke(-1.0, a, x, 1.0, y);
  } else {
    (void)blas::TeamGemv<Member, None, VectorAlgo>::invoke(member, -1.0, a, x, 1.0, y);
  }
}

// [factor]
struct Factor {
  Matrices<Internal> M;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using LU = kb::LU<Member, Level, MatrixAlgo>;
    using Left = kb::Trsm<Member, kb::Side::Left, Lower, None, Unit, Level, MatrixAlgo>;
    using Right = kb::Trsm<Member, kb::Side::Right, Upper, None, NonUnit, Level, MatrixAlgo>;
    using Gemm = kb::Gemm<Member, None, None, Level, MatrixAlgo>;
    const int p = member.league_rank(), last = M.extent_int(1) - 1;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, M.extent_int(5)), [&](int v) {
      auto D = Kokkos::subview(M, p, 0, example::diagonal, ALL, ALL, v);
      auto C = Kokkos::subview(M, p, 0, example::upper, ALL, ALL, v);
      auto A = Kokkos::subview(M, p, 0, example::lower, ALL, ALL, v);
      auto next = D;
      LU::invoke(member, D);
      member.team_barrier();
      for (int k = 0; k < last; ++k) {
        D.assign_data(&M(p, k, example::diagonal, 0, 0, v));
        C.assign_data(&M(p, k, example::upper, 0, 0, v));
        A.assign_data(&M(p, k + 1, example::lower, 0, 0, v));
        next.assign_data(&M(p, k + 1, example::diagonal, 0, 0, v));
        Left::invoke(member, 1.0, D, C);
        Right::invoke(member, 1.0, D, A);
        member.team_barrier();
        Gemm::invoke(member, -1.0, A, C, 1.0, next);
        member.team_barrier();
        LU::invoke(member, next);
        member.team_barrier();
      }
    });
  }
};
// [/factor]

struct Solve {
  Matrices<Internal> M;
  Vectors<Internal> b, x;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using Copy = kb::Copy<Member, None, Level, 1>;
    using Forward = kb::Trsv<Member, Lower, None, Unit, Level, VectorAlgo>;
    using Backward = kb::Trsv<Member, Upper, None, NonUnit, Level, VectorAlgo>;
    const int p = member.league_rank(), last = M.extent_int(1) - 1;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, M.extent_int(5)), [&](int v) {
      auto D = Kokkos::subview(M, p, 0, example::diagonal, ALL, ALL, v);
      auto other = D;
      for (int r = 0; r < x.extent_int(1); ++r) {
        auto x_k = Kokkos::subview(x, p, r, 0, ALL, v);
        auto x_other = x_k;
        auto b_k = Kokkos::subview(b, p, r, 0, ALL, v);
        for (int k = 0; k <= last; ++k) {
          D.assign_data(&M(p, k, example::diagonal, 0, 0, v));
          x_k.assign_data(&x(p, r, k, 0, v));
          b_k.assign_data(&b(p, r, k, 0, v));
          Copy::invoke(member, b_k, x_k);
          member.team_barrier();
          if (k > 0) {
            other.assign_data(&M(p, k, example::lower, 0, 0, v));
            x_other.assign_data(&x(p, r, k - 1, 0, v));
            subtract_product(member, other, x_other, x_k);
            member.team_barrier();
          }
          Forward::invoke(member, 1.0, D, x_k);
          member.team_barrier();
        }
        for (int k = last; k >= 0; --k) {
          D.assign_data(&M(p, k, example::diagonal, 0, 0, v));
          x_k.assign_data(&x(p, r, k, 0, v));
          if (k < last) {
            other.assign_data(&M(p, k, example::upper, 0, 0, v));
            x_other.assign_data(&x(p, r, k + 1, 0, v));
            subtract_product(member, other, x_other, x_k);
            member.team_barrier();
          }
          Backward::invoke(member, 1.0, D, x_k);
          member.team_barrier();
        }
      }
    });
  }
};

inline void fill(const Matrices<double>& M, const Vectors<double>& b) {
  Kokkos::parallel_for(
      "fill", M.extent_int(0) * length, KOKKOS_LAMBDA(int line) {
        const int p = line / length, l = line % length, n = M.extent_int(3);
        for (int k = 0; k < M.extent_int(1); ++k)
          for (int i = 0; i < n; ++i) {
            for (int part = example::lower; part <= example::upper; ++part)
              for (int j = 0; j < n; ++j)
                M(p, k, part, i, j, l) = example::matrix_entry(line, k, part, i, j, n);
            for (int r = 0; r < b.extent_int(1); ++r)
              b(p, r, k, i, l) = example::vector_entry(line, k, i, r);
          }
      });
}

example::Times run(const example::Options& options) {
  const int packs = (options.lines + length - 1) / length;
  const int blocks = options.blocks, n = options.block, right_hand_sides = options.right_hand_sides;
  constexpr int parts = length / internal_length;
  // One memory, seen as vectors, as scalars, and as the parts of workers.
  const Kokkos::View<Vector*****, Kokkos::LayoutRight, Memory> M("M", packs, blocks, 3, n, n);
  const Kokkos::View<Vector****, Kokkos::LayoutRight, Memory> b("b", packs, right_hand_sides,
                                                                blocks, n);
  const Kokkos::View<Vector****, Kokkos::LayoutRight, Memory> x("x", packs, right_hand_sides,
                                                                blocks, n);
  const Matrices<double> M_scalars(reinterpret_cast<double*>(M.data()), packs, blocks, 3, n, n,
                                   length);
  const Matrices<Internal> M_parts(reinterpret_cast<Internal*>(M.data()), packs, blocks, 3, n, n,
                                   parts);
  const auto scalars = [&](const auto& view) {
    return Vectors<double>(reinterpret_cast<double*>(view.data()), packs, right_hand_sides, blocks,
                           n, length);
  };
  const auto internals = [&](const auto& view) {
    return Vectors<Internal>(reinterpret_cast<Internal*>(view.data()), packs, right_hand_sides,
                             blocks, n, parts);
  };

  const Kokkos::TeamPolicy<Space> policy(packs, on_host ? 1 : 32 / parts, parts);
  example::Times times{1e99, 1e99, 0};
  for (int repeat = 0; repeat < options.repeat; ++repeat) {
    fill(M_scalars, scalars(b));
    Kokkos::fence();
    Kokkos::Timer timer;
    Kokkos::parallel_for("factor", policy, Factor{M_parts});
    Kokkos::fence();
    times.factor = Kokkos::min(times.factor, timer.seconds());
    timer.reset();
    Kokkos::parallel_for("solve", policy, Solve{M_parts, internals(b), internals(x)});
    Kokkos::fence();
    times.solve = Kokkos::min(times.solve, timer.seconds());
  }
  const Vectors<double> solution = scalars(x);
  times.residual = example::residual_of(
      options, packs * length, KOKKOS_LAMBDA(int line, int k, int i, int r) {
        return solution(line / length, r, k, i, line % length);
      });
  return times;
}

}  // namespace
