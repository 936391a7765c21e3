// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For operations with several outputs, or whose result is not a contraction: the functor that
// check_everywhere starts, and a value for each lane of its operands.
#pragma once

#include "Factored.hpp"

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
