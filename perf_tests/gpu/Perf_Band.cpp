// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves with one factored band matrix of 128 rows, which all right-hand sides share: a line in
// each thread, next to each other in memory. N is the number of diagonals on each side of the main
// one.
//   Serial            in place, in a RangePolicy: two sweeps over b in global memory
//   Serial-workspace  with what passes between the sweeps in scratch memory, in teams of a warp
//   KK-Serial         the routine of Kokkos Kernels in a RangePolicy
// Bytes are those that must move: b is read once and written once, as in Machine/copy.
#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS) && __has_include(<KokkosBatched_Gbtrs.hpp>)
#include <KokkosBatched_Gbtrs.hpp>
#include <KokkosBatched_Pbtrs.hpp>
#define KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_BAND
#endif

namespace {

using namespace perf;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

enum class What { pbtrs, gbtrs, pttrs };
enum class Who { serial, workspace, kk };

constexpr int rows = 128;
constexpr int lines = 1 << 20;
constexpr int team = 32;

struct Lines {
  Kokkos::View<double**, Left, Space> a;
  Kokkos::View<int*, Space> ipiv;
  Kokkos::View<double*, Space> d, e;
  Kokkos::View<double**, Left, Space> b;
  int k;
};

template <What W, Who Is>
struct Solve : Lines {
  using Workspace = Kokkos::View<double**, Right, Space::scratch_memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class B, class... Work>
  KOKKOS_FUNCTION void solve(const B& x, const Work&... w) const {
    if constexpr (W == What::pbtrs) {
      (void)KokkosContract::SerialPbtrs<Uplo::Lower>::invoke(this->a, x, w...);
    } else if constexpr (W == What::gbtrs) {
      (void)KokkosContract::SerialGbtrs<None>::invoke(this->a, this->ipiv, x, k, k, w...);
    } else {
      (void)KokkosContract::SerialPttrs<Uplo::Lower>::invoke(this->d, this->e, x, w...);
    }
  }
  KOKKOS_FUNCTION void operator()(int line) const {
    const auto x = Kokkos::subview(this->b, line, Kokkos::ALL);
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_BAND)
    if constexpr (Is == Who::kk && W == What::pbtrs) {
      KokkosBatched::SerialPbtrs<KokkosBatched::Uplo::Lower,
                                 KokkosBatched::Algo::Pbtrs::Unblocked>::invoke(this->a, x);
    } else if constexpr (Is == Who::kk && W == What::gbtrs) {
      KokkosBatched::SerialGbtrs<KokkosBatched::Trans::NoTranspose,
                                 KokkosBatched::Algo::Gbtrs::Unblocked>::invoke(this->a, this->ipiv,
                                                                                x, k, k);
    }
#endif
    if constexpr (Is == Who::serial) solve(x);
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int line = member.league_rank() * team + member.team_rank();
    const Workspace w(member.team_scratch(0), rows, team);
    solve(Kokkos::subview(this->b, line, Kokkos::ALL),
          Kokkos::subview(w, Kokkos::ALL, member.team_rank()));
  }
  void launch() const {
    if constexpr (Is == Who::workspace) {
      Policy policy(lines / team, team, 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(Workspace::shmem_size(rows, team)));
      Kokkos::parallel_for(policy, *this);
    } else {
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, lines), *this);
    }
  }
};

/// Element (i, j) of the matrices: diagonally dominant; of Pttrs and Pbtrs symmetric.
KOKKOS_FUNCTION double element(bool symmetric, int k, int i, int j) {
  const int distance = i < j ? j - i : i - j;
  if (distance > k) return 0;
  if (distance == 0) return 2 + 0.125 * (i % 3);
  return (symmetric || i < j ? 0.5 : -0.375) / (k + distance);
}

/// The number of which a line's solution consists.
KOKKOS_FUNCTION double solution(int line, int i) { return 1 + (line * 7 + i * 3) % 16 * 0.0625; }

