// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense routines with hostile matrices. Products and updates that are contractions are checked as
// such; the others here, by the backward errors of docs/accuracy.md where it has one, else by
// norms as LAPACK's tests do. What is not a number, or singular, has its own rules in each.
#include <algorithm>
#include <cmath>

#include "Operands.hpp"
#include "Residual.hpp"

namespace KokkosContract::Test::Fuzz {
namespace {

// --- Matrices -----------------------------------------------------------------------------------

using Matrix = Dense<Wide>;

Matrix zeros(int rows, int cols) {
  return {{rows, cols}, std::vector<Wide>(static_cast<std::size_t>(rows) * cols)};
}

bool is_finite(const Matrix& a) {
  return std::all_of(a.values.begin(), a.values.end(), [](const Wide& x) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
  });
}

/// op(X), by its letter: N, T, C.
Matrix op(char trans, const Matrix& x) {
  if (trans == 'T') return transposed<Trans::Transpose>(x);
  if (trans == 'C') return transposed<Trans::ConjTranspose>(x);
  return x;
}

bool in_triangle(bool lower, int i, int j) { return lower ? j <= i : j >= i; }

/// The triangle that is meant, in full.
Matrix triangle(Matrix a, bool lower, bool unit) {
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int j = 0; j < a.extents[1]; ++j) {
      if (!in_triangle(lower, i, j)) a(i, j) = 0;
      if (unit && i == j) a(i, j) = 1;
    }
  }
  return a;
}

Matrix magnitudes(const Matrix& x) {
  Matrix result{x.extents, {}};
  for (const Wide& value : x.values) result.values.push_back(std::abs(value));
  return result;
}

Matrix leading(const Matrix& a, int rows, int cols) {
  Matrix result = zeros(rows, cols);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) result(i, j) = a(i, j);
  }
  return result;
}

// --- Hostile matrices ---------------------------------------------------------------------------

void fill_one(Matrix& a, Random& random, int kind) {
  const int rows = a.extents[0], cols = a.extents[1];
  if (rows * cols == 0) return;
  const auto for_all = [&](const auto& f) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) f(a(i, j), i, j);
    }
  };
  const int row = random.integer(0, rows - 1), col = random.integer(0, cols - 1);
  const long double power = std::pow(2.L, random.integer(-20, 20));
  switch (kind) {
    case 0:
    case 1:
    case 2:
      break;  // random
    case 3:   // dominant
      for_all(
          [&](Wide& x, int i, int j) { x = x / (1.L + rows / 4) + (i == j ? Wide(2) : Wide(0)); });
      break;
    case 4:  // graded rows
      for (int i = 0; i < rows; ++i) {
        const long double factor = std::pow(2.L, random.integer(-20, 20));
        for (int j = 0; j < cols; ++j) a(i, j) *= factor;
      }
      break;
    case 5:  // graded columns
      for (int j = 0; j < cols; ++j) {
        const long double factor = std::pow(2.L, random.integer(-20, 20));
        for (int i = 0; i < rows; ++i) a(i, j) *= factor;
      }
      break;
    case 6:  // a tiny pivot
      a(std::min(row, cols - 1), std::min(row, cols - 1)) = 0x1p-30L;
      break;
    case 7:  // a column of zeros
      for (int i = 0; i < rows; ++i) a(i, col) = 0;
      break;
    case 8:
      for_all([](Wide& x, int, int) { x = 0; });
      break;
    case 9:
      a(row, col) = std::numeric_limits<long double>::quiet_NaN();
      break;
    case 10:
      a(row, col) = std::numeric_limits<long double>::infinity();
      break;
    case 11:  // small integers: ties, and exact zeros
      for_all([&](Wide& x, int, int) { x = random.integer(-2, 2); });
      break;
    case 12:  // rank one, exactly
      for (int j = 0; j < cols; ++j) a(0, j) = random.integer(-3, 3);
      for (int i = 1; i < rows; ++i) {
        const int factor = random.integer(-2, 2);
        for (int j = 0; j < cols; ++j) a(i, j) = static_cast<long double>(factor) * a(0, j);
      }
      break;
    case 13:  // a zero on the diagonal
      a(std::min(row, cols - 1), std::min(row, cols - 1)) = 0;
      break;
    default:
      for_all([&](Wide& x, int, int) { x *= power; });
  }
}

/// Most elements of one draw are of one kind; those of other lanes, problems and batches differ.
int random_kind(const Draw& draw, Random& random) {
  const int choice = random.integer(0, 9);
  return choice < 5 ? draw.kind % 15 : choice < 8 ? 0 : random.integer(0, 14);
}

/// f(matrix) for each matrix of an operand, which may be a batch; vectors are columns.
template <class F>
void for_each_matrix(Dense<Wide>& tensor, bool batch, const F& f) {
  const int number = batch ? tensor.extents[0] : 1;
  const bool vector = tensor.extents.size() == (batch ? 2 : 1);
  for (int z = 0; z < number; ++z) {
    Matrix matrix = matrix_of_batch(tensor, z, batch, vector);
    f(matrix);
    std::copy(matrix.values.begin(), matrix.values.end(),
              tensor.values.begin() + z * static_cast<std::ptrdiff_t>(matrix.values.size()));
  }
}

