// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tccg.hpp"

#include <cblas.h>

namespace perf {
namespace {

// --- Transpose
// ---------------------------------------------------------------------------------------------------------

/// Copies a column-major array to one with its indices in another order, blocked so that both sides
/// are touched by whole cache lines.
class Transpose {
 public:
  Transpose(const Contraction& x, const std::string& from, const std::string& to) {
    // Neighbours that stay neighbours are one index.
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::ptrdiff_t stride = 1;
      const std::size_t place = from.find(to[i]);
      for (std::size_t k = 0; k < place; ++k) stride *= x.extent(from[k]);
      if (i > 0 && place > 0 && from[place - 1] == to[i - 1]) {
        modes_.back().extent *= x.extent(to[i]);
      } else {
        modes_.push_back({x.extent(to[i]), stride, static_cast<std::ptrdiff_t>(written_)});
      }
      written_ *= static_cast<std::size_t>(x.extent(to[i]));
    }
    // Modes: along what is written first, along what is read first, the rest.
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      if (modes_[i].read == 1) std::swap(modes_[i], modes_[i == 0 ? 0 : 1]);
    }
  }

  void operator()(const double* from, double* to) const {
    const bool lines = modes_[0].read == 1;  // both sides along the same index
    const Mode inner = modes_[0];
    const Mode outer = modes_.size() > 1 ? modes_[1] : Mode{1, 0, 0};
    const int blocks = (outer.extent + block - 1) / block;
    int tasks = blocks;
    for (std::size_t i = 2; i < modes_.size(); ++i) tasks *= modes_[i].extent;
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, tasks), [&](int task) {
      const int first = task % blocks * block;
      const int last = std::min(first + block, outer.extent);
      const double* source = from;
      double* target = to;
      int rest = task / blocks;
      for (std::size_t i = 2; i < modes_.size(); ++i) {
        source += rest % modes_[i].extent * modes_[i].read;
        target += rest % modes_[i].extent * modes_[i].write;
        rest /= modes_[i].extent;
      }
      if (lines) {
        for (int j = first; j < last; ++j) {
          std::copy_n(source + j * outer.read, inner.extent, target + j * outer.write);
        }
        return;
      }
      for (int begin = 0; begin < inner.extent; begin += block) {
        const int end = std::min(begin + block, inner.extent);
        for (int j = first; j < last; ++j) {
          for (int i = begin; i < end; ++i) {
            target[i + j * outer.write] = source[i * inner.read + j];
          }
        }
      }
    });
    Kokkos::fence();
  }

 private:
  static constexpr int block = 16;
  struct Mode {
    int extent;
    std::ptrdiff_t read, write;  // strides
  };
  std::vector<Mode> modes_;
  std::size_t written_ = 1;
};

// --- TTGT
// ---------------------------------------------------------------------------------------------------------

/// Picks the orders of indices that need the fewest elements moved; what is a matrix already stays.
class Ttgt {
 public:
  explicit Ttgt(const Contraction& x) {
    const auto common = [](const std::string& from, const std::string& with) {
      std::string result;
      for (const char letter : from) {
        if (with.find(letter) != std::string::npos) result += letter;
      }
      return result;
    };
    double least = std::numeric_limits<double>::max();
    for (int choice = 0; choice < 8; ++choice) {
      const std::string m = choice & 1 ? common(x.a, x.c) : common(x.c, x.a);
      const std::string n = choice & 2 ? common(x.b, x.c) : common(x.c, x.b);
      const std::string k = choice & 4 ? common(x.a, x.b) : common(x.b, x.a);
      const Side a(x, x.a, m, k);
      const Side b(x, x.b, k, n);
      const Side c(x, x.c, m, n);
      const double moved = static_cast<double>(a.buffer + b.buffer + c.buffer);
      if (moved < least) {
        least = moved;
        sides_ = {a, b, c};
        m_ = static_cast<int>(x.elements(m));
        n_ = static_cast<int>(x.elements(n));
        k_ = static_cast<int>(x.elements(k));
      }
    }
    for (int i = 0; i < 3; ++i) {
      const Side& side = sides_[i];
      const std::string& own = i == 0 ? x.a : (i == 1 ? x.b : x.c);
      buffers_[i] = random_storage<double>("buffer", side.buffer);
      moves_.push_back(i < 2 ? Transpose(x, own, side.letters) : Transpose(x, side.letters, own));
    }
    openblas_set_num_threads(threads());
  }

