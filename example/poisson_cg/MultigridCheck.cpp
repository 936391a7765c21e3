// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MultigridCheck.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "../Example.hpp"
#include "ConjugateGradients.hpp"
#include "Multigrid.hpp"
#include "Problem.hpp"
#include "Solve.hpp"

namespace example {
namespace {

constexpr int most_iterations = 15;

/// A cube of 8 elements, each of which counts its directions from another corner and in another
/// sequence.
Mesh turned_cubes() {
  Mesh mesh(8);
  for (int e = 0; e < 8; ++e)
    for (int g = 0; g < 27; ++g) {
      const int step[3] = {g % 3, g / 3 % 3, g / 9};
      for (int d = 0; d < 3; ++d) {
        const int along = step[(d + e) % 3];
        const bool is_reversed = e % 2 == 1 && d != e / 2 % 3;  // two of three
        mesh[e][g][d] = (e >> d & 1) - 1 + (is_reversed ? 2 - along : along) / 2.0;
      }
    }
  return mesh;
}

/// A vector with f(position) at all nodes, or at the unknowns and 0 on the boundary.
template <class F>
DeviceVector evaluate(const Operator& A, bool on_boundary, const F& f) {
  const DeviceVector result = A.elements().new_vector("values");
  const auto host = Kokkos::create_mirror_view(result);
  const std::vector<Position> positions = A.positions();
  for (int i = 0; i < (on_boundary ? A.numbering().nodes : A.numbering().unknowns); ++i)
    host(i) = f(positions[i]);
  Kokkos::deep_copy(result, host);
  return result;
}

DeviceVector rough_values(const Operator& A, double phase) {
  return evaluate(A, false, [&](const Position& at) {
    return std::sin(phase + 31 * at[0] + 47 * at[1] + 53 * at[2]);
  });
}

double product(const Operator& A, const Ranks& ranks, const DeviceVector& a,
               const DeviceVector& b) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "product", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, A.numbering().owned),
      Product{a, b}, sum);
  ranks.sum(&sum, 1);
  return sum;
}

/// The largest difference of the entries of unknowns, on this rank.
double difference(const Operator& A, const DeviceVector& a, const DeviceVector& b) {
  const auto a_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto b_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double largest = 0;
  for (int i = 0; i < A.numbering().unknowns; ++i)
    largest = worse(largest, std::abs(a_host(i) - b_host(i)));
  return largest;
}

int check_transfer(const Part& part, const ElementOrder& element, const Ranks& ranks) {
  const ElementOrder& coarse_element = *coarser_elements(element);
  const Operator fine(part, element, ranks);
  const Operator coarse(part, coarse_element, ranks,
                        coarsen(fine.numbering(), element.order, coarse_element.order));
  const auto transfer = element.interpolate(coarse.numbering(), fine.numbering());
  const std::string orders =
      std::to_string(coarse_element.order) + " to " + std::to_string(element.order);

  // Positions tell how many nodes there are.
  const Numbering &derived = coarse.numbering(),
                  expected = number_nodes(part, coarse_element.order);
  const bool is_same = derived.nodes == expected.nodes && derived.unknowns == expected.unknowns &&
                       derived.owned == expected.owned;
  int failures = check(("numbers of nodes, order " + orders).c_str(), is_same ? 0 : 1);

  const auto polynomial = [&](const Position& at) {
    return std::pow((at[0] + 0.3) * (at[1] - 0.2) * (at[2] + 0.1), coarse_element.order);
  };
  const DeviceVector interpolated = fine.elements().new_vector("interpolated");
  transfer->prolongate(evaluate(coarse, true, polynomial), interpolated);
  double error = difference(fine, interpolated, evaluate(fine, false, polynomial));
  ranks.sum(&error, 1);
  failures += check(("polynomial from order " + orders).c_str(), error);

  // (P c)^T r and c^T P^T r
  const DeviceVector r = rough_values(fine, 1), c = rough_values(coarse, 2);
  const DeviceVector Pc = fine.elements().new_vector("P c"),
                     zero = fine.elements().new_vector("zero"),
                     Ptr = coarse.elements().new_vector("P^T r");
  transfer->prolongate(c, Pc);
  transfer->restrict_residual(r, zero, Ptr);
  coarse.exchange().sum(Ptr);
  const double one = product(fine, ranks, Pc, r), other = product(coarse, ranks, c, Ptr);
  failures += check(("transpose, from order " + orders).c_str(),
                    std::abs(one - other) / product(fine, ranks, r, r));
  return failures;
}

int check_solution(const Part& part, Multigrid::Coarse coarse, const Ranks& ranks) {
  const ElementOrder& element = element_order<4>;
  const Problem problem(part, element, ranks);
  const Multigrid multigrid(part, element, problem.A, problem.inverse_diagonal, ranks, coarse);
  std::printf("%.0f unknowns, %s\n", problem.unknowns, multigrid.description().c_str());

  const DeviceVector a = rough_values(problem.A, 1), b = rough_values(problem.A, 2);
  const DeviceVector Ma = problem.A.elements().new_vector("M a"),
                     Mb = problem.A.elements().new_vector("M b");
  multigrid.apply(a, Ma);
  multigrid.apply(b, Mb);
  const double one = product(problem.A, ranks, Ma, b), other = product(problem.A, ranks, a, Mb);
  int failures =
      check("  symmetry", std::abs(one - other) / product(problem.A, ranks, a, Ma), 1e-12);

  const ConvergenceHistory history =
      conjugate_gradients(problem.A, MultigridPreconditioner{&multigrid}, problem.x, problem.r,
                          ranks, 1e-10, most_iterations + 10, [](int, double) {});
  const bool few = history.iterations <= most_iterations && history.residual <= 1e-10;
  std::printf("  %d iterations, relative error %.1e: %s\n", history.iterations,
              problem.relative_error(problem.x), few ? "passed" : "FAILED");
  return failures + (few ? 0 : 1);
}

}  // namespace

bool check_multigrid(const Ranks& ranks, const Mesh& mesh, int most_refinements) {
  int failures = 0;
  const auto straight = part_of_rank(turned_cubes(), 1, ranks);
  for (const ElementOrder& element :
       {element_order<2>, element_order<3>, element_order<4>, element_order<5>, element_order<6>,
        element_order<7>, element_order<8>})
    failures += check_transfer(*straight, element, ranks);
  for (int refinement = std::max(0, most_refinements - 2); refinement <= most_refinements;
       ++refinement) {
    const auto part = part_of_rank(mesh, refinement, ranks);
    for (const auto coarse : {Multigrid::Coarse::algebraic, Multigrid::Coarse::polynomial})
      failures += check_solution(*part, coarse, ranks);
  }
  return failures == 0;
}

}  // namespace example