bool has_batch(const Operands& o, int number) {
  const std::string& letters = o.description.operands[number].letters;
  return !letters.empty() && letters[0] == 'z';
}

template <class F>
void change_matrices(Operands& o, int number, const F& f) {
  o.tensors[number]->change(o.draw.problems, [&](Dense<Wide>& values, int, int) {
    for_each_matrix(values, has_batch(o, number), f);
  });
}

void fill_general(Operands& o, Random& random) {
  change_matrices(o, 0, [&](Matrix& a) { fill_one(a, random, random_kind(o.draw, random)); });
}

// --- One problem --------------------------------------------------------------------------------

/// One matrix of the batch of one lane of one problem, of each operand, before and after.
struct One {
  const Operands& o;
  int problem, lane, z;
  Statistics& statistics;

  TypeFacts type() const { return facts(o.description.operands[0].type); }
  char tag(int i) const { return o.description.text.at(i); }
  bool complex() const {
    bool any = false;
    for (const auto& operand : o.description.operands) any |= facts(operand.type).complex;
    return any;
  }
  long double roundoff() const {
    std::vector<Type> types;
    for (const auto& operand : o.description.operands) types.push_back(operand.type);
    return accumulator(types).roundoff;
  }
  /// The place of H's n: n + 1, for complex types n + 16.
  long double order(int n) const { return n + (complex() ? 16 : 1); }

  Matrix was(int number) const { return pick(o.was(number, problem, lane), number); }
  Matrix is(int number) const { return pick(o.is(number, problem, lane), number); }
  /// Entries of ipiv or info: integers, the last dimension being the lanes of packs.
  std::vector<int> entries(int number) const {
    const auto dense = o.is(number, problem, 0);
    const int lanes = o.lanes();
    const std::size_t count = dense.values.size() / (number_of(number) * lanes);
    std::vector<int> result;
    for (std::size_t e = 0; e < count; ++e) {
      result.push_back(static_cast<int>(
          dense.values[((has_batch(o, number) ? z : 0) * count + e) * lanes + lane].real()));
    }
    return result;
  }

  /// `what`: |computed - exact| <= gamma_k bound in each element.
  void expect_near(const Matrix& computed, const Matrix& exact, long double k, const Matrix& bound,
                   const std::string& what) const {
    Expected<Wide> expected{exact.extents, exact.values, {}};
    const long double g = gamma(k, roundoff());
    for (const Wide& b : bound.values) {
      expected.bound.push_back(g * b.real() + (k + 1) * type().smallest);
    }
    expect_within(computed, expected, statistics, what);
  }
  /// As LAPACK's tests: |residual| <= 30 n eps scale.
  void expect_small(const Matrix& residual, int n, long double scale,
                    const std::string& what) const {
    const long double bound = 60 * std::max(n, 1) * roundoff() * scale + n * type().smallest;
    const long double size = norm_one(residual);
    EXPECT_TRUE(size <= bound) << what << ": residual " << size << ", bound " << bound;
    ++statistics.elements;
  }

 private:
  std::size_t number_of(int number) const {
    return has_batch(o, number) ? std::max(o.tensors[number]->extents()[0], 1) : 1;
  }
  Matrix pick(const Dense<Wide>& tensor, int number) const {
    const bool batch = has_batch(o, number);
    return matrix_of_batch(tensor, z, batch, tensor.extents.size() == (batch ? 2 : 1));
  }
};

/// Index from 1 of the first zero on the diagonal; 0: there is none.
int first_zero(const Matrix& a) {
  for (int k = 0; k < std::min(a.extents[0], a.extents[1]); ++k) {
    if (a(k, k) == Wide(0)) return k + 1;
  }
  return 0;
}

// --- Factors ------------------------------------------------------------------------------------

struct Factors {
  Matrix l, u;
};
Factors factors_of(const Matrix& a) {
  const int rows = a.extents[0], cols = a.extents[1], steps = std::min(rows, cols);
  Factors f{zeros(rows, steps), zeros(steps, cols)};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) (i <= j ? f.u(i, j) : f.l(i, j)) = a(i, j);
    if (i < steps) f.l(i, i) = 1;
  }
  return f;
}

Matrix interchanged(Matrix a, const std::vector<int>& ipiv) {
  for (int p = 0; p < static_cast<int>(ipiv.size()); ++p) {
    const int r = ipiv[p];
    EXPECT_TRUE(r >= p && r < a.extents[0]) << "interchange " << p << " is with row " << r;
    if (r < p || r >= a.extents[0]) return a;
    for (int j = 0; j < a.extents[1]; ++j) std::swap(a(p, j), a(r, j));
  }
  return a;
}

/// L U = A + E (A with its rows interchanged).
void expect_factors(const One& one, const Matrix& before, const Factors& f) {
  const int steps = f.u.extents[0];
  one.expect_near(product(f.l, f.u), before, one.order(steps),
                  product(magnitudes(f.l), magnitudes(f.u)), "factors");
}

/// op(A) x = b with |E| <= gamma_3k |L| |U|, where P A = L U.
void expect_solved(const One& one, const Matrix& a, const Matrix& x, const Matrix& b,
                   const Matrix& size) {
  one.expect_near(product(a, x), b, 3 * one.order(a.extents[0]), product(size, magnitudes(x)),
                  "solution");
}

