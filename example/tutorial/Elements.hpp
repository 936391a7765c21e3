// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of the tutorial's steps: square elements with four nodes, and nine Gauss points for
// integrals over them.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>

template <class T>
using Array = Kokkos::View<T, Kokkos::SharedSpace>;  // the host may read it, too

using Member = Kokkos::TeamPolicy<>::member_type;
using Kokkos::ALL, Kokkos::subview;

struct Elements {
  int count;
  Array<double[3][2]> B;    // B(x, a): value of node a's function at point x of the unit interval
  Array<double[9][4]> N;    // N(q, i): the same in the square, q = (x, y) and i = (a, b)
  Array<double* [9]> w;     // w(e, q): weight of point q, times the area of element e
  Array<double* [2][2]> V;  // V(e, a, b): a value at each node
  Array<double* [9]> g;     // g(e, q): values at the points, which a bilinear function has there

  explicit Elements(int elements)
      : count(elements), B("B"), N("N"), w("w", elements), V("V", elements), g("g", elements) {
    const double point[] = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
    const double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int x = 0; x < 3; ++x) {
      B(x, 0) = 1 - point[x];
      B(x, 1) = point[x];
    }
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 3; ++y) {
        for (int a = 0; a < 2; ++a)
          for (int b = 0; b < 2; ++b) N(3 * x + y, 2 * a + b) = B(x, a) * B(y, b);
        for (int e = 0; e < elements; ++e) {
          w(e, 3 * x + y) = weight[x] * weight[y] * (1 + e % 3);
          g(e, 3 * x + y) = value(point[x], point[y]);
        }
      }
    for (int e = 0; e < elements; ++e)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) V(e, a, b) = value(a, b);
  }

  /// 1, 4, 3 and 7 at the nodes (0, 0), (0, 1), (1, 0) and (1, 1).
  static double value(double x, double y) { return 1 + 2 * x + 3 * y + x * y; }
};
