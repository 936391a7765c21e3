// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_GPUSLICES_HPP
#define KOKKOSCONTRACT_TILE_GPUSLICES_HPP

// Slices (k-tiles) of one product of a tile that a team of a GPU holds. They are for kernels that
// fill and use slices themselves: the kernels call the steps of GpuTile one by one.

#include <KokkosContract/operand/TakeScratch.hpp>
#include <KokkosContract/tile/GpuTile.hpp>
#include <KokkosContract/tile/SliceSteps.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Of is a SlicedProduct.
template <class Of>
class GpuSlices : public SlicePipeline<GpuSlices<Of>, Of::stages> {
  template <class, int>
  friend class GpuLoader;
  using T = typename Of::T;
  using Held = typename Of::Held;
  using Machine = typename Held::Machine;
  using Atom = typename Held::Atom;
  using Format = SliceFormat<T>;
  using Types = BlockTypes<T, T, T, Of::Traits::accuracy>;
  using Products = TilePlan<Machine, Types, Of::extents, typename Of::Argument>;
  using Product = typename Products::template Product<0>;
  using Type = typename Product::Type;
  using Source = TileSource<Types>;
  static_assert(
      Product::layout == Held::home,
      "KokkosContract: TileSlices: an input has letters of the rows and of the columns of "
      "the tile's blocks, so that elements would change places: accumulate adds such a "
      "product, or the tile has its letters in another order");
  static constexpr int rank = Of::extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;
  static constexpr int slices = Products::slices;  // elements of a stage
  static constexpr std::size_t bytes_of_stages = sizeof(T) * Of::stages * slices;
  /// Bytes of the descriptions of both inputs. They follow the stages, and precede the number of
  /// the tile's indices in bounds.
  static constexpr std::size_t bytes_of_sources = 2 * sizeof(Source);
  static constexpr std::size_t bytes =
      bytes_of_stages + bytes_of_sources + Products::bytes_of_table;
  static_assert(bytes_of_stages % 16 == 0);
  static_assert(
      bytes + scratch_alignment <= Machine::most_scratch_bytes,
      "KokkosContract: TileSlices: so many stages need more scratch memory than a team of "
      "the GPU has");

  template <int Input>
  static constexpr bool is_rows = Product::input_of_rows - 1 == Input;
  template <int Input>
  using SliceOfInput = std::conditional_t<is_rows<Input>, typename Type::X, typename Type::Y>;
  template <int Input>
  static constexpr int offset_of = is_rows<Input> ? 0 : Type::X::size;

 public:
  static constexpr int depth = Format::depth;
  using Steps = SliceSteps<Of::sums, Of::given, depth>;

  template <class Scratch, class Sums>
  KOKKOS_FORCEINLINE_FUNCTION GpuSlices(typename Of::Tile& tile, const Scratch& scratch,
                                        const Sums& sums)
      : held_(TileAccess::held(tile)), steps_(sums, held_.limit_, rank) {
    set_code(steps_.steps < 0 ? extent_too_large : held_.fault());
    if (code_ != 0) return;
    char* const memory = keep_scratch(scratch, bytes);
    if (memory == nullptr) {
      set_code(scratch_too_small);
      return;
    }
    TileAccess::set_scratch(tile, scratch);
    memory_ = Machine::in_block_memory(memory);
    // Earlier reads of this memory are complete.
    held_.level().barrier();
    if (held_.level().rank() == 0) {
      for (int l = 0; l < rank; ++l) table()[l] = static_cast<unsigned>(held_.limit_[l]);
    }
  }

  static constexpr std::size_t scratch_bytes() { return bytes + scratch_alignment; }
  KOKKOS_FUNCTION static constexpr int scratch_level() { return 0; }

