// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_LINECHAIN_HPP
#define KOKKOSCONTRACT_CHAIN_LINECHAIN_HPP

// Chains of lines (LineVisits.hpp) on the teams of a GPU. Between visits the tensor is in one array
// of scratch memory. Its strides leave room for the longest line at each position, so a line is
// stored where it was read. No other worker uses that memory, so there is one barrier between two
// visits, and no second array. The strides are those with the fewest bank conflicts.

#include <KokkosContract/chain/LineVisits.hpp>
#include <KokkosContract/level/Stage.hpp>
#include <KokkosContract/product/Lines.hpp>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The levels whose workers take lines of chains: those of teams of a GPU. Other teams may take
/// lines, and do if the scratch memory is not enough for pairs.
template <class L>
inline constexpr bool is_collective = false;
template <TeamMember Member>
inline constexpr bool is_collective<TeamLevel<Member>> = true;
template <class L>
inline constexpr bool may_take_line_chains = false;
template <TeamMember Member>
inline constexpr bool is_collective<TeamVectorLevel<Member>> = true;
template <class L>
  requires(has_stage<L> && is_collective<L>)
inline constexpr bool may_take_line_chains<L> = true;

/// The line of a worker in a visit.
struct Line {
  unsigned number;
  int index[max_rank];
  int at;  // offset in scratch memory
  bool exists;
};

/// The line of an operand that a worker will need, loaded in advance.
template <class Acc, int N>
struct HeldLine {
  Acc element[N];
};
struct NoLine {};

/// Of is a ChainOf. Acc is the type of all operands.
template <class Of, class Acc>
struct LineChainExecutor {
  static constexpr Chain C = Of::value;
  static constexpr LineChain P = Of::lines;
  static constexpr LineArray A = line_array(P, static_cast<int>(sizeof(Acc)));
  static constexpr int rank = P.rank;
  static constexpr Labels output_labels = C.slot[C.inputs + C.steps - 1];
  using Positions = std::make_integer_sequence<int, rank>;

  /// The operation whose data are loaded first, because they are used after a barrier.
  static constexpr int held_op = [] {
    for (int o = 0; o < P.ops; ++o) {
      if (P.op[o].data >= 0) return o;
    }
    return -1;
  }();
  static consteval int visit_of(int o) {
    int v = 0;
    while (P.visit[v].last <= o) ++v;
    return v;
  }

  /// The extent of position I in visit V. It is 1 along the lines.
  template <int V, int I>
  static KOKKOS_FORCEINLINE_FUNCTION unsigned extent(int batch) {
    constexpr std::ptrdiff_t n = I == P.visit[V].position ? 1 : P.extents(V)[I];
    return static_cast<unsigned>(n == dynamic ? batch : static_cast<int>(n));
  }
  template <int V, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION unsigned lines(int batch, std::integer_sequence<int, I...>) {
    return (1U * ... * extent<V, I>(batch));
  }
  template <int V>
  static KOKKOS_FORCEINLINE_FUNCTION unsigned lines(int batch) {
    return lines<V>(batch, Positions{});
  }

  /// Line t: neighbouring workers have neighbouring lines.
  template <int V>
  static KOKKOS_FORCEINLINE_FUNCTION Line locate(unsigned t, int batch) {
    Line line{};
    line.number = t;
    line.exists = t < lines<V>(batch);
    constexpr int position = P.visit[V].position;
    for_digits<position == 0 ? 1 : 0, rank - 1>(
        t,
        [&]<int I>()
            KOKKOSCONTRACT_INLINE_LAMBDA { return I == position ? 1U : extent<V, I>(batch); },
        [&]<int I>(unsigned digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          if constexpr (I != position) {
            line.index[I] = static_cast<int>(digit);
            line.at += line.index[I] * static_cast<int>(A.stride[I]);
          }
        });
    return line;
  }

