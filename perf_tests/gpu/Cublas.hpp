// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_CUBLAS_HPP
#define KOKKOSCONTRACT_PERF_CUBLAS_HPP

#include <cublas_v2.h>

#include "Perf.hpp"

namespace perf {

/// cuBLAS on the stream of the benchmarks.
class Cublas {
 public:
  Cublas() {
    cublasCreate(&handle_);
    cublasSetStream(handle_, Space().cuda_stream());
  }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  operator cublasHandle_t() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  cublasHandle_t handle_{};
};

/// C = A B of n x n column-major matrices, after these operations.
template <class T>
void gemm(const Cublas& cublas, cublasOperation_t of_a, cublasOperation_t of_b, int n, const T* a,
          const T* b, T* c) {
  const T one(1);
  const T zero(0);
  if constexpr (std::is_same_v<T, double>) {
    cublasDgemm(cublas, of_a, of_b, n, n, n, &one, a, n, b, n, &zero, c, n);
  } else if constexpr (std::is_same_v<T, float>) {
    cublasSgemm(cublas, of_a, of_b, n, n, n, &one, a, n, b, n, &zero, c, n);
  } else {
    const auto as_cuda = [](auto* x) {
      using Z = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(x)>>,
                                   const cuDoubleComplex, cuDoubleComplex>;
      return reinterpret_cast<Z*>(x);
    };
    cublasZgemm(cublas, of_a, of_b, n, n, n, as_cuda(&one), as_cuda(a), n, as_cuda(b), n,
                as_cuda(&zero), as_cuda(c), n);
  }
}

/// Products of 16-bit floats have sums of float.
template <class T>
  requires KokkosContract::Impl::is_short_float<T>
void gemm(const Cublas& cublas, cublasOperation_t of_a, cublasOperation_t of_b, int n, const T* a,
          const T* b, float* c) {
  const float one = 1;
  const float zero = 0;
  constexpr auto type = std::is_same_v<T, Kokkos::Experimental::half_t> ? CUDA_R_16F : CUDA_R_16BF;
  cublasGemmEx(cublas, of_a, of_b, n, n, n, &one, a, type, n, b, type, n, &zero, c, CUDA_R_32F, n,
               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

/// gemm of floats that are rounded to 11 bits.
inline void gemm_of_tf32(const Cublas& cublas, cublasOperation_t of_a, cublasOperation_t of_b,
                         int n, const float* a, const float* b, float* c) {
  const float one = 1;
  const float zero = 0;
  cublasGemmEx(cublas, of_a, of_b, n, n, n, &one, a, CUDA_R_32F, n, b, CUDA_R_32F, n, &zero, c,
               CUDA_R_32F, n, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
}

/// The operation of a matrix of this layout in a row-major product, which is a column-major product
/// of transposed matrices.
template <class Layout>
constexpr cublasOperation_t operation() {
  return std::is_same_v<Layout, Left> ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/// The worst difference of two products of n x n matrices, in units of a rounding bound. It is the
/// bound for sums of n products of elements below 1, or of complex ones below 1 + i, if inputs have
/// this relative error, or none.
template <class V>
double worst_difference(const V& x, const V& y, double of_inputs = 0) {
  using T = typename V::non_const_value_type;
  using R = decltype(Kokkos::abs(T{}));
  const int n = x.extent_int(0);
  const double bound =
      2.0 * (sizeof(T) > sizeof(R) ? 4 : 1) * n *
      ((n + 2) * static_cast<double>(Kokkos::Experimental::epsilon_v<R>) + 2 * of_inputs);
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, n),
      KOKKOS_LAMBDA(int i, double& most) {
        for (int j = 0; j < n; ++j) {
          const double error = Kokkos::abs(x(i, j) - y(i, j)) / bound;
          // A NaN is an error, too.
          if (!(error <= most)) most = error <= 1 ? error : 2.0;
        }
      },
      Kokkos::Max<double>(worst));
  return worst;
}

}  // namespace perf

#endif