/// Rows of P^T X: those of X, put back.
Matrix put_back(Matrix x, const std::vector<int>& ipiv) {
  for (int p = static_cast<int>(ipiv.size()) - 1; p >= 0; --p) {
    for (int j = 0; j < x.extents[1]; ++j) std::swap(x(p, j), x(ipiv[p], j));
  }
  return x;
}

/// Its info; checks the factors that LU left.
int verify_lu(const One& one) {
  const Matrix before = one.was(0), after = one.is(0);
  const int info = first_zero(after);
  if (is_finite(before) && is_finite(after)) {
    if (info == 0) {
      expect_factors(one, before, factors_of(after));
    } else {  // rows and columns in front of the zero pivot
      expect_factors(one, leading(before, info - 1, before.extents[1]),
                     factors_of(leading(after, info - 1, after.extents[1])));
      expect_factors(one, leading(before, before.extents[0], info - 1),
                     factors_of(leading(after, after.extents[0], info - 1)));
    }
  }
  return info;
}

int verify_getrf(const One& one) {
  const Matrix before = one.was(0), after = one.is(0);
  const auto ipiv = one.entries(1);
  const Matrix a = interchanged(before, ipiv);
  if (is_finite(before)) {
    EXPECT_TRUE(is_finite(after)) << "factors of a finite matrix";
    const Factors f = factors_of(after);
    expect_factors(one, a, f);
    const long double most = one.complex() ? 1.41422L : 1.000001L;
    for (int i = 0; i < f.l.extents[0]; ++i) {
      for (int j = 0; j < std::min(i, f.l.extents[1]); ++j) {
        EXPECT_LE(std::abs(f.l(i, j)), most) << "multiplier " << i << ", " << j;
      }
    }
  }
  return first_zero(after);
}

/// The unpivoted |L| |U| of op(A), in A's order of rows.
Matrix size_of_factors(const Matrix& after, const std::vector<int>& ipiv, char trans) {
  const Factors f = factors_of(after);
  return op(trans, put_back(product(magnitudes(f.l), magnitudes(f.u)), ipiv));
}

int verify_getrs(const One& one) {
  const int info = verify_getrf(one);
  const Matrix a = one.was(0), b = one.was(2);
  if (info == 0 && is_finite(a)) {
    const char trans = one.tag(0);
    expect_solved(one, op(trans, a), one.is(2), b,
                  size_of_factors(one.is(0), one.entries(1), trans));
  }
  return info;
}

int verify_gesv(const One& one) {
  const int info = verify_getrf(one);
  const Matrix a = one.was(0), b = one.was(2), x = one.is(2);
  if (info == 0 && is_finite(a)) {
    expect_solved(one, a, x, b, size_of_factors(one.is(0), one.entries(1), 'N'));
  } else if (info != 0 && one.o.lanes() == 1) {
    EXPECT_TRUE(x.values == b.values) << "right-hand sides of a singular matrix";
  }
  return info;
}

int verify_solve_lu(const One& one) {
  const int info = verify_lu(one);
  const Matrix a = one.was(0), after = one.is(0);
  if (info == 0 && is_finite(a) && is_finite(after)) {
    const char trans = one.tag(0);
    const Factors f = factors_of(after);
    expect_solved(one, op(trans, a), one.is(1), one.was(1),
                  op(trans, product(magnitudes(f.l), magnitudes(f.u))));
  }
  return info;
}

/// What becomes of A is not said: the bound has the factors of longer numbers, which are as large
/// where A is diagonally dominant.
int verify_gesv_without_pivoting(const One& one) {
  const Matrix a = one.was(0);
  if (is_finite(a)) {
    Matrix factored = a;
    const int n = a.extents[0];
    for (int p = 0; p < n; ++p) {
      for (int i = p + 1; i < n; ++i) {
        factored(i, p) /= factored(p, p);
        for (int j = p + 1; j < n; ++j) factored(i, j) -= factored(i, p) * factored(p, j);
      }
    }
    const Factors f = factors_of(factored);
    expect_solved(one, a, one.is(1), one.was(1), product(magnitudes(f.l), magnitudes(f.u)));
  }
  return 0;
}

/// The inverse is A X = I column by column: |A X - I| <= gamma |L| |U| |X|; the factors are gone.
int verify_inverse_lu(const One& one) {
  const Matrix a = one.was(0), x = one.is(0);
  if (is_finite(a) && is_finite(x)) {
    one.expect_small(difference(product(a, x), identity<Wide>(a.extents[0])), a.extents[0],
                     4 * norm_one(a) * norm_one(x), "inverse");
  }
  return 0;
}
void fill_dominant(Operands& o, Random& random) {
  change_matrices(o, 0, [&](Matrix& a) { fill_one(a, random, 3); });
}

// --- Cholesky -----------------------------------------------------------------------------------

