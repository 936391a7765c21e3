// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "../Ranks.hpp"
#include "Triples.hpp"
#include "Window.hpp"

namespace triples {

/// Fills a part of a tensor, which begins at an index of its axis.
using Source = std::function<void(const TensorOfFour&, const Tensor<double****>& part, int begin)>;

/// The bytes of all tensors of four indices, with `held` of v virtual orbitals.
inline double bytes_of_tensors(int o, int v, int held) {
  double n = 0;
  for (const TensorOfFour& tensor : tensors_of_four) {
    Extents extents = extents_of(tensor, o, v);
    extents[tensor.axis] = held;
    if (tensor.other >= 0) extents[tensor.other] = held;
    if (tensor.has_terms) extents[0] += extents[0] % 2;
    n += 8.0 * extents[0] * extents[1] * extents[2] * extents[3];
  }
  return n;
}

/// How a rank holds virtual orbitals. There are blocks of the same length, but for the last one,
/// and slots, each with a block. The last slot is that of the last block.
struct Blocks {
  int virtuals, length, slots;

  int count() const { return (virtuals + length - 1) / length; }
  int begin(int block) const { return block * length; }
  int size(int block) const { return std::min(length, virtuals - begin(block)); }
  /// How many virtual orbitals the slots have.
  int held() const { return (slots - 1) * length + size(count() - 1); }
};

#ifdef EXAMPLE_MPI
/// Tensors of four indices in blocks of virtual orbitals, which are spread over the ranks. A rank
/// gets blocks from others without their help. It keeps as many as it has slots, and replaces those
/// that it has used longest ago. Blocks of two orbitals are there for pairs of these.
class SpreadAmplitudes {
 public:
  /// Collective. The energies and the singles of `x` are complete.
  SpreadAmplitudes(const example::Ranks& ranks, const Amplitudes& x, const Blocks& blocks,
                   const Source& source)
      : ranks_(ranks),
        blocks_(blocks),
        held_(x),
        block_of_slot_(static_cast<std::size_t>(blocks.slots), -1),
        last_use_(static_cast<std::size_t>(blocks.slots), 0),
        has_pair_(static_cast<std::size_t>(blocks.slots * blocks.slots), false) {
    const auto blocks_of_rank =
        static_cast<std::size_t>((blocks.count() - ranks.rank() + ranks.size() - 1) / ranks.size());
    for (const TensorOfFour& tensor : tensors_of_four)
      window_of(tensor) =
          std::make_unique<Window<double>>(ranks, blocks_of_rank * size_of_block(tensor));
    ranks.together([&] {
      for (const TensorOfFour& tensor : tensors_of_four) fill_window(tensor, source);
      for (const TensorOfFour& tensor : tensors_of_four) allocate_slots(tensor);
    });
    for (const auto& window : windows_) MPI_Win_sync(window->handle());
    ranks.wait_for_all();
  }
  SpreadAmplitudes(const SpreadAmplitudes&) = delete;
  SpreadAmplitudes& operator=(const SpreadAmplitudes&) = delete;

  /// The tensors have the orbitals of the slots.
  const Amplitudes& held() const { return held_; }
  double fetched_bytes() const { return fetched_bytes_; }

  /// Gets the blocks of c, b and a, unless they are there. Returns the kernel's shift.
  Index hold(const Index& block) {
    Index shift{};
    for (int l = 3; l < rank; ++l)
      shift[l] = blocks_.begin(block[l]) - blocks_.length * slot_with(block[l], block);
    for (const auto& [first, second] : {std::pair(4, 3), std::pair(5, 3), std::pair(5, 4)})
      hold_pair(block[first], block[second]);
    return shift;
  }

 private:
  std::unique_ptr<Window<double>>& window_of(const TensorOfFour& tensor) {
    return windows_[&tensor - tensors_of_four];
  }

  /// A block's extents in memory.
  Extents padded_extents(const TensorOfFour& tensor, int length) const {
    Extents n = extents_of(tensor, held_.occupied(), blocks_.virtuals);
    n[tensor.axis] = length;
    if (tensor.has_terms) n[0] += n[0] % 2;
    return n;
  }
  std::size_t size_of_block(const TensorOfFour& tensor) const {
    std::size_t size = 1;
    for (const int n : padded_extents(tensor, blocks_.length)) size *= static_cast<std::size_t>(n);
    return size;
  }

  void fill_window(const TensorOfFour& tensor, const Source& source) {
    double* to = window_of(tensor)->data();
    for (int block = ranks_.rank(); block < blocks_.count(); block += ranks_.size()) {
      Extents n = extents_of(tensor, held_.occupied(), blocks_.virtuals);
      n[tensor.axis] = blocks_.size(block);
      const Tensor<double****> part = allocate(tensor, n);
      source(tensor, part, blocks_.begin(block));
      using Memory = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
      Kokkos::deep_copy(Memory(to, part.span()),
                        Kokkos::View<const double*>(part.data(), part.span()));
      to += size_of_block(tensor);
    }
  }
  void allocate_slots(const TensorOfFour& tensor) {
    Extents n = extents_of(tensor, held_.occupied(), blocks_.virtuals);
    n[tensor.axis] = blocks_.held();
    if (tensor.other >= 0) n[tensor.other] = blocks_.held();
    held_.*tensor.member = allocate(tensor, n);
  }

