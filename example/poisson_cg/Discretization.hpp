// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>

#include "../fused_element_pipeline/Refinement.hpp"
#include "Numbering.hpp"

namespace example {

using DeviceVector = Kokkos::View<double*, Kokkos::DefaultExecutionSpace>;

/// Teams add to sums in parts, each in a line of a GPU's cache of its own, so that they seldom wait
/// for each other. These are the numbers of parts and of words of a part.
inline constexpr int parts_of_sum = 16, words_of_part = 16;
/// The part of a sum to which a team adds.
template <class Sum>
KOKKOS_FORCEINLINE_FUNCTION double& part_of_sum(const Sum& sum, int team) {
  return sum(team % parts_of_sum * words_of_part);
}

/// The solution of -div grad u = f, where f is a multiple of it. Each component of a vector has
/// another order of the directions.
KOKKOS_INLINE_FUNCTION double exact_solution(double x, double y, double z, int component = 0) {
  const double a = component == 0 ? x : component == 1 ? y : z;
  const double b = component == 0 ? y : component == 1 ? z : x;
  const double c = component == 0 ? z : component == 1 ? x : y;
  return Kokkos::cos(3 * a + 0.7) * Kokkos::sin(2 * b + 0.3) * Kokkos::exp(c);
}
inline constexpr double source_factor = 3 * 3 + 2 * 2 - 1;

/// Bilinear forms, with the points that integrate them. An element of order p has (p + 1)^3 nodes
/// at Gauss-Lobatto points.
enum class Form {
  mass,                ///< u v, at (p + 2)^3 Gauss points
  poisson,             ///< grad u . grad v, at (p + 2)^3 Gauss points
  collocated_poisson,  ///< grad u . grad v, at the nodes
};

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

/// The elements of a mesh, or of a part of it, whatever their order and form are. Kernels know both
/// at compile time, so each pair has its own object file (Order.cpp).
///
/// Vectors have the components of each node, one node after another, and those of one more node
/// that no one reads.
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

  /// y += A x, over the elements of some groups, in the work of an execution space. If there is an
  /// energy, the parts of this sum are increased by those of x^T A x.
  virtual void add_product(const Kokkos::DefaultExecutionSpace& space, const DeviceVector& x,
                           const DeviceVector& y, int first_group, int last_group,
                           const DeviceVector& energy) const = 0;
  void add_product(const DeviceVector& x, const DeviceVector& y) const {
    add_product({}, x, y, 0, groups(), {});
  }
  /// y += the diagonal of A
  virtual void add_diagonal(const DeviceVector& y) const = 0;
  /// y += the integrals of f times each basis function
  virtual void add_load(const DeviceVector& y) const = 0;
  virtual SquaredNorms squared_norms(const DeviceVector& x) const = 0;
  virtual Costs costs_of_element() const = 0;
};

/// The interpolation P of a function from elements of one order to those of a higher order, at the
/// unknowns. The function is 0 on the boundary.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// fine += P coarse
  virtual void prolongate(const DeviceVector& coarse, const DeviceVector& fine) const = 0;
  /// coarse += P^T (b - product), over the unknowns that this rank owns. Then product = 0.
  virtual void restrict_residual(const DeviceVector& b, const DeviceVector& product,
                                 const DeviceVector& coarse) const = 0;
};

/// Elements of order Order with this geometry, whose nodes are numbered. The operator is the same
/// for each of 1 to 3 components.
template <int Order, Form form>
std::unique_ptr<Discretization> discretize(const DeviceArray<double* [27][3]>& geometry,
                                           const Numbering& numbering, int components);

/// The interpolation from order Order / 2, rounded down, to Order. There is none for order 1, and
/// none but for Poisson's equation.
template <int Order, Form form>
std::unique_ptr<Transfer> interpolate(const Numbering& coarse, const Numbering& fine);

/// An order and a form that have been compiled.
struct ElementOrder {
  int order;
  Form form;
  std::unique_ptr<Discretization> (*discretize)(const DeviceArray<double* [27][3]>& geometry,
                                                const Numbering& numbering, int components);
  std::unique_ptr<Transfer> (*interpolate)(const Numbering& coarse, const Numbering& fine);
};
template <int Order, Form form = Form::poisson>
constexpr ElementOrder element_order{Order, form, discretize<Order, form>,
                                     interpolate<Order, form>};

}  // namespace example
