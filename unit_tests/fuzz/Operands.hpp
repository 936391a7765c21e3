// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of one draw, and what each kind of operation knows about them.
#pragma once

#include "Tensor.hpp"

namespace KokkosContract::Test::Fuzz {

struct Operands {
  const Description& description;
  const Draw& draw;
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<std::vector<Dense<Wide>>> before;  // [operand][problem * lanes + lane]

  int lanes() const;  // lanes of the problem: the most of all operands
  const Dense<Wide>& was(int o, int problem, int lane) const {
    return before[o][problem * lanes() + lane];
  }
  Dense<Wide> is(int o, int problem, int lane) const { return tensors[o]->dense(problem, lane); }
  Wide alpha(int lane) const { return coefficient(draw.alpha, lane); }
  Wide beta(int lane) const { return coefficient(draw.beta, lane); }

 private:
  static Wide coefficient(const std::vector<std::complex<double>>& values, int lane) {
    const auto& value = values[std::min<std::size_t>(lane, values.size() - 1)];
    return {value.real(), value.imag()};
  }
};

/// Checks that `got` is within its bounds, and counts it.
void expect_within(const Dense<Wide>& got, const Expected<Wide>& expected, Statistics& statistics,
                   const std::string& what);

/// An operation: how its operands are filled, the code with which the call must refuse them, and
/// the expected results.
struct Operation {
  std::function<void(Operands&, Random&)> fill;
  std::function<void(const Operands&, const std::vector<int>& codes, Statistics&)> verify;
};
const Operation& contraction();
const Operation& tile();
/// Operations by the routine's name, with empty functions if there is none.
const Operation& dense_routine(const std::string& name);

}  // namespace KokkosContract::Test::Fuzz
