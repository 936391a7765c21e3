// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_GPUTILE_HPP
#define KOKKOSCONTRACT_TILE_GPUTILE_HPP

// A tile held by a team of a GPU. Products are added in runs that share a layout; within a run the
// slices of all products go through one pipeline, which is filled once: while slices are
// multiplied, the workers copy later ones, of whatever product comes next.

#include <KokkosContract/chain/ChainRun.hpp>
#include <KokkosContract/tile/TileProduct.hpp>
#include <tuple>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// One product: a string and its arguments.
template <Spec S, class Alpha, class A, class B>
struct TileArgument {
  static constexpr Parsed parsed = Parse<S>::value;
  using First = operand_t<A>;
  using Second = operand_t<B>;
  const Alpha& alpha;
  const A& a;
  const B& b;
};

/// Where argument I of a list is.
template <int I, class Argument>
struct TileArgumentAt {
  Argument value;
};
template <class Numbers, class... Arguments>
struct TileArgumentList;
template <int... I, class... Arguments>
struct TileArgumentList<std::integer_sequence<int, I...>, Arguments...>
    : TileArgumentAt<I, Arguments>... {
  static constexpr int count = sizeof...(I);
};
template <class... Arguments>
using TileArguments =
    TileArgumentList<std::make_integer_sequence<int, sizeof...(Arguments)>, Arguments...>;
template <int I, class Argument>
KOKKOS_FORCEINLINE_FUNCTION const Argument& argument(const TileArgumentAt<I, Argument>& a) {
  return a.value;
}

/// The stride of a letter in an operand; 0, if it has it not.
template <Labels Of, char Letter, class A>
KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride_of_letter([[maybe_unused]] const A& a) {
  std::ptrdiff_t stride = 0;
  unrolled<Of.rank>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
    if constexpr (Of.letter[i] == Letter) stride += a.template stride<i>();
  });
  return stride;
}

/// Whether the type of an operand says that a letter of the sum has stride 1, or none at all says
/// so: its slices are then copied by terms.
template <class A>
consteval bool is_by_terms(const Labels& labels, const Labels& output) {
  for (int i = 0; i < labels.rank; ++i) {
    if (A::shape.stride[i] == 1) return !output.has(labels.letter[i]);
  }
  return true;
}

/// The letters that a product sums over, those first that have stride 1 for no input by its type.
struct SumLetters {
  char letter[most_sum_modes]{};
  int count = 0;
};
template <class A, class B>
consteval SumLetters sum_letters_of(const Parsed& p) {
  SumLetters sums{};
  for (int unit = 0; unit < 2; ++unit) {
    for (int input = 0; input < 2; ++input) {
      const Labels& labels = p.input[input];
      for (int i = 0; i < labels.rank; ++i) {
        const char c = labels.letter[i];
        bool known = p.output.has(c);
        for (int k = 0; k < sums.count; ++k) known = known || sums.letter[k] == c;
        if (known) continue;
        bool is_unit = false;
        for (int d = 0; d < p.input[0].rank; ++d) {
          is_unit = is_unit || (p.input[0].letter[d] == c && A::shape.stride[d] == 1);
        }
        for (int d = 0; d < p.input[1].rank; ++d) {
          is_unit = is_unit || (p.input[1].letter[d] == c && B::shape.stride[d] == 1);
        }
        if (is_unit == (unit == 1)) sums.letter[sums.count++] = c;
      }
    }
  }
  return sums;
}

/// The products of a call: in which order and in which layouts they are added, and what shared
/// memory that takes.
template <class Machine, class T, TileExtents Extents, class... Arguments>
struct TilePlan {
  using Atom = tile_atom_t<Machine, T>;
  static constexpr int count = sizeof...(Arguments);
  static constexpr TileLimits limits = tile_limits<T, Atom>();
  static constexpr TileLayout home = home_layout(Extents, limits);
  static constexpr int workers = home.wave_count() * Machine::wave;

  static consteval TileSchedule<count> make_schedule() {
    const TileTerm terms[] = {
        term_of(Extents, Arguments::parsed.input[0], Arguments::parsed.input[1])...};
    return schedule_of(Extents, limits, terms);
  }
  static constexpr TileSchedule<count> schedule = make_schedule();

  template <int I>
  using Argument = std::tuple_element_t<I, std::tuple<Arguments...>>;

  /// The product in place N of the order.
  template <int N>
  struct Product {
    static constexpr int number = schedule.order[N];
    using Of = Argument<number>;
    static constexpr TileLayout layout = schedule.layout[N];
    static constexpr Parsed parsed = Of::parsed;
    static constexpr TileTerm term = term_of(Extents, parsed.input[0], parsed.input[1]);
    static constexpr int input_of_rows = Impl::input_of_rows(layout, term);
    static constexpr bool first_by_terms =
        is_by_terms<typename Of::First>(parsed.input[0], parsed.output);
    static constexpr bool second_by_terms =
        is_by_terms<typename Of::Second>(parsed.input[1], parsed.output);
    static constexpr bool x_by_terms = input_of_rows == 1 ? first_by_terms : second_by_terms;
    static constexpr bool y_by_terms = input_of_rows == 1 ? second_by_terms : first_by_terms;
    using Type = TileProduct<Machine, Atom, layout, term, input_of_rows, x_by_terms, y_by_terms>;
    static constexpr int rows_of_blocks =
        (Type::X::positions / Atom::m) + (Type::Y::positions / Atom::n);
    static constexpr int slice_size = Type::X::size + Type::Y::size;
    static_assert(
        Type::X::positions <= 512 && Type::Y::positions <= 512,
        "KokkosContract: a tile's product needs more than 512 elements of an input for a "
        "term of its sum: the tile is too large, or the input has too many of its letters");
  };

