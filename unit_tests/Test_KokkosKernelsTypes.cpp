// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos Kernels' vectors and tags as arguments.

#include "KokkosKernels.hpp"

namespace KokkosContract::Test {
namespace {

// --- Vectors as packs
// -----------------------------------------------------------------------------

/// Checks that Kokkos Kernels' vectors have the memory layout of Pack, also as scaling factors.
template <class T, int L>
void check_packs() {
  using V = Simd<T, L>;
  using P = Pack<T, L>;
  constexpr int n = 7;
  Random random;
  const auto a = dominant_view<Matrix<V>>(random, n);
  const auto b = random_view<Matrix<V>>(random, n, n);
  const auto c = random_view<Matrix<V>>(random, n, n);
  const auto packs = [](const Matrix<V>& v) {
    const Matrix<P> view("packs", v.extent(0), v.extent(1));
    for (std::size_t e = 0; e < v.span(); ++e) {
      for (int l = 0; l < L; ++l) view.data()[e][l] = v.data()[e][l];
    }
    return view;
  };
  V alpha;
  P factor;
  for (int l = 0; l < L; ++l) factor[l] = alpha[l] = T(l + 1);
  const auto run = [](const auto& x, const auto& A, const auto& B, const auto& C) {
    EXPECT_EQ(SerialLU<>::invoke(A), 0);
    EXPECT_EQ(
        (SerialTrsm<Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::Unit>::invoke(x, A, B)), 0);
    EXPECT_EQ((SerialGemm<Trans::NoTranspose, Trans::NoTranspose>::invoke(x, A, B, x, C)), 0);
    EXPECT_EQ(SerialScale::invoke(x, C), 0);
    EXPECT_EQ(SerialContract<"ij->ji">::invoke(x, C, 0, B), 0);
  };
  const auto pa = packs(a), pb = packs(b), pc = packs(c);
  run(factor, pa, pb, pc);
  run(alpha, a, b, c);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < L; ++l) {
        ASSERT_EQ(c(i, j)[l], pc(i, j)[l]) << i << ' ' << j << ' ' << l;
        ASSERT_EQ(b(i, j)[l], pb(i, j)[l]) << i << ' ' << j << ' ' << l;
      }
    }
  }
}

TEST(KokkosKernelsVectors, ArePacks) {
  check_packs<double, 4>();
  check_packs<double, 3>();
  check_packs<float, 8>();
  check_packs<Complex, 2>();
  check_packs<Kokkos::complex<float>, 4>();
}

TEST(KokkosKernelsVectors, FillAndPad) {
  const Kokkos::View<Simd<double, 4>***, Space> view("view", 2, 3, 3);
  pad_identity(Kokkos::DefaultHostExecutionSpace{}, view, 5);
  Kokkos::fence();
  const auto access = packed_access<0>(view, 8);
  for (int p = 0; p < 8; ++p) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_EQ(access(p, i, j), p >= 5 && i == j ? 1 : 0);
    }
  }
}

// Locals that the compiler keeps in registers where it may: a call reads and writes them.
TEST(KokkosKernelsVectors, OfOneThread) {
  using V = Simd<Complex, 3>;
  V element[4];
  for (int l = 0; l < 3; ++l) element[0][l] = element[3][l] = Complex(l + 1);
  const Kokkos::View<V[2][2], Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged> a(element);
  EXPECT_EQ(SerialScale::invoke(2, a), 0);
  for (int l = 0; l < 3; ++l) EXPECT_EQ(element[3][l], Complex(2 * (l + 1)));
  element[3][0] = Complex(0);
  EXPECT_EQ(SerialLU<>::invoke(a), 2);
}

TEST(KokkosKernelsVectorsDeathTest, NotAligned) {
  using V = Simd<float, 8>;
  alignas(32) float memory[25] = {};
  const Kokkos::View<V*, Space, Kokkos::MemoryUnmanaged> aligned(reinterpret_cast<V*>(memory), 3);
  EXPECT_EQ(SerialSet::invoke(1, aligned), 0);
  const Kokkos::View<V*, Space, Kokkos::MemoryUnmanaged> x(reinterpret_cast<V*>(memory + 1), 3);
  EXPECT_DEATH((void)SerialSet::invoke(1, x), "not aligned as a Pack has to be");
}

// --- Tags
// -----------------------------------------------------------------------------------------

/// Gemm and Trsv take tags A and U, which Kokkos Kernels has for its levels 3 and 2.
template <class Gemm, class Trsv>
int call_with(const Matrix<double>& a, const Vector<double>& x) {
  namespace kb = KokkosBatched;
  using N = kb::Trans::NoTranspose;
  using C = kb::Trans::ConjTranspose;
  return SerialGemm<N, C, Gemm>::invoke(1., a, a, 0., a) +
         SerialTrsv<kb::Uplo::Upper, N, kb::Diag::NonUnit, Trsv>::invoke(1., a, x);
}

TEST(KokkosKernelsTags, Algorithms) {
  using KokkosBatched::Algo;
  const Matrix<double> a("a", 0, 0);
  const Vector<double> x("x", 0);
  EXPECT_EQ((call_with<Algo::Gemm::Unblocked, Algo::Trsv::Unblocked>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::Blocked, Algo::Trsv::Blocked>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::Default, Algo::Trsv::Default>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::MKL, Algo::Trsv::MKL>(a, x)), 0);
  EXPECT_EQ((call_with<Algo::Gemm::CompactMKL, Algo::Trsv::CompactMKL>(a, x)), 0);
}

// A plan of teams is made for calls with either tags.
TEST(KokkosKernelsTags, TeamPolicy) {
  namespace kb = KokkosBatched;
  const Kokkos::View<double***, Space> a("a", 4, 3, 3);
  using Theirs = SerialGemm<kb::Trans::NoTranspose, kb::Trans::Transpose>;
  using Ours = SerialGemm<Trans::NoTranspose, Trans::Transpose>;
  const Kokkos::DefaultHostExecutionSpace exec;
  EXPECT_EQ(team_policy<Theirs>(exec, 4, a, a, a).problems_per_team,
            team_policy<Ours>(exec, 4, a, a, a).problems_per_team);
}

}  // namespace
}  // namespace KokkosContract::Test
