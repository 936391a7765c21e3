// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strings of one list of Strings.hpp, which the build names, at each level: random extents and
// strides, in double.
#include <gtest/gtest.h>

#include "ContractCase.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class ContractStrings : public testing::Test {};
TYPED_TEST_SUITE(ContractStrings, Levels, LevelNames);

// Small enough for the reference, odd ones and ones among them.
Extents random_extents(Random& random, const std::string& letters) {
  const int most = letters.size() <= 6 ? 5 : letters.size() <= 8 ? 3 : 2;
  Extents extents;
  for (const char c : letters) extents[c] = random.integer(1, most);
  return extents;
}

template <class Level, Spec S, std::size_t... I>
void check_string(Random& random, std::index_sequence<I...>) {
  using Space = typename Level::space;
  constexpr int inputs = sizeof...(I);
  for (int repeat = 0; repeat < 3; ++repeat) {
    check_contract<Level, S, view_t<double, rank_of<S>(inputs), Kokkos::LayoutStride, Space>,
                   view_t<const double, rank_of<S>(I), Kokkos::LayoutStride, Space>...>(
        random, random_extents(random, Letters(text_of<S>()).all()));
  }
}

template <class Level, Spec... S>
void check_strings(Random& random, Strings<S...>) {
  (check_string<Level, S>(random, std::make_index_sequence<inputs_of<S>()>{}), ...);
}

TYPED_TEST(ContractStrings, Double) {
  Random random;
  check_strings<TypeParam>(random, KOKKOSCONTRACT_TEST_STRINGS{});
}

}  // namespace
}  // namespace KokkosContract::Test