  /// Whether the product in place N goes through the same code as the one before it.
  template <int N>
  static consteval bool continues() {
    if constexpr (N == 0) {
      return false;
    } else {
      return std::is_same_v<typename Product<N>::Type, typename Product<N - 1>::Type>;
    }
  }
  template <int N>
  static consteval bool changes_layout() {
    return N > 0 && !(schedule.layout[N] == schedule.layout[N > 0 ? N - 1 : 0]);
  }
  template <int N>
  static consteval int rows_before() {
    if constexpr (N == 0) {
      return 0;
    } else {
      return rows_before<N - 1>() + Product<N - 1>::rows_of_blocks;
    }
  }
  /// The first product from N on that begins another layout; that goes through other code.
  template <int N>
  static consteval int end_of_run() {
    if constexpr (N >= count) {
      return count;
    } else if constexpr (changes_layout<N>()) {
      return N;
    } else {
      return end_of_run<N + 1>();
    }
  }
  template <int N>
  static consteval int end_of_group() {
    if constexpr (N >= count) {
      return count;
    } else if constexpr (!continues<N>()) {
      return N;
    } else {
      return end_of_group<N + 1>();
    }
  }

  template <int... N>
  static consteval int largest_slices(std::integer_sequence<int, N...>) {
    int most = 0;
    ((most = Product<N>::slice_size > most ? Product<N>::slice_size : most), ...);
    return most;
  }
  template <int... N>
  static consteval int positions_of(bool most, std::integer_sequence<int, N...>) {
    int found = 0;
    const auto keep = [&](int n) { found = found == 0 || (n > found) == most ? n : found; };
    (keep(Product<N>::Type::X::positions + Product<N>::Type::Y::positions), ...);
    return found;
  }
  template <int... N>
  static consteval bool all_by_terms(std::integer_sequence<int, N...>) {
    return (true && ... && (Product<N>::x_by_terms && Product<N>::y_by_terms));
  }
  template <int... N>
  static consteval int all_rows_of_blocks(std::integer_sequence<int, N...>) {
    return (0 + ... + Product<N>::rows_of_blocks);
  }
  using All = std::make_integer_sequence<int, count>;
  static constexpr int slices = largest_slices(All{});
  static constexpr int rows_of_blocks = all_rows_of_blocks(All{});

  /// How copies are kept in registers: of all products together, so that the first and the last
  /// term of their sums overlap. Where they are of different kinds, there is no such way.
  static constexpr bool by_terms = all_by_terms(All{});
  static constexpr int least_positions = positions_of(false, All{});
  static constexpr int most_positions = positions_of(true, All{});
};

/// A product as the workers that copy see it.
template <class T>
struct TileSource {
  SumModes sums;
  SliceSource<T> first, second;
  int offset_of_second;  // of its slice
  int terms, steps;
  T alpha;
};

/// Where elements are on their way from one layout to another: row-major, with gaps that keep rows
/// of blocks in different banks.
consteval int exchange_stride(const TileExtents& tile, int letter) {
  int stride = 1;
  for (int l = tile.rank() - 1; l > letter; --l) {
    stride *= tile.extent[l];
    if (stride % 16 == 0) stride += 8;
  }
  return stride;
}
consteval int exchange_size(const TileExtents& tile) {
  return tile.rank() == 0 ? 1 : exchange_stride(tile, 0) * tile.extent[0];
}

/// Where a lane's elements of a tile are: index of each letter in the tile, of register R of block
/// B.
template <class Atom, TileLayout Layout>
struct TilePlaces {
  int first[Layout.rank > 0 ? Layout.rank : 1];  // of the wave
  AtomPlace place[Atom::sum_each];
  bool is_busy;

  KOKKOS_FORCEINLINE_FUNCTION TilePlaces(int wave, int lane) : is_busy(wave < Layout.wave_count()) {
    unrolled<Layout.rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      first[l] = wave_digit<Layout, l>(wave) * (Layout.blocks[l] * Layout.step(l));
    });
    unrolled<Atom::sum_each>(
        [&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA { place[r] = Atom::sum_at(lane, r); });
  }
  /// Whether the block has such a row and column: it need not be full.
  template <int R>
  KOKKOS_FORCEINLINE_FUNCTION bool is_in_block() const {
    return (Layout.rows() == Atom::m || place[R].row < Layout.rows()) &&
           (Layout.cols() == Atom::n || place[R].col < Layout.cols());
  }
  static consteval int inner_rows(int letter) {
    int n = 1;
    for (int l = Layout.rank - 1; l > letter; --l) n *= Layout.row[l];
    return n;
  }
  static consteval int inner_cols(int letter) {
    int n = 1;
    for (int l = Layout.rank - 1; l > letter; --l) n *= Layout.col[l];
    return n;
  }
  template <int B, int R, int L>
  KOKKOS_FORCEINLINE_FUNCTION int index() const {
    constexpr int of_block = block_digit(Layout, B, L) * Layout.step(L);
    int i = first[L] + of_block;
    if constexpr (Layout.row[L] > 1) {
      constexpr int inner = inner_rows(L);
      i += place[R].row / inner % Layout.row[L];
    }
    if constexpr (Layout.col[L] > 1) {
      constexpr int inner = inner_cols(L);
      i += place[R].col / inner % Layout.col[L];
    }
    return i;
  }
};

