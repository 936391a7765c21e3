// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_CHAIN_HPP
#define KOKKOSCONTRACT_CHAIN_CHAIN_HPP

// Compile-time plan for more than two inputs, or for functors between them: a chain of contractions
// of one or two operands.
//
//     sections   the operands between two functors; the result of a section is an input of the next
//     slots      the inputs, then the result of each step; the last step writes the output
//     order      least work, over all orders of a section, where all extents are static; otherwise
//                from left to right
//     buffers    intermediates whose lifetimes do not overlap share one
//     functors   are the epilogues of the last steps of their sections
//     kept       the result of a section may be in a tensor of the user instead of a buffer

#include <KokkosContract/Pointwise.hpp>
#include <KokkosContract/core/SlotAt.hpp>
#include <KokkosContract/operand/TakeScratch.hpp>
#include <KokkosContract/product/Contract.hpp>
#include <bit>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

// --- The type that a chain computes in ---

/// The element type of an operand or of a kept tensor. Other arguments have none.
template <class A>
consteval auto element_of() {
  if constexpr (is_pointwise<A>) {
    if constexpr (is_kept<decltype(A::functor)>) {
      return std::type_identity<value_t<typename decltype(A::functor)::KeptOperand>>{};
    } else {
      return std::type_identity<narrowest>{};
    }
  } else if constexpr (is_array<A>) {
    return std::type_identity<value_t<A>>{};
  } else {
    return std::type_identity<narrowest>{};
  }
}

/// The accumulator of all elements among the arguments of a chain. All sums are accumulated, and
/// all intermediates stored, in its real type, so no step is less accurate than another. Only
/// operands of complex numbers or packs make complex numbers or packs.
template <class... Arguments>
using chain_accumulator_t = accumulator_t<typename decltype(element_of<Arguments>())::type...>;

inline constexpr int max_functors = 4;
inline constexpr int max_steps = max_inputs + max_functors;
inline constexpr int max_slots = max_inputs + max_steps;

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

/// The positions and letters of the functors among the inputs.
struct Marks {
  int count = 0;
  int before[max_functors]{};  // number of inputs before each functor
  Labels labels[max_functors]{};
  bool kept[max_functors]{};
};

template <class A>
consteval void add_mark(Marks& marks, int& inputs) {
  if constexpr (is_pointwise<A>) {
    if (marks.count < max_functors) {
      marks.before[marks.count] = inputs;
      marks.labels[marks.count] = A::pointwise_labels;
      marks.kept[marks.count] = is_kept<decltype(A::functor)>;
    }
    ++marks.count;
  } else {
    ++inputs;
  }
}

/// The marks of a list of operands and functors, after `others` arguments that are neither.
template <class... Arguments>
consteval Marks marks_of(int others) {
  Marks marks{};
  int inputs = -others;
  (add_mark<Arguments>(marks, inputs), ...);
  return marks;
}

// --- The chain ---

/// The static extents of all letters; `dynamic` if an extent is not static.
struct LetterExtents {
  std::ptrdiff_t extent[52]{};
  bool all_static = true;
  ExtentClash clash{};

  consteval std::ptrdiff_t of(char letter) const {
    return extent[std::countr_zero(letter_bit(letter))];
  }
};

/// Contracts slot a with slot b (-1: a alone). The slot of the result follows those of the earlier
/// steps. The result is in a buffer (-1: it is the output, or kept), written through a functor (-1:
/// unchanged). Kept: in place of a functor there is the tensor that holds the result.
struct Step {
  int a = 0;
  int b = -1;
  int buffer = -1;
  int functor = -1;
  bool kept = false;
};

enum class ChainFault { none, functors, first_functor, functor_letters, output_letters, rank };

struct Chain {
  int inputs = 0;
  int steps = 0;
  int buffers = 0;
  Step step[max_steps]{};
  Labels slot[max_slots]{};
  ChainFault fault = ChainFault::none;
};

consteval double volume(LetterSet set, const LetterExtents& extents) {
  double v = 1;
  for (; set != 0; set &= set - 1) v *= static_cast<double>(extents.extent[std::countr_zero(set)]);
  return v;
}

/// The operands between two functors: slots that are contracted to the letters of `output`.
struct Section {
  int slot[max_inputs + 1]{};
  int count = 0;
  Labels output{};
};

/// The order in which the subsets of a section's slots are contracted. Each subset is one slot, or
/// two subsets, one of which is `part`.
struct Order {
  static constexpr int subsets = 1 << (max_inputs + 1);
  LetterSet letters[subsets]{};  // letters that a subset's product keeps
  unsigned part[subsets]{};
};

