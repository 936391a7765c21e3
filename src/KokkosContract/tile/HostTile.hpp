// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_HOSTTILE_HPP
#define KOKKOSCONTRACT_TILE_HOSTTILE_HPP

// A tile in memory, row-major: on a host, where it stays in a cache, and of one thread alone. A
// product is a contraction of parts of its inputs, which the host's ways of products take.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/product/Contract.hpp>
#include <KokkosContract/tile/GpuTile.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The shape of a part: extents are known at run time only.
template <int R>
consteval StaticShape<R> shape_of_part(StaticShape<R> shape) {
  for (int i = 0; i < R; ++i) shape.extent[i] = dynamic;
  return shape;
}

template <TileExtents Extents>
consteval StaticShape<Extents.rank()> shape_in_memory() {
  StaticShape<Extents.rank()> shape{};
  std::ptrdiff_t stride = 1;
  for (int l = Extents.rank() - 1; l >= 0; --l) {
    shape.extent[l] = dynamic;
    shape.stride[l] = stride;
    stride *= Extents.extent[l];
  }
  return shape;
}

template <class Level, class T, TileExtents Extents>
class HostTile : private TilePosition<Extents> {
  using Position = TilePosition<Extents>;

 public:
  using Position::rank;
  using Position::rank_or_1;
  static constexpr std::size_t bytes = sizeof(T) * Extents.size();

  /// `memory` is null where there is too little.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION HostTile(const Level& level, T* memory, const Index& origin,
                                       const Index& extents)
      : Position(origin, extents), level_(level), memory_(memory) {
    if (memory_ == nullptr) return;
    Impl::for_each(level_, Extents.size(), [&](std::ptrdiff_t i) { memory_[i] = T(0); });
    level_.barrier();
  }

  template <int... I, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION int accumulate(
      const TileArgumentList<std::integer_sequence<int, I...>, Arguments...>& arguments) {
    if (memory_ == nullptr) return scratch_too_small;
    if (!this->all_agree(arguments)) return extents_disagree;
    int code = 0;
    unrolled<static_cast<int>(sizeof...(Arguments))>([&]<int n>(Number<n>) {
      if (code == 0) code = add(argument<n>(arguments));
    });
    return code;
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(const F& f) {
    for_each_row([&](const int (&first)[rank_or_1], T* row, const auto& count) {
      for (int i = 0; i < number_of(count); ++i) call(f, row[i], first, i);
    });
  }

  /// Neighbours have sums of their own, so that they are computed side by side.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const F& f, R& sum) {
    R sums[row_length]{};
    for_each_row([&](const int (&first)[rank_or_1], const T* row, const auto& count) {
      KOKKOSCONTRACT_SIMD
      for (int i = 0; i < number_of(count); ++i) call(f, row[i], first, i, sums[i]);
    });
    for (const R& s : sums) sum = sum + s;
  }

  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION R total(const R& mine) const {
    return level_.reduce(mine, [](const R& x, const R& y) { return x + y; });
  }

  KOKKOS_FORCEINLINE_FUNCTION const Level& level() const { return level_; }
  KOKKOS_FORCEINLINE_FUNCTION void set_nonzero() {}
  KOKKOS_FORCEINLINE_FUNCTION bool has_memory() const { return memory_ != nullptr; }

 private:
  Level level_;
  T* memory_;
  using Position::limit_;
  using Position::origin_;

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int number_of(Number<N>) {
    return N;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int number_of(int n) { return n; }

  static constexpr int row_length = rank > 0 ? Extents.extent[rank_or_1 - 1] : 1;

  /// f(index of its first element, row, elements). Of the last two letters nothing is divided.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(const F& f) {
    if (memory_ == nullptr) return;
    constexpr int last = rank > 0 ? rank - 1 : 0;
    constexpr int before = rank > 1 ? rank - 2 : 0;
    const int count = rank > 0 ? limit_[last] : 1;
    const int rows = rank > 1 ? limit_[before] : 1;
    int planes = 1;
    for (int l = 0; l < before; ++l) planes *= limit_[l];
    Impl::for_each(level_, planes, [&](std::ptrdiff_t plane) {
      int first[rank_or_1]{};
      int rest = static_cast<int>(plane);
      int at = 0;
      int stride = Extents.extent[before] * row_length;
      for (int l = before - 1; l >= 0; --l) {
        const int i = take_digit(rest, limit_[l]);
        first[l] = origin_[l] + i;
        at += i * stride;
        stride *= Extents.extent[l];
      }
      if constexpr (rank > 0) first[last] = origin_[last];
      for (int row = 0; row < rows; ++row, at += row_length) {
        if constexpr (rank > 1) first[before] = origin_[before] + row;
        if (count == row_length) {
          f(first, memory_ + at, Number<row_length>{});
        } else {
          f(first, memory_ + at, count);
        }
      }
    });
  }
  template <class F, class Value, class... Sum>
  KOKKOS_FORCEINLINE_FUNCTION static void call(const F& f, Value& value,
                                               const int (&first)[rank_or_1], int i, Sum&... sum) {
    // Not copied as a block of memory, which would be no number of an iteration.
    int index[rank_or_1]{};
    unrolled<rank>([&]<int l>(Number<l>) { index[l] = first[l] + (l + 1 == rank ? i : 0); });
    f(value, index, sum...);
  }

  /// The part of an input that the tile needs.
  template <Labels Of, class A>
  KOKKOS_FORCEINLINE_FUNCTION auto part_of(const A& a) const {
    constexpr int a_rank = A::rank;
    int extent[a_rank > 0 ? a_rank : 1]{};
    std::ptrdiff_t stride[a_rank > 0 ? a_rank : 1]{};
    auto* data = a.data();
    for (int i = 0; i < a_rank; ++i) {
      extent[i] = a.extent(i);
      stride[i] = a.stride(i);
      const int of_tile = dimension_of(Extents.letters, Of.letter[i]);
      if (of_tile < 0) continue;
      extent[i] = limit_[of_tile];
      data += origin_[of_tile] * stride[i];
    }
    return strided_t<typename A::value_type, shape_of_part(A::shape)>(data, extent, stride);
  }

  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION int add(const Argument& of) const {
    constexpr Spec S = Argument::spec;
    const auto a = part_of<Parse<S>::value.input[0]>(as_operand(of.a));
    const auto b = part_of<Parse<S>::value.input[1]>(as_operand(of.b));
    std::ptrdiff_t stride[rank_or_1]{};
    std::ptrdiff_t next = 1;
    bool is_empty = false;
    for (int l = rank - 1; l >= 0; --l) {
      stride[l] = next;
      next *= Extents.extent[l];
      is_empty = is_empty || limit_[l] == 0;
    }
    if (is_empty) return 0;
    const strided_t<T, shape_in_memory<Extents>()> c(memory_, limit_, stride);
    const int code = Impl::contract<S>(level_, of.alpha, a, b, T(1), c);
    level_.barrier();
    return code;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
