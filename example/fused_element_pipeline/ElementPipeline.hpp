// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>

#include "Refinement.hpp"

namespace example {

using namespace KokkosContract;

/// The function to be projected. It is linear in x, so every isoparametric space of order two and
/// more contains it, and the solution must be its nodal values. Order one contains the constant.
template <int Order>
KOKKOS_INLINE_FUNCTION double source(double x, double y, double z) {
  return Order == 1 ? 1 : 1 + x - 2 * y + 3 * z;
}

/// The L2 projection of f for each element of a curved mesh. The mass matrix is M = B^T D B, with
/// factors M = L U, and M x = b with b = B^T D f is solved. There is a version with one kernel, and
/// one with a kernel per step, each with one team per element.
///
/// Indices: i, j are unknowns, q quadrature points, g nodes of the geometry, and c coordinates. r
/// runs over values at the points, r = q. It also runs over the derivatives there, r = d points +
/// q, along the directions d = 1, 2, 3 of the reference element.
template <int Order>
struct ElementPipeline {
  using Space = Kokkos::DefaultExecutionSpace;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = Policy::member_type;

  // det J of a triquadratic map has degree five in each direction: three points are exact.
  static constexpr int line_points = Order < 2 ? 3 : Order + 1;
  static constexpr int points = line_points * line_points * line_points;
  static constexpr int unknowns = (Order + 1) * (Order + 1) * (Order + 1);
  static constexpr int nodes = 27;

  // Tables of the reference element
  DeviceArray<double[points]> w;             // quadrature weights
  DeviceArray<double[points][unknowns]> B;   // B(q, i): basis function i
  DeviceArray<double[nodes][4 * points]> G;  // G(g, r): node function g and its derivatives

  // One row an element
  DeviceArray<double* [nodes][3]> X;    // in: node coordinates
  DeviceArray<double* [unknowns]> x;    // out: the fused kernel's solution
  DeviceArray<double* [points]> D, Df;  // passed between the separate kernels: w det J, w det J f,
  DeviceArray<double* [unknowns][unknowns]> M;  // M, later L and U,
  DeviceArray<double* [unknowns]> b;            // b, later the solution

  Kokkos::View<int, Space> singular;  // elements with a zero pivot

  // The steps, each by all threads and lanes of a team
  using None = Trans::NoTranspose;
  using Map = TeamVectorContract<"gr,gc->cr">;
  using Weigh = TeamVectorContract<"q,qj->qj">;
  using Multiply = TeamVectorContract<"qi,qj->ij">;
  using Project = TeamVectorContract<"qi,q->i">;
  using LU = TeamVectorLU<Member>;
  using SolveL = TeamVectorTrsv<Member, Uplo::Lower, None, Diag::Unit>;
  using SolveU = TeamVectorTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
  using Solve = TeamVectorGesv<Member, Algo::Gesv::NoPivoting>;

  // On a GPU the registers per thread are limited so that twelve warps fit, in teams of one warp or
  // of four. Without the limit eight warps fit.
  using BoundedPolicy = Kokkos::TeamPolicy<
      Space, Kokkos::LaunchBounds<(unknowns <= 32 ? 64 : 128), (unknowns <= 32 ? 6 : 3)>>;

  // The arrays of a kernel in scratch memory. They are in level 0, a GPU's shared memory, as long
  // as there is room, the matrix first.
  static constexpr int map_bytes = scratch_matrices_bytes<double, 3, 4 * points>(1);
  static constexpr int basis_bytes = scratch_matrices_bytes<double, points, unknowns>(1);
  int matrix_level = 0, scratch_level = 0;

  // --- All steps in one kernel ------------------------------------------------------------------

  struct Fused {
    static constexpr int matrix_bytes = scratch_matrices_bytes<double, unknowns, unknowns>(1);
    static constexpr int other_bytes =
        scratch_vectors_bytes<double, points>(2) + Kokkos::max(map_bytes, basis_bytes);
  };

