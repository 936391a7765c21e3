// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_FINITEELEMENT_HPP
#define KOKKOSCONTRACT_PERF_FINITEELEMENT_HPP

// Operators of quadrilateral and hexahedral elements of order P, with P + 1 unknowns and P + 2
// points in a direction. They map values of an element to values of an element, written without the
// library.

#include <KokkosContract.hpp>
#include <cstddef>

#include "../example/finite_elements/Operations.hpp"

namespace perf {

using example::Hexahedron, example::Quadrilateral;

// --- Reference code: loops of fixed length, three sweeps with the intermediates on the stack. T is
// a register of lanes, with one element each. ---

/// to(o, x, i) = sum over a of M(x, a) from(o, a, i), or of M(a, x) if it is transposed.
template <int Outer, int X, int A, int Inner, bool Transposed, bool Add, class T>
[[gnu::always_inline]] inline void contract_by_hand(const double* M, const T* from, T* to) {
  for (int o = 0; o < Outer; ++o) {
    for (int i = 0; i < Inner; ++i) {
      T column[A];
      for (int a = 0; a < A; ++a) column[a] = from[(o * A + a) * Inner + i];
      for (int x = 0; x < X; ++x) {
        T& result = to[(o * X + x) * Inner + i];
        T sum = column[0] * M[Transposed ? x : x * A];
        for (int a = 1; a < A; ++a) sum += column[a] * M[Transposed ? a * X + x : x * A + a];
        result = Add ? result + sum : sum;
      }
    }
  }
}

template <int P, class T>
[[gnu::always_inline]] inline void interpolate_by_hand(const double* B, const T* v, T* u) {
  constexpr int nd = P + 1, nq = P + 2;
  T first[nq * nd * nd], second[nq * nq * nd];
  contract_by_hand<1, nq, nd, nd * nd, false, false>(B, v, first);
  contract_by_hand<nq, nq, nd, nd, false, false>(B, first, second);
  contract_by_hand<nq * nq, nq, nd, 1, false, false>(B, second, u);
}
template <int P, class T>
[[gnu::always_inline]] inline void integrate_by_hand(const double* B, const T* u, T* v) {
  constexpr int nd = P + 1, nq = P + 2;
  T first[nq * nq * nd], second[nq * nd * nd];
  contract_by_hand<nq * nq, nd, nq, 1, true, false>(B, u, first);
  contract_by_hand<nq, nd, nq, nd, true, false>(B, first, second);
  contract_by_hand<1, nd, nq, nd * nd, true, false>(B, second, v);
}

template <int P, class T>
void mass_by_hand_in_plane(const double* B, const T* v, const T* D, T* u) {
  constexpr int nd = P + 1, nq = P + 2, points = nq * nq;
  T first[nq * nd], at_points[points];
  contract_by_hand<1, nq, nd, nd, false, false>(B, v, first);
  contract_by_hand<nq, nq, nd, 1, false, false>(B, first, at_points);
  for (int q = 0; q < points; ++q) at_points[q] = at_points[q] * D[q];
  contract_by_hand<nq, nd, nq, 1, true, false>(B, at_points, first);
  contract_by_hand<1, nd, nq, nd, true, false>(B, first, u);
}
template <int P, class T>
void mass_by_hand(const double* B, const T* v, const T* D, T* u) {
  constexpr int points = Hexahedron<P>::points;
  T at_points[points];
  interpolate_by_hand<P>(B, v, at_points);
  for (int q = 0; q < points; ++q) at_points[q] = at_points[q] * D[q];
  integrate_by_hand<P>(B, at_points, u);
}

template <int P, class T>
void poisson_by_hand(const double* B, const double* G, const T* v, const T* W, T* u) {
  constexpr int nq = P + 2, points = Hexahedron<P>::points;
  T at_points[points], g[3][points];
  interpolate_by_hand<P>(B, v, at_points);
  contract_by_hand<1, nq, nq, nq * nq, false, false>(G, at_points, g[0]);
  contract_by_hand<nq, nq, nq, nq, false, false>(G, at_points, g[1]);
  contract_by_hand<nq * nq, nq, nq, 1, false, false>(G, at_points, g[2]);
  for (int q = 0; q < points; ++q) {
    const T x = g[0][q], y = g[1][q], z = g[2][q];
    const auto w = [&](int i) { return W[i * points + q]; };
    g[0][q] = w(0) * x + w(1) * y + w(2) * z;
    g[1][q] = w(1) * x + w(3) * y + w(4) * z;
    g[2][q] = w(2) * x + w(4) * y + w(5) * z;
  }
  contract_by_hand<1, nq, nq, nq * nq, true, false>(G, g[0], at_points);
  contract_by_hand<nq, nq, nq, nq, true, true>(G, g[1], at_points);
  contract_by_hand<nq * nq, nq, nq, 1, true, true>(G, g[2], at_points);
  integrate_by_hand<P>(B, at_points, u);
}

}  // namespace perf

#endif
