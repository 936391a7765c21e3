// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_CHAINRUN_HPP
#define KOKKOSCONTRACT_CHAIN_CHAINRUN_HPP

// Runs a chain (Chain.hpp) pair by pair: the intermediates are packed row-major arrays in scratch
// memory. A GPU's teams run those of lines otherwise (LineChain.hpp).

#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/chain/LineChain.hpp>
#include <KokkosContract/level/Call.hpp>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

namespace Impl {

/// The chain of a string on operands of these shapes, the output's last, with functors between
/// them.
template <Spec S, Marks M, Shape... Shapes>
struct ChainOf {
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr Dims dims[] = {dims_of(Shapes)...};
  static constexpr LetterExtents extents = static_extents(parsed, dims);
  static constexpr Chain value = make_chain(parsed, M, extents);
  static constexpr LineChain lines = find_line_chain(value, extents, dims);
  static_assert(value.fault != ChainFault::functors,
                "KokkosContract: a contraction has at most 4 pointwise functors");
  static_assert(value.fault != ChainFault::first_functor,
                "KokkosContract: a pointwise functor stands behind at least one operand");
  static_assert(value.fault != ChainFault::functor_letters,
                "KokkosContract: a letter of a pointwise functor stands in no operand that is "
                "contracted before it");
  static_assert(value.fault != ChainFault::output_letters,
                "KokkosContract: a letter of the output stands neither in the last pointwise "
                "functor nor in an operand behind it");
  static_assert(value.fault != ChainFault::rank,
                "KokkosContract: an intermediate of this contraction would have more than 8 "
                "dimensions; contract step by step");
};

// --- The run-time part: slots are a list of operands, inputs first. ---

/// Stands for the second operand of a step that has only one.
template <class A>
using no_operand_t = strided_t<const std::remove_const_t<typename A::value_type>, Shape<0>{}>;

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

/// The extent of a letter in A or else in B.
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

/// The elements of an intermediate before the start of the next index outwards, where dimension i
/// of so many has this stride and extent. On a GPU rows are an odd number of elements apart:
/// workers that take a row each find its elements in different banks of shared memory.
template <bool Gpu>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t next_stride(int i, int rank,
                                                                 std::ptrdiff_t stride,
                                                                 int extent) {
  return Gpu && i == rank - 1 && rank > 1 ? extent | 1 : stride * extent;
}

template <Labels LA, Labels LB, Labels To, bool Gpu, class A, class B, int... I>
consteval auto intermediate_shape(std::integer_sequence<int, I...>) {
  Shape<To.rank> shape{};
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
  /// Of the buffers before number `buffer`.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t before(int buffer) const {
    std::size_t sum = 0;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < max_steps; ++i) sum += i < buffer ? bytes[i] : 0;
    return sum;
  }
};

/// The types of a chain: Acc is the accumulator of all its elements, and Functors the list of what
/// stands between the operands. OnGpu: its intermediates are made for a GPU's workers.
template <class Acc, class Functors, bool OnGpu>
struct ChainTypes {
  static constexpr bool gpu = OnGpu;
  using Widest = Acc;
  using Real = real_t<Acc>;

