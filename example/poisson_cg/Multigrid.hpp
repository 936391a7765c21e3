// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../Ranks.hpp"
#include "Chebyshev.hpp"
#include "CoarseSolver.hpp"
#include "Operator.hpp"

namespace example {

/// Elements of half the order, rounded down, or a null pointer for order 1.
const ElementOrder* coarser_elements(const ElementOrder& element);

/// A cycle through elements of falling order on one mesh, p, p / 2, ..., 1: a symmetric
/// preconditioner of conjugate gradients. Each order is smoothed before and after the coarser ones
/// by Chebyshev's polynomial.
class Multigrid {
 public:
  enum class Coarse { algebraic, polynomial };

  /// A and its inverse diagonal are those of the finest order, and must outlive this. The coarse
  /// problem is for hypre where it is found, unless it is to be solved by a polynomial. Collective.
  Multigrid(const Part& part, const ElementOrder& element, const Operator& A,
            const DeviceVector& inverse_diagonal, const Ranks& ranks,
            Coarse coarse = Coarse::algebraic);

  /// z = M^-1 r for the unknowns. Other entries of z must be 0.
  void apply(const DeviceVector& r, const DeviceVector& z) const { cycle(0, r, z); }

  /// The orders, the smoother and the coarse solver.
  std::string description() const;

  /// What a cycle costs at least, without the coarse solver.
  struct Work {
    double bytes = 0, flops = 0;
  };
  const Work& work_of_rank() const { return work_; }

 private:
  struct Level {
    int order = 0;
    std::unique_ptr<const Operator> own_A;  // not for the finest order
    const Operator* A = nullptr;
    DeviceVector inverse_diagonal, product;
    DeviceVector b, x;  // not for the finest order
    std::unique_ptr<const Chebyshev> smoother;
    std::unique_ptr<const Transfer> transfer;  // from and to the next level
  };
  bool add_coarser(const Part& part, const ElementOrder& finer_element, const ElementOrder& element,
                   const Ranks& ranks);
  void make_smoother(Level& level, const Ranks& ranks, const IterationSums& sums);
  void count_work(const Level& level);
  void cycle(int number, const DeviceVector& b, const DeviceVector& x) const;

  std::vector<Level> levels_;
  std::unique_ptr<const CoarseSolver> coarse_;
  Work work_;
};

/// Multigrid for conjugate_gradients.
struct MultigridPreconditioner {
  static constexpr bool pointwise = false;
  const Multigrid* multigrid;
  void apply(const DeviceVector& r, const DeviceVector& z) const { multigrid->apply(r, z); }
};

}  // namespace example
