// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_LOWER_HPP
#define KOKKOSCONTRACT_NEST_LOWER_HPP

// From letters to a nest of loops. A contraction of two inputs is lowered to a matrix product with
// multi-indices, C[b, m, n] = sum_k X[b, m, k] Y[b, k, n], where each mode (index) is in one class:
//
//   batch  in X, Y and C      row  in X and C      col  in Y and C      sum  in X or Y, not in C
//
// X and Y are the two inputs. They are swapped if that puts C's unit-stride mode among the columns,
// along which the microkernel runs. One input alone is Y, and X is absent. If its unit-stride mode
// is not that of C, it is a row, so that a tile is contiguous on both sides. All of this is
// compile-time arithmetic on letters and shapes; no data moves. The result no longer depends on the
// string, so strings with the same loops share one instantiation of all further code.
//
// Loops count in int, up to most_extent. Modes are not merged if they would have more indices
// together, so that products of extents may be larger. For a dynamic mode around a static one, this
// is known only at run time. The merged mode is then `wide`: a wide sum is counted in 64 bits, and
// a wide mode of the output is cut (product/Contract.hpp).

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/nest/Parse.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

enum class Class { batch, row, col, sum };
inline constexpr int classes = 4;

/// The shape of an operand of any rank up to max_rank.
struct Dims {
  int rank = 0;
  std::ptrdiff_t extent[max_rank]{};
  std::ptrdiff_t stride[max_rank]{};
};

template <int R>
consteval Dims dims_of(const StaticShape<R>& shape) {
  Dims d{};
  d.rank = R;
  for (int i = 0; i < R; ++i) {
    d.extent[i] = shape.extent[i];
    d.stride[i] = shape.stride[i];
  }
  return d;
}

/// One loop: letters that are merged into one index (outermost first), with their static extent and
/// strides. A stride is 0 in an operand that does not have the index.
struct Mode {
  char letter[max_rank]{};
  int letters = 0;
  bool wide = false;  // may have more than most_extent indices
  std::ptrdiff_t extent = dynamic;
  std::ptrdiff_t x = 0;
  std::ptrdiff_t y = 0;
  std::ptrdiff_t c = 0;
};

inline constexpr int max_modes = 3 * max_rank;

/// Two static extents of a letter that differ. Without a letter there is no such pair.
struct ExtentClash {
  char letter = '\0';
  std::ptrdiff_t one = 0;
  std::ptrdiff_t other = 0;

  KOKKOS_FUNCTION constexpr bool none() const { return letter == '\0'; }
};

/// Its name appears in a compiler's error: a letter has one static extent in one operand and a
/// different one in another operand.
template <char Letter, std::ptrdiff_t One, std::ptrdiff_t Other>
struct extents_differ {
  static_assert(Letter == '\0',
                "KokkosContract: two operands have different static extents for one letter: see "
                "extents_differ<letter, one extent, the other>");
  static constexpr bool value = false;
};

struct Lowered {
  Labels x_labels{};
  Labels y_labels{};
  Labels c_labels{};
  bool swapped = false;
  ExtentClash clash{};  // the first one, as far as extents are static
  int count[classes]{};
  Mode mode[classes][max_modes]{};

  consteval void append(Class k, const Mode& m) {
    mode[static_cast<int>(k)][count[static_cast<int>(k)]++] = m;
  }
};

/// Whether the operand's first index is its fastest, as in LayoutLeft.
consteval bool is_column_major(const Dims& d) {
  return d.rank > 1 && d.stride[0] == 1 && d.stride[d.rank - 1] != 1;
}

/// The sum of the strides of a letter. A letter has several strides where an input is taken along a
/// diagonal.
constexpr std::ptrdiff_t letter_stride(const Labels& labels, const Dims& d, char letter) {
  std::ptrdiff_t stride = 0;
  for (int i = 0; i < labels.rank; ++i) {
    if (labels.letter[i] != letter) continue;
    if (d.stride[i] == dynamic) return dynamic;
    stride += d.stride[i];
  }
  return stride;
}

