// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LARGE_LARGECONTRACT_HPP
#define KOKKOSCONTRACT_LARGE_LARGECONTRACT_HPP

// Contractions of large tensors as kernels of a GPU (FlatTile.hpp): the indices that are neighbours
// in a tile, the partition into tiles, and the launch. If C has too few tiles for the machine,
// several teams share the sum of one. A second kernel then adds their parts, in a fixed order.

#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/large/FlatTile.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/machine/Tuned.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Whether slices of an input are by terms, as far as the input's type shows it.
enum class SliceKind { by_terms, by_positions, at_run_time };

template <class A>
consteval SliceKind slice_kind(const Labels& labels, const Labels& output) {
  for (const std::ptrdiff_t stride : A::shape.stride) {
    if (stride == 1) {
      return is_by_terms<A>(labels, output) ? SliceKind::by_terms : SliceKind::by_positions;
    }
  }
  return SliceKind::at_run_time;
}

/// C = alpha A B + beta C, with the operands of the host's call.
template <class Types>
struct LargeCall {
  Parsed parsed;
  typename Types::Sum alpha;
  const typename Types::Input* a;
  Dims of_a;
  const typename Types::Input* b;
  Dims of_b;
  typename Types::Sum beta;
  typename Types::Output* c;
  Dims of_c;
};

namespace Large {

/// The tiles of a product of these types.
template <class Types>
consteval LargeTiles tiles_for() {
  if (sizeof(typename Types::Input) == 2) return large_tiles_of_short;
  constexpr bool is_largest = sizeof(typename Types::Sum) == sizeof(Kokkos::complex<double>);
  return is_largest ? large_tiles_of_complex : large_tiles;
}
inline constexpr int shapes = 2;
template <class Types>
inline constexpr LargeTile shape[shapes] = {tiles_for<Types>().most, tiles_for<Types>().narrow};

/// Rounds runs up to whole slices.
inline double rounded_up(std::ptrdiff_t n, int depth) {
  return static_cast<double>((n + depth - 1) / depth * depth);
}

/// The modes of a contraction of two inputs, at run time. The second input has the columns.
struct Modes {
  ModeList rows, cols, sums;
  int inner = 0;  ///< terms of the innermost mode in a slice that has two modes, or 0
  FlatModes<operands_of_product, ModeList::most> batch;
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
    rows.merge();
    cols.merge();
    sums.merge();
  }

  /// Orders positions of an input, so that a vector of them is contiguous in memory. Unless C is
  /// comparatively small, some positions also become neighbours in C. Returns whether eight
  /// consecutive vectors are neighbours in C.
  static bool order_positions(ModeList& list, int vector, bool by_terms, bool c_is_small) {
    list.unit_second_last();
    const int last = list.count - 1;
    int unit = 0;
    while (unit < last && list.first[unit] != 1) ++unit;
    if (by_terms || unit >= last) return false;
    const int piece = vector > 1 ? vector : 2;
    if (list.extent[unit] % piece != 0) return false;
    const int of_c =
        list.extent[last] % chunks_together == 0 ? chunks_together : chunks_together / 2;
    if (c_is_small || list.extent[last] % of_c != 0 || list.second[last] != 1 ||
        list.count + 2 > ModeList::most) {
      list.move_in(unit, last);
      return false;
    }
    // The innermost indices are a vector of the input. Some neighbours in C follow, and then the
    // remaining indices of both.
    list.move_in(unit, last - 1);
    const int cut_input = list.cut(last - 1, piece);
    const int cut_c = list.cut(last + cut_input, of_c);
    list.move_in(last - 1 + cut_input, last + cut_input + cut_c);
    if (cut_input + cut_c == 2) list.move_in(last - 1, last);
    return of_c == chunks_together && vector > 1;
  }

