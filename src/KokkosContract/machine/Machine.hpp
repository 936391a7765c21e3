// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_MACHINE_HPP
#define KOKKOSCONTRACT_MACHINE_MACHINE_HPP

// What a lane of a GPU can do besides arithmetic: know its place, tell the other lanes of its wave
// something, wait for them, use the memory of its block, copy without waiting, multiply matrices.
// A machine is a type with static functions; each GPU's execution space has one, which its levels
// hand on. Device code of lanes asks it and nothing else, so that a backend is one file.

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

/// The interface. A wave is the lanes that run together (NVIDIA: a warp); `mask` are the lanes that
/// call a collective function together, at the same place of the program.
template <class M>
concept GpuMachine = requires(typename M::LaneMask mask, int i, bool condition, double x,
                              double (&pair)[2], const double* from, double* to, char* to_bytes,
                              const char* from_bytes) {
  requires(M::wave == 32 || M::wave == 64);
  /// A bit for each lane of a wave.
  requires std::unsigned_integral<typename M::LaneMask>;
  requires(static_cast<int>(sizeof(typename M::LaneMask)) * 8 == M::wave);
  /// Of shared memory, of 4 bytes.
  { M::banks } -> std::convertible_to<int>;
  /// Of scratch memory at level 0 that a routine may ask for; that a team may have in all.
  { M::most_scratch_bytes } -> std::convertible_to<std::size_t>;
  { M::whole_scratch_bytes } -> std::convertible_to<std::size_t>;
  /// Whether the GPU that code is being compiled for has the instructions of this set
  /// (Atom.hpp).
  typename M::Instructions;
  { M::has_matrix_cores } -> std::convertible_to<bool>;

  // --- Places
  // -----------------------------------------------------------------------------------
  /// Lanes of each thread of the block; the number of this one among them.
  { M::lanes_of_thread() } -> std::same_as<int>;
  { M::lane_of_thread() } -> std::same_as<int>;
  { M::threads_of_block() } -> std::same_as<int>;
  { M::thread_of_block() } -> std::same_as<int>;
  /// The first lane of this thread, and this lane, in their wave.
  { M::first_lane_of_thread() } -> std::same_as<int>;
  { M::lane_of_wave() } -> std::same_as<int>;
  /// The first lane of this team in its wave, where the block is several teams; else 0.
  { M::first_lane_of_team() } -> std::same_as<int>;
  /// A number of which the compiler does not know where it comes from: what is derived from it,
  /// addresses and conditions, is computed where it is needed and not kept from elsewhere.
  { M::hidden(i) } -> std::same_as<int>;

  /// A condition that is the same in all lanes of a wave, all of which come here: and the compiler
  /// knows that, so that nobody waits for others behind a branch.
  { M::uniform(condition) } -> std::same_as<bool>;

  /// 0, which the compiler does not know; and x, of which it does not know that, if that is 0, it
  /// is a copy: so the two are in different registers.
  { M::unknown_zero() } -> std::same_as<int>;
  { M::told_apart(x, i) } -> std::same_as<double>;

  // --- Lanes of a wave
  // --------------------------------------------------------------------------
  /// The value of x in lane number i of the Width (a power of two, by default all) lanes of the
  /// wave to which this one belongs; in the lane whose number differs in the bits of i. Of int,
  /// unsigned, float and double.
  { M::template shuffle<M::wave / 2>(mask, x, i) } -> std::same_as<double>;
  { M::shuffle(mask, x, i) } -> std::same_as<double>;
  { M::shuffle_xor(mask, x, i) } -> std::same_as<double>;
  /// The lanes of `mask` for which it holds; whether it does for any of them.
  { M::ballot(mask, condition) } -> std::same_as<typename M::LaneMask>;
  { M::any_of(mask, condition) } -> std::same_as<bool>;
  /// They wait for each other, and see what each other wrote.
  M::wave_barrier(mask);
  /// The least of these lanes; -1 if there is none.
  { M::first_lane_of(mask) } -> std::same_as<int>;

  // --- Memory
  // -----------------------------------------------------------------------------------
  /// Two numbers at a multiple of 16 bytes in one instruction, which a compiler would not do.
  M::load_pair(from, pair);
  M::store_pair(to, x, x);
  /// Asks the first-level cache for what will be read there; and the one that all cores share.
  M::ask_for_line(from);
  M::template prefetch<1>(from);

  // --- The block
  // --------------------------------------------------------------------------------
  /// Whether the block is one team, and not several with one thread each.
  { M::block_is_one_team() } -> std::same_as<bool>;
  M::block_barrier();
  /// A barrier of the block; whether it holds for any of its lanes.
  { M::any_of_block(condition) } -> std::same_as<bool>;
  /// Bytes of shared memory of the block, the same wherever Kind (the first argument) is.
  { M::template block_memory<M, 16>() } -> std::same_as<char*>;
  { M::is_in_global_memory(from) } -> std::same_as<bool>;
  /// The same address, of which the compiler then knows that it is in shared memory.
  { M::in_block_memory(to_bytes) } -> std::same_as<char*>;
  /// And that stays in a register: compilers would else find out again and again where it is.
  /// All lanes of a wave call it.
  { M::known_block_memory(to_bytes) } -> std::same_as<char*>;

  /// from + i.
  { M::ahead(from, i) } -> std::same_as<const double*>;

  // --- Copies without waiting, from global to shared memory
  // ----------------------------------------
  /// 16 bytes, both at multiples of 16; ends those of this lane.
  M::start_copy_of_16(to_bytes, from_bytes);
  /// 4, 8 or 16 bytes, or zeros, to an address in shared memory that is in a register, to which
  /// numbers of bytes are added; nothing at all, without a branch, where the last condition does
  /// not hold.
  M::template start_copy_to<16>(M::block_address(to_bytes) + i, from_bytes, condition, condition);
  M::finish_own_copies();
  /// An element, or zero where it is not there. Copies are started in groups: `end` ends one,
  /// and `finish` waits for all groups of this lane but the last Left.
  M::start_copy_if(to, from, condition);
  M::end_group_of_copies();
  M::template finish_groups_of_copies<0>();
};
// Besides, where the machine has matrix cores, multiply_add(atom, sum, x, y) for each atom of its
// Instructions: sum += x y, in arrays of as many elements as the atom says; all lanes of a wave
// call it; and, for atoms that take floats of 11 bits, rounded_to_11_bits(x). And, of a machine
// that is not emulated, in device code only:
//   Space                         its execution space
//   int cache_line                bytes
//   int blocks_of_grid()
//   void end_program()
//   read_variable(to, variable), write_variable(variable, from)
//                                 on the host: from and to a DEVICE_VARIABLE (Config.hpp)
//   float or double reciprocal_estimate(d)                    1 / d by one instruction: right to
//   the
//                                 last bit or to 20 bits, infinite or 0 where it is not normal
//   double approximate_reciprocal(double d, bool& exists)     1 / d
//   double approximate_inverse_root(double d, bool& exists)   1 / sqrt(d) of a positive number
// in a few instructions, right to the last bit or two, by steps of Newton's method. Extreme
// numbers, whose results or intermediate results are not normal, have none: `exists` becomes false.