/// Positive definite in the triangle that is read, by dominance; or not from some minor on. What is
/// not read is NaN: the other triangle, imaginary parts of the diagonal.
void fill_potrf(Operands& o, Random& random) {
  const bool lower = o.description.text.at(0) == 'L';
  change_matrices(o, 0, [&](Matrix& a) {
    const int n = a.extents[0];
    const int kind = random_kind(o.draw, random);
    const int k = n > 0 ? random.integer(0, n - 1) : 0;
    const long double scale = kind == 14 ? std::pow(2.L, random.integer(-20, 20)) : 1;
    std::vector<long double> grades(n, 1);
    if (kind == 4 || kind == 5) {
      for (auto& grade : grades) grade = std::pow(2.L, random.integer(-12, 12));
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        a(i, j) *= scale * grades[i] * grades[j];
        if (i == j) {
          a(i, i) = {(n + 1 + std::abs(a(i, i).real())) * scale * grades[i] * grades[i],
                     random.integer(0, 1) == 0 ? poison(Type::f64).real() : 3};
          if (!facts(o.description.operands[0].type).complex) a(i, i) = a(i, i).real();
        } else if (!in_triangle(lower, i, j)) {
          a(i, j) = poison(Type::f64);
        }
      }
    }
    if (n == 0) return;
    if (kind == 7 || kind == 13) a(k, k) = 0;
    if (kind == 8) a(k, k) = -a(k, k).real();
    if (kind == 9) a(k, k) = poison(Type::f64);
  });
}

int verify_potrf(const One& one) {
  const bool lower = one.tag(0) == 'L';
  const Matrix before = one.was(0), after = one.is(0);
  const int n = before.extents[0];
  // Dominant as they are, they are positive definite up to a diagonal element that is not positive.
  int info = 0;
  for (int k = n - 1; k >= 0; --k) {
    if (!(before(k, k).real() > 0)) info = k + 1;
  }
  const int good = info == 0 ? n : info - 1;
  Matrix a = leading(before, good, good), l = triangle(leading(after, good, good), lower, false);
  for (int i = 0; i < good; ++i) {
    EXPECT_EQ(after(i, i).imag(), 0) << "diagonal element " << i;
    a(i, i) = a(i, i).real();
    for (int j = 0; j < good; ++j) {
      if (!in_triangle(lower, i, j)) a(i, j) = std::conj(a(j, i));
    }
  }
  if (lower) {
    one.expect_near(product(l, op('C', l)), a, one.order(good),
                    product(magnitudes(l), op('C', magnitudes(l))), "Cholesky factor");
  } else {
    one.expect_near(product(op('C', l), l), a, one.order(good),
                    product(op('C', magnitudes(l)), magnitudes(l)), "Cholesky factor");
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (!in_triangle(lower, i, j)) {
        EXPECT_FALSE(after(i, j).real() == after(i, j).real()) << "other triangle was written";
      }
    }
  }
  return info;
}

int verify_potrs(const One& one) {
  const int info = verify_potrf(one);
  if (info != 0) return info;
  const bool lower = one.tag(0) == 'L';
  Matrix a = one.was(0);
  const int n = a.extents[0];
  const Matrix factor = triangle(one.is(0), lower, false);
  const Matrix l = lower ? factor : op('C', factor);
  for (int i = 0; i < n; ++i) {
    a(i, i) = a(i, i).real();
    for (int j = 0; j < n; ++j) {
      if (!in_triangle(lower, i, j)) a(i, j) = std::conj(a(j, i));
    }
  }
  expect_solved(one, a, one.is(1), one.was(1), product(magnitudes(l), op('C', magnitudes(l))));
  return 0;
}

// --- Triangles ----------------------------------------------------------------------------------

/// The largest power of 2 whose product with a number of [-1, 1] has a factor of 4 to overflow.
long double near_overflow(const Operands& o) {
  return facts(o.description.operands[0].type).smallest < 1e-200L ? 0x1p1021L : 0x1p125L;
}
/// Whether the diagonal of a triangle that is solved with is that large: its quotients must not
/// overflow on the way.
bool solves_near_overflow(const Operands& o) {
  const std::string& routine = o.description.operation;
  return (routine == "trsv" || routine == "trsm") && o.description.text.at(3) == 'N' &&
         o.draw.kind % 16 == 15;
}

/// Makes an operand NaN or infinite where a lane of alpha is 0.
void spoil_lanes(Operands& o, int number, Random& random) {
  Tensor& tensor = *o.tensors[number];
  o.tensors[number]->change(o.draw.problems, [&](Dense<Wide>& values, int, int lane) {
    bool unread = o.alpha(lane) == Wide(0);
    for (int l = 0; tensor.lane_count() == 1 && l < o.lanes(); ++l) {
      unread = unread && o.alpha(l) == Wide(0);
    }
    if (!unread) return;
    for (Wide& x : values.values) x = poison(o.description.operands[number].type, random);
  });
}

