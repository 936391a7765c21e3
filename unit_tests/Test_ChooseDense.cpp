// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of dense routines, written out: a change of it is a change here.
#include <gtest/gtest.h>

#include <KokkosContract/TeamPolicy.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <string>
#include <utility>

namespace KokkosContract::Test {
namespace {

using Impl::DenseCase;
using Impl::DenseChoice;
using Impl::DenseRoutine;
using Impl::DenseWay;

/// f(n) wherever it changes, n = 1 to 33.
template <class F>
std::string steps(const F& f) {
  std::string text, last;
  for (int n = 1; n <= 33; ++n) {
    const std::string now = f(n);
    if (now != last) text += (n == 1 ? "" : " ") + std::to_string(n) + ":" + now;
    last = now;
  }
  return text;
}

/// How matrices of n rows are dealt with: by the rows x columns of lanes, or otherwise.
std::string ways(const DenseCase& case_of_any) {
  return steps([&](int n) -> std::string {
    DenseCase of = case_of_any;
    of.rows = of.cols = n;
    const DenseChoice choice = Impl::choose(of);
    switch (choice.way) {
      case DenseWay::thread:
        return "thread";
      case DenseWay::lanes:
        return std::to_string(choice.grid.rows) + "x" + std::to_string(choice.grid.cols);
      case DenseWay::blocks:
        return "blocks";
      case DenseWay::halves:
        return "halves";
      case DenseWay::panels:
        return "panels";
      case DenseWay::memory:
        break;
    }
    return "memory";
  });
}
/// A GPU's, of a batch.
std::string ways(DenseRoutine routine, bool one_column, bool unit_rows, bool interleaved,
                 bool in_scratch = false) {
  DenseCase of{};
  of.routine = routine;
  of.one_column = one_column;
  of.unit_rows = unit_rows;
  of.interleaved = interleaved;
  of.in_scratch = in_scratch;
  return ways(of);
}

TEST(Choose, Lanes) {
  const std::string rows = "1:1x2 5:2x2 9:2x4 17:4x4 25:4x8 33:";
  const std::string interleaved = "1:1x1 5:1x2 9:2x2 15:2x4 17:4x4 25:4x8 33:";
  const std::string cols = "1:2x1 5:2x2 9:4x2 17:4x4 25:8x4 33:";
  const std::string interleaved_cols = "1:1x1 5:2x1 9:2x2 15:4x2 17:4x4 25:8x4 33:";
  EXPECT_EQ(ways(DenseRoutine::lu, false, false, false), rows + "blocks");
  EXPECT_EQ(ways(DenseRoutine::lu, false, false, true), interleaved + "blocks");
  EXPECT_EQ(ways(DenseRoutine::lu, false, true, false), cols + "blocks");
  EXPECT_EQ(ways(DenseRoutine::lu, false, true, true), interleaved_cols + "blocks");
  for (const auto routine : {DenseRoutine::solve, DenseRoutine::factors, DenseRoutine::adjoint,
                             DenseRoutine::multiply}) {
    EXPECT_EQ(ways(routine, false, false, false), rows + "memory");
    EXPECT_EQ(ways(routine, false, false, true), interleaved + "memory");
    EXPECT_EQ(ways(routine, false, true, false), cols + "memory");
    EXPECT_EQ(ways(routine, false, true, true), interleaved_cols + "memory");
  }
}

TEST(Choose, OneRightHandSide) {
  const auto way = [](DenseRoutine routine, bool unit_rows, bool interleaved) {
    return ways(routine, true, unit_rows, interleaved);
  };
  const std::string interleaved = "1:1x1 5:1x2 9:2x2 17:4x4 33:memory";
  const std::string interleaved_cols = "1:1x1 5:2x1 9:2x2 17:4x4 33:memory";
  EXPECT_EQ(way(DenseRoutine::solve, false, false), "1:1x2 5:2x2 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::solve, true, false), "1:2x1 5:2x2 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::factors, false, false),
            "1:1x2 5:2x2 13:4x1 17:8x1 25:16x1 33:memory");
  EXPECT_EQ(way(DenseRoutine::factors, true, false), "1:2x1 5:2x2 13:4x1 17:8x1 25:16x1 33:memory");
  EXPECT_EQ(way(DenseRoutine::adjoint, false, false), "1:1x2 5:2x2 9:4x1 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::adjoint, true, false), "1:2x1 5:2x2 9:4x1 17:4x4 33:memory");
  for (const auto routine : {DenseRoutine::solve, DenseRoutine::factors, DenseRoutine::adjoint}) {
    EXPECT_EQ(way(routine, false, true), interleaved);
    EXPECT_EQ(way(routine, true, true), interleaved_cols);
  }
}

TEST(Choose, TrianglesColumnsAndPivots) {
  for (const bool interleaved : {false, true}) {
    const auto way = [&](DenseRoutine routine, bool one_column, bool unit_rows) {
      return ways(routine, one_column, unit_rows, interleaved);
    };
    for (const bool unit_rows : {false, true}) {
      EXPECT_EQ(way(DenseRoutine::triangle, false, unit_rows), "1:2x2 9:4x1 17:4x4 33:blocks");
      EXPECT_EQ(way(DenseRoutine::inverse, false, unit_rows), "1:2x2 9:4x1 17:4x4 33:memory");
    }
    EXPECT_EQ(way(DenseRoutine::qr, false, false), "1:1x2 5:1x4 17:1x8 25:1x16 33:memory");
    EXPECT_EQ(way(DenseRoutine::qr, false, true), "1:2x1 5:4x1 17:8x1 25:16x1 33:memory");
    for (const auto& [routine, large] : {std::pair{DenseRoutine::getrf, std::string("blocks")},
                                         std::pair{DenseRoutine::gesv, std::string("memory")}}) {
      EXPECT_EQ(way(routine, false, false), "1:1x2 4:2x1 5:1x4 14:4x1 17:16x1 25:32x1 33:" + large);
      EXPECT_EQ(way(routine, false, true), "1:2x1 5:4x1 17:16x1 25:32x1 33:" + large);
    }
    EXPECT_EQ(way(DenseRoutine::gesv, true, false),
              "1:2x1 3:1x2 4:2x1 5:4x1 17:16x1 21:32x1 33:memory");
    EXPECT_EQ(way(DenseRoutine::gesv, true, true), "1:2x1 5:4x1 17:16x1 21:32x1 33:memory");
  }
}

TEST(Choose, ScratchMemory) {
  const auto way = [](DenseRoutine routine, bool one_column) {
    return ways(routine, one_column, false, false, true);
  };
  EXPECT_EQ(way(DenseRoutine::lu, false), "1:thread 13:2x4 17:4x4 25:4x8 33:blocks");
  EXPECT_EQ(way(DenseRoutine::solve, true), "1:thread 13:2x2 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::solve, false), "1:thread 13:2x4 17:4x4 25:4x8 33:memory");
  EXPECT_EQ(way(DenseRoutine::factors, true), "1:thread 13:2x2 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::adjoint, true), "1:thread 13:2x2 17:4x4 33:memory");
  EXPECT_EQ(way(DenseRoutine::factors, false), "1:1x2 5:2x2 9:2x4 17:4x4 25:4x8 33:memory");
  EXPECT_EQ(way(DenseRoutine::triangle, false), "1:2x2 9:4x1 17:4x4 33:blocks");
}

TEST(Choose, OthersHaveNoLanes) {
  DenseCase of{};
  of.lanes_of_gpu = false;
  EXPECT_EQ(ways(of), "1:memory 33:blocks");
  of.routine = DenseRoutine::qr;
  EXPECT_EQ(ways(of), "1:memory");
  of.lanes_of_gpu = of.packs = true;
  EXPECT_EQ(ways(of), "1:memory");
  // Extents that are known at run time only, and columns that lanes have no room for.
  of.packs = false;
  of.rows = of.cols = dynamic;
  EXPECT_EQ(Impl::choose(of).way, DenseWay::memory);
  of.rows = 8;
  EXPECT_EQ(Impl::choose(of).way, DenseWay::memory);
  of.routine = DenseRoutine::lu;
  EXPECT_EQ(Impl::choose(of).way, DenseWay::lanes);
  of.rows = dynamic;
  EXPECT_EQ(Impl::choose(of).way, DenseWay::blocks);
}

TEST(Choose, OneWorkerOfHost) {
  DenseCase of{};
  of.lanes_of_gpu = false;
  of.one_of_host = true;
  const auto way = [&](DenseRoutine routine, std::ptrdiff_t rows, std::ptrdiff_t cols) {
    of.routine = routine;
    of.rows = rows;
    of.cols = cols;
    return Impl::choose(of).way;
  };
  for (const auto routine :
       {DenseRoutine::lu, DenseRoutine::getrf, DenseRoutine::triangle, DenseRoutine::solve}) {
    EXPECT_EQ(way(routine, dynamic, dynamic), DenseWay::halves);
    EXPECT_EQ(way(routine, 128, dynamic), DenseWay::halves);
    EXPECT_EQ(way(routine, 128, 128), DenseWay::halves);
    EXPECT_NE(way(routine, 127, dynamic), DenseWay::halves);
    EXPECT_NE(way(routine, 128, 127), DenseWay::halves);
  }
  for (const auto routine : {DenseRoutine::multiply, DenseRoutine::inverse}) {
    EXPECT_EQ(way(routine, dynamic, dynamic), DenseWay::halves);
    EXPECT_EQ(way(routine, 40, dynamic), DenseWay::halves);
    EXPECT_EQ(way(routine, 39, dynamic), DenseWay::memory);
    EXPECT_EQ(way(routine, 40, 39), DenseWay::memory);
  }
  EXPECT_EQ(way(DenseRoutine::qr, dynamic, dynamic), DenseWay::panels);
  EXPECT_EQ(way(DenseRoutine::qr, 24, 100), DenseWay::panels);
  EXPECT_EQ(way(DenseRoutine::qr, 23, 100), DenseWay::memory);
  of.one_column = true;
  EXPECT_EQ(way(DenseRoutine::solve, dynamic, dynamic), DenseWay::memory);
  of.packs = true;
  EXPECT_EQ(way(DenseRoutine::getrf, dynamic, dynamic), DenseWay::memory);
}

/// team_policy gives each problem the lanes that hold it.
TEST(Choose, TeamPolicy) {
  const auto lanes = [](DenseRoutine routine, bool one_column, bool interleaved) {
    return steps([&](int n) {
      return std::to_string(Impl::lanes_of_problem(routine, n, one_column, interleaved));
    });
  };
  for (const bool one_column : {false, true}) {
    EXPECT_EQ(lanes(DenseRoutine::lu, one_column, false), "1:2 5:4 9:8 17:16 25:32");
    EXPECT_EQ(lanes(DenseRoutine::lu, one_column, true), "1:1 5:2 9:4 15:8 17:16 25:32");
    EXPECT_EQ(lanes(DenseRoutine::triangle, one_column, false), "1:4 17:16 33:32");
    EXPECT_EQ(lanes(DenseRoutine::qr, one_column, false), "1:2 5:4 17:8 25:16");
    EXPECT_EQ(lanes(DenseRoutine::getrf, one_column, false), "1:2 5:4 17:16 25:32");
  }
  EXPECT_EQ(lanes(DenseRoutine::gesv, true, false), "1:2 5:4 17:16 21:32");
  // Several warps factor a large matrix.
  for (const auto routine :
       {DenseRoutine::getrf, DenseRoutine::gesv, DenseRoutine::triangle, DenseRoutine::inverse}) {
    const auto of = [&](int n, bool interleaved) {
      return Impl::lanes_of_problem(routine, n, true, interleaved);
    };
    EXPECT_EQ(of(96, false), 32);
    EXPECT_EQ(of(97, false), 64);
    EXPECT_EQ(of(128, false), 64);
    EXPECT_EQ(of(129, false), 128);
    EXPECT_LE(of(129, true), 32);
  }
  EXPECT_EQ(lanes(DenseRoutine::solve, true, false), "1:2 5:4 17:16");
  EXPECT_EQ(lanes(DenseRoutine::adjoint, true, false), "1:2 5:4 17:16");
  EXPECT_EQ(lanes(DenseRoutine::factors, true, false), "1:2 5:4 17:8 25:16");
  for (const auto routine : {DenseRoutine::solve, DenseRoutine::adjoint, DenseRoutine::factors}) {
    EXPECT_EQ(lanes(routine, true, true), "1:1 5:2 9:4 17:16");
    EXPECT_EQ(lanes(routine, false, false), "1:2 5:4 9:8 17:16 25:32");
  }
}

}  // namespace
}  // namespace KokkosContract::Test
