// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of packs, with Kokkos Kernels beside them.
#include "Gemm.hpp"

namespace {

using namespace perf;
using Double4 = KokkosContract::Pack<double, 4>;
using Float8 = KokkosContract::Pack<float, 8>;

const Registered registered([] {
  for_each_width(AllWidths{}, []<int N>() {
    constexpr int streaming = N <= 8 || N == 16 ? in_memory : 0;
    constexpr int all = in_l1 | in_l2 | streaming;
    add_moves(type_name<Double4>(), N, all, gemm_work<Double4>(N));
    add<Who::serial, Double4, Right, Extents::fixed, N>(N, all);
    add<Who::serial, Double4, Right, Extents::dynamic, 0>(N, in_l1 | in_l2);
    add_peers<Double4, Right, N>(all);
    add<Who::unit_loop, Double4, Right, Extents::fixed, N>(N, in_l2);
  });
  for_each_width(SomeWidths{}, []<int N>() {
    add_moves(type_name<Float8>(), N, in_l1 | in_l2, gemm_work<Float8>(N));
    add<Who::serial, Float8, Right, Extents::fixed, N>(N, in_l1 | in_l2);
    add<Who::serial, Float8, Right, Extents::dynamic, 0>(N, in_l2);
    add_peers<Float8, Right, N>(in_l2);
    add<Who::serial, Double4, Left, Extents::fixed, N>(N, in_l2);
  });
});

}  // namespace