/// Tags: side, uplo, trans, diag. What is not read is NaN.
void fill_triangle(Operands& o, Random& random) {
  const bool lower = o.description.text.at(1) == 'L', unit = o.description.text.at(3) == 'U';
  change_matrices(o, 0, [&](Matrix& a) {
    const int n = a.extents[0];
    int kind = random_kind(o.draw, random);
    // Beside a diagonal of ones, large elements let the solutions overflow.
    const bool grows = unit && (kind == 4 || kind == 5 || kind == 14);
    if (kind == 12 || grows) kind = 3;
    if (solves_near_overflow(o)) kind = 0;
    fill_one(a, random, kind);
    for (int i = 0; i < n && solves_near_overflow(o); ++i) a(i, i) *= near_overflow(o);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        // Solutions grow with the order: keep them from overflowing.
        if (i != j && kind != 9 && kind != 10) a(i, j) /= 1.L + n / 4;
        if (!in_triangle(lower, i, j) || (unit && i == j)) a(i, j) = poison(Type::f64);
      }
    }
  });
  if (o.tensors.size() == 1) return;
  if (solves_near_overflow(o)) {  // so do the right-hand sides, and the solutions are small
    const long double factor = near_overflow(o) * 0x1p-20L;
    o.tensors[1]->change(o.draw.problems, [&](Dense<Wide>& values, int, int) {
      for (Wide& x : values.values) x *= factor;
    });
  }
  spoil_lanes(o, 1, random);
}

int verify_triangular_solve(const One& one) {
  const bool left = one.tag(0) == 'L';
  const Matrix t = op(one.tag(2), triangle(one.was(0), one.tag(1) == 'L', one.tag(3) == 'U'));
  const Matrix b = one.was(1), x = one.is(1);
  const Wide alpha = one.o.alpha(one.lane);
  Matrix right = zeros(b.extents[0], b.extents[1]);
  if (alpha != Wide(0)) {
    for (std::size_t e = 0; e < right.values.size(); ++e) right.values[e] = alpha * b.values[e];
  }
  if (first_zero(t) != 0 || !is_finite(t) || !is_finite(x)) {
    // Infinities and NaN are right where the matrix has them or a zero pivot.
    EXPECT_TRUE(first_zero(t) != 0 || !is_finite(t) || alpha == Wide(0)) << "solution not finite";
    return 0;
  }
  const int n = t.extents[0];
  Matrix bound =
      left ? product(magnitudes(t), magnitudes(x)) : product(magnitudes(x), magnitudes(t));
  for (std::size_t e = 0; e < bound.values.size(); ++e)
    bound.values[e] += std::abs(right.values[e]);
  one.expect_near(left ? product(t, x) : product(x, t), right, one.order(n), bound, "solution");
  return 0;
}

int verify_trmm(const One& one) {
  const bool left = one.tag(0) == 'L';
  const Matrix t = op(one.tag(2), triangle(one.was(0), one.tag(1) == 'L', one.tag(3) == 'U'));
  const Matrix b = one.was(1), after = one.is(1);
  const Wide alpha = one.o.alpha(one.lane);
  if (alpha != Wide(0) && (!is_finite(t) || !is_finite(b))) return 0;
  const auto sums =
      left ? sum_products<Wide>("ik,kj->ij", {t, b}) : sum_products<Wide>("ik,kj->ij", {b, t});
  const long double k = sums.terms + (one.complex() ? 3 : 1) * 4;
  auto expected = expect(sums, Precision{k, one.roundoff(), one.roundoff(), 0}, alpha, Wide(0), {});
  for (auto& bound : expected.bound) bound += k * one.type().smallest;
  expect_within(after, expected, one.statistics, "product");
  return 0;
}

int verify_trtri(const One& one) {
  const bool lower = one.tag(1) == 'L', unit = one.tag(3) == 'U';
  const Matrix t = triangle(one.was(0), lower, unit), x = triangle(one.is(0), lower, unit);
  const int info = unit ? 0 : first_zero(t), n = t.extents[0];
  if (info == 0 && is_finite(t) && is_finite(x)) {
    const Matrix right = difference(product(t, x), identity<Wide>(n));
    const Matrix left = difference(product(x, t), identity<Wide>(n));
    one.expect_small(norm_one(left) < norm_one(right) ? left : right, n, norm_one(t) * norm_one(x),
                     "inverse of a triangle");
  }
  return info;
}

// --- Bands --------------------------------------------------------------------------------------

/// The matrix of a band whose main diagonal is in this row, with so many below and above it; where
/// `hermitian`, one triangle is in the band.
Matrix full_matrix(const Matrix& band, int diagonal, int below, int above, bool hermitian) {
  const int n = band.extents[1];
  Matrix a = zeros(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i - j > below || j - i > above) continue;
      const Wide x = band(diagonal + i - j, j);
      a(i, j) = hermitian && i == j ? Wide(x.real()) : x;
      if (hermitian) a(j, i) = std::conj(a(i, j));
    }
  }
  return a;
}

void expect_solved_band(const One& one, const Matrix& a, int rhs) {
  const Matrix x = one.is(rhs), b = one.was(rhs);
  if (!is_finite(a) || !is_finite(b) || !is_finite(x)) return;
  one.expect_small(difference(product(a, x), b), a.extents[0], norm_one(a) * norm_one(x),
                   "solution with a band");
}

/// Dominant, but for one element of the diagonal of some.
void fill_pbtrs(Operands& o, Random& random) {
  change_matrices(o, 0, [&](Matrix& band) {
    const int rows = band.extents[0], n = band.extents[1];
    if (rows * n == 0) return;
    const int diagonal = o.description.text[0] == 'L' ? 0 : rows - 1;
    for (Wide& x : band.values) x /= 2.L * rows;
    for (int j = 0; j < n; ++j) band(diagonal, j) = 2 + std::abs(band(diagonal, j));
    if (random.integer(0, 3) == 0) band(diagonal, random.integer(0, n - 1)) = -1;
  });
}

