// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_BATCHED_HPP
#define KOKKOSCONTRACT_BATCHED_HPP

#include <KokkosContract/Copy.hpp>
#include <KokkosContract/Gemm.hpp>
#include <KokkosContract/Gemv.hpp>
#include <KokkosContract/Ger.hpp>
#include <KokkosContract/QR.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Syr.hpp>
#include <KokkosContract/Trsm.hpp>
#include <KokkosContract/Trsv.hpp>
#include <KokkosContract/dense/LeadingPart.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Routines for programs whose operands are larger than the problem, such as workspaces of the
/// largest size. KokkosBatched takes its sizes from one operand, and uses the leading part of the
/// others. At the names outside of this namespace such a call returns -1. Each name here cuts
/// larger operands as KokkosBatched does, and then calls the routine of that name. An operand that
/// is smaller than the problem gives -1, with nothing written.
///
///     Batched::SerialGemm<>::invoke(alpha, A, B, beta, C)    and the member first at other levels
///
/// With <KokkosContract/KokkosBatched.hpp> this namespace also has the tags, the packs and all
/// other routines. A program then writes this namespace for KokkosBatched and KokkosBlas. The
/// result of a call is not [[nodiscard]].
namespace Batched {

/// SerialGemm with m and n of C, and k of A.
template <Impl::TransTag TransA = Trans::NoTranspose, Impl::TransTag TransB = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemm::Default>
using SerialGemm =
    Impl::SerialLeading<KokkosContract::SerialGemm<TransA, TransB, Algorithm>,
                        Impl::GemmSizes<Impl::own_tag_t<TransA>, Impl::own_tag_t<TransB>>>;
/// See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
using VectorGemm =
    Impl::MemberLeading<KokkosContract::VectorGemm<Member, TransA, TransB, Algorithm>,
                        Impl::GemmSizes<Impl::own_tag_t<TransA>, Impl::own_tag_t<TransB>>>;
/// See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
using TeamGemm =
    Impl::MemberLeading<KokkosContract::TeamGemm<Member, TransA, TransB, Algorithm>,
                        Impl::GemmSizes<Impl::own_tag_t<TransA>, Impl::own_tag_t<TransB>>>;
/// See SerialGemm.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::TransTag TransB = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemm::Default>
using TeamVectorGemm =
    Impl::MemberLeading<KokkosContract::TeamVectorGemm<Member, TransA, TransB, Algorithm>,
                        Impl::GemmSizes<Impl::own_tag_t<TransA>, Impl::own_tag_t<TransB>>>;

/// SerialGemv with m and n of A.
template <Impl::TransTag TransA = Trans::NoTranspose, Impl::AlgoTag Algorithm = Algo::Gemv::Default>
using SerialGemv = Impl::SerialLeading<KokkosContract::SerialGemv<TransA, Algorithm>,
                                       Impl::GemvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
using VectorGemv = Impl::MemberLeading<KokkosContract::VectorGemv<Member, TransA, Algorithm>,
                                       Impl::GemvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
using TeamGemv = Impl::MemberLeading<KokkosContract::TeamGemv<Member, TransA, Algorithm>,
                                     Impl::GemvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialGemv.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::Gemv::Default>
using TeamVectorGemv =
    Impl::MemberLeading<KokkosContract::TeamVectorGemv<Member, TransA, Algorithm>,
                        Impl::GemvSizes<Impl::own_tag_t<TransA>>>;

/// SerialTrsv with n of A.
template <Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
using SerialTrsv =
    Impl::SerialLeading<KokkosContract::SerialTrsv<Triangle, TransA, Diagonal, Algorithm>,
                        Impl::TrsvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
using VectorTrsv =
    Impl::MemberLeading<KokkosContract::VectorTrsv<Member, Triangle, TransA, Diagonal, Algorithm>,
                        Impl::TrsvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
using TeamTrsv =
    Impl::MemberLeading<KokkosContract::TeamTrsv<Member, Triangle, TransA, Diagonal, Algorithm>,
                        Impl::TrsvSizes<Impl::own_tag_t<TransA>>>;
/// See SerialTrsv.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsv::Default>
using TeamVectorTrsv = Impl::MemberLeading<
    KokkosContract::TeamVectorTrsv<Member, Triangle, TransA, Diagonal, Algorithm>,
    Impl::TrsvSizes<Impl::own_tag_t<TransA>>>;

/// SerialTrsm with m and n of B.
template <Impl::SideTag Where, Impl::UploTag Triangle, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::DiagTag Diagonal = Diag::NonUnit, Impl::AlgoTag Algorithm = Algo::Trsm::Default>
using SerialTrsm =
    Impl::SerialLeading<KokkosContract::SerialTrsm<Where, Triangle, TransA, Diagonal, Algorithm>,
                        Impl::TrsmSizes<Impl::own_tag_t<Where>>>;
/// See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
using VectorTrsm = Impl::MemberLeading<
    KokkosContract::VectorTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>,
    Impl::TrsmSizes<Impl::own_tag_t<Where>>>;
/// See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
using TeamTrsm = Impl::MemberLeading<
    KokkosContract::TeamTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>,
    Impl::TrsmSizes<Impl::own_tag_t<Where>>>;
/// See SerialTrsm.
template <class Member, Impl::SideTag Where, Impl::UploTag Triangle,
          Impl::TransTag TransA = Trans::NoTranspose, Impl::DiagTag Diagonal = Diag::NonUnit,
          Impl::AlgoTag Algorithm = Algo::Trsm::Default>
using TeamVectorTrsm = Impl::MemberLeading<
    KokkosContract::TeamVectorTrsm<Member, Where, Triangle, TransA, Diagonal, Algorithm>,
    Impl::TrsmSizes<Impl::own_tag_t<Where>>>;

/// SerialSolveLU with n of B.
template <Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
using SerialSolveLU =
    Impl::SerialLeading<KokkosContract::SerialSolveLU<TransA, Algorithm>, Impl::SolveSizes>;
/// See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
using VectorSolveLU =
    Impl::MemberLeading<KokkosContract::VectorSolveLU<Member, TransA, Algorithm>, Impl::SolveSizes>;
/// See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
using TeamSolveLU =
    Impl::MemberLeading<KokkosContract::TeamSolveLU<Member, TransA, Algorithm>, Impl::SolveSizes>;
/// See SerialSolveLU.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::SolveLU::Default>
using TeamVectorSolveLU =
    Impl::MemberLeading<KokkosContract::TeamVectorSolveLU<Member, TransA, Algorithm>,
                        Impl::SolveSizes>;

/// SerialCopy, where the length of vectors is that of A.
template <Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
using SerialCopy = Impl::SerialLeading<KokkosContract::SerialCopy<TransA, Rank>, Impl::CopySizes>;
/// See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
using VectorCopy =
    Impl::MemberLeading<KokkosContract::VectorCopy<Member, TransA, Rank>, Impl::CopySizes>;
/// See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
using TeamCopy =
    Impl::MemberLeading<KokkosContract::TeamCopy<Member, TransA, Rank>, Impl::CopySizes>;
/// See SerialCopy.
template <class Member, Impl::TransTag TransA = Trans::NoTranspose, int Rank = -1>
using TeamVectorCopy =
    Impl::MemberLeading<KokkosContract::TeamVectorCopy<Member, TransA, Rank>, Impl::CopySizes>;

/// SerialQR with all sizes of A.
template <Impl::AlgoTag Algorithm = Algo::QR::Default>
using SerialQR = Impl::SerialLeading<KokkosContract::SerialQR<Algorithm>, Impl::QRSizes>;
/// See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
using VectorQR = Impl::MemberLeading<KokkosContract::VectorQR<Member, Algorithm>, Impl::QRSizes>;
/// See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
using TeamQR = Impl::MemberLeading<KokkosContract::TeamQR<Member, Algorithm>, Impl::QRSizes>;
/// See SerialQR.
template <class Member, Impl::AlgoTag Algorithm = Algo::QR::Default>
using TeamVectorQR =
    Impl::MemberLeading<KokkosContract::TeamVectorQR<Member, Algorithm>, Impl::QRSizes>;

/// SerialApplyQ with m and n of B, and as many reflectors as A has columns.
template <Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
using SerialApplyQ = Impl::SerialLeading<KokkosContract::SerialApplyQ<Where, TransQ, Algorithm>,
                                         Impl::ApplyQSizes<Impl::own_tag_t<Where>>>;
/// See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
using VectorApplyQ =
    Impl::MemberLeading<KokkosContract::VectorApplyQ<Member, Where, TransQ, Algorithm>,
                        Impl::ApplyQSizes<Impl::own_tag_t<Where>>>;
/// See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
using TeamApplyQ = Impl::MemberLeading<KokkosContract::TeamApplyQ<Member, Where, TransQ, Algorithm>,
                                       Impl::ApplyQSizes<Impl::own_tag_t<Where>>>;
/// See SerialApplyQ.
template <class Member, Impl::SideTag Where, Impl::TransTag TransQ = Trans::NoTranspose,
          Impl::AlgoTag Algorithm = Algo::ApplyQ::Default>
using TeamVectorApplyQ =
    Impl::MemberLeading<KokkosContract::TeamVectorApplyQ<Member, Where, TransQ, Algorithm>,
                        Impl::ApplyQSizes<Impl::own_tag_t<Where>>>;

/// SerialGer with m and n of A.
template <Impl::TransTag TransY = Trans::Transpose>
using SerialGer = Impl::SerialLeading<KokkosContract::SerialGer<TransY>, Impl::GerSizes>;
/// See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
using VectorGer = Impl::MemberLeading<KokkosContract::VectorGer<Member, TransY>, Impl::GerSizes>;
/// See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
using TeamGer = Impl::MemberLeading<KokkosContract::TeamGer<Member, TransY>, Impl::GerSizes>;
/// See SerialGer.
template <class Member, Impl::TransTag TransY = Trans::Transpose>
using TeamVectorGer =
    Impl::MemberLeading<KokkosContract::TeamVectorGer<Member, TransY>, Impl::GerSizes>;

/// SerialSyr with n of A.
template <Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
using SerialSyr = Impl::SerialLeading<KokkosContract::SerialSyr<Triangle, TransX>, Impl::SyrSizes>;
/// See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
using VectorSyr =
    Impl::MemberLeading<KokkosContract::VectorSyr<Member, Triangle, TransX>, Impl::SyrSizes>;
/// See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
using TeamSyr =
    Impl::MemberLeading<KokkosContract::TeamSyr<Member, Triangle, TransX>, Impl::SyrSizes>;
/// See SerialSyr.
template <class Member, Impl::UploTag Triangle, Impl::TransTag TransX = Trans::Transpose>
using TeamVectorSyr =
    Impl::MemberLeading<KokkosContract::TeamVectorSyr<Member, Triangle, TransX>, Impl::SyrSizes>;

}  // namespace Batched

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
