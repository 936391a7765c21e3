// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// contract(exec, ...): a contraction as a kernel of its own.
#include <gtest/gtest.h>

#include <KokkosContract/HostContract.hpp>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "StridedTensor.hpp"
#include "Strings.hpp"

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
  contract<"i+jk->ki">(Space(), 1.0, A, 0.0, C);
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
  EXPECT_NO_THROW(contract<"i+jk->ki">(Space(), 1.0, nothing, 0.0, empty));
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

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_DEPRECATED_CODE_4)
/// Each thread of an OpenMP region has a product; the number of right ones, and of exceptions.
std::pair<int, int> products_in_region() {
  using Host = Kokkos::OpenMP;
  using Matrix = Kokkos::View<double**, Host>;
  const std::vector<Matrix> a{Matrix("a", 5, 5), Matrix("a", 5, 5)};
  const std::vector<Matrix> c{Matrix("c", 5, 5), Matrix("c", 5, 5)};
  for (const auto& view : a) Kokkos::deep_copy(view, 2);
  int right = 0, thrown = 0;
#pragma omp parallel for num_threads(2) reduction(+ : right, thrown)
  for (int p = 0; p < 2; ++p) {
    try {
      contract<"ik,kj->ij">(Host(), 1.0, a[p], a[p], 0.0, c[p]);
      right += c[p](4, 4) == 20;
    } catch (const std::logic_error& error) {
      thrown += std::string(error.what()).find("omp_set_max_active_levels(2)") != std::string::npos;
    }
  }
  return {right, thrown};
}

TEST(HostContract, InAnOpenMPRegion) {
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(1);
  EXPECT_EQ(products_in_region(), (std::pair{0, 2}));
  omp_set_max_active_levels(2);
  EXPECT_EQ(products_in_region(), (std::pair{2, 0}));
  omp_set_max_active_levels(levels);
}
#endif

// --- Products of large matrices, which a GPU cuts into tiles ------------------------------------

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;
using Stride = Kokkos::LayoutStride;

template <Spec S, class T, class LayoutC, class LayoutA, class LayoutB, class Output = T>
void check_large(const Extents& extents) {
  using Sum = accumulator_t<T, Output>;
  Random random;
  const std::string text(text_of<S>());
  const Letters letters(text);
  StridedTensor<T> a(random, extents_of(letters.inputs[0], extents), arrangement_of<LayoutA>());
  StridedTensor<T> b(random, extents_of(letters.inputs[1], extents), arrangement_of<LayoutB>());
  StridedTensor<Output> c(random, extents_of(letters.output, extents), arrangement_of<LayoutC>());
  using W = wide_t<T>;
  const auto sums = sum_products<W>(text, {a.template dense<W>(0), b.template dense<W>(0)});
  const auto before = c.template dense<W>(0);
  const Sum number = random.template number<Sum>();
  for (const auto& [alpha, beta] : {std::pair(number, Sum(-0.5)), std::pair(Sum(1), Sum(0))}) {
    c.restore();
    contract<S>(Space(), alpha, a.template views<view_t<const T, rank_of<S>(0), LayoutA>>()(0),
                b.template views<view_t<const T, rank_of<S>(1), LayoutB>>()(0), beta,
                c.template views<view_t<Output, rank_of<S>(2), LayoutC>>()(0));
    c.download();
    const auto expected = expect<Sum, Output>(sums, 2, widen<W>(alpha), widen<W>(beta), before);
    EXPECT_TRUE(within_bounds(c.template dense<W>(0), expected)) << text_of_extents(extents);
    EXPECT_TRUE(c.guards_unchanged());
  }
}

/// Checks a contraction of one input, whose sums have one term.
template <Spec S, class LayoutC, class LayoutA>
void check_one_input(const Extents& extents) {
  using T = double;
  Random random;
  const std::string text(text_of<S>());
  const Letters letters(text);
  StridedTensor<T> a(random, extents_of(letters.inputs[0], extents), arrangement_of<LayoutA>());
  StridedTensor<T> c(random, extents_of(letters.output, extents), arrangement_of<LayoutC>());
  using W = wide_t<T>;
  const auto sums = sum_products<W>(text, {a.template dense<W>(0)});
  const auto before = c.template dense<W>(0);
  for (const auto& [alpha, beta] : {std::pair(2., -0.5), std::pair(1., 0.)}) {
    c.restore();
    contract<S>(Space(), alpha, a.template views<view_t<const T, rank_of<S>(0), LayoutA>>()(0),
                beta, c.template views<view_t<T, rank_of<S>(1), LayoutC>>()(0));
    c.download();
    const auto expected = expect<T, T>(sums, 1, widen<W>(alpha), widen<W>(beta), before);
    EXPECT_TRUE(within_bounds(c.template dense<W>(0), expected)) << text_of_extents(extents);
    EXPECT_TRUE(c.guards_unchanged());
  }
}

