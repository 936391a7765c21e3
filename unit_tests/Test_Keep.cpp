// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediates of a contraction that are kept for other calls, and results that take the place of
// an input.
#include <gtest/gtest.h>

#include "NaryOp.hpp"

namespace KokkosContract::Test {
namespace {

// --- Scratch memory of each level, for tensors and calls that share it ---

[[maybe_unused]] KOKKOS_FUNCTION char* memory_of(const SerialCaller&, char* own) { return own; }
template <class Member>
KOKKOS_FUNCTION char* memory_of(const VectorCaller<Member>& caller, char*) {
  auto scratch = caller.member.thread_scratch(0);
  return static_cast<char*>(scratch.get_shmem_aligned(enough - 64, 64));
}
template <template <class> class Caller, class Member>
KOKKOS_FUNCTION char* memory_of(const Caller<Member>& caller, char*) {
  auto scratch = caller.member.team_scratch(0);
  return static_cast<char*>(scratch.get_shmem_aligned(enough - 64, 64));
}
inline char* memory_of(const ThreadLevel& level, char*) { return level.scratch().data(); }

template <class T, int M, int N>
struct Points {
  using Tensor = Strided<T, std::integer_sequence<std::ptrdiff_t, dynamic, M, N>,
                         std::integer_sequence<std::ptrdiff_t, M * N, N, 1>>;
  static KOKKOS_FUNCTION Tensor at(char* memory, int elements) {
    const int extents[] = {elements, M, N};
    const std::ptrdiff_t strides[] = {M * N, N, 1};
    return Tensor(reinterpret_cast<T*>(memory), extents, strides);
  }
};
inline constexpr std::size_t part = 1536;

// --- keep ---

/// What is kept, after a call whose result is another.
template <class T, int Nq, bool Transposed = false>
struct Kept {
  static constexpr bool barriers_cover_each_other = true;
  template <class Caller, class V, class B, class C, class U>
  KOKKOS_FUNCTION static int call(const Caller& caller, const T& alpha, const V& v, const B& b,
                                  const C& c, const T& beta, const U& u) {
    alignas(64) char own[enough];
    char* const memory = memory_of(caller, own);
    const int elements = static_cast<int>(v.extent(0));
    const auto kept = Points<T, Nq, Nq>::at(memory, elements);
    const auto other = Points<T, Nq, Nq>::at(memory + part, elements);
    const Scratch scratch{memory + 2 * part, enough - 2 * part - 64};
    Tile<T, Nq, Nq> g;
    for (int i = 0; i < Nq; ++i) {
      for (int k = 0; k < Nq; ++k) g(i, k) = T(i - 2 * k + 1);
    }
    const auto tb = tile_of(b);
    const auto tc = tile_of(c);
    int code = 0;
    if constexpr (Transposed) {
      code = ContractOp<"eab,yb,xa,px->epy">::call(caller, scratch, T(1), v, tb, tc,
                                                   keep<"eyx">(kept), g, T(0), other);
    } else {
      code = ContractOp<"eab,yb,xa,px->epy">::call(caller, scratch, T(1), v, tb, tc,
                                                   keep<"exy">(kept), g, T(0), other);
    }
    if (code != 0) return code;
    return ContractOp < Transposed ? Spec("eyx->exy")
                                   : Spec("exy->exy") > ::call(caller, alpha, kept, beta, u);
  }
};

/// The result of such a call.
template <class T, int Nq>
struct BehindKept {
  static constexpr bool barriers_cover_each_other = true;
  template <class Caller, class V, class B, class C, class G, class U>
  KOKKOS_FUNCTION static int call(const Caller& caller, const T& alpha, const V& v, const B& b,
                                  const C& c, const G& g, const T& beta, const U& u) {
    alignas(64) char own[enough];
    char* const memory = memory_of(caller, own);
    const auto kept = Points<T, Nq, Nq>::at(memory, static_cast<int>(v.extent(0)));
    const Scratch scratch{memory + part, enough - part - 64};
    return ContractOp<"eab,yb,xa,px->epy">::call(caller, scratch, alpha, v, tile_of(b), tile_of(c),
                                                 keep<"exy">(kept), tile_of(g), beta, u);
  }
};

template <class Level, class T, int Nd, int Nq>
struct Types {
  using Memory = typename Level::space::memory_space;
  using V = Kokkos::View<const T* [Nd][Nd], Kokkos::LayoutRight, Memory, Unmanaged>;
  using B = Kokkos::View<const T[Nq][Nd], Kokkos::LayoutRight, Memory, Unmanaged>;
  using G = Kokkos::View<const T[Nq][Nq], Kokkos::LayoutRight, Memory, Unmanaged>;
  using Q = Kokkos::View<const T* [Nq][Nq], Kokkos::LayoutRight, Memory, Unmanaged>;
  using U = Kokkos::View<T* [Nq][Nq], Kokkos::LayoutRight, Memory, Unmanaged>;
};

template <class Level, class T, int Nd, int Nq, bool Transposed = false>
void check_kept(int elements) {
  using Ty = Types<Level, T, Nd, Nq>;
  Random random;
  check_operation<Level, Kept<T, Nq, Transposed>, typename Ty::U, typename Ty::V, typename Ty::B,
                  typename Ty::B>(random, "eab,yb,xa->exy",
                                  {{'e', elements}, {'a', Nd}, {'b', Nd}, {'x', Nq}, {'y', Nq}}, 3,
                                  scratch_for<Level>(enough));
}
template <class Level, class T, int Nd, int Nq>
void check_behind_kept(int elements) {
  using Ty = Types<Level, T, Nd, Nq>;
  Random random;
  check_operation<Level, BehindKept<T, Nq>, typename Ty::U, typename Ty::V, typename Ty::B,
                  typename Ty::B, typename Ty::G>(
      random, "eab,yb,xa,px->epy",
      {{'e', elements}, {'a', Nd}, {'b', Nd}, {'x', Nq}, {'y', Nq}, {'p', Nq}}, 3,
      scratch_for<Level>(enough));
}

template <class Level>
class Keep : public testing::Test {};
TYPED_TEST_SUITE(Keep, LaneLevels, LevelNames);

// As many lines as workers or fewer, and more.
TYPED_TEST(Keep, IsThere) {
  check_kept<TypeParam, double, 3, 4>(1);
  check_kept<TypeParam, double, 3, 4>(9);
  check_kept<TypeParam, float, 4, 3>(4);
}
TYPED_TEST(Keep, InAnotherOrder) { check_kept<TypeParam, double, 3, 4, true>(5); }
TYPED_TEST(Keep, GoesOn) {
  check_behind_kept<TypeParam, double, 3, 4>(2);
  check_behind_kept<TypeParam, double, 3, 4>(9);
  check_behind_kept<TypeParam, Kokkos::complex<double>, 2, 3>(4);
}

// --- A result in the place of the input ---

template <class T, int Nq>
struct InPlace {
  static constexpr bool barriers_cover_each_other = true;
  template <class Caller, class V, class G, class D, class H, class U>
  KOKKOS_FUNCTION static int call(const Caller& caller, const T& alpha, const V& v, const G& g,
                                  const D& d, const H& h, const T& beta, const U& u) {
    alignas(64) char own[enough];
    char* const memory = memory_of(caller, own);
    const auto tensor = Points<T, Nq, Nq>::at(memory, static_cast<int>(v.extent(0)));
    const Scratch scratch{memory + part, enough - part - 64};
    int code = ContractOp<"exy->exy">::call(caller, T(1), v, T(0), tensor);
    if (code != 0) return code;
    code = ContractOp<"emy,xm,xi->eiy">::call(caller, scratch, T(1), tensor, tile_of(g),
                                              pointwise<"exy">(TimesData<D>{d}), tile_of(h), T(0),
                                              tensor);
    if (code != 0) return code;
    return ContractOp<"exy->exy">::call(caller, alpha, tensor, beta, u);
  }
};

TYPED_TEST(Keep, ResultInPlaceOfInput) {
  using L = TypeParam;
  using Ty = Types<L, double, 4, 4>;
  for (const int elements : {1, 9}) {
    Random random;
    check_operation<L, InPlace<double, 4>, typename Ty::U, typename Ty::Q, typename Ty::G,
                    typename Ty::Q, typename Ty::G>(
        random, "emy,xm,exy,xi->eiy", {{'e', elements}, {'m', 4}, {'x', 4}, {'y', 4}, {'i', 4}}, 3,
        scratch_for<L>(enough));
  }
}

#ifndef KOKKOSCONTRACT_TEST_TSAN
// --- One thread, without scratch; two kept; extents that disagree ---

template <class T>
using Owned = Kokkos::View<T, Kokkos::LayoutRight, Serial::space>;

struct KeepTwo {
  Owned<double[3][5]> a;
  Owned<double[5][4]> b;
  Owned<double[4][2]> c;
  Owned<double[3][4]> ab;
  Owned<float[2][3]> abc;
  Owned<double[3]> sums;
  KOKKOS_FUNCTION void operator()(int) const {
    require_success(SerialContract<"ij,jk,k+l->i">::invoke(2., a, b, keep<"ik">(ab), c,
                                                           keep<"li">(abc), 0., sums));
  }
};

struct Disagree {
  Owned<double**> a, b, ab, sums;
  KOKKOS_FUNCTION void operator()(int, int& code) const {
    double memory[64];
    code += SerialContract<"ij,jk->ki">::invoke(Scratch{memory, sizeof(memory)}, 1., a, b,
                                                keep<"ik">(ab), 0., sums);
  }
};

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}
template <class View>
void fill(const View& view) {
  const auto host = Kokkos::create_mirror_view(view);
  for (int i = 0; i < view.extent_int(0); ++i) {
    for (int j = 0; j < view.extent_int(1); ++j) host(i, j) = (i * 3 + j * 5) % 7 * 0.25 - 1;
  }
  Kokkos::deep_copy(view, host);
}

TEST(KeepSerial, TwoWithoutScratch) {
  const KeepTwo all{Owned<double[3][5]>("a"),  Owned<double[5][4]>("b"),  Owned<double[4][2]>("c"),
                    Owned<double[3][4]>("ab"), Owned<float[2][3]>("abc"), Owned<double[3]>("sums")};
  fill(all.a);
  fill(all.b);
  fill(all.c);
  Kokkos::parallel_for("test", Kokkos::RangePolicy<Serial::space>(0, 1), all);
  const auto a = on_host(all.a);
  const auto b = on_host(all.b);
  const auto c = on_host(all.c);
  const auto ab = on_host(all.ab);
  const auto abc = on_host(all.abc);
  const auto sums = on_host(all.sums);
  // Exact: multiples of 2^-6, also as floats.
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    double product[4]{};
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 5; ++j) product[k] += a(i, j) * b(j, k);
      EXPECT_EQ(ab(i, k), product[k]);
    }
    for (int l = 0; l < 2; ++l) {
      double value = 0;
      for (int k = 0; k < 4; ++k) value += product[k] * c(k, l);
      EXPECT_EQ(abc(l, i), static_cast<float>(value));
      sum += value;
    }
    EXPECT_EQ(sums(i), 2 * sum);
  }
}

