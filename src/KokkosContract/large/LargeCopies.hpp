// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LARGE_LARGECOPIES_HPP
#define KOKKOSCONTRACT_LARGE_LARGECOPIES_HPP

// Large products whose inputs have their unit strides along two different indices of the sum. A
// tile that reads such inputs without a copy touches a cache line for each element of one of them.
// It takes 1.2 to 1.4 times as long. So one input is copied first, with the other's index as its
// fastest, or both are copied as matrices. Copies that take much memory are made in parts.

#include <KokkosContract/large/LargeContract.hpp>
#include <KokkosContract/large/LargeTranspose.hpp>
#include <exception>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {
namespace Large {

/// The letter along which an input has neighbours, or '\0' if it is not known.
template <class Shape>
constexpr char letter_of_neighbours(const Labels& labels, const Shape& shape) {
  for (int i = 0; i < labels.rank; ++i) {
    if (shape.stride[i] == 1 && shape.extent[i] != 1) return labels.letter[i];
  }
  return '\0';
}

/// Whether inputs of these types may have to be copied.
template <class A, class B>
consteval bool may_copy(const Parsed& p) {
  if (slice_kind<A>(p.input[0], p.output) == SliceKind::by_positions ||
      slice_kind<B>(p.input[1], p.output) == SliceKind::by_positions) {
    return false;
  }
  const char of_a = letter_of_neighbours(p.input[0], A::shape);
  return of_a == '\0' || of_a != letter_of_neighbours(p.input[1], B::shape);
}

/// An input that is copied, in parts along one of its dimensions or as a whole.
struct InputCopy {
  Labels labels;
  Dims from;
  bool wanted = false;
  char order[max_rank]{};  // the copy's letters, the fastest first
  int letters = 0;
  int cut = -1;  // the dimension of the parts; -1: none
  std::ptrdiff_t pieces = 1;

  InputCopy(const Labels& of, const Dims& dims) : labels(of), from(dims) {}

  double elements() const {
    double n = 1;
    for (int i = 0; i < from.rank; ++i) n *= static_cast<double>(from.extent[i]);
    return n;
  }
  std::size_t elements_of_piece() const {
    return static_cast<std::size_t>(elements() / static_cast<double>(end()) *
                                    static_cast<double>((end() + pieces - 1) / pieces));
  }
  std::ptrdiff_t begin_of(std::ptrdiff_t piece) const { return end() * piece / pieces; }
  /// The shape of a part in the input, and of its copy.
  Dims piece_of(std::ptrdiff_t extent) const {
    Dims dims = from;
    if (cut >= 0) dims.extent[cut] = extent;
    return dims;
  }
  Dims copy_of(std::ptrdiff_t extent) const {
    Dims dims = piece_of(extent);
    std::ptrdiff_t stride = 1;
    for (int i = 0; i < letters; ++i) {
      const int d = dimension_of(labels, order[i]);
      dims.stride[d] = stride;
      stride *= dims.extent[d];
    }
    return dims;
  }

  /// Appends letters to the order: those that an operand also has and that f accepts, sorted by
  /// their strides in that operand.
  template <class F>
  KOKKOSCONTRACT_COLD_CODE void add(const Labels& of, const Dims& dims, const F& f) {
    int sorted[max_rank]{};
    for (int i = 0; i < of.rank; ++i) {
      int to = i;
      for (; to > 0 && dims.stride[sorted[to - 1]] > dims.stride[i]; --to) {
        sorted[to] = sorted[to - 1];
      }
      sorted[to] = i;
    }
    for (int i = 0; i < of.rank; ++i) {
      const char letter = of.letter[sorted[i]];
      const bool is_new = std::find(order, order + letters, letter) == order + letters;
      if (labels.has(letter) && is_new && f(letter)) order[letters++] = letter;
    }
  }
  /// Cuts the input into parts of at most `most` elements, along an index of C that only this input
  /// has. Returns false if that is not possible, or if it cannot be copied by squares.
  KOKKOSCONTRACT_COLD_CODE bool fit(double most, const Labels& other, const Labels& output) {
    if (elements() > most) {
      for (int i = 0; i < labels.rank; ++i) {
        const bool is_own = output.has(labels.letter[i]) && !other.has(labels.letter[i]);
        if (is_own && (cut < 0 || from.stride[i] > from.stride[cut])) cut = i;
      }
      pieces = static_cast<std::ptrdiff_t>(std::ceil(elements() / most));
      if (cut < 0 || pieces > end()) return false;
      while (static_cast<double>(elements_of_piece()) > most) {
        if (++pieces > end()) return false;
      }
    }
    const std::ptrdiff_t shortest = end() / pieces;
    return Transposition<double>().cut(
        modes_of_copy(labels, piece_of(shortest), labels, copy_of(shortest)));
  }

