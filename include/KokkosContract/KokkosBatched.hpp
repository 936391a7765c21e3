// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_KOKKOSBATCHED_HPP
#define KOKKOSCONTRACT_KOKKOSBATCHED_HPP

/// For programs written for KokkosBatched: include this instead of its headers (and of KokkosBlas'
/// Serial and Team routines), and write KokkosContract for the namespaces KokkosBatched and
/// KokkosBlas. All dense routines are included, and the names that only such programs use: each of
/// them stands for a routine of this library, whose rules hold. It is not part of
/// <KokkosContract.hpp>, and needs nothing of Kokkos Kernels.
///
/// To keep Kokkos Kernels, and give its tags and vectors to single routines, include
/// <KokkosContract/KokkosKernels.hpp> instead.

#include <KokkosContract/AddRadial.hpp>
#include <KokkosContract/ApplyPivot.hpp>
#include <KokkosContract/Axpy.hpp>
#include <KokkosContract/Batched.hpp>
#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Dot.hpp>
#include <KokkosContract/Gbtrf.hpp>
#include <KokkosContract/Gbtrs.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/Gesv.hpp>
#include <KokkosContract/Getrf.hpp>
#include <KokkosContract/Getrs.hpp>
#include <KokkosContract/HadamardProduct.hpp>
#include <KokkosContract/InverseLU.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Lacgv.hpp>
#include <KokkosContract/Laswp.hpp>
#include <KokkosContract/Norm.hpp>
#include <KokkosContract/Pack.hpp>
#include <KokkosContract/PackAccess.hpp>
#include <KokkosContract/PackMath.hpp>
#include <KokkosContract/Pbtrf.hpp>
#include <KokkosContract/Pbtrs.hpp>
#include <KokkosContract/Pttrf.hpp>
#include <KokkosContract/Pttrs.hpp>
#include <KokkosContract/QR.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Swap.hpp>
#include <KokkosContract/Symv.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Tags.hpp>
#include <KokkosContract/Tbsv.hpp>
#include <KokkosContract/Trmm.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <KokkosContract/Trtri.hpp>
#include <KokkosContract/Xpay.hpp>
// Programs rely on it that KokkosBatched_Util.hpp includes these.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

// --- Vectors

/// The elements of Vector<SIMD<T>, L>.
template <class T>
using SIMD = T;

/// Vector<SIMD<T>, L> is Pack<T, L>.
template <class T, int L>
using Vector = Pack<T, L>;

/// is_vector<T>::value says whether T is a Vector, which is a Pack.
template <class T>
struct is_vector : std::bool_constant<Impl::is_pack<T>> {};

/// The length of the vectors of a View in MemorySpace: that of packs, default_pack_length.
template <class T, class MemorySpace>
struct DefaultVectorLength {
  static constexpr int value = default_pack_length<T, typename MemorySpace::execution_space>;
};

/// The length of what a worker takes of such a vector: all of it on a host, one lane on a GPU.
template <class T, class MemorySpace>
struct DefaultInternalVectorLength {
  static constexpr int value = Impl::is_gpu<typename MemorySpace::execution_space>
                                   ? 1
                                   : DefaultVectorLength<T, MemorySpace>::value;
};

/// The dimension of a View of vectors along which SimdViewAccess numbers their lanes.
template <int D>
struct PackDim {
  static constexpr int value = D;
};

/// A View of vectors as one of numbers: index i of dimension Dimension::value is lane i % l of the
/// vector i / l. Indices behind the last dimension are 0.
template <class V, class Dimension>
struct SimdViewAccess {
  using value_simd_type = typename V::value_type;
  using value_type = typename value_simd_type::value_type;
  static constexpr int rank = static_cast<int>(V::rank());
  static constexpr int pack_dim = Dimension::value;
  static constexpr int vector_length = value_simd_type::vector_length;
  static_assert(pack_dim >= 0 && pack_dim < rank,
                "KokkosContract: SimdViewAccess: no such dimension");

  SimdViewAccess() = default;
  KOKKOS_FUNCTION SimdViewAccess(const V& v) : view_(v) {}  // NOLINT(google-explicit-constructor)

  KOKKOS_FUNCTION std::size_t extent(int d) const {
    return view_.extent(d) * (d == pack_dim ? vector_length : 1);
  }
  KOKKOS_FUNCTION int extent_int(int d) const { return static_cast<int>(extent(d)); }
  KOKKOS_FUNCTION std::size_t size() const { return view_.size() * vector_length; }

  template <class... I>
    requires(sizeof...(I) >= V::rank())
  KOKKOS_FORCEINLINE_FUNCTION auto& operator()(I... i) const {
    const std::ptrdiff_t index[] = {static_cast<std::ptrdiff_t>(i)...};
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < rank; ++d) {
      offset += (d == pack_dim ? index[d] / vector_length : index[d]) *
                static_cast<std::ptrdiff_t>(view_.stride(d));
    }
    return view_.data()[offset][static_cast<int>(index[pack_dim] % vector_length)];
  }

 private:
  V view_;
};

