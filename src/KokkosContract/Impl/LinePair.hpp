// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_LINEPAIR_HPP
#define KOKKOSCONTRACT_IMPL_LINEPAIR_HPP

// Two steps of a chain in one on a GPU: lines of a tensor are multiplied by a small matrix, what
// comes out by data of the same shape, by a functor or both, and that by a second small matrix
// which sums over what the first one has made, as in "..,xa,exyz,xi,..". Between the two everything
// stays in the worker's registers. Where each worker has one line at most, its data are on their
// way since the beginning of the chain.

#include <KokkosContract/Impl/ExecuteLines.hpp>
#include <KokkosContract/Impl/Stage.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The letters of a pair of line products, and their static extents.
struct LinePair {
  bool possible = false;
  char summed = '\0';   // by the first matrix
  char between = '\0';  // made by the first, summed by the second
  char result = '\0';   // made by the second
  int terms = 0;
  int points = 0;
  int results = 0;
};

constexpr bool has_each_once(const Labels& labels) {
  for (int i = 0; i < labels.rank; ++i) {
    for (int k = 0; k < i; ++k) {
      if (labels.letter[i] == labels.letter[k]) return false;
    }
  }
  return !labels.conjugate;
}

/// Whether `labels` are those of `tensor` with `letter` in the place of `other`.
constexpr bool has_same_lines(const Labels& labels, char letter, const Labels& tensor, char other) {
  if (!has_each_once(labels) || labels.rank != tensor.rank || !labels.has(letter)) return false;
  for (int i = 0; i < labels.rank; ++i) {
    const char c = labels.letter[i];
    if (c != letter && (c == other || !tensor.has(c))) return false;
  }
  return true;
}

/// first x tensor -> made; made (perhaps times data of the same letters); second x made -> result.
constexpr LinePair find_line_pair(const Labels& tensor, const Labels& first, const Labels& made,
                                  const Labels& second, const Labels& result) {
  LinePair pair{};
  if (first.rank != 2 || second.rank != 2 || !has_each_once(first) || !has_each_once(second) ||
      !has_each_once(tensor) || tensor.rank < 2) {
    return pair;
  }
  for (int i = 0; i < 2; ++i) {
    if (!second.has(first.letter[i])) continue;
    pair.between = first.letter[i];
    pair.summed = first.letter[1 - i];
    pair.result = second.letter[second.letter[0] == pair.between ? 1 : 0];
  }
  pair.possible = pair.between != '\0' && tensor.has(pair.summed) && !tensor.has(pair.between) &&
                  !tensor.has(pair.result) && pair.result != pair.summed &&
                  has_same_lines(made, pair.between, tensor, pair.summed) &&
                  has_same_lines(result, pair.result, tensor, pair.summed);
  return pair;
}

/// The levels at which pairs are run.
template <class L>
inline constexpr bool may_pair_lines = false;
#if defined(KOKKOS_ENABLE_CUDA)
template <class L>
  requires(has_stage<L> && !is_of_thread<L>)
inline constexpr bool may_pair_lines<L> = true;
template <class L>
inline constexpr bool may_pair_lines<OneLineEach<L>> = may_pair_lines<L>;
template <class L>
inline constexpr bool may_pair_lines<ManyLinesEach<L>> = may_pair_lines<L>;
#endif

/// A worker's line of the data.
template <class Acc, int Points>
struct HeldLine {
  Acc element[Points];
};
struct NoLine {};

/// Letters `Q` are those of what is between the two products, in the order in which neighbours take
/// lines. F gets the indices of the letters LF.
template <LinePair P, Labels Q, class Acc>
struct LinePairExecutor {
  template <Labels L, char Letter, class A>
  static KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride(const A& a) {
    return a.template stride<dimension_of(L, Letter)>();
  }

  template <Labels L, class A, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION int lines(const A& a, std::integer_sequence<int, I...>) {
    return (1 * ... * (Q.letter[I] == P.between ? 1 : extent_of_line<L, Q.letter[I]>(a)));
  }
  template <Labels L, char Letter, class A>
  static KOKKOS_FORCEINLINE_FUNCTION int extent_of_line(const A& a) {
    constexpr int d = dimension_of(L, Letter);
    if constexpr (d < 0) {
      return 1;
    } else {
      return a.template extent<d>();
    }
  }
  using Letters = std::make_integer_sequence<int, Q.rank>;

  /// The indices of line t.
  template <int I, Labels L, class A>
  static KOKKOS_FORCEINLINE_FUNCTION void find_indices(unsigned t, const A& a, int* index) {
    if constexpr (I >= 0) {
      if constexpr (Q.letter[I] == P.between) {
        index[I] = 0;
        find_indices<I - 1, L>(t, a, index);
      } else {
        const auto n = static_cast<unsigned>(extent_of_line<L, Q.letter[I]>(a));
        constexpr bool first = I == 0 || (I == 1 && Q.letter[0] == P.between);
        index[I] = static_cast<int>(first ? t : t % n);
        find_indices<I - 1, L>(t / n, a, index);
      }
    }
  }

