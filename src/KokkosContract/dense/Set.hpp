// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_SET_HPP
#define KOKKOSCONTRACT_DENSE_SET_HPP

// Operations on each element of one operand, of any rank: Set, Scale, SetIdentity.

#include <KokkosContract/core/Codes.hpp>
#include <KokkosContract/level/Call.hpp>
#include <KokkosContract/product/Tiles.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The dimensions of an operand from the slowest to the fastest.
template <class Op>
KOKKOS_FORCEINLINE_FUNCTION constexpr int slowest_first(int n) {
  constexpr bool column_major = is_column_major(dims_of(Op::shape));
  return column_major ? Op::rank - 1 - n : n;
}

/// Calls f(element, index) for all elements from p on. Their indices in the N slowest dimensions
/// are set.
template <int N, class Op, class T, class F, int R>
KOKKOS_FORCEINLINE_FUNCTION void visit_elements(const Op& a, T* p, int (&index)[R], const F& f) {
  if constexpr (N == Op::rank) {
    f(*p, index);
  } else {
    constexpr int d = slowest_first<Op>(N);
    const std::ptrdiff_t stride = a.template stride<d>();
    for (int i = 0; i < a.template extent<d>(); ++i) {
      index[d] = i;
      visit_elements<N + 1>(a, p + i * stride, index, f);
    }
  }
}

/// Calls f(element, index) for each element once, on one worker. A barrier follows.
template <Level L, class Op, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_element(const L& level, const Op& a, const F& f) {
  constexpr int most = Op::rank > 0 ? Op::rank : 1;
  if constexpr (is_single_worker<L>()) {
    int index[most]{};
    visit_elements<0>(a, a.data(), index, f);
  } else {
    std::ptrdiff_t size = 1;
    for (int d = 0; d < Op::rank; ++d) size *= a.extent(d);
    for_each(level, size, [&](std::ptrdiff_t t) KOKKOSCONTRACT_INLINE_LAMBDA {
      int index[most]{};
      std::ptrdiff_t offset = 0;
      for (int n = Op::rank - 1; n >= 0; --n) {
        const int d = slowest_first<Op>(n);
        index[d] = static_cast<int>(take_digit(t, a.extent(d)));
        offset += index[d] * a.stride(d);
      }
      f(a.data()[offset], index);
    });
    level.barrier();
  }
}

struct SetRoutine {
  static constexpr Signature signature{"Set", 1};
  template <Level L, class Alpha, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a) {
    require_output<A>();
    using T = value_t<A>;
    if (!keeps_value<T>(alpha)) return factor_is_no_integer;
    const T value = convert<T>(factor<factor_t<T, Alpha>>(alpha));
    for_each_element(level, as_operand(a),
                     [&](T& x, const auto&) KOKKOSCONTRACT_INLINE_LAMBDA { x = value; });
    return 0;
  }
};

/// Sets elements of C to zero in the lanes where a pack alpha is zero, whatever their values were.
template <Level L, class Alpha, class C>
KOKKOS_FORCEINLINE_FUNCTION void clear_zero_lanes([[maybe_unused]] const L& level,
                                                  [[maybe_unused]] const Alpha& alpha,
                                                  [[maybe_unused]] const C& c) {
  if constexpr (is_pack<Alpha>) {
    using T = value_t<C>;
    bool has_zero = false;
    for (int l = 0; l < Alpha::length; ++l) {
      has_zero = has_zero || alpha[l] == scalar_t<Alpha>(0);
    }
    if (!has_zero) return;
    for_each_element(level, as_operand(c), [&](T& x, const auto&) KOKKOSCONTRACT_INLINE_LAMBDA {
      for (int l = 0; l < T::length; ++l) {
        if (alpha[l] == scalar_t<Alpha>(0)) x[l] = scalar_t<T>(0);
      }
    });
  }
}

struct ScaleRoutine {
  static constexpr Signature signature{"Scale", 1};
  template <Level L, class Alpha, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const Alpha& alpha, const A& a) {
    require_output<A>();
    using T = value_t<A>;
    using Acc = accumulator_t<T>;
    if (!keeps_value<Acc>(alpha)) return factor_is_no_integer;
    const auto by = factor<factor_t<Acc, Alpha>>(alpha);
    if (is_zero(by)) return SetRoutine::run(level, real_t<Acc>(0), a);
    for_each_element(level, as_operand(a), [&](T& x, const auto&) KOKKOSCONTRACT_INLINE_LAMBDA {
      x = convert<T>(linear_value<Acc>(by, convert<Acc>(x), by, false, x));
    });
    return 0;
  }
};

struct SetIdentityRoutine {
  static constexpr Signature signature{"SetIdentity", 0};
  template <Level L, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int run(const L& level, const A& a) {
    require_output<A>();
    using T = value_t<A>;
    constexpr int rank = operand_t<A>::rank;
    static_assert(rank == 2 || rank == 3,
                  "KokkosContract: SetIdentity: A must have rank 2, or 3 with a leading batch "
                  "dimension");
    for_each_element(level, as_operand(a),
                     [&](T& x, const auto& index) KOKKOSCONTRACT_INLINE_LAMBDA {
                       x = convert<T>(real_t<T>(index[rank - 2] == index[rank - 1] ? 1 : 0));
                     });
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
