// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels as types of typed tests. Each launches a functor
//
//     template <class Level> KOKKOS_FUNCTION int operator()(const Level& level, int problem) const;
//
// for several problems with as many workers as a configuration says, and collects the returned
// codes.
#pragma once

#include <gtest/gtest.h>

#include <KokkosContract/machine/Tuned.hpp>
#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

#include "Callers.hpp"
#include "FunctionRef.hpp"
#include "Random.hpp"
#include "ThreadLevel.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "EmulatedLevels.hpp"
#endif

namespace KokkosContract::Test {

// --- Launching ----------------------------------------------------------------------------------

/// The codes of all workers, in three entries per problem: lowest, highest, count.
using Codes = Kokkos::View<int*, Kokkos::DefaultExecutionSpace>;

namespace Detail {

KOKKOS_INLINE_FUNCTION void record(const Codes& codes, int problem, int code) {
  Kokkos::atomic_min(&codes(3 * problem + 0), code);
  Kokkos::atomic_max(&codes(3 * problem + 1), code);
  Kokkos::atomic_inc(&codes(3 * problem + 2));
}

using Member = Kokkos::TeamPolicy<>::member_type;

template <class Functor>
struct SerialLaunch {
  Functor functor;
  Codes codes;
  KOKKOS_FUNCTION void operator()(int problem) const {
    record(codes, problem, functor(SerialCaller{}, problem));
  }
};

// Each thread of a team has its own problems.
template <class Functor>
struct VectorLaunch {
  Functor functor;
  Codes codes;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int problems = static_cast<int>(codes.extent(0)) / 3;
    const int per_team = (problems + member.league_size() - 1) / member.league_size();
    const int begin = member.league_rank() * per_team;
    const int end = begin + per_team < problems ? begin + per_team : problems;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end), [&](int problem) {
      record(codes, problem, functor(VectorCaller<Member>{member}, problem));
    });
  }
};

template <class Functor, template <class> class Caller>
struct TeamLaunch {
  Functor functor;
  Codes codes;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int problem = member.league_rank();
    record(codes, problem, functor(Caller<Member>{member}, problem));
  }
};

constexpr bool on_host() {
  return Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                    Kokkos::DefaultExecutionSpace::memory_space>::accessible;
}

// The largest team, which is only queried if it depends on the kernel.
template <class Launch>
int largest_team(const Launch& launch, Kokkos::TeamPolicy<>& policy) {
  if constexpr (on_host()) {
    return Kokkos::DefaultExecutionSpace().concurrency();
  } else {
    return policy.team_size_max(launch, Kokkos::ParallelForTag{});
  }
}

Codes new_codes(int problems);
/// One code for each problem; fails the test if workers disagree.
std::vector<int> collect(const Codes& codes);

/// The functor of a kernel: on a host, whose kernels are compiled once in Levels.cpp, a reference
/// to the given one.
template <class Caller, class Functor>
auto in_kernel(const Functor& functor) {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  return functor;
#else
  return FunctionRef<int(const Caller&, int)>(functor);
#endif
}

template <class Functor>
std::vector<int> launch_serial(int problems, const Functor& functor) {
  const Codes codes = new_codes(problems);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<>(0, problems),
                       SerialLaunch<Functor>{functor, codes});
  Kokkos::fence();
  return collect(codes);
}

template <class Functor>
using OfVector = VectorLaunch<Functor>;
template <class Functor>
using OfTeam = TeamLaunch<Functor, TeamCaller>;
template <class Functor>
using OfTeamVector = TeamLaunch<Functor, TeamVectorCaller>;

/// One code for each problem, or none if the backend has no such team.
template <template <class> class Launch, class Functor>
std::vector<int> launch_team(const Functor& functor, int problems, int league,
                             const Configuration& configuration, const ScratchBytes& scratch) {
  const Launch<Functor> launch{functor, new_codes(problems)};
  Kokkos::TeamPolicy<> policy(league, 1, configuration.vector);
  const auto per_team = Kokkos::PerTeam(scratch.per_team);
  const auto per_thread = Kokkos::PerThread(scratch.per_thread);
  policy.set_scratch_size(0, per_team, per_thread);
  if (configuration.team > largest_team(launch, policy)) return {};
  policy = Kokkos::TeamPolicy<>(league, configuration.team, configuration.vector);
  policy.set_scratch_size(0, per_team, per_thread);
  Kokkos::parallel_for("test", policy, launch);
  Kokkos::fence();
  return collect(launch.codes);
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
template <class Caller>
using KernelFunctor = FunctionRef<int(const Caller&, int)>;
extern template std::vector<int> launch_serial(int, const KernelFunctor<SerialCaller>&);
extern template std::vector<int> launch_team<OfVector>(const KernelFunctor<VectorCaller<Member>>&,
                                                       int, int, const Configuration&,
                                                       const ScratchBytes&);
extern template std::vector<int> launch_team<OfTeam>(const KernelFunctor<TeamCaller<Member>>&, int,
                                                     int, const Configuration&,
                                                     const ScratchBytes&);
extern template std::vector<int> launch_team<OfTeamVector>(
    const KernelFunctor<TeamVectorCaller<Member>>&, int, int, const Configuration&,
    const ScratchBytes&);
#endif

}  // namespace Detail

// --- The types ----------------------------------------------------------------------------------

// `launch` returns the code of each problem, or none if the backend has no such team.

struct Serial {
  static constexpr const char* name = "Serial";
  using space = Kokkos::DefaultExecutionSpace;
  static std::vector<Configuration> configurations() { return {{1, 1}}; }
  template <class Functor>
  static std::vector<int> launch(const Configuration&, int problems, const Functor& functor,
                                 const std::vector<Watched>&, ScratchBytes = {}) {
    return Detail::launch_serial(problems, Detail::in_kernel<SerialCaller>(functor));
  }
};

