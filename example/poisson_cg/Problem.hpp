// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "Operator.hpp"

namespace example {

struct Invert {
  DeviceVector diagonal;
  KOKKOS_FUNCTION void operator()(int i) const { diagonal(i) = 1 / diagonal(i); }
};
struct Subtract {
  DeviceVector x, y;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) -= y(i); }
};

/// The linear system of -div grad u = f with the Dirichlet values of the exact solution, or of u =
/// f without values on the boundary, before the first iteration. The vectors are those of the
/// elements, whose first entries are the unknowns.
struct Problem {
  const Ranks& ranks;
  Operator A;
  DeviceVector x;  ///< the given values on the boundary, 0 elsewhere
  DeviceVector r;  ///< load - A x
  DeviceVector inverse_diagonal;
  double unknowns = 0;  ///< number of those of all ranks, of all components

  /// \throws Stopped where there are no unknowns
  Problem(const Part& part, const ElementOrder& element, const Ranks& of_ranks, int components = 1)
      : ranks(of_ranks),
        A(part, element, ranks, components),
        x(A.elements().new_vector("x")),
        r(A.load()),
        inverse_diagonal(A.diagonal()),
        unknowns(A.owned()) {
    const Numbering& numbering = A.numbering();
    ranks.sum(&unknowns, 1);
    ranks.together([&] {
      if (unknowns == 0) throw std::runtime_error("all nodes are on the boundary: refine the mesh");
    });
    const std::vector<Position> positions = A.positions();
    const auto x_host = Kokkos::create_mirror_view(x);
    for (int i = A.unknowns(); i < components * numbering.nodes; ++i) {
      const Position& at = positions[i / components];
      x_host(i) = exact_solution(at[0], at[1], at[2], i % components);
    }
    Kokkos::deep_copy(x, x_host);
    const DeviceVector Ax = A.elements().new_vector("A x");
    const Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace> of_rank(0, A.unknowns());
    A.apply(x, Ax);
    Kokkos::parallel_for("right-hand side", of_rank, Subtract{r, Ax});
    Kokkos::parallel_for("inverse diagonal", of_rank, Invert{inverse_diagonal});
  }

  /// The L2 norm of x - u, divided by that of u.
  double relative_error(const DeviceVector& of) const {
    const SquaredNorms squares = A.elements().squared_norms(of);
    double sums[2] = {squares.error, squares.solution};
    ranks.sum(sums, 2);
    return std::sqrt(sums[0] / sums[1]);
  }
};

}  // namespace example