  /// Orders terms. If an input is by terms, the innermost mode is the one with its unit stride,
  /// unless that mode is short. If the other input is by terms along another mode, a slice has a
  /// few terms of both modes.
  void order_terms(int depth, bool x_by_terms, bool y_by_terms) {
    const auto waste = [&](int i) {
      return rounded_up(sums.extent[i], depth) / static_cast<double>(sums.extent[i]);
    };
    const auto unit_of = [&](bool wanted, const std::ptrdiff_t* strides) {
      for (int i = 0; wanted && i < sums.count; ++i) {
        if (strides[i] == 1 && waste(i) <= large_orders.most_rounding) return i;
      }
      return -1;
    };
    int best = sums.count - 1;
    for (int i = sums.count - 1; i >= 0; --i) best = waste(i) < waste(best) ? i : best;
    const int in_x = unit_of(x_by_terms, sums.first);
    const int in_y = unit_of(y_by_terms, sums.second);
    if (in_x >= 0 || in_y >= 0) best = in_x >= 0 ? in_x : in_y;
    if (best < 0) return;
    constexpr int of_both = large_orders.terms_of_both;
    const int last = sums.count - 1;
    sums.move_in(best, last);
    if (in_x < 0 || in_y < 0 || in_x == in_y || sums.extent[last] % of_both != 0) return;
    // The mode kept its index, or moved outwards by one. It is now next to a part of the innermost
    // mode.
    sums.move_in(in_y > best ? in_y - 1 : in_y, last - 1);
    if (sums.cut(last, of_both) == 1) sums.move_in(last - 1, last);
    inner = of_both;
  }

  /// Terms of a run, and all terms, rounded up to whole slices.
  std::ptrdiff_t run() const {
    std::ptrdiff_t n = 1;
    for (int i = outer_sums(); i < sums.count; ++i) n *= sums.extent[i];
    return n;
  }
  double terms(int depth) const {
    const double n = elements[static_cast<int>(Class::sum)];
    return n == 0 ? 0 : n / static_cast<double>(run()) * rounded_up(run(), depth);
  }
  /// Number of modes outside of runs.
  int outer_sums() const { return std::max(0, sums.count - (inner > 0 ? 2 : 1)); }

  /// Whether indices of `list` (rows or columns) fill whole, aligned loads of C, from each multiple
  /// of the vector's length on.
  template <class T>
  bool has_vectors(const T* c, const ModeList& list, const ModeList& other) const {
    constexpr int vector = SliceFormat<T>::vector;
    const int last = list.count - 1;
    return vector > 1 && reinterpret_cast<std::uintptr_t>(c) % bytes_of_load == 0 && last >= 0 &&
           list.second[last] == 1 && list.extent[last] % vector == 0 &&
           are_multiples(list.second, last, vector) &&
           are_multiples(other.second, other.count, vector) &&
           are_multiples(batch.stride[2], batch.count, vector);
  }

  static bool are_multiples(const std::ptrdiff_t* strides, int count, int of) {
    return std::all_of(strides, strides + count, [of](std::ptrdiff_t s) { return s % of == 0; });
  }

 private:
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

/// A partition of a product into tiles.
struct Cut {
  int shape = 0;
  int splits = 1;
  double area = 0;                                     // elements of all tiles
  double filled = 0;                                   // part of the elements that is in bounds
  double cycles = std::numeric_limits<double>::max();  // estimated
};

inline double tiles_of(double elements, int tile) { return std::ceil(elements / tile); }

/// The best partition for a GPU with this number of SMs. A team that is alone on an SM gets more
/// than its share of it.
template <class Types>
KOKKOSCONTRACT_COLD_CODE Cut best_cut(const Modes& modes, double processors) {
  constexpr LargeCosts costs = large_costs;
  using T = typename Types::Sum;
  constexpr int depth = SliceFormat<typename Types::Input>::depth;
  const auto size = [&](Class k) { return modes.elements[static_cast<int>(k)]; };
  const double slices = modes.terms(depth) / depth;
  const double elements = size(Class::row) * size(Class::col) * size(Class::batch);
  const double part_bytes = elements * sizeof(T);
  Cut best;
  for (int s = 0; s < shapes; ++s) {
    const LargeTile tile = shape<Types>[s];
    const double tiles = tiles_of(size(Class::row), tile.rows) *
                         tiles_of(size(Class::col), tile.cols) * size(Class::batch);
    const double slice = tile.rows * tile.cols * depth * (is_complex<T> ? 2 * 2 : 1) /
                         tiles_for<Types>().products_of_cycle;
    for (int splits = 1; splits <= costs.most_splits &&
                         (splits == 1 || slices / splits >= costs.least_slices_of_split);
         ++splits) {
      const double teams = std::ceil(tiles * splits / processors);
      const double last = std::fmod(teams, tile.teams);
      const double rounds = teams + (last > 0 ? costs.part_of_lone_team * (tile.teams - last) : 0);
      const double sharing =
          splits > 1 ? 2 * splits * part_bytes / (processors * costs.memory_bytes_of_cycle) +
                           costs.cycles_of_splits
                     : 0;
      const double cycles =
          rounds * slice * (std::ceil(slices / splits) / tile.efficiency + costs.slices_of_start) +
          sharing;
      if (cycles < best.cycles) {
        const double area = tiles * tile.rows * tile.cols;
        best = {s, splits, area, elements / area, cycles};
      }
    }
  }
  return best;
}

/// One operand of a product.
template <class T>
struct Input {
  const Labels& labels;
  const Dims& dims;
  const T* data;

