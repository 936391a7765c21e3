// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <vector>

namespace example {

/// Who applies the operator: in words, and as a name in files of results.
struct Who {
  const char *words, *name;
};
inline constexpr std::array<Who, 5> who = {
    {{"deal.II, Portable::FEEvaluation", "dealii-portable"},
     {"deal.II, FEEvaluation", "dealii-host"},
     {"this library, Portable, a cell a call", "portable-cell"},
     {"this library, Portable, packs of cells", "portable-packs"},
     {"this library, MatrixFree, packs of cells", "host-packs"}}};

struct Result {
  unsigned int cells = 0, unknowns = 0;
  /// The difference from the result of the first of them, relative to it
  std::array<double, who.size()> difference{};
  std::array<unsigned int, who.size()> iterations{};  ///< of conjugate gradients
  /// Seconds of an application, for each repetition
  std::array<std::vector<double>, who.size()> seconds;
};

struct Run {
  int cells = 8;  ///< in a direction
  bool curved = true;
  int repetitions = 21;
  double least_seconds = 0.005;  ///< of a repetition
};

template <int degree>
Result solve(const Run& run);

}  // namespace example
