// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves with one factored band matrix of 128 rows for many right-hand sides, on one core. N is the
// number of diagonals on each side of the main one.
//   right          lines next to each other: row i of all of them is contiguous
//   left           each line is contiguous, as LAPACK has them
//   Serial         one call for all lines; in Pack<double,8>, a call for each eight
//   Serial-line    a call for each line
//   LAPACK         the library's solver by its Fortran symbol, all lines in one call; LAPACK-line:
//   a
//                  call for each
//   KK-line        the routine of Kokkos Kernels, a call for each line
// Lines are solved again and again in place: all that is timed has the solution 1 for the
// right-hand side 1. That it is right is checked with others before.
#include "Perf.hpp"

// Those of Kokkos Kernels 4 do not compile with Kokkos 5.
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosKernels_config.h>
#if KOKKOSKERNELS_VERSION >= 50000 || KOKKOS_VERSION < 50000
#if __has_include(<KokkosBatched_Gbtrs.hpp>)
#include <KokkosBatched_Gbtrs.hpp>
#define KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_GBTRS
#endif
#if __has_include(<KokkosBatched_Pbtrs.hpp>)
#include <KokkosBatched_Pbtrs.hpp>
#define KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_PBTRS
#endif
#endif
#endif

#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
#include <cblas.h>
extern "C" {
void dpbtrs_(const char* uplo, const int* n, const int* k, const int* lines, const double* a,
             const int* lda, double* b, const int* ldb, int* info, std::size_t);
void dgbtrs_(const char* trans, const int* n, const int* kl, const int* ku, const int* lines,
             const double* a, const int* lda, const int* ipiv, double* b, const int* ldb, int* info,
             std::size_t);
}
#endif

namespace {

using namespace perf;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;
using Kokkos::ALL;
using Pack8 = KokkosContract::Pack<double, 8>;

enum class What { pbtrs, gbtrs };
enum class Who { serial, line, lapack, lapack_line, kk };

constexpr int rows = 128;

template <class V>
using Host = Kokkos::View<V, Left, Kokkos::HostSpace>;

struct Factors {
  Host<double**> a;
  Host<int*> ipiv, fortran;
  int k;
};

/// Element (i, j): rows sum up to 1, and the diagonal dominates.
double element(int k, int i, int j) {
  if (std::abs(i - j) > k) return 0;
  if (i != j) return -0.25 / k;
  const int others = std::min(i, k) + std::min(rows - 1 - i, k);
  return 1 + 0.25 / k * others;
}

template <What W>
Factors make_factors(int k) {
  const int above = W == What::gbtrs ? 2 * k : 0;
  const Factors f{Host<double**>("a", W == What::gbtrs ? 3 * k + 1 : k + 1, rows),
                  Host<int*>("ipiv", rows), Host<int*>("fortran", rows), k};
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < rows; ++i) {
      if (element(k, i, j) == 0 || (W == What::pbtrs && i < j)) continue;
      f.a(above + i - j, j) = element(k, i, j);
    }
  }
  if constexpr (W == What::pbtrs) {
    (void)KokkosContract::SerialPbtrf<Uplo::Lower>::invoke(f.a);
  } else {
    (void)KokkosContract::SerialGbtrf<>::invoke(f.a, f.ipiv, k, k);
    for (int i = 0; i < rows; ++i) f.fortran(i) = f.ipiv(i) + 1;
  }
  return f;
}

/// T: a number, or a pack of lines.
template <What W, Who Is, class T, class Layout>
struct Solve {
  Factors f;
  Kokkos::View<T**, Layout, Kokkos::HostSpace> b;  // rows, lines

