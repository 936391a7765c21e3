// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_SLICES_HPP
#define KOKKOSCONTRACT_TILE_SLICES_HPP

// Slices of an input in shared memory: the elements that a tile needs of it for a few terms of the
// sum, copied there by all workers without waiting. The indices of the input that the tile has are
// *positions*, numbered through, wherever they are in memory; with the terms of the sum they are a
// matrix, of which a slice has `depth` terms:
//
//   by terms      the terms of a position are neighbours, in pieces of 16 bytes, which change
//                 places, so that lanes which read eight positions of four terms meet all banks
//   by positions  the positions of a term are neighbours, with a gap behind each term
//
// as the input has them: then 16 bytes go in one copy. Where nothing in memory is as long, or
// aligned, elements are copied one by one. What is not there becomes zero.
//
// Terms are in runs along the innermost index of the sum, whose lengths are rounded up to whole
// slices: so the terms of a slice have one stride. (Or two: a few terms of one index, times some of
// another one, where both inputs have neighbours, but of different indices.)

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/machine/Machine.hpp>
#include <KokkosContract/nest/FlatModes.hpp>
#include <utility>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <int N>
using Number = std::integral_constant<int, N>;

/// f(Number<0>), f(Number<1>), ...
template <int N, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      KOKKOSCONTRACT_INLINE_LAMBDA { (f(Number<I>{}), ...); }(std::make_integer_sequence<int, N>{});
}

/// The slices of a sum.
inline constexpr int most_sum_modes = 8;
using SumModes = FlatModes<2, most_sum_modes>;

template <class T>
struct SliceFormat {
  /// Elements of 16 bytes; terms of a slice.
  static constexpr int vector = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
  static constexpr int depth = sizeof(T) < 16 ? 8 : 4;

  static constexpr int gap = 32 / static_cast<int>(sizeof(T));
  static constexpr int pieces = depth / vector;  // of a position
  static constexpr int positions_of_banks = 128 / (depth * static_cast<int>(sizeof(T)));

  static consteval int size(int positions, bool by_terms) {
    return by_terms ? positions * depth : (positions + gap) * depth;
  }
  /// Where an element is.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(bool by_terms, int positions, int position,
                                                         int term) {
    if (!by_terms) return term * (positions + gap) + position;
    const int turned = position / positions_of_banks * (pieces / 2) % pieces;
    return position * depth + ((term / vector) ^ turned) * vector + term % vector;
  }
};

/// Tables of what is where: of all inputs of some products.
struct SliceTables {
  std::ptrdiff_t* offset_in_row;
  std::ptrdiff_t* offset_of_row;
  unsigned* there;  ///< which places of a row of blocks are there: a bit each
};

/// An input of a product, for the workers that copy its slices. Positions are rows of blocks of
/// `1 << log_size`; an element is at the sum of an offset of its row of blocks, one of its place in
/// there and one of its term.
template <class T>
struct SliceSource {
  const T* data;                    ///< the elements from the tile's first index on
  std::ptrdiff_t stride[max_rank];  ///< of the tile's letters
  unsigned letters;                 ///< those that it has: a bit each
  int first_in_row, first_row;      ///< in the tables
  int positions;                    ///< a multiple of 16 bytes
  int wanted;                       ///< of these, where what is behind them may become anything
  int log_size;
  int input;  ///< first or second operand of the sum's modes
  bool by_terms;
  bool has_neighbours;  ///< 16 bytes that are neighbours in a slice are so in memory
  bool by_vectors;      ///< and aligned
  bool is_quick;        ///< copied by PiecesByTerms or PiecesByPositions
  bool conjugate;       ///< not copied as they are
  bool by_eights;       ///< by positions: a piece's neighbour in memory is the eighth one behind it
  int per_row;          ///< pieces of 16 bytes of a position, or of a term
  int pieces;
  unsigned divider;           ///< n / per_row is n * divider >> 20 for n * per_row < 2^20
  int inner;                  ///< terms with one stride, a power of 2
  std::ptrdiff_t next;        ///< from one of them to the next
  std::ptrdiff_t next_inner;  ///< from so many to the next ones
  std::ptrdiff_t ahead;       ///< from a slice to the next one of the same run

