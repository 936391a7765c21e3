// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-tridiagonal systems on lines (example/interleaved_block_solver): factorisation and solution
// for one right-hand side of each line, on packs of lines.
//
//     Pack<double,8>/.../Team, KK-blocked, KK-unblocked
//                the steps with the library and with the routines of Kokkos Kernels
//     LAPACK     dgbtrf and dgbtrs, line by line, of the matrix as a band; a copy of the band first
//
// Regimes: L2 has a pack of lines of up to 32 blocks; memory has many lines of 128.
#include "../BlockSolver.hpp"
#include "Peers.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#endif

#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
extern "C" {
void dgbtrf_(const int* m, const int* n, const int* kl, const int* ku, double* ab, const int* ldab,
             int* ipiv, int* info);
void dgbtrs_(const char* trans, const int* n, const int* kl, const int* ku, const int* nrhs,
             const double* ab, const int* ldab, const int* ipiv, double* b, const int* ldb,
             int* info, std::size_t);
}
#endif

namespace {

using namespace perf;

template <int N, int L>
using System = example::BlockTridiagonal<N, 1, L, Kokkos::HostSpace>;

template <int N, int L>
struct Library {
  System<N, L> system;
  explicit Library(const System<N, L>& given) : system(given) {}
  void operator()(const Member& member, int p) const {
    system.factor(member, p);
    system.solve(member, p);
  }
};

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
template <class LU, class Trsm, class Gemm>
struct KokkosKernelsSteps {
  template <int N, int L>
  struct Body {
    using Pack = typename System<N, L>::Pack;
    using V = kk_element_t<Pack>;
    template <int Columns>
    using Block = Kokkos::View<V[N][Columns], Right, Kokkos::HostSpace,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using None = KokkosBatched::Trans::NoTranspose;
    using Left = KokkosBatched::Side::Left;
    using Lower = KokkosBatched::Uplo::Lower;
    using Upper = KokkosBatched::Uplo::Upper;
    using Unit = KokkosBatched::Diag::Unit;
    using NonUnit = KokkosBatched::Diag::NonUnit;
    using Update = KokkosBatched::SerialGemm<None, None, Gemm>;

    System<N, L> system;
    explicit Body(const System<N, L>& given) : system(given) {}

    template <class View>
    static auto block(const View& view, int p, int k) {
      return Block<View::static_extent(3)>(reinterpret_cast<V*>(&view(p, k, 0, 0)));
    }

    void operator()(const Member&, int p) const {
      using namespace KokkosBatched;
      const auto& [A, D, C, x] = system;
      const int last = system.blocks() - 1;
      for (int k = 0; k <= last; ++k) {
        const auto D_k = block(D, p, k);
        (void)SerialLU<LU>::invoke(D_k);
        if (k == last) break;
        const auto C_k = block(C, p, k), A_next = block(A, p, k + 1);
        (void)SerialTrsm<Left, Lower, None, Unit, Trsm>::invoke(1.0, D_k, C_k);
        (void)SerialTrsm<KokkosBatched::Side::Right, Upper, None, NonUnit, Trsm>::invoke(1.0, D_k,
                                                                                         A_next);
        (void)Update::invoke(-1.0, A_next, C_k, 1.0, block(D, p, k + 1));
      }
      for (int k = 0; k <= last; ++k) {
        const auto x_k = block(x, p, k);
        if (k > 0) (void)Update::invoke(-1.0, block(A, p, k), block(x, p, k - 1), 1.0, x_k);
        (void)SerialTrsm<Left, Lower, None, Unit, Trsm>::invoke(1.0, block(D, p, k), x_k);
      }
      for (int k = last; k >= 0; --k) {
        const auto x_k = block(x, p, k);
        if (k < last) (void)Update::invoke(-1.0, block(C, p, k), block(x, p, k + 1), 1.0, x_k);
        (void)SerialTrsm<Left, Upper, None, NonUnit, Trsm>::invoke(1.0, block(D, p, k), x_k);
      }
    }
  };
};
using Algo = KokkosBatched::Algo;
#endif

#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
/// The first line of a pack as a band, repeated as often as the pack has lines.
template <int N, int L>
struct Lapack {
  static constexpr int diagonals = 2 * N - 1;  // below the diagonal, and above
  static constexpr int rows = 3 * diagonals + 1;
  System<N, L> system;
  int order;
  std::vector<double> bands;  // bands of a line of each pack
  mutable std::vector<double> band, solution;
  mutable std::vector<int> ipiv;

