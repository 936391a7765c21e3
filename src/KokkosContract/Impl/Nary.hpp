// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_NARY_HPP
#define KOKKOSCONTRACT_IMPL_NARY_HPP

// More than two inputs, or functors between them: a chain of contractions of one or two operands,
// whose intermediates are packed row-major arrays in scratch memory. Everything but the extents is
// decided at compile time:
//
//   sections   what stands between two functors; the result of a section is an input of the next
//   slots      the inputs, then the result of each step; the last step writes the output
//   order      least work, over all orders of a section, where all extents are static; else from
//              left to right
//   buffers    intermediates whose lifetimes do not overlap share one
//   functors   are the epilogues of the last steps of their sections

#include <KokkosContract/Impl/Contract.hpp>
#include <KokkosContract/Impl/Front.hpp>
#include <KokkosContract/Impl/LinePair.hpp>
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

/// The letters of a functor; rank -1 where they are not letters, each once.
template <std::size_t N>
constexpr Labels functor_labels(const Spec<N>& text) {
  Labels labels{};
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    if (text[i] == ' ') continue;
    if (!is_letter(text[i]) || labels.has(text[i]) || labels.rank == max_rank) {
      labels.rank = -1;
      return labels;
    }
    labels.letter[labels.rank++] = text[i];
  }
  return labels;
}

}  // namespace Impl

/// A functor between the operands of a contraction: see pointwise.
template <Spec S, class F>
struct Pointwise {
  static constexpr Impl::Labels pointwise_labels = Impl::functor_labels(S);
  static_assert(pointwise_labels.rank >= 0,
                "KokkosContract: the string of a pointwise functor is a list of at most 8 letters, "
                "each once");
  F functor;
};

/// Stands between the operands of a contraction: those before it are contracted to the letters S,
/// each element of that becomes functor(value, i, j, ...) once, with its indices in the order of S,
/// and the result is contracted with the operands behind.
template <Spec S, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pointwise<S, F> pointwise(const F& functor) {
  return {functor};
}

