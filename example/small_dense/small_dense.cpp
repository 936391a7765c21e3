// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One use of each of the smaller routines of dense linear algebra.

#include <KokkosContract/AddRadial.hpp>
#include <KokkosContract/ApplyPivot.hpp>
#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/HadamardProduct.hpp>
#include <KokkosContract/InverseLU.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Lacgv.hpp>
#include <KokkosContract/Laswp.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Swap.hpp>
#include <KokkosContract/Symv.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Trmm.hpp>
#include <KokkosContract/Trtri.hpp>
#include <KokkosContract/Xpay.hpp>
#include <algorithm>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

/// The largest element of A B - C for each problem.
double residual_of_product(const Array<double***>& A, const Array<double***>& B,
                           const Array<double***>& C) {
  double largest = 0;
  for (int p = 0; p < A.extent_int(0); ++p)
    for (int i = 0; i < A.extent_int(1); ++i)
      for (int j = 0; j < B.extent_int(2); ++j) {
        double r = C(p, i, j);
        for (int k = 0; k < B.extent_int(1); ++k) r -= A(p, i, k) * B(p, k, j);
        largest = worse(largest, std::abs(r));
      }
  return largest;
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 7, n = 5;
  const Array<double***> A("A", problems, n, n), B("B", problems, n, n), C("C", problems, n, n);
  const Array<double***> unit("unit", problems, n, n);
  const Array<double**> x("x", problems, n), y("y", problems, n), work("work", problems, n * n);
  const Array<double*> dot("dot", problems), norm("norm", problems);
  const Array<int*> index("index", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) A(p, i, j) = entry(p, i, j) + (i == j ? n : 0);
      x(p, i) = entry(i, p);
    }

  // [vectors]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto x_p = Kokkos::subview(x, p, ALL), y_p = Kokkos::subview(y, p, ALL);
        require_success(TeamSet<Member>::invoke(team, 1.0, y_p));        // y = 1
        require_success(TeamAxpy<Member>::invoke(team, 2.0, x_p, y_p));  // y = 1 + 2 x
        require_success(TeamScale<Member>::invoke(team, 0.5, y_p));      // y = 1/2 + x
        require_success(TeamDot<Member>::invoke(team, x_p, y_p, Kokkos::subview(dot, p)));
        require_success(TeamNrm2<Member>::invoke(team, x_p, Kokkos::subview(norm, p)));
      });
  // [/vectors]
  Kokkos::fence();
  double vectors = 0;
  for (int p = 0; p < problems; ++p) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
      vectors = worse(vectors, std::abs(y(p, i) - (0.5 + x(p, i))));
      sum += x(p, i) * (0.5 + x(p, i));
      squares += x(p, i) * x(p, i);
    }
    vectors = worse(vectors, std::abs(dot(p) - sum));
    vectors = worse(vectors, std::abs(norm(p) - std::sqrt(squares)));
  }

  // [norms]
  // A batch in one call: an entry of the result for each problem.
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        require_success(TeamVectorAsum<Member>::invoke(team, x, dot));              // sum |x_i|
        require_success(TeamVectorIamax<Member>::invoke(team, x, index));           // the largest
        require_success(TeamVectorNorm<Member, Norm::One>::invoke(team, A, norm));  // of matrices
      });
  // [/norms]
  Kokkos::fence();
  double norms = 0;
  for (int p = 0; p < problems; ++p) {
    double sum = 0, one = 0;
    for (int j = 0; j < n; ++j) {
      sum += std::abs(x(p, j));
      norms = worse(norms, std::abs(x(p, j)) <= std::abs(x(p, index(p))) ? 0 : 1);
      double column = 0;
      for (int i = 0; i < n; ++i) column += std::abs(A(p, i, j));
      one = std::max(one, column);
    }
    norms = worse(norms, worse(std::abs(dot(p) - sum), std::abs(norm(p) - one)));
  }

  // [updates]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto A_p = Kokkos::subview(A, p, ALL, ALL), B_p = Kokkos::subview(B, p, ALL, ALL);
        const auto x_p = Kokkos::subview(x, p, ALL), y_p = Kokkos::subview(y, p, ALL);
        require_success(TeamCopy<Member, Trans::Transpose>::invoke(team, A_p, B_p));  // B = A^T
        // B += 2 x y^T, then B += 3 x x^T in the lower triangle
        require_success(TeamGer<Member, Trans::Transpose>::invoke(team, 2.0, x_p, y_p, B_p));
        require_success(
            TeamSyr<Member, Uplo::Lower, Trans::Transpose>::invoke(team, 3.0, x_p, B_p));
      });
  // [/updates]
  Kokkos::fence();
  double updates = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double expected = A(p, j, i) + 2 * x(p, i) * y(p, j);
        if (j <= i) expected += 3 * x(p, i) * x(p, j);
        updates = worse(updates, std::abs(B(p, i, j) - expected));
      }

  // [inverse]
  Kokkos::deep_copy(B, A);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto B_p = Kokkos::subview(B, p, ALL, ALL);
        require_success(TeamLU<Member>::invoke(team, B_p));
        require_success(TeamSolveLU<Member, Trans::NoTranspose>::invoke(
            team, B_p, Kokkos::subview(y, p, ALL)));  // y = A^-1 y
        require_success(
            TeamInverseLU<Member>::invoke(team, B_p, Kokkos::subview(work, p, ALL)));  // B = A^-1
        require_success(TeamSetIdentity<Member>::invoke(team, Kokkos::subview(unit, p, ALL, ALL)));
      });
  // [/inverse]
  Kokkos::fence();
  double inverse = residual_of_product(A, B, unit);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      double r = -(0.5 + x(p, i));  // the old y
      for (int j = 0; j < n; ++j) r += A(p, i, j) * y(p, j);
      inverse = worse(inverse, std::abs(r));
    }

  // [triangles]
  using Invert = KokkosContract::TeamTrtri<Member, Uplo::Lower, Diag::NonUnit>;
  using Multiply = TeamTrmm<Member, Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::NonUnit>;
  Kokkos::deep_copy(B, A);
  Kokkos::deep_copy(C, A);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto B_p = Kokkos::subview(B, p, ALL, ALL), C_p = Kokkos::subview(C, p, ALL, ALL);
        const auto A_p = Kokkos::subview(A, p, ALL, ALL);
        require_success(Multiply::invoke(team, 1.0, A_p, C_p));  // C = L A
        if (Invert::invoke(team, B_p) == 0) {                    // L^-1 in the lower triangle of B
          require_success(Multiply::invoke(team, 1.0, B_p, C_p));  // C = L^-1 L A
        }
      });
  // [/triangles]
  Kokkos::fence();
  const double triangles = residual_of_product(A, unit, C);

  const Array<double**> u("u", problems, n), v("v", problems, n), z("z", problems, n);
  const Array<int**> ipiv("ipiv", problems, n);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) u(p, i) = x(p, i), v(p, i) = 1, ipiv(p, i) = n - 1;
  // [elements]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto u_p = Kokkos::subview(u, p, ALL), v_p = Kokkos::subview(v, p, ALL);
        const auto z_p = Kokkos::subview(z, p, ALL);
        require_success(TeamXpay<Member>::invoke(team, 3.0, u_p, v_p));             // v = u + 3 v
        require_success(TeamHadamardProduct<Member>::invoke(team, u_p, v_p, z_p));  // z_i = u_i v_i
        require_success(TeamSwap<Member>::invoke(team, u_p, z_p));                  // u <-> z
        require_success(TeamLacgv<Member>::invoke(team, u_p));  // u = conj(u), here as it was
      });
  // [/elements]
  Kokkos::deep_copy(B, A);
  Kokkos::deep_copy(C, A);
  // [interchanges]
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(problems, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank();
        const auto B_p = Kokkos::subview(B, p, ALL, ALL), C_p = Kokkos::subview(C, p, ALL, ALL);
        const auto ipiv_p = Kokkos::subview(ipiv, p, ALL);
        require_success(TeamLaswp<Member>::invoke(team, ipiv_p, B_p));  // rows of B, and back
        require_success(TeamLaswp<Member, Direct::Backward>::invoke(team, ipiv_p, B_p));
        require_success(TeamAddRadial<Member>::invoke(team, 0.5, B_p));  // away from zero
        require_success(                                                 // columns 0 and 2 of C
            TeamApplyPivot<Member, Side::Right, Direct::Forward>::invoke(team, 2, C_p));
        // v = the symmetric matrix, whose lower triangle is that of B, times x
        require_success(TeamSymv<Member, Uplo::Lower>::invoke(
            team, 1.0, B_p, Kokkos::subview(x, p, ALL), 0.0, Kokkos::subview(v, p, ALL)));
      });
  // [/interchanges]
  Kokkos::fence();
  double others = 0;
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n; ++i) {
      others = worse(others, std::abs(u(p, i) - x(p, i) * (x(p, i) + 3)));
      others = worse(others, std::abs(z(p, i) - x(p, i)));
      double expected = 0;
      for (int j = 0; j < n; ++j) {
        const double a = A(p, std::max(i, j), std::min(i, j));
        expected += (i == j ? a + (a < 0 ? -0.5 : 0.5) : a) * x(p, j);
        others = worse(others, std::abs(C(p, i, j) - A(p, i, j == 0 ? 2 : (j == 2 ? 0 : j))));
      }
      others = worse(others, std::abs(v(p, i) - expected));
    }
  return check("vectors", vectors) + check("norms", norms) + check("updates", updates) +
         check("solution and inverse", inverse) + check("triangles", triangles) +
         check("elements and interchanges", others);
}
