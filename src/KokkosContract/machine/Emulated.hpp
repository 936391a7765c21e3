// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_EMULATED_HPP
#define KOKKOSCONTRACT_MACHINE_EMULATED_HPP

// A GPU that a host emulates, so that tests run the code of its lanes on any machine. The functions
// of this machine call the running device (unit_tests/EmulatedDevice.hpp). Machine.hpp describes
// them. Nothing here is device code.

#include <KokkosContract/machine/Atom.hpp>
#include <KokkosContract/machine/Places.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A block of an emulated GPU, with the functions that its lanes call. The collective functions
/// return when all participating lanes have called them.
class EmulatedDevice {
 public:
  /// Position of the running lane: blockDim and threadIdx.
  struct Place {
    int lanes, threads;  ///< lanes of a thread; threads of the block
    int lane, thread;
  };
  enum class Collective { shuffle, ballot, matrix, barrier };

  virtual ~EmulatedDevice() = default;
  virtual Place place() const = 0;
  /// The values that the lanes of `mask` contribute, by lane number in the warp, valid until the
  /// next call. A barrier makes their writes visible to each other; other collectives do not.
  virtual const std::uint64_t* share(Collective kind, std::uint64_t mask, std::uint64_t mine) = 0;
  virtual bool any_of_block(bool mine) = 0;
  /// The block's memory with this name.
  virtual char* block_memory(const void* name, int bytes) = 0;
  virtual bool is_in_global_memory(const void* p) const = 0;
  /// Copies at the latest possible time: when the copy must have arrived. Addresses are multiples
  /// of `alignment`.
  virtual void start_copy(void* to, const void* from, int bytes, int alignment) = 0;
  /// Makes a group of the copies that were started since the last group.
  virtual void end_group_of_copies() = 0;
  /// One function completes all groups but the last `left`, and does not wait for copies that are
  /// in no group yet. The other completes all copies.
  virtual void finish_groups_of_copies(int left) = 0;
  virtual void finish_copies() = 0;
  /// The running lane prefetches these bytes into L2.
  virtual void prefetch(const void* from, std::size_t bytes) = 0;
  /// Records that the running lane has run this algorithm for products (Way).
  virtual void record(int algorithm) = 0;
};
/// The device of this process.
inline EmulatedDevice* emulated_device = nullptr;

/// A machine with warps of 32 lanes and NVIDIA's MMA instructions, or with warps of 64 and AMD's.
template <int WarpSize>
struct EmulatedMachine {
  static_assert(WarpSize == 32 || WarpSize == 64);
  static constexpr int warp_size = WarpSize;
  using LaneMask = std::conditional_t<WarpSize == 32, unsigned, unsigned long long>;
  static constexpr int banks = 32;
  static constexpr std::size_t most_scratch_bytes = 224 * 1024;
  static constexpr std::size_t whole_scratch_bytes = 224 * 1024;
  using Instructions =
      std::conditional_t<WarpSize == 32, NvidiaMatrixInstructions, AmdMatrixInstructions>;
  static constexpr bool has_matrix_cores = true;

  // --- Position ---------------------------------------------------------------------------------

  static int lanes_of_thread() { return emulated_device->place().lanes; }
  static int lane_of_thread() { return emulated_device->place().lane; }
  static int threads_of_block() { return emulated_device->place().threads; }
  static int thread_of_block() { return emulated_device->place().thread; }
  static int first_lane_of_thread() { return thread_of_block() * lanes_of_thread() % warp_size; }
  static int lane_of_warp() {
    return (lane_of_thread() + lanes_of_thread() * thread_of_block()) % warp_size;
  }
  static int first_lane_of_team() { return 0; }
  static int hidden(int x) { return x; }

  static bool uniform(bool x) { return x; }
  static int unknown_zero() { return 0; }
  template <class T>
  static T told_apart(const T& x, int) {
    return x;
  }

  // --- Lanes of a warp --------------------------------------------------------------------------

  template <int Width = warp_size, class T>
  static T shuffle(LaneMask mask, const T& x, int lane) {
    return from_lane(mask, x, lane_of_warp() / Width * Width + lane % Width);
  }
  template <class T>
  static T shuffle_xor(LaneMask mask, const T& x, int bits) {
    return from_lane(mask, x, lane_of_warp() ^ bits);
  }
  static LaneMask ballot(LaneMask mask, bool x) {
    const std::uint64_t* of =
        emulated_device->share(EmulatedDevice::Collective::ballot, mask, x ? 1 : 0);
    LaneMask result = 0;
    for (int l = 0; l < warp_size; ++l) {
      if ((mask >> l & 1U) != 0 && of[l] != 0) result |= LaneMask{1} << l;
    }
    return result;
  }
  static bool any_of(LaneMask mask, bool x) { return ballot(mask, x) != 0; }
  static int largest_of_warp(int x) { return largest_by_shuffles<EmulatedMachine>(x); }
  static void warp_barrier(LaneMask mask) {
    (void)emulated_device->share(EmulatedDevice::Collective::barrier, mask, 0);
  }
  static int first_lane_of(LaneMask lanes) { return lanes == 0 ? -1 : std::countr_zero(lanes); }

  // --- Memory -----------------------------------------------------------------------------------

