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

/// Data of a program that is not in L2: in the last cache.
constexpr double program_bytes = 16e6;

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

/// f(program): the launch; make(n): the program.
template <class Make, class F>
void add_program(const std::string& path, const std::string& who, std::initializer_list<int> sizes,
                 const Make& make, const F& f) {
  for (const int n : sizes) {
    const auto is_right = std::make_shared<bool>(false);
    add_benchmark(path + "/right/" + who + "/" + std::to_string(n), [=](benchmark::State& state) {
      const auto program = make(n);
      time_program(state, program, [&] { f(program); }, *is_right);
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
  add_program(path, "dynamic/L3/contract", sizes, make, [](const Program& p) { p.contract(); });
  add_program(path, "dynamic/L3/Team", sizes, make, [](const Program& p) { p.in_teams(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "dynamic/L3/KK-unblocked", sizes, make,
              [](const Program& p) { p.template original<false>(); });
  add_program(path, "dynamic/L3/KK-blocked", sizes, make,
              [](const Program& p) { p.template original<true>(); });
#endif
}

template <int Basis>
void add_least_squares() {
  using Program = programs::LeastSquares<Space, 3 * Basis, Basis>;
  const std::string path = "LeastSquares/double";
  const auto make = [](int) {
    return Program(static_cast<int>(program_bytes / Program::bytes_of_point));
  };
  add_program(path, "static/L3/Team", {Basis}, make, [](const Program& p) { p.one_kernel(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "static/L3/KK-Team", {Basis}, make, [](const Program& p) { p.original(); });
#endif
}

template <bool IsMatrix>
void add_products() {
  using Program = programs::SmallProducts<Space, IsMatrix>;
  const std::string path = IsMatrix ? "TeamGemm/double" : "TeamGemv/double";
  const auto make = [](int n) {
    return Program(n, batch_size(in_l2, Program::bytes_of_problem(n)));
  };
  const std::initializer_list<int> sizes = {2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64};
  add_program(path, "dynamic/L2/ported", sizes, make, [](const Program& p) { p.ported(); });
  add_program(path, "dynamic/L2/Team", sizes, make, [](const Program& p) { p.batched(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  add_program(path, "dynamic/L2/KK-unblocked", sizes, make,
              [](const Program& p) { p.template original<false>(); });
  add_program(path, "dynamic/L2/KK-blocked", sizes, make,
              [](const Program& p) { p.template original<true>(); });
#endif
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_linear<double>();
  add_linear<float>();
  add_least_squares<10>();
  add_least_squares<20>();
  add_products<true>();
  add_products<false>();
});

}  // namespace
