// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_TILE_OPERATIONS_HPP
#define KOKKOSCONTRACT_TILE_OPERATIONS_HPP

// Common operations of tiles at all levels: the arguments of products, and functions on elements.

#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/core/Factor.hpp>
#include <KokkosContract/core/SlotAt.hpp>
#include <KokkosContract/product/Output.hpp>
#include <KokkosContract/tile/Call.hpp>
#include <KokkosContract/tile/Plan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <Spec S, class Alpha, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto tile_argument(const Alpha& alpha, const A& a, const B& b) {
  return TileArgument<S, Alpha, A, B>{alpha, a, b};
}
template <Spec S, TileExtents Extents>
consteval bool is_of_tile() {
  constexpr Parsed p = Parse<S>::value;
  static_assert(p.inputs == 2, "KokkosContract: a tile accumulates contractions of two inputs");
  bool same = p.output.rank == Extents.rank();
  for (int i = 0; same && i < p.output.rank; ++i) {
    same = p.output.letter[i] == Extents.letters.letter[i];
  }
  return same;
}
/// Requires that the strings of a query about products are valid, if there are any, and that the
/// operands fit them.
template <TileExtents Extents, std::size_t Operands, Spec... Strings>
constexpr void require_operands_of_tile() {
  static_assert((is_of_tile<Strings, Extents>() && ...),
                "KokkosContract: the output of each string is that of the tile");
  static_assert(
      Operands % 2 == 0 && (sizeof...(Strings) == 0 || Operands == 2 * sizeof...(Strings)),
      "KokkosContract: each string of a tile has two operands, A and B");
}

/// Calls f(A and B of each string), without factors, for queries.
template <class T, Spec S, Spec... Rest, class F, class A, class B, class... More>
auto with_pairs(const F& f, const A& a, const B& b, const More&... more) {
  if constexpr (sizeof...(Rest) == 0) {
    return f(tile_argument<S>(T(1), a, b));
  } else {
    return with_pairs<T, Rest...>(
        [&](const auto&... others) { return f(tile_argument<S>(T(1), a, b), others...); }, more...);
  }
}
template <class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION TileArguments<Arguments...> list_of_products(
    const Arguments&... arguments) {
  return {{arguments}...};
}
/// The products of accumulate(alpha1, A1, B1, alpha2, A2, B2, ...).
template <Spec... Strings>
struct TileProducts {
  using Numbers = std::make_integer_sequence<int, sizeof...(Strings)>;

  template <int... N, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static auto of(std::integer_sequence<int, N...>,
                                             const Arguments&... arguments) {
    static_assert(sizeof...(Arguments) == 3 * sizeof...(Strings),
                  "KokkosContract: accumulate takes alpha, A and B for each of its strings");
    return list_of_products(tile_argument<Strings>(slot_at<3 * N>(arguments...),
                                                   slot_at<3 * N + 1>(arguments...),
                                                   slot_at<3 * N + 2>(arguments...))...);
  }
};

/// Functions of tiles at all levels: load, accumulate, for_each, reduce and store. They report
/// their own codes. `Held` is the tile and provides:
///
///   - fault(): the code of a fault of the tile itself, or 0;
///   - add_products(products): adds the products of a list, and returns a code;
///   - for_each_place, add_up, total: functions on its elements;
///   - end_change(): called after a change of elements, before any other use of them.
template <class Held, Workers W, class T, TileExtents Extents>
class TileOperations {
 public:
  static constexpr int rank = Extents.rank();
  static constexpr int rank_or_1 = rank > 0 ? rank : 1;
  using Index = std::make_integer_sequence<int, rank>;

  /// Sets the elements to beta C. C is not read if beta is 0.
  template <class Beta, class C>
  KOKKOS_FORCEINLINE_FUNCTION int load(const Beta& beta, const C& c) {
    const auto from = as_operand(c);
    using From = std::remove_cvref_t<decltype(from)>;
    static_assert(From::rank == rank, "KokkosContract: load: C has the tile's rank");
    using Acc = accumulator_t<T, std::remove_const_t<typename From::value_type>>;
    int code = held().fault();
    if (code == 0 && !held().agrees_with_tensor(from)) code = extents_disagree;
    if (code == 0) {
      const auto by = factor<factor_t<Acc, Beta>>(beta);
      const bool reads = !is_zero(by);
      held().for_each_place(
          [&](T& value, const auto(&index)[rank_or_1]) KOKKOSCONTRACT_INLINE_LAMBDA {
            const auto* const element = from.data() + offset(from, index, Index{});
            value = reads ? convert<T>(Acc(by * convert<Acc>(*element))) : T(0);
          });
      held().end_change();
    }
    return report_call<TileFunction::load>(code);
  }

  template <Spec... Strings, class... Arguments>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int accumulate(
      const Arguments&... arguments) {
    static_assert((is_of_tile<Strings, Extents>() && ...),
                  "KokkosContract: accumulate: the output of each string is that of the tile");
    using Products = TileProducts<Strings...>;
    return report_call<TileFunction::accumulate>(
        held().add_products(Products::of(typename Products::Numbers{}, arguments...)));
  }

