// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of double, with the other libraries beside them.
#include "Gemm.hpp"

namespace {

using namespace perf;

template <class Layout>
void add_layout() {
  for_each_width(AllWidths{}, []<int N>() {
    constexpr int streaming = N <= 8 || N == 16 ? in_memory : 0;
    add<Who::serial, double, Layout, Extents::fixed, N>(N, in_l1 | in_l2 | streaming);
    add<Who::serial, double, Layout, Extents::dynamic, 0>(N, in_l2 | streaming);
    add_peers<double, Layout, N>(in_l1 | in_l2 | streaming);
  });
}

const Registered registered([] {
  for_each_width(AllWidths{}, []<int N>() {
    add_moves("double", N, in_l1 | in_l2 | in_memory, gemm_work<double>(N));
  });
  add_layout<Right>();
  add_layout<Left>();
});

}  // namespace