  /// The address of an operand's element at the beginning of the line, and its stride along the
  /// line. The letters are those before operation O.
  template <int V, int O, Labels L, class T, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION auto* begin_of(const T& a, const Line& line,
                                                    std::integer_sequence<int, I...>) {
    return a.data() +
           (std::ptrdiff_t{0} + ... + offset<V, P.position_of(O, L.letter[I]), I>(a, line));
  }
  template <int V, int Position, int I, class T>
  static KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t offset(const T& a, const Line& line) {
    if constexpr (Position == P.visit[V].position) {
      return 0;
    } else {
      return line.index[Position] * a.template stride<I>();
    }
  }
  template <int V, int O, Labels L, class T>
  static KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t step_of(const T& a) {
    constexpr int d = dimension_of(L, P.letter[O][P.visit[V].position]);
    if constexpr (d < 0) {
      return 0;
    } else {
      return a.template stride<d>();
    }
  }
  template <int V, int O, Labels L, class T, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void load(const T& a, const Line& line, Acc (&value)[N]) {
    const auto* from = begin_of<V, O, L>(a, line, std::make_integer_sequence<int, L.rank>{});
    const std::ptrdiff_t step = step_of<V, O, L>(a);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < N; ++i) value[i] = from[i * step];
  }

  template <int O, class M, int K, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void multiply(const M& matrix, const Line& line,
                                                   const Acc (&from)[K], Acc (&to)[N]) {
    constexpr Labels labels = C.slot[P.op[O].matrix];
    constexpr std::ptrdiff_t step_from = M::shape.stride[dimension_of(labels, P.op[O].from)];
    constexpr std::ptrdiff_t step_to = M::shape.stride[dimension_of(labels, P.op[O].to)];
    const auto* m = read_again<is_in_tile<M>>(matrix.data(), line.number, O);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int n = 0; n < N; ++n) to[n] = Acc(0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int k = 0; k < K; ++k) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int n = 0; n < N; ++n) {
        to[n] = multiply_add(
            to[n], convert<Acc>(read_element<is_in_tile<M>>(m + k * step_from + n * step_to)),
            from[k]);
      }
    }
  }

  template <int O, class F, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION Acc call(const F& functor, const Acc& value, const int* index,
                                              std::integer_sequence<int, I...>) {
    constexpr Labels labels = C.slot[C.inputs + O];
    return convert<Acc>(functor(value, index[P.position_of(O + 1, labels.letter[I])]...));
  }

  /// Keeps the result of operation O in `to`, converted to its type.
  template <int V, int O, class To, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void keep(const To& to, const Line& line, Acc (&value)[N]) {
    constexpr Labels labels = C.slot[C.inputs + O];
    auto* const first = begin_of<V, O + 1, labels>(to, line, Positions{});
    const std::ptrdiff_t step = step_of<V, O + 1, labels>(to);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < N; ++i) {
      const auto element = convert<typename To::value_type>(value[i]);
      first[i * step] = element;
      value[i] = convert<Acc>(element);
    }
  }

  /// Data that all visits need.
  template <class Output, class C_, class F, class Held, class Inputs>
  struct Context {
    Acc* array;
    const Output& output;
    const C_& c;
    const F& functors;
    const Held& held;
    const Inputs& inputs;

    template <int I>
    KOKKOS_FORCEINLINE_FUNCTION const auto& input() const {
      return list_at<I>(inputs);
    }
  };

  /// Runs operation O of visit V on the worker's registers, and the operations after it.
  template <int V, int O, class X, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void operate(const X& x, Line& line, Acc (&value)[N]) {
    constexpr LineOp op = P.op[O];
    if constexpr (op.matrix >= 0) {
      Acc result[op.results];
      multiply<O>(x.template input<op.matrix>(), line, value, result);
      finish<V, O>(x, line, result);
    } else {
      finish<V, O>(x, line, value);
    }
  }

  template <int V, int O, class X, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void finish(const X& x, Line& line, Acc (&value)[N]) {
    constexpr LineOp op = P.op[O];
    constexpr int position = P.visit[V].position;
    constexpr std::ptrdiff_t stride = A.stride[position];
    if constexpr (op.data >= 0) {
      if constexpr (O == held_op && !std::is_same_v<decltype(x.held), const NoLine&>) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int i = 0; i < N; ++i) value[i] = value[i] * x.held.element[i];
      } else {
        Acc element[N];
        load<V, O, C.slot[op.data]>(x.template input<op.data>(), line, element);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int i = 0; i < N; ++i) value[i] = value[i] * element[i];
      }
    }
    if constexpr (op.kept) {
      keep<V, O>(list_at<op.functor>(x.functors).operand, line, value);
    } else if constexpr (op.functor >= 0) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < N; ++i) {
        line.index[position] = i;
        value[i] = call<O>(list_at<op.functor>(x.functors), value[i], line.index, Positions{});
      }
    }
    if constexpr (O + 1 < P.visit[V].last) {
      operate<V, O + 1>(x, line, value);
    } else if constexpr (V + 1 < P.visits) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < N; ++i) x.array[line.at + i * stride] = value[i];
    } else {
      store(x, line, value);
    }
  }

  template <class X, int N>
  static KOKKOS_FORCEINLINE_FUNCTION void store(const X& x, Line& line, const Acc (&value)[N]) {
    constexpr int V = P.visits - 1;
    constexpr int position = P.visit[V].position;
    auto* to = begin_of<V, P.ops, output_labels>(x.c, line, Positions{});
    const std::ptrdiff_t step = step_of<V, P.ops, output_labels>(x.c);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int i = 0; i < N; ++i) {
      line.index[position] = i;
      x.output.template put<1, true, true, 0, -1>(to + i * step, 1, to_register(value[i]), 1,
                                                  line.index);
    }
  }

  template <int V, class X>
  static KOKKOS_FORCEINLINE_FUNCTION void take_line(const X& x, Line line) {
    constexpr int terms = P.terms(V);
    constexpr std::ptrdiff_t stride = A.stride[P.visit[V].position];
    Acc value[terms];
    if constexpr (V == 0) {
      load<0, 0, C.slot[P.tensor]>(x.template input<P.tensor>(), line, value);
    } else {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < terms; ++i) value[i] = x.array[line.at + i * stride];
    }
    operate<V, P.visit[V].first>(x, line, value);
  }

  /// Runs a visit in which no worker has more than one line.
  template <int V, Level L, class X>
  static KOKKOS_FORCEINLINE_FUNCTION void visit_once(const L& level, const X& x,
                                                     const Line* lines) {
    if constexpr (V < P.visits) {
      if (lines[V].exists) take_line<V>(x, lines[V]);
      level.barrier();
      visit_once<V + 1>(level, x, lines);
    }
  }
  template <int V, Level L, class X>
  static KOKKOS_FORCEINLINE_FUNCTION void visit_often(const L& level, const X& x, int batch) {
    if constexpr (V < P.visits) {
      const unsigned count = lines<V>(batch);
      KOKKOSCONTRACT_NO_UNROLL
      for (auto t = static_cast<unsigned>(level.rank()); t < count;
           t += static_cast<unsigned>(level.size())) {
        take_line<V>(x, locate<V>(t, batch));
      }
      level.barrier();
      visit_often<V + 1>(level, x, batch);
    }
  }

  template <int... V>
  static KOKKOS_FORCEINLINE_FUNCTION void locate_all(Line* lines, unsigned t, int batch,
                                                     std::integer_sequence<int, V...>) {
    ((lines[V] = locate<V>(t, batch)), ...);
  }

  template <class Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION auto hold(const Line* lines, const Inputs& inputs) {
    if constexpr (held_op < 0) {
      return NoLine{};
    } else {
      constexpr int o = held_op < 0 ? 0 : held_op;
      constexpr int V = visit_of(o);
      constexpr int data = P.op[o].data;
      constexpr int n = static_cast<int>(P.extent[o][P.visit[V].position]);
      HeldLine<Acc, n> held;
      // The registers are set in all workers. Otherwise a compiler would keep them for longer than
      // needed.
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int i = 0; i < n; ++i) held.element[i] = Acc(0);
      if (lines[V].exists) {
        load<V, o, C.slot[data]>(list_at<data>(inputs), lines[V], held.element);
      }
      return held;
    }
  }

  /// Runs the chain. output.put stores the sums; there are none if alpha is zero.
  template <Level L, class Output, class C_, class F, class Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION void run(const L& level, Acc* array, const Output& output,
                                              bool multiplies, const C_& c, const F& functors,
                                              int batch, const Inputs& inputs) {
    if (!multiplies) {
      constexpr int last = P.visits - 1;
      const NoLine none{};
      const Context<Output, C_, F, NoLine, Inputs> x{array, output, c, functors, none, inputs};
      const unsigned count = lines<last>(batch);
      for (auto t = static_cast<unsigned>(level.rank()); t < count;
           t += static_cast<unsigned>(level.size())) {
        Acc value[P.results(last)]{};
        Line line = locate<last>(t, batch);
        store(x, line, value);
      }
      level.barrier();
    } else if (P.lines * batch <= level.size()) {
      // All addresses are computed before the first barrier, and the first loads of this worker are
      // in flight together.
      Line lines[P.visits];
      locate_all(lines, static_cast<unsigned>(level.rank()), batch,
                 std::make_integer_sequence<int, P.visits>{});
      const auto held = hold(lines, inputs);
      const Context<Output, C_, F, std::remove_const_t<decltype(held)>, Inputs> x{
          array, output, c, functors, held, inputs};
      visit_once<0>(level, x, lines);
    } else {
      const NoLine none{};
      const Context<Output, C_, F, NoLine, Inputs> x{array, output, c, functors, none, inputs};
      visit_often<0>(level, x, batch);
    }
  }
};