// The functions of scalars, which those of vectors would hide.
using std::abs;
using std::max;
using std::min;

/// Random numbers for tests on the host, from std::rand: value() is between -1 and 1, and not 0; of
/// a complex type, both its parts are.
template <class T>
struct Random {
  explicit Random(unsigned seed = 0) { std::srand(seed); }
  T value() {
    if constexpr (Impl::is_complex<T>) {
      const auto real = part();
      return T(real, part());
    } else {
      return part();
    }
  }

 private:
  using Real = Impl::real_t<T>;
  static Real part() {
    const Real x = Real(2) * (static_cast<Real>(std::rand()) / static_cast<Real>(RAND_MAX)) - 1;
    const auto least = static_cast<Real>(1e-3);
    return x > 0 ? x + least : x - least;
  }
};

// --- The level as a tag

/// The level at which a routine is called, where it is named by a tag.
struct Mode {
  struct Serial {};      ///< one worker
  struct Vector {};      ///< the lanes of one team thread
  struct Team {};        ///< the threads of a team
  struct TeamVector {};  ///< all lanes of all threads of a team
};

namespace Impl {

template <class T>
concept ModeTag = is_tag_of<T, KokkosContract::Mode::Serial, KokkosContract::Mode::Vector,
                            KokkosContract::Mode::Team, KokkosContract::Mode::TeamVector>;

/// The routine of the level that a tag names. All take the member, also the Serial one.
template <class Tag, class Member, class Serial, class Vector, class Team, class TeamVector>
struct InMode {
  template <class... Arguments>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke([[maybe_unused]] const Member& member,
                                                const Arguments&... arguments) {
    using Modes = KokkosContract::Mode;
    if constexpr (std::is_same_v<Tag, Modes::Serial>) {
      return Serial::invoke(arguments...);
    } else if constexpr (std::is_same_v<Tag, Modes::Vector>) {
      return Vector::invoke(member, arguments...);
    } else if constexpr (std::is_same_v<Tag, Modes::Team>) {
      return Team::invoke(member, arguments...);
    } else {
      return TeamVector::invoke(member, arguments...);
    }
  }
};

}  // namespace Impl

/// SerialGemm, VectorGemm, TeamGemm or TeamVectorGemm, as ArgMode says.
///
///     invoke(member, alpha, A, B, beta, C)
///
/// The member is an argument at each level; a Serial routine does not look at it. Operands larger
/// than the problem are cut, as in the namespace Batched. So it is with the other routines that are
/// named so.
template <class Member, Impl::TransTag TransA, Impl::TransTag TransB, Impl::ModeTag ArgMode,
          Impl::AlgoTag Algorithm>
struct Gemm : Impl::InMode<ArgMode, Member, Batched::SerialGemm<TransA, TransB, Algorithm>,
                           Batched::VectorGemm<Member, TransA, TransB, Algorithm>,
                           Batched::TeamGemm<Member, TransA, TransB, Algorithm>,
                           Batched::TeamVectorGemm<Member, TransA, TransB, Algorithm>> {};

/// SerialGemv, VectorGemv, TeamGemv or TeamVectorGemv: invoke(member, alpha, A, x, beta, y).
template <class Member, Impl::TransTag TransA, Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct Gemv : Impl::InMode<ArgMode, Member, Batched::SerialGemv<TransA, Algorithm>,
                           Batched::VectorGemv<Member, TransA, Algorithm>,
                           Batched::TeamGemv<Member, TransA, Algorithm>,
                           Batched::TeamVectorGemv<Member, TransA, Algorithm>> {};

/// SerialLU, VectorLU, TeamLU or TeamVectorLU: invoke(member, A, tiny = 0).
template <class Member, Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct LU : Impl::InMode<ArgMode, Member, SerialLU<Algorithm>, VectorLU<Member, Algorithm>,
                         TeamLU<Member, Algorithm>, TeamVectorLU<Member, Algorithm>> {};

/// SerialSolveLU, VectorSolveLU, TeamSolveLU or TeamVectorSolveLU: invoke(member, A, B).
template <class Member, Impl::TransTag TransA, Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct SolveLU : Impl::InMode<ArgMode, Member, Batched::SerialSolveLU<TransA, Algorithm>,
                              Batched::VectorSolveLU<Member, TransA, Algorithm>,
                              Batched::TeamSolveLU<Member, TransA, Algorithm>,
                              Batched::TeamVectorSolveLU<Member, TransA, Algorithm>> {};

