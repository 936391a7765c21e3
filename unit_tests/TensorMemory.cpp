// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TensorMemory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

namespace KokkosContract::Test {

Arranged::Arranged(std::vector<int> extents_, std::vector<std::ptrdiff_t> strides_)
    : extents(std::move(extents_)), strides(std::move(strides_)) {
  set_span();
}

Arranged::Arranged(std::vector<int> extents_, Arrangement arrangement, Random& random)
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

std::vector<std::ptrdiff_t> Arranged::offsets() const {
  std::vector<std::ptrdiff_t> offsets{0};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::vector<std::ptrdiff_t> longer;
    longer.reserve(offsets.size() * extents[d]);
    for (const std::ptrdiff_t offset : offsets) {
      for (int i = 0; i < extents[d]; ++i) longer.push_back(offset + i * strides[d]);
    }
    offsets = std::move(longer);
  }
  return offsets;
}

void Arranged::set_span() {
  span = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::ptrdiff_t reach = (extents[d] - 1) * strides[d];
    span = extents[d] == 0 || span == 0 ? 0 : span + std::abs(reach);
    if (reach < 0) low += reach;
  }
  if (span == 0) low = 0;
}

namespace {

constexpr std::ptrdiff_t margin = 17;

std::ptrdiff_t whole(std::ptrdiff_t n, int multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

TensorMemory::TensorMemory(Random& random, Arranged arranged, int problems, int multiple,
                           Element element, bool on_host)
    : arranged_(std::move(arranged)),
      offsets_(arranged_.offsets()),
      element_(element),
      problems_(problems),
      first_(whole(margin + random.integer(0, 3) - arranged_.low, multiple)),
      distance_(whole(arranged_.span + margin + random.integer(0, 3), multiple)) {
  const std::size_t elements = first_ + arranged_.low + problems * distance_;
  const std::size_t bytes = elements * element_.bytes;
  host_ = OnHost("tensor", bytes);
  if (on_host) {
    tensor_on_host_ = OnHost("tensor", bytes);
    device_ = tensor_on_host_.data();
  } else {
    tensor_on_device_ = OnDevice("tensor", bytes);
    device_ = tensor_on_device_.data();
  }
  inside_.assign(elements, false);
  for (int p = 0; p < problems_; ++p) {
    for (const std::ptrdiff_t offset : offsets_) inside_[first_ + p * distance_ + offset] = true;
  }
  fill_guards();
}

void TensorMemory::set_bytes(const std::vector<char>& bytes) {
  std::memcpy(host_.data(), bytes.data(), bytes.size());
  upload();
}

void TensorMemory::upload() {
  before_ = bytes();
  restore();
}

void TensorMemory::download() {
  if (tensor_on_device_.data() != nullptr) {
    Kokkos::deep_copy(host_, tensor_on_device_);
  } else {
    Kokkos::deep_copy(host_, tensor_on_host_);
  }
}

void TensorMemory::restore() {
  std::memcpy(host_.data(), before_.data(), before_.size());
  if (tensor_on_device_.data() != nullptr) {
    Kokkos::deep_copy(tensor_on_device_, host_);
  } else {
    Kokkos::deep_copy(tensor_on_host_, host_);
  }
}

Watched TensorMemory::watched() const {
  return {element(Copy::device, 0, arranged_.low), arranged_.span * element_.bytes,
          distance_ * element_.bytes};
}

// NaNs that no computation makes: a routine that uses a guard spoils its result.
void TensorMemory::fill_guards() {
  const std::size_t number = element_.bytes_of_number;
  auto* data = reinterpret_cast<unsigned char*>(host_.data());
  for (std::size_t w = 0; w < host_.size() / number; ++w) {
    unsigned char* word = data + w * number;
    for (std::size_t b = 0; b < number; ++b) {
      word[b] = static_cast<unsigned char>(0x5b + 31 * w + 7 * b);
    }
    if (!element_.of_integers) {  // little endian, as all hosts of Kokkos' GPUs
      word[number - 1] = 0x7f;
      word[number - 2] = static_cast<unsigned char>(0xf8 | (w & 7));
    }
  }
}

testing::AssertionResult TensorMemory::unchanged(bool tensor_too) const {
  for (std::size_t w = 0; w < inside_.size(); ++w) {
    if (inside_[w] && !tensor_too) continue;
    const std::size_t byte = w * element_.bytes;
    if (std::memcmp(host_.data() + byte, before_.data() + byte, element_.bytes) != 0) {
      return testing::AssertionFailure()
             << "word " << static_cast<std::ptrdiff_t>(w) - first_ << " of problem 0 (" << problems_
             << " problems at a distance of " << distance_ << ", "
             << (inside_[w] ? "inside" : "outside") << " the tensor) was overwritten";
    }
  }
  return testing::AssertionSuccess();
}

std::vector<Watched> TensorsOfKernel::watched() const {
  std::vector<Watched> all;
  for (const TensorMemory* tensor : tensors) all.push_back(tensor->watched());
  return all;
}

void TensorsOfKernel::restore() const {
  for (TensorMemory* tensor : tensors) tensor->restore();
}

}  // namespace KokkosContract::Test
