// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B, and C = A^H B, of large matrices by `contract`, compared with cuBLAS. LAYOUT is that of
// A and of B; C is row-major. The type tf32 is floats with Accuracy::tf32. No tile divides 4097 and
// 2047. C of 16-bit floats has sums of float.
#include <KokkosContract/HostContract.hpp>

#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::Accuracy;
using KokkosContract::Spec;

template <class T, class Layout>
using Matrix = Kokkos::View<T**, Layout, Space>;

template <Spec S, class T, class LayoutA, class LayoutB, Accuracy P>
void run_product(benchmark::State& state, int n, bool by_cublas) {
  using Sum = KokkosContract::Impl::accumulator_t<T>;
  const Matrix<T, LayoutA> a("A", n, n);
  const Matrix<T, LayoutB> b("B", n, n);
  const Matrix<Sum, Right> c("C", n, n);
  const Matrix<Sum, Right> reference("reference", n, n);
  fill_random(a);
  fill_random(b);
  const Cublas cublas;
  constexpr bool is_adjoint = KokkosContract::Impl::Parse<S>::value.input[0].conjugate;
  constexpr bool is_tf32 = P == Accuracy::tf32;
  const auto peer = [&] {
    const auto of_a = is_adjoint ? CUBLAS_OP_C : operation<LayoutA>();
    if constexpr (is_tf32) {
      gemm_of_tf32(cublas, operation<LayoutB>(), of_a, n, b.data(), a.data(), reference.data());
    } else {
      gemm(cublas, operation<LayoutB>(), of_a, n, b.data(), a.data(), reference.data());
    }
  };
  const auto own = [&] { KokkosContract::contract<S, P>(Space(), Sum(1), a, b, Sum(0), c); };
  peer();
  own();
  if (!(worst_difference(c, reference, is_tf32 ? 0x1p-11 : 0) <= 1)) {
    state.SkipWithError("wrong result");
  } else {
    const double size = static_cast<double>(n) * n;
    const double flops = (KokkosContract::Impl::is_complex<T> ? 8.0 : 2.0) * size * n;
    time_launches(state, flops, size * (2.0 * sizeof(T) + sizeof(Sum)), [&] {
      if (by_cublas) {
        peer();
      } else {
        own();
      }
    });
  }
}

template <Spec S, class T, class LayoutA, class LayoutB, Accuracy P = Accuracy::full>
void add(const std::string& layouts, std::initializer_list<int> sizes) {
  for (const int n : sizes) {
    for (const bool by_cublas : {false, true}) {
      const std::string type = P == Accuracy::tf32 ? "tf32" : type_name<T>();
      add_benchmark("Large/" + type + "/" + layouts + "/dynamic/memory/" +
                        (by_cublas ? "cuBLAS/" : "contract/") + std::to_string(n),
                    [=](benchmark::State& state) {
                      run_product<S, T, LayoutA, LayoutB, P>(state, n, by_cublas);
                    });
    }
  }
}
template <class T, Accuracy P = Accuracy::full>
void add_all(std::initializer_list<int> sizes) {
  add<"ik,kj->ij", T, Right, Right, P>("right-right", sizes);
  add<"ik,kj->ij", T, Left, Right, P>("left-right", sizes);
  add<"ik,kj->ij", T, Right, Left, P>("right-left", sizes);
  add<"ik,kj->ij", T, Left, Left, P>("left-left", sizes);
}

const Registered registered([] {
  add_all<double>({4096, 4097, 1024, 1023});
  add_all<float>({4096});
  add_all<float, Accuracy::tf32>({4096, 1024, 1023});
  add_all<Kokkos::Experimental::half_t>({4096, 1024, 1023});
  add_all<Kokkos::Experimental::bhalf_t>({4096});
  add_all<Kokkos::complex<double>>({4096, 2048, 2047, 512});
  add<"ki*,kj->ij", Kokkos::complex<double>, Right, Right>("right-right, adjoint", {2048});
});

}  // namespace
