// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_SCRATCH_HPP
#define KOKKOSCONTRACT_IMPL_SCRATCH_HPP

// Where matrices and vectors lie in scratch memory. A GPU's shared memory has 128 bytes of banks,
// and serves as many lanes at a time as have elements in all of them.

#include <KokkosContract/Impl/LaneGrid.hpp>
#include <KokkosContract/Operand.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct Spacing {
  int row;
  int matrix;
};

/// How often the fullest bank is asked for by the lanes that are served together, when each group
/// of lanes reads the first elements of its matrix.
constexpr int bank_conflicts(const LaneGrid& grid, const Spacing& spacing, int banks) {
  int asked[32]{};
  int most = 0;
  for (int lane = 0; lane < banks; ++lane) {
    const int lanes = grid.size();
    const int in_group = lane % lanes;
    const int at =
        lane / lanes * spacing.matrix + in_group / grid.cols * spacing.row + in_group % grid.cols;
    const int count = ++asked[at % banks];
    most = count > most ? count : most;
  }
  return most;
}

/// The lanes that share a matrix of so many rows in scratch memory.
template <int Rows>
constexpr LaneGrid scratch_grid() {
  if (Rows <= most_rows_of_thread) return {1, 1};
  return lane_grid<Rows>(false);
}

/// The conflicts of the lanes that share matrices, and of those that store a product there.
constexpr int all_conflicts(const LaneGrid& grid, const Spacing& spacing, int banks) {
  return bank_conflicts(grid, spacing, banks) +
         store_conflicts(spacing.row, banks, flips_halves(spacing.row, banks));
}

/// The spacing with the fewest conflicts, and of these the smallest.
template <class T, int M, int N>
constexpr Spacing spacing_of() {
  Spacing best{N, M * N};
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr int banks = sizeof(T) >= 4 && sizeof(T) <= 16 ? 128 / static_cast<int>(sizeof(T)) : 0;
  constexpr LaneGrid grid = scratch_grid<(M > N ? M : N)>();
  if (banks == 0) return best;
  int fewest = all_conflicts(grid, best, banks);
  for (int row = N; row <= N + 4; ++row) {
    for (int matrix = M * row; matrix < M * row + banks; ++matrix) {
      const int conflicts = all_conflicts(grid, {row, matrix}, banks);
      if (conflicts < fewest || (conflicts == fewest && matrix < best.matrix)) {
        fewest = conflicts;
        best = {row, matrix};
      }
    }
  }
#endif
  return best;
}

/// Arrays of T in scratch memory, `spacing` elements apart.
template <class T>
struct ScratchArrays {
  static constexpr int alignment = alignof(T) > 16 ? static_cast<int>(alignof(T)) : 16;

  static constexpr int bytes(int count, int spacing) {
    return count * spacing * static_cast<int>(sizeof(T)) + alignment;
  }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static T* take(const Scratch& scratch, int count, int spacing) {
    auto* const data = static_cast<T*>(scratch.get_shmem_aligned(
        static_cast<std::ptrdiff_t>(count) * spacing * static_cast<std::ptrdiff_t>(sizeof(T)),
        alignment));
    check(data != nullptr || count == 0, "KokkosContract: the scratch memory does not suffice");
    return data;
  }
};

template <class T, int M, int N>
struct ScratchMatrices {
  static_assert(M > 0 && N > 0, "KokkosContract: scratch matrices have rows and columns");
  static constexpr Spacing spacing = spacing_of<T, M, N>();
  using type =
      InScratch<Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, M, N>,
                        std::integer_sequence<std::ptrdiff_t, spacing.matrix, spacing.row, 1>>>;

  static constexpr int bytes(int count) { return ScratchArrays<T>::bytes(count, spacing.matrix); }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static type take(const Scratch& scratch, int count) {
    T* const data = ScratchArrays<T>::take(scratch, count, spacing.matrix);
    const int extents[] = {count, M, N};
    const std::ptrdiff_t strides[] = {spacing.matrix, spacing.row, 1};
    return type(data, extents, strides);
  }
};

template <class T, int N>
struct ScratchVectors {
  static_assert(N > 0, "KokkosContract: scratch vectors have elements");
  // An odd number: lanes with a vector each find their elements in different banks.
  static constexpr int spacing = N | 1;
  using type = InScratch<Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, N>,
                                 std::integer_sequence<std::ptrdiff_t, spacing, 1>>>;

  static constexpr int bytes(int count) { return ScratchArrays<T>::bytes(count, spacing); }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static type take(const Scratch& scratch, int count) {
    T* const data = ScratchArrays<T>::take(scratch, count, spacing);
    const int extents[] = {count, N};
    const std::ptrdiff_t strides[] = {spacing, 1};
    return type(data, extents, strides);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
