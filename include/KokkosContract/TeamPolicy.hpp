// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TEAMPOLICY_HPP
#define KOKKOSCONTRACT_TEAMPOLICY_HPP

#include <KokkosContract/host/TeamPolicy.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Scratch memory of level 0 that a kernel takes for itself, in bytes: for a team, for each of its
/// threads, and for each of its problems. An example of the last is scratch_matrices_bytes<T, M,
/// N>(1).
struct user_scratch {                 // NOLINT(readability-identifier-naming)
  std::size_t bytes_per_team = 0;     ///< independent of the problems
  std::size_t bytes_per_thread = 0;   ///< for member.thread_scratch(0)
  std::size_t bytes_per_problem = 0;  ///< for each problem of a team
};

/// The problems that the teams of a kernel work on: the part of a TeamPlan that a kernel needs.
struct TeamProblems {
  int problems = 0;           ///< number of problems of all teams
  int problems_per_team = 1;  ///< problems of a team; the last may have fewer
};

/// The result of team_policy. `auto [policy, problems_per_team] = team_policy(...)` works, too.
template <class Space>
class TeamPlan : public TeamProblems {
 public:
  using policy_type = Kokkos::TeamPolicy<Space>;
  policy_type policy;  ///< for parallel_for and parallel_reduce, with its scratch memory set

  TeamPlan(const Space& exec, int all, const Impl::TeamShape& shape, const Impl::TeamBytes& bytes)
      : TeamProblems{all, shape.problems},
        policy(exec, (all + shape.problems - 1) / shape.problems, shape.threads, shape.lanes),
        shape_(shape),
        bytes_(bytes) {
    for (int level = 0; level < 2; ++level) {
      policy.set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(bytes.team[level])),
                              Kokkos::PerThread(static_cast<int>(bytes.thread[level])));
    }
  }

  /// This plan, with at most as many threads as the registers of this functor's kernel allow. Tag
  /// is the kind of kernel: Kokkos::ParallelForTag, ParallelReduceTag or ParallelScanTag. Throws
  /// std::invalid_argument if a tile needs more threads.
  template <class Functor, class Tag = Kokkos::ParallelForTag>
  TeamPlan for_functor(const Functor& functor, const Tag& tag = {}) const {
    const int most = policy.team_size_max(functor, tag);
    if (shape_.threads <= most) return *this;
    if (shape_.is_fixed) {
      throw std::invalid_argument("KokkosContract: for_functor: a tile needs " +
                                  std::to_string(shape_.threads) +
                                  " threads, and the kernel can have " + std::to_string(most));
    }
    Impl::TeamShape shape = shape_;
    shape.threads = most;
    return TeamPlan(policy.space(), problems, shape, bytes_);
  }

  template <std::size_t I>
  [[nodiscard]] const auto& get() const {
    if constexpr (I == 0) {
      return policy;
    } else {
      return problems_per_team;
    }
  }

 private:
  Impl::TeamShape shape_;
  Impl::TeamBytes bytes_;
};

/// A call of Op on these operands, for team_policy. The operands are those of one problem, or of
/// all problems with the problems as leading dimension. Op takes that dimension as its batch or its
/// first letter, or the kernel takes subviews. Only types and extents are read. Operands are given
/// as to Op::invoke, without scaling factors, scratch, widths of a band, workspace of a solve, info
/// or epilogue. Pointwise functors and kept tensors stand between the operands of a contraction.
template <class Op, class... Operands>
  requires(!Impl::BlockTile<Op>)
Impl::Uses<Op, Operands...> uses(const Operands&... operands) {
  static_assert(Impl::Callable<Op>,
                "KokkosContract: uses<Op> takes a routine, e.g. TeamContract<\"bij,bjk->bik\">");
  return {{Impl::used(operands)...}};
}

/// A tile (TeamTile, TeamVectorTile, SerialTile) and its products, for team_policy. There is a
/// string for each pair of operands, as in accumulate. Without strings the scratch memory suffices
/// for all products of the tile; on a GPU that is the most that a team may have. Several calls of
/// accumulate on one tile need several `uses` of its type.
///
///     team_policy(exec, tiles, uses<Tile, "ik,kj->ij", "jm,mi->ij">(A, B, D, E))
///
/// Without operands the tile accumulates nothing itself: uses<Tile>() next to uses<Slices>() of its
/// TileSlices.
template <class Tile, Spec... Strings, class... Inputs>
  requires(Impl::BlockTile<Tile> && !Impl::tile_traits_t<Tile>::is_slices)
Impl::UsesTile<Tile> uses(const Inputs&... inputs) {
  return {static_cast<double>(Tile::template scratch_bytes<Strings...>(inputs...))};
}

/// TileSlices that a kernel constructs, for team_policy.
template <class Slices>
  requires(Impl::BlockTile<Slices> && Impl::tile_traits_t<Slices>::is_slices)
Impl::UsesTile<Slices> uses() {
  return {static_cast<double>(Slices::scratch_bytes())};
}

