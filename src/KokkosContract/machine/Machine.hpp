// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_MACHINE_HPP
#define KOKKOSCONTRACT_MACHINE_MACHINE_HPP

// The abilities of a lane of a GPU besides arithmetic: its position, exchange with the other lanes
// of its warp, barriers, memory of its block, asynchronous copies, and MMA instructions. A machine
// is a type with static functions. Each GPU's execution space has one, which its levels pass on.
// Device code of lanes calls only the machine, so a backend is one file.

#include <KokkosContract/machine/Emulated.hpp>
#include <KokkosContract/machine/Host.hpp>
#include <concepts>
#if defined(KOKKOS_ENABLE_CUDA)
#include <KokkosContract/machine/Cuda.hpp>
#define KOKKOSCONTRACT_DEVICE_MACHINE CudaMachine
#elif defined(KOKKOS_ENABLE_HIP)
#include <KokkosContract/machine/Hip.hpp>
#define KOKKOSCONTRACT_DEVICE_MACHINE HipMachine
#else
#define KOKKOSCONTRACT_DEVICE_MACHINE HostMachine
#endif

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The interface. M::warp_size is the number of lanes that execute together (NVIDIA: a warp; AMD: a
/// wave). `mask` has the lanes that call a collective function together, at the same point of the
/// program.
template <class M>
concept GpuMachine = requires(typename M::LaneMask mask, int i, bool condition, double x,
                              double (&pair)[2], const double* from, double* to, char* to_bytes,
                              const char* from_bytes) {
  requires(M::warp_size == 32 || M::warp_size == 64);
  /// One bit for each lane of a warp.
  requires std::unsigned_integral<typename M::LaneMask>;
  requires(static_cast<int>(sizeof(typename M::LaneMask)) * 8 == M::warp_size);
  /// Number of banks of shared memory, of 4 bytes each.
  { M::banks } -> std::convertible_to<int>;
  /// Bytes of scratch memory of level 0 that a routine may request, and that a team may have in
  /// all.
  { M::most_scratch_bytes } -> std::convertible_to<std::size_t>;
  { M::whole_scratch_bytes } -> std::convertible_to<std::size_t>;
  /// Whether the GPU that code is compiled for has the instructions of this set (Atom.hpp).
  typename M::Instructions;
  { M::has_matrix_cores } -> std::convertible_to<bool>;

  // --- Position ---------------------------------------------------------------------------------
  /// Number of lanes of each thread of the block, and the number of this lane among them.
  { M::lanes_of_thread() } -> std::same_as<int>;
  { M::lane_of_thread() } -> std::same_as<int>;
  { M::threads_of_block() } -> std::same_as<int>;
  { M::thread_of_block() } -> std::same_as<int>;
  /// The first lane of this thread, and this lane, in their warp.
  { M::first_lane_of_thread() } -> std::same_as<int>;
  { M::lane_of_warp() } -> std::same_as<int>;
  /// The first lane of this team in its warp if the block is several teams, and 0 otherwise.
  { M::first_lane_of_team() } -> std::same_as<int>;
  /// A number that the compiler cannot trace. Addresses and conditions that are derived from it are
  /// computed where they are needed, and not kept in registers.
  { M::hidden(i) } -> std::same_as<int>;

  /// A condition that is the same in all lanes of a warp. All of them call this function. The
  /// compiler then knows that the condition is uniform, so no lane waits for others after a branch.
  { M::uniform(condition) } -> std::same_as<bool>;

  /// An opaque zero, and x laundered through it: the compiler does not know that the result is a
  /// copy, so the two are in different registers.
  { M::unknown_zero() } -> std::same_as<int>;
  { M::told_apart(x, i) } -> std::same_as<double>;

  // --- Lanes of a warp ------------------------------------------------------------------------
  /// Two shuffles over this lane's group of Width lanes (a power of two, by default the warp). One
  /// returns the value of x in lane number i. The other returns the value in the lane whose number
  /// differs in the bits of i. They take int, unsigned, float and double.
  { M::template shuffle<M::warp_size / 2>(mask, x, i) } -> std::same_as<double>;
  { M::shuffle(mask, x, i) } -> std::same_as<double>;
  { M::shuffle_xor(mask, x, i) } -> std::same_as<double>;
  /// The lanes of `mask` for which the condition holds, and whether it holds for any of them.
  { M::ballot(mask, condition) } -> std::same_as<typename M::LaneMask>;
  { M::any_of(mask, condition) } -> std::same_as<bool>;
  /// The largest i of all lanes of a warp. All of them call this function.
  { M::largest_of_warp(i) } -> std::same_as<int>;
  /// The lanes wait for each other, and see each other's writes.
  M::warp_barrier(mask);
  /// The lowest of these lanes, or -1 if there is none.
  { M::first_lane_of(mask) } -> std::same_as<int>;

  // --- Memory ---------------------------------------------------------------------------------
  /// Loads two doubles from a multiple of 16 bytes by one instruction, which a compiler would not
  /// do.
  M::load_pair(from, pair);
  M::store_pair(to, x, x);
  /// Prefetches a line, into L1 and into L2.
  M::ask_for_line(from);
  M::template prefetch<1>(from);
  /// Whether one instruction prefetches a run of lines into L2. The run begins at a multiple of 16
  /// bytes, and has such a multiple of bytes.
  { M::prefetches_runs } -> std::convertible_to<bool>;
  M::prefetch_run(from, unsigned{});

  // --- The block ------------------------------------------------------------------------------
  /// Whether the block is one team, and not several teams of one thread each.
  { M::block_is_one_team() } -> std::same_as<bool>;
  M::block_barrier();
  /// A barrier of the block. Returns whether the condition holds for any of its lanes.
  { M::any_of_block(condition) } -> std::same_as<bool>;
  /// Shared memory of the block, the same for every call with this Kind (the first argument).
  { M::template block_memory<M, 16>() } -> std::same_as<char*>;
  { M::is_in_global_memory(from) } -> std::same_as<bool>;
  /// Returns the address. The compiler then knows that it is in shared memory.
  { M::in_block_memory(to_bytes) } -> std::same_as<char*>;
  /// Returns the address so that it stays in a register: compilers would otherwise compute it again
  /// and again. All lanes of a warp call it.
  { M::known_block_memory(to_bytes) } -> std::same_as<char*>;

  /// Returns from + i.
  { M::ahead(from, i) } -> std::same_as<const double*>;

  // --- Asynchronous copies, from global to shared memory --------------------------------------
  /// Copies 16 bytes, from and to multiples of 16, and ends the copies of this lane.
  M::start_copy_of_16(to_bytes, from_bytes);
  /// Copies 2, 4, 8 or 16 bytes, or zeros. The target is an address in shared memory that is in a
  /// register, so that byte offsets can be added. If the last condition does not hold, the function
  /// does nothing, without a branch.
  M::template start_copy_to<16>(M::block_address(to_bytes) + i, from_bytes, condition, condition);
  M::finish_own_copies();
  /// Copies an element, or zero if the condition does not hold. The element may be in shared
  /// memory. Copies are started in groups: `end` ends a group, and `finish` waits for all groups of
  /// this lane but the last Left.
  M::start_copy_if(to, from, condition);
  M::end_group_of_copies();
  M::template finish_groups_of_copies<0>();
};
// A machine with MMA instructions also has multiply_add(atom, sum, x, y) for each atom of its
// Instructions: sum += x y, in arrays whose sizes the atom gives. All lanes of a warp call it. For
// atoms that take floats of 11 bits it has rounded_to_11_bits(x), too.
//
// A machine that is not emulated also has these, in device code only:
//
//     Space                         its execution space
//     int cache_line                bytes
//     int blocks_of_grid()
//     void end_program()
//     read_variable(to, variable), write_variable(variable, from)
//                                   on the host: from and to a DEVICE_VARIABLE (Config.hpp)
//     float or double reciprocal_estimate(d)
//                                   1 / d by one instruction: accurate to the last bit or to 20
//                                   bits, infinite or 0 where it is not normal
//     double approximate_reciprocal(double d, bool& exists)     1 / d
//     double approximate_inverse_root(double d, bool& exists)   1 / sqrt(d) of a positive number
//
// The last two take a few instructions, steps of Newton's method, and are accurate to the last bit
// or two. Extreme numbers, whose results or intermediate results are not normal, have none:
// `exists` becomes false.

/// A GPU that a host emulates, for tests (Emulated.hpp).
template <class Space>
inline constexpr bool is_emulated = requires { Space::is_emulated_gpu; };

template <class Space>
struct MachineOf {
  using type = void;
};
/// The machine of an execution space, or void if that is no GPU.
template <class Space>
using machine_of_t = typename MachineOf<Space>::type;

template <class Space>
  requires is_emulated<Space>
struct MachineOf<Space> {
  using type = EmulatedMachine<Space::warp_size>;
};
static_assert(GpuMachine<EmulatedMachine<32>> && GpuMachine<EmulatedMachine<64>>);

using DeviceMachine = KOKKOSCONTRACT_DEVICE_MACHINE;

/// Whether kernels of this program may run on a GPU. Scratch memory is then laid out for a GPU in
/// all execution spaces, because a host computes sizes for it.
inline constexpr bool has_gpu = !std::is_same_v<DeviceMachine, HostMachine>;
static_assert(!has_gpu || GpuMachine<DeviceMachine>);

template <class Space>
  requires(has_gpu && std::is_same_v<Space, DeviceMachine::Space>)
struct MachineOf<Space> {
  using type = DeviceMachine;
};

/// The machine of code that does not know its execution space.
using LocalMachine = std::conditional_t<is_device_code(), DeviceMachine, HostMachine>;

template <class Space>
inline constexpr bool is_gpu = !std::is_void_v<machine_of_t<Space>>;
template <class Space>
inline constexpr bool is_host =
    Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible && !is_gpu<Space>;

/// Lanes of a warp of an execution space, or 1 if that is no GPU.
template <class Space>
inline constexpr int warp_size_of = 1;
template <class Space>
  requires(!std::is_void_v<machine_of_t<Space>>)
inline constexpr int warp_size_of<Space> = machine_of_t<Space>::warp_size;

// --- Masks --------------------------------------------------------------------------------------

template <class M>
inline constexpr typename M::LaneMask whole_warp = ~typename M::LaneMask{0};
template <class M>
KOKKOS_FORCEINLINE_FUNCTION typename M::LaneMask lane_bit(int lane) {
  return typename M::LaneMask{1} << lane;
}
/// The first `count` lanes.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION typename M::LaneMask first_lanes(int count) {
  return count >= M::warp_size ? whole_warp<M> : lane_bit<M>(count) - 1;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
