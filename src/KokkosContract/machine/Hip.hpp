// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_HIP_HPP
#define KOKKOSCONTRACT_MACHINE_HIP_HPP

// GPUs of AMD with waves of 64 lanes (CDNA). Machine.hpp describes the functions. On a host their
// code is compiled but not run, and does nothing sensible. The lanes of a wave run in lockstep, so
// a mask only selects the lanes whose values count.

#include <KokkosContract/machine/Atom.hpp>
#include <KokkosContract/machine/Places.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct HipMachine : KernelPlaces<64> {
  static_assert(Kokkos::Impl::HIPTraits::WarpSize == warp_size,
                "KokkosContract: of AMD's GPUs, those with waves of 64 lanes are supported");
  using Space = Kokkos::HIP;
  using LaneMask = unsigned long long;
  static constexpr int banks = 32;
  static constexpr std::size_t most_scratch_bytes = 56 * 1024;
  static constexpr std::size_t whole_scratch_bytes = 60 * 1024;
  static constexpr int cache_line = 128;
  using Instructions = AmdMatrixInstructions;
#if defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX942) || \
    defined(KOKKOS_ARCH_AMD_GFX942_APU)
  static constexpr bool has_matrix_cores = true;
#else
  static constexpr bool has_matrix_cores = false;
