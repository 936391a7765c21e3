// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_CEED_HPP
#define KOKKOSCONTRACT_PERF_CEED_HPP

// Finite-element operators by libCEED, as its users write them: a basis, restrictions, and an
// operator of its gallery.

#include <ceed.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "ShapeFunctions.hpp"

namespace perf {

/// u = A v, mass or Poisson on hexahedra, by a backend of libCEED. It sets u to zero itself.
class CeedAction {
 public:
  struct Elements {
    int count;
    const int* numbers;  ///< numbers of unknowns, [element][node]; null: one element after another
    int unknowns;        ///< number of unknowns of all elements
    int fields;          ///< 1: mass, 6: Poisson
    double* data;        ///< [field][element][point]; fields in the order of field_order
  };
  /// The word of the metric's upper triangle for each of libCEED's fields. The triangle is stored
  /// row by row, with the direction that varies slowest in memory first.
  static constexpr std::array<int, 6> field_order{5, 3, 0, 1, 2, 4};

  /// All pointers are to `memory`, and must stay valid.
  CeedAction(const std::string& backend, CeedMemType memory, const ShapeFunctions& shape,
             const Elements& of, double* v, double* u) {
    const auto cube = [](int n) { return n * n * n; };
    const int nodes = cube(shape.nodes);
    const int points = cube(shape.points);
    initialise(backend, &ceed_);
    check(CeedBasisCreateTensorH1(
        ceed_, 3, 1, shape.nodes, shape.points, shape.values.data(), shape.slopes.data(),
        std::vector<double>(static_cast<std::size_t>(shape.points)).data(),
        std::vector<double>(static_cast<std::size_t>(shape.points)).data(), &basis_));
    // Strides of nodes, fields and elements
    const std::array<CeedInt, 3> of_nodes{1, nodes, nodes};
    const std::array<CeedInt, 3> of_points{1, of.count * points, points};
    if (of.numbers != nullptr) {
      check(CeedElemRestrictionCreate(ceed_, of.count, nodes, 1, 1, of.unknowns, memory,
                                      CEED_COPY_VALUES, of.numbers, &unknowns_));
    } else {
      check(CeedElemRestrictionCreateStrided(ceed_, of.count, nodes, 1, of.unknowns,
                                             of_nodes.data(), &unknowns_));
    }
    const CeedSize words = CeedSize{of.fields} * of.count * points;
    check(CeedElemRestrictionCreateStrided(ceed_, of.count, points, of.fields, words,
                                           of_points.data(), &points_));
    const auto borrow = [&](double* array, CeedSize size, CeedVector* vector) {
      check(CeedVectorCreate(ceed_, size, vector));
      check(CeedVectorSetArray(*vector, memory, CEED_USE_POINTER, array));
    };
    borrow(of.data, words, &data_);
    borrow(v, of.unknowns, &v_);
    borrow(u, of.unknowns, &u_);
    const bool mass = of.fields == 1;
    check(CeedQFunctionCreateInteriorByName(ceed_, mass ? "MassApply" : "Poisson3DApply",
                                            &function_));
    check(
        CeedOperatorCreate(ceed_, function_, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &operator_));
    check(
        CeedOperatorSetField(operator_, mass ? "u" : "du", unknowns_, basis_, CEED_VECTOR_ACTIVE));
    check(CeedOperatorSetField(operator_, "qdata", points_, CEED_BASIS_NONE, data_));
    check(
        CeedOperatorSetField(operator_, mass ? "v" : "dv", unknowns_, basis_, CEED_VECTOR_ACTIVE));
  }
  ~CeedAction() {
    CeedOperatorDestroy(&operator_);
    CeedQFunctionDestroy(&function_);
    for (CeedVector* const vector : {&data_, &v_, &u_}) CeedVectorDestroy(vector);
    for (CeedElemRestriction* const restriction : {&unknowns_, &points_})
      CeedElemRestrictionDestroy(restriction);
    CeedBasisDestroy(&basis_);
    CeedDestroy(&ceed_);
  }
  CeedAction(const CeedAction&) = delete;
  CeedAction& operator=(const CeedAction&) = delete;

  void operator()() const { check(CeedOperatorApply(operator_, v_, u_, CEED_REQUEST_IMMEDIATE)); }

  /// Whether libCEED was built with this backend and finds what it needs.
  static bool has(const std::string& backend) {
    Ceed ceed = nullptr;
    try {
      initialise(backend, &ceed);
    } catch (const std::runtime_error&) {
      return false;
    }
    CeedDestroy(&ceed);
    return true;
  }

 private:
  static void check(int error) {
    if (error != CEED_ERROR_SUCCESS)
      throw std::runtime_error("libCEED: error " + std::to_string(error));
  }
  static void initialise(const std::string& backend, Ceed* ceed) {
    // An unknown backend returns an error and does not abort.
    setenv("CEED_ERROR_HANDLER", "store", 0);
    check(CeedInit(backend.c_str(), ceed));
  }

  Ceed ceed_ = nullptr;
  CeedBasis basis_ = nullptr;
  CeedElemRestriction unknowns_ = nullptr, points_ = nullptr;
  CeedVector data_ = nullptr, v_ = nullptr, u_ = nullptr;
  CeedQFunction function_ = nullptr;
  CeedOperator operator_ = nullptr;
};

}  // namespace perf

#endif
