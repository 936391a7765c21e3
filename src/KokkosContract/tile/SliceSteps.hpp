// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_SLICESTEPS_HPP
#define KOKKOSCONTRACT_TILE_SLICESTEPS_HPP

// Common parts of slices (k-tiles) that a kernel handles itself, for every kind of tile: their
// product, the indices of the sum in a step, and the order in which stages are filled and used.

#include <KokkosContract/Tags.hpp>
#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/tile/Operations.hpp>
#include <KokkosContract/tile/Traits.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The unit-stride letter of a computed input: a letter of the tile, so that neighbouring workers
/// write neighbouring elements.
consteval int unit_of_computed(const Labels& labels, const Labels& output) {
  for (int i = labels.rank - 1; i >= 0; --i) {
    if (output.has(labels.letter[i])) return i;
  }
  return labels.rank - 1;
}
template <Labels Of, Labels Output>
consteval StaticShape<Of.rank> shape_of_computed() {
  StaticShape<Of.rank> shape = dynamic_shape<Of.rank>();
  if (Of.rank > 0) shape.stride[unit_of_computed(Of, Output)] = 1;
  return shape;
}
template <class A, class T, Labels Of, Labels Output>
struct SlicedOperand {
  using type = operand_t<A>;
};
template <class T, Labels Of, Labels Output>
struct SlicedOperand<Computed, T, Of, Output> {
  using type = strided_t<const T, shape_of_computed<Of, Output>()>;
};

/// The letters that a product sums over, in the order of the string.
consteval SumLetters sums_in_string(const Parsed& p) {
  SumLetters sums{};
  for (int input = 0; input < 2; ++input) {
    const Labels& labels = p.input[input];
    for (int i = 0; i < labels.rank; ++i) {
      bool known = p.output.has(labels.letter[i]);
      for (int k = 0; k < sums.count; ++k) known = known || sums.letter[k] == labels.letter[i];
      if (!known) sums.letter[sums.count++] = labels.letter[i];
    }
  }
  return sums;
}
/// The position of a letter among the letters of the sum, or -1.
consteval int place_of_sum(const SumLetters& sums, char letter) {
  for (int k = 0; k < sums.count; ++k) {
    if (sums.letter[k] == letter) return k;
  }
  return -1;
}

/// The facts about slices that are known at compile time.
template <class OfTile, Spec S, class A, class B, int Stages>
struct SlicedProduct {
  using Tile = OfTile;
  using Traits = tile_traits_t<Tile>;
  using T = typename Traits::Element;
  using Call = SlicesCall<S>;
  using Held = TileAccess::held_t<Tile>;
  static constexpr TileExtents extents = Traits::extents;
  static_assert(is_of_tile<S, extents>(),
                "KokkosContract: TileSlices: the output of the string is that of the tile");
  static_assert(Stages >= 2, "KokkosContract: TileSlices: there are two stages or more");
  static constexpr int stages = Stages;
  static constexpr Parsed parsed = Parse<S>::value;
  using First = typename SlicedOperand<A, T, parsed.input[0], parsed.output>::type;
  using Second = typename SlicedOperand<B, T, parsed.input[1], parsed.output>::type;
  static_assert(First::rank == parsed.input[0].rank && Second::rank == parsed.input[1].rank,
                "KokkosContract: TileSlices: an input has as many dimensions as letters");
  using Argument = TileArgument<S, T, First, Second>;
  /// The letters of the sum in loop order, and then in the order of the string.
  static constexpr SumLetters sums = sum_letters_of<First, Second>(parsed);
  static constexpr SumLetters given = sums_in_string(parsed);
};

/// The indices of a sum, step by step. Terms are in runs along the last letter that has more than
/// one index, and a step has up to Depth of a run.
template <SumLetters Sums, SumLetters Given, int Depth>
struct SliceSteps {
  static constexpr int count = Sums.count;
  static constexpr int count_or_1 = count > 0 ? count : 1;
  int extent[count_or_1];
  int along = 0;  // letter of the runs
  int steps_of_run;
  int steps;  // -1 if an int cannot count them

