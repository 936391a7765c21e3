// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_GRIDPRODUCT_HPP
#define KOKKOSCONTRACT_PRODUCT_GRIDPRODUCT_HPP

// Contractions of large tensors as a kernel of a GPU: a matrix product of flattened indices, each
// block of threads having a tile of C in its registers. Panels of both inputs are gathered into
// shared memory through lists of offsets while the former ones are multiplied, so that no tensor is
// permuted in memory (J. Kim et al., A code generator for high-performance tensor contractions on
// GPUs, CGO 2019). Where C has too few tiles for the machine, several blocks share the sum of one,
// and a second kernel adds their parts, in a fixed order. Everything is known at run time only: one
// kernel for each type and shape of tile serves all contractions of a program.

#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Atom.hpp>
#include <KokkosContract/nest/FlatModes.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/nest/ModeList.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The modes of one class as a kernel reads them: up to three operands' strides.
using GridModes = FlatModes<3, ModeList::most>;
inline GridModes grid_modes_of(const ModeList& list) {
  GridModes modes;
  for (int i = 0; i < list.count; ++i) {
    modes.add(static_cast<int>(list.extent[i]), list.first[i], list.second[i], std::ptrdiff_t{0});
  }
  return modes;
}

/// What neighbours in memory of an input are: terms of the sum, indices, or every eighth index,
/// because those in between are neighbours in C.
enum class Neighbours { terms, indices, eighth_indices };

template <class T>
struct GridProduct {
  GridModes rows;   // of x and c
  GridModes cols;   // of y and c
  GridModes sums;   // of x and y
  GridModes batch;  // of x, y and c
  int row_count, col_count, sum_count, batch_count;
  Neighbours neighbours_x, neighbours_y;
  bool pairs_in_c;  // even columns and their right neighbours are 16 bytes of C
  bool conjugate_x, conjugate_y;
  const T* x;
  const T* y;
  T* c;
  T alpha, beta;
};

namespace Grid {
inline constexpr int workers = 256;
inline constexpr int stages = 4;        // panels of an input in shared memory
inline constexpr int table_terms = 64;  // whose offsets are found at a time
/// Part of a tile that a problem fills from which on tiles pay, and multiplications likewise.
inline constexpr double least_filled = 0.125;
inline constexpr double least_products = 64. * 64 * 64;

struct Tile {
  int rows, cols;
  int blocks;         // of a processor at a time
  double efficiency;  // of its multiply-adds, measured
};
/// Square, and for products with few columns or terms.
template <class T>
inline constexpr Tile tiles[] = {sizeof(T) < 16 ? Tile{128, 128, 1, 1} : Tile{64, 64, 1, 1},
                                 sizeof(T) < 16 ? Tile{256, 32, 2, .6} : Tile{128, 32, 2, .6}};

/// Elements of 16 bytes.
template <class T>
inline constexpr int vector_length = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
/// Terms of a panel.
template <class T>
inline constexpr int depth = sizeof(T) < 8 ? 8 : 4;
/// A panel in shared memory is term after term, with a gap of 32 bytes, so that elements of four
/// terms and of 32 bytes of each are in different banks.
template <class T, int Width>
inline constexpr int term_stride = Width + 32 / static_cast<int>(sizeof(T));

/// A worker's elements of the panels of one input.
template <class T, int Width>
struct Panel {
  static constexpr int elements = Width * depth<T>;
  static constexpr int count = (elements + workers - 1) / workers;

  const T* at[count];
  int term, term_step;    // of the first element, and from one to the next
  int place, place_step;  // in shared memory
  bool is_busy;           // where there are fewer elements than workers

