// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool of Kokkos Tools that prints regions and kernels, for the test of their labels.

#include <cstdint>
#include <cstdio>

extern "C" void kokkosp_push_profile_region(const char* name) { std::printf("push %s\n", name); }
extern "C" void kokkosp_pop_profile_region() { std::printf("pop\n"); }
extern "C" void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t*) {
  std::printf("begin %s\n", name);
}
