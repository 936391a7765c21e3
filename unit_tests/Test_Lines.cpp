// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small matrices times one index of a tensor, alone and as the steps of a chain: what a GPU's
// workers compute line by line.
#include <gtest/gtest.h>

#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

/// A View in memory that kernels of the level can reach. Views of a GPU are tested for padding.
template <class Level, class Data, class Layout = Kokkos::LayoutRight>
using static_view_t = Kokkos::View<
    Data, Layout,
    Kokkos::Device<typename KernelSpace<Level>::type, typename Level::space::memory_space>,
    Unmanaged>;

template <class Level>
class Lines : public testing::Test {};
TYPED_TEST_SUITE(Lines, LaneLevels, LevelNames);

/// The summed index in all places, and the matrix transposed. Batches of which some have more lines
/// than there are workers.
template <class L, class T, int M, int K>
void check_directions(Random& random) {
  const Extents extents = {{'x', M}, {'a', K}, {'b', 3}, {'c', 2}, {'e', 5}};
  check_contract<L, "xa,ebca->ebcx", static_view_t<L, T* [3][2][M]>,
                 static_view_t<L, const T[M][K]>, static_view_t<L, const T* [3][2][K]>>(random,
                                                                                        extents);
  check_contract<L, "ebac,ax->ebxc", static_view_t<L, T* [3][M][2]>,
                 static_view_t<L, const T* [3][K][2]>, static_view_t<L, const T[K][M]>>(random,
                                                                                        extents);
}

TYPED_TEST(Lines, Directions) {
  Random random;
  check_directions<TypeParam, double, 4, 3>(random);
  check_directions<TypeParam, double, 2, 5>(random);
  check_directions<TypeParam, double, 10, 9>(random);
  check_directions<TypeParam, float, 7, 8>(random);
}

TYPED_TEST(Lines, Complex) {
  using L = TypeParam;
  using T = Kokkos::complex<double>;
  Random random;
  check_contract<L, "xa*,eab->exb", static_view_t<L, T* [4][5]>, static_view_t<L, const T[4][3]>,
                 static_view_t<L, const T* [3][5]>>(random,
                                                    {{'x', 4}, {'a', 3}, {'b', 5}, {'e', 7}});
  check_contract<L, "xa,eab*->exb", static_view_t<L, T* [4][5]>, static_view_t<L, const T[4][3]>,
                 static_view_t<L, const T* [3][5]>>(random,
                                                    {{'x', 4}, {'a', 3}, {'b', 5}, {'e', 2}});
}

TYPED_TEST(Lines, StridedTensors) {
  using L = TypeParam;
  Random random;
  using Strided = Kokkos::LayoutStride;
  check_contract<L, "xa,bac->bxc", static_view_t<L, double***, Strided>,
                 static_view_t<L, const double[5][4]>, static_view_t<L, const double***, Strided>>(
      random, {{'x', 5}, {'a', 4}, {'b', 6}, {'c', 9}});
  check_contract<L, "xa,abc->xbc", static_view_t<L, double[6][5][3], Strided>,
                 static_view_t<L, const double[6][4]>,
                 static_view_t<L, const float[4][5][3], Strided>>(
      random, {{'x', 6}, {'a', 4}, {'b', 5}, {'c', 3}});
}

// --- Chains ---

enum class How { views, tiles, functor };

template <Spec S, How H>
struct Action {
  // The step of the data leaves each worker with what it has, where workers take the same parts.
  static constexpr bool barriers_cover_each_other = true;
  template <class Caller, class T, class V, class B, class D, class U>
  KOKKOS_FUNCTION static int call(const Caller& caller, const T& alpha, const V& v, const B& b,
                                  const B& c, const D& d, const B& x, const B& y, const T& beta,
                                  const U& u) {
    if constexpr (H == How::views) {
      return NaryOp<S>::call(caller, alpha, v, b, c, d, x, y, beta, u);
    } else if constexpr (H == How::tiles) {
      const auto tb = tile_of(b);
      const auto tc = tile_of(c);
      const auto tx = tile_of(x);
      const auto ty = tile_of(y);
      return NaryOp<S>::call(caller, alpha, v, tb, tc, d, tx, ty, beta, u);
    } else {
      return NaryOp<S>::call(caller, alpha, v, b, c, pointwise<"exy">(TimesData<D>{d}), x, y, beta,
                             u);
    }
  }
};

