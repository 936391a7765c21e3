// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The discretization of one order, POISSON_ORDER. CMake compiles this file for each order.
#include "Discretization.hpp"
#include "Elements.hpp"

#ifndef POISSON_ORDER  // CMake compiles all
#define POISSON_ORDER 2
#endif

namespace example {
namespace {

template <int Order>
class DiscretizationOfOrder final : public Discretization {
 public:
  DiscretizationOfOrder(const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering)
      : elements_(geometry, numbering) {}

  DeviceVector new_vector(const std::string& name) const override {
    return elements_.new_vector(name);
  }
  int elements_in_group() const override { return Elements<Order>::in_group; }
  int groups() const override { return elements_.groups(); }
  void add_product(const DeviceVector& x, const DeviceVector& y, int first_group,
                   int last_group) const override {
    elements_.apply(x, y, first_group, last_group);
  }
  void add_diagonal(const DeviceVector& y) const override { elements_.add_diagonal(y); }
  void add_load(const DeviceVector& y) const override { elements_.add_load(y); }
  SquaredNorms squared_norms(const DeviceVector& x) const override {
    return elements_.squared_norms(x);
  }
  Costs costs_of_element() const override {
    return {Elements<Order>::words_of_element, Elements<Order>::flops_of_element};
  }

 private:
  Elements<Order> elements_;
};

}  // namespace

template <>
std::unique_ptr<Discretization> discretize<POISSON_ORDER>(
    const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering) {
  return std::make_unique<DiscretizationOfOrder<POISSON_ORDER>>(geometry, numbering);
}

}  // namespace example
