// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each row of the tables of docs/from-intrepid2.md: the string beside Intrepid2's own function.
#include <gtest/gtest.h>

#include <Intrepid2_ArrayTools.hpp>
#include <Intrepid2_FunctionSpaceTools.hpp>
#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Fault.hpp>
#include <KokkosContract/HostContract.hpp>
#include <Kokkos_DynRankView.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Random.hpp"
#include "Strings.hpp"

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Device = Space::device_type;
using Array = Kokkos::DynRankView<double, Device>;
using Tools = Intrepid2::ArrayTools<Device>;
using FunctionTools = Intrepid2::FunctionSpaceTools<Device>;

/// The letters of the page: c cells, l and r functions, p points, q a single point for all; the
/// others are components. Those of plane vectors are x and y.
int extent_of(char letter) {
  switch (letter) {
    case 'c':
      return 5;
    case 'l':
      return 4;
    case 'r':
      return 6;
    case 'p':
      return 7;
    case 'q':
      return 1;
    case 'x':
    case 'y':
      return 2;
    default:
      return 3;
  }
}

/// The letters of an operand of the string, without marks; the last operand is the output.
template <Spec S>
std::string letters_of(int operand) {
  std::string letters;
  int current = 0;
  for (const char c : text_of<S>()) {
    current += c == ',' || c == '>';
    if (current == operand && std::isalpha(static_cast<unsigned char>(c)) != 0) letters += c;
  }
  return letters;
}

template <std::size_t... I>
Array array_of(const std::string& letters, std::index_sequence<I...>) {
  return Array("A", extent_of(letters[I])...);
}
template <int Rank>
Array random_array(Random& random, const std::string& letters) {
  Array array = array_of(letters, std::make_index_sequence<Rank>());
  for (std::size_t i = 0; i < array.size(); ++i) array.data()[i] = random.number<double>();
  return array;
}
template <Spec S, int Operand>
Array operand_of(Random& random) {
  return random_array<rank_of<S>(Operand)>(random, letters_of<S>(Operand));
}

/// The View of a DynRankView, whose rank the program knows.
template <int Rank>
auto ranked(const Array& array) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return fix<(static_cast<void>(I), dynamic)...>(array);
  }(std::make_index_sequence<Rank>());
}

Array copy_of(const Array& array) {
  Array copy("copy", array.layout());
  Kokkos::deep_copy(copy, array);
  return copy;
}

void expect_equal(const Array& ours, const Array& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    difference = std::max(difference, std::abs(ours.data()[i] - theirs.data()[i]));
    largest = std::max(largest, std::abs(theirs.data()[i]));
  }
  EXPECT_LE(difference, 1e-14 * largest);
  EXPECT_GT(largest, 0);
}

/// A row of the page.
struct Row {
  std::string function, string;
  std::function<void()> compare;
};

void keep(double&) {}
void set_to_one(double& x) { x = 1; }

/// theirs(output, left, right) is the call of Intrepid2, which adds to the output if beta is 1.
/// prepare(x) is called for each element of the left input.
template <Spec S, class Theirs>
Row row(const std::string& function, const Theirs& theirs, double beta = 0,
        void (*prepare)(double&) = keep) {
  const std::string string(text_of<S>());
  return {function, string, [=] {
            Random random;
            const Array left = operand_of<S, 0>(random), right = operand_of<S, 1>(random);
            std::for_each_n(left.data(), left.size(), prepare);
            const Array ours = operand_of<S, 2>(random), expected = copy_of(ours);
            contract<S>(Space(), 1.0, ranked<rank_of<S>(0)>(left), ranked<rank_of<S>(1)>(right),
                        beta, ranked<rank_of<S>(2)>(ours));
            theirs(expected, left, right);
            Kokkos::fence();
            expect_equal(ours, expected);
          }};
}

#define THEIRS(call)                                                                       \
  [](const Array& out, [[maybe_unused]] const Array& a, [[maybe_unused]] const Array& b) { \
    static_cast<void>(call);                                                               \
  }

