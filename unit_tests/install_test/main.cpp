// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosContract.hpp>
#include <KokkosContract/Version.hpp>
#include <Kokkos_Core.hpp>

int product_of_other_translation_unit(const Kokkos::View<double**, Kokkos::HostSpace>& c);

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::View<double**, Kokkos::HostSpace> a("a", 2, 2), b("b", 2, 2), c("c", 2, 2);
  Kokkos::deep_copy(a, 2.0);
  Kokkos::deep_copy(b, 3.0);
  if (KokkosContract::SerialContract<"ij,jk->ik">::invoke(1.0, a, b, 0.0, c) != 0) return 1;
  if (c(1, 0) != 12.0) return 2;
  return product_of_other_translation_unit(c);
}
