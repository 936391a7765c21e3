// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_ENTRY_PACKED_HPP
#define KOKKOSCONTRACT_ENTRY_PACKED_HPP

// Views that may be padded. Their strides are known at run time only, so a call compares them with
// packed ones. Code for packed strides has constant offsets.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/Lanes.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The number of elements if it is static, and `dynamic` otherwise.
template <int R>
consteval std::ptrdiff_t static_size(const StaticShape<R>& shape) {
  std::ptrdiff_t size = 1;
  for (int i = 0; i < R; ++i) {
    if (shape.extent[i] == dynamic) return dynamic;
    size *= shape.extent[i];
  }
  return size;
}

/// The facts about an argument that the entry knows: none, unless it is a View.
template <class A>
struct Argument {
  static constexpr bool is_small = true;
  static constexpr bool is_tiny = true;
  static constexpr bool may_become_packed = false;
};
template <class A>
  requires is_array<A>
struct Argument<A> {
  static constexpr auto shape = operand_t<A>::shape;
  static constexpr std::ptrdiff_t size = static_size(shape);
  static constexpr bool is_small = size != dynamic && size <= most_packed_elements;
  static constexpr bool is_tiny = size != dynamic && size <= most_inlined_elements;
  static constexpr bool may_become_packed = !(packed_shape(shape) == shape);
};

template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_packed_argument(const A& a) {
  if constexpr (Argument<A>::may_become_packed) {
    return is_packed(as_operand(a));
  } else {
    return true;
  }
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) packed_argument(const A& a) {
  if constexpr (Argument<A>::may_become_packed && is_shared<A>) {
    return shared(as_packed(as_operand(a)));
  } else if constexpr (Argument<A>::may_become_packed) {
    return as_packed(as_operand(a));
  } else {
    return (a);
  }
}

/// Whether Views of a GPU that are not padded have their own code: in products, and in routines
/// that hold matrices in registers.
template <class Routine>
inline constexpr bool tells_packed_views = requires { requires Routine::takes_batch; } ||
                                           requires { requires Routine::tells_packed_views; };
template <class Routine, class... Arguments>
inline constexpr bool has_packed_code = false;
template <class Routine, class... Arguments>
  requires(tells_packed_views<Routine>)
inline constexpr bool has_packed_code<Routine, Arguments...> = (is_marked_view<Arguments> || ...);

/// An argument of such a routine for a padded View. A chain keeps its extents, because its order
/// and its buffers depend on them.
template <class Routine, class A>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) padded_argument(const A& a) {
  if constexpr (requires { requires Routine::takes_batch; }) {
    return padded_view(a);
  } else {
    return (a);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
