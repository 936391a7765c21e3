// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain contraction that all others are compared with. The string drives it at run time. It
// computes in higher precision, with the sum of absolute values that the error bound needs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "Rounding.hpp"

namespace KokkosContract::Test {

/// A tensor on the host, packed, with the last index fastest.
template <class W>
struct Dense {
  std::vector<int> extents;
  std::vector<W> values;

  std::size_t stride(std::size_t dimension) const {
    std::size_t stride = 1;
    for (std::size_t d = dimension + 1; d < extents.size(); ++d) stride *= extents[d];
    return stride;
  }
  W& operator()(int i, int j) { return values[static_cast<std::size_t>(i) * extents[1] + j]; }
  const W& operator()(int i, int j) const {
    return values[static_cast<std::size_t>(i) * extents[1] + j];
  }
};

/// The parts of a string such as "ik*,kj->ij".
struct Letters {
  std::vector<std::string> inputs;
  std::vector<bool> conjugated;
  std::string output;

  explicit Letters(std::string_view text) {
    const auto arrow = text.find("->");
    if (arrow == std::string_view::npos) throw std::invalid_argument("no -> in the string");
    output = text.substr(arrow + 2);
    inputs.emplace_back();
    conjugated.push_back(false);
    for (const char c : text.substr(0, arrow)) {
      if (c == ',') {
        inputs.emplace_back();
        conjugated.push_back(false);
      } else if (c == '*') {
        conjugated.back() = true;
      } else if (c != '+') {
        inputs.back() += c;
      }
    }
  }