namespace Impl {

inline constexpr int max_functors = 4;
inline constexpr int max_steps = max_inputs + max_functors;
inline constexpr int max_slots = max_inputs + max_steps;
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

// --- Functors between operands ---

/// (By a member, because nvcc does not deduce a Spec in a partial specialisation.)
template <class A>
inline constexpr bool is_pointwise = requires { A::pointwise_labels; };

/// Where functors stand among the inputs, and what their letters are.
struct Marks {
  int count = 0;
  int before[max_functors]{};  // how many inputs
  Labels labels[max_functors]{};
};

template <class A>
constexpr void add_mark(Marks& marks, int& inputs) {
  if constexpr (is_pointwise<A>) {
    if (marks.count < max_functors) {
      marks.before[marks.count] = inputs;
      marks.labels[marks.count] = A::pointwise_labels;
    }
    ++marks.count;
  } else {
    ++inputs;
  }
}

/// The marks of a list of operands and functors, behind `others` that are neither.
template <class... Arguments>
constexpr Marks marks_of(int others) {
  Marks marks{};
  int inputs = -others;
  (add_mark<Arguments>(marks, inputs), ...);
  return marks;
}

// --- The chain ---

/// The static extents of all letters; `dynamic` where one is not.
struct LetterExtents {
  std::ptrdiff_t extent[52]{};
  bool all_static = true;
  bool agree = true;
};

/// Contracts slot a with slot b (-1: a alone). Its result, the slot behind those of the steps
/// before, is in a buffer (-1: it is the output), put there by a functor (-1: as it is).
struct Step {
  int a = 0;
  int b = -1;
  int buffer = -1;
  int functor = -1;
};

enum class ChainFault { none, functors, first_functor, functor_letters, output_letters, rank };

/// Steps `step` to `last` of a chain that a GPU's workers run as one: slot `tensor` is multiplied
/// by slot `first`, that by slot `data` (-1: none), put through a functor (-1: none) and multiplied
/// by slot `second`.
struct Bridge {
  int step = -1;
  int last = -1;
  int tensor = 0;
  int first = 0;
  int data = -1;
  int functor = -1;
  int second = 0;
  LinePair pair{};
};

struct Chain {
  int inputs = 0;
  int steps = 0;
  int buffers = 0;
  Step step[max_steps]{};
  Labels slot[max_slots]{};
  ChainFault fault = ChainFault::none;
  Bridge bridge{};
};

constexpr double volume(LetterSet set, const LetterExtents& extents) {
  double v = 1;
  for (; set != 0; set &= set - 1) v *= static_cast<double>(extents.extent[std::countr_zero(set)]);
  return v;
}

/// What stands between two functors: slots that are contracted to the letters of `output`.
struct Section {
  int slot[max_inputs + 1]{};
  int count = 0;
  Labels output{};
};

/// How the subsets of a section's slots are contracted: each is one slot, or two subsets, of which
/// `part` is one.
struct Order {
  static constexpr int subsets = 1 << (max_inputs + 1);
  LetterSet letters[subsets]{};  // that a subset's product keeps
  unsigned part[subsets]{};
};

/// The letters of each subset that the output or another slot of the section has.
constexpr void find_letters(const Chain& chain, const Section& section, Order& order) {
  const unsigned all = (1U << section.count) - 1;
  LetterSet own[Order::subsets]{};
  for (unsigned set = 1; set <= all; ++set) {
    const int slot = section.slot[std::countr_zero(set)];
    own[set] = own[set & (set - 1)] | letters_of(chain.slot[slot]);
  }
  for (unsigned set = 1; set <= all; ++set) {
    const bool single = (set & (set - 1)) == 0;
    order.letters[set] =
        single ? own[set] : own[set] & (letters_of(section.output) | own[all & ~set]);
  }
}

/// The order of least work: each subset of the slots is best split into two whose orders are best.
/// (3^n / 2 splits. Of equal ones that is taken which leaves the last slots for the end.)
constexpr void find_order(const Section& section, const LetterExtents& extents, Order& order) {
  const unsigned all = (1U << section.count) - 1;
  double cost[Order::subsets]{};
  for (unsigned set = 1; set <= all; ++set) {
    if ((set & (set - 1)) == 0) continue;
    const unsigned rest = set & ~std::bit_floor(set);
    const double result = volume(order.letters[set], extents);
    cost[set] = -1;
    for (unsigned part = rest; part != 0; part = (part - 1) & rest) {
      const unsigned other = set & ~part;
      const double sum = cost[part] + cost[other] + result +
                         2 * volume(order.letters[part] | order.letters[other], extents);
      if (cost[set] < 0 || sum < cost[set]) {
        cost[set] = sum;
        order.part[set] = part;
      }
    }
  }
}

/// Appends the steps that contract a subset of a section; returns the slot of the result.
constexpr int append_steps(Chain& chain, const Section& section, const Order& order, unsigned set) {
  if ((set & (set - 1)) == 0) return section.slot[std::countr_zero(set)];
  unsigned first = order.part[set];
  unsigned second = set & ~first;
  // What takes more steps comes first, when no other intermediate is there yet.
  if (std::popcount(first) < std::popcount(second)) {
    first = second;
    second = set & ~first;
  }
  int a = append_steps(chain, section, order, first);
  int b = append_steps(chain, section, order, second);
  if (b < a) {
    const int swapped = a;
    a = b;
    b = swapped;
  }
  const int slot = chain.inputs + chain.steps;
  chain.step[chain.steps++] = Step{a, b, -1, -1};
  // A result keeps the order of its inputs' letters, so that its last index is likely contiguous.
  Labels& labels = chain.slot[slot];
  for (const int from : {a, b}) {
    for (int i = 0; i < chain.slot[from].rank; ++i) {
      const char c = chain.slot[from].letter[i];
      if ((order.letters[set] & letter_bit(c)) == 0 || labels.has(c)) continue;
      if (labels.rank == max_rank) {
        chain.fault = ChainFault::rank;
        return slot;
      }
      labels.letter[labels.rank++] = c;
    }
  }
  return slot;
}

/// Appends the steps of a section; returns the slot of its result.
constexpr int append_section(Chain& chain, const Section& section, const LetterExtents& extents) {
  if (section.count == 1) {
    chain.step[chain.steps++] = Step{section.slot[0], -1, -1, -1};
  } else {
    Order order{};
    find_letters(chain, section, order);
    if (extents.all_static) {
      find_order(section, extents, order);
    } else {
      for (int n = 2; n <= section.count; ++n) order.part[(1U << n) - 1] = (1U << (n - 1)) - 1;
    }
    append_steps(chain, section, order, (1U << section.count) - 1);
  }
  const int slot = chain.inputs + chain.steps - 1;
  chain.slot[slot] = section.output;
  return slot;
}

/// The slot that a step contracts with slot `slot`; -1: none, or the step has nothing to do with
/// it.
constexpr int partner(const Step& step, int slot) {
  if (step.a == slot) return step.b;
  return step.b == slot ? step.a : -1;
}

/// The pair of line products at a step, whose first tensor is slot `tensor`.
constexpr Bridge bridge_at(const Chain& chain, int step, int tensor) {
  Bridge bridge{};
  const int first = partner(chain.step[step], tensor);
  const int made = chain.inputs + step;
  if (first < 0 || first >= chain.inputs || step + 1 >= chain.steps) return bridge;
  bridge.tensor = tensor;
  bridge.first = first;
  bridge.functor = chain.step[step].functor;
  bridge.last = step + 1;
  bridge.second = partner(chain.step[step + 1], made);
  bridge.pair = find_line_pair(chain.slot[tensor], chain.slot[first], chain.slot[made],
                               bridge.second < 0 ? Labels{} : chain.slot[bridge.second],
                               chain.slot[made + 1]);
  if (!bridge.pair.possible && bridge.functor < 0 && bridge.second >= 0 &&
      bridge.second < chain.inputs && step + 2 < chain.steps) {
    bridge.data = bridge.second;
    bridge.functor = chain.step[step + 1].functor;
    bridge.last = step + 2;
    bridge.second = partner(chain.step[step + 2], made + 1);
    bridge.pair = find_line_pair(chain.slot[tensor], chain.slot[first], chain.slot[made + 1],
                                 bridge.second < 0 ? Labels{} : chain.slot[bridge.second],
                                 chain.slot[made + 2]);
    const char between = bridge.pair.between;
    bridge.pair.possible =
        bridge.pair.possible &&
        has_same_lines(chain.slot[made], between, chain.slot[made + 1], between) &&
        has_same_lines(chain.slot[bridge.data], between, chain.slot[made + 1], between);
  }
  const bool is_inside = bridge.last + 1 < chain.steps && chain.step[bridge.last].functor < 0 &&
                         bridge.second < chain.inputs;
  if (bridge.pair.possible && is_inside) bridge.step = step;
  return bridge;
}

/// The first pair of line products of a chain, if matrices of these shapes are known to the
/// compiler.
constexpr Bridge find_bridge([[maybe_unused]] const Chain& chain,
                             [[maybe_unused]] const LetterExtents& extents,
                             [[maybe_unused]] const Dims* dims) {
#if defined(KOKKOS_ENABLE_CUDA)
  const auto known = [&](char letter) {
    const std::ptrdiff_t extent = extents.extent[std::countr_zero(letter_bit(letter))];
    return extent == dynamic ? 0 : static_cast<int>(extent);
  };
  const auto is_known = [](const Dims& d) {
    return d.stride[0] != dynamic && d.stride[1] != dynamic;
  };
  for (int s = 0; s < chain.steps && dims != nullptr; ++s) {
    for (const int tensor : {chain.step[s].a, chain.step[s].b}) {
      if (tensor < 0) continue;
      Bridge bridge = bridge_at(chain, s, tensor);
      if (bridge.step < 0) continue;
      bridge.pair.terms = known(bridge.pair.summed);
      bridge.pair.points = known(bridge.pair.between);
      bridge.pair.results = known(bridge.pair.result);
      if (bridge.pair.terms > 0 && bridge.pair.points > 0 && bridge.pair.results > 0 &&
          is_known(dims[bridge.first]) && is_known(dims[bridge.second])) {
        return bridge;
      }
    }
  }
#endif
  return {};
}

constexpr void assign_buffers(Chain& chain) {
  int last_use[max_slots]{};
  for (int s = 0; s < chain.steps; ++s) {
    last_use[chain.step[s].a] = s;
    if (chain.step[s].b >= 0) last_use[chain.step[s].b] = s;
  }
  // A bridge reads its tensor while it writes its result.
  if (chain.bridge.step >= 0) last_use[chain.bridge.tensor] = chain.bridge.last;
  int busy_until[max_steps]{};  // the step after which a buffer is free again
  for (int s = 0; s + 1 < chain.steps; ++s) {
    int buffer = 0;
    while (busy_until[buffer] >= s && buffer < chain.buffers) ++buffer;
    busy_until[buffer] = last_use[chain.inputs + s];
    chain.step[s].buffer = buffer;
    chain.buffers = buffer + 1 > chain.buffers ? buffer + 1 : chain.buffers;
  }
}

constexpr Chain make_chain(const Parsed& p, const Marks& marks, const LetterExtents& extents,
                           const Dims* dims = nullptr) {
  Chain chain{};
  chain.inputs = p.inputs;
  const auto fail = [&chain](ChainFault fault) {
    chain.fault = fault;
    return chain;
  };
  if (marks.count > max_functors) return fail(ChainFault::functors);
  if (marks.count > 0 && marks.before[0] == 0) return fail(ChainFault::first_functor);
  for (int i = 0; i < p.inputs; ++i) chain.slot[i] = p.input[i];
  int next = 0;
  int before = -1;
  for (int m = 0; m <= marks.count; ++m) {
    Section section{};
    const bool last = m == marks.count;
    section.output = last ? p.output : marks.labels[m];
    if (before >= 0) section.slot[section.count++] = before;
    const int end = last ? p.inputs : marks.before[m];
    while (next < end) section.slot[section.count++] = next++;
    LetterSet known = 0;
    for (int i = 0; i < section.count; ++i) known |= letters_of(chain.slot[section.slot[i]]);
    if ((letters_of(section.output) & ~known) != 0) {
      return fail(last ? ChainFault::output_letters : ChainFault::functor_letters);
    }
    before = append_section(chain, section, extents);
    if (chain.fault != ChainFault::none) return chain;
    if (!last) chain.step[chain.steps - 1].functor = m;
  }
  chain.bridge = find_bridge(chain, extents, dims);
  assign_buffers(chain);
  return chain;
}

constexpr void join_static(LetterExtents& extents, const Labels& labels, const Dims& dims) {
  for (int i = 0; i < labels.rank; ++i) {
    std::ptrdiff_t& extent = extents.extent[std::countr_zero(letter_bit(labels.letter[i]))];
    if (dims.extent[i] == dynamic) continue;
    extents.agree = extents.agree && (extent == dynamic || extent == dims.extent[i]);
    extent = dims.extent[i];
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
  for (; all != 0; all &= all - 1) {
    if (extents.extent[std::countr_zero(all)] == dynamic) extents.all_static = false;
  }
  return extents;
}

/// The lines of a chain all of whose steps multiply lines by a matrix, or data point by point: at
/// most so many for each value of an index, dimension `dimension` of input `input` (-1: there is
/// none).
struct ChainLines {
  bool all = false;
  int each = 0;
  int input = -1;
  int dimension = -1;
};

constexpr ChainLines find_lines(const Chain& chain, const LetterExtents& extents) {
  ChainLines lines{};
  const auto extent = [&](char letter) {
    return extents.extent[std::countr_zero(letter_bit(letter))];
  };
  // The only letter whose extent is not static.
  char index = '\0';
  for (int i = 0; i < chain.inputs; ++i) {
    for (int d = 0; d < chain.slot[i].rank; ++d) {
      const char letter = chain.slot[i].letter[d];
      if (extent(letter) != dynamic || letter == index) continue;
      if (index != '\0') return lines;
      index = letter;
      lines.input = i;
      lines.dimension = d;
    }
  }
  for (int s = 0; s < chain.steps; ++s) {
    const Step& step = chain.step[s];
    const Labels& result = chain.slot[chain.inputs + s];
    const bool in_bridge = s >= chain.bridge.step && s <= chain.bridge.last;
    char made = '\0';
    for (const int matrix : {step.a, step.b}) {
      const int tensor = matrix < 0 ? -1 : partner(step, matrix);
      if (tensor < 0 || matrix >= chain.inputs || chain.slot[matrix].rank != 2) continue;
      for (const char letter : {chain.slot[matrix].letter[0], chain.slot[matrix].letter[1]}) {
        if (result.has(letter) && !chain.slot[tensor].has(letter)) made = letter;
      }
    }
    if (made == '\0' && !in_bridge) return {};
    std::ptrdiff_t count = 1;
    for (int d = 0; d < result.rank && made != '\0'; ++d) {
      const char letter = result.letter[d];
      if (letter != made && letter != index) count *= extent(letter);
    }
    if (count > 4096) return {};
    if (count > lines.each) lines.each = static_cast<int>(count);
  }
  lines.all = chain.bridge.step >= 0;
  return lines;
}

/// The chain of a string on operands of these shapes, the output's last, with functors between
/// them.
template <Spec S, Marks M, Shape... Shapes>
struct ChainOf {
  static constexpr Parsed parsed = Parse<S>::value;
  static constexpr Dims dims[] = {dims_of(Shapes)...};
  static constexpr LetterExtents extents = static_extents(parsed, dims);
  static constexpr Chain value = make_chain(parsed, M, extents, dims);
  static constexpr ChainLines lines = find_lines(value, extents);
  static_assert(extents.agree,
                "KokkosContract: two operands have different static extents for one letter");
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

template <int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION const auto& slot_at(const First& first, const Rest&... rest) {
  if constexpr (I == 0) {
    return first;
  } else {
    return slot_at<I - 1>(rest...);
  }
}

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

/// Elements from one row of an intermediate to the next. On a GPU an odd number: workers that take
/// a row each find its elements in different banks of shared memory.
KOKKOS_FORCEINLINE_FUNCTION constexpr int row_pitch(int extent) {
#if defined(KOKKOS_ENABLE_CUDA)
  return extent | 1;
#else
  return extent;
#endif
}

/// The elements before the start of the next index outwards, where dimension i of so many has this
/// stride and extent.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t next_stride(int i, int rank,
                                                                 std::ptrdiff_t stride,
                                                                 int extent) {
  return i == rank - 1 && rank > 1 ? row_pitch(extent) : stride * extent;
}

template <Labels LA, Labels LB, Labels To, class A, class B, int... I>
constexpr auto intermediate_shape(std::integer_sequence<int, I...>) {
  Shape<To.rank> shape{};
  ((shape.extent[I] = pair_static_extent<LA, LB, To.letter[I], A, B>()), ...);
  std::ptrdiff_t stride = 1;
  for (int i = To.rank - 1; i >= 0; --i) {
    shape.stride[i] = stride;
    const bool known = stride != dynamic && shape.extent[i] != dynamic;
    stride = known ? next_stride(i, To.rank, stride, static_cast<int>(shape.extent[i])) : dynamic;
  }
  return shape;
}

/// The intermediate of a pair: a row-major array of labels To, without memory yet.
template <Labels LA, Labels LB, Labels To, class A, class B, int... I>
KOKKOS_FORCEINLINE_FUNCTION auto make_intermediate(const A& a, const B& b,
                                                   std::integer_sequence<int, I...> sequence) {
  using T = accumulator_t<std::remove_const_t<typename A::value_type>,
                          std::remove_const_t<typename B::value_type>>;
  constexpr auto shape = intermediate_shape<LA, LB, To, A, B>(sequence);
  constexpr int rank = To.rank;
  int extent[rank > 0 ? rank : 1]{};
  std::ptrdiff_t stride[rank > 0 ? rank : 1]{};
  ((extent[I] = pair_extent<LA, LB, To.letter[I]>(a, b)), ...);
  std::ptrdiff_t size = 1;
  KOKKOSCONTRACT_UNROLL
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = size;
    size = next_stride(i, rank, size, extent[i]);
  }
  return strided_t<T, shape>(nullptr, extent, stride);
}

KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

template <class A>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t bytes_of(const A& a) {
  std::ptrdiff_t elements = 1;
  KOKKOSCONTRACT_UNROLL
  for (int i = A::rank - 1; i >= 0; --i) elements = next_stride(i, A::rank, elements, a.extent(i));
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

/// The intermediate that step N makes, without memory yet.
template <const Chain& C, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION auto intermediate_of(const Slots&... slots) {
  constexpr int a = C.step[N].a;
  constexpr int to = C.inputs + N;
  return make_intermediate<C.slot[a], second_labels<C, N>, C.slot[to]>(
      slot_at<a>(slots...), second_operand<C, N>(slots...),
      std::make_integer_sequence<int, C.slot[to].rank>{});
}

/// The only dimension of an intermediate whose extent is dynamic; -1 if it has none, or another
/// number of them, or its last one.
template <int R>
constexpr int dynamic_dimension(const Shape<R>& shape) {
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
template <const Chain& C, class... Slots>
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
  static constexpr std::size_t bytes_of_one() {
    std::ptrdiff_t elements = 1;
    for (int i = A::rank - 1; i >= 0; --i) {
      const std::ptrdiff_t extent = A::shape.extent[i];
      elements =
          next_stride(i, A::rank, elements, extent == dynamic ? 1 : static_cast<int>(extent));
    }
    return static_cast<std::size_t>(elements) * sizeof(typename A::value_type);
  }
  static constexpr BytesPerIndex find() {
    BytesPerIndex all{};
    char letter = '\0';
    int number = 0;
    const auto visit = [&]<class A>() {
      if (number >= C.inputs) {
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
template <const Chain& C, int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION void add_sizes(BufferSizes& sizes, const First& first,
                                           const Rest&... rest) {
  if constexpr (I >= C.inputs) {
    constexpr int buffer = C.step[I - C.inputs].buffer;
    const std::size_t bytes = bytes_of(first);
    if (bytes > sizes.bytes[buffer]) sizes.bytes[buffer] = bytes;
  }
  if constexpr (sizeof...(Rest) > 0) add_sizes<C, I + 1>(sizes, rest...);
}

template <const Chain& C, int N, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION BufferSizes measure(const Slots&... slots) {
  if constexpr (N + 1 < C.steps) {
    return measure<C, N + 1>(slots..., intermediate_of<C, N>(slots...));
  } else {
    BufferSizes sizes{};
    constexpr auto each = BytesPerIndex<C, Slots...>::find();
    if constexpr (each.slot >= 0) {
      const auto count =
          static_cast<std::size_t>(slot_at<each.slot>(slots...).template extent<each.dimension>());
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < max_steps; ++i) sizes.bytes[i] = aligned_bytes(count * each.bytes[i]);
    } else {
      add_sizes<C, 0>(sizes, slots...);
    }
    return sizes;
  }
}

/// The functors of a chain, by number.
struct NoFunctors {};
template <class First, class Rest>
struct Functors {
  const First* first;
  Rest rest;
};

KOKKOS_FORCEINLINE_FUNCTION NoFunctors functors_of() { return {}; }
template <class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION auto functors_of(const First& first, const Rest&... rest) {
  const auto others = functors_of(rest...);
  if constexpr (is_pointwise<First>) {
    using F = std::remove_cvref_t<decltype(first.functor)>;
    return Functors<F, std::remove_const_t<decltype(others)>>{&first.functor, others};
  } else {
    return others;
  }
}

/// Functor number I, or with I < 0 that there is none.
template <int I, class F>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) functor_at(const F& functors) {
  if constexpr (I < 0) {
    return NoEpilogue{};
  } else if constexpr (I == 0) {
    return (*functors.first);
  } else {
    return functor_at<I - 1>(functors.rest);
  }
}

/// An intermediate in its buffer.
template <class Shaped>
KOKKOS_FORCEINLINE_FUNCTION Shaped placed(const Shaped& shaped, char* scratch,
                                          const BufferSizes& sizes, int buffer) {
  return Shaped(reinterpret_cast<typename Shaped::value_type*>(scratch + sizes.before(buffer)),
                shaped);
}

/// The bridge of a chain, for slots of which the first are the inputs.
template <const Chain& C>
struct BridgeOf {
  static constexpr Bridge at = C.bridge;
  static constexpr Labels between =
      C.slot[at.data >= 0 ? at.data : (at.step >= 0 ? C.inputs + at.step : 0)];
  static constexpr Labels data = at.data >= 0 ? C.slot[at.data >= 0 ? at.data : 0] : Labels{};
  static constexpr Labels of_functor = at.functor >= 0 ? C.slot[C.inputs + at.last - 1] : Labels{};
  template <class Acc>
  using Executor = LinePairExecutor<at.pair, between, Acc>;

  /// Whether the workers of a level take it: with numbers of one type that fit in registers.
  template <class L, class... Slots>
  static constexpr bool is_taken_with() {
    if constexpr (at.step < 0 || !may_pair_lines<L>) {
      return false;
    } else {
      using First =
          std::remove_const_t<typename std::tuple_element_t<0, std::tuple<Slots...>>::value_type>;
      constexpr bool same =
          (std::is_same_v<std::remove_const_t<typename Slots::value_type>, First> && ...);
      constexpr int registers = (static_cast<int>(sizeof(First)) + 3) / 4;
      constexpr int terms = at.pair.terms > at.pair.results ? at.pair.terms : at.pair.results;
      return same && !is_pack<First> && std::is_same_v<First, accumulator_t<First, First>> &&
             (terms + at.pair.points) * registers <= LinePlan::most_registers;
    }
  }

  template <Level L, class... Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION auto hold(const L& level, const Inputs&... inputs) {
    if constexpr (has_one_line_each<L> && is_taken_with<L, Inputs...>() && at.data >= 0) {
      using Acc =
          std::remove_const_t<typename std::tuple_element_t<0, std::tuple<Inputs...>>::value_type>;
      return Executor<Acc>::template hold<data>(level, slot_at<at.data>(inputs...));
    } else {
      return NoLine{};
    }
  }

  /// Whether the data have the extents of what they multiply.
  template <class T, class D, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION bool extents_agree(const T& tensor, const D& d,
                                                        std::integer_sequence<int, I...>) {
    constexpr Labels labels = C.slot[at.tensor];
    return (true && ... &&
            (data.letter[I] == at.pair.between ||
             tensor.extent(dimension_of(labels, data.letter[I])) == d.extent(I)));
  }

  template <Level L, class F, class Held, class R, class... Slots>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const L& level, const R& result, const F& functor,
                                             const Held& held, const Slots&... slots) {
    using Acc = typename R::value_type;
    constexpr int of_data = at.data >= 0 ? at.data : 0;
    const auto& tensor = slot_at<at.tensor>(slots...);
    const auto& d = slot_at<of_data>(slots...);
    if constexpr (at.data >= 0) {
      if (!extents_agree(tensor, d, std::make_integer_sequence<int, data.rank>{})) {
        return extents_disagree;
      }
    }
    Executor<Acc>::template run<C.slot[at.tensor], C.slot[at.first], data, C.slot[at.second],
                                C.slot[C.inputs + at.last], of_functor>(
        level, tensor, slot_at<at.first>(slots...), d, slot_at<at.second>(slots...), result,
        functor, held);
    return 0;
  }
};

template <const Chain& C, int N, Level L, class Alpha, class Beta, class Output, class Epilogue,
          class F, class Held, class... Slots>
KOKKOS_FORCEINLINE_FUNCTION int run_chain(const L& level, char* scratch, const BufferSizes& sizes,
                                          const Alpha& alpha, const Beta& beta,
                                          const Output& output, const Epilogue& epilogue,
                                          const F& functors, const Held& held,
                                          const Slots&... slots) {
  constexpr int a = C.step[N].a;
  constexpr bool two = C.step[N].b >= 0;
  constexpr Labels to = C.slot[C.inputs + N];
  const auto& x = slot_at<a>(slots...);
  const auto& y = second_operand<C, N>(slots...);
  if constexpr (N + 1 == C.steps) {
    return contract_labels<C.slot[a], second_labels<C, N>, to, two>(level, alpha, x, y, beta,
                                                                    output, epilogue);
  } else if constexpr (N == C.bridge.step && BridgeOf<C>::template is_taken_with<L, Slots...>()) {
    constexpr Bridge bridge = C.bridge;
    constexpr Labels result_labels = C.slot[C.inputs + bridge.last];
    const auto result =
        placed(make_intermediate<C.slot[bridge.tensor], C.slot[bridge.second], result_labels>(
                   slot_at<bridge.tensor>(slots...), slot_at<bridge.second>(slots...),
                   std::make_integer_sequence<int, result_labels.rank>{}),
               scratch, sizes, C.step[bridge.last].buffer);
    if (!is_zero(alpha)) {
      const int code =
          BridgeOf<C>::run(level, result, functor_at<bridge.functor>(functors), held, slots...);
      if (code != 0) return code;
    }
    // The slots of the results that are not made are not looked at.
    if constexpr (bridge.last == N + 1) {
      return run_chain<C, N + 2>(level, scratch, sizes, alpha, beta, output, epilogue, functors,
                                 held, slots..., x, result);
    } else {
      return run_chain<C, N + 3>(level, scratch, sizes, alpha, beta, output, epilogue, functors,
                                 held, slots..., x, x, result);
    }
  } else {
    const auto result = placed(intermediate_of<C, N>(slots...), scratch, sizes, C.step[N].buffer);
    if (!is_zero(alpha)) {
      const int code = contract_labels<C.slot[a], second_labels<C, N>, to, two>(
          level, Constant<1>{}, x, y, Constant<0>{}, result,
          functor_at<C.step[N].functor>(functors));
      if (code != 0) return code;
    }
    return run_chain<C, N + 1>(level, scratch, sizes, alpha, beta, output, epilogue, functors, held,
                               slots..., result);
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
  return measure<C, 0>(inputs...);
}

/// Bytes of the chain's buffers where all extents are static.
constexpr std::size_t static_scratch(const Chain& chain, const LetterExtents& extents,
                                     std::size_t element) {
  std::size_t buffer[max_steps]{};
  std::size_t total = 0;
  for (int s = 0; s + 1 < chain.steps; ++s) {
    const Labels& labels = chain.slot[chain.inputs + s];
    std::ptrdiff_t elements = 1;
    for (int i = labels.rank - 1; i >= 0; --i) {
      const int bit = std::countr_zero(letter_bit(labels.letter[i]));
      elements = next_stride(i, labels.rank, elements, static_cast<int>(extents.extent[bit]));
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

template <int Input, int Dimension, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int lines_index(const Inputs&... inputs) {
  if constexpr (Input < 0) {
    return 1;
  } else {
    return slot_at<Input>(inputs...).template extent<Dimension>();
  }
}

template <Spec S, Marks M, Level L, class MemoryOrNone, class Alpha, class Beta, class Output,
          class Epilogue, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int contract_chain(const L& level, const MemoryOrNone& scratch,
                                               const Alpha& alpha, const Beta& beta,
                                               const Output& output, const Epilogue& epilogue,
                                               const F& functors, const Inputs&... inputs) {
  using Of = ChainOf<S, M, Inputs::shape..., Output::shape>;
  if constexpr (Of::value.fault != ChainFault::none || !Of::extents.agree) {
    return extents_disagree;
  } else if constexpr (AnyScratch<MemoryOrNone>) {
    const auto run = [&](const auto& workers) KOKKOSCONTRACT_INLINE_LAMBDA {
      const auto held = BridgeOf<Of::value>::hold(workers, inputs...);
      const BufferSizes sizes = buffer_sizes<Of::value>(inputs...);
      char* memory = take_scratch(scratch, sizes.total());
      check(memory != nullptr,
            "KokkosContract: a contraction got less scratch than scratch_bytes()");
      if (memory == nullptr) return scratch_too_small;
      return run_chain<Of::value, 0>(workers, memory, sizes, alpha, beta, output, epilogue,
                                     functors, held, inputs...);
    };
    if constexpr (may_pair_lines<L> && Of::lines.all) {
      if (Of::lines.each * lines_index<Of::lines.input, Of::lines.dimension>(inputs...) <=
          level.size()) {
        return run(OneLineEach<L>{level});
      }
      return run(ManyLinesEach<L>{level});
    } else {
      return run(level);
    }
  } else {
    static_assert(
        is_single_worker<L>() && Of::extents.all_static,
        "KokkosContract: a contraction of more than two inputs, or with a pointwise functor, needs "
        "scratch memory as its first argument (after the member), unless it is Serial and all "
        "extents are static");
    if constexpr (is_single_worker<L>() && Of::extents.all_static) {
      using Widest = accumulator_t<std::remove_const_t<typename Inputs::value_type>...>;
      alignas(
          scratch_alignment) char memory[static_scratch(Of::value, Of::extents, sizeof(Widest))];
      return run_chain<Of::value, 0>(level, memory, buffer_sizes<Of::value>(inputs...), alpha, beta,
                                     output, epilogue, functors, NoLine{}, inputs...);
    } else {
      return scratch_too_small;
    }
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
  static constexpr int at(int n) {
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
  const auto functors = functors_of(arguments...);
  const auto run = [&](const auto& epilogue) KOKKOSCONTRACT_INLINE_LAMBDA {
    return contract_chain<S, marks>(level, scratch, slot_at<0>(arguments...),
                                    slot_at<n + 1>(arguments...),
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
constexpr bool is_contract_call() {
  constexpr int n = inputs_of<S> + functors_among<Arguments...>;
  int count = static_cast<int>(sizeof...(Arguments));
  if constexpr (n > 2 && sizeof...(Arguments) > 0) {
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

template <Spec S, Level L, class... Arguments>
  requires(inputs_of<S> > 2 && is_contract_call<S, Arguments...>())
KOKKOS_FORCEINLINE_FUNCTION int contract(const L& level, const Arguments&... arguments) {
  return contract_as_chain<S>(level, arguments...);
}

/// contract, and a readable error for a call of the wrong form.
template <Spec S, Level Lv, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int checked_contract(const Lv& level, const Arguments&... arguments) {
  if constexpr (!is_contract_call<S, Arguments...>()) {
    static_assert(
        Parse<S>::value.fault != Fault::none || always_false<Lv>,
        "KokkosContract: the arguments of a contraction are (alpha, one operand for each "
        "input of the string, beta, C) and perhaps an epilogue, with pointwise functors between "
        "the operands; more than two inputs need scratch memory before alpha");
    return extents_disagree;
  } else if constexpr (functors_among<Arguments...> > 0) {
    return contract_as_chain<S>(level, arguments...);
  } else {
    return Impl::contract<S>(level, arguments...);
  }
}

template <const Chain& C, class Among, class... Operands, int... I>
KOKKOS_FORCEINLINE_FUNCTION std::size_t chain_bytes(std::integer_sequence<int, I...>,
                                                    const Operands&... operands) {
  return buffer_sizes<C>(as_operand(slot_at<Among::at(I)>(operands...))...).total();
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

/// Scratch that a call needs, alignment included; 0 for one or two inputs without functors.
template <Spec S, class... Operands>
KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_bytes(const Operands&... operands) {
  constexpr int functors = functors_among<Operands...>;
  static_assert(sizeof...(Operands) == inputs_of<S> + 1 + functors,
                "KokkosContract: scratch_bytes takes the inputs and the output, with the pointwise "
                "functors between them");
  if constexpr (inputs_of<S> + functors > 2 || functors > 0) {
    using Among = InputsAmong<0, sizeof...(Operands), Operands...>;
    using Of = typename ChainOfOperands<S, Among, Operands...>::type;
    return chain_bytes<Of::value, Among>(std::make_integer_sequence<int, inputs_of<S>>{},
                                         operands...) +
           scratch_alignment;
  } else {
    return 0;
  }
}

template <Spec S>
struct ScratchQuery {
  /// Bytes of scratch that a call on these inputs and this output needs, with its pointwise
  /// functors between them, alignment included: 0 for one or two inputs without functors. For the
  /// host, to size a TeamPolicy; only the extents are looked at.
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
  /// The lines of a problem that the steps of more than two inputs take, for each value of the only
  /// dynamic index; 0 if there are other steps.
  template <class... Operands>
  static constexpr int lines_of_chain(const Operands&...) {
    using Among = InputsAmong<0, sizeof...(Operands), Operands...>;
    using Of = typename ChainOfOperands<S, Among, Operands...>::type;
    return Of::lines.all ? Of::lines.each : 0;
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
