// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract/TeamTile.hpp>
#include <Kokkos_Core.hpp>

/// The triples of CCSD(T): for three occupied spin orbitals i, j, k (h1, h2, h3) and three virtual
/// ones a, b, c (p4, p5, p6)
///
///   d = nine contractions over a virtual orbital e (sd2), and nine over an occupied one m (sd1)
///   s = nine outer products of singles and integrals
///   D = e_i + e_j + e_k - e_a - e_b - e_c
///   E[T] = sum of d d / D     E(T) = sum of d (d + s) / D
///
/// over i < j < k and a < b < c. (K. Raghavachari et al., Chem. Phys. Lett. 157, 479 (1989); the
/// tensors and the names of the 18 terms are those of NWChem.)
namespace triples {

/// The first index is the fastest, in all but the orbital energies' one.
template <class T>
using Tensor = Kokkos::View<T, Kokkos::LayoutLeft>;

struct Amplitudes {
  Tensor<double*> e_occupied, e_virtual;
  Tensor<double**> t1;      // [p, h]
  Tensor<double****> t2_p;  // [e, p_a, h_b, h_c]
  Tensor<double****> v2_p;  // [e, h_a, p_c, p_b]
  Tensor<double****> t2_h;  // [m, p_b, p_c, h_a]
  Tensor<double****> v2_h;  // [m, h_c, h_b, p_a]
  Tensor<double****> v2_s;  // [h_c, h_b, p_c, p_b]

  int occupied() const { return static_cast<int>(e_occupied.extent(0)); }
  int virtuals() const { return static_cast<int>(e_virtual.extent(0)); }
};

struct Energies {
  double bracket = 0;      // E[T]
  double parentheses = 0;  // E(T)
  KOKKOS_INLINE_FUNCTION friend Energies operator+(const Energies& x, const Energies& y) {
    return {x.bracket + y.bracket, x.parentheses + y.parentheses};
  }
};

/// Part of the 18 terms.
enum class Terms { sd1, sd2, all };

template <class Tile>
KOKKOS_FORCEINLINE_FUNCTION int add_sd2(Tile& t, const Amplitudes& x) {
  const auto &T = x.t2_p, &V = x.v2_p;
  return t.template accumulate<"eaij,ekcb->kjicba", "eajk,eicb->kjicba", "eaik,ejcb->kjicba",
                               "ebij,ekca->kjicba", "ebjk,eica->kjicba", "ebik,ejca->kjicba",
                               "ecij,ekba->kjicba", "ecjk,eiba->kjicba", "ecik,ejba->kjicba">(
      -1., T, V, -1., T, V, 1., T, V,  //
      1., T, V, 1., T, V, -1., T, V,   //
      -1., T, V, -1., T, V, 1., T, V);
}

template <class Tile>
KOKKOS_FORCEINLINE_FUNCTION int add_sd1(Tile& t, const Amplitudes& x) {
  const auto &V = x.v2_h, &T = x.t2_h;
  return t.template accumulate<"mjia,mbck->kjicba", "mkja,mbci->kjicba", "mkia,mbcj->kjicba",
                               "mjib,mack->kjicba", "mkjb,maci->kjicba", "mkib,macj->kjicba",
                               "mjic,mabk->kjicba", "mkjc,mabi->kjicba", "mkic,mabj->kjicba">(
      -1., V, T, -1., V, T, 1., V, T,  //
      1., V, T, 1., V, T, -1., V, T,   //
      -1., V, T, -1., V, T, 1., V, T);
}

template <class Tile>
KOKKOS_FORCEINLINE_FUNCTION int add_all(Tile& t, const Amplitudes& x) {
  const auto &T2 = x.t2_p, &V2 = x.v2_p, &V1 = x.v2_h, &T1 = x.t2_h;
  return t.template accumulate<"eaij,ekcb->kjicba", "mjia,mbck->kjicba",  //
                               "eajk,eicb->kjicba", "mkja,mbci->kjicba",  //
                               "eaik,ejcb->kjicba", "mkia,mbcj->kjicba",  //
                               "ebij,ekca->kjicba", "mjib,mack->kjicba",  //
                               "ebjk,eica->kjicba", "mkjb,maci->kjicba",  //
                               "ebik,ejca->kjicba", "mkib,macj->kjicba",  //
                               "ecij,ekba->kjicba", "mjic,mabk->kjicba",  //
                               "ecjk,eiba->kjicba", "mkjc,mabi->kjicba",  //
                               "ecik,ejba->kjicba", "mkic,mabj->kjicba">(
      -1., T2, V2, -1., V1, T1, -1., T2, V2, -1., V1, T1, 1., T2, V2, 1., V1, T1,  //
      1., T2, V2, 1., V1, T1, 1., T2, V2, 1., V1, T1, -1., T2, V2, -1., V1, T1,    //
      -1., T2, V2, -1., V1, T1, -1., T2, V2, -1., V1, T1, 1., T2, V2, 1., V1, T1);
}

/// What is done with a tile of T3[h3, h2, h1, p6, p5, p4].
template <class Member>
struct Kernel {
  using Tile =
      KokkosContract::TeamTile<double, "kjicba", KokkosContract::ShapeOfTile<4, 4, 2, 8, 8, 8>, Member>;
  static constexpr int rank = 6;