/// SerialTrsv, VectorTrsv, TeamTrsv or TeamVectorTrsv: invoke(member, alpha, A, b).
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA, Impl::DiagTag Diagonal,
          Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct Trsv
    : Impl::InMode<ArgMode, Member, Batched::SerialTrsv<Triangle, TransA, Diagonal, Algorithm>,
                   Batched::VectorTrsv<Member, Triangle, TransA, Diagonal, Algorithm>,
                   Batched::TeamTrsv<Member, Triangle, TransA, Diagonal, Algorithm>,
                   Batched::TeamVectorTrsv<Member, Triangle, TransA, Diagonal, Algorithm>> {};

/// SerialTrsm, VectorTrsm, TeamTrsm or TeamVectorTrsm: invoke(member, alpha, A, B).
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle, Impl::TransTag TransA,
          Impl::DiagTag Diagonal, Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct Trsm
    : Impl::InMode<ArgMode, Member,
                   Batched::SerialTrsm<Where, Triangle, TransA, Diagonal, Algorithm>,
                   Batched::VectorTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>,
                   Batched::TeamTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>,
                   Batched::TeamVectorTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>> {
};

/// SerialQR, VectorQR, TeamQR or TeamVectorQR: invoke(member, A, t, w).
template <class Member, Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm>
struct QR : Impl::InMode<ArgMode, Member, Batched::SerialQR<Algorithm>,
                         Batched::VectorQR<Member, Algorithm>, Batched::TeamQR<Member, Algorithm>,
                         Batched::TeamVectorQR<Member, Algorithm>> {};

/// SerialApplyQ, VectorApplyQ, TeamApplyQ or TeamVectorApplyQ: invoke(member, A, t, B, w).
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ, Impl::ModeTag ArgMode,
          Impl::AlgoTag Algorithm>
struct ApplyQ : Impl::InMode<ArgMode, Member, Batched::SerialApplyQ<Where, TransQ, Algorithm>,
                             Batched::VectorApplyQ<Member, Where, TransQ, Algorithm>,
                             Batched::TeamApplyQ<Member, Where, TransQ, Algorithm>,
                             Batched::TeamVectorApplyQ<Member, Where, TransQ, Algorithm>> {};

/// SerialCopy, VectorCopy, TeamCopy or TeamVectorCopy: invoke(member, A, B). Rank is not looked at:
/// KokkosBatched takes 2 where it is not written, and copies vectors with it, too.
template <class Member, Impl::TransTag TransA, Impl::ModeTag ArgMode, int Rank = 2>
struct Copy : Impl::InMode<ArgMode, Member, Batched::SerialCopy<TransA>,
                           Batched::VectorCopy<Member, TransA>, Batched::TeamCopy<Member, TransA>,
                           Batched::TeamVectorCopy<Member, TransA>> {};

/// SerialSetIdentity, VectorSetIdentity, TeamSetIdentity or TeamVectorSetIdentity:
/// invoke(member, A).
template <class Member, Impl::ModeTag ArgMode>
struct SetIdentity : Impl::InMode<ArgMode, Member, SerialSetIdentity, VectorSetIdentity<Member>,
                                  TeamSetIdentity<Member>, TeamVectorSetIdentity<Member>> {};

/// SerialHadamardProduct, VectorHadamardProduct, TeamHadamardProduct or TeamVectorHadamardProduct:
/// invoke(member, X, Y, V).
template <class Member, Impl::ModeTag ArgMode>
struct HadamardProduct
    : Impl::InMode<ArgMode, Member, SerialHadamardProduct, VectorHadamardProduct<Member>,
                   TeamHadamardProduct<Member>, TeamVectorHadamardProduct<Member>> {};

// --- Systems whose solution is apart from the right-hand side

/// The algorithms of Gesv as KokkosBatched names them: with these SerialGesv, TeamGesv and
/// TeamVectorGesv have its arguments, too.
///
///     SerialGesv<Gesv::...>::invoke(A, x, b, work)
///     TeamGesv<Member, Gesv::...>::invoke(member, A, x, b)    and TeamVectorGesv
///
/// x becomes the solution of A x = b; x and b do not overlap, b stays as it is, and A is
/// overwritten. NoPivoting is Algo::Gesv::NoPivoting; there work is not used. StaticPivoting, too,
/// interchanges rows as partial pivoting wants it: it solves whatever system is regular. It keeps
/// its pivots in column n of work, which is n x (n + 4), or in scratch memory of level 0 of the
/// team, of which it takes less than KokkosBatched does.
///
/// Elements are scalars. Shapes: A is n x n, x and b have n elements. x is visible to all workers
/// on return. Returns are those of SerialGesv, and -3 if the scratch memory is too small; if a
/// pivot is zero, or if the extents of A disagree with those of x and b, x may hold b.
struct Gesv {
  struct StaticPivoting {};  ///< rows are interchanged, by partial pivoting
  struct NoPivoting {};      ///< no rows are interchanged
  using Default = StaticPivoting;
};

