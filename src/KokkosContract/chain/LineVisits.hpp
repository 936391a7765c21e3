// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CHAIN_LINEVISITS_HPP
#define KOKKOSCONTRACT_CHAIN_LINEVISITS_HPP

// Compile-time analysis of chains whose steps multiply one index of a tensor after another by small
// matrices. Data or functors may be applied to the results point by point, as in a sum
// factorisation, "eabc,yb,zc,xa,exyz,xi,..".
//
//     position  of an index: a matrix replaces one letter by another at this position
//     visit     consecutive steps at one position: a worker takes a line of the tensor, runs all of
//               them in registers, and stores the whole line of the result

#include <KokkosContract/chain/Chain.hpp>
#include <KokkosContract/operand/LineArray.hpp>
#include <KokkosContract/product/Lines.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A step: the tensor times a matrix (-1: none) that replaces letter `from` by `to`, times data
/// (-1: none). The result then passes through a functor (-1: none), or is kept in a tensor in place
/// of the functor.
struct LineOp {
  int matrix = -1;
  char from = '\0';
  char to = '\0';
  int terms = 0;
  int results = 0;
  int data = -1;
  int functor = -1;
  bool kept = false;
};

/// Operations [first, last).
struct LineVisit {
  int position = -1;
  int first = 0;
  int last = 0;
};

struct LineChain {
  bool possible = false;
  int tensor = 0;  // slot of the first tensor
  int rank = 0;
  int ops = 0;
  LineOp op[max_steps]{};
  int visits = 0;
  LineVisit visit[max_steps]{};
  // Letters and extents of the tensor before each operation, by position. The first extent may be
  // dynamic, and the last index varies fastest in memory.
  char letter[max_steps + 1][max_rank]{};
  std::ptrdiff_t extent[max_steps + 1][max_rank]{};
  int lines = 0;  // most lines of a visit, for each value of a dynamic index

  consteval bool has_batch() const { return extent[0][0] == dynamic; }
  /// Extents of the lines of a visit.
  consteval const std::ptrdiff_t* extents(int v) const { return extent[visit[v].first]; }
  consteval int terms(int v) const { return static_cast<int>(extents(v)[visit[v].position]); }
  consteval int results(int v) const {
    return static_cast<int>(extent[visit[v].last][visit[v].position]);
  }
  /// The position of a letter before operation `o`, or -1.
  consteval int position_of(int o, char c) const {
    for (int p = 0; p < rank; ++p) {
      if (letter[o][p] == c) return p;
    }
    return -1;
  }
  /// Whether the labels are letters before operation `o`, all or some of them.
  consteval bool covers(int o, const Labels& labels) const {
    if (labels.conjugate) return false;
    for (int i = 0; i < labels.rank; ++i) {
      if (position_of(o, labels.letter[i]) < 0) return false;
      for (int k = 0; k < i; ++k) {
        if (labels.letter[i] == labels.letter[k]) return false;
      }
    }
    return true;
  }
};

/// Adds an operation with a matrix of these letters, if they are those of a matrix.
consteval bool set_matrix(LineChain& chain, int o, const Labels& matrix, const Labels& result) {
  if (matrix.rank != 2 || matrix.conjugate) return false;
  for (int i = 0; i < 2; ++i) {
    const char from = matrix.letter[i];
    const char to = matrix.letter[1 - i];
    if (chain.position_of(o, from) >= 0 && !result.has(from) && chain.position_of(o, to) < 0 &&
        result.has(to)) {
      chain.op[o].from = from;
      chain.op[o].to = to;
      return true;
    }
  }
  return false;
}

/// Adds operation `o` to the last visit, or to a new one.
consteval void add_to_visit(LineChain& chain, int o, int position) {
  const bool other = chain.visits > 0 && position >= 0 &&
                     chain.visit[chain.visits - 1].position >= 0 &&
                     chain.visit[chain.visits - 1].position != position;
  if (chain.visits == 0 || other) chain.visit[chain.visits++] = {-1, o, o};
  LineVisit& visit = chain.visit[chain.visits - 1];
  if (position >= 0) visit.position = position;
  visit.last = o + 1;
}

/// Begins a chain of lines with the letters and extents of its first tensor, slot `tensor`. Returns
/// false if a line cannot have them.
consteval bool begin_lines(LineChain& lines, const Chain& chain, const LetterExtents& extents,
                           const Dims* dims, int tensor) {
  const Labels& labels = chain.slot[tensor];
  lines.tensor = tensor;
  lines.rank = labels.rank;
  lines.ops = chain.steps;
  const bool reversed = is_column_major(dims[tensor]);
  for (int p = 0; p < lines.rank; ++p) {
    const char c = labels.letter[reversed ? lines.rank - 1 - p : p];
    lines.letter[0][p] = c;
    lines.extent[0][p] = extents.of(c);
    if (p > 0 && extents.of(c) == dynamic) return false;
  }
  return lines.rank >= 2 && lines.covers(0, labels);
}