std::vector<Row> contractions() {
  const char* const scalars = "contractFieldFieldScalar";
  return {
      row<"clp,crp->clr">(scalars, THEIRS(Tools::contractFieldFieldScalar(out, a, b))),
      row<"clp,crp->clr">(scalars, THEIRS(Tools::contractFieldFieldScalar(out, a, b, true)), 1),
      row<"clpd,crpd->clr">("contractFieldFieldVector",
                            THEIRS(Tools::contractFieldFieldVector(out, a, b))),
      row<"clpde,crpde->clr">("contractFieldFieldTensor",
                              THEIRS(Tools::contractFieldFieldTensor(out, a, b))),
      row<"cp,clp->cl">("contractDataFieldScalar",
                        THEIRS(Tools::contractDataFieldScalar(out, a, b))),
      row<"cp,clp->cl">("contractDataFieldScalar",
                        THEIRS(Tools::contractDataFieldScalar(out, a, b, true)), 1),
      row<"c+q,cl+p->cl">("contractDataFieldScalar",
                          THEIRS(Tools::contractDataFieldScalar(out, a, b))),
      row<"cpd,clpd->cl">("contractDataFieldVector",
                          THEIRS(Tools::contractDataFieldVector(out, a, b))),
      row<"c+qd,cl+pd->cl">("contractDataFieldVector",
                            THEIRS(Tools::contractDataFieldVector(out, a, b))),
      row<"cpde,clpde->cl">("contractDataFieldTensor",
                            THEIRS(Tools::contractDataFieldTensor(out, a, b))),
      row<"c+qde,cl+pde->cl">("contractDataFieldTensor",
                              THEIRS(Tools::contractDataFieldTensor(out, a, b))),
      row<"cp,cp->c">("contractDataDataScalar", THEIRS(Tools::contractDataDataScalar(out, a, b))),
      row<"cpd,cpd->c">("contractDataDataVector", THEIRS(Tools::contractDataDataVector(out, a, b))),
      row<"cpde,cpde->c">("contractDataDataTensor",
                          THEIRS(Tools::contractDataDataTensor(out, a, b))),
  };
}

std::vector<Row> products_at_points() {
  const auto scalar_field = THEIRS(Tools::scalarMultiplyDataField(out, a, b));
  const auto scalar_data = THEIRS(Tools::scalarMultiplyDataData(out, a, b));
  const auto dot_field = THEIRS(Tools::dotMultiplyDataField(out, a, b));
  const auto dot_data = THEIRS(Tools::dotMultiplyDataData(out, a, b));
  const auto outer_field = THEIRS(Tools::outerProductDataField(out, a, b));
  const auto outer_data = THEIRS(Tools::outerProductDataData(out, a, b));
  return {
      row<"cp,clp->clp">("scalarMultiplyDataField", scalar_field),
      row<"cp,clpd->clpd">("scalarMultiplyDataField", scalar_field),
      row<"cp,clpde->clpde">("scalarMultiplyDataField", scalar_field),
      row<"cp,lp->clp">("scalarMultiplyDataField", scalar_field),
      row<"cp,lpd->clpd">("scalarMultiplyDataField", scalar_field),
      row<"c+q,clp->clp">("scalarMultiplyDataField", scalar_field),
      row<"cp,cp->cp">("scalarMultiplyDataData", scalar_data),
      row<"cp,cpd->cpd">("scalarMultiplyDataData", scalar_data),
      row<"cp,cpde->cpde">("scalarMultiplyDataData", scalar_data),
      row<"cp,pd->cpd">("scalarMultiplyDataData", scalar_data),
      row<"c+q,cp->cp">("scalarMultiplyDataData", scalar_data),
      row<"cp,clp->clp">("dotMultiplyDataField", dot_field),
      row<"cpd,clpd->clp">("dotMultiplyDataField", dot_field),
      row<"cpde,clpde->clp">("dotMultiplyDataField", dot_field),
      row<"cpd,lpd->clp">("dotMultiplyDataField", dot_field),
      row<"c+qd,clpd->clp">("dotMultiplyDataField", dot_field),
      row<"cpd,cpd->cp">("dotMultiplyDataData", dot_data),
      row<"cpde,cpde->cp">("dotMultiplyDataData", dot_data),
      row<"cpd,pd->cp">("dotMultiplyDataData", dot_data),
      row<"c+qd,cpd->cp">("dotMultiplyDataData", dot_data),
      row<"cpi,clpj->clpij">("outerProductDataField", outer_field),
      row<"cpi,lpj->clpij">("outerProductDataField", outer_field),
      row<"cpi,cpj->cpij">("outerProductDataData", outer_data),
      row<"cpi,pj->cpij">("outerProductDataData", outer_data),
      row<"c,lp->clp">("cloneFields", THEIRS(Tools::cloneFields(out, b)), 0, set_to_one),
      row<"c,lpd->clpd">("cloneFields", THEIRS(Tools::cloneFields(out, b)), 0, set_to_one),
      row<"c,pd->cpd">("cloneData", THEIRS(Tools::cloneData(out, b)), 0, set_to_one),
  };
}

