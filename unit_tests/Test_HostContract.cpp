// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// contract(exec, ...): a contraction as a kernel of its own.
#include <gtest/gtest.h>

#include <KokkosContract/HostContract.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract::Test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

// Small integers, so that every order of summation gives the same number exactly.
template <class V>
auto filled(const V& view) {
  auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < host.span(); ++i) {
    host.data()[i] = static_cast<double>(i * 7919 % 13) - 6;
  }
  Kokkos::deep_copy(view, host);
  return host;
}

TEST(HostContract, BatchedProduct) {
  const int batch = 37;
  Kokkos::View<double***, Space> A("A", batch, 5, 6);
  Kokkos::View<double***, Space> B("B", batch, 6, 9);
  Kokkos::View<double***, Space> C("C", batch, 5, 9);
  const auto a = filled(A);
  const auto b = filled(B);
  const auto c0 = filled(C);
  const auto before = Kokkos::create_mirror(C);
  Kokkos::deep_copy(before, c0);
  contract<"bij,bjk->bik">(Space(), 2.0, A, B, -1.0, C);
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  for (int z = 0; z < batch; ++z) {
    for (int i = 0; i < 5; ++i) {
      for (int k = 0; k < 9; ++k) {
        double sum = 0;
        for (int j = 0; j < 6; ++j) sum += a(z, i, j) * b(z, j, k);
        ASSERT_EQ(c(z, i, k), 2 * sum - before(z, i, k)) << z << " " << i << " " << k;
      }
    }
  }
}

TEST(HostContract, OneInputAndEmpty) {
  Kokkos::View<double***, Space> A("A", 3, 4, 5);
  Kokkos::View<double**, Space> C("C", 5, 3);
  const auto a = filled(A);
  contract<"ijk->ki">(Space(), 1.0, A, 0.0, C);
  const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) {
      double sum = 0;
      for (int j = 0; j < 4; ++j) sum += a(i, j, k);
      ASSERT_EQ(c(k, i), sum);
    }
  }
  const Kokkos::View<double***, Space> nothing("nothing", 0, 4, 5);
  const Kokkos::View<double**, Space> empty("empty", 5, 0);
  EXPECT_NO_THROW(contract<"ijk->ki">(Space(), 1.0, nothing, 0.0, empty));
}

TEST(HostContract, NamesWhatDisagrees) {
  const Kokkos::View<double**, Space> A("A", 3, 4);
  const Kokkos::View<double**, Space> C("C", 3, 3);
  try {
    contract<"ik,kj->ij">(Space(), 1.0, A, A, 0.0, C);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'k'"), std::string::npos) << message;
    EXPECT_NE(message.find("4"), std::string::npos) << message;
    EXPECT_NE(message.find("3"), std::string::npos) << message;
  }
  const Kokkos::View<double**, Space, Kokkos::MemoryTraits<Kokkos::Atomic>> sums(C);
  EXPECT_THROW(contract<"ij->ij">(Space(), 1.0, C, 0.0, sums), std::invalid_argument);
}

}  // namespace
}  // namespace KokkosContract::Test
