// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layers of an equivariant neural network, such as the interatomic potential MACE: one small
// product with shared weights for each node and each l, ported from KokkosBatched::TeamGemm.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <limits>
#include <string>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"
#include "Problem.hpp"

using example::Layers, example::Member, example::components, example::orders;
using Kokkos::ALL, Kokkos::subview;

constexpr const char* usage =
    R"(Multiplies the features of nodes by weights, for l = 0 to 3, in double and in float.
  --channels N   channels of a component (128)
  --nodes N      how many nodes (as many as take 1 GiB on a GPU, 64 MiB on a host)
  --repeat N     the best time of so many (5)
Prints what each version reaches of its bound, the longer of two times: its operations at the FMA
peak of the type, and inputs and outputs, each moved once, at the triad bandwidth. Beside Kokkos
Kernels, where it was found, it prints how many times as fast this library is.
)";
constexpr double default_bytes = (example::on_host ? 64.0 : 1024.0) * (1 << 20);

/// From the host: for each l a contraction of all nodes.
template <class T>
void multiply_from_host(const Layers<T>& layers) {
  const auto in = layers.in, weights = layers.weights, out = layers.out;
  // [host]
  const Kokkos::DefaultExecutionSpace space;
  for (int l = 0; l < orders; ++l) {
    const auto m = components(l);
    KokkosContract::contract<"emk,kn->emn">(space, T(1), subview(in, ALL, m, ALL),
                                            subview(weights, l, ALL, ALL), T(0),
                                            subview(out, ALL, m, ALL));
  }
  // [/host]
}

/// In a kernel, which may do more with a team's nodes.
template <class T>
void multiply_in_kernel(const Layers<T>& layers) {
  const auto in = layers.in, weights = layers.weights, out = layers.out;
  // [kernel]
  using KokkosContract::TeamContract, KokkosContract::uses, KokkosContract::shared;
  using Product = TeamContract<"emk,kn->emn">;
  const auto product = [&](int l) {
    const auto m = components(l);
    return uses<Product>(subview(in, ALL, m, ALL), shared(subview(weights, l, ALL, ALL)),
                         subview(out, ALL, m, ALL));
  };
  const auto plan = KokkosContract::team_policy(Kokkos::DefaultExecutionSpace(), layers.nodes(),
                                                product(0), product(1), product(2), product(3));
  const KokkosContract::TeamProblems nodes = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = KokkosContract::problems_of(team, nodes);
        for (int l = 0; l < orders; ++l) {
          const auto m = components(l);
          KokkosContract::require_success(Product::invoke(team, T(1), subview(in, mine, m, ALL),
                                                          subview(weights, l, ALL, ALL), T(0),
                                                          subview(out, mine, m, ALL)));
        }
      });
  // [/kernel]
}

template <class T>
int run(const example::Options& options, const example::MachineBounds& doubles) {
  const bool is_double = std::is_same_v<T, double>;
  const double channels = options.channels;
  const double bytes_of_node = 2 * sizeof(T) * orders * orders * channels;
  const int nodes = options.nodes > 0
                        ? options.nodes
                        : Kokkos::max(1, static_cast<int>(default_bytes / bytes_of_node));
  const Layers<T> layers(nodes, options.channels);
  // Twice as many floats are in a register.
  const example::MachineBounds bounds{(is_double ? 1 : 2) * doubles.flops, doubles.bandwidth};
  const double flops = 2.0 * orders * orders * channels * channels * nodes;
  const double bytes = bytes_of_node * nodes;
  const double bound = bounds.seconds(flops, bytes);
  std::printf("%s, %d nodes, l = 0 to %d, %d channels: bound by %s\n",
              is_double ? "double" : "float", nodes, orders - 1, options.channels,
              flops / bounds.flops > bytes / bounds.bandwidth ? "FMA peak" : "bandwidth");

  int failures = 0;
  const auto measure = [&](const char* name, const auto& multiply, double before) {
    double seconds = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat < options.repeat; ++repeat) {
      Kokkos::deep_copy(layers.out, T(0));
      Kokkos::fence();
      const Kokkos::Timer timer;
      multiply(layers);
      Kokkos::fence();
      seconds = Kokkos::min(seconds, timer.seconds());
    }
    std::printf("  %-36s %9.3f ms %9.1f GFLOP/s %6.1f %% of bound", name, 1e3 * seconds,
                1e-9 * flops / seconds, 100 * bound / seconds);
    if (before > 0) std::printf(", %.1f times as fast", before / seconds);
    std::printf("\n");
    failures += example::check("    error", layers.error(),
                               8 * channels * std::numeric_limits<T>::epsilon());
    return seconds;
  };
  double before = 0;
#if defined(EXAMPLE_WITH_KOKKOS_KERNELS)
  before = measure(
      "Kokkos Kernels, TeamGemm",
      [](const Layers<T>& all) { example::multiply_with_kokkos_kernels(all); }, 0);
#endif
  measure("TeamContract, several nodes a team", multiply_in_kernel<T>, before);
  measure("contract, from the host", multiply_from_host<T>, before);
  return failures;
}

int main(int argc, char* argv[]) {
  using namespace example::option;
  example::Options options;
  if (const auto status =
          example::read_options(argc, argv, usage,
                                {{"--channels", {number(options.channels, 1, 4096)}},
                                 {"--nodes", {number(options.nodes)}},
                                 {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const example::MachineBounds bounds = example::measure_machine_bounds();
  bounds.print();
  return run<double>(options, bounds) + run<float>(options, bounds);
}
