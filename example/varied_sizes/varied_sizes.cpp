// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of different sizes in one launch. Sizes and offsets are in arrays, and operands with
// run-time extents are made where they are used.

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <vector>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;

// [operands]
// All matrices follow each other in one array, and all vectors in another.
using Numbers = Array<double*>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::SharedSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Vector = Kokkos::View<double*, Kokkos::SharedSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using ScratchMatrix =
    Kokkos::View<double**, Member::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
// [/operands]

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 300;
  const int largest = 13;

  // [offsets]
  // Problem p has n(p) unknowns; its matrices begin at matrix(p), its vectors at vector(p).
  const Array<int*> n("n", problems), matrix("matrix", problems + 1),
      vector("vector", problems + 1);
  for (int p = 0; p < problems; ++p) {
    n(p) = 1 + p * 7 % largest;
    matrix(p + 1) = matrix(p) + n(p) * n(p);
    vector(p + 1) = vector(p) + n(p);
  }
  const Numbers A("A", matrix(problems)), B("B", matrix(problems)), x("x", vector(problems));
  // [/offsets]
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < n(p); ++i) {
      for (int j = 0; j < n(p); ++j) {
        A(matrix(p) + i * n(p) + j) = entry(p, i, j) / n(p) + (i == j ? 2 : 0);
        B(matrix(p) + i * n(p) + j) = entry(i, j, p) / n(p) + (i == j ? 2 : 0);
      }
      x(vector(p) + i) = entry(i, p);
    }
  const Array<int*> info("info", problems);

  // [solve]
  // A_p B_p x_p = b_p; x holds b before. The product stays in scratch memory, which is as large as
  // the largest problem needs it.
  const auto bytes = ScratchMatrix::shmem_size(largest, largest);
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<Kokkos::Schedule<Kokkos::Dynamic>>(problems, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const Member& team) {
        const int p = team.league_rank(), n_p = n(p);
        const Matrix A_p(&A(matrix(p)), n_p, n_p), B_p(&B(matrix(p)), n_p, n_p);
        const Vector x_p(&x(vector(p)), n_p);
        const ScratchMatrix M(team.team_scratch(0), n_p, n_p);
        require_success(TeamContract<"ik,kj->ij">::invoke(team, 1.0, A_p, B_p, 0.0, M));
        const int code = TeamLU<Member>::invoke(team, M);
        if (code == 0)
          require_success(TeamSolveLU<Member, Trans::NoTranspose>::invoke(team, M, x_p));
        Kokkos::single(Kokkos::PerTeam(team), [&] { info(p) = code; });
      });
  Kokkos::fence();
  // [/solve]

  double residual = 0;
  for (int p = 0; p < problems; ++p) {
    const Matrix A_p(&A(matrix(p)), n(p), n(p)), B_p(&B(matrix(p)), n(p), n(p));
    residual = worse(residual, info(p));
    for (int i = 0; i < n(p); ++i) {
      double r = entry(i, p);
      for (int k = 0; k < n(p); ++k)
        for (int j = 0; j < n(p); ++j) r -= A_p(i, k) * B_p(k, j) * x(vector(p) + j);
      residual = worse(residual, std::abs(r));
    }
  }
  return check("residual", residual);
}
