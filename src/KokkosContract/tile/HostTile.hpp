// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_HOSTTILE_HPP
#define KOKKOSCONTRACT_TILE_HOSTTILE_HPP

// A tile in memory, row-major. It is the tile of a host, where it stays in a cache, and of one
// thread alone, wherever that runs. A product is a contraction of parts of its inputs, by the
// algorithms of that level. On a host, products that have the same rows and columns of the tile are
// added together as one with longer sums: the tile is read and written once for all of them.

#include <KokkosContract/core/Digits.hpp>
#include <KokkosContract/product/Contract.hpp>
#include <KokkosContract/tile/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The shape of a part. All extents are known at run time only.
template <int R>
consteval StaticShape<R> shape_of_part(StaticShape<R> shape) {
  for (int i = 0; i < R; ++i) shape.extent[i] = dynamic;
  return shape;
}

template <TileExtents Extents>
consteval StaticShape<Extents.rank()> shape_in_memory() {
  StaticShape<Extents.rank()> shape{};
  std::ptrdiff_t stride = 1;
  for (int l = Extents.rank() - 1; l >= 0; --l) {
    shape.extent[l] = dynamic;
    shape.stride[l] = stride;
    stride *= Extents.extent[l];
  }
  return shape;
}

template <class Level, class T, TileExtents Extents>
class HostTile : private TilePosition<Extents> {
  using Position = TilePosition<Extents>;
  template <class>
  friend class HostSlices;
  template <class, int, class>
  friend class HostLoader;

 public:
  using Position::agrees_with_tensor;
  using Position::rank;
  using Position::rank_or_1;
  static constexpr std::size_t bytes = sizeof(T) * Extents.size();

  /// The most products that are packed and added together.
  static constexpr int most_together = 4;
  /// The letters of the tile that are in the input with the tile's last letter, one bit each. It is
  /// 0 if packed blocks do not support the product.
  template <class Argument>
  static consteval unsigned columns_of() {
    using A = std::remove_const_t<typename Argument::First::value_type>;
    using B = std::remove_const_t<typename Argument::Second::value_type>;
    if (!has_blocks<A, B>) return 0;
    unsigned of_input[2]{};
    for (int l = 0; l < rank; ++l) {
      for (int n = 0; n < 2; ++n) {
        if (Argument::parsed.input[n].has(Extents.letters.letter[l])) of_input[n] |= 1U << l;
      }
    }
    if ((of_input[0] & of_input[1]) != 0) return 0;
    return of_input[0] > of_input[1] ? of_input[0] : of_input[1];
  }

  /// Whether a product of these sizes is packed. `alone`: without other products.
  KOKKOS_FUNCTION static constexpr bool is_packed(std::ptrdiff_t rows, std::ptrdiff_t cols,
                                                  std::ptrdiff_t sums, bool alone) {
    using Size = BlockSizes<T>;
    return rows >= 2 * Size::tile_rows && cols >= Size::tile_cols && sums >= (alone ? 8 : 1);
  }