  void operator()(const double* a, const double* b, double* c) const {
    const double* const matrix_a = moved(0, a);
    const double* const matrix_b = moved(1, b);
    double* const matrix_c = sides_[2].buffer > 0 ? buffers_[2].data() : c;
    const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    const int lda = sides_[0].transposed ? k_ : m_;
    const int ldb = sides_[1].transposed ? n_ : k_;
    if (sides_[2].transposed) {  // C^T = B^T A^T
      cblas_dgemm(CblasColMajor, flag(!sides_[1].transposed), flag(!sides_[0].transposed), n_, m_,
                  k_, 1, matrix_b, ldb, matrix_a, lda, 0, matrix_c, n_);
    } else {
      cblas_dgemm(CblasColMajor, flag(sides_[0].transposed), flag(sides_[1].transposed), m_, n_, k_,
                  1, matrix_a, lda, matrix_b, ldb, 0, matrix_c, m_);
    }
    if (sides_[2].buffer > 0) moves_[2](matrix_c, c);
  }

 private:
  /// An operand as a matrix of rows and columns, or its transpose.
  struct Side {
    std::string letters;
    bool transposed = false;
    std::size_t buffer = 0;  // elements that are moved

    Side() = default;
    Side(const Contraction& x, const std::string& own, const std::string& rows,
         const std::string& columns) {
      // Where it has to be moved, the index of its unit stride stays where it is, if possible.
      transposed = own == columns + rows || (own != rows + columns && own[0] == columns[0]);
      letters = transposed ? columns + rows : rows + columns;
      buffer = own == letters ? 0 : x.elements(own);
    }
  };

  const double* moved(int i, const double* data) const {
    if (sides_[i].buffer == 0) return data;
    moves_[i](data, buffers_[i].data());
    return buffers_[i].data();
  }

  std::array<Side, 3> sides_;
  std::array<Storage<double>, 3> buffers_;
  std::vector<Transpose> moves_;
  int m_ = 0, n_ = 0, k_ = 0;
};

// --- Benchmarks
// ---------------------------------------------------------------------------------------------------------

std::string letters_of_sum(const Contraction& x) {
  std::string result;
  for (const char letter : x.a) {
    if (x.c.find(letter) == std::string::npos) result += letter;
  }
  return result;
}

/// Whether some elements of C, picked at random, are the sums that they should be.
bool is_right(const Contraction& x, const double* a, const double* b, const double* c) {
  std::minstd_rand generator(1);
  std::array<int, 26> index{};
  const auto at_index = [&](const std::string& letters) {
    std::size_t offset = 0;
    for (std::size_t i = letters.size(); i-- > 0;) {
      offset = offset * static_cast<std::size_t>(x.extent(letters[i])) +
               static_cast<std::size_t>(index[static_cast<std::size_t>(letters[i] - 'a')]);
    }
    return offset;
  };
  const std::string sum_letters = letters_of_sum(x);
  const auto terms = static_cast<int>(x.elements(sum_letters));
  const double bound = 4 * (terms + 4) * std::numeric_limits<double>::epsilon();
  for (int sample = 0; sample < 200; ++sample) {
    for (std::size_t letter = 0; letter < x.extents.size(); ++letter) {
      index[letter] = static_cast<int>(generator() % static_cast<unsigned>(x.extents[letter]));
    }
    double sum = 0;
    for (int term = 0; term < terms; ++term) {
      int rest = term;
      for (const char letter : sum_letters) {
        index[static_cast<std::size_t>(letter - 'a')] = rest % x.extent(letter);
        rest /= x.extent(letter);
      }
      sum += a[at_index(x.a)] * b[at_index(x.b)];
    }
    if (!(std::abs(sum - c[at_index(x.c)]) <= bound * std::max(1.0, std::abs(sum)))) return false;
  }
  return true;
}

/// What is verified is the result of the timed call, because some take long.
template <class Kernel>
void run_tccg(benchmark::State& state, const Contraction& x, const Kernel& kernel) {
  const auto a = random_storage<double>("a", x.elements(x.a));
  const auto b = random_storage<double>("bb", x.elements(x.b));
  const auto c = random_storage<double>("ccc", x.elements(x.c));
  for (auto _ : state) kernel(a.data(), b.data(), c.data());
  if (!is_right(x, a.data(), b.data(), c.data())) return state.SkipWithError("wrong result");
  const double flops = 2.0 * static_cast<double>(x.elements(x.c) * x.elements(letters_of_sum(x)));
  const auto elements = static_cast<double>(a.size() + b.size() + c.size());
  count(state, 1, {flops, elements * sizeof(double)});
}

}  // namespace

void add_tccg(int number, const Contraction& x, ContractionKernel kernel) {
  const auto name = [&](const char* who) {
    return "TCCG/double/left/dynamic/" + regime_name(in_memory) + "/" + who + "/" +
           std::to_string(number);
  };
  add_benchmark(name("contract"), [=](benchmark::State& state) {
    run_tccg(state, x, [&](double* a, double* b, double* c) { kernel(x, a, b, c); });
  })->Iterations(1);
  add_benchmark(name("TTGT"), [=](benchmark::State& state) {
    run_tccg(state, x, Ttgt(x));
  })->Iterations(1);
}

}  // namespace perf
