// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix-free operator of example/poisson_cg as a Tpetra::Operator, which Belos' conjugate
// gradients solve with. Beside it the example's own iteration, on the same system.

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Kokkos_Core.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "../Options.hpp"
#include "../poisson_cg/ConjugateGradients.hpp"
#include "../poisson_cg/Problem.hpp"

namespace {

using namespace example;

/// The kernels' extents are known at compile time.
constexpr int order = POISSON_ORDER;
constexpr double tolerance = 1e-10;
constexpr int most_iterations = 10000;

using Operator = Tpetra::Operator<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Vector = Tpetra::Vector<double>;
using Map = Tpetra::Map<>;
using Teuchos::RCP, Teuchos::rcp;

static_assert(std::is_same_v<Vector::device_type::memory_space, DeviceVector::memory_space>,
              "Tpetra's vectors lie where the kernels run");

auto entries(const Vector& vector) {
  return Kokkos::subview(vector.getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0);
}
auto entries_to_write(Vector& vector) {
  return Kokkos::subview(vector.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0);
}

/// The unknowns of a vector that has an entry for each node.
RCP<Vector> vector_of(const DeviceVector& nodes, const RCP<const Map>& unknowns) {
  const RCP<Vector> vector = rcp(new Vector(unknowns));
  Kokkos::deep_copy(entries_to_write(*vector),
                    Kokkos::subview(nodes, std::pair<std::size_t, std::size_t>(
                                               0, unknowns->getLocalNumElements())));
  return vector;
}

/// A symmetric linear operator from the unknowns to the unknowns.
class OnUnknowns : public Operator {
 public:
  explicit OnUnknowns(RCP<const Map> unknowns) : unknowns_(std::move(unknowns)) {}
  RCP<const Map> getDomainMap() const override { return unknowns_; }
  RCP<const Map> getRangeMap() const override { return unknowns_; }
  bool hasTransposeApply() const override { return true; }

 private:
  RCP<const Map> unknowns_;
};

// [operator]
/// A, element by element. Its own vectors have an entry for each node: first the unknowns, which
/// are the entries of Tpetra's vectors, then the boundary, where p is 0 and A p is not looked at.
class MatrixFree : public OnUnknowns {
 public:
  MatrixFree(const Discretization& elements, const RCP<const Map>& unknowns)
      : OnUnknowns(unknowns),
        elements_(elements),
        p_(elements.new_vector("p")),
        Ap_(elements.new_vector("A p")),
        product_(rcp(new Vector(unknowns))) {}

  /// Y = alpha A X + beta Y
  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp, double alpha,
             double beta) const override {
    const std::pair<std::size_t, std::size_t> unknowns(0, X.getLocalLength());
    for (std::size_t column = 0; column < X.getNumVectors(); ++column) {
      Kokkos::deep_copy(Kokkos::subview(p_, unknowns), entries(*X.getVector(column)));
      Kokkos::deep_copy(Ap_, 0);
      elements_.add_product(p_, Ap_);
      Kokkos::deep_copy(entries_to_write(*product_), Kokkos::subview(Ap_, unknowns));
      Y.getVectorNonConst(column)->update(alpha, *product_, beta);
    }
  }

 private:
  const Discretization& elements_;
  DeviceVector p_, Ap_;
  RCP<Vector> product_;
};
// [/operator]

/// The Jacobi preconditioner.
class DivideByDiagonal : public OnUnknowns {
 public:
  DivideByDiagonal(const DeviceVector& inverse_diagonal, const RCP<const Map>& unknowns)
      : OnUnknowns(unknowns), inverse_(vector_of(inverse_diagonal, unknowns)) {}
  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp, double alpha,
             double beta) const override {
    Y.elementWiseMultiply(alpha, *inverse_, X, beta);
  }

 private:
  RCP<Vector> inverse_;
};

struct Result {
  int iterations = 0;
  double error = 0;  ///< in the L2 norm, relative to the solution
  double seconds = 0;
};