namespace Impl {

template <>
struct OwnTag<KokkosContract::Gesv::StaticPivoting> {
  using type = Algo::Gesv::Default;
};
template <>
struct OwnTag<KokkosContract::Gesv::NoPivoting> {
  using type = Algo::Gesv::NoPivoting;
};

using DynamicVector = std::integer_sequence<std::ptrdiff_t, dynamic>;
using DynamicMatrix = std::integer_sequence<std::ptrdiff_t, dynamic, dynamic>;

/// n ints, which lie where the elements of column n of a matrix do.
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION auto pivots_in_column(const Work& w, int n) {
  using T = typename Work::value_type;
  static_assert(sizeof(T) % sizeof(int) == 0,
                "KokkosContract: Gesv: work has to have room for int");
  const int extent[] = {n};
  const std::ptrdiff_t stride[] = {w.stride(0) * static_cast<int>(sizeof(T) / sizeof(int))};
  return Strided<int, DynamicVector, DynamicVector>(
      reinterpret_cast<int*>(w.data() + n * w.stride(1)), extent, stride);
}

/// Solves on a team, whose routines are Copies and Solves.
template <class Member, class Copies, class Solves>
struct TeamGesvWithoutPivoting {
  template <class A, class X, class B>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const Member& member, const A& a, const X& x,
                                                const B& b) {
    const int code = Copies::invoke(member, b, x);
    return code != 0 ? code : Solves::invoke(member, a, x);
  }
};
template <class Member, class Copies, class Solves>
struct TeamGesvWithPivoting {
  template <class A, class X, class B>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const Member& member, const A& a, const X& x,
                                                const B& b) {
    using Pivots =
        Kokkos::View<int*, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
    const auto scratch = member.team_scratch(0);  // a copy: what is taken is free again on return
    const int n = as_operand(a).extent(0);
    const Pivots pivots(scratch, n);
    if (n > 0 && pivots.data() == nullptr) return scratch_too_small;
    const int code = Copies::invoke(member, b, x);
    return code != 0 ? code : Solves::invoke(member, a, pivots, x);
  }
};

}  // namespace Impl

template <>
struct SerialGesv<Gesv::NoPivoting> {
  template <class A, class X, class B, class... Work>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const A& a, const X& x, const B& b,
                                                const Work&...) {
    const int code = SerialCopy<>::invoke(b, x);
    return code != 0 ? code : SerialGesv<Algo::Gesv::NoPivoting>::invoke(a, x);
  }
};
template <>
struct SerialGesv<Gesv::StaticPivoting> {
  template <class A, class X, class B, class Work>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const A& a, const X& x, const B& b,
                                                const Work& work) {
    const auto w = Impl::as_operand(work);
    const int n = Impl::as_operand(a).extent(0);
    if (w.extent(0) < n || w.extent(1) <= n) return Impl::extents_disagree;
    const int code = SerialCopy<>::invoke(b, x);
    return code != 0 ? code : SerialGesv<>::invoke(a, Impl::pivots_in_column(w, n), x);
  }
};

template <class Member>
struct TeamGesv<Member, Gesv::NoPivoting>
    : Impl::TeamGesvWithoutPivoting<Member, TeamCopy<Member>,
                                    TeamGesv<Member, Algo::Gesv::NoPivoting>> {};
template <class Member>
struct TeamGesv<Member, Gesv::StaticPivoting>
    : Impl::TeamGesvWithPivoting<Member, TeamCopy<Member>, TeamGesv<Member>> {};

template <class Member>
struct TeamVectorGesv<Member, Gesv::NoPivoting>
    : Impl::TeamGesvWithoutPivoting<Member, TeamVectorCopy<Member>,
                                    TeamVectorGesv<Member, Algo::Gesv::NoPivoting>> {};
template <class Member>
struct TeamVectorGesv<Member, Gesv::StaticPivoting>
    : Impl::TeamGesvWithPivoting<Member, TeamVectorCopy<Member>, TeamVectorGesv<Member>> {};

// --- Q as a matrix

/// Q = H_1 H_2 ... H_k of SerialQR as a matrix.
///
///     invoke(A, t, Q, w)
///
/// Shapes: A and t are as SerialQR leaves them, Q is m x m. Q overlaps neither. w is not used.
/// Q is visible to the worker that calls. Returns 0, or -1 if extents disagree, as SerialOrmqr
/// does, but Q may be overwritten then.
struct SerialQR_FormQ {
  template <class A, class T, class Q, class... Work>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const A& a, const T& t, const Q& q,
                                                const Work&...) {
    const int code = SerialSetIdentity::invoke(q);
    return code != 0 ? code : SerialOrmqr<Side::Left, Trans::NoTranspose>::invoke(a, t, q);
  }
};

