// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multilayer perceptron in one kernel: the activations of a block of samples stay in scratch
// memory from layer to layer, and bias and activation are steps of each layer's epilogue.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Epilogue.hpp>
#include <KokkosContract/HostContract.hpp>
#include <KokkosContract/TeamPolicy.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"

using example::Member;
using KokkosContract::Accuracy;

constexpr const char* usage =
    R"(Evaluates a network of three layers, 64 -> 128 -> 128 -> 16, for many samples.
  --type TYPE   of inputs, weights and activations (float): float, tf32 (floats that a GPU may round
                to 11 bits), half, bhalf
  --blocks N    blocks of 16 samples (as many as take 256 MiB on a GPU, 8 MiB on a host)
  --repeat N    the best time of so many (5)
Compares one kernel for all layers with a product and a kernel for each layer, and both with the
network in double.
)";

namespace {

struct Options {
  std::string type = "float";
  int blocks = 0, repeat = 5;  // 0 blocks: by the memory that they take
};

constexpr int samples = 16;  // of a block
constexpr int widths[] = {64, 128, 128, 16};
constexpr double flops_of_sample = 2.0 * (64 * 128 + 128 * 128 + 128 * 16);

struct Silu {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x / (T(1) + Kokkos::exp(-x));
  }
};

template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::SharedSpace>;

/// Inputs, weights, biases and outputs. Sums, biases and outputs are floats.
template <class T>
struct Network {
  Array<T* [samples][widths[0]]> in;
  Array<T[widths[0]][widths[1]]> w1{"w1"};
  Array<T[widths[1]][widths[2]]> w2{"w2"};
  Array<T[widths[2]][widths[3]]> w3{"w3"};
  Array<float[widths[1]]> b1{"b1"};
  Array<float[widths[2]]> b2{"b2"};
  Array<float[widths[3]]> b3{"b3"};
  Array<float* [samples][widths[3]]> out;
  Array<float* [samples]> largest;  // of a sample's outputs

  explicit Network(int blocks) : in("in", blocks), out("out", blocks), largest("largest", blocks) {
    const auto fill = [](const auto& view, int seed, double size) {
      for (std::size_t i = 0; i < view.size(); ++i) {
        view.data()[i] = static_cast<typename std::decay_t<decltype(view)>::value_type>(
            size * example::entry(static_cast<int>(i % 100003), seed));
      }
    };
    fill(in, 0, 1);
    fill(w1, 1, 0.3);
    fill(w2, 2, 0.2);
    fill(w3, 3, 0.2);
    fill(b1, 4, 0.5);
    fill(b2, 5, 0.5);
    fill(b3, 6, 0.5);
  }
  [[nodiscard]] int blocks() const { return in.extent_int(0); }
};

/// All layers in one kernel.
template <class T, Accuracy A>
void in_one_kernel(const Network<T>& net) {
  using namespace KokkosContract;
  // [kernel]
  using Layer = TeamContract<"bsi,ij->bsj", A>;
  using Hidden =
      Kokkos::View<T* [samples][widths[1]], Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const Hidden hidden(nullptr, net.blocks());
  const auto plan = team_policy(
      Kokkos::DefaultExecutionSpace(), net.blocks(), uses<Layer>(net.in, shared(net.w1), hidden),
      uses<Layer>(hidden, shared(net.w2), hidden), uses<Layer>(hidden, shared(net.w3), net.out),
      user_scratch{.bytes_per_problem = 2 * Hidden::shmem_size(1)});
  const TeamProblems blocks = plan;
  Kokkos::parallel_for(
      plan.policy, KOKKOS_LAMBDA(const Member& team) {
        const auto mine = problems_of(team, blocks);
        const auto block = [&](const auto& all) {
          return Kokkos::subview(all, mine, Kokkos::ALL, Kokkos::ALL);
        };
        const int count = mine.second - mine.first;
        const Hidden first(team.team_scratch(0), count), second(team.team_scratch(0), count);
        require_success(Layer::invoke(team, 1, block(net.in), net.w1, 0, first,
                                      bias<"j">(net.b1) | activation(Silu{})));
        require_success(Layer::invoke(team, 1, first, net.w2, 0, second,
                                      bias<"j">(net.b2) | activation(Silu{})));
        require_success(Layer::invoke(
            team, 1, second, net.w3, 0, block(net.out),
            bias<"j">(net.b3) | row_max<"bs">(Kokkos::subview(net.largest, mine, Kokkos::ALL))));
      });
  // [/kernel]
}

template <class Sums, class Bias, class Hidden>
void activate(const Sums& sums, const Bias& bias, const Hidden& hidden) {
  using T = typename Hidden::value_type;
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Kokkos::Rank<3>>(
          {0, 0, 0}, {sums.extent_int(0), sums.extent_int(1), sums.extent_int(2)}),
      KOKKOS_LAMBDA(int b, int s, int j) {
        hidden(b, s, j) = static_cast<T>(Silu{}(sums(b, s, j) + bias(j)));
      });
}