  /// Of the result of step N, where it contracts A with B.
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

/// The only dimension of an intermediate whose extent is dynamic; -1 if it has none, or another
/// number of them, or its last one.
template <int R>
consteval int dynamic_dimension(const Shape<R>& shape) {
  int found = -1;
  for (int i = 0; i < R; ++i) {
    if (shape.extent[i] != dynamic) continue;
    if (found >= 0 || i == R - 1) return -1;
    found = i;
  }
  return found;
}

/// The buffers of intermediates that all have one dynamic index, the same: so many bytes for each
/// of its values. Else 0. (So that a GPU has little to compute before it can start.)
template <const Chain& C, bool Gpu, class... Slots>
struct BytesPerIndex {
  std::size_t bytes[max_steps]{};
  int slot = -1;  // one that has the index
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

/// Adds the intermediates of a list of slots of which the first has number I.
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

/// The result of step N, in its buffer or where it is kept.
template <const Chain& C, class Types, int N, class F, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION auto place_of(char* scratch, const BufferSizes& sizes,
                                          const F& functors, const Slots&... slots) {
  constexpr Step step = C.step[N];
  if constexpr (step.kept) {
    return list_at<step.functor>(functors).operand;
  } else {
    const auto shaped = intermediate_of<C, Types, N>(slots...);
    using Shaped = std::remove_const_t<decltype(shaped)>;
    char* const begin = scratch + sizes.before(step.buffer);
    return Shaped(reinterpret_cast<typename Shaped::value_type*>(begin), shaped);
  }
}

template <const Chain& C, class Types, int N, Level L, class Alpha, class Beta, class Output,
          class Epilogue, class F, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION int run_chain(const L& level, char* scratch, const BufferSizes& sizes,
                                          const Alpha& alpha, const Beta& beta,
                                          const Output& output, const Epilogue& epilogue,
                                          const F& functors, const Slots&... slots) {
  constexpr int a = C.step[N].a;
  constexpr bool two = C.step[N].b >= 0;
  constexpr Labels to = C.slot[C.inputs + N];
  using Real = typename Types::Real;
  const auto& x = slot_at<a>(slots...);
  const auto& y = second_operand<C, N>(slots...);
  if constexpr (N + 1 == C.steps) {
    return contract_labels<C.slot[a], second_labels<C, N>, to, two, Real>(level, alpha, x, y, beta,
                                                                          output, epilogue);
  } else {
    const auto result = place_of<C, Types, N>(scratch, sizes, functors, slots...);
    if (!is_zero(alpha)) {
      constexpr int functor = C.step[N].kept ? -1 : C.step[N].functor;
      const int code = contract_labels<C.slot[a], second_labels<C, N>, to, two, Real>(
          level, Constant<1>{}, x, y, Constant<0>{}, result, functor_at<functor>(functors));
      if (code != 0) return code;
    }
    return run_chain<C, Types, N + 1>(level, scratch, sizes, alpha, beta, output, epilogue,
                                      functors, slots..., result);
  }
}

// --- Before anything is written that a user sees: whether all extents agree, and the factors are
// none that the last step refuses. (The steps find out themselves where they all run and the last
// one alone writes: without kept results, and unless alpha is zero.) ---

template <const Chain& C>
inline constexpr bool keeps = [] {
  for (int s = 0; s < C.steps; ++s) {
    if (C.step[s].kept) return true;
  }
  return false;
}();

/// The extent of a letter, in the first input from number I on that has it.
template <const Chain& C, char Letter, int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION int extent_of(const First& first, const Rest&... rest) {
  constexpr int d = dimension_of(C.slot[I], Letter);
  if constexpr (d >= 0) {
    return first.template extent<d>();
  } else {
    return extent_of<C, Letter, I + 1>(rest...);
  }
}

template <const Chain& C, Labels L, int... D, class A, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool agrees(std::integer_sequence<int, D...>, const A& a,
                                        const Inputs&... inputs) {
  return (true && ... && (a.template extent<D>() == extent_of<C, L.letter[D], 0>(inputs...)));
}

/// Of the tensor that step N keeps its result in.
template <class Of, int N, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool kept_agrees(const F& functors, const Inputs&... inputs) {
  constexpr Step step = Of::value.step[N];
  if constexpr (step.kept) {
    constexpr Labels labels = Of::value.slot[Of::value.inputs + N];
    const auto& kept = list_at<step.functor>(functors).operand;
    using Kept = std::remove_cvref_t<decltype(kept)>;
    static_assert(Kept::rank == labels.rank,
                  "KokkosContract: a kept tensor has not as many dimensions as letters");
    static_assert(!std::is_const_v<typename Kept::value_type> && !Kept::atomic,
                  "KokkosContract: a kept tensor is an operand of const elements, or atomic");
    if constexpr (Kept::rank == labels.rank) {
      return agrees<Of::value, labels>(std::make_integer_sequence<int, labels.rank>{}, kept,
                                       inputs...);
    }
  }
  return true;
}

template <class Of, int... I, int... N, class Output, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION bool all_agree(std::integer_sequence<int, I...>,
                                           std::integer_sequence<int, N...>, const Output& output,
                                           const F& functors, const Inputs&... inputs) {
  constexpr Labels to = Of::value.slot[Of::value.inputs + Of::value.steps - 1];
  return agrees<Of::value, to>(std::make_integer_sequence<int, to.rank>{}, output, inputs...) &&
         (true && ... &&
          agrees<Of::value, Of::value.slot[I]>(
              std::make_integer_sequence<int, Of::value.slot[I].rank>{}, inputs, inputs...)) &&
         (true && ... && kept_agrees<Of, N>(functors, inputs...));
}

// --- Scratch memory of the kinds that a user may pass. ---

template <class S>
concept ScratchSpace = requires(const S& s) { s.get_shmem_aligned(std::size_t{}, std::size_t{}); };

template <class S>
concept AnyScratch = ScratchSpace<S> || std::is_same_v<S, Scratch> || Kokkos::is_view_v<S>;

/// The first aligned address of `bytes` bytes, or null where there are not so many. The user's
/// scratch object is copied, so that the memory is free again afterwards.
template <AnyScratch S>
KOKKOS_FORCEINLINE_FUNCTION char* take_scratch(const S& scratch, std::size_t bytes) {
  if constexpr (ScratchSpace<S>) {
    const S copy = scratch;
    return static_cast<char*>(
        copy.get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), scratch_alignment));
  } else {
    // By pointers throughout, so that a GPU's compiler sees which memory it is.
    char* data = nullptr;
    std::size_t available = 0;
    if constexpr (std::is_same_v<S, Scratch>) {
      data = static_cast<char*>(scratch.data);
      available = scratch.bytes;
    } else {
      data = reinterpret_cast<char*>(scratch.data());
      available = scratch.span() * sizeof(typename S::value_type);
    }
    const std::size_t skip =
        (scratch_alignment - reinterpret_cast<std::uintptr_t>(data) % scratch_alignment) %
        scratch_alignment;
    return available < skip + bytes ? nullptr : data + skip;
  }
}