  /// All letters, those of the output first.
  std::string all() const {
    std::string letters = output;
    for (const auto& input : inputs) {
      for (const char c : input) {
        if (letters.find(c) == std::string::npos) letters += c;
      }
    }
    return letters;
  }
};

using Extents = std::map<char, int>;

inline std::string text_of_extents(const Extents& extents) {
  std::string text;
  for (const auto& [letter, extent] : extents) {
    text += std::string(" ") + letter + "=" + std::to_string(extent);
  }
  return text;
}

inline std::vector<int> extents_of(const std::string& letters, const Extents& extents) {
  std::vector<int> result;
  for (const char c : letters) result.push_back(extents.at(c));
  return result;
}

/// sum A[a...] * B[b...] * ... for each element of the output, and the sum of absolute values.
template <class W>
struct Sums {
  std::vector<int> extents;
  std::vector<W> value;
  std::vector<long double> absolute;
  long terms;  // terms per element
};

template <class W>
Sums<W> sum_products(std::string_view text, const std::vector<Dense<W>>& inputs) {
  const Letters letters(text);
  if (letters.inputs.size() != inputs.size()) throw std::invalid_argument("number of inputs");
  const std::string all = letters.all();

  Extents extents;
  // strides[o][l]: the stride of letter l in input o. A letter that occurs twice adds both strides.
  std::vector<std::vector<std::size_t>> strides(inputs.size(),
                                                std::vector<std::size_t>(all.size(), 0));
  for (std::size_t o = 0; o < inputs.size(); ++o) {
    if (letters.inputs[o].size() != inputs[o].extents.size()) throw std::invalid_argument("rank");
    for (std::size_t d = 0; d < letters.inputs[o].size(); ++d) {
      const char c = letters.inputs[o][d];
      if (!extents.emplace(c, inputs[o].extents[d]).second && extents[c] != inputs[o].extents[d]) {
        throw std::invalid_argument("extents");
      }
      strides[o][all.find(c)] += inputs[o].stride(d);
    }
  }

  Sums<W> sums{extents_of(letters.output, extents), {}, {}, 1};
  std::size_t size = 1;
  for (const int extent : sums.extents) size *= extent;
  for (std::size_t l = letters.output.size(); l < all.size(); ++l) sums.terms *= extents.at(all[l]);
  sums.value.assign(size, W(0));
  sums.absolute.assign(size, 0);

  std::vector<std::size_t> offset(inputs.size(), 0);
  const auto visit = [&](const auto& self, std::size_t l, std::size_t element) -> void {
    if (l == all.size()) {
      W product(1);
      long double absolute = 1;
      for (std::size_t o = 0; o < inputs.size(); ++o) {
        const W& factor = inputs[o].values[offset[o]];
        product *= letters.conjugated[o] ? conjugate(factor) : factor;
        absolute *= magnitude(factor);
      }
      sums.value[element] += product;
      sums.absolute[element] += absolute;
      return;
    }
    const int extent = extents.at(all[l]);
    const bool in_output = l < letters.output.size();
    for (int i = 0; i < extent; ++i) {
      self(self, l + 1, in_output ? element * extent + i : element);
      for (std::size_t o = 0; o < inputs.size(); ++o) offset[o] += strides[o][l];
    }
    for (std::size_t o = 0; o < inputs.size(); ++o) offset[o] -= strides[o][l] * extent;
  };
  visit(visit, 0, 0);
  return sums;
}

/// The expected value of each element, and its error bound.
template <class W>
struct Expected {
  std::vector<int> extents;
  std::vector<W> value;
  std::vector<long double> bound;
};

/// How a result was computed: `roundings` in a row in a type of this unit roundoff. It was stored
/// in a type of another unit roundoff, whose smallest numbers are `smallest` apart.
struct Precision {
  long double roundings, accumulated, stored, smallest;
  bool narrowed() const { return stored > accumulated; }
};

/// alpha * sums + beta * before. beta == 0: before is not read; alpha == 0: sums are not.
template <class W>
Expected<W> expect(const Sums<W>& sums, const Precision& precision, W alpha, W beta,
                   const Dense<W>& before) {
  Expected<W> expected{sums.extents, {}, {}};
  const long double g = gamma(precision.roundings, precision.accumulated);
  for (std::size_t e = 0; e < sums.value.size(); ++e) {
    W value(0);
    long double absolute = 0;
    if (alpha != W(0)) {
      value += alpha * sums.value[e];
      absolute += magnitude(alpha) * sums.absolute[e];
    }
    if (beta != W(0)) {
      value += beta * before.values[e];
      absolute += magnitude(beta) * magnitude(before.values[e]);
    }
    long double bound = g * absolute;
    if (precision.narrowed()) {
      bound += precision.stored * (magnitude(value) + bound) + precision.smallest;
    }
    expected.value.push_back(value);
    expected.bound.push_back(bound);
  }
  return expected;
}

/// The expected result of a product of this many inputs, computed with `Accumulator` and stored as
/// `Stored`.
template <class Accumulator, class Stored, class W>
Expected<W> expect(const Sums<W>& sums, std::size_t inputs, W alpha, W beta,
                   const Dense<W>& before) {
  const long double roundings =
      sums.terms + roundings_of_product<Accumulator> * (static_cast<long double>(inputs) + 2);
  return expect(sums,
                Precision{roundings, unit_roundoff<Accumulator>(), unit_roundoff<Stored>(),
                          smallest<Stored>()},
                alpha, beta, before);
}

inline std::string index_text(std::size_t element, const std::vector<int>& extents) {
  std::vector<std::size_t> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    index[d] = element % extents[d];
    element /= extents[d];
  }
  std::ostringstream text;
  text << '(';
  for (std::size_t d = 0; d < index.size(); ++d) text << (d ? "," : "") << index[d];
  text << ')';
  return text.str();
}

/// The values compared with their bounds.
struct Margin {
  std::size_t wrong = 0, worst = 0;  // elements that exceed their bounds, and the worst of them
  long double ratio = 0;  // the largest error, in units of its bound, of all that have one
};

template <class W>
Margin margin(const Dense<W>& got, const Expected<W>& expected) {
  Margin margin;
  long double worst_excess = -1;
  for (std::size_t e = 0; e < expected.value.size(); ++e) {
    const long double error = magnitude(got.values[e] - expected.value[e]);
    if (expected.bound[e] > 0) margin.ratio = std::max(margin.ratio, error / expected.bound[e]);
    if (error <= expected.bound[e]) continue;  // false for NaN
    ++margin.wrong;
    const long double excess = error == error ? error - expected.bound[e] : 1e4000L;
    if (excess > worst_excess) {
      worst_excess = excess;
      margin.worst = e;
    }
  }
  return margin;
}

/// Whether all values are within their bounds; reports the worst one.
template <class W>
testing::AssertionResult within_bounds(const Dense<W>& got, const Expected<W>& expected) {
  if (got.extents != expected.extents) return testing::AssertionFailure() << "other extents";
  const Margin found = margin(got, expected);
  if (found.wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << found.wrong << " of " << expected.value.size() << " elements are wrong, the worst at "
         << index_text(found.worst, expected.extents) << ": " << got.values[found.worst]
         << " instead of " << expected.value[found.worst] << ", bound "
         << expected.bound[found.worst];
}

}  // namespace KokkosContract::Test
