// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_CONFIG_HPP
#define KOKKOSCONTRACT_CORE_CONFIG_HPP

#include <Kokkos_Core.hpp>

// The instruction set is part of every name, so that objects compiled for different ones do not mix
// silently.
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define KOKKOSCONTRACT_ISA avx512
#define KOKKOSCONTRACT_VECTOR_BYTES 64
#define KOKKOSCONTRACT_VECTOR_REGISTERS 32
#elif defined(__AVX2__) && defined(__FMA__)
#define KOKKOSCONTRACT_ISA avx2
#define KOKKOSCONTRACT_VECTOR_BYTES 32
#define KOKKOSCONTRACT_VECTOR_REGISTERS 16
#elif defined(__ARM_NEON)
#define KOKKOSCONTRACT_ISA neon
#define KOKKOSCONTRACT_VECTOR_BYTES 16
#define KOKKOSCONTRACT_VECTOR_REGISTERS 32
#else
#define KOKKOSCONTRACT_ISA generic
#define KOKKOSCONTRACT_VECTOR_BYTES 16
#define KOKKOSCONTRACT_VECTOR_REGISTERS 16
#endif

// Compilers for GPUs go over the sources once for each side. GPU_COMPILER: this is one of them;
// DEVICE_CODE: and this is the GPU's side. DEVICE_VARIABLE: what stands before a variable of device
// code, which is in an unnamed namespace: one in each translation unit needs no relocatable device
// code. Without a GPU it is another variable of the host.
#if (defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)) || \
    (defined(KOKKOS_ENABLE_HIP) && defined(__HIP__))
#define KOKKOSCONTRACT_GPU_COMPILER true
#define KOKKOSCONTRACT_DEVICE_VARIABLE __device__
#else
#define KOKKOSCONTRACT_GPU_COMPILER false
#define KOKKOSCONTRACT_DEVICE_VARIABLE [[maybe_unused]]
#endif

// UNROLL asks the compiler to unroll the next loop, whose trip count is a small compile-time
// constant. UNROLL_IN_LANES: the same in the code of a GPU's lanes, to which a host comes in tests
// only: there it would take minutes to compile. NO_UNROLL: not to unroll it, because it is run
// rarely and would take registers; UNROLL_BY_4: a few times. VECTOR makes a type one of so many
// bytes, which the compilers of device code, where nobody uses it, do not accept.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define KOKKOSCONTRACT_DEVICE_CODE true
#define KOKKOSCONTRACT_UNROLL _Pragma("unroll")
#define KOKKOSCONTRACT_UNROLL_IN_LANES KOKKOSCONTRACT_UNROLL
#define KOKKOSCONTRACT_NO_UNROLL _Pragma("unroll 1")
#define KOKKOSCONTRACT_UNROLL_BY_4 _Pragma("unroll 4")
#define KOKKOSCONTRACT_VECTOR(...)
#else
#define KOKKOSCONTRACT_DEVICE_CODE false
#define KOKKOSCONTRACT_UNROLL_IN_LANES
#define KOKKOSCONTRACT_NO_UNROLL
#define KOKKOSCONTRACT_UNROLL_BY_4
#define KOKKOSCONTRACT_VECTOR(...) __attribute__((vector_size(__VA_ARGS__)))
#if defined(__clang__)
#define KOKKOSCONTRACT_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__NVCC__)  // hands on to the host's compiler what it warns that it does not know
#define KOKKOSCONTRACT_UNROLL                                                             \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC unroll 32") \
      _Pragma("nv_diagnostic pop")
#elif defined(__GNUC__)
#define KOKKOSCONTRACT_UNROLL _Pragma("GCC unroll 32")
#else
#define KOKKOSCONTRACT_UNROLL
#endif
#endif

// A loop on a host whose iterations do not depend on each other: they become vectors.
#if defined(_OPENMP) && !KOKKOSCONTRACT_DEVICE_CODE && !defined(__HIPCC__)
#define KOKKOSCONTRACT_SIMD _Pragma("omp simd")
#else
#define KOKKOSCONTRACT_SIMD
#endif

// What stands before a function that returns a code: a call that drops it gets this warning.
#define KOKKOSCONTRACT_RETURNS_CODE                                          \
  [[nodiscard(                                                               \
      "KokkosContract: the code says whether anything was done: pass it to " \
      "require_success, or gather codes with |=")]]

// A lambda that is inlined as surely as the functions around it: written behind the parameters.
#if defined(__GNUC__)
#define KOKKOSCONTRACT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KOKKOSCONTRACT_INLINE_LAMBDA
#endif

// A function that many callers share, and the compiler is not to copy into them.
// COLD: its own time is nothing beside what it calls, so that it is compiled for size. RARE: what
// happens rarely takes no registers of those who call it.
#if defined(__GNUC__)
#define KOKKOSCONTRACT_SHARED_CODE __attribute__((noinline))
#define KOKKOSCONTRACT_COLD_CODE __attribute__((noinline, cold))
#else
#define KOKKOSCONTRACT_SHARED_CODE
#define KOKKOSCONTRACT_COLD_CODE
#endif
#define KOKKOSCONTRACT_RARE_FUNCTION KOKKOSCONTRACT_SHARED_CODE KOKKOS_FUNCTION

// A routine (FLATTENED) becomes one function. Where the compiler can flatten the tree of calls from
// its root, the functions in between (INLINE) are not forced inline: each would be optimised with
// all the code below it. SHARED: as SHARED_CODE, for host and device code. Device code inlines all
// of them: a call would pass operands in memory.
#if KOKKOSCONTRACT_DEVICE_CODE
#define KOKKOSCONTRACT_FLATTENED_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_FLATTENED_INLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_INLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_SHARED_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#elif defined(__GNUC__) && !defined(__clang__)
#define KOKKOSCONTRACT_FLATTENED_FUNCTION __attribute__((flatten)) KOKKOS_INLINE_FUNCTION
#define KOKKOSCONTRACT_FLATTENED_INLINE_FUNCTION \
  __attribute__((flatten)) KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_INLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#define KOKKOSCONTRACT_SHARED_FUNCTION __attribute__((noinline, flatten)) KOKKOS_FUNCTION
#else
#define KOKKOSCONTRACT_FLATTENED_FUNCTION KOKKOS_INLINE_FUNCTION
#define KOKKOSCONTRACT_FLATTENED_INLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_INLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define KOKKOSCONTRACT_SHARED_FUNCTION KOKKOSCONTRACT_SHARED_CODE KOKKOS_FUNCTION
#endif

// Checked builds verify at run time, inside kernels, what release builds trust; strict ones keep
// the first misuse that a call returns for the host to read (Fault.hpp).
#if !defined(KOKKOSCONTRACT_CHECKED) && defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
#define KOKKOSCONTRACT_CHECKED 1
#endif

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

#if defined(KOKKOSCONTRACT_CHECKED)
inline constexpr bool checked_build = true;
#else
inline constexpr bool checked_build = false;
#endif

#if defined(KOKKOSCONTRACT_STRICT)
inline constexpr bool strict_build = true;
#else
inline constexpr bool strict_build = false;
#endif

/// Ends a checked build with a message; nothing in other builds.
KOKKOS_FORCEINLINE_FUNCTION void check([[maybe_unused]] bool holds,
                                       [[maybe_unused]] const char* message) {
  if constexpr (checked_build) {
    if (!holds) Kokkos::abort(message);
  }
}

template <class>
inline constexpr bool always_false = false;

/// Whether what stands here is being compiled for a GPU.
consteval bool is_device_code() { return KOKKOSCONTRACT_DEVICE_CODE; }

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
