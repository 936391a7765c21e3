// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_SHARED_HPP
#define KOKKOSCONTRACT_PRODUCT_SHARED_HPP

// How workers of a GPU run a nest together. Neighbouring workers take neighbouring tiles. The
// columns of a tile are as far apart as there are tiles in a row, so that neighbouring workers
// access neighbouring elements at a time. Operands that are dense and small are staged.

#include <KokkosContract/level/Stage.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Tiles.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <Nest S, Plan P, class Acc, class X, class Y, class C, class Output>
struct GpuExecutor : Executor<S, P, Acc, X, Y, C, Output> {
  using Base = Executor<S, P, Acc, X, Y, C, Output>;
  using Base::col;
  using Base::first_sum;
  using Base::index;
  using Base::loops;
  using Base::row;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void locate(Index t, const X*& x, const Y*& y, C*& c) {
    for_digits<0, S.begin(Class::sum) - 1>(
        t,
        [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA {
          return I == Base::row || I == Base::col
                     ? 1U
                     : static_cast<unsigned>(loops.template extent<I>());
        },
        [&]<int I>(Index digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          if constexpr (I != Base::row && I != Base::col) {
            const auto at = static_cast<int>(digit);
            if constexpr (Output::needs_indices) this->index[I] = at;
            x += at * this->template x_stride<I>();
            y += at * this->template y_stride<I>();
            c += at * this->template c_stride<I>();
          }
        });
  }

  static constexpr bool static_rows = row < 0 || S.extent[row < 0 ? 0 : row] != dynamic;

  KOKKOS_FORCEINLINE_FUNCTION unsigned row_tiles() const {
    const auto rows = static_cast<unsigned>(this->template extent_or_1<row>());
    return (rows + static_cast<unsigned>(P.rows[0]) - 1) / static_cast<unsigned>(P.rows[0]);
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned col_tiles() const {
    return static_cast<unsigned>(this->template extent_or_1<col>()) /
           static_cast<unsigned>(P.cols[0]);
  }

  template <class Index, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void all(const L& level, Index tiles, const X* x, const Y* y, C* c) {
    const auto size = static_cast<unsigned>(level.size());
    for (Index t = static_cast<unsigned>(level.rank()); t < tiles; t += size) {
      Index block = t;
      const auto j = static_cast<int>(take_digit(block, col_tiles()));
      const auto i = static_cast<int>(take_digit(block, row_tiles()));
      const X* xt = x + i * this->template x_stride<row>();
      const Y* yt = y + i * this->template y_stride<row>() + j * this->template y_stride<col>();
      C* ct = c + i * this->template c_stride<row>() + j * this->template c_stride<col>();
      locate(block, xt, yt, ct);
      if constexpr (Output::needs_indices) {
        if constexpr (row >= 0) index[row] = i;
        if constexpr (col >= 0) index[col] = j;
      }
      constexpr ColsApart<P.cols[0], P.col_spacing> cols{1};
      if constexpr (static_rows) {
        this->template tile<P.rows[0], P.cols[0], 1, true>(xt, yt, ct, RowsApart<P.row_spacing>{},
                                                           cols);
      } else {
        const auto step = static_cast<int>(row_tiles());
        const int left = (this->template extent_or_1<row>() - i + step - 1) / step;
        this->template tile<P.rows[0], P.cols[0], 1, true>(xt, yt, ct, RowsLeft{left, step}, cols);
      }
    }
  }

  /// The number of elements from the first to the last one of X or of Y; 0 if the operand does not
  /// have nearly all of them.
  template <bool OfX, int... I>
  KOKKOS_FORCEINLINE_FUNCTION int span(std::integer_sequence<int, I...>) const {
    std::ptrdiff_t count = 1;
    std::ptrdiff_t last = 0;
    bool increasing = true;
    const auto add = [&](std::ptrdiff_t stride, std::ptrdiff_t extent) {
      if (stride != 0) count *= extent;
      last += stride * (extent - 1);
      increasing = increasing && stride >= 0;
    };
    (add(OfX ? this->template x_stride<I>() : this->template y_stride<I>(),
         loops.template extent<I>()),
     ...);
    const bool dense = increasing && count > 0 && last < count + count / 8;
    return dense && last < stage_bytes ? static_cast<int>(last + 1) : 0;
  }

  template <bool Staged, Level L>
  KOKKOS_FORCEINLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) {
    using Blocks = std::make_integer_sequence<int, first_sum>;
    const auto tiles = static_cast<std::size_t>(this->blocks(Blocks{})) * row_tiles() * col_tiles();
    if constexpr (Staged && S.has_x && has_stage<L> && can_be_staged<X> && can_be_staged<Y>) {
      using All = std::make_integer_sequence<int, S.end(Class::sum)>;
      const int nx = span<true>(All{});
      const int ny = span<false>(All{});
      const Stage stage = stage_of(level);
      const int bytes_x = staged_bytes<X>(level, nx);
      if (this->multiplies && nx > 0 && ny > 0 && tiles <= 0x7fffffffU &&
          bytes_x + staged_bytes<Y>(level, ny) <= stage.bytes &&
          level_machine_t<L>::is_in_global_memory(x) &&
          level_machine_t<L>::is_in_global_memory(y)) {
        char* const memory = level_machine_t<L>::in_block_memory(stage.memory);
        const X* xs = start_copy(level, memory, x, nx);
        const Y* ys = start_copy(level, memory + bytes_x, y, ny);
        finish_copies(level);
        const auto count = static_cast<unsigned>(tiles);
        if constexpr (P.x_terms > 1) {
          using Vector = NeighboursOf<std::remove_const_t<X>, P.x_terms>;
          if (!begin_at<alignof(Vector)>(xs, All{})) {
            one_by_one().all(level, count, xs, ys, c);
            return;
          }
        }
        all(level, count, xs, ys, c);
        return;
      }
    }
    if constexpr (P.x_terms > 1) {
      one_by_one().all(level, tiles, x, y, c);
    } else {
      all(level, tiles, x, y, c);
    }
  }

 private:
  static constexpr Plan plan_one_by_one = [] {
    Plan plan = P;
    plan.x_terms = 1;
    return plan;
  }();
  /// An executor that reads X element by element, and is otherwise the same.
  KOKKOS_FORCEINLINE_FUNCTION auto one_by_one() const {
    return GpuExecutor<S, plan_one_by_one, Acc, X, Y, C, Output>{
        {{loops, this->output, this->multiplies}}};
  }
  /// Whether the terms of X that are read at once begin at multiples of this number of bytes.
  template <int Bytes, int... I>
  KOKKOS_FORCEINLINE_FUNCTION bool begin_at(const X* x, std::integer_sequence<int, I...>) const {
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(X));
    return reinterpret_cast<std::uintptr_t>(x) % Bytes == 0 &&
           ((I == Base::last_sum || this->template x_stride<I>() * bytes % Bytes == 0) && ...);
  }
};

