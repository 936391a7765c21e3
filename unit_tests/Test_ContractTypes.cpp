// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types, mixed ones too, on eight strings. The build names the list of types.
#include <gtest/gtest.h>

#include <cstdint>

#include "ContractOp.hpp"

namespace KokkosContract::Test {
namespace {

/// Element types of the output and the inputs.
template <class C, class A, class B = A>
struct Elements {
  using Output = C;
  using First = A;
  using Second = B;
};

using half = Kokkos::Experimental::half_t;
using bhalf = Kokkos::Experimental::bhalf_t;

using Real = testing::Types<Elements<float, float>, Elements<double, float>,
                            Elements<float, double, float>, Elements<double, double, float>>;
using Complex = testing::Types<
    Elements<Kokkos::complex<float>, Kokkos::complex<float>>,
    Elements<Kokkos::complex<double>, Kokkos::complex<double>>,
    Elements<Kokkos::complex<double>, double, Kokkos::complex<double>>,
    Elements<Kokkos::complex<double>, Kokkos::complex<float>, Kokkos::complex<double>>>;
// On a host without 16-bit floats, half_t and bhalf_t are float.
using Short = std::conditional_t<
    sizeof(half) == 2 && sizeof(bhalf) == 2,
    testing::Types<Elements<std::int32_t, std::int8_t>, Elements<std::int32_t, std::int32_t>,
                   Elements<half, half>, Elements<bhalf, bhalf>, Elements<float, half>>,
    testing::Types<Elements<std::int32_t, std::int8_t>, Elements<std::int32_t, std::int32_t>>>;

template <class Types>
class ContractTypes : public testing::Test {};
TYPED_TEST_SUITE(ContractTypes, KOKKOSCONTRACT_TEST_TYPES);

using Eight = Strings<"ik,kj->ij", "ki,jk->ji", "bij,bj->bi", "ij,ij->", "ijk->kij", "iij->j",
                      "ik*,kj->ij", "aebf,dfce->abcd">;

template <class Level, Spec S, class Types>
void check_types(Random& random) {
  using Space = typename Level::space;
  constexpr int inputs = inputs_of<S>();
  using Layout = Kokkos::LayoutStride;
  using Output = view_t<typename Types::Output, rank_of<S>(inputs), Layout, Space>;
  using First = view_t<const typename Types::First, rank_of<S>(0), Layout, Space>;
  using Second = view_t<const typename Types::Second, rank_of<S>(1), Layout, Space>;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Extents extents = random_extents(random, text_of<S>());
    if constexpr (inputs == 1) {
      check_contract<Level, S, Output, First>(random, extents);
    } else {
      check_contract<Level, S, Output, First, Second>(random, extents);
    }
  }
}

template <class Level, class Types>
void check_strings(Random& random) {
  SCOPED_TRACE(Level::name);
  Eight::for_each([&]<Spec S> { check_types<Level, S, Types>(random); });
}

template <class Types, class... L>
void check_levels(Random& random, testing::Types<L...>) {
  (check_strings<L, Types>(random), ...);
}

TYPED_TEST(ContractTypes, EightStrings) {
  Random random;
  check_levels<TypeParam>(random, FewLevels{});
}

}  // namespace
}  // namespace KokkosContract::Test
