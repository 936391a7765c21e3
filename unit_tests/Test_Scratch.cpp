// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosContract/Contract.hpp>
#include <KokkosContract/LU.hpp>
#include <KokkosContract/Reshape.hpp>
#include <KokkosContract/Scratch.hpp>
#include <KokkosContract/Set.hpp>
#include <KokkosContract/SolveLU.hpp>
#include <KokkosContract/Trsv.hpp>
#include <bit>
#include <cmath>

namespace KokkosContract::Test {
namespace {

using Member = Kokkos::TeamPolicy<>::member_type;
using Impl::bank_conflicts, Impl::store_conflicts, Impl::all_conflicts, Impl::LaneGrid,
    Impl::Spacing;

// Sixteen lanes with doubles are served at a time: four groups of 2 x 2.
static_assert(bank_conflicts(LaneGrid{2, 2}, Spacing{8, 64}, 16) == 4);
static_assert(bank_conflicts(LaneGrid{2, 2}, Spacing{8, 66}, 16) == 1);
static_assert(bank_conflicts(LaneGrid{4, 4}, Spacing{16, 256}, 16) == 4);
static_assert(bank_conflicts(LaneGrid{4, 4}, Spacing{20, 320}, 16) == 1);
// Four rows of four sums.
static_assert(store_conflicts(8, 16, false) == 2 && store_conflicts(8, 16, true) == 1);
static_assert(store_conflicts(12, 16, false) == 1 && store_conflicts(16, 16, false) == 4);

template <class T, int M, int N>
void check_spacing() {
  constexpr Spacing host = Impl::spacing_of<T, M, N, false>();
  static_assert(host.row == N && host.matrix == M * N);
  constexpr Spacing gpu = Impl::spacing_of<T, M, N, true>();
  static_assert(gpu.row >= N && gpu.matrix >= M * gpu.row);
  constexpr int banks = 128 / static_cast<int>(sizeof(T));
  constexpr LaneGrid grid = Impl::scratch_grid<(M > N ? M : N)>();
  static_assert(all_conflicts(grid, gpu, banks) <= all_conflicts(grid, host, banks));
  // What is asked for without a space is enough everywhere.
  using Host = Kokkos::DefaultHostExecutionSpace;
  static_assert(scratch_matrices_bytes<T, M, N>(3) >= scratch_matrices_bytes<T, M, N, Host>(3));
}

TEST(Scratch, Spacing) {
  check_spacing<double, 8, 8>();
  check_spacing<double, 16, 16>();
  check_spacing<double, 5, 7>();
  check_spacing<float, 12, 12>();
  check_spacing<Kokkos::complex<double>, 8, 8>();
}

/// Each element gets a number of its own and keeps it.
template <class T, int M, int N>
int wrong_elements(int count) {
  const int bytes = scratch_matrices_bytes<T, M, N>(count);
  int wrong = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(3, Kokkos::AUTO).set_scratch_size(0, Kokkos::PerTeam(2 * bytes)),
      KOKKOS_LAMBDA(const Member& team, int& sum) {
        const auto a = scratch_matrices<T, M, N>(team.team_scratch(0), count);
        const auto b = scratch_matrices<T, M, N>(team.team_scratch(0), count);
        const auto for_all = [&](const auto& f) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count * M), [&](int t) {
            for (int j = 0; j < N; ++j) f(t / M, t % M, j, T(t * N + j));
          });
          team.team_barrier();
        };
        for_all([&](int z, int i, int j, T value) { a(z, i, j) = value; });
        for_all([&](int z, int i, int j, T value) { b(z, i, j) = value + T(1); });
        int different = 0;
        for_all([&](int z, int i, int j, T value) {
          different += a(z, i, j) != value || b(z, i, j) != value + T(1);
        });
        const bool shape = a.extent(0) == count && a.extent(1) == M && a.extent(2) == N &&
                           a.stride(2) == 1 && a.static_extent(1) == M;
        sum += different + (shape ? 0 : 1);
      },
      wrong);
  return wrong;
}

