// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_INPUTS_HPP
#define KOKKOSCONTRACT_TILE_INPUTS_HPP

// Descriptions of the inputs of a tile's products. A few workers write them to shared memory for
// all workers.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/tile/Plan.hpp>
#include <climits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The facts about a product that are known at compile time, packed into an integer. With it,
/// workers that describe different products run the same code.
struct TileFacts {
  static constexpr int no_letter = 15;
  std::uint64_t bits = 0;

  struct Input {
    unsigned letters = 0;     ///< letters of the tile, a bit for each
    int fastest = no_letter;  ///< the letter whose indices are neighbours in a slice, if any
    bool by_terms = false, conjugate = false;
  };
  consteval TileFacts(int input_of_rows, int sums, const Input& first, const Input& second)
      : bits(static_cast<std::uint64_t>(input_of_rows) << 32 | static_cast<std::uint64_t>(sums)
                                                                   << 36) {
    add(first, 0);
    add(second, 1);
  }
  constexpr TileFacts() = default;

  KOKKOS_FORCEINLINE_FUNCTION int input_of_rows() const { return take(32, 1); }
  KOKKOS_FORCEINLINE_FUNCTION int sums() const { return take(36, 15); }
  KOKKOS_FORCEINLINE_FUNCTION bool has(int input, int letter) const {
    return take(16 * input + letter, 1) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION int fastest(int input) const { return take(16 * input + 8, 15); }
  KOKKOS_FORCEINLINE_FUNCTION bool by_terms(int input) const { return take(16 * input + 12, 1); }
  KOKKOS_FORCEINLINE_FUNCTION bool conjugate(int input) const { return take(16 * input + 13, 1); }

 private:
  static_assert(max_rank == 8 && most_sum_modes < 16);
  consteval void add(const Input& x, int input) {
    bits |= static_cast<std::uint64_t>(x.letters | static_cast<unsigned>(x.fastest) << 8 |
                                       (x.by_terms ? 1U : 0U) << 12 | (x.conjugate ? 1U : 0U) << 13)
            << (16 * input);
  }
  KOKKOS_FORCEINLINE_FUNCTION int take(int from, int mask) const {
    return static_cast<int>(bits >> from) & mask;
  }
};

/// The inputs of a tile and their offsets.
template <class Level, class TypesOfTile, TileExtents Extents>
class TileInputs : protected TilePosition<Extents> {
  template <class>
  friend class GpuSlices;
  template <class, int>
  friend class GpuLoader;

 protected:
  using Position = TilePosition<Extents>;
  using Machine = level_machine_t<Level>;
  using Atom = tile_atom_t<Machine, TypesOfTile, Extents>;
  static constexpr TileLimits limits = tile_limits<Atom>(Extents);
  static constexpr TileLayout home = home_layout(Extents, limits);
  using Position::rank;
  using Position::rank_or_1;
  static constexpr int worker_count = home.warp_count() * Machine::warp_size;

  Level level_;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION TileInputs(const Level& level, const Index& origin,
                                         const Index& extents)
      : Position(origin, extents), level_(level) {}

  /// Describes the inputs of the products. Warps describe different products, with two lanes each.
  /// One of the two lanes stores the strides, by code for each product. Then both lanes run the
  /// same code, each for one input.
  template <class Products, class Memory, class Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void describe(const Memory& memory,
                                            const Arguments& arguments) const {
    auto* const there = reinterpret_cast<unsigned*>(memory.table);
    if (level_.rank() == worker_count - 1) {
      for (int l = 0; l < rank; ++l) there[l] = static_cast<unsigned>(this->limit_[l]);
    }
    constexpr int at_a_time = worker_count / 2;
    constexpr int warps = home.warp_count();
    const int lane = level_.rank() % Machine::warp_size;
    const int warp = level_.rank() / Machine::warp_size;
    unrolled<(Products::count + at_a_time - 1) / at_a_time>(
        [&]<int round>(Number<round>) KOKKOSCONTRACT_INLINE_LAMBDA {
          constexpr int begin = round * at_a_time;
          constexpr int left = Products::count - begin;
          TileSource<typename Products::Types>* mine = nullptr;
          TileFacts facts;
          unrolled<(left < at_a_time ? left : at_a_time)>(
              [&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
                if (warp != k % warps || lane / 2 != k / warps) return;
                using Product = typename Products::template Product<begin + k>;
                mine = &memory.source[begin + k];
                facts = facts_of<Product>();
                if (lane % 2 == 0) {
                  set_strides<Product>(*mine, argument<Product::number>(arguments));
                }
              });
          const bool is_mine = mine != nullptr;
          if (is_mine && lane % 2 == 0) set_runs(*mine, facts);
          Machine::warp_barrier(whole_warp<Machine>);
          if (is_mine) finish_input(*mine, facts, lane % 2 == 0);
          Machine::warp_barrier(whole_warp<Machine>);
          if (is_mine && lane % 2 == 0) finish_both(*mine);
        });
  }

