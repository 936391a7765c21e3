// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A description, in words, of how a string runs.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Explain.hpp>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "../Example.hpp"

using namespace example;

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  // [explain]
  using KokkosContract::fix_packed;
  const Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", 6, 6, 8);
  const Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> C("C", 6, 6, 8);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> B("B", 8, 8);
  KokkosContract::explain<"ijk,kl->ijl">(std::cout, fix_packed<6, 6, 8>(A), fix_packed<8, 8>(B),
                                         fix_packed<6, 6, 8>(C));
  // [/explain]

  // An algorithm other than the library's choice.
  Kokkos::deep_copy(A, 1.0);
  Kokkos::deep_copy(B, 0.5);
  // [way]
  using KokkosContract::Way;
  const int code =
      KokkosContract::SerialContract<"ijk,kl->ijl", Way::tiles>::invoke(1.0, A, B, 0.0, C);
  // [/way]
  const bool is_right = code == 0 && C(5, 5, 7) == 4.0;

  std::ostringstream text;
  KokkosContract::explain<"ijk,kl->ijl">(text, A, B, C);
  const bool counts = text.str().find("flops: 4608") != std::string::npos;  // 2 * 6 * 6 * 8 * 8

  bool throws = false;
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> D("D", 7, 8);
  try {
    KokkosContract::explain<"ijk,kl->ijl">(text, A, D, C);
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << "\n";
    throws = true;
  }
  return check("the way that was asked for", is_right ? 0 : 1) +
         check("flops are counted", counts ? 0 : 1) + check("two extents", throws ? 0 : 1);
}
