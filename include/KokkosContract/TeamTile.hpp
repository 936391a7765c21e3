// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TEAMTILE_HPP
#define KOKKOSCONTRACT_TEAMTILE_HPP

#include <KokkosContract/tile/HostTile.hpp>

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

/// The products of accumulate(alpha1, A1, B1, alpha2, A2, B2, ...).
template <Spec S, class Alpha, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto tile_argument(const Alpha& alpha, const A& a, const B& b) {
  return TileArgument<S, Alpha, A, B>{alpha, a, b};
}
template <Spec S, TileExtents Extents>
consteval bool is_of_tile() {
  constexpr Parsed p = Parse<S>::value;
  static_assert(p.inputs == 2, "KokkosContract: a tile accumulates contractions of two inputs");
  bool same = p.output.rank == Extents.rank();
  for (int i = 0; same && i < p.output.rank; ++i) {
    same = p.output.letter[i] == Extents.letters.letter[i];
  }
  return same;
}

template <Spec S, Spec... Rest, class F, class Alpha, class A, class B, class... More>
KOKKOS_FORCEINLINE_FUNCTION auto with_arguments(const F& f, const Alpha& alpha, const A& a,
                                                const B& b, const More&... more) {
  if constexpr (sizeof...(Rest) == 0) {
    static_assert(sizeof...(More) == 0,
                  "KokkosContract: accumulate takes alpha, A and B for each of its strings");
    return f(tile_argument<S>(alpha, a, b));
  } else {
    static_assert(sizeof...(More) == 3 * sizeof...(Rest),
                  "KokkosContract: accumulate takes alpha, A and B for each of its strings");
    return with_arguments<Rest...>(
        [&](const auto&... others)
            KOKKOSCONTRACT_INLINE_LAMBDA { return f(tile_argument<S>(alpha, a, b), others...); },
        more...);
  }
}
template <class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION TileArguments<Arguments...> tile_arguments(
    const Arguments&... arguments) {
  return {{arguments}...};
}

/// What tiles of all levels have: load, for_each, reduce and store, by for_each_place.
template <class Held, class T, TileExtents Extents>
class TileOperations {
 public:
  static constexpr int rank = Extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;
  using Index = std::make_integer_sequence<int, rank>;

  /// Elements become beta C.
  template <class Beta, class C>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Beta& beta, const C& c) {
    const auto from = as_operand(c);
    static_assert(decltype(from)::rank == rank, "KokkosContract: load: C has the tile's rank");
    held().for_each_place(
        [&](T& value, const int (&index)[rank_or_1]) KOKKOSCONTRACT_INLINE_LAMBDA {
          value = convert<T>(beta) * convert<T>(from.data()[offset(from, index, Index{})]);
        });
    held().set_nonzero();
  }

  /// Calls f(value, i, j, ...) once for each element, by the worker that has it, with its indices
  /// in the whole tensor; value is a T&.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const F& f) {
    held().for_each_place([&](T& value, const int (&index)[rank_or_1])
                              KOKKOSCONTRACT_INLINE_LAMBDA { call(f, value, index, Index{}); });
    held().set_nonzero();
  }

  /// result becomes the sum of what f(value, i, j, ..., sum) adds to `sum`, the same in all workers
  /// and in each run. f does nothing else: on a GPU it may be called for more elements, whose part
  /// is dropped. Best without branches, so that what it reads for several elements is read once.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void reduce(const F& f, R& result) {
    R sum{};
    held().add_up([&](const T& value, const int (&index)[rank_or_1], R& to)
                      KOKKOSCONTRACT_INLINE_LAMBDA { call_with(f, value, index, to, Index{}); },
                  sum);
    result = held().total(sum);
  }

  /// C = alpha * tile + beta C, where the tile is; with an atomic C, beta is 1.
  template <class Alpha, class Beta, class C>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int store(const Alpha& alpha, const Beta& beta,
                                                      const C& c) {
    require_output<C>();
    const auto to = as_operand(c);
    using To = std::remove_cvref_t<decltype(to)>;
    static_assert(To::rank == rank, "KokkosContract: store: C has the tile's rank");
    if constexpr (To::atomic) {
      if (!(beta == Beta(1))) return atomic_needs_beta_one;
    }
    if (!held().has_memory()) return scratch_too_small;
    const bool reads = !is_zero(beta);
    held().for_each_place([&](T& value,
                              const int (&index)[rank_or_1]) KOKKOSCONTRACT_INLINE_LAMBDA {
      auto* const element = to.data() + offset(to, index, Index{});
      using E = std::remove_cvref_t<decltype(*element)>;
      const T scaled = convert<T>(alpha) * value;
      if constexpr (To::atomic) {
        Kokkos::atomic_add(element, convert<E>(scaled));
      } else {
        *element = convert<E>(reads ? scaled + convert<T>(beta) * convert<T>(*element) : scaled);
      }
    });
    held().level().barrier();
    return 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Held& held() { return static_cast<Held&>(*this); }
  template <class F, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static void call(const F& f, T& value, const int (&index)[rank_or_1],
                                               std::integer_sequence<int, L...>) {
    f(value, index[L]...);
  }
  template <class F, class R, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static void call_with(const F& f, const T& value,
                                                    const int (&index)[rank_or_1], R& sum,
                                                    std::integer_sequence<int, L...>) {
    f(value, index[L]..., sum);
  }
  template <class C, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset(const C& c,
                                                           const int (&index)[rank_or_1],
                                                           std::integer_sequence<int, L...>) {
    return (std::ptrdiff_t{0} + ... + (index[L] * c.template stride<L>()));
  }
};

