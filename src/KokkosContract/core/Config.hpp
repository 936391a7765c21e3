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

// Compilers for GPUs read the sources once for each side. GPU_COMPILER: this is such a compiler.
// DEVICE_CODE: it compiles the GPU's side. DEVICE_VARIABLE stands before a variable of device code.
// The variable is in an unnamed namespace: one in each translation unit needs no relocatable device
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
// constant. UNROLL_IN_LANES does so in the code of a GPU's lanes only. A host runs that code in
// tests, and would take minutes to compile it unrolled. NO_UNROLL keeps a loop that runs rarely
// from taking registers. UNROLL_BY_4 unrolls a few times. VECTOR makes a vector type of this number
// of bytes. Compilers of device code, which never uses it, do not accept it.
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

// Marks a host's loop whose iterations do not depend on each other, so that they become vectors.
#if defined(_OPENMP) && !KOKKOSCONTRACT_DEVICE_CODE && !defined(__HIPCC__)
#define KOKKOSCONTRACT_SIMD _Pragma("omp simd")
#else
#define KOKKOSCONTRACT_SIMD
#endif

// Stands before a function that returns a code. A call that drops the code gets this warning.
#define KOKKOSCONTRACT_RETURNS_CODE                                          \
  [[nodiscard(                                                               \
      "KokkosContract: the code says whether anything was done: pass it to " \
      "require_success, or gather codes with |=")]]

// A lambda that is inlined like the functions around it; written after the parameters.
#if defined(__GNUC__)
#define KOKKOSCONTRACT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KOKKOSCONTRACT_INLINE_LAMBDA
#endif

// SHARED: a function that many callers share, and that the compiler must not copy into them. COLD:
// compiled for size, because its own time is negligible compared with that of its callees. RARE: a
// function for rare events, which takes no registers from its callers.
#if defined(__GNUC__)
#define KOKKOSCONTRACT_SHARED_CODE __attribute__((noinline))
#define KOKKOSCONTRACT_COLD_CODE __attribute__((noinline, cold))
#else
#define KOKKOSCONTRACT_SHARED_CODE
#define KOKKOSCONTRACT_COLD_CODE
#endif
#define KOKKOSCONTRACT_RARE_FUNCTION KOKKOSCONTRACT_SHARED_CODE KOKKOS_FUNCTION

// A routine (FLATTENED) becomes one function. If the compiler can flatten the tree of calls from
// its root, the functions in between (INLINE) are not forced inline. Otherwise each would be
// optimised with all the code below it. SHARED: as SHARED_CODE, for host and device code. Device
// code inlines all of them, because a call would pass operands in memory.
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

// Checked builds verify at run time, inside kernels, what release builds trust. Strict builds
// record the first misuse that a call returns, for the host to read (Fault.hpp).
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

/// Ends a checked build with a message if the condition does not hold. It does nothing in other
/// builds.
KOKKOS_FORCEINLINE_FUNCTION void check([[maybe_unused]] bool holds,
                                       [[maybe_unused]] const char* message) {
  if constexpr (checked_build) {
    if (!holds) Kokkos::abort(message);
  }
}

template <class>
inline constexpr bool always_false = false;

/// Whether this code is being compiled for a GPU.
consteval bool is_device_code() { return KOKKOSCONTRACT_DEVICE_CODE; }

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