  KOKKOS_FUNCTION void operator()(Fused, const Member& team) const {
    const auto e = team.league_rank();
    const auto M_e =
        slice(scratch_matrices<double, unknowns, unknowns>(team.team_scratch(matrix_level), 1), 0);
    const auto scratch = team.team_scratch(scratch_level);
    const auto weights = scratch_vectors<double, points>(scratch, 2);
    const auto D_e = slice(weights, 0), Df_e = slice(weights, 1);
    // A copy does not know what is taken from the other: F is where D B will be.
    const auto same_scratch = scratch;
    const auto F = slice(scratch_matrices<double, 3, 4 * points>(same_scratch, 1), 0);
    const auto DB = slice(scratch_matrices<double, points, unknowns>(scratch, 1), 0);
    const auto x_e = of_element(x, e);

    // x(q) and J(q) = dx / dxi, then D = w det J
    require_success(Map::invoke(team, 1.0, packed(G), of_element(X, e), 0.0, F));
    weigh(team, F, D_e, Df_e);
    // M = B^T (D B)
    require_success(Weigh::invoke(team, 1.0, D_e, packed(B), 0.0, DB));
    require_success(Multiply::invoke(team, 1.0, packed(B), DB, 0.0, M_e));
    // b = B^T (D f)
    require_success(Project::invoke(team, 1.0, packed(B), Df_e, 0.0, x_e));
    // M x = b, in place, by LU
    count_singular(team, Solve::invoke(team, M_e, x_e));
  }

  auto plan(Fused, user_scratch bytes) const {
    return team_policy(Space(), elements(), uses<Multiply>(B, B, of_element(M, 0)),
                       uses<Solve>(of_element(M, 0), of_element(x, 0)), bytes);
  }

  // --- One kernel per step ----------------------------------------------------------------------

  struct Geometry {
    static constexpr int matrix_bytes = 0, other_bytes = map_bytes;
  };
  KOKKOS_FUNCTION void operator()(Geometry, const Member& team) const {
    const auto e = team.league_rank();
    const auto F =
        slice(scratch_matrices<double, 3, 4 * points>(team.team_scratch(scratch_level), 1), 0);
    require_success(Map::invoke(team, 1.0, packed(G), of_element(X, e), 0.0, F));
    weigh(team, F, of_element(D, e), of_element(Df, e));
  }
  auto plan(Geometry, user_scratch bytes) const {
    const DeviceArray<double[3][4 * points]> F(nullptr);  // for its shape
    return team_policy(Space(), elements(), uses<Map>(G, of_element(X, 0), F), bytes);
  }

  struct Matrix {
    static constexpr int matrix_bytes = 0, other_bytes = basis_bytes;
  };
  KOKKOS_FUNCTION void operator()(Matrix, const Member& team) const {
    const auto e = team.league_rank();
    const auto DB =
        slice(scratch_matrices<double, points, unknowns>(team.team_scratch(scratch_level), 1), 0);
    require_success(Weigh::invoke(team, 1.0, of_element(D, e), packed(B), 0.0, DB));
    require_success(Multiply::invoke(team, 1.0, packed(B), DB, 0.0, of_element(M, e)));
  }
  auto plan(Matrix, user_scratch bytes) const {
    return team_policy(Space(), elements(), uses<Multiply>(B, B, of_element(M, 0)), bytes);
  }

  struct Load {
    static constexpr int matrix_bytes = 0, other_bytes = 0;
  };
  KOKKOS_FUNCTION void operator()(Load, const Member& team) const {
    const auto e = team.league_rank();
    require_success(
        Project::invoke(team, 1.0, packed(B), of_element(Df, e), 0.0, of_element(b, e)));
  }
  auto plan(Load, user_scratch) const {
    return team_policy<Project>(Space(), elements(), B, of_element(Df, 0), of_element(b, 0));
  }

  struct Factor {
    static constexpr int matrix_bytes = 0, other_bytes = 0;
  };
  KOKKOS_FUNCTION void operator()(Factor, const Member& team) const {
    count_singular(team, LU::invoke(team, of_element(M, team.league_rank())));
  }
  auto plan(Factor, user_scratch) const {
    return team_policy<LU>(Space(), elements(), of_element(M, 0));
  }

