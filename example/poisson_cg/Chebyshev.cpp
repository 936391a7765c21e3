// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ConjugateGradients.hpp"

namespace example {
namespace {

using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>;

struct FirstSweep {
  DeviceVector b, x, direction, inverse_diagonal;
  double gain;
  KOKKOS_FUNCTION void operator()(int i) const {
    const double first = gain * inverse_diagonal(i) * b(i);
    direction(i) = first;
    x(i) = first;
  }
};
/// A step, which also sets the product to 0 for the next sum over elements.
struct Sweep {
  DeviceVector b, x, direction, product, inverse_diagonal;
  Chebyshev::Step step;
  KOKKOS_FUNCTION void operator()(int i) const {
    const double residual = b(i) - product(i);
    const double next = step.keep * direction(i) + step.gain * inverse_diagonal(i) * residual;
    product(i) = 0;
    direction(i) = next;
    x(i) += next;
  }
};

struct ScatteredNumber {
  DeviceVector values;
  int owned;
  template <class PositionOfNode>
  KOKKOS_FUNCTION void operator()(int node, const PositionOfNode& position) const {
    if (node >= owned || Kokkos::atomic_load(&values(node)) != 0) return;
    double at[3];
    position(at);
    const double phase = Kokkos::sin(0.5 + at[0] + 1.7 * at[1] + 3.1 * at[2]);
    Kokkos::atomic_store(&values(node), Kokkos::sin(1 + 1e5 * phase));
  }
};
/// A vector that is 0 gets numbers between -1 and 1, which depend on the positions of the nodes.
/// They hardly depend on the ranks.
void scatter_numbers(const Operator& A, const DeviceVector& result) {
  for_each_node("scattered numbers", A.numbered_elements(),
                ScatteredNumber{result, A.numbering().owned});
  A.exchange().sum(result);
}

/// Extreme eigenvalues of a symmetric tridiagonal matrix, by bisection. beside[i] is beside
/// diagonal[i] and diagonal[i + 1].
Interval extreme_eigenvalues(const std::vector<double>& diagonal,
                             const std::vector<double>& beside) {
  const int n = static_cast<int>(diagonal.size());
  double low = std::numeric_limits<double>::max(), high = -low;
  for (int i = 0; i < n; ++i) {  // the circles of Gershgorin
    const double radius =
        (i > 0 ? std::abs(beside[i - 1]) : 0) + (i + 1 < n ? std::abs(beside[i]) : 0);
    low = std::min(low, diagonal[i] - radius);
    high = std::max(high, diagonal[i] + radius);
  }
  // The number of eigenvalues below t is that of negative pivots (Sylvester's law of inertia).
  const auto number_below = [&](double t) {
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < n; ++i) {
      pivot = diagonal[i] - t - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0);
      if (pivot == 0) pivot = std::numeric_limits<double>::min();
      if (pivot < 0) ++count;
    }
    return count;
  };
  const auto eigenvalue = [&](int number) {
    double a = low, b = high;
    for (int step = 0; step < 60; ++step) {
      const double middle = (a + b) / 2;
      (number_below(middle) > number ? b : a) = middle;
    }
    return (a + b) / 2;
  };
  return {eigenvalue(0), eigenvalue(n - 1)};
}

}  // namespace

Interval extreme_eigenvalues(const Operator& A, const DeviceVector& inverse_diagonal,
                             const Ranks& ranks, const IterationSums& sums, int most_steps,
                             double tolerance) {
  const auto [x, r] = A.new_vectors<2>("Lanczos");
  scatter_numbers(A, r);
  const ConvergenceHistory history = conjugate_gradients(
      A, Jacobi{inverse_diagonal}, x, r, ranks, tolerance, most_steps - 1, [](int, double) {},
      sums);
  const int steps = history.residual > tolerance ? history.applications : history.iterations;
  // The vectors u are those of Lanczos' method, times their norms.
  std::vector<double> diagonal, beside;
  double before = 0, step = 0;
  for (int i = 0; i < steps; ++i) {
    const auto [norm, energy] = history.sums[i];
    const double beta = i > 0 ? norm / before : 0;
    if (i > 0) beside.push_back(std::sqrt(beta) / step);
    diagonal.push_back(energy / norm);
    step = i > 0 ? norm / (energy - beta * norm / step) : norm / energy;
    before = norm;
  }
  return extreme_eigenvalues(diagonal, beside);
}

Chebyshev::Chebyshev(const Operator& A, const DeviceVector& inverse_diagonal,
                     const Interval& eigenvalues, int degree, const DeviceVector& product)
    : A_(A),
      inverse_diagonal_(inverse_diagonal),
      product_(product),
      direction_(A.elements().new_vector("direction")) {
  const double middle = (eigenvalues.largest + eigenvalues.least) / 2;
  const double radius = (eigenvalues.largest - eigenvalues.least) / 2;
  steps_.push_back({0, 1 / middle});
  double rho = radius / middle;
  for (int i = 1; i < degree; ++i) {
    const double next = radius / (2 * middle - radius * rho);
    steps_.push_back({next * rho, 2 * next / radius});
    rho = next;
  }
}

void Chebyshev::solve(const DeviceVector& b, const DeviceVector& x) const {
  Kokkos::parallel_for("Chebyshev: first sweep", Range(0, A_.numbering().unknowns),
                       FirstSweep{b, x, direction_, inverse_diagonal_, steps_[0].gain});
  improve(b, x, 1);
}

void Chebyshev::improve(const DeviceVector& b, const DeviceVector& x, int first_step) const {
  for (int i = first_step; i < degree(); ++i) {
    A_.apply(x, product_);
    Kokkos::parallel_for("Chebyshev: sweep", Range(0, A_.numbering().unknowns),
                         Sweep{b, x, direction_, product_, inverse_diagonal_, steps_[i]});
  }
}

}  // namespace example
