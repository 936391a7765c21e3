// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices that begin at multiples of 16 bytes, by teams of the usual 128 threads of a
// GPU.
#pragma once

#include "ContractOp.hpp"
#include "NaryOp.hpp"

namespace KokkosContract::Test {

// Teams with the usual number of workers, with more, and with fewer.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
using TeamOfGpu = Team;
struct LargeTeamVector : TeamVector {
  static std::vector<Configuration> configurations() { return {{4, 32}, {8, 16}}; }
};
#else
using TeamOfGpu = EmulatedTeam;
struct LargeTeamVector : EmulatedTeamVector64 {
  static std::vector<Configuration> configurations() { return {{2, 64}, {3, 64}}; }
};
#endif
struct LargeTeam : TeamOfGpu {
  static std::vector<Configuration> configurations() { return {{128, 1}, {160, 1}, {32, 1}}; }
};
using LargeLevels = testing::Types<LargeTeam, LargeTeamVector>;

inline constexpr int problems_of_batch = 2;

/// A tensor whose problems begin at multiples of 16 bytes.
template <class View, class Space>
tensor_for_t<View, Space> aligned_tensor(Random& random, int rows, int cols) {
  constexpr int multiple = 16 / static_cast<int>(sizeof(typename View::value_type));
  return {random,
          {problems_of_batch, rows, cols},
          arrangement_of<typename View::array_layout>(),
          1,
          multiple};
}

/// C, A and B with these rows, columns and terms, each with its problems first.
template <class L, Spec S, Way W, class C, class A, class B>
void check_aligned(int rows, int cols, int sums) {
  using Space = typename L::space;
  using ViewC = of_kernel_t<L, C>;
  using ViewA = of_kernel_t<L, A>;
  using ViewB = of_kernel_t<L, B>;
  using T = typename ViewC::value_type;
  constexpr std::string_view text = text_of<S>();
  Random random;
  std::tuple inputs{aligned_tensor<ViewA, Space>(random, text[1] == 'i' ? rows : sums,
                                                 text[1] == 'i' ? sums : rows),
                    aligned_tensor<ViewB, Space>(random, text[5] == 'k' ? sums : cols,
                                                 text[5] == 'k' ? cols : sums)};
  auto output = aligned_tensor<ViewC, Space>(random, rows, cols);
  check_case(random, std::string(text), output, inputs,
             make_start<L, ContractOp<S, W>, ViewC, ViewA, ViewB>(std::type_identity<T>{}, output,
                                                                  inputs));
}

}  // namespace KokkosContract::Test