  struct Forward {
    static constexpr int matrix_bytes = 0, other_bytes = 0;
  };
  KOKKOS_FUNCTION void operator()(Forward, const Member& team) const {
    const auto e = team.league_rank();
    require_success(SolveL::invoke(team, 1.0, of_element(M, e), of_element(b, e)));
  }
  auto plan(Forward, user_scratch) const {
    return team_policy<SolveL>(Space(), elements(), of_element(M, 0), of_element(b, 0));
  }

  struct Backward {
    static constexpr int matrix_bytes = 0, other_bytes = 0;
  };
  KOKKOS_FUNCTION void operator()(Backward, const Member& team) const {
    const auto e = team.league_rank();
    require_success(SolveU::invoke(team, 1.0, of_element(M, e), of_element(b, e)));
  }
  auto plan(Backward, user_scratch) const {
    return team_policy<SolveU>(Space(), elements(), of_element(M, 0), of_element(b, 0));
  }

  // --- Used by both -----------------------------------------------------------------------------

  /// The row of an element, and a table. Nothing is padded, so extents and strides are known at
  /// compile time.
  template <int N>
  KOKKOS_FUNCTION static auto of_element(const DeviceArray<double* [N]>& array, int e) {
    return fix_packed<N>(Kokkos::subview(array, e, Kokkos::ALL));
  }
  template <int M, int N>
  KOKKOS_FUNCTION static auto of_element(const DeviceArray<double* [M][N]>& array, int e) {
    return fix_packed<M, N>(Kokkos::subview(array, e, Kokkos::ALL, Kokkos::ALL));
  }
  template <int M, int N>
  KOKKOS_FUNCTION static auto packed(const DeviceArray<double[M][N]>& table) {
    return fix_packed<M, N>(table);
  }

  /// D = w det J and D f, point by point
  template <class Jacobian, class Vector>
  KOKKOS_FUNCTION void weigh(const Member& team, const Jacobian& F, const Vector& D_e,
                             const Vector& Df_e) const {
    const int count = points;  // the range takes a reference to it
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int q) {
      const auto J = [&](int d, int c) { return F(c, (d + 1) * points + q); };
      const double det = J(0, 0) * (J(1, 1) * J(2, 2) - J(1, 2) * J(2, 1)) +
                         J(0, 1) * (J(1, 2) * J(2, 0) - J(1, 0) * J(2, 2)) +
                         J(0, 2) * (J(1, 0) * J(2, 1) - J(1, 1) * J(2, 0));
      D_e(q) = w(q) * det;
      Df_e(q) = D_e(q) * source<Order>(F(0, q), F(1, q), F(2, q));
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
        for (int g = 0; g < nodes; ++g) G_host(g, d * points + q) = G_table[d](q, g);
    }
    Kokkos::deep_copy(w, w_host);
    Kokkos::deep_copy(B, B_host);
    Kokkos::deep_copy(G, G_host);
  }

  int elements() const { return X.extent_int(0); }

  /// Bytes of memory for an element
  static constexpr std::size_t bytes_per_element =
      sizeof(double) * (3 * nodes + 2 * points + unknowns * (unknowns + 2));

  /// Starts the kernel of a step, or the fused one.
  template <class Step>
  void run(Step step) {
    const auto room = static_cast<int>(Policy::scratch_size_max(0));
    matrix_level = Step::matrix_bytes <= room ? 0 : 1;
    scratch_level = Step::matrix_bytes + Step::other_bytes <= room ? 0 : 1;
    int bytes[2] = {};
    bytes[matrix_level] += Step::matrix_bytes;
    bytes[scratch_level] += Step::other_bytes;
    auto launch = plan(step, user_scratch{static_cast<std::size_t>(bytes[0])});
    launch.policy.set_scratch_size(1, Kokkos::PerTeam(bytes[1]));
    const ElementPipeline pipeline = *this;
    Kokkos::parallel_for(
        "ElementPipeline", BoundedPolicy(launch.policy), KOKKOS_LAMBDA(const Member& team) {
          one_team_per_block(team);
          pipeline(Step(), team);
        });
  }
};

}  // namespace example
