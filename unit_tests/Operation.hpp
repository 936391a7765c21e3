// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation that is a contraction, against the reference: for given View types and extents.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "Levels.hpp"
#include "Reference.hpp"
#include "StridedTensor.hpp"

namespace KokkosContract::Test {

// --- The functor --------------------------------------------------------------------------------

namespace Detail {
template <std::size_t I, class View>
struct Leaf {
  Problems<View> views;
};
template <class Indices, class... Views>
struct Leaves;
template <std::size_t... I, class... Views>
struct Leaves<std::index_sequence<I...>, Views...> : Leaf<I, Views>... {
  template <class Op, class Level, class Scalar, class Output>
  KOKKOS_FUNCTION int call(const Level& level, const Scalar& alpha, const Scalar& beta,
                           const Output& output, int problem) const {
    return Op::call(level, alpha, static_cast<const Leaf<I, Views>&>(*this).views(problem)..., beta,
                    output);
  }
};
}  // namespace Detail

/// Calls Op::call(level, alpha, inputs..., beta, output) for one problem.
template <class Op, class Scalar, class Output, class... Inputs>
struct OperationFunctor {
  Scalar alpha, beta;
  Problems<Output> output;
  Detail::Leaves<std::index_sequence_for<Inputs...>, Inputs...> inputs;
  template <class Level>
  KOKKOS_FUNCTION int operator()(const Level& level, int problem) const {
    return inputs.template call<Op>(level, alpha, beta, output(problem), problem);
  }
};

// --- The check ----------------------------------------------------------------------------------

/// alpha and beta: general, and the values that the interface gives a meaning of their own.
template <class Scalar>
std::vector<std::pair<Scalar, Scalar>> coefficients(Random& random) {
  const auto number = [&] {
    if constexpr (std::is_integral_v<Scalar>) {
      return static_cast<Scalar>(random.integer(2, 5));
    } else {
      return random.template number<Scalar>();
    }
  };
  return {{number(), number()},
          {number(), Scalar(0)},
          {Scalar(0), number()},
          {Scalar(0), Scalar(0)},
          {Scalar(1), Scalar(1)}};
}

template <class T>
void spoil(T& tensor) {
  using Scalar = typename T::scalar;
  if constexpr (std::is_integral_v<Scalar>) {
    tensor.fill(std::numeric_limits<Scalar>::max());
  } else {
    tensor.fill(Scalar(std::numeric_limits<float>::quiet_NaN()));
  }
}

template <class T>
void expect_input_unchanged(T& tensor) {
  tensor.download();
  EXPECT_TRUE(tensor.unchanged()) << "an input";
}

template <class View, class Space>
StridedTensor<typename View::non_const_value_type, Space> tensor_for(Random& random,
                                                                     const std::string& letters,
                                                                     const Extents& extents,
                                                                     int problems) {
  return {random, extents_of(letters, extents), arrangement_of<typename View::array_layout>(),
          problems};
}

/// How a case is started; hides the string and the Views from the code below, which the compiler
/// then meets once for each list of element types.
template <class Scalar>
struct Start {
  std::vector<Configuration> configurations;
  std::function<std::vector<int>(const Configuration&, Scalar alpha, Scalar beta)> launch;
  std::function<void(Scalar alpha, Scalar beta)> barriers;
};

/// Starts the case with all special values of alpha and beta and compares with the reference.
template <class Accumulator, class Output, class... Inputs>
void check_case(Random& random, const std::string& text, Output& output,
                std::tuple<Inputs...>& inputs, const Start<Accumulator>& start) {
  using W = wide_t<Accumulator>;
  const int problems = output.problems();

  std::vector<Sums<W>> sums;
  const auto sum_inputs = [&] {
    sums.clear();
    for (int p = 0; p < problems; ++p) {
      const std::vector<Dense<W>> dense = std::apply(
          [&](const auto&... input) {
            return std::vector<Dense<W>>{input.template dense<W>(p)...};
          },
          inputs);
      sums.push_back(sum_products(text, dense));
    }
  };
  sum_inputs();
  std::vector<Dense<W>> before;
  for (int p = 0; p < problems; ++p) before.push_back(output.template dense<W>(p));

  for (const auto& [alpha, beta] : coefficients<Accumulator>(random)) {
    std::ostringstream values;
    values << "alpha " << alpha << ", beta " << beta;
    SCOPED_TRACE(values.str());
    if (alpha == Accumulator(0)) std::apply([](auto&... input) { (spoil(input), ...); }, inputs);
    if (beta == Accumulator(0)) {
      spoil(output);
    } else {
      for (int p = 0; p < problems; ++p) output.assign(before[p].values, p);
    }

    for (const Configuration& configuration : start.configurations) {
      SCOPED_TRACE(configuration.text());
      output.restore();
      const auto codes = start.launch(configuration, alpha, beta);
      if (codes.empty()) continue;
      output.download();
      for (int p = 0; p < problems; ++p) {
        const auto expected = expect<Accumulator, typename Output::scalar>(
            sums[p], sizeof...(Inputs), widen<W>(alpha), widen<W>(beta), before[p]);
        EXPECT_EQ(codes[p], 0);
        EXPECT_TRUE(within_bounds(output.template dense<W>(p), expected)) << "problem " << p;
      }
      EXPECT_TRUE(output.guards_unchanged());
      std::apply([](auto&... input) { (expect_input_unchanged(input), ...); }, inputs);
      if (testing::Test::HasFailure()) return;  // one failing case says enough
    }
    if (start.barriers && output.watched().bytes > 0) {
      output.restore();
      start.barriers(alpha, beta);
    }
    if (alpha == Accumulator(0)) {
      std::apply([&](auto&... input) { (input.randomise(random), ...); }, inputs);
      sum_inputs();
    }
  }
}

// Compiled once, in Operation.cpp: the contractions of doubles.
template <class T>
using DefaultTensor = StridedTensor<T, Kokkos::DefaultExecutionSpace>;
extern template class StridedTensor<double, Kokkos::DefaultExecutionSpace>;
extern template void check_case(Random&, const std::string&, DefaultTensor<double>&,
                                std::tuple<DefaultTensor<double>>&, const Start<double>&);
extern template void check_case(Random&, const std::string&, DefaultTensor<double>&,
                                std::tuple<DefaultTensor<double>, DefaultTensor<double>>&,
                                const Start<double>&);

/// output = alpha * A * B * ... + beta * output by Op, with the meaning of the string `text`, for
/// each of several problems, in all configurations of Level. Output and Inputs are types of Views;
/// `extents` fits their static extents.
template <class Level, class Op, class Output, class... Inputs>
void check_operation(Random& random, const std::string& text, const Extents& extents,
                     int problems = 3) {
  using Space = typename Level::space;
  using Accumulator =
      accumulator_t<typename Output::value_type, typename Inputs::non_const_value_type...>;
  SCOPED_TRACE(text + text_of_extents(extents) + ", " + random.state());

  const Letters letters(text);
  auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<StridedTensor<typename Inputs::non_const_value_type, Space>...>{
        tensor_for<Inputs, Space>(random, letters.inputs[I], extents, problems)...};
  }(std::index_sequence_for<Inputs...>{});
  auto output = tensor_for<Output, Space>(random, letters.output, extents, problems);

  const auto functor = [&](Accumulator alpha, Accumulator beta) {
    return std::apply(
        [&](const auto&... input) {
          return OperationFunctor<Op, Accumulator, Output, Inputs...>{
              alpha, beta, output.template views<Output>(), {{input.template views<Inputs>()}...}};
        },
        inputs);
  };
  Start<Accumulator> start;
  start.configurations = Level::configurations();
  start.launch = [&](const Configuration& configuration, Accumulator alpha, Accumulator beta) {
    return Level::launch(configuration, problems, functor(alpha, beta), {output.watched()});
  };
  if constexpr (std::is_same_v<Level, Threads>) {
    start.barriers = [&](Accumulator alpha, Accumulator beta) {
      check_barriers(3, functor(alpha, beta), {output.watched()}, [&] { output.restore(); });
    };
  }
  check_case(random, text, output, inputs, start);
}

}  // namespace KokkosContract::Test
