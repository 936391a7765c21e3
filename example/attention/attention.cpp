// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, softmax(Q K^T / sqrt(d)) V, in one kernel. A team has a block of queries and goes
// through the keys block by block. Maxima and sums of rows are corrected whenever a block changes
// them (M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, 2018; T. Dao et
// al., FlashAttention, NeurIPS 2022). So the scores of all queries and keys are never in memory.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/Epilogue.hpp>
#include <KokkosContract/HostContract.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"

using example::Member;

constexpr const char* usage =
    R"(Computes softmax(Q K^T / sqrt(d)) V for heads of d = 64 or 128.
  --type TYPE   of Q, K, V and the result (float): float, half, bhalf
  --width D     64 or 128, numbers of a query, of a key and of a value (64)
  --tokens N    queries, and keys, of a head, in blocks of 64 (256 on a host, 4096 on a GPU)
  --heads N     heads of all sequences (4 on a host, 64 on a GPU)
  --repeat N    the best time of so many (5)
Compares one kernel with a product, a softmax and a product in kernels of their own, and both with
some results in double.
)";

namespace {

struct Options {
  std::string type = "float", width = "64";
  int tokens = example::on_host ? 256 : 4096, heads = example::on_host ? 4 : 64, repeat = 5;
};

constexpr int block = 64;  // queries of a team, and keys of a step

template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::SharedSpace>;
/// A block of queries, keys, values or results after another, head by head.
template <class T, int D>
using Blocks = Array<T* [block][D]>;

template <class T, int D>
struct Problem {
  int heads, blocks;  // blocks of a head
  Blocks<T, D> q, k, v, out;

  Problem(int heads_of_all, int tokens)
      : heads(heads_of_all),
        blocks(tokens / block),
        q("q", heads * blocks),
        k("k", heads * blocks),
        v("v", heads * blocks),
        out("out", heads * blocks) {
    int seed = 0;
    for (const auto& x : {q, k, v}) {
      ++seed;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x.data()[i] = static_cast<T>(2 * example::entry(static_cast<int>(i % 100003), seed));
      }
    }
  }
  [[nodiscard]] int tokens() const { return blocks * block; }
  [[nodiscard]] static float scale() { return 1 / std::sqrt(static_cast<float>(D)); }
};

struct Exponential {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return Kokkos::exp(x);
  }
};

// [kernel]
template <class T, int D>
struct Attention {
  template <class Data>
  using Scratch = Kokkos::View<Data, Kokkos::LayoutRight, Member::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  using Scores = Scratch<float[block][block]>;
  using Weights = Scratch<T[block][block]>;
  using Sums = Scratch<float[block][D]>;
  using Rows = Scratch<float[block]>;

  Blocks<T, D> q, k, v, out;
  int blocks;  // of a head
  float scale;
  int level;

  static int bytes() {
    return static_cast<int>(Scores::shmem_size() + Weights::shmem_size() + Sums::shmem_size() +
                            4 * Rows::shmem_size());
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    using namespace KokkosContract;
    const auto& memory = team.team_scratch(level);
    const Scores scores(memory);
    const Weights weights(memory);
    const Sums sums(memory);
    const Rows most(memory), shift(memory), factor(memory), total(memory);
    const auto each = [&](int count, const auto& f) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), f);
      team.team_barrier();
    };
    const auto block_of = [](const auto& x, int b) {
      return Kokkos::subview(x, b, Kokkos::ALL, Kokkos::ALL);
    };
    const int mine = team.league_rank(), first = mine / blocks * blocks;
    each(block, [&](int i) {
      most(i) = -Kokkos::Experimental::finite_max_v<float>;
      shift(i) = -most(i);
      total(i) = 0;
    });
    for (int b = first; b < first + blocks; ++b) {
      // Scores of these keys, and the largest of each query so far
      require_success(TeamContract<"id,jd->ij">::invoke(
          team, scale, block_of(q, mine), block_of(k, b), 0.f, scores, row_max<"i">(most)));
      each(block, [&](int i) {
        factor(i) = Kokkos::exp(-shift(i) - most(i));
        total(i) *= factor(i);
        shift(i) = -most(i);
      });
      // Weights exp(score - largest), and their sums
      require_success(TeamContract<"ij->ij">::invoke(
          team, 1.f, scores, 0.f, weights,
          bias<"i">(shift) | activation(Exponential{}) | row_sum<"i">(total)));
      if (b > first) {
        each(block * D, [&](int n) { sums(n / D, n % D) *= factor(n / D); });
      }
      require_success(TeamContract<"ij,jd->id">::invoke(team, 1.f, weights, block_of(v, b),
                                                        b > first ? 1.f : 0.f, sums));
    }
    each(block, [&](int i) { factor(i) = 1 / total(i); });
    require_success(TeamContract<"id->id">::invoke(team, 1.f, sums, 0.f, block_of(out, mine),
                                                   KokkosContract::scale<"i">(factor)));
  }

  static void run(const Problem<T, D>& problem) {
    const int level = bytes() <= Kokkos::TeamPolicy<>::scratch_size_max(0) ? 0 : 1;
    Kokkos::parallel_for(Kokkos::TeamPolicy<>(problem.heads * problem.blocks, Kokkos::AUTO)
                             .set_scratch_size(level, Kokkos::PerTeam(bytes())),
                         Attention{problem.q, problem.k, problem.v, problem.out, problem.blocks,
                                   problem.scale(), level});
  }
};
// [/kernel]

