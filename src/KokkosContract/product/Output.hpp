// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_OUTPUT_HPP
#define KOKKOSCONTRACT_PRODUCT_OUTPUT_HPP

// How a finished sum becomes an element of C: with factors alpha and beta, by an epilogue, as it
// is, or atomically. This does not depend on the algorithm that computed the sums. An output has
// `put`, which stores sums. Where an element has a new value, it also has result(sum, old, index),
// which returns that value, and `reads`, which says whether that depends on the old value.

#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/core/Factor.hpp>
#include <KokkosContract/core/Product.hpp>
#include <KokkosContract/level/Level.hpp>
#include <KokkosContract/product/EpilogueSteps.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Stands for an absent epilogue.
struct NoEpilogue {};

/// How sums change an output: C = epilogue(alpha * sum + beta * C). The members refer to the
/// arguments of a call.
template <class AlphaOfCall, class BetaOfCall, class OutputOfCall, class EpilogueOfCall>
struct Update {
  using Output = OutputOfCall;
  using Epilogue = EpilogueOfCall;
  const AlphaOfCall& alpha;
  const BetaOfCall& beta;
  const OutputOfCall& output;
  const EpilogueOfCall& epilogue;
};
template <class Alpha, class Beta, class Output, class Epilogue>
Update(const Alpha&, const Beta&, const Output&, const Epilogue&)
    -> Update<Alpha, Beta, Output, Epilogue>;

/// The usual output: c = alpha * sum + beta * c, where beta == 0 never reads c.
template <class Acc, class Alpha, class Beta>
struct LinearOutput {
  static constexpr bool needs_indices = false;
  Alpha alpha;
  Beta beta;
  bool reads;  // beta != 0

  KOKKOS_FORCEINLINE_FUNCTION bool may_repeat() const { return !reads; }
  /// Whether the compiler knows that sums are added to c, so that they may begin with it.
  KOKKOS_FORCEINLINE_FUNCTION bool is_known_to_add() const {
    if constexpr (std::is_floating_point_v<Alpha> && std::is_floating_point_v<Beta>) {
#if defined(__GNUC__)
      const bool adds = alpha == Alpha(1) && beta == Beta(1);
      return __builtin_constant_p(adds) && adds;
#endif
    }
    return false;
  }

  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION C result(const Acc& sum, const C& old, const int*) const {
    return convert<C>(linear_value(alpha, sum, beta, reads, old));
  }
  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      *c = result(from_register<Acc>(sum), *c, index);
    } else {
      auto value = scale<W>(alpha, sum);
      if constexpr (Unit && !Full && First == 0 && has_parts<C>) {
        if (reads && count < W) {
          return store_parts(c, value + scale<W>(beta, load_partial<W>(c, count)), count);
        }
      }
      if (reads) value = value + scale<W>(beta, load<W, Unit, Full, First>(c, stride, count));
      store<W, Unit, Full, First>(c, stride, value, count);
    }
  }
};

/// Stores the result of `epilogue(value, i, j, ...)` in c, or nothing if that returns void.
template <class C, class Epilogue, class Acc, class... I>
KOKKOS_FORCEINLINE_FUNCTION void put_result(C* c, const Epilogue& epilogue, const Acc& value,
                                            I... i) {
  if constexpr (std::is_void_v<decltype(epilogue(value, i...))>) {
    epilogue(value, i...);
  } else {
    *c = convert<C>(epilogue(value, i...));
  }
}

/// Like LinearOutput, but stores the result of `epilogue(value, i, j, ...)`, and stores nothing if
/// that returns void. Order[d] is the mode of output dimension d.
template <class Acc, class Alpha, class Beta, class Epilogue, int... Order>
struct EpilogueOutput {
  static constexpr bool needs_indices = true;
  Alpha alpha;
  Beta beta;
  bool reads;
  const Epilogue& epilogue;

