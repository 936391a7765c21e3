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

}  // namespace perf

#endif