  /// The slot of a block, which replaces another block if it must, but none of `needed`.
  int slot_with(int block, const Index& needed) {
    const int last = blocks_.slots - 1;
    int slot = last;
    if (block != blocks_.count() - 1) {
      const auto begin = block_of_slot_.begin(), end = begin + last;
      auto found = std::find(begin, end, block);
      if (found == end) {
        for (auto s = begin; s != end; ++s) {
          if (std::find(needed.data() + 3, needed.data() + rank, *s) != needed.data() + rank)
            continue;
          if (found == end || last_use_[s - begin] < last_use_[found - begin]) found = s;
        }
      }
      slot = static_cast<int>(found - begin);
    }
    last_use_[slot] = ++uses_;
    if (block_of_slot_[slot] == block) return slot;
    block_of_slot_[slot] = block;
    for (int s = 0; s < blocks_.slots; ++s) has_pair(s, slot) = has_pair(slot, s) = false;
    for (const TensorOfFour& tensor : tensors_of_four)
      if (tensor.other < 0) fetch(tensor, block, slot, 0, 0);
    return slot;
  }
  std::vector<char>::reference has_pair(int first, int second) {
    return has_pair_[static_cast<std::size_t>(first * blocks_.slots + second)];
  }
  /// Tensors with two virtual orbitals of T3, of which `first` is the one nearer to a.
  void hold_pair(int first, int second) {
    const auto slot_of = [&](int block) {
      return static_cast<int>(std::find(block_of_slot_.begin(), block_of_slot_.end(), block) -
                              block_of_slot_.begin());
    };
    const int slot_1 = slot_of(first), slot_2 = slot_of(second);
    if (has_pair(slot_1, slot_2)) return;
    has_pair(slot_1, slot_2) = true;
    for (const TensorOfFour& tensor : tensors_of_four) {
      if (tensor.other < 0) continue;
      // t2[m, p_b, p_c, h_a] is the only one with the first of the pair before the second.
      if (tensor.member == &Amplitudes::t2_h)
        fetch(tensor, second, slot_2, first, slot_1);
      else
        fetch(tensor, first, slot_1, second, slot_2);
    }
  }

  /// Copies a block, and the part of it with a block of another index, to their slots.
  void fetch(const TensorOfFour& tensor, int block, int slot, int other, int other_slot) {
    const Extents whole = padded_extents(tensor, blocks_.size(block));
    Extents n = whole, begin{}, to{};
    n[0] = extents_of(tensor, held_.occupied(), blocks_.virtuals)[0];
    to[tensor.axis] = slot * blocks_.length;
    if (tensor.other >= 0) {
      n[tensor.other] = blocks_.size(other);
      begin[tensor.other] = blocks_.begin(other);
      to[tensor.other] = other_slot * blocks_.length;
    }
    MPI_Datatype there, here;
    MPI_Type_create_subarray(4, whole.data(), n.data(), begin.data(), MPI_ORDER_FORTRAN, MPI_DOUBLE,
                             &there);
    const Extents zero{};
    MPI_Type_create_subarray(4, n.data(), n.data(), zero.data(), MPI_ORDER_FORTRAN, MPI_DOUBLE,
                             &here);
    MPI_Type_commit(&there);
    MPI_Type_commit(&here);
    const Kokkos::View<double****, Kokkos::LayoutLeft, Kokkos::HostSpace> found(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "a block"), n[0], n[1], n[2], n[3]);
    const int owner = block % ranks_.size();
    const auto offset = static_cast<MPI_Aint>(block / ranks_.size() * size_of_block(tensor));
    MPI_Get(found.data(), 1, here, owner, offset, 1, there, window_of(tensor)->handle());
    MPI_Win_flush(owner, window_of(tensor)->handle());
    MPI_Type_free(&there);
    MPI_Type_free(&here);
    fetched_bytes_ += 8.0 * static_cast<double>(found.size());
    const auto range = [&](int d) { return std::pair(to[d], to[d] + n[d]); };
    Kokkos::deep_copy(
        Kokkos::subview(held_.*tensor.member, range(0), range(1), range(2), range(3)),
        Kokkos::create_mirror_view_and_copy(Tensor<double****>::memory_space(), found));
  }

  const example::Ranks& ranks_;
  Blocks blocks_;
  Amplitudes held_;
  std::unique_ptr<Window<double>> windows_[std::size(tensors_of_four)];
  std::vector<int> block_of_slot_;
  std::vector<long> last_use_;
  std::vector<char> has_pair_;  // for two slots, in sequence
  long uses_ = 0;
  double fetched_bytes_ = 0;
};
#endif

}  // namespace triples
