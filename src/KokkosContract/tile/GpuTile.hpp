// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_GPUTILE_HPP
#define KOKKOSCONTRACT_TILE_GPUTILE_HPP

// A tile held by a team of a GPU. Products are added in runs that share a layout. Within a run, one
// pipeline has the slices (k-tiles) of all products, so it is filled only once. While slices are
// multiplied, the workers copy later slices, which may belong to the next product.

#include <KokkosContract/block/MainLoop.hpp>
#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/operand/TakeScratch.hpp>
#include <KokkosContract/tile/Copies.hpp>
#include <KokkosContract/tile/Inputs.hpp>
#include <KokkosContract/tile/Memory.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The memory of a block in which its warps exchange their sums.
template <int Bytes>
struct SumsOfWarps;

template <class Level, class Types, TileExtents Extents>
class GpuTile : protected TileInputs<Level, Types, Extents> {
  template <class>
  friend class GpuSlices;
  template <class, int>
  friend class GpuLoader;

 public:
  using Inputs = TileInputs<Level, Types, Extents>;
  using T = typename Types::Sum;
  using Machine = typename Inputs::Machine;
  using Atom = typename Inputs::Atom;
  using Inputs::home;
  using Inputs::limits;
  using Inputs::rank;
  using Inputs::rank_or_1;
  using Inputs::worker_count;
  using Sums = TileSums<Atom, home>;
  /// The shared memory of products.
  template <class Products>
  using Shared = TileMemory<Machine, typename Products::Types, Extents>;

  template <class Products>
  static consteval std::size_t bytes_of() {
    return Shared<Products>::template bytes_of<Products>();
  }

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION GpuTile(const Level& level, const Index& origin, const Index& extents)
      : Inputs(level, origin, extents) {
    sums_.clear();
  }

  /// Adds alpha A B of each argument, with scratch memory that all workers share.
  template <class Scratch, int... I, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION int add_products(
      const Scratch& scratch,
      const TileArgumentList<std::integer_sequence<int, I...>, Arguments...>& arguments) {
    using Products = tile_plan_t<Machine, Types, Extents, Arguments...>;
    if (fault() != 0) return fault();
    const int code = this->template fault_of_products<true>(arguments);
    if (code != 0) return code;
    char* const memory = take_scratch(scratch, bytes_of<Products>());
    if (memory == nullptr) return scratch_too_small;
    // Earlier reads of this memory are complete.
    level_.barrier();
    say_what_to_copy<Products>(memory, arguments);
    if constexpr (!(Products::schedule.layout[0] == home)) {
      TileSums<Atom, Products::schedule.layout[0]> sums;
      if (is_zero_) {
        sums.clear();
      } else {
        exchange<Products, home, Products::schedule.layout[0]>(memory, sums_, sums);
      }
      run_from<Products, 0>(memory, sums);
    } else {
      run_from<Products, 0>(memory, sums_);
    }
    is_zero_ = false;
    return 0;
  }

