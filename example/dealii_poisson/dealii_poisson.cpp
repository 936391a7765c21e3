// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator of step-64 of deal.II's tutorial, -div grad u + a u, applied in two ways by deal.II
// and in three by this library in deal.II's loops over cells: on one mesh, with one result, and
// with the rate of each.
#include "Vectorization.hpp"
// deal.II's own headers come behind it.
#include <deal.II/base/mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "../Options.hpp"
#include "Solve.hpp"

namespace {

using namespace example;

constexpr const char* usage =
    "Usage: dealii_poisson [OPTION...]\n"
    "\n"
    "  --degree P     degree of the elements, 1 to 8 (default: all of them)\n"
    "  --unknowns N   most unknowns of the mesh (default: 100000)\n"
    "  --cube         a cube of cubes, not a curved one\n"
    "  --repeat R     repetitions of the timings (default: 21)\n"
    "  --csv FILE     append the rates there, as lines of perf_tests/results\n"
    "  --help         print this\n"
    "\n"
    "The status is 0 if all results agree to 1e-12 and all solutions take the same iterations, 1\n"
    "if not, 2 if an option is bad. Start it by mpirun for several processes.\n";

struct Options {
  std::optional<int> degree;
  double unknowns = 100000;
  std::string csv;
  Run run;
};

constexpr std::array solvers = {solve<1>, solve<2>, solve<3>, solve<4>,
                                solve<5>, solve<6>, solve<7>, solve<8>};

bool run(const Options& options, bool talks) {
  std::FILE* csv = talks && !options.csv.empty() ? std::fopen(options.csv.c_str(), "a") : nullptr;
  bool passed = true;
  if (talks)
    std::printf("-div grad u + a u on a %scube; bits of a VectorizedArray: %d, deal.II's own: %d\n",
                options.run.curved ? "curved " : "", DEAL_II_VECTORIZATION_WIDTH_IN_BITS,
                bits_of_library);
  for (int degree = 1; degree <= static_cast<int>(solvers.size()); ++degree) {
    if (options.degree && *options.degree != degree) continue;
    Run run = options.run;
    run.cells = std::max(1, static_cast<int>((std::cbrt(options.unknowns) - 1) / degree));
    const Result result = solvers[degree - 1](run);
    if (talks)
      std::printf("\ndegree %d, %u cells, %u unknowns\n%-42s %9s %9s %10s\n", degree, result.cells,
                  result.unknowns, "", "MDoF/s", "CG steps", "difference");
    for (std::size_t w = 0; w < who.size(); ++w) {
      const bool good =
          result.difference[w] <= 1e-12 && result.iterations[w] == result.iterations[0];
      passed = passed && good;
      if (!talks) continue;
      auto rates = result.seconds[w];
      for (double& rate : rates) rate = 1e-6 * result.unknowns / rate;
      std::sort(rates.begin(), rates.end());
      const double median = rates[rates.size() / 2];
      std::printf("%-42s %9.2f %9u %10.1e%s\n", who[w].words, median, result.iterations[w],
                  result.difference[w], good ? "" : "  FAILED");
      if (csv != nullptr)
        std::fprintf(csv, "Helmholtz,double,static,packed,%s,%s,%d,MDoF/s,%.4g,%.4g,%.4g,%zu\n",
                     options.run.curved ? "curved" : "cube", who[w].name, degree, median,
                     rates.front(), rates.back(), rates.size());
    }
  }
  if (csv != nullptr) std::fclose(csv);
  return passed;
}

}  // namespace

int main(int argc, char* argv[]) {
  Options options;
  if (const auto status =
          read_options(argc, argv, usage,
                       {{"--degree", {option::number(options.degree, 1, 8)}},
                        {"--unknowns", {option::number(options.unknowns, 27., 1e8)}},
                        {"--cube", {}, [&] { options.run.curved = false; }},
                        {"--repeat", {option::number(options.run.repetitions)}},
                        {"--csv", {option::text(options.csv)}}}))
    return *status;
  int arguments = 1;  // PETSc would look for its options among ours.
  const dealii::Utilities::MPI::MPI_InitFinalize environment(arguments, argv, 1);
  const bool talks = dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0;
  return run(options, talks) ? 0 : 1;
}
