// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Solve.hpp"

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "ConjugateGradients.hpp"
#include "Problem.hpp"

namespace example {
namespace {

/// Writes the legacy format of ParaView: each element as order^3 hexahedra between its nodes.
void write_vtk(const std::string& path, const Numbering& numbering, int order,
               const DeviceVector& x) {
  const int n = order + 1;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                             std::fclose);
  if (!file) throw std::runtime_error(path + ": cannot write this file");
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const std::size_t elements = numbering.of_element.size() / (n * n * n);
  const std::size_t cells = elements * order * order * order;
  std::fprintf(file.get(), "# vtk DataFile Version 3.0\nPoisson's equation, order %d\nASCII\n",
               order);
  std::fprintf(file.get(), "DATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", numbering.nodes);
  for (const Position& at : numbering.positions)
    std::fprintf(file.get(), "%.9g %.9g %.9g\n", at[0], at[1], at[2]);
  std::fprintf(file.get(), "CELLS %zu %zu\n", cells, 9 * cells);
  for (std::size_t e = 0; e < elements; ++e)
    for (int a = 0; a < order; ++a)
      for (int b = 0; b < order; ++b)
        for (int c = 0; c < order; ++c) {
          const auto node = [&](int i, int j, int k) {
            return numbering.of_element[((e * n + a + i) * n + b + j) * n + c + k];
          };
          std::fprintf(file.get(), "8 %d %d %d %d %d %d %d %d\n", node(0, 0, 0), node(0, 0, 1),
                       node(0, 1, 1), node(0, 1, 0), node(1, 0, 0), node(1, 0, 1), node(1, 1, 1),
                       node(1, 1, 0));
        }
  std::fprintf(file.get(), "CELL_TYPES %zu\n", cells);
  for (std::size_t i = 0; i < cells; ++i) std::fprintf(file.get(), "12\n");
  std::fprintf(file.get(), "POINT_DATA %d\n", numbering.nodes);
  const auto write_scalars = [&](const char* name, const auto& value) {
    std::fprintf(file.get(), "SCALARS %s double 1\nLOOKUP_TABLE default\n", name);
    for (int i = 0; i < numbering.nodes; ++i) std::fprintf(file.get(), "%.9g\n", value(i));
  };
  write_scalars("u", [&](int i) { return values(i); });
  write_scalars("error", [&](int i) {
    const Position& at = numbering.positions[i];
    return values(i) - exact_solution(at[0], at[1], at[2]);
  });
  if (std::ferror(file.get()) != 0) throw std::runtime_error(path + ": cannot write this file");
}

}  // namespace

Solution solve(const Mesh& mesh, int refinement, const ElementOrder& element,
               const std::string& vtk, const std::function<void(int, double)>& progress) {
  const Problem problem(mesh, refinement, element);
  const Numbering& numbering = problem.numbering;
  const Discretization& elements = *problem.elements;
  const DeviceVector x = problem.x, p = elements.new_vector("p"), Ap = elements.new_vector("Ap");
  const auto apply = [&](const DeviceVector& from, const DeviceVector& to) {
    elements.add_product(from, to);
  };
  const ConvergenceHistory history =
      conjugate_gradients(apply, x, problem.r, p, Ap, problem.inverse_diagonal, numbering.unknowns,
                          1e-10, 10000, progress);

  Solution solution;
  solution.elements = problem.geometry.extent_int(0);
  solution.unknowns = numbering.unknowns;
  solution.error = problem.relative_error(x);
  solution.iterations = history.iterations;
  solution.residual = history.residual;
  solution.seconds = history.seconds;
  if (!vtk.empty()) write_vtk(vtk, numbering, element.order, x);

  constexpr int repetitions = 10;
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < repetitions; ++i) elements.add_product(p, Ap);
  Kokkos::fence();
  solution.seconds_per_apply = timer.seconds() / repetitions;

  const Costs costs = elements.costs_of_element();
  constexpr double word = sizeof(double);
  const double of_elements = word * costs.words * solution.elements;
  const double word_of_each = word * solution.unknowns;
  solution.bytes_per_iteration = of_elements + words_of_iteration * word_of_each;
  solution.bytes_per_apply = of_elements + 3 * word_of_each;
  solution.flops_per_apply = costs.flops * solution.elements;
  return solution;
}

}  // namespace example
