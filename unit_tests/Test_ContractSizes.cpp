// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents at the edges: none, one, around the sizes of tiles and registers, large.
#include <gtest/gtest.h>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

template <class Level>
class ContractSizes : public testing::Test {};
TYPED_TEST_SUITE(ContractSizes, Levels, LevelNames);

/// Each letter in turn, and all together, with this extent; the others random.
template <class Level, Spec S>
void check_extent(Random& random, int extent) {
  const std::string letters = Letters(text_of<S>()).all();
  for (const char c : letters) {
    Extents extents = random_extents(random, text_of<S>());
    extents[c] = extent;
    check_contract_views<Level, S, double>(random, extents);
  }
  Extents extents;
  for (const char c : letters) extents[c] = extent;
  check_contract_views<Level, S, double>(random, extents);
}

template <class Level, class List>
void check_extents(List, std::initializer_list<int> extents) {
  Random random;
  for (const int extent : extents) {
    List::for_each([&]<Spec S> { check_extent<Level, S>(random, extent); });
  }
}

using Few = Strings<"ik,kj->ij", "bki,bkj->bji", "ij,j->i", "i,i->", "ij->ji", "i+j->i", "ii->">;

TYPED_TEST(ContractSizes, Empty) { check_extents<TypeParam>(Few{}, {0}); }
TYPED_TEST(ContractSizes, One) { check_extents<TypeParam>(Few{}, {1}); }
TYPED_TEST(ContractSizes, AroundRegisters) {
  if constexpr (std::is_same_v<TypeParam, Threads>) {
    check_extents<TypeParam>(Few{}, {9});  // starting threads takes long
  } else {
    check_extents<TypeParam>(Few{}, {7, 8, 9, 16, 17});
  }
}

TYPED_TEST(ContractSizes, Large) {
  Random random;
  const auto product = [&](int i, int k, int j) {
    check_contract_views<TypeParam, "ik,kj->ij", double>(random, {{'i', i}, {'k', k}, {'j', j}}, 1);
  };
  product(33, 65, 17);
  product(65, 3, 66);
  product(2, 130, 31);
  check_contract_views<TypeParam, "ij->ji", double>(random, {{'i', 67}, {'j', 130}}, 1);
  check_contract_views<TypeParam, "i,i->", double>(random, {{'i', 5001}}, 1);
  check_contract_views<TypeParam, "bki,bkj->bji", double>(
      random, {{'b', 5}, {'k', 33}, {'i', 18}, {'j', 10}}, 1);
}

}  // namespace
}  // namespace KokkosContract::Test
