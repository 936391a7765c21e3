// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Solve.hpp"

#include <Kokkos_Core.hpp>

#include "ConjugateGradients.hpp"
#include "Multigrid.hpp"
#include "Problem.hpp"
#include "Vtk.hpp"

namespace example {

MachineBounds measure_bounds_of_all(const Ranks& ranks) {
  ranks.wait_for_all();
  const MachineBounds of_rank = measure_machine_bounds();
  double sums[2] = {of_rank.flops, of_rank.bandwidth};
  ranks.sum(sums, 2);
  return {sums[0], sums[1]};
}

std::unique_ptr<const Part> part_of_rank(const Mesh& mesh, int refinement, const Ranks& ranks) {
  std::unique_ptr<const Part> part;
  ranks.together([&] {
    part = std::make_unique<Part>(partition(mesh, refinement, ranks.size()), ranks.rank());
  });
  return part;
}

Solution solve(const Ranks& ranks, const Part& part, const ElementOrder& element,
               PreconditionerChoice preconditioner, const std::string& vtk,
               const std::function<void(int, double)>& progress) {
  const Problem problem(part, element, ranks);
  const auto iterate = [&](const auto& inverse) {
    return conjugate_gradients(problem.A, inverse, problem.x, problem.r, ranks, 1e-10, 10000,
                               progress);
  };

  Solution solution;
  Multigrid::Work work;
  ConvergenceHistory history;
  if (preconditioner == PreconditionerChoice::multigrid) {
    const Kokkos::Timer setup;
    const Multigrid multigrid(part, element, problem.A, problem.inverse_diagonal, ranks);
    Kokkos::fence();
    ranks.wait_for_all();
    solution.setup_seconds = setup.seconds();
    solution.preconditioner = multigrid.description();
    work = multigrid.work_of_rank();
    history = iterate(MultigridPreconditioner{&multigrid});
  } else {
    history = iterate(Jacobi{problem.inverse_diagonal});
  }

  double elements = part.geometry.extent_int(0);
  ranks.sum(&elements, 1);
  solution.elements = static_cast<int>(elements);
  solution.unknowns = static_cast<int>(problem.unknowns);
  solution.error = problem.relative_error(problem.x);
  solution.iterations = history.iterations;
  solution.residual = history.residual;
  solution.seconds = history.seconds;
  solution.seconds_per_iteration = history.seconds / history.applications;
  if (!vtk.empty()) write_vtk(vtk, ranks, problem.A, element.order, problem.x);

  constexpr int repetitions = 10;
  const DeviceVector y = problem.A.elements().new_vector("y");
  Kokkos::fence();
  ranks.wait_for_all();
  const Kokkos::Timer timer;
  for (int i = 0; i < repetitions; ++i) problem.A.apply(problem.r, y);
  Kokkos::fence();
  ranks.wait_for_all();
  solution.seconds_per_apply = timer.seconds() / repetitions;

  const Costs costs = problem.A.elements().costs_of_element();
  constexpr double word = sizeof(double);
  const double of_elements = word * costs.words * elements;
  const double word_of_each = word * problem.unknowns;
  double work_of_all[2] = {work.bytes, work.flops};
  ranks.sum(work_of_all, 2);
  solution.bytes_per_iteration = of_elements + words_of_iteration * word_of_each + work_of_all[0];
  solution.bytes_per_apply = of_elements + 3 * word_of_each;
  solution.flops_per_apply = costs.flops * elements;
  solution.flops_per_iteration = solution.flops_per_apply + work_of_all[1];
  return solution;
}

}  // namespace example
