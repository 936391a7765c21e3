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
/// String: each operand has one letter (a-z, A-Z) per dimension, in any order; see Spec. Letters
/// that are absent from the output are summed over. A letter of A, B and C is a batch index. A
/// letter that occurs twice in an input takes its diagonal. `*` after an input's letters conjugates
/// the input.
///
/// Operands: Kokkos::View of rank 0 to 8, const or not, with any layout, strides and accessible
/// memory (global or scratch); mdspan; fix<...>(A); any model of Operand. Element types are float,
/// double, Kokkos::complex of both, half_t, bhalf_t, integers of 8 to 64 bits, bool, and Pack of
/// these. Operands may have different types. The sum is accumulated in the widest of output and
/// product type. That is at least float for 16-bit floats, and int32_t for shorter integers. alpha
/// and beta convert to that type.
///
/// More than two inputs are contracted pair by pair:
///
///     TeamContract<"xa,yb,zc,abc->xyz">::invoke(member, scratch, alpha, A, B, C, V, beta, U);
///
/// The order is the one of least work where all extents are static, and from left to right
/// otherwise. scratch holds the intermediates and is free again on return. It is
/// member.team_scratch(l) at Team and TeamVector, and member.thread_scratch(l) at Vector and Serial
/// under a team. A Scratch{address, bytes} or a View without gaps may stand there, too.
/// scratch_bytes(A, B, C, V, U) returns its size. Serial needs none where all extents are static:
/// leave the argument out. The intermediates are then on the stack; more than 256 KiB of them are a
/// compile-time error. All sums are accumulated, and all intermediates stored, in the widest real
/// type of all operands.
///
/// Functors between operands:
///
///     TeamContract<"xa,yb,zc,abc,xi,yj,zk->ijk">::invoke(
///         member, scratch, alpha, A, B, C, V, pointwise<"xyz">(f), A, B, C, beta, U);
///
/// The operands before a functor are contracted to its letters. Each element of that result becomes
/// f(value, x, y, z) once, while it is in a register. The result is contracted with the operands
/// after the functor. alpha scales the last result. The value is a pack where elements are packs. A
/// call has at most four functors, and the first one follows an operand. A letter that a functor
/// lacks may occur again after it, as another index of the same extent. With a functor, one or two
/// inputs need scratch, too. In scratch_bytes a functor stands where it stands in the call.
///
/// Intermediates for other calls: keep<"xyz">(u) in the place of a functor stores the contraction
/// of the operands before it in u. u may have any layout, and is contracted with the operands that
/// follow. keep counts as a functor. u must not overlap the other operands, and is not written if
/// alpha == 0.
///
/// Rules: C must not overlap an input. One input is excepted: it stands before a functor or keep,
/// and has the extents, strides and letters of C but for one letter ("emy,xm,xi->eiy"). beta == 0
/// writes C and never reads it. alpha == 0 does not read the inputs. Extents may be 0. C may be a
/// View with MemoryTraits<Atomic> if beta == 1: each element is added once. epilogue(value, i, j,
/// ...) gets each element of C once, with its indices in the output's order, and returns what is
/// stored. An epilogue that returns nothing stores nothing in C. elsewhere(functor) in place of
/// beta, C and epilogue does this without a C. Steps of Epilogue.hpp are an epilogue, too.
///
/// Level: Serial is one thread by itself. Vector is the lanes of one team thread, and may be called
/// inside TeamThreadRange. Team and TeamVector are collective over the team: never call them inside
/// TeamThreadRange or single. Inputs must be visible to the workers on entry. C is visible to all
/// workers on return, so calls follow each other without barriers.
///
/// W: a request of the caller. It is an algorithm other than the library's choice, for one or two
/// inputs (Way), the accuracy that is enough for products of floats (Accuracy), or a Choice.
///
/// Returns 0, or a negative code, the same in all workers, without having written anything:
///
///     -1    two operands disagree about the extent of a letter
///     -2    an atomic output comes with beta != 1
///     -3    there is too little scratch memory, or the scratch is a View with gaps
///     -5    sums are integers, and alpha or beta is no value of their type (0.5)
///
/// A checked build ends the program instead. What the types show is a compile-time error.
template <Spec S, Impl::ChoiceTag auto W = Way::best>
struct SerialContract
    : Impl::CallsOfString<Impl::SerialEntry<Impl::ContractRoutine<S, Impl::as_choice(W)>>,
                          Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S> {};

/// The lanes of one team thread work together. See SerialContract.
template <Spec S, Impl::ChoiceTag auto W = Way::best>
struct VectorContract
    : Impl::CallsOfString<Impl::VectorEntry<Impl::ContractRoutine<S, Impl::as_choice(W)>>,
                          Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S> {};

/// The threads of a team work together. See SerialContract.
template <Spec S, Impl::ChoiceTag auto W = Way::best>
struct TeamContract
    : Impl::CallsOfString<Impl::TeamEntry<Impl::ContractRoutine<S, Impl::as_choice(W)>>,
                          Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S, true> {};

/// All lanes of all threads of a team work together. See SerialContract.
template <Spec S, Impl::ChoiceTag auto W = Way::best>
struct TeamVectorContract
    : Impl::CallsOfString<Impl::TeamVectorEntry<Impl::ContractRoutine<S, Impl::as_choice(W)>>,
                          Impl::unmarked_letter<S>>,
      Impl::ScratchQuery<S, true> {};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