/// Factors on the host.
template <What W>
bool make_factors(const Lines& data) {
  using Host = Kokkos::HostSpace;
  const int k = data.k;
  const auto a = Kokkos::create_mirror_view(Host(), data.a);
  const auto ipiv = Kokkos::create_mirror_view(Host(), data.ipiv);
  const auto d = Kokkos::create_mirror_view(Host(), data.d);
  const auto e = Kokkos::create_mirror_view(Host(), data.e);
  const int above = W == What::gbtrs ? 2 * k : 0;
  int code = 0;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < rows; ++i) {
      const double x = element(W != What::gbtrs, k, i, j);
      if (x == 0 || (W != What::gbtrs && i < j)) continue;
      a(above + i - j, j) = x;
      if (i == j) d(j) = x;
      if (i == j + 1) e(j) = x;
    }
  }
  if constexpr (W == What::pbtrs) {
    code = KokkosContract::SerialPbtrf<Uplo::Lower>::invoke(a);
  } else if constexpr (W == What::gbtrs) {
    code = KokkosContract::SerialGbtrf<>::invoke(a, ipiv, k, k);
  } else {
    code = KokkosContract::SerialPttrf<>::invoke(d, e);
  }
  Kokkos::deep_copy(data.a, a);
  Kokkos::deep_copy(data.ipiv, ipiv);
  Kokkos::deep_copy(data.d, d);
  Kokkos::deep_copy(data.e, e);
  return code == 0;
}

/// Sets b to A x.
void make_right_hand_sides(const Kokkos::View<double**, Left, Space>& b, bool symmetric, int k) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, lines), KOKKOS_LAMBDA(int line) {
        for (int i = 0; i < rows; ++i) {
          double sum = 0;
          for (int j = i < k ? 0 : i - k; j < rows && j <= i + k; ++j) {
            sum += element(symmetric, k, i, j) * solution(line, j);
          }
          b(line, i) = sum;
        }
      });
}

double worst_difference(const Kokkos::View<double**, Left, Space>& b) {
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, lines),
      KOKKOS_LAMBDA(int line, double& most) {
        for (int i = 0; i < rows; ++i) {
          const double error = Kokkos::abs(b(line, i) - solution(line, i));
          if (!(error <= most)) most = error;
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

template <What W, Who Is>
void run(benchmark::State& state, int k) {
  const int diagonals = W == What::gbtrs ? 3 * k + 1 : k + 1;
  const auto properties = Kokkos::view_alloc("b", Kokkos::WithoutInitializing);
  const Solve<W, Is> solve{{Kokkos::View<double**, Left, Space>("a", diagonals, rows),
                            Kokkos::View<int*, Space>("ipiv", rows),
                            Kokkos::View<double*, Space>("d", rows),
                            Kokkos::View<double*, Space>("e", rows - 1),
                            Kokkos::View<double**, Left, Space>(properties, lines, rows), k}};
  if (!make_factors<W>(solve)) return state.SkipWithError("no factors");
  make_right_hand_sides(solve.b, W != What::gbtrs, k);
  solve.launch();
  if (!(worst_difference(solve.b) <= 1e-13)) return state.SkipWithError("wrong result");
  const double numbers = 1.0 * rows * lines;
  const int above = W == What::gbtrs ? 2 * k : k;
  time_launches(state, 2.0 * (k + above + 1) * numbers, 2 * sizeof(double) * numbers,
                [&] { solve.launch(); });
}

template <What W, Who Is>
void add(const std::string& concept_name, const std::string& who) {
  for (int k = 1; k <= (W == What::pttrs ? 1 : 5); ++k) {
    add_benchmark(concept_name + "/double/left/dynamic/memory/" + who + "/" + std::to_string(k),
                  [k](benchmark::State& state) { run<W, Is>(state, k); });
  }
}

template <What W>
void add_all(const std::string& concept_name) {
  add<W, Who::serial>(concept_name, "Serial");
  add<W, Who::workspace>(concept_name, "Serial-workspace");
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_BAND)
  if constexpr (W != What::pttrs) add<W, Who::kk>(concept_name, "KK-Serial");
#endif
}

const Registered registered([] {
  add_all<What::pbtrs>("Pbtrs");
  add_all<What::gbtrs>("Gbtrs");
  add_all<What::pttrs>("Pttrs");
});

}  // namespace
