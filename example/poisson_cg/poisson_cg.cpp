// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson's equation, -div grad u = f with a known solution, on a curved hexahedral mesh, by
// elements of order 1 to 8. It is solved by conjugate gradients, and the operator is one
// matrix-free kernel. The program prints how the error falls as the mesh is refined, which must be
// with the power p + 1. It also prints how fast it was.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../Options.hpp"
#include "../Ranks.hpp"
#include "Bakeoff.hpp"
#include "Exchange.hpp"
#include "MultigridCheck.hpp"
#include "Solve.hpp"

#ifndef POISSON_CG_MESH  // CMake knows the path
#define POISSON_CG_MESH "curved_box.msh"
#endif

namespace {

using namespace example;

// --- Options
// --------------------------------------------------------------------------------------

constexpr int largest_refinement = 8;
constexpr int largest_order = 8;

struct Options {
  std::optional<std::string> mesh;
  int box = 1;
  std::optional<int> order;
  std::optional<int> refine;
  double unknowns = 100000;
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  bool check = false;
  std::string vtk, csv;
  bool quiet = false;
  std::optional<BakeoffProblem> problem;
  int iterations = 20;
};

/// The name of a bake-off problem.
OptionValue bakeoff_problem(std::optional<BakeoffProblem>& target) {
  return [&target](std::string_view name) -> std::optional<std::string> {
    for (const BakeoffProblem& problem : bakeoff_problems)
      if (problem.name == name) target = problem;
    if (target && target->name == name) return {};
    return "one of bp1 to bp6";
  };
}

std::string usage() {
  return std::string() +
         "Usage: poisson_cg [OPTION...]\n"
         "\n"
         "  --mesh FILE    hexahedra in Gmsh's format 4.1, ASCII; `curved' is the one beside the\n"
         "                 example fused_element_pipeline:\n"
         "                 " POISSON_CG_MESH
         "\n"
         "  --box N        a slightly curved cube of N^3 elements, 1 to 64 (default: 1)\n"
         "  --order P      order of the elements, 1 to " +
         std::to_string(largest_order) +
         " (default: all of them)\n"
         "  --refine R     cut each element into 2^R in each direction, and fewer before, 0 to " +
         std::to_string(largest_refinement) +
         "\n"
         "                 (default: as often as --unknowns allows)\n"
         "  --unknowns N   most unknowns of a mesh, without --refine (default: 100000)\n"
         "  --preconditioner NAME\n"
         "                 jacobi (default) or multigrid, through orders P, P / 2, ..., 1\n"
         "  --check        check multigrid and its parts instead, at --refine R and below\n"
         "  --vtk FILE     write the last solution of each order, for ParaView, with the order "
         "put\n"
         "                 before the name's extension\n"
         "  --csv FILE     write the table there too\n"
         "  --quiet        no progress\n"
         "  --problem NAME measure a bake-off problem of CEED instead: bp1 to bp6. --order,\n"
         "                 --unknowns, --mesh and --csv have the same meaning. With --refine R "
         "the\n"
         "                 mesh or --box is the only one\n"
         "  --iterations N of a bake-off problem (default: 20)\n"
         "  --help         print this\n"
         "\n"
         "Options of Kokkos work too, for example --kokkos-num-threads=2 (see --kokkos-help).\n"
         "The status is 0 if the errors fall as they must, 1 if not, 2 if an option or the mesh "
         "is\n"
         "bad.\n";
}

// --- The table
// ------------------------------------------------------------------------------------

constexpr std::array<ElementOrder, largest_order> element_orders = {
    element_order<1>, element_order<2>, element_order<3>, element_order<4>,
    element_order<5>, element_order<6>, element_order<7>, element_order<8>};

/// Reports the progress of an iteration, at most once a second.
class Progress {
 public:
  Progress(int order, int refinement, bool quiet)
      : order_(order), refinement_(refinement), quiet_(quiet) {}
  void operator()(int iteration, double residual) {
    if (quiet_ || timer_.seconds() < 1) return;
    timer_.reset();
    std::fprintf(stderr, "  order %d, refined %d times: iteration %d, residual %.1e\n", order_,
                 refinement_, iteration, residual);
  }