/// A GPU that a host emulates, for tests (Emulated.hpp).
template <class Space>
inline constexpr bool is_emulated = requires { Space::is_emulated_gpu; };

template <class Space>
struct MachineOf {
  using type = void;
};
/// The machine of an execution space; void, if that is no GPU.
template <class Space>
using machine_of_t = typename MachineOf<Space>::type;

template <class Space>
  requires is_emulated<Space>
struct MachineOf<Space> {
  using type = EmulatedMachine<Space::wave>;
};
static_assert(GpuMachine<EmulatedMachine<32>> && GpuMachine<EmulatedMachine<64>>);

using DeviceMachine = KOKKOSCONTRACT_DEVICE_MACHINE;

/// Whether kernels of this program may run on a GPU. What lies in scratch memory is then laid out
/// for one, in all execution spaces: a host reckons for the other.
inline constexpr bool has_gpu = !std::is_same_v<DeviceMachine, HostMachine>;
static_assert(!has_gpu || GpuMachine<DeviceMachine>);

template <class Space>
  requires(has_gpu && std::is_same_v<Space, DeviceMachine::Space>)
struct MachineOf<Space> {
  using type = DeviceMachine;
};

/// What code runs on that does not know its execution space.
using LocalMachine = std::conditional_t<is_device_code(), DeviceMachine, HostMachine>;

template <class Space>
inline constexpr bool is_gpu = !std::is_void_v<machine_of_t<Space>>;
template <class Space>
inline constexpr bool is_host =
    Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible && !is_gpu<Space>;

/// Lanes of a wave of an execution space; 1, if that is no GPU.
template <class Space>
inline constexpr int wave_of = 1;
template <class Space>
  requires(!std::is_void_v<machine_of_t<Space>>)
inline constexpr int wave_of<Space> = machine_of_t<Space>::wave;

// --- Masks --------------------------------------------------------------------------------------

template <class M>
inline constexpr typename M::LaneMask whole_wave = ~typename M::LaneMask{0};
template <class M>
KOKKOS_FORCEINLINE_FUNCTION typename M::LaneMask lane_bit(int lane) {
  return typename M::LaneMask{1} << lane;
}
/// So many lanes, from the first one on.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION typename M::LaneMask first_lanes(int count) {
  return count >= M::wave ? whole_wave<M> : lane_bit<M>(count) - 1;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