  /// Calls f(value, its indices in the whole tensor) for each element in bounds.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(const F& f) {
    const auto& origin = this->origin_;
    const auto& limit = this->limit_;
    each_element([&](T& value, const int (&at)[rank_or_1], bool is_there)
                     KOKKOSCONTRACT_INLINE_LAMBDA {
                       int index[rank_or_1];
                       unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
                         is_there = is_there && at[l] < limit[l];
                         index[l] = origin[l] + at[l];
                       });
                       if (is_there) f(value, index);
                     });
  }

  /// Calls f(value, its indices, sum), which adds to the sum. It is called for all elements of the
  /// tile, without branches, so that data that several elements need are read once. Elements out of
  /// bounds get valid indices, and their results are dropped.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const F& f, R& sum) {
    const auto& origin = this->origin_;
    const auto& limit = this->limit_;
    bool is_empty = false;
    bool is_whole = true;
    unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
      constexpr int extent = Extents.extent[l];
      is_empty = is_empty || limit[l] == 0;
      is_whole = is_whole && limit[l] == extent;
    });
    if (is_empty) return;
    // In a whole tile, all elements are at constant distances from each other.
    const auto add = [&]<bool Whole>(std::bool_constant<Whole>) KOKKOSCONTRACT_INLINE_LAMBDA {
      each_element([&](const T& value, const int (&at)[rank_or_1], bool is_there)
                       KOKKOSCONTRACT_INLINE_LAMBDA {
                         int index[rank_or_1];
                         unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
                           const bool is_near = Whole || at[l] < limit[l];
                           is_there = is_there && is_near;
                           index[l] = origin[l] + (is_near ? at[l] : 0);
                         });
                         R next = sum;
                         f(value, index, next);
                         if (is_there) sum = next;
                       });
    };
    if (is_whole) {
      add(std::true_type{});
    } else {
      add(std::false_type{});
    }
  }

  /// The sum over all workers.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION R total(const R& mine) const {
    const auto add = [](const R& x, const R& y) KOKKOSCONTRACT_INLINE_LAMBDA { return x + y; };
    const R of_warp = join_warp<Machine>(mine, add);
    constexpr int warps = home.warp_count();
    if constexpr (warps == 1) {
      return of_warp;
    } else {
      constexpr int bytes = warps * static_cast<int>(sizeof(R));
      R* const of_warps =
          reinterpret_cast<R*>(Machine::template block_memory<SumsOfWarps<bytes>, bytes>());
      barrier();
      if (Machine::lane_of_warp() == 0) of_warps[warp()] = of_warp;
      barrier();
      R sum = of_warps[0];
      KOKKOSCONTRACT_UNROLL
      for (int w = 1; w < warps; ++w) sum = sum + of_warps[w];
      return sum;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION const Level& level() const { return level_; }
  KOKKOS_FORCEINLINE_FUNCTION int fault() const {
    return level_.size() == worker_count ? 0 : tile_needs_workers;
  }
  /// Does nothing, because each worker has its elements in registers.
  KOKKOS_FORCEINLINE_FUNCTION void end_change() { is_zero_ = false; }

 protected:
  using Inputs::level_;
  bool is_zero_ = true;
  Sums sums_;

  KOKKOS_FORCEINLINE_FUNCTION int warp() const { return level_.rank() / Machine::warp_size; }

  /// Barrier of the workers. A level with more workers than a warp contains all threads of a block.
  /// The level's barrier is in a branch; without that branch products of floats are up to 7 %
  /// faster.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {
    if constexpr (worker_count > Machine::warp_size &&
                  !std::is_same_v<typename Types::Input, float>) {
      Machine::block_barrier();
    } else {
      level_.barrier();
    }
  }

  /// Calls f(value, its indices in the tile, whether it is in the block) for this worker's
  /// elements.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void each_element(const F& f) {
    const TilePlaces<Atom, home> places(warp(), Machine::lane_of_warp());
    if (!places.is_busy) return;
    // The loop takes two blocks at a time, because code for all blocks would run once, and takes
    // longer to fetch than to run. Finished elements go to the end of the registers, so the order
    // is restored at the end.
    constexpr int paired = letter_of_pairs();
    constexpr int together = paired < 0 ? 1 : 2;
    KOKKOSCONTRACT_NO_UNROLL
    for (int group = 0; group < home.block_count() / together; ++group) {
      int first[rank_or_1];
      int rest = group;
      unrolled<rank>([&]<int back>(Number<back>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int l = rank - 1 - back;
        constexpr int blocks = l == paired ? 2 : 1;
        constexpr int step = home.step(l) * blocks;
        constexpr int groups = home.blocks[l] / blocks;
        first[l] = take_digit(rest, groups) * step;
      });
      unrolled<together * Atom::sum_each>([&]<int n>(Number<n>) KOKKOSCONTRACT_INLINE_LAMBDA {
        constexpr int b = n / Atom::sum_each;
        constexpr int r = n % Atom::sum_each;
        int at[rank_or_1];
        unrolled<rank>([&]<int l>(Number<l>) KOKKOSCONTRACT_INLINE_LAMBDA {
          at[l] = first[l] + places.template index<b, r, l>();
        });
        f(sums_.sum[b][r], at, places.template is_in_block<r>());
      });
      sums_.template turn<together>();
    }
  }

  /// The letter along which every second block follows the one before it, or -1.
  static consteval int letter_of_pairs() {
    int l = rank - 1;
    while (l >= 0 && home.blocks[l] == 1) --l;
    return l >= 0 && home.blocks[l] % 2 == 0 ? l : -1;
  }

  template <class Products>
  using Memory = typename Shared<Products>::template Memory<Products>;
  template <class Products>
  using Copies = TileCopies<Machine, typename Products::Types, Products, Memory<Products>>;

  /// Describes all products at once, so that workers wait only once for the descriptions.
  template <class Products, class Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void say_what_to_copy(char* bytes, const Arguments& arguments) {
    this->template describe<Products>(Memory<Products>(bytes), arguments);
    level_.barrier();
  }

  /// Runs product N and the later ones, with sums in the layout of product N.
  template <class Products, int N, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void run_from(char* bytes, SumsOfRun& sums) {
    constexpr int end = Products::template end_of_run<N + 1>();
    if constexpr (N == 0 && end == Products::count) {
      run<Products, N, end>(bytes, sums);
    } else {
      // This copy changes registers once. Values that were spilled during a relayout are read again
      // here, and not in each step of the products.
      SumsOfRun apart;
      sums.template copy_apart<Machine>(apart);
      run<Products, N, end>(bytes, apart);
      sums = apart;
    }
    if constexpr (end < Products::count) {
      constexpr TileLayout from = Products::schedule.layout[N];
      constexpr TileLayout next = Products::schedule.layout[end];
      if constexpr (next == home) {
        exchange<Products, from, home>(bytes, sums, sums_);
        run_from<Products, end>(bytes, sums_);
      } else {
        TileSums<Atom, next> other;
        exchange<Products, from, next>(bytes, sums, other);
        run_from<Products, end>(bytes, other);
      }
    } else if constexpr (!(Products::schedule.layout[N] == home)) {
      constexpr TileLayout from = Products::schedule.layout[N];
      exchange<Products, from, home>(bytes, sums, sums_);
    }
  }

  /// Relayouts the elements, in registers or through memory that no code reads any more.
  template <class Products, TileLayout From, TileLayout To>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(char* memory, TileSums<Atom, From>& from,
                                            TileSums<Atom, To>& to) const {
    if constexpr (changes_in_registers(From, To, limits)) {
      change_in_registers(from, to);
    } else {
      constexpr int at_a_time = Shared<Products>::template exchanged_at_a_time<Products>();
      change_in_memory<Machine, Extents, at_a_time>(
          level_, reinterpret_cast<T*>(Machine::in_block_memory(memory)), warp(), from, to);
    }
  }

  /// Runs products Begin to End - 1, which share a layout.
  template <class Products, int Begin, int End, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void run(char* bytes, SumsOfRun& sums) {
    const Memory<Products> memory(Machine::known_block_memory(bytes));
    const int worker = level_.rank();
    auto copies = Copies<Products>::template first_run<Begin, End>(
        reinterpret_cast<char*>(memory.stage), worker);
    copies.pieces.begin_step(copies.left);
    constexpr int stages = Shared<Products>::template stages_of<Products>();
    const auto address = Machine::block_address(reinterpret_cast<char*>(memory.stage));
    constexpr int bytes_of_stage =
        Products::slices * static_cast<int>(sizeof(typename Products::T));
    KOKKOSCONTRACT_NO_UNROLL
    for (int stage = 0; stage < stages; ++stage) {
      unrolled<Copies<Products>::Pieces::slots>([&]<int s>(Number<s>) KOKKOSCONTRACT_INLINE_LAMBDA {
        copies.pieces.template start<s>(address + stage * bytes_of_stage);
      });
      copies.template end<End>(memory, stage, worker);
    }
    Machine::template finish_groups_of_copies<stages - 1>();
    level_.barrier();
    int stage = 0;
    multiply_from<Products, Begin, End>(memory, copies, stage, sums);
    Machine::template finish_groups_of_copies<0>();
    level_.barrier();
  }

  /// The steps of products N to the end of their group, which all have the code of product N. It
  /// holds references only, so that the compiler sees through it before it unrolls loops.
  template <class Products, int N, int End, class SumsOfRun>
  struct ProductGroup {
    static constexpr int stages = Shared<Products>::template stages_of<Products>();
    static constexpr int group_end = Products::template end_of_group<N + 1>();
    static constexpr int end = group_end < End ? group_end : End;
    using Product = typename Products::template Product<N>::Type;
    using Input = typename Products::T;
    using Fragments = typename Product::Fragments;
    using Factor = TileFactor<T>;
    static constexpr bool scales_sums = Products::scales && Products::Types::scales_sums;
    static constexpr bool scales_slices = Products::scales && !scales_sums;
    // A single product determines its next copies while the last blocks are multiplied. Several
    // products do so after this loop, where a call would spill registers in each step.
    static constexpr bool ends_copies = Products::count == 1;
    static_assert(Product::steps % 2 == 0);

    const GpuTile& tile;
    const Memory<Products>& memory;
    Copies<Products>& copies;
    const Product& product;
    int& stage;
    SumsOfRun& sums;
    T& of_sums;  ///< the sums are divided by this factor while products with one alpha are added

    KOKKOS_FORCEINLINE_FUNCTION static void set_signs(Fragments& fragments, const Factor& by) {
      if constexpr (scales_slices || is_complex<T>) Product::set_signs(fragments, by);
    }
    KOKKOS_FORCEINLINE_FUNCTION Input* stage_of(int s) const {
      return memory.stage + s * Products::slices;
    }
    /// Scales the slices of product n after they have arrived and before any worker reads them. If
    /// they were read ahead, this happens after all workers have read them.
    KOKKOS_FORCEINLINE_FUNCTION void scale(const Factor& by, int n, bool were_read) const {
      if constexpr (scales_slices) {
        if (!Machine::uniform(by.times() != 0)) return;
        if (were_read) tile.barrier();
        Product::scale_slices(stage_of(stage), by, memory.source[n].alpha, tile.level_.rank(),
                              worker_count);
        tile.barrier();
      }
    }
    template <int s>
    KOKKOS_FORCEINLINE_FUNCTION void read(Fragments& fragments, const Input* from) const {
      product.template read<s>(fragments, from + Product::order.x_begin,
                               from + Product::order.y_begin);
    }
    KOKKOS_FORCEINLINE_FUNCTION int next_product(int n) const {
      while (n < end && memory.source[n].steps() == 0) ++n;
      return n;
    }
    KOKKOS_FORCEINLINE_FUNCTION Factor factor_of(int n) const {
      return n < end ? memory.source[n].factor : Factor{};
    }
    KOKKOS_FORCEINLINE_FUNCTION void scale_sums(const T& by) const {
      if constexpr (scales_sums) {
        if (!Machine::uniform(by != of_sums)) return;
        sums.multiply_by(of_sums / by);
        of_sums = by;
      }
    }

    /// What follows a slice.
    struct Next {
      const Factor& factor;  ///< the factor of the product behind
      int left;              ///< slices of this product, with the current one
      int product, behind;
    };

    /// Multiplies the slice of the current stage and starts copies in place of it.
    KOKKOS_FORCEINLINE_FUNCTION void multiply_stage(Fragments& even, Fragments& odd,
                                                    const Factor& factor, const Next& next) const {
      const Input* const from = stage_of(stage);
      const int done = stage;
      const auto done_at = Machine::block_address(reinterpret_cast<char*>(stage_of(stage)));
      stage = stage + 1 == stages ? 0 : stage + 1;
      const Input* const following = stage_of(stage);
      constexpr int at_end = ends_copies ? Product::blocks / 4 : 0;
      multiply_slice<Product, Copies<Products>::Pieces::slots, at_end>(
          sums, even, odd,
          SliceCallbacks{
              [&]<int s>(Number<s>, Fragments& fragments) KOKKOSCONTRACT_INLINE_LAMBDA {
                read<s % Product::steps>(fragments, s < Product::steps ? from : following);
              },
              [&](Fragments& fragments)
                  KOKKOSCONTRACT_INLINE_LAMBDA { set_signs(fragments, factor); },
              [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
                Machine::template finish_groups_of_copies<stages - 2>();
                tile.barrier();
                scale(next.left == 1 ? next.factor : factor,
                      next.left == 1 ? next.behind : next.product, false);
              },
              [&]<int piece>(Number<piece>)
                  KOKKOSCONTRACT_INLINE_LAMBDA { copies.pieces.template start<piece>(done_at); },
              [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
                if constexpr (ends_copies) {
                  copies.template end<End>(memory, done, tile.level_.rank());
                }
              }});
    }

    /// Starts the rare copies of the slices that were multiplied last.
    KOKKOS_FORCEINLINE_FUNCTION void end_rare_copies() const {
      const int done = stage == 0 ? stages - 1 : stage - 1;
      copies.template end_rare<End>(memory, done, tile.level_.rank());
    }
  };

  /// Multiplies products N to End - 1: one group of products with the same code after another. A
  /// group that follows another one finds its first slices already read.
  template <class Products, int N, int End, bool IsBehindAnother = false, class SumsOfRun>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_from(const Memory<Products>& memory,
                                                 Copies<Products>& copies, int& stage,
                                                 SumsOfRun& sums) {
    using Group = ProductGroup<Products, N, End, SumsOfRun>;
    const typename Group::Product product(
        warp() < Products::schedule.layout[N].warp_count() ? warp() : 0, Machine::lane_of_warp());
    T of_sums(1);
    const Group group{*this, memory, copies, product, stage, sums, of_sums};
    typename Group::Fragments even;
    typename Group::Fragments odd;
    int n = group.next_product(N);
    TileFactor<T> factor = group.factor_of(n);
    group.scale(factor, n, IsBehindAnother);
    group.template read<0>(even, group.stage_of(stage));
    group.set_signs(even, factor);
    KOKKOSCONTRACT_NO_UNROLL
    while (n < Group::end) {
      group.scale_sums(memory.source[n].alpha);
      int left = memory.source[n].steps();
      const int behind = group.next_product(n + 1);
      const TileFactor<T> next_factor = group.factor_of(behind);
      KOKKOSCONTRACT_NO_UNROLL
      while (left > 0) {
        KOKKOSCONTRACT_NO_UNROLL
        do {
          group.multiply_stage(even, odd, factor, {next_factor, left, n, behind});
          if (left == 1) factor = next_factor;
          group.set_signs(even, factor);
          --left;
          if constexpr (Products::count > 1) {
            copies.count();
            if (copies.is_rare()) break;
            copies.end_quick();
          }
        } while (left > 0);
        if constexpr (Products::count > 1) {
          if (copies.is_rare()) group.end_rare_copies();
        }
      }
      n = behind;
    }
    group.scale_sums(T(1));
    if constexpr (Group::end < End) {
      multiply_from<Products, Group::end, End, true>(memory, copies, stage, sums);
    }
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