std::vector<Row> matrices_at_points() {
  const auto vector_field = THEIRS(Tools::matvecProductDataField(out, a, b));
  const auto vector_data = THEIRS(Tools::matvecProductDataData(out, a, b));
  const auto matrix_field = THEIRS(Tools::matmatProductDataField(out, a, b));
  const auto matrix_data = THEIRS(Tools::matmatProductDataData(out, a, b));
  const auto transposed_vector_field = THEIRS(Tools::matvecProductDataField(out, a, b, 'T'));
  const auto transposed_matrix_field = THEIRS(Tools::matmatProductDataField(out, a, b, 'T'));
  return {
      row<"cpij,clpj->clpi">("matvecProductDataField", vector_field),
      row<"cpji,clpj->clpi">("matvecProductDataField", transposed_vector_field),
      row<"cpi,clpi->clpi">("matvecProductDataField", vector_field),
      row<"cp,clpi->clpi">("matvecProductDataField", vector_field),
      row<"cpij,lpj->clpi">("matvecProductDataField", vector_field),
      row<"cpji,lpj->clpi">("matvecProductDataField", transposed_vector_field),
      row<"c+qij,clpj->clpi">("matvecProductDataField", vector_field),
      row<"cpij,cpj->cpi">("matvecProductDataData", vector_data),
      row<"cpji,cpj->cpi">("matvecProductDataData",
                           THEIRS(Tools::matvecProductDataData(out, a, b, 'T'))),
      row<"cpij,pj->cpi">("matvecProductDataData", vector_data),
      row<"cpik,clpkj->clpij">("matmatProductDataField", matrix_field),
      row<"cpki,clpkj->clpij">("matmatProductDataField", transposed_matrix_field),
      row<"cpi,clpij->clpij">("matmatProductDataField", matrix_field),
      row<"cp,clpij->clpij">("matmatProductDataField", matrix_field),
      row<"cpik,lpkj->clpij">("matmatProductDataField", matrix_field),
      row<"c+qik,clpkj->clpij">("matmatProductDataField", matrix_field),
      row<"cpik,cpkj->cpij">("matmatProductDataData", matrix_data),
      row<"cpki,cpkj->cpij">("matmatProductDataData",
                             THEIRS(Tools::matmatProductDataData(out, a, b, 'T'))),
      row<"cpik,pkj->cpij">("matmatProductDataData", matrix_data),
  };
}

