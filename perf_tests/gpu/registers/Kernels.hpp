// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose registers, stack and instructions scripts/check-cuda --registers compares with
// registers.txt. Each has a routine, or a few, for a batch of n x n matrices, with several problems
// per team. They are compiled as users compile theirs, and never run.
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <type_traits>

namespace registers {

using Space = Kokkos::Cuda;
using Member = Kokkos::TeamPolicy<Space>::member_type;
using Right = Kokkos::LayoutRight;
using None = KokkosContract::Trans::NoTranspose;
using KokkosContract::Diag;
using KokkosContract::Side;
using KokkosContract::Uplo;

template <class M, class V, class R, class W>
struct Operands {
  M a, b, c;
  V x, y;
  R ipiv;
  W work;
};

template <class T, int N>
using Batch =
    Operands<Kokkos::View<T* [N][N], Right, Space>, Kokkos::View<T* [N], Right, Space>,
             Kokkos::View<int* [N], Right, Space>, Kokkos::View<T * [N * N], Right, Space>>;

template <class T, int N, class Range>
KOKKOS_FUNCTION auto part_of(const Batch<T, N>& d, const Range& range) {
  using Kokkos::ALL, Kokkos::subview;
  const auto a = subview(d.a, range, ALL, ALL);
  const auto b = subview(d.b, range, ALL, ALL);
  const auto c = subview(d.c, range, ALL, ALL);
  const auto x = subview(d.x, range, ALL);
  const auto y = subview(d.y, range, ALL);
  const auto ipiv = subview(d.ipiv, range, ALL);
  const auto work = subview(d.work, range, ALL);
  using Part = Operands<decltype(a), decltype(x), decltype(ipiv), decltype(work)>;
  return Part{a, b, c, x, y, ipiv, work};
}

/// Its name in registers.txt follows from Routine, N and T.
template <class Routine, int N, class T>
struct Kernel {
  Batch<T, N> batch;
  KokkosContract::TeamProblems problems;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto range = KokkosContract::problems_of(member, problems);
    Routine::template call<T, N>(member, part_of<T, N>(batch, range));
  }
};

template <class Routine, int N, class T = double>
void compile() {
  Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(1, 128), Kernel<Routine, N, T>{});
}

}  // namespace registers
