// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_DEVICE_HPP
#define KOKKOSCONTRACT_MACHINE_DEVICE_HPP

// What a lane of a GPU can do besides arithmetic: know its place, tell the other lanes of its warp
// something, wait for them, use the memory of its block, copy without waiting. On a host these are
// questions to an emulated device, on which tests run the code of lanes.

#include <KokkosContract/core/Config.hpp>
#include <bit>
#include <cstdint>
#include <cstring>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr int warp_size = 32;
/// Lanes of a warp.
using LaneMask = unsigned;

/// A block of a GPU on a host: what its lanes call. The collective ones return when all lanes that
/// take part have called them.
class EmulatedDevice {
 public:
  /// Of the lane that runs: blockDim and threadIdx.
  struct Place {
    int lanes, threads;  ///< of a thread; of the block
    int lane, thread;
  };
  enum class Collective { shuffle, ballot, tensor, barrier };

  virtual ~EmulatedDevice() = default;
  virtual Place place() const = 0;
  /// What the lanes of `mask` bring along, by their numbers in the warp, until the next call. A
  /// barrier makes their writes visible to each other, the others do not.
  virtual const std::uint64_t* share(Collective kind, LaneMask mask, std::uint64_t mine) = 0;
  virtual bool any_of_block(bool mine) = 0;
  /// The block's memory with this name.
  virtual char* block_memory(const void* name, int bytes) = 0;
  virtual bool is_in_global_memory(const void* p) const = 0;
  /// Copies when finish_copies is called, and no sooner.
  virtual void start_copy(void* to, const void* from, int bytes) = 0;
  virtual void finish_copies() = 0;
};
/// The one that runs in this process.
inline EmulatedDevice* emulated_device = nullptr;

// --- Places -------------------------------------------------------------------------------------

/// Lanes of each thread of the block.
KOKKOS_FORCEINLINE_FUNCTION int lanes_of_thread() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
  KOKKOS_IF_ON_HOST((return emulated_device == nullptr ? 1 : emulated_device->place().lanes;))
}
/// The number of this one among them.
KOKKOS_FORCEINLINE_FUNCTION int lane_of_thread() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
  KOKKOS_IF_ON_HOST((return emulated_device == nullptr ? 0 : emulated_device->place().lane;))
}
KOKKOS_FORCEINLINE_FUNCTION int threads_of_block() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.y);))
  KOKKOS_IF_ON_HOST((return emulated_device == nullptr ? 1 : emulated_device->place().threads;))
}
KOKKOS_FORCEINLINE_FUNCTION int thread_of_block() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.y);))
  KOKKOS_IF_ON_HOST((return emulated_device == nullptr ? 0 : emulated_device->place().thread;))
}
/// The first lane of this thread in its warp.
KOKKOS_FORCEINLINE_FUNCTION int first_lane_of_thread() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.y * blockDim.x % warp_size);))
  KOKKOS_IF_ON_HOST((return thread_of_block() * lanes_of_thread() % warp_size;))
}
/// The number of this lane in its warp.
KOKKOS_FORCEINLINE_FUNCTION int lane_of_warp() {
  KOKKOS_IF_ON_DEVICE(
      (return static_cast<int>((threadIdx.x + blockDim.x * threadIdx.y) % warp_size);))
  KOKKOS_IF_ON_HOST(
      (return (lane_of_thread() + lanes_of_thread() * thread_of_block()) % warp_size;))
}

/// The first lane of this team in its warp, where the block is several teams, each a part of a
/// warp; else 0.
KOKKOS_FORCEINLINE_FUNCTION int first_lane_of_team() {
  KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x * blockDim.y * threadIdx.z % warp_size);))
  KOKKOS_IF_ON_HOST((return 0;))
}

/// A number of which the compiler does not know where it comes from: what is derived from it,
/// addresses and conditions, is computed where it is needed and not kept from elsewhere.
KOKKOS_FORCEINLINE_FUNCTION int hidden(int x) {
  KOKKOS_IF_ON_DEVICE((asm volatile("" : "+r"(x));))
  return x;
}

// --- Lanes of a warp ----------------------------------------------------------------------------

