// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_CUDA_HPP
#define KOKKOSCONTRACT_MACHINE_CUDA_HPP

// GPUs of NVIDIA. Machine.hpp describes the functions. On a host their code is compiled but not
// run, and does nothing sensible.

#include <KokkosContract/machine/Atom.hpp>
#include <KokkosContract/machine/Places.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct CudaMachine : KernelPlaces<32> {
  using Space = Kokkos::Cuda;
  using LaneMask = unsigned;
  static constexpr int banks = 32;
  // Scratch memory that Kokkos gives a team. Compute capability 9.0 and later has 227 KB. Before
  // Kokkos 5.2 the limit was 48 KB, and Kokkos keeps some of it.
#if KOKKOS_VERSION >= 50200
  static constexpr std::size_t most_scratch_bytes = 224 * 1024;
  static constexpr std::size_t whole_scratch_bytes = 224 * 1024;
#else
  static constexpr std::size_t most_scratch_bytes = 40 * 1024;
  static constexpr std::size_t whole_scratch_bytes = 46 * 1024;
#endif
  static constexpr int cache_line = 128;
  using Instructions = NvidiaMatrixInstructions;
  /// The instructions of the GPU that code is compiled for. On the host's side all instructions
  /// exist.
#if defined(__CUDA_ARCH__)
  static constexpr int architecture = __CUDA_ARCH__;
#else
  static constexpr int architecture = 900;
