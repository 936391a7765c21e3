// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Vectorization.hpp"
// deal.II's own headers come behind it.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/vector_tools_boundary.h>

namespace example {

constexpr int dim = 3;

/// The coefficient of step-64 of deal.II's tutorial: a in -div grad u + a u = 1.
template <class Number>
DEAL_II_HOST_DEVICE Number coefficient(const dealii::Point<dim, Number>& p) {
  Number square = p[0] * p[0];
  for (int d = 1; d < dim; ++d) square += p[d] * p[d];
  return Number(10.) / (Number(0.05) + Number(2.) * square);
}

/// A cube of n^3 cells, curved or not, and elements of a degree on it, zero on the boundary.
struct Problem {
  dealii::parallel::distributed::Triangulation<dim> mesh;
  dealii::MappingQ<dim> mapping;
  dealii::FE_Q<dim> element;
  dealii::DoFHandler<dim> unknowns;
  dealii::AffineConstraints<double> constraints;
  dealii::QGauss<1> quadrature;

  Problem(MPI_Comm communicator, int degree, int n, bool curved)
      : mesh(communicator),
        mapping(degree),
        element(degree),
        unknowns(mesh),
        quadrature(degree + 1) {
    dealii::GridGenerator::subdivided_hyper_cube(mesh, n);
    if (curved)
      dealii::GridTools::transform(
          [](const dealii::Point<dim>& p) {
            dealii::Point<dim> q;
            for (int d = 0; d < dim; ++d) q[d] = p[d] + 0.1 * p[(d + 1) % dim] * p[(d + 2) % dim];
            return q;
          },
          mesh);
    unknowns.distribute_dofs(element);
    const auto relevant = dealii::DoFTools::extract_locally_relevant_dofs(unknowns);
    constraints.reinit(unknowns.locally_owned_dofs(), relevant);
    dealii::VectorTools::interpolate_boundary_values(
        mapping, unknowns, 0, dealii::Functions::ZeroFunction<dim>(), constraints);
    constraints.close();
  }
};

}  // namespace example