/// What an emulated device passes on of x.
template <class T>
std::uint64_t bits_of(const T& x) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(T));
  return bits;
}
/// The value of x in lane `lane` of the warp; of a lane that does not take part, bits that are no
/// sensible number: on a GPU it is undefined, and nobody may use it.
template <class T>
T emulated_shuffle(LaneMask mask, const T& x, int lane) {
  if (emulated_device == nullptr) return x;
  const std::uint64_t* bits =
      emulated_device->share(EmulatedDevice::Collective::shuffle, mask, bits_of(x));
  const int source = lane & (warp_size - 1);
  const std::uint64_t found = (mask >> source & 1U) != 0 ? bits[source] : ~std::uint64_t{0};
  T result;
  std::memcpy(&result, &found, sizeof(T));
  return result;
}

/// shuffle(x), word by word. Of a double the lower word first: then both end in a pair of registers
/// in which arithmetic finds them, while CUDA's own shuffles of doubles, which begin with the upper
/// one, cost two to four instructions more.
template <class T, class Shuffle>
KOKKOS_FORCEINLINE_FUNCTION T by_words(const T& x, const Shuffle& shuffle) {
  if constexpr (std::is_same_v<T, double>) {
    KOKKOS_IF_ON_DEVICE((const int low = shuffle(__double2loint(x));
                         const int high = shuffle(__double2hiint(x));
                         return __hiloint2double(high, low);))
    KOKKOS_IF_ON_HOST((return shuffle(x);))
  } else {
    return shuffle(x);
  }
}

/// The value of x in lane number `lane` of the Width lanes, a part of the warp or all of it, to
/// which this one belongs. All lanes of `mask` call it.
template <int Width = warp_size, class T>
KOKKOS_FORCEINLINE_FUNCTION T shuffle(LaneMask mask, const T& x, int lane) {
  return by_words(x, [&](const auto& word) KOKKOSCONTRACT_INLINE_LAMBDA {
    KOKKOS_IF_ON_DEVICE((return __shfl_sync(mask, word, lane, Width);))
    KOKKOS_IF_ON_HOST(
        (return emulated_shuffle(mask, word, lane_of_warp() / Width * Width + lane % Width);))
  });
}
/// The value of x in the lane whose number in the warp differs in these bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T shuffle_xor(LaneMask mask, const T& x, int bits) {
  return by_words(x, [&](const auto& word) KOKKOSCONTRACT_INLINE_LAMBDA {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(mask, word, bits);))
    KOKKOS_IF_ON_HOST((return emulated_shuffle(mask, word, lane_of_warp() ^ bits);))
  });
}

/// The lanes of `mask`, which all call it, for which x holds.
KOKKOS_FORCEINLINE_FUNCTION LaneMask ballot([[maybe_unused]] LaneMask mask, bool x) {
  KOKKOS_IF_ON_DEVICE((return __ballot_sync(mask, x);))
  KOKKOS_IF_ON_HOST((if (emulated_device == nullptr) return x ? 1U : 0U;
                     const std::uint64_t* of = emulated_device->share(
                         EmulatedDevice::Collective::ballot, mask, x ? 1 : 0);
                     LaneMask result = 0; for (int l = 0; l < warp_size; ++l) {
                       if ((mask >> l & 1U) != 0 && of[l] != 0) result |= 1U << l;
                     } return result;))
}
/// Whether it holds for any of them.
KOKKOS_FORCEINLINE_FUNCTION bool any_of(LaneMask mask, bool x) {
  KOKKOS_IF_ON_DEVICE((return __any_sync(mask, x) != 0;))
  KOKKOS_IF_ON_HOST((return ballot(mask, x) != 0;))
}
/// They wait for each other, and see what each other wrote.
KOKKOS_FORCEINLINE_FUNCTION void warp_barrier([[maybe_unused]] LaneMask mask) {
  KOKKOS_IF_ON_DEVICE((__syncwarp(mask);))
  KOKKOS_IF_ON_HOST((if (emulated_device != nullptr) {
    (void)emulated_device->share(EmulatedDevice::Collective::barrier, mask, 0);
  }))
}
/// The least of these lanes; -1 if there is none.
KOKKOS_FORCEINLINE_FUNCTION int first_lane_of(LaneMask lanes) {
  KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(lanes)) - 1;))
  KOKKOS_IF_ON_HOST((return lanes == 0 ? -1 : std::countr_zero(lanes);))
}

