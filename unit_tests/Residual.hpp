// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Residuals of factorisations and solutions, in higher precision, with bounds as in LAPACK's tests.
#pragma once

#include <gtest/gtest.h>

#include "Factored.hpp"

namespace KokkosContract::Test {

template <class W>
Dense<W> product(const Dense<W>& a, const Dense<W>& b) {
  Dense<W> c{{a.extents[0], b.extents[1]},
             std::vector<W>(static_cast<std::size_t>(a.extents[0]) * b.extents[1])};
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int k = 0; k < a.extents[1]; ++k) {
      for (int j = 0; j < b.extents[1]; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

template <class W>
Dense<W> difference(Dense<W> a, const Dense<W>& b) {
  for (std::size_t e = 0; e < a.values.size(); ++e) a.values[e] -= b.values[e];
  return a;
}

template <class W>
Dense<W> identity(int n) {
  Dense<W> result{{n, n}, std::vector<W>(static_cast<std::size_t>(n) * n)};
  for (int i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// |residual| <= 30 n eps scale
template <class Scalar, class W>
void expect_small(const Dense<W>& residual, int n, long double scale) {
  EXPECT_TRUE(is_residual<Scalar>(norm_one(residual), n, scale));
}

}  // namespace KokkosContract::Test
