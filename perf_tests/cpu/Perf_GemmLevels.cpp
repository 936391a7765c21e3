// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One product at every level and in plain loops: no level should be slower than a loop.
#include "Gemm.hpp"

namespace {

using namespace perf;

template <class T, class Layout, Extents E, int N>
void add_loops(int n) {
  add<Who::loop, T, Layout, E, N>(n, in_l2);
  add<Who::unit_loop, T, Layout, E, N>(n, in_l2);
}

template <class T, class Layout, Extents E, int N>
void add_teams(int n) {
  add<Who::vector, T, Layout, E, N>(n, in_l2);
  add<Who::team, T, Layout, E, N>(n, in_l2);
  add<Who::team_vector, T, Layout, E, N>(n, in_l2);
}

template <class T, class Layout>
void add_type() {
  for_each_width(std::integer_sequence<int, 2, 3, 4, 8, 16, 32>{}, []<int N>() {
    add_loops<T, Layout, Extents::dynamic, 0>(N);
    add_teams<T, Layout, Extents::dynamic, 0>(N);
    add_loops<T, Layout, Extents::fixed, N>(N);
    if constexpr (N == 3 || N == 8) add_teams<T, Layout, Extents::fixed, N>(N);
    if constexpr (std::is_same_v<T, double>) {
      add_loops<T, Layout, Extents::packed, N>(N);
      add<Who::serial, T, Layout, Extents::packed, N>(N, in_l2);
    }
  });
}

const Registered registered([] {
  add_type<double, Right>();
  add_type<double, Left>();
  add_type<float, Right>();
  add_type<KokkosContract::Pack<double, 4>, Right>();
});

}  // namespace