template <class Level, class T, TileExtents Extents>
class GpuTile {
 public:
  using Machine = level_machine_t<Level>;
  using Atom = tile_atom_t<Machine, T>;
  static constexpr TileLimits limits = tile_limits<T, Atom>();
  static constexpr TileLayout home = home_layout(Extents, limits);
  static constexpr int rank = Extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;
  static constexpr int worker_count = home.wave_count() * Machine::wave;
  using Sums = TileSums<Atom, home>;

  /// Shared memory of products whose slices of a step and whose rows of blocks are so many.
  static consteval std::size_t bytes(int slices, int rows_of_blocks, int products, bool exchanges,
                                     int stages_at_a_time) {
    std::size_t stages = sizeof(T) * static_cast<std::size_t>(stages_at_a_time) * slices;
    const std::size_t exchange = exchanges ? sizeof(T) * exchange_size(Extents) : 0;
    stages = stages > exchange ? stages : exchange;
    return (stages + 15) / 16 * 16 + sizeof(TileSource<T>) * products +
           sizeof(std::ptrdiff_t) * ((Atom::m + Atom::n) * products + rows_of_blocks) +
           sizeof(unsigned) * rows_of_blocks;
  }
  template <class Products>
  static consteval std::size_t bytes_with(int stages_at_a_time) {
    return bytes(Products::slices, Products::rows_of_blocks, Products::count,
                 Products::schedule.changes > 0 || Products::schedule.changes_at_start,
                 stages_at_a_time);
  }
  /// Slices of so many steps are in shared memory: as many as fit, up to four.
  template <class Products>
  static consteval int stages_of() {
    int stages = 4;
    while (stages > 2 && bytes_with<Products>(stages) > Machine::most_scratch_bytes) --stages;
    return stages;
  }
  template <class Products>
  static consteval std::size_t bytes_of() {
    return bytes_with<Products>(stages_of<Products>());
  }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION GpuTile(const Level& level, const Index& origin, const Index& extents)
      : level_(level) {
    for (int l = 0; l < rank; ++l) {
      origin_[l] = origin[l];
      extent_[l] = extents[l];
      const int left = extents[l] - origin[l];
      limit_[l] = left < Extents.extent[l] ? left : Extents.extent[l];
    }
    sums_.clear();
  }