  /// `memory` is null if there is too little memory.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION HostTile(const Level& level, T* memory, const Index& origin,
                                       const Index& extents)
      : Position(origin, extents), level_(level), memory_(memory) {}

  template <int... I, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION int add_products(
      const TileArgumentList<std::integer_sequence<int, I...>, Arguments...>& arguments) {
    static_assert((has_type_of_tile<typename Arguments::First> && ...) &&
                      (has_type_of_tile<typename Arguments::Second> && ...),
                  "KokkosContract: the inputs of a tile have its element type, or 16 bits");
    if (fault() != 0) return fault();
    const int code = this->template fault_of_products<false>(arguments);
    if (code != 0) return code;
    Pending pending;
    unrolled<static_cast<int>(sizeof...(Arguments))>([&]<int n>(Number<n>) {
      const auto& of = argument<n>(arguments);
      if (!joins(pending, of)) add(of);
    });
    add(pending);
    return 0;
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_place(const F& f) {
    for_each_row([&](const Int(&first)[rank_or_1], T* row, const auto& count)
                     KOKKOSCONTRACT_INLINE_LAMBDA {
                       for (Int i = 0; i < number_of(count); ++i) call(f, row[i], first, i);
                     });
  }

  /// Neighbours have separate sums, so that they are vectorised. A GPU is an exception, because its
  /// threads lack the registers for this.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const F& f, R& sum) {
    constexpr int width = runs_on_gpu<Level>() ? 1 : row_length;
    R sums[width]{};
    for_each_row([&](const Int(&first)[rank_or_1], const T* row, const auto& count)
                     KOKKOSCONTRACT_INLINE_LAMBDA {
                       KOKKOSCONTRACT_SIMD
                       for (Int i = 0; i < number_of(count); ++i)
                         call(f, row[i], first, i, sums[width > 1 ? i : 0]);
                     });
    for (const R& s : sums) sum = sum + s;
  }

  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION R total(const R& mine) const {
    return level_.reduce(mine, [](const R& x, const R& y) { return x + y; });
  }

  KOKKOS_FORCEINLINE_FUNCTION const Level& level() const { return level_; }
  KOKKOS_FORCEINLINE_FUNCTION int fault() const {
    return memory_ != nullptr ? 0 : scratch_too_small;
  }
  /// Products distribute the elements over the workers differently than functions of single
  /// elements.
  KOKKOS_FORCEINLINE_FUNCTION void end_change() const { level_.barrier(); }

 private:
  /// An element's index. On a host it is as wide as an address, so a register holds the same number
  /// of indices and of elements.
  using Int = std::conditional_t<runs_on_gpu<Level>(), int, std::ptrdiff_t>;

  Level level_;
  T* memory_;
  bool is_zero_ = true;  // the tile counts as zero, whatever is in the memory
  using Position::limit_;
  using Position::origin_;

  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int number_of(Number<N>) {
    return N;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int number_of(int n) { return n; }

  /// Whether packed blocks support these elements. The compiler of a GPU also compiles this, and
  /// has no packed blocks.
  template <class... Element>
  static constexpr bool has_blocks = !runs_on_gpu<Level>() && is_host_blocked<T, Element...>();

  template <class A>
  static constexpr bool has_type_of_tile =
      is_input_of<T, std::remove_const_t<typename A::value_type>>;

  static constexpr int row_length = rank > 0 ? Extents.extent[rank_or_1 - 1] : 1;
  static constexpr int most_rows = rank > 1 ? Extents.extent[rank > 1 ? rank - 2 : 0] : 1;

  /// Returns the factor of the tile for the next product, which is added to it.
  KOKKOS_FORCEINLINE_FUNCTION T take_beta() {
    const T beta = is_zero_ ? T(0) : T(1);
    is_zero_ = false;
    return beta;
  }

  /// Calls f(indices of its first element, row, number of elements). No division is needed for the
  /// last two letters. Whole planes of them are unrolled, so that data that rows share are read
  /// once.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row(const F& f) {
    if (memory_ == nullptr) return;
    if (is_zero_) {
      Impl::for_each(level_, Extents.size(), [&](std::ptrdiff_t i) { memory_[i] = T(0); });
      level_.barrier();
      is_zero_ = false;
    }
    constexpr int last = rank > 0 ? rank - 1 : 0;
    constexpr int before = rank > 1 ? rank - 2 : 0;
    const int count = rank > 0 ? limit_[last] : 1;
    const int rows = rank > 1 ? limit_[before] : 1;
    int planes = 1;
    for (int l = 0; l < before; ++l) planes *= limit_[l];
    Impl::for_each(level_, planes, [&](std::ptrdiff_t plane) {
      Int first[rank_or_1]{};
      int rest = static_cast<int>(plane);
      int at = 0;
      int stride = Extents.extent[before] * row_length;
      for (int l = before - 1; l >= 0; --l) {
        const int i = take_digit(rest, limit_[l]);
        first[l] = origin_[l] + i;
        at += i * stride;
        stride *= Extents.extent[l];
      }
      if constexpr (rank > 0) first[last] = origin_[last];
      const auto do_rows = [&](const auto& row_count, const auto& length)
                               KOKKOSCONTRACT_INLINE_LAMBDA {
                                 KOKKOSCONTRACT_UNROLL
                                 for (int row = 0; row < number_of(row_count); ++row) {
                                   if constexpr (rank > 1)
                                     first[before] = Int{origin_[before]} + row;
                                   f(first, memory_ + at + row * row_length, length);
                                 }
                               };
      if (count != row_length) {
        do_rows(rows, count);
      } else if (rows != most_rows) {
        do_rows(rows, Number<row_length>{});
      } else {
        do_rows(Number<most_rows>{}, Number<row_length>{});
      }
    });
  }
  template <class F, class Value, class... Sum>
  KOKKOS_FORCEINLINE_FUNCTION static void call(const F& f, Value& value,
                                               const Int (&first)[rank_or_1], Int i, Sum&... sum) {
    // The indices are not copied as a block of memory, because such a copy would not be local to an
    // iteration.
    Int index[rank_or_1]{};
    unrolled<rank>([&]<int l>(Number<l>) { index[l] = first[l] + (l + 1 == rank ? i : 0); });
    f(value, index, sum...);
  }

  /// Products that are still to be added, by packed blocks.
  struct Pending {
    BlockedProduct<T> product[most_together];
    int count = 0;
    unsigned columns = 0;  // letters of the tile that are columns, one bit each
    T alpha{};
  };
  KOKKOS_FORCEINLINE_FUNCTION void add(Pending& pending) {
    if constexpr (has_blocks<T>) {
      if (pending.count == 0) return;
      const BlockedOutput<T> output{memory_, pending.alpha, take_beta()};
      blocked_product(pending.product, pending.count, output, level_.rank(), level_.size());
      level_.barrier();
      pending.count = 0;
    }
  }

  /// Whether a product becomes one of the pending ones. Pending products with other rows and
  /// columns are added first.
  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION bool joins(Pending& pending, const Argument& of) {
    constexpr unsigned columns = columns_of<Argument>();
    if constexpr (columns == 0) {
      return false;
    } else {
      const T alpha = convert<T>(of.alpha);
      if (pending.count == most_together || columns != pending.columns || alpha != pending.alpha) {
        add(pending);
      }
      BlockedProduct<T>& product = pending.product[pending.count];
      set_product<columns>(product, of);
      if (alpha == T(0) || !is_packed(product.rows.size(), product.cols.size(), product.sums.size(),
                                      pending.count == 0)) {
        return false;
      }
      pending.columns = columns;
      pending.alpha = alpha;
      ++pending.count;
      return true;
    }
  }
  template <unsigned Columns, class Argument>
  KOKKOS_FORCEINLINE_FUNCTION void set_product(BlockedProduct<T>& product,
                                               const Argument& of) const {
    constexpr Parsed P = Argument::parsed;
    const auto a = as_operand(of.a);
    const auto b = as_operand(of.b);
    product = {{}, {}, {}, a.data(), b.data()};
    std::ptrdiff_t c_stride = Extents.size();
    unrolled<rank>([&]<int l>(Number<l>) {
      constexpr char letter = Extents.letters.letter[l];
      const std::ptrdiff_t in_a = stride_of_letter<P.input[0], letter>(a);
      const std::ptrdiff_t in_b = stride_of_letter<P.input[1], letter>(b);
      product.x += origin_[l] * in_a;
      product.y += origin_[l] * in_b;
      c_stride /= Extents.extent[l];
      // The modes are in the order of the tile, which is the same for all products.
      ModeList& modes = (Columns >> l & 1U) != 0 ? product.cols : product.rows;
      modes.append(limit_[l], in_a + in_b, c_stride);
    });
    constexpr SumLetters sums =
        sum_letters_of<typename Argument::First, typename Argument::Second>(P);
    unrolled<sums.count>([&]<int k>(Number<k>) {
      constexpr char letter = sums.letter[k];
      constexpr int in_a = dimension_of(P.input[0], letter);
      constexpr int in_b = dimension_of(P.input[1], letter);
      product.sums.add(in_a >= 0 ? a.extent(in_a) : b.extent(in_b),
                       stride_of_letter<P.input[0], letter>(a),
                       stride_of_letter<P.input[1], letter>(b));
    });
    if constexpr (P.input[0].has(Extents.letters.letter[rank_or_1 - 1])) {
      std::swap(product.x, product.y);
      std::swap(product.sums.first, product.sums.second);
    }
  }

  /// The part of an input that the tile needs.
  template <Labels Of, class A>
  KOKKOS_FORCEINLINE_FUNCTION auto part_of(const A& a) const {
    constexpr int a_rank = A::rank;
    int extent[a_rank > 0 ? a_rank : 1]{};
    std::ptrdiff_t stride[a_rank > 0 ? a_rank : 1]{};
    auto* data = a.data();
    for (int i = 0; i < a_rank; ++i) {
      extent[i] = a.extent(i);
      stride[i] = a.stride(i);
      const int of_tile = dimension_of(Extents.letters, Of.letter[i]);
      if (of_tile < 0) continue;
      extent[i] = limit_[of_tile];
      data += origin_[of_tile] * stride[i];
    }
    return strided_t<typename A::value_type, shape_of_part(A::shape)>(data, extent, stride);
  }

  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Argument& of) {
    constexpr Parsed P = Argument::parsed;
    add_parts<P.input[0], P.input[1]>(of.alpha, part_of<P.input[0]>(as_operand(of.a)),
                                      part_of<P.input[1]>(as_operand(of.b)));
  }
  /// Adds the product of the parts of the inputs that the tile needs. The extents have been
  /// compared before. Ends with a barrier, as each contraction does.
  template <Labels OfFirst, Labels OfSecond, class Alpha, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const Alpha& alpha, const A& a, const B& b) {
    for (int l = 0; l < rank; ++l) {
      if (limit_[l] == 0) return;
    }
    constexpr auto shape = shape_in_memory<Extents>();
    const strided_t<T, shape> c(memory_, limit_, shape.stride);
    (void)contract_labels<ProductLabels{OfFirst, OfSecond, Extents.letters}>(
        level_, a, b, Update{alpha, take_beta(), c, NoEpilogue{}});
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
