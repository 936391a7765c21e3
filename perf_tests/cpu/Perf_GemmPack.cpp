// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of packs, compared with Kokkos Kernels.
#include "Gemm.hpp"

namespace {

using namespace perf;
// Packs as long as a register.
template <class T>
using NativePack = KokkosContract::Pack<T, KokkosContract::default_pack_length<T, Space>>;
using Doubles = NativePack<double>;
using Floats = NativePack<float>;

const Registered registered([] {
  for_each_width(AllWidths{}, []<int N>() {
    constexpr int streaming = N <= 8 || N == 16 ? in_memory : 0;
    constexpr int all = in_l1 | in_l2 | streaming;
    add_moves(type_name<Doubles>(), N, all, gemm_work<Doubles>(N));
    add<Who::serial, Doubles, Right, Extents::fixed, N>(N, all);
    add<Who::serial, Doubles, Right, Extents::dynamic, 0>(N, in_l1 | in_l2);
    add_peers<Doubles, Right, N>(all);
    add<Who::unit_loop, Doubles, Right, Extents::fixed, N>(N, in_l2);
  });
  for_each_width(SomeWidths{}, []<int N>() {
    add_moves(type_name<Floats>(), N, in_l1 | in_l2, gemm_work<Floats>(N));
    add<Who::serial, Floats, Right, Extents::fixed, N>(N, in_l1 | in_l2);
    add<Who::serial, Floats, Right, Extents::dynamic, 0>(N, in_l2);
    add_peers<Floats, Right, N>(in_l2);
    add<Who::serial, Doubles, Left, Extents::fixed, N>(N, in_l2);
  });
});

}  // namespace
