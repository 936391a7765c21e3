// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_HOSTSLICES_HPP
#define KOKKOSCONTRACT_TILE_HOSTSLICES_HPP

// Slices (k-tiles) of one product of a tile in memory. They are arrays of some terms of the sum by
// the letters of the tile. They are copied at once, and their product is a contraction.

#include <KokkosContract/operand/TakeScratch.hpp>
#include <KokkosContract/tile/SliceSteps.hpp>
#include <KokkosContract/tile/TileInMemory.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The letters of a slice: one for the terms, which no tile has, and those of the tile.
template <TileExtents Extents>
consteval Labels letters_of_slice(const Labels& input) {
  Labels letters{};
  letters.conjugate = input.conjugate;
  char terms = 'a';
  while (Extents.letters.has(terms)) ++terms;
  letters.letter[letters.rank++] = terms;
  for (int i = 0; i < input.rank; ++i) {
    const char c = input.letter[i];
    if (Extents.letters.has(c) && !letters.has(c)) letters.letter[letters.rank++] = c;
  }
  return letters;
}
/// Stride of dimension d of a slice; -1: the number of elements of a slice with `depth` terms.
template <TileExtents Extents>
consteval int stride_in_slice(const Labels& slice, int d, int depth) {
  int n = d < 0 ? depth : 1;
  for (int i = slice.rank - 1; i > (d < 0 ? 0 : d); --i) {
    n *= Extents.extent[dimension_of(Extents.letters, slice.letter[i])];
  }
  return n;
}
template <TileExtents Extents, Labels Slice>
consteval StaticShape<Slice.rank> shape_of_slice() {
  StaticShape<Slice.rank> shape{};
  for (int i = 0; i < Slice.rank; ++i) {
    shape.extent[i] = dynamic;
    shape.stride[i] = stride_in_slice<Extents>(Slice, i, 1);
  }
  return shape;
}

/// Of: a SlicedProduct.
template <class Of>
class HostSlices : public SlicePipeline<HostSlices<Of>, Of::stages> {
  template <class, int, class>
  friend class HostLoader;
  using T = typename Of::T;
  using Held = typename Of::Held;
  static constexpr TileExtents extents = Of::extents;
  static constexpr int rank = extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;

 public:
  /// Terms of a slice. A thread of a GPU has little memory.
  static constexpr int depth = is_gpu<typename Of::Traits::Space> ? 8 : 32;
  using Steps = SliceSteps<Of::sums, Of::given, depth>;

 private:
  template <int Input>
  static constexpr Labels letters = letters_of_slice<extents>(Of::parsed.input[Input]);
  template <int Input>
  static constexpr int size = stride_in_slice<extents>(letters<Input>, -1, depth);
  static constexpr int elements = size<0> + size<1>;  // elements of a stage
  static constexpr std::size_t bytes = sizeof(T) * Of::stages * elements;

 public:
  template <class Scratch, class Sums>
  KOKKOS_FORCEINLINE_FUNCTION HostSlices(typename Of::Tile& tile, const Scratch& scratch,
                                         const Sums& sums)
      : held_(TileAccess::held(tile)),
        steps_(sums, held_.limit_, rank),
        memory_(reinterpret_cast<T*>(keep_scratch(scratch, bytes))) {
    if (steps_.steps < 0) {
      set_code(extent_too_large);
    } else if (memory_ == nullptr || held_.fault() != 0) {
      set_code(scratch_too_small);
    }
  }

  static constexpr std::size_t scratch_bytes() { return bytes + scratch_alignment; }
  /// The scratch level of the tile if the tile and the slices fit there together.
  KOKKOS_FUNCTION static constexpr int scratch_level() {
    return level_of_tile<typename Of::Traits::Space>(scratch_bytes() + Held::bytes);
  }