  template <Labels L, class A, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION auto* line_of(const A& a, const int* index,
                                                   std::integer_sequence<int, I...>) {
    return a.data() + (std::ptrdiff_t{0} + ... + offset<L, Q.letter[I]>(a, index[I]));
  }
  template <Labels L, char Letter, class A>
  static KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(const A& a, int at) {
    if constexpr (Letter == P.between) {
      return 0;
    } else {
      return at * stride<L, Letter>(a);
    }
  }

  template <Labels LD, class D>
  static KOKKOS_FORCEINLINE_FUNCTION void load_data(const D& data, const int* index,
                                                    Acc (&element)[P.points]) {
    const auto* from = line_of<LD>(data, index, Letters{});
    const std::ptrdiff_t step = stride<LD, P.between>(data);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < P.points; ++q) element[q] = convert<Acc>(from[q * step]);
  }

  /// This worker's line of the data, where no worker has more than one.
  template <Labels LD, Level L, class D>
  static KOKKOS_FORCEINLINE_FUNCTION HeldLine<Acc, P.points> hold(const L& level, const D& data) {
    HeldLine<Acc, P.points> held;
    // Set in all workers: a compiler would else keep the registers for longer than they are needed.
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < P.points; ++q) held.element[q] = Acc(0);
    const int count = lines<LD>(data, Letters{});
    if (level.rank() < count) {
      int index[Q.rank];
      find_indices<Q.rank - 1, LD>(static_cast<unsigned>(level.rank()), data, index);
      load_data<LD>(data, index, held.element);
    }
    return held;
  }

  /// to = matrix from, where From is a letter of the matrix and the other is that of `to`.
  template <Labels LM, char From, char To, unsigned Use, class M, int K, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void multiply(const M& matrix, unsigned t,
                                                   const Acc (&from)[K], Acc (&to)[N]) {
    constexpr std::ptrdiff_t step_from = M::shape.stride[dimension_of(LM, From)];
    constexpr std::ptrdiff_t step_to = M::shape.stride[dimension_of(LM, To)];
    const auto* m = read_again<is_in_tile<M>>(matrix.data(), t, Use);
    KOKKOSCONTRACT_UNROLL
    for (int n = 0; n < N; ++n) to[n] = Acc(0);
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < K; ++k) {
      KOKKOSCONTRACT_UNROLL
      for (int n = 0; n < N; ++n) {
        to[n] = multiply_add(
            to[n], convert<Acc>(read_element<is_in_tile<M>>(m + k * step_from + n * step_to)),
            from[k]);
      }
    }
  }

  template <Labels LF, class F, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION Acc call(const F& functor, const Acc& value, const int* index,
                                              std::integer_sequence<int, I...>) {
    return convert<Acc>(functor(value, index[dimension_of(Q, LF.letter[I])]...));
  }

  template <Labels LT, Labels LM, Labels LD, Labels LN, Labels LR, Labels LF, Level L, class T,
            class M, class D, class N, class R, class F, class Held>
  static KOKKOS_FORCEINLINE_FUNCTION void run(const L& level, const T& tensor, const M& first,
                                              [[maybe_unused]] const D& data, const N& second,
                                              const R& result, [[maybe_unused]] const F& functor,
                                              [[maybe_unused]] const Held& held) {
    constexpr bool has_data = LD.rank > 0;
    constexpr bool has_functor = LF.rank > 0;
    const auto count = static_cast<unsigned>(lines<LT>(tensor, Letters{}));
    for_each_line(level, count, [&](unsigned t) KOKKOSCONTRACT_INLINE_LAMBDA {
      int index[Q.rank];
      find_indices<Q.rank - 1, LT>(t, tensor, index);
      Acc point[P.points];
      {
        Acc term[P.terms];
        const auto* from = line_of<LT>(tensor, index, Letters{});
        const std::ptrdiff_t step = stride<LT, P.summed>(tensor);
        KOKKOSCONTRACT_UNROLL
        for (int k = 0; k < P.terms; ++k) term[k] = convert<Acc>(from[k * step]);
        multiply<LM, P.summed, P.between, 0>(first, t, term, point);
      }
      if constexpr (has_data) {
        if constexpr (has_one_line_each<L>) {
          KOKKOSCONTRACT_UNROLL
          for (int q = 0; q < P.points; ++q) point[q] = point[q] * held.element[q];
        } else {
          Acc element[P.points];
          load_data<LD>(data, index, element);
          KOKKOSCONTRACT_UNROLL
          for (int q = 0; q < P.points; ++q) point[q] = point[q] * element[q];
        }
      }
      if constexpr (has_functor) {
        KOKKOSCONTRACT_UNROLL
        for (int q = 0; q < P.points; ++q) {
          index[dimension_of(Q, P.between)] = q;
          point[q] = call<LF>(functor, point[q], index, std::make_integer_sequence<int, LF.rank>{});
        }
      }
      Acc sum[P.results];
      multiply<LN, P.between, P.result, 1>(second, t, point, sum);
      auto* to = line_of<LR>(result, index, Letters{});
      const std::ptrdiff_t step = stride<LR, P.result>(result);
      KOKKOSCONTRACT_UNROLL
      for (int n = 0; n < P.results; ++n) to[n * step] = sum[n];
    });
    level.barrier();
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