/// Joins the static extents of a letter. Records the first clash.
constexpr void join_extents(const Labels& labels, const Dims& d, char letter,
                            std::ptrdiff_t& extent, ExtentClash& clash) {
  for (int i = 0; i < labels.rank; ++i) {
    if (labels.letter[i] != letter || d.extent[i] == dynamic) continue;
    if (extent != dynamic && extent != d.extent[i] && clash.none()) {
      clash = {letter, extent, d.extent[i]};
    }
    extent = d.extent[i];
  }
}

consteval bool strides_nest(std::ptrdiff_t outer, std::ptrdiff_t inner, std::ptrdiff_t extent) {
  return outer != dynamic && inner != dynamic && outer == inner * extent;
}

/// Whether `inner` directly inside `outer` runs through memory like one longer index.
consteval bool merges(const Mode& outer, const Mode& inner) {
  const bool too_many =
      outer.extent != dynamic && inner.extent > 0 && outer.extent > most_extent / inner.extent;
  return inner.extent != dynamic && !too_many && outer.letters + inner.letters <= max_rank &&
         strides_nest(outer.x, inner.x, inner.extent) &&
         strides_nest(outer.y, inner.y, inner.extent) &&
         strides_nest(outer.c, inner.c, inner.extent);
}

consteval void merge_modes(Lowered& l, Class k) {
  int& n = l.count[static_cast<int>(k)];
  Mode* mode = l.mode[static_cast<int>(k)];
  for (int i = n - 2; i >= 0; --i) {
    if (!merges(mode[i], mode[i + 1])) continue;
    Mode merged = mode[i + 1];
    merged.letters = mode[i].letters + mode[i + 1].letters;
    for (int a = 0; a < mode[i].letters; ++a) merged.letter[a] = mode[i].letter[a];
    for (int a = 0; a < mode[i + 1].letters; ++a) {
      merged.letter[mode[i].letters + a] = mode[i + 1].letter[a];
    }
    merged.wide = mode[i].extent == dynamic;
    merged.extent = merged.wide ? dynamic : mode[i].extent * mode[i + 1].extent;
    mode[i] = merged;
    for (int a = i + 1; a < n - 1; ++a) mode[a] = mode[a + 1];
    --n;
  }
}

/// Whether static strides show that a should be inside b.
consteval bool is_inner(const Mode& a, const Mode& b, Class k) {
  const std::ptrdiff_t sa = k == Class::sum ? (a.x != 0 ? a.x : a.y) : a.c;
  const std::ptrdiff_t sb = k == Class::sum ? (b.x != 0 ? b.x : b.y) : b.c;
  return sa != dynamic && sb != dynamic && sa < sb;
}

consteval void sort_modes(Lowered& l, Class k) {
  const int n = l.count[static_cast<int>(k)];
  Mode* mode = l.mode[static_cast<int>(k)];
  for (int pass = 0; pass < n; ++pass) {
    for (int i = 0; i + 1 < n; ++i) {
      if (!is_inner(mode[i], mode[i + 1], k)) continue;
      const Mode m = mode[i];
      mode[i] = mode[i + 1];
      mode[i + 1] = m;
    }
  }
}

