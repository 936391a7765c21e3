// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Multigrid.hpp"

#include <utility>

#include "Problem.hpp"

namespace example {
namespace {

// Degree 3 needs the least time to a solution, and damps the upper 14/15 of the eigenvalues.
constexpr int degree = 3;
constexpr double part_of_largest = 1.0 / 15;
// Lanczos' method finds the largest eigenvalue from below.
constexpr int lanczos_steps = 12;
constexpr double safety = 1.1;

constexpr ElementOrder coarser_orders[] = {element_order<1>, element_order<2>, element_order<3>,
                                           element_order<4>};

}  // namespace

const ElementOrder* coarser_elements(const ElementOrder& element) {
  return element.order == 1 ? nullptr : &coarser_orders[element.order / 2 - 1];
}

Multigrid::Multigrid(const Part& part, const ElementOrder& element, const Operator& A,
                     const DeviceVector& inverse_diagonal, const Ranks& ranks, Coarse coarse) {
  Level& finest = levels_.emplace_back();
  finest.order = element.order;
  finest.A = &A;
  finest.inverse_diagonal = inverse_diagonal;
  finest.product = A.elements().new_vector("product");
  const ElementOrder* last = &element;
  while (const ElementOrder* const next = coarser_elements(*last)) {
    if (!add_coarser(part, *last, *next, ranks)) break;
    last = next;
  }
  const IterationSums sums;
  for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
    Kokkos::Profiling::pushRegion("smoother");
    make_smoother(levels_[i], ranks, sums);
    Kokkos::Profiling::popRegion();
    count_work(levels_[i]);
  }
  const Level& coarsest = levels_.back();
  Kokkos::Profiling::pushRegion("coarse");
  if (coarse == Coarse::algebraic && coarsest.order == 1)
    coarse_ = algebraic_multigrid(part, *coarsest.A, ranks);
  if (!coarse_) coarse_ = polynomial_solver(*coarsest.A, coarsest.inverse_diagonal, ranks, sums);
  Kokkos::Profiling::popRegion();
}

/// \return whether the coarser order has unknowns
bool Multigrid::add_coarser(const Part& part, const ElementOrder& finer_element,
                            const ElementOrder& element, const Ranks& ranks) {
  Level coarser;
  coarser.order = element.order;
  const Level& finer = levels_.back();
  Kokkos::Profiling::pushRegion("numbering");
  Numbering numbering = coarsen(finer.A->numbering(), finer.order, element.order);
  Kokkos::Profiling::popRegion();
  Kokkos::Profiling::pushRegion("operator");
  coarser.own_A = std::make_unique<const Operator>(part, element, ranks, std::move(numbering));
  Kokkos::Profiling::popRegion();
  coarser.A = coarser.own_A.get();
  if (ranks.max(coarser.A->numbering().owned) == 0) return false;
  coarser.inverse_diagonal = coarser.A->diagonal();
  Kokkos::parallel_for(
      "inverse diagonal",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, coarser.A->numbering().unknowns),
      Invert{coarser.inverse_diagonal});
  const auto [product, b, x] = coarser.A->new_vectors<3>("level");
  coarser.product = product;
  coarser.b = b;
  coarser.x = x;
  Kokkos::Profiling::pushRegion("transfer");
  levels_.back().transfer = finer_element.interpolate(coarser.A->numbering(), finer.A->numbering());
  Kokkos::Profiling::popRegion();
  levels_.push_back(std::move(coarser));
  return true;
}

void Multigrid::make_smoother(Level& level, const Ranks& ranks, const IterationSums& sums) {
  Interval damped =
      extreme_eigenvalues(*level.A, level.inverse_diagonal, ranks, sums, lanczos_steps, 1e-8);
  damped.largest *= safety;
  damped.least = part_of_largest * damped.largest;
  level.smoother = std::make_unique<const Chebyshev>(*level.A, level.inverse_diagonal, damped,
                                                     degree, level.product);
}

void Multigrid::count_work(const Level& level) {
  const Numbering& numbering = level.A->numbering();
  const Costs costs = level.A->elements().costs_of_element();
  const double elements = static_cast<double>(numbering.of_element.size()) /
                          ((level.order + 1) * (level.order + 1) * (level.order + 1));
  constexpr int applications = 2 * degree;
  constexpr int words_of_transfer = 5;  // b and the product, which becomes 0, and x twice
  constexpr double words_of_unknown = 3 * applications + Chebyshev::words_of_first_sweep +
                                      (applications - 1) * Chebyshev::words_of_sweep +
                                      words_of_transfer;
  work_.bytes +=
      sizeof(double) * (applications * costs.words * elements + words_of_unknown * numbering.owned);
  work_.flops += applications * costs.flops * elements;
}

void Multigrid::cycle(int number, const DeviceVector& b, const DeviceVector& x) const {
  const Level& level = levels_[number];
  if (number + 1 == static_cast<int>(levels_.size())) {
    coarse_->solve(b, x);
    return;
  }
  const Level& coarser = levels_[number + 1];
  level.smoother->solve(b, x);
  level.A->apply(x, level.product);
  Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), coarser.b, 0);
  level.transfer->restrict_residual(b, level.product, coarser.b);
  coarser.A->exchange().sum(coarser.b);
  cycle(number + 1, coarser.b, coarser.x);
  level.transfer->prolongate(coarser.x, x);
  level.smoother->improve(b, x);
}

std::string Multigrid::description() const {
  std::string orders;
  for (const Level& level : levels_)
    orders += (orders.empty() ? "" : ", ") + std::to_string(level.order);
  return "orders " + orders + "; Chebyshev's polynomial of degree " + std::to_string(degree) +
         "; coarse problem by " + coarse_->description();
}

}  // namespace example
