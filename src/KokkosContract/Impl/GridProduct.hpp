// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_GRIDPRODUCT_HPP
#define KOKKOSCONTRACT_IMPL_GRIDPRODUCT_HPP

// Contractions of large tensors as a kernel of a GPU: a matrix product of flattened indices, each
// block of threads having a tile of C in its registers. Panels of both inputs are gathered into
// shared memory through lists of offsets while the former ones are multiplied, so that no tensor is
// permuted in memory (J. Kim et al., A code generator for high-performance tensor contractions on
// GPUs, CGO 2019). Where C has too few tiles for the machine, several
// blocks share the sum of one, and a second kernel adds their parts, in a fixed order. Everything
// is known at run time only: one kernel for each type serves all contractions of a program.

#include <KokkosContract/Impl/Level.hpp>
#include <KokkosContract/Impl/Lower.hpp>
#include <KokkosContract/Impl/ModeList.hpp>
#include <KokkosContract/Impl/Scalar.hpp>
#include <KokkosContract/Impl/TensorCore.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The modes of one class as a kernel reads them, the last one fastest: up to three operands'
/// strides.
struct GridModes {
  int count = 0;
  int extent[ModeList::most]{};
  std::ptrdiff_t stride[3][ModeList::most]{};

  void add(int n, std::ptrdiff_t first, std::ptrdiff_t second, std::ptrdiff_t third = 0) {
    extent[count] = n;
    stride[0][count] = first;
    stride[1][count] = second;
    stride[2][count++] = third;
  }
  static GridModes of(const ModeList& list) {
    GridModes modes;
    for (int i = 0; i < list.count; ++i) {
      modes.add(static_cast<int>(list.extent[i]), list.first[i], list.second[i]);
    }
    return modes;
  }

  template <int Operands>
  KOKKOS_FUNCTION void offsets(int index, std::ptrdiff_t (&at)[Operands]) const {
    for (std::ptrdiff_t& offset : at) offset = 0;
    auto rest = static_cast<unsigned>(index);
    for (int i = count - 1; i >= 0; --i) {
      const unsigned digit = rest % static_cast<unsigned>(extent[i]);
      rest /= static_cast<unsigned>(extent[i]);
      KOKKOSCONTRACT_UNROLL
      for (int o = 0; o < Operands; ++o) at[o] += static_cast<int>(digit) * stride[o][i];
    }
  }
};

template <class T>
struct GridProduct {
  GridModes rows;   // of x and c
  GridModes cols;   // of y and c
  GridModes sums;   // of x and y
  GridModes batch;  // of x, y and c
  int row_count, col_count, sum_count, batch_count;
  bool sums_first_in_x, sums_first_in_y;  // neighbours in memory are terms of the sum
  bool conjugate_x, conjugate_y;
  const T* x;
  const T* y;
  T* c;
  T alpha, beta;
};

namespace Grid {
inline constexpr int workers = 256;
inline constexpr int depth = 8;          // terms of the sum at a time
inline constexpr int table_terms = 128;  // whose offsets are found at a time
/// Of the multiply-adds that a GPU could do in the time, those that are needed: from here on tiles
/// pay.
inline constexpr double least_filled = 0.05;

/// From one term of a panel in shared memory to the next: the elements of four terms and of 32
/// bytes of each are in different banks.
template <class T>
inline constexpr int panel_stride(int width) {
  return width + 32 / static_cast<int>(sizeof(T));
}

struct Tile {
  int rows, cols;
};
/// Square, and for products with few columns.
template <class T>
inline constexpr Tile tiles[] = {sizeof(T) < 16 ? Tile{128, 128} : Tile{64, 64},
                                 sizeof(T) < 16 ? Tile{256, 32} : Tile{128, 32}};

/// Starts copying an element into shared memory, or zero.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void start_element(T* to, const T* from, bool is_there) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(T)), "r"(is_there ? static_cast<int>(sizeof(T)) : 0));
#else
  *to = is_there ? *from : T(0);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void finish_elements() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// A worker's elements of the panels of one input, `Width` indices wide.
template <class T, int Width>
struct Panel {
  static constexpr int count = Width * depth / workers;
  const T* from;
  std::ptrdiff_t at[count];
  int term, term_step;    // of the first element, and from one to the next
  int place, place_step;  // in shared memory

