// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That the emulated GPU notices what is missing: of routines in a GPU's lanes each barrier, each
// wait for copies and each shuffle is left out once, in all lanes, and every time something must be
// wrong. What is not missed is listed with its reason.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <KokkosContract.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "EmulatedDevice.hpp"

namespace KokkosContract::Test {
namespace {

using Member = EmulatedMember<32>;
using Kokkos::LayoutRight;
template <class Data>
using View = Kokkos::View<Data, LayoutRight, Kokkos::HostSpace>;

const char* name(Meeting kind) {
  if (kind == Meeting::shuffle) return "shuffles";
  if (kind == Meeting::warp_barrier) return "barriers of the warp";
  return kind == Meeting::block_barrier ? "barriers of the block" : "waits for copies";
}

/// A routine, and the memory of its operands.
class Routine {
 public:
  Routine(int threads, int lanes) : threads_(threads), lanes_(lanes) {}

  /// Random elements; a square matrix is dominated by its diagonal, symmetric and therefore
  /// positive definite.
  template <class Data, class... Extents>
  View<Data> input(Extents... extents) {
    return operand<Data>(false, extents...);
  }
  template <class Data, class... Extents>
  View<Data> output(Extents... extents) {
    return operand<Data>(true, extents...);
  }

  std::function<int(const Member&)> call;
  std::size_t scratch = 0;
  /// Addresses are read from scratch memory.
  bool may_crash = false;

  /// `superfluous` has the number of collectives of each kind that may be missing, one at a time,
  /// without a wrong result.
  void check(std::map<Meeting, int> superfluous = {});

 private:
  struct Operand {
    char* data;
    std::size_t bytes;
    bool is_output;
    std::vector<char> before, after;
  };
  struct Omission {
    Meeting kind;
    int number;
  };

  template <class Data, class... Extents>
  View<Data> operand(bool is_output, Extents... extents);
  bool runs_as_before(LaneOrder order, bool looks, const Omission* omission);
  bool survives(LaneOrder order, bool looks, const Omission& omission);
  bool shows(const Omission& omission);

  int threads_, lanes_, code_ = 0;
  std::vector<Operand> operands_;
  std::map<Meeting, int> count_;
};

template <class Data, class... Extents>
View<Data> Routine::operand(bool is_output, Extents... extents) {
  const View<Data> view("operand", extents...);
  static std::mt19937 random(1);
  using T = typename View<Data>::non_const_value_type;
  T* const x = view.data();
  for (std::size_t i = 0; i < view.span(); ++i) {
    x[i] = static_cast<T>(static_cast<double>(random()) / 4294967296. - .5);
  }
  constexpr int rank = static_cast<int>(View<Data>::rank());
  if constexpr (rank >= 2 && std::is_floating_point_v<T>) {
    const int n = view.extent_int(rank - 1);
    for (T* a = x; n == view.extent_int(rank - 2) && a < x + view.span(); a += n * n) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
        a[i * n + i] += n;
      }
    }
  }
  operands_.push_back({reinterpret_cast<char*>(x), view.span() * sizeof(T), is_output, {}, {}});
  return view;
}

/// Whether codes and results are those of the first run, in which nothing was left out. Each lane
/// looks at the results when its call returns, and then overwrites what the others need no more:
/// the inputs; or, if it does not look, everything.
bool Routine::runs_as_before(LaneOrder order, bool looks, const Omission* omission) {
  for (const Operand& o : operands_) std::memcpy(o.data, o.before.data(), o.bytes);
  EmulatedBlock block(threads_, lanes_, scratch, order);
  if (omission != nullptr) block.leave_out(omission->kind, omission->number);
  const bool is_first = count_.empty();
  bool same = true;
  const std::string fault = block.run([&] {
    const int code = call(Member(block, 0, 1));
    if (is_first) {
      code_ = code;
      return;
    }
    same = same && code == code_;
    for (const Operand& o : operands_) {
      if (o.is_output && looks) {
        same = same && std::memcmp(o.data, o.after.data(), o.bytes) == 0;
      } else {
        std::memset(o.data, 0, o.bytes);
      }
    }
  });
  if (omission == nullptr) {
    EXPECT_EQ(fault, "");
  }
  if (is_first) {
    for (Operand& o : operands_) o.after.assign(o.data, o.data + o.bytes);
    for (const Meeting kind : {Meeting::block_barrier, Meeting::warp_barrier, Meeting::shuffle,
                               Meeting::wait_for_copies}) {
      count_[kind] = block.count(kind);
    }
  }
  return same && fault.empty();
}

bool Routine::shows(const Omission& omission) {
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    for (const bool looks : {true, false}) {
      if (!(may_crash ? survives(order, looks, omission)
                      : runs_as_before(order, looks, &omission))) {
        return true;
      }
    }
  }
  return false;
}