 private:
  template <int Input, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION static auto operand_of(const Argument& of) {
    if constexpr (Input == 0) {
      return as_operand(of.a);
    } else {
      return as_operand(of.b);
    }
  }

  template <class Product>
  static consteval SumLetters sums_of() {
    return sum_letters_of<typename Product::Of::First, typename Product::Of::Second>(
        Product::parsed);
  }
  template <class Product, int Input>
  static consteval TileFacts::Input facts_of_input() {
    constexpr bool is_rows = Product::input_of_rows - 1 == Input;
    using Slice = std::conditional_t<is_rows, typename Product::Type::X, typename Product::Type::Y>;
    TileFacts::Input facts{};
    facts.by_terms = Slice::by_terms;
    facts.conjugate = Product::parsed.input[Input].conjugate;
    for (int l = 0; l < rank; ++l) {
      if (!Slice::has(l)) continue;
      facts.letters |= 1U << l;
      const int size = is_rows ? Product::layout.row[l] : Product::layout.col[l];
      if (!Slice::by_terms && size % SliceFormat<typename Product::Type::ElementX>::vector == 0 &&
          is_last_in_block<Product::layout, is_rows>(l)) {
        facts.fastest = l;
      }
    }
    return facts;
  }
  template <class Product>
  static consteval TileFacts facts_of() {
    return {Product::input_of_rows - 1, sums_of<Product>().count, facts_of_input<Product, 0>(),
            facts_of_input<Product, 1>()};
  }