template <const Chain& C, class Types, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION BufferSizes buffer_sizes(const Inputs&... inputs) {
  return measure<C, Types, 0>(inputs...);
}

/// Bytes of the chain's buffers where all extents are static.
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

/// Whether the workers of a level may take lines: those of a GPU's teams, and, where a build has a
/// GPU, those of a host's, too, to whom scratch memory may have been given that was asked for with
/// operands of both.
template <class L, class Of, class Acc, class... Operands>
consteval bool may_take_lines() {
  if constexpr (is_collective<L> && (may_take_line_chains<L> || has_gpu)) {
    return LinesOf<Of, Acc, Operands...>::possible;
  } else {
    return false;
  }
}

/// A chain whose extents agree, as far as its last step does not find out.
template <class Of, class Types, Level L, class MemoryOrNone, class Alpha, class Beta, class Output,
          class Epilogue, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int run_agreed(const L& level, const MemoryOrNone& scratch,
                                           const Alpha& alpha, const Beta& beta,
                                           const Output& output, const Epilogue& epilogue,
                                           const F& functors, const Inputs&... inputs) {
  if constexpr (AnyScratch<MemoryOrNone>) {
    const BufferSizes sizes = buffer_sizes<Of::value, Types>(inputs...);
    char* memory = nullptr;
    constexpr bool lines = may_take_lines<L, Of, typename Types::Widest, Inputs..., Output>();
    if constexpr (!may_take_line_chains<L> || !lines) {
      memory = take_scratch(scratch, sizes.total());
      if (memory != nullptr) {
        return run_chain<Of::value, Types, 0>(level, memory, sizes, alpha, beta, output, epilogue,
                                              functors, inputs...);
      }
    }
    if constexpr (lines) {
      using Lines = LinesOf<Of, typename Types::Widest, Inputs..., Output>;
      memory = take_scratch(scratch, Lines::bytes(inputs...));
      if (memory != nullptr) {
        return Lines::run(level, memory, alpha, beta, output, epilogue, functors, inputs...);
      }
    }
    return scratch_too_small;
  } else {
    static_assert(
        is_single_worker<L>() && Of::extents.all_static,
        "KokkosContract: a contraction of more than two inputs, or with a pointwise functor, needs "
        "scratch memory as its first argument (after the member), unless it is Serial and all "
        "extents are static");
    if constexpr (is_single_worker<L>() && Of::extents.all_static) {
      alignas(scratch_alignment) char memory[static_scratch<Types::gpu>(
          Of::value, Of::extents, sizeof(typename Types::Widest))];
      return run_chain<Of::value, Types, 0>(level, memory,
                                            buffer_sizes<Of::value, Types>(inputs...), alpha, beta,
                                            output, epilogue, functors, inputs...);
    } else {
      return scratch_too_small;
    }
  }
}

