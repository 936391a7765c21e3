// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls as in a program that uses Kokkos Kernels. The file is included several times, each time in
// a namespace in which
//
//     kb     has the routines: KokkosBatched or KokkosContract
//     blas   has those that Kokkos Kernels has in KokkosBlas
//     tags   has the tags
//
// so that one source is compiled for either library.

template <char C>
constexpr auto tag_of() {
  if constexpr (C == 'N') {
    return tags::Trans::NoTranspose{};
  } else if constexpr (C == 'T') {
    return tags::Trans::Transpose{};
  } else if constexpr (C == 'C') {
    return tags::Trans::ConjTranspose{};
  } else if constexpr (C == 'L') {
    return tags::Uplo::Lower{};
  } else if constexpr (C == 'U') {
    return tags::Uplo::Upper{};
  } else if constexpr (C == 'l') {
    return tags::Side::Left{};
  } else if constexpr (C == 'r') {
    return tags::Side::Right{};
  } else if constexpr (C == '1') {
    return tags::Diag::Unit{};
  } else if constexpr (C == 'd') {
    return tags::Diag::NonUnit{};
  }
}
template <char C>
using Tag = decltype(tag_of<C>());

struct Calls {
  template <char TransA, char TransB, class Alpha, class A, class B, class Beta, class C>
  static int gemm(const Alpha& alpha, const A& a, const B& b, const Beta& beta, const C& c) {
    using Algorithm = tags::Algo::Gemm::Unblocked;
    return kb::SerialGemm<Tag<TransA>, Tag<TransB>, Algorithm>::invoke(alpha, a, b, beta, c);
  }
  template <char TransA, class Alpha, class A, class X, class Beta, class Y>
  static int gemv(const Alpha& alpha, const A& a, const X& x, const Beta& beta, const Y& y) {
    using Algorithm = tags::Algo::Gemv::Unblocked;
    return blas::SerialGemv<Tag<TransA>, Algorithm>::invoke(alpha, a, x, beta, y);
  }
  template <class A>
  static int lu(const A& a) {
    return kb::SerialLU<tags::Algo::LU::Blocked>::invoke(a);
  }
  template <class A, class Tiny>
  static int lu(const A& a, Tiny tiny) {
    return kb::SerialLU<tags::Algo::LU::Unblocked>::invoke(a, tiny);
  }
  template <char Uplo, char TransA, char Diag, class Alpha, class A, class B>
  static int trsv(const Alpha& alpha, const A& a, const B& b) {
    using Algorithm = tags::Algo::Trsv::Unblocked;
    return kb::SerialTrsv<Tag<Uplo>, Tag<TransA>, Tag<Diag>, Algorithm>::invoke(alpha, a, b);
  }
  template <char Side, char Uplo, char TransA, char Diag, class Alpha, class A, class B>
  static int trsm(const Alpha& alpha, const A& a, const B& b) {
    using Algorithm = tags::Algo::Trsm::Unblocked;
    return kb::SerialTrsm<Tag<Side>, Tag<Uplo>, Tag<TransA>, Tag<Diag>, Algorithm>::invoke(alpha, a,
                                                                                           b);
  }
  template <char Side, char Uplo, char TransA, char Diag, class Alpha, class A, class B>
  static int trmm(const Alpha& alpha, const A& a, const B& b) {
    using Algorithm = tags::Algo::Trmm::Unblocked;
    return kb::SerialTrmm<Tag<Side>, Tag<Uplo>, Tag<TransA>, Tag<Diag>, Algorithm>::invoke(alpha, a,
                                                                                           b);
  }
  template <char Uplo, char Diag, class A>
  static int trtri(const A& a) {
    return kb::SerialTrtri<Tag<Uplo>, Tag<Diag>, tags::Algo::Trtri::Unblocked>::invoke(a);
  }
  template <char TransA, class A, class B>
  static int solve_lu(const A& a, const B& b) {
    return kb::SerialSolveLU<Tag<TransA>, tags::Algo::SolveLU::Unblocked>::invoke(a, b);
  }
  template <class A, class W>
  static int inverse_lu(const A& a, const W& w) {
    return kb::SerialInverseLU<tags::Algo::InverseLU::Unblocked>::invoke(a, w);
  }
  template <class A, class T, class W>
  static int qr(const A& a, const T& t, const W& w) {
    return kb::SerialQR<tags::Algo::QR::Unblocked>::invoke(a, t, w);
  }
  template <char Side, char TransQ, class A, class T, class B, class W>
  static int apply_q(const A& a, const T& t, const B& b, const W& w) {
    using Algorithm = tags::Algo::ApplyQ::Unblocked;
    return kb::SerialApplyQ<Tag<Side>, Tag<TransQ>, Algorithm>::invoke(a, t, b, w);
  }
  template <char TransA, int Rank, class A, class B>
  static int copy(const A& a, const B& b) {
    return kb::SerialCopy<Tag<TransA>, Rank>::invoke(a, b);
  }
  template <class Alpha, class A>
  static int set(const Alpha& alpha, const A& a) {
    return blas::SerialSet::invoke(alpha, a);
  }
  template <class Alpha, class A>
  static int scale(const Alpha& alpha, const A& a) {
    return blas::SerialScale::invoke(alpha, a);
  }
  template <class A>
  static int set_identity(const A& a) {
    return kb::SerialSetIdentity::invoke(a);
  }
  template <class Alpha, class X, class Y>
  static int axpy(const Alpha& alpha, const X& x, const Y& y) {
    return kb::SerialAxpy::invoke(alpha, x, y);
  }
  template <char TransX, class X, class Y, class Result>
  static int dot(const X& x, const Y& y, const Result& result) {
    return kb::SerialDot<Tag<TransX>>::invoke(x, y, result);
  }
  template <class X>
  static int iamax(const X& x) {
    return static_cast<int>(kb::SerialIamax::invoke(x));
  }
};

