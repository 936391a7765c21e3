// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_OUTPUT_HPP
#define KOKKOSCONTRACT_PRODUCT_OUTPUT_HPP

// How a finished sum becomes an element of C: with factors alpha and beta, by an epilogue, as it
// is, or atomically. This does not depend on the algorithm that computed the sums.

#include <KokkosContract/core/Factor.hpp>
#include <KokkosContract/core/Product.hpp>
#include <KokkosContract/level/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

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

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      *c = convert<C>(linear_value(alpha, from_register<Acc>(sum), beta, reads, *c));
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

/// Like LinearOutput, but stores the result of `epilogue(value, i, j, ...)`, and stores nothing if
/// that returns void. Order[d] is the mode of output dimension d.
template <class Acc, class Alpha, class Beta, class Epilogue, int... Order>
struct EpilogueOutput {
  static constexpr bool needs_indices = true;
  Alpha alpha;
  Beta beta;
  bool reads;
  const Epilogue& epilogue;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int* index) const {
    if constexpr (W == 1) {
      put_one<Lane>(c, from_register<Acc>(sum), index, 0);
    } else {
      KOKKOSCONTRACT_UNROLL
      for (int l = First; l < W; ++l) {
        if (Full || l < count) put_one<Lane>(c + l * stride, sum.lane(l), index, l);
      }
    }
  }

  template <int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put_one(C* c, const Acc& sum, const int* index, int l) const {
    const Acc value = linear_value(alpha, sum, beta, reads, *c);
    const auto result = [&]() KOKKOSCONTRACT_INLINE_LAMBDA {
      return epilogue(value, (index[Order] + (Order == Lane ? l : 0))...);
    };
    if constexpr (std::is_void_v<decltype(result())>) {
      result();
    } else {
      *c = convert<C>(result());
    }
  }
};

/// Stores c = sum, whatever its value (infinities, NaN and the sign of zero stay).
template <class Acc>
struct CopyOutput {
  static constexpr bool needs_indices = false;
  static KOKKOS_FORCEINLINE_FUNCTION constexpr bool may_repeat() { return true; }

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      *c = convert<C>(from_register<Acc>(sum));
    } else {
      store<W, Unit, Full, First>(c, stride, sum, count);
    }
  }
};

/// c -= sum
template <class Acc>
struct SubtractOutput {
  static constexpr bool needs_indices = false;

  template <int W, bool Unit, bool Full, int First, int Lane, class C>
  KOKKOS_FORCEINLINE_FUNCTION void put(C* c, std::ptrdiff_t stride, const register_t<Acc, W>& sum,
                                       int count, const int*) const {
    if constexpr (W == 1) {
      *c = convert<C>(from_register<Acc>(to_register(convert<Acc>(*c)) - sum));
    } else {
      const auto value = load<W, Unit, Full, First>(c, stride, count) - sum;
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
template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION FactorPair<Acc, Acc> factors_of(const SubtractOutput<Acc>&) {
  return {Acc(-1), Acc(1)};
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
