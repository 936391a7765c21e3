// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation with several outputs, or whose result is not a contraction: started in all
// configurations from the same operands.
#pragma once

#include "Operation.hpp"

namespace KokkosContract::Test {

/// A functor that calls Op::call(level, alpha, others..., beta, first) for one problem.
template <class Op, class FirstView, class... OtherViews, class Scalar, class First,
          class... Others>
auto functor_of(Scalar alpha, const First& first, const Others&... others) {
  return OperationFunctor<Op, Scalar, FirstView, OtherViews...>{
      alpha,
      Scalar(0),
      first.template views<FirstView>(),
      {{others.template views<OtherViews>()}...}};
}

/// verify(codes) looks at the tensors after each run. What guards them may not have changed.
template <class Level, class Functor, class Verify, class First, class... Others>
void check_outputs(const Functor& functor, const Verify& verify, bool each_barrier_needed,
                   First& first, Others&... others) {
  const std::vector<Watched> watched{first.watched(), others.watched()...};
  const auto restore = [&] { first.restore(), (others.restore(), ...); };
  for (const Configuration& configuration : Level::configurations()) {
    SCOPED_TRACE(configuration.text());
    restore();
    const auto codes = Level::launch(configuration, first.problems(), functor, watched);
    if (codes.empty()) continue;
    first.download(), (others.download(), ...);
    verify(codes);
    const auto expect_guards = [](auto& tensor) { EXPECT_TRUE(tensor.guards_unchanged()); };
    expect_guards(first), (expect_guards(others), ...);
    if (testing::Test::HasFailure()) return;  // one failing case says enough
  }
  if constexpr (std::is_same_v<Level, Threads>) {
    restore();
    if (watched[0].bytes > 0) check_barriers(functor, watched, restore, each_barrier_needed);
  }
}

/// One value for each lane of each problem, at problem * lanes + lane.
template <class Tensor, class F>
auto for_each_lane_of(const Tensor& tensor, const F& f) {
  constexpr int count = lanes<typename Tensor::value_type>::count;
  std::vector<decltype(f(0, 0))> values;
  for (int p = 0; p < tensor.problems(); ++p) {
    for (int l = 0; l < count; ++l) values.push_back(f(p, l));
  }
  return values;
}

}  // namespace KokkosContract::Test
