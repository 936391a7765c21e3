// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of other people's programs (../Programs.hpp), beside what they call of Kokkos Kernels:
//   Linear   linear layers of an equivariant network; n channels
//     contract   a contraction of all nodes for each l, from the host
//     Team       several nodes a team
//     KK-Team    Kokkos Kernels' TeamGemm for a node and an l
//   LeastSquares   moving least squares for points; n functions in the basis, 3 n neighbours
//     Team       several points a team, in one kernel
//     KK-Team    a point a team: loops, TeamLU and TeamTrsv
//   TeamGemm, TeamGemv   n x n matrices, extents at run time
//     ported     a problem a team, as the original
//     Team       several problems a team
//     KK-Team    the original
#include "../Programs.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;

template <class Program, class Launch>
void time_program(benchmark::State& state, const Program& program, const Launch& launch) {
  launch();
  if (!(program.worst_error() <= 1)) {
    state.SkipWithError("wrong result");
  } else {
    time_launches(state, program.flops(), program.bytes(), launch);
  }
}

struct Harness {
  using Space = perf::Space;
  template <class T>
  static std::string type_name() {
    return perf::type_name<T>();
  }
  static constexpr const char* program_place = "memory";
  static constexpr const char* batch_place = "memory";
  static constexpr double program_bytes = batch_bytes;  // the best rates are of large launches
  static int batch_size(double bytes_of_problem) {
    return static_cast<int>(program_bytes / bytes_of_problem);
  }
  template <class Make, class Launch>
  static void add(const std::string& name, const Make& make, const Launch& launch) {
    add_benchmark(name, [=](benchmark::State& state) {
      const auto program = make();
      time_program(state, program, [&] { launch(program); });
    });
  }
  template <class F>
  static void for_algorithms(const F& f) {
    f.template operator()<false>("KK-Team");
  }
};

const Registered registered([] { programs::Cases<Harness>::add_all(); });

}  // namespace