TEST(Scratch, Vectors) {
  static_assert(scratch_vectors_bytes<double, 8>(10) >= 10 * 8 * 8);
  static_assert(Impl::ScratchVectors<double, 8>::spacing == 9);
}

TEST(Scratch, MatricesAreApart) {
  EXPECT_EQ((wrong_elements<double, 8, 8>(7)), 0);
  EXPECT_EQ((wrong_elements<double, 3, 5>(4)), 0);
  EXPECT_EQ((wrong_elements<float, 12, 12>(2)), 0);
  EXPECT_EQ((wrong_elements<double, 16, 16>(0)), 0);
}

/// No two elements of a tensor are at one place, and each has room.
template <class T, bool Gpu, int... N>
void check_array() {
  constexpr Impl::LineArray array = Impl::tensor_array<T, Gpu, N...>();
  constexpr int rank = 1 + static_cast<int>(sizeof...(N));
  const int extents[] = {2, N...};
  EXPECT_EQ(array.stride[rank - 1], 1);
  std::ptrdiff_t span = 1;
  for (int p = rank - 1; p >= 0; --p) {
    EXPECT_GE(array.stride[p], span);
    span = array.stride[p] * extents[p];
  }
  EXPECT_GE(array.size, array.stride[0]);
  EXPECT_GE((Impl::ScratchTensors<T, Gpu, N...>::bytes(3)),
            3 * array.size * static_cast<int>(sizeof(T)));
}
template <class T, int... N>
void check_tensors() {
  check_array<T, false, N...>();
  check_array<T, true, N...>();
  using Host = Kokkos::DefaultHostExecutionSpace;
  EXPECT_GE((scratch_tensors_bytes<T, N...>(3)), (scratch_tensors_bytes<T, Host, N...>(3)));
}
int wrong_tensor_elements() {
  int wrong = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamPolicy<>(2, 1).set_scratch_size(
          0, Kokkos::PerTeam(scratch_tensors_bytes<double, 3, 5, 4>(6))),
      KOKKOS_LAMBDA(const Member& team, int& sum) {
        const auto a = scratch_tensors<double, 3, 5, 4>(team.team_scratch(0), 6);
        int different = a.extent(0) != 6 || a.extent(1) != 3 || a.static_extent(3) != 4;
        for (int pass = 0; pass < 2; ++pass) {
          for (int i = 0; i < 6 * 3 * 5 * 4; ++i) {
            double& x = a(i / 60, i / 20 % 3, i / 4 % 5, i % 4);
            if (pass == 0) x = i;
            different += x != i;
          }
        }
        sum += different;
      },
      wrong);
  return wrong;
}
TEST(Scratch, Tensors) {
  check_tensors<double, 4, 4, 4>();
  check_tensors<double, 10, 10, 10>();
  check_tensors<float, 5, 6>();
  check_tensors<Kokkos::complex<double>, 3, 4, 5, 2>();
  EXPECT_EQ(wrong_tensor_elements(), 0);
}

/// A^3 by way of scratch memory, against plain sums.
int wrong_cubes(int count) {
  constexpr int n = 6;
  const Kokkos::View<double* [n][n]> a("a", count), b("b", count);
  Kokkos::parallel_for(
      count, KOKKOS_LAMBDA(int z) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) a(z, i, j) = (z + 1) * (i == j ? 2 : 0) + (i < j ? 1 : 0);
        }
      });
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(scratch_matrices_bytes<double, n, n>(count))),
      KOKKOS_LAMBDA(const Member& team) {
        const auto c = scratch_matrices<double, n, n>(team.team_scratch(0), count);
        require_success(TeamContract<"bik,bkj->bij">::invoke(team, 1.0, a, a, 0.0, c));
        require_success(TeamContract<"bik,bkj->bij">::invoke(team, 1.0, c, a, 0.0, b));
      });
  int wrong = 0;
  Kokkos::parallel_reduce(
      count,
      KOKKOS_LAMBDA(int z, int& sum) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            double cube = 0;
            for (int k = 0; k < n; ++k) {
              for (int l = 0; l < n; ++l) cube += a(z, i, k) * a(z, k, l) * a(z, l, j);
            }
            sum += cube != b(z, i, j);
          }
        }
      },
      wrong);
  return wrong;
}

