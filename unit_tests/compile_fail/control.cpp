// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control of the compile-fail tests: a source that compiles with their flags, and is reported
// when it is taken for one that must not.
#include <KokkosContract/Version.hpp>
#include <Kokkos_Core.hpp>

int main() { return KOKKOSCONTRACT_VERSION > 0 ? 0 : 1; }
