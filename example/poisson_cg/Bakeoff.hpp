// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <string>

#include "../Ranks.hpp"
#include "../fused_element_pipeline/Mesh.hpp"
#include "Discretization.hpp"

namespace example {

/// The bake-off problems of CEED, the Center for Efficient Exascale Discretizations: P. Fischer et
/// al., Scalability of high-performance PDE solvers, 2020. Each is a number of iterations of
/// conjugate gradients, whose rate is measured for meshes of different sizes.
struct BakeoffProblem {
  const char* name;
  Form form;
  int components;
};
inline constexpr std::array<BakeoffProblem, 6> bakeoff_problems{{
    {"bp1", Form::mass, 1},
    {"bp2", Form::mass, 3},
    {"bp3", Form::poisson, 1},
    {"bp4", Form::poisson, 3},
    {"bp5", Form::collocated_poisson, 1},
    {"bp6", Form::collocated_poisson, 3},
}};

struct BakeoffOptions {
  BakeoffProblem problem = bakeoff_problems[0];
  std::optional<Mesh> mesh;       ///< else curved cubes
  std::optional<int> refinement;  ///< of the mesh, which is then the only one
  std::optional<int> order;       ///< else all that were compiled
  double unknowns = 0;            ///< most unknowns, of all components
  int iterations = 20;
  std::string csv;
};

/// Measures a problem on all ranks, and prints a table with CEED's quantities.
/// \throws Stopped if the order was not compiled
void run_bakeoff(const BakeoffOptions& options, const Ranks& ranks);

}  // namespace example