/// As take_scratch, but for the rest of the kernel: what is asked for later comes behind it.
template <AnyScratch S>
KOKKOS_FORCEINLINE_FUNCTION char* keep_scratch(const S& scratch, std::size_t bytes) {
  if constexpr (ScratchSpace<S>) {
    return static_cast<char*>(
        scratch.get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), scratch_alignment));
  } else {
    return take_scratch(scratch, bytes);
  }
}

/// A tile of a team. `OfTeam`: of its threads, or of all their lanes.
template <class T, TileExtents Extents, class Member, bool OfThreads>
class TeamTileBase;

template <class T, TileExtents Extents, class Member, bool OfThreads>
  requires is_gpu<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads>
    : public TileOperations<TeamTileBase<T, Extents, Member, OfThreads>, T, Extents>,
      private GpuTile<std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>, T,
                      Extents> {
  using Level = std::conditional_t<OfThreads, TeamLevel<Member>, TeamVectorLevel<Member>>;
  using Held = GpuTile<Level, T, Extents>;
  using Operations = TileOperations<TeamTileBase, T, Extents>;
  using ScratchOfTeam =
      std::remove_cvref_t<decltype(std::declval<const Member&>().team_scratch(0))>;
  friend Operations;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION TeamTileBase(const Member& member, const S& scratch,
                                           const Index& origin, const Index& extents)
      : Held(Level{member}, origin, extents), scratch_(scratch) {}

  static constexpr int workers() { return Held::worker_count; }

  template <Spec... Strings, class... Arguments>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int accumulate(const Arguments&... arguments) {
    static_assert((is_of_tile<Strings, Extents>() && ...),
                  "KokkosContract: accumulate: the output of each string is that of the tile");
    return with_arguments<Strings...>(Call{*this, scratch_}, arguments...);
  }

  template <Spec... Strings, class... Arguments>
  static std::size_t scratch_bytes(const Arguments&... arguments) {
    return with_operands<Strings...>(arguments...) + scratch_alignment;
  }

 private:
  ScratchOfTeam scratch_;

  /// Adds products, with scratch memory that is taken for the call.
  struct Call {
    Held& tile;
    const ScratchOfTeam& scratch;
    template <class... Products>
    KOKKOS_FORCEINLINE_FUNCTION int operator()(const Products&... products) const {
      return tile.accumulate(*this, tile_arguments(products...));
    }
    KOKKOS_FORCEINLINE_FUNCTION char* take(std::size_t bytes) const {
      return take_scratch(scratch, bytes);
    }
  };

  template <Spec... Strings, class... Arguments>
  static std::size_t with_operands(const Arguments&... arguments) {
    return pairs_of<Strings...>(
        []<class... Products>(const Products&...) {
          return Held::template bytes_of<
              TilePlan<typename Held::Machine, T, Extents, Products...>>();
        },
        arguments...);
  }
  template <Spec S, Spec... Rest, class F, class A, class B, class... More>
  static auto pairs_of(const F& f, const A& a, const B& b, const More&... more) {
    if constexpr (sizeof...(Rest) == 0) {
      return f(tile_argument<S>(T(1), a, b));
    } else {
      return pairs_of<Rest...>(
          [&](const auto&... others) { return f(tile_argument<S>(T(1), a, b), others...); },
          more...);
    }
  }
};

