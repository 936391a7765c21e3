// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation at one level, for given View types and extents. It is started in all
// configurations, with guards around its operands, and compared with a reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "FunctionRef.hpp"
#include "Levels.hpp"
#include "Reference.hpp"
#include "StridedTensor.hpp"

namespace KokkosContract::Test {

// --- The call at each level ---------------------------------------------------------------------

/// An operation by its public forms: the type Forms::Serial, templates Forms::Vector, ::Team and
/// ::TeamVector of a member type, and for the test-only level Forms::internal(level, ...).
template <class Forms>
struct PublicForms {
  template <class... Args>
  KOKKOS_FUNCTION static int call(const SerialCaller&, const Args&... args) {
    return Forms::Serial::invoke(args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const VectorCaller<Member>& caller, const Args&... args) {
    return Forms::template Vector<Member>::invoke(caller.member, args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const TeamCaller<Member>& caller, const Args&... args) {
    return Forms::template Team<Member>::invoke(caller.member, args...);
  }
  template <class Member, class... Args>
  KOKKOS_FUNCTION static int call(const TeamVectorCaller<Member>& caller, const Args&... args) {
    return Forms::template TeamVector<Member>::invoke(caller.member, args...);
  }
  template <class... Args>
  static int call(const ThreadLevel& level, const Args&... args) {
    return Forms::internal(level, args...);
  }
};

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
                           const Output& output, [[maybe_unused]] int problem) const {
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

/// alpha and beta: general values, and those with a special meaning in the interface.
template <class Scalar>
std::vector<std::pair<Scalar, Scalar>> coefficients(Random& random) {
  const auto number = [&] {
    if constexpr (std::is_integral_v<Scalar>) {
      return static_cast<Scalar>(random.integer(2, 5));
    } else {
      return random.template number<Scalar>();
    }
  };
  return {{number(), number()},  {Scalar(1), Scalar(0)}, {number(), Scalar(0)},
          {Scalar(0), number()}, {Scalar(0), Scalar(0)}, {Scalar(1), Scalar(1)}};
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

template <class View, class Space>
using tensor_for_t = StridedTensor<typename View::non_const_value_type, Space>;

template <class View, class Space>
tensor_for_t<View, Space> tensor_for(Random& random, const std::string& letters,
                                     const Extents& extents, int problems) {
  return {random, extents_of(letters, extents), arrangement_of<typename View::array_layout>(),
          problems};
}

/// The start of an operation, and the tensors that it may touch. It hides the operation and the
/// types of tensors and Views from the code below, which the compiler then sees once for each list
/// of element types, or once.
template <class Scalar>
struct Start {
  TensorMemory* output;
  std::vector<TensorMemory*> inputs;
  std::vector<Configuration> configurations;
  bool checks_barriers;  // only the test-only level has them

  Start(TensorMemory& output_, std::vector<TensorMemory*> inputs_,
        std::vector<Configuration> configurations_, bool checks_barriers_)
      : output(&output_),
        inputs(std::move(inputs_)),
        configurations(std::move(configurations_)),
        checks_barriers(checks_barriers_) {}

  virtual std::vector<int> launch(const Configuration& configuration, Scalar alpha,
                                  Scalar beta) const = 0;
  virtual void check_barriers_of_threads(Scalar alpha, Scalar beta) const = 0;

 protected:
  ~Start() = default;
};

template <class Level, class Op, class Scalar, class OutputView, class... InputViews>
class StartOf final : public Start<Scalar> {
 public:
  template <class Output, class... Inputs>
  StartOf(Output& output, const ScratchBytes& scratch, Inputs&... inputs)
      : Start<Scalar>(output, {&inputs...}, Level::configurations(),
                      std::is_same_v<Level, Threads>),
        functor_{Scalar(0),
                 Scalar(0),
                 output.template views<OutputView>(),
                 {{inputs.template views<InputViews>()}...}},
        scratch_(scratch) {}

  std::vector<int> launch(const Configuration& configuration, Scalar alpha,
                          Scalar beta) const override {
    return Level::launch(configuration, this->output->problems(), with(alpha, beta),
                         {this->output->watched()}, scratch_);
  }
  void check_barriers_of_threads([[maybe_unused]] Scalar alpha,
                                 [[maybe_unused]] Scalar beta) const override {
    if constexpr (std::is_same_v<Level, Threads>) {
      constexpr bool each_needed = !requires { Op::barriers_cover_each_other; };
      check_barriers(
          with(alpha, beta), {this->output->watched()}, [&] { this->output->restore(); },
          each_needed);
    }
  }

 private:
  auto with(Scalar alpha, Scalar beta) const {
    auto result = functor_;
    result.alpha = alpha;
    result.beta = beta;
    return result;
  }

  OperationFunctor<Op, Scalar, OutputView, InputViews...> functor_;
  ScratchBytes scratch_;
};

template <class Level, class Op, class OutputView, class... InputViews, class Scalar, class Output,
          class... Inputs>
auto make_start(std::type_identity<Scalar>, Output& output, std::tuple<Inputs...>& inputs,
                ScratchBytes scratch = {}) {
  return std::apply(
      [&](auto&... input) {
        return StartOf<Level, Op, Scalar, OutputView, InputViews...>(output, scratch, input...);
      },
      inputs);
}

/// Starts the operation in each configuration, from the same output. verify(problem, code) checks
/// the output. Nothing else may have changed.
template <class Scalar>
void check_configurations(const Start<Scalar>& start, std::type_identity_t<Scalar> alpha,
                          std::type_identity_t<Scalar> beta,
                          const FunctionRef<void(int, int)>& verify) {
  TensorMemory& output = *start.output;
  for (const Configuration& configuration : start.configurations) {
    SCOPED_TRACE(configuration.text());
    output.restore();
    const auto codes = start.launch(configuration, alpha, beta);
    if (codes.empty()) continue;
    output.download();
    for (int p = 0; p < output.problems(); ++p) verify(p, codes[p]);
    EXPECT_TRUE(output.guards_unchanged());
    for (TensorMemory* input : start.inputs) {
      input->download();
      EXPECT_TRUE(input->unchanged()) << "an input";
    }
    if (testing::Test::HasFailure()) return;  // one failing case is enough
  }
  if (start.checks_barriers && output.watched().bytes > 0) {
    output.restore();
    start.check_barriers_of_threads(alpha, beta);
  }
}

/// Runs a kernel in all configurations, each from the same tensors, which it may overwrite;
/// check(codes) then checks the tensors. No other memory may have changed.
void check_everywhere(const TensorsOfKernel& all, const std::vector<Configuration>& configurations,
                      const FunctionRef<std::vector<int>(const Configuration&)>& launch,
                      const FunctionRef<void(const std::vector<int>&)>& check);

/// Checks an operation that is a contraction with all special values of alpha and beta.
template <class Accumulator, class Output, class... Inputs>
void check_case(Random& random, const std::string& text, Output& output,
                std::tuple<Inputs...>& inputs, const Start<Accumulator>& start) {
  using W = wide_t<Accumulator>;
  constexpr int count = lanes<typename Output::value_type>::count;
  const int problems = output.problems();

  // The values of problem p and lane l are at p * count + l.
  std::vector<Sums<W>> sums;
  const auto sum_inputs = [&] {
    sums.clear();
    for (int i = 0; i < problems * count; ++i) {
      const std::vector<Dense<W>> dense = std::apply(
          [&](const auto&... input) {
            return std::vector<Dense<W>>{input.template dense<W>(i / count, i % count)...};
          },
          inputs);
      sums.push_back(sum_products(text, dense));
    }
  };
  sum_inputs();
  const auto original = output.bytes();
  std::vector<Dense<W>> before;
  for (int i = 0; i < problems * count; ++i) {
    before.push_back(output.template dense<W>(i / count, i % count));
  }

  for (const auto& [alpha, beta] : coefficients<Accumulator>(random)) {
    std::ostringstream values;
    values << "alpha " << alpha << ", beta " << beta;
    SCOPED_TRACE(values.str());
    if (alpha == Accumulator(0)) std::apply([](auto&... input) { (spoil(input), ...); }, inputs);
    if (beta == Accumulator(0)) {
      spoil(output);
    } else {
      output.set_bytes(original);
    }
    check_configurations(start, alpha, beta, [&, a = alpha, b = beta](int p, int code) {
      EXPECT_EQ(code, 0) << "problem " << p;
      for (int l = 0; l < count; ++l) {
        const int i = p * count + l;
        const auto expected = expect<Accumulator, typename Output::scalar>(
            sums[i], sizeof...(Inputs), widen<W>(a), widen<W>(b), before[i]);
        EXPECT_TRUE(within_bounds(output.template dense<W>(p, l), expected))
            << "problem " << p << ", lane " << l;
      }
    });
    if (testing::Test::HasFailure()) return;
    if (alpha == Accumulator(0)) {
      std::apply([&](auto&... input) { (input.randomise(random), ...); }, inputs);
      sum_inputs();
    }
  }
}

// The contractions of doubles are compiled once, in Operation.cpp.
using DoubleTensor = StridedTensor<double, Kokkos::DefaultExecutionSpace>;
extern template class StridedTensor<double, Kokkos::DefaultExecutionSpace>;
extern template void check_configurations(const Start<double>&, double, double,
                                          const FunctionRef<void(int, int)>&);
extern template void check_case(Random&, const std::string&, DoubleTensor&,
                                std::tuple<DoubleTensor>&, const Start<double>&);
extern template void check_case(Random&, const std::string&, DoubleTensor&,
                                std::tuple<DoubleTensor, DoubleTensor>&, const Start<double>&);

/// output = alpha * A * B * ... + beta * output by Op, with the meaning of the string `text`, for
/// each of several problems, in all configurations of Level. Output and Inputs are types of Views;
/// `extents` fits their static extents.
template <class Level, class Op, class Output, class... Inputs>
void check_operation(Random& random, const std::string& text, const Extents& extents,
                     int problems = 3, ScratchBytes scratch = {}) {
  using Space = typename Level::space;
  using Accumulator =
      accumulator_t<typename lanes<typename Output::value_type>::scalar,
                    typename lanes<typename Inputs::non_const_value_type>::scalar...>;
  SCOPED_TRACE(text + text_of_extents(extents) + ", " + random.state());
  const Letters letters(text);
  auto inputs = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<tensor_for_t<Inputs, Space>...>{
        tensor_for<Inputs, Space>(random, letters.inputs[I], extents, problems)...};
  }(std::index_sequence_for<Inputs...>{});
  auto output = tensor_for<Output, Space>(random, letters.output, extents, problems);
  check_case(random, text, output, inputs,
             make_start<Level, Op, Output, Inputs...>(std::type_identity<Accumulator>{}, output,
                                                      inputs, scratch));
}

}  // namespace KokkosContract::Test
