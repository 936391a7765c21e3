// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large tensors with permuted indices by `contract`, compared with cuBLAS' geam for matrices. All
// are column-major. Machine/copy is the bound.
#include <KokkosContract/HostContract.hpp>

#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::Spec;

template <class View>
View tensor(const char* label, int n) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return View(label, (static_cast<void>(I), n)...);
  }(std::make_index_sequence<View::rank>{});
}

/// Whether C has all elements of A, with the indices in reverse order.
template <class View>
bool is_transposed(const View& a, const View& c, int n) {
  std::size_t differences = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, a.size()),
      KOKKOS_LAMBDA(std::size_t i, std::size_t& sum) {
        std::size_t opposite = 0;
        for (std::size_t d = 0, rest = i; d < View::rank; ++d, rest /= n) {
          opposite = opposite * n + rest % n;
        }
        sum += a.data()[i] != c.data()[opposite];
      },
      differences);
  return differences == 0;
}

/// C = A^T.
void geam(const Cublas& cublas, int n, const double* a, double* c) {
  const double one = 1, zero = 0;
  cublasDgeam(cublas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, a, n, &zero, c, n, c, n);
}

template <Spec S, class View>
void run(benchmark::State& state, int n, bool by_cublas) {
  using T = typename View::non_const_value_type;
  const View a = tensor<View>("A", n);
  const View c = tensor<View>("C", n);
  fill_random(a);
  const Cublas cublas;
  const auto transpose = [&] {
    if constexpr (View::rank == 2) {
      if (by_cublas) return geam(cublas, n, a.data(), c.data());
    }
    KokkosContract::contract<S>(Space(), T(1), a, T(0), c);
  };
  transpose();
  if (!is_transposed(a, c, n)) return state.SkipWithError("wrong result");
  time_launches(state, 0, 2.0 * static_cast<double>(a.size()) * sizeof(T), transpose);
}

template <Spec S, class View>
void add(const std::string& shape, std::initializer_list<int> sizes) {
  using T = typename View::non_const_value_type;
  for (const int n : sizes) {
    for (const bool by_cublas : {false, true}) {
      if (by_cublas && View::rank != 2) continue;
      add_benchmark("Transpose/" + type_name<T>() + "/" + shape + "/dynamic/memory/" +
                        (by_cublas ? "cuBLAS/" : "contract/") + std::to_string(n),
                    [=](benchmark::State& state) { run<S, View>(state, n, by_cublas); });
    }
  }
}

const Registered registered([] {
  add<"ab->ba", Kokkos::View<double**, Left, Space>>("matrix", {8192, 8191, 1000});
  add<"abcd->dcba", Kokkos::View<double****, Left, Space>>("tensor", {72, 73});
  add<"abcd->dcba", Kokkos::View<float****, Left, Space>>("tensor", {96});
});

}  // namespace
