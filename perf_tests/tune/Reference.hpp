// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TESTS_TUNE_REFERENCE_HPP
#define KOKKOSCONTRACT_PERF_TESTS_TUNE_REFERENCE_HPP

// A contraction by plain loops over its letters, at run time.

#include <KokkosContract.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace KokkosContract::Tune {

/// The elements of a View, with a letter for each dimension.
template <class T>
struct Tensor {
  std::string letters;
  std::vector<int> extents;
  std::vector<std::ptrdiff_t> strides;
  const T* data = nullptr;

  Tensor() = default;
  template <class V>
  Tensor(const Impl::Labels& labels, const V& view)
      : letters(labels.letter, labels.letter + labels.rank), data(view.data()) {
    for (int d = 0; d < labels.rank; ++d) {
      extents.push_back(static_cast<int>(view.extent(d)));
      strides.push_back(static_cast<std::ptrdiff_t>(view.stride(d)));
    }
  }
  [[nodiscard]] std::ptrdiff_t stride(char letter) const {
    std::ptrdiff_t sum = 0;
    for (std::size_t d = 0; d < letters.size(); ++d) {
      if (letters[d] == letter) sum += strides[d];
    }
    return sum;
  }
};

/// The inputs a and b of a contraction, and its output c. Without data b is 1.
template <class T>
struct Reference {
  Tensor<T> a, b, c;

  /// Whether c is the contraction of a and b, within its rounding error. Of a batch of many
  /// problems it looks at the first and the last one.
  bool agrees() {
    find_loops();
    right_ = true;
    visit_output(0, a.data, b.data, c.data);
    return right_;
  }

 private:
  using Real = decltype(Kokkos::abs(T{}));
  struct Loop {
    int extent;
    std::ptrdiff_t a, b, c;
  };
  std::vector<Loop> loops_;  // those of the output first
  double terms_ = 1;
  double size_ = 0;
  bool right_ = true;

  void find_loops() {
    std::string seen;
    for (const Tensor<T>* tensor : {&c, &a, &b}) {
      for (std::size_t d = 0; d < tensor->letters.size(); ++d) {
        const char letter = tensor->letters[d];
        if (seen.find(letter) != std::string::npos) continue;
        seen += letter;
        loops_.push_back(
            {tensor->extents[d], a.stride(letter), b.stride(letter), c.stride(letter)});
        if (loops_.size() > c.letters.size()) terms_ *= tensor->extents[d];
      }
    }
  }
  T sum(std::size_t loop, const T* x, const T* y) {
    if (loop == loops_.size()) {
      const T product = y == nullptr ? *x : *x * *y;
      size_ += static_cast<double>(Kokkos::abs(product));
      return product;
    }
    T total{};
    const Loop& l = loops_[loop];
    for (int i = 0; i < l.extent; ++i) {
      total += sum(loop + 1, x + i * l.a, y == nullptr ? y : y + i * l.b);
    }
    return total;
  }
  void visit_output(std::size_t loop, const T* x, const T* y, const T* to) {
    if (loop == c.letters.size()) {
      size_ = 0;
      const T expected = sum(loop, x, y);
      const double bound = 4 * (terms_ + 4) * std::numeric_limits<Real>::epsilon() * size_;
      // Not a number is wrong, too.
      right_ = right_ && static_cast<double>(Kokkos::abs(expected - *to)) <= bound;
      return;
    }
    const Loop& l = loops_[loop];
    const bool many = loop == 0 && l.extent > most_checked;
    for (int i = 0; i < l.extent; i += many ? l.extent - 1 : 1) {
      visit_output(loop + 1, x + i * l.a, y == nullptr ? y : y + i * l.b, to + i * l.c);
    }
  }
  static constexpr int most_checked = 256;
};

}  // namespace KokkosContract::Tune

#endif
