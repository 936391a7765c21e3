// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What test operands of all types have in common, which is compiled once: where their elements are,
// the memory around them, and whether a kernel changed it.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "Random.hpp"

namespace KokkosContract::Test {

/// The arrangement of a tensor's elements in memory.
enum class Arrangement {
  right,   // packed, the last index is the fastest
  left,    // packed, the first index is the fastest
  strided  // any order of the indices, gaps between them, the fastest one often with stride 1
};

/// Extents, and strides in elements.
struct Arranged {
  std::vector<int> extents;
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t span = 1;  // elements from the lowest to the highest, both included
  std::ptrdiff_t low = 0;   // offset of the lowest: negative if a stride is

  Arranged(std::vector<int> extents_, std::vector<std::ptrdiff_t> strides_);
  Arranged(std::vector<int> extents_, Arrangement arrangement, Random& random);

  /// The offset of each element, with the last index fastest.
  std::vector<std::ptrdiff_t> offsets() const;

 private:
  void set_span();
};

/// The elements of one problem, which a worker of a test-only level copies when an operation
/// returns.
struct Watched {
  const char* data;
  std::size_t bytes, distance;
};

class TensorMemory {
 public:
  const std::vector<int>& extents() const { return arranged_.extents; }
  const std::vector<std::ptrdiff_t>& strides() const { return arranged_.strides; }
  int problems() const { return problems_; }
  /// From element 0 of a problem to that of the next one, in elements.
  std::ptrdiff_t distance() const { return distance_; }

  /// The whole buffer, to be set again later.
  std::vector<char> bytes() const { return {host_.data(), host_.data() + host_.size()}; }
  void set_bytes(const std::vector<char>& bytes);

  void upload();
  void download();
  /// Undoes what kernels did since the last upload.
  void restore();

  /// After download: whether no word outside the tensor changed, bit for bit.
  testing::AssertionResult guards_unchanged() const { return unchanged(false); }
  /// After download: whether no word at all changed.
  testing::AssertionResult unchanged() const { return unchanged(true); }

  Watched watched() const;

 protected:
  /// An element, and the numbers that it consists of.
  struct Element {
    std::size_t bytes, bytes_of_number;
    bool of_integers;
  };
  enum class Copy { device, host };

  TensorMemory(Random& random, Arranged arranged, int problems, int multiple, Element element,
               bool on_host);

  const std::vector<std::ptrdiff_t>& offsets() const { return offsets_; }
  char* element(Copy copy, int problem, std::ptrdiff_t offset) const {
    return (copy == Copy::device ? device_ : host_.data()) +
           (first_ + problem * distance_ + offset) * static_cast<std::ptrdiff_t>(element_.bytes);
  }

 private:
  using OnHost = Kokkos::View<char*, Kokkos::HostSpace>;
  using OnDevice = Kokkos::View<char*, Kokkos::DefaultExecutionSpace::memory_space>;

  void fill_guards();
  testing::AssertionResult unchanged(bool tensor_too) const;

  Arranged arranged_;
  std::vector<std::ptrdiff_t> offsets_;
  Element element_;
  int problems_;
  std::ptrdiff_t first_, distance_;
  OnHost host_, tensor_on_host_;  // the second one or the next one is where kernels work
  OnDevice tensor_on_device_;
  char* device_;
  std::vector<char> before_;
  std::vector<bool> inside_;  // for each element of the buffer
};

/// All tensors that a kernel may overwrite.
struct TensorsOfKernel {
  std::vector<TensorMemory*> tensors;

  int problems() const { return tensors[0]->problems(); }
  std::vector<Watched> watched() const;
  void restore() const;
};

}  // namespace KokkosContract::Test