  KOKKOS_FORCEINLINE_FUNCTION int info() const { return code_; }
  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return code_ == 0 ? steps_.steps : 0; }

  template <int Input, class A>
  KOKKOS_FORCEINLINE_FUNCTION auto loader(const A& a) {
    return GpuLoader<Of, Input>(*this, as_operand(a));
  }

  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int step, const F& f) {
    each_element<Input>(
        step, [&](T& value, bool is_there, const auto& with)
                  KOKKOSCONTRACT_INLINE_LAMBDA { value = is_there ? convert<T>(with(f)) : T(0); });
  }
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int step, const F& f) {
    each_element<Input>(
        step, [&](T& value, bool is_there, const auto& with) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (!is_there) return;
          with([&](auto... index) KOKKOSCONTRACT_INLINE_LAMBDA { f(value, index...); });
        });
  }

  KOKKOS_FORCEINLINE_FUNCTION void end_group() const { Machine::end_group_of_copies(); }
  KOKKOS_FORCEINLINE_FUNCTION void wait() const {
    Machine::template finish_groups_of_copies<Of::stages - 2>();
    held_.level().barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish() const {
    Machine::template finish_groups_of_copies<0>();
    held_.level().barrier();
  }

  template <class Alpha>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Alpha& alpha, int step) {
    const T by = convert<T>(alpha);
    // A factor of 0 is an exact zero, whatever the slices contain.
    if (code_ != 0 || by == T(0)) return;
    constexpr Parsed P = Of::parsed;
    constexpr int rows = Product::input_of_rows - 1;
    const Type product(held_.warp() < Held::home.warp_count() ? held_.warp() : 0,
                       Machine::lane_of_warp());
    const T absolute = TileFactor<T>::absolute(by);
    const TileFactor<T> factor(by, P.input[rows].conjugate, P.input[1 - rows].conjugate);
    const T* const x = stage(step);
    const T* const y = x + Type::X::size;
    using Fragments = typename Type::Fragments;
    Fragments even;
    Fragments odd;
    product.template read<0>(even, x, y);
    Type::scale(even, factor, absolute);
    multiply_slice<Type, 0>(
        held_.sums_, even, odd,
        SliceCallbacks{[&]<int s>(Number<s>, Fragments& fragments) KOKKOSCONTRACT_INLINE_LAMBDA {
                         if constexpr (s < Type::steps) product.template read<s>(fragments, x, y);
                       },
                       [&](Fragments& fragments) KOKKOSCONTRACT_INLINE_LAMBDA {
                         Type::scale(fragments, factor, absolute);
                       },
                       Nothing{}, Nothing{}, Nothing{}});
    held_.end_change();
  }

 private:
  Held& held_;
  Steps steps_;
  char* memory_ = nullptr;
  int code_ = 0;

  KOKKOS_FORCEINLINE_FUNCTION void set_code(int code) {
    code_ = report_of_level<typename Of::Call>(code, held_.level());
  }
  KOKKOS_FORCEINLINE_FUNCTION T* stage(int step) const {
    return reinterpret_cast<T*>(memory_) + step % Of::stages * slices;
  }
  KOKKOS_FORCEINLINE_FUNCTION Source& source(int input) const {
    return reinterpret_cast<Source*>(memory_ + bytes_of_stages)[input];
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned* table() const {
    return reinterpret_cast<unsigned*>(memory_ + bytes_of_stages + bytes_of_sources);
  }

  /// Calls f(element, whether the inputs have it, with) for this worker's elements of a slice.
  /// with(g) calls g(their indices in the input).
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_element(int step, const F& f) const {
    if (step >= steps()) return;
    using Slice = SliceOfInput<Input>;
    using Places = SlicePlaces<T, Atom, Held::home, Slice, is_rows<Input>>;
    constexpr unsigned positions = Slice::positions;
    int first[Steps::count_or_1];
    const int left = steps_.begin(step, first);
    T* const slice = stage(step) + offset_of<Input>;
    KOKKOSCONTRACT_NO_UNROLL
    for (auto n = static_cast<unsigned>(held_.level().rank()); n < positions * depth;
         n += Held::worker_count) {
      const unsigned position = Slice::by_terms ? n / depth : n % positions;
      const int term = static_cast<int>(Slice::by_terms ? n % depth : n / positions);
      int index[rank_or_1]{};
      bool is_there = term < left && Places::is_in_block(static_cast<int>(position));
      Places::for_each_index(position,
                             [&]<int l>(Number<l>, unsigned at) KOKKOSCONTRACT_INLINE_LAMBDA {
                               is_there = is_there && static_cast<int>(at) < held_.limit_[l];
                               index[l] = held_.origin_[l] + static_cast<int>(at);
                             });
      T& element = slice[Format::place(Slice::by_terms, static_cast<int>(positions),
                                       static_cast<int>(position), term)];
      f(element, is_there, [&](const auto& g) KOKKOSCONTRACT_INLINE_LAMBDA -> decltype(auto) {
        return with_indices<Of::parsed.input[Input], Of::extents.letters, Of::sums>(
            g, index, first, steps_.along, term);
      });
    }
  }
};

/// Copies slices of an operand of any strides.
template <class Of, int Input>
class GpuLoader {
  using Slices = GpuSlices<Of>;
  using T = typename Slices::T;
  using Held = typename Slices::Held;
  using Machine = typename Slices::Machine;
  using Products = typename Slices::Products;
  using Product = typename Slices::Product;
  using Source = typename Slices::Source;
  using Slice = typename Slices::template SliceOfInput<Input>;
  using Pieces = typename PiecesOfOne<Machine, T, Products>::template Of<Slice>;
  static constexpr bool is_rows = Slices::template is_rows<Input>;
  static constexpr int depth = Slices::depth;

