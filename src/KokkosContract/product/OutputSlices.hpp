// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_OUTPUTSLICES_HPP
#define KOKKOSCONTRACT_PRODUCT_OUTPUTSLICES_HPP

// Slices of an output that a host computes one after another, so that each stays in a cache. The
// loops of a nest begin with its batch. If another index has the largest stride in C, such as c in
// "cpij,lpj->clpi", each step of the batch goes through all of C's memory.

#include <KokkosContract/product/Blocked.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The mode that is cut, and the number of its indices in a slice; -1: there are no slices.
struct OutputSlices {
  int mode = -1;
  std::ptrdiff_t count = 0;

  friend constexpr bool operator==(const OutputSlices&, const OutputSlices&) = default;
};

/// The slices for these loops, whose elements have this number of bytes. The mode that is cut has
/// the largest stride in C. Slices exist if all of these hold:
///   - The mode is not of the batch.
///   - A loop around it, of the batch or of rows, has a stride in C of less than a line of memory,
///     so that its steps share lines.
///   - Sums are so short that memory bandwidth limits them.
///   - C has at least two slices.
/// A slice and the part that it reads of the input with the mode fill bytes_of_output_slice. Each
/// slice reads all of the other input, which is at most as large as the slice.
KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION inline OutputSlices output_slices(const LoopArrays& loops,
                                                                           int bytes) {
  const int row = loops.count[static_cast<int>(Class::batch)];
  const int col = row + loops.count[static_cast<int>(Class::row)];
  const int sum = col + loops.count[static_cast<int>(Class::col)];
  const int end = sum + loops.count[static_cast<int>(Class::sum)];
  const auto distance = [&](int i) { return loops.c[i] < 0 ? -loops.c[i] : loops.c[i]; };
  int outer = -1;
  for (int i = 0; i < sum; ++i) {
    if (loops.extent[i] > 1 && (outer < 0 || distance(i) > distance(outer))) outer = i;
  }
  if (outer < row) return {};
  // The last row mode is cut into tiles, inside of all loops.
  bool shares_lines = false;
  for (int i = 0; i < outer; ++i) {
    const bool is_loop = loops.extent[i] > 1 && (i < row || i + 1 < col);
    shares_lines = shares_lines || (is_loop && distance(i) * bytes < bytes_of_line);
  }
  if (!shares_lines) return {};
  double terms = 1, in_c = bytes, in_x = bytes, in_y = bytes;
  for (int i = 0; i < end; ++i) {
    const auto extent = static_cast<double>(loops.extent[i]);
    if (i >= sum) terms *= extent;
    if (i == outer) continue;
    if (i < sum) in_c *= extent;
    if (loops.x[i] != 0) in_x *= extent;
    if (loops.y[i] != 0) in_y *= extent;
  }
  if (terms > most_terms_of_output_slices) return {};
  const bool is_row = outer < col;
  const double own = in_c + (is_row ? in_x : in_y);
  const double shared = is_row ? in_y : in_x;
  const double by_cache = bytes_of_output_slice / own;
  const double by_input = shared / in_c;
  const double count = by_cache > by_input ? by_cache : by_input;
  if (!(2 * count <= static_cast<double>(loops.extent[outer]))) return {};
  return {outer, count < 1 ? 1 : static_cast<std::ptrdiff_t>(count + 0.5)};
}

/// Whether the types show that a batch has the largest stride in C: C's outer dimension is a batch.
template <int R>
consteval bool has_outermost_batch(const Lowered& l, const StaticShape<R>& c) {
  if constexpr (R < 2) {
    return false;
  } else {
    const auto in_both = [&](int d) {
      return l.x_labels.has(l.c_labels.letter[d]) && l.y_labels.has(l.c_labels.letter[d]);
    };
    return (c.stride[R - 1] == 1 && in_both(0)) || (c.stride[0] == 1 && in_both(R - 1));
  }
}

/// Whether an output may have slices. They need a loop around a mode that can be cut.
template <int R, int N>
consteval bool may_have_output_slices(const Lowered& l, const Nest<N>& nest,
                                      const StaticShape<R>& c) {
  const bool has_loop = nest.of(Class::batch) > 0 || nest.of(Class::row) > 1;
  if (!nest.has_x || !has_loop || has_outermost_batch(l, c)) return false;
  for (int i = nest.begin(Class::row); i < nest.begin(Class::sum); ++i) {
    if (nest.extent[i] == dynamic) return true;
  }
  return false;
}

/// The slices for these loops.
template <Nest S>
KOKKOS_FUNCTION OutputSlices output_slices(const Loops<S>& loops, int bytes) {
  const OutputSlices slices = output_slices(CopiedLoops<S>(loops).arrays(), bytes);
  // A static extent cannot be cut.
  constexpr Nest nest = S;
  return slices.mode >= 0 && nest.extent[slices.mode] != dynamic ? OutputSlices{} : slices;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