/// The letters of each subset that the output or another slot of the section has.
consteval void find_letters(const Chain& chain, const Section& section, Order& order) {
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

/// Finds the order of least work. Each subset of the slots is split into the two subsets with the
/// best orders. There are 3^n / 2 splits. Among equal splits, it takes the one that leaves the last
/// slots for the end.
consteval void find_order(const Section& section, const LetterExtents& extents, Order& order) {
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

/// Appends the steps that contract a subset of a section. Returns the slot of the result.
consteval int append_steps(Chain& chain, const Section& section, const Order& order, unsigned set) {
  if ((set & (set - 1)) == 0) return section.slot[std::countr_zero(set)];
  unsigned first = order.part[set];
  unsigned second = set & ~first;
  // The subset with more steps comes first, when no other intermediate exists yet.
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

/// Appends the steps of a section. Returns the slot of its result.
consteval int append_section(Chain& chain, const Section& section, const LetterExtents& extents) {
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

/// The slot that a step contracts with slot `slot`. It is -1 if there is none, or if the step does
/// not use `slot`.
consteval int partner(const Step& step, int slot) {
  if (step.a == slot) return step.b;
  return step.b == slot ? step.a : -1;
}

consteval void assign_buffers(Chain& chain) {
  int last_use[max_slots]{};
  for (int s = 0; s < chain.steps; ++s) {
    last_use[chain.step[s].a] = s;
    if (chain.step[s].b >= 0) last_use[chain.step[s].b] = s;
  }
  int busy_until[max_steps]{};  // the step after which a buffer is free again
  for (int s = 0; s + 1 < chain.steps; ++s) {
    if (chain.step[s].kept) continue;
    int buffer = 0;
    while (busy_until[buffer] >= s && buffer < chain.buffers) ++buffer;
    busy_until[buffer] = last_use[chain.inputs + s];
    chain.step[s].buffer = buffer;
    chain.buffers = buffer + 1 > chain.buffers ? buffer + 1 : chain.buffers;
  }
}

consteval Chain make_chain(const Parsed& p, const Marks& marks, const LetterExtents& extents) {
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
    if (!last) {
      chain.step[chain.steps - 1].functor = m;
      chain.step[chain.steps - 1].kept = marks.kept[m];
    }
  }
  assign_buffers(chain);
  return chain;
}

consteval void join_static(LetterExtents& extents, const Labels& labels, const Dims& dims) {
  for (int i = 0; i < labels.rank; ++i) {
    std::ptrdiff_t& extent = extents.extent[std::countr_zero(letter_bit(labels.letter[i]))];
    if (dims.extent[i] == dynamic) continue;
    if (extent != dynamic && extent != dims.extent[i] && extents.clash.none()) {
      extents.clash = {labels.letter[i], extent, dims.extent[i]};
    }
    extent = dims.extent[i];
  }
}

template <int N>
consteval LetterExtents static_extents(const Parsed& p, const Dims (&dims)[N]) {
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

// --- At run time slots and functors are lists, inputs first. ---

/// A list of references, accessed by index.
struct EmptyList {};
template <class First, class Rest>
struct List {
  const First* first;
  Rest rest;
};

template <int I, class L>
KOKKOS_FORCEINLINE_FUNCTION const auto& list_at(const L& list) {
  if constexpr (I == 0) {
    return *list.first;
  } else {
    return list_at<I - 1>(list.rest);
  }
}

KOKKOS_FORCEINLINE_FUNCTION EmptyList list_of() { return {}; }
template <class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION auto list_of(const First& first, const Rest&... rest) {
  const auto others = list_of(rest...);
  return List<First, std::remove_const_t<decltype(others)>>{&first, others};
}

/// The functors among some operands.
KOKKOS_FORCEINLINE_FUNCTION EmptyList functors_of() { return {}; }
template <class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION auto functors_of(const First& first, const Rest&... rest) {
  const auto others = functors_of(rest...);
  if constexpr (is_pointwise<First>) {
    using F = std::remove_cvref_t<decltype(first.functor)>;
    return List<F, std::remove_const_t<decltype(others)>>{&first.functor, others};
  } else {
    return others;
  }
}

/// Functor number I, or a marker for none if I < 0.
template <int I, class F>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) functor_at(const F& functors) {
  if constexpr (I < 0) {
    return NoEpilogue{};
  } else {
    return list_at<I>(functors);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