  /// Of indices from `begin` on, the last one again and again behind `end`.
  KOKKOS_FUNCTION Panel(const T* data, const GridModes& modes, int begin, int end, bool sums_first,
                        int rank)
      : from(data) {
    // A warp has 32 indices of one term, or 8 indices of four.
    const int warp = rank / 32;
    const int index = sums_first ? rank / 4 % 8 + warp / 2 * 8 : rank % Width;
    const int index_step = sums_first ? 32 : 0;
    term = sums_first ? rank % 4 + warp % 2 * 4 : rank / Width;
    term_step = sums_first ? 0 : workers / Width;
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < count; ++i) {
      const int wanted = begin + index + i * index_step;
      std::ptrdiff_t offset[1];
      modes.offsets(wanted < end ? wanted : end - 1, offset);
      at[i] = offset[0];
    }
    place = term * panel_stride<T>(Width) + index;
    place_step = term_step * panel_stride<T>(Width) + index_step;
  }

  /// Starts copying `terms` of them, zero behind that.
  KOKKOS_FORCEINLINE_FUNCTION void start(T* to, const std::ptrdiff_t* term_offset,
                                         int terms) const {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < count; ++i) {
      const int k = term + i * term_step;
      start_element(to + place + i * place_step, from + at[i] + term_offset[k], k < terms);
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
  static constexpr int chunk = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1;
  struct alignas(sizeof(T) < 16 ? 16 : sizeof(T)) Chunk {
    T value[chunk];

    KOKKOS_FORCEINLINE_FUNCTION void conjugate_if(bool wanted) {
      KOKKOSCONTRACT_UNROLL
      for (T& v : value) v = T(v.real(), wanted ? -v.imag() : v.imag());
    }
  };

  int row, col;
  T sum[height][width];

  KOKKOS_FORCEINLINE_FUNCTION explicit ScalarSums(int rank)
      : row(rank / across * chunk), col(rank % across * chunk) {
    for_each([](int, int, int, T& value) { value = T(0); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const T* x, const T* y,
                                            [[maybe_unused]] bool conjugate_x,
                                            [[maybe_unused]] bool conjugate_y) {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < depth; ++k) {
      Chunk a[height / chunk];
      Chunk b[width / chunk];
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height / chunk; ++i) {
        a[i] = *reinterpret_cast<const Chunk*>(x + k * panel_stride<T>(Rows) + row +
                                               i * down * chunk);
      }
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width / chunk; ++j) {
        b[j] = *reinterpret_cast<const Chunk*>(y + k * panel_stride<T>(Cols) + col +
                                               j * across * chunk);
      }
      if constexpr (is_complex<T>) {
        for (Chunk& part : a) part.conjugate_if(conjugate_x);
        for (Chunk& part : b) part.conjugate_if(conjugate_y);
      }
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < width; ++j) {
          sum[i][j] = multiply_add(sum[i][j], a[i / chunk].value[i % chunk],
                                   b[j / chunk].value[j % chunk]);
        }
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
        f(i * width + j, row + i / chunk * down * chunk + i % chunk,
          col + j / chunk * across * chunk + j % chunk, sum[i][j]);
      }
    }
  }
};

/// The same by tensor cores: a warp has tiles of 16 x 8.
template <int Rows, int Cols>
struct TensorSums {
  static constexpr int across = Cols / 32;
  static constexpr int down = workers / 32 / across;
  static constexpr int height = Rows / down / 16;
  static constexpr int width = 4;

  int row, col, term;  // this lane's
  double sum[height][width][4];