  KOKKOS_FORCEINLINE_FUNCTION Panel(const T* data, const std::ptrdiff_t* offset,
                                    Neighbours neighbours, int rank)
      : is_busy(elements % workers == 0 || rank < elements) {
    static_assert(elements % workers == 0 || elements < workers);
    // A warp has 32 indices of a term, or 8 indices of four; either way all banks are written.
    const bool terms_first = neighbours == Neighbours::terms;
    const int eighth = rank % Width / 32 * 32 + rank % 4 * 8 + rank / 4 % 8;
    const int plain = neighbours == Neighbours::eighth_indices ? eighth : rank % Width;
    const int index = terms_first ? rank / 4 % 8 + rank / (8 * depth<T>)*8 : plain;
    const int index_step = terms_first ? workers / depth<T> : 0;
    term = terms_first ? rank % 4 + rank / 32 * 4 % depth<T> : rank / Width;
    term_step = terms_first ? 0 : workers / Width;
    place = term * term_stride<T, Width> + index;
    place_step = term_step * term_stride<T, Width> + index_step;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < count; ++i) at[i] = data + offset[is_busy ? index + i * index_step : 0];
  }

  /// Starts copying element i of those of `terms` terms with these offsets; zero behind them.
  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION void start(int i, T* to, const std::ptrdiff_t* term_offset,
                                         int terms) const {
    const int k = term + i * term_step;
    if (is_busy) {
      Machine::start_copy_if(to + place + i * place_step, at[i] + term_offset[k], k < terms);
    }
  }
};

/// A worker's sums of a tile, by multiply-adds.
template <class T, int Rows, int Cols>
struct ScalarSums {
  static constexpr int across = Cols >= 64 ? 16 : 8;
  static constexpr int down = workers / across;
  static constexpr int height = Rows / down;
  static constexpr int width = Cols / across;
  static constexpr int length = vector_length<T>;
  struct alignas(length * sizeof(T)) Chunk {
    T value[length];

    KOKKOS_FORCEINLINE_FUNCTION void conjugate_if(bool wanted) {
      KOKKOSCONTRACT_UNROLL
      for (T& v : value) v = T(v.real(), wanted ? -v.imag() : v.imag());
    }
  };

  /// Read when they are needed.
  static constexpr int ahead = 0;
  struct Fragments {
    const T* x;
    const T* y;
  };

  int row, col;
  T sum[height][width];

  KOKKOS_FORCEINLINE_FUNCTION explicit ScalarSums(int rank)
      : row(rank / across * length), col(rank % across * length) {
    for_each([](int, int, int, T& value) { value = T(0); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void read(Fragments& f, const T* x, const T* y) const {
    f = {x + row, y + col};
  }
  /// between(i) is called `Slots` times on the way.
  template <int Slots, class F>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const GridProduct<T>& product, const Fragments& f,
                                            const F& between) {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < depth<T>; ++k) {
      Chunk a[height / length];
      Chunk b[width / length];
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height / length; ++i) {
        a[i] = *reinterpret_cast<const Chunk*>(f.x + k * term_stride<T, Rows> + i * down * length);
      }
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width / length; ++j) {
        b[j] =
            *reinterpret_cast<const Chunk*>(f.y + k * term_stride<T, Cols> + j * across * length);
      }
      if constexpr (is_complex<T>) {
        for (Chunk& part : a) part.conjugate_if(product.conjugate_x);
        for (Chunk& part : b) part.conjugate_if(product.conjugate_y);
      }
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < width; ++j) {
          sum[i][j] = multiply_add(sum[i][j], a[i / length].value[i % length],
                                   b[j / length].value[j % length]);
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int slot = Slots * k / depth<T>; slot < Slots * (k + 1) / depth<T>; ++slot) {
        between(slot);
      }
    }
  }
  /// f(number, row, column, sum)
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const F& f) {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < height; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width; ++j) {
        f(i * width + j, row + i / length * down * length + i % length,
          col + j / length * across * length + j % length, sum[i][j]);
      }
    }
  }
};

