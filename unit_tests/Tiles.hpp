// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles compared with sums element by element, on a host, with teams of several sizes, and on
// emulated GPUs. Elements are small integers, so that results are exact, whatever the order.
#pragma once

#include <gtest/gtest.h>

#include <KokkosContract/TeamTile.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "EmulatedDevice.hpp"
#include "ThreadMember.hpp"

namespace KokkosContract::Test {

using HostMember = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>::member_type;
/// The machine whose tiles are tested. Each has its own program, because those of emulated GPUs are
/// compiled differently.
#if defined(KOKKOSCONTRACT_TEST_EMULATED)
using TileMembers = testing::Types<EmulatedMember<32>, EmulatedMember<64>>;
#elif defined(KOKKOSCONTRACT_TEST_TSAN)
using TileMembers = testing::Types<ThreadMember>;
#else
using TileMembers = testing::Types<HostMember>;
#endif
template <class Member>
inline constexpr bool is_gpu_member = Impl::is_gpu<typename Member::execution_space>;

template <class Space>
struct MemberOf {
  using type = HostMember;
};
template <int WarpSize>
struct MemberOf<EmulatedSpace<WarpSize>> {
  using type = EmulatedMember<WarpSize>;
};

using Extents = std::map<char, int>;

template <class T>
T small_integer(std::size_t n) {
  const int i = static_cast<int>(n % 1000);
  if constexpr (Impl::is_complex<T>) {
    return T(i % 5 - 2, i % 3 - 1);
  } else {
    return T(i % 7 - 3);
  }
}

template <class T, int Rank>
struct DataOfRank {
  using type = typename DataOfRank<T, Rank - 1>::type*;
};
template <class T>
struct DataOfRank<T, 0> {
  using type = T;
};

/// Calls f(index of each letter) for all indices.
template <class F>
void for_all(const std::string& letters, const Extents& extents, const F& f) {
  Extents index;
  std::size_t count = 1;
  for (const char c : letters) {
    index[c] = 0;
    count *= extents.at(c);
  }
  for (; count > 0; --count) {
    f(index);
    for (auto c = letters.rbegin(); c != letters.rend() && ++index[*c] == extents.at(*c); ++c) {
      index[*c] = 0;
    }
  }
}

/// The element of an array with these letters.
template <Impl::Labels Letters, class View>
auto& element_of(const View& view, const Extents& index) {
  std::ptrdiff_t offset = 0;
  for (int l = 0; l < Letters.rank; ++l) {
    offset += index.at(Letters.letter[l]) * static_cast<std::ptrdiff_t>(view.stride(l));
  }
  return view.data()[offset];
}

/// An array with letters, whose elements are small integers. So are the elements in gaps after its
/// first index, which make the stride of the next one a multiple of 4.
template <class T, Impl::Labels Letters, class Layout, bool HasGaps = false>
struct LetteredArray {
  using View = Kokkos::View<typename DataOfRank<T, Letters.rank>::type, Layout, Kokkos::HostSpace>;
  std::string letters{Letters.letter, Letters.letter + Letters.rank};
  View view;

  explicit LetteredArray(const Extents& extents)
      : view(make(extents, std::make_integer_sequence<int, Letters.rank>{})) {
    for (std::size_t i = 0; i < view.span(); ++i) view.data()[i] = small_integer<T>(i * 5 + 1);
  }
  template <int... I>
  static View make(const Extents& extents, std::integer_sequence<int, I...>) {
    if constexpr (HasGaps) {
      const int count = extents.at(Letters.letter[0]);
      const View whole("array", (I == 0 ? (count + 3) / 4 * 4 : extents.at(Letters.letter[I]))...);
      return Kokkos::subview(whole, part<I>(count)...);
    } else {
      return View("array", extents.at(Letters.letter[I])...);
    }
  }
  template <int I>
  static auto part([[maybe_unused]] int count) {
    if constexpr (I == 0) {
      return Kokkos::pair<int, int>(0, count);
    } else {
      return Kokkos::ALL;
    }
  }
  T& at(const Extents& index) const { return element_of<Letters>(view, index); }
};

/// A product to be added, of arrays of some kind.
template <class T, Spec S, class ArrayA, class ArrayB>
struct AddedArrays {
  static constexpr Spec spec = S;
  static constexpr Impl::Parsed parsed = Impl::Parse<S>::value;
  ArrayA a;
  ArrayB b;
  T alpha;