  KOKKOS_FORCEINLINE_FUNCTION int info() const { return code_; }
  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return code_ == 0 ? steps_.steps : 0; }

  template <int Input, class A>
  KOKKOS_FORCEINLINE_FUNCTION auto loader(const A& a) {
    const auto operand = as_operand(a);
    return HostLoader<Of, Input, std::remove_cvref_t<decltype(operand)>>(*this, operand);
  }

  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void fill(int step, const F& f) {
    each_element<Input>(step, [&](T& value, const auto& with)
                                  KOKKOSCONTRACT_INLINE_LAMBDA { value = convert<T>(with(f)); });
  }
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int step, const F& f) {
    each_element<Input>(step, [&](T& value, const auto& with) KOKKOSCONTRACT_INLINE_LAMBDA {
      with([&](auto... index) KOKKOSCONTRACT_INLINE_LAMBDA { f(value, index...); });
    });
  }

  /// Does nothing, because copies are synchronous.
  KOKKOS_FORCEINLINE_FUNCTION void end_group() const {}
  KOKKOS_FORCEINLINE_FUNCTION void wait() const { held_.level().barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION void finish() const { held_.level().barrier(); }

  template <class Alpha>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Alpha& alpha, int step) {
    if (step >= steps()) return;
    int first[Steps::count_or_1];
    const int left = steps_.begin(step, first);
    const int terms = left < depth ? left : depth;
    held_.template add_parts<letters<0>, letters<1>>(alpha, part<0>(step, terms),
                                                     part<1>(step, terms));
  }

 private:
  Held& held_;
  Steps steps_;
  T* memory_;
  int code_ = 0;

  KOKKOS_FORCEINLINE_FUNCTION void set_code(int code) {
    code_ = report_of_level<typename Of::Call>(code, held_.level());
  }
  template <int Input>
  KOKKOS_FORCEINLINE_FUNCTION T* slice(int step) const {
    return memory_ + step % Of::stages * elements + (Input == 0 ? 0 : size<0>);
  }
  /// The index of dimension d's letter among the letters of the tile; 0 for the letter of the
  /// terms.
  template <int Input>
  static consteval int in_tile(int d) {
    return d > 0 ? dimension_of(extents.letters, letters<Input>.letter[d]) : 0;
  }
  template <int Input>
  static consteval int stride_of(int d) {
    return stride_in_slice<extents>(letters<Input>, d, depth);
  }
  /// The letter along rows; -1 if there is none.
  template <int Input>
  static constexpr int letter_of_row = letters<Input>.rank > 1
                                           ? in_tile<Input>(letters<Input>.rank - 1)
                                           : -1;
  /// The part of a slice that is in bounds.
  template <int Input>
  KOKKOS_FORCEINLINE_FUNCTION auto part(int step, int terms) const {
    constexpr Labels of = letters<Input>;
    constexpr auto shape = shape_of_slice<extents, of>();
    int extent[of.rank]{terms};
    unrolled<of.rank>([&]<int d>(Number<d>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int l = in_tile<Input>(d);
      if constexpr (d > 0) extent[d] = held_.limit_[l];
    });
    return strided_t<const T, shape>(slice<Input>(step), extent, shape.stride);
  }

  /// Calls f(first element, number of elements, index in the tile of the first one, its term) for
  /// the rows along the last letter.
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(int step, int terms, const F& f) const {
    constexpr int last = letters<Input>.rank - 1;
    T* const at = slice<Input>(step);
    int rows = terms;
    unrolled<last>([&]<int d>(Number<d>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int l = in_tile<Input>(d);
      if constexpr (d > 0) rows *= held_.limit_[l];
    });
    Impl::for_each(held_.level(), rows, [&](std::ptrdiff_t row) KOKKOSCONTRACT_INLINE_LAMBDA {
      int index[rank_or_1]{};
      auto rest = static_cast<int>(row);
      int offset = 0;
      unrolled<last>([&]<int back>(Number<back>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int d = last - 1 - back;
        constexpr int stride = stride_of<Input>(d);
        if constexpr (d > 0) {
          constexpr int l = in_tile<Input>(d);
          index[l] = take_digit(rest, held_.limit_[l]);
          offset += index[l] * stride;
        } else {
          offset += rest * stride;
        }
      });
      if constexpr (last == 0) offset = rest;
      constexpr int along = in_tile<Input>(last);
      f(at + offset, last > 0 ? held_.limit_[along] : 1, index, rest);
    });
  }
  /// Calls f(element, with) for this worker's elements. with(g) calls g(their indices in the
  /// input).
  template <int Input, class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_element(int step, const F& f) const {
    if (step >= steps()) return;
    int first[Steps::count_or_1];
    const int left = steps_.begin(step, first);
    constexpr int along = letter_of_row<Input>;
    each_row<Input>(
        step, left < depth ? left : depth,
        [&](T* row, int count, const int (&in_tile)[rank_or_1], int term)
            KOKKOSCONTRACT_INLINE_LAMBDA {
              int index[rank_or_1]{};
              for (int l = 0; l < rank; ++l) index[l] = held_.origin_[l] + in_tile[l];
              for (int i = 0; i < count; ++i) {
                f(row[i], [&](const auto& g) KOKKOSCONTRACT_INLINE_LAMBDA -> decltype(auto) {
                  return with_indices<Of::parsed.input[Input], extents.letters, Of::sums>(
                      g, index, first, steps_.along, term);
                });
                if constexpr (along >= 0) ++index[along];
              }
            });
  }
};

/// Copies slices of an operand.
template <class Of, int Input, class A>
class HostLoader {
  using Slices = HostSlices<Of>;
  using T = typename Of::T;
  static constexpr Labels of = Of::parsed.input[Input];
  static constexpr int rank_or_1 = Slices::rank_or_1;
  static_assert(std::is_same_v<std::remove_const_t<typename A::value_type>, T>,
                "KokkosContract: the inputs of a tile have its element type");

 public:
  KOKKOS_FORCEINLINE_FUNCTION HostLoader(Slices& slices, const A& a) : slices_(slices), a_(a) {
    if (slices.info() == 0 && !agrees_with<Of, Input>(a, slices.held_.extent_, slices.steps_)) {
      slices.set_code(extents_disagree);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void start(int step) const {
    if (step >= slices_.steps()) return;
    int first[Slices::Steps::count_or_1];
    const int left = slices_.steps_.begin(step, first);
    std::ptrdiff_t stride[rank_or_1]{};
    const T* from = a_.data();
    std::ptrdiff_t next_term = 0;
    unrolled<Slices::rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      stride[l] = stride_of_letter<of, Of::extents.letters.letter[l]>(a_);
      from += slices_.held_.origin_[l] * stride[l];
    });
    unrolled<Of::sums.count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      const std::ptrdiff_t of_letter = stride_of_letter<of, Of::sums.letter[k]>(a_);
      from += first[k] * of_letter;
      if (k == slices_.steps_.along) next_term = of_letter;
    });
    constexpr int along = Slices::template letter_of_row<Input>;
    const std::ptrdiff_t next = along >= 0 ? stride[along >= 0 ? along : 0] : 0;
    slices_.template each_row<Input>(step, left < Slices::depth ? left : Slices::depth,
                                     [&](T* to, int count, const int (&index)[rank_or_1], int term)
                                         KOKKOSCONTRACT_INLINE_LAMBDA {
                                           const T* row = from + term * next_term;
                                           for (int l = 0; l < Slices::rank; ++l)
                                             row += index[l] * stride[l];
                                           for (int i = 0; i < count; ++i) to[i] = row[i * next];
                                         });
  }

 private:
  Slices& slices_;
  A a_;
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
