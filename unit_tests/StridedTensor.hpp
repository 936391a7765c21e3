// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test operands: tensors with random strides in a buffer whose other words are guards, and Views of
// them.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <utility>
#include <vector>

#include "Random.hpp"
#include "Reference.hpp"
#include "TensorMemory.hpp"

namespace KokkosContract::Test {

// --- View types ---------------------------------------------------------------------------------

namespace Detail {
template <class T, int Rank>
struct data_type {
  using type = typename data_type<T, Rank - 1>::type*;
};
template <class T>
struct data_type<T, 0> {
  using type = T;
};
}  // namespace Detail

/// Stands for a layout: that of Views whose last two extents are static, if their rank is this.
template <class Layout, int Rank, int M, int N>
struct StaticExtents {};

namespace Detail {
template <class T, int Rank, class Layout>
struct array_of {
  using type = typename data_type<T, Rank>::type;
  using layout = Layout;
};
template <class T, int Rank, class Layout, int Fixed, int M, int N>
struct array_of<T, Rank, StaticExtents<Layout, Fixed, M, N>> : array_of<T, Rank, Layout> {};
template <class T, class Layout, int M, int N>
struct array_of<T, 2, StaticExtents<Layout, 2, M, N>> {
  using type = T[M][N];
  using layout = Layout;
};
template <class T, class Layout, int M, int N>
struct array_of<T, 3, StaticExtents<Layout, 3, M, N>> {
  using type = T* [M][N];
  using layout = Layout;
};
}  // namespace Detail

using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

template <class T, int Rank, class Layout = Kokkos::LayoutStride,
          class Space = Kokkos::DefaultExecutionSpace>
using view_t = Kokkos::View<typename Detail::array_of<T, Rank, Layout>::type,
                            typename Detail::array_of<T, Rank, Layout>::layout,
                            typename Space::memory_space, Unmanaged>;

/// One operand of several problems: a View for each, at equal distances. Copied into kernels.
template <class View>
struct Problems {
  typename View::pointer_type data;
  typename View::array_layout layout;
  std::ptrdiff_t distance;
  KOKKOS_FUNCTION View operator()(int problem) const {
    return View(data + problem * distance, layout);
  }
};

// --- Elements -----------------------------------------------------------------------------------

/// Lanes of an element: packs specialise this.
template <class T>
struct lanes {
  using scalar = T;
  static constexpr int count = 1;
  static T& at(T& x, int) { return x; }
  static const T& at(const T& x, int) { return x; }
};

template <class Wanted>
constexpr Arrangement arrangement_of() {
  using Layout = typename Detail::array_of<double, 0, Wanted>::layout;
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
    return Arrangement::right;
  } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    return Arrangement::left;
  } else {
    return Arrangement::strided;
  }
}

/// A strided operand of several problems, in the memory of Space, with a copy on the host.
template <class T, class Space = Kokkos::DefaultExecutionSpace>
class StridedTensor : public TensorMemory {
  static constexpr bool on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

 public:
  using value_type = T;
  using scalar = typename lanes<T>::scalar;

  /// Each problem's first element is at a multiple of this number of elements, counted from a whole
  /// line.
  StridedTensor(Random& random, std::vector<int> extents, Arrangement arrangement, int problems = 1,
                int multiple = 1)
      : StridedTensor(random, Arranged(std::move(extents), arrangement, random), problems,
                      multiple) {}
  StridedTensor(Random& random, Arranged arranged, int problems, int multiple = 1)
      : TensorMemory(random, std::move(arranged), problems, multiple,
                     {sizeof(T), sizeof(real_of_t<scalar>), std::is_integral_v<real_of_t<scalar>>},
                     on_host) {
    randomise(random);
  }

  /// Calls f(scalar, problem) for each scalar of each problem, then copies all to the device.
  template <class F>
  void set(const F& f) {
    for (int p = 0; p < problems(); ++p) {
      for (const std::ptrdiff_t offset : offsets()) {
        for (int l = 0; l < lanes<T>::count; ++l) f(at(p, offset, l), p);
      }
    }
    upload();
  }

  void randomise(Random& random) {
    set([&](scalar& x, int) { x = random.template number<scalar>(); });
  }
  void fill(const scalar& value) {
    set([&](scalar& x, int) { x = value; });
  }

  /// Sets one problem's lane to these wide values, which are given with the last index fastest.
  template <class Values>
  void assign(const Values& values, int problem, int lane = 0) {
    std::size_t e = 0;
    for (const std::ptrdiff_t offset : offsets()) {
      at(problem, offset, lane) = narrow<scalar>(values[e++]);
    }
    upload();
  }

  /// The values before and after a kernel, for the references.
  template <class W = wide_t<scalar>>
  Dense<W> dense(int problem, int lane = 0) const {
    Dense<W> result{extents(), {}};
    result.values.reserve(offsets().size());
    for (const std::ptrdiff_t offset : offsets()) {
      result.values.push_back(widen<W>(at(problem, offset, lane)));
    }
    return result;
  }

  /// Views of any type whose layout fits this arrangement.
  template <class View>
  Problems<View> views() const {
    typename View::array_layout layout;
    for (std::size_t d = 0; d < View::rank(); ++d) {
      layout.dimension[d] = extents()[d];
      if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
        layout.stride[d] = strides()[d];
      }
    }
    return {data(), layout, distance()};
  }

  /// Element 0 of problem 0, on the device.
  T* data() const { return reinterpret_cast<T*>(element(Copy::device, 0, 0)); }

 private:
  scalar& at(int problem, std::ptrdiff_t offset, int lane) const {
    return lanes<T>::at(*reinterpret_cast<T*>(element(Copy::host, problem, offset)), lane);
  }
};

}  // namespace KokkosContract::Test
