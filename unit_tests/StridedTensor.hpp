// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test operands: tensors with random strides in a buffer whose other words are guards.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "Random.hpp"
#include "Reference.hpp"

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

/// The arrangement of a tensor's elements in memory.
enum class Arrangement {
  right,   // packed, the last index is the fastest
  left,    // packed, the first index is the fastest
  strided  // any order of the indices, gaps between them, the fastest one often with stride 1
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

/// Extents and strides in elements of T.
struct Arranged {
  std::vector<int> extents;
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t span = 1;  // elements from the lowest to the highest, both included
  std::ptrdiff_t low = 0;   // offset of the lowest: negative if a stride is

  Arranged(std::vector<int> extents_, std::vector<std::ptrdiff_t> strides_)
      : extents(std::move(extents_)), strides(std::move(strides_)) {
    set_span();
  }
  Arranged(std::vector<int> extents_, Arrangement arrangement, Random& random)
      : extents(std::move(extents_)), strides(extents.size(), 0) {
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    if (arrangement == Arrangement::right) std::reverse(order.begin(), order.end());
    std::ptrdiff_t stride = 1;
    if (arrangement == Arrangement::strided) {
      random.shuffle(order);
      if (random.integer(0, 2) == 0) stride = random.integer(2, 3);
    }
    for (const int d : order) {
      strides[d] = stride;
      stride *= std::max(extents[d], 1);
      if (arrangement == Arrangement::strided) stride += random.integer(0, 3);
    }
    set_span();
  }

  std::size_t size() const {
    std::size_t size = 1;
    for (const int extent : extents) size *= extent;
    return size;
  }

  /// Calls f(offset) for each element, with the last index fastest.
  template <class F>
  void for_each(const F& f) const {
    const auto visit = [&](const auto& self, std::size_t d, std::ptrdiff_t offset) -> void {
      if (d == extents.size()) return f(offset);
      for (int i = 0; i < extents[d]; ++i) self(self, d + 1, offset + i * strides[d]);
    };
    visit(visit, 0, 0);
  }

 private:
  void set_span() {
    span = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const std::ptrdiff_t reach = (extents[d] - 1) * strides[d];
      span = extents[d] == 0 || span == 0 ? 0 : span + std::abs(reach);
      if (reach < 0) low += reach;
    }
    if (span == 0) low = 0;
  }
};

/// The elements of one problem, which a worker of a test-only level copies when an operation
/// returns.
struct Watched {
  const char* data;
  std::size_t bytes, distance;
};

