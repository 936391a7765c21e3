// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_LEADINGPART_HPP
#define KOKKOSCONTRACT_DENSE_LEADINGPART_HPP

// Calls that take their sizes from one operand, as in KokkosBatched. Larger operands are cut to
// their leading part before the routine gets them. Smaller ones stay, and the routine refuses them.

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Tags.hpp>
#include <climits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A number of elements, static or dynamic.
template <std::ptrdiff_t Static>
struct Length {
  static constexpr std::ptrdiff_t fixed = Static;
  int value;
};

template <std::ptrdiff_t M, std::ptrdiff_t N>
KOKKOS_FORCEINLINE_FUNCTION auto shorter(const Length<M>& m, const Length<N>& n) {
  constexpr std::ptrdiff_t both = M == dynamic || N == dynamic ? dynamic : (M < N ? M : N);
  return Length<both>{m.value < n.value ? m.value : n.value};
}

/// The extent of the dimension with number Back from the end; the last dimension is number 1. An
/// operand without this dimension limits nothing, because the routine reports its fault.
template <int Back, class A>
KOKKOS_FORCEINLINE_FUNCTION auto length_of(const A& a) {
  using Op = operand_t<A>;
  if constexpr (Op::rank < Back) {
    return Length<dynamic>{INT_MAX};
  } else {
    constexpr int d = Op::rank - Back;
    return Length<Op::shape.extent[d]>{as_operand(a).template extent<d>()};
  }
}

/// The shape of a leading part. A static extent stays static if the length is static, too.
template <int R, int Count>
consteval StaticShape<R> shape_of_leading(StaticShape<R> shape,
                                          const std::ptrdiff_t (&lengths)[Count]) {
  for (int i = 0; i < Count; ++i) {
    std::ptrdiff_t& extent = shape.extent[R - Count + i];
    if (extent != dynamic && (lengths[i] == dynamic || lengths[i] < extent)) extent = lengths[i];
  }
  return shape;
}

/// Whether the types show that nothing is cut.
template <int R, int Count>
consteval bool is_whole(const StaticShape<R>& shape, const std::ptrdiff_t (&lengths)[Count]) {
  for (int i = 0; i < Count; ++i) {
    const std::ptrdiff_t extent = shape.extent[R - Count + i];
    if (extent == dynamic || lengths[i] == dynamic || lengths[i] < extent) return false;
  }
  return true;
}

/// The leading part of an operand whose last dimensions are limited to these lengths. An argument
/// that is no operand, or lacks a dimension, stays as it is.
template <class A, std::ptrdiff_t... Lengths>
KOKKOS_FORCEINLINE_FUNCTION auto leading_part(const A& a, const Length<Lengths>&... lengths) {
  constexpr int count = static_cast<int>(sizeof...(Lengths));
  constexpr std::ptrdiff_t fixed[] = {Lengths...};
  if constexpr (!is_operand<A>) {
    return a;
  } else if constexpr (is_shared<A>) {
    return shared(leading_part(a.operand, lengths...));
  } else if constexpr (operand_t<A>::rank < count) {
    return a;
  } else if constexpr (is_whole(operand_t<A>::shape, fixed)) {
    return as_operand(a);
  } else {
    using Op = operand_t<A>;
    constexpr int rank = Op::rank;
    constexpr StaticShape<rank> shape = shape_of_leading(Op::shape, fixed);
    const Op whole = as_operand(a);
    const int most[] = {lengths.value...};
    int extent[rank]{};
    std::ptrdiff_t stride[rank]{};
    for (int d = 0; d < rank; ++d) {
      extent[d] = whole.extent(d);
      stride[d] = whole.stride(d);
    }
    for (int i = 0; i < count; ++i) {
      int& e = extent[rank - count + i];
      if (most[i] < e) e = most[i];
    }
    using Part = strided_t<typename Op::value_type, shape, Op::atomic>;
    constexpr bool is_marked = may_be_padded<Op> && !(packed_shape(shape) == shape);
    using Marked = std::conditional_t<is_marked, MayBePadded<Part>, Part>;
    using InMemory = std::conditional_t<is_in_scratch<Op>, InScratch<Marked>, Marked>;
    return std::conditional_t<is_in_tile<Op>, InTile<Part>, InMemory>(whole.data(), extent, stride);
  }
}

/// The leading part of a matrix X that is used as op(X). op(X) gets these lengths.
template <class TransX, class X, std::ptrdiff_t M, std::ptrdiff_t N>
KOKKOS_FORCEINLINE_FUNCTION auto leading_part_of(const X& x, const Length<M>& m,
                                                 const Length<N>& n) {
  if constexpr (is_transposed<TransX>) {
    return leading_part(x, n, m);
  } else {
    return leading_part(x, m, n);
  }
}

/// The number of rows of op(X); below, the number of its columns.
template <class TransX, class X>
KOKKOS_FORCEINLINE_FUNCTION auto rows_of(const X& x) {
  return length_of<is_transposed<TransX> ? 1 : 2>(x);
}
template <class TransX, class X>
KOKKOS_FORCEINLINE_FUNCTION auto cols_of(const X& x) {
  return length_of<is_transposed<TransX> ? 2 : 1>(x);
}

