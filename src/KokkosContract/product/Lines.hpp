// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_LINES_HPP
#define KOKKOSCONTRACT_PRODUCT_LINES_HPP

// How workers of a GPU multiply one index of a tensor by a small matrix, as in a step of a sum
// factorisation, "yb,eabc->eayc". A line of the tensor consists of its elements along the summed
// index. A worker loads a line into registers, and computes and stores the whole line of the
// result. So each element is read and written once. Neighbouring workers take neighbouring lines.
//
// The elements of the matrix are read where they are used, at addresses that are constants relative
// to its first element. A matrix that is part of the kernel's functor (Tile) needs no loads at all:
// its elements are operands of the FMA instructions. All lanes of a warp load the same element of
// any other matrix.

#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Tiles.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The plan for a product of a small matrix and the lines of a tensor.
struct LinePlan {
  bool possible = false;
  bool matrix_is_x = false;
  int terms = 0;    // terms of a line of the tensor
  int results = 0;  // elements of a line of the result; a worker has both lines in registers

  consteval Class matrix() const { return matrix_is_x ? Class::row : Class::col; }
  consteval Class lines() const { return matrix_is_x ? Class::col : Class::row; }
};

/// The plan for elements that take this number of registers. There must be at least as many lines
/// as the matrix has rows and columns together, so that many workers have a line.
template <int N>
consteval LinePlan line_plan(const Nest<N>& nest, int registers) {
  if (!nest.has_x || nest.of(Class::batch) > 0 || nest.of(Class::sum) != 1) return {};
  for (const bool matrix_is_x : {true, false}) {
    LinePlan plan{};
    plan.matrix_is_x = matrix_is_x;
    const int result = nest.begin(plan.matrix());
    const int sum = nest.begin(Class::sum);
    const std::ptrdiff_t* stride = matrix_is_x ? nest.x : nest.y;
    if (nest.of(plan.matrix()) != 1 || nest.of(plan.lines()) < 1) continue;
    const std::ptrdiff_t terms = nest.extent[sum];
    const std::ptrdiff_t results = nest.extent[result];
    if (terms == dynamic || results == dynamic || stride[sum] == dynamic ||
        stride[result] == dynamic || (terms + results) * registers > most_registers_of_lines) {
      continue;
    }
    bool many = false;
    std::ptrdiff_t lines = 1;
    for (int i = nest.begin(plan.lines()); i < nest.end(plan.lines()); ++i) {
      many = many || nest.extent[i] == dynamic;
      if (!many) lines *= nest.extent[i];
    }
    if (terms < 2 || (!many && lines < terms + results)) continue;
    plan.terms = static_cast<int>(terms);
    plan.results = static_cast<int>(results);
    plan.possible = true;
    return plan;
  }
  return {};
}

/// Registers of an element, or 0 if GPU registers do not hold elements of this type.
template <class Acc>
consteval int registers_in_lines() {
  return is_pack<Acc> ? 0 : (static_cast<int>(sizeof(Acc)) + 3) / 4;
}

// A loop over lines costs registers, because a compiler moves loop-invariant code out of it. So
// there is separate code for the case that no worker has more than one line.

/// Calls line(t) for each t < count, each on one worker.
template <Level L, class Line>
KOKKOS_FORCEINLINE_FUNCTION void for_each_line(const L& level, unsigned count, const Line& line) {
  const auto size = static_cast<unsigned>(level.size());
  const auto rank = static_cast<unsigned>(level.rank());
  if (count <= size) {
    if (rank < count) line(rank);
  } else {
    KOKKOSCONTRACT_NO_UNROLL
    for (unsigned t = rank; t < count; t += size) line(t);
  }
}

// A compiler would keep all elements of a matrix in registers from one line or step to the next,
// and there are too few registers. So the elements of a Tile are read by volatile accesses. The
// address of any other matrix appears to depend on the line t and on the number of the use.

template <bool InFunctor, class T>
KOKKOS_FORCEINLINE_FUNCTION const T* read_again(const T* matrix, unsigned t, unsigned use) {
  return InFunctor ? matrix : matrix + ((t + use) >> 31);
}

template <bool InFunctor, class T>
KOKKOS_FORCEINLINE_FUNCTION T read_element(const T* element) {
  if constexpr (InFunctor && std::is_arithmetic_v<T>) {
    return *static_cast<const volatile T*>(element);
  } else if constexpr (InFunctor && is_complex<T>) {
    const auto* parts = reinterpret_cast<const volatile real_t<T>*>(element);
    const real_t<T> real = parts[0];
    const real_t<T> imag = parts[1];
    return T(real, imag);
  } else {
    return *element;
  }
}