#endif

  KOKKOS_FORCEINLINE_FUNCTION static int hidden(int x) {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+v"(x));))
    return x;
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool uniform(bool x) {
    KOKKOS_IF_ON_DEVICE((x = __builtin_amdgcn_readfirstlane(x ? 1 : 0) != 0;))
    return x;
  }

  KOKKOS_FORCEINLINE_FUNCTION static int unknown_zero() { return 0; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T told_apart(const T& x, int) {
    return x;
  }

  // --- Lanes of a wave --------------------------------------------------------------------------

  template <int Width = warp_size, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle(LaneMask, const T& x, [[maybe_unused]] int lane) {
    KOKKOS_IF_ON_DEVICE((return __shfl(x, lane, Width);))
    KOKKOS_IF_ON_HOST((return x;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(LaneMask, const T& x,
                                                   [[maybe_unused]] int bits) {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor(x, bits);))
    KOKKOS_IF_ON_HOST((return x;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask ballot([[maybe_unused]] LaneMask mask, bool x) {
    KOKKOS_IF_ON_DEVICE((return __ballot(x) & mask;))
    KOKKOS_IF_ON_HOST((return x ? 1U : 0U;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool any_of(LaneMask mask, bool x) {
    return ballot(mask, x) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int largest_of_warp(int x) {
    return largest_by_shuffles<HipMachine>(x);
  }
  // The barrier need not wait, but the compiler must not move accesses across it.
  KOKKOS_FORCEINLINE_FUNCTION static void warp_barrier(LaneMask) {
    KOKKOS_IF_ON_DEVICE((__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
                         __builtin_amdgcn_wave_barrier();
                         __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int first_lane_of([[maybe_unused]] LaneMask lanes) {
    KOKKOS_IF_ON_DEVICE((return __ffsll(lanes) - 1;))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  // --- Memory -----------------------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static void load_pair(const double* from, double (&x)[2]) {
    const double2 pair = *reinterpret_cast<const double2*>(from);
    x[0] = pair.x;
    x[1] = pair.y;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store_pair(double* to, double x, double y) {
    *reinterpret_cast<double2*>(to) = make_double2(x, y);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void ask_for_line(const void*) {}

  template <int CacheLevel>
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch(const void* p) {
    __builtin_prefetch(p, 0, 4 - CacheLevel);
  }
  static constexpr bool prefetches_runs = false;
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch_run(const void*, unsigned) {}

  // --- The block --------------------------------------------------------------------------------

  template <class Kind, int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static char* block_memory() {
    KOKKOS_IF_ON_DEVICE(
        (__shared__ __attribute__((aligned(16))) char memory[Bytes]; return memory;))
    KOKKOS_IF_ON_HOST((return nullptr;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_global_memory([[maybe_unused]] const void* p) {
    KOKKOS_IF_ON_DEVICE((return !__builtin_amdgcn_is_shared(p) && !__builtin_amdgcn_is_private(p);))
    KOKKOS_IF_ON_HOST((return false;))
  }

  template <class T>
  static void read_variable(T& to, const T& variable) {
    KOKKOS_IMPL_HIP_SAFE_CALL(hipMemcpyFromSymbol(&to, variable, sizeof(T)));
  }
  template <class T>
  static void write_variable(T& variable, const T& from) {
    KOKKOS_IMPL_HIP_SAFE_CALL(hipMemcpyToSymbol(variable, &from, sizeof(T)));
  }

  KOKKOS_FORCEINLINE_FUNCTION static void end_program() { KOKKOS_IF_ON_DEVICE((__builtin_trap();)) }

  KOKKOS_FORCEINLINE_FUNCTION static char* in_block_memory(char* p) { return p; }

  // --- Copies: all wait -------------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_of_16(char* to, const char* from) {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  }
  using BlockAddress = char*;
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static const T* ahead(const T* base, int offset) {
    return base + offset;
  }
  KOKKOS_FORCEINLINE_FUNCTION static BlockAddress block_address(char* p) { return p; }
  KOKKOS_FORCEINLINE_FUNCTION static char* known_block_memory(char* p) { return p; }
  template <int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_to(char* to, const char* from, bool is_there,
                                                        bool is_wanted) {
    if (!is_wanted) return;
    for (int i = 0; i < Bytes; ++i) to[i] = is_there ? from[i] : char{0};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void finish_own_copies() {}
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_if(T* to, const T* from, bool is_there) {
    *to = is_there ? *from : T(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void end_group_of_copies() {}
  template <int Left>
  KOKKOS_FORCEINLINE_FUNCTION static void finish_groups_of_copies() {}

  // --- Arithmetic -------------------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static float reciprocal_estimate([[maybe_unused]] float d) {
    float r = 0;
    KOKKOS_IF_ON_DEVICE((r = __builtin_amdgcn_rcpf(d);))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double reciprocal_estimate([[maybe_unused]] double d) {
    double r = 0;
    KOKKOS_IF_ON_DEVICE((r = __builtin_amdgcn_rcp(d);))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double approximate_reciprocal([[maybe_unused]] double d,
                                                                   [[maybe_unused]] bool& exists) {
    double r = 0;
    // Tests the exponent: 2 to 2044 of 0 to 2047.
    KOKKOS_IF_ON_DEVICE((const auto high = static_cast<unsigned>(__double2hiint(d)) & 0x7fffffffU;
                         exists = exists & (high - 0x00200000U < 0x7fb00000U);
                         r = reciprocal_estimate(d);
                         r = __builtin_fma(r, __builtin_fma(-d, r, 1.0), r);
                         r = __builtin_fma(r, __builtin_fma(-d, r, 1.0), r);))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double approximate_inverse_root(
      [[maybe_unused]] double d, [[maybe_unused]] bool& exists) {
    double r = 0;
    KOKKOS_IF_ON_DEVICE(
        (exists = exists & (static_cast<unsigned>(__double2hiint(d)) - 0x00100000U < 0x7fe00000U);
         r = __builtin_amdgcn_rsq(d); const double error = __builtin_fma(-d * r, r, 1.0);
         r = __builtin_fma(r * error, __builtin_fma(0.375, error, 0.5), r);))
    return r;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Mfma16x16x4,
                                                       [[maybe_unused]] double (&sum)[4],
                                                       [[maybe_unused]] const double (&x)[1],
                                                       [[maybe_unused]] const double (&y)[1]) {
    KOKKOS_IF_ON_DEVICE((using Sums = double __attribute__((ext_vector_type(4)));
                         const Sums result = __builtin_amdgcn_mfma_f64_16x16x4f64(
                             x[0], y[0], Sums{sum[0], sum[1], sum[2], sum[3]}, 0, 0, 0);
                         for (int r = 0; r < 4; ++r) sum[r] = result[r];))
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