struct Vector {
  static constexpr const char* name = "Vector";
  using space = Kokkos::DefaultExecutionSpace;
  static std::vector<Configuration> configurations() {
    if (Detail::on_host()) return {{1, 1}, {3, 1}};
    return {{1, 1}, {4, 4}, {3, 8}, {4, 32}};
  }
  template <class Functor>
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const Functor& functor, const std::vector<Watched>&,
                                 ScratchBytes scratch = {}) {
    return Detail::launch_team<Detail::OfVector>(
        Detail::in_kernel<VectorCaller<Detail::Member>>(functor), problems, (problems + 1) / 2,
        configuration, scratch);
  }
};

struct Team {
  static constexpr const char* name = "Team";
  using space = Kokkos::DefaultExecutionSpace;
  static std::vector<Configuration> configurations() {
    if (Detail::on_host()) return {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
    return {{1, 1}, {4, 1}, {32, 1}, {96, 1}};
  }
  template <class Functor>
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const Functor& functor, const std::vector<Watched>&,
                                 ScratchBytes scratch = {}) {
    return Detail::launch_team<Detail::OfTeam>(
        Detail::in_kernel<TeamCaller<Detail::Member>>(functor), problems, problems, configuration,
        scratch);
  }
};

struct TeamVector {
  static constexpr const char* name = "TeamVector";
  using space = Kokkos::DefaultExecutionSpace;
  static std::vector<Configuration> configurations() {
    if (Detail::on_host()) return {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
    return {{1, 1}, {1, 32}, {3, 4}, {4, 8}, {4, 32}};
  }
  template <class Functor>
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const Functor& functor, const std::vector<Watched>&,
                                 ScratchBytes scratch = {}) {
    return Detail::launch_team<Detail::OfTeamVector>(
        Detail::in_kernel<TeamVectorCaller<Detail::Member>>(functor), problems, problems,
        configuration, scratch);
  }
};

struct Threads {
  static constexpr const char* name = "Threads";
  using space = Kokkos::DefaultHostExecutionSpace;
  static std::vector<Configuration> configurations() { return {{3, 1}, {4, 1}, {7, 1}, {32, 1}}; }
  static std::vector<int> launch(const Configuration& configuration, int problems,
                                 const ThreadFunctor& functor, const std::vector<Watched>& watched,
                                 ScratchBytes = {});
};

// Levels is for tests of each level's own code. FewLevels is for tests of many types and sizes,
// which take long to compile. HeavyLevels is FewLevels where nvcc compiles kernels that take long,
// and else Levels. LaneLevels is FewLevels where a GPU's lanes have their own code.
// OtherLevels differ from one of Levels in little, or, on a host, only by name; they are for a few
// tests. WarpLevels have warps of another width, for a few tests of code in a GPU's lanes.
#if defined(KOKKOSCONTRACT_TEST_TSAN)
// The thread sanitizer takes the lanes of an emulated GPU for threads, too.
using Levels = testing::Types<Threads>;
using FewLevels = testing::Types<Threads>;
using LaneLevels = testing::Types<EmulatedTeam>;
using OtherLevels = testing::Types<EmulatedVector, EmulatedTeamVector>;
using WarpLevels = testing::Types<EmulatedTeamVector64>;
#elif defined(__SANITIZE_ADDRESS__)
// The address sanitizer does not know the emulated GPU's stacks.
using Levels = testing::Types<Serial, Team>;
using FewLevels = testing::Types<Team>;
using LaneLevels = FewLevels;
using OtherLevels = testing::Types<Vector>;
using WarpLevels = testing::Types<Vector>;
#elif defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using Levels = testing::Types<Serial, Vector, Team, TeamVector, Threads>;
using FewLevels = testing::Types<Serial, TeamVector>;
using LaneLevels = FewLevels;
using OtherLevels = testing::Types<Team>;
using WarpLevels = testing::Types<TeamVector>;
#elif defined(KOKKOSCONTRACT_TEST_EMULATED)
// These lists and those of the next branch make up the lists of the last branch.
using Levels = testing::Types<EmulatedTeamVector>;
using LaneLevels = testing::Types<EmulatedTeam>;
using OtherLevels = testing::Types<EmulatedVector>;
using WarpLevels = testing::Types<EmulatedTeamVector64, EmulatedVector64>;
#elif defined(KOKKOSCONTRACT_TEST_NOT_EMULATED)
using Levels = testing::Types<Serial, Team, Threads>;
using LaneLevels = testing::Types<Serial>;
using OtherLevels = testing::Types<Vector, Team, TeamVector>;
using WarpLevels = testing::Types<Vector>;
#else
using Levels = testing::Types<Serial, Team, EmulatedTeamVector, Threads>;
using FewLevels = testing::Types<Serial, Threads>;
using LaneLevels = testing::Types<Serial, EmulatedTeam>;
using OtherLevels = testing::Types<Vector, Team, TeamVector, EmulatedVector>;
using WarpLevels = testing::Types<EmulatedTeamVector64, EmulatedVector64>;
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using HeavyLevels = FewLevels;
#else
using HeavyLevels = Levels;
#endif

/// Problems of n rows of one call: more than a team takes at once, with one for each thread or for
/// each group of lanes.
constexpr int more_than_at_once(int n) { return n <= Impl::most_rows_of_thread ? 70 : 19; }

struct LevelNames {
  template <class Level>
  static std::string GetName(int) {
    return Level::name;
  }
};

}  // namespace KokkosContract::Test
