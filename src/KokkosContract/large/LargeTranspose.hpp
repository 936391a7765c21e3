// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LARGE_LARGETRANSPOSE_HPP
#define KOKKOSCONTRACT_LARGE_LARGETRANSPOSE_HPP

// Permutations of the indices of large tensors, as kernels of a GPU. If A and C have their unit
// strides along different indices, squares along both go through a team's scratch memory.
// Neighbouring lanes then read and write neighbouring elements (G. Ruetsch, P. Micikevicius,
// Optimizing matrix transpose in CUDA, 2009).

#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/nest/FlatModes.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/nest/ModeList.hpp>
#include <algorithm>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// C = alpha A + beta C.
template <class T>
struct Transposition {
  /// Most indices of a square in one direction. A direction with few indices does not pay off.
  static constexpr int side = 32;
  static constexpr int least_side = 8;

  /// One of the two indices of the squares.
  struct Side {
    int extent = 0;
    int piece = 0;  // indices in a square
    Divisor pieces;
    std::ptrdiff_t in_a = 0, in_c = 0;
  };
  Side read, write;  // the unit strides of reads and writes
  GridModes<2, ModeList::most> others;
  int squares = 0;
  const T* a = nullptr;
  T* c = nullptr;
  T alpha{}, beta{};
  bool conjugates = false;

  /// Finds squares, for indices with strides in A and in C. Returns false, and does nothing, if
  /// there are none.
  KOKKOSCONTRACT_COLD_CODE bool cut(ModeList modes) {
    modes.merge();
    const auto nearest = [&](const std::ptrdiff_t* strides) {
      return static_cast<int>(std::min_element(strides, strides + modes.count) - strides);
    };
    const int of_a = nearest(modes.first);
    const int of_c = nearest(modes.second);
    if (modes.count < 2 || modes.size() == 0 || of_a == of_c || modes.extent[of_a] < least_side ||
        modes.extent[of_c] < least_side) {
      return false;
    }
    double count = 1;
    for (int i = modes.count - 1; i >= 0; --i) {
      const auto pieces = static_cast<double>((modes.extent[i] + side - 1) / side);
      count *= i == of_a || i == of_c ? pieces : static_cast<double>(modes.extent[i]);
      if (modes.extent[i] > most_flat_index || count > most_flat_index) return false;
    }
    squares = static_cast<int>(count);
    const auto side_of = [&](int i) {
      const auto extent = static_cast<int>(modes.extent[i]);
      const int pieces = (extent + side - 1) / side;
      return Side{extent, (extent + pieces - 1) / pieces, Divisor(pieces), modes.first[i],
                  modes.second[i]};
    };
    read = side_of(of_a);
    write = side_of(of_c);
    for (int i = modes.count - 1; i >= 0; --i) {
      if (i == of_a || i == of_c) continue;
      others.add(static_cast<int>(modes.extent[i]), modes.first[i], modes.second[i]);
    }
    return true;
  }
};

/// The kernel of a transposition, with a team for each square.
template <class Level, class T>
struct TransposeKernel {
  static constexpr int side = Transposition<T>::side;
  static constexpr int lines = 8;  // lines of a square at a time
  static constexpr int worker_count = side * lines;
  // The pitch is one more than a line, so that lanes that read across lines are in different banks.
  static constexpr int pitch = side + 1;
  static constexpr int scratch_bytes = side * pitch * static_cast<int>(sizeof(T)) + 16;

  Transposition<T> of;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Level level{member};
    T* const square = static_cast<T*>(
        member.team_scratch(0).get_shmem_aligned(sizeof(T) * side * pitch, alignof(T)));
    auto rest = static_cast<unsigned>(member.league_rank());
    const int first_read = static_cast<int>(of.read.pieces.take_last(rest)) * of.read.piece;
    const int first_write = static_cast<int>(of.write.pieces.take_last(rest)) * of.write.piece;
    std::ptrdiff_t at[2];
    of.others.offsets(static_cast<int>(rest), at);
    const int reads = Kokkos::min(of.read.piece, of.read.extent - first_read);
    const int writes = Kokkos::min(of.write.piece, of.write.extent - first_write);
    const int lane = level.rank() % side;
    const int line = level.rank() / side;

    const T* const from =
        of.a + at[0] + (first_read + lane) * of.read.in_a + first_write * of.write.in_a;
    T* const to = of.c + at[1] + first_read * of.read.in_c + (first_write + lane) * of.write.in_c;
    // All reads of a worker are in flight together.
    T value[side / lines]{};
    unrolled<side / lines>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int w = line + n * lines;
      if (lane < reads && w < writes) value[n] = from[w * of.write.in_a];
    });
    unrolled<side / lines>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      square[(line + n * lines) * pitch + lane] = value[n];
    });
    level.barrier();
    unrolled<side / lines>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int r = line + n * lines;
      if (lane >= writes || r >= reads) return;
      T& c = to[r * of.read.in_c];
      const T a = square[lane * pitch + r];
      const T scaled = of.alpha * (of.conjugates ? conjugate_if<true>(a) : a);
      c = is_zero(of.beta) ? scaled : multiply_add(scaled, of.beta, c);
    });
  }
};

/// All indices of C, with their strides in A and in C. A has the same indices.
KOKKOSCONTRACT_COLD_CODE inline ModeList modes_of_copy(const Labels& a, const Dims& da,
                                                       const Labels& c, const Dims& dc) {
  ModeList modes;
  for (int i = 0; i < c.rank; ++i) {
    modes.add(dc.extent[i], letter_stride(a, da, c.letter[i]), dc.stride[i]);
  }
  return modes;
}

template <class T, class Space>
void launch_transposition(const Space& exec, const Transposition<T>& of) {
  using Level = TeamLevel<typename Kokkos::TeamPolicy<Space>::member_type>;
  using Kernel = TransposeKernel<Level, T>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Kernel::worker_count>>;
  auto policy = Policy(exec, of.squares, Kernel::worker_count);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes));
  Kokkos::parallel_for("KokkosContract::contract transposes",
                       Kokkos::Experimental::require(
                           policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                       Kernel{of});
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