Result solve_with_belos(const Problem& problem) {
  const RCP<const Map> unknowns =
      rcp(new Map(problem.A.numbering().unknowns, 0, Tpetra::getDefaultComm()));
  // [solve]
  const RCP<Operator> A = rcp(new MatrixFree(problem.A.elements(), unknowns));
  const RCP<Operator> preconditioner =
      rcp(new DivideByDiagonal(problem.inverse_diagonal, unknowns));
  const RCP<MultiVector> x = rcp(new MultiVector(unknowns, 1)), b = vector_of(problem.r, unknowns);

  using System = Belos::LinearProblem<double, MultiVector, Operator>;
  const RCP<System> system = rcp(new System(A, x, b));
  system->setLeftPrec(preconditioner);
  system->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", tolerance);
  parameters->set("Maximum Iterations", most_iterations);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> solver(system, parameters);
  Kokkos::fence();
  const Kokkos::Timer timer;
  const Belos::ReturnType status = solver.solve();
  Kokkos::fence();
  // [/solve]
  const double seconds = timer.seconds();
  if (status != Belos::Converged) throw std::runtime_error("Belos did not converge");

  // The solution is that and the given values on the boundary.
  const DeviceVector all = problem.A.elements().new_vector("solution");
  Kokkos::deep_copy(all, problem.x);
  Kokkos::deep_copy(Kokkos::subview(all, std::pair(0, problem.A.numbering().unknowns)),
                    entries(*x->getVector(0)));
  return {solver.getNumIters(), problem.relative_error(all), seconds};
}

/// Solves by the iteration of poisson_cg, which overwrites x and r of the problem.
Result solve_with_own(const Problem& problem) {
  const ConvergenceHistory history =
      conjugate_gradients(problem.A, Jacobi{problem.inverse_diagonal}, problem.x, problem.r,
                          problem.ranks, tolerance, most_iterations, [](int, double) {});
  return {history.iterations, problem.relative_error(problem.x), history.seconds};
}

/// \return whether both agree
bool run(int box, const Ranks& ranks) {
  const Part part(partition(curved_box(box), 0, 1), 0);
  const Problem problem(part, element_order<order>, ranks);
  std::printf("-div grad u = f, %d^3 elements of order %d, %d unknowns\n\n", box, order,
              problem.A.numbering().unknowns);
  const Result belos = solve_with_belos(problem), own = solve_with_own(problem);
  std::printf("                  iterations      error    seconds\n");
  for (const auto& [name, result] : {std::pair("Belos", belos), std::pair("poisson_cg", own)})
    std::printf("%-16s  %10d  %9.3e  %9.4f\n", name, result.iterations, result.error,
                result.seconds);
  const bool good = std::abs(belos.error - own.error) <= 1e-3 * own.error &&
                    std::abs(belos.iterations - own.iterations) <= 2 + own.iterations / 10;
  std::printf(good ? "\nThey agree.\n" : "\nThey do not agree: FAILED\n");
  return good;
}

}  // namespace

int main(int argc, char* argv[]) {
  int box = 4;
  const char* const usage =
      "Usage: tpetra_operator [--box N]\n"
      "\n"
      "  --box N  a slightly curved cube of N^3 elements, 1 to 64 (default: 4)\n"
      "  --help   print this\n"
      "\n"
      "The status is 0 if Belos and the iteration of poisson_cg agree, 1 if not, 2 if an option "
      "is\n"
      "bad or there are several processes.\n";
  if (const auto status =
          read_options(argc, argv, usage, {{"--box", {option::number(box, 1, 64)}}}))
    return *status;
  const Tpetra::ScopeGuard scope(&argc, &argv);  // starts MPI and Kokkos
  const auto processes = Tpetra::getDefaultComm();
  try {
    if (processes->getSize() > 1)
      throw std::runtime_error("runs on one process, not on " +
                               std::to_string(processes->getSize()) +
                               ": the mesh is not distributed");
    return run(box, Ranks(argc, argv)) ? 0 : 1;
  } catch (const std::exception& error) {
    if (processes->getRank() == 0) std::fprintf(stderr, "tpetra_operator: %s\n", error.what());
  }
  return 2;
}
