// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, factors and solves with the mass matrix of every element of a curved hexahedral mesh. One
// version is a single kernel, in which everything between the node coordinates and the solution
// stays in scratch memory. The other has a kernel per step, as with a batched library. The program
// prints how much of the machine's bounds each reaches, and checks the results against exact ones.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../MachineBounds.hpp"
#include "../Options.hpp"
#include "Checks.hpp"
#include "ElementPipeline.hpp"
#include "Mesh.hpp"

#ifndef FUSED_ELEMENT_PIPELINE_MESH  // CMake knows the path
#define FUSED_ELEMENT_PIPELINE_MESH "curved_box.msh"
#endif

namespace {

using namespace example;

// --- Options
// --------------------------------------------------------------------------------------

constexpr const char* committed_mesh = FUSED_ELEMENT_PIPELINE_MESH;
constexpr double committed_volume = 563.0 / 45.0;  // derived in curved_box.geo
constexpr int largest_refinement = 8;

struct Options {
  std::string mesh = committed_mesh;
  int order = 2;
  std::optional<int> refine;
  std::optional<double> volume = committed_volume;
  int repeat = 5;
};

std::string usage() {
  return std::string() +
         "Usage: fused_element_pipeline [OPTION...]\n"
         "\n"
         "  --mesh FILE    hexahedra in Gmsh's format 4.1, ASCII\n"
         "                 (default: " +
         committed_mesh +
         ")\n"
         "  --volume V     the mesh's exact volume, if known\n"
         "  --order P      order of the elements, 1 to 4 (default: 2)\n"
         "  --refine R     cut each element into 2^R in each direction, 0 to " +
         std::to_string(largest_refinement) +
         "\n"
         "                 (default: as often as all data fits into 2 GiB)\n"
         "  --repeat N     run N times and print the shortest times (default: 5)\n"
         "  --help         print this\n"
         "\n"
         "Options of Kokkos work too, for example --kokkos-num-threads=2 (see --kokkos-help).\n"
         "The status is 0 if all checks pass, 1 if one fails, 2 if an option or the mesh is bad.\n";
}

// --- Work of an element
// ---------------------------------------------------------------------------

template <int Order>
struct ElementWork {
  using Pipeline = ElementPipeline<Order>;
  static constexpr double n = Pipeline::unknowns, nq = Pipeline::points, ng = Pipeline::nodes;

  static constexpr Work geometry{2 * 4 * 3 * ng * nq + 16 * nq, 3 * ng + 2 * nq};
  static constexpr Work matrix{nq * n + 2 * nq * n * n, nq + n* n};
  static constexpr Work load{2 * nq * n, nq + n};
  // Step k divides m = n - 1 - k entries and updates m^2: the sum of m + 2 m^2.
  static constexpr Work factor{n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3, 2 * n* n};
  static constexpr Work forward{n * (n - 1), n*(n - 1) / 2 + 2 * n};
  static constexpr Work backward{n * n, n*(n + 1) / 2 + 2 * n};

  static constexpr double flops =
      geometry.flops + matrix.flops + load.flops + factor.flops + forward.flops + backward.flops;
  static constexpr Work separate{flops, geometry.words + matrix.words + load.words + factor.words +
                                            forward.words + backward.words};
  static constexpr Work fused{flops, 3 * ng + n};  // node coordinates in, solution out
};

// --- Report
// ---------------------------------------------------------------------------------------

class Report {
 public:
  /// Prints and remembers whether value <= most.
  void check(const char* what, double value, double most) {
    const bool good = value <= most;  // false for a NaN
    std::printf("  %-58s %9.2e <= %7.1e  %s\n", what, value, most, good ? "ok" : "FAILED");
    all_good_ = all_good_ && good;
  }
  bool all_good() const { return all_good_; }

