// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factorisations, triangular solves and the pipeline of them, for a batch of n x n matrices:
//
//     LU, Trsv, Trsm   alone, in place, several problems per team, as team_policy says
//     Fused            C = A B, C = L U, L y = f, U x = y in one kernel: C in scratch,
//                      -stored: and the factors are stored
//     Separate         the pipeline as four kernels, which leave the factors in memory
//     KK-Team          the four routines of Kokkos Kernels in one kernel, a problem per team
//
// Bytes are those that must move; for a triangle, the 32-byte sectors that it touches.
#include "Perf.hpp"

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Team_Impl.hpp>
#endif

namespace {

using namespace perf;
using Kokkos::ALL;
using KokkosContract::Diag;
using KokkosContract::Side;
using KokkosContract::Uplo;
using None = KokkosContract::Trans::NoTranspose;

using Product = KokkosContract::TeamContract<"bik,bkj->bij">;
using Factor = KokkosContract::TeamLU<Member>;
using SolveVector = KokkosContract::TeamTrsv<Member, Uplo::Lower, None, Diag::NonUnit>;
using SolveLower = KokkosContract::TeamTrsv<Member, Uplo::Lower, None, Diag::Unit>;
using SolveUpper = KokkosContract::TeamTrsv<Member, Uplo::Upper, None, Diag::NonUnit>;
using SolveBoth = KokkosContract::TeamSolveLU<Member, None>;
using SolveMatrix = KokkosContract::TeamTrsm<Member, Side::Left, Uplo::Lower, None, Diag::NonUnit>;

enum class What { lu, trsv, trsm, gemm, lower, upper, fused, stored, kk };

template <class T, int N, bool Static>
struct Batch {
  using Matrices = std::conditional_t<Static, Kokkos::View<T* [N][N], Right, Space>,
                                      Kokkos::View<T***, Right, Space>>;
  using Vectors = std::conditional_t<Static, Kokkos::View<T* [N], Right, Space>,
                                     Kokkos::View<T**, Right, Space>>;
  Matrices a, b, c;
  Vectors f, x;
  int problems;

  template <class V>
  static V make(int problems) {
    const auto properties = Kokkos::view_alloc("batch", Kokkos::WithoutInitializing);
    if constexpr (V::rank_dynamic == 1) {
      return V(properties, problems);
    } else if constexpr (V::rank_dynamic == 2) {
      return V(properties, problems, N);
    } else {
      return V(properties, problems, N, N);
    }
  }
};

template <What W, class T, int N, bool Static>
struct Step : Batch<T, N, Static> {
  static constexpr bool fused = W == What::fused || W == What::stored;
  KokkosContract::TeamProblems of_teams{};

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const T one(1);
    const T zero(0);
    const auto range = KokkosContract::problems_of(member, of_teams);
    [[maybe_unused]] const auto a = Kokkos::subview(this->a, range, ALL, ALL);
    [[maybe_unused]] const auto b = Kokkos::subview(this->b, range, ALL, ALL);
    [[maybe_unused]] const auto c = Kokkos::subview(this->c, range, ALL, ALL);
    [[maybe_unused]] const auto x = Kokkos::subview(this->x, range, ALL);
    if constexpr (W == What::lu) {
      (void)Factor::invoke(member, c);
    } else if constexpr (W == What::trsv) {
      (void)SolveVector::invoke(member, one, a, x);
    } else if constexpr (W == What::trsm) {
      (void)SolveMatrix::invoke(member, one, a, c);
    } else if constexpr (W == What::gemm) {
      (void)Product::invoke(member, one, a, b, zero, c);
    } else if constexpr (W == What::lower) {
      (void)SolveLower::invoke(member, one, c, x);
    } else if constexpr (W == What::upper) {
      (void)SolveUpper::invoke(member, one, c, x);
    } else if constexpr (fused) {
      const auto factors = KokkosContract::scratch_matrices<T, N, N>(member.team_scratch(0),
                                                                     range.second - range.first);
      (void)Product::invoke(member, one, a, b, zero, factors);
      (void)Factor::invoke(member, factors);
      (void)SolveBoth::invoke(member, factors, x);
      if constexpr (W == What::stored) {
        (void)KokkosContract::TeamReshape<"bij->bij">::invoke(member, factors, c);
      }
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    else {
      using KokkosNone = KokkosBatched::Trans::NoTranspose;
      const int p = member.league_rank();
      const auto a0 = Kokkos::subview(this->a, p, ALL, ALL);
      const auto b0 = Kokkos::subview(this->b, p, ALL, ALL);
      const auto c0 = Kokkos::subview(this->c, p, ALL, ALL);
      const auto x0 = Kokkos::subview(this->x, p, ALL);
      KokkosBatched::TeamGemm<Member, KokkosNone, KokkosNone,
                              KokkosBatched::Algo::Gemm::Unblocked>::invoke(member, one, a0, b0,
                                                                            zero, c0);
      member.team_barrier();
      KokkosBatched::TeamLU<Member, KokkosBatched::Algo::LU::Unblocked>::invoke(member, c0);
      member.team_barrier();
      KokkosBatched::TeamTrsv<Member, KokkosBatched::Uplo::Lower, KokkosNone,
                              KokkosBatched::Diag::Unit,
                              KokkosBatched::Algo::Trsv::Unblocked>::invoke(member, one, c0, x0);
      member.team_barrier();
      KokkosBatched::TeamTrsv<Member, KokkosBatched::Uplo::Upper, KokkosNone,
                              KokkosBatched::Diag::NonUnit,
                              KokkosBatched::Algo::Trsv::Unblocked>::invoke(member, one, c0, x0);
    }
#endif
  }

