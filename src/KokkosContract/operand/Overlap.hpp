// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_OVERLAP_HPP
#define KOKKOSCONTRACT_OPERAND_OVERLAP_HPP

// Whether two strided operands have memory in common. Blocks of one matrix, or interleaved
// problems, may lie between each other without an overlap, so a comparison of their ends does not
// suffice.

#include <KokkosContract/Operand.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The sums of multiples of strides, where each multiple is in a range. The largest stride is
/// first.
class StrideSums {
 public:
  /// Adds an index, which contributes `stride` for each value in [low, high].
  KOKKOS_INLINE_FUNCTION void add(std::ptrdiff_t stride, std::ptrdiff_t low, std::ptrdiff_t high) {
    if (stride < 0) {
      add(-stride, -high, -low);
      return;
    }
    if (stride == 0 || (low == 0 && high == 0)) return;
    int i = 0;
    while (i < count_ && term_[i].stride > stride) ++i;
    if (i < count_ && term_[i].stride == stride) {
      term_[i].low += low;
      term_[i].high += high;
      return;
    }
    for (int j = count_; j > i; --j) term_[j] = term_[j - 1];
    term_[i] = {stride, low, high};
    ++count_;
  }

  /// Whether one of the sums is in [least, most]. From the largest stride on, it tries the
  /// multiples that the other strides can compensate. It also returns false if that takes too long.
  KOKKOS_INLINE_FUNCTION bool reach(std::ptrdiff_t least, std::ptrdiff_t most) const {
    std::ptrdiff_t low[most_terms + 1]{};  // least sum of the terms from here on
    std::ptrdiff_t high[most_terms + 1]{};
    for (int i = count_ - 1; i >= 0; --i) {
      low[i] = low[i + 1] + term_[i].stride * term_[i].low;
      high[i] = high[i + 1] + term_[i].stride * term_[i].high;
    }
    if (high[0] < least || low[0] > most) return false;
    std::ptrdiff_t sum[most_terms + 1]{};
    std::ptrdiff_t next[most_terms + 1]{};
    std::ptrdiff_t last[most_terms + 1]{};
    const auto open = [&](int i) {
      const Term& t = term_[i];
      next[i] = -floor_of(sum[i] + high[i + 1] - least, t.stride);
      last[i] = floor_of(most - sum[i] - low[i + 1], t.stride);
      if (next[i] < t.low) next[i] = t.low;
      if (last[i] > t.high) last[i] = t.high;
    };
    if (count_ == 0) return true;
    open(0);
    int i = 0;
    for (int step = 0; step < most_steps && i >= 0; ++step) {
      if (next[i] > last[i]) {
        --i;
      } else {
        sum[i + 1] = sum[i] + term_[i].stride * next[i]++;
        if (++i == count_) return true;
        open(i);
      }
    }
    return false;
  }

 private:
  struct Term {
    std::ptrdiff_t stride, low, high;
  };
  static constexpr int most_terms = 2 * max_rank;
  static constexpr int most_steps = 1 << 14;

  KOKKOS_INLINE_FUNCTION static std::ptrdiff_t floor_of(std::ptrdiff_t a, std::ptrdiff_t b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
  }

  Term term_[most_terms]{};
  int count_ = 0;
};

template <class A>
KOKKOS_INLINE_FUNCTION bool is_empty(const A& a) {
  for (int i = 0; i < A::rank; ++i) {
    if (a.extent(i) == 0) return true;
  }
  return a.data() == nullptr;
}

/// Whether an element of a and one of b have a byte in common.
template <class A, class B>
KOKKOS_INLINE_FUNCTION bool overlap(const A& a, const B& b) {
  if (is_empty(a) || is_empty(b)) return false;
  constexpr std::ptrdiff_t size_a = sizeof(typename A::value_type);
  constexpr std::ptrdiff_t size_b = sizeof(typename B::value_type);
  StrideSums differences;
  for (int i = 0; i < A::rank; ++i) differences.add(a.stride(i) * size_a, 1 - a.extent(i), 0);
  for (int i = 0; i < B::rank; ++i) differences.add(b.stride(i) * size_b, 0, b.extent(i) - 1);
  const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(
      reinterpret_cast<std::uintptr_t>(b.data()) - reinterpret_cast<std::uintptr_t>(a.data()));
  return differences.reach(1 - size_b - apart, size_a - 1 - apart);
}

/// Whether two elements of a are at one address: two indices differ, first in dimension i.
template <class A>
KOKKOS_INLINE_FUNCTION bool repeats_elements(const A& a) {
  if (is_empty(a)) return false;
  for (int i = 0; i < A::rank; ++i) {
    if (a.extent(i) <= 1) continue;
    StrideSums differences;
    differences.add(a.stride(i), 1, a.extent(i) - 1);
    for (int j = i + 1; j < A::rank; ++j) {
      differences.add(a.stride(j), 1 - a.extent(j), a.extent(j) - 1);
    }
    if (a.stride(i) == 0 || differences.reach(0, 0)) return true;
  }
  return false;
}

/// Whether b is a itself.
template <class A, class B>
KOKKOS_INLINE_FUNCTION bool is_same_array(const A& a, const B& b) {
  if constexpr (A::rank != B::rank) {
    return false;
  } else {
    bool same = static_cast<const void*>(a.data()) == static_cast<const void*>(b.data());
    for (int i = 0; i < A::rank; ++i) {
      same = same && a.extent(i) == b.extent(i) && a.stride(i) == b.stride(i);
    }
    return same;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
