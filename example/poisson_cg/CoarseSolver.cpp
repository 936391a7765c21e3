// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CoarseSolver.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "Chebyshev.hpp"

#ifdef POISSON_CG_HYPRE
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#endif

namespace example {
namespace {

class PolynomialSolver final : public CoarseSolver {
 public:
  PolynomialSolver(const Operator& A, const DeviceVector& inverse_diagonal,
                   const Interval& eigenvalues)
      : chebyshev_(A, inverse_diagonal, eigenvalues, degree(eigenvalues),
                   A.elements().new_vector("product")) {}

  void solve(const DeviceVector& b, const DeviceVector& x) const override {
    chebyshev_.solve(b, x);
  }
  std::string description() const override {
    return "Chebyshev's polynomial of degree " + std::to_string(chebyshev_.degree());
  }

 private:
  static constexpr double remaining_error = 0.1;
  /// The polynomial of degree n leaves at most 2 exp(-2 n / sqrt(condition)) of an error.
  static int degree(const Interval& eigenvalues) {
    const double condition = eigenvalues.largest / eigenvalues.least;
    return static_cast<int>(std::ceil(std::log(2 / remaining_error) * std::sqrt(condition) / 2));
  }

  Chebyshev chebyshev_;
};

#ifdef POISSON_CG_HYPRE

/// Numbers of the unknowns among those of all ranks, each owner's in one range. They are those of
/// the elements' nodes, and -1 on the boundary.
std::vector<HYPRE_BigInt> rows_of_nodes(const Operator& A, HYPRE_BigInt first_row) {
  const Numbering& numbering = A.numbering();
  const DeviceVector rows = A.elements().new_vector("rows");
  const auto host = Kokkos::create_mirror_view(rows);
  const auto numbers =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbering.of_element);
  for (int i = 0; i < numbering.owned; ++i) host(i) = static_cast<double>(first_row + i);
  Kokkos::deep_copy(rows, host);
  A.exchange().sum(rows);
  Kokkos::deep_copy(host, rows);
  std::vector<HYPRE_BigInt> result(numbers.size(), -1);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (const int node = numbers(i); node < numbering.unknowns)
      result[i] = static_cast<HYPRE_BigInt>(host(node));
  return result;
}

/// The matrices of all elements, (element, i, j). The operator of elements that share no nodes is
/// applied to a one in each column.
std::vector<double> element_matrices(const DeviceArray<double* [27][3]>& geometry, int nodes) {
  const int elements = geometry.extent_int(0);
  Numbering apart;
  apart.nodes = apart.unknowns = apart.owned = elements * nodes;
  std::vector<int> numbers(apart.nodes);
  std::iota(numbers.begin(), numbers.end(), 0);
  apart.of_element = node_numbers(numbers);
  const auto discretization = element_order<1>.discretize(geometry, apart, 1);
  const DeviceVector x = discretization->new_vector("x"), y = discretization->new_vector("y");
  const auto host = Kokkos::create_mirror_view(x);
  std::vector<double> matrices(static_cast<std::size_t>(apart.nodes) * nodes);
  for (int j = 0; j < nodes; ++j) {
    Kokkos::deep_copy(host, 0);
    for (int e = 0; e < elements; ++e) host(e * nodes + j) = 1;
    Kokkos::deep_copy(x, host);
    Kokkos::deep_copy(y, 0);
    discretization->add_product(x, y);
    Kokkos::deep_copy(host, y);
    for (int i = 0; i < apart.nodes; ++i)
      matrices[static_cast<std::size_t>(i) * nodes + j] = host(i);
  }
  return matrices;
}

class AlgebraicMultigrid final : public CoarseSolver {
 public:
  AlgebraicMultigrid(const Part& part, const Operator& A, const Ranks& ranks)
      : A_(A),
        ranks_(ranks),
        owned_(A.numbering().owned),
        values_("values", A.numbering().nodes + 1) {
    HYPRE_Init();  // version 2.26, of Debian 12, has only this name
    assemble(part);
    for (HYPRE_IJVector* const vector : {&b_, &x_}) {
      HYPRE_IJVectorCreate(ranks.communicator(), first_row_, first_row_ + owned_ - 1, vector);
      HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize(*vector);
      HYPRE_IJVectorAssemble(*vector);
    }
    HYPRE_IJVectorGetObject(b_, reinterpret_cast<void**>(&par_b_));
    HYPRE_IJVectorGetObject(x_, reinterpret_cast<void**>(&par_x_));

    // Parameters for three dimensions. The smoother, l1-Gauss-Seidel to and fro, is symmetric.
    constexpr HYPRE_Int pmis = 8, extended = 6, l1_gauss_seidel = 8, elimination = 9, coarsest = 3;
    HYPRE_BoomerAMGCreate(&cycle_);
    HYPRE_BoomerAMGSetMaxIter(cycle_, 1);
    HYPRE_BoomerAMGSetTol(cycle_, 0);
    HYPRE_BoomerAMGSetPrintLevel(cycle_, 0);
    HYPRE_BoomerAMGSetCoarsenType(cycle_, pmis);
    HYPRE_BoomerAMGSetInterpType(cycle_, extended);
    HYPRE_BoomerAMGSetPMaxElmts(cycle_, 4);
    HYPRE_BoomerAMGSetStrongThreshold(cycle_, 0.5);
    HYPRE_BoomerAMGSetRelaxType(cycle_, l1_gauss_seidel);
    HYPRE_BoomerAMGSetCycleRelaxType(cycle_, elimination, coarsest);
    HYPRE_BoomerAMGSetup(cycle_, matrix_, par_b_, par_x_);
    const HYPRE_Int error = HYPRE_GetError();
    ranks.together([&] {
      if (error != 0) throw std::runtime_error("hypre cannot set up its multigrid");
    });
  }
  ~AlgebraicMultigrid() override {
    HYPRE_BoomerAMGDestroy(cycle_);
    HYPRE_IJVectorDestroy(x_);
    HYPRE_IJVectorDestroy(b_);
    HYPRE_IJMatrixDestroy(assembled_);
    HYPRE_Finalize();
  }

