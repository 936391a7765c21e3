// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the tests of Trsv and Trsm: a triangle in a matrix whose other elements must not
// be read, and the backward error of a solution.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "Matrices.hpp"

namespace KokkosContract::Test {

/// NaN where the routine must not read: the other triangle, and with Diag::Unit the diagonal, too.
template <class Triangle, class Diagonal, class Tensor>
void spoil_unread(Tensor& a) {
  using Scalar = typename Tensor::scalar;
  const auto& extents = a.extents();
  const int n = extents.back();
  long e = 0;
  a.set([&](Scalar& x, int) {
    const long element = e++ / lanes<typename Tensor::value_type>::count;
    const int i = static_cast<int>(element / n % n), j = static_cast<int>(element % n);
    const bool unread = (std::is_same_v<Triangle, Uplo::Lower> ? j > i : j < i) ||
                        (std::is_same_v<Diagonal, Diag::Unit> && i == j);
    if (unread) x = Scalar(std::numeric_limits<float>::quiet_NaN());
  });
}

/// The triangle in full, as the routine must see it.
template <class Triangle, class Diagonal, class W>
Dense<W> triangle(Dense<W> a) {
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int j = 0; j < a.extents[1]; ++j) {
      if (std::is_same_v<Triangle, Uplo::Lower> ? j > i : j < i) a(i, j) = W(0);
      if (std::is_same_v<Diagonal, Diag::Unit> && i == j) a(i, j) = W(1);
    }
  }
  return a;
}

/// |L X - alpha B| <= gamma_k (|L| |X| + |alpha B|) in each element, for L X or X L.
template <class T, class W>
testing::AssertionResult solves(bool left, const Dense<W>& l, const Dense<W>& x, W alpha,
                                const Dense<W>& b) {
  const int rows = b.extents[0], cols = b.extents[1], n = l.extents[0];
  const long double k = n + roundings_of_product<T> + roundings_of_quotient<T>;
  const long double g = gamma(k, unit_roundoff<T>());
  Expected<W> expected{b.extents, {}, {}};
  Dense<W> product{b.extents, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      W sum(0);
      const W right = alpha == W(0) ? W(0) : alpha * b(i, j);
      long double absolute = magnitude(right);
      for (int p = 0; p < n; ++p) {
        const W term = left ? l(i, p) * x(p, j) : x(i, p) * l(p, j);
        sum += term;
        absolute += magnitude(term);
      }
      product.values.push_back(sum);
      expected.value.push_back(right);
      expected.bound.push_back(g * absolute);
    }
  }
  return within_bounds(product, expected);
}

/// The triangular solve Op, whose right-hand sides are matrices or (`vector`) vectors; extents are
/// those of the right-hand side, with a leading batch for one rank more.
template <class Level, class Op, class SideTag, class Triangle, class TransTag, class Diagonal,
          class BView, class AView>
void check_solve(Random& random, const std::vector<int>& extents, bool vector, bool shared_a,
                 int problems = 2) {
  using Space = typename Level::space;
  using Scalar = typename lanes<typename BView::value_type>::scalar;
  using W = wide_t<Scalar>;
  constexpr bool left = std::is_same_v<SideTag, Side::Left>;
  std::string trace = random.state();
  for (const int extent : extents) trace += " " + std::to_string(extent);
  SCOPED_TRACE(trace);

  const bool batch = extents.size() == (vector ? 2 : 3);
  const int n = vector || !left ? extents.back() : extents[extents.size() - 2];
  std::vector<int> a_extents{n, n};
  if (batch && !shared_a) a_extents.insert(a_extents.begin(), extents[0]);
  std::tuple<tensor_for_t<AView, Space>> inputs{tensor_for_t<AView, Space>(
      random, a_extents, arrangement_of<typename AView::array_layout>(), problems)};
  auto& a = std::get<0>(inputs);
  make_dominant(a, random);
  spoil_unread<Triangle, Diagonal>(a);
  tensor_for_t<BView, Space> b(random, extents, arrangement_of<typename BView::array_layout>(),
                               problems);
  std::vector<Dense<W>> before;
  for (int p = 0; p < problems; ++p) before.push_back(b.template dense<W>(p));

  const auto start = make_start<Level, Op, BView, AView>(std::type_identity<Scalar>{}, b, inputs);
  for (const Scalar alpha : {random.template number<Scalar>(), Scalar(1), Scalar(0)}) {
    check_configurations(start, alpha, Scalar(0), [&](int p, int code) {
      EXPECT_EQ(code, 0);
      const Dense<W> matrix = a.template dense<W>(p), after = b.template dense<W>(p);
      for (int z = 0; z < (batch ? extents[0] : 1); ++z) {
        const auto t = transposed<TransTag>(
            triangle<Triangle, Diagonal>(matrix_of_batch(matrix, z, batch && !shared_a)));
        EXPECT_TRUE(solves<Scalar>(left, t, matrix_of_batch(after, z, batch, vector),
                                   widen<W>(alpha), matrix_of_batch(before[p], z, batch, vector)))
            << "problem " << p << ", number " << z << " of the batch, alpha " << alpha;
      }
    });
  }
}

}  // namespace KokkosContract::Test
