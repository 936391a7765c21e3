// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BLOCK_KTILE_HPP
#define KOKKOSCONTRACT_BLOCK_KTILE_HPP

// Slices (k-tiles) of an input in shared memory: the elements that a tile needs for a few terms of
// the sum. All workers copy the elements there asynchronously. The indices that the tile has of the
// input are *positions*. They are numbered consecutively, wherever they are in memory. Positions
// and terms of the sum form a matrix, and a slice has `depth` terms of it:
//
//     by terms      the terms of a position are neighbours, in chunks of 16 bytes. The chunks are
//                   swizzled, so that lanes that read eight positions of four terms meet all banks.
//     by positions  the positions of a term are neighbours, with a gap after each term
//
// The input's own order selects one of the two, so that 16 bytes are one copy. Where no 16 bytes
// are contiguous and aligned in memory, elements are copied one by one. Elements out of bounds
// become zero.
//
// Terms form runs along the innermost index of the sum. The lengths of runs are rounded up to whole
// slices, so the terms of a slice have one stride. The terms have two strides if the inputs have
// neighbours along different indices: a slice then has a few terms of one index, times some of the
// other.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/machine/Gpu.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <KokkosContract/nest/FlatModes.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <int N>
using Number = std::integral_constant<int, N>;

/// Calls f(Number<0>), f(Number<1>), ...
template <int N, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled([[maybe_unused]] const F& f) {
  if constexpr (N == 1) {
    f(Number<0>{});
  } else if constexpr (N > 1) {
    [&]<int... I>(std::integer_sequence<int, I...>) KOKKOSCONTRACT_INLINE_LAMBDA {
      (f(Number<I>{}), ...);
    }(std::make_integer_sequence<int, N>{});
  }
}

/// Most modes of a sum.
inline constexpr int most_sum_modes = 8;
/// Number of chunks of neighbouring positions of an output (see `by_eights`).
inline constexpr int chunks_together = 8;
using SumModes = FlatModes<2, most_sum_modes>;

/// The types of a block's product: elements of both inputs, sums, and elements of C; and the
/// accuracy of the products.
template <class InputType, class SumType = InputType, class OutputType = SumType,
          Accuracy A = Accuracy::full>
struct BlockTypes {
  using Input = InputType;
  using Sum = SumType;
  using Output = OutputType;
  static constexpr Accuracy accuracy = A;
  /// Whether the sums are scaled instead of the inputs. Inputs with few bits are not scaled,
  /// because that would round them.
  static constexpr bool scales_sums = !std::is_same_v<Input, Sum>;
};

/// Whether a tile of T takes inputs of this type: T itself, or a type of 16 bits.
template <class T, class Input>
inline constexpr bool is_input_of =
    std::is_same_v<T, Input> || (std::is_same_v<T, float> && is_short_float<Input>);

/// Elements that fill this number of bytes, but at least `least` elements.
template <class T>
consteval int elements_in(int bytes, int least) {
  const int elements = bytes / static_cast<int>(sizeof(T));
  return elements > least ? elements : least;
}

/// Format of a slice. A position has 64 bytes of terms, but at least 8 terms.
template <class T, int Depth = elements_in<T>(64, 8)>
struct SliceFormat {
  /// Elements in 16 bytes, and terms of a slice.
  static constexpr int vector = elements_in<T>(16, 1);
  static constexpr int depth = Depth;

  /// Gap after the positions of a term: lanes that read eight positions for four terms (pairs of
  /// terms of floats and of shorter numbers) then meet all banks.
  static constexpr int gap = sizeof(T) > 8 ? 2 : elements_in<T>(16, 4);
  static constexpr int pieces = depth / vector;  // chunks of a position
  static constexpr int positions_of_banks = 128 / (depth * static_cast<int>(sizeof(T)));