 public:
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION GpuLoader(Slices& slices, const A& a) : slices_(slices) {
    static_assert(std::is_same_v<std::remove_const_t<typename A::value_type>, T>,
                  "KokkosContract: the inputs of a tile have its element type");
    if (slices.info() != 0) return;
    if (!agrees_with<Of, Input>(a, slices.held_.extent_, slices.steps_)) {
      slices.set_code(extents_disagree);
      return;
    }
    const Held& held = slices.held_;
    // Earlier reads of this description are complete.
    held.level().barrier();
    if (held.level().rank() == Input * Machine::warp_size % Held::worker_count) {
      Source& source = slices.source(Input);
      describe(source, a);
      held.finish(source, Held::template facts_of<Product>());
    }
    held.level().barrier();
    seek(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void start(int step) {
    if (step >= slices_.steps()) return;
    if (step != step_) seek(step);
    T* const to = slices_.stage(step) + Slices::template offset_of<Input>;
    if (is_quick_) {
      const auto address = Machine::block_address(reinterpret_cast<char*>(to));
      pieces_.begin_step(left_);
      unrolled<Pieces::slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        pieces_.template start<s>(address);
      });
      if (pieces_.copies.by_elements) {
        unrolled<Pieces::slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
          pieces_.template start_elements<s>(address, mine(source()));
        });
      }
    } else {
      copy_slowly(source(), slices_.table(), to, step, left_, slices_.held_.level().rank());
    }
    ++step_;
    left_ -= depth;
    if (left_ > 0) {
      pieces_.end_step();
    } else if (step_ < slices_.steps()) {
      pieces_.move(source().sums.offset(step_, Input) - source().sums.offset(step, Input));
      left_ = source().run;
    }
  }

 private:
  Slices& slices_;
  Pieces pieces_{};
  int step_ = 0;  // the next step
  int left_ = 0;  // terms that remain in its run
  bool is_quick_ = false;

  KOKKOS_FORCEINLINE_FUNCTION const Source& source() const { return slices_.source(Input); }
  KOKKOS_FORCEINLINE_FUNCTION static const SliceSource<T>& mine(const Source& source) {
    return is_rows ? source.first : source.second;
  }
  struct Table {
    const unsigned* table;
  };
  KOKKOS_FORCEINLINE_FUNCTION static auto places(const Source& source, const unsigned* table) {
    if constexpr (is_rows) {
      return Product::x_places(Table{table}, source);
    } else {
      return Product::y_places(Table{table}, source);
    }
  }

  /// Describes a product whose other input is empty, but has the extents of the sum.
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION void describe(Source& to, const A& a) const {
    constexpr Labels other = Of::parsed.input[1 - Input];
    constexpr int rank_or_1 = other.rank > 0 ? other.rank : 1;
    int extent[rank_or_1]{};
    const std::ptrdiff_t stride[rank_or_1]{};
    unrolled<other.rank>([&]<int d>(Number<d>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int k = place_of_sum(Of::sums, other.letter[d]);
      if constexpr (k >= 0) extent[d] = slices_.steps_.extent[k];
    });
    using Nowhere = strided_t<const T, dynamic_shape<other.rank>()>;
    const Nowhere nowhere(nullptr, extent, stride);
    const T one(1);
    if constexpr (Input == 0) {
      Held::template set_strides<Product>(
          to, TileArgument<Of::Argument::spec, T, A, Nowhere>{one, a, nowhere});
    } else {
      Held::template set_strides<Product>(
          to, TileArgument<Of::Argument::spec, T, Nowhere, A>{one, nowhere, a});
    }
  }

  struct Found {
    Pieces pieces;
    bool is_quick;
  };
  KOKKOS_FORCEINLINE_FUNCTION void seek(int step) {
    step_ = step;
    if (step >= slices_.steps()) return;
    const Found found = find_pieces(source(), slices_.table(), step, slices_.held_.level().rank());
    pieces_ = found.pieces;
    is_quick_ = found.is_quick;
    left_ = source().run - step % source().slices_of_run * depth;
  }
  KOKKOSCONTRACT_RARE_FUNCTION static Found find_pieces(const Source& source, const unsigned* table,
                                                        int step, int worker) {
    const auto at = places(source, table);
    Found found{};
    found.is_quick = PiecesOfOne<Machine, T, Products>::begin_one(
        found.pieces,
        slices_from(mine(source), at, mine(source).data + source.sums.offset(step, Input)),
        source.run, worker);
    return found;
  }
  KOKKOSCONTRACT_RARE_FUNCTION static void copy_slowly(const Source& source, const unsigned* table,
                                                       T* to, int step, int left, int worker) {
    mine(source).template start_copy<Machine>(places(source, table), to, source.sums, step, left,
                                              worker, Held::worker_count);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
