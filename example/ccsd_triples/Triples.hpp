// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract/Fault.hpp>
#include <KokkosContract/Reciprocal.hpp>
#include <KokkosContract/TeamTile.hpp>
#include <Kokkos_Core.hpp>

/// The triples of CCSD(T). There are three occupied spin orbitals i, j, k (h1, h2, h3) and three
/// virtual ones a, b, c (p4, p5, p6).
///
///     d = nine contractions over a virtual orbital e (sd2), and nine over an occupied one m (sd1)
///     s = nine outer products of singles and integrals
///     D = e_i + e_j + e_k - e_a - e_b - e_c
///     E[T] = sum of d d / D     E(T) = sum of d (d + s) / D
///
/// The sums are over i < j < k and a < b < c. Source: K. Raghavachari et al., Chem. Phys. Lett.
/// 157, 479 (1989). The tensors and the names of the 18 terms are those of NWChem.
namespace triples {

/// The first index is the fastest in all tensors; the orbital energies have one index.
template <class T>
using Tensor = Kokkos::View<T, Kokkos::LayoutLeft>;

/// The tensors of four indices may have blocks of virtual orbitals only.
struct Amplitudes {
  Tensor<double*> e_occupied, e_virtual;
  Tensor<double**> t1;      // [p, h]
  Tensor<double****> t2_p;  // [e, p_a, h_b, h_c]
  Tensor<double****> v2_p;  // [e, h_a, p_c, p_b]
  Tensor<double****> t2_h;  // [m, p_b, p_c, h_a]
  Tensor<double****> v2_h;  // [m, h_c, h_b, p_a]
  Tensor<double****> v2_s;  // [h_c, h_b, p_c, p_b]

