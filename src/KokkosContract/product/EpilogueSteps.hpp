// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_EPILOGUESTEPS_HPP
#define KOKKOSCONTRACT_PRODUCT_EPILOGUESTEPS_HPP

// The steps of an epilogue (Epilogue.hpp). A step is a type with the member is_epilogue_step and
//
//   apply<Out>(value, index)    the next value; index[d] is the index along dimension d of C
//
// where Out is the letters of C. A call binds its epilogue to the letters of its string.

#include <KokkosContract/Spec.hpp>
#include <KokkosContract/core/Scalar.hpp>
#include <KokkosContract/nest/Lower.hpp>
#include <KokkosContract/operand/Operand.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class E>
concept EpilogueStep = requires { requires E::is_epilogue_step; };

/// The dimension of C with the letter of dimension d of a step's operand, or -1. Without letters
/// the operand has the dimensions of C.
consteval int dimension_of_output(const Labels& out, const Labels& letters, int d) {
  return letters.rank == 0 ? d : dimension_of(out, letters.letter[d]);
}

/// An operand of a step, and its letters.
template <Spec S, class Op>
struct StepOperand {
  static constexpr bool is_epilogue_step = true;
  static constexpr Labels letters = functor_labels(S);
  using value_type = typename Op::value_type;
  static_assert(
      letters.rank >= 0,
      "KokkosContract: the letters of an epilogue's step are a list of at most 8 letters, "
      "each once");
  static_assert(letters.rank == Op::rank || letters.rank == 0,
                "KokkosContract: a step of an epilogue has one letter for each dimension of its "
                "operand");
  Op operand;

  /// The element with the indices of C that belong to the operand.
  template <Labels Out>
  KOKKOS_FORCEINLINE_FUNCTION value_type* at(const int* index) const {
    static_assert(letters.rank > 0 || Out.rank == Op::rank,
                  "KokkosContract: a residual has as many dimensions as the output");
    return at_dimensions<Out>(index, std::make_integer_sequence<int, Op::rank>{});
  }

 private:
  template <Labels Out, int... D>
  KOKKOS_FORCEINLINE_FUNCTION value_type* at_dimensions(const int* index,
                                                        std::integer_sequence<int, D...>) const {
    static_assert(
        ((dimension_of_output(Out, letters, D) >= 0) && ...),
        "KokkosContract: a step of an epilogue has a letter that the output does not have");
    return operand.data() + (std::ptrdiff_t{0} + ... +
                             (index[dimension_of_output(Out, letters, D)] *
                              static_cast<std::ptrdiff_t>(operand.stride(D))));
  }
};

template <Spec S, class Op>
struct AddedOperand : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    return value + convert<T>(*this->template at<Out>(index));
  }
};

template <Spec S, class Op>
struct MultipliedOperand : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    return value * convert<T>(*this->template at<Out>(index));
  }
};

template <class F>
struct Activation {
  static constexpr bool is_epilogue_step = true;
  F f;
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION auto apply(const T& value, const int*) const {
    return f(value);
  }
};

template <class To>
struct Saturation {
  static constexpr bool is_epilogue_step = true;
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION To apply(const T& value, const int*) const {
    constexpr To least = Kokkos::Experimental::finite_min_v<To>;
    constexpr To most = Kokkos::Experimental::finite_max_v<To>;
    if constexpr (std::is_integral_v<T>) {
      return value < static_cast<T>(least)  ? least
             : value > static_cast<T>(most) ? most
                                            : static_cast<To>(value);
    } else if constexpr (std::is_integral_v<To>) {
      if (!(value == value)) return 0;
      const T nearest = Kokkos::nearbyint(value);
      // The first value above the range is a power of two, and exact.
      constexpr T above = T(most / 2 + 1) * T(2);
      if (nearest < static_cast<T>(least)) return least;
      return nearest >= above ? most : static_cast<To>(nearest);
    } else {
      return value > static_cast<T>(most) ? most
                                          : (value < static_cast<T>(least) ? least : To(value));
    }
  }
};

template <Spec S, class Op>
struct SecondOutput : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    *this->template at<Out>(index) = convert<typename Op::value_type>(value);
    return value;
  }
};

template <Spec S, class Op>
struct ReducedMax : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    Kokkos::atomic_max(this->template at<Out>(index), convert<typename Op::value_type>(value));
    return value;
  }
};

template <Spec S, class Op, bool Squares>
struct ReducedSum : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    const auto term = [&] {
      if constexpr (!Squares) {
        return value;
      } else if constexpr (is_complex<T>) {
        return value.real() * value.real() + value.imag() * value.imag();
      } else {
        return value * value;
      }
    }();
    Kokkos::atomic_add(this->template at<Out>(index), convert<typename Op::value_type>(term));
    return value;
  }
};

/// Two steps, one after the other.
template <class First, class Second>
struct JoinedSteps {
  static constexpr bool is_epilogue_step = true;
  First first;
  Second second;
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION auto apply(const T& value, const int* index) const {
    return second.template apply<Out>(first.template apply<Out>(value, index), index);
  }
};
template <EpilogueStep First, EpilogueStep Second>
KOKKOS_FORCEINLINE_FUNCTION constexpr JoinedSteps<First, Second> operator|(const First& first,
                                                                           const Second& second) {
  return {first, second};
}

/// The functor of a call whose epilogue is a step.
template <Labels Out, class Step>
struct BoundSteps {
  const Step& step;
  template <class T, class... I>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const T& value, I... i) const {
    const int index[] = {i..., 0};  // C may be a scalar
    return step.template apply<Out>(value, index);
  }
};

/// The epilogue of a call whose output has the letters Out.
template <Labels Out, class Epilogue>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) bound_epilogue(const Epilogue& epilogue) {
  if constexpr (EpilogueStep<Epilogue>) {
    return BoundSteps<Out, Epilogue>{epilogue};
  } else {
    return (epilogue);
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