TEST(HostContract, LargeMatrices) {
  const Extents many_tiles = {{'i', 301}, {'k', 45}, {'j', 290}};
  check_large<"ik,kj->ij", double, Left, Left, Left>(many_tiles);
  check_large<"ik,kj->ij", double, Right, Left, Stride>(many_tiles);
  check_large<"ik,kj->ij", float, Stride, Right, Left>(many_tiles);
  const Extents few_columns = {{'i', 515}, {'k', 77}, {'j', 23}};
  check_large<"ik,kj->ij", double, Left, Right, Left>(few_columns);
  check_large<"ik,kj->ij", float, Left, Left, Left>(few_columns);
}
// More terms than a table of offsets holds, and so many that several blocks share the sum.
TEST(HostContract, ManyTerms) {
  check_large<"ik,kj->ij", double, Left, Right, Left>({{'i', 129}, {'k', 1501}, {'j', 30}});
  check_large<"ik,kj->ij", float, Left, Left, Right>({{'i', 66}, {'k', 1030}, {'j', 65}});
}
TEST(HostContract, LargeBatch) {
  const Extents extents = {{'z', 3}, {'y', 2}, {'i', 65}, {'k', 70}, {'j', 67}};
  check_large<"ziyk,zjyk->zyij", double, Right, Right, Right>(extents);
}
// A batch of small problems, the last team having fewer; and an interleaved one.
TEST(HostContract, SmallBatch) {
  const Extents extents = {{'z', 1001}, {'i', 7}, {'k', 5}, {'j', 6}};
  check_large<"zik,zkj->zij", double, Right, Right, Right>(extents);
  check_large<"zik,zkj->zij", double, Stride, Right, Stride>(extents);
  check_large<"zik,zkj->zij", double, Left, Left, Left>(extents);
}
// The index with the largest stride in C is not the batch. A host computes C in slices, of many
// indices or of one, and each thread has some or a part of each.
TEST(HostContract, SlicesOfOutput) {
  const Extents many = {{'c', 203}, {'l', 9}, {'p', 40}, {'i', 3}, {'j', 3}};
  check_large<"cpji,lpj->clpi", double, Right, Right, Right>(many);
  check_large<"cpji,lpj->clpi", double, Right, Right, Right>(
      {{'c', 6}, {'l', 90}, {'p', 101}, {'i', 3}, {'j', 2}});
  check_large<"cp,lp->clp", float, Right, Right, Right>({{'c', 70}, {'l', 50}, {'p', 67}});
  check_large<"cp,lp->plc", double, Left, Right, Stride>({{'c', 80}, {'l', 27}, {'p', 64}});
  check_large<"cik,lmk->cmli", double, Right, Right, Right>(
      {{'c', 150}, {'i', 2}, {'k', 3}, {'l', 25}, {'m', 21}});
}
// The unit strides of the input, of the other and of the output are of three indices.
TEST(HostContract, ReversedModes) {
  check_large<"ecbfa,fd->abcde", double, Left, Left, Left>(
      {{'a', 24}, {'b', 3}, {'c', 2}, {'d', 13}, {'e', 16}, {'f', 9}});
  check_large<"eafd,fbec->abcd", double, Left, Left, Left>(
      {{'a', 16}, {'b', 9}, {'c', 7}, {'d', 12}, {'e', 8}, {'f', 12}});
}
// One input with its indices in another order; neighbours of C are along an index of A that is far
// apart there.
TEST(HostContract, OtherOrder) {
  check_one_input<"abcd->dcba", Left, Left>({{'a', 33}, {'b', 3}, {'c', 5}, {'d', 70}});
  check_one_input<"abcd->cadb", Right, Left>({{'a', 40}, {'b', 9}, {'c', 12}, {'d', 2}});
  check_one_input<"ab->ab", Left, Stride>({{'a', 65}, {'b', 130}});
  const Kokkos::View<double****, Left, Space> nothing("nothing", 8, 0, 3, 8);
  const Kokkos::View<double****, Left, Space> empty("empty", 8, 3, 0, 8);
  EXPECT_NO_THROW(contract<"abcd->dcba">(Space(), 1.0, nothing, 0.0, empty));
}
// The neighbours of both inputs are along different indices of the sum. The same as if they were
// not; on a GPU the larger one is so large that both are copied before.
TEST(HostContract, CopiedInputs) {
  using Tensor = Kokkos::View<double****, Left, Space>;
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  for (const int n : on_host ? std::vector{8} : std::vector{12, 28, 56}) {
    const int k = on_host ? 8 : 32;
    const Tensor A("A", k, n, k, n), B("B", k, n, k, n), ordered("ordered B", k, n, k, n);
    const Tensor C("C", n, n, n, n), expected("expected C", n, n, n, n);
    filled(A);
    filled(B);
    contract<"fbec->ebfc">(Space(), 1.0, B, 0.0, ordered);
    contract<"eafd,ebfc->abcd">(Space(), 2.0, A, ordered, 0.0, expected);
    contract<"eafd,fbec->abcd">(Space(), 2.0, A, B, 0.0, C);
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), C);
    const auto e = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    EXPECT_TRUE(std::equal(c.data(), c.data() + c.span(), e.data())) << n;
    EXPECT_NE(std::count(c.data(), c.data() + c.span(), 0.0), c.span());
  }
}
TEST(HostContract, LargeComplex) {
  const Extents extents = {{'i', 131}, {'k', 66}, {'j', 67}, {'q', 2}};
  check_large<"ik+q*,jk->ij", Kokkos::complex<double>, Left, Right, Left>(extents);
  check_large<"ik+q*,jk->ij", Kokkos::complex<float>, Stride, Stride, Stride>(extents);
}
// 16-bit floats, for which a GPU has matrix instructions, into sums that are stored or rounded.
TEST(HostContract, ShortFloats) {
  using Half = Kokkos::Experimental::half_t;
  using BHalf = Kokkos::Experimental::bhalf_t;
  check_large<"ik,kj->ij", Half, Right, Right, Left, float>({{'i', 33}, {'k', 8009}, {'j', 33}});
  check_large<"ik,kj->ij", Half, Right, Right, Right>({{'i', 259}, {'k', 77}, {'j', 130}});
  check_large<"ik,kj->ij", BHalf, Left, Left, Right>({{'i', 136}, {'k', 96}, {'j', 67}});
}

}  // namespace
}  // namespace KokkosContract::Test
