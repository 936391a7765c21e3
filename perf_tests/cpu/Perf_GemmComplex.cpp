// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of complex matrices, ordinary ones and of packs.
#include "Gemm.hpp"

namespace {

using namespace perf;
using Complex = Kokkos::complex<double>;
using Complex4 = KokkosContract::Pack<Complex, 4>;

template <class T>
void add_type() {
  for_each_width(std::integer_sequence<int, 3, 4, 5, 6, 7, 8, 11, 13, 16>{}, []<int N>() {
    add_moves(type_name<T>(), N, in_l1 | in_l2, gemm_work<T>(N));
    add<Who::serial, T, Right, Extents::fixed, N>(N, in_l1 | in_l2);
    add<Who::serial, T, Right, Extents::dynamic, 0>(N, in_l2);
    add<Who::unit_loop, T, Right, Extents::fixed, N>(N, in_l2);
  });
}

const Registered registered([] {
  add_type<Complex>();
  add_type<Complex4>();
});

}  // namespace
