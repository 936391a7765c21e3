// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// One-dimensional bases and quadrature rules on [-1, 1], and their tensor products on the cube.
/// Points of the cube, like its basis functions, are numbered with the first direction fastest.
/// Everything here runs once, on the host.
namespace example {

/// A small row-major table. Entry (q, i) is mostly "function i at point q".
class Table {
 public:
  Table(int rows, int columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows) * columns) {}
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double& operator()(int i, int j) { return values_[static_cast<std::size_t>(i) * columns_ + j]; }
  double operator()(int i, int j) const {
    return values_[static_cast<std::size_t>(i) * columns_ + j];
  }

 private:
  int rows_, columns_;
  std::vector<double> values_;
};

/// The Legendre polynomial P_n and its derivative at x, by the three-term recurrence.
inline std::pair<double, double> legendre(int n, double x) {
  double p = 1, previous = 0, dp = 0, dprevious = 0;
  for (int k = 1; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
    const double dnext = dprevious + (2 * k - 1) * p;  // P'_k = P'_{k-2} + (2 k - 1) P_{k-1}
    previous = std::exchange(p, next);
    dprevious = std::exchange(dp, dnext);
  }
  return {p, dp};
}

struct Quadrature {
  std::vector<double> points, weights;
};

/// The Gauss-Legendre rule of n points: exact for polynomials of degree 2 n - 1.
inline Quadrature gauss_legendre(int n) {
  Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
  const double pi = std::acos(-1.0);
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(pi * (i + 0.75) / (n + 0.5));
    for (int step = 0; step < 10; ++step) {  // Newton's method converges in about four
      const auto [p, dp] = legendre(n, x);
      x -= p / dp;
    }
    const double dp = legendre(n, x).second;
    rule.points[i] = x;
    rule.weights[i] = 2 / ((1 - x * x) * dp * dp);
  }
  return rule;
}

/// The Gauss-Lobatto points of degree p: both ends and the p - 1 extrema of P_p.
inline std::vector<double> gauss_lobatto_points(int p) {
  std::vector<double> points(p + 1);
  const double pi = std::acos(-1.0);
  points.front() = -1;
  points.back() = 1;
  for (int i = 1; i < p; ++i) {
    double x = -std::cos(pi * i / p);
    for (int step = 0; step < 10; ++step) {
      const auto [value, slope] = legendre(p, x);
      // A step of Newton's method on P'; Legendre's equation gives P''.
      x -= slope * (1 - x * x) / (2 * x * slope - p * (p + 1) * value);
    }
    points[i] = x;
  }
  return points;
}

/// The Gauss-Lobatto rule of n points: exact for polynomials of degree 2 n - 3.
inline Quadrature gauss_lobatto(int n) {
  Quadrature rule{gauss_lobatto_points(n - 1), std::vector<double>(n)};
  for (int i = 0; i < n; ++i) {
    const double p = legendre(n - 1, rule.points[i]).first;
    rule.weights[i] = 2 / (n * (n - 1) * p * p);
  }
  return rule;
}

/// Table (q, i) of the Lagrange polynomial i of the given nodes at point q.
inline Table lagrange(const std::vector<double>& nodes, const std::vector<double>& points) {
  const int n = static_cast<int>(nodes.size());
  Table values(static_cast<int>(points.size()), n);
  for (int q = 0; q < values.rows(); ++q)
    for (int i = 0; i < n; ++i) {
      double value = 1;
      for (int j = 0; j < n; ++j)
        if (j != i) value *= (points[q] - nodes[j]) / (nodes[i] - nodes[j]);
      values(q, i) = value;
    }
  return values;
}

/// Table (q, i) of the derivative of the Lagrange polynomial i at point q.
inline Table lagrange_derivative(const std::vector<double>& nodes,
                                 const std::vector<double>& points) {
  const int n = static_cast<int>(nodes.size());
  Table values(static_cast<int>(points.size()), n);
  for (int q = 0; q < values.rows(); ++q)
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {  // the product rule, one factor at a time
        if (k == i) continue;
        double term = 1 / (nodes[i] - nodes[k]);
        for (int j = 0; j < n; ++j)
          if (j != i && j != k) term *= (points[q] - nodes[j]) / (nodes[i] - nodes[j]);
        values(q, i) += term;
      }
  return values;
}

/// Table of the products a(x) b(y) c(z) on the cube.
inline Table tensor_product(const Table& a, const Table& b, const Table& c) {
  Table product(a.rows() * b.rows() * c.rows(), a.columns() * b.columns() * c.columns());
  for (int q = 0; q < product.rows(); ++q)
    for (int i = 0; i < product.columns(); ++i) {
      const int q1 = q / a.rows(), i1 = i / a.columns();
      product(q, i) = a(q % a.rows(), i % a.columns()) * b(q1 % b.rows(), i1 % b.columns()) *
                      c(q1 / b.rows(), i1 / b.columns());
    }
  return product;
}

/// The largest row sum of |A^-1| of a small, symmetric positive definite A (Gauss-Jordan).
inline double inverse_norm(Table a) {
  const int n = a.rows();
  for (int k = 0; k < n; ++k) {
    const double pivot = std::exchange(a(k, k), 1.0);
    for (int j = 0; j < n; ++j) a(k, j) /= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = std::exchange(a(i, k), 0.0);
      for (int j = 0; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  double norm = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += std::abs(a(i, j));
    norm = std::max(norm, sum);
  }
  return norm;
}

}  // namespace example
