// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The discretization of one order, POISSON_ORDER, and of one form, POISSON_FORM. CMake compiles
// this file for each of them.
#include "Discretization.hpp"
#include "Elements.hpp"
#include "Transfer.hpp"

#ifndef POISSON_ORDER  // CMake compiles all
#define POISSON_ORDER 2
#endif
#ifndef POISSON_FORM
#define POISSON_FORM poisson
#endif

namespace example {
namespace {

template <class Elements>
class DiscretizationOf final : public Discretization {
 public:
  DiscretizationOf(const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering,
                   int components)
      : elements_(geometry, numbering, components), components_(components) {}

  DeviceVector new_vector(const std::string& name) const override {
    return elements_.new_vector(name);
  }
  int elements_in_group() const override { return Elements::in_group; }
  int groups() const override { return elements_.groups(); }
  void add_product(const Kokkos::DefaultExecutionSpace& space, const DeviceVector& x,
                   const DeviceVector& y, int first_group, int last_group,
                   const DeviceVector& energy) const override {
    elements_.apply(space, x, y, first_group, last_group, energy);
  }
  void add_diagonal(const DeviceVector& y) const override { elements_.add_diagonal(y); }
  void add_load(const DeviceVector& y) const override { elements_.add_load(y); }
  SquaredNorms squared_norms(const DeviceVector& x) const override {
    return elements_.squared_norms(x);
  }
  Costs costs_of_element() const override {
    return {Elements::words_of_element, components_ * Elements::flops_of_element};
  }

 private:
  Elements elements_;
  int components_;
};

template <int Order>
class TransferToOrder final : public Transfer {
 public:
  TransferToOrder(const Numbering& coarse, const Numbering& fine) : interpolation_(coarse, fine) {}

  void prolongate(const DeviceVector& coarse, const DeviceVector& fine) const override {
    interpolation_.prolongate(coarse, fine);
  }
  void restrict_residual(const DeviceVector& b, const DeviceVector& product,
                         const DeviceVector& coarse) const override {
    interpolation_.restrict_residual(b, product, coarse);
  }

 private:
  Interpolation<Order> interpolation_;
};

template <int Order, Form form>
std::unique_ptr<Transfer> new_transfer([[maybe_unused]] const Numbering& coarse,
                                       [[maybe_unused]] const Numbering& fine) {
  if constexpr (Order > 1 && form == Form::poisson) {
    return std::make_unique<TransferToOrder<Order>>(coarse, fine);
  } else {
    return nullptr;
  }
}

}  // namespace

template <>
std::unique_ptr<Discretization> discretize<POISSON_ORDER, Form::POISSON_FORM>(
    const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering, int components) {
  using Compiled = DiscretizationOf<Elements<POISSON_ORDER, Form::POISSON_FORM>>;
  return std::make_unique<Compiled>(geometry, numbering, components);
}

template <>
std::unique_ptr<Transfer> interpolate<POISSON_ORDER, Form::POISSON_FORM>(const Numbering& coarse,
                                                                         const Numbering& fine) {
  return new_transfer<POISSON_ORDER, Form::POISSON_FORM>(coarse, fine);
}

}  // namespace example