int verify_pbtrs(const One& one) {
  const Matrix before = one.was(0);
  const int rows = before.extents[0], n = before.extents[1];
  const bool lower = one.tag(0) == 'L';
  const int k = rows - 1, diagonal = lower ? 0 : k;
  for (int j = 0; j < n; ++j) {
    if (!(before(diagonal, j).real() > 0)) return j + 1;
  }
  expect_solved_band(one, full_matrix(before, diagonal, lower ? k : 0, lower ? 0 : k, true), 1);
  return 0;
}

int verify_gbtrs(const One& one) {
  constexpr int kl = 1, ku = 1, diagonal = kl + ku;
  const Matrix before = one.was(0), after = one.is(0);
  const int n = before.extents[1];
  for (int j = 0; j < n; ++j) {
    if (after(diagonal, j) == Wide(0)) return j + 1;
  }
  expect_solved_band(one, op(one.tag(0), full_matrix(before, diagonal, kl, ku, false)), 2);
  return 0;
}

// --- QR -----------------------------------------------------------------------------------------

/// Q, m x m, of the reflectors that Geqrf left.
Matrix q_of(const Matrix& after, const Matrix& tau) {
  const int m = after.extents[0], k = tau.extents[0];
  Matrix q = identity<Wide>(m);
  for (int h = k - 1; h >= 0; --h) {
    Matrix v = zeros(m, 1);
    v(h, 0) = 1;
    for (int i = h + 1; i < m; ++i) v(i, 0) = after(i, h);
    const Matrix row = product(op('C', v), q);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) q(i, j) -= tau(h, 0) * v(i, 0) * row(0, j);
    }
  }
  return q;
}

void verify_qr(const One& one) {
  const Matrix before = one.was(0), after = one.is(0);
  if (!is_finite(before)) return;
  const Matrix q = q_of(after, one.is(1));
  const int m = before.extents[0], n = before.extents[1];
  one.expect_small(difference(product(op('C', q), q), identity<Wide>(m)), m, 2, "Q^H Q");
  Matrix r = triangle(after, false, false);
  const Matrix residual = difference(product(q, r), before);
  for (int j = 0; j < n; ++j) {  // column by column
    Matrix error = zeros(m, 1), column = zeros(m, 1);
    for (int i = 0; i < m; ++i) {
      error(i, 0) = residual(i, j);
      column(i, 0) = before(i, j);
    }
    one.expect_small(error, m, 2 * norm_one(column), "column of Q R");
  }
}
int verify_geqrf(const One& one) {
  verify_qr(one);
  return 0;
}

int verify_ormqr(const One& one) {
  verify_qr(one);
  const Matrix before = one.was(2), after = one.is(2);
  if (!is_finite(one.was(0)) || !is_finite(before)) return 0;
  const Matrix q = op(one.tag(1), q_of(one.is(0), one.is(1)));
  const Matrix exact = one.tag(0) == 'L' ? product(q, before) : product(before, q);
  // Rows on the right are columns of the transpose.
  const bool left = one.tag(0) == 'L';
  const Matrix error = difference(after, exact);
  one.expect_small(left ? error : op('T', error), q.extents[0],
                   2 * norm_one(left ? before : op('T', before)), "product with Q");
  return 0;
}

int verify_gels(const One& one) {
  verify_qr(one);
  const Matrix a = one.was(0), b = one.was(2), after = one.is(2);
  const int n = a.extents[1], info = first_zero(one.is(0));
  if (info == 0 && is_finite(a) && is_finite(after)) {
    const Matrix x = leading(after, n, b.extents[1]);
    const Matrix residual = difference(b, product(a, x));
    const long double size = norm_one(a);
    for (int j = 0; j < b.extents[1]; ++j) {
      Matrix r = zeros(b.extents[0], 1), xj = zeros(n, 1), bj = r;
      for (int i = 0; i < b.extents[0]; ++i) {
        r(i, 0) = residual(i, j);
        bj(i, 0) = b(i, j);
      }
      for (int i = 0; i < n; ++i) xj(i, 0) = x(i, j);
      const long double infinity = norm_one(op('C', a));
      one.expect_small(product(op('C', a), r), a.extents[0],
                       4 * infinity * (size * norm_one(xj) + norm_one(bj)) *
                           std::sqrt(static_cast<long double>(std::max(n, 1))),
                       "A^H (b - A x)");
    }
  }
  return info;
}

// --- Vectors and norms --------------------------------------------------------------------------

int verify_syr(const One& one) {
  const bool lower = one.tag(0) == 'L', conjugate = one.tag(1) == 'C';
  const Matrix x = one.was(0), before = one.was(1), after = one.is(1);
  const Wide alpha = one.o.alpha(one.lane);
  Matrix y = op(conjugate ? 'C' : 'T', x);
  const auto sums = sum_products<Wide>("ik,kj->ij", {x, y});
  const long double k = 1 + (one.complex() ? 3 : 1) * 4;
  Matrix start = before;
  if (conjugate && alpha.imag() == 0 && alpha != Wide(0)) {
    for (int i = 0; i < start.extents[0]; ++i) start(i, i) = start(i, i).real();
  }
  auto expected =
      expect(sums, Precision{k, one.roundoff(), one.roundoff(), 0}, alpha, Wide(1), start);
  for (int i = 0; i < start.extents[0]; ++i) {
    for (int j = 0; j < start.extents[1]; ++j) {
      if (in_triangle(lower, i, j)) continue;
      expected.value[static_cast<std::size_t>(i) * start.extents[1] + j] = before(i, j);
      expected.bound[static_cast<std::size_t>(i) * start.extents[1] + j] = 0;
    }
  }
  expect_within(after, expected, one.statistics, "triangle");
  return 0;
}

