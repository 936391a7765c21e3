// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "../fused_element_pipeline/Mesh.hpp"
#include "Discretization.hpp"
#include "Numbering.hpp"

namespace example {

struct Invert {
  DeviceVector diagonal;
  KOKKOS_FUNCTION void operator()(int i) const { diagonal(i) = 1 / diagonal(i); }
};
struct Subtract {
  DeviceVector x, y;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) -= y(i); }
};

/// The linear system of -div grad u = f with the Dirichlet values of the exact solution, before the
/// first iteration. The vectors are those of the elements, whose first entries are the unknowns.
struct Problem {
  DeviceArray<double* [27][3]> geometry;
  Numbering numbering;
  std::unique_ptr<const Discretization> elements;
  DeviceVector x;  ///< the given values on the boundary, 0 elsewhere
  DeviceVector r;  ///< load - A x
  DeviceVector inverse_diagonal;

  /// \throws std::runtime_error where there are no unknowns
  Problem(const Mesh& mesh, int refinement, const ElementOrder& element)
      : geometry(refine(mesh, refinement)),
        numbering(numbered(geometry, element.order)),
        elements(element.discretize(geometry, numbering)),
        x(elements->new_vector("x")),
        r(elements->new_vector("r")),
        inverse_diagonal(elements->new_vector("inverse_diagonal")) {
    const auto x_host = Kokkos::create_mirror_view(x);
    for (int i = numbering.unknowns; i < numbering.nodes; ++i) {
      const Position& at = numbering.positions[i];
      x_host(i) = exact_solution(at[0], at[1], at[2]);
    }
    Kokkos::deep_copy(x, x_host);
    const DeviceVector Ax = elements->new_vector("A x");
    const Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace> unknowns(0, numbering.unknowns);
    elements->add_load(r);
    elements->add_product(x, Ax);
    Kokkos::parallel_for("right-hand side", unknowns, Subtract{r, Ax});
    elements->add_diagonal(inverse_diagonal);
    Kokkos::parallel_for("inverse diagonal", unknowns, Invert{inverse_diagonal});
  }

  /// The L2 norm of x - u, divided by that of u.
  double relative_error(const DeviceVector& of) const {
    const SquaredNorms squares = elements->squared_norms(of);
    return std::sqrt(squares.error / squares.solution);
  }

 private:
  static Numbering numbered(const DeviceArray<double* [27][3]>& geometry, int order) {
    Numbering numbering = number_nodes(geometry, order);
    if (numbering.unknowns == 0)
      throw std::runtime_error("all nodes are on the boundary: refine the mesh");
    return numbering;
  }
};

}  // namespace example