/// What kernels of their own pass on through memory, for some heads at a time.
template <class T>
struct Between {
  Kokkos::View<float***, Kokkos::LayoutRight> scores;
  Kokkos::View<T***, Kokkos::LayoutRight> weights;
  Between(int heads, int tokens)
      : scores("scores", heads, tokens, tokens), weights("weights", heads, tokens, tokens) {}
};

/// Weights of each query: exp(score - largest) / sum.
template <class T>
void softmax(const Between<T>& between) {
  const auto scores = between.scores;
  const auto weights = between.weights;
  const int tokens = scores.extent_int(1);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(scores.extent_int(0) * tokens, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team) {
        const int h = team.league_rank() / tokens, i = team.league_rank() % tokens;
        const auto keys = Kokkos::TeamThreadRange(team, tokens);
        float largest = 0, total = 0;
        Kokkos::parallel_reduce(
            keys, [&](int j, float& to) { to = Kokkos::max(to, scores(h, i, j)); },
            Kokkos::Max<float>(largest));
        Kokkos::parallel_reduce(
            keys, [&](int j, float& to) { to += Kokkos::exp(scores(h, i, j) - largest); }, total);
        Kokkos::parallel_for(keys, [&](int j) {
          weights(h, i, j) = static_cast<T>(Kokkos::exp(scores(h, i, j) - largest) / total);
        });
      });
}

/// A product, a softmax and a product in kernels of their own, head by head.
template <class T, int D>
void by_steps(const Problem<T, D>& problem, const Between<T>& between) {
  using KokkosContract::contract;
  const Kokkos::DefaultExecutionSpace space;
  const int tokens = problem.tokens();
  const int at_once = between.scores.extent_int(0);
  const auto part = [&](const auto& x, int first) {
    return Array<T** [D]>(&x(first * problem.blocks, 0, 0), at_once, tokens);
  };
  for (int h = 0; h < problem.heads; h += at_once) {
    contract<"hid,hjd->hij">(space, problem.scale(), part(problem.q, h), part(problem.k, h), 0.f,
                             between.scores);
    softmax(between);
    contract<"hij,hjd->hid">(space, 1.f, between.weights, part(problem.v, h), 0.f,
                             part(problem.out, h));
  }
}

/// The largest error of the results of some queries, relative to the largest value, in double.
template <class T, int D>
double error(const Problem<T, D>& problem) {
  double error = 0;
  const int blocks = problem.blocks;
  for (const int b : {0, problem.heads * blocks / 2, problem.heads * blocks - 1}) {
    const int first = b / blocks * blocks;
    for (const int i : {0, block - 1}) {
      std::vector<double> weight, sum(D);
      double total = 0;
      for (int j = 0; j < problem.tokens(); ++j) {
        double score = 0;
        for (int d = 0; d < D; ++d) {
          score += static_cast<double>(problem.q(b, i, d)) *
                   static_cast<double>(problem.k(first + j / block, j % block, d));
        }
        weight.push_back(std::exp(score * problem.scale()));
        total += weight.back();
      }
      for (int j = 0; j < problem.tokens(); ++j) {
        for (int d = 0; d < D; ++d) {
          sum[d] += weight[j] * static_cast<double>(problem.v(first + j / block, j % block, d));
        }
      }
      for (int d = 0; d < D; ++d) {
        error = example::worse(
            error, std::abs(static_cast<double>(problem.out(b, i, d)) - sum[d] / total));
      }
    }
  }
  return error / 2;  // values are at most 2
}

template <class T, int D>
int run(const Options& options, double unit_roundoff) {
  const Problem<T, D> problem(options.heads, options.tokens);
  std::printf("%d heads of %d tokens, %d numbers each\n", options.heads, options.tokens, D);
  int failures = 0;
  const auto measure = [&](const char* name, const auto& compute) {
    Kokkos::deep_copy(problem.out, T(0));
    const double seconds = example::shortest_of(options.repeat, [&] { compute(problem); });
    example::print_rate(name, seconds, 4.0 * D * options.heads * options.tokens * options.tokens);
    failures += example::check("    error", error(problem), 64 * unit_roundoff);
  };
  measure("one kernel", Attention<T, D>::run);
  // Scores and weights take at most 1 GiB.
  const double bytes = (sizeof(float) + sizeof(T)) * std::pow(options.tokens, 2);
  int at_once = std::clamp(static_cast<int>((1 << 30) / bytes), 1, options.heads);
  while (options.heads % at_once != 0) --at_once;
  const Between<T> between(at_once, options.tokens);
  measure("in steps", [&](const Problem<T, D>& p) { by_steps(p, between); });
  return failures;
}

template <class T>
int run_width(const Options& options, double unit_roundoff) {
  return options.width == "64" ? run<T, 64>(options, unit_roundoff)
                               : run<T, 128>(options, unit_roundoff);
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace example::option;
  Options options;
  if (const auto status =
          example::read_options(argc, argv, usage,
                                {{"--type", {one_of(options.type, {"float", "half", "bhalf"})}},
                                 {"--width", {one_of(options.width, {"64", "128"})}},
                                 {"--tokens", {number(options.tokens)}},
                                 {"--heads", {number(options.heads)}},
                                 {"--repeat", {number(options.repeat)}}}))
    return *status;
  if (options.tokens % block != 0) {
    std::fprintf(stderr, "attention: option --tokens: expected a multiple of %d\n", block);
    return 2;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (options.type == "half") return run_width<Kokkos::Experimental::half_t>(options, 0x1p-11);
  if (options.type == "bhalf") return run_width<Kokkos::Experimental::bhalf_t>(options, 0x1p-8);
  return run_width<float>(options, 0x1p-24);
}
