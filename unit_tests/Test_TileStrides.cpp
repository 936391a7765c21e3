// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of random extents, of inputs that are anywhere: with any strides, gaps and alignment, with
// indices that all have the same element, and any factors. KOKKOSCONTRACT_TILE_CASES says how many.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "Random.hpp"
#include "Tiles.hpp"

namespace KokkosContract::Test {
namespace {

using S = Kokkos::LayoutStride;

/// An array whose indices are in a random order, with gaps between them. Each may be the fastest.
template <class T, Impl::Labels Letters>
struct StridedArray {
  using View = Kokkos::View<typename DataOfRank<T, Letters.rank>::type, S, Kokkos::HostSpace>;
  std::string letters{Letters.letter, Letters.letter + Letters.rank};
  std::vector<T> memory;
  View view;

  StridedArray(const Extents& extents, Random& random) {
    std::vector<int> order(Letters.rank);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    S layout;
    std::size_t stride = random.integer(0, 5) == 0 ? 2 : 1;
    for (const int l : order) {
      const auto count = static_cast<std::size_t>(extents.at(Letters.letter[l]));
      layout.dimension[l] = count;
      // All indices may be the same element.
      const bool is_same = random.integer(0, 15) == 0;
      layout.stride[l] = is_same ? 0 : stride;
      if (is_same) continue;
      stride *= std::max<std::size_t>(count, 1);
      stride += static_cast<std::size_t>(random.integer(0, 2));
      if (random.integer(0, 1) == 0) stride = (stride + 3) / 4 * 4;
    }
    const auto begin =
        static_cast<std::size_t>(random.integer(0, 1) == 0 ? 0 : random.integer(1, 3));
    memory.resize(begin + stride + 1);
    for (T& x : memory) x = small_integer<T>(random.bits());
    view = View(memory.data() + begin, layout);
  }
  T& at(const Extents& index) const { return element_of<Letters>(view, index); }
};

template <class T>
T random_factor(Random& random) {
  constexpr double factors[] = {1, 1, -1, -1, 2, -3, .5, 0};
  const T real(factors[random.integer(0, 7)]);
  if constexpr (Impl::is_complex<T>) {
    return T(real.real(), random.integer(-1, 1));
  } else {
    return real;
  }
}

template <class T, Spec Of>
using StridedArrays = AddedArrays<T, Of, StridedArray<T, Impl::Parse<Of>::value.input[0]>,
                                  StridedArray<T, Impl::Parse<Of>::value.input[1]>>;
template <class T, Spec Of>
struct StridedProduct : StridedArrays<T, Of> {
  using Base = StridedArrays<T, Of>;
  StridedProduct(const Extents& extents, Random& random)
      : Base{decltype(Base::a)(extents, random), decltype(Base::b)(extents, random),
             random_factor<T>(random)} {}
};

/// Extents of which some fit, and some do not; rarely there is nothing.
Extents random_extents(const std::string& letters, int most, Random& random) {
  Extents extents;
  for (const char c : letters) {
    extents[c] = random.integer(0, 24) == 0 ? 0 : random.integer(1, most);
  }
  return extents;
}

template <class F>
void for_cases(const F& f) {
  const char* const wanted = std::getenv("KOKKOSCONTRACT_TILE_CASES");
  const int cases = wanted == nullptr ? 8 : std::atoi(wanted);
  Random random;
  for (int n = 0; n < cases && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    f(random);
  }
}

template <class M>
class TileStrides : public testing::Test {};
TYPED_TEST_SUITE(TileStrides, TileMembers);

TYPED_TEST(TileStrides, SeveralProducts) {
  using Tile = TeamTile<double, "kba", Shape<2, 16, 32>, TypeParam>;
  for_cases([](Random& random) {
    Extents e = random_extents("zy", 21, random);
    e.merge(random_extents("kba", random.integer(0, 3) == 0 ? 35 : 9, random));
    const StridedProduct<double, "zbk,za->kba"> x(e, random), more(e, random);
    const StridedProduct<double, "ya,ykb->kba"> y(e, random);
    const StridedProduct<double, "zb,zka->kba"> z(e, random);
    const StridedProduct<double, "yzka,bzy->kba"> both(e, random);
    check_tile<Tile>(e, x, y, more, z);
    check_tile<Tile>(e, both, x);
  });
}

TYPED_TEST(TileStrides, OneProduct) {
  using Tile = TeamTile<double, "ij", Shape<32, 16>, TypeParam>;
  for_cases([](Random& random) {
    const Extents e = random_extents("ijkl", 23, random);
    check_tile<Tile>(e, StridedProduct<double, "kil,lkj->ij">(e, random));
    check_tile<Tile>(e, StridedProduct<double, "ik,kj->ij">(e, random));
  });
}

TYPED_TEST(TileStrides, Floats) {
  using Tile = TeamTile<float, "jia", Shape<2, 16, 32>, TypeParam>;
  for_cases([](Random& random) {
    Extents e = random_extents("ia", 40, random);
    e.merge(random_extents("jk", 19, random));
    check_tile<Tile>(e, StridedProduct<float, "ki,kja->jia">(e, random),
                     StridedProduct<float, "ak,ijk->jia">(e, random));
    check_tile<Tile>(e, StridedProduct<float, "jki,ak->jia">(e, random));
  });
}

TYPED_TEST(TileStrides, Complex) {
  using C = Kokkos::complex<double>;
  using Tile = TeamTile<C, "ij", Shape<16, 16>, TypeParam>;
  for_cases([](Random& random) {
    const Extents e = random_extents("ijk", 25, random);
    check_tile<Tile>(e, StridedProduct<C, "ik*,kj->ij">(e, random),
                     StridedProduct<C, "kj*,ki->ij">(e, random));
    check_tile<Tile>(e, StridedProduct<C, "ki,jk*->ij">(e, random));
  });
}

}  // namespace
}  // namespace KokkosContract::Test
