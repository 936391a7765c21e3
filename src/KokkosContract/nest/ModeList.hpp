// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_MODELIST_HPP
#define KOKKOSCONTRACT_NEST_MODELIST_HPP

// The indices of a product of large tensors, at run time only.

#include <KokkosContract/core/Digits.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The modes of one class: their strides in the two operands that have them.
struct ModeList {
  static constexpr int most = 16;
  int count = 0;
  std::ptrdiff_t extent[most]{};
  std::ptrdiff_t first[most]{};
  std::ptrdiff_t second[most]{};

  std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int i = 0; i < count; ++i) n *= extent[i];
    return n;
  }

  /// Appends a mode as the innermost one.
  void append(std::ptrdiff_t n, std::ptrdiff_t first_stride, std::ptrdiff_t second_stride) {
    if (n == 1) return;
    extent[count] = n;
    first[count] = first_stride;
    second[count] = second_stride;
    ++count;
  }

  KOKKOSCONTRACT_COLD_CODE void add(std::ptrdiff_t n, std::ptrdiff_t first_stride,
                                    std::ptrdiff_t second_stride) {
    if (n == 1) return;
    // The list is kept in order: the shortest stride is innermost.
    const auto key = [](std::ptrdiff_t a, std::ptrdiff_t b) { return a < b ? a : b; };
    int i = count++;
    for (; i > 0 && key(first[i - 1], second[i - 1]) < key(first_stride, second_stride); --i) {
      extent[i] = extent[i - 1];
      first[i] = first[i - 1];
      second[i] = second[i - 1];
    }
    extent[i] = n;
    first[i] = first_stride;
    second[i] = second_stride;
  }

  /// Merges adjacent modes that are nested in both operands.
  KOKKOSCONTRACT_COLD_CODE void merge() {
    for (int i = count - 2; i >= 0; --i) {
      if (first[i] != first[i + 1] * extent[i + 1] || second[i] != second[i + 1] * extent[i + 1]) {
        continue;
      }
      extent[i] *= extent[i + 1];
      first[i] = first[i + 1];
      second[i] = second[i + 1];
      move_in(i + 1, --count);
    }
  }

  /// Moves mode i to place `to`, further in.
  void move_in(int i, int to) {
    for (; i < to; ++i) {
      std::swap(extent[i], extent[i + 1]);
      std::swap(first[i], first[i + 1]);
      std::swap(second[i], second[i + 1]);
    }
  }

  /// Cuts mode i to `piece` indices. Returns the number of modes, 0 or 1, that are added before it
  /// for the rest.
  KOKKOSCONTRACT_COLD_CODE int cut(int i, std::ptrdiff_t piece) {
    if (piece == extent[i] || count == most) return 0;
    extent[count] = piece;
    first[count] = first[i];
    second[count] = second[i];
    extent[i] /= piece;
    first[i] *= piece;
    second[i] *= piece;
    ++count;
    for (int k = count - 1; k > i + 1; --k) {
      std::swap(extent[k], extent[k - 1]);
      std::swap(first[k], first[k - 1]);
      std::swap(second[k], second[k - 1]);
    }
    return 1;
  }

  /// Makes the mode with stride 1 in the second operand the innermost one.
  KOKKOSCONTRACT_COLD_CODE void unit_second_last() {
    for (int i = 0; i + 1 < count; ++i) {
      if (second[i] == 1) return move_in(i, count - 1);
    }
  }

  /// Lets short ranges of indices extend along two modes: the innermost one, which is cut to a
  /// multiple of `unit` between `least` and `longest`, and the one with the shortest of these
  /// strides, which becomes the next one. Otherwise a block would use one element of each cache
  /// line along the second mode.
  KOKKOSCONTRACT_COLD_CODE void share_blocks(const std::ptrdiff_t (&strides)[most], int unit,
                                             int least = 8, int longest = 32) {
    const int last = count - 1;
    int shortest = 0;
    for (int i = 1; i < count; ++i) {
      if (strides[i] < strides[shortest]) shortest = i;
    }
    if (shortest >= last || count == most) return;
    std::ptrdiff_t piece = longest;
    while (piece >= least && (extent[last] % piece != 0 || piece % unit != 0)) --piece;
    if (piece < least) return;
    move_in(shortest, last - 1);
    if (cut(last, piece) == 0) return;
    // The rest of the cut mode becomes the outermost mode.
    for (int i = last; i > 0; --i) move_in(i - 1, i);
  }

  /// Offsets of the indices begin to begin + n - 1, counted with the last mode fastest.
  KOKKOSCONTRACT_SHARED_CODE void offsets(std::ptrdiff_t begin, int n, std::ptrdiff_t* in_first,
                                          std::ptrdiff_t* in_second) const {
    std::ptrdiff_t index[most]{};
    std::ptrdiff_t a = 0;
    std::ptrdiff_t b = 0;
    for (int i = count - 1; i >= 0; --i) {
      index[i] = take_digit(begin, extent[i]);
      a += index[i] * first[i];
      b += index[i] * second[i];
    }
    const int last = count > 0 ? count - 1 : 0;
    const std::ptrdiff_t a_step = first[last];
    const std::ptrdiff_t b_step = second[last];
    for (int e = 0; e < n;) {
      const std::ptrdiff_t left = count > 0 ? extent[last] - index[last] : 1;
      const int run = left < n - e ? static_cast<int>(left) : n - e;
      for (int r = 0; r < run; ++r, ++e) {
        in_first[e] = a;
        in_second[e] = b;
        a += a_step;
        b += b_step;
      }
      index[last] += run;
      for (int i = last; i > 0 && index[i] == extent[i]; --i) {
        a += first[i - 1] - first[i] * extent[i];
        b += second[i - 1] - second[i] * extent[i];
        index[i] = 0;
        ++index[i - 1];
      }
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
