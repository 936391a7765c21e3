// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_GEMV_HPP
#define KOKKOSCONTRACT_GEMV_HPP

#include <KokkosContract/Impl/Gemm.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// y = alpha * op(A) * x + beta * y, with op(A) = A, A^T or A^H as the tag says.
///
/// Shapes: op(A) is m x n, x has n elements, y has m. The operands, rules, the batch within the
/// team (y of rank 2, inputs in shared(...) excepted) and the return values are those of
/// SerialGemm.
template <Impl::TransTag TransA, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct SerialGemv {
  template <class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_INLINE_FUNCTION static int invoke(const Alpha& alpha, const A& a, const X& x,
                                           const Beta& beta, const Y& y) {
    return Impl::gemv<TransA>(Impl::SerialLevel{}, alpha, a, x, beta, y);
  }
};

/// The lanes of one team thread work together. See SerialGemv.
template <class Member, Impl::TransTag TransA, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct VectorGemv {
  template <class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_INLINE_FUNCTION static int invoke(const Member& member, const Alpha& alpha, const A& a,
                                           const X& x, const Beta& beta, const Y& y) {
    return Impl::gemv<TransA>(Impl::vector_level(member), alpha, a, x, beta, y);
  }
};

/// The threads of a team work together. See SerialGemv.
template <class Member, Impl::TransTag TransA, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct TeamGemv {
  template <class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_INLINE_FUNCTION static int invoke(const Member& member, const Alpha& alpha, const A& a,
                                           const X& x, const Beta& beta, const Y& y) {
    return Impl::gemv<TransA>(Impl::team_level(member), alpha, a, x, beta, y);
  }
};

/// All lanes of all threads of a team work together. See SerialGemv.
template <class Member, Impl::TransTag TransA, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct TeamVectorGemv {
  template <class Alpha, class A, class X, class Beta, class Y>
  KOKKOS_INLINE_FUNCTION static int invoke(const Member& member, const Alpha& alpha, const A& a,
                                           const X& x, const Beta& beta, const Y& y) {
    return Impl::gemv<TransA>(Impl::team_vector_level(member), alpha, a, x, beta, y);
  }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