  /// Adds alpha A B of each argument. `from.take(bytes)` is memory that all
  /// workers share.
  template <class Memories, int... I, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION int accumulate(
      const Memories& from,
      const TileArgumentList<std::integer_sequence<int, I...>, Arguments...>& arguments) {
    using Products = TilePlan<Machine, T, Extents, Arguments...>;
    if (level_.size() != worker_count) return tile_needs_workers;
    int fault = 0;
    unrolled<Products::count>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (!agrees(argument<n>(arguments))) fault = extents_disagree;
    });
    if (fault != 0) return fault;
    char* const memory = from.take(bytes_of<Products>());
    if (memory == nullptr) return scratch_too_small;
    // Former readers of this memory are done.
    level_.barrier();
    if constexpr (!(Products::schedule.layout[0] == home)) {
      TileSums<Atom, Products::schedule.layout[0]> sums;
      if (is_zero_) {
        sums.clear();
      } else {
        exchange<home, Products::schedule.layout[0]>(memory, sums_, sums);
      }
      run_from<Products, 0>(memory, arguments, sums);
    } else {
      run_from<Products, 0>(memory, arguments, sums_);
    }
    is_zero_ = false;
    return 0;
  }

  /// f(value, its indices in the whole tensor)
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(const F& f) {
    const TilePlaces<Atom, home> places(wave(), Machine::lane_of_wave());
    if (!places.is_busy) return;
    unrolled<home.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        int index[rank_or_1];
        bool is_there = places.template is_in_block<r>();
        unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
          const int i = places.template index<b, r, l>();
          is_there = is_there && i < limit_[l];
          index[l] = origin_[l] + i;
        });
        if (is_there) f(sums_.sum[b][r], index);
      });
    });
  }

  /// f(value, its indices, sum) adds to the sum. It is called for all elements of the tile, without
  /// branches, so that what it reads for several of them is read once; of those that are not there
  /// with indices that are, and nothing comes of it.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const F& f, R& sum) const {
    const TilePlaces<Atom, home> places(wave(), Machine::lane_of_wave());
    bool is_empty = !places.is_busy;
    for (int l = 0; l < rank; ++l) is_empty = is_empty || limit_[l] <= 0;
    if (is_empty) return;
    unrolled<home.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        int index[rank_or_1];
        bool is_there = places.template is_in_block<r>();
        unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
          const int i = places.template index<b, r, l>();
          is_there = is_there && i < limit_[l];
          index[l] = origin_[l] + (i < limit_[l] ? i : 0);
        });
        R next = sum;
        f(sums_.sum[b][r], index, next);
        if (is_there) sum = next;
      });
    });
  }

  /// The sum of what all workers have.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION R total(const R& mine) const {
    const auto add = [](const R& x, const R& y) KOKKOSCONTRACT_INLINE_LAMBDA { return x + y; };
    const R of_wave = join_wave<Machine>(mine, add);
    R sum = level_.broadcast(of_wave, 0);
    KOKKOSCONTRACT_NO_UNROLL
    for (int w = 1; w < home.wave_count(); ++w) {
      sum = sum + level_.broadcast(of_wave, w * Machine::wave);
    }
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION const Level& level() const { return level_; }
  KOKKOS_FORCEINLINE_FUNCTION void set_nonzero() { is_zero_ = false; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool has_memory() { return true; }

 private:
  Level level_;
  int origin_[rank_or_1];
  int limit_[rank_or_1];   // indices of the tile that are there
  int extent_[rank_or_1];  // of the whole tensor
  bool is_zero_ = true;
  Sums sums_;

  KOKKOS_FORCEINLINE_FUNCTION int wave() const { return level_.rank() / Machine::wave; }

  /// The extents of letters of the tile are the tensor's, and those of others are the same in both.
  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION bool agrees(const Argument& of) const {
    bool all = true;
    const auto compare = [&]<int input>(Number<input>, const auto& x,
                                        const auto& y) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr Labels labels = Argument::parsed.input[input];
      constexpr Labels other = Argument::parsed.input[1 - input];
      unrolled<labels.rank>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int of_tile = dimension_of(Extents.letters, labels.letter[i]);
        if constexpr (of_tile >= 0) {
          all = all && x.template extent<i>() == extent_[of_tile];
        } else if constexpr (input == 0) {
          constexpr int of_other = dimension_of(other, labels.letter[i]);
          if constexpr (of_other >= 0) {
            all = all && x.template extent<i>() == y.template extent<of_other>();
          }
        }
      });
    };
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    compare(Number<0>{}, a, b);
    compare(Number<1>{}, b, a);
    return all;
  }

  template <class Products>
  struct Memory {
    T* stage;
    TileSource<T>* source;
    SliceTables tables;

    KOKKOS_FORCEINLINE_FUNCTION explicit Memory(char* generic) {
      constexpr int count = Products::count;
      constexpr std::size_t begin =
          bytes_of<Products>() - bytes(0, Products::rows_of_blocks, count, false, 0);
      char* const memory = Machine::in_block_memory(generic);
      stage = reinterpret_cast<T*>(memory);
      source = reinterpret_cast<TileSource<T>*>(memory + begin);
      char* const table = memory + begin + sizeof(TileSource<T>) * count;
      constexpr std::size_t in_row = sizeof(std::ptrdiff_t) * (Atom::m + Atom::n) * count;
      constexpr std::size_t of_row = sizeof(std::ptrdiff_t) * Products::rows_of_blocks;
      tables.offset_in_row = reinterpret_cast<std::ptrdiff_t*>(table);
      tables.offset_of_row = reinterpret_cast<std::ptrdiff_t*>(table + in_row);
      tables.there = reinterpret_cast<unsigned*>(table + in_row + of_row);
    }
  };

  /// Products N and those behind it, with sums in the layout of product N.
  template <class Products, int N, class Arguments, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void run_from(char* bytes, const Arguments& arguments,
                                            SumsOfRun& sums) {
    constexpr int end = Products::template end_of_run<N + 1>();
    run<Products, N, end>(bytes, arguments, sums);
    if constexpr (end < Products::count) {
      constexpr TileLayout from = Products::schedule.layout[N];
      constexpr TileLayout next = Products::schedule.layout[end];
      if constexpr (next == home) {
        exchange<from, home>(bytes, sums, sums_);
        run_from<Products, end>(bytes, arguments, sums_);
      } else {
        TileSums<Atom, next> other;
        exchange<from, next>(bytes, sums, other);
        run_from<Products, end>(bytes, arguments, other);
      }
    } else if constexpr (!(Products::schedule.layout[N] == home)) {
      constexpr TileLayout from = Products::schedule.layout[N];
      exchange<from, home>(bytes, sums, sums_);
    }
  }

  /// The register of layout To with what layout From has in this one: blocks and rows of blocks
  /// change places.
  template <TileLayout From, TileLayout To>
  struct Register {
    static consteval int row_digit(const TileLayout& layout, int row, int letter) {
      for (int l = layout.rank - 1; l > letter; --l) row /= layout.row[l];
      return row % layout.row[letter];
    }
    /// Of the first lane.
    static consteval AtomPlace target(int block, int r) {
      const AtomPlace place = Atom::sum_at(0, r);
      int to_block = 0;
      int to_row = 0;
      for (int l = 0; l < From.rank; ++l) {
        const int in_wave =
            block_digit(From, block, l) * From.row[l] + row_digit(From, place.row, l);
        to_block = to_block * To.blocks[l] + in_wave / To.row[l];
        to_row = to_row * To.row[l] + in_wave % To.row[l];
      }
      for (int other = 0; other < Atom::sum_each; ++other) {
        const AtomPlace at = Atom::sum_at(0, other);
        if (at.row == to_row && at.col == place.col) return {to_block, other};
      }
      return {-1, -1};
    }
  };
  template <TileLayout From, TileLayout To>
  KOKKOS_FORCEINLINE_FUNCTION static void change_in_registers(const TileSums<Atom, From>& from,
                                                              TileSums<Atom, To>& to) {
    // Told apart, so that registers change here, and not in each step behind it.
    unrolled<From.block_count()>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr AtomPlace target = Register<From, To>::target(b, r);
        static_assert(target.row >= 0);
        to.sum[target.row][target.col] = Machine::told_apart(from.sum[b][r]);
      });
    });
  }

  /// Elements change places.
  template <TileLayout From, TileLayout To>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(char* memory, TileSums<Atom, From>& from,
                                            TileSums<Atom, To>& to) {
    if constexpr (changes_in_registers(From, To, limits)) {
      change_in_registers(from, to);
      return;
    }
    T* const buffer = reinterpret_cast<T*>(Machine::in_block_memory(memory));
    const auto visit = [&]<int blocks>(const auto& places, Number<blocks>,
                                       const auto& f) KOKKOSCONTRACT_INLINE_LAMBDA {
      unrolled<blocks>([&]<int b>(Number<b>) KOKKOSCONTRACT_INLINE_LAMBDA {
        unrolled<Atom::sum_each>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
          int at = 0;
          unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
            constexpr int stride = exchange_stride(Extents, l);
            at += places.template index<b, r, l>() * stride;
          });
          if (places.is_busy && places.template is_in_block<r>())
            f(Number<b>{}, Number<r>{}, buffer[at]);
        });
      });
    };
    const int lane = Machine::lane_of_wave();
    level_.barrier();
    visit(TilePlaces<Atom, From>(wave(), lane), Number<From.block_count()>{},
          [&]<int b, int r>(Number<b>, Number<r>, T& place)
              KOKKOSCONTRACT_INLINE_LAMBDA { place = from.sum[b][r]; });
    level_.barrier();
    to.clear();
    visit(TilePlaces<Atom, To>(wave(), lane), Number<To.block_count()>{},
          [&]<int b, int r>(Number<b>, Number<r>, const T& place)
              KOKKOSCONTRACT_INLINE_LAMBDA { to.sum[b][r] = place; });
    level_.barrier();
  }

  /// Products Begin to End - 1, which share a layout.
  template <class Products, int Begin, int End, class Arguments, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void run(char* bytes, const Arguments& arguments, SumsOfRun& sums) {
    const Memory<Products> memory(bytes);
    describe<Products, Begin, End>(memory, arguments);
    level_.barrier();
    set_tables<Products, Begin, End>(memory);
    level_.barrier();
    const int worker = level_.rank();
    Cursor cursor{Begin, End, 0, 0, false};
    PiecesOf<Products> pieces{};
    begin_source(memory, cursor, pieces, worker);
    pieces.begin_step(cursor.terms);
    constexpr int stages = stages_of<Products>();
    const auto address = Machine::block_address(reinterpret_cast<char*>(memory.stage));
    constexpr int bytes_of_stage = Products::slices * static_cast<int>(sizeof(T));
    KOKKOSCONTRACT_NO_UNROLL
    for (int stage = 0; stage < stages; ++stage) {
      unrolled<PiecesOf<Products>::slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        pieces.template start<s>(address + stage * bytes_of_stage, cursor.is_quick);
      });
      end_copies(memory, cursor, pieces, stage, worker);
    }
    Machine::template finish_groups_of_copies<stages - 1>();
    level_.barrier();
    int stage = 0;
    multiply_from<Products, Begin, End>(memory, cursor, pieces, stage, sums);
    Machine::template finish_groups_of_copies<0>();
    level_.barrier();
  }

  /// What is to be copied next: terms of a product.
  struct Cursor {
    int source, end;  // numbers of products
    int begin, terms;
    bool is_quick;
  };
  /// Where it is, of products whose slices are by terms.
  template <class Products>
  struct PiecesOfAll {
    PiecesByTerms<Machine, T, Products::least_positions, Products::most_positions, worker_count>
        both;
    static constexpr int slots = decltype(both)::slots;
    KOKKOS_FORCEINLINE_FUNCTION bool begin(const SliceTables& tables, const TileSource<T>& source,
                                           int worker) {
      const bool is_short = both.begin(tables, source.first, source.second,
                                       source.first.positions + source.second.positions, worker);
      return is_short && source.first.is_quick && source.second.is_quick;
    }
    KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) { both.begin_step(left); }
    template <int S>
    KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slices,
                                           bool is_quick) const {
      both.template start<S>(slices, is_quick);
    }
    KOKKOS_FORCEINLINE_FUNCTION void end_step() { both.end_step(); }
  };
  /// Of one product, whose slices need not be.
  template <class Products>
  struct PiecesOfOne {
    using Product = typename Products::template Product<0>;
    template <class Slice>
    using Of = std::conditional_t<
        Slice::by_terms,
        PiecesByTerms<Machine, T, Slice::positions, Slice::positions, worker_count>,
        PiecesByPositions<Machine, T, Slice::positions, worker_count>>;
    Of<typename Product::Type::X> x;
    Of<typename Product::Type::Y> y;
    static constexpr int slots_of_x = decltype(x)::slots;
    static constexpr int slots = slots_of_x + decltype(y)::slots;
    template <class Pieces>
    KOKKOS_FORCEINLINE_FUNCTION static bool begin_one(Pieces& pieces, const SliceTables& tables,
                                                      const SliceSource<T>& source, int worker) {
      if constexpr (requires { pieces.count; }) {
        return pieces.begin(tables, source, source, source.positions, worker);
      } else {
        return pieces.begin(tables, source, worker);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION bool begin(const SliceTables& tables, const TileSource<T>& source,
                                           int worker) {
      const bool x_is_short = begin_one(x, tables, source.first, worker);
      const bool y_is_short = begin_one(y, tables, source.second, worker);
      return x_is_short && y_is_short && source.first.is_quick && source.second.is_quick;
    }
    KOKKOS_FORCEINLINE_FUNCTION void begin_step(int left) {
      x.begin_step(left);
      y.begin_step(left);
    }
    template <int S>
    KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress slices,
                                           bool is_quick) const {
      if constexpr (S < slots_of_x) {
        x.template start<S>(slices, is_quick);
      } else {
        constexpr int behind_x = Product::Type::X::size * static_cast<int>(sizeof(T));
        y.template start<S - slots_of_x>(slices + behind_x, is_quick);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void end_step() {
      x.end_step();
      y.end_step();
    }
  };
  struct NoPieces {
    static constexpr int slots = 0;
    KOKKOS_FORCEINLINE_FUNCTION bool begin(const SliceTables&, const TileSource<T>&, int) {
      return false;
    }
    KOKKOS_FORCEINLINE_FUNCTION void begin_step(int) {}
    template <int>
    KOKKOS_FORCEINLINE_FUNCTION void start(typename Machine::BlockAddress, bool) const {}
    KOKKOS_FORCEINLINE_FUNCTION void end_step() {}
  };
  template <class Products>
  using PiecesOf =
      std::conditional_t<Products::by_terms && Products::count != 1, PiecesOfAll<Products>,
                         std::conditional_t<Products::count == 1, PiecesOfOne<Products>, NoPieces>>;

  /// Not inlined: each group of products would have a copy.
  template <class Products>
  KOKKOSCONTRACT_RARE_FUNCTION static void find_pieces(char* const memory, int number, int worker,
                                                       PiecesOf<Products>& pieces, bool& is_quick) {
    const Memory<Products> at(memory);
    is_quick = pieces.begin(at.tables, at.source[number], worker);
  }
  template <class Products>
  KOKKOS_FORCEINLINE_FUNCTION static void begin_source(const Memory<Products>& memory,
                                                       Cursor& cursor, PiecesOf<Products>& pieces,
                                                       int worker) {
    cursor.begin = 0;
    cursor.terms = 0;
    cursor.is_quick = false;
    while (cursor.source != cursor.end) {
      cursor.terms = memory.source[cursor.source].terms;
      if (cursor.terms > 0) break;
      ++cursor.source;
    }
    if (cursor.source == cursor.end) return;
    // What is found is in memory, and the copy of it in registers.
    PiecesOf<Products> found{};
    bool is_quick = false;
    find_pieces<Products>(reinterpret_cast<char*>(memory.stage), cursor.source, worker, found,
                          is_quick);
    pieces = found;
    cursor.is_quick = is_quick;
  }

  /// Copies of the next slices are started piece by piece (`start`), without branches, where they
  /// are quick; what is left is done at the end.
  template <class Products>
  KOKKOS_FORCEINLINE_FUNCTION static void end_copies(const Memory<Products>& memory, Cursor& cursor,
                                                     PiecesOf<Products>& pieces, int stage,
                                                     int worker) {
    if (!cursor.is_quick && cursor.source != cursor.end) {
      start_slow_copies<Products>(reinterpret_cast<char*>(memory.stage), cursor.source,
                                  cursor.begin, stage, worker);
    }
    Machine::end_group_of_copies();
    pieces.end_step();
    cursor.begin += SliceFormat<T>::depth;
    if (cursor.begin >= cursor.terms && cursor.source != cursor.end) {
      ++cursor.source;
      begin_source(memory, cursor, pieces, worker);
    }
    pieces.begin_step(cursor.terms - cursor.begin);
  }

  /// Whatever the inputs are like. Not inlined: it would take registers of the products.
  template <class Products>
  KOKKOSCONTRACT_RARE_FUNCTION static void start_slow_copies(char* const at, int number, int begin,
                                                             int stage, int worker) {
    const Memory<Products> memory(at);
    const TileSource<T>& source = memory.source[number];
    T* const to = memory.stage + stage * Products::slices;
    source.first.template start_copy<Machine>(memory.tables, to, source.sums, begin, source.terms,
                                              worker, worker_count);
    source.second.template start_copy<Machine>(memory.tables, to + source.offset_of_second,
                                               source.sums, begin, source.terms, worker,
                                               worker_count);
  }

  /// Products N to End - 1, group by group of those that go through the same code.
  template <class Products, int N, int End, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_from(const Memory<Products>& memory, Cursor& cursor,
                                                 PiecesOf<Products>& pieces, int& stage,
                                                 SumsOfRun& sums) {
    constexpr int stages = stages_of<Products>();
    constexpr int group_end = Products::template end_of_group<N + 1>();
    constexpr int end = group_end < End ? group_end : End;
    using Product = typename Products::template Product<N>::Type;
    const Product product(wave() < Products::schedule.layout[N].wave_count() ? wave() : 0,
                          Machine::lane_of_wave());
    typename Product::Fragments even;
    typename Product::Fragments odd;
    const auto x_of = [&](int s) KOKKOSCONTRACT_INLINE_LAMBDA {
      return memory.stage + s * Products::slices;
    };
    product.template read<0>(even, x_of(stage), x_of(stage) + Product::X::size);
    KOKKOSCONTRACT_NO_UNROLL
    for (int n = N; n < end; ++n) {
      const T alpha = memory.source[n].alpha;
      const int steps = memory.source[n].steps;
      KOKKOSCONTRACT_NO_UNROLL
      for (int step = 0; step < steps; ++step) {
        const T* const x = x_of(stage);
        const int done = stage;
        const auto done_at = Machine::block_address(
            reinterpret_cast<char*>(memory.stage + stage * Products::slices));
        stage = stage + 1 == stages ? 0 : stage + 1;
        const T* const next = x_of(stage);
        unrolled<Product::steps / 2>([&]<int half>(Number<half>) KOKKOSCONTRACT_INLINE_LAMBDA {
          constexpr int s = 2 * half;
          product.template read<s + 1>(odd, x, x + Product::X::size);
          product.template multiply<0>(sums, alpha, even, Nothing{});
          if constexpr (s + 2 < Product::steps) {
            product.template read<s + 2>(even, x, x + Product::X::size);
            product.template multiply<0>(sums, alpha, odd, Nothing{});
          } else {
            // Everybody has read this stage, and everybody's copies to the next one have arrived.
            Machine::template finish_groups_of_copies<stages - 2>();
            level_.barrier();
            product.template read<0>(even, next, next + Product::X::size);
            product.template multiply<PiecesOf<Products>::slots>(
                sums, alpha, odd, [&]<int piece>(Number<piece>) KOKKOSCONTRACT_INLINE_LAMBDA {
                  pieces.template start<piece>(done_at, cursor.is_quick);
                });
            end_copies(memory, cursor, pieces, done, level_.rank());
          }
        });
      }
    }
    if constexpr (end < End) multiply_from<Products, end, End>(memory, cursor, pieces, stage, sums);
  }

  /// Says where products Begin to End - 1 read. Different waves do different products.
  template <class Products, int Begin, int End, class Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void describe(const Memory<Products>& memory,
                                            const Arguments& arguments) {
    unrolled<End - Begin>([&]<int i>(Number<i>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int n = Begin + i;
      using Product = typename Products::template Product<n>;
      using Slices = typename Product::Type;
      if (level_.rank() != n % home.wave_count() * Machine::wave) return;
      const auto& of = argument<Product::number>(arguments);
      TileSource<T>& source = memory.source[n];
      constexpr int row = Products::template rows_before<n>();
      constexpr int input = Product::input_of_rows - 1;
      set_sums<Product::parsed>(source, of);
      source.alpha = convert<T>(of.alpha);
      source.offset_of_second = Slices::X::size;
      source.first.first_in_row = (Atom::m + Atom::n) * n;
      source.first.first_row = row;
      set_source<typename Slices::X, Product, input, true>(source, source.first,
                                                           operand_of<input>(of));
      source.second.first_in_row = (Atom::m + Atom::n) * n + Atom::m;
      source.second.first_row = row + Slices::X::positions / Atom::m;
      set_source<typename Slices::Y, Product, 1 - input, false>(source, source.second,
                                                                operand_of<1 - input>(of));
    });
  }

  /// The tables of those products, which share a layout. What is done for different inputs goes to
  /// different workers.
  template <class Products, int Begin, int End>
  KOKKOS_FORCEINLINE_FUNCTION void set_tables(const Memory<Products>& memory) const {
    constexpr TileLayout layout = Products::schedule.layout[Begin];
    int begin = 0;
    KOKKOSCONTRACT_NO_UNROLL
    for (int n = 2 * Begin; n < 2 * End; ++n) {
      const bool is_rows = n % 2 == 0;
      const TileSource<T>& product = memory.source[n / 2];
      const SliceSource<T>& source = is_rows ? product.first : product.second;
      const int size = 1 << source.log_size;
      const int entries = size + (source.positions >> source.log_size);
      int e = level_.rank() - begin;
      if (e < 0) e += worker_count;
      begin += entries;
      while (begin >= worker_count) begin -= worker_count;
      KOKKOSCONTRACT_NO_UNROLL
      for (; e < entries; e += worker_count) {
        if (e < size) {
          memory.tables.offset_in_row[source.first_in_row + e] =
              offset_in_row<layout>(source, is_rows, e);
        } else {
          set_row<layout>(memory.tables, source, is_rows, e - size);
        }
      }
    }
  }

  /// The digit of letter L in place g of a row of blocks.
  template <TileLayout Layout, int L>
  KOKKOS_FORCEINLINE_FUNCTION static int digit_in_row(bool is_rows, int g) {
    constexpr int inner_row = TilePlaces<Atom, Layout>::inner_rows(L);
    constexpr int inner_col = TilePlaces<Atom, Layout>::inner_cols(L);
    constexpr int rows = Layout.row[L];
    constexpr int cols = Layout.col[L];
    if (is_rows) return rows > 1 ? g / inner_row % rows : 0;
    return cols > 1 ? g / inner_col % cols : 0;
  }
  template <TileLayout Layout>
  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset_in_row(const SliceSource<T>& source,
                                                                  bool is_rows, int g) {
    std::ptrdiff_t at = 0;
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Layout.row[l] > 1 || Layout.col[l] > 1) {
        at += digit_in_row<Layout, l>(is_rows, g) * source.stride[l];
      }
    });
    return at;
  }
  template <TileLayout Layout>
  KOKKOS_FORCEINLINE_FUNCTION void set_row(const SliceTables& tables, const SliceSource<T>& source,
                                           bool is_rows, int q) const {
    constexpr int rows = Layout.rows();
    constexpr int cols = Layout.cols();
    const int filled = is_rows ? rows : cols;
    unsigned there = (1U << filled) - 1;
    std::ptrdiff_t at = 0;
    int rest = q;
    unrolled<rank>([&]<int r>(Number<r>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int l = rank - 1 - r;
      if ((source.letters >> l & 1U) == 0) return;
      constexpr int count = Layout.blocks[l] * Layout.waves[l];
      constexpr int of_row = Layout.row[l];
      constexpr int of_col = Layout.col[l];
      const int in_row = is_rows ? of_row : of_col;
      const int first = rest % count * in_row;
      rest /= count;
      at += first * source.stride[l];
      const int left = limit_[l] - first;
      if (left < in_row) {
        KOKKOSCONTRACT_NO_UNROLL
        for (int g = 0; g < filled; ++g) {
          if (digit_in_row<Layout, l>(is_rows, g) >= left) there &= ~(1U << g);
        }
      }
    });
    tables.offset_of_row[source.first_row + q] = at;
    tables.there[source.first_row + q] = there;
  }
  template <int Input, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION static auto operand_of(const Argument& of) {
    if constexpr (Input == 0) {
      return as_operand(of.a);
    } else {
      return as_operand(of.b);
    }
  }

  template <Parsed P, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION void set_sums(TileSource<T>& source, const Argument& of) const {
    constexpr SumLetters letters =
        sum_letters_of<typename Argument::First, typename Argument::Second>(P);
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    source.sums.count = 0;
    int terms = 1;
    unrolled<letters.count>([&]<int k>(Number<k>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr char c = letters.letter[k];
      constexpr int in_a = dimension_of(P.input[0], c);
      constexpr int in_b = dimension_of(P.input[1], c);
      int extent = 0;
      if constexpr (in_a >= 0) {
        extent = a.template extent<in_a>();
      } else {
        extent = b.template extent<in_b>();
      }
      terms *= extent;
      if (extent > 1) {
        source.sums.add(extent, stride_of_letter<P.input[0], c>(a),
                        stride_of_letter<P.input[1], c>(b));
      }
    });
    // Its divisions need a mode.
    if (source.sums.count == 0) source.sums.add(2, std::ptrdiff_t{0}, std::ptrdiff_t{0});
    source.terms = terms;
    source.steps = (terms + SliceFormat<T>::depth - 1) / SliceFormat<T>::depth;
  }

  template <class Slice, class Product, int Input, bool IsRows, class A>
  KOKKOS_FORCEINLINE_FUNCTION void set_source(const TileSource<T>& of, SliceSource<T>& source,
                                              const A& a) const {
    constexpr Labels labels = Product::parsed.input[Input];
    constexpr int vector = SliceFormat<T>::vector;
    static_assert(std::is_same_v<std::remove_const_t<typename A::value_type>, T>,
                  "KokkosContract: the inputs of a tile have its element type");
    const T* data = a.data();
    // Of other letters than the one along which neighbours are taken.
    bool is_aligned = true;
    bool has_neighbours = false;
    source.letters = 0;
    const auto is_whole = [](std::ptrdiff_t stride) { return stride % vector == 0; };
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      if constexpr (Slice::has(l)) {
        const std::ptrdiff_t stride = stride_of_letter<labels, Extents.letters.letter[l]>(a);
        data += origin_[l] * stride;
        source.stride[l] = stride;
        source.letters |= 1U << l;
        constexpr int size = IsRows ? Product::layout.row[l] : Product::layout.col[l];
        constexpr bool is_fastest =
            size % vector == 0 && is_last_in_block<Product::layout, IsRows>(l);
        if (!Slice::by_terms && is_fastest) {
          has_neighbours = stride == 1;
        } else {
          is_aligned = is_aligned && is_whole(stride);
        }
      }
    });
    const int last = of.sums.count - 1;
    for (int k = 0; k < of.sums.count; ++k) {
      if (Slice::by_terms && k == last) {
        has_neighbours =
            of.sums.stride[Input][k] == 1 && (last == 0 || of.sums.extent[k] % vector == 0);
      } else {
        is_aligned = is_aligned && is_whole(of.sums.stride[Input][k]);
      }
    }
    source.data = data;
    source.log_size = (IsRows ? Atom::m : Atom::n) == 16 ? 4 : 3;
    source.positions = Slice::positions;
    source.input = Input;
    source.by_terms = Slice::by_terms;
    source.conjugate = labels.conjugate;
    source.by_vectors = !(is_complex<T> && labels.conjugate) && (has_neighbours || vector == 1) &&
                        is_aligned && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    source.set_pieces(of.sums, worker_count);
  }

  /// Whether a letter's indices are next to each other in a row of a slice.
  template <TileLayout Layout, bool IsRows>
  static consteval bool is_last_in_block(int letter) {
    for (int l = letter + 1; l < Layout.rank; ++l) {
      if ((IsRows ? Layout.row[l] : Layout.col[l]) > 1) return false;
    }
    return true;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
