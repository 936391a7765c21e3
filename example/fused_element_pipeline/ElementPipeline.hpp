// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

#include "Refinement.hpp"

namespace example {

using KokkosContract::require_success;

/// The function to be projected. It is linear in x, so every isoparametric space of order two and
/// more contains it, and the solution must be its nodal values. Order one contains the constant.
template <int Order>
KOKKOS_INLINE_FUNCTION double source(double x, double y, double z) {
  return Order == 1 ? 1 : 1 + x - 2 * y + 3 * z;
}

/// For each element of a curved mesh: its mass matrix M = B^T D B, the factors M = L U, and the
/// solution of M x = b with b = B^T D f, which is the L2 projection of f. Once as one kernel and
/// once as one kernel a step.
///
/// Indices: i, j unknowns; q quadrature points; g nodes of the geometry; c coordinates; d = 0 a
/// value and d = 1, 2, 3 a derivative along a direction of the reference element.
template <int Order>
struct ElementPipeline {
  using Space = Kokkos::DefaultExecutionSpace;
  using Member = Kokkos::TeamPolicy<Space>::member_type;

  // det J of a triquadratic map has degree five in each direction: three points are exact.
  static constexpr int line_points = Order < 2 ? 3 : Order + 1;
  static constexpr int points = line_points * line_points * line_points;
  static constexpr int unknowns = (Order + 1) * (Order + 1) * (Order + 1);
  static constexpr int nodes = 27;

  // Tables of the reference element
  DeviceArray<double[points]> w;            // quadrature weights
  DeviceArray<double[points][unknowns]> B;  // B(q, i): basis function i
  DeviceArray<double[4][nodes][points]> G;  // G(d, g, q): node function g and its derivatives

  // One row an element
  DeviceArray<double* [nodes][3]> X;    // in: node coordinates
  DeviceArray<double* [unknowns]> x;    // out: the fused kernel's solution
  DeviceArray<double* [points]> D, Df;  // what the separate kernels hand on: w det J, w det J f,
  DeviceArray<double* [unknowns][unknowns]> M;  // M, later L and U,
  DeviceArray<double* [unknowns]> b;            // b, later the solution

  Kokkos::View<int, Space> singular;  // elements with a zero pivot
  int scratch_level = 0;

  // What stays inside a kernel
  template <class Data>
  using Scratch = Kokkos::View<Data, Kokkos::LayoutRight, Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using MapScratch = Scratch<double[4][3][points]>;
  using PointScratch = Scratch<double[points]>;
  using BasisScratch = Scratch<double[points][unknowns]>;
  using MatrixScratch = Scratch<double[unknowns][unknowns]>;

  using LU = KokkosContract::TeamLU<Member, KokkosContract::Algo::LU::Default>;
  using SolveL =
      KokkosContract::TeamTrsv<Member, KokkosContract::Uplo::Lower,
                               KokkosContract::Trans::NoTranspose, KokkosContract::Diag::Unit,
                               KokkosContract::Algo::Trsv::Default>;
  using SolveU =
      KokkosContract::TeamTrsv<Member, KokkosContract::Uplo::Upper,
                               KokkosContract::Trans::NoTranspose, KokkosContract::Diag::NonUnit,
                               KokkosContract::Algo::Trsv::Default>;

  // --- All steps in one kernel ------------------------------------------------------------------

  struct Fused {
    static std::size_t scratch_bytes() {
      return MapScratch::shmem_size() + 2 * PointScratch::shmem_size() +
             BasisScratch::shmem_size() + MatrixScratch::shmem_size();
    }
  };

  KOKKOS_FUNCTION void operator()(Fused, const Member& team) const {
    using KokkosContract::TeamContract;
    const auto scratch = team.team_scratch(scratch_level);
    const MapScratch F(scratch);
    const PointScratch D_e(scratch), Df_e(scratch);
    const BasisScratch DB(scratch);
    const MatrixScratch M_e(scratch);
    const auto X_e = of_element(X, team);
    const auto x_e = of_element(x, team);

    // x(q) and J(q) = dx / dxi, then D = w det J
    require_success(TeamContract<"dgq,gc->dcq">::invoke(team, 1.0, G, X_e, 0.0, F));
    weigh(team, F, D_e, Df_e);
    // M = B^T (D B)
    require_success(TeamContract<"q,qj->qj">::invoke(team, 1.0, D_e, B, 0.0, DB));
    require_success(TeamContract<"qi,qj->ij">::invoke(team, 1.0, B, DB, 0.0, M_e));
    // b = B^T (D f)
    require_success(TeamContract<"qi,q->i">::invoke(team, 1.0, B, Df_e, 0.0, x_e));
    // M = L U, then L y = b and U x = y, all in place
    const int info = LU::invoke(team, M_e);
    require_success(SolveL::invoke(team, 1.0, M_e, x_e));
    require_success(SolveU::invoke(team, 1.0, M_e, x_e));
    count_singular(team, info);
  }

  // --- The same, one kernel a step --------------------------------------------------------------

  struct Geometry {
    static std::size_t scratch_bytes() { return MapScratch::shmem_size(); }
  };
  KOKKOS_FUNCTION void operator()(Geometry, const Member& team) const {
    const MapScratch F(team.team_scratch(scratch_level));
    require_success(KokkosContract::TeamContract<"dgq,gc->dcq">::invoke(
        team, 1.0, G, of_element(X, team), 0.0, F));
    weigh(team, F, of_element(D, team), of_element(Df, team));
  }