  template <class C>
    requires(
        !std::is_void_v<decltype(std::declval<const Epilogue&>()(std::declval<Acc>(), Order...))>)
  KOKKOS_FORCEINLINE_FUNCTION C result(const Acc& sum, const C& old, const int* index) const {
    return convert<C>(epilogue(linear_value(alpha, sum, beta, reads, old), index[Order]...));
  }
  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      put_one<Lane>(c, from_register<Acc>(sum), index, 0);
    } else if constexpr (requires { Epilogue::has_lanes; } && dimension_of_lane<Lane>() >= 0) {
      put_lanes<W, Unit, First, Lane>(c, stride, sum, Full || count > W ? W : count, index);
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int l = First; l < W; ++l) {
        if (Full || l < count) put_one<Lane>(c + l * stride, sum.lane(l), index, l);
      }
    }
  }

  /// The dimension of the output along which lanes are neighbours, or -1.
  template <int Lane>
  static consteval int dimension_of_lane() {
    const int order[] = {Order..., -1};
    for (int d = 0; d < static_cast<int>(sizeof...(Order)); ++d) {
      if (order[d] == Lane) return d;
    }
    return -1;
  }
  /// Puts lanes First to end - 1 of a register. Steps take all of them at a time, so that the
  /// compiler forms vectors of them.
  template <int W, bool Unit, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put_lanes(C* c, std::ptrdiff_t stride,
                                             const register_t<Acc, W>& sum, int end,
                                             const int* index) const {
    const std::ptrdiff_t next = Unit ? 1 : stride;
    StepLanes<Acc, W - First> values;
    values.count = end - First;
    for (int l = 0; l < values.count; ++l) {
      values.lane[l] = linear_value(alpha, sum.lane(First + l), beta, reads, c[(First + l) * next]);
    }
    const auto results = epilogue.template lanes<dimension_of_lane<Lane>()>(
        values, (index[Order] + (Order == Lane ? First : 0))...);
    for (int l = 0; l < values.count; ++l) c[(First + l) * next] = convert<C>(results.lane[l]);
  }

  template <int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put_one(C* c, const Acc& sum, const int* index, int l) const {
    put_result(c, epilogue, linear_value(alpha, sum, beta, reads, *c),
               (index[Order] + (Order == Lane ? l : 0))...);
  }
};

/// Stores c = sum, whatever its value (infinities, NaN and the sign of zero stay).
template <class Acc>
struct CopyOutput {
  static constexpr bool needs_indices = false;
  static constexpr bool reads = false;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool may_repeat() { return true; }

  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION C result(const Acc& sum, const C&, const int*) const {
    return convert<C>(sum);
  }
  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      *c = result(from_register<Acc>(sum), *c, index);
    } else {
      store<W, Unit, Full, First>(c, stride, sum, count);
    }
  }
};

/// c += sum, or c -= sum where Factor is -1.
template <class Acc, int Factor>
struct AddOutput {
  static_assert(Factor == 1 || Factor == -1);
  static constexpr bool needs_indices = false;
  static constexpr bool reads = true;

  template <class Sum>
  static KOKKOS_FORCEINLINE_FUNCTION auto added(const Sum& c, const Sum& sum) {
    if constexpr (Factor == 1) {
      return c + sum;
    } else {
      return c - sum;
    }
  }

  template <class C>
  KOKKOS_FORCEINLINE_FUNCTION C result(const Acc& sum, const C& old, const int*) const {
    return convert<C>(from_register<Acc>(added(to_register(convert<Acc>(old)), to_register(sum))));
  }
  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      *c = result(from_register<Acc>(sum), *c, index);
    } else {
      const auto value = added(load<W, Unit, Full, First>(c, stride, count), sum);
      store<W, Unit, Full, First>(c, stride, value, count);
    }
  }
};

/// An output View with MemoryTraits<Atomic>: each element is added once.
template <class Acc, class Alpha>
struct AtomicOutput {
  static constexpr bool needs_indices = false;
  Alpha alpha;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      Kokkos::atomic_add(c, convert<C>(alpha * from_register<Acc>(sum)));
    } else {
      for (int l = First; l < W; ++l) {
        if (Full || l < count) Kokkos::atomic_add(c + l * stride, convert<C>(alpha * sum.lane(l)));
      }
    }
  }
};

