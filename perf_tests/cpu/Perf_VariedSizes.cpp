// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of sizes 2 to N, all equally often, in one batch: C = A B, C = L U, C x = f.
//
//     varied         the operands have the sizes of the problems, at run time
//     padded         all have N rows and columns, known to the compiler
//
// Rates are of the problems without padding.
#include "../VariedSizes.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using None = KokkosContract::Trans::NoTranspose;

template <int Most, bool Padded>
void solve(benchmark::State& state, Regime regime) {
  using Problems = VariedSizes<Kokkos::HostSpace, Most>;
  const int count = batch_size(regime, 8.0 * Most * Most);  // three matrices, a third as large
  const Problems problems(count, 2, Padded);
  problems.fill(Space());
  const auto body = [&](const Member&, int p) {
    problems.template with_operands<Padded>(
        p, [](const auto& a, const auto& b, const auto& c, const auto& f, const auto& x) {
          (void)KokkosContract::SerialReshape<"i->i">::invoke(f, x);
          (void)KokkosContract::SerialContract<"ik,kj->ij">::invoke(1.0, a, b, 0.0, c);
          (void)KokkosContract::SerialLU<>::invoke(c);
          (void)KokkosContract::SerialSolveLU<None>::invoke(c, x);
        });
  };
  run_batch(count, 1, body);
  if (!(problems.residual(Space()) < 1e-13)) return state.SkipWithError("wrong result");
  time_batch(state, count, {problems.flops / count, problems.bytes / count}, body);
}

template <int Most, bool Padded>
void add() {
  for_each_regime(in_l2 | in_memory, 8.0 * Most * Most, [](Regime regime) {
    add_benchmark(std::string("VariedSizes/double/right/") + (Padded ? "static/" : "dynamic/") +
                      regime_name(regime) + (Padded ? "/padded/" : "/varied/") +
                      std::to_string(Most),
                  solve<Most, Padded>, regime);
  });
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 8, 16, 32>{}, []<int N>() {
    add<N, false>();
    add<N, true>();
  });
});

}  // namespace
