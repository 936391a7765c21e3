// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_SCRATCH_HPP
#define KOKKOSCONTRACT_OPERAND_SCRATCH_HPP

// Layout of matrices and vectors in scratch memory. They are packed on a host. A GPU's shared
// memory has 128 bytes of banks. One request serves the lanes whose elements are in different
// banks.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/operand/LineArray.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct Spacing {
  int row;
  int matrix;
};

/// Number of requests to the most used bank by the lanes that are served together. Each group of
/// lanes reads the first elements of its matrix.
consteval int bank_conflicts(const LaneGrid& grid, const Spacing& spacing, int banks) {
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

/// The lanes that share a matrix of this many rows in scratch memory.
template <int Rows>
consteval LaneGrid scratch_grid() {
  if (Rows <= most_rows_of_thread) return {1, 1};
  return lane_grid(Rows, false);
}

/// The conflicts of the lanes that share matrices, and of those that store a product there.
consteval int all_conflicts(const LaneGrid& grid, const Spacing& spacing, int banks) {
  return bank_conflicts(grid, spacing, banks) +
         store_conflicts(spacing.row, banks, flips_halves(spacing.row, banks));
}

/// The spacing with the fewest conflicts, and the smallest one among equals.
template <class T, int M, int N, bool Gpu>
consteval Spacing spacing_of() {
  Spacing best{N, M * N};
  constexpr int banks =
      Gpu && sizeof(T) >= 4 && sizeof(T) <= 16 ? 128 / static_cast<int>(sizeof(T)) : 0;
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
  return best;
}

/// Whether a scratch object belongs to a GPU's team. If its type does not show it, the answer is
/// whether the build's default space is a GPU.
template <class Scratch>
consteval bool is_scratch_of_gpu() {
  if constexpr (requires { typename Scratch::execution_space; }) {
    return is_gpu<typename Scratch::execution_space>;
  } else {
    return is_gpu<Kokkos::DefaultExecutionSpace>;
  }
}

/// Arrays of T in scratch memory, `spacing` elements apart.
template <class T>
struct ScratchArrays {
  static constexpr int alignment = alignof(T) > 16 ? static_cast<int>(alignof(T)) : 16;

  static KOKKOS_FUNCTION constexpr int bytes(int count, int spacing) {
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

template <class T, int M, int N, bool Gpu>
struct ScratchMatrices {
  static_assert(M > 0 && N > 0, "KokkosContract: scratch matrices have rows and columns");
  static constexpr Spacing spacing = spacing_of<T, M, N, Gpu>();
  using type =
      InScratch<Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, M, N>,
                        std::integer_sequence<std::ptrdiff_t, spacing.matrix, spacing.row, 1>>>;

  static KOKKOS_FUNCTION constexpr int bytes(int count) {
    return ScratchArrays<T>::bytes(count, spacing.matrix);
  }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static type take(const Scratch& scratch, int count) {
    T* const data = ScratchArrays<T>::take(scratch, count, spacing.matrix);
    const int extents[] = {count, M, N};
    const std::ptrdiff_t strides[] = {spacing.matrix, spacing.row, 1};
    return type(data, extents, strides);
  }
};

/// The array of tensors with these extents. Workers take its lines equally often in all directions.
template <class T, bool Gpu, int... N>
consteval LineArray tensor_array() {
  constexpr int rank = 1 + static_cast<int>(sizeof...(N));
  const std::ptrdiff_t extents[] = {1, N...};
  LineArray packed{};
  packed.stride[rank - 1] = 1;
  for (int p = rank - 2; p >= 0; --p) packed.stride[p] = packed.stride[p + 1] * extents[p + 1];
  packed.size = packed.stride[0];
  LineAccesses all{};
  all.rank = rank;
  for (int p = 1; p < rank; ++p) {
    LineAccess& access = all.access[all.count++];
    access.position = p;
    access.elements = static_cast<int>(extents[p]);
    const std::ptrdiff_t lines = packed.size / extents[p];
    for (int i = 0; i < rank; ++i) {
      access.extent[i] = i > 0 ? extents[i] : (lines < 128 ? 128 / lines : 1);
      all.longest[i] = extents[i];
    }
  }
  return Gpu ? line_array(all, static_cast<int>(sizeof(T))) : packed;
}

template <class T, bool Gpu, int... N>
struct ScratchTensors {
  static_assert(sizeof...(N) >= 2 && sizeof...(N) < max_rank && ((N > 0) && ...),
                "KokkosContract: scratch tensors have 2 to 7 indices with elements");
  static constexpr LineArray array = tensor_array<T, Gpu, N...>();
  static constexpr int size = static_cast<int>(array.size);
  template <int... I>
  static auto type_of(std::integer_sequence<int, I...>)
      -> InScratch<Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, N...>,
                           std::integer_sequence<std::ptrdiff_t, array.stride[I]...>>>;
  using Dimensions = std::make_integer_sequence<int, 1 + static_cast<int>(sizeof...(N))>;
  using type = decltype(type_of(Dimensions{}));

  static KOKKOS_FUNCTION constexpr int bytes(int count) {
    return ScratchArrays<T>::bytes(count, size);
  }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static type take(const Scratch& scratch, int count) {
    return place(ScratchArrays<T>::take(scratch, count, size), count, Dimensions{});
  }
  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION static type place(T* data, int count,
                                                std::integer_sequence<int, I...>) {
    const int extents[] = {count, N...};
    const std::ptrdiff_t strides[] = {array.stride[I]...};
    return type(data, extents, strides);
  }
};

template <class T, int N>
struct ScratchVectors {
  static_assert(N > 0, "KokkosContract: scratch vectors have elements");
  // The spacing is odd, so lanes that each have one vector find its elements in different banks.
  static constexpr int spacing = N | 1;
  using type = InScratch<Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, N>,
                                 std::integer_sequence<std::ptrdiff_t, spacing, 1>>>;

  static KOKKOS_FUNCTION constexpr int bytes(int count) {
    return ScratchArrays<T>::bytes(count, spacing);
  }

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
