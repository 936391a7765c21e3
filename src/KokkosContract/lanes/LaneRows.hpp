// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LANES_LANEROWS_HPP
#define KOKKOSCONTRACT_LANES_LANEROWS_HPP

// Whole rows of a matrix in the registers of a GPU's lanes (a LaneMatrix whose grid has one
// column), loaded and stored row-major. Two or four neighbouring lanes process their rows in turn,
// and each lane accesses one chunk of the row. So an access covers whole sectors of memory. The
// lanes exchange the chunks by shuffles.

#include <KokkosContract/lanes/LaneMatrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The first Cols columns of M. Piece: the number of neighbours in a row that are loaded at once.
/// Lower: only chunks that are not entirely above the diagonal, and the rest of their sectors.
template <class M, int Cols, int Piece, bool Lower = false>
struct RowPieces {
  using T = typename M::value_type;
  static_assert(M::grid.cols == 1 && Cols % Piece == 0 && Cols <= M::cols);
  static constexpr int pieces = Cols / Piece;
  /// Bytes of a row that neighbouring lanes access together.
  static constexpr int bytes =
      bytes_of_row_pieces(Cols * static_cast<int>(sizeof(T)), M::lanes, Cols < M::cols);
  /// Number of neighbouring lanes that access them.
  static constexpr int most_lanes = [] {
    int lanes = 1;
    while (lanes < M::lanes && lanes * Piece * static_cast<int>(sizeof(T)) < bytes) lanes *= 2;
    return lanes;
  }();

  M& m;

  /// Number of chunks of the rows with number r of all lanes.
  static consteval int pieces_of(int r) {
    if (!Lower) return pieces;
    const int block = most_lanes * Piece;
    const int end = ((r + 1) * M::lanes + block - 1) / block * most_lanes;
    return end < pieces ? end : pieces;
  }

  /// Calls f.operator()<First, Lanes>(r) for blocks of chunks, one chunk for each of some lanes.
  template <int R = 0, int First = 0, int Lanes = most_lanes, class F>
  static KOKKOS_FORCEINLINE_FUNCTION void for_blocks(const F& f) {
    if constexpr (R < M::tile_rows) {
      constexpr int end = pieces_of(R);
      if constexpr (First >= end) {
        for_blocks<R + 1, 0, most_lanes>(f);
      } else if constexpr (First + Lanes <= end) {
        f.template operator()<First, Lanes>(R);
        for_blocks<R, First + Lanes, Lanes>(f);
      } else {
        for_blocks<R, First, Lanes / 2>(f);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION T& element(int r, int piece, int v) const {
    return m.tile[r][piece * Piece + v];
  }

  /// Exchanges chunk s of a block with chunk s ^ lane.
  template <int First, int Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void permute(int r, int lane) const {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int bit = 1; bit < Lanes; bit *= 2) {
      const bool swaps = (lane & bit) != 0;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < Lanes; ++s) {
        if ((s & bit) != 0) continue;
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int v = 0; v < Piece; ++v) {
          const T x = element(r, First + s, v);
          const T y = element(r, First + s + bit, v);
          element(r, First + s, v) = choose(swaps, y, x);
          element(r, First + s + bit, v) = choose(swaps, x, y);
        }
      }
    }
  }
  /// Lanes swap their chunks s with those of the lane whose number differs by s.
  template <int First, int Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(int r) const {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int s = 1; s < Lanes; ++s) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int v = 0; v < Piece; ++v) {
        T& x = element(r, First + s, v);
        x = m.group.from(x, m.group.lane ^ s);
      }
    }
  }

  /// Loads chunks. Chunk number s that lane `lane` loads is number s ^ lane of the block, and
  /// belongs to the row of lane s. read(x, i, j) sets x to the element of row i and column j and to
  /// those after it.
  template <class Read>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Read& read) const {
    for_blocks([&]<int First, int Lanes>(int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int lane = m.group.lane % Lanes;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < Lanes; ++s) {
        const int i = r * M::lanes + m.group.lane - lane + s;
        T x[Piece]{};
        if (M::has_row(i)) {
          read(x, i, (First + (s ^ lane)) * Piece);
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int v = 0; v < Piece; ++v) element(r, First + s, v) = x[v];
        }
      }
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void distribute() const {
    for_blocks([&]<int First, int Lanes>(int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int lane = m.group.lane % Lanes;
      permute<First, Lanes>(r, lane);
      exchange<First, Lanes>(r);
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void collect() const {
    for_blocks([&]<int First, int Lanes>(int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int lane = m.group.lane % Lanes;
      exchange<First, Lanes>(r);
      permute<First, Lanes>(r, lane);
    });
  }
  /// Stores chunks. place[r] is the row index at which this lane's row number r is stored. `places`
  /// has those of the lanes around it.
  template <class Write>
  KOKKOS_FORCEINLINE_FUNCTION void store(const int (&places)[M::tile_rows][most_lanes],
                                         const Write& write) const {
    for_blocks([&]<int First, int Lanes>(int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int lane = m.group.lane % Lanes;
      // The first of the lanes that share a block is not always the first of most_lanes.
      const int shift = m.group.lane % most_lanes - lane;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < Lanes; ++s) {
        int place = places[r][s];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int first = Lanes; first < most_lanes; first += Lanes) {
          place = shift == first ? places[r][s + first] : place;
        }
        T x[Piece];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int v = 0; v < Piece; ++v) x[v] = element(r, First + s, v);
        const int i = r * M::lanes + m.group.lane - lane + s;
        if (M::has_row(i)) write(x, place, (First + (s ^ lane)) * Piece);
      }
    });
  }
  /// Stores without interchanges. write(x, i, j, whole) stores x; `whole` means that no element of
  /// x can be above the diagonal.
  template <class Write>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Write& write) const {
    for_blocks([&]<int First, int Lanes>(int r) KOKKOSCONTRACT_INLINE_LAMBDA {
      const bool whole = !Lower || (First + Lanes) * Piece <= r * M::lanes;
      const int lane = m.group.lane % Lanes;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < Lanes; ++s) {
        T x[Piece];
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int v = 0; v < Piece; ++v) x[v] = element(r, First + s, v);
        const int i = r * M::lanes + m.group.lane - lane + s;
        if (M::has_row(i)) {
          write(x, i, (First + (s ^ lane)) * Piece, whole);
        }
      }
    });
  }
};