TEST(Scratch, IsAnOperand) { EXPECT_EQ(wrong_cubes(5), 0); }

template <class T, int N>
struct Systems {
  Kokkos::View<T* [N][N]> a, b;
  Kokkos::View<T* [N]> f;                         // right-hand sides
  Kokkos::View<T* [N]> by_two, by_one, in_place;  // solutions found in three ways
  Kokkos::View<int*> info;
  Kokkos::View<int> code;
  int count;
  static constexpr int singular = 1;
  // A problem whose pivots have no reciprocal that is a normal number.
  static constexpr int extreme = std::is_same_v<T, double> ? 2 : -1;
  static constexpr int size_of_extreme = 1023 - std::bit_width(16U * N * N - 1);
  static constexpr int size_of_its_side = 1000;

  explicit Systems(int problems)
      : a("a", problems),
        b("b", problems),
        f("f", problems),
        by_two("by two", problems),
        by_one("by one", problems),
        in_place("in place", problems),
        info("info", problems),
        code("code"),
        count(problems) {}

  KOKKOS_FUNCTION static T power_of_two(int exponent) {
    if constexpr (std::is_same_v<T, double>) {
      return std::ldexp(1.0, exponent);
    } else {
      return T(1);
    }
  }

  /// Diagonally dominant but for one problem, whose first row is zero.
  KOKKOS_FUNCTION void operator()(int z) const {
    const T scale = z == extreme ? power_of_two(size_of_extreme) : T(1);
    const T scale_of_side = z == extreme ? power_of_two(size_of_its_side) : T(1);
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        a(z, i, j) = scale * T(i == j ? 4 * N : (7 * i + 3 * j + z) % 5 - 2);
        b(z, i, j) = T(i == j ? 4 * N : (5 * i + 2 * j + z) % 7 - 3);
        if (z == singular && i == 0) a(z, i, j) = T(0);
      }
      f(z, i) = scale_of_side * T((i + 2 * z) % 9 - 4);
      in_place(z, i) = f(z, i);
    }
    info(z) = -7;
  }

  /// a b x = f by C = a b, C = L U, where C is in scratch memory, then L (U x) = f: with the
  /// vectors there, too, by two solves and by one, and by one with those in global memory.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    using None = Trans::NoTranspose;
    const auto c = scratch_matrices<T, N, N>(team.team_scratch(0), count);
    const auto v = scratch_vectors<T, N>(team.team_scratch(0), count);
    require_success(TeamContract<"bik,bkj->bij">::invoke(team, T(1), a, b, T(0), c));
    const int found = TeamLU<Member>::invoke(team, c, info);
    require_success(TeamReshape<"bi->bi">::invoke(team, f, v));
    require_success(TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>::invoke(team, T(1), c, v));
    require_success(TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>::invoke(team, T(1), c, v));
    require_success(TeamReshape<"bi->bi">::invoke(team, v, by_two));
    require_success(TeamReshape<"bi->bi">::invoke(team, f, v));
    require_success(TeamSolveLU<Member, None>::invoke(team, c, v));
    require_success(TeamReshape<"bi->bi">::invoke(team, v, by_one));
    require_success(TeamSolveLU<Member, None>::invoke(team, c, in_place));
    Kokkos::single(Kokkos::PerTeam(team), [&] { code() = found; });
  }

  int launch(int team_size) const {
    Kokkos::parallel_for(Kokkos::RangePolicy<>(0, count), *this);
    const int bytes = scratch_matrices_bytes<T, N, N>(count) + scratch_vectors_bytes<T, N>(count);
    Kokkos::parallel_for(
        Kokkos::TeamPolicy<>(1, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes)), *this);
    int result = 0;
    Kokkos::deep_copy(result, code);
    return result;
  }

  /// Rows of a b x that are not f, and infos that are wrong.
  int faults() const { return faults_of(by_two) + faults_of(by_one) + faults_of(in_place); }
  int faults_of(const Kokkos::View<T* [N]>& solution) const {
    int result = 0;
    const Systems s = *this;
    const Kokkos::View<T* [N]> v = solution;
    Kokkos::parallel_reduce(
        count,
        KOKKOS_LAMBDA(int z, int& sum) {
          sum += s.info(z) != (z == singular ? 1 : 0);
          for (int i = 0; z != singular && i < N; ++i) {
            const T by_side = z == extreme ? power_of_two(-size_of_its_side) : T(1);
            T residual = -(by_side * s.f(z, i));
            for (int k = 0; k < N; ++k) {
              T y(0);
              for (int l = 0; l < N; ++l) y += s.b(z, k, l) * v(z, l);
              residual += s.a(z, i, k) * (by_side * y);
            }
            using R = decltype(Kokkos::abs(residual));
            sum += !(Kokkos::abs(residual) < 100 * N * Kokkos::Experimental::epsilon_v<R>);
          }
        },
        result);
    return result;
  }
};