  /// Stores the elements and strides of the inputs, and the extents and strides of the sum.
  template <class Product, class Types, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION static void set_strides(TileSource<Types>& source,
                                                      const Argument& of) {
    constexpr Parsed P = Product::parsed;
    constexpr int input = Product::input_of_rows - 1;
    set_strides_of<typename Product::Type::X, P.input[input]>(source.first, operand_of<input>(of));
    set_strides_of<typename Product::Type::Y, P.input[1 - input]>(source.second,
                                                                  operand_of<1 - input>(of));
    source.alpha = convert<typename Types::Sum>(of.alpha);
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    constexpr SumLetters letters = sums_of<Product>();
    unrolled<letters.count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr char c = letters.letter[k];
      constexpr int in_a = dimension_of(P.input[0], c);
      constexpr int in_b = dimension_of(P.input[1], c);
      if constexpr (in_a >= 0) {
        source.sums.by[k].divisor = static_cast<unsigned>(a.template extent<in_a>());
      } else {
        source.sums.by[k].divisor = static_cast<unsigned>(b.template extent<in_b>());
      }
      source.sums.stride[0][k] = stride_of_letter<P.input[0], c>(a);
      source.sums.stride[1][k] = stride_of_letter<P.input[1], c>(b);
    });
  }
  template <class Slice, Labels Of, class T, class A>
  KOKKOS_FORCEINLINE_FUNCTION static void set_strides_of(SliceSource<T>& source, const A& a) {
    source.data = a.data();
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Slice::has(l)) {
        source.stride[l] = stride_of_letter<Of, Extents.letters.letter[l]>(a);
      }
    });
  }

  /// Computes the facts that follow from the strides: for the sum, for each input, and for both.
  template <class Types>
  KOKKOS_FORCEINLINE_FUNCTION void finish(TileSource<Types>& source, const TileFacts& facts) const {
    set_runs(source, facts);
    finish_input(source, facts, true);
    finish_input(source, facts, false);
    finish_both(source);
  }
  template <class Types>
  KOKKOS_FORCEINLINE_FUNCTION void set_runs(TileSource<Types>& source,
                                            const TileFacts& facts) const {
    using T = typename Types::Input;
    using Sum = typename Types::Sum;
    const int rows = facts.input_of_rows();
    const int letters = facts.sums();
    if constexpr (!Types::scales_sums) {
      source.factor =
          TileFactor<Sum>(source.alpha, facts.conjugate(rows), facts.conjugate(1 - rows));
      source.alpha = TileFactor<Sum>::absolute(source.alpha);
    }
    SumModes& sums = source.sums;
    sums.count = 0;
    int runs = 1;
    // The last mode with more than one index. Terms are in runs along it.
    int run = 1;
    std::ptrdiff_t next[2]{};
    KOKKOSCONTRACT_NO_UNROLL
    for (int k = 0; k < letters; ++k) {
      const int extent = static_cast<int>(sums.by[k].divisor);
      if (letters > 1 && extent == 1) continue;
      const std::ptrdiff_t strides[] = {sums.stride[0][k], sums.stride[1][k]};
      if (run > 1) sums.add(run, next[0], next[1]);
      runs *= run;
      run = extent;
      next[0] = strides[0];
      next[1] = strides[1];
    }
    // Nothing is read for a factor of 0, or for a tile outside of the tensor.
    if (source.alpha == Sum(0)) runs = 0;
    for (int l = 0; l < rank; ++l) runs = this->limit_[l] > 0 ? runs : 0;
    constexpr int depth = SliceFormat<T>::depth;
    source.set_runs(runs, run, depth * next[0], depth * next[1]);
    source.first.set_terms(rows == 0 ? next[0] : next[1]);
    source.second.set_terms(rows == 0 ? next[1] : next[0]);
  }
  template <class Types>
  KOKKOS_FORCEINLINE_FUNCTION void finish_input(TileSource<Types>& of, const TileFacts& facts,
                                                bool is_first) const {
    using T = typename Types::Input;
    const SumModes& sums = of.sums;
    SliceSource<T>& source = is_first ? of.first : of.second;
    const int input = is_first ? facts.input_of_rows() : 1 - facts.input_of_rows();
    constexpr int vector = SliceFormat<T>::vector;
    const auto is_whole = [](std::ptrdiff_t stride) { return stride % vector == 0; };
    const T* data = source.data;
    bool has_neighbours = vector == 1;
    // Alignment over the letters other than the one along which neighbours are taken.
    bool is_aligned = true;
    std::ptrdiff_t farthest = SliceFormat<T>::depth;
    if (facts.by_terms(input)) {
      has_neighbours = has_neighbours || source.next == 1;
    } else {
      is_aligned = is_whole(source.next);
    }
    const auto& origin = this->origin_;
    const auto& limit = this->limit_;
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (!facts.has(input, l)) return;
      const std::ptrdiff_t stride = source.stride[l];
      data += origin[l] * stride;
      farthest += (stride < 0 ? -stride : stride) * (limit[l] - 1);
      if (l == facts.fastest(input)) {
        has_neighbours = has_neighbours || stride == 1;
      } else {
        is_aligned = is_aligned && is_whole(stride);
      }
    });
    KOKKOSCONTRACT_NO_UNROLL
    for (int k = 0; k < sums.count; ++k) {
      is_aligned = is_aligned && is_whole(sums.stride[input][k]);
    }
    source.data = data;
    source.input = input;
    source.by_eights = false;
    // Quick copies are asynchronous, and read global memory only.
    const bool is_global = Machine::is_in_global_memory(data);
    has_neighbours = has_neighbours && is_global;
    source.is_near = is_global && farthest <= INT_MAX;
    source.has_neighbours = has_neighbours;
    source.by_vectors =
        has_neighbours && is_aligned && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  }

  template <class Types>
  KOKKOS_FORCEINLINE_FUNCTION static void finish_both(TileSource<Types>& source) {
    const auto& first = source.first;
    const auto& second = source.second;
    source.is_near = first.next == 1 && second.next == 1 && first.is_near && second.is_near;
    source.by_vectors = source.is_near && first.by_vectors && second.by_vectors;
  }

  /// Whether a letter's indices are next to each other in a row of a slice.
  template <TileLayout Layout, bool IsRows>
  static consteval bool is_last_in_block(int letter) {
    for (int l = letter + 1; l < Layout.rank; ++l) {
      if ((IsRows ? Layout.row[l] : Layout.col[l]) > 1) return false;
    }
    return true;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