/// Runs in a process of its own.
bool Routine::survives(LaneOrder order, bool looks, const Omission& omission) {
  const pid_t child = fork();
  if (child == 0) _exit(runs_as_before(order, looks, &omission) ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void Routine::check(std::map<Meeting, int> superfluous) {
  for (Operand& o : operands_) o.before.assign(o.data, o.data + o.bytes);
  (void)runs_as_before(LaneOrder::forward, true, nullptr);
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
    EXPECT_TRUE(runs_as_before(order, true, nullptr));
    EXPECT_TRUE(runs_as_before(order, false, nullptr));
  }
  for (const auto& [kind, count] : count_) {
    EXPECT_GE(count, 0) << "some lanes have come to more " << name(kind) << " than others";
    int missed = 0;
    std::string numbers;
    for (int number = 0; number < count; ++number) {
      if (shows({kind, number})) continue;
      ++missed;
      numbers += " " + std::to_string(number);
    }
    EXPECT_EQ(missed, superfluous[kind])
        << "of " << count << " " << name(kind) << " nobody misses" << numbers;
  }
}

using N = Trans::NoTranspose;

/// Takes away what dominates, so that factorisations interchange rows.
void even(const View<double***>& a) {
  for (int z = 0; z < a.extent_int(0); ++z) {
    for (int i = 0; i < a.extent_int(1); ++i) a(z, i, i) -= a.extent_int(1);
  }
}
/// The last matrix ends in (1 1; 1 x), of which the others are no part. With x = 0, the last pivot
/// is zero until the last step; with x = 2, it is if these two are factored twice.
void end_in(const View<double***>& a, double x) {
  const int z = a.extent_int(0) - 1;
  const int last = a.extent_int(1) - 1;
  for (int i = 0; i < last - 1; ++i) {
    for (int j = last - 1; j <= last; ++j) a(z, i, j) = a(z, j, i) = 0;
  }
  a(z, last - 1, last - 1) = a(z, last - 1, last) = a(z, last, last - 1) = 1;
  a(z, last, last) = x;
}

TEST(Mutation, LUByRows) {
  Routine r(32, 1);
  const auto a = r.output<double***>(2, 9, 9);
  end_in(a, 0);
  r.call = [=](const Member& m) { return TeamLU<Member>::invoke(m, a, 1e-3); };
  // Who does a problem's last step looks at its pivots, too; then there is a barrier.
  r.check({{Meeting::block_barrier, 1}});
}
TEST(Mutation, LUInBlocks) {
  Routine r(4, 8);
  const auto a = r.output<double***>(1, 40, 40);
  end_in(a, 2);
  r.call = [=](const Member& m) { return TeamVectorLU<Member>::invoke(m, a); };
  r.check();
}
TEST(Mutation, LUInLanes) {
  Routine r(4, 8);
  const auto a = r.output<double* [8][8]>(9);
  r.call = [=](const Member& m) { return TeamVectorLU<Member>::invoke(m, a); };
  // Every second column of a lane's pieces is done when it is passed on, and the last pivot divides
  // nothing.
  // The lanes meet in shuffles; that these order no accesses to memory, the thread sanitizer knows.
  r.check({{Meeting::shuffle, 10}, {Meeting::warp_barrier, 2}});
}
TEST(Mutation, LUOfThread) {
  Routine r(1, 8);
  const auto a = r.output<double***>(2, 9, 9);
  end_in(a, 0);
  r.call = [=](const Member& m) { return VectorLU<Member>::invoke(m, a); };
  // Who does a problem's last step looks at its pivots, too; then there is a barrier.
  // Behind that one is a ballot, as behind the shuffles of LUInLanes.
  r.check({{Meeting::warp_barrier, 2}});
}
TEST(Mutation, TrsmByRows) {
  Routine r(32, 1);
  const auto a = r.input<double**>(9, 9);
  const auto b = r.output<double**>(9, 3);
  r.call = [=](const Member& m) {
    return TeamTrsm<Member, Side::Left, Uplo::Lower, N, Diag::NonUnit>::invoke(m, 2.0, a, b);
  };
  r.check();
}
TEST(Mutation, TrsmInBlocks) {
  Routine r(4, 8);
  const auto a = r.input<double**>(40, 40);
  const auto b = r.output<double**>(40, 3);
  r.call = [=](const Member& m) {
    return TeamVectorTrsm<Member, Side::Left, Uplo::Upper, N, Diag::NonUnit>::invoke(m, 2.0, a, b);
  };
  r.check();
}
TEST(Mutation, StagedProduct) {
  Routine r(4, 8);
  const auto a = r.input<double[10][6]>();
  const auto b = r.input<double[6][10]>();
  const auto c = r.output<double[10][10]>();
  r.call = [=](const Member& m) {
    return TeamVectorGemm<Member, N, N>::invoke(m, 1.5, a, b, 1.0, c);
  };
  r.check();
}
TEST(Mutation, StagedProductOfThread) {
  Routine r(1, 8);
  const auto a = r.input<double[10][6]>();
  const auto b = r.input<double[6][10]>();
  const auto c = r.output<double[10][10]>();
  r.call = [=](const Member& m) {
    return VectorContract<"ik,kj->ij">::invoke(m, 1.0, a, b, 0.0, c);
  };
  r.check();
}
TEST(Mutation, ProductOfWarps) {
  Routine r(2, 32);
  const auto a = r.input<double[16][8]>();
  const auto b = r.input<double[8][16]>();
  const auto c = r.output<double[16][16]>();
  r.call = [=](const Member& m) {
    return TeamVectorGemm<Member, N, N>::invoke(m, 1.0, a, b, 0.0, c);
  };
  // Without it the lanes of a warp may be at different points of the program, which is only slow.
  r.check({{Meeting::warp_barrier, 1}});
}
// A tile of a large contraction, as `contract` launches it: 5 slices, 3 in flight.
TEST(Mutation, LargeProduct) {
  constexpr Impl::Parsed parsed = Impl::Parse<"ik,kj->ij">::value;
  constexpr auto x = Impl::SliceKind::by_terms;
  constexpr auto y = Impl::SliceKind::by_positions;
  using Kernel =
      Impl::Large::KernelOf<Impl::TeamLevel<Member>, Impl::BlockTypes<double>, 0, true, false>;
  Routine r(Kernel::Tile::worker_count, 1);
  const auto A = r.input<double**>(128, 40);
  const auto B = r.input<double**>(40, 64);
  const auto C = r.output<double**>(128, 64);
  r.scratch = Kernel::scratch_bytes;
  r.may_crash = true;
  const auto dims = [](const auto& view) { return Impl::dims_at_run_time(Impl::as_operand(view)); };
  const auto run = [&](const auto& product, int splits, auto shape, auto x_by_terms,
                       auto y_by_terms) {
    if constexpr (shape == 0 && x_by_terms && !y_by_terms) {
      r.call = [kernel = Kernel(product, splits)](const Member& member) {
        kernel(typename Kernel::Multiply{}, member);
        member.team_barrier();  // the end of a kernel
        return 0;
      };
    }
  };
  const Impl::LargeCall<Impl::BlockTypes<double>> call{parsed,  1., A.data(), dims(A), B.data(),
                                                       dims(B), 0., C.data(), dims(C)};
  const Impl::Large::Plan plan = Impl::Large::plan_of(1, call, x, y, true);
  ASSERT_TRUE(plan.wanted);
  Impl::Large::run_planned<x, y>(call, plan, run);
  ASSERT_TRUE(r.call);
  // Behind the last slice nothing is copied or read any more, and there are two barriers.
  r.check({{Meeting::block_barrier, 2}, {Meeting::wait_for_copies, 2}});
}

// Two layouts, with a relayout through scratch memory between them, and slices that are multiplied
// by alpha there.
TEST(Mutation, Tile) {
  using Tile = TeamTile<double, "kba", Shape<8, 32, 16>, Member>;
  Routine r(Tile::workers(), 1);
  const auto A = r.input<double***>(64, 32, 40);
  const auto B = r.input<double**>(16, 40);
  const auto D = r.input<double**>(64, 40);
  const auto E = r.input<double***>(16, 32, 40);
  const auto C = r.output<double***>(16, 64, 32);
  r.scratch = Tile::scratch_bytes<"baz,kz->kba", "bz,kaz->kba">(A, B, D, E);
  r.may_crash = true;
  r.call = [=](const Member& m) {
    Tile t(m, m.team_scratch(0), {8, 32, 16}, {16, 64, 32});
    const int code = t.accumulate<"baz,kz->kba", "bz,kaz->kba">(1., A, B, -2., D, E);
    return code + t.store(1., 0., C);
  };
  // Nobody has used the memory before; and behind the last slice of a layout, as above. Where a
  // lane does not know that both inputs may be copied in the quick way, they are in another one.
  r.check({{Meeting::block_barrier, 5}, {Meeting::wait_for_copies, 4}, {Meeting::warp_barrier, 1}});
}

TEST(Mutation, Chain) {
  Routine r(4, 8);
  const auto a = r.input<double**>(5, 6);
  const auto b = r.input<double**>(6, 7);
  const auto v = r.input<double***>(4, 5, 7);
  const auto u = r.output<double**>(4, 5);
  using Contraction = TeamVectorContract<"ij,jk,lik->li">;
  r.scratch = Contraction::scratch_bytes(a, b, v, u);
  r.call = [=](const Member& m) {
    return Contraction::invoke(m, m.team_scratch(0), 1.0, a, b, v, 0.0, u);
  };
  r.check();
}
TEST(Mutation, PotrfByWarps) {
  Routine r(2, 32);
  const auto a = r.output<double***>(1, 40, 40);
  r.call = [=](const Member& m) { return TeamVectorPotrf<Member, Uplo::Lower>::invoke(m, a); };
  // Whoever comes late to the last square has nothing to do with it. Of the two barriers at the end
  // one is enough.
  r.check({{Meeting::block_barrier, 3}});
}
TEST(Mutation, Reshape) {
  Routine r(4, 8);
  const auto a = r.input<double**>(5, 9);
  const auto b = r.output<double**>(9, 5);
  r.call = [=](const Member& m) { return TeamVectorReshape<"ij->ji">::invoke(m, a, b); };
  r.check();
}
TEST(Mutation, Getrf) {
  Routine r(24, 1);  // no whole warp
  const auto a = r.output<double***>(24, 9, 9);
  const auto pivots = r.output<int**>(24, 9);
  even(a);
  end_in(a, 0);
  r.call = [=](const Member& m) { return TeamGetrf<Member>::invoke(m, a, pivots); };
  // Who does a problem's last step looks at its pivots, too; then there is a barrier.
  r.check({{Meeting::block_barrier, 1}});
}
TEST(Mutation, GetrfInLanes) {
  Routine r(4, 8);
  const auto a = r.output<double* [8][8]>(9);
  const auto pivots = r.output<int* [8]>(9);
  r.call = [=](const Member& m) { return TeamVectorGetrf<Member>::invoke(m, a, pivots); };
  // The last pivot divides nothing.
  // The lanes meet in shuffles; that these order no accesses to memory, the thread sanitizer knows.
  r.check({{Meeting::shuffle, 2}, {Meeting::warp_barrier, 2}});
}
TEST(Mutation, Gesv) {
  Routine r(3, 8);  // no whole warp
  const auto a = r.output<double***>(24, 9, 9);
  const auto b = r.output<double***>(24, 9, 3);
  const auto pivots = r.output<int**>(24, 9);
  even(a);
  end_in(a, 0);
  r.call = [=](const Member& m) { return TeamVectorGesv<Member>::invoke(m, a, pivots, b); };
  // A worker has the same columns in the interchanges and in both solves.
  // And that of Getrf.
  r.check({{Meeting::block_barrier, 3}});
}
TEST(Mutation, Potrf) {
  Routine r(24, 1);  // no whole warp
  const auto a = r.output<double**>(9, 9);
  r.call = [=](const Member& m) { return TeamPotrf<Member, Uplo::Lower>::invoke(m, a); };
  // Whoever looks for elements that are not positive takes their roots as well.
  r.check({{Meeting::block_barrier, 1}});
}
TEST(Mutation, PotrfInLanes) {
  Routine r(4, 8);
  const auto a = r.output<double* [8][8]>(9);
  r.call = [=](const Member& m) { return TeamVectorPotrf<Member, Uplo::Upper>::invoke(m, a); };
  // The last pivot divides nothing.
  // As of LU.
  r.check({{Meeting::shuffle, 2}, {Meeting::warp_barrier, 2}});
}
TEST(Mutation, QR) {
  Routine r(32, 1);
  const auto a = r.output<double**>(9, 6);
  const auto tau = r.output<double*>(6);
  r.call = [=](const Member& m) { return TeamGeqrf<Member>::invoke(m, a, tau); };
  r.check();
}
TEST(Mutation, QRInLanes) {
  Routine r(4, 8);
  const auto a = r.output<double[8][8]>();
  const auto tau = r.output<double[8]>();
  r.call = [=](const Member& m) { return TeamVectorGeqrf<Member>::invoke(m, a, tau); };
  // The last reflector has nothing to reflect.
  // The lanes meet in shuffles; that these order no accesses to memory, the thread sanitizer knows.
  r.check({{Meeting::shuffle, 1}, {Meeting::warp_barrier, 1}});
}
TEST(Mutation, Gels) {
  Routine r(4, 8);
  const auto a = r.output<double**>(9, 6);
  const auto tau = r.output<double*>(6);
  const auto b = r.output<double**>(9, 2);
  r.call = [=](const Member& m) { return TeamVectorGels<Member>::invoke(m, a, tau, b); };
  // Where zeros are looked for on R's diagonal, a barrier before and one behind stand for each
  // other.
  r.check({{Meeting::block_barrier, 2}});
}

}  // namespace
}  // namespace KokkosContract::Test
