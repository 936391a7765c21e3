// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_NARY_HPP
#define KOKKOSCONTRACT_IMPL_NARY_HPP

// More than two inputs: a chain of contractions of pairs, whose intermediates are packed row-major
// arrays in scratch memory. Everything but the extents is decided at compile time:
//
//   slots      the inputs, then the result of each step; the last step writes the output
//   order      least work, by search over all orders (up to 5 inputs; beyond, the cheapest pair
//   first)
//              where all extents are static; else from left to right
//   buffers    intermediates whose lifetimes do not overlap share one

#include <KokkosContract/Impl/Contract.hpp>
#include <KokkosContract/Impl/Front.hpp>
#include <bit>
#include <cstdint>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Scratch memory for a contraction of more than two inputs: an address and its size in bytes. At
/// the collective levels the memory is one for all workers.
struct Scratch {
  void* data = nullptr;
  std::size_t bytes = 0;
};

namespace Impl {

inline constexpr int max_slots = 2 * max_inputs;
inline constexpr std::size_t scratch_alignment = 64;

using LetterSet = std::uint64_t;

constexpr LetterSet letter_bit(char c) {
  return LetterSet{1} << (c >= 'a' ? c - 'a' : c - 'A' + 26);
}
constexpr char letter_of(int bit) {
  return static_cast<char>(bit < 26 ? 'a' + bit : 'A' + bit - 26);
}
constexpr LetterSet letters_of(const Labels& labels) {
  LetterSet set = 0;
  for (int i = 0; i < labels.rank; ++i) set |= letter_bit(labels.letter[i]);
  return set;
}

/// The static extents of all letters; `dynamic` where one is not.
struct LetterExtents {
  std::ptrdiff_t extent[52]{};
  bool all_static = true;
};

struct Step {
  int a = 0;
  int b = 0;
  int buffer = -1;  // of the result; -1 is the output
};

struct Chain {
  int inputs = 0;
  int steps = 0;
  int buffers = 0;
  Step step[max_inputs]{};
  Labels slot[max_slots]{};
  bool fits = true;  // no intermediate has more than max_rank letters
};

constexpr double volume(LetterSet set, const LetterExtents& extents) {
  double v = 1;
  for (int i = 0; i < 52; ++i) {
    if ((set >> i & 1) != 0) v *= static_cast<double>(extents.extent[i]);
  }
  return v;
}

/// The letters that the result of a pair keeps: those that the output or another open slot has.
constexpr LetterSet kept(const LetterSet* set, const bool* open, int slots, int a, int b,
                         LetterSet output) {
  LetterSet others = output;
  for (int s = 0; s < slots; ++s) {
    if (open[s] && s != a && s != b) others |= set[s];
  }
  return (set[a] | set[b]) & others;
}

/// Finds the order of least work from a state with `left` open slots; returns its cost.
constexpr double best_order(LetterSet* set, bool* open, int slots, int left, LetterSet output,
                            const LetterExtents& extents, bool search, Step* order) {
  if (left < 2) return 0;
  double best = -1;
  Step found[max_inputs]{};
  for (int a = 0; a < slots; ++a) {
    for (int b = a + 1; b < slots; ++b) {
      if (!open[a] || !open[b]) continue;
      const LetterSet result = left == 2 ? output : kept(set, open, slots, a, b, output);
      double cost = 2 * volume(set[a] | set[b], extents) + volume(result, extents);
      Step tail[max_inputs]{};
      if (search) {
        set[slots] = result;
        open[slots] = true;
        open[a] = open[b] = false;
        cost += best_order(set, open, slots + 1, left - 1, output, extents, true, tail);
        open[a] = open[b] = true;
        open[slots] = false;
      }
      if (best < 0 || cost < best) {
        best = cost;
        found[0] = Step{a, b, -1};
        for (int s = 1; s < left - 1; ++s) found[s] = tail[s - 1];
      }
    }
  }
  for (int s = 0; s < left - 1; ++s) order[s] = found[s];
  if (!search) {
    const int a = order[0].a;
    const int b = order[0].b;
    set[slots] = kept(set, open, slots, a, b, output);
    open[slots] = true;
    open[a] = open[b] = false;
    best += best_order(set, open, slots + 1, left - 1, output, extents, false, order + 1);
  }
  return best;
}

constexpr Chain make_chain(const Parsed& p, const LetterExtents& extents) {
  Chain chain{};
  chain.inputs = p.inputs;
  chain.steps = p.inputs - 1;
  LetterSet set[max_slots]{};
  bool open[max_slots]{};
  const LetterSet output = letters_of(p.output);
  for (int i = 0; i < p.inputs; ++i) {
    chain.slot[i] = p.input[i];
    set[i] = letters_of(p.input[i]);
    open[i] = true;
  }
  if (extents.all_static) {
    best_order(set, open, p.inputs, p.inputs, output, extents, p.inputs <= 5, chain.step);
  } else {
    for (int s = 0; s < chain.steps; ++s) {
      chain.step[s] = Step{s == 0 ? 0 : p.inputs + s - 1, s + 1, -1};
    }
  }

  for (int i = 0; i < max_slots; ++i) open[i] = i < p.inputs;
  int buffer_of[max_slots]{};
  bool busy[max_inputs]{};
  for (int s = 0; s < chain.steps; ++s) {
    Step& step = chain.step[s];
    const int slot = p.inputs + s;
    if (s + 1 < chain.steps) {
      const LetterSet result = kept(set, open, slot, step.a, step.b, output);
      // A result keeps the order of its inputs' letters, so that its last index is likely
      // contiguous.
      Labels& labels = chain.slot[slot];
      for (const int from : {step.a, step.b}) {
        for (int i = 0; i < chain.slot[from].rank; ++i) {
          const char c = chain.slot[from].letter[i];
          if ((result & letter_bit(c)) == 0 || labels.has(c)) continue;
          if (labels.rank == max_rank) {
            chain.fits = false;
            return chain;
          }
          labels.letter[labels.rank++] = c;
        }
      }
      set[slot] = result;
      open[slot] = true;
      int buffer = 0;
      while (busy[buffer]) ++buffer;
      busy[buffer] = true;
      buffer_of[slot] = step.buffer = buffer;
      chain.buffers = buffer + 1 > chain.buffers ? buffer + 1 : chain.buffers;
    }
    for (const int used : {step.a, step.b}) {
      open[used] = false;
      if (used >= p.inputs) busy[buffer_of[used]] = false;
    }
  }
  return chain;
}

constexpr void join_static(LetterExtents& extents, const Labels& labels, const Dims& dims) {
  for (int i = 0; i < labels.rank; ++i) {
    int bit = 0;
    while (letter_of(bit) != labels.letter[i]) ++bit;
    if (dims.extent[i] != dynamic) extents.extent[bit] = dims.extent[i];
  }
}

template <int N>
constexpr LetterExtents static_extents(const Parsed& p, const Dims (&dims)[N]) {
  LetterExtents extents{};
  for (std::ptrdiff_t& e : extents.extent) e = dynamic;
  LetterSet all = 0;
  for (int i = 0; i < p.inputs; ++i) {
    join_static(extents, p.input[i], dims[i]);
    all |= letters_of(p.input[i]);
  }
  join_static(extents, p.output, dims[p.inputs]);
  for (int i = 0; i < 52; ++i) {
    if ((all >> i & 1) != 0 && extents.extent[i] == dynamic) extents.all_static = false;
  }
  return extents;
}

/// The chain of a string on operands of these shapes, the output's last.
template <Spec S, Shape... Shapes>
struct ChainOf {
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr Dims dims[] = {dims_of(Shapes)...};
  static constexpr LetterExtents extents = static_extents(parsed, dims);
  static constexpr Chain value = make_chain(parsed, extents);
  static_assert(value.fits,
                "KokkosContract: an intermediate of this contraction would have more than 8 "
                "dimensions; contract step by step");
};

// --- The run-time part: slots are a list of operands, inputs first. ---

template <int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION const auto& slot_at(const First& first, const Rest&... rest) {
  if constexpr (I == 0) {
    return first;
  } else {
    return slot_at<I - 1>(rest...);
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
constexpr std::ptrdiff_t pair_static_extent() {
  constexpr int da = dimension_of(LA, Letter);
  constexpr int db = dimension_of(LB, Letter);
  std::ptrdiff_t extent = dynamic;
  if constexpr (da >= 0) extent = A::shape.extent[da];
  if constexpr (db >= 0) {
    if (extent == dynamic) extent = B::shape.extent[db];
  }
  return extent;
}

template <Labels LA, Labels LB, Labels To, class A, class B, int... I>
constexpr auto packed_shape(std::integer_sequence<int, I...>) {
  Shape<To.rank> shape{};
  ((shape.extent[I] = pair_static_extent<LA, LB, To.letter[I], A, B>()), ...);
  set_packed_strides(shape, true);
  return shape;
}

/// The intermediate of a pair: a packed array of labels To, without memory yet.
template <Labels LA, Labels LB, Labels To, class A, class B, int... I>
KOKKOS_FORCEINLINE_FUNCTION auto make_intermediate(const A& a, const B& b,
                                                   std::integer_sequence<int, I...> sequence) {
  using T = accumulator_t<std::remove_const_t<typename A::value_type>,
                          std::remove_const_t<typename B::value_type>>;
  constexpr auto shape = packed_shape<LA, LB, To, A, B>(sequence);
  constexpr int rank = To.rank;
  int extent[rank > 0 ? rank : 1]{};
  std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
  ((extent[I] = pair_extent<LA, LB, To.letter[I]>(a, b)), ...);
  std::ptrdiff_t size = 1;
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = size;
    size *= extent[i];
  }
  return strided_t<T, shape>(nullptr, extent, stride);
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t bytes_of(const A& a) {
  std::size_t n = sizeof(typename A::value_type);
  for (int i = 0; i < A::rank; ++i) n *= static_cast<std::size_t>(a.extent(i));
  return (n + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

/// Bytes of each buffer: the largest of the intermediates that it holds in turn.
struct BufferSizes {
  std::size_t bytes[max_inputs]{};

  KOKKOS_FORCEINLINE_FUNCTION std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t b : bytes) sum += b;
    return sum;
  }
};

template <const Chain& C, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION void measure(BufferSizes& sizes, const Slots&... slots) {
  if constexpr (N + 1 < C.steps) {
    constexpr int a = C.step[N].a;
    constexpr int b = C.step[N].b;
    constexpr int to = C.inputs + N;
    const auto result = make_intermediate<C.slot[a], C.slot[b], C.slot[to]>(
        slot_at<a>(slots...), slot_at<b>(slots...),
        std::make_integer_sequence<int, C.slot[to].rank>{});
    constexpr int buffer = C.step[N].buffer;
    const std::size_t bytes = bytes_of(result);
    if (bytes > sizes.bytes[buffer]) sizes.bytes[buffer] = bytes;
    measure<C, N + 1>(sizes, slots..., result);
  }
}

template <const Chain& C, Labels Out, int N, Level L, class Alpha, class Beta, class Output,
          class Epilogue, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION int run_chain(const L& level, char* scratch, const BufferSizes& sizes,
                                          const Alpha& alpha, const Beta& beta,
                                          const Output& output, const Epilogue& epilogue,
                                          const Slots&... slots) {
  constexpr int a = C.step[N].a;
  constexpr int b = C.step[N].b;
  const auto& x = slot_at<a>(slots...);
  const auto& y = slot_at<b>(slots...);
  if constexpr (N + 1 == C.steps) {
    return contract_labels<C.slot[a], C.slot[b], Out, true>(level, alpha, x, y, beta, output,
                                                            epilogue);
  } else {
    constexpr int to = C.inputs + N;
    const auto shaped = make_intermediate<C.slot[a], C.slot[b], C.slot[to]>(
        x, y, std::make_integer_sequence<int, C.slot[to].rank>{});
    std::size_t offset = 0;
    for (int i = 0; i < C.step[N].buffer; ++i) offset += sizes.bytes[i];
    using Intermediate = std::remove_const_t<decltype(shaped)>;
    using T = typename Intermediate::value_type;
    const Intermediate result(reinterpret_cast<T*>(scratch + offset), shaped);
    if (!is_zero(alpha)) {
      const int code = contract_labels<C.slot[a], C.slot[b], C.slot[to], true>(
          level, real_t<T>(1), x, y, real_t<T>(0), result, NoEpilogue{});
      if (code != 0) return code;
    }
    return run_chain<C, Out, N + 1>(level, scratch, sizes, alpha, beta, output, epilogue, slots...,
                                    result);
  }
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
    std::uintptr_t address = 0;
    std::size_t available = 0;
    if constexpr (std::is_same_v<S, Scratch>) {
      address = reinterpret_cast<std::uintptr_t>(scratch.data);
      available = scratch.bytes;
    } else {
      address = reinterpret_cast<std::uintptr_t>(scratch.data());
      available = scratch.span() * sizeof(typename S::value_type);
    }
    const std::size_t skip = (scratch_alignment - address % scratch_alignment) % scratch_alignment;
    return available < skip + bytes ? nullptr : reinterpret_cast<char*>(address + skip);
  }
}

template <const Chain& C, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION BufferSizes buffer_sizes(const Inputs&... inputs) {
  BufferSizes sizes{};
  measure<C, 0>(sizes, inputs...);
  return sizes;
}

/// Bytes of the chain's intermediates where all extents are static.
constexpr std::size_t static_scratch(const Chain& chain, const LetterExtents& extents,
                                     std::size_t element) {
  std::size_t total = 0;
  for (int s = 0; s + 1 < chain.steps; ++s) {
    const auto elements =
        static_cast<std::size_t>(volume(letters_of(chain.slot[chain.inputs + s]), extents));
    total += (elements * element + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  }
  return total > 0 ? total : scratch_alignment;
}

/// The chain of a string on operands as a user passes them.
template <Spec S, class... Ops>
using chain_of = ChainOf<S, operand_t<Ops>::shape...>;

template <Spec S, Level L, class Alpha, class Beta, class Output, class Epilogue, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int contract_chain_in(const L& level, char* memory, const Alpha& alpha,
                                                  const Beta& beta, const Output& output,
                                                  const Epilogue& epilogue,
                                                  const Inputs&... inputs) {
  using Of = ChainOf<S, Inputs::shape..., Output::shape>;
  const BufferSizes sizes = buffer_sizes<Of::value>(inputs...);
  return run_chain<Of::value, Parse<S>::value.output, 0>(level, memory, sizes, alpha, beta, output,
                                                         epilogue, inputs...);
}

template <Spec S, Level L, class MemoryOrNone, class Alpha, class Beta, class Output,
          class Epilogue, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int contract_chain(const L& level, const MemoryOrNone& scratch,
                                               const Alpha& alpha, const Beta& beta,
                                               const Output& output, const Epilogue& epilogue,
                                               const Inputs&... inputs) {
  using Of = ChainOf<S, Inputs::shape..., Output::shape>;
  if constexpr (AnyScratch<MemoryOrNone>) {
    const BufferSizes sizes = buffer_sizes<Of::value>(inputs...);
    char* memory = take_scratch(scratch, sizes.total());
    check(memory != nullptr, "KokkosContract: a contraction got less scratch than scratch_bytes()");
    if (memory == nullptr) return scratch_too_small;
    return contract_chain_in<S>(level, memory, alpha, beta, output, epilogue, inputs...);
  } else {
    static_assert(
        is_single_worker<L>() && Of::extents.all_static,
        "KokkosContract: a contraction of more than two inputs needs scratch memory as its "
        "first argument (after the member), unless it is Serial and all extents are static");
    if constexpr (is_single_worker<L>() && Of::extents.all_static) {
      using Widest = accumulator_t<std::remove_const_t<typename Inputs::value_type>...>;
      alignas(
          scratch_alignment) char memory[static_scratch(Of::value, Of::extents, sizeof(Widest))];
      return contract_chain_in<S>(level, memory, alpha, beta, output, epilogue, inputs...);
    } else {
      return scratch_too_small;
    }
  }
}

/// Splits (alpha, inputs..., beta, output, epilogue) by index: I numbers the inputs.
template <Spec S, Level L, class Memory, int... I, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int split_chain(const L& level, const Memory& scratch,
                                            std::integer_sequence<int, I...>,
                                            const Arguments&... arguments) {
  constexpr int n = sizeof...(I);
  if constexpr (sizeof...(Arguments) == n + 4) {
    return contract_chain<S>(level, scratch, slot_at<0>(arguments...), slot_at<n + 1>(arguments...),
                             as_operand(slot_at<n + 2>(arguments...)), slot_at<n + 3>(arguments...),
                             as_operand(slot_at<I + 1>(arguments...))...);
  } else {
    return contract_chain<S>(level, scratch, slot_at<0>(arguments...), slot_at<n + 1>(arguments...),
                             as_operand(slot_at<n + 2>(arguments...)), NoEpilogue{},
                             as_operand(slot_at<I + 1>(arguments...))...);
  }
}

struct NoScratch {};

template <Spec S, Level L, class First, class... Arguments>
  requires(inputs_of<S> > 2 && AnyScratch<First> &&
           (sizeof...(Arguments) == inputs_of<S> + 3 || sizeof...(Arguments) == inputs_of<S> + 4))
KOKKOS_FORCEINLINE_FUNCTION int contract(const L& level, const First& scratch,
                                         const Arguments&... arguments) {
  return split_chain<S>(level, scratch, std::make_integer_sequence<int, inputs_of<S>>{},
                        arguments...);
}

template <Spec S, Level L, class First, class... Arguments>
  requires(inputs_of<S> > 2 && !AnyScratch<First> &&
           (sizeof...(Arguments) == inputs_of<S> + 2 || sizeof...(Arguments) == inputs_of<S> + 3))
KOKKOS_FORCEINLINE_FUNCTION int contract(const L& level, const First& alpha,
                                         const Arguments&... arguments) {
  return split_chain<S>(level, NoScratch{}, std::make_integer_sequence<int, inputs_of<S>>{}, alpha,
                        arguments...);
}

/// Whether there is a form of contract<S> for these arguments: factors, operands, perhaps scratch
/// and an epilogue. By counting, because nvcc finds some valid calls invalid in a
/// requires-expression.
template <Spec S, class... Arguments>
constexpr bool is_contract_call() {
  constexpr int n = inputs_of<S>;
  int count = static_cast<int>(sizeof...(Arguments));
  if constexpr (n > 2 && sizeof...(Arguments) > 0) {
    count -= AnyScratch<std::tuple_element_t<0, std::tuple<Arguments...>>>;
  }
  return n > 0 && (count == n + 3 || count == n + 4);
}

/// contract, and a readable error for a call of the wrong form.
template <Spec S, Level Lv, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int checked_contract(const Lv& level, const Arguments&... arguments) {
  if constexpr (is_contract_call<S, Arguments...>()) {
    return Impl::contract<S>(level, arguments...);
  } else {
    static_assert(
        Parse<S>::value.fault != Fault::none || always_false<Lv>,
        "KokkosContract: the arguments of a contraction are (alpha, one operand for each "
        "input of the string, beta, C) and perhaps an epilogue; more than two inputs need "
        "scratch memory before alpha");
    return extents_disagree;
  }
}

template <const Chain& C, class... Operands, int... I>
KOKKOS_FORCEINLINE_FUNCTION std::size_t chain_bytes(std::integer_sequence<int, I...>,
                                                    const Operands&... operands) {
  return buffer_sizes<C>(slot_at<I>(operands...)...).total();
}

/// Scratch that a call needs, alignment included; 0 for one or two inputs.
template <Spec S, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(const Operands&... operands) {
  static_assert(sizeof...(Operands) == inputs_of<S> + 1,
                "KokkosContract: scratch_bytes takes the inputs and the output");
  if constexpr (inputs_of<S> > 2) {
    using Of = chain_of<S, Operands...>;
    return chain_bytes<Of::value>(std::make_integer_sequence<int, inputs_of<S>>{},
                                  as_operand(operands)...) +
           scratch_alignment;
  } else {
    return 0;
  }
}

template <Spec S>
struct ScratchQuery {
  /// Bytes of scratch that a call on these inputs and this output needs, alignment included: 0 for
  /// one or two inputs. For the host, to size a TeamPolicy; only the extents are looked at.
  template <class... Operands>
  KOKKOS_INLINE_FUNCTION static std::size_t scratch_bytes(const Operands&... operands) {
    return Impl::scratch_bytes<S>(operands...);
  }
};

template <Spec S>
struct ContractRoutine {
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr bool scales_product = inputs_of<S> == 2;
  template <class Alpha, class A, class B, class Beta, class C>
  static constexpr SmallPlans small_plans() {
    if constexpr (inputs_of<S> == 2) {
      return small_plans_of_operands<Parse<S>::value.input[0], Parse<S>::value.input[1],
                                     Parse<S>::value.output, operand_t<A>, operand_t<B>,
                                     operand_t<C>>();
    } else {
      return {};
    }
  }
  template <Level L, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Arguments&... arguments) {
    return checked_contract<S>(level, arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