/// The lines of a ChainOf on operands of these types, the output's last. Acc is the accumulator of
/// all elements, those of kept tensors included.
template <class Of, class Acc, class... Operands>
struct LinesOf {
  static constexpr LineChain P = Of::lines;

  /// Whether all elements have one type and the lines fit in registers.
  static consteval bool fits() {
    constexpr bool same =
        (std::is_same_v<std::remove_const_t<typename Operands::value_type>, Acc> && ...);
    if constexpr (!P.possible || !same || is_pack<Acc>) {
      return false;
    } else {
      constexpr int registers = (static_cast<int>(sizeof(Acc)) + 3) / 4;
      int most = 0;
      for (int o = 0; o < P.ops; ++o) {
        const int n = P.op[o].terms + P.op[o].results;
        most = n > most ? n : most;
      }
      return most * registers <= most_registers_of_lines;
    }
  }
  static constexpr bool possible = fits();

  template <class... Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION int batch(const Inputs&... inputs) {
    if constexpr (P.has_batch()) {
      constexpr int d = dimension_of(Of::value.slot[P.tensor], P.letter[0][0]);
      return slot_at<P.tensor>(inputs...).template extent<d>();
    } else {
      return 1;
    }
  }

  /// Bytes of scratch memory.
  template <class... Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION std::size_t bytes(const Inputs&... inputs) {
    constexpr LineArray array = line_array(P, static_cast<int>(sizeof(Acc)));
    constexpr auto each = static_cast<std::size_t>(array.size) * sizeof(Acc);
    const std::size_t all = each * static_cast<std::size_t>(batch(inputs...));
    return (all + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  }

  template <char Letter, int I, class A>
  static KOKKOS_FORCEINLINE_FUNCTION bool has_extent(const A& a, int batch) {
    constexpr std::ptrdiff_t n = Of::extents.of(Letter);
    return A::shape.extent[I] != dynamic ||
           a.template extent<I>() == (n == dynamic ? batch : static_cast<int>(n));
  }
  template <Labels L, class A, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION bool has_extents(const A& a, int batch,
                                                      std::integer_sequence<int, I...>) {
    return (true && ... && has_extent<L.letter[I], I>(a, batch));
  }
  template <int... I, class Output, class... Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION bool extents_agree(int batch, const Output& output,
                                                        std::integer_sequence<int, I...>,
                                                        const Inputs&... inputs) {
    return has_extents<output_labels>(output, batch, std::make_integer_sequence<int, P.rank>{}) &&
           (true && ... &&
            has_extents<Of::value.slot[I]>(
                inputs, batch, std::make_integer_sequence<int, Of::value.slot[I].rank>{}));
  }

  static constexpr Labels output_labels = Of::value.slot[Of::value.inputs + Of::value.steps - 1];
  template <int... D>
  static consteval auto positions_of_output(std::integer_sequence<int, D...>) {
    return std::integer_sequence<int, P.position_of(P.ops, output_labels.letter[D])...>{};
  }

  template <Level L, class U, class F, class... Inputs>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const L& level, char* memory, const U& update,
                                             const F& functors, const Inputs&... inputs) {
    const auto& output = update.output;
    const int elements = batch(inputs...);
    if (!extents_agree(elements, output, std::make_integer_sequence<int, sizeof...(Inputs)>{},
                       inputs...)) {
      return extents_disagree;
    }
    if (static_cast<std::ptrdiff_t>(P.lines) * elements > most_extent) return extent_too_large;
    const int fault = fault_of_factors<Acc, typename U::Output>(update.alpha, update.beta);
    if (fault != 0) return fault;
    const auto to =
        output_of<Acc>(update, positions_of_output(std::make_integer_sequence<int, P.rank>{}));
    LineChainExecutor<Of, Acc>::run(level, reinterpret_cast<Acc*>(memory), to, needs_sums(to),
                                    output, functors, elements, list_of(inputs...));
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
