// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_INTERMEDIATES_HPP
#define KOKKOSCONTRACT_CHAIN_INTERMEDIATES_HPP

// The scratch memory of a chain: packed row-major arrays, some of which share a buffer. Slots are a
// list of operands, inputs first.

#include <KokkosContract/chain/Chain.hpp>
#include <KokkosContract/product/Contract.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Stands for the second operand of a step that has only one.
template <class A>
using no_operand_t = strided_t<const std::remove_const_t<typename A::value_type>, StaticShape<0>{}>;

/// The letters of the second operand of step N.
template <const Chain& C, int N>
inline constexpr Labels second_labels =
    C.step[N].b >= 0 ? C.slot[C.step[N].b < 0 ? 0 : C.step[N].b] : Labels{};

/// The second operand of step N.
template <const Chain& C, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) second_operand(const Slots&... slots) {
  if constexpr (C.step[N].b >= 0) {
    return (slot_at<C.step[N].b>(slots...));
  } else {
    return no_operand_t<std::remove_cvref_t<decltype(slot_at<C.step[N].a>(slots...))>>{};
  }
}

/// The extent of a letter in A, or else in B.
template <Labels LA, Labels LB, char Letter, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION int pair_extent(const A& a, const B& b) {
  constexpr int da = dimension_of(LA, Letter);
  if constexpr (da >= 0) {
    return a.template extent<da>();
  } else {
    return b.template extent<dimension_of(LB, Letter)>();
  }
}

template <Labels LA, Labels LB, char Letter, class A, class B>
consteval std::ptrdiff_t pair_static_extent() {
  constexpr int da = dimension_of(LA, Letter);
  constexpr int db = dimension_of(LB, Letter);
  std::ptrdiff_t extent = dynamic;
  if constexpr (da >= 0) extent = A::shape.extent[da];
  if constexpr (db >= 0) {
    if (extent == dynamic) extent = B::shape.extent[db];
  }
  return extent;
}

/// The stride of the next outer dimension of an intermediate, where dimension i of `rank` has this
/// stride and extent. On a GPU rows are an odd number of elements apart. Workers that each take a
/// row then find its elements in different banks of shared memory.
template <bool Gpu>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t next_stride(int i, int rank,
                                                                 std::ptrdiff_t stride,
                                                                 int extent) {
  return Gpu && i == rank - 1 && rank > 1 ? extent | 1 : stride * extent;
}

template <Labels LA, Labels LB, Labels To, bool Gpu, class A, class B, int... I>
consteval auto intermediate_shape(std::integer_sequence<int, I...>) {
  StaticShape<To.rank> shape{};
  ((shape.extent[I] = pair_static_extent<LA, LB, To.letter[I], A, B>()), ...);
  std::ptrdiff_t stride = 1;
  for (int i = To.rank - 1; i >= 0; --i) {
    shape.stride[i] = stride;
    const bool known = stride != dynamic && shape.extent[i] != dynamic;
    stride =
        known ? next_stride<Gpu>(i, To.rank, stride, static_cast<int>(shape.extent[i])) : dynamic;
  }
  return shape;
}

/// The intermediate of a pair: a row-major array of T with labels To, without memory yet.
template <Labels LA, Labels LB, Labels To, bool Gpu, class T, class A, class B, int... I>
KOKKOS_FORCEINLINE_FUNCTION auto make_intermediate(const A& a, const B& b,
                                                   std::integer_sequence<int, I...> sequence) {
  constexpr auto shape = intermediate_shape<LA, LB, To, Gpu, A, B>(sequence);
  constexpr int rank = To.rank;
  int extent[rank > 0 ? rank : 1]{};
  std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
  ((extent[I] = pair_extent<LA, LB, To.letter[I]>(a, b)), ...);
  std::ptrdiff_t size = 1;
  KOKKOSCONTRACT_UNROLL
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = size;
    size = next_stride<Gpu>(i, rank, size, extent[i]);
  }
  return strided_t<T, shape>(nullptr, extent, stride);
}

KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

template <bool Gpu, class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t bytes_of(const A& a) {
  std::ptrdiff_t elements = 1;
  KOKKOSCONTRACT_UNROLL
  for (int i = A::rank - 1; i >= 0; --i) {
    elements = next_stride<Gpu>(i, A::rank, elements, a.extent(i));
  }
  return aligned_bytes(static_cast<std::size_t>(elements) * sizeof(typename A::value_type));
}

/// Bytes of each buffer: the largest of the intermediates that it holds in turn.
struct BufferSizes {
  std::size_t bytes[max_steps]{};

  KOKKOS_FORCEINLINE_FUNCTION std::size_t total() const { return before(max_steps); }
  /// Bytes of the buffers before number `buffer`.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t before(int buffer) const {
    std::size_t sum = 0;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < max_steps; ++i) sum += i < buffer ? bytes[i] : 0;
    return sum;
  }
};

/// The types of a chain. Acc is the accumulator of all its elements, and Functors the list of
/// functors between the operands. OnGpu: its intermediates are for a GPU's workers.
template <class Acc, class Functors, bool OnGpu>
struct ChainTypes {
  using FunctorList = Functors;
  static constexpr bool gpu = OnGpu;
  using Widest = Acc;
  using Real = real_t<Acc>;

  /// The type of the result of step N, where it contracts A with B.
  template <const Chain& C, int N, class A, class B>
  static consteval auto result() {
    if constexpr (C.step[N].kept) {
      using Kept =
          std::remove_cvref_t<decltype(list_at<C.step[N].functor>(std::declval<Functors>()))>;
      return std::type_identity<value_t<typename Kept::KeptOperand>>{};
    } else {
      return std::type_identity<accumulator_t<value_t<A>, value_t<B>, Real>>{};
    }
  }
};

/// The result of step N in a packed array, without memory yet.
template <const Chain& C, class Types, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION auto intermediate_of(const Slots&... slots) {
  constexpr int to = C.inputs + N;
  const auto& a = slot_at<C.step[N].a>(slots...);
  const auto& b = second_operand<C, N>(slots...);
  using T = typename decltype(Types::template result<C, N, std::remove_cvref_t<decltype(a)>,
                                                     std::remove_cvref_t<decltype(b)>>())::type;
  return make_intermediate<C.slot[C.step[N].a], second_labels<C, N>, C.slot[to], Types::gpu, T>(
      a, b, std::make_integer_sequence<int, C.slot[to].rank>{});
}

/// The only dimension of an intermediate with a dynamic extent. It is -1 if there is none, if there
/// are several, or if it is the last dimension.
template <int R>
consteval int dynamic_dimension(const StaticShape<R>& shape) {
  int found = -1;
  for (int i = 0; i < R; ++i) {
    if (shape.extent[i] != dynamic) continue;
    if (found >= 0 || i == R - 1) return -1;
    found = i;
  }
  return found;
}

/// Bytes of the buffers for each value of the index, if all intermediates have the same single
/// dynamic index; otherwise 0. A GPU then has little to compute before it can start.
template <const Chain& C, bool Gpu, class... Slots>
struct BytesPerIndex {
  std::size_t bytes[max_steps]{};
  int slot = -1;  // a slot that has the index
  int dimension = -1;