/// Acc is the accumulator of all elements.
template <Spec S, Marks M, class Acc, Level L, class MemoryOrNone, class Alpha, class Beta,
          class Output, class Epilogue, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int contract_chain(const L& level, const MemoryOrNone& scratch,
                                               const Alpha& alpha, const Beta& beta,
                                               const Output& output, const Epilogue& epilogue,
                                               const F& functors, const Inputs&... inputs) {
  using Of = ChainOf<S, M, Inputs::shape..., Output::shape>;
  if constexpr (!Of::extents.clash.none()) {
    constexpr ExtentClash clash = Of::extents.clash;
    static_assert(extents_differ<clash.letter, clash.one, clash.other>::value);
    return extents_disagree;
  } else if constexpr (Of::value.fault != ChainFault::none) {
    return extents_disagree;
  } else {
    if ((keeps<Of::value> || is_zero(alpha)) &&
        !all_agree<Of>(std::make_integer_sequence<int, sizeof...(Inputs)>{},
                       std::make_integer_sequence<int, Of::value.steps>{}, output, functors,
                       inputs...)) {
      return extents_disagree;
    }
    if constexpr (keeps<Of::value>) {
      const int fault = fault_of_factors<Acc, Output>(alpha, beta);
      if (fault != 0) return fault;
    }
    return run_agreed<Of, ChainTypes<Acc, F, runs_on_gpu<L>()>>(level, scratch, alpha, beta, output,
                                                                epilogue, functors, inputs...);
  }
}

/// Which of some arguments are the inputs of a string: of Count behind the First ones, those that
/// are not functors.
template <int First, int Count, class... Arguments>
struct InputsAmong {
  using List = std::tuple<Arguments...>;
  static constexpr bool is_input[] = {!is_pointwise<Arguments>...};
  static constexpr int count = [] {
    int n = 0;
    for (int i = First; i < First + Count; ++i) n += is_input[i];
    return n;
  }();
  /// The argument that is input number n.
  static consteval int at(int n) {
    int i = First;
    while (n > 0 || !is_input[i]) n -= is_input[i++];
    return i;
  }
};

template <class... Arguments>
inline constexpr int functors_among = (0 + ... + (is_pointwise<Arguments> ? 1 : 0));

/// Splits (alpha, inputs and functors..., beta, output, perhaps an epilogue): I numbers the inputs.
template <Spec S, Level L, class Memory, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int split_chain(const L& level, const Memory& scratch,
                                            std::integer_sequence<int, I...>,
                                            const Arguments&... arguments) {
  constexpr int n = sizeof...(I) + functors_among<Arguments...>;
  constexpr Marks marks = marks_of<Arguments...>(1);
  using Among = InputsAmong<1, n, Arguments...>;
  using Acc = chain_accumulator_t<Arguments...>;
  const auto functors = functors_of(arguments...);
  const auto run = [&](const auto& epilogue) KOKKOSCONTRACT_INLINE_LAMBDA {
    return contract_chain<S, marks, Acc>(
        level, scratch, slot_at<0>(arguments...), slot_at<n + 1>(arguments...),
        as_operand(slot_at<n + 2>(arguments...)), epilogue, functors,
        as_operand(slot_at<Among::at(I)>(arguments...))...);
  };
  if constexpr (sizeof...(Arguments) == n + 4) {
    return run(slot_at<n + 3>(arguments...));
  } else {
    return run(NoEpilogue{});
  }
}

struct NoScratch {};

/// Whether there is a form of contract<S> for these arguments: factors, operands, perhaps functors,
/// scratch and an epilogue. By counting, because nvcc finds some valid calls invalid in a
/// requires-expression.
template <Spec S, class... Arguments>
consteval bool is_contract_call() {
  constexpr int n = inputs_of<S> + functors_among<Arguments...>;
  int count = static_cast<int>(sizeof...(Arguments));
  if constexpr ((inputs_of<S> > 2 || functors_among<Arguments...> > 0) &&
                sizeof...(Arguments) > 0) {
    count -= AnyScratch<std::tuple_element_t<0, std::tuple<Arguments...>>>;
  }
  return n > 0 && (count == n + 3 || count == n + 4);
}

/// The chain of a call that is_contract_call.
template <Spec S, Level L, class First, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int contract_as_chain(const L& level, const First& first,
                                                  const Arguments&... arguments) {
  using Inputs = std::make_integer_sequence<int, inputs_of<S>>;
  if constexpr (AnyScratch<First>) {
    return split_chain<S>(level, first, Inputs{}, arguments...);
  } else {
    return split_chain<S>(level, NoScratch{}, Inputs{}, first, arguments...);
  }
}

