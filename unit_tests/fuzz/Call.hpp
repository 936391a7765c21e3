// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run-time data of a generated case, in a kernel, too: the addresses of its operands, the
// numbers of the call, and its scratch memory. The case determines the types with which it passes
// them on.
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <array>
#include <utility>

#include "PackLanes.hpp"
#include "StridedTensor.hpp"

namespace KokkosContract::Test::Fuzz {

using Memory = Kokkos::DefaultExecutionSpace::memory_space;
template <class Data, class Layout = Kokkos::LayoutRight>
using View = Kokkos::View<Data, Layout, Memory, Unmanaged>;
template <class Data, class Layout = Kokkos::LayoutRight>
using AtomicView =
    Kokkos::View<Data, Layout, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Atomic>>;
/// Extents or strides of a Strided.
template <std::ptrdiff_t... N>
using Numbers = std::integer_sequence<std::ptrdiff_t, N...>;

inline constexpr int most_operands = 10, most_rank = 8, most_lanes = 8;

/// One operand of several problems.
struct Place {
  void* data;               // element 0 of problem 0
  std::ptrdiff_t distance;  // distance from one problem to the next, in elements, as the strides
  std::ptrdiff_t extent[most_rank];
  std::ptrdiff_t stride[most_rank];
};

/// alpha, beta or tiny: a complex number for each lane.
struct Coefficient {
  double real[most_lanes], imag[most_lanes];
  template <class T>
  KOKKOS_FUNCTION T as() const {
    if constexpr (KokkosContract::Impl::is_pack<T>) {
      T x;
      for (int l = 0; l < lanes<T>::count; ++l) x[l] = as_scalar<typename lanes<T>::scalar>(l);
      return x;
    } else {
      return as_scalar<T>(0);
    }
  }

  /// The factor of one lane, for calls that take several factors.
  template <class T>
  KOKKOS_FUNCTION T as_scalar(int l) const {
    if constexpr (is_complex<T>::value) {
      using Real = typename T::value_type;
      return T(static_cast<Real>(real[l]), static_cast<Real>(imag[l]));
    } else {
      return static_cast<T>(real[l]);
    }
  }
};

struct Call {
  Place operand[most_operands];
  Coefficient alpha, beta;
  char* memory;  // scratch of problem 0
  std::size_t memory_bytes, memory_distance;
  int scratch_stride;

  KOKKOS_FUNCTION Scratch scratch(int problem) const {
    return {memory + problem * memory_distance, memory_bytes};
  }
  /// The scratch memory as a View of bytes, in which only each scratch_stride-th byte is an
  /// element.
  KOKKOS_FUNCTION auto scratch_view(int problem) const {
    const Kokkos::LayoutStride layout((memory_bytes + scratch_stride - 1) / scratch_stride,
                                      scratch_stride);
    return View<char*, Kokkos::LayoutStride>(memory + problem * memory_distance, layout);
  }
  template <class V>
  KOKKOS_FUNCTION V as(int o, int problem) const {
    typename V::array_layout layout;
    for (int d = 0; d < static_cast<int>(V::rank()); ++d) {
      layout.dimension[d] = operand[o].extent[d];
      if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>) {
        layout.stride[d] = operand[o].stride[d];
      }
    }
    return V(data<typename V::value_type>(o, problem), layout);
  }
  template <class Data, class Layout = Kokkos::LayoutRight>
  KOKKOS_FUNCTION auto view(int o, int problem) const {
    return as<View<Data, Layout>>(o, problem);
  }
  template <class Data, class Layout = Kokkos::LayoutRight>
  KOKKOS_FUNCTION auto atomic(int o, int problem) const {
    return as<AtomicView<Data, Layout>>(o, problem);
  }
  template <class T, class Extents, class Strides>
  KOKKOS_FUNCTION auto strided(int o, int problem) const {
    using S = Strided<T, Extents, Strides>;
    if constexpr (S::rank == 0) {
      return S(data<T>(o, problem));
    } else {
      int extent[S::rank];
      std::ptrdiff_t stride[S::rank];
      for (int d = 0; d < S::rank; ++d) {
        extent[d] = static_cast<int>(operand[o].extent[d]);
        stride[d] = operand[o].stride[d];
      }
      return S(data<T>(o, problem), extent, stride);
    }
  }
  template <class T, class Extents, class Layout>
  KOKKOS_FUNCTION auto mdspan(int o, int problem) const {
    return make_mdspan<Kokkos::mdspan<T, Extents, Layout>>(
        o, problem, std::make_index_sequence<Extents::rank()>{});
  }

 private:
  // Arrays as aggregates, because their functions are the host's.
  template <class M, std::size_t... D>
  KOKKOS_FUNCTION M make_mdspan(int o, int problem, std::index_sequence<D...>) const {
    using Indices = std::array<int, sizeof...(D)>;
    const Place& place = operand[o];
    const typename M::extents_type extents(Indices{{static_cast<int>(place.extent[D])...}});
    auto* const element = data<typename M::element_type>(o, problem);
    if constexpr (std::is_same_v<typename M::layout_type, Kokkos::layout_stride>) {
      const Indices strides{{static_cast<int>(place.stride[D])...}};
      return M(element, typename M::mapping_type(extents, strides));
    } else {
      return M(element, extents);
    }
  }
  template <class T>
  KOKKOS_FUNCTION T* data(int o, int problem) const {
    return static_cast<T*>(operand[o].data) + problem * operand[o].distance;
  }
};

/// A functor between operands or after the output. It is exact, and differs from index to index.
struct Twist {
  template <class... I>
  KOKKOS_FUNCTION static int kind(I... i) {
    int sum = 0, place = 0;
    ((sum += static_cast<int>(i) * ++place), ...);
    return sum % 3;
  }
  template <class T, class... I>
  KOKKOS_FUNCTION T operator()(const T& value, I... i) const {
    const int k = kind(i...);
    return k == 0 ? value : k == 1 ? -value : value + value;
  }
};

/// An epilogue that returns nothing: it stores each element elsewhere.
template <class Other>
struct Elsewhere {
  Other other;
  template <class T, class... I>
  KOKKOS_FUNCTION void operator()(const T& value, I... i) const {
    put(Twist{}(value, i...), i...);
  }

 private:
  template <class T, class... I>
  KOKKOS_FUNCTION void put(const T& value, I... i) const {
    using E = typename Other::value_type;
    if constexpr (std::is_convertible_v<T, E>) {
      other(i...) = value;
    } else {
      other(i...) = static_cast<E>(value);
    }
  }
};
template <class Other>
Elsewhere(Other) -> Elsewhere<Other>;

}  // namespace KokkosContract::Test::Fuzz