std::vector<Row> function_space_tools() {
  const auto integrate = THEIRS(FunctionTools::integrate(out, a, b));
  return {
      row<"clp,crp->clr">("integrate", integrate),
      row<"clpd,crpd->clr">("integrate", integrate),
      row<"cp,clp->cl">("integrate", integrate),
      row<"cpd,cpd->c">("integrate", integrate),
      row<"cpji,lpj->clpi">("HGRADtransformGRAD",
                            THEIRS(FunctionTools::HGRADtransformGRAD(out, a, b))),
      row<"cpji,lpj->clpi">("HCURLtransformVALUE",
                            THEIRS(FunctionTools::HCURLtransformVALUE(out, a, b))),
      row<"cp,clp->clp">("multiplyMeasure", THEIRS(FunctionTools::multiplyMeasure(out, a, b))),
      row<"cp,clpd->clpd">("multiplyMeasure", THEIRS(FunctionTools::multiplyMeasure(out, a, b))),
      row<"cp,p->cp">("computeCellMeasure", THEIRS(FunctionTools::computeCellMeasure(out, a, b)), 0,
                      [](double& determinant) { determinant = std::abs(determinant); }),
      row<"cl,clp->cp">("evaluate", THEIRS(FunctionTools::evaluate(out, a, b)), 1),
      row<"cl,clpd->cpd">("evaluate", THEIRS(FunctionTools::evaluate(out, a, b)), 1),
      row<"cl,clp->clp">("applyFieldSigns", THEIRS((Kokkos::deep_copy(out, b),
                                                    FunctionTools::applyFieldSigns(out, a)))),
      row<"cl,clr->clr">(
          "applyLeftFieldSigns",
          THEIRS((Kokkos::deep_copy(out, b), FunctionTools::applyLeftFieldSigns(out, a)))),
      row<"cr,clr->clr">(
          "applyRightFieldSigns",
          THEIRS((Kokkos::deep_copy(out, b), FunctionTools::applyRightFieldSigns(out, a)))),
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const auto& rows :
       {contractions(), products_at_points(), matrices_at_points(), function_space_tools()})
    all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

TEST(Intrepid2, EachRowIsItsFunction) {
  for (const Row& row : all_rows()) {
    SCOPED_TRACE(row.function + " " + row.string);
    row.compare();
  }
}

TEST(Intrepid2, ThePageHasTheseRows) {
  using Names = std::set<std::pair<std::string, std::string>>;
  Names tested, listed;
  for (const Row& row : all_rows()) tested.emplace(row.function, row.string);
  std::ifstream page(KOKKOSCONTRACT_TEST_PROJECT "/docs/from-intrepid2.md");
  for (std::string line; std::getline(page, line);) {
    // | `function` | ... | `"string"` |
    const auto first = line.find('`'), end = line.find('`', first + 1);
    const auto string = line.find("`\""), end_of_string = line.find("\"`");
    if (line.starts_with("| `") && string != line.npos && end_of_string != line.npos)
      listed.emplace(line.substr(first + 1, end - first - 1),
                     line.substr(string + 2, end_of_string - string - 2));
  }
  EXPECT_EQ(tested, listed);
}

/// A Jacobian, its inverse and its determinant for each cell and point.
struct Geometry {
  Array jacobian = array_of("cpij", std::make_index_sequence<4>());
  Array inverse = array_of("cpij", std::make_index_sequence<4>());
  Array determinant = array_of("cp", std::make_index_sequence<2>());
};
Geometry random_geometry(Random& random) {
  Geometry geometry;
  const auto J = ranked<4>(geometry.jacobian), inverse = ranked<4>(geometry.inverse);
  for (int c = 0; c < extent_of('c'); ++c)
    for (int p = 0; p < extent_of('p'); ++p) {
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) J(c, p, i, j) = 0.2 * random.number<double>() + (i == j);
      double sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const int a = (i + 1) % 3, b = (i + 2) % 3, d = (j + 1) % 3, e = (j + 2) % 3;
          inverse(c, p, j, i) = J(c, p, a, d) * J(c, p, b, e) - J(c, p, a, e) * J(c, p, b, d);
          if (i == 0) sum += J(c, p, i, j) * inverse(c, p, j, i);
        }
      geometry.determinant(c, p) = sum;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) inverse(c, p, i, j) /= sum;
    }
  return geometry;
}

TEST(Intrepid2, CrossProductsAreTwoCalls) {
  Random random;
  const Array data = random_array<3>(random, "cpj"), fields = random_array<4>(random, "clpk");
  const Array expected = random_array<4>(random, "clpi"), result = copy_of(expected);
  Tools::crossProductDataField(expected, data, fields);

  const Space space;
  // [cross]
  // E(i, j, k) is 1 for (0, 1, 2) and its cyclic permutations, -1 for the others, and 0 elsewhere.
  Kokkos::View<double[3][3][3], Device> E("E");
  for (int i = 0; i < 3; ++i) {
    E(i, (i + 1) % 3, (i + 2) % 3) = 1;
    E(i, (i + 2) % 3, (i + 1) % 3) = -1;
  }
  const Array matrices("matrices", data.extent(0), data.extent(1), 3, 3);
  contract<"ijk,cpj->cpik">(space, 1.0, E, fix<dynamic, dynamic, 3>(data), 0.0,
                            fix<dynamic, dynamic, 3, 3>(matrices));
  contract<"cpik,clpk->clpi">(space, 1.0, fix<dynamic, dynamic, 3, 3>(matrices),
                              fix<dynamic, dynamic, dynamic, 3>(fields), 0.0,
                              fix<dynamic, dynamic, dynamic, 3>(result));
  // [/cross]
  expect_equal(result, expected);
}

TEST(Intrepid2, CrossProductsInThePlaneAreTwoCalls) {
  Random random;
  const Array data = random_array<3>(random, "cpx"), fields = random_array<4>(random, "clpy");
  const Array expected = random_array<3>(random, "clp"), result = copy_of(expected);
  Tools::crossProductDataField(expected, data, fields);

  Kokkos::View<double[2][2], Device> E("E");
  E(0, 1) = 1;
  E(1, 0) = -1;
  const Array turned = copy_of(data);
  contract<"jk,cpj->cpk">(Space(), 1.0, E, ranked<3>(data), 0.0, ranked<3>(turned));
  contract<"cpk,clpk->clp">(Space(), 1.0, ranked<3>(turned), ranked<4>(fields), 0.0,
                            ranked<3>(result));
  expect_equal(result, expected);
}