  /// All terms of a slice have this stride.
  KOKKOS_FUNCTION void set_terms(std::ptrdiff_t from_term_to_term) {
    inner = SliceFormat<T>::depth;
    next = from_term_to_term;
    next_inner = 0;
    ahead = inner * next;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset_of_term(int term) const {
    return (term & (inner - 1)) * next + term / inner * next_inner;
  }

  /// `any_stride`: PiecesByTerms takes terms that are no neighbours.
  KOKKOS_FORCEINLINE_FUNCTION void set_pieces(int workers, bool any_stride) {
    using Format = SliceFormat<T>;
    per_row = by_terms ? Format::pieces : positions / Format::vector;
    pieces = per_row * (by_terms ? positions : Format::depth);
    divider = ((1U << 20) + static_cast<unsigned>(per_row) - 1) / static_cast<unsigned>(per_row);
    const bool fits = by_terms ? next == 1 || any_stride : has_neighbours && workers % per_row == 0;
    is_quick = fits && !(is_complex<T> && conjugate);
  }

  /// Where piece n of a slice begins.
  struct Place {
    int position, term;
  };
  KOKKOS_FORCEINLINE_FUNCTION Place place_of(int n) const {
    const int row = static_cast<int>(static_cast<unsigned>(n) * divider >> 20);
    const int first = (n - row * per_row) * SliceFormat<T>::vector;
    return by_terms ? Place{row, first} : Place{first, row};
  }
  /// The row of blocks of a position, and its place in there.
  KOKKOS_FORCEINLINE_FUNCTION int row_of(int position) const {
    return first_row + (position >> log_size);
  }
  KOKKOS_FORCEINLINE_FUNCTION int place_in_row(int position) const {
    return position & ((1 << log_size) - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_there(const SliceTables& tables, int position) const {
    return (tables.there[row_of(position)] >> place_in_row(position) & 1U) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(const SliceTables& tables, int position) const {
    return tables.offset_of_row[row_of(position)] +
           tables.offset_in_row[first_in_row + place_in_row(position)];
  }
  /// Elements of a piece that are there, when its terms are.
  KOKKOS_FORCEINLINE_FUNCTION int elements_at(const SliceTables& tables, int position) const {
    constexpr int vector = SliceFormat<T>::vector;
    if (by_terms) return is_there(tables, position) ? vector : 0;
    int count = 0;
    while (count < vector && is_there(tables, position + count)) ++count;
    return count;
  }
  /// Of those, the elements whose terms are there, of which `left` are from the slice's first on.
  KOKKOS_FORCEINLINE_FUNCTION static int elements_of(bool by_terms, int count, int term, int left) {
    const int terms = left - term;
    if (terms <= 0) return 0;
    return by_terms && terms < count ? terms : count;
  }

  /// Starts copying a slice, of which `left` terms are there, whatever the input is like.
  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION void start_copy(const SliceTables& tables, T* to,
                                              const SumModes& sums, int slice, int left, int rank,
                                              int workers) const {
    using Format = SliceFormat<T>;
    const T* const first = data + sums.offset(slice, input);
    KOKKOSCONTRACT_NO_UNROLL
    for (int n = rank; n < pieces; n += workers) {
      const Place at = place_of(n);
      T* const place = to + Format::place(by_terms, positions, at.position, at.term);
      if (by_vectors) {
        const int count = elements_of(by_terms, elements_at(tables, at.position), at.term, left);
        const T* const from =
            count == 0 ? data : first + offset_of_term(at.term) + offset(tables, at.position);
        Machine::start_copy_of_16(reinterpret_cast<char*>(place),
                                  reinterpret_cast<const char*>(from),
                                  count * static_cast<int>(sizeof(T)));
        continue;
      }
      KOKKOSCONTRACT_UNROLL
      for (int e = 0; e < Format::vector; ++e) {
        const int position = at.position + (by_terms ? 0 : e);
        const int term = at.term + (by_terms ? e : 0);
        const bool found = term < left && is_there(tables, position);
        const T* const from =
            found ? first + offset_of_term(term) + offset(tables, position) : data;
        if (is_complex<T> && conjugate) {
          place[e] = found ? conjugate_of(*from) : T(0);
        } else {
          Machine::start_copy_if(place + e, from, found);
        }
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static T conjugate_of(const T& x) {
    if constexpr (is_complex<T>) {
      return T(x.real(), -x.imag());
    } else {
      return x;
    }
  }
};

/// How a worker copies its pieces of 16 bytes.
struct PieceCopies {
  bool by_vectors;   ///< as they are
  bool by_elements;  ///< element by element: what is not aligned, or not all there

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
  /// Of the elements the first `count` are there.
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

/// The pieces of slices that a worker copies, where they are quick: their addresses stay in
/// registers from slice to slice. `start` copies those that are vectors, without branches, so that
/// it can be anywhere between other instructions; `start_elements` is for the others.
///
/// Terms that are not there become zero. Positions that are not may become anything, for elements
/// of the tile that nobody sees, but nothing outside of the inputs is read.

/// Of slices by terms, of one input, or of both as one list of positions: at least Least and at
/// most Most of them. AnyStride: terms need not be neighbours.
template <class Machine, class T, int Least, int Most, int Workers, bool AnyStride>
struct PiecesByTerms {
  using Format = SliceFormat<T>;
  static constexpr int apart = Workers / Format::pieces;  // positions, from one piece to the next
  static constexpr int slots = (Most + apart - 1) / apart;

  const T* from[slots];
  std::ptrdiff_t ahead_of_slice;
  int to;     // of the first one, in bytes
  int count;  // of this worker's
  int term;
  int elements;  // of the pieces of this step
  PieceCopies copies;

  KOKKOS_FORCEINLINE_FUNCTION void begin(const SliceTables& tables, const SliceSource<T>& first,
                                         const SliceSource<T>& second, int positions, int run,
                                         int worker) {
    const int position = worker / Format::pieces;
    term = worker % Format::pieces * Format::vector;
    ahead_of_slice = first.ahead;
    to = Format::place(true, positions, position, term) * static_cast<int>(sizeof(T));
    count = positions <= position ? 0 : (positions - position + apart - 1) / apart;
    copies.set(first.is_quick && second.is_quick,
               first.by_vectors && second.by_vectors && run % Format::vector == 0);
    // Without branches: what is read for one piece is on its way with what is read for the others.
    const Half halves[] = {{first, term}, {second, term}};
    KOKKOSCONTRACT_UNROLL
    for (int s = 0; s < slots; ++s) {
      const int p = position + s * apart;
      const bool is_second = p >= first.positions;
      const Half& half = is_second ? halves[1] : halves[0];
      // Beyond the last one, any that is there.
      const int at = p >= positions ? 0 : (is_second ? p - first.positions : p);
      const int row = half.first_row + (at >> half.log_size);
      const int place = at & ((1 << half.log_size) - 1);
      const std::ptrdiff_t offset =
          tables.offset_of_row[row] + tables.offset_in_row[half.first_in_row + place];
      from[s] = half.data + ((tables.there[row] >> place & 1U) != 0 ? offset : 0);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) {
    const int terms = left - term;
    elements = terms < 0 ? 0 : (terms < Format::vector ? terms : Format::vector);
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
  /// To another run: in the first input by these elements, in the second one by those.
  KOKKOS_FORCEINLINE_FUNCTION void move(std::ptrdiff_t by_first, std::ptrdiff_t by_second,
                                        int first_positions, int worker) {
    KOKKOSCONTRACT_UNROLL
    for (int s = 0; s < slots; ++s) {
      from[s] += worker / Format::pieces + s * apart < first_positions ? by_first : by_second;
    }
  }

 private:
  /// What is needed of an input.
  struct Half {
    const T* data;
    int first_row, first_in_row, log_size;
    KOKKOS_FORCEINLINE_FUNCTION Half(const SliceSource<T>& source, int term)
        : data(source.data + (AnyStride ? source.offset_of_term(term) : term)),
          first_row(source.first_row),
          first_in_row(source.first_in_row),
          log_size(source.log_size) {}
  };
  template <int S>
  static constexpr int next = S * apart * Format::depth * static_cast<int>(sizeof(T));
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool has() const {
    constexpr bool is_everybodys = (S + 1) * apart <= Least;
    return is_everybodys || S < count;
  }
};

/// Of slices of one input by positions: of a worker the same ones of several terms.
template <class Machine, class T, int Positions, int Workers>
struct PiecesByPositions {
  using Format = SliceFormat<T>;
  static constexpr int per_term = Positions / Format::vector;
  static constexpr bool fits = Workers % per_term == 0;
  static constexpr int next_term = fits ? Workers / per_term : 1;
  static constexpr int slots = fits ? (Format::depth + next_term - 1) / next_term : 0;

  const T* data;
  std::ptrdiff_t stride;
  int to, term;
  int elements;  // of a piece whose term is there
  int left;      // of the terms of this step
  PieceCopies copies;

  KOKKOS_FORCEINLINE_FUNCTION void begin(const SliceTables& tables, const SliceSource<T>& source,
                                         int worker) {
    int piece = worker % per_term;
    // Eight lanes copy at a time; they read whole sectors of memory.
    if (source.by_eights && per_term % 16 == 0) {
      piece = piece / 16 * 16 + piece % 2 * 8 + piece / 2 % 8;
    }
    const int position = piece * Format::vector;
    term = worker / per_term;
    to = Format::place(false, Positions, position, term) * static_cast<int>(sizeof(T));
    stride = source.next;
    data = source.data + term * stride;
    elements = source.elements_at(tables, position);
    copies.set(source.is_quick, source.by_vectors && elements % Format::vector == 0);
    if (elements > 0) data += source.offset(tables, position);
  }
  KOKKOS_FORCEINLINE_FUNCTION void begin_step(int terms_left) { left = terms_left - term; }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slice) const {
    constexpr int k = S * next_term;
    copies.template start_vector<Machine>(slice + to + next<S>, data + k * stride,
                                          k < left && elements > 0, has<S>());
  }
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION void start_elements(typename Machine::BlockAddress slice,
                                                  const SliceSource<T>&) const {
    constexpr int k = S * next_term;
    copies.template start_elements<Machine>(slice + to + next<S>, data + k * stride, 1,
                                            k < left ? elements : 0, has<S>());
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_step() { data += Format::depth * stride; }
  KOKKOS_FORCEINLINE_FUNCTION void move(std::ptrdiff_t by) { data += by; }

 private:
  template <int S>
  static constexpr int next =
      S * next_term * (Positions + Format::gap) * static_cast<int>(sizeof(T));
  template <int S>
  KOKKOS_FORCEINLINE_FUNCTION bool has() const {
    constexpr int k = S * next_term;
    constexpr bool is_everybodys = k + next_term <= Format::depth;
    return is_everybodys || term + k < Format::depth;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