  auto plan() const {
    using KokkosContract::team_policy, KokkosContract::uses;
    const Space exec;
    const int problems = this->problems;
    const auto& [a, b, c, f, x, count] = static_cast<const Batch<T, N, Static>&>(*this);
    if constexpr (W == What::lu) {
      return team_policy<Factor>(exec, problems, c);
    } else if constexpr (W == What::trsv) {
      return team_policy<SolveVector>(exec, problems, a, x);
    } else if constexpr (W == What::trsm) {
      return team_policy<SolveMatrix>(exec, problems, a, c);
    } else if constexpr (W == What::gemm) {
      return team_policy<Product>(exec, problems, a, b, c);
    } else if constexpr (W == What::lower) {
      return team_policy<SolveLower>(exec, problems, c, x);
    } else if constexpr (W == What::upper) {
      return team_policy<SolveUpper>(exec, problems, c, x);
    } else {
      return team_policy(
          exec, problems, uses<Product>(a, b, c), uses<Factor>(c), uses<SolveBoth>(c, x),
          KokkosContract::user_scratch{0, 0, KokkosContract::scratch_matrices_bytes<T, N, N>(1)});
    }
  }

  void launch() const {
    if constexpr (W == What::kk) {
      Kokkos::parallel_for(Policy(this->problems, Kokkos::AUTO, 1), *this);
    } else {
      const auto recommended = plan();
      Step body = *this;
      body.of_teams = recommended;
      Kokkos::parallel_for(recommended.policy, body);
    }
  }
};

template <class T>
constexpr double bytes_of(What what, int n) {
  const int word = sizeof(T);
  const double square = 1.0 * n * n * word;
  const double vector = n * word;
  switch (what) {
    case What::lu:
      return 2 * square - vector;
    case What::trsv:
      return triangle_bytes(n, word) + 2 * vector;
    case What::trsm:
      return triangle_bytes(n, word) + 2 * square;
    case What::fused:
      return 2 * square + 2 * vector;
    default:
      return 3 * square + 2 * vector;
  }
}

constexpr double flops_of(What what, int n) {
  const double cube = 1.0 * n * n * n;
  switch (what) {
    case What::lu:
      return 2 * cube / 3;
    case What::trsv:
      return 1.0 * n * n;
    case What::trsm:
      return cube;
    default:
      return 2 * cube + 2 * cube / 3 + 2.0 * n * n;
  }
}

/// L U = A, where both factors are in C.
template <class M>
double lu_error(const M& a, const M& c, int n) {
  using T = typename M::non_const_value_type;
  return worst_residual<T>(
      a.extent_int(0), n, n, KOKKOS_LAMBDA(int p, int i, int j, Residual<T>& residual) {
        for (int k = 0; k < i && k <= j; ++k) residual.add(c(p, i, k) * c(p, k, j));
        if (i <= j) residual.add(c(p, i, j));
        residual.add(-a(p, i, j));
      });
}

/// lower(A) X = B
template <class M>
double trsm_error(const M& a, const M& x, const M& b, int n) {
  using T = typename M::non_const_value_type;
  return worst_residual<T>(
      a.extent_int(0), n, n, KOKKOS_LAMBDA(int p, int i, int j, Residual<T>& residual) {
        for (int k = 0; k <= i; ++k) residual.add(a(p, i, k) * x(p, k, j));
        residual.add(-b(p, i, j));
      });
}

/// lower(A) x = f or, if `full`, A B x = f.
template <class M, class V>
double vector_error(bool full, const M& a, const M& b, const V& x, const V& f, int n) {
  using T = typename M::non_const_value_type;
  return worst_residual<T>(
      a.extent_int(0), n, 1, KOKKOS_LAMBDA(int p, int i, int, Residual<T>& residual) {
        for (int k = 0; k < (full ? n : i + 1); ++k) {
          T y = full ? T(0) : x(p, k);
          for (int l = 0; full && l < n; ++l) y += b(p, k, l) * x(p, l);
          residual.add(a(p, i, k) * y);
        }
        residual.add(-f(p, i));
      });
}

template <What W, class T, bool Static, int N>
void run(benchmark::State& state) {
  using Data = Batch<T, N, Static>;
  const double bytes = bytes_of<T>(W, N);
  const auto problems = static_cast<int>(batch_bytes / (3.0 * N * N * sizeof(T))) / 4 * 4;
  using Matrices = typename Data::Matrices;
  using Vectors = typename Data::Vectors;
  const Data data{Data::template make<Matrices>(problems), Data::template make<Matrices>(problems),
                  Data::template make<Matrices>(problems), Data::template make<Vectors>(problems),
                  Data::template make<Vectors>(problems),  problems};
  fill_random(data.a);
  fill_random(data.b);
  fill_random(data.f);
  add_to_diagonal(data.a, N, 2 * N);
  add_to_diagonal(data.b, N, 2 * N);
  const auto launch = [&] {
    if constexpr (W == What::gemm) {
      Step<What::gemm, T, N, Static>{data}.launch();
      Step<What::lu, T, N, Static>{data}.launch();
      Step<What::lower, T, N, Static>{data}.launch();
      Step<What::upper, T, N, Static>{data}.launch();
    } else {
      Step<W, T, N, Static>{data}.launch();
    }
  };
  double error = 0;
  if constexpr (W == What::lu) {
    Kokkos::deep_copy(data.c, data.a);
    launch();
    error = lu_error(data.a, data.c, N);
  } else if constexpr (W == What::trsm) {
    Kokkos::deep_copy(data.c, data.b);
    launch();
    error = trsm_error(data.a, data.c, data.b, N);
  } else if constexpr (W == What::trsv) {
    Kokkos::deep_copy(data.x, data.f);
    launch();
    error = vector_error(false, data.a, data.b, data.x, data.f, N);
  } else {
    Kokkos::deep_copy(data.x, data.f);
    launch();
    error = vector_error(true, data.a, data.b, data.x, data.f, N);
  }
  if (!(error <= 1)) {
    state.SkipWithError("wrong result");
    return;
  }
  time_launches(state, flops_of(W, N) * problems, bytes * problems, launch);
}

template <What W, class T, bool Static, int N>
void add(const std::string& concept_name, const std::string& who) {
  add_benchmark(concept_name + "/" + type_name<T>() + "/right/" + (Static ? "static" : "dynamic") +
                    "/memory/" + who + "/" + std::to_string(N),
                run<W, T, Static, N>);
}

using Widths = std::integer_sequence<int, 4, 8, 12, 16, 20, 24, 32>;

const Registered registered([] {
  for_each_width(Widths{}, []<int N>() {
    add<What::lu, double, true, N>("LU", "Team");
    add<What::trsv, double, true, N>("Trsv", "Team");
    add<What::trsm, double, true, N>("Trsm", "Team");
    add<What::fused, double, true, N>("Fused", "Team");
    add<What::stored, double, true, N>("Fused-stored", "Team");
    add<What::gemm, double, true, N>("Fused-stored", "Separate");
    if constexpr (N == 8 || N == 16 || N == 32) {
      add<What::lu, double, false, N>("LU", "Team");
      add<What::trsv, double, false, N>("Trsv", "Team");
      add<What::trsm, double, false, N>("Trsm", "Team");
    }
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    add<What::kk, double, true, N>("Fused-stored", "KK-Team");
#endif
  });
});

}  // namespace
