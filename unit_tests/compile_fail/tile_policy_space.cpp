// expect: the tile is one of another execution space than the policy
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operands.hpp"

/// Some GPU, as far as types tell.
struct Gpu {
  static constexpr bool is_emulated_gpu = true;
  static constexpr int warp_size = 32;
  using execution_space = Gpu;
};

int fault(Matrix a) {
  using Tile = SerialTile<double, "ij", Shape<4, 4>, Gpu>;
  return team_policy(Kokkos::DefaultExecutionSpace(), 8, uses<Tile>(a, a)).problems_per_team;
}