/// SerialQR_FormQ of pointers, and strides in elements.
///
///     invoke(m, k, A, A_stride0, A_stride1, t, t_stride, Q, Q_stride0, Q_stride1, w, zero = false)
///
/// Shapes: A is m x k, t has min(m, k) elements, Q is m x m. Q overlaps neither. w and zero are not
/// used. Q is visible to the worker that calls. Returns 0, as SerialQR_FormQ does.
struct SerialQR_FormQ_Internal {
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(int m, int k, T* a, int a_stride0, int a_stride1,
                                                T* t, int t_stride, T* q, int q_stride0,
                                                int q_stride1, T*, bool = false) {
    using Matrix = Strided<T, Impl::DynamicMatrix, Impl::DynamicMatrix>;
    using Elements = Strided<T, Impl::DynamicVector, Impl::DynamicVector>;
    return SerialQR_FormQ::invoke(Matrix(a, {m, k}, {a_stride0, a_stride1}),
                                  Elements(t, {m < k ? m : k}, {t_stride}),
                                  Matrix(q, {m, m}, {q_stride0, q_stride1}));
  }
};

// --- The transposition as a character

namespace Experimental {

/// KokkosBlas' Gemv of the level that ArgMode names, with op(A) = A, A^T or A^H for `trans` 'N',
/// 'T' or 'C', or a small letter; another one ends the program.
///
///     invoke(member, trans, alpha, A, x, beta, y)
template <Impl::ModeTag ArgMode, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
struct Gemv {
  template <class Member, class... Arguments>
  static KOKKOS_FORCEINLINE_FUNCTION int invoke(const Member& member, char trans,
                                                const Arguments&... arguments) {
    using T = Trans;
    if (trans == 'N' || trans == 'n') {
      return run<T::NoTranspose>(member, arguments...);
    } else if (trans == 'T' || trans == 't') {
      return run<T::Transpose>(member, arguments...);
    } else if (trans == 'C' || trans == 'c') {
      return run<T::ConjTranspose>(member, arguments...);
    }
    Kokkos::abort("KokkosContract: Gemv: the transposition is none of N, T and C");
    return -1;
  }

 private:
  template <class TransA, class Member, class... Arguments>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Member& member, const Arguments&... arguments) {
    return KokkosContract::Gemv<Member, TransA, ArgMode, Algorithm>::invoke(member, arguments...);
  }
};

// --- KokkosBlas' functions of one thread or of a team

/// Gemv<Mode::Serial, Algorithm> without a member: serial_gemv(trans, alpha, A, x, beta, y), also
/// with the algorithm as a template argument.
template <Impl::AlgoTag Algorithm = Algo::Gemv::Default, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int serial_gemv(char trans, const Arguments&... arguments) {
  return Gemv<Mode::Serial, Algorithm>::invoke(Impl::NoMember{}, trans, arguments...);
}
/// Gemv<Mode::Team, Algorithm>: team_gemv(member, trans, alpha, A, x, beta, y).
template <Impl::AlgoTag Algorithm = Algo::Gemv::Default, class Member, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int team_gemv(const Member& member, char trans,
                                          const Arguments&... arguments) {
  return Gemv<Mode::Team, Algorithm>::invoke(member, trans, arguments...);
}
/// Gemv<Mode::TeamVector, Algorithm>: teamvector_gemv(member, trans, alpha, A, x, beta, y).
template <Impl::AlgoTag Algorithm = Algo::Gemv::Default, class Member, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int teamvector_gemv(const Member& member, char trans,
                                                const Arguments&... arguments) {
  return Gemv<Mode::TeamVector, Algorithm>::invoke(member, trans, arguments...);
}
/// teamvector_gemv.
template <class Member, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION int team_vector_gemv(const Member& member, char trans,
                                                 const Arguments&... arguments) {
  return teamvector_gemv(member, trans, arguments...);
}

}  // namespace Experimental

namespace Impl {

/// out(i) = f(i) for each i, on the threads of a team; what is written is visible to all of them on
/// return. Returns -1 if an input has another extent.
template <class Member, class Out, class F, class... Inputs>
KOKKOS_FORCEINLINE_FUNCTION int assign_on_team(const Member& member, const Out& out, const F& f,
                                               const Inputs&... inputs) {
  using T = typename Out::non_const_value_type;
  if (((inputs.extent(0) != out.extent(0)) || ...)) return extents_disagree;
  const auto level = team_level(member);
  for_each(level, static_cast<std::ptrdiff_t>(out.extent(0)),
           [&](std::ptrdiff_t i) KOKKOSCONTRACT_INLINE_LAMBDA { out(i) = static_cast<T>(f(i)); });
  level.barrier();
  return 0;
}

/// The sum of f(i) for 0 <= i < n, which all threads of a team get.
template <class T, class Member, class F>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_team(const Member& member, int n, const F& f) {
  T sum{};
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(member, n), [&](int i, T& part) { part += f(i); }, sum);
  return sum;
}

}  // namespace Impl

