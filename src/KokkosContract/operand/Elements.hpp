// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_ELEMENTS_HPP
#define KOKKOSCONTRACT_OPERAND_ELEMENTS_HPP

// The elements of operands. This file replaces types of another library by this library's own, and
// rejects types that are not supported. It also determines whether an accessor finds the elements
// unchanged in memory.

#include <KokkosContract/core/Config.hpp>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The element type of this library with the memory layout of T. It is T itself, except for another
/// library's vectors. The header for those specialises this template (KokkosKernels.hpp).
template <class T>
struct OwnElement {
  using type = T;
};
template <class T>
using own_element_t = typename OwnElement<T>::type;
template <class T>
inline constexpr bool is_foreign = !std::is_same_v<own_element_t<T>, T>;

/// Const if T is const.
template <class T>
using own_t = std::conditional_t<std::is_const_v<T>, const own_element_t<std::remove_const_t<T>>,
                                 own_element_t<T>>;

/// Hides that the caller accesses the same memory as T, and a routine as own_t<T>. A host's
/// compiler may assume that these do not alias. No access moves across this fence, and after it p
/// may be any pointer. A Pack that might alias all types would be slower.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void fence_pointer([[maybe_unused]] T*& p) {
#if defined(__GNUC__)
  if constexpr (!is_device_code()) __asm__ volatile("" : "+r"(p) : : "memory");
#endif
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION own_t<T>* own_pointer(T* p) {
  if constexpr (is_foreign<std::remove_const_t<T>>) {
    static_assert(sizeof(own_t<T>) == sizeof(T),
                  "KokkosContract: an element type of another library has an unexpected size");
    // Allocated memory has the alignment even if its type does not promise it, but a local variable
    // may not.
    if constexpr (alignof(own_t<T>) > alignof(T)) {
      if (reinterpret_cast<std::uintptr_t>(p) % alignof(own_t<T>) != 0) {
        Kokkos::abort(
            "KokkosContract: an operand of another library's vectors is not aligned as a "
            "Pack has to be");
      }
    }
    fence_pointer(p);
    return reinterpret_cast<own_t<T>*>(p);
  } else {
    return p;
  }
}

template <class A>
inline constexpr bool has_foreign_elements = requires {
  typename A::value_type;
  requires is_foreign<std::remove_const_t<typename A::value_type>>;
};

// Types that are not supported; messages name replacements.

template <class T>
inline constexpr bool is_standard_complex = false;
template <class T>
inline constexpr bool is_standard_complex<std::complex<T>> = true;

/// SIMD types of Kokkos and of the standard library.
template <class T>
inline constexpr bool is_simd = requires {
  typename T::abi_type;
  typename T::mask_type;
};

template <class A>
inline constexpr bool is_offset_view = requires { typename A::begins_type; };

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr void require_element() {
  static_assert(!is_standard_complex<std::remove_const_t<T>>,
                "KokkosContract: std::complex is not supported as an element: use Kokkos::complex, "
                "which lies in memory as it does");
  static_assert(!is_simd<std::remove_const_t<T>>,
                "KokkosContract: a simd type is not supported as an element: use "
                "KokkosContract::Pack<T, L>, which lies in memory as it does");
}

template <class A>
concept MdspanLike = requires(const A& a) {
  typename A::mapping_type;
  typename A::accessor_type;
  { a.data_handle() };
};

/// The accessor that touches memory. Kokkos wraps it in other accessors, which know the memory
/// space and count references.
template <class Accessor>
struct Innermost {
  using type = Accessor;
};
template <class Accessor>
  requires requires {
    typename Accessor::nested_accessor_type;
    typename Accessor::memory_space;
  }
struct Innermost<Accessor> : Innermost<typename Accessor::nested_accessor_type> {};
// Kokkos 4 has the nested accessor as the last argument only.
template <template <class, class, class> class Wrapper, class T, class Space, class Nested>
  requires(!requires { typename Wrapper<T, Space, Nested>::nested_accessor_type; }) &&
          requires { typename Wrapper<T, Space, Nested>::memory_space; }
struct Innermost<Wrapper<T, Space, Nested>> : Innermost<Nested> {};
template <class Accessor>
using innermost_accessor_t = typename Innermost<Accessor>::type;

/// Tries an accessor on memory whose elements are not read.
template <class Accessor>
constexpr bool finds_each_element() {
  using T = typename Accessor::element_type;
  constexpr std::size_t count = 4;
  std::allocator<std::remove_const_t<T>> allocator;
  auto* const memory = allocator.allocate(count);
  bool finds = true;
  for (std::size_t i = 0; i < count; ++i) {
    finds = finds && std::addressof(Accessor{}.access(memory, i)) == memory + i;
  }
  allocator.deallocate(memory, count);
  return finds;
}

/// Whether element i of an accessor's memory is the unchanged i-th element: neither scaled, nor
/// conjugated, nor at another offset. std::default_accessor, aligned accessors and those of a
/// Kokkos::View satisfy it.
template <class Accessor>
concept PlainAccessor =
    std::is_same_v<typename Accessor::reference, typename Accessor::element_type&> &&
    requires { requires std::bool_constant<finds_each_element<Accessor>()>::value; };

template <class Reference>
inline constexpr bool is_atomic_reference = false;
template <class T, class Order, class Scope>
inline constexpr bool is_atomic_reference<desul::AtomicRef<T, Order, Scope>> = true;

/// The accessor of an atomic View.
template <class Accessor>
concept AtomicAccessor = is_atomic_reference<typename Accessor::reference>;

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
