// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of tiles: the steps of a case, one after the other, for all elements of the output.
#include <algorithm>

#include "Operands.hpp"

namespace KokkosContract::Test::Fuzz {
namespace {

/// Elements with the sums of the magnitudes that they are made of.
struct Elements {
  std::vector<Wide> value;
  std::vector<long double> absolute;
};

/// f(element, its indices) for each element of a tensor.
template <class F>
void for_each_index(const std::vector<int>& extents, const F& f) {
  std::size_t size = 1;
  for (const int extent : extents) size *= extent;
  std::vector<int> index(extents.size(), 0);
  for (std::size_t e = 0; e < size; ++e) {
    f(e, index);
    for (std::size_t d = extents.size(); d-- > 0 && ++index[d] == extents[d];) index[d] = 0;
  }
}

int kind_of_twist(const std::vector<int>& index) {
  int sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * static_cast<int>(d + 1);
  return sum % 3;
}

/// The operand of the output: the last but one, before the one with the sum of all tiles.
int output_of(const Operands& o) { return static_cast<int>(o.tensors.size()) - 2; }

Wide factor(const std::vector<std::complex<double>>& factors, int number) {
  return {factors.at(number).real(), factors.at(number).imag()};
}

/// What a factor of 0 multiplies is not read. The output is not either, if its first step does not.
void fill(Operands& o, Random& random) {
  const auto spoil = [&](int number) {
    const Type type = o.description.operands[number].type;
    o.tensors[number]->change(o.draw.problems, [&](Dense<Wide>& values, int, int) {
      for (Wide& value : values.values) value = poison(type, random);
    });
  };
  bool first = !o.description.one_tile;
  for (const Step& step : o.description.steps) {
    for (std::size_t i = 0; step.what == Step::accumulate && i < step.products.size(); ++i) {
      if (factor(o.draw.alpha, step.factor + static_cast<int>(i)) != Wide(0)) continue;
      spoil(step.first + 2 * static_cast<int>(i));
      spoil(step.first + 2 * static_cast<int>(i) + 1);
    }
    if (step.what != Step::load && step.what != Step::store) continue;
    if (first && factor(o.draw.beta, step.factor) == Wide(0) && step.what == Step::store) {
      spoil(output_of(o));
    }
    // What load leaves out, store may still read.
    first = first && step.what == Step::load && factor(o.draw.beta, step.factor) == Wide(0);
  }
}

void verify_one(const Operands& o, int problem, Statistics& statistics) {
  const int output = output_of(o);
  const TypeFacts type = facts(o.description.operands[0].type);
  const TypeFacts stored = facts(o.description.operands[output].type);
  const int per_product = type.complex ? 3 : 1;
  const long double wider = std::min(type.roundoff, stored.roundoff);
  const Dense<Wide> before = o.was(output, problem, 0);
  const std::size_t size = before.values.size();
  const std::vector<int>& extents = before.extents;
  std::vector<bool> in_tile(size, true);
  if (o.description.one_tile) {
    for_each_index(extents, [&](std::size_t e, const std::vector<int>& index) {
      for (std::size_t d = 0; d < index.size(); ++d) {
        const int begin = extents[d] / 3;
        if (index[d] < begin || index[d] >= begin + o.description.shape[d]) in_tile[e] = false;
      }
    });
  }

  Elements tile{std::vector<Wide>(size), std::vector<long double>(size)};
  Expected<Wide> c{extents, before.values, std::vector<long double>(size)};
  long double roundings = 0;
  const Wide sum_before = o.was(output + 1, problem, 0).values.at(0);
  Wide sum = sum_before;
  long double sum_bound = 0, sum_absolute = std::abs(sum_before), terms = 0;
  for (const Step& step : o.description.steps) {
    switch (step.what) {
      case Step::load: {
        const Wide beta = factor(o.draw.beta, step.factor);
        roundings += 2 * per_product;
        for (std::size_t e = 0; e < size; ++e) {
          tile.value[e] = beta == Wide(0) ? Wide(0) : beta * c.value[e];
          tile.absolute[e] = std::abs(tile.value[e]);
        }
        break;
      }
      case Step::accumulate:
        for (std::size_t i = 0; i < step.products.size(); ++i) {
          const Wide alpha = factor(o.draw.alpha, step.factor + static_cast<int>(i));
          if (alpha == Wide(0)) continue;
          const int first = step.first + 2 * static_cast<int>(i);
          const Dense<Wide>&a = o.was(first, problem, 0), &b = o.was(first + 1, problem, 0);
          const auto magnitudes = [](const Dense<Wide>& x) {
            Dense<long double> result{x.extents, {}};
            for (const Wide& value : x.values) result.values.push_back(std::abs(value));
            return result;
          };
          const auto sums = sum_products<Wide>(step.products[i], {a, b});
          const auto absolute =
              sum_products<long double>(step.products[i], {magnitudes(a), magnitudes(b)});
          roundings += static_cast<long double>(sums.terms) + 4 * per_product;
          for (std::size_t e = 0; e < size; ++e) {
            tile.value[e] += alpha * sums.value[e];
            tile.absolute[e] += std::abs(alpha) * absolute.absolute[e];
          }
        }
        break;
      case Step::twist:
        for_each_index(extents, [&](std::size_t e, const std::vector<int>& index) {
          const int kind = kind_of_twist(index);
          if (kind == 1) tile.value[e] = -tile.value[e];
          if (kind == 2) tile.value[e] *= 2, tile.absolute[e] *= 2;
        });
        break;
      case Step::reduce:
        terms += static_cast<long double>(size) + 2;
        for (std::size_t e = 0; e < size; ++e) {
          if (!in_tile[e]) continue;
          sum += tile.value[e];
          sum_absolute += std::abs(tile.value[e]);
          sum_bound += gamma(roundings, type.roundoff) * tile.absolute[e];
        }
        break;
      case Step::store: {
        const Wide alpha = factor(o.draw.alpha, step.factor);
        const Wide beta = factor(o.draw.beta, step.factor);
        for (std::size_t e = 0; e < size; ++e) {
          if (!in_tile[e]) continue;
          Wide value = alpha * tile.value[e];
          // The tile was computed in its type; both parts are added in the wider one.
          long double bound = std::abs(alpha) * gamma(roundings, type.roundoff) * tile.absolute[e];
          long double absolute = std::abs(alpha) * tile.absolute[e];
          if (beta != Wide(0)) {
            value += beta * c.value[e];
            bound += std::abs(beta) * c.bound[e];
            absolute += std::abs(beta) * (std::abs(c.value[e]) + c.bound[e]);
          }
          bound += gamma(3 * per_product, wider) * absolute + stored.smallest;
          bound += stored.roundoff * (std::abs(value) + bound);
          c.value[e] = value;
          c.bound[e] = bound;
        }
        break;
      }
    }
  }
  Dense<Wide> got = o.is(output, problem, 0);
  for (std::size_t e = 0; e < size; ++e) {
    if (in_tile[e] || got.values[e] == before.values[e]) continue;
    ADD_FAILURE() << "element " << index_text(e, extents) << " outside of the tile changed";
    return;
  }
  expect_within(got, c, statistics, "output");
  sum_bound += gamma(terms + per_product, type.roundoff) * (sum_absolute + sum_bound);
  const Dense<Wide> got_sum = o.is(output + 1, problem, 0);
  expect_within(got_sum, {{}, {sum}, {sum_bound + type.smallest}}, statistics, "sum of the tiles");
}

void verify(const Operands& o, const std::vector<int>& codes, Statistics& statistics) {
  for (int p = 0; p < o.draw.problems; ++p) {
    SCOPED_TRACE("problem " + std::to_string(p));
    EXPECT_EQ(codes[p], 0);
    if (codes[p] == 0) verify_one(o, p, statistics);
  }
}

}  // namespace

const Operation& tile() {
  static const Operation operation{fill, verify};
  return operation;
}

}  // namespace KokkosContract::Test::Fuzz
