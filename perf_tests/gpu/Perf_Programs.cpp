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

/// The best rates are of the largest launches: bytes of a program's data.
constexpr double program_bytes = batch_bytes;

template <class Program, class Launch>
void time_program(benchmark::State& state, const Program& program, const Launch& launch) {
  launch();
  if (!(program.worst_error() <= 1)) {
    state.SkipWithError("wrong result");
  } else {
    time_launches(state, program.flops(), program.bytes(), launch);
  }
}

/// f(program): the launch; make(n): the program.
template <class Make, class F>
void add_program(const std::string& path, const std::string& who, std::initializer_list<int> sizes,
                 const Make& make, const F& f) {
  for (const int n : sizes) {
    add_benchmark(path + "/right/" + who + "/" + std::to_string(n), [=](benchmark::State& state) {
      const auto program = make(n);
      time_program(state, program, [&] { f(program); });
    });
  }
}

template <class T>
void add_linear() {
  using Program = programs::EquivariantLinear<Space, T>;
  const std::string path = "Linear/" + type_name<T>();
  const auto make = [](int n) {
    return Program(static_cast<int>(program_bytes / Program::bytes_of_node(n)), n);
  };
  const std::initializer_list<int> sizes = {32, 64, 128};
  add_program(path, "dynamic/memory/contract", sizes, make, [](const Program& p) { p.contract(); });
  add_program(path, "dynamic/memory/Team", sizes, make, [](const Program& p) { p.in_teams(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "dynamic/memory/KK-Team", sizes, make,
              [](const Program& p) { p.template original<false>(); });
#endif
}

template <int Basis>
void add_least_squares() {
  using Program = programs::LeastSquares<Space, 3 * Basis, Basis>;
  const std::string path = "LeastSquares/double";
  const auto make = [](int) {
    return Program(static_cast<int>(program_bytes / Program::bytes_of_point));
  };
  add_program(path, "static/memory/Team", {Basis}, make, [](const Program& p) { p.one_kernel(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "static/memory/KK-Team", {Basis}, make, [](const Program& p) { p.original(); });
#endif
}

template <bool IsMatrix>
void add_products() {
  using Program = programs::SmallProducts<Space, IsMatrix>;
  const std::string path = IsMatrix ? "TeamGemm/double" : "TeamGemv/double";
  const auto make = [](int n) {
    return Program(n, static_cast<int>(program_bytes / Program::bytes_of_problem(n)));
  };
  const std::initializer_list<int> sizes = {2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64};
  add_program(path, "dynamic/memory/ported", sizes, make, [](const Program& p) { p.ported(); });
  add_program(path, "dynamic/memory/Team", sizes, make, [](const Program& p) { p.batched(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "dynamic/memory/KK-Team", sizes, make,
              [](const Program& p) { p.template original<false>(); });
#endif
}

const Registered registered([] {
  add_linear<double>();
  add_linear<float>();
  add_least_squares<10>();
  add_least_squares<20>();
  add_products<true>();
  add_products<false>();
});

}  // namespace