template <class T, int... N>
void check_pipelines(std::integer_sequence<int, N...>) {
  const auto check = [](const auto& systems, int n) {
    SCOPED_TRACE(n);
    const bool on_host =
        Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, Kokkos::HostSpace>::accessible;
    for (const int team_size : {32, 64, 40}) {
      EXPECT_EQ(systems.launch(on_host ? 1 : team_size), 1);
      EXPECT_EQ(systems.faults(), 0);
      if (on_host) return;
    }
  };
  (check(Systems<T, N>(N <= 16 ? 6 : 3), N), ...);
}

// On a GPU small matrices in scratch memory are factored and solved by threads, others by lanes of
// a warp, and products are by whole warps.
TEST(Scratch, Pipeline) {
  check_pipelines<double>(std::integer_sequence<int, 3, 4, 5, 8, 12, 13, 16, 24, 32>{});
}
TEST(Scratch, PipelineOfOtherTypes) {
  check_pipelines<float>(std::integer_sequence<int, 8, 16>{});
  check_pipelines<Kokkos::complex<double>>(std::integer_sequence<int, 5, 13>{});
}

// Outside of the test: nvcc loses types that are local to it.
using EightByEight = Impl::ScratchMatrices<double, 8, 8, true>;
using Matrices = typename EightByEight::type;
using SliceOfMatrices = std::remove_const_t<decltype(slice(std::declval<const Matrices&>(), 1))>;
static_assert(SliceOfMatrices::rank == 2 && Impl::is_static(SliceOfMatrices::shape) &&
              Impl::is_in_scratch<SliceOfMatrices>);

/// A slice is where its entry lies, with what the compiler knows of the whole.
TEST(Slice, IsAnEntry) {
  alignas(64) double memory[3 * 9 * 16];
  const int extents[] = {3, 8, 8};
  const std::ptrdiff_t strides[] = {EightByEight::spacing.matrix, EightByEight::spacing.row, 1};
  const Matrices whole(memory, extents, strides);
  const SliceOfMatrices second = slice(whole, 1);
  EXPECT_EQ(&second(2, 3), &whole(1, 2, 3));
  EXPECT_EQ(SerialSetIdentity::invoke(second), 0);
  EXPECT_EQ(whole(1, 7, 7), 1);

  const Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::HostSpace> view("view", 4, 3, 2);
  EXPECT_EQ(&slice(view, 2)(1, 1), &view(2, 1, 1));
  EXPECT_EQ(&slice(slice(slice(view, 3), 2), 1)(), &view(3, 2, 1));
}

}  // namespace
}  // namespace KokkosContract::Test
