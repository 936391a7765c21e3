// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main of the benchmarks, and the bounds of the machine: copying, and cuBLAS' large products.

#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;

void copy(benchmark::State& state) {
  const std::size_t size = 200'000'000;
  const Kokkos::View<double*, Space> from("from", size);
  const Kokkos::View<double*, Space> to("to", size);
  fill_random(from);
  time_launches(state, 0, 16.0 * size, [&] {
    cudaMemcpyAsync(to.data(), from.data(), sizeof(double) * size, cudaMemcpyDeviceToDevice,
                    Space().cuda_stream());
  });
}

template <class T>
void large_product(benchmark::State& state) {
  const int n = 8192;
  const Kokkos::View<T**, Left, Space> a("a", n, n);
  const Kokkos::View<T**, Left, Space> b("b", n, n);
  const Kokkos::View<T**, Left, Space> c("c", n, n);
  fill_random(a);
  fill_random(b);
  const Cublas cublas;
  const T one(1);
  const T zero(0);
  time_launches(state, 2.0 * n * n * n, 3.0 * n * n * sizeof(T), [&] {
    if constexpr (std::is_same_v<T, double>) {
      cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), n, b.data(), n, &zero,
                  c.data(), n);
    } else {
      cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), n, b.data(), n, &zero,
                  c.data(), n);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  return perf::run_benchmarks(argc, argv, [] {
    perf::add_versions("CUDA " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                       std::to_string(__CUDACC_VER_MINOR__));
    benchmark::AddCustomContext("GPU", Space().cuda_device_prop().name);
    perf::add_benchmark("Machine/copy", copy);
    perf::add_benchmark("Machine/cublas/double", large_product<double>);
    perf::add_benchmark("Machine/cublas/float", large_product<float>);
  });
}
