// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control of the CUDA compile check: a team kernel of plain Kokkos, which must become device
// code.
#include <Kokkos_Core.hpp>

#ifndef KOKKOS_ENABLE_CUDA
#error "this is not a CUDA build of Kokkos"
#endif

void launch(const Kokkos::View<double**, Kokkos::CudaSpace>& rows,
            const Kokkos::View<double*, Kokkos::CudaSpace>& sums) {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  Kokkos::parallel_for(
      Policy(rows.extent_int(0), 4, 32), KOKKOS_LAMBDA(const Policy::member_type& member) {
        const int row = member.league_rank();
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(member, rows.extent_int(1)),
            [&](int j, double& s) { s += rows(row, j); }, sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] { Kokkos::atomic_add(&sums(row), sum); });
      });
}
