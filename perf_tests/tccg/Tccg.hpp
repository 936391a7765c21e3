// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TCCG_HPP
#define KOKKOSCONTRACT_PERF_TCCG_HPP

// The 48 contractions of the TCCG benchmark v0.1 (github.com/HPAC/tccg; P. Springer, P. Bientinesi,
// Design of a high-performance GEMM-like tensor-tensor multiplication, ACM Trans. Math. Softw. 44,
// 2018), column-major, at the sizes that its generator gives for double. Each has two benchmarks:
//
//     contract   KokkosContract::contract
//     TTGT       transpose, gemm (OpenBLAS or cuBLAS), transpose
//
// The executables for a CPU and a GPU share this file, each with its own Perf.hpp.

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "Perf.hpp"

namespace perf {

/// A column-major contraction C = A B: the letters of its operands, the extents of a, b, c, ...
struct Contraction {
  std::string a, b, c;
  std::vector<int> extents;

  int extent(char letter) const { return extents[static_cast<std::size_t>(letter - 'a')]; }
  /// Number of elements of an operand, or of any set of letters.
  std::size_t elements(const std::string& letters) const {
    std::size_t result = 1;
    for (const char letter : letters) result *= static_cast<std::size_t>(extent(letter));
    return result;
  }
};

/// Starts it.
using ContractionKernel = void (*)(const Contraction&, double* a, double* b, double* c);

/// Both benchmarks of contraction `number`.
void add_tccg(int number, const Contraction& contraction, ContractionKernel kernel);

template <int R>
struct TccgData {
  using type = typename TccgData<R - 1>::type*;
};
template <>
struct TccgData<0> {
  using type = double;
};

template <int R>
auto tccg_view(const Contraction& contraction, const std::string& letters, double* data) {
  using V = Kokkos::View<typename TccgData<R>::type, Kokkos::LayoutLeft, Space::memory_space,
                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return V(data, contraction.extent(letters[I])...);
  }(std::make_index_sequence<R>{});
}

// --- Transpose, gemm, transpose
// ---------------------------------------------------------------------------------------------------------

/// One index of a transposition, or several that stay neighbours.
struct TransposeMode {
  int extent;
  std::ptrdiff_t read, write;  // strides
};

/// The indices of a copy of a column-major array with letters `from` to one with letters `to`. The
/// first is the unit stride of writes, and the second that of reads if it differs.
inline std::vector<TransposeMode> transpose_modes(const Contraction& x, const std::string& from,
                                                  const std::string& to) {
  std::vector<TransposeMode> modes;
  std::ptrdiff_t written = 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::ptrdiff_t stride = 1;
    const std::size_t place = from.find(to[i]);
    for (std::size_t k = 0; k < place; ++k) stride *= x.extent(from[k]);
    if (i > 0 && place > 0 && from[place - 1] == to[i - 1]) {
      modes.back().extent *= x.extent(to[i]);
    } else {
      modes.push_back({x.extent(to[i]), stride, written});
    }
    written *= x.extent(to[i]);
  }
  for (std::size_t i = 1; i < modes.size(); ++i) {
    if (modes[i].read == 1) std::swap(modes[i], modes[1]);
  }
  return modes;
}

/// A contraction as a product of m x k by k x n, with the orders of indices that move the fewest
/// elements. An operand that is a matrix already is not moved.
struct MatrixProduct {
  /// An operand as a matrix of rows and columns, or its transpose.
  struct Side {
    std::string letters;
    bool transposed = false;
    std::size_t buffer = 0;  // elements that are moved

    Side() = default;
    Side(const Contraction& x, const std::string& own, const std::string& rows,
         const std::string& columns) {
      // If it must be moved, its unit-stride index keeps its position if possible.
      transposed = own == columns + rows || (own != rows + columns && own[0] == columns[0]);
      letters = transposed ? columns + rows : rows + columns;
      buffer = own == letters ? 0 : x.elements(own);
    }
  };
  std::array<Side, 3> sides;  // sides of A, B and C
  int m = 0, n = 0, k = 0;