namespace Experimental {

// The threads of a team work together on vectors x, y, z, r and a, which have the same extent. An
// output may be an input itself, and overlaps none otherwise. What is written is visible to all
// threads on return. Returns 0, or -1 if extents disagree.

/// y = alpha * x + beta * y.
template <class Member, class Alpha, class X, class Beta, class Y>
KOKKOS_FORCEINLINE_FUNCTION int axpby(const Member& member, const Alpha& alpha, const X& x,
                                      const Beta& beta, const Y& y) {
  return Impl::assign_on_team(
      member, y, [&](std::ptrdiff_t i) { return beta * y(i) + alpha * x(i); }, x);
}
/// y = alpha * x + y.
template <class Member, class Alpha, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION int axpy(const Member& member, const Alpha& alpha, const X& x,
                                     const Y& y) {
  return Impl::assign_on_team(member, y, [&](std::ptrdiff_t i) { return y(i) + alpha * x(i); }, x);
}
/// z = gamma * z + alpha * x + beta * y.
template <class Member, class Alpha, class X, class Beta, class Y, class Gamma, class Z>
KOKKOS_FORCEINLINE_FUNCTION int update(const Member& member, const Alpha& alpha, const X& x,
                                       const Beta& beta, const Y& y, const Gamma& gamma,
                                       const Z& z) {
  return Impl::assign_on_team(
      member, z, [&](std::ptrdiff_t i) { return gamma * z(i) + alpha * x(i) + beta * y(i); }, x, y);
}
/// y = gamma * y + alpha * a * x in each element.
template <class Member, class Gamma, class Y, class Alpha, class A, class X>
KOKKOS_FORCEINLINE_FUNCTION int mult(const Member& member, const Gamma& gamma, const Y& y,
                                     const Alpha& alpha, const A& a, const X& x) {
  return Impl::assign_on_team(
      member, y, [&](std::ptrdiff_t i) { return gamma * y(i) + alpha * a(i) * x(i); }, a, x);
}
/// r = alpha * x.
template <class Member, class R, class Alpha, class X>
KOKKOS_FORCEINLINE_FUNCTION int scal(const Member& member, const R& r, const Alpha& alpha,
                                     const X& x) {
  return Impl::assign_on_team(member, r, [&](std::ptrdiff_t i) { return alpha * x(i); }, x);
}
/// r = |x| in each element.
template <class Member, class R, class X>
KOKKOS_FORCEINLINE_FUNCTION int abs(const Member& member, const R& r, const X& x) {
  return Impl::assign_on_team(
      member, r, [&](std::ptrdiff_t i) { return Impl::lanewise(Impl::Modulus{}, x(i)); }, x);
}

}  // namespace Experimental

namespace Experimental {

/// The sum of conj(x_i) * y_i, for all threads of a team, as are the vectors. Extents agree.
template <class Member, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION auto dot(const Member& member, const X& x, const Y& y) {
  using T = Impl::accumulator_t<Impl::value_t<X>, Impl::value_t<Y>>;
  return Impl::sum_of_team<T>(member, static_cast<int>(x.extent(0)), [&](int i) {
    return Impl::conjugate_if<true>(Impl::convert<T>(x(i))) * Impl::convert<T>(y(i));
  });
}
/// The Euclidean norm of x, for all threads of a team, without overflow or underflow on the way; of
/// integers a double.
template <class Member, class X>
KOKKOS_FORCEINLINE_FUNCTION auto nrm2(const Member& member, const X& x) {
  using Sum = Impl::accumulator_t<Impl::value_t<X>>;
  using T = std::conditional_t<std::is_integral_v<Sum>, double, Sum>;
  using Real = Impl::real_t<T>;
  const auto sum_up = [&](const Real& scale) {
    return Impl::sum_of_team<Real>(member, static_cast<int>(x.extent(0)), [&](int i) {
      return Impl::squared(Impl::times_real(Impl::convert<T>(x(i)), scale));
    });
  };
  return Impl::scaled_squares<Real>(sum_up).root();
}

}  // namespace Experimental

