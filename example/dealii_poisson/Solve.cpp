// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operators on one mesh, for the degree DEALII_DEGREE.
#include "Vectorization.hpp"
// deal.II's own headers come behind it.
#include <deal.II/base/mpi.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>

#include <ctime>

#include "HostOperators.hpp"
#include "PortableOperators.hpp"
#include "Solve.hpp"

namespace example {

namespace {

/// Numbers between -1 and 1, the same for any number of processes, and 0 on the boundary
template <class Vector>
void fill(const Problem& problem, Vector& x) {
  const auto owned = x.locally_owned_elements();
  dealii::LinearAlgebra::ReadWriteVector<double> values(owned);
  for (const auto i : owned)
    values(i) = problem.constraints.is_constrained(i) ? 0. : std::sin(1. + 1.7 * i);
  x.import_elements(values, dealii::VectorOperation::insert);
}

/// CPU time of this process, which other programs on its core do not lengthen
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A copy in deal.II's memory of the host
template <class Vector>
HostVector on_host(const Vector& x) {
  HostVector result(x.locally_owned_elements(), x.get_mpi_communicator());
  dealii::LinearAlgebra::ReadWriteVector<double> values(x.locally_owned_elements());
  values.import_elements(x, dealii::VectorOperation::insert);
  for (const auto i : result.locally_owned_elements()) result(i) = values(i);
  return result;
}

}  // namespace

template <>
Result solve<DEALII_DEGREE>(const Run& run) {
  constexpr int degree = DEALII_DEGREE;
  const Problem problem(MPI_COMM_WORLD, degree, run.cells, run.curved);
  const auto portable = portable_matrix_free(problem);
  const auto host = host_matrix_free(problem);
  const auto of_cell = cell_operator<degree>(problem);

  const PortableOperator<DealiiOfCell<degree>> first(portable);
  const HostDealii<degree> second(host);
  const PortableOperator<ContractOfCell<degree>> third(portable, of_cell);
  const PortableOperator<ContractOfCells<degree>> fourth(portable, of_cell);
  const HostContract<degree> fifth(problem, host);

  Result result;
  result.cells = problem.mesh.n_global_active_cells();
  result.unknowns = problem.unknowns.n_dofs();
  HostVector expected;
  std::array<std::function<double(int)>, who.size()> seconds_of;
  std::array<int, who.size()> applications;

  const auto add = [&](std::size_t w, const auto& A) {
    using Vector = typename std::decay_t<decltype(A)>::Vector;
    const auto x = std::make_shared<Vector>(A.new_vector());
    const auto y = std::make_shared<Vector>(A.new_vector());
    fill(problem, *x);
    A.vmult(*y, *x);
    auto found = on_host(*y);
    if (w == 0) expected = found;
    found -= expected;
    result.difference[w] = found.l2_norm() / expected.l2_norm();

    Vector solution = A.new_vector();
    dealii::SolverControl control(1000, 1e-8 * x->l2_norm());
    dealii::SolverCG<Vector>(control).solve(A, solution, *x, dealii::PreconditionIdentity());
    result.iterations[w] = control.last_step();

    seconds_of[w] = [&A, x, y](int times) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = cpu_seconds();
      for (int i = 0; i < times; ++i) A.vmult(*y, *x);
      MPI_Barrier(MPI_COMM_WORLD);
      return (cpu_seconds() - start) / times;
    };
    const double once =
        dealii::Utilities::MPI::max(std::min(seconds_of[w](1), seconds_of[w](1)), MPI_COMM_WORLD);
    applications[w] = std::max(1, static_cast<int>(run.least_seconds / once));
  };
  add(0, first);
  add(1, second);
  add(2, third);
  add(3, fourth);
  add(4, fifth);

  // In turn, so that a disturbance does not hit one of two that are compared.
  for (int r = 0; r < run.repetitions; ++r)
    for (std::size_t w = 0; w < who.size(); ++w)
      result.seconds[w].push_back(seconds_of[w](applications[w]));
  return result;
}

}  // namespace example
