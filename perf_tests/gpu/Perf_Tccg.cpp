// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../tccg/Tccg.hpp"
#include "Cublas.hpp"

namespace perf {
namespace {

using Device = Kokkos::View<double*, Space>;

// --- Transpose
// ---------------------------------------------------------------------------------------------------------

/// Copies a column-major array to one with its indices in another order.
class GpuTranspose {
 public:
  GpuTranspose(const Contraction& x, const std::string& from, const std::string& to)
      : count_(0), elements_(static_cast<int>(x.elements(to))) {
    for (const TransposeMode& mode : transpose_modes(x, from, to)) modes_[count_++] = mode;
  }

  void operator()(const double* from, double* to) const {
    if (modes_[0].read == 1) {
      copy_lines(from, to);
    } else {
      copy_tiles(from, to);
    }
  }

  /// Both sides are along one index: neighbouring threads read and write neighbours.
  void copy_lines(const double* from, double* to) const {
    const GpuTranspose self = *this;
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space>(0, elements_), KOKKOS_LAMBDA(int i) {
          std::ptrdiff_t read = 0;
          std::ptrdiff_t write = 0;
          int rest = i;
          for (int m = 0; m < self.count_; ++m) {
            const TransposeMode& mode = self.modes_[m];
            const int digit = rest % mode.extent;
            rest /= mode.extent;
            read += digit * mode.read;
            write += digit * mode.write;
          }
          to[write] = from[read];
        });
  }

  /// Tiles of 32 x 32 go through shared memory.
  void copy_tiles(const double* from, double* to) const {
    const GpuTranspose self = *this;
    const auto tiles = [](int extent) { return (extent + side - 1) / side; };
    int teams = tiles(modes_[0].extent) * tiles(modes_[1].extent);
    for (int m = 2; m < count_; ++m) teams *= modes_[m].extent;
    using Scratch = Kokkos::View<double[side][side + 1], Space::scratch_memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::parallel_for(
        Policy(teams, side * rows).set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size())),
        KOKKOS_LAMBDA(const Member& member) {
          const Scratch tile(member.team_scratch(0));
          const TransposeMode& w = self.modes_[0];
          const TransposeMode& r = self.modes_[1];
          const int across = (w.extent + side - 1) / side;
          const int down = (r.extent + side - 1) / side;
          int rest = member.league_rank();
          const int w0 = rest % across * side;
          rest /= across;
          const int r0 = rest % down * side;
          rest /= down;
          const double* source = from;
          double* target = to;
          for (int m = 2; m < self.count_; ++m) {
            const TransposeMode& mode = self.modes_[m];
            source += rest % mode.extent * mode.read;
            target += rest % mode.extent * mode.write;
            rest /= mode.extent;
          }
          const int x = member.team_rank() % side;
          for (int y = member.team_rank() / side; y < side; y += rows) {
            if (r0 + x < r.extent && w0 + y < w.extent) {
              tile(y, x) = source[(r0 + x) * r.read + (w0 + y) * w.read];
            }
          }
          member.team_barrier();
          for (int y = member.team_rank() / side; y < side; y += rows) {
            if (w0 + x < w.extent && r0 + y < r.extent) {
              target[(w0 + x) * w.write + (r0 + y) * r.write] = tile(x, y);
            }
          }
        });
  }

 private:
  static constexpr int side = 32;
  static constexpr int rows = 8;
  TransposeMode modes_[8]{};
  int count_;
  int elements_;
};

// --- TTGT with cuBLAS
// ---------------------------------------------------------------------------------------------------------

class Gpu {
 public:
  using Buffer = Device;
  using Transpose = GpuTranspose;
  static Buffer buffer(std::size_t elements) { return Device("buffer", elements); }

  void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
            const double* b, int ldb, double* c, int ldc) const {
    const auto flag = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const double one = 1;
    const double zero = 0;
    cublasDgemm(cublas_, flag(transpose_a), flag(transpose_b), m, n, k, &one, a, lda, b, ldb, &zero,
                c, ldc);
  }

 private:
  Cublas cublas_;
};

// --- Benchmarks
// ---------------------------------------------------------------------------------------------------------

template <class Kernel>
void run_tccg(benchmark::State& state, const Contraction& x, const Kernel& kernel) {
  const Device a("a", x.elements(x.a));
  const Device b("b", x.elements(x.b));
  const Device c("c", x.elements(x.c));
  fill_random(a);
  fill_random(b);
  kernel(a.data(), b.data(), c.data());
  if (!has_right_sums(x, a.data(), b.data(), c.data())) {
    return state.SkipWithError("wrong result");
  }
  const double flops = 2.0 * static_cast<double>(x.elements(x.c) * x.elements(letters_of_sum(x)));
  const auto elements = static_cast<double>(a.size() + b.size() + c.size());
  time_launches(state, flops, elements * sizeof(double),
                [&] { kernel(a.data(), b.data(), c.data()); });
}

}  // namespace

void add_tccg(int number, const Contraction& x, ContractionKernel kernel) {
  const auto name = [&](const char* who) {
    return std::string("TCCG/double/left/dynamic/memory/") + who + "/" + std::to_string(number);
  };
  add_benchmark(name("contract"), [=](benchmark::State& state) {
    run_tccg(state, x, [&](double* a, double* b, double* c) { kernel(x, a, b, c); });
  });
  add_benchmark(name("TTGT"), [=](benchmark::State& state) {
    const Ttgt<Gpu> ttgt(x);
    run_tccg(state, x, ttgt);
  });
}

}  // namespace perf
