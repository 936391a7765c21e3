// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines of LAPACK and BLAS that tests compare with, by their Fortran symbols. Matrices are
// column-major. The lengths of the strings follow the arguments.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "Rounding.hpp"

extern "C" {
// p: the prefix for elements T with real numbers R. unmqr and nrm2 are names with irregular
// prefixes.
#define KOKKOSCONTRACT_TEST_LAPACK(p, T, R, unmqr, nrm2)                                         \
  void p##getrf_(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info);        \
  void p##getrs_(const char* trans, const int* n, const int* nrhs, const T* a, const int* lda,   \
                 const int* ipiv, T* b, const int* ldb, int* info, std::size_t);                 \
  void p##gesv_(const int* n, const int* nrhs, T* a, const int* lda, int* ipiv, T* b,            \
                const int* ldb, int* info);                                                      \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info, std::size_t);  \
  void p##potrs_(const char* uplo, const int* n, const int* nrhs, const T* a, const int* lda,    \
                 T* b, const int* ldb, int* info, std::size_t);                                  \
  void p##pbtrf_(const char* uplo, const int* n, const int* k, T* a, const int* lda, int* info,  \
                 std::size_t);                                                                   \
  void p##gbtrf_(const int* m, const int* n, const int* kl, const int* ku, T* a, const int* lda, \
                 int* ipiv, int* info);                                                          \
  void p##pttrf_(const int* n, R* d, T* e, int* info);                                           \
  void p##geqrf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work,              \
                 const int* lwork, int* info);                                                   \
  void unmqr(const char* side, const char* trans, const int* m, const int* n, const int* k,      \
             const T* a, const int* lda, const T* tau, T* c, const int* ldc, T* work,            \
             const int* lwork, int* info, std::size_t, std::size_t);                             \
  void p##gels_(const char* trans, const int* m, const int* n, const int* nrhs, T* a,            \
                const int* lda, T* b, const int* ldb, T* work, const int* lwork, int* info,      \
                std::size_t);                                                                    \
  void p##trtri_(const char* uplo, const char* diag, const int* n, T* a, const int* lda,         \
                 int* info, std::size_t, std::size_t);                                           \
  R p##lange_(const char* norm, const int* m, const int* n, const T* a, const int* lda, R* work, \
              std::size_t);                                                                      \
  R nrm2(const int* n, const T* x, const int* incx);

KOKKOSCONTRACT_TEST_LAPACK(s, float, float, sormqr_, snrm2_)
KOKKOSCONTRACT_TEST_LAPACK(d, double, double, dormqr_, dnrm2_)
KOKKOSCONTRACT_TEST_LAPACK(c, Kokkos::complex<float>, float, cunmqr_, scnrm2_)
KOKKOSCONTRACT_TEST_LAPACK(z, Kokkos::complex<double>, double, zunmqr_, dznrm2_)
#undef KOKKOSCONTRACT_TEST_LAPACK
}

