// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TRIPLESPARTITIONS_HPP
#define KOKKOSCONTRACT_PERF_TRIPLESPARTITIONS_HPP

// The 18 terms of example/ccsd_triples as products of matrices: a pair of an sd2 and an sd1 for
// each of the nine partitions of T3's indices.

#include <array>

namespace perf::t3 {

/// The letters of T3 by number: the last one is the fastest.
inline constexpr int k = 0, j = 1, i = 2, c = 3, b = 4, a = 5;

/// sd2 sums t2[e, p, x, y] v2[e, z, q, r], and sd1 v2[m, y, x, p] t2[m, r, q, z].
struct Partition {
  int p, x, y, z, q, r;
  double sign;
  /// Whether `a` is the fastest index of the product: p, x, y are then in its rows, or r, q, z.
  constexpr bool is_a_in_one() const { return p == a; }
  constexpr std::array<int, 6> letters() const {
    if (is_a_in_one()) return {p, x, y, r, q, z};
    return {r, q, z, p, x, y};
  }
};
inline constexpr Partition partitions[] = {
    {a, i, j, k, c, b, -1}, {a, j, k, i, c, b, -1}, {a, i, k, j, c, b, 1},
    {b, i, j, k, c, a, 1},  {b, j, k, i, c, a, 1},  {b, i, k, j, c, a, -1},
    {c, i, j, k, b, a, -1}, {c, j, k, i, b, a, -1}, {c, i, k, j, b, a, 1}};

}  // namespace perf::t3

#endif