  /// Sets up the steps for a tile with `limit` indices of each letter.
  template <class Extents>
  KOKKOS_FORCEINLINE_FUNCTION SliceSteps(const Extents& extents, const int* limit, int rank) {
    extent[0] = 1;
    unrolled<count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      extent[k] = extents[place_of_sum(Given, Sums.letter[k])];
      if (k == 0 || extent[k] != 1) along = k;
    });
    steps_of_run = (extent_along() + Depth - 1) / Depth;
    std::ptrdiff_t all = steps_of_run;
    for (int l = 0; l < rank; ++l) all = limit[l] > 0 ? all : 0;
    for (int k = 0; k < count; ++k) {
      all *= k == along ? 1 : extent[k];
      all = all > most_extent ? most_extent + 1 : all;
    }
    steps = all > most_extent ? -1 : static_cast<int>(all);
  }
  KOKKOS_FORCEINLINE_FUNCTION int extent_along() const {
    int n = extent[0];
    for (int k = 1; k < count; ++k) n = k == along ? extent[k] : n;
    return n;
  }
  /// Sets the first indices of a step. Returns the number of terms that remain in its run.
  KOKKOS_FORCEINLINE_FUNCTION int begin(int step, int (&first)[count_or_1]) const {
    int in_run = step;
    first[0] = 0;
    if constexpr (count > 1) {
      int run = step / steps_of_run;
      in_run -= run * steps_of_run;
      for (int k = count - 1; k >= 0; --k) first[k] = k == along ? 0 : take_digit(run, extent[k]);
    }
    for (int k = 0; k < count; ++k) first[k] += k == along ? in_run * Depth : 0;
    return extent_along() - in_run * Depth;
  }
};

/// Whether an input has the extents of the tile's tensor and of the sum.
template <class Of, int Input, class A, class Steps>
KOKKOS_FORCEINLINE_FUNCTION bool agrees_with(const A& a, const int* of_tensor, const Steps& steps) {
  constexpr Labels of = Of::parsed.input[Input];
  static_assert(A::rank == of.rank,
                "KokkosContract: loader: the input has not as many dimensions as letters");
  bool all = true;
  unrolled<of.rank>([&]<int d>(Number<d>) KOKKOSCONTRACT_INLINE_LAMBDA {
    constexpr int l = dimension_of(Of::extents.letters, of.letter[d]);
    constexpr int k = place_of_sum(Of::sums, of.letter[d]);
    all = all && a.template extent<d>() ==
                     (l >= 0 ? of_tensor[l >= 0 ? l : 0] : steps.extent[k >= 0 ? k : 0]);
  });
  return all;
}

/// Calls f with the index of each letter of an input: its indices in the tile's tensor, and those
/// of the sum. `term` counts along one letter.
template <Labels Of, Labels OfTile, SumLetters Sums, class F, int Rank, int Count>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) with_indices(const F& f, const int (&index)[Rank],
                                                        const int (&first)[Count], int along,
                                                        int term) {
  const auto index_of = [&]<int d>(Number<d>) KOKKOSCONTRACT_INLINE_LAMBDA -> int {
    constexpr int of_tile = dimension_of(OfTile, Of.letter[d]);
    if constexpr (of_tile >= 0) {
      return index[of_tile];
    } else {
      constexpr int k = place_of_sum(Sums, Of.letter[d]);
      return first[k] + (k == along ? term : 0);
    }
  };
  return [&]<int... D>(std::integer_sequence<int, D...>)
             KOKKOSCONTRACT_INLINE_LAMBDA -> decltype(auto) {
               return f(index_of(Number<D>{})...);
             }(std::make_integer_sequence<int, Of.rank>{});
}

/// The order in which stages are filled and used. Slices provides `steps`, `end_group`, `wait` and
/// `finish`.
template <class Slices, int Stages>
class SlicePipeline {
 public:
  /// Runs start and use for each step of the sum. start(step) starts copies or writes slices.
  /// use(step) follows as soon as these have arrived for all workers. Slices are started Stages - 1
  /// steps ahead, so no worker writes the slices that `use` reads. Ends with a barrier. All workers
  /// call it. Returns info().
  template <class Start, class Use>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int run(const Start& start,
                                                                  const Use& use) {
    constexpr int ahead = Stages - 1;
    Slices& slices = static_cast<Slices&>(*this);
    if (slices.info() != 0) return slices.info();
    const int steps = slices.steps();
    KOKKOSCONTRACT_NO_UNROLL
    for (int step = -ahead; step < steps; ++step) {
      // All workers have used the stage that is filled now.
      if (step >= 0) slices.wait();
      if (step + ahead < steps) start(step + ahead);
      slices.end_group();
      if (step >= 0) use(step);
    }
    slices.finish();
    return slices.info();
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