namespace KokkosContract::Test {

/// LAPACK's routines for each element type, with matrices as Views. They return LAPACK's info.
template <class T>
struct Lapack;

#define KOKKOSCONTRACT_TEST_LAPACK(p, T, unmqr, nrm2_name)                                         \
  template <>                                                                                      \
  struct Lapack<T> {                                                                               \
    using Real = real_of_t<T>;                                                                     \
    using Matrix = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;                       \
    using Vector = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;                        \
    using Pivots = Kokkos::View<int*, Kokkos::LayoutLeft, Kokkos::HostSpace>;                      \
                                                                                                   \
    static int getrf(const Matrix& a, const Pivots& ipiv) {                                        \
      const int m = rows(a), n = cols(a), lda = leading(a);                                        \
      int info = 0;                                                                                \
      p##getrf_(&m, &n, a.data(), &lda, ipiv.data(), &info);                                       \
      return info;                                                                                 \
    }                                                                                              \
    static int getrs(char trans, const Matrix& a, const Pivots& ipiv, const Matrix& b) {           \
      const int n = rows(a), nrhs = cols(b), lda = leading(a), ldb = leading(b);                   \
      int info = 0;                                                                                \
      p##getrs_(&trans, &n, &nrhs, a.data(), &lda, ipiv.data(), b.data(), &ldb, &info, 1);         \
      return info;                                                                                 \
    }                                                                                              \
    static int gesv(const Matrix& a, const Pivots& ipiv, const Matrix& b) {                        \
      const int n = rows(a), nrhs = cols(b), lda = leading(a), ldb = leading(b);                   \
      int info = 0;                                                                                \
      p##gesv_(&n, &nrhs, a.data(), &lda, ipiv.data(), b.data(), &ldb, &info);                     \
      return info;                                                                                 \
    }                                                                                              \
    static int potrf(char uplo, const Matrix& a) {                                                 \
      const int n = rows(a), lda = leading(a);                                                     \
      int info = 0;                                                                                \
      p##potrf_(&uplo, &n, a.data(), &lda, &info, 1);                                              \
      return info;                                                                                 \
    }                                                                                              \
    static int potrs(char uplo, const Matrix& a, const Matrix& b) {                                \
      const int n = rows(a), nrhs = cols(b), lda = leading(a), ldb = leading(b);                   \
      int info = 0;                                                                                \
      p##potrs_(&uplo, &n, &nrhs, a.data(), &lda, b.data(), &ldb, &info, 1);                       \
      return info;                                                                                 \
    }                                                                                              \
    static int pbtrf(char uplo, const Matrix& a) {                                                 \
      const int n = cols(a), k = rows(a) - 1, lda = leading(a);                                    \
      int info = 0;                                                                                \
      p##pbtrf_(&uplo, &n, &k, a.data(), &lda, &info, 1);                                          \
      return info;                                                                                 \
    }                                                                                              \
    static int gbtrf(int m, int kl, int ku, const Matrix& a, const Pivots& ipiv) {                 \
      const int n = cols(a), lda = leading(a);                                                     \
      int info = 0;                                                                                \
      p##gbtrf_(&m, &n, &kl, &ku, a.data(), &lda, ipiv.data(), &info);                             \
      return info;                                                                                 \
    }                                                                                              \
    static int pttrf(const Kokkos::View<Real*, Kokkos::HostSpace>& d, const Vector& e) {           \
      const int n = static_cast<int>(d.extent(0));                                                 \
      int info = 0;                                                                                \
      p##pttrf_(&n, d.data(), e.data(), &info);                                                    \
      return info;                                                                                 \
    }                                                                                              \
    static int geqrf(const Matrix& a, const Vector& tau) {                                         \
      const int m = rows(a), n = cols(a), lda = leading(a), lwork = 64 * (n + 1);                  \
      std::vector<T> work(lwork);                                                                  \
      int info = 0;                                                                                \
      p##geqrf_(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &info);                   \
      return info;                                                                                 \
    }                                                                                              \
    static int ormqr(char side, char trans, const Matrix& a, const Vector& tau, const Matrix& c) { \
      const int m = rows(c), n = cols(c), lda = leading(a), ldc = leading(c);                      \
      const int k = static_cast<int>(tau.extent(0)), lwork = 64 * (m + n + 65);                    \
      std::vector<T> work(lwork);                                                                  \
      int info = 0;                                                                                \
      unmqr(&side, &trans, &m, &n, &k, a.data(), &lda, tau.data(), c.data(), &ldc, work.data(),    \
            &lwork, &info, 1, 1);                                                                  \
      return info;                                                                                 \
    }                                                                                              \
    static int gels(const Matrix& a, const Matrix& b) {                                            \
      const int m = rows(a), n = cols(a), nrhs = cols(b), lda = leading(a), ldb = leading(b);      \
      const int lwork = 64 * (m + n + nrhs + 1);                                                   \
      std::vector<T> work(lwork);                                                                  \
      int info = 0;                                                                                \
      const char trans = 'N';                                                                      \
      p##gels_(&trans, &m, &n, &nrhs, a.data(), &lda, b.data(), &ldb, work.data(), &lwork, &info,  \
               1);                                                                                 \
      return info;                                                                                 \
    }                                                                                              \
    static int trtri(char uplo, char diag, const Matrix& a) {                                      \
      const int n = rows(a), lda = leading(a);                                                     \
      int info = 0;                                                                                \
      p##trtri_(&uplo, &diag, &n, a.data(), &lda, &info, 1, 1);                                    \
      return info;                                                                                 \
    }                                                                                              \
    static Real lange(char norm, const Matrix& a) {                                                \
      const int m = rows(a), n = cols(a), lda = leading(a);                                        \
      std::vector<Real> work(m + 1);                                                               \
      return p##lange_(&norm, &m, &n, a.data(), &lda, work.data(), 1);                             \
    }                                                                                              \
    static Real nrm2(const Vector& x) {                                                            \
      const int n = static_cast<int>(x.extent(0)), one = 1;                                        \
      return nrm2_name(&n, x.data(), &one);                                                        \
    }                                                                                              \
                                                                                                   \
   private:                                                                                        \
    static int rows(const Matrix& a) { return static_cast<int>(a.extent(0)); }                     \
    static int cols(const Matrix& a) { return static_cast<int>(a.extent(1)); }                     \
    static int leading(const Matrix& a) { return std::max(1, static_cast<int>(a.stride(1))); }     \
  };

KOKKOSCONTRACT_TEST_LAPACK(s, float, sormqr_, snrm2_)
KOKKOSCONTRACT_TEST_LAPACK(d, double, dormqr_, dnrm2_)
KOKKOSCONTRACT_TEST_LAPACK(c, Kokkos::complex<float>, cunmqr_, scnrm2_)
KOKKOSCONTRACT_TEST_LAPACK(z, Kokkos::complex<double>, zunmqr_, dznrm2_)
#undef KOKKOSCONTRACT_TEST_LAPACK

}  // namespace KokkosContract::Test