/// Whether all rows of problem z start at multiples of 16 bytes.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool has_aligned_rows(const A& a, int z) {
  const auto address = [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
    return reinterpret_cast<std::uintptr_t>(&a(z, i, 0));
  };
  return ((address(0) | address(1)) & 15U) == 0;
}

/// Number of elements of a row of A that are loaded at once: two doubles if rows may start at
/// multiples of 16 bytes. Half a sector that is stored alone costs twice as much.
template <class T, class A>
consteval int piece_of_row(int cols) {
  using Element = std::remove_const_t<typename A::value_type>;
  return std::is_same_v<T, double> && std::is_same_v<Element, double> && cols % 2 == 0 ? 2 : 1;
}

/// Loads the first Cols columns of problem z, whole rows to a lane, or nothing if z is negative.
/// transform(x) converts an element. Lower: only a triangle; elements above it may have any value.
template <int Cols, bool Lower = false, class M, class A, class F>
KOKKOS_FORCEINLINE_FUNCTION void load_rows(M& m, const A& a, int z, const F& transform) {
  using T = typename M::value_type;
  const bool active = z >= 0;
  if constexpr (M::grid.cols == 1 && A::unit_cols && !A::is_interleaved) {
    constexpr int piece = piece_of_row<T, A>(Cols);
    const RowPieces<M, Cols, piece, Lower> pieces{m};
    bool pairs = false;
    if constexpr (piece == 2) {
      pairs = active && has_aligned_rows(a, z);
      if (pairs) {
        pieces.load([&](T(&x)[piece], int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          M::Machine::load_pair(&a(z, i, j), x);
          x[0] = transform(x[0]);
          x[1] = transform(x[1]);
        });
      }
    }
    if (active && !pairs) {
      pieces.load([&](T(&x)[piece], int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int v = 0; v < piece; ++v) {
          x[v] = transform(convert<T>(a(z, i, j + v)));
        }
      });
    }
    pieces.distribute();
  } else {
    const auto load_one = [&](T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (active && j < Cols) x = transform(convert<T>(a(z, i, j)));
    };
    if constexpr (Lower) {
      m.for_lower(load_one);
    } else {
      m.for_tile(load_one);
    }
  }
}