int verify_symv(const One& one) {
  const bool lower = one.tag(0) == 'L', conjugate = one.tag(1) == 'C';
  Matrix a = one.was(0);
  const Matrix x = one.was(1);
  for (int i = 0; i < a.extents[0]; ++i) {
    for (int j = 0; j < a.extents[1]; ++j) {
      if (!in_triangle(lower, i, j)) a(i, j) = conjugate ? std::conj(a(j, i)) : a(j, i);
    }
    if (conjugate) a(i, i) = a(i, i).real();
  }
  if (!is_finite(a) || !is_finite(x)) return 0;
  const auto sums = sum_products<Wide>("ik,kj->ij", {a, x});
  const long double k = one.order(a.extents[0]) + (one.complex() ? 12 : 4);
  const auto expected = expect(sums, Precision{k, one.roundoff(), one.roundoff(), 0},
                               one.o.alpha(one.lane), one.o.beta(one.lane), one.was(2));
  expect_within(one.is(2), expected, one.statistics, "symmetric product");
  return 0;
}

/// Exactly.
void expect_equal(const One& one, const Matrix& computed, const Matrix& expected,
                  const std::string& what) {
  if (!is_finite(expected)) return;
  EXPECT_TRUE(computed.values == expected.values) << what;
  one.statistics.elements += static_cast<long>(expected.values.size());
}

int verify_lacgv(const One& one) {
  Matrix expected = one.was(0);
  for (Wide& x : expected.values) x = std::conj(x);
  expect_equal(one, one.is(0), expected, "conjugate");
  return 0;
}

int verify_swap(const One& one) {
  expect_equal(one, one.is(0), one.was(1), "the first of two");
  expect_equal(one, one.is(1), one.was(0), "the second of two");
  return 0;
}

int verify_add_radial(const One& one) {
  const Matrix before = one.was(0);
  if (!is_finite(before)) return 0;
  const long double size = std::abs(one.o.alpha(one.lane));
  Expected<Wide> expected{before.extents, before.values, {}};
  for (int i = 0; i < before.extents[0]; ++i) {
    for (int j = 0; j < before.extents[1]; ++j) {
      const Wide x = before(i, j);
      const auto at = static_cast<std::size_t>(i) * before.extents[1] + j;
      if (i == j) expected.value[at] = x.real() < 0 ? x - size : x + size;
      expected.bound.push_back(
          i == j ? gamma(8, one.roundoff()) * (std::abs(x) + size) + 8 * one.type().smallest : 0);
    }
  }
  expect_within(one.is(0), expected, one.statistics, "diagonal");
  return 0;
}

int verify_laswp(const One& one) {
  const int info = verify_getrf(one);
  const auto ipiv = one.entries(1);
  const Matrix before = one.was(2);
  expect_equal(one, one.is(2),
               one.tag(0) == 'F' ? interchanged(before, ipiv) : put_back(before, ipiv),
               "interchanged rows");
  return info;
}

int verify_set(const One& one) {
  const Matrix before = one.was(0), after = one.is(0);
  const Wide alpha = one.o.alpha(one.lane);
  Expected<Wide> expected{after.extents, {}, {}};
  for (const Wide& x : before.values) {
    const Wide value = one.tag(0) == 'S' ? alpha : alpha == Wide(0) ? Wide(0) : alpha * x;
    expected.value.push_back(value);
    expected.bound.push_back(4 * one.roundoff() * std::abs(value) + one.type().smallest);
  }
  expect_within(after, expected, one.statistics, "elements");
  return 0;
}

/// Hostile matrices, and ones whose squares overflow while their norms do not.
void fill_norm(Operands& o, Random& random) {
  fill_general(o, random);
  if (o.draw.kind % 16 != 15) return;
  const long double factor = near_overflow(o) * 0x1p-10L;
  o.tensors[0]->change(o.draw.problems, [&](Dense<Wide>& values, int, int) {
    for (Wide& x : values.values) {
      if (std::abs(x) <= 1.5L) x *= factor;
    }
  });
}