TEST(KeepSerial, NothingIsWrittenWhereExtentsDisagree) {
  if (Impl::checked_build) GTEST_SKIP() << "such a call ends a checked build";
  for (const int wrong : {0, 1, 2}) {
    const Disagree all{Owned<double**>("a", 3, 5), Owned<double**>("b", wrong == 0 ? 6 : 5, 4),
                       Owned<double**>("ab", 3, wrong == 1 ? 5 : 4),
                       Owned<double**>("sums", 4, wrong == 2 ? 2 : 3)};
    Kokkos::deep_copy(all.ab, 7.);
    Kokkos::deep_copy(all.sums, 7.);
    int code = 0;
    Kokkos::parallel_reduce("test", Kokkos::RangePolicy<Serial::space>(0, 1), all, code);
    EXPECT_EQ(code, -1);
    for (const auto& view : {on_host(all.ab), on_host(all.sums)}) {
      for (std::size_t i = 0; i < view.size(); ++i) EXPECT_EQ(view.data()[i], 7.);
    }
  }
}

// --- What the compiler decides: nothing that is kept takes a buffer ---

consteval Impl::Chain chain_with_kept_result() {
  Impl::Marks marks{};
  marks.count = 1;
  marks.before[0] = 3;
  marks.labels[0] = Impl::functor_labels(Spec("il"));
  marks.kept[0] = true;
  Impl::LetterExtents extents{};
  for (auto& e : extents.extent) e = 4;
  return Impl::make_chain(Impl::parse(Spec("ij,jk,kl,lm->im")), marks, extents);
}

TEST(KeepChain, NeedsNoBuffer) {
  constexpr Impl::Chain chain = chain_with_kept_result();
  ASSERT_EQ(chain.steps, 3);
  EXPECT_EQ(chain.step[0].buffer, 0);
  EXPECT_EQ(chain.step[1].buffer, -1);
  EXPECT_TRUE(chain.step[1].kept);
  EXPECT_EQ(chain.buffers, 1);
}
#endif

}  // namespace
}  // namespace KokkosContract::Test
