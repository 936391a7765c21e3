// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "Basis.hpp"
#include "ElementPipeline.hpp"

namespace example {

/// The accuracy of solutions of the pipeline, by plain loops. Each error has the largest quotient
/// of the error and its bound, over all elements. A quotient of at most 1 is rounding.
struct Quality {
  double volume = 0;             ///< sum of 1^T M 1
  double residual = 0;           ///< |M x - b| / (|M| |x| + |b|) in the maximum norm
  double residual_of_bound = 0;  ///< the residual as a part of its bound
  double interpolation = 0;      ///< |x_i - f(node i)|
  double interpolation_of_bound = 0;
};

/// \param pipeline with M and b as after its steps Matrix and Load
/// \param x the solutions to check
///
/// Bounds, with g = k u / (1 - k u), u the unit roundoff and k the length of the chain of
/// operations:
///   - Gauss elimination and the two solves leave |M x - b| <= g |L| |U| |x|. M is symmetric
///     positive definite, so the row (|L| |U|)_ij <= sqrt(m_ii m_jj) by Cauchy and Schwarz. The
///     error of forming M and b from positive D is not larger, with f interpolated from |f| <=
///     f_max. Together |M x - b|_i <= g sqrt(m_ii) s, with s = sum_j sqrt(m_jj) |x_j| + 2 f_max
///     sqrt(1^T M 1).
///   - The error of x is M^-1 times that, and M >= min(det J) M_reference.
template <int Order>
Quality assess(const ElementPipeline<Order>& pipeline,
               const DeviceArray<double * [ElementPipeline<Order>::unknowns]>& x) {
  constexpr int n = ElementPipeline<Order>::unknowns;
  constexpr int points = ElementPipeline<Order>::points;
  constexpr int nodes = ElementPipeline<Order>::nodes;
  constexpr double k = 3 * n + 2 * points + 4 * nodes;
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  constexpr double g = k * u / (1 - k * u);

  const std::vector<double> line = gauss_lobatto_points(Order);
  const Table N_line = lagrange({-1, 0, 1}, line);
  const auto N = to_device(tensor_product(N_line, N_line, N_line));  // N(i, g) at the nodes of x

  // |M_reference^-1|: the reference element's mass matrix is the product of three matrices of a
  // line.
  const Quadrature rule = gauss_legendre(Order + 1);
  const Table basis = lagrange(line, rule.points);
  Table line_mass(Order + 1, Order + 1);
  for (int q = 0; q <= Order; ++q)
    for (int i = 0; i <= Order; ++i)
      for (int j = 0; j <= Order; ++j)
        line_mass(i, j) += rule.weights[q] * basis(q, i) * basis(q, j);
  const double inverse_mass = std::pow(inverse_norm(line_mass), 3);

  const auto M = pipeline.M;
  const auto b = pipeline.b;
  const auto D = pipeline.D;
  const auto w = pipeline.w;
  const auto X = pipeline.X;
  const double infinity = std::numeric_limits<double>::infinity();
  Quality quality;
  Kokkos::parallel_reduce(
      "assess", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, pipeline.elements()),
      KOKKOS_LAMBDA(int e, double& volume, double& residual, double& residual_of_bound,
                    double& interpolation, double& interpolation_of_bound) {
        double sum_M = 0, norm_M = 0, norm_x = 0, norm_b = 0, norm_r = 0;
        double s = 0, r_by_diagonal = 0, trace = 0;
        for (int i = 0; i < n; ++i) {
          double r = -b(e, i), row = 0;
          for (int j = 0; j < n; ++j) {
            r += M(e, i, j) * x(e, j);
            row += Kokkos::abs(M(e, i, j));
            sum_M += M(e, i, j);
          }
          norm_M = Kokkos::max(norm_M, row);
          norm_x = Kokkos::max(norm_x, Kokkos::abs(x(e, i)));
          norm_b = Kokkos::max(norm_b, Kokkos::abs(b(e, i)));
          norm_r = Kokkos::max(norm_r, Kokkos::abs(r));
          const double diagonal = Kokkos::sqrt(M(e, i, i));
          r_by_diagonal = Kokkos::max(r_by_diagonal, Kokkos::abs(r) / diagonal);
          s += diagonal * Kokkos::abs(x(e, i));
          trace += M(e, i, i);
        }

        double f_max = 0;
        for (int h = 0; h < nodes; ++h)
          f_max = Kokkos::max(f_max, 1 + Kokkos::abs(X(e, h, 0)) + 2 * Kokkos::abs(X(e, h, 1)) +
                                         3 * Kokkos::abs(X(e, h, 2)));
        s += 2 * f_max * Kokkos::sqrt(sum_M);

        double error = 0, square = 0;
        for (int i = 0; i < n; ++i) {
          double at[3] = {};
          for (int h = 0; h < nodes; ++h)
            for (int c = 0; c < 3; ++c) at[c] += N(i, h) * X(e, h, c);
          const double difference = x(e, i) - source<Order>(at[0], at[1], at[2]);
          error = Kokkos::max(error, Kokkos::abs(difference));
          square += difference * difference;
        }
        double det = D(e, 0) / w(0);
        for (int q = 1; q < points; ++q) det = Kokkos::min(det, D(e, q) / w(q));
        const double error_bound = g * Kokkos::sqrt(trace) * s * inverse_mass / det;

        const auto largest = [=](double& a, double value) {
          a = Kokkos::max(a, value == value ? value : infinity);  // a maximum would drop a NaN
        };
        volume += sum_M;
        largest(residual, norm_r / (norm_M * norm_x + norm_b));
        largest(residual_of_bound, r_by_diagonal / (g * s));
        largest(interpolation, error);
        largest(interpolation_of_bound, Kokkos::sqrt(square) / error_bound);
      },
      quality.volume, Kokkos::Max<double>(quality.residual),
      Kokkos::Max<double>(quality.residual_of_bound), Kokkos::Max<double>(quality.interpolation),
      Kokkos::Max<double>(quality.interpolation_of_bound));
  return quality;
}

/// |x - y| / |y| in the maximum norm over all elements
template <class Vectors>
double relative_difference(const Vectors& x, const Vectors& y) {
  double difference = 0, largest = 0;
  Kokkos::parallel_reduce(
      "relative_difference", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, x.extent_int(0)),
      KOKKOS_LAMBDA(int e, double& d, double& l) {
        for (int i = 0; i < x.extent_int(1); ++i) {
          d = Kokkos::max(d, Kokkos::abs(x(e, i) - y(e, i)));
          l = Kokkos::max(l, Kokkos::abs(y(e, i)));
        }
      },
      Kokkos::Max<double>(difference), Kokkos::Max<double>(largest));
  return difference / largest;
}

}  // namespace example
