// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_LINEARRAY_HPP
#define KOKKOSCONTRACT_OPERAND_LINEARRAY_HPP

// Strides of an array in a GPU's scratch memory. Workers take lines of it along one index and then
// along another, and neighbouring workers take neighbouring lines. Shared memory has 128 bytes of
// banks. One access serves the lanes whose elements are in different banks. The strides have the
// fewest accesses, by simulation.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Digits.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Lines along `position` with this number of elements that are read or written, and the number of
/// lines at the other positions.
struct LineAccess {
  int position = 0;
  int elements = 0;
  std::ptrdiff_t extent[max_rank]{};
};

struct LineAccesses {
  static constexpr int most = 16;
  int rank = 0;
  int count = 0;
  LineAccess access[most]{};
  std::ptrdiff_t longest[max_rank]{};  // lines; 1 for a dynamic index
};

struct LineArray {
  std::ptrdiff_t stride[max_rank]{};
  std::ptrdiff_t size = 0;  // elements, for each value of a dynamic index
};

/// Number of accesses to shared memory.
constexpr std::ptrdiff_t count_accesses(const LineAccesses& all, const LineArray& array,
                                        int banks) {
  std::ptrdiff_t total = 0;
  for (int v = 0; v < all.count; ++v) {
    const LineAccess& access = all.access[v];
    std::ptrdiff_t extent[max_rank]{};
    std::ptrdiff_t lanes = 1;
    for (int p = 0; p < all.rank; ++p) {
      extent[p] = p == access.position ? 1 : access.extent[p];
      lanes *= extent[p];
    }
    if (lanes > 128) lanes = 128;
    for (std::ptrdiff_t group = 0; group < lanes; group += banks) {
      int asked[32]{};
      int most = 0;
      for (std::ptrdiff_t lane = group; lane < lanes && lane < group + banks; ++lane) {
        std::ptrdiff_t rest = lane;
        std::ptrdiff_t at = 0;
        for (int p = all.rank - 1; p >= 0; --p) {
          at += take_digit(rest, extent[p]) * array.stride[p];
        }
        const int count = ++asked[at % banks];
        most = count > most ? count : most;
      }
      total += static_cast<std::ptrdiff_t>(most) * access.elements;
    }
  }
  return total;
}

/// The strides for elements of this many bytes. The strides of the inner positions are found
/// together, while those of the outer positions are packed. Then the outer ones are found one by
/// one.
consteval LineArray line_array(const LineAccesses& all, int element_bytes) {
  const int banks = element_bytes >= 4 && element_bytes <= 16 ? 128 / element_bytes : 1;
  const int last = all.rank - 1;
  LineArray array{};
  LineArray best{};
  std::ptrdiff_t fewest = -1;
  // Tries strides, with the outer ones packed from position p - 1 on.
  const auto try_array = [&](int p) {
    for (; p > 0; --p) array.stride[p - 1] = all.longest[p] * array.stride[p];
    const std::ptrdiff_t count = count_accesses(all, array, banks);
    if (fewest >= 0 && count >= fewest) return;
    fewest = count;
    best = array;
  };
  array.stride[last] = 1;
  for (int row = 0; row < 3; ++row) {
    array.stride[last - 1] = all.longest[last] + row;
    if (last == 1) try_array(0);
    for (int plane = 0; plane < banks && last > 1; ++plane) {
      array.stride[last - 2] = all.longest[last - 1] * array.stride[last - 1] + plane;
      try_array(last - 2);
    }
  }
  for (int p = last - 3; p >= 0; --p) {
    array = best;
    for (int pad = 1; pad < banks; ++pad) {
      array.stride[p] = all.longest[p + 1] * array.stride[p + 1] + pad;
      try_array(p);
    }
  }
  best.size = all.longest[0] * best.stride[0];
  return best;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
