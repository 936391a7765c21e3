// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control of the compile check for GPUs: a team kernel of plain Kokkos, which must become
// device code.
#include "Device.hpp"

void launch(const Kokkos::View<double**, Device::memory_space>& rows,
            const Kokkos::View<double*, Device::memory_space>& sums) {
  Kokkos::parallel_for(
      Policy(rows.extent_int(0), 4, 32), KOKKOS_LAMBDA(const Member& member) {
        const int row = member.league_rank();
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(member, rows.extent_int(1)),
            [&](int j, double& s) { s += rows(row, j); }, sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] { Kokkos::atomic_add(&sums(row), sum); });
      });
}
