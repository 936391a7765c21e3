// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of other people's programs (../Programs.hpp), beside what they call of Kokkos Kernels, each
// a kernel of its own, as the program has it; PLACE is where the data of all problems stays.
//   Linear   linear layers of an equivariant network; n channels
//     contract   a contraction of all nodes for each l, from the host
//     Team       several nodes a team
//     KK-...     TeamGemm for a node and an l, by either algorithm
//   LeastSquares   moving least squares for points; n functions in the basis, 3 n neighbours
//     Team       several points a team, in one kernel
//     KK-Team    a point a team: loops, TeamLU and TeamTrsv
//   TeamGemm, TeamGemv   n x n matrices, extents at run time
//     ported     a problem a team, as the original
//     Team       several problems a team
//     KK-...     the original, by either algorithm
#include <memory>

#include "../Programs.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;

/// Whether results are right is looked at once, because that takes longer than to time them.
template <class Program, class Launch>
void time_program(benchmark::State& state, const Program& program, const Launch& launch,
                  bool& is_right) {
  launch();
  Kokkos::fence();
  is_right = is_right || program.worst_error() <= 1;
  if (!is_right) return state.SkipWithError("wrong result");
  const Work work{program.flops(), program.bytes()};
  const int sweeps = sweeps_of(1, work);
  for (auto _ : state) {
    for (int s = 0; s < sweeps; ++s) launch();
    Kokkos::fence();
  }
  count(state, sweeps, work);
}

struct Harness {
  using Space = perf::Space;
  template <class T>
  static std::string type_name() {
    return perf::type_name<T>();
  }
  static constexpr const char* program_place = "L3";
  static constexpr const char* batch_place = "L2";
  static constexpr double program_bytes = 16e6;  // not in L2, but in the last cache
  static int batch_size(double bytes_of_problem) {
    return perf::batch_size(in_l2, bytes_of_problem);
  }
  template <class Make, class Launch>
  static void add(const std::string& name, const Make& make, const Launch& launch) {
    const auto is_right = std::make_shared<bool>(false);
    add_benchmark(name, [=](benchmark::State& state) {
      const auto program = make();
      time_program(state, program, [&] { launch(program); }, *is_right);
    });
  }
  template <class F>
  static void for_algorithms(const F& f) {
    f.template operator()<false>("KK-unblocked");
    f.template operator()<true>("KK-blocked");
  }
};

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  programs::Cases<Harness>::add_all();
});

}  // namespace
