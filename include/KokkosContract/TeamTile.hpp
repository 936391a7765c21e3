// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TEAMTILE_HPP
#define KOKKOSCONTRACT_TEAMTILE_HPP

#include <KokkosContract/nest/UnmarkedLetters.hpp>
#include <KokkosContract/tile/GpuTile.hpp>
#include <KokkosContract/tile/TileInMemory.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// The extents of a tile along the letters of its string, in that order.
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

template <class T, TileExtents Extents, class Member, bool OfThreads, Accuracy A>
  requires is_gpu<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads, A>
    : public TileOperations<TeamTileBase<T, Extents, Member, OfThreads, A>,
                            OfThreads ? Workers::team : Workers::team_vector, T, Extents>,
      private GpuTile<std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>,
                      BlockTypes<T, T, T, A>, Extents> {
  using Level = std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>;
  using Types = BlockTypes<T, T, T, A>;
  using Held = GpuTile<Level, Types, Extents>;
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
                       tile_plan_t<typename Held::Machine, Types, Extents, Products...>>();
                 },
                 operands...);
    }
  }

 private:
  ScratchOfTeam scratch_;

  /// Adds products, with scratch memory that is taken for the call.
  template <class Products>
  KOKKOS_FORCEINLINE_FUNCTION int add_products(const Products& products) {
    return Held::add_products(scratch_, products);
  }
};

template <class T, TileExtents Extents, class Member, bool OfThreads, Accuracy A>
  requires is_host<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads, A>
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

/// A tile of a contraction's output, held by the threads of a team, for contractions that are too
/// large for one team. Several contractions are added to it while it stays in registers on a GPU,
/// or in a cache on a host. A functor may read the finished elements.
///
///     TeamTile<double, "ij", Shape<128, 64>> t(member, member.team_scratch(0), origin, extents);
///     t.accumulate<"ik,kj->ij">(1.0, A, B);
///     t.store(1.0, 0.0, C);
///
/// W: the accuracy that is enough for products of floats, see Accuracy.
///
/// T is double, float or complex. Inputs have the same element type; those of a tile of floats may
/// all be half_t or bhalf_t, which GPUs of NVIDIA multiply on tensor cores. Letters are those of
/// the output, each once. Extents is Shape<...>, the tile's extents, known at compile time. The
/// tile begins at `origin` in a tensor of extents `extents` (Kokkos::Array<int, rank>). Nothing
/// outside of that tensor is read or written. On a GPU a tile runs best with 4096 to 16384 elements
/// in all. Two letters in different inputs then have extents that are multiples of 8.
///
/// Launch: team_policy(exec, tiles, uses<Tile, "ik,kj->ij">(A, B)). On a GPU a team has workers()
/// threads, and on a host any number. `scratch` is member.team_scratch(Tile::scratch_level()).
/// `Tile::scratch_bytes<"ik,kj->ij", ...>(A, B, ...)` is its size for these products.
/// `Tile::scratch_bytes(A, B, ...)` suffices for all strings; on a GPU it is the most that a team
/// may have.
///
/// On a GPU a tile takes its scratch memory, at level 0, only while it accumulates. On a host the
/// tile itself is in scratch memory as long as the kernel runs. It is at level 0 if that is large
/// enough (32 KB), and at level 1 otherwise. A kernel that needs the same memory for longer takes
/// it before it constructs the tile. All threads of the team call each function.
///
/// Shapes: A and B have any rank up to 8, as the strings say, and C has the tile's letters. The
/// extent of a letter of the tile is that of the whole tensor, in `extents` and in each operand.
/// The extent of a summed letter is the same in both inputs. All extents of all operands are
/// compared before anything is read or written.
///
/// Inputs may be in scratch memory of the team, too. On a GPU these are copied element by element,
/// which is slower. Inputs may overlap each other. C overlaps no input of this tile or of another
/// team's tile, because other teams may still read it. Inputs do not change while a tile
/// accumulates.
///
/// accumulate and store end with a barrier of the team: C is visible to all workers on return. An
/// element of the tile is visible to the worker that holds it, through for_each. The result of
/// reduce is the same in all workers.
///
/// Factors of 0 are exact zeros: the operand that alpha or beta multiplies is then not read. load
/// and store compute in the wider of both element types.
///
/// store takes an epilogue after C, as contractions do: a functor f(value, i, j, ...), or steps
/// (Epilogue.hpp). It gets the indices of the whole tensor, and the operands of its steps have the
/// extents of the tensor. An atomic C takes none.
///
/// Returns of load, accumulate and store: 0 or a negative code, the same in all workers. With a
/// negative code nothing was loaded, added or written.
///
///     -1    extents disagree
///     -2    of store: C is atomic and beta is not 1
///     -3    there is too little scratch memory
///     -6    on a GPU: the team has another size
template <class T, Spec Letters, class Extents, class Member = Kokkos::TeamPolicy<>::member_type,
          Impl::ChoiceTag auto W = Accuracy::full>
class TeamTile
    : public Impl::TileOfStrings<Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                                    Member, true, Impl::as_choice(W).accuracy>> {
  using Base = Impl::TileOfStrings<Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                                      Member, true, Impl::as_choice(W).accuracy>>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TeamTile(const Member& member, const Scratch& scratch,
                                       const Index& origin, const Index& extents)
      : Base(member, scratch, origin, extents) {}
};

/// A TeamTile that is held by all lanes of all threads of a team: team size times vector length is
/// workers(). Shapes: those of TeamTile. C overlaps no input, and is visible to all workers when
/// store returns. Returns the codes of TeamTile.
template <class T, Spec Letters, class Extents, class Member = Kokkos::TeamPolicy<>::member_type,
          Impl::ChoiceTag auto W = Accuracy::full>
class TeamVectorTile
    : public Impl::TileOfStrings<Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                                    Member, false, Impl::as_choice(W).accuracy>> {
  using Base = Impl::TileOfStrings<Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}),
                                                      Member, false, Impl::as_choice(W).accuracy>>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TeamVectorTile(const Member& member, const Scratch& scratch,
                                             const Index& origin, const Index& extents)
      : Base(member, scratch, origin, extents) {}
};

/// A tile of one thread. It is in scratch memory on all machines, so it is for small tiles, or for
/// hosts.
///
///     SerialTile<double, "ij", Shape<8, 8>> t(member.thread_scratch(0), origin, extents);
///
/// Space is the execution space that the kernel runs on, or the type of its team members. One
/// thread, or one lane of it, calls the functions without any barrier, and several threads have
/// several tiles. `scratch` is member.thread_scratch(Tile::scratch_level()), a Scratch, or a View.
/// Its size is scratch_bytes, the same with and without strings. A tile keeps its part of a
/// member's scratch object as long as the object lasts. A thread that constructs several tiles in
/// turn gives each of them a copy of that object. In a Scratch or a View the tile is at the
/// beginning. team_policy(exec, tiles, uses<Tile, "...">(A, B)) gives each thread scratch memory
/// for a tile.
///
/// On a GPU each product is a SerialContract of the parts of its inputs that the tile needs.
///
/// Shapes, factors, overlaps and return codes are those of TeamTile on a host: C overlaps no input.
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
  /// Takes the arguments of a team's tile. The member is not used.
  template <class Member, class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION SerialTile(const Member&, const Scratch& scratch, const Index& origin,
                                         const Index& extents)
      : Base(scratch, origin, extents) {}
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