/// Sets the extents of operation `o`, whose matrix has these dimensions. Returns false if they are
/// not static, or if a line does not fit into registers.
consteval bool set_extents(LineChain& lines, int o, const LetterExtents& extents,
                           const Dims& matrix) {
  LineOp& op = lines.op[o];
  const std::ptrdiff_t terms = extents.of(op.from);
  const std::ptrdiff_t results = extents.of(op.to);
  if (terms == dynamic || results == dynamic || matrix.stride[0] == dynamic ||
      matrix.stride[1] == dynamic || terms < 2 || terms + results > most_registers_of_lines) {
    return false;
  }
  op.terms = static_cast<int>(terms);
  op.results = static_cast<int>(results);
  return true;
}

/// Adds step `o` of the chain, one of whose inputs is slot `current`. Returns false if it is no
/// step of lines.
consteval bool add_step(LineChain& lines, const Chain& chain, const LetterExtents& extents,
                        const Dims* dims, int o, int current) {
  const Step& step = chain.step[o];
  const Labels& result = chain.slot[chain.inputs + o];
  if (step.a != current && step.b != current) return false;
  const int other = step.a == current ? step.b : step.a;
  if (other >= chain.inputs || result.rank != lines.rank) return false;
  LineOp& op = lines.op[o];
  op.functor = step.functor;
  op.kept = step.kept;
  for (int p = 0; p < lines.rank; ++p) {
    lines.letter[o + 1][p] = lines.letter[o][p];
    lines.extent[o + 1][p] = lines.extent[o][p];
  }
  int position = -1;
  if (other >= 0 && set_matrix(lines, o, chain.slot[other], result)) {
    if (!set_extents(lines, o, extents, dims[other])) return false;
    op.matrix = other;
    position = lines.position_of(o, op.from);
    lines.letter[o + 1][position] = op.to;
    lines.extent[o + 1][position] = op.results;
  } else if (other >= 0) {
    if (!lines.covers(o, chain.slot[other])) return false;
    op.data = other;
  }
  add_to_visit(lines, o, position);
  return lines.covers(o + 1, result);
}

/// Counts the lines of each visit. Returns false if a visit has lines for only a few workers, or no
/// matrix.
consteval bool count_lines(LineChain& lines) {
  for (int v = 0; v < lines.visits; ++v) {
    if (lines.visit[v].position < 0) return false;
    std::ptrdiff_t count = 1;
    for (int p = 0; p < lines.rank; ++p) {
      const std::ptrdiff_t n = lines.extents(v)[p];
      if (p != lines.visit[v].position && n != dynamic) count *= n;
    }
    if (count > 4096 || (!lines.has_batch() && count < lines.terms(v) + lines.results(v))) {
      return false;
    }
    if (count > lines.lines) lines.lines = static_cast<int>(count);
  }
  return lines.visits > 0;
}

/// Follows the chain with slot `tensor` as the first tensor.
consteval LineChain follow_lines(const Chain& chain, const LetterExtents& extents, const Dims* dims,
                                 int tensor) {
  LineChain lines{};
  if (!begin_lines(lines, chain, extents, dims, tensor)) return {};
  int current = tensor;
  for (int o = 0; o < chain.steps; ++o) {
    if (!add_step(lines, chain, extents, dims, o, current)) return {};
    current = chain.inputs + o;
  }
  if (!count_lines(lines)) return {};
  lines.possible = true;
  return lines;
}

/// Whether a chain is one of lines: its matrices and extents are static, except for the tensor's
/// outermost extent.
consteval LineChain find_line_chain(const Chain& chain, const LetterExtents& extents,
                                    const Dims* dims) {
  if (chain.fault != ChainFault::none) return {};
  for (const int tensor : {chain.step[0].a, chain.step[0].b}) {
    if (tensor < 0 || tensor >= chain.inputs) continue;
    const LineChain lines = follow_lines(chain, extents, dims, tensor);
    if (lines.possible) return lines;
  }
  return {};
}

/// The array in scratch memory, of elements of this many bytes.
consteval LineArray line_array(const LineChain& chain, int element_bytes) {
  if (chain.visits < 2) return {};
  LineAccesses all{};
  all.rank = chain.rank;
  for (int v = 0; v < chain.visits; ++v) {
    LineAccess& access = all.access[all.count++];
    access.position = chain.visit[v].position;
    if (v > 0) access.elements += chain.terms(v);
    if (v + 1 < chain.visits) access.elements += chain.results(v);
    for (int p = 0; p < chain.rank; ++p) {
      const std::ptrdiff_t n = chain.extents(v)[p];
      // A dynamic extent counts as the number of values whose lines fill a block of threads.
      access.extent[p] = n != dynamic ? n : (chain.lines < 128 ? 128 / chain.lines : 1);
      if (v == 0) continue;
      const std::ptrdiff_t length = n != dynamic ? n : 1;
      if (length > all.longest[p]) all.longest[p] = length;
    }
  }
  return line_array(all, element_bytes);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
