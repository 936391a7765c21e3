// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_SMALL_ARRAY_HPP
#define KOKKOSCONTRACT_OPERAND_SMALL_ARRAY_HPP

// Arrays of a size that the compiler knows, and DynRankView, whose rank it does not know. Included
// by <KokkosContract/Operand.hpp>, after the types it declares.

#include <KokkosContract/core/Config.hpp>
#include <array>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The elements and the shape of Kokkos::Array and std::array, and of arrays of such arrays.
template <class A>
struct SmallArray {
  using Element = A;
  static constexpr StaticShape<0> shape{};
};

template <class Inner, std::size_t N>
struct SmallArrayOf {
  using Element = typename SmallArray<Inner>::Element;
  static constexpr auto shape = [] {
    constexpr auto inner = SmallArray<Inner>::shape;
    StaticShape<inner.rank + 1> result{};
    result.extent[0] = static_cast<std::ptrdiff_t>(N);
    result.stride[0] = static_cast<std::ptrdiff_t>(sizeof(Inner) / sizeof(Element));
    for (int i = 0; i < inner.rank; ++i) {
      result.extent[i + 1] = inner.extent[i];
      result.stride[i + 1] = inner.stride[i];
    }
    return result;
  }();
};
template <class Inner, std::size_t N>
struct SmallArray<std::array<Inner, N>> : SmallArrayOf<Inner, N> {};
template <class Inner, std::size_t N>
struct SmallArray<Kokkos::Array<Inner, N>> : SmallArrayOf<Inner, N> {};

template <class A>
inline constexpr bool is_small_array = SmallArray<A>::shape.rank > 0;

/// Kokkos::DynRankView, whose header may be absent.
template <class A>
inline constexpr bool is_dyn_rank_view = requires { typename A::drvtraits; };

/// The shape of a DynRankView of this rank, as far as its layout shows it.
template <class V, int R>
consteval StaticShape<R> shape_of_dyn_rank_view() {
  StaticShape<R> shape{};
  for (int i = 0; i < R; ++i) shape.extent[i] = shape.stride[i] = dynamic;
  if constexpr (R > 0 && std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>) {
    shape.stride[R - 1] = 1;
  } else if constexpr (R > 0 && std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>) {
    shape.stride[0] = 1;
  }
  return shape;
}

/// Kokkos::DualView, whose header may be absent.
template <class A>
inline constexpr bool is_dual_view = requires {
  typename A::t_dev;
  typename A::t_host;
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
