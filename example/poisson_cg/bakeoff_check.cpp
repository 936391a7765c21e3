// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the operators of the bake-off problems, for orders 2 and 4.

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "../Example.hpp"
#include "../fused_element_pipeline/Mesh.hpp"
#include "ConjugateGradients.hpp"
#include "Problem.hpp"

namespace {

using namespace example;

/// The operator of a form on a mesh, which is applied to functions.
struct AppliedForm {
  Part part;
  int components;
  Operator A;

  AppliedForm(const Mesh& mesh, int refinement, const ElementOrder& order, const Ranks& ranks,
              int of_components = 1)
      : part(partition(mesh, refinement, 1), 0),
        components(of_components),
        A(part, order, ranks, components) {}

  int entries() const { return components * A.numbering().nodes; }
  DeviceVector zero() const { return A.elements().new_vector("v"); }
  template <class F>
  DeviceVector vector(const F& f) const {
    const DeviceVector v = zero();
    const auto host = Kokkos::create_mirror_view(v);
    const std::vector<Position> positions = A.positions();
    for (int i = 0; i < entries(); ++i) host(i) = f(positions[i / components], i % components);
    Kokkos::deep_copy(v, host);
    return v;
  }
  DeviceVector operator()(const DeviceVector& x) const {
    const DeviceVector y = zero();
    A.apply(x, y);
    return y;
  }
  auto on_host(const DeviceVector& x) const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  }
  double product(const DeviceVector& a, const DeviceVector& b) const {
    const auto x = on_host(a), y = on_host(b);
    double sum = 0;
    for (int i = 0; i < entries(); ++i) sum += x(i) * y(i);
    return sum;
  }
};

double one(const Position&, int) { return 1; }
double wave(const Position& at, int) { return std::sin(3 * at[0] + at[1] * at[2]) + at[2]; }
double bump(const Position& at, int) { return at[0] * at[0] * std::exp(at[1]) - at[2]; }

/// The largest difference of the diagonal from products with a few unit vectors.
double error_of_diagonal(const AppliedForm& A) {
  const auto values = A.on_host(A.A.diagonal());
  double largest = 0;
  for (int i = 0; i < A.entries(); i += 1 + A.entries() / 7) {
    const DeviceVector unit = A.zero();
    Kokkos::deep_copy(Kokkos::subview(unit, i), 1.0);
    largest = worse(largest, std::abs(A.product(unit, A(unit)) - values(i)) / std::abs(values(i)));
  }
  return largest;
}

/// The largest difference of three components from the operator of one component.
double error_of_components(const Mesh& mesh, const ElementOrder& order, const Ranks& ranks) {
  const AppliedForm one_component(mesh, 0, order, ranks), A(mesh, 0, order, ranks, 3);
  const auto f = [](int component, const Position& at) {
    return component == 0 ? wave(at, 0) : component == 1 ? bump(at, 0) : 1 + at[0];
  };
  const auto y = A.on_host(A(A.vector([&](const Position& at, int k) { return f(k, at); })));
  double largest = 0;
  for (int k = 0; k < 3; ++k) {
    const auto expected = one_component.on_host(
        one_component(one_component.vector([&](const Position& at, int) { return f(k, at); })));
    for (int i = 0; i < one_component.entries(); ++i)
      largest = worse(largest, std::abs(y(3 * i + k) - expected(i)));
  }
  return largest;
}

/// The power of the mesh width with which the error falls. Its norm is integrated by Gauss points
/// for all forms.
double power_of_error(const ElementOrder& order, const ElementOrder& of_norm, const Ranks& ranks) {
  const int components = order.order == 2 ? 3 : 1;  // not for all, to save time
  double error[2] = {};
  for (int i = 0; i < 2; ++i) {
    const Part part(partition(curved_box(8 / order.order << i), 0, 1), 0);
    const Problem problem(part, order, ranks, components);
    conjugate_gradients(problem.A, Jacobi{problem.inverse_diagonal}, problem.x, problem.r, ranks,
                        1e-8, 10000, [](int, double) {});
    const auto norm = of_norm.discretize(part.geometry, problem.A.numbering(), components);
    const SquaredNorms squares = norm->squared_norms(problem.x);
    error[i] = std::sqrt(squares.error / squares.solution);
  }
  return std::log2(error[0] / error[1]);
}

int check_order(const ElementOrder& order, const ElementOrder& of_norm, const Ranks& ranks) {
  const int p = order.order;
  const bool is_mass = order.form == Form::mass;
  const std::string name = std::string(is_mass                       ? "mass"
                                       : order.form == Form::poisson ? "Poisson"
                                                                     : "collocated Poisson") +
                           ", order " + std::to_string(p) + ": ";
  const auto checked = [&](const char* what, double error, double bound = 1e-12) {
    return check((name + what).c_str(), error, bound);
  };
  const Mesh mesh = curved_box(3);  // its elements do not fill the packs
  int failed = 0;
  {
    const AppliedForm A(mesh, 0, order, ranks);
    const DeviceVector v = A.vector(wave), w = A.vector(bump), Av = A(v), A1 = A(A.vector(one));
    failed +=
        checked("symmetry", std::abs(A.product(w, Av) - A.product(v, A(w))) / A.product(v, Av));
    const double size = volume(mesh, 3);
    failed += is_mass ? checked("volume", std::abs(A.product(A.vector(one), A1) - size) / size)
                      : checked("of a constant", std::sqrt(A.product(A1, A1)));
    failed += checked("diagonal", error_of_diagonal(A));
  }
  failed += checked("components", error_of_components(mesh, order, ranks), 1e-13);
  {
    // Integrals of polynomials, for which the points are exact.
    const AppliedForm A(straight_cube(), 1, order, ranks);
    const auto power = A.vector([&](const Position& at, int) {
      return std::pow(is_mass ? at[0] * at[1] * at[2] : at[0], p);
    });
    const double exact = is_mass ? std::pow(2.0 / (2 * p + 1), 3) : 4.0 * p * p * 2 / (2 * p - 1);
    failed += checked("polynomial", std::abs(A.product(power, A(power)) - exact) / exact);
  }
  const double fall = power_of_error(order, of_norm, ranks);
  std::printf("%sthe error falls with the power %.2f\n", name.c_str(), fall);
  failed += checked("power of the error", p + 1 - fall, 0.5);
  return failed;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Ranks ranks(argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  int failed = 0;
  for (const auto& [order, of_norm] :
       {std::pair(element_order<2, Form::mass>, element_order<2>),
        std::pair(element_order<2>, element_order<2>),
        std::pair(element_order<2, Form::collocated_poisson>, element_order<2>),
        std::pair(element_order<4, Form::mass>, element_order<4>),
        std::pair(element_order<4>, element_order<4>),
        std::pair(element_order<4, Form::collocated_poisson>, element_order<4>)})
    failed += check_order(order, of_norm, ranks);
  return failed == 0 ? 0 : 1;
}
