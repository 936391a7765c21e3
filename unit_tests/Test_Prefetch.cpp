// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Prefetch.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace KokkosContract::Test {
namespace {

using Host = Kokkos::HostSpace;

/// Notes the lines that are asked for. (Not a lambda: nvcc checks for a device, too, what is handed
/// to the library's functions.)
struct NoteLine {
  std::vector<const void*>* lines;
  KOKKOS_FUNCTION void operator()([[maybe_unused]] const void* line) const {
    KOKKOS_IF_ON_HOST((lines->push_back(line);))
  }
};

/// The lines that are asked for.
template <class A>
std::vector<const void*> lines_of_operand(const A& a) {
  const auto operand = Impl::as_operand(a);
  std::vector<const void*> lines;
  Impl::for_each_line(operand, NoteLine{&lines});
  return lines;
}

/// Checks which lines are asked for: all with an element, and at most so many others.
template <class A>
void expect_lines(const A& a, std::size_t others) {
  const std::vector<const void*> lines = lines_of_operand(a);
  const std::set<const void*> asked(lines.begin(), lines.end());
  std::set<const void*> needed;
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      const auto first = reinterpret_cast<std::uintptr_t>(&a(i, j));
      for (const std::uintptr_t at : {first, first + sizeof(a(i, j)) - 1}) {
        needed.insert(reinterpret_cast<const void*>(at / 64 * 64));
      }
    }
  }
  for (const void* line : needed) EXPECT_TRUE(asked.contains(line));
  EXPECT_LE(asked.size(), needed.size() + others);
}

TEST(Prefetch, DenseRowMajorAndColumnMajor) {
  expect_lines(Kokkos::View<double[7][9], Kokkos::LayoutRight, Host>("a"), 0);
  expect_lines(Kokkos::View<float**, Kokkos::LayoutLeft, Host>("a", 33, 5), 0);
}

TEST(Prefetch, OnlyTheRowsOfASubView) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> wide("a", 20, 1000);
  expect_lines(Kokkos::subview(wide, Kokkos::make_pair(3, 15), Kokkos::make_pair(2, 60)), 0);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Host> tall("a", 1000, 20);
  expect_lines(Kokkos::subview(tall, Kokkos::make_pair(3, 9), Kokkos::make_pair(2, 20)), 0);
}

TEST(Prefetch, EveryElementOfWideStrides) {
  const Kokkos::View<double***, Kokkos::LayoutRight, Host> a("a", 6, 4, 50);
  expect_lines(Kokkos::subview(a, Kokkos::ALL, Kokkos::ALL, 7), 0);
}

TEST(Prefetch, NothingOfEmptyOperands) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> a;
  EXPECT_TRUE(lines_of_operand(a).empty());
}

// Neighbours are asked for together, whichever index they have: of 16 of them, two lines or three.
TEST(Prefetch, OneLineOfManyNeighboursOnce) {
  const auto part = Kokkos::make_pair(8, 24);
  const Kokkos::View<double***, Kokkos::LayoutRight, Host> right("a", 40, 40, 40);
  EXPECT_LE(lines_of_operand(Kokkos::subview(right, part, part, part)).size(), 16 * 16 * 3);
  const Kokkos::View<double***, Kokkos::LayoutLeft, Host> left("a", 40, 40, 40);
  EXPECT_LE(lines_of_operand(Kokkos::subview(left, part, part, part)).size(), 16 * 16 * 3);
}

TEST(Prefetch, LinesOfOneElement) {
  alignas(64) const std::byte memory[192]{};
  const auto lines_of = [&](int first, int bytes) {
    std::vector<const void*> lines;
    Impl::for_each_line_of(memory + first, bytes, NoteLine{&lines});
    std::vector<std::ptrdiff_t> at;
    for (const void* line : lines) at.push_back(static_cast<const std::byte*>(line) - memory);
    return at;
  };
  EXPECT_EQ(lines_of(64, 64), (std::vector<std::ptrdiff_t>{64}));
  EXPECT_EQ(lines_of(72, 8), (std::vector<std::ptrdiff_t>{64}));
  EXPECT_EQ(lines_of(96, 64), (std::vector<std::ptrdiff_t>{64, 128}));
}

/// The number of elements that differ after each has been asked for. A function of its own, as a
/// device lambda cannot be in a test's body.
int changed_by_asking() {
  const Kokkos::View<double[8][8], Kokkos::LayoutRight> a("a");
  Kokkos::deep_copy(a, 3);
  int different = 0;
  Kokkos::parallel_reduce(
      8,
      KOKKOS_LAMBDA(int i, int& sum) {
        prefetch(a);
        prefetch<2>(Kokkos::subview(a, i, Kokkos::ALL));
        prefetch<2>(&a(i, 0));
        for (int j = 0; j < 8; ++j) sum += a(i, j) != 3;
      },
      different);
  return different;
}

TEST(Prefetch, ChangesNothing) { EXPECT_EQ(changed_by_asking(), 0); }

/// The number of elements that differ after teams have requested them.
int changed_by_asking_of_team() {
  const Kokkos::View<double[8][64][5]> a("a");
  Kokkos::deep_copy(a, 3);
  int different = 0;
  using Policy = Kokkos::TeamPolicy<>;
  Kokkos::parallel_reduce(
      Policy(8, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Policy::member_type& team, int& sum) {
        const int i = team.league_rank();
        prefetch<2>(team, a);
        prefetch<2>(team, Kokkos::subview(a, i, Kokkos::ALL, 1));
        double in_registers[8] = {};
        prefetch<2>(team, Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::AnonymousSpace,
                                       Kokkos::MemoryUnmanaged>(in_registers, 8));
        for (int j = 0; j < 64; ++j) sum += a(i, j, 0) != 3 || in_registers[j % 8] != 0;
      },
      different);
  return different;
}
TEST(Prefetch, OfATeamChangesNothing) { EXPECT_EQ(changed_by_asking_of_team(), 0); }

}  // namespace
}  // namespace KokkosContract::Test
