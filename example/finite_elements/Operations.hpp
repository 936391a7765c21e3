// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Additions and multiplications of operators of quadrilateral and hexahedral elements of order P,
// by sum factorisation. An element has P + 1 unknowns and P + 2 points in each direction.

namespace example {

template <int P>
struct Quadrilateral {
  static constexpr int nd = P + 1, nq = P + 2;
  static constexpr int unknowns = nd * nd, points = nq * nq;
  /// Additions and multiplications
  static constexpr double mass_flops = 4.0 * (nq * nd * nd + nq * nq * nd) + points;
  // x: B B and the product with D; then y.
  static constexpr double assembly_flops =
      2.0 * (1.0 * nq * nd * nd * nq + 1.0 * nq * nd * nd * nd * nd);
  static constexpr double dense_assembly_flops =
      2.0 * points * unknowns * unknowns + 1.0 * points * unknowns;
};

template <int P>
struct Hexahedron {
  static constexpr int nd = P + 1, nq = P + 2;
  static constexpr int unknowns = nd * nd * nd, points = nq * nq * nq;
  /// Additions and multiplications
  static constexpr double interpolation =
      2.0 * (nq * nd * nd * nd + nq * nq * nd * nd + nq * nq * nq * nd);
  static constexpr double mass_flops = 2 * interpolation + points;
  /// Interpolates once and differentiates at the points
  static constexpr double poisson_flops =
      2 * interpolation + 12.0 * nq * nq * nq * nq + 15.0 * points;
  /// Differentiates three times from the unknowns
  static constexpr double direct_poisson_flops = 6 * interpolation + 15.0 * points;
  static constexpr double assembly_flops =
      // x: B B and the product with D; then y and z, with more unknowns and fewer points each time.
      2.0 * (1.0 * nq * nd * nd * nq * nq + 1.0 * nq * nq * nd * nd * nd * nd +
             1.0 * nq * nd * nd * nd * nd * nd * nd);
  static constexpr double dense_assembly_flops =
      2.0 * points * unknowns * unknowns + 1.0 * points * unknowns;
};

}  // namespace example
