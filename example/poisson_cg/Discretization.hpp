// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>

#include "../fused_element_pipeline/Refinement.hpp"
#include "Numbering.hpp"

namespace example {

using DeviceVector = Kokkos::View<double*, Kokkos::DefaultExecutionSpace>;

/// The solution of -div grad u = f, where f is a multiple of it.
KOKKOS_INLINE_FUNCTION double exact_solution(double x, double y, double z) {
  return Kokkos::cos(3 * x + 0.7) * Kokkos::sin(2 * y + 0.3) * Kokkos::exp(z);
}
inline constexpr double source_factor = 3 * 3 + 2 * 2 - 1;

/// What an element costs at least.
struct Costs {
  double words = 0;  ///< words of memory that the operator reads, without vectors
  double flops = 0;  ///< additions and multiplications of the operator
};

/// Squares of L2 norms. Those of parts of a mesh add up.
struct SquaredNorms {
  double error = 0;     ///< of x - u
  double solution = 0;  ///< of u
};

/// The elements of a mesh, or of a part of it, whatever their order is. Kernels know the order at
/// compile time, so each order has its own file (Order.cpp).
///
/// Vectors have an entry for each node, and one more that no one reads.
class Discretization {
 public:
  Discretization() = default;
  Discretization(const Discretization&) = delete;
  Discretization& operator=(const Discretization&) = delete;
  virtual ~Discretization() = default;

  virtual DeviceVector new_vector(const std::string& name) const = 0;
  /// Elements come in groups of this size, in the order of the mesh. The last one may have fewer.
  virtual int elements_in_group() const = 0;
  virtual int groups() const = 0;

  /// y += A x, over the elements of some groups
  virtual void add_product(const DeviceVector& x, const DeviceVector& y, int first_group,
                           int last_group) const = 0;
  void add_product(const DeviceVector& x, const DeviceVector& y) const {
    add_product(x, y, 0, groups());
  }
  /// y += the diagonal of A
  virtual void add_diagonal(const DeviceVector& y) const = 0;
  /// y += the integrals of f times each basis function
  virtual void add_load(const DeviceVector& y) const = 0;
  virtual SquaredNorms squared_norms(const DeviceVector& x) const = 0;
  virtual Costs costs_of_element() const = 0;
};

/// Elements of order Order with this geometry, whose nodes are numbered.
template <int Order>
std::unique_ptr<Discretization> discretize(const DeviceArray<double* [27][3]>& geometry,
                                           const Numbering& numbering);

/// An order that has been compiled.
struct ElementOrder {
  int order;
  std::unique_ptr<Discretization> (*discretize)(const DeviceArray<double* [27][3]>& geometry,
                                                const Numbering& numbering);
};
template <int Order>
constexpr ElementOrder element_order{Order, discretize<Order>};

}  // namespace example
