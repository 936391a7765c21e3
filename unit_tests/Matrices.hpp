// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the tests of dense linear algebra: tags as letters, and matrices in higher
// precision.
#pragma once

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Tags.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "Operation.hpp"

namespace KokkosContract::Test {

/// The letters of op(X) with `row` and `column`: "ki*" for a ConjTranspose.
template <class TransTag>
std::string letters_of_matrix(const std::string& row, const std::string& column) {
  if (std::is_same_v<TransTag, Trans::NoTranspose>) return row + column;
  return column + row + (std::is_same_v<TransTag, Trans::ConjTranspose> ? "*" : "");
}

/// Op with inputs in shared(...): the first, the second. All other properties of Op hold here, too.
template <class Op, bool First, bool Second>
struct WithShared : Op {
  template <class Level, class Alpha, class A, class B, class Beta, class C>
  KOKKOS_FUNCTION static int call(const Level& level, const Alpha& alpha, const A& a, const B& b,
                                  const Beta& beta, const C& c) {
    if constexpr (First && Second) {
      return Op::call(level, alpha, shared(a), shared(b), beta, c);
    } else if constexpr (First) {
      return Op::call(level, alpha, shared(a), b, beta, c);
    } else {
      return Op::call(level, alpha, a, shared(b), beta, c);
    }
  }
};

/// Problem z of a batch, or the matrix itself for rank 2 (a vector is one column).
template <class W>
Dense<W> matrix_of_batch(const Dense<W>& tensor, int z, bool batch, bool vector = false) {
  Dense<W> matrix{{tensor.extents.begin() + batch, tensor.extents.end()}, {}};
  std::size_t size = 1;
  for (const int extent : matrix.extents) size *= extent;
  const auto first = tensor.values.begin() + (batch ? z * size : 0);
  matrix.values.assign(first, first + size);
  if (vector) matrix.extents.push_back(1);
  return matrix;
}

/// op(X) in full.
template <class TransTag, class W>
Dense<W> transposed(const Dense<W>& x) {
  if constexpr (std::is_same_v<TransTag, Trans::NoTranspose>) {
    return x;
  } else {
    Dense<W> result{{x.extents[1], x.extents[0]}, std::vector<W>(x.values.size())};
    for (int i = 0; i < x.extents[0]; ++i) {
      for (int j = 0; j < x.extents[1]; ++j) {
        result(j, i) =
            std::is_same_v<TransTag, Trans::ConjTranspose> ? conjugate(x(i, j)) : x(i, j);
      }
    }
    return result;
  }
}

/// A random square matrix whose elimination needs no pivoting, and whose solutions stay moderate.
template <class Tensor>
void make_dominant(Tensor& tensor, Random& random) {
  using Scalar = typename Tensor::scalar;
  using Real = real_of_t<Scalar>;
  const auto& extents = tensor.extents();
  const int rank = static_cast<int>(extents.size());
  const int rows = extents[rank - 2], cols = extents[rank - 1];
  const Real scale = Real(1) / Real(1 + rows / 4);
  long e = 0;
  tensor.set([&](Scalar& x, int) {
    const long element = e++ / lanes<typename Tensor::value_type>::count;
    x = random.template number<Scalar>() * scale;
    if (cols > 0 && element / cols % rows == element % cols) x += Scalar(2);
  });
}

}  // namespace KokkosContract::Test
