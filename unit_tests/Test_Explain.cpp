// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Explain.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace KokkosContract::Test {
namespace {

using Memory = Kokkos::HostSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Memory, Unmanaged>;

// explain does not look at the data.
Matrix matrix(int rows, int cols) { return Matrix(static_cast<double*>(nullptr), rows, cols); }

template <Spec S, class... Operands>
std::string text(const Operands&... operands) {
  std::ostringstream os;
  explain<S>(os, operands...);
  return os.str();
}

TEST(Explain, Product) {
  const std::string said = text<"ik,kj->ij">(matrix(6, 4), matrix(4, 10), matrix(6, 10));
  for (const char* part :
       {"ik,kj->ij", "i=6", "j=10", "k=4", "rows", "columns", "sums", "tile", "bound"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  }
  // 2 * 6 * 4 * 10 flops; 8 * (24 + 40 + 60) bytes.
  EXPECT_NE(said.find("flops: 480"), std::string::npos) << said;
  EXPECT_NE(said.find("bytes: 992"), std::string::npos) << said;
}

TEST(Explain, OneInput) {
  const std::string said = text<"ij->ji">(matrix(6, 4), matrix(4, 6));
  EXPECT_NE(said.find("bytes: 384"), std::string::npos) << said;
}

TEST(Explain, SeveralInputs) {
  const std::string said =
      text<"ij,jk,kl->il">(matrix(2, 3), matrix(3, 4), matrix(4, 5), matrix(2, 5));
  for (const char* part : {"step 1", "step 2", "scratch"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  }
  // From left to right: 2 * 3 * 4 + 2 * 4 * 5 products.
  EXPECT_NE(said.find("flops: 128"), std::string::npos) << said;
}

TEST(Explain, NamesTheLetterThatDisagrees) {
  try {
    text<"ik,kj->ij">(matrix(6, 4), matrix(7, 10), matrix(6, 10));
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    for (const char* part : {"k", "4", "7"}) {
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }
}

}  // namespace
}  // namespace KokkosContract::Test