  KOKKOS_FORCEINLINE_FUNCTION explicit TensorSums(int rank)
      : row(rank / 32 / across * height * 16 + rank % 32 / 4),
        col(rank / 32 % across * 32),
        term(rank % 4) {
    for_each([](int, int, int, double& value) { value = 0; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const double* x, const double* y, bool, bool) {
    KOKKOSCONTRACT_UNROLL
    for (int k = 0; k < depth; k += 4) {
      const double* const a = x + (k + term) * panel_stride<double>(Rows) + row;
      const double* const b = y + (k + term) * panel_stride<double>(Cols) + col + row % 8;
      double from_x[height][2];
      double from_y[width];
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height; ++i) {
        from_x[i][0] = a[16 * i];
        from_x[i][1] = a[16 * i + 8];
      }
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width; ++j) from_y[j] = b[8 * j];
      KOKKOSCONTRACT_UNROLL
      for (int i = 0; i < height; ++i) {
        KOKKOSCONTRACT_UNROLL
        for (int j = 0; j < width; ++j) tensor_multiply_add(sum[i][j], from_x[i], from_y[j]);
      }
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const F& f) {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < height; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int j = 0; j < width; ++j) {
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < 4; ++r) {
          f((i * width + j) * 4 + r, row + 16 * i + r / 2 * 8, col + 8 * j + 2 * term + r % 2,
            sum[i][j][r]);
        }
      }
    }
  }
};

template <class T, int Rows, int Cols>
struct SumsOf {
  using type = ScalarSums<T, Rows, Cols>;
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <int Rows, int Cols>
struct SumsOf<double, Rows, Cols> {
  using type = TensorSums<Rows, Cols>;
};
#endif

template <class T, int Rows, int Cols>
struct Kernel {
  GridProduct<T> p;
  int down, across;  // tiles
  int splits;        // blocks that share a tile
  int steps;         // of each of them
  T* partial;        // their sums, where there are several

  struct Multiply {};
  struct Add {};

  static constexpr int panel_elements =
      depth * (panel_stride<T>(Rows) + panel_stride<T>(Cols));
  /// Shared memory of a block.
  struct Shared {
    alignas(16) T panel[2][panel_elements];
    std::ptrdiff_t x_term[2][table_terms];
    std::ptrdiff_t y_term[2][table_terms];
    std::ptrdiff_t c_row[Rows];
    std::ptrdiff_t c_col[Cols];
  };
  static constexpr int scratch_bytes = static_cast<int>(sizeof(Shared)) + 16;

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