/// How to launch a kernel that makes the calls `uses<Op>(operands...)` for each of `problems`
/// problems. The result has the league, team and vector sizes, the scratch memory of level 0, and
/// the number of problems per team. The arguments after `problems` are uses<Op>(...) for each call,
/// and user_scratch{...} for scratch memory that the kernel takes itself. Their order does not
/// matter.
///
///     const auto plan = team_policy(exec, problems, uses<TeamContract<"bik,bkj->bij">>(A, B, C),
///                                   uses<TeamLU<Member>>(C));
///     const TeamProblems all = plan;
///     parallel_for(plan.policy, KOKKOS_LAMBDA(const Member& member) {
///       const auto mine = problems_of(member, all);  // for subview
///       ...
///     });
///
/// With Team and TeamVector calls a team works on several problems if all calls take a batch, and
/// on one problem otherwise. With Vector and Serial calls each thread of a team has its own
/// problems: parallel_for(TeamThreadRange(member, mine.first, mine.second), ...). Calls of Team
/// level and calls of Vector level in one kernel get teams without vector lanes.
///
/// Some inputs of a contraction may be the same for all problems. They have no letter for the
/// problems: `uses<TeamContract<"eab,yb,xa->exy">>(V, shared(B), shared(B), W)`. All steps of such
/// a call may multiply the tensors by small static matrices. A team of a GPU then has a thread for
/// each line of the tensors.
///
/// With a TeamTile or TeamVectorTile a problem is a tile. A team has one tile, and as many workers
/// as the tile needs. With a SerialTile each thread has one tile, and a team of a GPU has as many
/// tiles as threads.
///
/// The scratch memory is the sum of three parts. The first is the most that a call needs for
/// itself: contractions of more than two inputs, and tiles of teams of a GPU. The second is the
/// tiles that are in memory, each type once, at Tile::scratch_level(). The third is user_scratch. A
/// team gets no more problems than fit into the memory of level 0. On a GPU that is the part of
/// shared memory that no call takes for copies of its inputs. A product of a matrix that the kernel
/// factors counts as one into scratch memory if user_scratch has room for it.
///
/// Throws std::invalid_argument in these cases:
///
///   - An operand has another number of problems, or an extent above 2^31 - 1024.
///   - `problems` is negative.
///   - Tiles need teams of different sizes.
///   - There is not enough memory for a team of one problem.
template <class Space, class... Arguments>
  requires(Kokkos::is_execution_space_v<Space>)
TeamPlan<Space> team_policy(const Space& exec, int problems, const Arguments&... arguments) {
  static_assert(((Impl::is_uses<Arguments> || std::is_same_v<Arguments, user_scratch>) && ...),
                "KokkosContract: the arguments of team_policy are (exec, problems, then "
                "uses<Op>(operands...) for each call, and perhaps user_scratch{...})");
  if (problems < 0) {
    throw std::invalid_argument("KokkosContract: team_policy: the number of problems is negative");
  }
  Impl::Demand demands[sizeof...(Arguments) + 1];
  int count = 0;
  user_scratch scratch{};
  const auto add = [&](const auto& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, user_scratch>) {
      scratch.bytes_per_team += argument.bytes_per_team;
      scratch.bytes_per_thread += argument.bytes_per_thread;
      scratch.bytes_per_problem += argument.bytes_per_problem;
    } else {
      demands[count++] = argument.template demand<Space>(problems);
    }
  };
  (add(arguments), ...);

  const Impl::UserBytes user{static_cast<double>(scratch.bytes_per_team),
                             static_cast<double>(scratch.bytes_per_thread),
                             static_cast<double>(scratch.bytes_per_problem)};
  const Impl::TeamShape shape = Impl::team_shape(exec, demands, count, problems, user);
  const Impl::TeamBytes bytes = Impl::team_bytes(demands, count, shape, user);
  for (int level = 0; level < 2; ++level) {
    Impl::require_room(
        bytes.team[level] + bytes.thread[level] * static_cast<std::size_t>(shape.threads),
        Kokkos::TeamPolicy<Space>::scratch_size_max(level), shape.problems, level);
  }
  return TeamPlan<Space>(exec, problems, shape, bytes);
}

/// Short form for a kernel of one call.
template <class Op, class Space, class... Operands>
  requires(Impl::Callable<Op> && Kokkos::is_execution_space_v<Space>)
TeamPlan<Space> team_policy(const Space& exec, int problems, const Operands&... operands) {
  return team_policy(exec, problems, uses<Op>(operands...));
}

/// The problems [first, second) of this team, for Kokkos::subview and TeamThreadRange.
template <Impl::TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::pair<int, int> problems_of(const Member& member,
                                                               TeamProblems all) {
  const int first = static_cast<int>(member.league_rank()) * all.problems_per_team;
  const int left = all.problems - first;
  return {first, left < all.problems_per_team ? all.problems : first + all.problems_per_team};
}

/// Tells the compiler that a block works on one team; called at the beginning of a functor that
/// Kokkos::parallel_for runs with a TeamPolicy. On a GPU there is a block for each team, but
/// Kokkos' kernel has a loop over teams, which this call removes. A compiler would keep what does
/// not depend on the team in registers throughout such a loop. Examples are the entries of small
/// matrices, which are more than there are registers. The program ends if a block has more than one
/// team, as in a parallel_reduce over many teams. The call does nothing on a host.
template <Impl::TeamMember Member>
KOKKOS_FORCEINLINE_FUNCTION void one_team_per_block([[maybe_unused]] const Member& member) {
  KOKKOS_IF_ON_DEVICE(
      (const int next = member.league_rank() + Impl::DeviceMachine::blocks_of_grid();
       if (next < member.league_size()) Impl::DeviceMachine::end_program();))
}

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

template <class Space>
struct std::tuple_size<KokkosContract::TeamPlan<Space>> : std::integral_constant<std::size_t, 2> {};
template <class Space>
struct std::tuple_element<0, KokkosContract::TeamPlan<Space>> {
  using type = const Kokkos::TeamPolicy<Space>&;
};
template <class Space>
struct std::tuple_element<1, KokkosContract::TeamPlan<Space>> {
  using type = const int&;
};

#endif
