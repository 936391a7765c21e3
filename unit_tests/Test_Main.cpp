// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#ifdef __SANITIZE_THREAD__
// Kokkos' atomic operations on floating-point numbers first read the old value as ordinary memory,
// and then compare and exchange it. A value that is out of date costs one more turn. The exchange
// itself stays checked.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
const char* __tsan_default_suppressions() {            // NOLINT(bugprone-reserved-identifier)
  return "race_top:desul::Impl::host_atomic_fetch_oper\n";
}
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