  KOKKOS_FORCEINLINE_FUNCTION void fill_table(Shared& shared, int chunk, int begin,
                                              int rank) const {
    if (rank >= table_terms) return;
    const int wanted = begin + chunk * table_terms + rank;
    std::ptrdiff_t at[2];
    p.sums.offsets(wanted < p.sum_count ? wanted : 0, at);
    shared.x_term[chunk % 2][rank] = at[0];
    shared.y_term[chunk % 2][rank] = at[1];
  }

  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Sums& sums, const Shared& shared, const Place& place,
                                          T* c) const {
    const int rows = p.row_count - place.row;
    const int cols = p.col_count - place.col;
    const bool reads = !is_zero(p.beta);
    sums.for_each([&](int, int i, int j, const T& sum) {
      if (i >= rows || j >= cols) return;
      T& element = c[shared.c_row[i] + shared.c_col[j]];
      const T value = p.alpha * sum;
      element = reads ? multiply_add(value, p.beta, element) : value;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void fill_output_offsets(Shared& shared, const Place& place,
                                                       int rank) const {
    std::ptrdiff_t at[2];
    for (int i = rank; i < Rows; i += workers) {
      p.rows.offsets(place.row + i < p.row_count ? place.row + i : 0, at);
      shared.c_row[i] = at[1];
    }
    for (int j = rank; j < Cols; j += workers) {
      p.cols.offsets(place.col + j < p.col_count ? place.col + j : 0, at);
      shared.c_col[j] = at[1];
    }
  }

  /// Where worker `rank` puts its sums of one split of a tile: neighbours side by side.
  KOKKOS_FORCEINLINE_FUNCTION T* partial_of(int block, int rank) const {
    return partial + static_cast<std::ptrdiff_t>(block) * (Rows * Cols) + rank;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Multiply, const Member& member) const {
    Shared& shared =
        *static_cast<Shared*>(member.team_scratch(0).get_shmem_aligned(sizeof(Shared), 16));
    const int rank = member.team_rank();
    const Place place = place_of(member.league_rank());
    std::ptrdiff_t problem[3];
    p.batch.offsets(place.problem, problem);
    const int begin = place.split * steps * depth;
    const int terms_left = p.sum_count - begin;
    const int terms = terms_left < steps * depth ? terms_left : steps * depth;
    const int here = terms > 0 ? (terms + depth - 1) / depth : 0;

    const Panel<T, Rows> x(p.x + problem[0], p.rows, place.row, p.row_count, p.sums_first_in_x,
                           rank);
    const Panel<T, Cols> y(p.y + problem[1], p.cols, place.col, p.col_count, p.sums_first_in_y,
                           rank);
    const auto start = [&](int step) {
      T* const panel = shared.panel[step % 2];
      constexpr int steps_of_table = table_terms / depth;
      const int slot = step / steps_of_table % 2;
      const int entry = step % steps_of_table * depth;
      x.start(panel, &shared.x_term[slot][entry], terms - step * depth);
      y.start(panel + depth * panel_stride<T>(Rows), &shared.y_term[slot][entry],
              terms - step * depth);
    };
    fill_table(shared, 0, begin, rank);
    fill_output_offsets(shared, place, rank);
    member.team_barrier();
    if (here > 0) start(0);

    typename SumsOf<T, Rows, Cols>::type sums(rank);
    KOKKOSCONTRACT_NO_UNROLL
    for (int step = 0; step < here; ++step) {
      finish_elements();
      member.team_barrier();
      if (step + 1 < here) start(step + 1);
      // The next table is complete behind the next barrier, before its first use.
      if ((step + 2) * depth % table_terms == 0) {
        fill_table(shared, (step + 2) * depth / table_terms, begin, rank);
      }
      const T* const panel = shared.panel[step % 2];
      sums.multiply(panel, panel + depth * panel_stride<T>(Rows), p.conjugate_x, p.conjugate_y);
    }
    if (splits == 1) {
      finish(sums, shared, place, p.c + problem[2]);
    } else {
      T* const mine = partial_of(member.league_rank(), rank);
      sums.for_each([&](int e, int, int, const T& sum) { mine[e * workers] = sum; });
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Add, const Member& member) const {
    Shared& shared =
        *static_cast<Shared*>(member.team_scratch(0).get_shmem_aligned(sizeof(Shared), 16));
    const int rank = member.team_rank();
    const int tiles = down * across;
    const int first = member.league_rank() / tiles * tiles * splits + member.league_rank() % tiles;
    const Place place = place_of(first);
    std::ptrdiff_t problem[3];
    p.batch.offsets(place.problem, problem);
    fill_output_offsets(shared, place, rank);
    member.team_barrier();
    typename SumsOf<T, Rows, Cols>::type sums(rank);
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
    rows.unit_second_last();
    rows.share_blocks(rows.first, 4);
    cols.unit_second_last();
    cols.share_blocks(cols.first, 4);
    sums.share_blocks(sums.first, 4, 4, 4);
    sums.share_blocks(sums.second, 4, 4, 4);
  }

 private:
  void add(char letter, const Labels& x, const Dims& dx, const Labels& y, const Dims& dy,
           const Labels& c, const Dims& dc) {
    std::ptrdiff_t extent = dynamic;
    join_extents(x, dx, letter, extent);
    join_extents(y, dy, letter, extent);
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
      case Class::row: rows.add(extent, in_x, in_c); break;
      case Class::col: cols.add(extent, in_y, in_c); break;
      case Class::sum: sums.add(extent, in_x, in_y); break;
    }
  }
};

/// How a product is cut.
struct Cut {
  int shape = 0;
  int splits = 1;
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
      const double waves = std::ceil(tiles * splits / processors);
      const double sharing = splits > 1 ? 2 * splits * part_bytes / (processors * 20) + 4000 : 0;
      const double cycles = waves * term * (std::ceil(sums / splits) + 32) + sharing;
      if (cycles < best.cycles) best = {shape, splits, cycles};
    }
  }
  return best;
}

template <class T, int Shape, class Space>
void launch(const Space& exec, const GridProduct<T>& product, int splits) {
  constexpr Tile tile = tiles<T>[Shape];
  using K = Kernel<T, tile.rows, tile.cols>;
  const auto cut = [](int n, int piece) { return (n + piece - 1) / piece; };
  const int down = cut(product.row_count, tile.rows);
  const int across = cut(product.col_count, tile.cols);
  const int steps = cut(cut(product.sum_count, depth), splits);
  const int blocks = down * across * product.batch_count;
  using Memory = typename Space::memory_space;
  using Partial = Kokkos::View<T*, Memory>;
  const Partial partial =
      splits == 1 ? Partial()
                  : Partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                               "KokkosContract::contract partial sums"),
                            static_cast<std::size_t>(blocks) * splits * tile.rows * tile.cols);
  const K kernel{product, down, across, splits, steps, partial.data()};
  using Bounds = Kokkos::LaunchBounds<workers, 1>;
  using Scratch = decltype(Kokkos::PerTeam(0));
  const Scratch scratch = Kokkos::PerTeam(K::scratch_bytes);
  Kokkos::parallel_for(
      "KokkosContract::contract",
      Kokkos::TeamPolicy<Space, typename K::Multiply, Bounds>(exec, blocks * splits, workers)
          .set_scratch_size(0, scratch),
      kernel);
  if (splits > 1) {
    Kokkos::parallel_for(
        "KokkosContract::contract",
        Kokkos::TeamPolicy<Space, typename K::Add, Bounds>(exec, blocks, workers)
            .set_scratch_size(0, scratch),
        kernel);
  }
}

