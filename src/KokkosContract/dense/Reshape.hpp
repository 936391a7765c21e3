// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_RESHAPE_HPP
#define KOKKOSCONTRACT_DENSE_RESHAPE_HPP

#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

consteval bool is_permutation(const Labels& from, const Labels& to) {
  bool same = from.rank == to.rank;
  for (int i = 0; i < from.rank; ++i) same = same && to.has(from.letter[i]);
  return same;
}

// --- flatten: the dimensions of an operand that form each dimension of the result. ---

struct Grouping {
  int dimensions = 0;
  int group[max_rank]{};  // group of each dimension
  int groups = 0;
  bool valid = true;
};

template <std::size_t N>
consteval Grouping parse_groups(const Spec<N>& text) {
  Grouping g{};
  bool open = false;
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '(' && !open) {
      open = true;
    } else if (c == ')' && open && g.dimensions > 0 && g.group[g.dimensions - 1] == g.groups) {
      open = false;
      ++g.groups;
    } else if (is_letter(c) && g.dimensions < max_rank) {
      g.group[g.dimensions++] = g.groups;
      if (!open) ++g.groups;
    } else {
      g.valid = false;
    }
  }
  g.valid = g.valid && !open;
  return g;
}

template <Spec S>
struct Groups {
  static constexpr Grouping value = parse_groups(S);
  static_assert(
      value.valid,
      "KokkosContract: flatten takes one letter per dimension, at most 8, and parentheses "
      "around neighbours to merge, as in \"(ij)k\"");
};

// The first dimension of a group is its fastest in a column-major operand, and the last one in
// others.
KOKKOS_FORCEINLINE_FUNCTION constexpr int fastest_first(int n, int rank, bool column_major) {
  return column_major ? n : rank - 1 - n;
}

/// The next faster dimension than i in i's group, or -1.
KOKKOS_FORCEINLINE_FUNCTION constexpr int next_faster(const Grouping& g, int i, bool column_major) {
  const int faster = column_major ? i - 1 : i + 1;
  const bool same = faster >= 0 && faster < g.dimensions && g.group[faster] == g.group[i];
  return same ? faster : -1;
}

template <int R>
struct Merged {
  StaticShape<R> shape{};
  bool possible = true;
};

template <int R, int N>
consteval Merged<R> merge_shape(const Grouping& g, const StaticShape<N>& from, bool column_major) {
  Merged<R> to{};
  for (int k = 0; k < R; ++k) to.shape.extent[k] = 1;
  for (int n = 0; n < N; ++n) {
    const int i = fastest_first(n, N, column_major);
    const int k = g.group[i];
    const int faster = next_faster(g, i, column_major);
    if (faster < 0) {
      to.shape.stride[k] = from.stride[i];
    } else if (from.stride[i] != dynamic && from.stride[faster] != dynamic &&
               from.extent[faster] != dynamic &&
               from.stride[i] != from.stride[faster] * from.extent[faster]) {
      to.possible = false;
    }
    std::ptrdiff_t& extent = to.shape.extent[k];
    extent = extent == dynamic || from.extent[i] == dynamic ? dynamic : extent * from.extent[i];
  }
  return to;
}

template <Spec G, class A>
KOKKOS_FORCEINLINE_FUNCTION auto flattened(const A& a) {
  constexpr Grouping groups = Groups<G>::value;
  static_assert(groups.dimensions == A::rank,
                "KokkosContract: flatten needs one letter for each dimension of the operand");
  constexpr bool column_major = is_column_major(dims_of(A::shape));
  constexpr auto merged = merge_shape<groups.groups>(groups, A::shape, column_major);
  static_assert(merged.possible,
                "KokkosContract: flatten: the strides of these dimensions do not merge into one");

  constexpr int rank = groups.groups;
  int extent[rank > 0 ? rank : 1]{};
  std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
  for (int k = 0; k < rank; ++k) extent[k] = 1;
  for (int n = 0; n < A::rank; ++n) {
    const int i = fastest_first(n, A::rank, column_major);
    const int k = groups.group[i];
    const int faster = next_faster(groups, i, column_major);
    if (faster < 0) {
      stride[k] = a.stride(i);
    } else {
      check(a.extent(i) <= 1 || a.stride(i) == a.stride(faster) * a.extent(faster),
            "KokkosContract: flatten: the strides of these dimensions do not merge into one");
    }
    const bool fits = extent[k] >= 0 && a.extent(i) >= 0;
    extent[k] = fits ? narrowed_extent(std::ptrdiff_t{extent[k]} * a.extent(i)) : -1;
  }
  return strided_t<typename A::value_type, merged.shape, A::atomic>(a.data(), extent, stride);
}

template <Spec S>
struct ReshapeRoutine {
  static constexpr Signature signature{"Reshape", 1};
  static constexpr auto string = S;
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr bool tells_packed_views = true;
  template <int I, class... Arguments>
  static consteval Labels labels_of_argument() {
    return I == 0 ? parsed.input[0] : parsed.output;
  }
  template <Level L, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a, const B& b) {
    constexpr Labels from = Parse<S>::value.input[0];
    constexpr Labels to = Parse<S>::value.output;
    static_assert(inputs_of<S> == 1, "KokkosContract: Reshape has one input");
    static_assert(
        is_permutation(from, to),
        "KokkosContract: Reshape permutes: its input and its output have the same letters");
    const auto input = as_operand(a);
    return contract_labels<ProductLabels{from, {}, to, false}>(
        level, input, input, Update{Constant<1>{}, Constant<0>{}, as_operand(b), NoEpilogue{}});
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
