// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of contractions of any number of inputs, with functors and kept tensors.
#include "Operands.hpp"

namespace KokkosContract::Test::Fuzz {
namespace {

Dense<long double> magnitudes(const Dense<Wide>& x) {
  Dense<long double> result{x.extents, {}};
  for (const Wide& value : x.values) result.values.push_back(std::abs(value));
  return result;
}

/// f(element, kind of Twist) for each element.
template <class F>
void for_each_twist(const std::vector<int>& extents, std::size_t size, const F& f) {
  for (std::size_t e = 0; e < size; ++e) {
    std::size_t rest = e;
    int sum = 0;
    for (std::size_t d = extents.size(); d-- > 0;) {
      sum += static_cast<int>(rest % extents[d]) * static_cast<int>(d + 1);
      rest /= extents[d];
    }
    f(e, sum % 3);
  }
}
template <class W>
void twist(W& x, int kind) {
  if (kind == 1) x = -x;
  if (kind == 2) x += x;
}

/// One section of a chain after the other: values, the sums of magnitudes, roundings in a row.
struct Chain {
  Sums<Wide> sums{{}, {}, {}, 0};
  long double roundings = 0;
  std::string labels;
  bool first = true;

  void contract(const std::vector<std::string>& letters, const std::vector<Dense<Wide>>& inputs,
                const std::string& to) {
    std::string text, plain;
    std::vector<Dense<Wide>> values;
    std::vector<Dense<long double>> absolutes;
    if (!first) {
      text = plain = labels;
      values.push_back({sums.extents, sums.value});
      absolutes.push_back({sums.extents, sums.absolute});
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0 || !first) text += ",";
      text += letters[i];
      values.push_back(inputs[i]);
      absolutes.push_back(magnitudes(inputs[i]));
    }
    text += "->" + to;
    const auto absolute = sum_products(text, absolutes);
    sums = sum_products(text, values);
    sums.absolute = absolute.absolute;
    roundings += sums.terms;
    labels = to;
    first = false;
  }
};

void verify_one(const Operands& o, int problem, int lane, Statistics& statistics) {
  const Description& description = o.description;
  const Letters letters(description.text);
  const int inputs = static_cast<int>(letters.inputs.size());
  const Wide alpha = o.alpha(lane), beta = o.beta(lane);

  std::vector<Type> types;
  for (const auto& operand : description.operands) {
    if (operand.role != Role::elsewhere) types.push_back(operand.type);
  }
  const TypeFacts sum_type = accumulator(types);
  const int per_product = sum_type.complex ? 3 : 1;
  const auto precision = [&](long double roundings, Type stored) {
    const TypeFacts to = facts(stored);
    return Precision{roundings, sum_type.roundoff, to.roundoff, to.smallest};
  };

  Chain chain;
  int next = 0;
  const auto section = [&](int end, const std::string& to) {
    std::vector<std::string> names;
    std::vector<Dense<Wide>> values;
    for (; next < end; ++next) {
      names.push_back(letters.inputs[next] + (letters.conjugated[next] ? "*" : ""));
      values.push_back(o.was(next, problem, lane));
    }
    chain.contract(names, values, to);
    for (const auto& [letter, count] : o.draw.repeats) {  // only without marks
      for (Wide& value : chain.sums.value) value *= count;
      for (long double& value : chain.sums.absolute) value *= count;
      chain.roundings *= static_cast<long double>(count);
    }
    chain.roundings += per_product * static_cast<long double>(values.size() + 1);
  };
  for (const Mark& mark : description.marks) {
    if (alpha == Wide(0)) break;
    section(mark.before, mark.labels);
    if (mark.kept < 0) {
      for_each_twist(chain.sums.extents, chain.sums.value.size(), [&](std::size_t e, int kind) {
        twist(chain.sums.value[e], kind);
        if (kind == 2) chain.sums.absolute[e] *= 2;
      });
    } else {
      const auto kept = o.is(mark.kept, problem, lane);
      const Type type = description.operands[mark.kept].type;
      expect_within(kept,
                    expect(chain.sums, precision(chain.roundings, type), Wide(1), Wide(0), {}),
                    statistics, "kept tensor " + mark.labels);
      chain.sums.value = kept.values;
      chain.sums.absolute = magnitudes(kept).values;
      chain.roundings = 0;
    }
  }
  if (alpha == Wide(0)) {  // nothing is read; only the extents count
    Extents extents;
    for (int i = 0; i < inputs; ++i) {
      for (std::size_t d = 0; d < letters.inputs[i].size(); ++d) {
        extents[letters.inputs[i][d]] = o.tensors[i]->extents()[d];
      }
    }
    const auto shape = extents_of(letters.output, extents);
    std::size_t size = 1;
    for (const int extent : shape) size *= extent;
    chain.sums = {shape, std::vector<Wide>(size), std::vector<long double>(size), 1};
  } else {
    section(inputs, letters.output);
  }
  chain.roundings += 2 * per_product;

  int result = inputs;  // the operand that holds the result
  if (description.output == Output::elsewhere) {
    for (std::size_t i = 0; i < description.operands.size(); ++i) {
      if (description.operands[i].role == Role::elsewhere) result = static_cast<int>(i);
    }
  }
  const auto stored = precision(chain.roundings, description.operands[result].type);
  auto expected = expect(chain.sums, stored, alpha, beta, o.was(inputs, problem, lane));
  if (description.output == Output::atomic && stored.narrowed()) {  // what is added is rounded too
    const auto added = expect(chain.sums, stored, alpha, Wide(0), {});
    for (std::size_t e = 0; e < added.bound.size(); ++e) expected.bound[e] += added.bound[e];
  }
  if (description.output == Output::epilogue || description.output == Output::elsewhere) {
    for_each_twist(expected.extents, expected.value.size(), [&](std::size_t e, int kind) {
      twist(expected.value[e], kind);
      if (kind == 2) expected.bound[e] *= 2;
    });
  }
  if (description.huge) std::fill(expected.bound.begin(), expected.bound.end(), 0);
  expect_within(o.is(result, problem, lane), expected, statistics, "result");
}

/// alpha == 0: the inputs are not read; beta == 0: nor is the output. Elements of huge sums are
/// small integers, so that the sums are exact.
void fill(Operands& o, Random& random) {
  const int inputs = static_cast<int>(Letters(o.description.text).inputs.size());
  if (o.description.huge) {
    for (const auto& tensor : o.tensors) {
      tensor->change(o.draw.problems, [&](Dense<Wide>& values, int, int) {
        for (Wide& value : values.values) value = random.integer(-3, 3);
      });
    }
  }
  for (int i = 0; i <= inputs; ++i) {
    Tensor& tensor = *o.tensors[i];
    bool any = false;
    const auto unread = [&](int lane) {
      return (i < inputs ? o.alpha(lane) : o.beta(lane)) == Wide(0);
    };
    for (int l = 0; l < o.lanes(); ++l) any |= unread(l);
    if (!any || (tensor.lane_count() < o.lanes() && o.draw.alpha.size() > 1)) continue;
    tensor.change(o.draw.problems, [&](Dense<Wide>& values, int, int lane) {
      if (!unread(lane)) return;
      for (Wide& value : values.values) value = poison(o.description.operands[i].type, random);
    });
  }
}

void verify(const Operands& o, const std::vector<int>& codes, Statistics& statistics) {
  for (int p = 0; p < o.draw.problems; ++p) {
    EXPECT_EQ(codes[p], 0) << "problem " << p;
    for (int l = 0; l < o.lanes() && codes[p] == 0; ++l) {
      SCOPED_TRACE("problem " + std::to_string(p) + ", lane " + std::to_string(l));
      verify_one(o, p, l, statistics);
    }
  }
}

}  // namespace

const Operation& contraction() {
  static const Operation operation{fill, verify};
  return operation;
}

}  // namespace KokkosContract::Test::Fuzz
