// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_OFFSETS_HPP
#define KOKKOSCONTRACT_NEST_OFFSETS_HPP

// Offsets of the elements of a nest's operands, where each class of its modes is counted as one
// index.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/nest/Lower.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The number of elements of a class of modes, if static and not too large; else 0.
template <int N>
consteval int static_size(const Nest<N>& nest, Class k) {
  std::ptrdiff_t size = 1;
  for (int i = nest.begin(k); i < nest.end(k); ++i) {
    if (nest.extent[i] == dynamic) return 0;
    size *= nest.extent[i];
    if (size > most_static_elements) return 0;
  }
  return static_cast<int>(size);
}

template <Nest S>
struct NestOffsets {
  const Loops<S>& loops;

  enum class Of { x, y, c };
  template <Of O, int I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride() const {
    if constexpr (O == Of::x) {
      return loops.template x<I>();
    } else if constexpr (O == Of::y) {
      return loops.template y<I>();
    } else {
      return loops.template c<I>();
    }
  }
  /// Offset of element number `flat` of a class.
  template <Of O, Class K>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset_in(int flat) const {
    std::ptrdiff_t sum = 0;
    for_digits<S.begin(K), S.end(K) - 1>(
        static_cast<unsigned>(flat),
        [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA {
          return static_cast<unsigned>(loops.template extent<I>());
        },
        [&]<int I>(unsigned at)
            KOKKOSCONTRACT_INLINE_LAMBDA { sum += static_cast<int>(at) * stride<O, I>(); });
    return sum;
  }
  /// Sets the indices of element number `flat` of a class.
  template <Class K>
  KOKKOS_FORCEINLINE_FUNCTION void set_indices(int (&index)[Loops<S>::size], int flat) const {
    for_digits<S.begin(K), S.end(K) - 1>(
        static_cast<unsigned>(flat),
        [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA {
          return static_cast<unsigned>(loops.template extent<I>());
        },
        [&]<int I>(unsigned at) KOKKOSCONTRACT_INLINE_LAMBDA { index[I] = static_cast<int>(at); });
  }

  /// The number of problems, if an int can count them.
  KOKKOS_FORCEINLINE_FUNCTION int batch() const { return static_cast<int>(problems()); }
  /// Whether an int can count this number of parts of each problem.
  KOKKOS_FORCEINLINE_FUNCTION bool counts_parts(std::ptrdiff_t parts) const {
    return problems() * parts <= most_extent;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t problems() const {
    return loops.template product_of_extents<0, S.end(Class::batch)>();
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