  /// Calls f(value, i, j, ...) once for each element, by the worker that holds it, with the
  /// element's indices in the whole tensor. value is a T&.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(const F& f) {
    held().for_each_place([&](T& value, const auto(&index)[rank_or_1])
                              KOKKOSCONTRACT_INLINE_LAMBDA { call(f, value, index, Index{}); });
    held().end_change();
  }

  /// Sets result to the sum of all that f(value, i, j, ..., sum) adds to `sum`. It is the same in
  /// all workers and in each run. f must have no other effect: on a GPU it may be called for more
  /// elements, whose contributions are dropped. f is fastest without branches, because data that
  /// several elements need are then read once.
  template <class F, class R>
  KOKKOS_FORCEINLINE_FUNCTION void reduce(const F& f, R& result) {
    R sum{};
    held().add_up([&](const T& value, const auto(&index)[rank_or_1], R& to)
                      KOKKOSCONTRACT_INLINE_LAMBDA { call_with(f, value, index, to, Index{}); },
                  sum);
    result = held().total(sum);
  }

  /// Computes C = epilogue(alpha * tile + beta C), for the elements in bounds. The epilogue may be
  /// absent. With an atomic C, beta is 1, and there is no epilogue. An operand whose factor is 0 is
  /// not read.
  template <class Alpha, class Beta, class C, class Epilogue = NoEpilogue>
  KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int store(const Alpha& alpha,
                                                                    const Beta& beta, const C& c,
                                                                    const Epilogue& epilogue = {}) {
    require_output<C>();
    const auto to = as_operand(c);
    using To = std::remove_cvref_t<decltype(to)>;
    static_assert(To::rank == rank, "KokkosContract: store: C has the tile's rank");
    int code = held().fault();
    if constexpr (To::atomic) {
      static_assert(std::is_same_v<Epilogue, NoEpilogue>,
                    "KokkosContract: an atomic output takes no epilogue");
      if (!(beta == Beta(1))) code = atomic_needs_beta_one;
    }
    if (code == 0 && !held().agrees_with_tensor(to)) code = extents_disagree;
    if (code == 0) {
      store_in(to, alpha, beta, bound_epilogue<Extents.letters>(epilogue));
      held().level().barrier();
    }
    return report_call<TileFunction::store>(code);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Held& held() { return static_cast<Held&>(*this); }
  template <TileFunction F>
  KOKKOS_FORCEINLINE_FUNCTION int report_call(int code) {
    return report_of_level<TileCall<W, Extents, F>>(code, held().level());
  }
  /// Stores elements. It computes in the wider of both types.
  template <class To, class Alpha, class Beta, class Epilogue>
  KOKKOS_FORCEINLINE_FUNCTION void store_in(const To& to, const Alpha& alpha, const Beta& beta,
                                            const Epilogue& epilogue) {
    using E = typename To::value_type;
    using Acc = accumulator_t<T, E>;
    const auto of_tile = factor<factor_t<Acc, Alpha>>(alpha);
    const auto of_element = factor<factor_t<Acc, Beta>>(beta);
    const bool multiplies = !is_zero(of_tile);
    const bool reads = !is_zero(of_element);
    held().for_each_place(
        [&](const T& value, const auto(&index)[rank_or_1]) KOKKOSCONTRACT_INLINE_LAMBDA {
          auto* const element = to.data() + offset(to, index, Index{});
          const Acc x = multiplies ? convert<Acc>(value) : Acc(0);
          if constexpr (To::atomic) {
            Kokkos::atomic_add(element, convert<E>(Acc(of_tile * x)));
          } else {
            put(element, linear_value(of_tile, x, of_element, reads, *element), epilogue, index,
                Index{});
          }
        });
  }
  /// Stores a value, or the result of its epilogue.
  template <class E, class Value, class Epilogue, class Int, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static void put(E* element, const Value& value,
                                              const Epilogue& epilogue,
                                              const Int (&index)[rank_or_1],
                                              std::integer_sequence<int, L...>) {
    if constexpr (std::is_same_v<Epilogue, NoEpilogue>) {
      *element = convert<E>(value);
    } else {
      put_result(element, epilogue, value, static_cast<int>(index[L])...);
    }
  }
  template <class F, class Int, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static void call(const F& f, T& value, const Int (&index)[rank_or_1],
                                               std::integer_sequence<int, L...>) {
    f(value, index[L]...);
  }
  template <class F, class Int, class R, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static void call_with(const F& f, const T& value,
                                                    const Int (&index)[rank_or_1], R& sum,
                                                    std::integer_sequence<int, L...>) {
    f(value, index[L]..., sum);
  }
  template <class C, class Int, int... L>
  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset(const C& c,
                                                           const Int (&index)[rank_or_1],
                                                           std::integer_sequence<int, L...>) {
    return (std::ptrdiff_t{0} + ... + (index[L] * c.template stride<L>()));
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