/// The same by matrix instructions: a wave has tiles of an atom.
template <class Machine, class Atom, int Rows, int Cols>
struct AtomSums {
  using T = typename Atom::Acc;
  static constexpr int wave_cols = 32;
  static constexpr int across = Cols / wave_cols;
  static constexpr int down = workers / Machine::wave / across;
  static constexpr int height = Rows / down / Atom::m;
  static constexpr int width = wave_cols / Atom::n;
  static constexpr int steps = depth<T> / Atom::k;

  /// Read a step before they are needed, where no other block fills the time.
  static constexpr int ahead = height * width >= 16 ? 1 : 0;
  struct Fragments {
    T x[steps][height][Atom::x_each];
    T y[steps][width][Atom::y_each];
  };

  int row, col;  // of this wave
  int lane;
  int x_from[Atom::x_each];  // in a panel
  int y_from[Atom::y_each];
  T sum[height][width][Atom::sum_each];

  KOKKOS_FORCEINLINE_FUNCTION explicit AtomSums(int rank)
      : row(rank / Machine::wave / across * height * Atom::m),
        col(rank / Machine::wave % across * wave_cols),
        lane(rank % Machine::wave) {
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Atom::x_each; ++r) {
      const AtomPlace at = Atom::x_at(lane, r);
      x_from[r] = at.col * term_stride<T, Rows> + row + at.row;
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Atom::y_each; ++r) {
      const AtomPlace at = Atom::y_at(lane, r);
      y_from[r] = at.row * term_stride<T, Cols> + col + at.col;
    }
    for_each([](int, int, int, T& value) { value = 0; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void read(Fragments& f, const T* x, const T* y) const {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < steps; ++k) {
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < Atom::x_each; ++r) {
          f.x[k][i][r] = x[x_from[r] + k * Atom::k * term_stride<T, Rows> + i * Atom::m];
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width; ++j) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < Atom::y_each; ++r) {
          f.y[k][j][r] = y[y_from[r] + k * Atom::k * term_stride<T, Cols> + j * Atom::n];
        }
      }
    }
  }
  template <int Slots, class F>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const GridProduct<T>&, const Fragments& f,
                                            const F& between) {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < height; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int k = 0; k < steps; ++k) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < width; ++j) {
          Machine::multiply_add(Atom{}, sum[i][j], f.x[k][i], f.y[k][j]);
        }
      }
      KOKKOSCONTRACT_UNROLL
      for (int slot = Slots * i / height; slot < Slots * (i + 1) / height; ++slot) between(slot);
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const F& f) {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < height; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width; ++j) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < Atom::sum_each; ++r) {
          const AtomPlace at = Atom::sum_at(lane, r);
          f((i * width + j) * Atom::sum_each + r, row + i * Atom::m + at.row,
            col + j * Atom::n + at.col, sum[i][j][r]);
        }
      }
    }
  }
  /// f(row, column, sum, sum of the next column)
  template <class F>
    requires(cols_of_lane<Atom>() == 2)
  KOKKOS_FORCEINLINE_FUNCTION void for_each_pair(const F& f) const {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < height; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < Atom::sum_each; r += 2) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < width; ++j) {
          const AtomPlace at = Atom::sum_at(lane, r);
          f(row + i * Atom::m + at.row, col + j * Atom::n + at.col, sum[i][j][r], sum[i][j][r + 1]);
        }
      }
    }
  }
};

template <class Machine, class T, int Rows, int Cols, class Atom = block_atom_for<Machine, T, T, T>>
struct SumsOf {
  using type = AtomSums<Machine, Atom, Rows, Cols>;
};
template <class Machine, class T, int Rows, int Cols>
struct SumsOf<Machine, T, Rows, Cols, NoAtom> {
  using type = ScalarSums<T, Rows, Cols>;
};

template <class Machine, class T, int Rows, int Cols>
struct Kernel {
  using Sums = typename SumsOf<Machine, T, Rows, Cols>::type;

  GridProduct<T> p;
  int down, across;  // tiles
  int splits;        // blocks that share a tile
  int steps;         // of each of them
  T* partial;        // their sums, where there are several

  struct Multiply {};
  struct Add {};

