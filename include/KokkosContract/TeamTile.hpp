// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TEAMTILE_HPP
#define KOKKOSCONTRACT_TEAMTILE_HPP

#include <KokkosContract/nest/UnmarkedLetters.hpp>
#include <KokkosContract/product/TileInMemory.hpp>
#include <KokkosContract/tile/GpuTile.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Extents of a tile along the letters of its string, in that order.
template <int... Extents>
struct Shape {};

namespace Impl {

template <Spec Letters, int... Extents>
consteval TileExtents extents_of_tile(Shape<Extents...>) {
  constexpr Labels letters = functor_labels(Letters);
  static_assert(letters.rank >= 0,
                "KokkosContract: the letters of a tile are letters, each once, and at most 8");
  static_assert(letters.rank == static_cast<int>(sizeof...(Extents)),
                "KokkosContract: a tile has as many extents as letters");
  static_assert(((Extents > 0) && ...), "KokkosContract: the extents of a tile are positive");
  return TileExtents{letters, {Extents...}};
}

template <class T, TileExtents Extents, class Member, bool OfThreads>
  requires is_gpu<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads>
    : public TileOperations<TeamTileBase<T, Extents, Member, OfThreads>,
                            OfThreads ? Workers::team : Workers::team_vector, T, Extents>,
      private GpuTile<std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>, T,
                      Extents> {
  using Level = std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>;
  using Held = GpuTile<Level, T, Extents>;
  using Operations =
      TileOperations<TeamTileBase, OfThreads ? Workers::team : Workers::team_vector, T, Extents>;
  using ScratchOfTeam =
      std::remove_cvref_t<decltype(std::declval<const Member&>().team_scratch(0))>;
  friend Operations;
  friend TileAccess;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION TeamTileBase(const Member& member, const S& scratch,
                                           const Index& origin, const Index& extents)
      : Held(Level{member}, origin, extents), scratch_(scratch) {}

  KOKKOS_FUNCTION static constexpr int workers() { return Held::worker_count; }

  KOKKOS_FUNCTION static constexpr int scratch_level() { return 0; }

  template <Spec... Strings, class... Operands>
  static std::size_t scratch_bytes(const Operands&... operands) {
    require_operands_of_tile<Extents, sizeof...(Operands), Strings...>();
    if constexpr (sizeof...(Operands) == 0) {
      return 0;
    } else if constexpr (sizeof...(Strings) == 0) {
      return Held::Machine::most_scratch_bytes + scratch_alignment;
    } else {
      return scratch_alignment +
             with_pairs<T, Strings...>(
                 []<class... Products>(const Products&...) {
                   return Held::template bytes_of<
                       TilePlan<typename Held::Machine, T, Extents, Products...>>();
                 },
                 operands...);
    }
  }

 private:
  ScratchOfTeam scratch_;

  /// Adds products, with scratch memory that is taken for the call.
  struct Call {
    Held& tile;
    const ScratchOfTeam& scratch;
    template <class... Products>
    KOKKOS_FORCEINLINE_FUNCTION int operator()(const Products&... products) const {
      return tile.add_products(*this, tile_arguments(products...));
    }
    KOKKOS_FORCEINLINE_FUNCTION char* take(std::size_t bytes) const {
      return take_scratch(scratch, bytes);
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Call adder() { return {*this, scratch_}; }
};

template <class T, TileExtents Extents, class Member, bool OfThreads>
  requires is_host<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads>
    : public TileInMemory<OfThreads ? Workers::team : Workers::team_vector, TeamLevel<Member>,
                          typename Member::execution_space, T, Extents> {
  using Base = TileInMemory<OfThreads ? Workers::team : Workers::team_vector, TeamLevel<Member>,
                            typename Member::execution_space, T, Extents>;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION TeamTileBase(const Member& member, const S& scratch,
                                           const Index& origin, const Index& extents)
      : Base(TeamLevel<Member>{member}, scratch, origin, extents) {}
};

}  // namespace Impl

/// A tile of a contraction's output, held by the threads of a team, for contractions too large for
/// one team: several are added to it while it stays in registers (on a GPU; in a cache on a host),
/// and any functor sees the finished elements.
///
///     TeamTile<double, "ij", Shape<128, 64>> t(member, member.team_scratch(0), origin, extents);
///     t.accumulate<"ik,kj->ij">(1.0, A, B);
///     t.store(1.0, 0.0, C);
///
/// T: double, float or complex; inputs have the same element type. Letters: those of the output,
/// each once. Extents: Shape<...>, the tile's extents, known at compile time; the tile begins at
/// `origin` in a tensor of extents `extents` (Kokkos::Array<int, rank>), beyond which nothing is
/// read or written. Best on a GPU: two letters in different inputs with extents that are multiples
/// of 8, and 4096 to 16384 elements in all.
///
/// The launch is that of team_policy(exec, tiles, uses<Tile, "ik,kj->ij">(A, B)): on a GPU a team
/// of workers() threads, on a host of any size. `scratch` is
/// member.team_scratch(Tile::scratch_level()) with scratch_bytes: of what is accumulated,
/// `Tile::scratch_bytes<"ik,kj->ij", ...>(A, B, ...)`, or, for all strings of the tile that there
/// could be, `Tile::scratch_bytes(A, B, ...)`, which on a GPU is all that a team may have. There,
/// at level 0, a tile takes it only while it accumulates. On a host the tile itself is there, at
/// level 0 where that is large enough (32 KB), else at level 1, as long as the kernel runs. What
/// else the kernel takes of the same memory for longer, it takes before it makes the tile. All
/// threads of the team call each function.
///
/// Shapes: A and B have any rank up to 8, as the strings say, and C has the tile's letters. The
/// extent of a letter of the tile is that of the whole tensor, in `extents` and in each operand;
/// that of a letter that is summed is the same in both inputs. All extents of all operands are
/// compared before anything is read or written.
///
/// Inputs may overlap each other. C overlaps no input of this tile or of another team's: other
/// teams may still read it. Inputs do not change while a tile accumulates.
///
/// accumulate and store end with a barrier of the team: C is visible to all workers on return. An
/// element of the tile is seen by the worker that has it, through for_each; the result of reduce is
/// the same in all workers.
///
/// Factors of 0 are exact zeros: what alpha or beta multiplies is not read then. load and store
/// compute in the wider one of both element types.
///
/// Returns: load, accumulate and store return 0 or a negative code, the same in all workers: -1 if
/// extents disagree, -3 if there is too little scratch memory, on a GPU -6 if the team has another
/// size, and store -2 if C is atomic and beta is not 1. Nothing is loaded, added or written then.
template <class T, Spec Letters, class Extents, class Member = Kokkos::TeamPolicy<>::member_type>
class TeamTile
    : public Impl::TileOfStrings<
          Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, true>> {
  using Base = Impl::TileOfStrings<
      Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, true>>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TeamTile(const Member& member, const Scratch& scratch,
                                       const Index& origin, const Index& extents)
      : Base(member, scratch, origin, extents) {}
};

/// The same, held by all lanes of all threads of a team: team size times vector length is
/// workers(). Shapes: those of TeamTile. As there, C overlaps no input and is visible to all
/// workers on return of store. Returns are those of TeamTile.
template <class T, Spec Letters, class Extents, class Member = Kokkos::TeamPolicy<>::member_type>
class TeamVectorTile
    : public Impl::TileOfStrings<
          Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, false>> {
  using Base = Impl::TileOfStrings<
      Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, false>>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TeamVectorTile(const Member& member, const Scratch& scratch,
                                             const Index& origin, const Index& extents)
      : Base(member, scratch, origin, extents) {}
};

/// The same of one thread alone: in scratch memory everywhere, so for small tiles, or on hosts.
///
///     SerialTile<double, "ij", Shape<8, 8>> t(member.thread_scratch(0), origin, extents);
///
/// Space: the execution space that the kernel runs on, or the type of its team members. One thread,
/// or one lane of it, calls the functions: nobody waits for anybody, and several threads have
/// several tiles. `scratch` is member.thread_scratch(Tile::scratch_level()), a Scratch, or a View,
/// with scratch_bytes, the same with and without strings. Of a member's scratch object a tile keeps
/// its part as long as the object lasts: a thread that makes several tiles, one behind the other,
/// gives each of them a copy of it. Of a Scratch or a View it has the beginning. team_policy(exec,
/// tiles, uses<Tile, "...">(A, B)) gives each thread scratch memory for a tile.
///
/// On a GPU each product is a SerialContract of the parts of its inputs that the tile needs.
///
/// Shapes, factors, overlaps and returns are those of TeamTile on a host: C overlaps no input;
/// load, accumulate and store return 0, or a negative code with nothing done.
template <class T, Spec Letters, class Extents, class Space = Kokkos::DefaultExecutionSpace>
class SerialTile
    : public Impl::TileOfStrings<Impl::SerialTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                                      typename Space::execution_space>> {
  using Base =
      Impl::TileOfStrings<Impl::SerialTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                               typename Space::execution_space>>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION SerialTile(const Scratch& scratch, const Index& origin,
                                         const Index& extents)
      : Base(scratch, origin, extents) {}
  /// As the tiles of teams are made. The member is not looked at.
  template <class Member, class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION SerialTile(const Member&, const Scratch& scratch, const Index& origin,
                                         const Index& extents)
      : Base(scratch, origin, extents) {}
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