/// Whether the tiles of a plan cover the static extents, and rows and columns are cut only if their
/// extents are static.
template <int N>
consteval bool divides(const Nest<N>& nest, const Plan& plan) {
  const auto covers = [&](Class k, int tile) {
    if (nest.of(k) == 0) return tile == 1;
    const std::ptrdiff_t extent = nest.extent[nest.end(k) - 1];
    return extent == dynamic ? tile == 1 || k == Class::row : extent % tile == 0;
  };
  return covers(Class::row, plan.rows[0]) && covers(Class::col, plan.cols[0]);
}

struct SharedAlgorithm : AlgorithmDefaults<Way::shared> {
  static constexpr const char* text = "shared (all workers share the tiles of C)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>&, const ProductFacts& facts) {
    return facts.are_team();
  }
  template <class Atom, int N>
  static consteval ProductChoice choice(const Nest<N>& nest, const ProductFacts& facts, bool) {
    return {way, is_worth_staging(nest, facts)};
  }

  template <ProductChoice Chosen, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    constexpr Plan plan = make_plan(Call::nest, Call::machine, true, Chosen.tile);
    static_assert(Chosen.tile.rows == 0 || divides(Call::nest, plan),
                  "KokkosContract: on a GPU the tile that is asked for must divide static extents");
    GpuExecutor<Call::nest, plan, typename Call::Acc, typename Call::X, typename Call::Y,
                typename Call::C, typename Call::Output>{
        {{call.loops, call.output, call.multiplies}}}
        .template run<Chosen.staged>(call.level, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