  template <class C>
  void add_to(const C& c, const Extents& extents) const {
    std::string letters = c.letters;
    for (const char l : a.letters + b.letters) {
      if (letters.find(l) == std::string::npos) letters += l;
    }
    const auto conjugate_if = [](bool wanted, const T& x) {
      if constexpr (Impl::is_complex<T>) return wanted ? T(x.real(), -x.imag()) : x;
      return x;
    };
    for_all(letters, extents, [&](const Extents& index) {
      c.at(index) += alpha * conjugate_if(parsed.input[0].conjugate, a.at(index)) *
                     conjugate_if(parsed.input[1].conjugate, b.at(index));
    });
  }
};

template <class T, Spec S, class LayoutA, class LayoutB, bool HasGaps>
using AddedLettered =
    AddedArrays<T, S, LetteredArray<T, Impl::Parse<S>::value.input[0], LayoutA, HasGaps>,
                LetteredArray<T, Impl::Parse<S>::value.input[1], LayoutB, HasGaps>>;
template <class T, Spec S, class LayoutA, class LayoutB, bool HasGaps = false>
struct AddedProduct : AddedLettered<T, S, LayoutA, LayoutB, HasGaps> {
  using Base = AddedLettered<T, S, LayoutA, LayoutB, HasGaps>;
  AddedProduct(T factor, const Extents& extents)
      : Base{decltype(Base::a)(extents), decltype(Base::b)(extents), factor} {}
};

template <class T, Impl::TileExtents Extents, class M, bool OfThreads, bool IsSerial = false>
struct TileTraits {
  using Element = T;
  using Member = M;
  using Space = typename Member::execution_space;
  static constexpr Impl::Labels letters = Extents.letters;
  static constexpr bool of_threads = OfThreads;
  static constexpr bool is_serial = IsSerial;
  static constexpr Impl::TileExtents tile = Extents;
  static bool is_first_lane() {
    if constexpr (Impl::is_gpu<Space>) {
      return Impl::machine_of_t<Space>::lane_of_thread() == 0;
    } else {
      return true;
    }
  }
};
template <class T, Impl::TileExtents Extents, class M, bool OfThreads, Accuracy A>
TileTraits<T, Extents, M, OfThreads> traits_of(Impl::TeamTileBase<T, Extents, M, OfThreads, A>*);
template <class T, Impl::TileExtents Extents, class Space>
TileTraits<T, Extents, typename MemberOf<Space>::type, true, true> traits_of(
    Impl::SerialTileBase<T, Extents, Space>*);
template <class Tile>
using TraitsOf = decltype(traits_of(static_cast<Tile*>(nullptr)));

/// How a team runs: the order of the lanes of an emulated GPU, and the number of threads of a host.
/// The tile loads the output before products are added, or reads it when it is stored.
struct TeamRun {
  LaneOrder order;
  int threads;
  bool loads;
};
/// The runs of each test. Tiles distribute their elements over as many threads as there are.
template <class Tile>
std::vector<TeamRun> team_runs() {
  using Traits = TraitsOf<Tile>;
  if constexpr (Impl::is_gpu<typename Traits::Space>) {
    return {{LaneOrder::forward, 0, false}, {LaneOrder::backward, 0, true}};
  } else if constexpr (std::is_same_v<typename Traits::Member, ThreadMember>) {
    return {{LaneOrder::forward, 2, true}, {LaneOrder::forward, 3, false}};
  } else {
    std::vector<TeamRun> runs;
    const int most = Traits::is_serial ? 1 : std::min(3, typename Traits::Space().concurrency());
    for (int threads = 1; threads <= most; ++threads) {
      runs.push_back({LaneOrder::forward, threads, threads > 1});
    }
    return runs;
  }
}

/// Runs f(member, scratch) for a team.
template <class Tile, class F>
void run_team(std::size_t scratch, const TeamRun& run, const F& f) {
  using Traits = TraitsOf<Tile>;
  using Member = typename Traits::Member;
  if constexpr (Impl::is_gpu<typename Traits::Space>) {
    constexpr int warp_size = Traits::Space::warp_size;
    const int lanes = Traits::of_threads ? 1 : warp_size;
    EmulatedBlock block(Tile::workers() / lanes, lanes, scratch, run.order, warp_size);
    const std::string fault = block.run([&] {
      const Member member(block, 0, 1);
      f(member, member.team_scratch(0));
    });
    EXPECT_EQ(fault, "");
  } else if constexpr (std::is_same_v<Member, ThreadMember>) {
    std::vector<char> memory(scratch);
    DelayedBarrier barrier(run.threads, scratch);
    const auto body = [&](const ThreadLevel& level, int) {
      const ThreadMember member(level, memory);
      f(member, member.team_scratch(1));
      return 0;
    };
    run_threads(barrier, run.threads, 1, body, {});
  } else {
    Kokkos::TeamPolicy<typename Traits::Space> policy(1, run.threads);
    policy.set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(scratch)));
    Kokkos::parallel_for(policy, [&](const Member& member) { f(member, member.team_scratch(1)); });
  }
}