/// SerialAxpy as KokkosBlas has it. Returns its code.
template <class Alpha, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION int serial_axpy(const Alpha& alpha, const X& x, const Y& y) {
  return SerialAxpy::invoke(alpha, x, y);
}
/// The Euclidean norm of a vector, by SerialNrm2. serial_nrm2(x, norms) writes those of the columns
/// of a matrix, and returns 0, or -1 if extents disagree.
template <class X>
KOKKOS_FORCEINLINE_FUNCTION auto serial_nrm2(const X& x) {
  using Real = Impl::real_t<Impl::accumulator_t<Impl::value_t<X>>>;
  Real norm(0);
  require_success(SerialNrm2::invoke(x, Impl::strided_t<Real, StaticShape<0>{}>(&norm)));
  return norm;
}
/// @cond
template <class X, class Norms>
KOKKOS_FORCEINLINE_FUNCTION int serial_nrm2(const X& x, const Norms& norms) {
  if constexpr (Impl::operand_t<X>::rank == 1) {
    return SerialNrm2::invoke(x, norms);
  } else {
    if (x.extent(1) != norms.extent(0)) return Impl::extents_disagree;
    for (int j = 0; j < static_cast<int>(x.extent(1)); ++j) {
      norms(j) = serial_nrm2(Kokkos::subview(x, Kokkos::ALL, j));
    }
    return 0;
  }
}
/// @endcond

namespace Batched {

// These are the names outside of this namespace.
using KokkosContract::Algo;
using KokkosContract::ApplyQ;
using KokkosContract::Copy;
using KokkosContract::default_pack_length;
using KokkosContract::DefaultInternalVectorLength;
using KokkosContract::DefaultVectorLength;
using KokkosContract::Diag;
using KokkosContract::Direct;
using KokkosContract::dynamic;
using KokkosContract::fix;
using KokkosContract::fix_packed;
using KokkosContract::for_each_lane;
using KokkosContract::Gemm;
using KokkosContract::Gemv;
using KokkosContract::Gesv;
using KokkosContract::HadamardProduct;
using KokkosContract::is_vector;
using KokkosContract::LU;
using KokkosContract::Mode;
using KokkosContract::Norm;
using KokkosContract::Pack;
using KokkosContract::packed_access;
using KokkosContract::pad_identity;
using KokkosContract::pad_zero;
using KokkosContract::QR;
using KokkosContract::require_success;
using KokkosContract::serial_axpy;
using KokkosContract::serial_nrm2;
using KokkosContract::SerialAddRadial, KokkosContract::VectorAddRadial,
    KokkosContract::TeamAddRadial, KokkosContract::TeamVectorAddRadial;
using KokkosContract::SerialApplyPivot, KokkosContract::VectorApplyPivot,
    KokkosContract::TeamApplyPivot, KokkosContract::TeamVectorApplyPivot;
using KokkosContract::SerialAsum, KokkosContract::VectorAsum, KokkosContract::TeamAsum,
    KokkosContract::TeamVectorAsum;
using KokkosContract::SerialAxpy, KokkosContract::VectorAxpy, KokkosContract::TeamAxpy,
    KokkosContract::TeamVectorAxpy;
using KokkosContract::SerialDot, KokkosContract::VectorDot, KokkosContract::TeamDot,
    KokkosContract::TeamVectorDot;
using KokkosContract::SerialGbtrf, KokkosContract::VectorGbtrf, KokkosContract::TeamGbtrf,
    KokkosContract::TeamVectorGbtrf;
using KokkosContract::SerialGbtrs, KokkosContract::VectorGbtrs, KokkosContract::TeamGbtrs,
    KokkosContract::TeamVectorGbtrs;
using KokkosContract::SerialGels, KokkosContract::VectorGels, KokkosContract::TeamGels,
    KokkosContract::TeamVectorGels;
using KokkosContract::SerialGeqrf, KokkosContract::VectorGeqrf, KokkosContract::TeamGeqrf,
    KokkosContract::TeamVectorGeqrf;
using KokkosContract::SerialGesv, KokkosContract::VectorGesv, KokkosContract::TeamGesv,
    KokkosContract::TeamVectorGesv;
using KokkosContract::SerialGetrf, KokkosContract::VectorGetrf, KokkosContract::TeamGetrf,
    KokkosContract::TeamVectorGetrf;
using KokkosContract::SerialGetrs, KokkosContract::VectorGetrs, KokkosContract::TeamGetrs,
    KokkosContract::TeamVectorGetrs;
using KokkosContract::SerialHadamardProduct, KokkosContract::VectorHadamardProduct,
    KokkosContract::TeamHadamardProduct, KokkosContract::TeamVectorHadamardProduct;
using KokkosContract::SerialIamax, KokkosContract::VectorIamax, KokkosContract::TeamIamax,
    KokkosContract::TeamVectorIamax;
using KokkosContract::SerialInverseLU, KokkosContract::VectorInverseLU,
    KokkosContract::TeamInverseLU, KokkosContract::TeamVectorInverseLU;
using KokkosContract::SerialLacgv, KokkosContract::VectorLacgv, KokkosContract::TeamLacgv,
    KokkosContract::TeamVectorLacgv;
using KokkosContract::SerialLaswp, KokkosContract::VectorLaswp, KokkosContract::TeamLaswp,
    KokkosContract::TeamVectorLaswp;
using KokkosContract::SerialLU, KokkosContract::VectorLU, KokkosContract::TeamLU,
    KokkosContract::TeamVectorLU;
using KokkosContract::SerialNorm, KokkosContract::VectorNorm, KokkosContract::TeamNorm,
    KokkosContract::TeamVectorNorm;
using KokkosContract::SerialNrm2, KokkosContract::VectorNrm2, KokkosContract::TeamNrm2,
    KokkosContract::TeamVectorNrm2;
using KokkosContract::SerialOrmqr, KokkosContract::VectorOrmqr, KokkosContract::TeamOrmqr,
    KokkosContract::TeamVectorOrmqr;
using KokkosContract::SerialPbtrf, KokkosContract::VectorPbtrf, KokkosContract::TeamPbtrf,
    KokkosContract::TeamVectorPbtrf;
using KokkosContract::SerialPbtrs, KokkosContract::VectorPbtrs, KokkosContract::TeamPbtrs,
    KokkosContract::TeamVectorPbtrs;
using KokkosContract::SerialPttrf, KokkosContract::VectorPttrf, KokkosContract::TeamPttrf,
    KokkosContract::TeamVectorPttrf;
using KokkosContract::SerialPttrs, KokkosContract::VectorPttrs, KokkosContract::TeamPttrs,
    KokkosContract::TeamVectorPttrs;
using KokkosContract::SerialQR_FormQ;
using KokkosContract::SerialQR_FormQ_Internal;
using KokkosContract::SerialScale, KokkosContract::VectorScale, KokkosContract::TeamScale,
    KokkosContract::TeamVectorScale;
using KokkosContract::SerialSet, KokkosContract::VectorSet, KokkosContract::TeamSet,
    KokkosContract::TeamVectorSet;
using KokkosContract::SerialSetIdentity, KokkosContract::VectorSetIdentity,
    KokkosContract::TeamSetIdentity, KokkosContract::TeamVectorSetIdentity;
using KokkosContract::SerialSwap, KokkosContract::VectorSwap, KokkosContract::TeamSwap,
    KokkosContract::TeamVectorSwap;
using KokkosContract::SerialSymv, KokkosContract::VectorSymv, KokkosContract::TeamSymv,
    KokkosContract::TeamVectorSymv;
using KokkosContract::SerialTbsv, KokkosContract::VectorTbsv, KokkosContract::TeamTbsv,
    KokkosContract::TeamVectorTbsv;
using KokkosContract::SerialTrmm, KokkosContract::VectorTrmm, KokkosContract::TeamTrmm,
    KokkosContract::TeamVectorTrmm;
using KokkosContract::SerialTrtri, KokkosContract::VectorTrtri, KokkosContract::TeamTrtri,
    KokkosContract::TeamVectorTrtri;
using KokkosContract::SerialXpay, KokkosContract::VectorXpay, KokkosContract::TeamXpay,
    KokkosContract::TeamVectorXpay;
using KokkosContract::SetIdentity;
using KokkosContract::shared;
using KokkosContract::Side;
using KokkosContract::SIMD;
using KokkosContract::SolveLU;
using KokkosContract::Tile;
using KokkosContract::Trans;
using KokkosContract::Trsm;
using KokkosContract::Trsv;
using KokkosContract::Uplo;
using KokkosContract::Vector;

namespace Experimental {
using namespace KokkosContract::Experimental;
}

}  // namespace Batched

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

