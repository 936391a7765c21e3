// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines for matrices of 8 to 256 rows of doubles, beside BLAS and LAPACK of OpenBLAS, on one
// core. The matrices are n x n Views with run-time extents, in L2, or in L3 if one problem is
// larger. A routine that works in place gets a copy of its matrix, which is part of the time. The
// results must be those of LAPACK.
#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
#include <cblas.h>
extern "C" {
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info,
             std::size_t, std::size_t);
void dgetri_(const int* n, double* a, const int* lda, const int* ipiv, double* work,
             const int* lwork, int* info);
}

namespace {

using namespace perf;
using KokkosContract::Diag;
using KokkosContract::Side;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

enum class Op { gemm, getrf, potrf, geqrf, trsm, trmm, trtri, inverse_lu };

constexpr const char* name_of(Op op) {
  constexpr const char* names[] = {"Gemm", "Getrf", "Potrf", "Geqrf",
                                   "Trsm", "Trmm",  "Trtri", "InverseLU"};
  return names[static_cast<int>(op)];
}

constexpr double flops_of(Op op, double n) {
  constexpr double cubes[] = {2, 2. / 3, 1. / 3, 4. / 3, 1, 1, 1. / 3, 4. / 3};
  return cubes[static_cast<int>(op)] * n * n * n;
}

/// The elements of all problems: a symmetric matrix whose diagonal dominates, and another matrix.
double matrix_element(int n, int i, int j) {
  return i == j ? 2 : ((7 * (i + j) + i * j) % 13 - 6) / (8. * n);
}
double other_element(int i, int j) { return ((5 * i + 3 * j) % 17 - 8) / 8.; }

/// A batch: x = routine(a, source), with workspaces.
struct Problems {
  int n, count;
  Storage<double> a, source, x, tau, work;
  Kokkos::View<int*, Kokkos::HostSpace> ipiv;

  template <class Layout>
  static Problems make(Op op, int n) {
    const std::size_t size = static_cast<std::size_t>(n) * n;
    const int count = batch_size(in_l2, 2. * size * sizeof(double));
    const auto storage = [](const char* name, std::size_t elements) {
      return Storage<double>(name, elements);
    };
    Problems of{n,
                count,
                storage("a", count * size),
                storage("source", count * size),
                storage("x", count * size),
                storage("tau", n),
                storage("work", size + 64 * n),
                Kokkos::View<int*, Kokkos::HostSpace>("ipiv", n)};
    const bool two_inputs = op == Op::gemm || op == Op::trsm || op == Op::trmm;
    for (int p = 0; p < count; ++p) {
      for (int i = 0; i < n; ++i) {
        of.ipiv(i) = i + 1;
        for (int j = 0; j < n; ++j) {
          const std::size_t at = p * size + (is_right<Layout> ? i * n + j : i + j * n);
          of.a(at) = matrix_element(n, i, j);
          of.source(at) = two_inputs ? other_element(i, j) : of.a(at);
        }
      }
    }
    return of;
  }
  /// Copies the matrix of a problem that is overwritten, and returns where it is.
  double* start(int p) const {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * n;
    std::copy_n(source.data() + p * size, size, x.data() + p * size);
    return x.data() + p * size;
  }
};

template <Op O, class Layout>
struct Library {
  using layout = Layout;
  Problems of;

