// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Levels.hpp"

namespace KokkosContract::Test {

Codes Detail::new_codes(int problems) {
  Codes codes("codes", 3 * problems);
  auto host = Kokkos::create_mirror_view(codes);
  for (int p = 0; p < problems; ++p) {
    host(3 * p) = 1 << 30;
    host(3 * p + 1) = -(1 << 30);
    host(3 * p + 2) = 0;
  }
  Kokkos::deep_copy(codes, host);
  return codes;
}

std::vector<int> Detail::collect(const Codes& codes) {
  auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, codes);
  std::vector<int> result;
  for (std::size_t p = 0; p < host.extent(0) / 3; ++p) {
    EXPECT_GT(host(3 * p + 2), 0) << "nobody worked on problem " << p;
    EXPECT_EQ(host(3 * p), host(3 * p + 1)) << "workers return different codes, problem " << p;
    result.push_back(host(3 * p));
  }
  return result;
}

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace Detail {
template std::vector<int> launch_serial(int, const KernelFunctor<SerialCaller>&);
template std::vector<int> launch_team<OfVector>(const KernelFunctor<VectorCaller<Member>>&, int,
                                                int, const Configuration&, const ScratchBytes&);
template std::vector<int> launch_team<OfTeam>(const KernelFunctor<TeamCaller<Member>>&, int, int,
                                              const Configuration&, const ScratchBytes&);
template std::vector<int> launch_team<OfTeamVector>(const KernelFunctor<TeamVectorCaller<Member>>&,
                                                    int, int, const Configuration&,
                                                    const ScratchBytes&);
}  // namespace Detail
#endif

std::vector<int> Threads::launch(const Configuration& configuration, int problems,
                                 const ThreadFunctor& functor, const std::vector<Watched>& watched,
                                 ScratchBytes) {
  DelayedBarrier barrier(configuration.team, Random().bits());
  const ThreadRun run = run_threads(barrier, configuration.team, problems, functor, watched);
  const std::vector<char> expected = watched_bytes(watched, problems);
  for (int rank = 0; rank < configuration.team; ++rank) {
    EXPECT_EQ(run.codes[rank], run.codes[0]) << "workers return different codes";
    EXPECT_EQ(run.barriers[rank], run.barriers[0]) << "workers meet different barriers";
    EXPECT_TRUE(run.seen[rank] == expected)
        << "worker " << rank << " does not see the whole result when the call returns";
  }
  return run.codes[0];
}

}  // namespace KokkosContract::Test