 private:
  int order_, refinement_;
  bool quiet_;
  Kokkos::Timer timer_;
};

std::string with_order(const std::string& path, int order) {
  const std::size_t slash = path.find_last_of('/');
  std::size_t dot = path.find_last_of('.');
  if (dot == path.npos || (slash != path.npos && dot < slash)) dot = path.size();
  return path.substr(0, dot) + "-" + std::to_string(order) + path.substr(dot);
}

/// The mesh, which must be the same on all ranks.
Mesh read_mesh(const Options& options, const Ranks& ranks) {
  Mesh mesh;
  ranks.together([&] { mesh = options.mesh ? read_gmsh(*options.mesh) : curved_box(options.box); });
  const std::string_view bytes(reinterpret_cast<const char*>(mesh.data()),
                               mesh.size() * sizeof(Hexahedron));
  const bool is_same = ranks.agree(std::to_string(std::hash<std::string_view>()(bytes)));
  ranks.together([&] {
    if (!is_same) throw std::runtime_error(*options.mesh + ": the ranks read different meshes");
  });
  return mesh;
}

/// Smaller errors, as a part of the solution, are those of the iteration, not of the elements.
constexpr double smallest_error = 1e-8;

/// \return whether the errors fall as they must
bool run(const Options& options, const Ranks& ranks) {
  const Mesh mesh = read_mesh(options, ranks);
  const std::string name = options.mesh ? *options.mesh : "curved cube";
  const MachineBounds bounds = measure_bounds_of_all(ranks);
  std::printf("-div grad u = f on %s, %zu hexahedra\n", name.c_str(), mesh.size());
  bounds.print();
  print_transport(ranks);
  std::printf(
      "\n                                                  CG             CG iteration        "
      "operator\n");
  std::printf(
      "order elements  unknowns       error order  iterations   s     MDOF/s of bound   "
      "MDOF/s of bound\n");
  std::FILE* csv = nullptr;
  if (!options.csv.empty()) {
    ranks.together([&] {
      csv = std::fopen(ranks.is_first() ? options.csv.c_str() : "/dev/null", "w");
      if (csv == nullptr) throw std::runtime_error(options.csv + ": cannot write this file");
    });
    std::fprintf(csv,
                 "order,elements,unknowns,error,iterations,seconds,iteration_mdofs,"
                 "iteration_of_bound,operator_mdofs,operator_of_bound\n");
  }

  bool good = true;
  const int last_order = options.order.value_or(largest_order);
  for (int order = options.order.value_or(1); order <= last_order; ++order) {
    const auto unknowns_of = [&](int refinement) {
      return estimated_unknowns(std::ldexp(static_cast<double>(mesh.size()), 3 * refinement),
                                order);
    };
    int last = options.refine.value_or(0);
    if (!options.refine)
      while (last < largest_refinement && unknowns_of(last + 1) <= options.unknowns) ++last;
    ranks.together([&] {
      if (unknowns_of(last) > INT_MAX / 4)
        throw std::invalid_argument("option --refine: too many unknowns");
    });
    // Two meshes show an order, and three show whether it is settled. One element of order 1 has no
    // unknowns.
    int first = std::max(0, last - 2);
    if (mesh.size() == 1 && order == 1 && last > 0) first = std::max(first, 1);
    while (first < last && std::ldexp(static_cast<double>(mesh.size()), 3 * first) < ranks.size())
      ++first;
    double before = 0, rate = std::numeric_limits<double>::quiet_NaN();
    for (int refinement = first; refinement <= last; ++refinement) {
      Progress progress(order, refinement, options.quiet || !ranks.is_first());
      const std::string vtk = refinement == last && !options.vtk.empty()
                                  ? with_order(options.vtk, order)
                                  : std::string();
      const auto part = part_of_rank(mesh, refinement, ranks);
      const Solution s = solve(ranks, *part, element_orders[order - 1], options.preconditioner, vtk,
                               std::ref(progress));
      if (!s.preconditioner.empty())
        std::printf("      multigrid set up in %.4f s: %s\n", s.setup_seconds,
                    s.preconditioner.c_str());
      const double iteration = s.seconds_per_iteration;
      const double iteration_bound = bounds.seconds(s.flops_per_iteration, s.bytes_per_iteration);
      const double apply_bound = bounds.seconds(s.flops_per_apply, s.bytes_per_apply);
      const double iteration_percent = 100 * iteration_bound / iteration;
      const double apply_percent = 100 * apply_bound / s.seconds_per_apply;
      const double mdofs = 1e-6 * s.unknowns;
      std::printf("%5d %8d %9d %11.3e ", order, s.elements, s.unknowns, s.error);
      if (before > 0 && s.error > smallest_error) {
        rate = std::log2(before / s.error);
        std::printf("%5.2f", rate);
      } else {
        std::printf("     ");
      }
      std::printf(" %11d %6.2f %9.1f %6.1f %% %9.1f %6.1f %%%s\n", s.iterations, s.seconds,
                  mdofs / iteration, iteration_percent, mdofs / s.seconds_per_apply, apply_percent,
                  remark_on_percent(std::max(iteration_percent, apply_percent)));
      std::fflush(stdout);
      if (csv != nullptr) {
        std::fprintf(csv, "%d,%d,%d,%.10e,%d,%.4f,%.3f,%.2f,%.3f,%.2f\n", order, s.elements,
                     s.unknowns, s.error, s.iterations, s.seconds, mdofs / iteration,
                     iteration_percent, mdofs / s.seconds_per_apply, apply_percent);
      }
      good = good && s.residual <= 1e-10;
      before = s.error;
    }
    if (rate == rate && rate < order + 0.5) {
      std::printf("  order %d: the error falls with the power %.2f, which should be %d: FAILED\n",
                  order, rate, order + 1);
      good = false;
    }
  }
  ranks.together([&] {
    if (csv != nullptr && std::fclose(csv) != 0)
      throw std::runtime_error(options.csv + ": cannot write this file");
  });
  std::printf(good ? "All errors fall as they must.\n" : "A check FAILED.\n");
  return good;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Ranks ranks(argc, argv);
  return ranks.run([&] {
    using namespace option;
    Options options;
    const auto find_mesh = [&] {
      if (options.mesh == "curved") options.mesh = POISSON_CG_MESH;
    };
    const auto preconditioner = [&](std::string_view name) -> std::optional<std::string> {
      if (name != "jacobi" && name != "multigrid") return "jacobi or multigrid";
      options.preconditioner =
          name == "jacobi" ? PreconditionerChoice::jacobi : PreconditionerChoice::multigrid;
      return {};
    };
    if (const auto status =
            ranks.read_options(argc, argv, usage().c_str(),
                               {{"--mesh", {text(options.mesh)}, find_mesh},
                                {"--box", {number(options.box, 1, 64)}},
                                {"--order", {number(options.order, 1, largest_order)}},
                                {"--refine", {number(options.refine, 0, largest_refinement)}},
                                {"--unknowns", {number(options.unknowns)}},
                                {"--preconditioner", {preconditioner}},
                                {"--check", {}, [&] { options.check = true; }},
                                {"--vtk", {text(options.vtk)}},
                                {"--csv", {text(options.csv)}},
                                {"--quiet", {}, [&] { options.quiet = true; }},
                                {"--problem", {bakeoff_problem(options.problem)}},
                                {"--iterations", {number(options.iterations)}}}))
      return *status;
    const Kokkos::ScopeGuard kokkos(argc, argv);
    if (options.problem) {
      std::optional<Mesh> mesh;
      if (options.mesh || options.refine) mesh = read_mesh(options, ranks);
      run_bakeoff({*options.problem, mesh, options.refine, options.order, options.unknowns,
                   options.iterations, options.csv},
                  ranks);
      return 0;
    }
    const bool good = options.check ? check_multigrid(ranks, read_mesh(options, ranks),
                                                      options.refine.value_or(2))
                                    : run(options, ranks);
    return good ? 0 : 1;
  });
}
