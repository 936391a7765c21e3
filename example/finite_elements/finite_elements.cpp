// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of high-order finite elements as contractions: equations (4) to (7) of Abdelfattah et
// al., "High-Performance Tensor Contractions for GPUs" (2016), with elements that are products of
// intervals. Beside them Poisson's equation and fields of vectors. All are checked against sums
// over all points and unknowns.
//
//   B(x, a)   basis function a of an interval at point x; G(x, a) its derivative there
//   D         a number for each point of an element: weight, density, determinant of its map
//   V, U      numbers for each basis function of an element

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include "../Example.hpp"
#include "../fused_element_pipeline/Basis.hpp"

using example::entry, example::Member, example::Table;
using Kokkos::ALL, Kokkos::subview;
using KokkosContract::pointwise, KokkosContract::require_success, KokkosContract::TeamContract;

/// In memory that the host and the device can use; an element's numbers are together.
template <class T>
using Array = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::SharedSpace>;

constexpr int elements = 5;

/// Teams, one an element, with scratch memory of level 1 for the intermediates of an operation.
Kokkos::TeamPolicy<> teams(std::size_t scratch_bytes) {
  return Kokkos::TeamPolicy<>(elements, Kokkos::AUTO)
      .set_scratch_size(1, Kokkos::PerTeam(scratch_bytes));
}

/// The tables of an interval, and a basis of a square or cube from them; i and q count through all
/// functions and points, the last direction fastest.
template <int Order>
struct Interval {
  static constexpr int nd = Order + 1, nq = Order + 2;
  Array<double[nq][nd]> B{"B"}, G{"G"};

  Interval() {
    const auto points = example::gauss_legendre(nq).points;
    const auto nodes = example::gauss_lobatto_points(Order);
    const Table value = example::lagrange(nodes, points);
    const Table slope = example::lagrange_derivative(nodes, points);
    for (int q = 0; q < nq; ++q)
      for (int i = 0; i < nd; ++i) {
        B(q, i) = value(q, i);
        G(q, i) = slope(q, i);
      }
  }

  /// Function i at point q in `dims` dimensions, or its derivative along direction d.
  double basis(int dims, int q, int i, int d = -1) const {
    double product = 1;
    for (int k = dims - 1; k >= 0; --k, q /= nq, i /= nd)
      product *= k == d ? G(q % nq, i % nd) : B(q % nq, i % nd);
    return product;
  }
};

/// The largest difference to a reference, relative to the largest number in it.
class Difference {
 public:
  void add(double value, double expected) {
    difference_ = example::worse(difference_, std::abs(value - expected));
    largest_ = example::worse(largest_, std::abs(expected));
  }
  int check(const std::string& what, int order) const {
    return example::check((what + ", order " + std::to_string(order)).c_str(),
                          difference_ / largest_);
  }

 private:
  double difference_ = 0, largest_ = 1e-300;
};

// --- Two dimensions ---

template <int Order, int nd = Order + 1, int nq = Order + 2>
int square(const Interval<Order>& interval) {
  const auto B = interval.B;
  const Array<double* [nq][nq]> D("D", elements);
  const Array<double* [nd][nd]> V("V", elements), U("U", elements);
  const Array<double* [nd][nd][nd][nd]> M("M", elements);
  for (int e = 0; e < elements; ++e) {
    for (int q = 0; q < nq * nq; ++q) D(e, q / nq, q % nq) = 1.5 + entry(e, q);
    for (int i = 0; i < nd * nd; ++i) V(e, i / nd, i % nd) = entry(i, e);
  }

  // [two-dimensions]
  // (4) M(i, j; k, l) = sum over x, y of B(x, i) B(x, k) B(y, j) B(y, l) D(x, y)
  using Assemble = TeamContract<"xi,xk,yj,yl,xy->ijkl">;
  // (6) U(i, j) = sum of B(x, i) B(y, j) D(x, y) B(x, k) B(y, l) V(k, l)
  using Act = TeamContract<"xi,yj,xy,xk,yl,kl->ij">;
  const auto D_0 = subview(D, 0, ALL, ALL);
  const auto V_0 = subview(V, 0, ALL, ALL);
  const std::size_t assemble_bytes =
      Assemble::scratch_bytes(B, B, B, B, D_0, subview(M, 0, ALL, ALL, ALL, ALL));
  const std::size_t act_bytes = Act::scratch_bytes(B, B, D_0, B, B, V_0, V_0);
  Kokkos::parallel_for(
      teams(Kokkos::max(assemble_bytes, act_bytes)), KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const auto D_e = subview(D, e, ALL, ALL);
        const auto M_e = subview(M, e, ALL, ALL, ALL, ALL);
        require_success(
            Assemble::invoke(team, team.team_scratch(1), 1.0, B, B, B, B, D_e, 0.0, M_e));
        require_success(Act::invoke(team, team.team_scratch(1), 1.0, B, B, D_e, B, B,
                                    subview(V, e, ALL, ALL), 0.0, subview(U, e, ALL, ALL)));
      });
  // [/two-dimensions]
  Kokkos::fence();

  Difference assembled, acted;
  for (int e = 0; e < elements; ++e)
    for (int i = 0; i < nd * nd; ++i) {
      double action = 0;
      for (int k = 0; k < nd * nd; ++k) {
        double sum = 0;
        for (int q = 0; q < nq * nq; ++q)
          sum += interval.basis(2, q, i) * interval.basis(2, q, k) * D(e, q / nq, q % nq);
        assembled.add(M(e, i / nd, i % nd, k / nd, k % nd), sum);
        action += sum * V(e, k / nd, k % nd);
      }
      acted.add(U(e, i / nd, i % nd), action);
    }
  return assembled.check("(4) mass matrix in 2-D", Order) +
         acted.check("(6) its action in 2-D", Order);
}