/// contract, and a readable error for a call of the wrong form.
template <Spec S, Way W = Way::best, Level Lv, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int checked_contract(const Lv& level, const Arguments&... arguments) {
  if constexpr (!is_contract_call<S, Arguments...>()) {
    static_assert(
        Parse<S>::value.fault != StringFault::none || always_false<Lv>,
        "KokkosContract: the arguments of a contraction are (alpha, one operand for each "
        "input of the string, beta, C) and perhaps an epilogue, with pointwise functors between "
        "the operands; more than two inputs need scratch memory before alpha");
    return extents_disagree;
  } else if constexpr (functors_among<Arguments...> > 0 || inputs_of<S> > 2) {
    static_assert(W == Way::best,
                  "KokkosContract: a way is asked for of one or two inputs without functors");
    return contract_as_chain<S>(level, arguments...);
  } else {
    return Impl::contract<S, W>(level, arguments...);
  }
}

/// Gpu: for its workers. Collective: at the levels of teams, who take lines there. At others it is
/// enough for both ways.
template <bool Collective, bool Gpu, class Of, class Among, class... Operands, int... I>
KOKKOS_FORCEINLINE_FUNCTION std::size_t chain_bytes(std::integer_sequence<int, I...>,
                                                    const Operands&... operands) {
  constexpr int output = static_cast<int>(sizeof...(I));
  using Acc = chain_accumulator_t<Operands...>;
  using Types = ChainTypes<Acc, decltype(functors_of(operands...)), Gpu>;
  const auto pairs = [&] {
    return buffer_sizes<Of::value, Types>(as_operand(slot_at<Among::at(I)>(operands...))...)
        .total();
  };
  using Lines =
      LinesOf<Of, Acc, operand_t<std::tuple_element_t<Among::at(I), typename Among::List>>...,
              operand_t<std::tuple_element_t<Among::at(output), typename Among::List>>>;
  if constexpr (!Gpu) {
    return pairs();
  } else if constexpr (!Lines::possible) {
    return pairs();
  } else {
    const std::size_t lines = Lines::bytes(as_operand(slot_at<Among::at(I)>(operands...))...);
    return Collective || lines > pairs() ? lines : pairs();
  }
}

/// The chain of a string on inputs (perhaps with functors between them) and an output.
template <Spec S, class Among, class... Operands>
struct ChainOfOperands {
  static constexpr Marks marks = marks_of<Operands...>(0);
  template <int... I>
  static auto find(std::integer_sequence<int, I...>) {
    return ChainOf<S, marks,
                   operand_t<std::tuple_element_t<Among::at(I), typename Among::List>>::shape...>{};
  }
  using type = decltype(find(std::make_integer_sequence<int, inputs_of<S> + 1>{}));
};

template <Spec S, bool Collective, bool Gpu, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes_as_is(const Operands&... operands) {
  constexpr int functors = functors_among<Operands...>;
  static_assert(sizeof...(Operands) == inputs_of<S> + 1 + functors,
                "KokkosContract: scratch_bytes takes the inputs and the output, with the pointwise "
                "functors between them");
  if constexpr (inputs_of<S> + functors > 2 || functors > 0) {
    using Among = InputsAmong<0, sizeof...(Operands), Operands...>;
    using Of = typename ChainOfOperands<S, Among, Operands...>::type;
    return chain_bytes<Collective, Gpu, Of, Among>(std::make_integer_sequence<int, inputs_of<S>>{},
                                                   operands...) +
           scratch_alignment;
  } else {
    return 0;
  }
}

/// Scratch that a call needs, alignment included; 0 for one or two inputs without functors.
template <Spec S, bool Collective, bool Gpu, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(const Operands&... operands) {
  if constexpr ((is_marked_view<Operands> || ...)) {
    // The question that a call asks.
    if ((is_packed_view(operands) && ...)) {
      return scratch_bytes_as_is<S, Collective, Gpu>(packed_view(operands)...);
    }
  }
  return scratch_bytes_as_is<S, Collective, Gpu>(operands...);
}