/// Loads all columns.
template <int Cols, class M, class A>
KOKKOS_FORCEINLINE_FUNCTION void load_rows(M& m, const A& a, int z) {
  using T = typename M::value_type;
  load_rows<Cols>(m, a, z, [](const T& x) KOKKOSCONTRACT_INLINE_LAMBDA { return x; });
}

/// Loads the lower triangle, or that of the identity if there is no problem.
template <class M, class A>
KOKKOS_FORCEINLINE_FUNCTION void load_lower_rows(M& m, const A& a, int z) {
  using T = typename M::value_type;
  load_rows<M::cols, true>(m, a, z, [](const T& x) KOKKOSCONTRACT_INLINE_LAMBDA { return x; });
  if (z < 0) {
    m.for_lower([&](T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA { x = T(i == j ? 1 : 0); });
  }
}

/// Stores the columns if `active`. Row number r of a lane goes to row place[r], which is negative
/// after the last row.
template <int Cols, class M, class A>
KOKKOS_FORCEINLINE_FUNCTION void store_rows(M& m, const A& a, int z, bool active,
                                            const int (&place)[M::tile_rows]) {
  using T = typename M::value_type;
  using Element = typename A::value_type;
  if constexpr (A::unit_cols && !A::is_interleaved) {
    constexpr int piece = piece_of_row<T, A>(Cols);
    using Pieces = RowPieces<M, Cols, piece>;
    const Pieces pieces{m};
    int places[M::tile_rows][Pieces::most_lanes];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < Pieces::most_lanes; ++s) {
        const int lane = m.group.lane;
        places[r][s] = m.group.from(place[r], lane - lane % Pieces::most_lanes + s);
      }
    }
    pieces.collect();
    if (!active) return;
    if constexpr (piece == 2) {
      if (has_aligned_rows(a, z)) {
        pieces.store(places, [&](const T(&x)[piece], int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
          M::Machine::store_pair(&a(z, i, j), x[0], x[1]);
        });
        return;
      }
    }
    pieces.store(places, [&](const T(&x)[piece], int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int v = 0; v < piece; ++v) a(z, i, j + v) = convert<Element>(x[v]);
    });
  } else {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < M::tile_rows; ++r) {
      if (!active || place[r] < 0) continue;
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int c = 0; c < Cols; ++c) a(z, place[r], c) = convert<Element>(m.tile[r][c]);
    }
  }
}

/// Stores the lower triangle of problem z, without the diagonal if `Strict`, and nothing above it.
/// All lanes with a problem call it.
template <bool Strict = false, class M, class A>
KOKKOS_FORCEINLINE_FUNCTION void store_lower_rows(M& m, const A& a, int z) {
  using T = typename M::value_type;
  using Element = typename A::value_type;
  if constexpr (M::grid.cols == 1 && A::unit_cols && !A::is_interleaved) {
    constexpr int piece = piece_of_row<T, A>(M::cols);
    const RowPieces<M, M::cols, piece, true> pieces{m};
    pieces.collect();
    if (z < 0) return;
    const bool pairs = piece == 2 && has_aligned_rows(a, z);
    pieces.store([&](const T(&x)[piece], int i, int j, bool whole) KOKKOSCONTRACT_INLINE_LAMBDA {
      const int end = Strict ? i : i + 1;
      if constexpr (piece == 2) {
        if (pairs && (whole || j + 1 < end)) {
          M::Machine::store_pair(&a(z, i, j), x[0], x[1]);
          return;
        }
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int v = 0; v < piece; ++v) {
        if (whole || j + v < end) a(z, i, j + v) = convert<Element>(x[v]);
      }
    });
  } else if (z >= 0) {
    m.for_lower([&](const T& x, int i, int j) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (!Strict || j < i) a(z, i, j) = convert<Element>(x);
    });
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