/// A strided operand of several problems, in the memory of Space, with a copy on the host.
template <class T, class Space = Kokkos::DefaultExecutionSpace>
class StridedTensor {
  using Buffer = Kokkos::View<T*, typename Space::memory_space>;

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
      : arranged_(std::move(arranged)),
        first_(whole(margin + random.integer(0, 3) - arranged_.low, multiple)),
        distance_(whole(arranged_.span + margin + random.integer(0, 3), multiple)),
        problems_(problems),
        device_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tensor"),
                first_ + arranged_.low + problems * distance_),
        host_(Kokkos::create_mirror(device_)),
        inside_(host_.extent(0), false) {
    fill_guards();
    for (int p = 0; p < problems_; ++p) {
      arranged_.for_each([&](std::ptrdiff_t offset) { inside_[at(p) + offset] = true; });
    }
    randomise(random);
  }

  const std::vector<int>& extents() const { return arranged_.extents; }
  const std::vector<std::ptrdiff_t>& strides() const { return arranged_.strides; }
  int problems() const { return problems_; }

  /// Calls f(scalar, problem) for each scalar of each problem, then copies all to the device.
  template <class F>
  void set(const F& f) {
    for (int p = 0; p < problems_; ++p) {
      arranged_.for_each([&](std::ptrdiff_t offset) {
        for (int l = 0; l < lanes<T>::count; ++l) f(lanes<T>::at(host_(at(p) + offset), l), p);
      });
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
    arranged_.for_each([&](std::ptrdiff_t offset) {
      lanes<T>::at(host_(at(problem) + offset), lane) = narrow<scalar>(values[e++]);
    });
    upload();
  }

  /// The values before and after a kernel, for the references.
  template <class W = wide_t<scalar>>
  Dense<W> dense(int problem, int lane = 0) const {
    Dense<W> result{arranged_.extents, {}};
    result.values.reserve(arranged_.size());
    arranged_.for_each([&](std::ptrdiff_t offset) {
      result.values.push_back(widen<W>(lanes<T>::at(host_(at(problem) + offset), lane)));
    });
    return result;
  }

  /// The whole buffer, to be set again later.
  std::vector<char> bytes() const {
    const auto* data = reinterpret_cast<const char*>(host_.data());
    return std::vector<char>(data, data + host_.extent(0) * sizeof(T));
  }
  void set_bytes(const std::vector<char>& bytes) {
    std::memcpy(static_cast<void*>(host_.data()), bytes.data(), bytes.size());
    upload();
  }

  void upload() {
    Kokkos::deep_copy(device_, host_);
    before_.resize(host_.extent(0) * sizeof(T));
    std::memcpy(before_.data(), host_.data(), before_.size());
  }
  void download() { Kokkos::deep_copy(host_, device_); }
  /// Undoes what kernels did since the last upload.
  void restore() {
    std::memcpy(static_cast<void*>(host_.data()), before_.data(), before_.size());
    Kokkos::deep_copy(device_, host_);
  }

  /// After download: whether no word outside the tensor changed, bit for bit.
  testing::AssertionResult guards_unchanged() const { return unchanged(false); }
  /// After download: whether no word at all changed.
  testing::AssertionResult unchanged() const { return unchanged(true); }

  /// Views of any type whose layout fits this arrangement.
  template <class View>
  Problems<View> views() const {
    typename View::array_layout layout;
    if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
      for (std::size_t d = 0; d < arranged_.extents.size(); ++d) {
        layout.dimension[d] = arranged_.extents[d];
        layout.stride[d] = arranged_.strides[d];
      }
    } else {
      for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = arranged_.extents[d];
    }
    return {data(), layout, distance_};
  }

  /// Element 0 of problem 0, on the device, and the distance to that of the next problem.
  T* data() const { return device_.data() + first_; }
  std::ptrdiff_t distance() const { return distance_; }

  Watched watched() const {
    return {reinterpret_cast<const char*>(data() + arranged_.low), arranged_.span * sizeof(T),
            distance_ * sizeof(T)};
  }

 private:
  static std::ptrdiff_t whole(std::ptrdiff_t n, int multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }

  static constexpr std::ptrdiff_t margin = 17;

  std::ptrdiff_t at(int problem) const { return first_ + problem * distance_; }

  // NaNs that no computation makes: a routine that uses a guard spoils its result.
  void fill_guards() {
    const std::size_t bytes = host_.extent(0) * sizeof(T);
    auto* data = reinterpret_cast<unsigned char*>(host_.data());
    using Real = real_of_t<scalar>;
    for (std::size_t w = 0; w < bytes / sizeof(Real); ++w) {
      unsigned char* word = data + w * sizeof(Real);
      for (std::size_t b = 0; b < sizeof(Real); ++b) {
        word[b] = static_cast<unsigned char>(0x5b + 31 * w + 7 * b);
      }
      if constexpr (!std::is_integral_v<Real>) {  // little endian, as all hosts of Kokkos' GPUs
        word[sizeof(Real) - 1] = 0x7f;
        word[sizeof(Real) - 2] = static_cast<unsigned char>(0xf8 | (w & 7));
      }
    }
  }

  testing::AssertionResult unchanged(bool tensor_too) const {
    for (std::size_t w = 0; w < host_.extent(0); ++w) {
      if (inside_[w] && !tensor_too) continue;
      if (std::memcmp(&host_(w), before_.data() + w * sizeof(T), sizeof(T)) != 0) {
        return testing::AssertionFailure()
               << "word " << static_cast<std::ptrdiff_t>(w) - first_ << " of problem 0 ("
               << problems_ << " problems at a distance of " << distance_ << ", "
               << (inside_[w] ? "inside" : "outside") << " the tensor) was overwritten";
      }
    }
    return testing::AssertionSuccess();
  }

  Arranged arranged_;
  std::ptrdiff_t first_, distance_;
  int problems_;
  Buffer device_;
  typename Buffer::host_mirror_type host_;
  std::vector<bool> inside_;
  std::vector<char> before_;
};

}  // namespace KokkosContract::Test