#endif
  static constexpr bool has_matrix_cores = architecture >= 800;

  KOKKOS_FORCEINLINE_FUNCTION static int hidden(int x) {
    KOKKOS_IF_ON_DEVICE((asm volatile("" : "+r"(x));))
    return x;
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool uniform(bool x) {
    KOKKOS_IF_ON_DEVICE((x = __any_sync(0xffffffffU, x) != 0;))
    return x;
  }

  KOKKOS_FORCEINLINE_FUNCTION static int unknown_zero() {
    int zero = 0;
    KOKKOS_IF_ON_DEVICE((asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(zero));))
    return zero;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T told_apart(const T& x, [[maybe_unused]] int zero) {
    if constexpr (std::is_same_v<T, double>) {
      double y = x;
      KOKKOS_IF_ON_DEVICE(
          (asm volatile("{\n.reg .b32 low, high;\nmov.b64 {low, high}, %1;\n"
                        "xor.b32 low, low, %2;\nmov.b64 %0, {low, high};\n}" : "=d"(y) : "d"(x),
                        "r"(zero));))
      return y;
    } else {
      return x;
    }
  }

  // --- Lanes of a warp --------------------------------------------------------------------------

  template <int Width = warp_size, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle([[maybe_unused]] LaneMask mask, const T& x,
                                               [[maybe_unused]] int lane) {
    return by_words(x, [&](const auto& word) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOS_IF_ON_DEVICE((return __shfl_sync(mask, word, lane, Width);))
      KOKKOS_IF_ON_HOST((return word;))
    });
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor([[maybe_unused]] LaneMask mask, const T& x,
                                                   [[maybe_unused]] int bits) {
    return by_words(x, [&](const auto& word) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(mask, word, bits);))
      KOKKOS_IF_ON_HOST((return word;))
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask ballot([[maybe_unused]] LaneMask mask, bool x) {
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(mask, x);))
    KOKKOS_IF_ON_HOST((return x ? 1U : 0U;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool any_of([[maybe_unused]] LaneMask mask, bool x) {
    KOKKOS_IF_ON_DEVICE((return __any_sync(mask, x) != 0;))
    KOKKOS_IF_ON_HOST((return x;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int largest_of_warp(int x) {
    int largest = x;
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture >= 800) { largest = __reduce_max_sync(0xffffffffU, x); } else {
          largest = largest_by_shuffles<CudaMachine>(x);
        }))
    return largest;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void warp_barrier([[maybe_unused]] LaneMask mask) {
    KOKKOS_IF_ON_DEVICE((__syncwarp(mask);))
  }
  KOKKOS_FORCEINLINE_FUNCTION static int first_lane_of([[maybe_unused]] LaneMask lanes) {
    KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(lanes)) - 1;))
    KOKKOS_IF_ON_HOST((return 0;))
  }

  // --- Memory -----------------------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static void load_pair([[maybe_unused]] const double* from,
                                                    [[maybe_unused]] double (&x)[2]) {
    KOKKOS_IF_ON_DEVICE((const double2 pair = *reinterpret_cast<const double2*>(from);
                         x[0] = pair.x; x[1] = pair.y;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store_pair([[maybe_unused]] double* to,
                                                     [[maybe_unused]] double x,
                                                     [[maybe_unused]] double y) {
    KOKKOS_IF_ON_DEVICE(
        (asm volatile("st.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(x), "d"(y) : "memory");))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void ask_for_line([[maybe_unused]] const void* p) {
    KOKKOS_IF_ON_DEVICE((asm volatile("prefetch.L1 [%0];" : : "l"(p));))
  }

  template <int>
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch([[maybe_unused]] const void* p) {
    KOKKOS_IF_ON_DEVICE(
        (asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));))
  }
  static constexpr bool prefetches_runs = architecture >= 900;
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch_run([[maybe_unused]] const void* from,
                                                       [[maybe_unused]] unsigned bytes) {
    KOKKOS_IF_ON_DEVICE((if constexpr (prefetches_runs) {
      asm volatile(
          "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
          "r"(bytes));
    }))
  }

  // --- The block --------------------------------------------------------------------------------

  template <class Kind, int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static char* block_memory() {
    KOKKOS_IF_ON_DEVICE((__shared__ __align__(128) char memory[Bytes]; return memory;))
    KOKKOS_IF_ON_HOST((return nullptr;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_in_global_memory([[maybe_unused]] const void* p) {
    KOKKOS_IF_ON_DEVICE((return __isGlobal(p) != 0;))
    KOKKOS_IF_ON_HOST((return false;))
  }

  template <class T>
  static void read_variable(T& to, const T& variable) {
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpyFromSymbol(&to, variable, sizeof(T)));
  }
  template <class T>
  static void write_variable(T& variable, const T& from) {
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaMemcpyToSymbol(variable, &from, sizeof(T)));
  }

  KOKKOS_FORCEINLINE_FUNCTION static void end_program() {
    KOKKOS_IF_ON_DEVICE((__trap(); __builtin_unreachable();))
  }

  KOKKOS_FORCEINLINE_FUNCTION static char* in_block_memory(char* p) {
    KOKKOS_IF_ON_DEVICE((__builtin_assume(__isShared(p));))
    return p;
  }

  // --- Asynchronous copies -----------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_of_16([[maybe_unused]] char* to,
                                                           [[maybe_unused]] const char* from) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture >= 800) {
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                           static_cast<unsigned>(__cvta_generic_to_shared(to))),
                       "l"(from));
        } else {
          for (int i = 0; i < 16; ++i) to[i] = from[i];
        }))
  }
  using BlockAddress = unsigned;
  /// base + offset in one instruction; compilers emit three.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static const T* ahead(const T* base, [[maybe_unused]] int offset) {
    const T* address = base;
    KOKKOS_IF_ON_DEVICE((asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(address) : "r"(offset),
                             "n"(sizeof(T)), "l"(base));))
    return address;
  }
  KOKKOS_FORCEINLINE_FUNCTION static BlockAddress block_address([[maybe_unused]] char* p) {
    KOKKOS_IF_ON_DEVICE((return static_cast<unsigned>(__cvta_generic_to_shared(p));))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static char* known_block_memory(char* p) {
    KOKKOS_IF_ON_DEVICE(
        (const auto at = static_cast<unsigned>(__cvta_generic_to_shared(p));
         p = static_cast<char*>(__cvta_shared_to_generic(__shfl_sync(0xffffffffU, at, 0)));))
    return p;
  }
  /// Copies 2, 4, 8 or 16 bytes. A copy of two bytes is not asynchronous. Bytes out of bounds
  /// become zero. A copy that is predicated off does nothing.
  template <int Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_to([[maybe_unused]] BlockAddress to,
                                                        [[maybe_unused]] const char* from,
                                                        [[maybe_unused]] bool is_there,
                                                        [[maybe_unused]] bool is_wanted) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture < 800 || Bytes < 4) {
          if (!is_wanted) return;
          char* const target = static_cast<char*>(__cvta_shared_to_generic(to));
          if constexpr (Bytes == 2) {
            using Word = unsigned short;
            *reinterpret_cast<Word*>(target) =
                is_there ? *reinterpret_cast<const Word*>(from) : Word{0};
          } else {
            for (int i = 0; i < Bytes; ++i) target[i] = is_there ? from[i] : char{0};
          }
        } else if constexpr (Bytes == 16) {
          asm volatile(
              "{ .reg .pred p; setp.ne.s32 p, %3, 0; "
              "@p cp.async.cg.shared.global [%0], [%1], 16, %2; }" ::"r"(to),
              "l"(from), "r"(is_there ? 16 : 0), "r"(static_cast<int>(is_wanted)));
        } else {
          asm volatile(
              "{ .reg .pred p; setp.ne.s32 p, %4, 0; "
              "@p cp.async.ca.shared.global [%0], [%1], %2, %3; }" ::"r"(to),
              "l"(from), "n"(Bytes), "r"(is_there ? Bytes : 0), "r"(static_cast<int>(is_wanted)));
        }))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void finish_own_copies() {
    KOKKOS_IF_ON_DEVICE((if constexpr (architecture >= 800) {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void start_copy_if([[maybe_unused]] T* to,
                                                        [[maybe_unused]] const T* from,
                                                        [[maybe_unused]] bool is_there) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture >= 800 && sizeof(T) >= 4) {
          if (!is_in_global_memory(from)) {
            *to = is_there ? *from : T(0);
            return;
          }
          asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                           static_cast<unsigned>(__cvta_generic_to_shared(to))),
                       "l"(from), "n"(sizeof(T)), "r"(is_there ? static_cast<int>(sizeof(T)) : 0));
        } else { *to = is_there ? *from : T(0); }))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void end_group_of_copies() {
    KOKKOS_IF_ON_DEVICE((if constexpr (architecture >= 800) {
      asm volatile("cp.async.commit_group;" ::: "memory");
    }))
  }
  template <int Left>
  KOKKOS_FORCEINLINE_FUNCTION static void finish_groups_of_copies() {
    KOKKOS_IF_ON_DEVICE((if constexpr (architecture >= 800) {
      asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
    }))
  }

  // --- Arithmetic -------------------------------------------------------------------------------

  KOKKOS_FORCEINLINE_FUNCTION static float reciprocal_estimate([[maybe_unused]] float d) {
    float r = 0;
    KOKKOS_IF_ON_DEVICE((asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double reciprocal_estimate([[maybe_unused]] double d) {
    double r = 0;
    KOKKOS_IF_ON_DEVICE((asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double approximate_reciprocal([[maybe_unused]] double d,
                                                                   [[maybe_unused]] bool& exists) {
    double r = 0;
    // Tests the exponent: 2 to 2044 of 0 to 2047.
    KOKKOS_IF_ON_DEVICE((const auto high = static_cast<unsigned>(__double2hiint(d)) & 0x7fffffffU;
                         exists = exists & (high - 0x00200000U < 0x7fb00000U);
                         r = reciprocal_estimate(d); r = __fma_rn(r, __fma_rn(-d, r, 1.0), r);
                         r = __fma_rn(r, __fma_rn(-d, r, 1.0), r);))
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double approximate_inverse_root(
      [[maybe_unused]] double d, [[maybe_unused]] bool& exists) {
    double r = 0;
    KOKKOS_IF_ON_DEVICE(
        (exists = exists & (static_cast<unsigned>(__double2hiint(d)) - 0x00100000U < 0x7fe00000U);
         asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
         const double error = __fma_rn(-d * r, r, 1.0);
         r = __fma_rn(r * error, __fma_rn(0.375, error, 0.5), r);))
    return r;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Mma8x8x4, [[maybe_unused]] double (&sum)[2],
                                                       [[maybe_unused]] const double (&x)[1],
                                                       [[maybe_unused]] const double (&y)[1]) {
    KOKKOS_IF_ON_DEVICE((if constexpr (has_matrix_cores) {
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(sum[0]), "+d"(sum[1])
          : "d"(x[0]), "d"(y[0]));
    }))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Mma16x8x4, [[maybe_unused]] double (&sum)[4],
                                                       [[maybe_unused]] const double (&x)[2],
                                                       [[maybe_unused]] const double (&y)[1]) {
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture >= 900) {
          asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
              "{%0, %1, %2, %3};"
              : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
              : "d"(x[0]), "d"(x[1]), "d"(y[0]));
        } else if constexpr (has_matrix_cores) {
          asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%4}, {%6}, {%0, %1};\n"
              "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%2, %3}, {%5}, {%6}, {%2, %3};"
              : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
              : "d"(x[0]), "d"(x[1]), "d"(y[0]));
        }))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Mma16x8x8, [[maybe_unused]] float (&sum)[4],
                                                       [[maybe_unused]] const float (&x)[4],
                                                       [[maybe_unused]] const float (&y)[2]) {
    KOKKOS_IF_ON_DEVICE((if constexpr (has_matrix_cores) {
      asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
          "{%8, %9}, {%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(__float_as_uint(x[0])), "r"(__float_as_uint(x[2])), "r"(__float_as_uint(x[1])),
            "r"(__float_as_uint(x[3])), "r"(__float_as_uint(y[0])), "r"(__float_as_uint(y[1])));
    }))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Mma16x8x16<T>,
                                                       [[maybe_unused]] float (&sum)[4],
                                                       [[maybe_unused]] const T (&x)[8],
                                                       [[maybe_unused]] const T (&y)[4]) {
    KOKKOS_IF_ON_DEVICE((if constexpr (has_matrix_cores) {
      // Words 0 and 1 are of one row, and words 2 and 3 of the row that is eight below.
      unsigned a[4];
      unsigned b[2];
      __builtin_memcpy(a, x, sizeof(a));
      __builtin_memcpy(b, y, sizeof(b));
      if constexpr (std::is_same_v<T, Kokkos::Experimental::half_t>) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      } else {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
      }
    }))
  }
  KOKKOS_FORCEINLINE_FUNCTION static float rounded_to_11_bits([[maybe_unused]] float x) {
    [[maybe_unused]] unsigned bits = 0;
    KOKKOS_IF_ON_DEVICE((
        if constexpr (architecture >= 900) {
          asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
        } else if constexpr (has_matrix_cores) {
          asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
        } return __uint_as_float(bits);))
    KOKKOS_IF_ON_HOST((return x;))
  }

 private:
  /// Calls shuffle(x) word by word. The lower word of a double is first: both words then end in a
  /// pair of registers that arithmetic can use. CUDA's own shuffles of doubles begin with the upper
  /// word, and cost two to four more instructions.
  template <class T, class Shuffle>
  KOKKOS_FORCEINLINE_FUNCTION static T by_words(const T& x, const Shuffle& shuffle) {
    if constexpr (std::is_same_v<T, double>) {
      KOKKOS_IF_ON_DEVICE((const int low = shuffle(__double2loint(x));
                           const int high = shuffle(__double2hiint(x));
                           return __hiloint2double(high, low);))
      KOKKOS_IF_ON_HOST((return shuffle(x);))
    } else {
      return shuffle(x);
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
