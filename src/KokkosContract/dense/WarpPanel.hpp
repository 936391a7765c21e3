// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_WARPPANEL_HPP
#define KOKKOSCONTRACT_DENSE_WARPPANEL_HPP

// A panel of a few columns in the registers of a warp, factored by LU with partial pivoting. Lanes
// have whole rows. A row stays in its lane when it is interchanged, and only its place changes. A
// step searches for the pivot among the rows of a lane, and then among the lanes.

#include <KokkosContract/dense/Interchange.hpp>
#include <KokkosContract/level/Together.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <KokkosContract/machine/Reciprocal.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Number k * warp_size + lane of the panel's rows is x[k] of a lane. The panel has B columns, of
/// which the first `cols` are columns of a matrix.
template <class Machine, class Acc, int RowsOfLane, int B>
struct WarpPanel {
  using Size = size_of_t<Acc>;
  static constexpr int no_place = -1;

  Acc x[RowsOfLane][B];
  int place[RowsOfLane];  ///< the row of the panel that a row is now, or no_place
  int cols;

  /// Loads columns p to p + count - 1 of problem z, in rows from p on.
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION WarpPanel(const A& a, int z, int p, int count) : cols(count) {
    const int lane = Machine::lane_of_warp();
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      const int row = k * Machine::warp_size + lane;
      place[k] = p + row < a.rows() ? row : no_place;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < B; ++c) {
        x[k][c] = place[k] >= 0 && c < count ? convert<Acc>(a(z, p + row, p + c)) : Acc(0);
      }
    }
  }

  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void store(const A& a, int z, int p) const {
    using T = typename A::value_type;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < B; ++c) {
        if (place[k] >= 0 && c < cols) a(z, p + place[k], p + c) = convert<T>(x[k][c]);
      }
    }
  }

  /// Factors the panel. Calls interchange(q, row) in all lanes when row q and a row not before it
  /// are swapped. Returns whether a pivot is zero.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const F& interchange) {
    bool singular = false;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < B; ++q) {
      if (q < cols) step(q, singular, interchange);
    }
    return singular;
  }

 private:
  /// A row that may become row q, with its elements from column q on.
  struct Candidate {
    Size size = Size(-1);
    int place = none;
    Acc row[B];
    static constexpr int none = 1 << 30;
  };

  /// The row of this lane that has the largest element of column q, among those that are not
  /// finished. Among equal ones it is the one that comes first. NaN is less than all numbers.
  KOKKOS_FORCEINLINE_FUNCTION Candidate candidate(int q) const {
    Candidate best;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      const Size own = size_of(x[k][q]);
      const Size size = own >= Size(0) ? own : Size(-1);
      const bool is_larger = (size > best.size) | ((size == best.size) & (place[k] < best.place));
      const bool is_better = (place[k] >= q) & is_larger;
      best.size = is_better ? size : best.size;
      best.place = is_better ? place[k] : best.place;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = q; c < B; ++c) best.row[c] = k == 0 || is_better ? x[k][c] : best.row[c];
    }
    return best;
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void step(int q, bool& singular, const F& interchange) {
    const Candidate own = candidate(q);
    bool exists = true;
    const Acc own_inverse = short_reciprocal(own.row[q], exists);
    const int lane = lane_of_largest(own);

    const bool is_own_zero = own.row[q] == Acc(0);
    const int flags = (is_own_zero ? is_zero_bit : 0) + (exists ? exists_bit : 0);
    const int told = from_lane(own.place | flags, lane);
    const int from = told & (is_zero_bit - 1);
    const bool is_zero_pivot = (told & is_zero_bit) != 0;
    singular = singular || is_zero_pivot;
    interchange(q, from);

    const Acc inverse = from_lane(own_inverse, lane);
    Acc row[B];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int c = q + 1; c < B; ++c) row[c] = from_lane(own.row[c], lane);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      const int before = place[k];
      place[k] = before == from ? q : (before == q ? from : before);
    }
    if (is_zero_pivot) return;  // so the multipliers are zero, or the column has NaN
    if ((told & exists_bit) != 0) {
      set_multipliers(q, [&](const Acc& y) KOKKOSCONTRACT_INLINE_LAMBDA { return y * inverse; });
    } else {
      const Acc pivot = from_lane(own.row[q], lane);
      set_multipliers(
          q, [&](const Acc& y) KOKKOSCONTRACT_INLINE_LAMBDA { return quotient(y, pivot); });
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      if (place[k] <= q) continue;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = q + 1; c < B; ++c) x[k][c] = x[k][c] - x[k][q] * row[c];
    }
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void set_multipliers(int q, const F& of) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < RowsOfLane; ++k) {
      if (place[k] > q) x[k][q] = of(x[k][q]);
    }
  }

  /// The lane whose candidate has the largest element; among equal ones, the first row. The leading
  /// bits nearly always determine it.
  static KOKKOS_FORCEINLINE_FUNCTION int lane_of_largest(const Candidate& own) {
    constexpr int none = Kokkos::Experimental::finite_min_v<int>;
    const int leading = own.place == Candidate::none ? none : leading_bits(own.size);
    const auto largest =
        Machine::ballot(whole_warp<Machine>, leading == Machine::largest_of_warp(leading));
    int lane = Machine::first_lane_of(largest);
    KOKKOSCONTRACT_NO_UNROLL
    for (auto others = largest & (largest - 1); others != 0; others &= others - 1) {
      const int other = Machine::first_lane_of(others);
      const Size size = from_lane(own.size, lane), other_size = from_lane(own.size, other);
      const int first = from_lane(own.place, lane), other_first = from_lane(own.place, other);
      const bool is_better = (other_size > size) | ((other_size == size) & (other_first < first));
      lane = is_better ? other : lane;
    }
    return lane;
  }

  static constexpr int is_zero_bit = 1 << 16;
  static constexpr int exists_bit = 1 << 17;

  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T from_lane(const T& value, int lane) {
    return told_by_lane<Machine>(whole_warp<Machine>, value, lane);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