  explicit Lapack(const System<N, L>& given)
      : system(given), order(N * given.blocks()), ipiv(order) {
    openblas_set_num_threads(1);
    const std::size_t size = static_cast<std::size_t>(rows) * order;
    band.resize(size);
    solution.resize(order);
    bands.resize(size * given.packs());
    for (int p = 0; p < given.packs(); ++p) {
      const auto put = [&](const auto& blocks, int k, int column) {
        for (int i = 0; i < N; ++i)
          for (int j = 0; j < N; ++j) {
            const int row = k * N + i, col = column * N + j;
            bands[size * p + static_cast<std::size_t>(col) * rows + 2 * diagonals + row - col] =
                blocks(p, k, i, j)[0];
          }
      };
      for (int k = 0; k < given.blocks(); ++k) {
        if (k > 0) put(given.A, k, k - 1);
        put(given.D, k, k);
        if (k + 1 < given.blocks()) put(given.C, k, k + 1);
      }
    }
  }

  void operator()(const Member&, int p) const {
    const int one = 1;
    int info = 0;
    double* const x = &system.x(p, 0, 0, 0)[0];
    for (int l = 0; l < L; ++l) {
      std::copy_n(bands.begin() + static_cast<std::ptrdiff_t>(band.size()) * p, band.size(),
                  band.begin());
      for (int i = 0; i < order; ++i) solution[i] = x[i * L + l];
      dgbtrf_(&order, &order, &diagonals, &diagonals, band.data(), &rows, ipiv.data(), &info);
      dgbtrs_("N", &order, &diagonals, &diagonals, &one, band.data(), &rows, ipiv.data(),
              solution.data(), &order, &info, 1);
      for (int i = 0; i < order; ++i) x[i * L + l] = solution[i];
    }
  }
};
#endif

template <template <int, int> class Body, int N, int L>
void solve(benchmark::State& state, Regime regime) {
  using S = System<N, L>;
  const double block_bytes = (3.0 * N + 1) * N * sizeof(typename S::Pack);
  const int blocks =
      regime == in_memory
          ? 128
          : std::clamp(static_cast<int>(2 * regime_bytes(in_l2) / block_bytes), 8, 32);
  const int packs = batch_size(regime, block_bytes * blocks);
  const Space space;
  {
    const S system(std::min(packs, 3), blocks);
    system.fill(space);
    run_batch(system.packs(), 1, Body<N, L>(system));
    // LAPACK solves only with the first matrix of a pack.
    double error = 0;
    if constexpr (requires { Body<N, L>::diagonals; }) {
      const auto all = example::BlockTridiagonal<N, 1, 1, Kokkos::HostSpace>(1, blocks);
      for (int k = 0; k < blocks; ++k)
        for (int i = 0; i < N; ++i) all.x(0, k, i, 0)[0] = system.x(0, k, i, 0)[0];
      error = all.residual(space);
    } else {
      error = system.residual(space);
    }
    if (!(error < 1e-13)) return state.SkipWithError("wrong result");
  }
  const S system(packs, blocks);
  system.fill(space);
  const typename S::Vectors b("b", packs, blocks);
  Kokkos::deep_copy(b, system.x);
  make_own_factors(space, system);
  const auto set_right_hand_side = [&](const Member&, int p) {
    std::copy_n(&b(p, 0, 0, 0), blocks * N, &system.x(p, 0, 0, 0));
  };
  const Body<N, L> body(system);
  const double flops = (S::factor_flops() + S::solve_flops()) * L * blocks;
  time_batch(state, packs, {flops, 2 * block_bytes * blocks}, [&](const Member& member, int p) {
    set_right_hand_side(member, p);
    body(member, p);
  });
  state.counters["ns/block"] = benchmark::Counter(
      1e-9 * L * blocks * packs * sweeps_of(packs, {flops, 2 * block_bytes * blocks}),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <template <int, int> class Body, int N, int L>
void add(const std::string& who) {
  const double bytes = 3.0 * N * N * L * sizeof(double);
  for_each_regime(N % 4 == 0 ? in_l2 | in_memory : in_l2, bytes, [&](Regime regime) {
    add_benchmark("BlockSolver/" + type_name<KokkosContract::Pack<double, L>>() + "/right/static/" +
                      regime_name(regime) + "/" + who + "/" + std::to_string(N),
                  solve<Body, N, L>, regime);
  });
}

const Registered registered([] {
  for_each_width(BlockWidths{}, []<int N>() {
    constexpr int L = KokkosContract::default_pack_length<double, Space>;
    add<Library, N, L>("Team");
    // Packs of two registers, so that one computes while the other waits for a pivot.
    if constexpr (N <= 4) add<Library, N, 2 * L>("Team");
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    add<KokkosKernelsSteps<Algo::LU::Blocked, Algo::Trsm::Blocked, Algo::Gemm::Blocked>::Body, N,
        L>("KK-blocked");
    add<KokkosKernelsSteps<Algo::LU::Unblocked, Algo::Trsm::Unblocked, Algo::Gemm::Unblocked>::Body,
        N, L>("KK-unblocked");
#endif
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
    add<Lapack, N, L>("LAPACK");
#endif
  });
});

}  // namespace