template <class T, TileExtents Extents, class Member, bool OfThreads>
  requires is_host<typename Member::execution_space>
class TeamTileBase<T, Extents, Member, OfThreads>
    : public TileOperations<TeamTileBase<T, Extents, Member, OfThreads>, T, Extents>,
      private HostTile<TeamLevel<Member>, T, Extents> {
  using Held = HostTile<TeamLevel<Member>, T, Extents>;
  using Operations = TileOperations<TeamTileBase, T, Extents>;
  friend Operations;

 public:
  template <class S, class Index>
  KOKKOS_FORCEINLINE_FUNCTION TeamTileBase(const Member& member, const S& scratch,
                                           const Index& origin, const Index& extents)
      : Held(TeamLevel<Member>{member}, reinterpret_cast<T*>(keep_scratch(scratch, Held::bytes)),
             origin, extents) {}

  static constexpr int workers() { return 1; }

  template <Spec... Strings, class... Arguments>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int accumulate(const Arguments&... arguments) {
    static_assert((is_of_tile<Strings, Extents>() && ...),
                  "KokkosContract: accumulate: the output of each string is that of the tile");
    return with_arguments<Strings...>(Call{*this}, arguments...);
  }

  template <Spec... Strings, class... Arguments>
  static std::size_t scratch_bytes(const Arguments&...) {
    return Held::bytes + scratch_alignment;
  }

 private:
  struct Call {
    Held& tile;
    template <class... Products>
    KOKKOS_FORCEINLINE_FUNCTION int operator()(const Products&... products) const {
      return tile.accumulate(tile_arguments(products...));
    }
  };
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
/// On a GPU the team has workers() threads and vector length 1, and team_scratch has scratch_bytes
/// of what is accumulated; a tile takes it only while it accumulates. On a host the tile itself is
/// there. All threads of the team call each function.
///
/// Shapes: A and B have any rank up to 8, as the strings say, and C has the tile's letters. The
/// extent of a letter of the tile is that of the whole tensor, in `extents` and in each operand;
/// that of a letter that is summed is the same in both inputs. The extents of C are not verified.
///
/// Inputs may overlap each other. C overlaps no input of this tile or of another team's: other
/// teams may still read it. Inputs do not change while a tile accumulates.
///
/// accumulate and store end with a barrier of the team: C is visible to all workers on return. An
/// element of the tile is seen by the worker that has it, through for_each; the result of reduce is
/// the same in all workers.
///
/// Returns: accumulate and store return 0 or a negative code, the same in all workers. accumulate
/// returns -1 if extents disagree, -3 if there is too little scratch memory, and on a GPU -6 if the
/// team has another size; nothing is added then. store returns -2 if C is atomic and beta is not 1,
/// and -3 if the tile had too little scratch memory on a host, with nothing written.
template <class T, Spec Letters, class Extents, class Member = Kokkos::TeamPolicy<>::member_type>
class TeamTile
    : public Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, true> {
  using Base = Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, true>;

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
    : public Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, false> {
  using Base = Impl::TeamTileBase<T, Impl::extents_of_tile<Letters>(Extents{}), Member, false>;

 public:
  using Index = Kokkos::Array<int, Impl::extents_of_tile<Letters>(Extents{}).rank()>;
  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION TeamVectorTile(const Member& member, const Scratch& scratch,
                                             const Index& origin, const Index& extents)
      : Base(member, scratch, origin, extents) {}
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