  /// Shared memory of a block.
  struct Shared {
    alignas(16) T panel_x[stages][depth<T> * term_stride<T, Rows>];
    alignas(16) T panel_y[stages][depth<T> * term_stride<T, Cols>];
    std::ptrdiff_t x_term[2][table_terms];
    std::ptrdiff_t y_term[2][table_terms];
    std::ptrdiff_t x_row[Rows];
    std::ptrdiff_t y_col[Cols];
    std::ptrdiff_t c_row[Rows];
    std::ptrdiff_t c_col[Cols];
  };
  static constexpr int scratch_bytes = static_cast<int>(sizeof(Shared)) + 16;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static Shared& shared_of(const Member& member) {
    return *static_cast<Shared*>(member.team_scratch(0).get_shmem_aligned(sizeof(Shared), 16));
  }

  struct Place {
    int row, col;  // of the tile's first element
    int problem, split;
  };
  /// Blocks that run at the same time share panels: eight rows of tiles go together.
  KOKKOS_FORCEINLINE_FUNCTION Place place_of(int block) const {
    constexpr int together = 8;
    Place place{};
    const int tiles = down * across;
    place.split = block / tiles % splits;
    place.problem = block / tiles / splits;
    const int tile = block % tiles;
    const int first = tile / (together * across) * together;
    const int rows = down - first < together ? down - first : together;
    const int rest = tile % (together * across);
    place.row = (first + rest % rows) * Rows;
    place.col = rest / rows * Cols;
    return place;
  }