template <class T>
GridProduct<T> product_of(const Modes& modes, const Labels& x, const Labels& y, const T* data_x,
                          const T* data_y) {
  const auto size = [&](Class k) { return static_cast<int>(modes.elements[static_cast<int>(k)]); };
  const auto shortest = [](const ModeList& list, const std::ptrdiff_t(&strides)[ModeList::most]) {
    std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
    for (int i = 0; i < list.count; ++i) {
      if (strides[i] > 0 && strides[i] < least) least = strides[i];
    }
    return least;
  };
  GridProduct<T> product{};
  product.rows = GridModes::of(modes.rows);
  product.cols = GridModes::of(modes.cols);
  product.sums = GridModes::of(modes.sums);
  product.batch = modes.batch;
  product.row_count = size(Class::row);
  product.col_count = size(Class::col);
  product.sum_count = size(Class::sum);
  product.batch_count = size(Class::batch);
  product.sums_first_in_x =
      shortest(modes.sums, modes.sums.first) < shortest(modes.rows, modes.rows.first);
  product.sums_first_in_y =
      shortest(modes.sums, modes.sums.second) < shortest(modes.cols, modes.cols.first);
  product.conjugate_x = x.conjugate;
  product.conjugate_y = y.conjugate;
  product.x = data_x;
  product.y = data_y;
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
  const double filled = products / 128 / processors / cut.cycles;
  if (products < 64. * 64 * 64 || filled < Grid::least_filled) return false;

  GridProduct<T> product = swaps ? Grid::product_of(swapped, in_b, in_a, b, a)
                                 : Grid::product_of(modes, in_a, in_b, a, b);
  product.c = c;
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