// --- Three dimensions ---

/// Multiplies what is at a point with a number of the point.
template <class View>
struct Times {
  View factor;
  template <class... Indices>
  KOKKOS_FUNCTION double operator()(double value, int x, int y, int z, Indices...) const {
    return value * factor(x, y, z);
  }
};

template <int Order, int nd = Order + 1, int nq = Order + 2>
int mass(const Interval<Order>& interval) {
  constexpr int n = nd * nd * nd, points = nq * nq * nq;
  const auto B = interval.B;
  const Array<double* [nq][nq][nq]> D("D", elements);
  const Array<double* [nd][nd][nd]> V("V", elements), U("U", elements);
  const Array<double* [nd][nd][nd][3]> V3("V3", elements), U3("U3", elements);
  const Array<double* [nd][nd][nd][nd][nd][nd]> M("M", elements);
  for (int e = 0; e < elements; ++e) {
    for (int q = 0; q < points; ++q) (&D(e, 0, 0, 0))[q] = 1.5 + entry(e, q);
    for (int i = 0; i < n; ++i) (&V(e, 0, 0, 0))[i] = entry(i, e);
    for (int i = 0; i < 3 * n; ++i) (&V3(e, 0, 0, 0, 0))[i] = entry(i, e, 1);
  }

  // [mass]
  // (5) M(i, j, k; l, m, n) = sum over x, y, z of B(x, i) B(x, l) B(y, j) B(y, m) ... D(x, y, z)
  using Assemble = TeamContract<"xi,xl,yj,ym,zk,zn,xyz->ijklmn">;
  // (7) U = B^T D B V; the product with D is done while B V is in registers
  using Act = TeamContract<"xa,yb,zc,abc,xi,yj,zk->ijk">;
  // The same for a field of vectors, whose components are v
  using ActOnVectors = TeamContract<"xa,yb,zc,abcv,xi,yj,zk->ijkv">;
  using Weigh = Times<decltype(subview(D, 0, ALL, ALL, ALL))>;

  const auto D_0 = subview(D, 0, ALL, ALL, ALL);
  const auto V_0 = subview(V, 0, ALL, ALL, ALL);
  const auto V3_0 = subview(V3, 0, ALL, ALL, ALL, ALL);
  const auto M_0 = subview(M, 0, ALL, ALL, ALL, ALL, ALL, ALL);
  const std::size_t bytes = Kokkos::max(
      Assemble::scratch_bytes(B, B, B, B, B, B, D_0, M_0),
      Kokkos::max(Act::scratch_bytes(B, B, B, V_0, pointwise<"xyz">(Weigh{D_0}), B, B, B, V_0),
                  ActOnVectors::scratch_bytes(B, B, B, V3_0, pointwise<"xyzv">(Weigh{D_0}), B, B, B,
                                              V3_0)));
  Kokkos::parallel_for(
      teams(bytes), KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const auto scratch = team.team_scratch(1);
        const auto D_e = subview(D, e, ALL, ALL, ALL);
        require_success(Assemble::invoke(team, scratch, 1.0, B, B, B, B, B, B, D_e, 0.0,
                                         subview(M, e, ALL, ALL, ALL, ALL, ALL, ALL)));
        require_success(Act::invoke(team, scratch, 1.0, B, B, B, subview(V, e, ALL, ALL, ALL),
                                    pointwise<"xyz">(Weigh{D_e}), B, B, B, 0.0,
                                    subview(U, e, ALL, ALL, ALL)));
        require_success(ActOnVectors::invoke(
            team, scratch, 1.0, B, B, B, subview(V3, e, ALL, ALL, ALL, ALL),
            pointwise<"xyzv">(Weigh{D_e}), B, B, B, 0.0, subview(U3, e, ALL, ALL, ALL, ALL)));
      });
  // [/mass]
  Kokkos::fence();

  Difference assembled, acted, acted_on_vectors;
  for (int e = 0; e < elements; ++e)
    for (int i = 0; i < n; ++i) {
      double action = 0, actions[3] = {};
      for (int k = 0; k < n; ++k) {
        double sum = 0;
        for (int q = 0; q < points; ++q)
          sum += interval.basis(3, q, i) * interval.basis(3, q, k) * (&D(e, 0, 0, 0))[q];
        assembled.add((&M(e, 0, 0, 0, 0, 0, 0))[i * n + k], sum);
        action += sum * (&V(e, 0, 0, 0))[k];
        for (int v = 0; v < 3; ++v) actions[v] += sum * (&V3(e, 0, 0, 0, 0))[3 * k + v];
      }
      acted.add((&U(e, 0, 0, 0))[i], action);
      for (int v = 0; v < 3; ++v) acted_on_vectors.add((&U3(e, 0, 0, 0, 0))[3 * i + v], actions[v]);
    }
  return assembled.check("(5) mass matrix in 3-D", Order) +
         acted.check("(7) its action in 3-D", Order) +
         acted_on_vectors.check("(7) on a field of vectors", Order);
}

