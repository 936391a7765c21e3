// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mass matrices of elements of order p in two and three dimensions, M_e = B^T D_e B, with p + 1
// nodes and p + 2 points in each direction.
//
//     Team      this library, by sum factorisation, from products of pairs of 1-D shape functions:
//               a team for one or some elements
//     cuBLAS    D_e B by a separate kernel, then batched products with the whole B^T
//
// Bytes are those that must move: D and M. The number after a name is p.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "../ShapeFunctions.hpp"
#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::TeamContract;

consteval int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

using Vector = Kokkos::View<double*, Space>;

template <int Dim, int P>
struct Assembly {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;
  static constexpr int nodes = power(nd, Dim);
  static constexpr int points = power(nq, Dim);
  static constexpr int elements = std::max(1, 1024 / (nodes * nodes));
  static constexpr int threads = 128;
  /// Level of scratch memory: intermediates of large elements do not fit into shared memory.
  static constexpr int scratch_level = Dim == 3 && P >= 4 ? 1 : 0;
  // One direction after another, with more pairs of nodes and fewer points each time.
  static constexpr double flops =
      Dim == 2 ? 2.0 * (nq * nq * nd * nd + nq * power(nd, 4))
               : 2.0 * (nq * nq * nq * nd * nd + nq * nq * power(nd, 4) + nq * power(nd, 6));
  static constexpr double dense_flops = 2.0 * points * nodes * nodes + 1.0 * points * nodes;

  Kokkos::View<const double[nq][nd], Right, Space> b;
  Kokkos::View<const double[nq][nd][nd], Right, Space> bb;  // their products, in pairs
  const double* data;
  double* matrices;
  int count;

  using InPlane = TeamContract<"exy,xik,yjl->eijkl">;
  using InSpace = TeamContract<"exyz,xil,yjm,zkn->eijklmn">;

  /// Elements [first, first + own), of dimensions of N each.
  template <int N, class T, int... I>
  static KOKKOS_FUNCTION auto part(T* all, int first, int own, std::integer_sequence<int, I...>) {
    constexpr int size = power(N, sizeof...(I));
    using Tensors = KokkosContract::Strided<
        T,
        std::integer_sequence<std::ptrdiff_t, KokkosContract::dynamic,
                              (static_cast<void>(I), N)...>,
        std::integer_sequence<std::ptrdiff_t, size, power(N, sizeof...(I) - 1 - I)...>>;
    const int extents[] = {own, (static_cast<void>(I), N)...};
    const std::ptrdiff_t strides[] = {size, power(N, sizeof...(I) - 1 - I)...};
    return Tensors(all + static_cast<std::ptrdiff_t>(first) * size, extents, strides);
  }
  KOKKOS_FUNCTION auto data_of(int first, int own) const {
    return part<nq>(data, first, own, std::make_integer_sequence<int, Dim>{});
  }
  KOKKOS_FUNCTION auto matrices_of(int first, int own) const {
    return part<nd>(matrices, first, own, std::make_integer_sequence<int, 2 * Dim>{});
  }

  /// Shape function n at point q, over all directions.
  KOKKOS_FUNCTION double shape(int q, int n) const {
    double product = 1;
    for (int d = 0; d < Dim; ++d, q /= nq, n /= nd) product *= b(q % nq, n % nd);
    return product;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int first = static_cast<int>(member.league_rank()) * elements;
    const int own = count - first < elements ? count - first : elements;
    const auto d = data_of(first, own);
    const auto m = matrices_of(first, own);
    const int level = scratch_level;
    const auto scratch = member.team_scratch(level);
    if constexpr (Dim == 2) {
      (void)InPlane::invoke(member, scratch, 1.0, d, bb, bb, 0.0, m);
    } else {
      (void)InSpace::invoke(member, scratch, 1.0, d, bb, bb, bb, 0.0, m);
    }
  }

  void launch() const {
    const auto d = data_of(0, elements);
    const auto m = matrices_of(0, elements);
    std::size_t bytes = 0;
    if constexpr (Dim == 2) {
      bytes = InPlane::scratch_bytes(d, bb, bb, m);
    } else {
      bytes = InSpace::scratch_bytes(d, bb, bb, bb, m);
    }
    Policy policy((count + elements - 1) / elements, threads, 1);
    policy.set_scratch_size(scratch_level, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("assembly", policy, *this);
  }
};

/// [point][node]
template <int Dim, int P>
Vector all_shapes(const Assembly<Dim, P>& of) {
  constexpr int n = Assembly<Dim, P>::nodes;
  const Vector b("B", Assembly<Dim, P>::points * n);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, Assembly<Dim, P>::points * n),
      KOKKOS_LAMBDA(int t) { b(t) = of.shape(t / n, t % n); });
  return b;
}

/// Assembly by a kernel that multiplies D and B, and batched products.
template <int Dim, int P>
class Dense {
  using Of = Assembly<Dim, P>;