  bool is_by_terms(SliceKind kind, const Labels& output) const {
    if (kind != SliceKind::at_run_time) return kind == SliceKind::by_terms;
    for (int i = 0; i < labels.rank; ++i) {
      if (dims.stride[i] == 1 && dims.extent[i] > 1) return !output.has(labels.letter[i]);
    }
    return true;
  }
};

/// The description of an input's slices, as far as the host knows them.
template <class T>
SliceSource<T> slices_of(const Input<T>& input, const Modes& modes, const ModeList& own, int number,
                         bool by_terms) {
  constexpr int vector = SliceFormat<T>::vector;
  const std::ptrdiff_t* in_sums = number == 0 ? modes.sums.first : modes.sums.second;
  const int last = own.count - 1;
  const int last_term = modes.sums.count - 1;
  const auto stride_of = [&](int term_mode) {
    return term_mode < 0 ? std::ptrdiff_t{0} : in_sums[term_mode];
  };
  SliceSource<T> source{};
  source.data = input.data;
  source.input = number;
  source.set_terms(stride_of(last_term));
  if (modes.inner > 0) {
    source.inner = modes.inner;
    source.next_inner = stride_of(last_term - 1);
    source.ahead = SliceFormat<T>::depth / modes.inner * source.next_inner;
  }
  if (by_terms) {
    source.has_neighbours = source.next == 1 && source.inner % vector == 0;
  } else {
    source.has_neighbours =
        last >= 0 && own.first[last] == 1 && (last == 0 || own.extent[last] % vector == 0);
  }
  source.has_neighbours = source.has_neighbours || vector == 1;
  source.by_vectors =
      source.has_neighbours &&
      Modes::are_multiples(own.first, by_terms ? own.count : last, vector) &&
      Modes::are_multiples(in_sums, by_terms ? last_term : modes.sums.count, vector) &&
      Modes::are_multiples(modes.batch.stride[number], modes.batch.count, vector);
  return source;
}

/// A product whose modes are in order.
template <class Types, class T = typename Types::Input>
FlatProduct<Types> product_of(const Modes& modes, const Input<T>& x, const Input<T>& y,
                              bool x_by_terms, bool y_by_terms, typename Types::Output* c) {
  const auto size = [&](Class k) { return static_cast<int>(modes.elements[static_cast<int>(k)]); };
  const auto modes_of = [](const ModeList& list) {
    GridModes<2, ModeList::most> all;
    for (int i = list.count - 1; i >= 0; --i) {
      all.add(static_cast<int>(list.extent[i]), list.first[i], list.second[i]);
    }
    return all;
  };
  FlatProduct<Types> product{};
  product.rows = modes_of(modes.rows);
  product.cols = modes_of(modes.cols);
  product.batch = modes.batch;
  product.row_count = size(Class::row);
  product.col_count = size(Class::col);
  product.batch_count = size(Class::batch);
  TileSource<Types>& source = product.source;
  const ModeList& sums = modes.sums;
  for (int i = 0; i < modes.outer_sums(); ++i) {
    source.sums.add(static_cast<int>(sums.extent[i]), sums.first[i], sums.second[i]);
  }
  source.first = slices_of(x, modes, modes.rows, 0, x_by_terms);
  source.second = slices_of(y, modes, modes.cols, 1, y_by_terms);
  const int run = static_cast<int>(modes.run());
  source.set_runs(run > 0 ? size(Class::sum) / run : 0, run, source.first.ahead,
                  source.second.ahead);
  using Sum = typename Types::Sum;
  source.alpha = Sum(1);
  source.factor = TileFactor<Sum>(source.alpha, x.labels.conjugate, y.labels.conjugate);
  product.c = c;
  product.has_col_vectors = modes.has_vectors(c, modes.cols, modes.rows);
  product.has_row_vectors = modes.has_vectors(c, modes.rows, modes.cols);
  return product;
}

/// Uses of memory by the kernels of a call.
enum class MemoryUse { partial_sums, copies };

/// Memory that a program keeps, because its allocation takes longer than most products. Each
/// instance of a space has its own, because kernels of one instance run in order.
template <class Space, MemoryUse>
class KeptMemory {
 public:
  /// Calls f(memory), which launches all kernels that use these bytes.
  template <class F>
  static void with(const Space& exec, std::size_t bytes, const F& f) {
    static KeptMemory all;
    const std::lock_guard<std::mutex> lock(all.mutex_);
    if (all.memory_.empty()) {
      Kokkos::push_finalize_hook([] {
        const std::lock_guard<std::mutex> last(all.mutex_);
        all.memory_.clear();
      });
    }
    Memory& memory = all.memory_[Kokkos::Tools::Experimental::device_id(exec)];
    if (memory.size() < bytes) {
      memory = Memory();
      memory = Memory(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "KokkosContract::contract"), bytes);
    }
    f(memory.data());
  }

