// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_TILEINPUTS_HPP
#define KOKKOSCONTRACT_TILE_TILEINPUTS_HPP

// Where the products of a tile read: said by a few workers, for all, in shared memory.

#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/tile/TilePlan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The inputs of a tile: where they are.
template <class Level, class T, TileExtents Extents>
class TileInputs : protected TilePosition<Extents> {
 protected:
  using Position = TilePosition<Extents>;
  using Machine = level_machine_t<Level>;
  using Atom = tile_atom_t<Machine, T>;
  static constexpr TileLimits limits = tile_limits<T, Atom>(Extents);
  static constexpr TileLayout home = home_layout(Extents, limits);
  using Position::rank;
  using Position::rank_or_1;
  static constexpr int worker_count = home.wave_count() * Machine::wave;

  Level level_;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION TileInputs(const Level& level, const Index& origin,
                                         const Index& extents)
      : Position(origin, extents), level_(level) {}

  /// Says where the products read. Different waves do different products.
  template <class Products, class Memory, class Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void describe(const Memory& memory,
                                            const Arguments& arguments) const {
    auto* const there = reinterpret_cast<unsigned*>(memory.table);
    if (level_.rank() == worker_count - 1) {
      for (int l = 0; l < rank; ++l) there[l] = static_cast<unsigned>(this->limit_[l]);
    }
    // Of a tile outside of the tensor nothing is read.
    bool is_in_tensor = true;
    for (int l = 0; l < rank; ++l) is_in_tensor = is_in_tensor && this->limit_[l] > 0;
    unrolled<Products::count>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      using Product = typename Products::template Product<n>;
      using Slices = typename Product::Type;
      if (level_.rank() != n % home.wave_count() * Machine::wave) return;
      const auto& of = argument<Product::number>(arguments);
      TileSource<T>& source = memory.source[n];
      constexpr int input = Product::input_of_rows - 1;
      set_sums<Product>(source, of, is_in_tensor);
      source.alpha = convert<T>(of.alpha);
      source.offset_of_second = Slices::X::size;
      set_source<typename Slices::X, Product, input, true>(source, source.first,
                                                           operand_of<input>(of));
      set_source<typename Slices::Y, Product, 1 - input, false>(source, source.second,
                                                                operand_of<1 - input>(of));
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

  template <class Product, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION void set_sums(TileSource<T>& source, const Argument& of,
                                            bool is_in_tensor) const {
    constexpr Parsed P = Product::parsed;
    constexpr SumLetters letters =
        sum_letters_of<typename Argument::First, typename Argument::Second>(P);
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    constexpr bool several = letters.count > 1;
    source.sums.count = 0;
    int runs = 1;
    // The last mode that there is: along it, terms are in runs.
    int run = 1;
    std::ptrdiff_t next[2]{};
    unrolled<letters.count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr char c = letters.letter[k];
      constexpr int in_a = dimension_of(P.input[0], c);
      constexpr int in_b = dimension_of(P.input[1], c);
      int extent = 0;
      if constexpr (in_a >= 0) {
        extent = a.template extent<in_a>();
      } else {
        extent = b.template extent<in_b>();
      }
      if constexpr (several) {
        if (extent == 1) return;
      }
      if (run > 1) source.sums.add(run, next[0], next[1]);
      runs *= run;
      run = extent;
      next[0] = stride_of_letter<P.input[0], c>(a);
      next[1] = stride_of_letter<P.input[1], c>(b);
    });
    if (!is_in_tensor) runs = 0;
    constexpr int depth = SliceFormat<T>::depth;
    source.set_runs(runs, run, depth * next[0], depth * next[1]);
    constexpr int input = Product::input_of_rows - 1;
    source.first.set_terms(next[input]);
    source.second.set_terms(next[1 - input]);
  }

  template <class Slice, class Product, int Input, bool IsRows, class A>
  KOKKOS_FORCEINLINE_FUNCTION void set_source(const TileSource<T>& of, SliceSource<T>& source,
                                              const A& a) const {
    constexpr Labels labels = Product::parsed.input[Input];
    constexpr int vector = SliceFormat<T>::vector;
    static_assert(std::is_same_v<std::remove_const_t<typename A::value_type>, T>,
                  "KokkosContract: the inputs of a tile have its element type");
    const T* data = a.data();
    const auto& origin = this->origin_;
    // Of other letters than the one along which neighbours are taken.
    bool is_aligned = true;
    bool has_neighbours = false;
    const auto is_whole = [](std::ptrdiff_t stride) { return stride % vector == 0; };
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Slice::has(l)) {
        const std::ptrdiff_t stride = stride_of_letter<labels, Extents.letters.letter[l]>(a);
        data += origin[l] * stride;
        source.stride[l] = stride;
        constexpr int size = IsRows ? Product::layout.row[l] : Product::layout.col[l];
        constexpr bool is_fastest =
            size % vector == 0 && is_last_in_block<Product::layout, IsRows>(l);
        if (!Slice::by_terms && is_fastest) {
          has_neighbours = stride == 1;
        } else {
          is_aligned = is_aligned && is_whole(stride);
        }
      }
    });
    if (Slice::by_terms) {
      has_neighbours = source.next == 1;
    } else {
      is_aligned = is_aligned && is_whole(source.next);
    }
    for (int k = 0; k < of.sums.count; ++k) {
      is_aligned = is_aligned && is_whole(of.sums.stride[Input][k]);
    }
    source.data = data;
    source.input = Input;
    source.by_eights = false;
    source.conjugate = labels.conjugate;
    source.has_neighbours = !(is_complex<T> && labels.conjugate) && (has_neighbours || vector == 1);
    source.by_vectors =
        source.has_neighbours && is_aligned && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
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
