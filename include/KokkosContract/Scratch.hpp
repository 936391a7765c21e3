// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SCRATCH_HPP
#define KOKKOSCONTRACT_SCRATCH_HPP

#include <KokkosContract/operand/Scratch.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Scratch memory for a contraction of more than two inputs: an address and a size in bytes. At the
/// collective levels all workers share one such memory.
struct Scratch {
  void* data = nullptr;   ///< address of the first byte
  std::size_t bytes = 0;  ///< size in bytes
};

/// Upper bound, in bytes, of the scratch memory that `scratch_matrices<T, M, N>(scratch, count)`
/// takes in a kernel of Space. It is the argument of the policy's set_scratch_size.
template <class T, int M, int N, class Space = Kokkos::DefaultExecutionSpace>
KOKKOS_FUNCTION constexpr int scratch_matrices_bytes(int count) {
  return Impl::ScratchMatrices<T, M, N, Impl::is_gpu<Space>>::bytes(count);
}

/// `count` matrices of M x N elements in scratch memory, for data that passes between the routines
/// of a pipeline. The result is an operand of rank 3, (count, M, N), whose rows are contiguous. On
/// a GPU, rows and matrices are spaced so that lanes that work side by side avoid bank conflicts.
///
///     const auto C = scratch_matrices<double, 8, 8>(member.team_scratch(0), problems);
///
/// `scratch` is member.team_scratch(l), the same in all threads of the team, or
/// member.thread_scratch(l). Elements are not set. If the scratch memory does not suffice, a
/// checked build ends. In other builds data() is null, as with a Kokkos::View.
template <class T, int M, int N, class Scratch>
KOKKOS_FORCEINLINE_FUNCTION auto scratch_matrices(const Scratch& scratch, int count) {
  return Impl::ScratchMatrices<T, M, N, Impl::is_scratch_of_gpu<Scratch>()>::take(scratch, count);
}

/// Size, in bytes, of the scratch memory that `scratch_vectors<T, N>(scratch, count)` takes, on a
/// host and on a GPU.
template <class T, int N>
KOKKOS_FUNCTION constexpr int scratch_vectors_bytes(int count) {
  return Impl::ScratchVectors<T, N>::bytes(count);
}

/// `count` vectors of N elements in scratch memory: an operand of rank 2, (count, N). Otherwise as
/// scratch_matrices.
template <class T, int N, class Scratch>
KOKKOS_FORCEINLINE_FUNCTION auto scratch_vectors(const Scratch& scratch, int count) {
  return Impl::ScratchVectors<T, N>::take(scratch, count);
}

/// Upper bound, in bytes, of the scratch memory that `scratch_tensors<T, N...>(scratch, count)`
/// takes in a kernel of Space. Space may be left out, and is then the default execution space.
template <class T, class Space, int... N>
KOKKOS_FUNCTION constexpr int scratch_tensors_bytes(int count) {
  return Impl::ScratchTensors<T, Impl::is_gpu<Space>, N...>::bytes(count);
}
/// In a kernel of the default execution space.
template <class T, int... N>
KOKKOS_FUNCTION constexpr int scratch_tensors_bytes(int count) {
  return scratch_tensors_bytes<T, Kokkos::DefaultExecutionSpace, N...>(count);
}

/// `count` tensors of N x ... elements in scratch memory: an operand with one more index, (count,
/// N...), in row-major order. On a GPU they are spaced for workers that take lines along one index
/// and then another, as in the steps of a sum factorisation. Otherwise as scratch_matrices.
template <class T, int... N, class Scratch>
KOKKOS_FORCEINLINE_FUNCTION auto scratch_tensors(const Scratch& scratch, int count) {
  return Impl::ScratchTensors<T, Impl::is_scratch_of_gpu<Scratch>(), N...>::take(scratch, count);
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