  static void load_pair(const double* from, double (&x)[2]) {
    x[0] = from[0];
    x[1] = from[1];
  }
  static void store_pair(double* to, double x, double y) {
    to[0] = x;
    to[1] = y;
  }
  static void ask_for_line(const void*) {}
  static constexpr int cache_line = 64;  // of the host
  template <int>
  static void prefetch(const void* p) {
    emulated_device->prefetch(p, cache_line);
  }
  static constexpr bool prefetches_runs = WarpSize == 32;
  static void prefetch_run(const void* from, unsigned bytes) {
    emulated_device->prefetch(from, bytes);
  }

  // --- The block --------------------------------------------------------------------------------

  static bool block_is_one_team() { return true; }
  static void block_barrier() { (void)emulated_device->any_of_block(false); }
  static bool any_of_block(bool x) { return emulated_device->any_of_block(x); }
  template <class Kind, int Bytes>
  static char* block_memory() {
    static constexpr char name = 0;
    return emulated_device->block_memory(&name, Bytes);
  }
  static bool is_in_global_memory(const void* p) { return emulated_device->is_in_global_memory(p); }

  static char* in_block_memory(char* p) { return p; }

  // --- Asynchronous copies -----------------------------------------------------------------------

  alignas(16) static constexpr char zeros[16]{};
  static void start_copy_of_16(char* to, const char* from) {
    emulated_device->start_copy(to, from, 16, 16);
  }
  using BlockAddress = char*;
  template <class T>
  static const T* ahead(const T* base, int offset) {
    return base + offset;
  }
  static BlockAddress block_address(char* p) { return p; }
  static char* known_block_memory(char* p) { return p; }
  template <int Bytes>
  static void start_copy_to(char* to, const char* from, bool is_there, bool is_wanted) {
    if (!is_wanted) return;
    emulated_device->start_copy(to, is_there ? from : zeros, Bytes, Bytes);
  }
  static void finish_own_copies() { emulated_device->finish_copies(); }
  static void record(int algorithm) { emulated_device->record(algorithm); }
  template <class T>
  static void start_copy_if(T* to, const T* from, bool is_there) {
    static const T zero(0);
    if (!is_in_global_memory(from)) {
      *to = is_there ? *from : zero;
      return;
    }
    emulated_device->start_copy(to, is_there ? from : &zero, sizeof(T), sizeof(T));
  }
  static void end_group_of_copies() { emulated_device->end_group_of_copies(); }
  template <int Left>
  static void finish_groups_of_copies() {
    emulated_device->finish_groups_of_copies(Left);
  }

  // --- Matrices ---------------------------------------------------------------------------------

  /// Computes any atom, by its layout.
  template <class Atom>
  static void multiply_add(Atom, typename Atom::Acc (&sum)[Atom::sum_each],
                           const typename Atom::X (&x)[Atom::x_each],
                           const typename Atom::Y (&y)[Atom::y_each]) {
    static_assert(Atom::lanes == warp_size);
    typename Atom::X xs[Atom::m][Atom::k];
    typename Atom::Y ys[Atom::k][Atom::n];
    for (int r = 0; r < Atom::x_each; ++r) {
      for_lanes(x[r], [&](int lane, const auto& value) {
        const AtomPlace at = Atom::x_at(lane, r);
        xs[at.row][at.col] = value;
      });
    }
    for (int r = 0; r < Atom::y_each; ++r) {
      for_lanes(y[r], [&](int lane, const auto& value) {
        const AtomPlace at = Atom::y_at(lane, r);
        ys[at.row][at.col] = value;
      });
    }
    for (int r = 0; r < Atom::sum_each; ++r) {
      const AtomPlace at = Atom::sum_at(lane_of_warp(), r);
      for (int k = 0; k < Atom::k; ++k) {
        sum[r] += static_cast<typename Atom::Acc>(xs[at.row][k]) *
                  static_cast<typename Atom::Acc>(ys[k][at.col]);
      }
    }
  }
  static float rounded_to_11_bits(float x) {
    if (!std::isfinite(x)) return x;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>((bits + (1U << 12)) & ~((1U << 13) - 1));
  }

 private:
  template <class T>
  static std::uint64_t bits_of(const T& x) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(T));
    return bits;
  }
  template <class T>
  static T value_of(std::uint64_t bits) {
    T x;
    std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
    return x;
  }
  /// The value of x in lane `lane` of the warp. For a lane that does not take part it returns
  /// arbitrary bits: on a GPU they are undefined, and no code may use them.
  template <class T>
  static T from_lane(LaneMask mask, const T& x, int lane) {
    const std::uint64_t* bits =
        emulated_device->share(EmulatedDevice::Collective::shuffle, mask, bits_of(x));
    const int source = lane & (warp_size - 1);
    return value_of<T>((mask >> source & 1U) != 0 ? bits[source] : ~std::uint64_t{0});
  }
  /// Calls f(lane, x) for x of each lane of the warp; all lanes call it.
  template <class T, class F>
  static void for_lanes(const T& x, const F& f) {
    const std::uint64_t* bits = emulated_device->share(
        EmulatedDevice::Collective::matrix, static_cast<LaneMask>(~LaneMask{0}), bits_of(x));
    for (int lane = 0; lane < warp_size; ++lane) f(lane, value_of<T>(bits[lane]));
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