template <int Order, int nd = Order + 1, int nq = Order + 2>
int poisson(const Interval<Order>& interval) {
  constexpr int n = nd * nd * nd, points = nq * nq * nq;
  const auto B = interval.B, G = interval.G;
  // The metric of each point: a symmetric 3 x 3 matrix
  const Array<double* [3][3][nq][nq][nq]> W("W", elements);
  const Array<double* [nd][nd][nd]> V("V", elements), U("U", elements);
  for (int e = 0; e < elements; ++e) {
    for (int q = 0; q < points; ++q)
      for (int d = 0; d < 3; ++d)
        for (int c = 0; c < 3; ++c)
          (&W(e, d, c, 0, 0, 0))[q] = (d == c ? 2 : 0) + entry(e, q, d * c + d + c);
    for (int i = 0; i < n; ++i) (&V(e, 0, 0, 0))[i] = entry(i, e);
  }

  // [poisson]
  // U = sum over directions d, c of G_d^T W(d, c) G_c V, where G_c differentiates along c
  using ScratchSpace = Member::scratch_memory_space;
  using Gradient = Kokkos::View<double[3][nq][nq][nq], ScratchSpace>;
  using Differentiate = TeamContract<"xa,yb,zc,abc->xyz">;
  using Transform = TeamContract<"dcxyz,cxyz->dxyz">;
  using Integrate = TeamContract<"xa,yb,zc,xyz->abc">;
  const std::size_t bytes = 2 * Gradient::shmem_size() +
                            Differentiate::scratch_bytes(B, B, B, subview(V, 0, ALL, ALL, ALL),
                                                         subview(W, 0, 0, 0, ALL, ALL, ALL)) +
                            Integrate::scratch_bytes(B, B, B, subview(W, 0, 0, 0, ALL, ALL, ALL),
                                                     subview(V, 0, ALL, ALL, ALL));
  Kokkos::parallel_for(
      teams(bytes), KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const Gradient gradient(team.team_scratch(1)), flux(team.team_scratch(1));
        const auto scratch = team.team_scratch(1);
        const auto V_e = subview(V, e, ALL, ALL, ALL);
        const auto U_e = subview(U, e, ALL, ALL, ALL);
        for (int d = 0; d < 3; ++d) {
          require_success(Differentiate::invoke(team, scratch, 1.0, d == 0 ? G : B, d == 1 ? G : B,
                                                d == 2 ? G : B, V_e, 0.0,
                                                subview(gradient, d, ALL, ALL, ALL)));
        }
        require_success(Transform::invoke(team, 1.0, subview(W, e, ALL, ALL, ALL, ALL, ALL),
                                          gradient, 0.0, flux));
        for (int d = 0; d < 3; ++d) {
          require_success(Integrate::invoke(team, scratch, 1.0, d == 0 ? G : B, d == 1 ? G : B,
                                            d == 2 ? G : B, subview(flux, d, ALL, ALL, ALL),
                                            d == 0 ? 0.0 : 1.0, U_e));
        }
      });
  // [/poisson]
  Kokkos::fence();

  Difference acted;
  for (int e = 0; e < elements; ++e)
    for (int i = 0; i < n; ++i) {
      double action = 0;
      for (int k = 0; k < n; ++k)
        for (int d = 0; d < 3; ++d)
          for (int c = 0; c < 3; ++c)
            for (int q = 0; q < points; ++q)
              action += interval.basis(3, q, i, d) * (&W(e, d, c, 0, 0, 0))[q] *
                        interval.basis(3, q, k, c) * (&V(e, 0, 0, 0))[k];
      acted.add((&U(e, 0, 0, 0))[i], action);
    }
  return acted.check("Poisson's equation in 3-D", Order);
}

template <int Order>
int all() {
  const Interval<Order> interval;
  return square(interval) + mass(interval) + poisson(interval);
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return all<1>() + all<3>() == 0 ? 0 : 1;
}