/// Tags: F, O, I, M of a matrix or vector; A: sums of parts.
int verify_norm(const One& one) {
  const Matrix a = one.was(0);
  const Wide got = one.is(1).values.at(0);
  long double norm = 0;
  const char kind = one.tag(0);
  const auto size = [&](const Wide& x) {
    return kind == 'A' ? std::abs(x.real()) + std::abs(x.imag()) : std::abs(x);
  };
  const auto add = [&](long double x) { norm = x > norm || x != x ? x : norm; };
  if (kind == 'F' || kind == 'A') {
    long double sum = 0;
    for (const Wide& x : a.values) sum += kind == 'F' ? std::norm(x) : size(x);
    norm = kind == 'F' ? std::sqrt(sum) : sum;
  } else if (kind == 'M') {
    for (const Wide& x : a.values) add(size(x));
  } else {
    const Matrix columns = kind == 'O' ? a : op('T', a);
    for (int j = 0; j < columns.extents[1]; ++j) {
      long double sum = 0;
      for (int i = 0; i < columns.extents[0]; ++i) sum += size(columns(i, j));
      add(sum);
    }
  }
  if (!is_finite(a)) {
    EXPECT_FALSE(std::isfinite(got.real())) << got;
    return 0;
  }
  const long double k = static_cast<long double>(a.values.size()) + 8;
  Expected<Wide> expected{{1, 1}, {norm}, {gamma(k, one.roundoff()) * norm + one.type().smallest}};
  expect_within({{1, 1}, {got}}, expected, one.statistics, "norm");
  return 0;
}

int verify_iamax(const One& one) {
  const Matrix a = one.was(0);
  const int got = static_cast<int>(one.is(1).values.at(0).real());
  if (!is_finite(a)) return 0;
  int best = 0;
  const auto size = [&](int i) { return std::abs(a(i, 0).real()) + std::abs(a(i, 0).imag()); };
  for (int i = 1; i < a.extents[0]; ++i) {
    if (size(i) > size(best)) best = i;
  }
  if (got != best) {  // as large, as far as its type tells
    EXPECT_TRUE(got >= 0 && got < a.extents[0] &&
                size(got) >= size(best) * (1 - 2 * one.roundoff()) && one.complex())
        << got << " instead of " << best;
  }
  return 0;
}

// --- The table ----------------------------------------------------------------------------------

/// Verifies each problem; the codes are the first info that is not zero, which `one` returns, and
/// an info operand holds all.
template <class F>
Operation operation(std::function<void(Operands&, Random&)> fill, const F& one) {
  const auto verify = [one](const Operands& o, const std::vector<int>& codes,
                            Statistics& statistics) {
    int info_operand = -1, number = 1;
    for (std::size_t i = 0; i < o.description.operands.size(); ++i) {
      if (o.description.operands[i].role == Role::info) info_operand = static_cast<int>(i);
      if (has_batch(o, static_cast<int>(i))) number = o.tensors[i]->extents()[0];
    }
    for (int p = 0; p < o.draw.problems; ++p) {
      std::vector<int> infos;
      for (int z = 0; z < number; ++z) {
        for (int l = 0; l < o.lanes(); ++l) {
          SCOPED_TRACE("problem " + std::to_string(p) + ", number " + std::to_string(z) +
                       ", lane " + std::to_string(l));
          const One problem{o, p, l, z, statistics};
          infos.push_back(one(problem));
          if (info_operand >= 0) {
            EXPECT_EQ(problem.entries(info_operand).at(0), infos.back()) << "info";
          }
        }
      }
      const auto first = std::find_if(infos.begin(), infos.end(), [](int i) { return i != 0; });
      const int wanted = first == infos.end() ? 0 : *first;
      EXPECT_EQ(codes[p], wanted) << "code of problem " << p;
    }
  };
  return {std::move(fill), verify};
}

/// Where alpha is 0, in a lane of it or in all, the first operand is not read.
void fill_unread(Operands& o, Random& random) { spoil_lanes(o, 0, random); }

}  // namespace

const Operation& dense_routine(const std::string& name) {
  static const std::map<std::string, Operation> operations{
      {"lu", operation(fill_general, verify_lu)},
      {"getrf", operation(fill_general, verify_getrf)},
      {"getrs", operation(fill_general, verify_getrs)},
      {"gesv", operation(fill_general, verify_gesv)},
      {"gesv_without_pivoting", operation(fill_dominant, verify_gesv_without_pivoting)},
      {"solvelu", operation(fill_general, verify_solve_lu)},
      {"inverselu", operation(fill_dominant, verify_inverse_lu)},
      {"potrf", operation(fill_potrf, verify_potrf)},
      {"potrs", operation(fill_potrf, verify_potrs)},
      {"pbtrs", operation(fill_pbtrs, verify_pbtrs)},
      {"gbtrs", operation(fill_general, verify_gbtrs)},
      {"trsv", operation(fill_triangle, verify_triangular_solve)},
      {"trsm", operation(fill_triangle, verify_triangular_solve)},
      {"trmm", operation(fill_triangle, verify_trmm)},
      {"trtri", operation(fill_triangle, verify_trtri)},
      {"geqrf", operation(fill_general, verify_geqrf)},
      {"ormqr", operation(fill_general, verify_ormqr)},
      {"gels", operation(fill_general, verify_gels)},
      {"syr", operation(fill_unread, verify_syr)},
      {"symv", operation(fill_general, verify_symv)},
      {"lacgv", operation(fill_general, verify_lacgv)},
      {"swap", operation(fill_general, verify_swap)},
      {"add_radial", operation(fill_general, verify_add_radial)},
      {"laswp", operation(fill_general, verify_laswp)},
      {"set", operation(fill_unread, verify_set)},
      {"norm", operation(fill_norm, verify_norm)},
      {"iamax", operation(fill_general, verify_iamax)},
  };
  return operations.at(name);
}

}  // namespace KokkosContract::Test::Fuzz