  static consteval int size(int positions, bool by_terms) {
    return by_terms ? positions * depth : (positions + gap) * depth;
  }
  /// Number of valid elements of a chunk, if `left` terms remain from its first one on.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int elements_of_piece(int left) {
    return left < 0 ? 0 : (left < vector ? left : vector);
  }
  /// Offset of an element in a slice.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(bool by_terms, int positions, int position,
                                                         int term) {
    if (!by_terms) return term * (positions + gap) + position;
    const int turned = position / positions_of_banks * (pieces / 2) % pieces;
    return position * depth + ((term / vector) ^ turned) * vector + term % vector;
  }
};

/// Offsets of the slices of a product's inputs in a stage. The slice with more positions is first.
struct SliceOrder {
  int x_begin, y_begin;
};
template <class Format, class X, class Y>
consteval SliceOrder slice_order() {
  if (Y::positions > X::positions) return {Format::size(Y::positions, Y::by_terms), 0};
  return {0, Format::size(X::positions, X::by_terms)};
}

/// The factor of the elements of a product. Most factors are 1 or -1, which cost no multiplication.
/// A multiplication, even one that a condition skips, would wait for the tensor core. Conjugation
/// costs no multiplication either: it changes the signs of imaginary parts.
template <class T>
struct TileFactor {
  static constexpr bool by_sign = std::is_floating_point_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
  static constexpr std::uint32_t sign = 1U << 31;

  std::uint32_t bits = 0;  ///< signs, and whether (0 or 1) to multiply by the absolute value

