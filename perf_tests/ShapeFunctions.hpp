// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_SHAPEFUNCTIONS_HPP
#define KOKKOSCONTRACT_PERF_SHAPEFUNCTIONS_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace perf {

/// An interval's shape functions: polynomial i is 1 at node i and 0 at the others. Nodes and points
/// are Chebyshev's, which have a closed form. The benchmarks' times do not depend on them.
struct ShapeFunctions {
  int nodes, points;
  std::vector<double> values;  ///< [point][node]
  std::vector<double> slopes;  ///< [point][node]
  /// [point][point]: slopes of the polynomials of the points instead of the nodes. Times `values`
  /// it gives `slopes`, if there are at least as many points as nodes.
  std::vector<double> slopes_of_points;

  ShapeFunctions(int number_of_nodes, int number_of_points)
      : nodes(number_of_nodes), points(number_of_points) {
    const auto x = chebyshev(nodes), q = chebyshev(points);
    for (const double at : q) {
      for (int i = 0; i < nodes; ++i) {
        values.push_back(product_without(x, i, -1, at));
        slopes.push_back(slope(x, i, at));
      }
      for (int m = 0; m < points; ++m) slopes_of_points.push_back(slope(q, m, at));
    }
  }

 private:
  static std::vector<double> chebyshev(int n) {
    std::vector<double> x;
    for (int i = 0; i < n; ++i) x.push_back(-std::cos((2 * i + 1) * std::acos(-1.0) / (2 * n)));
    return x;
  }
  /// The product over all k but i and m of (at - x_k) / (x_i - x_k).
  static double product_without(const std::vector<double>& x, int i, int m, double at) {
    double product = 1;
    for (int k = 0; k < static_cast<int>(x.size()); ++k)
      if (k != i && k != m)
        product *= (at - x[static_cast<std::size_t>(k)]) /
                   (x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(k)]);
    return product;
  }
  static double slope(const std::vector<double>& x, int i, double at) {
    double sum = 0;
    for (int m = 0; m < static_cast<int>(x.size()); ++m)
      if (m != i)
        sum += product_without(x, i, m, at) /
               (x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(m)]);
    return sum;
  }
};

}  // namespace perf

#endif