  struct Matrix {
    static std::size_t scratch_bytes() { return BasisScratch::shmem_size(); }
  };
  KOKKOS_FUNCTION void operator()(Matrix, const Member& team) const {
    using KokkosContract::TeamContract;
    const BasisScratch DB(team.team_scratch(scratch_level));
    require_success(TeamContract<"q,qj->qj">::invoke(team, 1.0, of_element(D, team), B, 0.0, DB));
    require_success(TeamContract<"qi,qj->ij">::invoke(team, 1.0, B, DB, 0.0, of_element(M, team)));
  }

  struct Load {
    static std::size_t scratch_bytes() { return 0; }
  };
  KOKKOS_FUNCTION void operator()(Load, const Member& team) const {
    require_success(KokkosContract::TeamContract<"qi,q->i">::invoke(
        team, 1.0, B, of_element(Df, team), 0.0, of_element(b, team)));
  }

  struct Factor {
    static std::size_t scratch_bytes() { return 0; }
  };
  KOKKOS_FUNCTION void operator()(Factor, const Member& team) const {
    count_singular(team, LU::invoke(team, of_element(M, team)));
  }

  struct Forward {
    static std::size_t scratch_bytes() { return 0; }
  };
  KOKKOS_FUNCTION void operator()(Forward, const Member& team) const {
    require_success(SolveL::invoke(team, 1.0, of_element(M, team), of_element(b, team)));
  }

  struct Backward {
    static std::size_t scratch_bytes() { return 0; }
  };
  KOKKOS_FUNCTION void operator()(Backward, const Member& team) const {
    require_success(SolveU::invoke(team, 1.0, of_element(M, team), of_element(b, team)));
  }

  // --- Used by both -----------------------------------------------------------------------------

  /// The row of this team's element, with its extents still known at compile time
  template <class T>
  KOKKOS_FUNCTION static auto of_element(const DeviceArray<T>& array, const Member& team) {
    const int e = team.league_rank();
    if constexpr (DeviceArray<T>::rank() == 2)
      return Kokkos::subview(array, e, Kokkos::ALL);
    else
      return Kokkos::subview(array, e, Kokkos::ALL, Kokkos::ALL);
  }

  /// D = w det J and D f, point by point
  template <class Jacobian, class Vector>
  KOKKOS_FUNCTION void weigh(const Member& team, const Jacobian& F, const Vector& D_e,
                             const Vector& Df_e) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, points), [&](int q) {
      const double det = F(1, 0, q) * (F(2, 1, q) * F(3, 2, q) - F(2, 2, q) * F(3, 1, q)) +
                         F(1, 1, q) * (F(2, 2, q) * F(3, 0, q) - F(2, 0, q) * F(3, 2, q)) +
                         F(1, 2, q) * (F(2, 0, q) * F(3, 1, q) - F(2, 1, q) * F(3, 0, q));
      D_e(q) = w(q) * det;
      Df_e(q) = D_e(q) * source<Order>(F(0, 0, q), F(0, 1, q), F(0, 2, q));
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void count_singular(const Member& team, int info) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (info != 0) Kokkos::atomic_inc(&singular());
    });
  }

  // --- On the host ------------------------------------------------------------------------------

  ElementPipeline(const Mesh& coarse, int refinements)
      : w("w"),
        B("B"),
        G("G"),
        X(refine(coarse, refinements)),
        x("x", X.extent(0)),
        D("D", X.extent(0)),
        Df("Df", X.extent(0)),
        M("M", X.extent(0)),
        b("b", X.extent(0)),
        singular("singular") {
    const Quadrature rule = gauss_legendre(line_points);
    const Table basis = lagrange(gauss_lobatto_points(Order), rule.points);
    const Table value = lagrange({-1, 0, 1}, rule.points);
    const Table slope = lagrange_derivative({-1, 0, 1}, rule.points);
    const Table B_table = tensor_product(basis, basis, basis);
    const Table G_table[4] = {
        tensor_product(value, value, value), tensor_product(slope, value, value),
        tensor_product(value, slope, value), tensor_product(value, value, slope)};

    const auto w_host = Kokkos::create_mirror_view(w);
    const auto B_host = Kokkos::create_mirror_view(B);
    const auto G_host = Kokkos::create_mirror_view(G);
    for (int q = 0; q < points; ++q) {
      w_host(q) = rule.weights[q % line_points] * rule.weights[q / line_points % line_points] *
                  rule.weights[q / line_points / line_points];
      for (int i = 0; i < unknowns; ++i) B_host(q, i) = B_table(q, i);
      for (int d = 0; d < 4; ++d)
        for (int g = 0; g < nodes; ++g) G_host(d, g, q) = G_table[d](q, g);
    }
    Kokkos::deep_copy(w, w_host);
    Kokkos::deep_copy(B, B_host);
    Kokkos::deep_copy(G, G_host);
  }

  int elements() const { return X.extent_int(0); }

  /// Bytes that an element takes in memory
  static constexpr std::size_t bytes_per_element =
      sizeof(double) * (3 * nodes + 2 * points + unknowns * (unknowns + 2));

  /// Starts the kernel of a step, or the fused one: a team an element.
  template <class Step>
  void run(Step) {
    Kokkos::TeamPolicy<Space, Step> policy(elements(), 1, 1);
    const auto bytes = static_cast<int>(Step::scratch_bytes());
    scratch_level = bytes <= policy.scratch_size_max(0) ? 0 : 1;
    policy.set_scratch_size(scratch_level, Kokkos::PerTeam(bytes));
    // On the host one thread a team is best: its SIMD lanes share the element. A GPU needs many.
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible) {
      const int most = policy.team_size_max(*this, Kokkos::ParallelForTag());
      policy = Kokkos::TeamPolicy<Space, Step>(elements(), std::min(128, most), 1);
      policy.set_scratch_size(scratch_level, Kokkos::PerTeam(bytes));
    }
    Kokkos::parallel_for("ElementPipeline", policy, *this);
  }
};

}  // namespace example
