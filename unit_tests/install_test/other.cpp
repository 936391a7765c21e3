// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>

int product_of_other_translation_unit(const Kokkos::View<double**, Kokkos::HostSpace>& c) {
  const Kokkos::View<double**, Kokkos::HostSpace> d("d", 2, 2);
  if (KokkosContract::SerialContract<"ij,jk->ik">::invoke(1.0, c, c, 0.0, d) != 0) return 3;
  return d(0, 1) == 288.0 ? 0 : 4;
}