  void operator()(const Member&, int p) const {
    using namespace KokkosContract;
    using Matrix = Kokkos::View<double**, Layout, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    using Vector = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    const int n = of.n;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(p) * n * n;
    const Matrix a(of.a.data() + first, n, n);
    if constexpr (O == Op::gemm) {
      const Matrix b(of.source.data() + first, n, n), x(of.x.data() + first, n, n);
      (void)SerialGemm<>::invoke(1., a, b, 0., x);
      return;
    }
    const Matrix x(of.start(p), n, n);
    const Vector tau(of.tau.data(), n), work(of.work.data(), static_cast<std::ptrdiff_t>(n) * n);
    if constexpr (O == Op::getrf) {
      (void)SerialGetrf<>::invoke(x, of.ipiv);
    } else if constexpr (O == Op::potrf) {
      (void)SerialPotrf<Uplo::Lower>::invoke(x);
    } else if constexpr (O == Op::geqrf) {
      (void)SerialGeqrf<>::invoke(x, tau);
    } else if constexpr (O == Op::trsm) {
      (void)SerialTrsm<Side::Left, Uplo::Lower, None, Diag::NonUnit>::invoke(1., a, x);
    } else if constexpr (O == Op::trmm) {
      (void)SerialTrmm<Side::Left, Uplo::Lower, None, Diag::NonUnit>::invoke(1., a, x);
    } else if constexpr (O == Op::trtri) {
      (void)SerialTrtri<Uplo::Lower, Diag::NonUnit>::invoke(x);
    } else if constexpr (O == Op::inverse_lu) {
      (void)SerialInverseLU<>::invoke(x, work);
    }
  }
};

template <Op O>
struct Lapack {
  using layout = Left;
  Problems of;

  void operator()(const Member&, int p) const {
    const int n = of.n, lwork = 64 * n;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(p) * n * n;
    const double* const a = of.a.data() + first;
    if constexpr (O == Op::gemm) {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n,
                  of.source.data() + first, n, 0, of.x.data() + first, n);
      return;
    }
    double* const x = of.start(p);
    int info = 0;
    if constexpr (O == Op::getrf) {
      dgetrf_(&n, &n, x, &n, of.ipiv.data(), &info);
    } else if constexpr (O == Op::potrf) {
      dpotrf_("L", &n, x, &n, &info, 1);
    } else if constexpr (O == Op::geqrf) {
      dgeqrf_(&n, &n, x, &n, of.tau.data(), of.work.data(), &lwork, &info);
    } else if constexpr (O == Op::trsm) {
      cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, a, n,
                  x, n);
    } else if constexpr (O == Op::trmm) {
      cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, a, n,
                  x, n);
    } else if constexpr (O == Op::trtri) {
      dtrtri_("L", "N", &n, x, &n, &info, 1, 1);
    } else if constexpr (O == Op::inverse_lu) {
      dgetri_(&n, x, &n, of.ipiv.data(), of.work.data(), &lwork, &info);
    }
  }
};

template <Op O, class Body>
void run(benchmark::State& state, int n) {
  using Layout = typename Body::layout;
  openblas_set_num_threads(1);
  const Body body{Problems::make<Layout>(O, n)};
  const Lapack<O> reference{Problems::make<Left>(O, n)};
  run_batch(1, 1, body);
  run_batch(1, 1, reference);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = body.of.x(is_right<Layout> ? i * n + j : i + j * n);
      worst = std::max(worst, std::abs(x - reference.of.x(i + j * n)));
    }
  }
  if (!(worst <= 1e-12 * n)) return state.SkipWithError("wrong result");
  const double bytes = 2. * n * n * sizeof(double);
  time_batch(state, body.of.count, {flops_of(O, n), bytes}, body);
}

template <Op O, class Body>
void add(const std::string& who) {
  for (const int n : {8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256}) {
    add_benchmark(std::string(name_of(O)) + "/double/" + layout_name<typename Body::layout>() +
                      "/dynamic/L3/" + who + "/" + std::to_string(n),
                  run<O, Body>, n);
  }
}

template <Op O>
void add_routine() {
  add<O, Library<O, Right>>("Serial");
  add<O, Library<O, Left>>("Serial");
  add<O, Lapack<O>>("OpenBLAS");
}

const Registered registered([] {
  if (threads() > 1) return;  // one core only
  add_routine<Op::gemm>();
  add_routine<Op::getrf>();
  add_routine<Op::potrf>();
  add_routine<Op::geqrf>();
  add_routine<Op::trsm>();
  add_routine<Op::trmm>();
  add_routine<Op::trtri>();
  add_routine<Op::inverse_lu>();
});

}  // namespace
#endif
