// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of contractions: every level, static and dynamic extents, every kind of operand and
// output.
#include "TwoInputs.hpp"

void extents(const Right<int*>& codes) {
  two_inputs<"ijk,kl->ijl">(codes, Right<const double***>{}, Right<double**>{}, Right<double***>{});
  two_inputs<"ijk,kl->ijl">(codes, Left<const double***>{}, Left<double**>{}, Left<double***>{});
  two_inputs<"ijk,kl->ijl">(codes, Right<double[8][8][8]>{}, Right<double[8][8]>{},
                            Right<double[8][8][8]>{});
  two_inputs<"aebf,dfce->abcd">(codes, Right<float[4][4][4][4]>{}, Left<float****>{},
                                StridedView<float****>{});
  two_inputs<"bij,bjk->bik">(codes, Left<double***>{}, StridedView<double***>{},
                             Right<double***>{});
  two_inputs<"i,j->ij">(codes, Right<double*>{}, Right<double*>{}, Left<double**>{});
  two_inputs<"i,i->">(codes, Right<double*>{}, Right<double[5]>{}, Right<double>{});
  two_inputs<"iij,j->">(codes, Right<double***>{}, Right<double*>{}, Right<double>{});
}

/// mdspan, fix, shared memory, subviews.
void operands(const Right<int*>& codes, const Right<double***>& batch) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        const auto matrix = Kokkos::subview(batch, member.league_rank(), Kokkos::ALL, Kokkos::ALL);
        const auto fixed = kc::fix<8, 8>(matrix);
        const auto packed = kc::fix_packed<8, 8>(matrix);
        const auto half_fixed = kc::fix<8, kc::dynamic>(matrix);
        using Scratch = Kokkos::View<double[8][8], Member::scratch_memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
        const Scratch t(member.team_scratch(0));
        const Kokkos::mdspan<double, Kokkos::extents<int, 8, Kokkos::dynamic_extent>> span(
            matrix.data(), 8);
        int code = kc::TeamContract<"ik,kj->ij">::invoke(member, 1.0, fixed, packed, 0.0, t);
        code += kc::TeamVectorContract<"ik,kj->ij">::invoke(member, 1.0, half_fixed, t, 0.0, span);
        code += kc::TeamContract<"ij->ji">::invoke(member, 2.0, span, 1.0, t);
        double local[8][8];
        const Kokkos::mdspan<double, Kokkos::extents<int, 8, 8>> mine(&local[0][0]);
        code += kc::SerialContract<"ik,jk->ij">::invoke(1.0, fixed, t, 0.0, mine);
        code += kc::VectorContract<"ik,jk->ij">::invoke(member, local[1][2], fixed, t, 0.0, fixed);
        return code;
      });
}

/// One input; epilogues; atomic outputs.
void outputs(const Right<int*>& codes, const Right<double**>& a, const Left<double**>& b,
             const Right<double*>& x) {
  team_kernel(
      codes, KOKKOS_LAMBDA(const Member& member) {
        const auto epilogue = [=](double value, int i, int j) { return value * i + j; };
        const Kokkos::View<double**, Kokkos::LayoutRight, Device,
                           Kokkos::MemoryTraits<Kokkos::Atomic>>
            sum = a;
        int code = kc::TeamContract<"ij->ji">::invoke(member, 1.0, a, 0.0, b);
        code += kc::TeamVectorContract<"i+j->i">::invoke(member, 1.0, a, 0.0, x);
        code += kc::VectorContract<"ii->i">::invoke(member, 1.0, b, 1.0, x);
        code += kc::SerialContract<"+i+j->">::invoke(1.0, a, 0.0, Right<double>(&x(0)));
        code += kc::TeamContract<"ik,kj->ij">::invoke(member, 1.0, a, b, 1.0, a, epilogue);
        code += kc::TeamVectorContract<"ij->ij">::invoke(member, 1.0, a, 0.0, b, epilogue);
        code += kc::TeamContract<"ik,kj->ij">::invoke(
            member, 1.0, a, b, 1.0, a,
            kc::bias<"j">(x) | kc::scale<"i">(x) | kc::residual(b) | kc::row_max<"i">(x) |
                kc::also_in<"ji">(b) | kc::row_squares<"i">(x) | kc::saturate<float>());
        code += kc::TeamVectorContract<"ik,kj->ij">::invoke(member, 1.0, a, b, 1.0, sum);
        code += kc::SerialContract<"i,j->ij">::invoke(1.0, x, x, 1.0, sum);
        return code;
      });
}

void ranges(const Right<int*>& codes, const Right<double* [3][3]>& a, const Left<double***>& b,
            const Right<kc::Pack<float, 8>***>& c) {
  thread_kernel(
      codes, KOKKOS_LAMBDA(int i) {
        const auto ai = Kokkos::subview(a, i, Kokkos::ALL, Kokkos::ALL);
        const auto bi = Kokkos::subview(b, Kokkos::ALL, Kokkos::ALL, i);
        const auto ci = Kokkos::subview(c, i, Kokkos::ALL, Kokkos::ALL);
        int code = kc::SerialContract<"ik,kj->ij">::invoke(1.0, ai, bi, 0.0, bi);
        code += kc::SerialContract<"ik,kj->ij">::invoke(kc::Pack<float, 8>(2.0f), ci, ci, 0.0f, ci);
        return code;
      });
}