  TileFactor() = default;
  /// `first`, `second`: whether elements of the first and of the second slice are conjugated.
  KOKKOS_FORCEINLINE_FUNCTION TileFactor(const T& alpha, [[maybe_unused]] bool first,
                                         [[maybe_unused]] bool second)
      : bits(alpha == T(1) ? 0U : 1U) {
    if constexpr (by_sign) {
      bits = (alpha < 0 ? sign : 0U) | (alpha == T(1) || alpha == T(-1) ? 0U : 1U);
    } else if constexpr (is_complex<T>) {
      bits |= (first ? sign : 0U) | (second ? sign >> 1 : 0U);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T signed_by(const T& x) const {
    if constexpr (by_sign) {
      return with_sign_flipped(x, bits);
    } else {
      return x;
    }
  }
  /// An element of the first or of the second slice, conjugated if needed.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION T conjugate_if(const T& x) const {
    if constexpr (is_complex<T>) {
      return T(x.real(), with_sign_flipped(x.imag(), First ? bits : bits << 1));
    } else {
      return x;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int times() const { return static_cast<int>(bits & 1U); }
  KOKKOS_FORCEINLINE_FUNCTION static T absolute(const T& alpha) {
    if constexpr (by_sign) {
      return alpha < 0 ? -alpha : alpha;
    } else {
      return alpha;
    }
  }
};

/// An input of a product, as the workers that copy its slices see it. The offset of an element is
/// the sum of an offset of its position and one of its term. `Places` provides the facts about
/// positions:
///
///     positions, by_terms  of its slices; a multiple of 16 bytes
///     wanted               number of positions; those after it may have any value
///     offset(position)     offset of a position, or of a valid one if it is out of bounds
///     offset_of_low<Int, Apart>(low), offset_of_high<Int, Apart, High>(low)
///                          add up to the offset of low + High, where low is less than Apart, and
///                          High a multiple of it: the former serves all High
///     is_there(position)   whether the position is in bounds
template <class T>
struct SliceSource {
  const T* data;                    ///< elements, from the tile's first index on
  std::ptrdiff_t stride[max_rank];  ///< strides of the tile's letters
  int wanted;                       ///< number of positions, if Places does not have it
  int input;                        ///< operand of the sum's modes, first or second
  bool has_neighbours;              ///< 16 bytes of a slice are contiguous in global memory
  bool by_vectors;                  ///< they are also aligned
  bool by_eights;             ///< by positions: the next chunk in memory is the eighth after it
  bool is_near;               ///< 32 bits suffice for offsets of positions and terms
  int inner;                  ///< number of terms with one stride, a power of 2
  std::ptrdiff_t next;        ///< stride of these terms
  std::ptrdiff_t next_inner;  ///< stride from one group of them to the next
  std::ptrdiff_t ahead;       ///< stride from a slice to the next one of the same run

  /// Gives all terms of a slice this stride.
  KOKKOS_FUNCTION void set_terms(std::ptrdiff_t from_term_to_term) {
    inner = SliceFormat<T>::depth;
    next = from_term_to_term;
    next_inner = 0;
    ahead = inner * next;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset_of_term(int term) const {
    return (term & (inner - 1)) * next + term / inner * next_inner;
  }

  /// Starts copying a slice of any input, of which `left` terms are in bounds.
  template <class Machine, class Places>
  KOKKOS_FORCEINLINE_FUNCTION void start_copy(const Places& places, T* to, const SumModes& sums,
                                              int slice, int left, int rank, int workers) const {
    using Format = SliceFormat<T>;
    constexpr bool by_terms = Places::by_terms;
    constexpr int vector = Format::vector;
    constexpr unsigned per_row = by_terms ? Format::pieces : Places::positions / vector;
    constexpr unsigned pieces = per_row * (by_terms ? Places::positions : Format::depth);
    const T* const first = data + sums.offset(slice, input);
    KOKKOSCONTRACT_NO_UNROLL
    for (auto n = static_cast<unsigned>(rank); n < pieces; n += workers) {
      const int row = static_cast<int>(n / per_row);
      const int in_row = static_cast<int>(n % per_row) * vector;
      const int position = by_terms ? row : in_row;
      const int term = by_terms ? in_row : row;
      T* const place = to + Format::place(by_terms, Places::positions, position, term);
      const bool is_there = by_terms ? term + vector <= left && places.is_there(position)
                                     : term < left && places.is_there(position + vector - 1);
      const bool is_whole = by_vectors && is_there;
      KOKKOSCONTRACT_NO_UNROLL
      for (int e = 0; e < vector; e += is_whole ? vector : 1) {
        const int p = position + (by_terms ? 0 : e);
        const int t = term + (by_terms ? e : 0);
        const bool found = is_whole || (t < left && places.is_there(p));
        const T* const from = first + (found ? offset_of_term(t) + places.offset(p) : 0);
        if (is_whole) {
          Machine::start_copy_of_16(reinterpret_cast<char*>(place),
                                    reinterpret_cast<const char*>(from));
        } else {
          Machine::start_copy_if(place + e, from, found);
        }
      }
    }
  }
};

/// An input, starting at one of its slices.
template <class T, class PlacesOfInput>
struct SlicesFrom {
  using Places = PlacesOfInput;
  const SliceSource<T>& source;
  const Places& places;
  const T* data;
};
template <class T, class Places>
KOKKOS_FORCEINLINE_FUNCTION SlicesFrom<T, Places> slices_from(const SliceSource<T>& source,
                                                              const Places& places, const T* data) {
  return {source, places, data};
}

/// Whether and how a worker copies its chunks of 16 bytes.
struct PieceCopies {
  bool by_vectors;   ///< whole chunks
  bool by_elements;  ///< element by element: not aligned, or partly out of bounds

  KOKKOS_FORCEINLINE_FUNCTION bool is_quick() const { return by_vectors || by_elements; }
  KOKKOS_FORCEINLINE_FUNCTION void set(bool is_quick, bool are_vectors) {
    by_vectors = is_quick && are_vectors;
    by_elements = is_quick && !are_vectors;
  }
  template <class Machine, class T>
  KOKKOS_FORCEINLINE_FUNCTION void start_vector(typename Machine::BlockAddress to, const T* from,
                                                bool is_there, bool is_wanted) const {
    Machine::template start_copy_to<SliceFormat<T>::vector * sizeof(T)>(
        to, reinterpret_cast<const char*>(from), is_there, is_wanted && by_vectors);
  }
  /// Copies a chunk element by element. Only the first `count` elements are in bounds.
  template <class Machine, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void start_elements(typename Machine::BlockAddress to,
                                                         const T* from, std::ptrdiff_t stride,
                                                         int count, bool is_wanted) {
    KOKKOSCONTRACT_UNROLL
    for (int e = 0; e < SliceFormat<T>::vector; ++e) {
      Machine::template start_copy_to<sizeof(T)>(to + e * static_cast<int>(sizeof(T)),
                                                 reinterpret_cast<const char*>(from + e * stride),
                                                 e < count, is_wanted);
    }
  }
};

/// The chunks of slices that a worker copies in the fast way: their addresses stay in registers
/// from slice to slice. `start` copies the chunks that are vectors. It has no branches, so it may
/// stand between any other instructions. `start_elements` copies the others.
///
/// Terms out of bounds become zero. Positions out of bounds may get any value, because no code
/// reads their elements of the tile. Nothing outside of the inputs is read.

/// Chunks of slices by terms. They cover `positions` positions: at least Least and at most Most.
/// AnyStride: terms need not be neighbours.
template <class Machine, class T, int Least, int Most, int Workers, bool AnyStride>
struct PiecesByTerms {
  using Format = SliceFormat<T>;
  static constexpr int apart = Workers / Format::pieces;  // positions from one chunk to the next
  static constexpr int slots = (Most + apart - 1) / apart;

  const T* from[slots];
  std::ptrdiff_t ahead_of_slice;
  int to;     // offset of the first chunk, in bytes
  int count;  // number of this worker's chunks
  int term;
  int elements;  // valid elements of the chunks of this step
  PieceCopies copies;

  /// Returns whether the chunks can be copied this way.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const Input& input, int positions, int run, int worker) {
    // The compiler knows that this is less than `apart`, so chunks share the values that follow
    // from it.
    const auto me = static_cast<unsigned>(worker) % Workers;
    const int position = static_cast<int>(me / Format::pieces);
    term = static_cast<int>(me % Format::pieces) * Format::vector;
    ahead_of_slice = input.source.ahead;
    to = Format::place(true, positions, position, term) * static_cast<int>(sizeof(T));
    count = positions <= position ? 0 : (positions - position + apart - 1) / apart;
    const bool is_quick = AnyStride || (input.source.next == 1 && input.source.has_neighbours);
    copies.set(is_quick, input.source.by_vectors && run % Format::vector == 0);
    const T* const first = input.data + (AnyStride ? input.source.offset_of_term(term) : term);
    const auto low = input.places.template offset_of_low<std::ptrdiff_t, apart>(position);
    // There are no branches, so the reads for all chunks are in flight together.
    unrolled<slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int begin = s * apart;
      if constexpr (begin + apart <= Input::Places::positions) {
        from[s] =
            first +
            (low + input.places.template offset_of_high<std::ptrdiff_t, apart, begin>(position));
      } else {
        // A chunk after the last one repeats the last one.
        const int p = position + begin < positions ? position + begin : positions - 1;
        from[s] = first + input.places.offset(p);
      }
    });
    return is_quick;
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) {
    elements = Format::elements_of_piece(left - term);
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slice) const {
    copies.template start_vector<Machine>(slice + to + next<S>, from[S], elements > 0, has<S>());
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slice,
                                                  const SliceSource<T>& source) const {
    copies.template start_elements<Machine>(slice + to + next<S>, from[S],
                                            AnyStride ? source.next : 1, elements, has<S>());
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() {
    const std::ptrdiff_t ahead = AnyStride ? ahead_of_slice : Format::depth;
    KOKKOSCONTRACT_UNROLL
    for (int s = 0; s < slots; ++s) from[s] += ahead;
  }
  /// Moves to another run of one input.
  KOKKOS_FORCEINLINE_FUNCTION void move(std::ptrdiff_t by) {
    KOKKOSCONTRACT_UNROLL
    for (int s = 0; s < slots; ++s) from[s] += by;
  }

 private:
  template <int S>
  static constexpr int next = S * apart * Format::depth * static_cast<int>(sizeof(T));
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool has() const {
    constexpr bool is_everybodys = (S + 1) * apart <= Least;
    return is_everybodys || S < count;
  }
};

/// Chunks of slices of one input by positions. If the number of workers is a multiple of the chunks
/// of a term, all chunks of a worker are the same chunk of several terms. Otherwise a worker has
/// arbitrary chunks.
template <class Machine, class T, int Positions, int Workers>
struct PiecesByPositions {
  using Format = SliceFormat<T>;
  static constexpr int per_term = Positions / Format::vector;
  static constexpr int all = per_term * Format::depth;
  static constexpr bool same = per_term > 0 && Workers % per_term == 0;
  static constexpr int next_term = same ? Workers / per_term : 0;
  static constexpr int wanted_slots = (all + Workers - 1) / Workers;
  /// Whether the slots fit. Each slot that differs from the others takes registers.
  static constexpr bool fits = Positions % Format::vector == 0 && (same || wanted_slots <= 8);
  static constexpr int slots = fits ? wanted_slots : 0;
  static constexpr int places = same || !fits ? 1 : slots;

  const T* data[places];
  std::ptrdiff_t stride;
  int to[places], term[places];
  int elements[places];  // valid elements of a chunk whose term is in bounds
  int left[places];      // terms that remain in this step
  PieceCopies copies;

  /// Returns whether the chunks can be copied this way.
  template <class Input>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(const Input& input, int worker) {
    const SliceSource<T>& source = input.source;
    stride = source.next;
    bool are_whole = true;
    unrolled<places>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int number = worker + s * Workers;
      int piece = number % per_term;
      // Eight lanes copy at a time, and read whole sectors of memory.
      constexpr int both = 2 * chunks_together;
      if (source.by_eights && per_term % both == 0) {
        piece = piece / both * both + piece % 2 * chunks_together + piece / 2 % chunks_together;
      }
      const int position = piece * Format::vector;
      term[s] = number / per_term;
      to[s] = Format::place(false, Positions, position, term[s]) * static_cast<int>(sizeof(T));
      data[s] = input.data + term[s] * stride + input.places.offset(position);
      int count = 0;
      while (count < Format::vector && input.places.is_there(position + count)) ++count;
      elements[s] = count;
      are_whole = are_whole && count % Format::vector == 0;
    });
    const bool is_quick = fits && source.has_neighbours;
    copies.set(is_quick, source.by_vectors && are_whole);
    return is_quick;
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int terms_left) {
    KOKKOSCONTRACT_UNROLL
    for (int p = 0; p < places; ++p) left[p] = terms_left - term[p];
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slice) const {
    constexpr int p = place_of<S>;
    copies.template start_vector<Machine>(slice + to[p] + next<S>, data[p] + ahead<S> * stride,
                                          is_there<S>() && elements[p] > 0, has<S>());
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slice,
                                                  const SliceSource<T>&) const {
    constexpr int p = place_of<S>;
    copies.template start_elements<Machine>(slice + to[p] + next<S>, data[p] + ahead<S> * stride, 1,
                                            is_there<S>() ? elements[p] : 0, has<S>());
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() { move(Format::depth * stride); }
  KOKKOS_FORCEINLINE_FUNCTION void move(std::ptrdiff_t by) {
    KOKKOSCONTRACT_UNROLL
    for (int p = 0; p < places; ++p) data[p] += by;
  }

 private:
  template <int S>
  static constexpr int place_of = same ? 0 : S;
  /// Terms, and bytes of a slice, from this worker's first slot to slot S.
  template <int S>
  static constexpr int ahead = S * next_term;
  template <int S>
  static constexpr int next = ahead<S> * (Positions + Format::gap) * static_cast<int>(sizeof(T));
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool is_there() const {
    return ahead<S> < left[place_of<S>];
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool has() const {
    constexpr bool is_everybodys = (S + 1) * Workers <= all;
    return is_everybodys || term[place_of<S>] + ahead<S> < Format::depth;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
