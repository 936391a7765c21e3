// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "../Ranks.hpp"
#include "Triples.hpp"
#include "Window.hpp"

namespace triples {

/// Tiles that one rank computes in one launch.
struct Chunk {
  Index block;  // of the letters; 0 for occupied orbitals
  int begin, end;
};

/// The shortest chunk: two tiles for each thread of a host, or as many as a GPU computes at once.
template <class Kernel>
int least_chunk() {
#if defined(KOKKOS_ENABLE_CUDA)
  return Kernel::Shape::teams_of_processor * Kokkos::Cuda().cuda_device_prop().multiProcessorCount;
#elif defined(KOKKOS_ENABLE_HIP)
  return Kernel::Shape::teams_of_processor * Kokkos::HIP().hip_device_prop().multiProcessorCount;
#else
  const int threads = Kokkos::DefaultExecutionSpace().concurrency();
  return 2 * std::max(1, threads / Kernel::Tile::workers());
#endif
}

/// The wanted tiles, and how they are dealt out. Tiles with the same blocks of virtual orbitals are
/// next to each other, and so are blocks with a common one.
struct WorkList {
  Kokkos::View<int*> numbers;
  std::vector<Chunk> chunks;

  /// `block` is how many virtual orbitals are a block, a multiple of a tile's.
  template <class Kernel>
  WorkList(const Kernel& kernel, int block, int ranks) {
    const auto block_of = [&](int number) {
      Index of = kernel.origin_of(number);
      for (int l = 0; l < rank; ++l) of[l] = l < 3 ? 0 : of[l] / block;
      return of;
    };
    std::vector<int> wanted;
    for (int number = 0; number < kernel.tile_count(); ++number)
      if (kernel.is_wanted(kernel.origin_of(number))) wanted.push_back(number);
    // The letters of virtual orbitals vary fastest in numbers, a before b before c.
    const auto before = [&](int one, int other) {
      const Index x = block_of(one), y = block_of(other);
      for (int l = 3; l < rank; ++l)
        if (x[l] != y[l]) return x[l] < y[l];
      return false;
    };
    if (block < kernel.x.virtuals()) std::stable_sort(wanted.begin(), wanted.end(), before);
    copy_numbers(wanted);
    // The first chunks are long. The last ones are short, so that ranks end together.
    const int count = static_cast<int>(wanted.size());
    const int least = least_chunk<Kernel>();
    for (int begin = 0; begin < count;) {
      const int guided = ranks == 1 ? count : (count - begin) / (4 * ranks);
      const int most = std::min(count - begin, std::max(least, guided));
      const Index block_of_chunk = block_of(wanted[static_cast<std::size_t>(begin)]);
      int end = begin + 1;
      while (end < begin + most && !before(wanted[static_cast<std::size_t>(begin)],
                                           wanted[static_cast<std::size_t>(end)]))
        ++end;
      chunks.push_back({block_of_chunk, begin, end});
      begin = end;
    }
  }

  auto numbers_of(const Chunk& chunk) const {
    return Kokkos::subview(numbers, std::pair(chunk.begin, chunk.end));
  }

 private:
  void copy_numbers(const std::vector<int>& wanted) {
    numbers = decltype(numbers)("numbers of tiles", wanted.size());
    const auto host = Kokkos::create_mirror_view(numbers);
    std::copy(wanted.begin(), wanted.end(), host.data());
    Kokkos::deep_copy(numbers, host);
  }
};

/// Deals out numbers 0, 1, 2, ... to the ranks, each to one of them.
class Counter {
 public:
#ifdef EXAMPLE_MPI
  /// A rank takes a number itself, while the first rank, which has the counter, computes.
  explicit Counter(const example::Ranks& ranks)
      : ranks_(ranks), window_(ranks, ranks.is_first() ? 1 : 0) {}
  /// Collective.
  void restart() {
    ranks_.wait_for_all();
    if (ranks_.is_first()) change(0, MPI_REPLACE);
    ranks_.wait_for_all();
  }
  int next() { return change(1, MPI_SUM); }
#else
  explicit Counter(const example::Ranks&) {}
  void restart() { next_ = 0; }
  int next() { return next_++; }
#endif
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

 private:
#ifdef EXAMPLE_MPI
  /// Returns the number before the change.
  int change(int by, MPI_Op operation) {
    int before;
    MPI_Fetch_and_op(&by, &before, MPI_INT, 0, 0, operation, window_.handle());
    MPI_Win_flush(0, window_.handle());
    return before;
  }
  const example::Ranks& ranks_;
  Window<int> window_;
#else
  int next_ = 0;
#endif
};

}  // namespace triples
