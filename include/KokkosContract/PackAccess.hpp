// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PACK_ACCESS_HPP
#define KOKKOSCONTRACT_PACK_ACCESS_HPP

#include <KokkosContract/Pack.hpp>
#include <KokkosContract/machine/Report.hpp>
#include <KokkosContract/operand/Lanes.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The length of packs of T that suits an execution space: the lanes of a vector register on a
/// host, and of a warp on a GPU.
template <class T, class Space = Kokkos::DefaultExecutionSpace>
inline constexpr int default_pack_length =
    Impl::is_gpu<Space> ? Impl::warp_size_of<Space>
                        : (sizeof(T) < KOKKOSCONTRACT_VECTOR_BYTES
                               ? KOKKOSCONTRACT_VECTOR_BYTES / static_cast<int>(sizeof(T))
                               : 1);

/// Access by scalars to an array of packs. Dimension D runs over the problems: problem i is lane i
/// % L of entry i / L. This is no operand; it is for filling and reading.
template <int D, class PackOperand>
class PackedAccess {
 public:
  static constexpr int rank = PackOperand::rank;
  using pack_type = std::remove_const_t<typename PackOperand::value_type>;
  static_assert(Impl::is_pack<pack_type>, "KokkosContract: packed_access needs a View of packs");
  static_assert(D >= 0 && D < rank, "KokkosContract: packed_access<D>: no such dimension");

  KOKKOS_FUNCTION PackedAccess(const PackOperand& packs, int problems)
      : packs_(packs), problems_(problems) {}

  KOKKOS_FUNCTION int extent(int i) const { return i == D ? problems_ : packs_.extent(i); }

  template <class... I>
    requires(sizeof...(I) == PackOperand::rank)
  KOKKOS_FUNCTION auto& operator()(I... i) const {
    const std::ptrdiff_t index[] = {static_cast<std::ptrdiff_t>(i)...};
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < rank; ++d) {
      offset += (d == D ? index[d] / pack_type::length : index[d]) * packs_.stride(d);
    }
    return packs_.data()[offset].lane[index[D] % pack_type::length];
  }

 private:
  PackOperand packs_;
  int problems_;
};

/// `packed_access<0>(view, problems)(p, i, j)` is element (i, j) of problem p in a View<Pack<T,
/// L>***>, by reference. It works on host or device, wherever the View's memory is accessible.
template <int D, class V>
KOKKOS_INLINE_FUNCTION auto packed_access(V&& view, int problems) {
  Impl::check_outlives<V>(view);
  const auto packs = Impl::as_operand(view);
  Impl::check(
      problems >= 0 && problems <= std::ptrdiff_t{packs.extent(D)} * Impl::value_t<V>::length,
      "KokkosContract: packed_access: more problems than the View has lanes");
  return PackedAccess<D, std::remove_const_t<decltype(packs)>>(packs, problems);
}

namespace Impl {

template <bool Identity, class Space, class V>
void pad_lanes(const char* name, const Space& exec, const V& view, int problems) {
  using P = value_t<V>;
  static_assert(is_pack<P>, "KokkosContract: pad_identity and pad_zero need a View of packs");
  static_assert(V::rank() >= 1,
                "KokkosContract: pad_identity and pad_zero need a View whose first dimension runs "
                "over the entries");
  const std::ptrdiff_t all = static_cast<std::ptrdiff_t>(view.extent(0)) * P::length;
  if (problems < 0 || problems > all || all > most_extent) {
    throw std::invalid_argument(std::string("KokkosContract::") + name + ": " +
                                std::to_string(problems) + " problems, but \"" + view.label() +
                                "\" has " + std::to_string(all) + " lanes, of at most 2^31 - 1024");
  }
  const auto lanes = static_cast<int>(all);
  const auto access = packed_access<0>(view, lanes);
  Kokkos::parallel_for(std::string("KokkosContract::") + name,
                       Kokkos::RangePolicy<Space>(exec, problems, lanes),
                       PadLanes<std::remove_const_t<decltype(access)>, Identity>{access});
}

}  // namespace Impl

/// Makes the lanes after the last problem harmless. A View of rank 3 or more (entries, ..., rows,
/// columns) gets identity matrices in its last two dimensions. One of rank 2 (entries, rows) or 1
/// (entries) gets zeros. Runs on exec, asynchronously. Throws std::invalid_argument if the View has
/// fewer lanes than problems.
template <class Space, class V>
void pad_identity(const Space& exec, const V& view, int problems) {
  Impl::pad_lanes<(V::rank() >= 3)>("pad_identity", exec, view, problems);
}

/// Sets the lanes after the last problem to zero, in a View of any rank (entries, ...). It is for
/// tensors, and for right-hand sides of several columns. Otherwise as pad_identity.
template <class Space, class V>
void pad_zero(const Space& exec, const V& view, int problems) {
  Impl::pad_lanes<false>("pad_zero", exec, view, problems);
}

/// One source for packs on a host and scalars on a GPU. It calls `functor(packed...)`, a generic
/// lambda `[&](const auto&... v) { ...; return code; }`:
///
///   - on a host once, with the packs themselves;
///   - on a GPU in each vector lane of the calling team thread. Each operand of packs becomes a
///     scalar operand of the lane's own problem. Its strides are those of the packs times L, and
///     static strides stay static. Other arguments pass through.
///
/// Inside the functor, call Serial or Team routines: they treat each lane as a separate caller. All
/// packs have the same length L, which must be a multiple of the vector length of the team policy.
///
/// Returns the first non-zero code of all lanes, the same in each. Returns -4, without having
/// called the functor, if L is not a multiple of the vector length.
template <class Member, class Functor, class... Packed>
KOKKOSCONTRACT_RETURNS_CODE KOKKOS_INLINE_FUNCTION int for_each_lane(const Member& member,
                                                                     const Functor& functor,
                                                                     const Packed&... packed) {
  const int code = Impl::for_each_lane_of(Impl::vector_level(member), functor, packed...);
  return code == Impl::lanes_do_not_divide ? Impl::report<Impl::ForEachLane>(code, member) : code;
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
