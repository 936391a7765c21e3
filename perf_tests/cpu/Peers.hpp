// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PEERS_HPP
#define KOKKOSCONTRACT_PEERS_HPP

// Other libraries' products of n x n matrices, as far as CMake found them. Each is a type with a
// name, and a constructor from n for one-time work (JIT compilation). It has usable(), and a call
// with the pointers to A, B and C. Libraries that only know columns compute a row-major C = A B as
// C^T = B^T A^T.

#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_LIBXSMM)
#include <libxsmm.h>
#endif
#if defined(KOKKOSCONTRACT_PERF_EIGEN)
#include <Eigen/Core>
#endif
#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
#include <cblas.h>
#endif
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#endif

namespace perf {

/// A peer's products of a batch.
template <class Call, class T, class Layout>
struct Peer {
  using element = T;
  using layout = Layout;

  Call call;
  T* a;
  T* b;
  T* c;
  int size;

  Peer(T* pa, T* pb, T* pc, int n) : call(n), a(pa), b(pb), c(pc), size(n * n) {}

  bool usable() const { return call.usable(); }

  void operator()(const Member&, int p) const {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(p) * size;
    if constexpr (Call::columns_only && is_right<Layout>) {
      call(b + offset, a + offset, c + offset);
    } else {
      call(a + offset, b + offset, c + offset);
    }
  }
};

#if defined(KOKKOSCONTRACT_PERF_LIBXSMM)
template <class T>
struct Libxsmm {
  static constexpr const char* name = "libxsmm";
  static constexpr bool columns_only = true;
  using Function =
      std::conditional_t<std::is_same_v<T, double>, libxsmm_dmmfunction, libxsmm_smmfunction>;
  Function function = nullptr;

  explicit Libxsmm(int n) {
    const T alpha = 1;
    const T beta = 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = LIBXSMM_PREFETCH_NONE;
    if constexpr (std::is_same_v<T, double>) {
      function =
          libxsmm_dmmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, &flags, &prefetch);
    } else {
      function =
          libxsmm_smmdispatch(n, n, n, nullptr, nullptr, nullptr, &alpha, &beta, &flags, &prefetch);
    }
  }
  bool usable() const { return function != nullptr; }
  void operator()(const T* a, const T* b, T* c) const { function(a, b, c); }
};
#endif

#if defined(KOKKOSCONTRACT_PERF_EIGEN)
template <class T, int N, class Layout>
struct EigenFixed {
  static constexpr const char* name = "Eigen";
  static constexpr bool columns_only = false;
  using Matrix = Eigen::Matrix<T, N, N, is_right<Layout> ? Eigen::RowMajor : Eigen::ColMajor>;

  explicit EigenFixed(int) {}
  bool usable() const { return true; }
  void operator()(const T* a, const T* b, T* c) const {
    Eigen::Map<Matrix>(c).noalias() = Eigen::Map<const Matrix>(a) * Eigen::Map<const Matrix>(b);
  }
};
#endif

#if defined(KOKKOSCONTRACT_PERF_OPENBLAS)
template <class T>
struct OpenBlas {
  static constexpr const char* name = "OpenBLAS";
  static constexpr bool columns_only = true;
  int n;

  explicit OpenBlas(int width) : n(width) { openblas_set_num_threads(1); }
  bool usable() const { return true; }
  void operator()(const T* a, const T* b, T* c) const {
    if constexpr (std::is_same_v<T, double>) {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
    } else {
      cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
    }
  }
};
#endif

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
/// Kokkos Kernels' pack, in the same memory.
template <class T>
struct KokkosKernelsElement {
  using type = T;
};
template <class T, int L>
struct KokkosKernelsElement<KokkosContract::Pack<T, L>> {
  using type = KokkosBatched::Vector<KokkosBatched::SIMD<T>, L>;
};
template <class T>
using kk_element_t = typename KokkosKernelsElement<T>::type;

/// An n x n View with static extents.
template <class T, int N, class Layout>
using KokkosKernelsMatrix = Kokkos::View<kk_element_t<T>[N][N], Layout, Kokkos::HostSpace,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

using KokkosKernelsBlocked = KokkosBatched::Algo::Gemm::Blocked;
using KokkosKernelsUnblocked = KokkosBatched::Algo::Gemm::Unblocked;

template <class T, int N, class Layout, class Algorithm>
struct KokkosKernels {
  static constexpr const char* name =
      std::is_same_v<Algorithm, KokkosKernelsBlocked> ? "KK-blocked" : "KK-unblocked";
  static constexpr bool columns_only = false;
  using Matrix = KokkosKernelsMatrix<T, N, Layout>;
  using None = KokkosBatched::Trans::NoTranspose;

  explicit KokkosKernels(int) {}
  bool usable() const { return true; }
  void operator()(T* a, T* b, T* c) const {
    using V = kk_element_t<T>;
    KokkosBatched::SerialGemm<None, None, Algorithm>::invoke(
        scalar_t<T>(1), Matrix(reinterpret_cast<V*>(a)), Matrix(reinterpret_cast<V*>(b)),
        scalar_t<T>(0), Matrix(reinterpret_cast<V*>(c)));
  }
};
#endif

}  // namespace perf

#endif
