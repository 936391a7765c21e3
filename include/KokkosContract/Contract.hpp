// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CONTRACT_HPP
#define KOKKOSCONTRACT_CONTRACT_HPP

#include <KokkosContract/Way.hpp>
#include <KokkosContract/chain/ContractRoutine.hpp>
#include <KokkosContract/entry/Entry.hpp>
#include <KokkosContract/nest/UnmarkedLetters.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// Tensor contraction inside a kernel: C[c...] = alpha * sum A[a...] * B[b...] + beta * C[c...].
///
///     SerialContract<"ijk,kl->ijl">::invoke(alpha, A, B, beta, C);
///     TeamContract<"ijk,kl->ijl">::invoke(member, alpha, A, B, beta, C);
///     TeamContract<"ij->ji">::invoke(member, alpha, A, beta, C);                     // one input
///     TeamContract<"ijk,kl->ijl">::invoke(member, alpha, A, B, beta, C, epilogue);
///     TeamContract<"ijk,kl->ijl">::invoke(member, alpha, A, B, elsewhere(functor));  // no output
///
/// Parameters, with the member first at the other levels:
///
///     invoke(alpha, A, B, beta, C)    invoke(alpha, A, B, beta, C, epilogue)
///     invoke(alpha, A, beta, C)    invoke(alpha, A, beta, C, epilogue)
///     invoke(scratch, alpha, inputs..., beta, C)
///     invoke(scratch, alpha, inputs..., beta, C, epilogue)
///
/// String: one letter (a-z, A-Z) per dimension of each operand, in any order; see Spec. Letters
/// that are absent from the output are summed over, a letter of A, B and C is a batch index, a
/// letter twice in an input takes its diagonal, `*` after an input's letters conjugates it.
///
/// Operands: Kokkos::View of rank 0 to 8, any layout, strides and accessible memory (global or
/// scratch), const or not; mdspan; fix<...>(A); any model of Operand. Element types: float, double,
/// Kokkos::complex of both, half_t, bhalf_t, integers of 8 to 64 bits and bool, Pack of these;
/// mixed ones too. The sum is accumulated in the widest of output and product type, at least float
/// for 16-bit floats and int32_t for shorter integers; alpha and beta convert to that type.
///
/// More than two inputs:
///
///     TeamContract<"xa,yb,zc,abc->xyz">::invoke(member, scratch, alpha, A, B, C, V, beta, U);
///
/// contracts pair by pair. The order is the one of least work where all extents are static, else
/// from left to right. scratch holds the intermediates and is free again on return:
/// member.team_scratch(l) at Team and TeamVector, member.thread_scratch(l) at Vector and Serial
/// under a team, a Scratch{address, bytes}, or a View without gaps; scratch_bytes(A, B, C, V, U)
/// tells its size.
/// Serial needs none (leave it out) where all extents are static: the intermediates are on the
/// stack, 256 KiB at most (else a compile-time error). All sums are accumulated, and all
/// intermediates held, in the widest real type of all operands.
///
/// Functors between operands:
///
///     TeamContract<"xa,yb,zc,abc,xi,yj,zk->ijk">::invoke(
///         member, scratch, alpha, A, B, C, V, pointwise<"xyz">(f), A, B, C, beta, U);
///
/// The operands before a functor are contracted to its letters, each element of that becomes
/// f(value, x, y, z) once, while it is in a register, and the result is contracted with the
/// operands behind. alpha scales the last result. The value is a pack where elements are. At most
/// four, the first behind an operand; a letter that a functor lacks may come back behind it as
/// another index of the same extent. With a functor, one or two inputs need scratch too; in
/// scratch_bytes it stands where it stands in the call.
///
/// Intermediates for other calls: keep<"xyz">(u) in the place of a functor stores what the operands
/// before it make in u, of any layout, which the operands behind are contracted with. It counts as
/// a functor; u must not overlap the other operands, and is not written if alpha == 0.
///
/// Rules: C must not overlap an input, but for one that stands before a functor or keep, if both
/// have the same extents, strides and letters but one ("emy,xm,xi->eiy"). beta == 0 writes C and
/// never reads it; alpha == 0 does not read the inputs. Extents may be 0. C may be a View with
/// MemoryTraits<Atomic> if beta == 1: each element is added once. epilogue(value, i, j, ...) gets
/// each element of C once, with its indices in the output's order, and returns what is stored; or
/// nothing, and nothing is stored. elsewhere(functor) in place of beta, C and epilogue does the
/// latter without a C.
///
/// Level: Serial is one thread by itself. Vector is the lanes of one team thread, to be called
/// inside TeamThreadRange too. Team and TeamVector are collective over the team, so never inside
/// TeamThreadRange or single. Inputs must be visible to the workers on entry; C is visible to all
/// of them on return, so that calls follow each other without barriers.
///
/// W: another way than the library's choice, of one or two inputs; see Way.
///
/// Returns 0, or without having written anything, the same in all workers: -1 if two operands
/// disagree about the extent of a letter, -2 if an atomic output comes with beta != 1, -3 if there
/// is too little scratch or a View with gaps is scratch, -5 if sums are integers and alpha or beta
/// is no value of their type (0.5); a checked build ends instead. What the types show is a
/// compile-time error instead.
template <Spec S, Way W = Way::best>
struct SerialContract
    : Impl::CallsOfString<Impl::SerialEntry<Impl::ContractRoutine<S, W>>, Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S> {};

/// The lanes of one team thread work together. See SerialContract.
template <Spec S, Way W = Way::best>
struct VectorContract
    : Impl::CallsOfString<Impl::VectorEntry<Impl::ContractRoutine<S, W>>, Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S> {};

/// The threads of a team work together. See SerialContract.
template <Spec S, Way W = Way::best>
struct TeamContract
    : Impl::CallsOfString<Impl::TeamEntry<Impl::ContractRoutine<S, W>>, Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S, true> {};

/// All lanes of all threads of a team work together. See SerialContract.
template <Spec S, Way W = Way::best>
struct TeamVectorContract : Impl::CallsOfString<Impl::TeamVectorEntry<Impl::ContractRoutine<S, W>>,
                                                Impl::unmarked_letter<S>>,
                            Impl::ScratchQuery<S, true> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