 public:
  explicit Dense(const Of& of)
      : of_(of),
        b_(all_shapes(of)),
        weighted_(Kokkos::view_alloc("D B", Kokkos::WithoutInitializing),
                  static_cast<std::size_t>(of.count) * Of::points * Of::nodes) {}

  void run() const {
    constexpr int n = Of::nodes;
    constexpr int q = Of::points;
    const auto b = b_;
    const auto weighted = weighted_;
    const double* const data = of_.data;
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
            0, std::int64_t{of_.count} * q * n),
        KOKKOS_LAMBDA(std::int64_t t) { weighted(t) = data[t / n] * b(t % (q * n)); });
    const double one = 1;
    const double zero = 0;
    // In column-major order M_e = (D B)^T B, and M_e is symmetric.
    cublasDgemmStridedBatched(cublas_, CUBLAS_OP_N, CUBLAS_OP_T, n, n, q, &one, weighted_.data(), n,
                              static_cast<long long>(q) * n, b_.data(), n, 0, &zero, of_.matrices,
                              n, static_cast<long long>(n) * n, of_.count);
  }

 private:
  Of of_;
  Cublas cublas_;
  Vector b_, weighted_;
};

/// The worst difference of some elements' matrices, relative to the size of the terms.
template <int Dim, int P>
double worst_difference(const Assembly<Dim, P>& of) {
  constexpr int n = Assembly<Dim, P>::nodes;
  constexpr int points = Assembly<Dim, P>::points;
  const int step = std::max(1, of.count / 8);
  const int checked = (of.count + step - 1) / step;
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, checked * n * n),
      KOKKOS_LAMBDA(int t, double& most) {
        const std::int64_t e = std::int64_t{t / (n * n)} * step;
        double sum = 0;
        double size = 0;
        for (int q = 0; q < points; ++q) {
          const double term = of.shape(q, t / n % n) * of.data[e * points + q] * of.shape(q, t % n);
          sum += term;
          size += Kokkos::abs(term);
        }
        const double difference = Kokkos::abs(sum - of.matrices[e * n * n + t % (n * n)]) / size;
        // A NaN is an error, too.
        if (!(difference <= most)) most = difference <= 1 ? difference : 1.0;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

template <int Dim, int P, bool ByDense>
void run(benchmark::State& state) {
  using Of = Assembly<Dim, P>;
  const double bytes = 8.0 * (Of::points + Of::nodes * Of::nodes);
  // The count is no multiple of any team's elements.
  const int count = static_cast<int>(batch_bytes / bytes) / 2 * 2 + 1;
  const auto raw = Kokkos::view_alloc("elements", Kokkos::WithoutInitializing);
  const Vector data(raw, static_cast<std::size_t>(count) * Of::points);
  const Vector matrices(raw, static_cast<std::size_t>(count) * Of::nodes * Of::nodes);
  fill_random(data);
  Kokkos::deep_copy(matrices, std::numeric_limits<double>::quiet_NaN());
  const Kokkos::View<double[Of::nq][Of::nd], Right, Space> b("B");
  const auto host = Kokkos::create_mirror_view(b);
  const ShapeFunctions shape(Of::nd, Of::nq);
  std::copy(shape.values.begin(), shape.values.end(), host.data());
  Kokkos::deep_copy(b, host);
  const Kokkos::View<double[Of::nq][Of::nd][Of::nd], Right, Space> bb("B B");
  const auto host_bb = Kokkos::create_mirror_view(bb);
  for (int q = 0; q < Of::nq; ++q) {
    for (int i = 0; i < Of::nd; ++i) {
      for (int j = 0; j < Of::nd; ++j) host_bb(q, i, j) = host(q, i) * host(q, j);
    }
  }
  Kokkos::deep_copy(bb, host_bb);
  const Of of{b, bb, data.data(), matrices.data(), count};
  const auto time = [&](double flops, const auto& launch) {
    launch();
    if (!(worst_difference(of) <= 1e-13)) {
      state.SkipWithError("wrong result");
      return;
    }
    time_launches(state, flops * count, bytes * count, launch);
  };
  if constexpr (ByDense) {
    const Dense<Dim, P> dense(of);
    time(Of::dense_flops, [&] { dense.run(); });
  } else {
    time(Of::flops, [&] { of.launch(); });
  }
}

template <int Dim, int P>
void add() {
  const std::string name = "FE-assembly-" + std::to_string(Dim) + "D/double/right/static/memory/";
  add_benchmark(name + "Team/" + std::to_string(P), run<Dim, P, false>);
  add_benchmark(name + "cuBLAS/" + std::to_string(P), run<Dim, P, true>);
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>{},
                 []<int P>() { add<2, P>(); });
  for_each_width(std::integer_sequence<int, 1, 2, 3, 4>{}, []<int P>() { add<3, P>(); });
});

}  // namespace