/// What the steps between two layers pass on through memory.
template <class T>
struct Between {
  Kokkos::View<float* [samples][widths[1]], Kokkos::LayoutRight> sums;
  Kokkos::View<T* [samples][widths[1]], Kokkos::LayoutRight> hidden;
  explicit Between(int blocks) : sums("sums", blocks), hidden("hidden", blocks) {}
};

/// A product from the host and a kernel for its bias and activation, for each layer.
template <class T, Accuracy A>
void layer_by_layer(const Network<T>& net, const Between<T>& between) {
  const Kokkos::DefaultExecutionSpace space;
  const auto sums = between.sums;
  const auto hidden = between.hidden;
  KokkosContract::contract<"bsi,ij->bsj", A>(space, 1, net.in, net.w1, 0, sums);
  activate(sums, net.b1, hidden);
  KokkosContract::contract<"bsi,ij->bsj", A>(space, 1, hidden, net.w2, 0, sums);
  activate(sums, net.b2, hidden);
  KokkosContract::contract<"bsi,ij->bsj", A>(space, 1, hidden, net.w3, 0, net.out);
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Kokkos::Rank<2>>(space, {0, 0}, {net.blocks(), samples}),
      KOKKOS_LAMBDA(int b, int s) {
        float largest = -1e30f;
        for (int j = 0; j < net.out.extent_int(2); ++j) {
          const float value = net.out(b, s, j) += net.b3(j);
          largest = value > largest ? value : largest;
        }
        net.largest(b, s) = largest;
      });
}

/// The largest error of some samples, relative to the largest output, in double.
template <class T>
double error(const Network<T>& net) {
  double error = 0, largest = 0;
  for (const int b : {0, net.blocks() / 2, net.blocks() - 1}) {
    for (const int s : {0, samples - 1}) {
      std::vector<double> x(widths[0]);
      for (int i = 0; i < widths[0]; ++i) x[i] = static_cast<double>(net.in(b, s, i));
      const auto layer = [&](const auto& w, const auto& bias, bool activates) {
        std::vector<double> y(w.extent(1));
        for (std::size_t j = 0; j < y.size(); ++j) {
          y[j] = bias(j);
          for (std::size_t i = 0; i < x.size(); ++i) y[j] += x[i] * static_cast<double>(w(i, j));
          if (activates) y[j] = Silu{}(y[j]);
        }
        x = y;
      };
      layer(net.w1, net.b1, true);
      layer(net.w2, net.b2, true);
      layer(net.w3, net.b3, false);
      for (int j = 0; j < widths[3]; ++j) {
        error = example::worse(error, std::abs(net.out(b, s, j) - x[j]));
        largest = std::max(largest, std::abs(x[j]));
      }
      error = example::worse(error,
                             std::abs(net.largest(b, s) - *std::max_element(x.begin(), x.end())));
    }
  }
  return error / largest;
}

/// Rounding errors of the inputs of a product grow by the root of the number of terms and layers.
template <class T, Accuracy A>
int run(const Options& options, double unit_roundoff) {
  const double bytes = samples * (sizeof(T) * widths[0] + sizeof(float) * widths[3]);
  const double all = (example::on_host ? 8.0 : 256.0) * (1 << 20);
  const int blocks =
      options.blocks > 0 ? options.blocks : Kokkos::max(1, static_cast<int>(all / bytes));
  const Network<T> net(blocks);
  std::printf("%d samples, layers of 64, 128, 128 and 16\n", blocks * samples);
  int failures = 0;
  const auto measure = [&](const char* name, const auto& evaluate) {
    Kokkos::deep_copy(net.largest, -1e30f);
    const double seconds = example::shortest_of(options.repeat, [&] { evaluate(net); });
    example::print_rate(name, seconds, flops_of_sample * samples * blocks);
    failures += example::check("    error", error(net), 64 * unit_roundoff);
  };
  measure("one kernel", in_one_kernel<T, A>);
  const Between<T> between(blocks);
  measure("layer by layer",
          [&](const Network<T>& network) { layer_by_layer<T, A>(network, between); });
  return failures;
}

/// Types of 16 bits exist only where the compiler has them.
template <class T>
int run_short(const Options& options, const char* name, double unit_roundoff) {
  if constexpr (sizeof(T) == 2) {
    return run<T, Accuracy::full>(options, unit_roundoff);
  } else {
    std::printf("%s has %d bytes on this machine, not 2: nothing to show\n", name,
                static_cast<int>(sizeof(T)));
    return 0;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace example::option;
  Options options;
  if (const auto status = example::read_options(
          argc, argv, usage,
          {{"--type", {one_of(options.type, {"float", "tf32", "half", "bhalf"})}},
           {"--blocks", {number(options.blocks)}},
           {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (options.type == "half") {
    return run_short<Kokkos::Experimental::half_t>(options, "half_t", 0x1p-11);
  }
  if (options.type == "bhalf") {
    return run_short<Kokkos::Experimental::bhalf_t>(options, "bhalf_t", 0x1p-8);
  }
  return options.type == "tf32" ? run<float, Accuracy::tf32>(options, 0x1p-11)
                                : run<float, Accuracy::full>(options, 0x1p-24);
}