  constexpr void add(int number, const Labels& labels, int buffer, int dynamic_at,
                     std::size_t of_one, char& letter) {
    if (dynamic_at < 0 || (letter != '\0' && labels.letter[dynamic_at] != letter)) {
      letter = '*';
      return;
    }
    letter = labels.letter[dynamic_at];
    slot = number;
    dimension = dynamic_at;
    if (of_one > bytes[buffer]) bytes[buffer] = of_one;
  }
  template <class A>
  static consteval std::size_t bytes_of_one() {
    std::ptrdiff_t elements = 1;
    for (int i = A::rank - 1; i >= 0; --i) {
      const std::ptrdiff_t extent = A::shape.extent[i];
      elements =
          next_stride<Gpu>(i, A::rank, elements, extent == dynamic ? 1 : static_cast<int>(extent));
    }
    return static_cast<std::size_t>(elements) * sizeof(typename A::value_type);
  }
  static consteval BytesPerIndex find() {
    BytesPerIndex all{};
    char letter = '\0';
    int number = 0;
    const auto visit = [&]<class A>() {
      if (number >= C.inputs && C.step[number - C.inputs].buffer >= 0) {
        all.add(number, C.slot[number], C.step[number - C.inputs].buffer,
                dynamic_dimension(A::shape), bytes_of_one<A>(), letter);
      }
      ++number;
    };
    (visit.template operator()<Slots>(), ...);
    return letter == '*' ? BytesPerIndex{} : all;
  }
};

/// Adds the intermediates of a list of slots, the first of which has number I.
template <const Chain& C, bool Gpu, int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION void add_sizes(BufferSizes& sizes, const First& first,
                                           const Rest&... rest) {
  if constexpr (I >= C.inputs) {
    constexpr int buffer = C.step[I - C.inputs].buffer;
    if constexpr (buffer >= 0) {
      const std::size_t bytes = bytes_of<Gpu>(first);
      if (bytes > sizes.bytes[buffer]) sizes.bytes[buffer] = bytes;
    }
  }
  if constexpr (sizeof...(Rest) > 0) add_sizes<C, Gpu, I + 1>(sizes, rest...);
}

template <const Chain& C, class Types, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION BufferSizes measure(const Slots&... slots) {
  if constexpr (N + 1 < C.steps) {
    return measure<C, Types, N + 1>(slots..., intermediate_of<C, Types, N>(slots...));
  } else {
    BufferSizes sizes{};
    constexpr auto each = BytesPerIndex<C, Types::gpu, Slots...>::find();
    if constexpr (each.slot >= 0) {
      const auto count =
          static_cast<std::size_t>(slot_at<each.slot>(slots...).template extent<each.dimension>());
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < max_steps; ++i) sizes.bytes[i] = aligned_bytes(count * each.bytes[i]);
    } else {
      add_sizes<C, Types::gpu, 0>(sizes, slots...);
    }
    return sizes;
  }
}

/// Bytes of intermediates that one thread may have on its stack: an eighth of 2 MB, the smallest
/// usual stack of threads.
inline constexpr std::size_t most_bytes_on_stack = 256 * 1024;

/// Its name appears in a compiler's error message.
template <std::size_t Bytes>
struct intermediates_on_stack {
  static_assert(Bytes <= most_bytes_on_stack,
                "KokkosContract: the intermediates of this contraction take more than 256 KiB of "
                "the stack, as many bytes as intermediates_on_stack<bytes> says; pass scratch "
                "memory as the first argument");
  static constexpr bool value = true;
};

/// Bytes of the chain's buffers if all extents are static.
template <bool Gpu>
consteval std::size_t static_scratch(const Chain& chain, const LetterExtents& extents,
                                     std::size_t element) {
  std::size_t buffer[max_steps]{};
  std::size_t total = 0;
  for (int s = 0; s + 1 < chain.steps; ++s) {
    if (chain.step[s].kept) continue;
    const Labels& labels = chain.slot[chain.inputs + s];
    std::ptrdiff_t elements = 1;
    for (int i = labels.rank - 1; i >= 0; --i) {
      elements = next_stride<Gpu>(i, labels.rank, elements,
                                  static_cast<int>(extents.of(labels.letter[i])));
    }
    const std::size_t bytes =
        (static_cast<std::size_t>(elements) * element + scratch_alignment - 1) / scratch_alignment *
        scratch_alignment;
    std::size_t& here = buffer[chain.step[s].buffer];
    if (bytes > here) {
      total += bytes - here;
      here = bytes;
    }
  }
  return total > 0 ? total : scratch_alignment;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