/// Lowers one or two inputs. `merge` is off if a caller needs each output index separately.
consteval Lowered lower(const Labels& a, const Labels& b, const Labels& c, const Dims& da,
                        const Dims& db, const Dims& dc, bool two_inputs, bool merge) {
  Lowered l{};
  l.c_labels = c;
  const bool reversed = is_column_major(dc);
  // The columns belong to the input that has C's innermost index.
  char innermost = '\0';
  for (int k = 0; k < c.rank; ++k) {
    const int i = reversed ? k : c.rank - 1 - k;
    const bool in_batch = two_inputs && a.has(c.letter[i]) && b.has(c.letter[i]);
    if (!in_batch) {
      innermost = c.letter[i];
      break;
    }
  }
  l.swapped = !two_inputs || (innermost != '\0' && a.has(innermost));
  l.x_labels = l.swapped ? b : a;
  l.y_labels = l.swapped ? a : b;
  const Dims& dx = l.swapped ? db : da;
  const Dims& dy = l.swapped ? da : db;

  const auto make_mode = [&](char letter) {
    Mode m{};
    m.letter[0] = letter;
    m.letters = 1;
    join_extents(a, da, letter, m.extent, l.clash);
    join_extents(b, db, letter, m.extent, l.clash);
    join_extents(c, dc, letter, m.extent, l.clash);
    m.x = letter_stride(l.x_labels, dx, letter);
    m.y = letter_stride(l.y_labels, dy, letter);
    m.c = letter_stride(c, dc, letter);
    return m;
  };
  for (int k = 0; k < c.rank; ++k) {
    const char letter = c.letter[reversed ? c.rank - 1 - k : k];
    const bool in_x = l.x_labels.has(letter);
    const bool in_y = l.y_labels.has(letter);
    const Mode m = make_mode(letter);
    const bool is_row = in_x || (!two_inputs && letter != innermost && m.y == 1);
    l.append(in_x && in_y ? Class::batch : (is_row ? Class::row : Class::col), m);
  }
  for (int side = 0; side < 2; ++side) {
    const Labels& labels = side == 0 ? l.x_labels : l.y_labels;
    const bool reverse = is_column_major(side == 0 ? dx : dy);
    for (int k = 0; k < labels.rank; ++k) {
      const int i = reverse ? labels.rank - 1 - k : k;
      const char letter = labels.letter[i];
      bool seen = c.has(letter) || (side == 1 && l.x_labels.has(letter));
      for (int m = 0; m < l.count[static_cast<int>(Class::sum)]; ++m) {
        seen = seen || l.mode[static_cast<int>(Class::sum)][m].letter[0] == letter;
      }
      if (!seen) l.append(Class::sum, make_mode(letter));
    }
  }
  for (int k = 0; k < classes; ++k) {
    sort_modes(l, static_cast<Class>(k));
    if (merge || static_cast<Class>(k) == Class::sum) merge_modes(l, static_cast<Class>(k));
  }
  return l;
}

/// The static part of a nest of loops: batch modes, then rows, columns and sums, each class with
/// its outermost mode first.
template <int N>
struct Nest {
  int count[classes]{};
  std::ptrdiff_t extent[N > 0 ? N : 1]{};
  bool wide[N > 0 ? N : 1]{};
  std::ptrdiff_t x[N > 0 ? N : 1]{};
  std::ptrdiff_t y[N > 0 ? N : 1]{};
  std::ptrdiff_t c[N > 0 ? N : 1]{};
  bool has_x = true;
  bool conjugate_x = false;
  bool conjugate_y = false;
  bool merged = true;

  KOKKOS_FUNCTION constexpr int begin(Class k) const {
    int n = 0;
    for (int i = 0; i < static_cast<int>(k); ++i) n += count[i];
    return n;
  }
  KOKKOS_FUNCTION constexpr int end(Class k) const { return begin(k) + count[static_cast<int>(k)]; }
  KOKKOS_FUNCTION constexpr int of(Class k) const { return count[static_cast<int>(k)]; }
};

consteval int total_modes(const Lowered& l) {
  return l.count[0] + l.count[1] + l.count[2] + l.count[3];
}

template <int N>
consteval Nest<N> make_nest(const Lowered& l, bool has_x, bool merged) {
  Nest<N> nest{};
  int i = 0;
  for (int k = 0; k < classes; ++k) {
    nest.count[k] = l.count[k];
    for (int m = 0; m < l.count[k]; ++m, ++i) {
      nest.extent[i] = l.mode[k][m].extent;
      nest.wide[i] = l.mode[k][m].wide;
      nest.x[i] = l.mode[k][m].x;
      nest.y[i] = l.mode[k][m].y;
      nest.c[i] = l.mode[k][m].c;
    }
  }
  nest.has_x = has_x;
  nest.conjugate_x = l.x_labels.conjugate;
  nest.conjugate_y = l.y_labels.conjugate;
  nest.merged = merged;
  return nest;
}

/// Extents and strides of a nest at run time. The static ones are constants, whatever was stored.
template <Nest S>
struct Loops {
  static constexpr int size = static_cast<int>(sizeof(S.extent) / sizeof(S.extent[0]));
  std::ptrdiff_t extents[size];
  std::ptrdiff_t xs[size];
  std::ptrdiff_t ys[size];
  std::ptrdiff_t cs[size];