  void solve(const DeviceVector& b, const DeviceVector& x) const override {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    HYPRE_IJVectorSetValues(b_, owned_, nullptr, host.data());
    HYPRE_ParVectorSetConstantValues(par_x_, 0);
    HYPRE_BoomerAMGSolve(cycle_, matrix_, par_b_, par_x_);
    Kokkos::deep_copy(values_, 0);
    HYPRE_IJVectorGetValues(x_, owned_, nullptr, values_.data());
    Kokkos::deep_copy(x, values_);
    A_.exchange().sum(x);
  }
  std::string description() const override { return "a cycle of hypre's BoomerAMG"; }

 private:
  void assemble(const Part& part) {
    std::vector<double> owned_by_rank(ranks_.size());
    owned_by_rank[ranks_.rank()] = owned_;
    ranks_.sum(owned_by_rank.data(), ranks_.size());
    for (int i = 0; i < ranks_.rank(); ++i)
      first_row_ += static_cast<HYPRE_BigInt>(owned_by_rank[i]);
    const HYPRE_BigInt last_row = first_row_ + owned_ - 1;
    HYPRE_IJMatrixCreate(ranks_.communicator(), first_row_, last_row, first_row_, last_row,
                         &assembled_);
    HYPRE_IJMatrixSetObjectType(assembled_, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(assembled_);
    constexpr int nodes = 8;
    const std::vector<HYPRE_BigInt> rows = rows_of_nodes(A_, first_row_);
    const std::vector<double> matrices = element_matrices(part.geometry, nodes);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row] < 0) continue;
      HYPRE_BigInt columns[nodes];
      double values[nodes];
      HYPRE_Int count = 0;
      for (int j = 0; j < nodes; ++j) {
        const HYPRE_BigInt column = rows[row / nodes * nodes + j];
        if (column < 0) continue;
        columns[count] = column;
        values[count++] = matrices[row * nodes + j];
      }
      HYPRE_IJMatrixAddToValues(assembled_, 1, &count, &rows[row], columns, values);
    }
    HYPRE_IJMatrixAssemble(assembled_);
    HYPRE_IJMatrixGetObject(assembled_, reinterpret_cast<void**>(&matrix_));
  }

  const Operator& A_;
  const Ranks& ranks_;
  HYPRE_Int owned_;
  HYPRE_BigInt first_row_ = 0;
  HYPRE_IJMatrix assembled_ = nullptr;
  HYPRE_ParCSRMatrix matrix_ = nullptr;
  HYPRE_IJVector b_ = nullptr, x_ = nullptr;
  HYPRE_ParVector par_b_ = nullptr, par_x_ = nullptr;
  HYPRE_Solver cycle_ = nullptr;
  Kokkos::View<double*, Kokkos::HostSpace> values_;
};

#endif

}  // namespace

std::unique_ptr<CoarseSolver> polynomial_solver(const Operator& A,
                                                const DeviceVector& inverse_diagonal,
                                                const Ranks& ranks, const IterationSums& sums) {
  // The least eigenvalue has settled when conjugate gradients have converged so far.
  constexpr double tolerance = 1e-3, safety = 1.05;
  Interval eigenvalues = extreme_eigenvalues(A, inverse_diagonal, ranks, sums, 10000, tolerance);
  eigenvalues.largest *= safety;
  return std::make_unique<PolynomialSolver>(A, inverse_diagonal, eigenvalues);
}

std::unique_ptr<CoarseSolver> algebraic_multigrid([[maybe_unused]] const Part& part,
                                                  [[maybe_unused]] const Operator& A,
                                                  [[maybe_unused]] const Ranks& ranks) {
#ifdef POISSON_CG_HYPRE
  return std::make_unique<AlgebraicMultigrid>(part, A, ranks);
#else
  return nullptr;
#endif
}

}  // namespace example