// --- Memory -------------------------------------------------------------------------------------

/// Two numbers at a multiple of 16 bytes in one instruction, which the compiler would not do.
KOKKOS_FORCEINLINE_FUNCTION void load_pair(const double* from, double (&x)[2]) {
  KOKKOS_IF_ON_DEVICE(
      (const double2 pair = *reinterpret_cast<const double2*>(from); x[0] = pair.x; x[1] = pair.y;))
  KOKKOS_IF_ON_HOST((x[0] = from[0]; x[1] = from[1];))
}
KOKKOS_FORCEINLINE_FUNCTION void store_pair(double* to, double x, double y) {
  KOKKOS_IF_ON_DEVICE(
      (asm volatile("st.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(x), "d"(y) : "memory");))
  KOKKOS_IF_ON_HOST((to[0] = x; to[1] = y;))
}

/// Asks the first-level cache for what will be read there.
KOKKOS_FORCEINLINE_FUNCTION void ask_for_line([[maybe_unused]] const void* p) {
  KOKKOS_IF_ON_DEVICE((asm volatile("prefetch.L1 [%0];" : : "l"(p));))
}

// --- The block ----------------------------------------------------------------------------------

/// Whether the block is one team, and not several with one thread each.
KOKKOS_FORCEINLINE_FUNCTION bool block_is_one_team() {
  KOKKOS_IF_ON_DEVICE((return blockDim.z == 1;))
  KOKKOS_IF_ON_HOST((return true;))
}
KOKKOS_FORCEINLINE_FUNCTION void block_barrier() {
  KOKKOS_IF_ON_DEVICE((__syncthreads();))
  KOKKOS_IF_ON_HOST((if (emulated_device != nullptr)(void) emulated_device->any_of_block(false);))
}
/// A barrier of the block; whether x holds for any of its lanes.
KOKKOS_FORCEINLINE_FUNCTION bool any_of_block(bool x) {
  KOKKOS_IF_ON_DEVICE((return __syncthreads_or(x) != 0;))
  KOKKOS_IF_ON_HOST((return emulated_device == nullptr ? x : emulated_device->any_of_block(x);))
}

/// Shared memory of the block, the same wherever Kind is.
template <class Kind, int Bytes>
KOKKOS_FORCEINLINE_FUNCTION char* block_memory() {
  KOKKOS_IF_ON_DEVICE((__shared__ __align__(16) char memory[Bytes]; return memory;))
  KOKKOS_IF_ON_HOST(
      (static constexpr char name = 0;
       return emulated_device == nullptr ? nullptr : emulated_device->block_memory(&name, Bytes);))
}

KOKKOS_FORCEINLINE_FUNCTION bool is_in_global_memory([[maybe_unused]] const void* p) {
  KOKKOS_IF_ON_DEVICE((return __isGlobal(p) != 0;))
  KOKKOS_IF_ON_HOST((return emulated_device != nullptr && emulated_device->is_in_global_memory(p);))
}

/// Starts a copy of 16 bytes from global to shared memory, both at multiples of 16.
KOKKOS_FORCEINLINE_FUNCTION void start_copy_of_16([[maybe_unused]] char* to,
                                                  [[maybe_unused]] const char* from) {
  KOKKOS_IF_ON_DEVICE((asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                        static_cast<unsigned>(__cvta_generic_to_shared(to))),
                                    "l"(from));))
  KOKKOS_IF_ON_HOST((if (emulated_device != nullptr) emulated_device->start_copy(to, from, 16);))
}
/// Ends the copies of this lane.
KOKKOS_FORCEINLINE_FUNCTION void finish_own_copies() {
  KOKKOS_IF_ON_DEVICE((asm volatile("cp.async.wait_all;" :: : "memory");))
  KOKKOS_IF_ON_HOST((if (emulated_device != nullptr) emulated_device->finish_copies();))
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