  /// The extent of mode I. It is an int, unless the mode is a wide sum.
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr auto extent() const {
    constexpr std::ptrdiff_t fixed = S.extent[I];
    if constexpr (fixed != dynamic) {
      return static_cast<int>(fixed);
    } else if constexpr (S.wide[I] && I >= S.begin(Class::sum)) {
      return extents[I];
    } else {
      return static_cast<int>(extents[I]);
    }
  }
  /// Whether an int cannot count one of the first End modes.
  template <int End>
  KOKKOS_FORCEINLINE_FUNCTION bool has_large_mode() const {
    if constexpr (End == 0) {
      return false;
    } else {
      if constexpr (S.wide[End - 1]) {
        if (extents[End - 1] > most_extent) return true;
      }
      return has_large_mode<End - 1>();
    }
  }
  /// The product of the extents of modes First to End - 1.
  template <int First, int End>
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t product_of_extents() const {
    if constexpr (First == End) {
      return 1;
    } else {
      return product_of_extents<First, End - 1>() * extent<End - 1>();
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t x() const {
    constexpr std::ptrdiff_t fixed = S.x[I];
    if constexpr (fixed != dynamic) {
      return fixed;
    } else {
      return xs[I];
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t y() const {
    constexpr std::ptrdiff_t fixed = S.y[I];
    if constexpr (fixed != dynamic) {
      return fixed;
    } else {
      return ys[I];
    }
  }
  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::ptrdiff_t c() const {
    constexpr std::ptrdiff_t fixed = S.c[I];
    if constexpr (fixed != dynamic) {
      return fixed;
    } else {
      return cs[I];
    }
  }
};

/// The loops of a nest as arrays, class by class.
struct LoopArrays {
  const int* count;
  const std::ptrdiff_t *extent, *x, *y, *c;
};

/// A copy of the loops of a nest in arrays, so that the loops of a caller can stay in registers.
template <Nest S>
struct CopiedLoops {
  static constexpr int size = Loops<S>::size;
  std::ptrdiff_t extent[size], x[size], y[size], c[size];

  KOKKOS_FORCEINLINE_FUNCTION explicit CopiedLoops(const Loops<S>& loops)
      : CopiedLoops(loops, std::make_integer_sequence<int, size>{}) {}
  KOKKOS_FORCEINLINE_FUNCTION LoopArrays arrays() const { return {S.count, extent, x, y, c}; }

 private:
  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION CopiedLoops(const Loops<S>& loops, std::integer_sequence<int, I...>)
      : extent{loops.template extent<I>()...},
        x{loops.template x<I>()...},
        y{loops.template y<I>()...},
        c{loops.template c<I>()...} {}
};

// Reading the run-time part of a nest from the operands, letter by letter.
// --------------------------

/// The first dimension with this letter, or -1.
KOKKOS_FUNCTION constexpr int dimension_of(const Labels& labels, char letter) {
  for (int i = 0; i < labels.rank; ++i) {
    if (labels.letter[i] == letter) return i;
  }
  return -1;
}

template <bool Present, int I, class A>
KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride_term(const A& a) {
  if constexpr (Present) {
    return a.template stride<I>();
  } else {
    return 0;
  }
}

/// Reads the loops of lowering L from its operands.
template <const Lowered& L, Nest S, class X, class Y, class C>
struct Reader {
  enum Which { in_x, in_y, in_c };
  static consteval const Labels& labels(Which which) {
    return which == in_x ? L.x_labels : (which == in_y ? L.y_labels : L.c_labels);
  }
  const X& x;
  const Y& y;
  const C& c;

  template <Which W>
  using dimensions = std::make_integer_sequence<int, labels(W).rank>;

  template <char Letter, Which W, class A, int... I>
  static KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride(const A& a,
                                                           std::integer_sequence<int, I...>) {
    return (std::ptrdiff_t{0} + ... + stride_term<labels(W).letter[I] == Letter, I>(a));
  }

  /// The extent of a letter from one operand that has it, preferably as a constant.
  template <char Letter>
  KOKKOS_FORCEINLINE_FUNCTION int extent() const {
    constexpr int dx = dimension_of(L.x_labels, Letter);
    constexpr int dy = dimension_of(L.y_labels, Letter);
    constexpr int dc = dimension_of(L.c_labels, Letter);
    constexpr auto is_static = [](const auto& shape, int d) {
      return d >= 0 && shape.extent[d < 0 ? 0 : d] != dynamic;
    };
    constexpr bool static_y = is_static(Y::shape, dy);
    constexpr bool static_c = is_static(C::shape, dc);
    if constexpr (is_static(X::shape, dx) || (dx >= 0 && !static_y && !static_c)) {
      return x.template extent<dx>();
    } else if constexpr (static_y || (dy >= 0 && !static_c)) {
      return y.template extent<dy>();
    } else {
      return c.template extent<dc>();
    }
  }

  template <int I, int K, int M, int... A>
  KOKKOS_FORCEINLINE_FUNCTION void read_mode(Loops<S>& loops,
                                             std::integer_sequence<int, A...>) const {
    constexpr char inner = L.mode[K][M].letter[sizeof...(A) - 1];
    loops.extents[I] = (std::ptrdiff_t{1} * ... * extent<L.mode[K][M].letter[A]>());
    loops.xs[I] = stride<inner, in_x>(x, dimensions<in_x>{});
    loops.ys[I] = stride<inner, in_y>(y, dimensions<in_y>{});
    loops.cs[I] = stride<inner, in_c>(c, dimensions<in_c>{});
  }

  template <Class K, int... M>
  KOKKOS_FORCEINLINE_FUNCTION void read_class(Loops<S>& loops,
                                              std::integer_sequence<int, M...>) const {
    constexpr int k = static_cast<int>(K);
    (read_mode<S.begin(K) + M, k, M>(loops,
                                     std::make_integer_sequence<int, L.mode[k][M].letters>{}),
     ...);
  }

  template <Which W, class A, int... I>
  KOKKOS_FORCEINLINE_FUNCTION bool agrees(const A& a, std::integer_sequence<int, I...>) const {
    return (true && ... && (a.template extent<I>() == extent<labels(W).letter[I]>()));
  }

  /// Returns false if an index has two different extents.
  KOKKOS_FORCEINLINE_FUNCTION bool extents_agree() const {
    return agrees<in_x>(x, dimensions<in_x>{}) && agrees<in_y>(y, dimensions<in_y>{}) &&
           agrees<in_c>(c, dimensions<in_c>{});
  }

  KOKKOS_FORCEINLINE_FUNCTION Loops<S> read() const {
    Loops<S> loops;
    read_class<Class::batch>(loops, std::make_integer_sequence<int, L.count[0]>{});
    read_class<Class::row>(loops, std::make_integer_sequence<int, L.count[1]>{});
    read_class<Class::col>(loops, std::make_integer_sequence<int, L.count[2]>{});
    read_class<Class::sum>(loops, std::make_integer_sequence<int, L.count[3]>{});
    return loops;
  }
};

/// Folds an outer mode into the next inner one of its class if their strides turn out to nest,
/// unless they are too large together. The outer mode keeps extent 1. It is the run-time
/// counterpart of merge_modes.
template <Nest S, int I>
KOKKOS_FORCEINLINE_FUNCTION void fold(Loops<S>& loops) {
  if constexpr (S.extent[I] == dynamic && S.extent[I + 1] == dynamic) {
    const std::ptrdiff_t inner = loops.extents[I + 1];
    const std::ptrdiff_t all = loops.extents[I] * inner;
    if (loops.template x<I>() == inner * loops.template x<I + 1>() &&
        loops.template y<I>() == inner * loops.template y<I + 1>() &&
        loops.template c<I>() == inner * loops.template c<I + 1>() && all <= most_extent) {
      loops.extents[I + 1] = all;
      loops.extents[I] = 1;
    }
  }
}

template <Nest S, Class K, int... I>
KOKKOS_FORCEINLINE_FUNCTION void fold_class(Loops<S>& loops, std::integer_sequence<int, I...>) {
  (fold<S, S.begin(K) + I>(loops), ...);
}

template <Nest S, Class K>
KOKKOS_FORCEINLINE_FUNCTION void fold_class(Loops<S>& loops) {
  constexpr int pairs = S.of(K) > 1 ? S.of(K) - 1 : 0;
  if constexpr (S.merged || K == Class::sum) {
    fold_class<S, K>(loops, std::make_integer_sequence<int, pairs>{});
  }
}

template <Nest S>
KOKKOS_FORCEINLINE_FUNCTION void fold_all(Loops<S>& loops) {
  fold_class<S, Class::batch>(loops);
  fold_class<S, Class::row>(loops);
  fold_class<S, Class::col>(loops);
  fold_class<S, Class::sum>(loops);
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