// Kokkos Kernels' number traits, if a program keeps them, of vectors.
#if __has_include(<Kokkos_ArithTraits.hpp>)
#include <Kokkos_ArithTraits.hpp>

namespace Kokkos {

template <class T, int L>
class ArithTraits<KokkosContract::Pack<T, L>> {
  using Scalar = ArithTraits<T>;

 public:
  using val_type = KokkosContract::Pack<T, L>;
  using mag_type = KokkosContract::Pack<typename Scalar::mag_type, L>;

  static KOKKOS_FORCEINLINE_FUNCTION mag_type real(const val_type& x) {
    return KokkosContract::Impl::lanewise([](const T& y) { return Scalar::real(y); }, x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION mag_type imag(const val_type& x) {
    return KokkosContract::Impl::lanewise([](const T& y) { return Scalar::imag(y); }, x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION val_type conj(const val_type& x) {
    return KokkosContract::Impl::lanewise([](const T& y) { return Scalar::conj(y); }, x);
  }
  static KOKKOS_FORCEINLINE_FUNCTION mag_type abs(const val_type& x) {
    return KokkosContract::Impl::lanewise([](const T& y) { return Scalar::abs(y); }, x);
  }

  static constexpr bool is_specialized = Scalar::is_specialized;
  static constexpr bool is_signed = Scalar::is_signed;
  static constexpr bool is_integer = Scalar::is_integer;
  static constexpr bool is_exact = Scalar::is_exact;
  static constexpr bool is_complex = Scalar::is_complex;
};

}  // namespace Kokkos
#endif

#endif
