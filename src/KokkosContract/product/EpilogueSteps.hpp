// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_EPILOGUESTEPS_HPP
#define KOKKOSCONTRACT_PRODUCT_EPILOGUESTEPS_HPP

// The steps of an epilogue (Epilogue.hpp). A step is a type with the member is_epilogue_step and
//
//   apply<Out>(value, index)             the next value; index[d] is the index along dimension d of
//   C apply_to_lanes<Out, Along>(lanes, index)
//                                        the next values of neighbours along dimension `Along`, of
//                                        which the first has these indices
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

/// Values of the first `count` lanes of a register on a host.
template <class T, int W>
struct StepLanes {
  T lane[W];
  int count;

  /// Returns f(value, number of the lane) for each lane.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto map(const F& f) const {
    StepLanes<decltype(f(lane[0], 0)), W> result;
    result.count = count;
    if (count == W) {
      KOKKOSCONTRACT_UNROLL
      for (int l = 0; l < W; ++l) result.lane[l] = f(lane[l], l);
    } else {
      for (int l = 0; l < count; ++l) result.lane[l] = f(lane[l], l);
    }
    return result;
  }
};

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

  /// The operand's dimension that is dimension `along` of C, or -1.
  static consteval int dimension_along(const Labels& out, int along) {
    if (letters.rank > 0) return dimension_of(letters, out.letter[along]);
    return Op::rank > 0 ? along : -1;
  }
  /// The distance of elements that belong to neighbours along dimension `Along` of C; 0 if they
  /// share an element.
  template <Labels Out, int Along>
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride_along() const {
    constexpr int d = dimension_along(Out, Along);
    if constexpr (d >= 0) {
      return operand.stride(d);
    } else {
      return 0;
    }
  }
  /// Returns f(value, element) for each lane.
  template <Labels Out, int Along, class Lanes, class F>
  KOKKOS_FORCEINLINE_FUNCTION auto map(const Lanes& lanes, const int* index, const F& f) const {
    value_type* const first = at<Out>(index);
    const std::ptrdiff_t stride = stride_along<Out, Along>();
    if (stride == 1) {
      return lanes.map([&](const auto& x, int l)
                           KOKKOSCONTRACT_INLINE_LAMBDA { return f(x, first[l]); });
    }
    return lanes.map([&](const auto& x, int l)
                         KOKKOSCONTRACT_INLINE_LAMBDA { return f(x, first[l * stride]); });
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

/// A step with an operation on a value and an element: `next(value, element)`, the next value.
template <Spec S, class Op, class Operation>
struct ElementStep : StepOperand<S, Op> {
  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    return Operation::next(value, *this->template at<Out>(index));
  }
  template <Labels Out, int Along, class T, int W>
  KOKKOS_FORCEINLINE_FUNCTION auto apply_to_lanes(const StepLanes<T, W>& lanes,
                                                  const int* index) const {
    return this->template map<Out, Along>(
        lanes, index, [](const T& value, auto& element) KOKKOSCONTRACT_INLINE_LAMBDA {
          return Operation::next(value, element);
        });
  }
};
struct AddElement {
  template <class T, class E>
  KOKKOS_FORCEINLINE_FUNCTION static T next(const T& value, const E& element) {
    return value + convert<T>(element);
  }
};
struct MultiplyByElement {
  template <class T, class E>
  KOKKOS_FORCEINLINE_FUNCTION static T next(const T& value, const E& element) {
    return value * convert<T>(element);
  }
};
struct StoreInElement {
  template <class T, class E>
  KOKKOS_FORCEINLINE_FUNCTION static T next(const T& value, E& element) {
    element = convert<E>(value);
    return value;
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
  template <Labels Out, int Along, class T, int W>
  KOKKOS_FORCEINLINE_FUNCTION auto apply_to_lanes(const StepLanes<T, W>& lanes, const int*) const {
    return lanes.map([&](const T& value, int) KOKKOSCONTRACT_INLINE_LAMBDA { return f(value); });
  }
};

/// The functor of saturate.
template <class To>
struct Saturation {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION To operator()(const T& value) const {
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

/// A step that reduces values to elements of its operand. Reduction has `term(value)`, what a value
/// contributes; `joined(x, y)`; and `add(element, x)`, which is atomic.
template <Spec S, class Op, class Reduction>
struct Reduced : StepOperand<S, Op> {
  using Element = typename Op::value_type;

  template <Labels Out, class T>
  KOKKOS_FORCEINLINE_FUNCTION T apply(const T& value, const int* index) const {
    Reduction::add(this->template at<Out>(index), convert<Element>(Reduction::term(value)));
    return value;
  }
  /// Lanes that contribute to one element are joined before.
  template <Labels Out, int Along, class T, int W>
  KOKKOS_FORCEINLINE_FUNCTION auto apply_to_lanes(const StepLanes<T, W>& lanes,
                                                  const int* index) const {
    Element* const first = this->template at<Out>(index);
    if constexpr (StepOperand<S, Op>::dimension_along(Out, Along) < 0) {
      auto all = Reduction::term(lanes.lane[0]);
      for (int l = 1; l < lanes.count; ++l) {
        all = Reduction::joined(all, Reduction::term(lanes.lane[l]));
      }
      Reduction::add(first, convert<Element>(all));
    } else {
      const std::ptrdiff_t stride = this->template stride_along<Out, Along>();
      for (int l = 0; l < lanes.count; ++l) {
        Reduction::add(first + l * stride, convert<Element>(Reduction::term(lanes.lane[l])));
      }
    }
    return lanes;
  }
};

struct MaxReduction {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T term(const T& value) {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T joined(const T& x, const T& y) {
    return x > y ? x : y;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(T* element, const T& x) {
    Kokkos::atomic_max(element, x);
  }
};
template <bool Squares>
struct SumReduction {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto term(const T& value) {
    if constexpr (!Squares) {
      return value;
    } else if constexpr (is_complex<T>) {
      return value.real() * value.real() + value.imag() * value.imag();
    } else {
      return value * value;
    }
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T joined(const T& x, const T& y) {
    return x + y;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(T* element, const T& x) {
    Kokkos::atomic_add(element, x);
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
  template <Labels Out, int Along, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION auto apply_to_lanes(const Lanes& lanes, const int* index) const {
    return second.template apply_to_lanes<Out, Along>(
        first.template apply_to_lanes<Out, Along>(lanes, index), index);
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
  static constexpr bool has_lanes = true;
  const Step& step;
  template <class T, class... I>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const T& value, I... i) const {
    const int index[] = {i..., 0};  // C may be a scalar
    return step.template apply<Out>(value, index);
  }
  /// The values of neighbours along dimension `Along`, of which the first has indices i.
  template <int Along, class Lanes, class... I>
  KOKKOS_FORCEINLINE_FUNCTION auto lanes(const Lanes& values, I... i) const {
    const int index[] = {i..., 0};
    return step.template apply_to_lanes<Out, Along>(values, index);
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