/// Whether elements C of an output have new values that do not depend on how they are stored.
template <class Output, class Acc, class C>
concept HasResult = requires(const Output& output, const Acc& sum, const C& old, const int* index) {
  output.result(sum, old, index);
};

/// Whether an output is alpha sum + beta c.
template <class Output>
inline constexpr bool is_linear = false;
template <class Acc, class Alpha, class Beta>
inline constexpr bool is_linear<LinearOutput<Acc, Alpha, Beta>> = true;

template <class Alpha, class Beta>
struct FactorPair {
  Alpha alpha;
  Beta beta;
};
/// The factors of an output that is alpha sum + beta c.
template <class Acc, class Alpha, class Beta>
KOKKOS_FORCEINLINE_FUNCTION FactorPair<Alpha, Beta> factors_of(
    const LinearOutput<Acc, Alpha, Beta>& output) {
  return {output.alpha, output.beta};
}
template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION FactorPair<Acc, Acc> factors_of(const CopyOutput<Acc>&) {
  return {Acc(1), Acc(0)};
}
template <class Acc, int Factor>
KOKKOS_FORCEINLINE_FUNCTION FactorPair<Acc, Acc> factors_of(const AddOutput<Acc, Factor>&) {
  return {Acc(Factor), Acc(1)};
}

/// The code of a misuse in the factors of an output C, whose sums are accumulated in Acc; 0 if
/// there is none.
template <class Acc, class C, class Alpha, class Beta>
KOKKOS_FORCEINLINE_FUNCTION int fault_of_factors(const Alpha& alpha, const Beta& beta) {
  if (!keeps_value<Acc>(alpha) || !keeps_value<Acc>(beta)) return factor_is_no_integer;
  if constexpr (C::atomic) {
    using Factor = factor_t<Acc, Beta>;
    if (!(factor<Factor>(beta) == Factor(1))) return atomic_needs_beta_one;
  }
  return 0;
}

/// The output of an update without a fault. Order[d] is the index of C's dimension d among the
/// indices that `put` gets, for an epilogue.
template <class Acc, int... Order, class Alpha, class Beta, class C, class Epilogue>
KOKKOS_FORCEINLINE_FUNCTION auto output_of(const Update<Alpha, Beta, C, Epilogue>& update,
                                           std::integer_sequence<int, Order...>) {
  using FactorA = factor_t<Acc, Alpha>;
  using FactorB = factor_t<Acc, Beta>;
  const auto alpha = factor<FactorA>(update.alpha);
  const auto beta = factor<FactorB>(update.beta);
  if constexpr (C::atomic) {
    static_assert(!is_constant<Beta>, "KokkosContract: Reshape and Copy have no atomic output");
    static_assert(std::is_same_v<Epilogue, NoEpilogue>,
                  "KokkosContract: an atomic output takes no epilogue");
    return AtomicOutput<Acc, FactorA>{alpha};
  } else if constexpr (!std::is_same_v<Epilogue, NoEpilogue>) {
    return EpilogueOutput<Acc, FactorA, FactorB, Epilogue, Order...>{alpha, beta, !is_zero(beta),
                                                                     update.epilogue};
  } else if constexpr (is_constant<Alpha> && is_constant<Beta>) {
    if constexpr (Beta::value == 0) {
      static_assert(Alpha::value == 1);
      return CopyOutput<Acc>{};
    } else {
      static_assert(Beta::value == 1);
      return AddOutput<Acc, Alpha::value>{};
    }
  } else {
    return LinearOutput<Acc, FactorA, FactorB>{alpha, beta, !is_zero(beta)};
  }
}

/// Whether an output needs sums: its factor is not zero.
template <class Output>
KOKKOS_FORCEINLINE_FUNCTION bool needs_sums(const Output& output) {
  if constexpr (requires { output.alpha; }) {
    return !is_zero(output.alpha);
  } else {
    return true;
  }
}

/// Whether an element may be computed and stored twice.
template <class Output>
KOKKOS_FORCEINLINE_FUNCTION bool may_repeat(const Output& output) {
  if constexpr (requires { output.may_repeat(); }) {
    return output.may_repeat();
  } else {
    return false;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