 private:
  using Memory = Kokkos::View<char*, typename Space::memory_space>;
  std::mutex mutex_;
  std::map<std::uint32_t, Memory> memory_;
};

/// The kernel of a shape of tiles.
template <class Level, class Types, int S, bool XByTerms, bool YByTerms>
using KernelOf = FlatKernel<Level, Types, shape<Types>[S].rows, shape<Types>[S].cols,
                            shape<Types>[S].sums, XByTerms, YByTerms>;

template <class Kernel, int Teams, class Types, class Space>
void launch(const Space& exec, const FlatProduct<Types>& product, int splits) {
  using T = typename Types::Sum;
  Kernel kernel(product, splits);
  const auto run = [&]<class Tag>(Tag, int teams, int bytes) {
    constexpr int workers = Kernel::Tile::worker_count;
    using Policy = Kokkos::TeamPolicy<Space, Tag, Kokkos::LaunchBounds<workers, Teams>>;
    auto policy = Policy(exec, teams, workers);
    policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
    // The kernel's arguments are part of its launch. A separate copy would wait for earlier
    // kernels.
    Kokkos::parallel_for("KokkosContract::contract",
                         Kokkos::Experimental::require(
                             policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                         kernel);
  };
  if (splits == 1) return run(typename Kernel::Multiply{}, kernel.teams(), Kernel::scratch_bytes);
  using Sums = KeptMemory<Space, MemoryUse::partial_sums>;
  Sums::with(exec, kernel.partial_elements() * sizeof(T), [&](char* memory) {
    kernel.partial = reinterpret_cast<T*>(memory);
    run(typename Kernel::Multiply{}, kernel.teams(), Kernel::scratch_bytes);
    run(typename Kernel::Add{}, kernel.teams() / splits, Kernel::scratch_bytes_to_add);
  });
}

/// Calls f(whether slices are by terms). f is compiled only for the possible cases.
template <SliceKind Kind, class F>
void with_kind(bool by_terms, const F& f) {
  if constexpr (Kind != SliceKind::by_positions) {
    if (by_terms) return f(std::true_type{});
  }
  if constexpr (Kind != SliceKind::by_terms) f(std::false_type{});
}

/// The partition of a call into tiles.
struct Plan {
  bool wanted = false;  // large enough, and tiles are not mostly empty
  bool turns = false;   // A is Y and B is X
  bool a_by_terms = false, b_by_terms = false;
  Modes modes;
  Cut cut;
};

/// The plan of a call. `y_by_positions`: if the slices of only one input are by positions, they
/// should be those of Y.
template <class Types>
KOKKOSCONTRACT_COLD_CODE Plan plan_of(double processors, const LargeCall<Types>& call,
                                      SliceKind kind_a, SliceKind kind_b, bool y_by_positions) {
  using T = typename Types::Input;
  constexpr int depth = SliceFormat<T>::depth;
  const Labels& output = call.parsed.output;
  const Input<T> a{call.parsed.input[0], call.of_a, call.a};
  const Input<T> b{call.parsed.input[1], call.of_b, call.b};
  const bool a_by_terms = a.is_by_terms(kind_a, output);
  const bool b_by_terms = b.is_by_terms(kind_b, output);

  const auto plan = [&](bool turns, const Input<T>& x, const Input<T>& y, bool x_by_terms,
                        bool y_by_terms) {
    Modes modes(x.labels, x.dims, y.labels, y.dims, output, call.of_c);
    modes.order_terms(depth, x_by_terms, y_by_terms);
    bool fits = modes.outer_sums() < most_sum_modes && modes.terms(depth) <= most_flat_index;
    double products = 1;
    for (const double n : modes.elements) {
      products *= n;
      fits = fits && n <= most_flat_index;
    }
    const Cut cut = fits ? best_cut<Types>(modes, processors) : Cut{};
    // If tiles would be mostly empty, workers with one element each are faster.
    const bool wanted =
        fits && products >= least_large_products && cut.filled >= least_filled_of_large_tiles;
    return Plan{wanted, turns, a_by_terms, b_by_terms, modes, cut};
  };
  const Plan straight = plan(false, a, b, a_by_terms, b_by_terms);
  const Plan turned = plan(true, b, a, b_by_terms, a_by_terms);
  if (!straight.wanted || !turned.wanted) return straight.wanted ? straight : turned;
  const auto less = [](double x, double y, bool otherwise) { return x == y ? otherwise : x < y; };
  const bool prefers = y_by_positions && b_by_terms && !a_by_terms;
  const bool turns = less(turned.cut.cycles, straight.cut.cycles,
                          less(turned.cut.area, straight.cut.area, prefers));
  return turns ? turned : straight;
}

/// Calls run(product, splits, shape, whether slices of X and of Y are by terms).
template <SliceKind KindA, SliceKind KindB, class Types, class Run>
void run_planned(const LargeCall<Types>& call, const Plan& plan, const Run& run) {
  using T = typename Types::Input;
  constexpr int vector = SliceFormat<T>::vector;
  const Input<T> a{call.parsed.input[0], call.of_a, call.a};
  const Input<T> b{call.parsed.input[1], call.of_b, call.b};
  const auto run_with = [&](const Input<T>& x, const Input<T>& y, auto x_by_terms,
                            auto y_by_terms) {
    Modes modes = plan.modes;
    const auto size = [&](Class k) { return modes.elements[static_cast<int>(k)]; };
    const double few = size(Class::sum) / large_orders.terms_of_small_output;
    const bool x_by_eights =
        Modes::order_positions(modes.rows, vector, x_by_terms, size(Class::col) < few);
    const bool y_by_eights =
        Modes::order_positions(modes.cols, vector, y_by_terms, size(Class::row) < few);
    FlatProduct<Types> product = product_of<Types>(modes, x, y, x_by_terms, y_by_terms, call.c);
    product.source.first.by_eights = x_by_eights;
    product.source.second.by_eights = y_by_eights;
    product.alpha = call.alpha;
    product.beta = call.beta;
    if (plan.cut.shape == 0) {
      run(product, plan.cut.splits, Number<0>{}, x_by_terms, y_by_terms);
    } else {
      run(product, plan.cut.splits, Number<1>{}, x_by_terms, y_by_terms);
    }
  };
  with_kind<KindA>(plan.a_by_terms, [&](auto terms_of_a) {
    with_kind<KindB>(plan.b_by_terms, [&](auto terms_of_b) {
      if (plan.turns) {
        run_with(b, a, terms_of_b, terms_of_a);
      } else {
        run_with(a, b, terms_of_a, terms_of_b);
      }
    });
  });
}

}  // namespace Large

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
