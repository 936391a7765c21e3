// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cblas.h>

#include "../tccg/Tccg.hpp"

namespace perf {
namespace {

// --- Transpose
// ---------------------------------------------------------------------------------------------------------

/// Copies a column-major array to one with its indices in another order, blocked so that both sides
/// are accessed by whole cache lines.
class CpuTranspose {
 public:
  CpuTranspose(const Contraction& x, const std::string& from, const std::string& to)
      : modes_(transpose_modes(x, from, to)) {}

  void operator()(const double* from, double* to) const {
    const bool lines = modes_[0].read == 1;  // both sides along the same index
    const TransposeMode inner = modes_[0];
    const TransposeMode outer = modes_.size() > 1 ? modes_[1] : TransposeMode{1, 0, 0};
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
  std::vector<TransposeMode> modes_;
};

// --- TTGT with OpenBLAS
// ---------------------------------------------------------------------------------------------------------

struct Cpu {
  using Buffer = Storage<double>;
  using Transpose = CpuTranspose;
  static Buffer buffer(std::size_t elements) { return random_storage<double>("buffer", elements); }

  Cpu() { openblas_set_num_threads(threads()); }

  void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
            const double* b, int ldb, double* c, int ldc) const {
    const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    cblas_dgemm(CblasColMajor, flag(transpose_a), flag(transpose_b), m, n, k, 1, a, lda, b, ldb, 0,
                c, ldc);
  }
};

// --- Benchmarks
// ---------------------------------------------------------------------------------------------------------

/// The result of the timed call is verified, because some calls take long.
template <class Kernel>
void run_tccg(benchmark::State& state, const Contraction& x, const Kernel& kernel) {
  const auto a = random_storage<double>("a", x.elements(x.a));
  const auto b = random_storage<double>("bb", x.elements(x.b));
  const auto c = random_storage<double>("ccc", x.elements(x.c));
  for (auto _ : state) kernel(a.data(), b.data(), c.data());
  if (!has_right_sums(x, a.data(), b.data(), c.data())) return state.SkipWithError("wrong result");
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
    run_tccg(state, x, [&](double* a, double* b, double* c) {
      kernel(x, a, b, c);
      Kokkos::fence();
    });
  })->Iterations(1);
  add_benchmark(name("TTGT"), [=](benchmark::State& state) {
    run_tccg(state, x, Ttgt<Cpu>(x));
  })->Iterations(1);
}

}  // namespace perf
