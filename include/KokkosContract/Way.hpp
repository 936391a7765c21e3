// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_WAY_HPP
#define KOKKOSCONTRACT_WAY_HPP

#include <KokkosContract/core/Config.hpp>
#include <concepts>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The algorithms for a contraction of one or two inputs. The library chooses the one that is best
/// by measurement; `explain` names it and gives the reason. A call may request another one:
///
///     TeamContract<"bik,bkj->bij", Way::warps>::invoke(member, 1.0, A, B, 0.0, C);
///
/// The call does not compile if the algorithm cannot run the contraction on the machine that it is
/// for. On another machine the call runs as without the request. The same holds if the workers or
/// the extents at run time do not suit the algorithm, such as a team without whole warps.
enum class Way {
  best,         ///< the library's choice
  tiles,        ///< any machine: a worker computes tiles of C in registers
  blocked,      ///< a host: packed blocks for its caches, of one real type
  shared,       ///< several workers of a GPU: tiles, from copies of the inputs in shared memory
  warps,        ///< whole warps of a GPU: MMA instructions
  block_tiles,  ///< a GPU's team of 128: large matrices, with parts of C in registers
  thin,         ///< several workers of a GPU: whole columns of few static rows
  lanes,        ///< lanes of a GPU's warps: interleaved problems, up to 32 static rows
  lines,        ///< a GPU's team: a small static matrix times lines of a tensor
  points        ///< a host: small static matrices at points times vectors there
};

/// The least accuracy that a call accepts for products of floats. If it is less than full, a GPU's
/// tensor cores may round the inputs. They then run one MMA instruction in place of three:
///
///     contract<"ik,kj->ij", Accuracy::tf32>(exec, 1.f, A, B, 0.f, C);
///
/// The products of rounded inputs are exact, and their sums are floats. Where there is no such
/// instruction, and for all other types, the result is the one of full accuracy.
enum class Accuracy {
  full,  ///< no bit of an input is lost
  tf32,  ///< inputs have at least 11 significant bits
  bf16   ///< inputs have at least 8 significant bits; the same as tf32 at present
};

/// The part of C whose sums a worker holds in registers: rows, and columns. On a host, columns are
/// counted in registers. No rows: the library's choice.
struct TileShape {
  int rows = 0;
  int cols = 0;

  friend constexpr bool operator==(const TileShape&, const TileShape&) = default;
};

/// All requests of a call, as a template argument in place of one of them:
///
///     TeamContract<"ik,kj->ij", Choice{.way = Way::block_tiles, .accuracy = Accuracy::tf32}>
///     SerialContract<"ik,kj->ij", Choice{.tile = {4, 2}}>
///
/// The tile is for Way::tiles on a host, and for Way::shared, where it divides the static extents.
/// With another algorithm it has no meaning.
struct Choice {
  Way way = Way::best;
  Accuracy accuracy = Accuracy::full;
  TileShape tile{};

  friend constexpr bool operator==(const Choice&, const Choice&) = default;
};

namespace Impl {

template <class T>
concept ChoiceTag = std::same_as<T, Way> || std::same_as<T, Accuracy> || std::same_as<T, Choice>;

/// A request as a Choice.
consteval Choice as_choice(Way way) { return {.way = way}; }
consteval Choice as_choice(Accuracy accuracy) { return {.accuracy = accuracy}; }
consteval Choice as_choice(Choice choice) { return choice; }

}  // namespace Impl

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