 private:
  std::ptrdiff_t end() const { return cut >= 0 ? from.extent[cut] : 1; }
};

struct InputCopies {
  InputCopy a, b;
};

/// The inputs to copy, and the orders of the copies, on a GPU with this number of SMs. The product
/// takes `cycles` cycles. Measured factors multiply them for each layout of the inputs.
template <class Types>
KOKKOSCONTRACT_COLD_CODE InputCopies copies_for(double processors, const LargeCall<Types>& call,
                                                double cycles, const CopyCosts& costs) {
  using T = typename Types::Input;
  const Labels& output = call.parsed.output;
  const InputCopies none{{call.parsed.input[0], call.of_a}, {call.parsed.input[1], call.of_b}};
  const InputCopy& a = none.a;
  const InputCopy& b = none.b;
  const char of_a = letter_of_neighbours(a.labels, a.from);
  const char of_b = letter_of_neighbours(b.labels, b.from);
  const auto is_summed = [&](char letter) {
    return a.labels.has(letter) && b.labels.has(letter) && !output.has(letter);
  };
  const auto has_diagonal = [](const Labels& of) {
    return std::any_of(of.letter, of.letter + of.rank, [&](char c) { return of.count(c) > 1; });
  };
  if (of_a == of_b || !is_summed(of_a) || !is_summed(of_b) || has_diagonal(a.labels) ||
      has_diagonal(b.labels)) {
    return none;
  }

  const auto cycles_of = [&](const InputCopy& x) {
    const double bytes = 2 * x.elements() * sizeof(T);
    return bytes / (costs.bytes_of_cycle * processors) + costs.cycles_of_launch;
  };
  const double most = costs.most_bytes / sizeof(T);
  const auto any = [](char) { return true; };

  // One copy: the smaller input, with the unit stride of the other.
  InputCopies one = none;
  const bool is_a = a.elements() < b.elements();
  InputCopy& smaller = is_a ? one.a : one.b;
  smaller.wanted = true;
  smaller.add(smaller.labels, smaller.from, [&](char c) { return c == (is_a ? of_b : of_a); });
  smaller.add(smaller.labels, smaller.from, any);
  // Copies of both inputs, as matrices. The order is: first the letters of C that only one input
  // has, in C's order; then terms, in the same order in both inputs; then problems.
  InputCopies both = none;
  for (InputCopy* x : {&both.a, &both.b}) {
    x->wanted = true;
    x->add(output, call.of_c, [&](char c) { return !a.labels.has(c) || !b.labels.has(c); });
    x->add(a.labels, a.from, [&](char c) { return !output.has(c); });
    x->add(b.labels, b.from, [&](char c) { return !output.has(c); });
    x->add(output, call.of_c, any);
  }

  const double with_none = cycles_by_layout.two_letters * cycles;
  const double with_one = cycles_by_layout.one_letter * cycles + cycles_of(smaller);
  const double with_both = cycles_by_layout.matrices * cycles + cycles_of(a) + cycles_of(b);
  if (with_both < std::min(with_one, with_none) && both.a.fit(most / 2, b.labels, output) &&
      both.b.fit(most / 2, a.labels, output)) {
    return both;
  }
  if (with_one < with_none && smaller.fit(most, (is_a ? b : a).labels, output)) return one;
  return none;
}

/// Runs a call part by part.
template <SliceKind KindA, SliceKind KindB, class Types, class Launch>
void run_with_copies(double processors, const LargeCall<Types>& call, const InputCopies& copies,
                     bool y_by_positions, typename Types::Input* memory, const Launch& launch) {
  using T = typename Types::Input;
  // Replaces an input, and its indices of C, by one part.
  const auto take = [&](LargeCall<Types>& part, const InputCopy& input, std::ptrdiff_t piece,
                        const T*& data, Dims& dims, T* copy, bool is_there) {
    const std::ptrdiff_t begin = input.begin_of(piece);
    const std::ptrdiff_t extent = input.begin_of(piece + 1) - begin;
    if (input.cut >= 0) {
      const int of_c = dimension_of(call.parsed.output, input.labels.letter[input.cut]);
      data += begin * dims.stride[input.cut];
      part.c += begin * part.of_c.stride[of_c];
      part.of_c.extent[of_c] = extent;
    }
    dims = input.piece_of(extent);
    if (!input.wanted) return;
    if (!is_there) {
      Transposition<T> squares;
      squares.cut(modes_of_copy(input.labels, dims, input.labels, input.copy_of(extent)));
      squares.a = data;
      squares.c = copy;
      squares.alpha = T(1);
      launch.transpose(squares);
    }
    data = copy;
    dims = input.copy_of(extent);
  };
  for (std::ptrdiff_t i = 0; i < copies.a.pieces; ++i) {
    LargeCall<Types> of_a = call;
    take(of_a, copies.a, i, of_a.a, of_a.of_a, memory, false);
    T* const behind = memory + (copies.a.wanted ? copies.a.elements_of_piece() : 0);
    for (std::ptrdiff_t j = 0; j < copies.b.pieces; ++j) {
      LargeCall<Types> part = of_a;
      take(part, copies.b, j, part.b, part.of_b, behind, i > 0 && copies.b.pieces == 1);
      run_planned<KindA, KindB>(part, plan_of(processors, part, KindA, KindB, y_by_positions),
                                launch);
    }
  }
}

/// Kernels of a GPU.
template <class Space, class Types>
struct DeviceLaunch {
  using T = typename Types::Input;

