// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_PLAN_HPP
#define KOKKOSCONTRACT_TILE_PLAN_HPP

// The plan of a call of accumulate: its products, their order, and the data that each of them
// needs.

#include <KokkosContract/block/Indices.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// One product: a string and its arguments.
template <Spec S, class Alpha, class A, class B>
struct TileArgument {
  static constexpr Spec spec = S;
  static constexpr Parsed parsed = Parse<S>::value;
  using First = operand_t<A>;
  using Second = operand_t<B>;
  const Alpha& alpha;
  const A& a;
  const B& b;
};

/// The index of argument I in a list.
template <int I, class Argument>
struct TileArgumentAt {
  Argument value;
};
template <class Numbers, class... Arguments>
struct TileArgumentList;
template <int... I, class... Arguments>
struct TileArgumentList<std::integer_sequence<int, I...>, Arguments...>
    : TileArgumentAt<I, Arguments>... {
  static constexpr int count = sizeof...(I);
};
template <class... Arguments>
using TileArguments =
    TileArgumentList<std::make_integer_sequence<int, sizeof...(Arguments)>, Arguments...>;
template <int I, class Argument>
KOKKOS_FORCEINLINE_FUNCTION const Argument& argument(const TileArgumentAt<I, Argument>& a) {
  return a.value;
}

/// The stride of a letter in an operand, or 0 if the operand does not have it.
template <Labels Of, char Letter, class A>
KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride_of_letter([[maybe_unused]] const A& a) {
  std::ptrdiff_t stride = 0;
  unrolled<Of.rank>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
    if constexpr (Of.letter[i] == Letter) stride += a.template stride<i>();
  });
  return stride;
}

/// Whether the slices of an operand are copied by terms. This holds if its type has stride 1 for a
/// letter of the sum, or for no letter at all.
template <class A>
consteval bool is_by_terms(const Labels& labels, const Labels& output) {
  for (int i = 0; i < labels.rank; ++i) {
    if (A::shape.stride[i] == 1) return !output.has(labels.letter[i]);
  }
  return true;
}

/// The letters that a product sums over. Letters without stride 1 in the type of any input come
/// first.
struct SumLetters {
  char letter[most_sum_modes]{};
  int count = 0;
};
template <class A, class B>
consteval SumLetters sum_letters_of(const Parsed& p) {
  SumLetters sums{};
  for (int unit = 0; unit < 2; ++unit) {
    for (int input = 0; input < 2; ++input) {
      const Labels& labels = p.input[input];
      for (int i = 0; i < labels.rank; ++i) {
        const char c = labels.letter[i];
        bool known = p.output.has(c);
        for (int k = 0; k < sums.count; ++k) known = known || sums.letter[k] == c;
        if (known) continue;
        bool is_unit = false;
        for (int d = 0; d < p.input[0].rank; ++d) {
          is_unit = is_unit || (p.input[0].letter[d] == c && A::shape.stride[d] == 1);
        }
        for (int d = 0; d < p.input[1].rank; ++d) {
          is_unit = is_unit || (p.input[1].letter[d] == c && B::shape.stride[d] == 1);
        }
        if (is_unit == (unit == 1)) sums.letter[sums.count++] = c;
      }
    }
  }
  return sums;
}

/// The position of a tile in its tensor.
template <TileExtents Extents>
class TilePosition {
 protected:
  static constexpr int rank = Extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;
  int origin_[rank_or_1];
  int limit_[rank_or_1];   // indices of the tile in bounds
  int extent_[rank_or_1];  // extents of the whole tensor

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION TilePosition(const Index& origin, const Index& extents) {
    for (int l = 0; l < rank; ++l) {
      origin_[l] = origin[l];
      extent_[l] = extents[l];
      const int left = extents[l] > origin[l] ? extents[l] - origin[l] : 0;
      limit_[l] = left < Extents.extent[l] ? left : Extents.extent[l];
    }
  }