  explicit MatrixProduct(const Contraction& x) {
    const auto common = [](const std::string& from, const std::string& with) {
      std::string result;
      for (const char letter : from) {
        if (with.find(letter) != std::string::npos) result += letter;
      }
      return result;
    };
    double least = std::numeric_limits<double>::max();
    for (int choice = 0; choice < 8; ++choice) {
      const std::string rows = choice & 1 ? common(x.a, x.c) : common(x.c, x.a);
      const std::string columns = choice & 2 ? common(x.b, x.c) : common(x.c, x.b);
      const std::string terms = choice & 4 ? common(x.a, x.b) : common(x.b, x.a);
      const Side a(x, x.a, rows, terms);
      const Side b(x, x.b, terms, columns);
      const Side c(x, x.c, rows, columns);
      const double moved = static_cast<double>(a.buffer + b.buffer + c.buffer);
      if (moved < least) {
        least = moved;
        sides = {a, b, c};
        m = static_cast<int>(x.elements(rows));
        n = static_cast<int>(x.elements(columns));
        k = static_cast<int>(x.elements(terms));
      }
    }
  }
};

/// Transposes the operands that are no matrices, multiplies, and transposes the product. Machine
/// has Buffer and buffer(elements). It has Transpose, constructed from a contraction and the
/// letters before and after, and called with the addresses to read and write. It has gemm(whether A
/// and B are transposed, m, n, k, A, its leading dimension, B, its leading dimension, C, its
/// leading dimension), column-major.
template <class Machine>
class Ttgt {
 public:
  explicit Ttgt(const Contraction& x) : product_(x) {
    for (std::size_t i = 0; i < 3; ++i) {
      const MatrixProduct::Side& side = product_.sides[i];
      const std::string& own = i == 0 ? x.a : (i == 1 ? x.b : x.c);
      buffers_.push_back(Machine::buffer(side.buffer));
      if (i < 2) {
        moves_.emplace_back(x, own, side.letters);
      } else {
        moves_.emplace_back(x, side.letters, own);
      }
    }
  }

  void operator()(const double* a, const double* b, double* c) const {
    const MatrixProduct::Side& in_a = product_.sides[0];
    const MatrixProduct::Side& in_b = product_.sides[1];
    const MatrixProduct::Side& out = product_.sides[2];
    const int m = product_.m;
    const int n = product_.n;
    const int k = product_.k;
    const double* const matrix_a = moved(0, a);
    const double* const matrix_b = moved(1, b);
    double* const matrix_c = out.buffer > 0 ? buffers_[2].data() : c;
    const int lda = in_a.transposed ? k : m;
    const int ldb = in_b.transposed ? n : k;
    if (out.transposed) {  // C^T = B^T A^T
      machine_.gemm(!in_b.transposed, !in_a.transposed, n, m, k, matrix_b, ldb, matrix_a, lda,
                    matrix_c, n);
    } else {
      machine_.gemm(in_a.transposed, in_b.transposed, m, n, k, matrix_a, lda, matrix_b, ldb,
                    matrix_c, m);
    }
    if (out.buffer > 0) moves_[2](matrix_c, c);
  }

 private:
  const double* moved(std::size_t i, const double* data) const {
    if (product_.sides[i].buffer == 0) return data;
    moves_[i](data, buffers_[i].data());
    return buffers_[i].data();
  }

  MatrixProduct product_;
  Machine machine_;
  std::vector<typename Machine::Buffer> buffers_;
  std::vector<typename Machine::Transpose> moves_;
};

// --- Verification
// ---------------------------------------------------------------------------------------------------------

inline std::string letters_of_sum(const Contraction& x) {
  std::string result;
  for (const char letter : x.a) {
    if (x.c.find(letter) == std::string::npos) result += letter;
  }
  return result;
}

