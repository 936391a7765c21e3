// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions as operations of the tests: the call at each level.
#pragma once

#include <KokkosContract/Contract.hpp>
#include <string>

#include "Operation.hpp"
#include "Strings.hpp"

namespace KokkosContract::Test {

template <Spec S, Way W>
struct ContractForms {
  using Serial = SerialContract<S, W>;
  template <class>
  using Vector = VectorContract<S, W>;
  template <class>
  using Team = TeamContract<S, W>;
  template <class>
  using TeamVector = TeamVectorContract<S, W>;
  template <class... Args>
  static int internal(const ThreadLevel& level, const Args&... args) {
    return KokkosContract::Impl::ContractRoutine<S, Impl::as_choice(W)>::run(level, args...);
  }
};
// A struct instead of an alias, because nvcc confuses the names of aliases.
template <Spec S, Way W = Way::best>
struct ContractOp : PublicForms<ContractForms<S, W>> {};

/// A contraction by string: see check_operation.
template <class Level, Spec S, class Output, class... Inputs>
void check_contract(Random& random, const Extents& extents, int problems = 3) {
  check_operation<Level, ContractOp<S>, Output, Inputs...>(random, std::string(text_of<S>()),
                                                           extents, problems);
}

/// check_contract with Views of the string's ranks, one element type and one layout.
template <class Level, Spec S, class T, class Layout = Kokkos::LayoutStride>
void check_contract_views(Random& random, const Extents& extents, int problems = 3) {
  using Space = typename Level::space;
  constexpr int inputs = inputs_of<S>();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    check_contract<Level, S, view_t<T, rank_of<S>(inputs), Layout, Space>,
                   view_t<const T, rank_of<S>(I), Layout, Space>...>(random, extents, problems);
  }(std::make_index_sequence<inputs>{});
}

/// Small enough for the reference, with odd extents and ones among them.
inline Extents random_extents(Random& random, std::string_view text) {
  const std::string letters = Letters(text).all();
  const int most = letters.size() <= 6 ? 5 : letters.size() <= 8 ? 3 : 2;
  Extents extents;
  for (const char c : letters) extents[c] = random.integer(1, most);
  return extents;
}

}  // namespace KokkosContract::Test