/// A kernel with teams: C = A^T B, x = C^-1 x, X = C^-1 X, A = C^-1, y = A x, with the barriers
/// that Kokkos Kernels needs.
template <class Tensor>
struct Kernel {
  using Policy = Kokkos::TeamPolicy<>;
  using Member = typename Policy::member_type;
  Tensor A, B, C, X, x, y, work;
  Kokkos::View<int*, typename Tensor::memory_space> info;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    using N = tags::Trans::NoTranspose;
    using T = tags::Trans::Transpose;
    using Lower = tags::Uplo::Lower;
    using Upper = tags::Uplo::Upper;
    using Left = tags::Side::Left;
    using Unit = tags::Diag::Unit;
    using NonUnit = tags::Diag::NonUnit;
    using Algo3 = tags::Algo::Gemm::Unblocked;
    using Algo2 = tags::Algo::Gemv::Unblocked;
    const int p = member.league_rank();
    const auto all = Kokkos::ALL;
    const auto A_p = Kokkos::subview(A, p, all, all), B_p = Kokkos::subview(B, p, all, all);
    const auto C_p = Kokkos::subview(C, p, all, all), X_p = Kokkos::subview(X, p, all, all);
    const auto x_p = Kokkos::subview(x, p, 0, all), y_p = Kokkos::subview(y, p, 0, all);
    const auto work_p = Kokkos::subview(work, p, 0, all);

    int code = kb::TeamSetIdentity<Member>::invoke(member, C_p);
    member.team_barrier();
    code += kb::TeamGemm<Member, T, N, Algo3>::invoke(member, 1., A_p, B_p, 4., C_p);
    member.team_barrier();
    code += kb::TeamCopy<Member, N, 2>::invoke(member, C_p, A_p);
    member.team_barrier();
    code += kb::TeamLU<Member, Algo3>::invoke(member, A_p);
    member.team_barrier();
    code += kb::TeamTrsv<Member, Lower, N, Unit, Algo2>::invoke(member, 1., A_p, x_p);
    member.team_barrier();
    code += kb::TeamTrsv<Member, Upper, N, NonUnit, Algo2>::invoke(member, 1., A_p, x_p);
    member.team_barrier();
    code += kb::TeamTrsm<Member, Left, Lower, N, Unit, Algo3>::invoke(member, 1., A_p, X_p);
    member.team_barrier();
    code +=
        kb::TeamVectorTrsm<Member, Left, Upper, N, NonUnit, Algo3>::invoke(member, 1., A_p, X_p);
    member.team_barrier();
    code += kb::TeamSolveLU<Member, T, Algo3>::invoke(member, A_p, B_p);
    member.team_barrier();
    code += kb::TeamInverseLU<Member, Algo3>::invoke(member, A_p, work_p);
    member.team_barrier();
    code += blas::TeamVectorGemv<Member, N, Algo2>::invoke(member, 2., A_p, x_p, 3., y_p);
    member.team_barrier();
    code += kb::TeamVectorGemm<Member, N, T, Algo3>::invoke(member, 1., A_p, B_p, 1., C_p);
    info(p) = code;
  }
};
