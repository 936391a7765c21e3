// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Porting a program from KokkosBatched: block-tridiagonal systems on many lines. One text is
// compiled with Kokkos Kernels, where it is found, and with this library. A restructured version is
// compared, too.

#include "../Example.hpp"
#include "../Options.hpp"
#include "Problem.hpp"

constexpr const char* usage =
    R"(Solves block-tridiagonal systems on many lines, as ported and restructured.
  --block N              the size of the blocks: 3, 5 or 8 (5)
  --lines N              how many lines (4096)
  --blocks N             blocks on a line (64)
  --right-hand-sides N   1 or 4 (1)
  --repeat N             the best time of so many (3)
)";

int main(int argc, char* argv[]) {
  using namespace example::option;
  example::Options options;
  if (const auto status =
          example::read_options(argc, argv, usage,
                                {{"--block", {one_of(options.block, {3, 5, 8})}},
                                 {"--lines", {number(options.lines)}},
                                 {"--blocks", {number(options.blocks)}},
                                 {"--right-hand-sides", {one_of(options.right_hand_sides, {1, 4})}},
                                 {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);

  std::printf("%d lines of %d blocks of %d x %d, right-hand sides: %d\n", options.lines,
              options.blocks, options.block, options.block, options.right_hand_sides);
  int failures = 0;
  const auto report = [&](const char* version, const example::Times& times) {
    const double each = 1e9 / (1.0 * options.lines * options.blocks);
    if (times.solve > 0)
      std::printf("%s: %.1f ns a block: factor %.1f, solve %.1f\n", version,
                  (times.factor + times.solve) * each, times.factor * each, times.solve * each);
    else
      std::printf("%s: %.1f ns a block: factor and solve\n", version, times.factor * each);
    failures += example::check("  residual", times.residual);
  };
#if defined(EXAMPLE_WITH_KOKKOS_KERNELS)
  report("Kokkos Kernels", example::solve_with_kokkos_kernels(options));
#endif
  report("ported", example::solve_ported(options));
  report("restructured", example::solve_restructured(options));
  return failures;
}