  KOKKOS_FUNCTION int occupied() const { return e_occupied.extent_int(0); }
  KOKKOS_FUNCTION int virtuals() const { return e_virtual.extent_int(0); }
  /// How many virtual orbitals the tensors of four indices have.
  KOKKOS_FUNCTION int held_virtuals() const { return t2_p.extent_int(1); }
};

/// An odd number of terms of a sum is followed by a gap, so that a GPU still copies 16 bytes at a
/// time.
inline Tensor<double****> allocate_terms(const char* label, int terms, int n1, int n2, int n3) {
  const Tensor<double****> whole(label, terms + terms % 2, n1, n2, n3);
  return Kokkos::subview(whole, std::pair(0, terms), Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
}

/// A tensor of Amplitudes, with indices of occupied (o) and virtual (v) orbitals.
struct TensorOfFour {
  const char* label;
  Tensor<double****> Amplitudes::* member;
  char kinds[4];
  bool has_terms;  // The first index is summed.
  int axis;        // an index of virtual orbitals, by whose blocks the tensor may be spread
  int other;       // a second one, or -1
  double seed;     // of arbitrary numbers
};
inline constexpr TensorOfFour tensors_of_four[] = {
    {"t2[e, p, h, h]", &Amplitudes::t2_p, {'v', 'v', 'o', 'o'}, true, 1, -1, 2},
    {"v2[e, h, p, p]", &Amplitudes::v2_p, {'v', 'o', 'v', 'v'}, true, 3, 2, 3},
    {"t2[m, p, p, h]", &Amplitudes::t2_h, {'o', 'v', 'v', 'o'}, true, 2, 1, 4},
    {"v2[m, h, h, p]", &Amplitudes::v2_h, {'o', 'o', 'o', 'v'}, true, 3, -1, 5},
    {"v2[h, h, p, p]", &Amplitudes::v2_s, {'o', 'o', 'v', 'v'}, false, 3, 2, 6}};

using Extents = Kokkos::Array<int, 4>;
inline Extents extents_of(const TensorOfFour& tensor, int o, int v) {
  Extents n{};
  for (int d = 0; d < 4; ++d) n[d] = tensor.kinds[d] == 'o' ? o : v;
  return n;
}
inline Tensor<double****> allocate(const TensorOfFour& tensor, const Extents& n) {
  if (tensor.has_terms) return allocate_terms(tensor.label, n[0], n[1], n[2], n[3]);
  return Tensor<double****>(tensor.label, n[0], n[1], n[2], n[3]);
}

/// Numbers between -0.1 and 0.1.
template <class View>
void fill_with_numbers(const View& view, double seed) {
  Kokkos::parallel_for(
      view.span(), KOKKOS_LAMBDA(std::size_t i) {
        view.data()[i] = 0.1 * Kokkos::sin(1.7 * static_cast<double>(i) + seed);
      });
}
/// Fills a part of a tensor with the numbers that the whole one has there. It begins at `begin` of
/// v virtual orbitals.
inline void fill_with_numbers(const TensorOfFour& tensor, const Tensor<double****>& part, int begin,
                              int v) {
  const int axis = tensor.axis;
  const double seed = tensor.seed;
  const std::size_t inner = part.stride(axis), length = part.extent(axis);
  Kokkos::parallel_for(
      part.span(), KOKKOS_LAMBDA(std::size_t n) {
        const std::size_t outer = n / inner / length;
        const std::size_t i = n % inner + inner * (begin + n / inner % length + v * outer);
        part.data()[n] = 0.1 * Kokkos::sin(1.7 * static_cast<double>(i) + seed);
      });
}

/// Arbitrary amplitudes of any size: energies with a gap, and the singles.
inline void fill_with_energies_and_singles(const Amplitudes& x) {
  fill_with_numbers(x.t1, 1);
  const auto e_o = x.e_occupied;
  const auto e_v = x.e_virtual;
  Kokkos::parallel_for(e_o.extent(0), KOKKOS_LAMBDA(int i) { e_o(i) = -1 - 0.1 * i; });
  Kokkos::parallel_for(e_v.extent(0), KOKKOS_LAMBDA(int a) { e_v(a) = 1 + 0.1 * a; });
}
/// Memory for the energies and the singles.
inline Amplitudes allocate_energies_and_singles(int o, int v) {
  Amplitudes x;
  x.e_occupied = Tensor<double*>("e of occupied", o);
  x.e_virtual = Tensor<double*>("e of virtual", v);
  x.t1 = Tensor<double**>("t1", v, o);
  return x;
}
inline Amplitudes random_amplitudes(int o, int v) {
  Amplitudes x = allocate_energies_and_singles(o, v);
  fill_with_energies_and_singles(x);
  for (const TensorOfFour& tensor : tensors_of_four) {
    x.*tensor.member = allocate(tensor, extents_of(tensor, o, v));
    fill_with_numbers(tensor, x.*tensor.member, 0, v);
  }
  return x;
}

/// The amplitudes without the nine terms sd2, or without the nine sd1: sums without terms take no
/// time.
inline Amplitudes without_sd2(Amplitudes x) {
  const std::pair none(0, 0);
  x.t2_p = Kokkos::subview(x.t2_p, none, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  x.v2_p = Kokkos::subview(x.v2_p, none, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  return x;
}
inline Amplitudes without_sd1(Amplitudes x) {
  const std::pair none(0, 0);
  x.t2_h = Kokkos::subview(x.t2_h, none, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  x.v2_h = Kokkos::subview(x.v2_h, none, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  return x;
}

struct Energies {
  double bracket = 0;      // E[T]
  double parentheses = 0;  // E(T)
  KOKKOS_INLINE_FUNCTION friend Energies operator+(const Energies& x, const Energies& y) {
    return {x.bracket + y.bracket, x.parentheses + y.parentheses};
  }
};

/// Adds the 18 terms to a tile: nine pairs of an sd2 and the sd1 that has the same rows and
/// columns.
template <class Tile>
KOKKOS_FORCEINLINE_FUNCTION int add_terms(Tile& t, const Amplitudes& x) {
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
      -1., T2, V2, -1., V1, T1,  //
      -1., T2, V2, -1., V1, T1,  //
      1., T2, V2, 1., V1, T1,    //
      1., T2, V2, 1., V1, T1,    //
      1., T2, V2, 1., V1, T1,    //
      -1., T2, V2, -1., V1, T1,  //
      -1., T2, V2, -1., V1, T1,  //
      -1., T2, V2, -1., V1, T1,  //
      1., T2, V2, 1., V1, T1);
}
/// The scratch memory that add_terms takes.
template <class Tile>
std::size_t bytes_of_terms(const Amplitudes& x) {
  const auto &T2 = x.t2_p, &V2 = x.v2_p, &V1 = x.v2_h, &T1 = x.t2_h;
  return Tile::template scratch_bytes<
      "eaij,ekcb->kjicba", "mjia,mbck->kjicba", "eajk,eicb->kjicba", "mkja,mbci->kjicba",
      "eaik,ejcb->kjicba", "mkia,mbcj->kjicba", "ebij,ekca->kjicba", "mjib,mack->kjicba",
      "ebjk,eica->kjicba", "mkjb,maci->kjicba", "ebik,ejca->kjicba", "mkib,macj->kjicba",
      "ecij,ekba->kjicba", "mjic,mabk->kjicba", "ecjk,eiba->kjicba", "mkjc,mabi->kjicba",
      "ecik,ejba->kjicba", "mkic,mabj->kjicba">(  //
      T2, V2, V1, T1, T2, V2, V1, T1, T2, V2, V1, T1, T2, V2, V1, T1, T2, V2, V1, T1, T2, V2, V1,
      T1, T2, V2, V1, T1, T2, V2, V1, T1, T2, V2, V1, T1);
}

constexpr int rank = 6;
using Index = Kokkos::Array<int, rank>;
/// Whether teams of Member are threads of a host.
template <class Member>
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               typename Member::execution_space::memory_space>::accessible;

/// Shape of a tile of T3[h3, h2, h1, p6, p5, p4]. It has 512 KB on a host with AVX-512, whose L2
/// has 1 MB or more, and 256 KB on another host. On a GPU it takes half of the registers of an SM.
template <class Member>
struct TileShape {
#if defined(__AVX512F__)
  static constexpr int k_on_host = 8;
#else
  static constexpr int k_on_host = 4;
#endif
  static constexpr int teams_of_processor = 2;
  static constexpr int k = on_host<Member> ? k_on_host : 4;
  static constexpr int j = on_host<Member> ? 4 : 2;
  static constexpr int i = on_host<Member> ? 4 : 2;
  static constexpr int p = 8;
  using Extents = KokkosContract::Shape<k, j, i, p, p, p>;
  KOKKOS_INLINE_FUNCTION static constexpr int extent(int l) {
    constexpr int of_letter[rank] = {k, j, i, p, p, p};
    return of_letter[l];
  }
};

template <class Member>
using T3Tile =
    KokkosContract::TeamTile<double, "kjicba", typename TileShape<Member>::Extents, Member>;

/// Data for the singles and the denominators of a tile, in scratch memory at constant distances.
template <class Member>
struct Singles {
  using Tile = TileShape<Member>;
  static constexpr int k = Tile::k, j = Tile::j, i = Tile::i, p = Tile::p;
  /// The pairs of virtual orbitals, followed by a gap that keeps the rows of a GPU in different
  /// banks.
  static constexpr int row = p * p + (on_host<Member> ? 0 : 4);
  static constexpr int begin_ji = 3 * (k + j + i) * p;
  static constexpr int begin_kj = begin_ji + 3 * j * i * row;
  static constexpr int begin_ki = begin_kj + 3 * k * j * row;
  static constexpr int begin_e = begin_ki + 3 * k * i * row;
  static constexpr int size = begin_e + k + j + i + 3 * p;
  /// Rows of two letters of occupied orbitals, with all pairs of virtual ones.
  struct Rows {
    int begin, first, second, columns, count;
  };
  KOKKOS_FUNCTION static constexpr Rows rows_ji() { return {begin_ji, 1, 2, i, j * i}; }
  KOKKOS_FUNCTION static constexpr Rows rows_kj() { return {begin_kj, 0, 1, j, k * j}; }
  KOKKOS_FUNCTION static constexpr Rows rows_ki() { return {begin_ki, 0, 2, i, k * i}; }
  static std::size_t bytes() { return sizeof(double) * size + 8; }

  /// The type of offsets. On a host it is as wide as addresses, so that nothing is converted.
  using Int = std::conditional_t<on_host<Member>, std::ptrdiff_t, int>;

  double* memory;

  /// [3][k + j + i][p]: the singles of c, b, a and of k, j, i.
  KOKKOS_FORCEINLINE_FUNCTION double t(int letter, Int h, Int d) const {
    return memory[(letter * (k + j + i) + h) * p + d];
  }
  /// [3][j][i][p][p], ...: the integrals of (c, b), (c, a), (b, a).
  KOKKOS_FORCEINLINE_FUNCTION double ji(int pair, Int dj, Int di, Int u, Int w) const {
    return memory[begin_ji + ((pair * j + dj) * i + di) * row + u * p + w];
  }
  KOKKOS_FORCEINLINE_FUNCTION double kj(int pair, Int dk, Int dj, Int u, Int w) const {
    return memory[begin_kj + ((pair * k + dk) * j + dj) * row + u * p + w];
  }
  KOKKOS_FORCEINLINE_FUNCTION double ki(int pair, Int dk, Int di, Int u, Int w) const {
    return memory[begin_ki + ((pair * k + dk) * i + di) * row + u * p + w];
  }
  /// The energies of k, j, i, c, b, a, in sequence.
  KOKKOS_FORCEINLINE_FUNCTION double e(Int n) const { return memory[begin_e + n]; }

  /// The tensors of four indices hold index n of letter l at n - shift[l].
  KOKKOS_FUNCTION Singles(const Member& member, const Amplitudes& amplitudes, const Index& origin,
                          const Index& shift, int level)
      : memory(static_cast<double*>(
            member.team_scratch(level).get_shmem_aligned(sizeof(double) * size, sizeof(double)))) {
    const int h = amplitudes.occupied();
    const int v = amplitudes.virtuals();
    // Index d of letter l, clamped to the last one.
    const auto at = [&](int l, int d) {
      const int n = l < 3 ? h : v;
      return origin[l] + d < n ? origin[l] + d : n - 1;
    };
    const auto t_of = [&](int n) {
      const int d = n / p % (k + j + i);
      const int h_letter = d < k ? 0 : (d < k + j ? 1 : 2);
      const int h_digit = d - (h_letter > 0 ? k : 0) - (h_letter > 1 ? j : 0);
      return amplitudes.t1(at(3 + n / p / (k + j + i), n % p), at(h_letter, h_digit));
    };
    const auto e_of = [&](int n) {
      const int m = n - (k + j + i);
      if (m >= 0) return amplitudes.e_virtual(at(3 + m / p, m % p));
      const int l = n < k ? 0 : (n < k + j ? 1 : 2);
      return amplitudes.e_occupied(at(l, n - (l > 0 ? k : 0) - (l > 1 ? j : 0)));
    };
    // Loads integrals of (c, b), (c, a), (b, a), for both orbitals of a row.
    const auto load = [&](const Rows& of, int dx, int dy, int u, int w, double (&found)[3]) {
      const int x = at(of.first, dx), y = at(of.second, dy);
      const auto held = [&](int l, int d) { return at(l, d) - shift[l]; };
      found[0] = amplitudes.v2_s(x, y, held(3, u), held(4, w));
      found[1] = amplitudes.v2_s(x, y, held(3, u), held(5, w));
      found[2] = amplitudes.v2_s(x, y, held(4, u), held(5, w));
    };
    const auto store = [&](const Rows& of, int dx, int dy, int u, int w, const double (&found)[3]) {
      double* const to = memory + of.begin + (dx * of.columns + dy) * row + u * p + w;
      for (int pair = 0; pair < 3; ++pair) to[pair * of.count * row] = found[pair];
    };
    constexpr int count_t = begin_ji, count_e = size - begin_e;
    if constexpr (on_host<Member>) {
      for (int n = 0; n < count_t; ++n) memory[n] = t_of(n);
      for (int n = 0; n < count_e; ++n) memory[begin_e + n] = e_of(n);
      for (const Rows& of : {rows_ji(), rows_kj(), rows_ki()}) {
        for (int n = 0; n < p * p; ++n) {
          for (int dy = 0; dy < of.columns; ++dy) {
            for (int dx = 0; dx < of.count / of.columns; ++dx) {
              double found[3];
              load(of, dx, dy, n / p, n % p, found);
              store(of, dx, dy, n / p, n % p, found);
            }
          }
        }
      }
    } else {
      // Neighbouring workers read neighbours. All reads of a worker are in flight together.
      constexpr int workers = T3Tile<Member>::workers();
      const unsigned worker = member.team_rank();
      const auto each = [&]<int N>(const Rows& of, double (&block)[N][3], const auto& f) {
        const unsigned rows = of.count, x_rows = of.count / of.columns;
        for (int s = 0; s < N; ++s) {
          const unsigned n = worker + s * workers;
          f(of, n % rows % x_rows, n % rows / x_rows, n / rows / p, n / rows % p, block[s]);
        }
      };
      constexpr int rounds_t = (count_t + workers - 1) / workers;
      static_assert(count_e <= workers);
      double t[rounds_t], e = 0;
      double ji[rows_ji().count * p * p / workers][3];
      double kj[rows_kj().count * p * p / workers][3];
      double ki[rows_ki().count * p * p / workers][3];
      for (int s = 0; s < rounds_t; ++s) {
        const unsigned n = worker + s * workers;
        t[s] = t_of(n < count_t ? n : 0);
      }
      if (worker < count_e) e = e_of(worker);
      each(rows_ji(), ji, load);
      each(rows_kj(), kj, load);
      each(rows_ki(), ki, load);
      for (int s = 0; s < rounds_t; ++s) {
        const unsigned n = worker + s * workers;
        if (n < count_t) memory[n] = t[s];
      }
      if (worker < count_e) memory[begin_e + worker] = e;
      each(rows_ji(), ji, store);
      each(rows_kj(), kj, store);
      each(rows_ki(), ki, store);
    }
    member.team_barrier();
  }

  /// s, by indices in the tile.
  KOKKOS_FORCEINLINE_FUNCTION double s(Int dk, Int dj, Int di, Int dc, Int db, Int da) const {
    const Int hk = dk, hj = k + dj, hi = k + j + di;
    return -t(2, hk, da) * ji(0, dj, di, dc, db) - t(2, hi, da) * kj(0, dk, dj, dc, db) +
           t(2, hj, da) * ki(0, dk, di, dc, db) + t(1, hk, db) * ji(1, dj, di, dc, da) +
           t(1, hi, db) * kj(1, dk, dj, dc, da) - t(1, hj, db) * ki(1, dk, di, dc, da) -
           t(0, hk, dc) * ji(2, dj, di, db, da) - t(0, hi, dc) * kj(2, dk, dj, db, da) +
           t(0, hj, dc) * ki(2, dk, di, db, da);
  }
  KOKKOS_FORCEINLINE_FUNCTION double denominator(Int dk, Int dj, Int di, Int dc, Int db,
                                                 Int da) const {
    constexpr int v = k + j + i;
    return e(dk) + e(k + dj) + e(k + j + di) - e(v + dc) - e(v + p + db) - e(v + 2 * p + da);
  }
};

/// Adds the energies of a tile of T3, which are d d / D and d (d + s) / D.
template <class Member>
struct AddEnergies {
  Singles<Member> singles;
  Index held;          // where the tensors hold the tile
  bool ordered;        // only elements with i < j < k and a < b < c
  int b_to_c, b_to_a;  // what makes indices of b comparable to those of c and a

  using Int = typename Singles<Member>::Int;

  // [energies]
  KOKKOS_FORCEINLINE_FUNCTION void operator()(double d, Int k, Int j, Int i, Int c, Int b, Int a,
                                              Energies& sum) const {
    const Int dk = k - held[0], dj = j - held[1], di = i - held[2];
    const Int dc = c - held[3], db = b - held[4], da = a - held[5];
    // Without branches, neighbours are computed side by side. Elements with a below this index
    // count.
    const Int end = ordered ? ((i < j) & (j < k) & (b + b_to_c < c) ? b + b_to_a : 0) : a + 1;
    const double part =
        (a < end ? d : 0) * KokkosContract::reciprocal(singles.denominator(dk, dj, di, dc, db, da));
    sum.bracket += d * part;
    sum.parentheses += (d + singles.s(dk, dj, di, dc, db, da)) * part;
  }
  // [/energies]
};

/// What a kernel computes from the terms. `whole` computes energies. In the partially fused
/// version, the first of two kernels stores the terms, and the second one starts from them.
enum class Part { whole, first, second };

/// The work on a tile of T3.
template <class Member, Part part = Part::whole>
struct Kernel {
  using Shape = TileShape<Member>;
  using Tile = T3Tile<Member>;

  Amplitudes x;
  bool ordered;                    // only i < j < k and a < b < c; otherwise all
  Kokkos::View<Energies*> energy;  // energies of each tile
  Kokkos::View<double******, Kokkos::LayoutRight> t3 = {};  // used by two kernels
  Kokkos::View<const int*> numbers = {};  // of the tiles of a launch; without them, the first ones
  Index shift = {};  // The tensors of four indices hold index n of letter l at n - shift[l].

  KOKKOS_FUNCTION int tiles(int l) const {
    const int n = l < 3 ? x.occupied() : x.virtuals();
    return (n + Shape::extent(l) - 1) / Shape::extent(l);
  }
  int tile_count() const {
    int n = 1;
    for (int l = 0; l < rank; ++l) n *= tiles(l);
    return n;
  }

  /// A team for each of the first `count` tiles. A GPU's tile frees its scratch memory before the
  /// singles need it.
  auto policy(const typename Member::execution_space& space, int count) const {
    const std::size_t tile = bytes_of_terms<Tile>(x);
    const std::size_t singles = Singles<Member>::bytes();
    const std::size_t bytes = on_host<Member> ? tile + singles : (tile > singles ? tile : singles);
    using Policy =
        Kokkos::TeamPolicy<typename Member::execution_space,
                           Kokkos::LaunchBounds<on_host<Member> ? 0 : Tile::workers(),
                                                on_host<Member> ? 0 : Shape::teams_of_processor>>;
    return Policy(space, count, Tile::workers())
        .set_scratch_size(scratch_level, Kokkos::PerTeam(static_cast<int>(bytes)));
  }
  auto policy() const { return policy({}, tile_count()); }
  /// Level 0 of a host is too small for a tile.
  static constexpr int scratch_level = on_host<Member> ? 1 : 0;

  /// Whether a tile has wanted elements.
  KOKKOS_FUNCTION bool is_wanted(const Index& o) const {
    if (!ordered) return true;
    // Compares the least index of one letter with the last index of the next.
    const auto last = [&](int l) {
      const int n = l < 3 ? x.occupied() : x.virtuals();
      return (o[l] + Shape::extent(l) < n ? o[l] + Shape::extent(l) : n) - 1;
    };
    return o[2] < last(1) && o[1] < last(0) && o[5] < last(4) && o[4] < last(3);
  }

  /// Where tile `number` begins.
  KOKKOS_FORCEINLINE_FUNCTION Index origin_of(int number) const {
    Index origin{};
    for (int l = rank - 1; l >= 0; --l) {
      origin[l] = number % tiles(l) * Shape::extent(l);
      number /= tiles(l);
    }
    return origin;
  }

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const int number = numbers.extent(0) > 0 ? numbers(member.league_rank()) : member.league_rank();
    const Index origin = origin_of(number);
    Energies sum;
    if (is_wanted(origin)) {
      const int h = x.occupied();
      const int p = x.held_virtuals();
      const int level = scratch_level;
      Index held{};
      for (int l = 0; l < rank; ++l) held[l] = origin[l] - shift[l];
      Tile t(member, member.team_scratch(level), held, {h, h, h, p, p, p});
      if constexpr (part == Part::second) KokkosContract::require_success(t.load(1.0, t3));
      KokkosContract::require_success(add_terms(t, x));
      if constexpr (part == Part::first) {
        KokkosContract::require_success(t.store(1.0, 0.0, t3));
        return;
      }
      t.reduce(AddEnergies<Member>{Singles<Member>(member, x, origin, shift, level), held, ordered,
                                   shift[4] - shift[3], shift[4] - shift[5]},
               sum);
    }
    if constexpr (part == Part::first) return;
    Kokkos::single(Kokkos::PerTeam(member), [&] { energy(number) = sum; });
  }
};

}  // namespace triples