  /// Indices and terms that are not there are as the first one.
  KOKKOS_FORCEINLINE_FUNCTION void fill_terms(Shared& shared, int chunk, int begin,
                                              int rank) const {
    const int i = workers - 1 - rank;  // the first workers have more indices
    if (i >= table_terms) return;
    const int wanted = begin + chunk * table_terms + i;
    std::ptrdiff_t at[2];
    p.sums.offsets(wanted < p.sum_count ? wanted : 0, at);
    shared.x_term[chunk % 2][i] = at[0];
    shared.y_term[chunk % 2][i] = at[1];
  }
  KOKKOS_FORCEINLINE_FUNCTION void fill_indices(Shared& shared, const Place& place,
                                                int rank) const {
    std::ptrdiff_t at[2];
    for (int i = rank; i < Rows + Cols; i += workers) {
      if (i < Rows) {
        p.rows.offsets(place.row + i < p.row_count ? place.row + i : 0, at);
        shared.x_row[i] = at[0];
        shared.c_row[i] = at[1];
      } else {
        const int j = i - Rows;
        p.cols.offsets(place.col + j < p.col_count ? place.col + j : 0, at);
        shared.y_col[j] = at[0];
        shared.c_col[j] = at[1];
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(Sums& sums, const Shared& shared, const Place& place,
                                          T* c) const {
    const int rows = p.row_count - place.row;
    const int cols = p.col_count - place.col;
    const bool reads = !is_zero(p.beta);
    if constexpr (requires { sums.for_each_pair([](int, int, T, T) {}); }) {
      if (p.pairs_in_c) {
        struct alignas(16) Pair {
          T left, right;
        };
        sums.for_each_pair([&](int i, int j, T left, T right) {
          if (i >= rows || j >= cols) return;
          T* const element = &c[shared.c_row[i] + shared.c_col[j]];
          Pair value{p.alpha * left, p.alpha * right};
          if (reads) {
            value.left += p.beta * element[0];
            value.right += p.beta * element[1];
          }
          *reinterpret_cast<Pair*>(element) = value;
        });
        return;
      }
    }
    sums.for_each([&](int, int i, int j, const T& sum) {
      if (i >= rows || j >= cols) return;
      T& element = c[shared.c_row[i] + shared.c_col[j]];
      const T value = p.alpha * sum;
      element = reads ? multiply_add(value, p.beta, element) : value;
    });
  }

  /// Where worker `rank` puts its sums of one split of a tile: neighbours side by side.
  KOKKOS_FORCEINLINE_FUNCTION T* partial_of(int block, int rank) const {
    return partial + static_cast<std::ptrdiff_t>(block) * (Rows * Cols) + rank;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Multiply, const Member& member) const {
    Shared& shared = shared_of(member);
    const int rank = member.team_rank();
    const Place place = place_of(member.league_rank());
    constexpr int step_terms = depth<T>;
    const int begin = place.split * steps * step_terms;
    const int terms_left = p.sum_count - begin;
    const int terms = terms_left < steps * step_terms ? terms_left : steps * step_terms;
    const int here = terms > 0 ? (terms + step_terms - 1) / step_terms : 0;

    std::ptrdiff_t problem[3];
    p.batch.offsets(place.problem, problem);
    fill_terms(shared, 0, begin, rank);
    fill_indices(shared, place, rank);
    member.team_barrier();
    using PanelX = Panel<T, Rows>;
    using PanelY = Panel<T, Cols>;
    const PanelX x(p.x + problem[0], shared.x_row, p.neighbours_x, rank);
    const PanelY y(p.y + problem[1], shared.y_col, p.neighbours_y, rank);
    constexpr int slots = PanelX::count + PanelY::count;
    const auto start = [&](int step, int slot) {
      const int term = step * step_terms;
      const int table = term / table_terms % 2;
      const int entry = term % table_terms;
      if (slot < PanelX::count) {
        x.template start<Machine>(slot, shared.panel_x[step % stages], &shared.x_term[table][entry],
                                  terms - term);
      } else {
        y.template start<Machine>(slot - PanelX::count, shared.panel_y[step % stages],
                                  &shared.y_term[table][entry], terms - term);
      }
    };
    KOKKOSCONTRACT_NO_UNROLL
    for (int step = 0; step < stages - 1 + Sums::ahead; ++step) {
      KOKKOSCONTRACT_UNROLL
      for (int slot = 0; slot < slots; ++slot) start(step, slot);
      Machine::end_group_of_copies();
    }

    Sums sums(rank);
    const auto read = [&](typename Sums::Fragments& fragments, int step) {
      sums.read(fragments, shared.panel_x[step % stages], shared.panel_y[step % stages]);
    };
    const auto advance = [&](int step, typename Sums::Fragments& current,
                             typename Sums::Fragments& next) {
      Machine::template finish_groups_of_copies<stages - 2>();
      member.team_barrier();
      if (Sums::ahead == 1) {
        read(next, step + 1);
      } else {
        read(current, step);
      }
      sums.template multiply<slots>(
          p, current, [&](int slot) { start(step + stages - 1 + Sums::ahead, slot); });
      Machine::end_group_of_copies();
      // The next table is complete behind the next barrier, before its first use.
      const int term = (step + stages + Sums::ahead) * step_terms;
      if (term % table_terms == 0) fill_terms(shared, term / table_terms, begin, rank);
    };
    typename Sums::Fragments even;
    typename Sums::Fragments odd;
    if (Sums::ahead == 1) {
      Machine::template finish_groups_of_copies<stages - 1>();
      member.team_barrier();
      read(even, 0);
    }
    KOKKOSCONTRACT_NO_UNROLL
    for (int step = 0; step < here; step += 2) {
      advance(step, even, odd);
      if (step + 1 < here) advance(step + 1, odd, even);
    }
    Machine::template finish_groups_of_copies<0>();
    if (splits == 1) {
      finish(sums, shared, place, p.c + problem[2]);
    } else {
      T* const mine = partial_of(member.league_rank(), rank);
      sums.for_each([&](int e, int, int, const T& sum) { mine[e * workers] = sum; });
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Add, const Member& member) const {
    Shared& shared = shared_of(member);
    const int rank = member.team_rank();
    const int tiles = down * across;
    const int first = member.league_rank() / tiles * tiles * splits + member.league_rank() % tiles;
    const Place place = place_of(first);
    std::ptrdiff_t problem[3];
    p.batch.offsets(place.problem, problem);
    fill_indices(shared, place, rank);
    member.team_barrier();
    Sums sums(rank);
    KOKKOSCONTRACT_NO_UNROLL
    for (int s = 0; s < splits; ++s) {
      const T* const part = partial_of(first + s * tiles, rank);
      sums.for_each([&](int e, int, int, T& sum) { sum += part[e * workers]; });
    }
    finish(sums, shared, place, p.c + problem[2]);
  }
};

/// The modes of a contraction of two inputs, the second of which has the columns, at run time.
struct Modes {
  ModeList rows, cols, sums;
  GridModes batch;
  double elements[classes]{1, 1, 1, 1};

  KOKKOSCONTRACT_COLD_CODE Modes(const Labels& x, const Dims& dx, const Labels& y, const Dims& dy,
                                 const Labels& c, const Dims& dc) {
    for (int i = 0; i < c.rank; ++i) add(c.letter[i], x, dx, y, dy, c, dc);
    for (int i = 0; i < x.rank; ++i) {
      if (!c.has(x.letter[i]) && dimension_of(x, x.letter[i]) == i) {
        add(x.letter[i], x, dx, y, dy, c, dc);
      }
    }
    for (int i = 0; i < y.rank; ++i) {
      if (!c.has(y.letter[i]) && !x.has(y.letter[i]) && dimension_of(y, y.letter[i]) == i) {
        add(y.letter[i], x, dx, y, dy, c, dc);
      }
    }
    // Neighbours in both operands of a class are in one panel, where that is possible: whole
    // sectors of 32 bytes are read, and written.
    const double terms = elements[static_cast<int>(Class::sum)];
    share_tiles(rows, terms > elements[static_cast<int>(Class::col)] ? 8 : 4);
    share_tiles(cols, terms > elements[static_cast<int>(Class::row)] ? 8 : 4);
    sums.share_blocks(sums.first, 4, 4, 4);
    sums.share_blocks(sums.second, 4, 4, 4);
  }

  Neighbours neighbours_in_x() const { return neighbours(rows, sums.first); }
  Neighbours neighbours_in_y() const { return neighbours(cols, sums.second); }
  /// Whether even columns and their right neighbours are 16 bytes of C.
  template <class T>
  bool has_pairs(const T* c) const {
    const int last = cols.count - 1;
    if (sizeof(T) != 8 || reinterpret_cast<std::uintptr_t>(c) % 16 != 0 || last < 0 ||
        cols.second[last] != 1 || cols.extent[last] % 2 != 0) {
      return false;
    }
    const auto is_odd = [](std::ptrdiff_t stride) { return stride % 2 != 0; };
    return std::none_of(cols.second, cols.second + last, is_odd) &&
           std::none_of(rows.second, rows.second + rows.count, is_odd) &&
           std::none_of(batch.stride[2], batch.stride[2] + batch.count, is_odd);
  }

 private:
  Neighbours neighbours(const ModeList& own, const std::ptrdiff_t* in_sums) const {
    const std::ptrdiff_t least = shortest(own, own.first);
    if (shortest(sums, in_sums) < least) return Neighbours::terms;
    const int last = own.count - 1;
    return last > 0 && own.first[last] != least && own.first[last - 1] == least &&
                   own.extent[last] == 8
               ? Neighbours::eighth_indices
               : Neighbours::indices;
  }
  /// The mode of C's unit stride is the innermost one. Where it is not the input's, eight of its
  /// indices and `piece` of that are.
  static void share_tiles(ModeList& list, int piece) {
    list.unit_second_last();
    const int last = list.count - 1;
    int unit = 0;
    while (unit < last && list.first[unit] != 1) ++unit;
    if (unit >= last || list.extent[last] % 8 != 0 || list.extent[unit] % piece != 0) return;
    // The pieces innermost, what is left of both outside of them.
    list.move_in(unit, last - 1);
    list.cut(last, 8);
    const int inner = last - 1 + list.cut(last - 1, piece);
    list.move_in(inner, list.count - 2);
  }
  static std::ptrdiff_t shortest(const ModeList& list, const std::ptrdiff_t* strides) {
    std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
    for (int i = 0; i < list.count; ++i) {
      if (strides[i] > 0 && strides[i] < least) least = strides[i];
    }
    return least;
  }

  void add(char letter, const Labels& x, const Dims& dx, const Labels& y, const Dims& dy,
           const Labels& c, const Dims& dc) {
    std::ptrdiff_t extent = dynamic;
    ExtentClash clash{};  // the caller has compared the extents
    join_extents(x, dx, letter, extent, clash);
    join_extents(y, dy, letter, extent, clash);
    const std::ptrdiff_t in_x = letter_stride(x, dx, letter);
    const std::ptrdiff_t in_y = letter_stride(y, dy, letter);
    const std::ptrdiff_t in_c = letter_stride(c, dc, letter);
    const bool of_x = x.has(letter);
    const bool of_y = y.has(letter);
    Class k = Class::sum;
    if (c.has(letter)) k = of_x && of_y ? Class::batch : (of_x ? Class::row : Class::col);
    elements[static_cast<int>(k)] *= static_cast<double>(extent);
    switch (k) {
      case Class::batch:
        if (extent != 1) batch.add(static_cast<int>(extent), in_x, in_y, in_c);
        break;
      case Class::row:
        rows.add(extent, in_x, in_c);
        break;
      case Class::col:
        cols.add(extent, in_y, in_c);
        break;
      case Class::sum:
        sums.add(extent, in_x, in_y);
        break;
    }
  }
};

/// How a product is cut.
struct Cut {
  int shape = 0;
  int splits = 1;
  double filled = 0;                                   // part of the tiles
  double cycles = std::numeric_limits<double>::max();  // estimated
};

inline double tiles_of(double elements, int tile) { return std::ceil(elements / tile); }

/// The best cut for a GPU of so many processors with 128 multiply-adds of T a cycle and 20 bytes to
/// and from memory.
template <class T>
KOKKOSCONTRACT_COLD_CODE Cut best_cut(const Modes& modes, double processors) {
  const auto size = [&](Class k) { return modes.elements[static_cast<int>(k)]; };
  const double sums = size(Class::sum);
  const double part_bytes = size(Class::row) * size(Class::col) * size(Class::batch) * sizeof(T);
  Cut best;
  for (int shape = 0; shape < 2; ++shape) {
    const Tile tile = tiles<T>[shape];
    const double tiles = tiles_of(size(Class::row), tile.rows) *
                         tiles_of(size(Class::col), tile.cols) * size(Class::batch);
    const double term = tile.rows * tile.cols / 128.;
    for (int splits = 1; splits <= 64 && (splits == 1 || sums / splits >= 128); ++splits) {
      const double waves = std::ceil(tiles * splits / processors / tile.blocks);
      const double sharing = splits > 1 ? 2 * splits * part_bytes / (processors * 20) + 4000 : 0;
      const double cycles =
          waves * tile.blocks * term * (std::ceil(sums / splits) / tile.efficiency + 32) + sharing;
      if (cycles < best.cycles) {
        const double area = tiles * tile.rows * tile.cols * sizeof(T);
        best = {shape, splits, part_bytes / area, cycles};
      }
    }
  }
  return best;
}

template <class T, int StaticShape, class Space>
void launch(const Space& exec, const GridProduct<T>& product, int splits) {
  constexpr Tile tile = tiles<T>[StaticShape];
  using K = Kernel<machine_of_t<Space>, T, tile.rows, tile.cols>;
  const auto cut = [](int n, int piece) { return (n + piece - 1) / piece; };
  const int down = cut(product.row_count, tile.rows);
  const int across = cut(product.col_count, tile.cols);
  const int steps = cut(cut(product.sum_count, depth<T>), splits);
  const int blocks = down * across * product.batch_count;
  using Memory = typename Space::memory_space;
  using Partial = Kokkos::View<T*, Memory>;
  const Partial partial =
      splits == 1 ? Partial()
                  : Partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                               "KokkosContract::contract partial sums"),
                            static_cast<std::size_t>(blocks) * splits * tile.rows * tile.cols);
  const K kernel{product, down, across, splits, steps, partial.data()};
  const auto run = [&]<class Tag>(Tag, int teams) {
    using Policy = Kokkos::TeamPolicy<Space, Tag, Kokkos::LaunchBounds<workers, tile.blocks>>;
    auto policy = Policy(exec, teams, workers);
    policy.set_scratch_size(0, Kokkos::PerTeam(K::scratch_bytes));
    // The kernel's arguments go with its launch, not through a copy that waits for former kernels.
    Kokkos::parallel_for("KokkosContract::contract",
                         Kokkos::Experimental::require(
                             policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                         kernel);
  };
  run(typename K::Multiply{}, blocks * splits);
  if (splits > 1) run(typename K::Add{}, blocks);
}

template <class T>
GridProduct<T> product_of(const Modes& modes, const Labels& x, const Labels& y, const T* data_x,
                          const T* data_y, T* data_c) {
  const auto size = [&](Class k) { return static_cast<int>(modes.elements[static_cast<int>(k)]); };
  GridProduct<T> product{};
  product.rows = grid_modes_of(modes.rows);
  product.cols = grid_modes_of(modes.cols);
  product.sums = grid_modes_of(modes.sums);
  product.batch = modes.batch;
  product.row_count = size(Class::row);
  product.col_count = size(Class::col);
  product.sum_count = size(Class::sum);
  product.batch_count = size(Class::batch);
  product.neighbours_x = modes.neighbours_in_x();
  product.neighbours_y = modes.neighbours_in_y();
  product.pairs_in_c = modes.has_pairs(data_c);
  product.conjugate_x = x.conjugate;
  product.conjugate_y = y.conjugate;
  product.x = data_x;
  product.y = data_y;
  product.c = data_c;
  return product;
}

}  // namespace Grid

/// Runs C = alpha A B + beta C by tiles, if it is large enough; false if not.
template <class T, class Space>
KOKKOSCONTRACT_COLD_CODE bool contract_on_grid(const Space& exec, const Parsed& p, T alpha,
                                               const T* a, const Dims& da, const T* b,
                                               const Dims& db, T beta, T* c, const Dims& dc) {
  const Labels& in_a = p.input[0];
  const Labels& in_b = p.input[1];
  const Grid::Modes modes(in_a, da, in_b, db, p.output, dc);
  const Grid::Modes swapped(in_b, db, in_a, da, p.output, dc);
  double products = 1;
  for (const double n : modes.elements) {
    products *= n;
    if (n > 1 << 30) return false;
  }
  const double processors = std::max(1., exec.concurrency() / 2048.);
  const Grid::Cut straight = Grid::best_cut<T>(modes, processors);
  const Grid::Cut turned = Grid::best_cut<T>(swapped, processors);
  const bool swaps = turned.cycles < straight.cycles;
  const Grid::Cut& cut = swaps ? turned : straight;
  // Where tiles would be mostly empty, workers with an element each do better.
  if (products < Grid::least_products || cut.filled < Grid::least_filled) return false;

  GridProduct<T> product = swaps ? Grid::product_of(swapped, in_b, in_a, b, a, c)
                                 : Grid::product_of(modes, in_a, in_b, a, b, c);
  product.alpha = alpha;
  product.beta = beta;
  if (cut.shape == 0) {
    Grid::launch<T, 0>(exec, product, cut.splits);
  } else {
    Grid::launch<T, 1>(exec, product, cut.splits);
  }
  return true;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
