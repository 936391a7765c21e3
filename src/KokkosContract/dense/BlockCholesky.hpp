// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_BLOCKCHOLESKY_HPP
#define KOKKOSCONTRACT_DENSE_BLOCKCHOLESKY_HPP

// Cholesky by the warps of a team, of matrices too large for the registers of a few lanes. It is
// right-looking, in wide panels, and each of them in blocks of B columns. Each lane factors the
// square of a block in its own registers, so that no lane waits for it, and then solves for some of
// the rows below. Then all warps subtract the product of these rows in the wide panel. The columns
// behind a wide panel are updated once, by all of its columns.

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/CholeskyFactor.hpp>
#include <KokkosContract/dense/WarpRows.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The elements of an update of Cholesky: C_ij -= sum_k X_ik conj(X_jk), on and below the diagonal.
template <class A>
struct UpdateOfCholesky {
  const A& a;
  KOKKOS_FORCEINLINE_FUNCTION auto y(int z, int k, int j) const {
    return conjugate_if<true>(a(z, j, k));
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool has(int i, int j) { return i >= j; }
};

/// The lower triangle of `count` rows at row and column p of problem z, extended by the identity;
/// later its factor, whose diagonal has no roots yet.
template <class A, class Acc, int B>
struct CholeskySquare {
  using Cholesky = CholeskyFactor<A, Acc>;
  using T = typename A::value_type;

  const A& a;
  int z, p, count;
  Acc x[B][B];
  size_of_t<Acc> reciprocal[B];

  KOKKOS_FORCEINLINE_FUNCTION CholeskySquare(const A& matrix, int problem, int first, int rows)
      : a(matrix), z(problem), p(first), count(rows) {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c <= r; ++c) {
        x[r][c] = r < count ? convert<Acc>(a(z, p + r, p + c)) : Acc(real_t<Acc>(r == c ? 1 : 0));
      }
    }
  }

  /// Factors it. Returns whether all diagonal elements are positive.
  KOKKOS_FORCEINLINE_FUNCTION bool factor() {
    bool positive = true;
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      const auto d = real_part(x[q][q]);
      positive = positive && d > 0;
      bool exists = true;
      reciprocal[q] = short_inverse_root(d, exists);
      if (!exists) reciprocal[q] = Cholesky::inverse_root(d);
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < B; ++r) x[r][q] = x[r][q] * reciprocal[q];
      KOKKOSCONTRACT_UNROLL
      for (int r = q + 1; r < B; ++r) {
        KOKKOSCONTRACT_UNROLL
        for (int c = q + 1; c <= r; ++c) {
          x[r][c] = x[r][c] - x[r][q] * conjugate_if<true>(x[c][q]);
        }
      }
    }
    return positive;
  }

  /// Solves for row i, below the square.
  KOKKOS_FORCEINLINE_FUNCTION void take_row(int i) const {
    Acc row[B];
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < B; ++c) row[c] = c < count ? convert<Acc>(a(z, i, p + c)) : Acc(0);
    KOKKOSCONTRACT_UNROLL
    for (int q = 0; q < B; ++q) {
      row[q] = row[q] * reciprocal[q];
      KOKKOSCONTRACT_UNROLL
      for (int c = q + 1; c < B; ++c) row[c] = row[c] - row[q] * conjugate_if<true>(x[c][q]);
      if (q < count) a(z, i, p + q) = convert<T>(row[q]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store() const {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < B; ++r) {
      if (r >= count) continue;
      KOKKOSCONTRACT_UNROLL
      for (int c = 0; c < r; ++c) a(z, p + r, p + c) = convert<T>(x[r][c]);
      a(z, p + r, p + r) = convert<T>(Cholesky::root_if_positive(real_part(x[r][r])));
    }
  }
};

template <class A, class Acc>
struct BlockCholesky {
  const A& a;

  using T = typename A::value_type;
  static constexpr int B = sizeof(Acc) > 8 ? 4 : 8;
  static constexpr int wide = cols_of_wide_panel;
  static_assert(wide % B == 0);

  /// Factors columns p to next - 1 of problem z. Returns whether their diagonal is positive.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_block(const Group& group, int z, int p, int next) const {
    CholeskySquare<A, Acc, B> square(a, z, p, next - p);
    const bool positive = square.factor();
    for_each(group, a.rows() - next, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      square.take_row(next + static_cast<int>(t));
    });
    group.barrier();  // all lanes have read the square
    if (group.rank() == 0) square.store();
    return positive;
  }

  /// Factors problem z by the warps of a group. Returns whether its diagonal is positive.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION bool factor_one(const Group& group, int z) const {
    const UpdateOfCholesky<A> update{a};
    const int n = a.rows();
    bool positive = true;
    KOKKOSCONTRACT_NO_UNROLL
    for (int first = 0; first < n; first += wide) {
      const int end = first + wide < n ? first + wide : n;
      KOKKOSCONTRACT_NO_UNROLL
      for (int p = first; p < end; p += B) {
        const int next = p + B < end ? p + B : end;
        positive = factor_block(group, z, p, next) && positive;
        if (next < end) {
          subtract_in_group<terms_of_subtraction>(group, update, z, Rest{p, next, next, next, end});
        }
      }
      if (end < n) {
        subtract_in_group<terms_of_subtraction>(group, update, z, Rest{first, end, end, end, n});
      }
    }
    return positive;
  }

  /// Factors all problems. Returns false, and does nothing, if the workers are not whole warps.
  /// `failed` is set in the workers that found an element of a diagonal that is not positive.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const L& level, bool& failed) const {
    return for_each_problem_of_warps(level, a.batch(), a.rows(),
                                     [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
                                       if (!factor_one(group, z)) failed = true;
                                     });
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
