// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_ALGORITHM_HPP
#define KOKKOSCONTRACT_PRODUCT_ALGORITHM_HPP

// An algorithm for products is a type in the list of Choose.hpp. It provides:
//
//   way                            its name for callers
//   otherwise                      the algorithm that takes what this one leaves; itself if it
//                                  leaves nothing
//   text                           its name and what it does, for `explain`
//   takes_stage                    whether it copies inputs to the stage, also without a request
//   least_workers                  the fewest workers for which it takes a product
//   fits<Atom>(nest, facts)        whether it can take a product
//   is_best<Atom>(nest, facts)     whether it is better than all that follow in the list, where it
//                                  fits
//   choice<Atom>(nest, facts, asked)  how it runs the product; asked: it was requested
//   run<Chosen>(call)              runs it; returns a code, or not_taken if workers or extents at
//                                  run time do not suit it

#include <KokkosContract/Way.hpp>
#include <KokkosContract/core/Product.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Plan.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class L>
consteval Callers callers_of() {
  if constexpr (is_plain<L>) {
    Callers callers = callers_of<std::remove_cvref_t<decltype(L::level)>>();
    callers.plain = true;
    return callers;
  } else {
    return {runs_on_gpu<L>(), is_single_worker<L>(), has_warps<L>, is_of_thread<L>,
            warp_size_of<typename SpaceOfLevel<L>::type>};
  }
}

/// The facts about a product besides its nest.
struct ProductFacts : Callers {
  bool to_scratch = false;  // C is known to be in scratch memory
  bool from_scratch = false;
  bool linear = false;   // C becomes alpha sum + beta C
  bool indices = false;  // an epilogue gets the indices
  bool atomic = false;
  bool matrix_core = false;  // there is an MMA instruction for the types
  int bytes = 0;             // bytes of a sum
  int input_bytes = 0;       // bytes of an element of the first input
  const char* type = "";     // of all elements, where measured plans know it (machine/Plans.hpp)
  bool blocks = false;       // there are packed blocks for the types
  int line_registers = 0;    // registers of an element of a line; 0: none
  bool tiles = false;        // team tiles support these types
};

/// How an algorithm runs a product.
struct ProductChoice {
  Way way = Way::tiles;
  bool staged = false;  // Way::shared copies its inputs where they are dense and fit
  int least = 0;        // Way::warps takes products of more elements
  Accuracy accuracy = Accuracy::full;
  TileShape tile{};       // no rows: the model's tile
  bool measured = false;  // by a table of machine/Plans.hpp

  /// The choice for what the algorithm leaves to another one.
  consteval ProductChoice left_to(Way other) const {
    return {.way = other, .staged = staged, .tile = tile, .measured = measured};
  }

  friend constexpr bool operator==(const ProductChoice&, const ProductChoice&) = default;
};

/// The registers that hold sums, and their number.
template <class Acc, class X, class Y, class C>
consteval Machine machine_of(const Callers& callers) {
  constexpr bool same = std::is_same_v<X, Acc> && std::is_same_v<Y, Acc> && std::is_same_v<C, Acc>;
  Machine m{callers};
  const bool gpu = callers.gpu;
  if constexpr (has_product<Acc> && same) m.native_lanes = gpu ? 1 : native_lanes<Acc>;
  const int bytes = static_cast<int>(sizeof(Acc));
  m.bytes = bytes;
  constexpr int parts = Product<Acc, 1>::parts;
  constexpr int passes = parts > 0 ? parts : 1;
  int registers_per_sum =
      gpu ? bytes / bytes_of_register
          : (bytes / passes + KOKKOSCONTRACT_VECTOR_BYTES - 1) / KOKKOSCONTRACT_VECTOR_BYTES;
  // A sum of complex products is kept in two parts.
  if (is_complex<scalar_t<Acc>> && !gpu) registers_per_sum *= 2;
  m.is_complex = is_complex<scalar_t<Acc>>;
  m.packs_in_registers = PackRegisters<Acc>::count > 0 && same;
  m.shuffles_multiplier = is_complex<scalar_t<Acc>> && parts > 0 && !gpu;
  m.registers = (gpu ? registers_for_sums : KOKKOSCONTRACT_VECTOR_REGISTERS) /
                (registers_per_sum > 0 ? registers_per_sum : 1);
  return m;
}

/// The return code of `run` for a product that an algorithm leaves to another one.
inline constexpr int not_taken = 1;

/// A product of operands of types OpX and OpY, whose elements begin at x and y. Its sums are
/// accumulated in SumType. They go to `output`, which stores them in C.
template <Nest S, class SumType, Level Lv, class OpX, class OpY, class OpC, class OutputType>
struct ProductCall {
  static constexpr auto nest = S;
  using Acc = SumType;
  using L = Lv;
  using OperandX = OpX;
  using OperandY = OpY;
  using OperandC = OpC;
  using X = std::remove_const_t<typename OpX::value_type>;
  using Y = std::remove_const_t<typename OpY::value_type>;
  using C = typename OpC::value_type;
  using Output = OutputType;

  const L& level;
  Loops<S>& loops;  // parts of an output have other extents
  const Output& output;
  bool multiplies;  // alpha is not zero
  const X* x;
  const Y* y;
  C* c;

  static constexpr Machine machine = machine_of<Acc, X, Y, C>(callers_of<L>());
};

/// Whether copies of the inputs may pay off: the inputs are in global memory, and are read several
/// times or across their rows.
template <int N>
consteval bool is_worth_staging(const Nest<N>& nest, const ProductFacts& facts) {
  return facts.are_team_of_warps() && !facts.from_scratch && nest.of(Class::sum) > 0;
}

/// Whether copies of the inputs fit into the memory for them.
template <int N>
consteval bool fits_stage(const Nest<N>& nest, const ProductFacts& facts) {
  const int rows = static_size(nest, Class::row);
  const int cols = static_size(nest, Class::col);
  const int sums = static_size(nest, Class::sum);
  return sums > 0 && (rows + cols) * sums * facts.bytes <= stage_bytes;
}

/// The defaults that an algorithm inherits. It is best wherever it fits. If it is requested,
/// products that it leaves to another algorithm have copies of their inputs.
template <Way W, Way Otherwise = W>
struct AlgorithmDefaults {
  static constexpr Way way = W;
  static constexpr Way otherwise = Otherwise;
  static constexpr bool takes_stage = false;
  static constexpr int least_workers = 1;

  template <class Atom, int N>
  static consteval bool is_best(const Nest<N>&, const ProductFacts&) {
    return true;
  }
  template <class Atom, int N>
  static consteval ProductChoice choice(const Nest<N>& nest, const ProductFacts& facts,
                                        bool asked) {
    return {W, asked && is_worth_staging(nest, facts)};
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