template <class L, class T, How H, int Nd, int Nq, class Elements = T*>
void check_action(int elements) {
  Random random;
  using Memory = typename L::space::memory_space;
  using V = Kokkos::View<const T* [Nd][Nd], Kokkos::LayoutRight, Memory, Unmanaged>;
  using B = Kokkos::View<const T[Nq][Nd], Kokkos::LayoutRight, Memory, Unmanaged>;
  using D = Kokkos::View<const T* [Nq][Nq], Kokkos::LayoutRight, Memory, Unmanaged>;
  using U = Kokkos::View<T* [Nd][Nd], Kokkos::LayoutRight, Memory, Unmanaged>;
  constexpr Spec call = [] {
    if constexpr (H == How::functor) {
      return Spec("eab,yb,xa,xi,yj->eij");
    } else {
      return Spec("eab,yb,xa,exy,xi,yj->eij");
    }
  }();
  check_operation<L, Action<call, H>, U, V, B, B, D, B, B>(
      random, "eab,yb,xa,exy,xi,yj->eij",
      {{'e', elements}, {'a', Nd}, {'b', Nd}, {'x', Nq}, {'y', Nq}, {'i', Nd}, {'j', Nd}}, 3,
      scratch_for<L>(enough));
}

TYPED_TEST(Lines, ActionWithData) {
  // 15 lines, as many as there are workers or fewer, and 25.
  check_action<TypeParam, double, How::views, 2, 3>(5);
  check_action<TypeParam, double, How::views, 4, 5>(5);
}
TYPED_TEST(Lines, ActionWithTiles) {
  check_action<TypeParam, double, How::tiles, 3, 4>(1);
  check_action<TypeParam, double, How::tiles, 3, 4>(9);
  check_action<TypeParam, float, How::tiles, 4, 3>(3);
}
TYPED_TEST(Lines, ActionWithFunctor) {
  check_action<TypeParam, double, How::functor, 3, 4>(4);
  check_action<TypeParam, double, How::functor, 9, 10>(1);
}
TYPED_TEST(Lines, ActionComplex) {
  check_action<TypeParam, Kokkos::complex<double>, How::views, 2, 3>(4);
}

/// Whatever is a small static matrix, as a Tile.
template <class A>
KOKKOS_FUNCTION auto tiled(const A& a) {
  if constexpr (Kokkos::is_view_v<A>) {
    if constexpr (A::rank() == 2 && A::rank_dynamic() == 0) {
      return tile_of(a);
    } else {
      return a;
    }
  } else {
    return a;
  }
}

template <Spec S>
struct WithTiles {
  static constexpr bool barriers_cover_each_other = true;
  template <class Caller, class... Args>
  KOKKOS_FUNCTION static int call(const Caller& caller, const Args&... args) {
    return NaryOp<S>::call(caller, tiled(args)...);
  }
};

// One element, some, and more than there are workers for.
TYPED_TEST(Lines, ThreeDirections) {
  using L = TypeParam;
  for (const int elements : {1, 3, 6}) {
    Random random;
    check_operation<L, WithTiles<"eabc,yb,zc,xa->exyz">, static_view_t<L, double* [4][4][4]>,
                    static_view_t<L, const double* [3][3][3]>, static_view_t<L, const double[4][3]>,
                    static_view_t<L, const double[4][3]>, static_view_t<L, const double[4][3]>>(
        random, "eabc,yb,zc,xa->exyz",
        {{'e', elements}, {'a', 3}, {'b', 3}, {'c', 3}, {'x', 4}, {'y', 4}, {'z', 4}}, 3,
        scratch_for<L>(enough));
  }
}
// Data of some of the letters; an output whose letters are in another order, and longer and shorter
// lines in turn.
TYPED_TEST(Lines, DataOfSomeLetters) {
  using L = TypeParam;
  Random random;
  check_operation<L, WithTiles<"eab,xa,ex,yb,ix,jy->jei">, static_view_t<L, float** [5]>,
                  static_view_t<L, const float* [4][3]>, static_view_t<L, const float[2][4]>,
                  static_view_t<L, const float* [2]>, static_view_t<L, const float[6][3]>,
                  static_view_t<L, const float[5][2]>, static_view_t<L, const float[2][6]>>(
      random, "eab,xa,ex,yb,ix,jy->jei",
      {{'e', 7}, {'a', 4}, {'b', 3}, {'x', 2}, {'y', 6}, {'i', 5}, {'j', 2}}, 3,
      scratch_for<L>(enough));
}

}  // namespace
}  // namespace KokkosContract::Test