  /// The extent of a letter: that of the tile's tensor, or of the first dimension that has the
  /// letter.
  template <class Argument, char Letter, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION int extent_of_letter(const A& a, const B& b) const {
    constexpr Parsed P = Argument::parsed;
    constexpr int of_tile = dimension_of(Extents.letters, Letter);
    constexpr int in_a = dimension_of(P.input[0], Letter);
    if constexpr (of_tile >= 0) {
      return extent_[of_tile];
    } else if constexpr (in_a >= 0) {
      return a.template extent<in_a>();
    } else {
      return b.template extent<dimension_of(P.input[1], Letter)>();
    }
  }
  /// Whether each dimension of both inputs has the extent of its letter.
  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION bool agrees(const Argument& of) const {
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    bool all = true;
    const auto compare = [&]<int input>(Number<input>, const auto& x) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr Labels labels = Argument::parsed.input[input];
      unrolled<labels.rank>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
        all = all && x.template extent<i>() == extent_of_letter<Argument, labels.letter[i]>(a, b);
      });
    };
    compare(Number<0>{}, a);
    compare(Number<1>{}, b);
    return all;
  }
  /// Whether routines can count the extents of the letters of the sum. With OneCount, an int must
  /// also count all terms.
  template <bool OneCount, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION bool counts_terms(const Argument& of) const {
    constexpr auto sums =
        sum_letters_of<typename Argument::First, typename Argument::Second>(Argument::parsed);
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    bool counts = true;
    std::ptrdiff_t terms = 1;
    unrolled<sums.count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int extent = extent_of_letter<Argument, sums.letter[k]>(a, b);
      terms = OneCount && counts ? terms * extent : extent;
      counts = counts && extent >= 0 && terms <= most_extent;
    });
    return counts;
  }
  /// The code of the products to be added. It is 0 if all dimensions have the extents of their
  /// letters, and the terms can be counted.
  template <bool OneCount, int... I, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION int fault_of_products(
      const TileArgumentList<std::integer_sequence<int, I...>, Arguments...>& arguments) const {
    if (!(true && ... && agrees(argument<I>(arguments)))) return extents_disagree;
    if (!(true && ... && counts_terms<OneCount>(argument<I>(arguments)))) return extent_too_large;
    return 0;
  }
  /// Whether an operand with the tile's letters has the extents of the tensor.
  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION bool agrees_with_tensor(const C& c) const {
    bool all = true;
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      all = all && c.template extent<l>() == extent_[l];
    });
    return all;
  }
};

/// A product, with the data for the workers that copy its slices.
template <class TypesOfProducts>
struct TileSource {
  using Types = TypesOfProducts;
  using T = typename Types::Input;
  SumModes sums;
  SliceSource<T> first, second;
  int begin, end;  // first slice, and the one after the last
  int run;         // number of terms of a run
  int slices_of_run;
  bool is_near, by_vectors;   // these hold for both inputs, if slices are by terms
  typename Types::Sum alpha;  // without its sign, if the factor has it
  TileFactor<typename Types::Sum> factor;

  /// Appends runs to the other modes: their number, their terms, and the strides between slices.
  KOKKOS_FUNCTION void set_runs(int runs, int terms_of_run, std::ptrdiff_t ahead_in_first,
                                std::ptrdiff_t ahead_in_second) {
    constexpr int depth = SliceFormat<T>::depth;
    run = terms_of_run;
    slices_of_run = (run + depth - 1) / depth;
    // The only mode may have one slice.
    if (slices_of_run > 1 || sums.count == 0)
      sums.add(slices_of_run, ahead_in_first, ahead_in_second);
    begin = 0;
    end = runs * slices_of_run;
  }
  KOKKOS_FORCEINLINE_FUNCTION int steps() const { return end - begin; }
};

/// The products of a call: the order and the layouts in which they are added, and the shared memory
/// for them.
template <class Machine, class TypesOfProducts, TileExtents Extents, class... Arguments>
struct TilePlan {
  using Types = TypesOfProducts;
  using T = typename Types::Input;
  using Atom = tile_atom_t<Machine, Types, Extents>;
  static constexpr int count = sizeof...(Arguments);
  static constexpr bool scales = true;       // whether products are scaled by alpha
  static constexpr bool has_splits = false;  // whether sums are split and begin anywhere
  static constexpr bool all_wanted = true;   // whether all positions are wanted
  static constexpr bool any_stride = false;  // whether the terms that workers copy have any stride
  static constexpr std::size_t most_bytes = Machine::most_scratch_bytes;
  static constexpr TileLimits limits = tile_limits<Atom>(Extents);
  static constexpr TileLayout home = home_layout(Extents, limits);
  static constexpr int workers = home.warp_count() * Machine::warp_size;

  static consteval TileSchedule<count> make_schedule() {
    const TileTerm terms[] = {
        term_of(Extents, Arguments::parsed.input[0], Arguments::parsed.input[1])...};
    return schedule_of(Extents, limits, terms);
  }
  static constexpr TileSchedule<count> schedule = make_schedule();

  template <int I>
  using Argument = std::tuple_element_t<I, std::tuple<Arguments...>>;

  /// The product at index N of the order.
  template <int N>
  struct Product {
    static constexpr int number = schedule.order[N];
    using Of = Argument<number>;
    static constexpr TileLayout layout = schedule.layout[N];
    static constexpr Parsed parsed = Of::parsed;
    static constexpr TileTerm term = term_of(Extents, parsed.input[0], parsed.input[1]);
    static constexpr int input_of_rows = Impl::input_of_rows(layout, term);
    static constexpr bool first_by_terms =
        is_by_terms<typename Of::First>(parsed.input[0], parsed.output);
    static constexpr bool second_by_terms =
        is_by_terms<typename Of::Second>(parsed.input[1], parsed.output);
    static constexpr bool x_by_terms = input_of_rows == 1 ? first_by_terms : second_by_terms;
    static constexpr bool y_by_terms = input_of_rows == 1 ? second_by_terms : first_by_terms;
    using Type = TileProduct<Machine, Atom,
                             SliceProduct{layout, term, input_of_rows, x_by_terms, y_by_terms}>;
    static constexpr int slice_size = Type::X::size + Type::Y::size;
    static_assert(
        Type::X::positions <= 512 && Type::Y::positions <= 512,
        "KokkosContract: a tile's product needs more than 512 elements of an input for a "
        "term of its sum: the tile is too large, or the input has too many of its letters");