// --- From which operand each routine takes its sizes --------------------------------------------

// Each type calls `f` with the arguments of the routine, cut as Kokkos Kernels 4.5 to 4.7 uses
// them. Axpy, Dot, Getrf and Copy of matrices are absent: Kokkos Kernels refuses operands that
// disagree, too.

/// The sizes m and n are those of C, and k is that of A.
template <class TransA, class TransB>
struct GemmSizes {
  template <class F, class Alpha, class A, class B, class Beta, class C>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const A& a,
                                               const B& b, const Beta& beta, const C& c) {
    const auto m = length_of<2>(c);
    const auto n = length_of<1>(c);
    const auto k = cols_of<TransA>(a);
    return f(alpha, leading_part_of<TransA>(a, m, k), leading_part_of<TransB>(b, k, n), beta, c);
  }
};

/// All sizes are those of A.
template <class TransA>
struct GemvSizes {
  template <class F, class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const A& a,
                                               const X& x, const Beta& beta, const Y& y) {
    return f(alpha, a, leading_part(x, cols_of<TransA>(a)), beta,
             leading_part(y, rows_of<TransA>(a)));
  }
};

/// The size n is the number of rows of op(A).
template <class TransA>
struct TrsvSizes {
  template <class F, class Alpha, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const A& a,
                                               const B& b) {
    const auto n = rows_of<TransA>(a);
    return f(alpha, leading_part(a, n, n), leading_part(b, n));
  }
};

/// All sizes are those of B.
template <class Where>
struct TrsmSizes {
  template <class F, class Alpha, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const A& a,
                                               const B& b) {
    const auto n = length_of<std::is_same_v<Where, Side::Left> ? 2 : 1>(b);
    return f(alpha, leading_part(a, n, n), b);
  }
};

/// All sizes are those of B, a matrix or a vector.
struct SolveSizes {
  template <class F, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const A& a, const B& b) {
    constexpr int batch = is_shared<A> || operand_t<A>::rank == 3 ? 1 : 0;
    const auto n = length_of<operand_t<B>::rank - batch == 1 ? 1 : 2>(b);
    return f(leading_part(a, n, n), b);
  }
};

/// The size of vectors is that of A. Kokkos Kernels refuses matrices of other extents, too.
struct CopySizes {
  template <class F, class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const A& a, const B& b) {
    if constexpr (operand_t<A>::rank == 1) {
      return f(a, leading_part(b, length_of<1>(a)));
    } else {
      return f(a, b);
    }
  }
};

/// The matrix Q is as large as the number of rows of B, or of its columns on the right. A has one
/// reflector per column.
template <class Where>
struct ApplyQSizes {
  template <class F, class A, class T, class B, class... Work>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const A& a, const T& t, const B& b,
                                               const Work&... work) {
    constexpr bool is_matrix = operand_t<B>::rank == operand_t<A>::rank + (is_shared<A> ? 1 : 0);
    const auto m = length_of < is_matrix && std::is_same_v<Where, Side::Left> ? 2 : 1 > (b);
    const auto n = length_of<1>(a);
    return f(leading_part(a, m, n), leading_part(t, n), b, work...);
  }
};

/// All sizes are those of A.
struct QRSizes {
  template <class F, class A, class T, class... Work>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const A& a, const T& t,
                                               const Work&... work) {
    return f(a, leading_part(t, shorter(length_of<2>(a), length_of<1>(a))), work...);
  }
};

/// All sizes are those of A.
struct GerSizes {
  template <class F, class Alpha, class X, class Y, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const X& x,
                                               const Y& y, const A& a) {
    return f(alpha, leading_part(x, length_of<2>(a)), leading_part(y, length_of<1>(a)), a);
  }
};

/// The size n is the number of columns of A.
struct SyrSizes {
  template <class F, class Alpha, class X, class A>
  KOKKOS_FORCEINLINE_FUNCTION static int apply(const F& f, const Alpha& alpha, const X& x,
                                               const A& a) {
    const auto n = length_of<1>(a);
    return f(alpha, leading_part(x, n), leading_part(a, n, n));
  }
};

// --- The calls ----------------------------------------------------------------------------------

/// A routine with the operand sizes of KokkosBatched.
template <class Routine, class Sizes>
struct SerialLeading {
  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Arguments&... arguments) {
    const int code = Sizes::apply(
        [](const auto&... parts) KOKKOSCONTRACT_INLINE_LAMBDA { return Routine::invoke(parts...); },
        arguments...);
    end_own_arguments<Arguments...>();
    return code;
  }
};

/// A routine that takes a member first, with the operand sizes of KokkosBatched.
template <class Routine, class Sizes>
struct MemberLeading {
  template <class Member, class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION static int invoke(const Member& member,
                                                const Arguments&... arguments) {
    static_assert((reaches<typename Member::execution_space, Arguments> && ...),
                  "KokkosContract: an operand is in memory that the team cannot reach");
    const int code =
        Sizes::apply([&](const auto&... parts)
                         KOKKOSCONTRACT_INLINE_LAMBDA { return Routine::invoke(member, parts...); },
                     arguments...);
    end_own_arguments<Arguments...>();
    return code;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