/// The distance of some random elements of C from the sums that they should be.
class SampledSums {
 public:
  SampledSums(const Contraction& x, const double* a, const double* b, const double* c)
      : a_(set_strides(x, x.a, 0, a)),
        b_(set_strides(x, x.b, 1, b)),
        c_(set_strides(x, x.c, 2, c)) {
    for (const char letter : letters_of_sum(x)) sum_letter_[sum_letters_++] = letter - 'a';
    for (std::size_t i = 0; i < x.extents.size(); ++i) extent_[i] = x.extents[i];
    terms_ = static_cast<int>(x.elements(letters_of_sum(x)));
  }
  double bound() const { return 4 * (terms_ + 4) * std::numeric_limits<double>::epsilon(); }

  /// NaN counts as the largest distance.
  KOKKOS_FUNCTION void operator()(int sample, double& worst) const {
    int index[letters]{};
    auto random = static_cast<unsigned>(sample);
    for (int l = 0; l < letters; ++l) {
      random = random * 1664525U + 1013904223U;
      index[l] = extent_[l] > 0 ? static_cast<int>((random >> 8) % extent_[l]) : 0;
    }
    double sum = 0;
    for (int term = 0; term < terms_; ++term) {
      int rest = term;
      for (int s = 0; s < sum_letters_; ++s) {
        index[sum_letter_[s]] = rest % extent_[sum_letter_[s]];
        rest /= extent_[sum_letter_[s]];
      }
      sum += a_[at(index, 0)] * b_[at(index, 1)];
    }
    const double error = Kokkos::abs(sum - c_[at(index, 2)]) / Kokkos::max(1.0, Kokkos::abs(sum));
    if (!(error <= worst)) worst = error <= 1e300 ? error : 1e300;
  }

 private:
  static constexpr int letters = 8;
  const double* set_strides(const Contraction& x, const std::string& of, int operand,
                            const double* data) {
    std::ptrdiff_t stride = 1;
    for (const char letter : of) {
      stride_[operand][letter - 'a'] = stride;
      stride *= x.extent(letter);
    }
    return data;
  }
  KOKKOS_FUNCTION std::ptrdiff_t at(const int (&index)[letters], int operand) const {
    std::ptrdiff_t offset = 0;
    for (int l = 0; l < letters; ++l) offset += index[l] * stride_[operand][l];
    return offset;
  }
  std::ptrdiff_t stride_[3][letters]{};
  int extent_[letters]{};
  int sum_letter_[letters]{};
  int sum_letters_ = 0;
  int terms_;
  const double *a_, *b_, *c_;
};
inline bool has_right_sums(const Contraction& x, const double* a, const double* b,
                           const double* c) {
  const SampledSums sums(x, a, b, c);
  double worst = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, 200), sums, Kokkos::Max<double>(worst));
  return worst <= sums.bound();
}

// --- Benchmarks
// ---------------------------------------------------------------------------------------------------------

template <KokkosContract::Spec S>
struct TccgLetters {
  static constexpr int find(char wanted) {
    int i = 0;
    while (S[i] != wanted) ++i;
    return i;
  }
  static constexpr int comma = find(',');
  static constexpr int arrow = find('-');
  static constexpr int a = comma;
  static constexpr int b = arrow - comma - 1;
  static constexpr int c = find('\0') - arrow - 2;
};

template <KokkosContract::Spec S>
void tccg_contract(const Contraction& x, double* a, double* b, double* c) {
  using Rank = TccgLetters<S>;
  KokkosContract::contract<S>(Space(), 1.0, tccg_view<Rank::a>(x, x.a, a),
                              tccg_view<Rank::b>(x, x.b, b), 0.0, tccg_view<Rank::c>(x, x.c, c));
}

template <KokkosContract::Spec S>
void add_tccg(int number, const std::vector<int>& extents) {
  using Rank = TccgLetters<S>;
  std::string text;
  for (std::size_t i = 0; S[i] != '\0'; ++i) text += S[i];
  add_tccg(number,
           {text.substr(0, Rank::a), text.substr(Rank::comma + 1, Rank::b),
            text.substr(Rank::arrow + 2), extents},
           tccg_contract<S>);
}

}  // namespace perf

#endif