/// Runs a product of lines. InFunctor: the matrix is a Tile.
template <Nest S, bool InFunctor, class Acc, class X, class Y, class C, class Output>
struct LineExecutor {
  static constexpr LinePlan plan = line_plan(S, registers_in_lines<Acc>());
  static constexpr int terms = plan.terms;
  static constexpr int results = plan.results;
  static constexpr int sum_mode = S.begin(Class::sum);
  static constexpr int result_mode = S.begin(plan.matrix());
  static constexpr int first_line_mode = S.begin(plan.lines());
  static constexpr int line_modes = S.of(plan.lines());
  using Factors = Product<Acc, 1>;
  using Matrix = std::conditional_t<plan.matrix_is_x, X, Y>;
  using Tensor = std::conditional_t<plan.matrix_is_x, Y, X>;

  const Loops<S>& loops;
  const Output& output;
  bool multiplies;

  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t tensor_stride() const {
    if constexpr (plan.matrix_is_x) {
      return loops.template y<I>();
    } else {
      return loops.template x<I>();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void locate(unsigned t, const Tensor*& from, C*& to,
                                          int* index) const {
    for_digits<first_line_mode, first_line_mode + line_modes - 1>(
        t,
        [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA {
          return static_cast<unsigned>(loops.template extent<I>());
        },
        [&]<int I>(unsigned digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          const auto at = static_cast<int>(digit);
          if constexpr (Output::needs_indices) index[I] = at;
          from += at * tensor_stride<I>();
          to += at * loops.template c<I>();
        });
  }

  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t lines() const {
    return loops.template product_of_extents<first_line_mode, first_line_mode + line_modes>();
  }

  KOKKOS_FORCEINLINE_FUNCTION void line(const Matrix* matrix, const Tensor* from, C* to,
                                        int* index) const {
    constexpr bool conjugate_matrix = plan.matrix_is_x ? S.conjugate_x : S.conjugate_y;
    constexpr bool conjugate_tensor = plan.matrix_is_x ? S.conjugate_y : S.conjugate_x;
    constexpr std::ptrdiff_t matrix_term = plan.matrix_is_x ? S.x[sum_mode] : S.y[sum_mode];
    constexpr std::ptrdiff_t matrix_result = plan.matrix_is_x ? S.x[result_mode] : S.y[result_mode];
    typename Factors::Sum sum[results];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < results; ++r) sum[r] = Factors::zero();
    if (multiplies) {
      typename Factors::Column element[terms];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < terms; ++k) {
        element[k] = Factors::template column<conjugate_tensor>(
            convert<Acc>(from[k * tensor_stride<sum_mode>()]));
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < terms; ++k) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < results; ++r) {
          const auto factor = Factors::multiplier(Factors::template column<conjugate_matrix>(
              convert<Acc>(read_element<InFunctor>(matrix + k * matrix_term + r * matrix_result))));
          sum[r] = Factors::add_product(sum[r], factor, element[k]);
        }
      }
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < results; ++r) {
      if constexpr (Output::needs_indices) index[result_mode] = r;
      output.template put<1, true, true, 0, -1>(to + r * loops.template c<result_mode>(), 1,
                                                Factors::finish(sum[r]), 1, index);
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) const {
    const Matrix* matrix;
    const Tensor* tensor;
    if constexpr (plan.matrix_is_x) {
      matrix = x;
      tensor = y;
    } else {
      matrix = y;
      tensor = x;
    }
    const auto count = static_cast<unsigned>(lines());
    for_each_line(level, count, [&](unsigned t) KOKKOSCONTRACT_INLINE_LAMBDA {
      const Tensor* from = tensor;
      C* to = c;
      [[maybe_unused]] int index[Loops<S>::size]{};
      locate(t, from, to, index);
      line(read_again<InFunctor>(matrix, t, 0), from, to, index);
    });
  }
};

/// The algorithm for lines. It is for whole teams, not for the lanes of one thread.
struct LineAlgorithm : AlgorithmDefaults<Way::lines> {
  static constexpr const char* text = "lines (a small static matrix times lines of a tensor)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return facts.are_team_of_warps() && !facts.of_thread && facts.line_registers > 0 &&
           line_plan(nest, facts.line_registers).possible;
  }

  template <ProductChoice, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    using Acc = typename Call::Acc;
    using Matrix = std::conditional_t<line_plan(Call::nest, registers_in_lines<Acc>()).matrix_is_x,
                                      typename Call::OperandX, typename Call::OperandY>;
    const LineExecutor<Call::nest, is_in_tile<Matrix>, Acc, typename Call::X, typename Call::Y,
                       typename Call::C, typename Call::Output>
        executor{call.loops, call.output, call.multiplies};
    if (executor.lines() > most_extent) return extent_too_large;
    executor.run(call.level, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