 private:
  bool all_good_ = true;
};

// --- The run
// --------------------------------------------------------------------------------------

/// How often the mesh can be refined if all arrays of the pipeline take 2 GiB.
template <int Order>
int default_refinement(std::size_t elements) {
  const double most = 2.0 * (1 << 30) / ElementPipeline<Order>::bytes_per_element;
  int refinement = 0;
  while (refinement < largest_refinement &&
         std::ldexp(static_cast<double>(elements), 3 * (refinement + 1)) <= most)
    ++refinement;
  return refinement;
}

/// \return whether all checks passed
template <int Order>
bool run(const Options& options) {
  using Pipeline = ElementPipeline<Order>;
  using ElementWork = ElementWork<Order>;

  const Mesh mesh = read_gmsh(options.mesh);
  const int refinement = options.refine.value_or(default_refinement<Order>(mesh.size()));
  if (std::ldexp(static_cast<double>(mesh.size()), 3 * refinement) > INT_MAX)
    throw std::invalid_argument("option --refine: too many elements");

  Pipeline pipeline(mesh, refinement);
  const int elements = pipeline.elements();
  std::printf("Mesh %s: %zu hexahedra, refined %d times: %d elements\n", options.mesh.c_str(),
              mesh.size(), refinement, elements);
  std::printf("Order %d: %d unknowns and %d quadrature points an element\n", Order,
              Pipeline::unknowns, Pipeline::points);

  const auto time = [&](double& shortest, auto step) {
    Kokkos::fence();
    const Kokkos::Timer timer;
    pipeline.run(step);
    Kokkos::fence();
    shortest = std::min(shortest, timer.seconds());
  };
  MachineBounds bounds = measure_machine_bounds();
  constexpr double never = std::numeric_limits<double>::max();
  double fused = never, geometry = never, matrix = never, load = never, factor = never,
         forward = never, backward = never;
  for (int repetition = 0; repetition < options.repeat; ++repetition) {
    time(fused, typename Pipeline::Fused());
    time(geometry, typename Pipeline::Geometry());
    time(matrix, typename Pipeline::Matrix());
    time(load, typename Pipeline::Load());
    time(factor, typename Pipeline::Factor());
    time(forward, typename Pipeline::Forward());
    time(backward, typename Pipeline::Backward());
  }
  bounds = measure_machine_bounds_again(bounds);
  const double separate = geometry + matrix + load + factor + forward + backward;

  bounds.print();
  std::printf("\n");

  constexpr int width = 12;
  const auto print_row = [&](const char* name, double seconds, const Work& work) {
    print_rates(width, name, seconds, work, elements, bounds);
  };
  print_rates_header(width);
  std::printf("One kernel a step\n");
  print_row("geometry", geometry, ElementWork::geometry);
  print_row("matrix", matrix, ElementWork::matrix);
  print_row("load", load, ElementWork::load);
  print_row("factor", factor, ElementWork::factor);
  print_row("forward", forward, ElementWork::forward);
  print_row("backward", backward, ElementWork::backward);
  print_row("total", separate, ElementWork::separate);
  std::printf("One kernel\n");
  print_row("fused", fused, ElementWork::fused);
  std::printf("Fused is %.2f times as fast.\n\n", separate / fused);

  // The separate kernels have overwritten M and b: keep their solution and make both again.
  const DeviceArray<double * [Pipeline::unknowns]> x_separate("x_separate", elements);
  Kokkos::deep_copy(x_separate, pipeline.b);
  pipeline.run(typename Pipeline::Matrix());
  pipeline.run(typename Pipeline::Load());
  const Quality fused_quality = assess(pipeline, pipeline.x);
  const Quality separate_quality = assess(pipeline, x_separate);
  int singular = 0;
  Kokkos::deep_copy(singular, pipeline.singular);

  std::printf("Checks\n");
  Report report;
  const double by_quadrature = volume(mesh, 3);
  const double exact = options.volume.value_or(volume(mesh, 5));
  report.check(options.volume ? "volume of the mesh, relative to the exact one"
                              : "volume of the mesh, relative to finer quadrature",
               std::abs(by_quadrature - exact) / exact, 1e-12);
  report.check("sum of 1^T M 1, relative to that volume",
               std::abs(fused_quality.volume - exact) / exact, 1e-12);
  report.check("elements with a zero pivot", singular, 0);
  std::printf("  fused: residual |M x - b| / (|M| |x| + |b|) %.2e, |x - f| at the nodes %.2e\n",
              fused_quality.residual, fused_quality.interpolation);
  report.check("  residual, part of its rounding bound", fused_quality.residual_of_bound, 1);
  report.check("  |x - f|, part of its rounding bound", fused_quality.interpolation_of_bound, 1);
  std::printf("  separate: residual %.2e, |x - f| at the nodes %.2e\n", separate_quality.residual,
              separate_quality.interpolation);
  report.check("  residual, part of its rounding bound", separate_quality.residual_of_bound, 1);
  report.check("  |x - f|, part of its rounding bound", separate_quality.interpolation_of_bound, 1);
  report.check("fused and separate solutions, relative difference",
               relative_difference(pipeline.x, x_separate), 1e-12);
  std::printf(report.all_good() ? "All checks passed.\n" : "A check FAILED.\n");
  return report.all_good();
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    using namespace option;
    Options options;
    if (const auto status = read_options(
            argc, argv, usage().c_str(),
            {{"--mesh", {text(options.mesh)}, [&] { options.volume.reset(); }},
             {"--volume", {number(options.volume, std::numeric_limits<double>::min())}},
             {"--order", {number(options.order, 1, 4)}},
             {"--refine", {number(options.refine, 0, largest_refinement)}},
             {"--repeat", {number(options.repeat, 1, 1000000)}}}))
      return *status;
    const Kokkos::ScopeGuard kokkos(argc, argv);
    bool good = false;
    switch (options.order) {  // the extents of the kernels are compile-time constants
      case 1:
        good = run<1>(options);
        break;
      case 2:
        good = run<2>(options);
        break;
      case 3:
        good = run<3>(options);
        break;
      case 4:
        good = run<4>(options);
        break;
    }
    return good ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "fused_element_pipeline: %s; see --help\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fused_element_pipeline: %s\n", error.what());
  }
  return 2;
}
