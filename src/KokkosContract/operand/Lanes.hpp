// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_OPERAND_LANES_HPP
#define KOKKOSCONTRACT_OPERAND_LANES_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/core/Vec.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/operand/Info.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct ForEachLane {
  static consteval Text name() { return Text{} << "for_each_lane"; }
};

/// Sets problem p of a PackedAccess to zero, or, with Identity, to an identity matrix in its last
/// two dimensions.
template <class Access, bool Identity>
struct PadLanes {
  Access access;

  KOKKOS_FUNCTION void operator()(const int p) const { fill(p); }

  template <class... I>
  KOKKOS_FUNCTION void fill(const int p, const I... i) const {
    using T = typename Access::pack_type::value_type;
    constexpr int next = static_cast<int>(sizeof...(I)) + 1;
    if constexpr (next < Access::rank) {
      for (int k = 0; k < access.extent(next); ++k) fill(p, i..., k);
    } else if constexpr (Identity) {
      static_assert(next >= 3);
      const int index[] = {i...};
      access(p, i...) = index[next - 3] == index[next - 2] ? T(1) : T(0);
    } else {
      access(p, i...) = T(0);
    }
  }
};

template <int R>
consteval StaticShape<R> lane_shape(StaticShape<R> shape, int lanes) {
  for (int i = 0; i < R; ++i) {
    if (shape.stride[i] != dynamic) shape.stride[i] *= lanes;
  }
  return shape;
}

/// The scalar operand of one lane if `a` is an operand of packs, and `a` itself otherwise.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto lane_of(const A& a, int lane) {
  using P = value_t<A>;
  if constexpr (is_pack<P>) {
    const auto packs = as_operand(a);
    using Packs = std::remove_const_t<decltype(packs)>;
    using T = std::conditional_t<std::is_const_v<typename Packs::value_type>, const scalar_t<P>,
                                 scalar_t<P>>;
    constexpr int rank = Packs::rank;
    int extent[rank > 0 ? rank : 1]{};
    std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
    for (int i = 0; i < rank; ++i) {
      extent[i] = packs.extent(i);
      stride[i] = packs.stride(i) * P::length;
    }
    return strided_t<T, lane_shape(Packs::shape, P::length)>(&packs.data()->lane[lane], extent,
                                                             stride);
  } else {
    return a;
  }
}

/// The shape of an operand of packs as a batch. The problems of a pack, one for each of its lanes,
/// are neighbours.
template <int R>
consteval StaticShape<R + 1> lanes_shape(const StaticShape<R>& packs, int lanes) {
  StaticShape<R + 1> shape{};
  shape.extent[0] = lanes;
  shape.stride[0] = 1;
  const StaticShape<R> lane = lane_shape(packs, lanes);
  for (int i = 0; i < R; ++i) {
    shape.extent[i + 1] = lane.extent[i];
    shape.stride[i + 1] = lane.stride[i];
  }
  return shape;
}

/// The shape of integers for the lanes of packs, with the last dimension, which runs over the
/// lanes, moved to the front.
template <int R>
consteval StaticShape<R> lanes_first(const StaticShape<R>& shape) {
  StaticShape<R> result = shape;
  for (int i = 0; i < R; ++i) {
    result.extent[i] = shape.extent[(i + R - 1) % R];
    result.stride[i] = shape.stride[(i + R - 1) % R];
  }
  return result;
}

/// Converts an argument of a routine for packs to one for a batch of scalar problems. All problems
/// share a scalar operand.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto batch_of_lanes(const A& a) {
  if constexpr (!is_array<A> || is_shared<A>) {
    return a;
  } else {
    const auto operand = as_operand(a);
    using Op = std::remove_const_t<decltype(operand)>;
    using P = typename Op::value_type;
    constexpr int rank = Op::rank;
    if constexpr (is_pack<value_t<A>>) {
      constexpr int length = value_t<A>::length;
      using T =
          std::conditional_t<std::is_const_v<P>, const scalar_t<value_t<A>>, scalar_t<value_t<A>>>;
      int extent[rank + 1]{length};
      std::ptrdiff_t stride[rank + 1]{1};
      for (int i = 0; i < rank; ++i) {
        extent[i + 1] = operand.extent(i);
        stride[i + 1] = operand.stride(i) * length;
      }
      return strided_t<T, lanes_shape(Op::shape, length)>(operand.data()->lane, extent, stride);
    } else if constexpr (std::is_integral_v<value_t<A>>) {
      int extent[rank > 0 ? rank : 1]{};
      std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
      for (int i = 0; i < rank; ++i) {
        extent[i] = operand.extent((i + rank - 1) % rank);
        stride[i] = operand.stride((i + rank - 1) % rank);
      }
      return strided_t<P, lanes_first(Op::shape)>(operand.data(), extent, stride);
    } else {
      return shared(operand);
    }
  }
}

template <class... Packed>
consteval int pack_length_of() {
  int length = 0;
  ((length =
        PackTraits<value_t<Packed>>::lanes > length ? PackTraits<value_t<Packed>>::lanes : length),
   ...);
  return length;
}

template <class... Packed>
consteval bool same_pack_length() {
  constexpr int length = pack_length_of<Packed...>();
  return (
      (PackTraits<value_t<Packed>>::lanes == 0 || PackTraits<value_t<Packed>>::lanes == length) &&
      ...);
}

/// The variant for a host: one worker, and packs are elements.
template <class Functor, class... Packed>
KOKKOS_FORCEINLINE_FUNCTION int for_each_lane_of(const SerialLevel&, const Functor& functor,
                                                 const Packed&... packed) {
  return functor(packed...);
}

template <class Space, class Functor, class... Packed>
KOKKOS_FORCEINLINE_FUNCTION int for_each_lane_of(const VectorLevel<Space>& level,
                                                 const Functor& functor, const Packed&... packed) {
  constexpr int length = pack_length_of<Packed...>();
  static_assert(length > 0, "KokkosContract: for_each_lane needs an operand of packs");
  static_assert(same_pack_length<Packed...>(),
                "KokkosContract: for_each_lane: packs of different lengths");
  if (length % level.size() != 0) return lanes_do_not_divide;
  FirstInfo mine;
  for (int lane = level.rank(); lane < length; lane += level.size()) {
    mine.offer(lane, functor(lane_of(packed, lane)...));
  }
  return first_info(level, mine);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