TEST(Intrepid2, DivisionByTheDeterminantIsACallMore) {
  Random random;
  const Geometry geometry = random_geometry(random);
  const Array reference = random_array<3>(random, "lpj");
  const Array expected = random_array<4>(random, "clpi"), result = copy_of(expected);
  FunctionTools::HDIVtransformVALUE(expected, geometry.jacobian, geometry.determinant, reference);

  const Array inverse_determinant = copy_of(geometry.determinant);
  for (std::size_t i = 0; i < inverse_determinant.size(); ++i)
    inverse_determinant.data()[i] = 1 / inverse_determinant.data()[i];
  const Array matrices = copy_of(geometry.jacobian);
  contract<"cp,cpij->cpij">(Space(), 1.0, ranked<2>(inverse_determinant),
                            ranked<4>(geometry.jacobian), 0.0, ranked<4>(matrices));
  contract<"cpij,lpj->clpi">(Space(), 1.0, ranked<4>(matrices), ranked<3>(reference), 0.0,
                             ranked<4>(result));
  expect_equal(result, expected);

  const Array values = random_array<2>(random, "lp");
  const Array expected_values = random_array<3>(random, "clp"), divided = copy_of(expected_values);
  FunctionTools::HVOLtransformVALUE(expected_values, geometry.determinant, values);
  contract<"cp,lp->clp">(Space(), 1.0, ranked<2>(inverse_determinant), ranked<2>(values), 0.0,
                         ranked<3>(divided));
  expect_equal(divided, expected_values);
}

TEST(Intrepid2, SumIntoIsBeta) {
  Random random;
  const Array left = random_array<3>(random, "clp"), right = random_array<3>(random, "crp");
  const Array matrices = random_array<3>(random, "clr"), expected = copy_of(matrices);
  Tools::contractFieldFieldScalar(expected, left, right, true);
  // [host]
  using KokkosContract::fix, KokkosContract::dynamic;
  // contractFieldFieldScalar(matrices, left, right, sumInto = true)
  KokkosContract::contract<"clp,crp->clr">(Space(), 1.0, fix<dynamic, dynamic, dynamic>(left),
                                           fix<dynamic, dynamic, dynamic>(right), 1.0,
                                           fix<dynamic, dynamic, dynamic>(matrices));
  // [/host]
  expect_equal(matrices, expected);
}

TEST(Intrepid2, StiffnessMatricesInOneKernel) {
  Random random;
  const Geometry geometry = random_geometry(random);
  const Array gradients = random_array<3>(random, "lpd"), weights = random_array<1>(random, "p");
  const int cells = extent_of('c'), functions = extent_of('l'), points = extent_of('p');
  const Array expected("expected", cells, functions, functions), result = copy_of(expected);
  const Array measure = array_of("cp", std::make_index_sequence<2>());
  {
    // [sequence]
    const Array transformed("transformed", cells, functions, points, 3);
    const Array weighted("weighted", cells, functions, points, 3);
    FunctionTools::computeCellMeasure(measure, geometry.determinant, weights);
    FunctionTools::HGRADtransformGRAD(transformed, geometry.inverse, gradients);
    FunctionTools::multiplyMeasure(weighted, measure, transformed);
    FunctionTools::integrate(expected, transformed, weighted);
    // [/sequence]
  }
  // [kernel]
  using KokkosContract::fix, KokkosContract::dynamic, KokkosContract::slice;
  using Member = Kokkos::TeamPolicy<Space>::member_type;
  const auto w = fix<dynamic, dynamic>(measure);
  const auto inverse = fix<dynamic, dynamic, 3, 3>(geometry.inverse);
  const auto G = fix<dynamic, dynamic, 3>(gradients);
  const auto S = fix<dynamic, dynamic, dynamic>(result);
  // S(l, r) = sum over p of w(p) (J^-T grad l) (J^-T grad r)
  using Stiffness = KokkosContract::TeamContract<"p,pik,pjk,lpi,rpj->lr">;
  const auto A = slice(inverse, 0);
  const auto bytes = Stiffness::scratch_bytes(slice(w, 0), A, A, G, G, slice(S, 0));
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<Space>(cells, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes))),
      KOKKOS_LAMBDA(const Member& team) {
        const int c = team.league_rank();
        const auto A_c = slice(inverse, c);
        KokkosContract::require_success(Stiffness::invoke(
            team, team.team_scratch(0), 1.0, slice(w, c), A_c, A_c, G, G, 0.0, slice(S, c)));
      });
  // [/kernel]
  Kokkos::fence();
  expect_equal(result, expected);
}

}  // namespace
}  // namespace KokkosContract::Test