/// Whether scratch memory is for the workers of a GPU: of Space, or (void) of the build's default
/// space, if that is one and reaches all operands. A call on a host's memory takes as much as in a
/// build without a GPU.
template <class Space, class... Operands>
consteval bool needs_scratch_of_gpu() {
  if constexpr (std::is_void_v<Space>) {
    using Default = Kokkos::DefaultExecutionSpace;
    return is_gpu<Default> && (reaches<Default, Operands> && ...);
  } else {
    return is_gpu<Space>;
  }
}

template <Spec S, bool Collective = false>
struct ScratchQuery {
  /// Bytes of scratch that a call of this level on these inputs and this output needs, with its
  /// pointwise functors between them, alignment included: 0 for one or two inputs without functors.
  /// For the host, to size a TeamPolicy; only extents and element types are looked at, and whether
  /// Views are padded. Space, where it is given, is the kernel's execution space; else it is the
  /// default one, or a host's where that does not reach all operands.
  template <class Space = void, class... Operands>
  KOKKOS_INLINE_FUNCTION static std::size_t scratch_bytes(const Operands&... operands) {
    constexpr bool gpu = needs_scratch_of_gpu<Space, Operands...>();
    return Impl::scratch_bytes<S, Collective, gpu>(operands...);
  }
};

/// Whether an epilogue stores its elements elsewhere.
template <class Epilogue, class C, int... D>
consteval bool returns_nothing(std::integer_sequence<int, D...>) {
  if constexpr (std::is_invocable_v<const Epilogue&, C, decltype(D)...>) {
    return std::is_void_v<std::invoke_result_t<const Epilogue&, C, decltype(D)...>>;
  } else {
    return false;
  }
}

/// Which argument of a call is what: (perhaps scratch, alpha, inputs and functors..., beta, output,
/// perhaps an epilogue).
template <Spec S, class... Arguments>
struct ContractArguments {
  using List = std::tuple<Arguments...>;
  static constexpr int count = static_cast<int>(sizeof...(Arguments));
  static constexpr int alpha = AnyScratch<std::tuple_element_t<0, List>> ? 1 : 0;
  static constexpr int output = alpha + inputs_of<S> + functors_among<Arguments...> + 2;

  static consteval bool is_written() {
    if constexpr (output + 1 < count) {
      using C = operand_t<std::tuple_element_t<output, List>>;
      return !returns_nothing<std::tuple_element_t<output + 1, List>, typename C::value_type>(
          std::make_integer_sequence<int, C::rank>{});
    }
    return true;
  }
  /// Whether argument i is an input that stands before a functor.
  static consteval bool is_before_functor(int i) {
    constexpr bool functor[] = {is_pointwise<Arguments>...};
    for (int k = i + 1; k < count; ++k) {
      if (functor[k]) return i > alpha;
    }
    return false;
  }
};

template <Spec S, Way W = Way::best>
struct ContractRoutine {
  static constexpr Signature signature{"Contract", 0};
  static constexpr auto string = S;
  static constexpr Parsed parsed = Parse<S>::value;
  template <class... Arguments>
  static consteval int first_written() {
    using Call = ContractArguments<S, Arguments...>;
    return Call::is_written() ? Call::output : Call::count;
  }
  /// Whether the output may be input I itself.
  template <int I, class... Arguments>
  static consteval bool may_replace() {
    return ContractArguments<S, Arguments...>::is_before_functor(I);
  }
  static constexpr bool scales_product = inputs_of<S> == 2 && W == Way::best;
  static constexpr bool tells_packed_views = true;
  template <class Alpha, class A, class B, class Beta, class C>
  static consteval SmallPlans small_plans() {
    if constexpr (inputs_of<S> == 2 && W == Way::best) {
      return small_plans_of_operands<Parse<S>::value.input[0], Parse<S>::value.input[1],
                                     Parse<S>::value.output, operand_t<A>, operand_t<B>,
                                     operand_t<C>>();
    } else {
      return {};
    }
  }
  /// The lines of a problem that the steps of more than two inputs take, for each value of the only
  /// dynamic index; 0 if there are other steps.
  template <class... Operands>
  static constexpr int lines_of_chain(const Operands&...) {
    using Among = InputsAmong<0, sizeof...(Operands), packed_view_t<Operands>...>;
    using Of = typename ChainOfOperands<S, Among, packed_view_t<Operands>...>::type;
    return Of::lines.possible ? Of::lines.lines : 0;
  }
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return checked_contract<S, W>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
