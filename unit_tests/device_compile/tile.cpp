// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of tiles: slices by terms and by positions, several products, all that is done with
// elements.
#include <iostream>

#include "Device.hpp"

namespace kc = KokkosContract;

/// What is done with the elements of any tile.
template <class Tile, class C>
KOKKOS_FORCEINLINE_FUNCTION int finish(Tile& t, const C& c) {
  using T = typename C::non_const_value_type;
  t.for_each([](T& x, int i, int j) { x += T(i - j); });
  T sum(0);
  t.reduce([](const T& x, int, int, T& to) { to += x; }, sum);
  t.for_each([&](T& x, int, int) { x += sum; });
  return t.store(T(1), T(0), c);
}

template <class A, class B>
struct Tiles {
  using T = kc::Impl::accumulator_t<typename A::non_const_value_type>;
  A a;
  B b;
  Right<T**> c;

  template <class Tile>
  KOKKOS_FUNCTION int with(const Member& member) const {
    Tile t(member, member.team_scratch(0), {0, 0}, {c.extent_int(0), c.extent_int(1)});
    int code = t.load(T(2), c);
    code += t.template accumulate<"ik,kj->ij">(T(1), a, b);
    code += t.template accumulate<"ik,kj->ij", "im,mj->ij">(T(1), a, b, T(-1), a, b);
    return code + finish(t, c);
  }
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    return with<kc::TeamTile<T, "ij", kc::Shape<64, 32>, Member>>(member);
  }
};

/// C = A B by all lanes.
template <class A, class B>
struct TileOfLanes {
  using T = typename A::non_const_value_type;
  A a;
  B b;
  Right<T**> c;

  KOKKOS_FUNCTION int operator()(const Member& member) const {
    using Tile = kc::TeamVectorTile<T, "ij", kc::Shape<32, 32>, Member>;
    Tile t(member, member.team_scratch(0), {0, 0}, {c.extent_int(0), c.extent_int(1)});
    const int code = t.template accumulate<"ik,kj->ij">(T(1), a, b);
    return code + t.store(T(1), T(0), c,
                          kc::residual(c) | kc::activation([](const T& x) { return T(2) * x; }));
  }
};

/// The parts of accumulate: an input that is copied, and one that is computed.
template <class A>
struct TileOfParts {
  using T = typename A::non_const_value_type;
  A a;
  Right<T**> c;

  template <class Tile, class Scratch, class TileScratch>
  KOKKOS_FUNCTION int with(const Member& member, const TileScratch& of_tile,
                           const Scratch& scratch) const {
    using Slices = kc::TileSlices<Tile, "ikl,klj->ij", A, kc::Computed>;
    Tile t(member, of_tile, {0, 0}, {c.extent_int(0), c.extent_int(1)});
    Slices slices(t, scratch, {a.extent_int(1), a.extent_int(2)});
    auto load = slices.template loader<0>(a);
    const int code = slices.run(
        [&](int step) {
          load.start(step);
          slices.template fill<1>(step, [&](int k, int l, int j) { return T(k + l - j); });
        },
        [&](int step) {
          slices.template for_each<0>(step, [&](T& x, int i, int, int) { x *= T(i); });
          member.team_barrier();
          slices.multiply(T(2), step);
        });
    return code + t.store(T(1), T(0), c);
  }
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    return with<kc::TeamTile<T, "ij", kc::Shape<64, 32>, Member, kc::Accuracy::tf32>>(
               member, member.team_scratch(0), member.team_scratch(0)) +
           with<kc::SerialTile<T, "ij", kc::Shape<4, 8>, Device>>(member, member.thread_scratch(0),
                                                                  member.thread_scratch(0));
  }
};

/// A tile a thread: in scratch memory of the thread, and of any kind.
template <class A, class B>
struct TileOfThread {
  using T = typename A::non_const_value_type;
  using Tile = kc::SerialTile<T, "ij", kc::Shape<4, 8>, Device>;
  A a;
  B b;
  Right<T**> c;
  Right<T*> memory;

  template <class Scratch>
  KOKKOS_FUNCTION int in(const Scratch& scratch) const {
    Tile t(scratch, {0, 0}, {c.extent_int(0), c.extent_int(1)});
    int code = t.load(T(2), c);
    code += t.template accumulate<"ik,kj->ij", "im,mj->ij">(T(1), a, b, T(-1), a, b);
    return code + finish(t, c);
  }
  KOKKOS_FUNCTION int operator()(const Member& member) const {
    return in(member.thread_scratch(Tile::scratch_level()));
  }
  KOKKOS_FUNCTION int operator()(int) const { return in(memory); }
};

template <class Body>
void launch_tile(const Right<int*>& codes, const kc::TeamPlan<Device>& plan, const Body& body) {
  Kokkos::parallel_for(
      plan.policy,
      KOKKOS_LAMBDA(const Member& member) { codes(member.league_rank()) += body(member); });
}

void compile_tiles(const Right<int*>& codes, const Right<double**>& a, const Left<double**>& b,
                   const Right<float**>& f, const Right<Complex**>& z) {
  team_kernel(codes, Tiles<Right<double**>, Left<double**>>{a, b, a});
  team_kernel(codes, Tiles<Right<Half**>, Right<Half**>>{{}, {}, f});
  team_kernel(codes, Tiles<Left<BHalf**>, Right<BHalf**>>{{}, {}, f});
  team_kernel(codes, TileOfLanes<Left<double**>, Right<double**>>{b, a, a});
  team_kernel(codes, TileOfLanes<Right<float**>, Right<float**>>{f, f, f});
  team_kernel(codes, TileOfLanes<Right<Complex**>, Right<Complex**>>{z, z, z});

  const Right<double***> a3("a", 8, 8, 8);
  team_kernel(codes, TileOfParts<Right<double***>>{a3, a});
  team_kernel(codes, TileOfParts<Left<double***>>{Left<double***>("a", 8, 8, 8), a});
  team_kernel(codes, TileOfParts<Right<Complex***>>{Right<Complex***>("z", 8, 8, 8), z});
  team_kernel(codes, TileOfParts<Right<float***>>{Right<float***>("f", 8, 8, 8), f});

  const TileOfThread<Right<double**>, Left<double**>> serial{a, b, a,
                                                             Right<double*>("memory", 100)};
  using Serial = decltype(serial)::Tile;
  using Team = kc::TeamTile<double, "ij", kc::Shape<64, 32>, Member>;
  const int tiles = codes.extent_int(0);
  thread_kernel(codes, serial);
  launch_tile(codes, kc::team_policy(Device(), tiles, kc::uses<Serial, "ik,kj->ij">(a, b)), serial);
  launch_tile(codes, kc::team_policy(Device(), tiles, kc::uses<Team>(a, b)),
              Tiles<Right<double**>, Left<double**>>{a, b, a});
  kc::explain<Team, "ik,kj->ij">(std::cout, a, b);
}