  const Space& exec;
  CopyCosts costs;

  template <int S, bool X, bool Y>
  void operator()(const FlatProduct<Types>& product, int splits, Number<S>, std::bool_constant<X>,
                  std::bool_constant<Y>) const {
    using Level = TeamLevel<typename Kokkos::TeamPolicy<Space>::member_type>;
    launch<KernelOf<Level, Types, S, X, Y>, shape<Types>[S].teams>(exec, product, splits);
  }
  void transpose(const Transposition<T>& squares) const { launch_transposition(exec, squares); }
  /// Returns false if the memory cannot be allocated.
  template <class F>
  bool with_memory(std::size_t elements, const F& f) const {
    using Memory = KeptMemory<Space, MemoryUse::copies>;
    bool exists = false;
    try {
      Memory::with(exec, elements * sizeof(T), [&](char* memory) {
        exists = true;
        f(reinterpret_cast<T*>(memory));
      });
    } catch (const std::exception&) {
      if (exists) throw;
    }
    return exists;
  }
};

}  // namespace Large

/// Runs C = alpha A B + beta C by tiles, as in `plan`, and perhaps with copies of inputs. Launch
/// runs products and transpositions, and gives the costs of copies.
template <SliceKind KindA, SliceKind KindB, bool MayCopy, class Types, class Launch>
void run_by_tiles(double processors, const LargeCall<Types>& call, const Large::Plan& plan,
                  bool y_by_positions, const Launch& launch) {
  if constexpr (MayCopy) {
    const Large::InputCopies copies =
        Large::copies_for(processors, call, plan.cut.cycles, launch.costs);
    std::size_t elements = 0;
    for (const Large::InputCopy* x : {&copies.a, &copies.b}) {
      elements += x->wanted ? x->elements_of_piece() : 0;
    }
    const bool all = copies.a.wanted && copies.b.wanted;
    // Copies of both inputs have their unit strides along rows and columns.
    constexpr auto kind_of_copy = [](SliceKind kind) {
      return kind == SliceKind::by_terms ? SliceKind::by_positions : kind;
    };
    const auto run = [&](typename Types::Input* memory) {
      if (all) {
        Large::run_with_copies<kind_of_copy(KindA), kind_of_copy(KindB)>(
            processors, call, copies, y_by_positions, memory, launch);
      } else {
        Large::run_with_copies<KindA, KindB>(processors, call, copies, y_by_positions, memory,
                                             launch);
      }
    };
    if (elements > 0 && launch.with_memory(elements, run)) return;
  }
  Large::run_planned<KindA, KindB>(call, plan, launch);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