  template <class B>
  void solve(const B& x) const {
    if constexpr (W == What::pbtrs) {
      (void)KokkosContract::SerialPbtrs<Uplo::Lower>::invoke(f.a, x);
    } else {
      (void)KokkosContract::SerialGbtrs<None>::invoke(f.a, f.ipiv, x, f.k, f.k);
    }
  }
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
  void call_lapack(double* x, int lines) const {
    const int n = rows, lda = static_cast<int>(f.a.extent(0));
    int info = 0;
    if constexpr (W == What::pbtrs) {
      dpbtrs_("L", &n, &f.k, &lines, f.a.data(), &lda, x, &n, &info, 1);
    } else {
      dgbtrs_("N", &n, &f.k, &f.k, &lines, f.a.data(), &lda, f.fortran.data(), x, &n, &info, 1);
    }
  }
#endif
  void operator()(const Member&, int) const {
    const int lines = b.extent_int(1);
    if constexpr (Is == Who::serial && !std::is_same_v<T, Pack8>) {
      solve(b);
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
    } else if constexpr (Is == Who::lapack) {
      call_lapack(b.data(), lines);
#endif
    } else {
      for (int j = 0; j < lines; ++j) {
        const auto x = Kokkos::subview(b, ALL, j);
        if constexpr (Is == Who::serial || Is == Who::line) solve(x);
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
        if constexpr (Is == Who::lapack_line) call_lapack(x.data(), 1);
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_PBTRS)
        if constexpr (Is == Who::kk && W == What::pbtrs) {
          KokkosBatched::SerialPbtrs<KokkosBatched::Uplo::Lower,
                                     KokkosBatched::Algo::Pbtrs::Unblocked>::invoke(f.a, x);
        }
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_GBTRS)
        if constexpr (Is == Who::kk && W == What::gbtrs) {
          KokkosBatched::SerialGbtrs<KokkosBatched::Trans::NoTranspose,
                                     KokkosBatched::Algo::Gbtrs::Unblocked>::invoke(f.a, f.ipiv, x,
                                                                                    f.k, f.k);
        }
#endif
      }
    }
  }
};

template <What W, Who Is, class T, class Layout>
void run(benchmark::State& state, Regime regime, int k) {
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
  openblas_set_num_threads(1);
#endif
  const int lines = batch_size(regime, 1.0 * rows * sizeof(T));
  const Kokkos::View<T**, Layout, Kokkos::HostSpace> b("b", rows, lines);
  const Solve<W, Is, T, Layout> solve{make_factors<W>(k), b};
  const auto number = [](int i) { return 1 + 0.0625 * (i * 5 % 16); };
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < rows; ++j) sum += element(k, i, j) * number(j);
    for (int j = 0; j < lines; ++j) b(i, j) = T(sum);
  }
  run_batch(1, 1, solve);
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < lines; ++j) {
      for (int l = 0; l < Element<T>::lanes; ++l) {
        const double x = reinterpret_cast<const double*>(&b(i, j))[l];
        worst = std::max(worst, std::abs(x - number(i)));
      }
    }
  }
  if (!(worst <= 1e-12)) return state.SkipWithError("wrong result");
  Kokkos::deep_copy(b, T(1));
  const double numbers = 1.0 * rows * lines * Element<T>::lanes;
  const int above = W == What::gbtrs ? 2 * k : k;
  time_batch(state, 1, {2.0 * (k + above + 1) * numbers, 2 * sizeof(double) * numbers}, solve);
}

template <What W, Who Is, class T, class Layout>
void add(const std::string& who) {
  for (const Regime regime : {in_l2, in_memory}) {
    for (int k = 1; k <= 5; ++k) {
      add_benchmark(std::string(W == What::pbtrs ? "Pbtrs/" : "Gbtrs/") + type_name<T>() + "/" +
                        layout_name<Layout>() + "/dynamic/" + regime_name(regime) + "/" + who +
                        "/" + std::to_string(k),
                    run<W, Is, T, Layout>, regime, k);
    }
  }
}

template <What W>
void add_all() {
  add<W, Who::serial, double, Right>("Serial");
  add<W, Who::serial, double, Left>("Serial");
  add<W, Who::line, double, Left>("Serial-line");
  add<W, Who::serial, Pack8, Left>("Serial");
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
  add<W, Who::lapack, double, Left>("LAPACK");
  add<W, Who::lapack_line, double, Left>("LAPACK-line");
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_PBTRS)
  if constexpr (W == What::pbtrs) add<W, Who::kk, double, Left>("KK-line");
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS_GBTRS)
  if constexpr (W == What::gbtrs) add<W, Who::kk, double, Left>("KK-line");
#endif
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_all<What::pbtrs>();
  add_all<What::gbtrs>();
});

}  // namespace