  Amplitudes x;
  bool ordered;                     // i < j < k and a < b < c only; else all
  Kokkos::View<double******> t3;    // where terms are kept between kernels; empty if they are not
  Kokkos::View<Energies*> energy;   // of each tile

  KOKKOS_FUNCTION int tiles(int l) const {
    const int n = l < 3 ? x.e_occupied.extent_int(0) : x.e_virtual.extent_int(0);
    return (n + tile_extent(l) - 1) / tile_extent(l);
  }
  KOKKOS_FUNCTION static int tile_extent(int l) {
    constexpr int extent[rank] = {4, 4, 2, 8, 8, 8};
    return extent[l];
  }
  int tile_count() const {
    int n = 1;
    for (int l = 0; l < rank; ++l) n *= tiles(l);
    return n;
  }

  /// Whether a tile has elements that are wanted.
  KOKKOS_FUNCTION bool is_wanted(const Kokkos::Array<int, rank>& o) const {
    if (!ordered) return true;
    // The least index of one, and the last of the next.
    const int h = x.e_occupied.extent_int(0);
    const int p = x.e_virtual.extent_int(0);
    const auto last = [&](int l) {
      const int n = l < 3 ? h : p;
      return (o[l] + tile_extent(l) < n ? o[l] + tile_extent(l) : n) - 1;
    };
    return o[2] < last(1) && o[1] < last(0) && o[5] < last(4) && o[4] < last(3);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    Kokkos::Array<int, rank> origin{};
    int rest = member.league_rank();
    for (int l = rank - 1; l >= 0; --l) {
      origin[l] = rest % tiles(l) * tile_extent(l);
      rest /= tiles(l);
    }
    Energies sum;
    if (is_wanted(origin)) {
      const int h = x.e_occupied.extent_int(0);
      const int p = x.e_virtual.extent_int(0);
      Tile t(member, member.team_scratch(0), origin, {h, h, h, p, p, p});
      (void)add_all(t, x);
      t.reduce(*this, sum);
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] { energy(member.league_rank()) = sum; });
  }

  /// Adds what element d of T3 is to the energies.
  KOKKOS_INLINE_FUNCTION void operator()(double d, int k, int j, int i, int c, int b, int a,
                                         Energies& sum) const {
    const bool counts = !ordered || (i < j && j < k && a < b && b < c);
    const auto& t = x.t1;
    const auto& v = x.v2_s;
    const auto &e_h = x.e_occupied, &e_p = x.e_virtual;
    const double s =
        -t(a, k) * v(j, i, c, b) - t(a, i) * v(k, j, c, b) + t(a, j) * v(k, i, c, b) +
        t(b, k) * v(j, i, c, a) + t(b, i) * v(k, j, c, a) - t(b, j) * v(k, i, c, a) -
        t(c, k) * v(j, i, b, a) - t(c, i) * v(k, j, b, a) + t(c, j) * v(k, i, b, a);
    const double part = d / (e_h(i) + e_h(j) + e_h(k) - e_p(a) - e_p(b) - e_p(c));
    sum.bracket += counts ? d * part : 0;
    sum.parentheses += counts ? (d + s) * part : 0;
  }
};

}  // namespace triples