    template <class Memory>
    KOKKOS_FORCEINLINE_FUNCTION static auto x_places(const Memory& memory,
                                                     const TileSource<Types>& source) {
      return SlicePlaces<T, Atom, layout, typename Type::X, true>(
          source.first, reinterpret_cast<const unsigned*>(memory.table));
    }
    template <class Memory>
    KOKKOS_FORCEINLINE_FUNCTION static auto y_places(const Memory& memory,
                                                     const TileSource<Types>& source) {
      return SlicePlaces<T, Atom, layout, typename Type::Y, false>(
          source.second, reinterpret_cast<const unsigned*>(memory.table));
    }
  };

  /// Whether the product at index N runs the same code as the one before it.
  template <int N>
  static consteval bool continues() {
    if constexpr (N == 0) {
      return false;
    } else {
      return std::is_same_v<typename Product<N>::Type, typename Product<N - 1>::Type>;
    }
  }
  template <int N>
  static consteval bool changes_layout() {
    return N > 0 && !(schedule.layout[N] == schedule.layout[N > 0 ? N - 1 : 0]);
  }
  /// The first product from N on that begins another layout, or that runs other code.
  template <int N>
  static consteval int end_of_run() {
    if constexpr (N >= count) {
      return count;
    } else if constexpr (changes_layout<N>()) {
      return N;
    } else {
      return end_of_run<N + 1>();
    }
  }
  template <int N>
  static consteval int end_of_group() {
    if constexpr (N >= count) {
      return count;
    } else if constexpr (!continues<N>()) {
      return N;
    } else {
      return end_of_group<N + 1>();
    }
  }

  template <int... N>
  static consteval int largest_slices(std::integer_sequence<int, N...>) {
    int most = 0;
    ((most = Product<N>::slice_size > most ? Product<N>::slice_size : most), ...);
    return most;
  }
  template <int... N>
  static consteval int positions_of(bool most, std::integer_sequence<int, N...>) {
    int found = 0;
    const auto keep = [&](int n) { found = found == 0 || (n > found) == most ? n : found; };
    (keep(Product<N>::Type::X::positions + Product<N>::Type::Y::positions), ...);
    return found;
  }
  template <int... N>
  static consteval bool all_by_terms(std::integer_sequence<int, N...>) {
    return (true && ... && (Product<N>::x_by_terms && Product<N>::y_by_terms));
  }
  using All = std::make_integer_sequence<int, count>;
  static constexpr int slices = largest_slices(All{});
  /// Bytes of the number of the tile's indices in bounds.
  static constexpr std::size_t bytes_of_table =
      sizeof(unsigned) * (Extents.rank() > 0 ? Extents.rank() : 1);

  /// Whether all slices are by terms. The chunks of all products are then kept in registers
  /// together, so that the first and the last terms of their sums overlap.
  static constexpr bool by_terms = all_by_terms(All{});
  static constexpr int least_positions = positions_of(false, All{});
  static constexpr int most_positions = positions_of(true, All{});
};

/// The plan of products that are added to a tile with the sums and the accuracy of Types. All
/// inputs have one type.
template <class Machine, class Types, TileExtents Extents, class First, class... Arguments>
struct TilePlanOf {
  using T = typename Types::Sum;
  using Input = std::remove_const_t<typename First::First::value_type>;
  template <class Argument>
  static constexpr bool is_of_input =
      std::is_same_v<std::remove_const_t<typename Argument::First::value_type>, Input> &&
      std::is_same_v<std::remove_const_t<typename Argument::Second::value_type>, Input>;
  static_assert(is_input_of<T, Input> && is_of_input<First> && (is_of_input<Arguments> && ...),
                "KokkosContract: the inputs of a tile have its element type, or all of them have "
                "the same type of 16 bits");
  using type =
      TilePlan<Machine, BlockTypes<Input, T, T, Types::accuracy>, Extents, First, Arguments...>;
};
template <class Machine, class Types, TileExtents Extents, class... Arguments>
using tile_plan_t = typename TilePlanOf<Machine, Types, Extents, Arguments...>::type;

/// The first product of a group in the middle of products Begin to End - 1, which are whole groups.
/// It is Begin if they are one group.
template <class Products, int Begin, int End, int Group>
consteval int middle_group() {
  if constexpr (Group >= End) {
    return Begin;
  } else {
    constexpr int next = Products::template end_of_group<Group + 1>();
    if constexpr (next >= End || 2 * next > Begin + End) {
      return Group;
    } else {
      return middle_group<Products, Begin, End, next>();
    }
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