/// f(value, indices..., sum): sum += value.
struct AddValue {
  template <class T>
  KOKKOS_FUNCTION void operator()(const T& value, T& sum) const {
    sum += value;
  }
  template <class T, class... Rest>
  KOKKOS_FUNCTION void operator()(const T& value, int, Rest&&... rest) const {
    (*this)(value, rest...);
  }
};

/// C = 2 C + the products, by all tiles of C. Also checks the sum of what was added.
template <class Tile, class... Products>
void check_tile(const Extents& extents, const Products&... products) {
  using Traits = TraitsOf<Tile>;
  using T = typename Traits::Element;
  constexpr int rank = Traits::letters.rank;
  LetteredArray<T, Traits::letters, Kokkos::LayoutRight> expected(extents);
  typename Tile::Index whole{};
  for (int l = 0; l < rank; ++l) whole[l] = extents.at(Traits::letters.letter[l]);
  T before(0), added(0);
  for (std::size_t i = 0; i < expected.view.span(); ++i) before += expected.view.data()[i] *= T(2);
  (products.add_to(expected, extents), ...);
  for (std::size_t i = 0; i < expected.view.span(); ++i) added += expected.view.data()[i];
  added -= before;

  const std::size_t bytes = std::apply(
      [](const auto&... operands) {
        return Tile::template scratch_bytes<Products::spec...>(operands...);
      },
      std::tuple_cat(std::make_tuple(products.a.view, products.b.view)...));
  for (const TeamRun& run : team_runs<Tile>()) {
    LetteredArray<T, Traits::letters, Kokkos::LayoutRight> c(extents);
    T total(0);
    Extents tiles = extents;
    for (int l = 0; l < rank; ++l) {
      int& n = tiles[Traits::letters.letter[l]];
      n = (n + Traits::tile.extent[l] - 1) / Traits::tile.extent[l];
    }
    for_all(c.letters, tiles, [&](const Extents& tile) {
      typename Tile::Index origin{};
      for (int l = 0; l < rank; ++l) {
        origin[l] = tile.at(Traits::letters.letter[l]) * Traits::tile.extent[l];
      }
      run_team<Tile>(bytes, run, [&](const auto& member, const auto& scratch) {
        Tile t(member, scratch, origin, whole);
        if (run.loads) {
          EXPECT_EQ(t.load(T(2), c.view), 0);
        }
        const int code = std::apply(
            [&](const auto&... arguments) {
              return t.template accumulate<Products::spec...>(arguments...);
            },
            std::tuple_cat(std::tie(products.alpha, products.a.view, products.b.view)...));
        EXPECT_EQ(code, 0);
        T sum(-1);
        t.reduce(AddValue{}, sum);
        // One lane of the team.
        if (member.team_rank() == 0 && Traits::is_first_lane()) total += sum;
        EXPECT_EQ(t.store(T(1), run.loads ? T(0) : T(2), c.view), 0);
      });
    });
    EXPECT_EQ(total, run.loads ? before + added : added);
    for_all(c.letters, extents,
            [&](const Extents& index) { ASSERT_EQ(c.at(index), expected.at(index)); });
  }
}

}  // namespace KokkosContract::Test
