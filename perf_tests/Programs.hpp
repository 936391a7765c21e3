// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_PROGRAMS_HPP
#define KOKKOSCONTRACT_PERF_PROGRAMS_HPP

// Parts of other people's programs, as they are with Kokkos Kernels and with this library, on a
// host and on a GPU. Each program has its data, the kernels of both (`original` only where Kokkos
// Kernels was found), and `worst_error`, which compares its result with a plain sum, in units of
// the rounding bound.

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <initializer_list>
#include <string>

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Serial_Impl.hpp>
#include <KokkosBatched_Trsv_Team_Impl.hpp>
#include <KokkosBlas2_team_gemv.hpp>
#endif

namespace programs {

using Kokkos::ALL;
using Kokkos::subview;

template <class V>
void fill(const V& view, double least, double most) {
  using T = typename V::non_const_value_type;
  using Space = typename V::execution_space;
  const Kokkos::Random_XorShift64_Pool<Space> pool(12345);
  const Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(view.data(),
                                                                              view.span());
  Kokkos::fill_random(flat, pool, T(least), T(most));
  Kokkos::fence();
}

/// The larger of both; a NaN counts as large.
KOKKOS_INLINE_FUNCTION double worse(double error, double most) {
  return error <= most ? most : (error > most ? error : 1e99);
}

/// The largest error(i) of i < count.
template <class Space, class Error>
double worst_of(int count, const Error& error) {
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, count),
      KOKKOS_LAMBDA(int i, double& most) { most = worse(error(i), most); },
      Kokkos::Max<double>(worst));
  return worst;
}

/// |x - y| in units of the rounding bound of a sum of so many terms, whose sizes add up to `size`.
template <class T>
KOKKOS_INLINE_FUNCTION double in_bounds(T x, T y, int terms, double size) {
  const double bound = 4 * (terms + 4) * Kokkos::Experimental::epsilon_v<T> * (size + 1);
  return Kokkos::abs(static_cast<double>(x) - static_cast<double>(y)) / bound;
}

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
template <class Member, bool IsBlocked>
using OriginalGemm =
    KokkosBatched::TeamGemm<Member, KokkosBatched::Trans::NoTranspose,
                            KokkosBatched::Trans::NoTranspose,
                            std::conditional_t<IsBlocked, KokkosBatched::Algo::Gemm::Blocked,
                                               KokkosBatched::Algo::Gemm::Unblocked>>;
#endif

/// Linear layers of an equivariant network (MACE): for each node e and each l, out(e, m, n) = sum
/// over k of in(e, m, k) weights(l, k, n), for the 2 l + 1 components m of l.
template <class Space, class T>
struct EquivariantLinear {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Array = Kokkos::View<T***, Kokkos::LayoutRight, Space>;
  using Product = KokkosContract::TeamContract<"emk,kn->emn">;
  static constexpr int orders = 4;  // l = 0, ..., 3

  int nodes;
  Array in, weights, out;

  EquivariantLinear(int count, int channels)
      : nodes(count),
        in("in", count, orders * orders, channels),
        weights("weights", orders, channels, channels),
        out("out", count, orders * orders, channels) {
    fill(in, -1, 1);
    fill(weights, -1, 1);
  }
  static double bytes_of_node(int channels) { return 2.0 * sizeof(T) * orders * orders * channels; }
  double bytes() const { return bytes_of_node(channels()) * nodes; }
  double flops() const { return 2.0 * orders * orders * channels() * channels() * nodes; }
  int channels() const { return in.extent_int(2); }

  /// The components of l.
  KOKKOS_FUNCTION static Kokkos::pair<int, int> components(int l) {
    return {l * l, (l + 1) * (l + 1)};
  }

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  template <bool IsBlocked>
  struct Original {
    EquivariantLinear all;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const int e = member.league_rank() / orders;
      const int l = member.league_rank() % orders;
      const auto m = components(l);
      OriginalGemm<Member, IsBlocked>::invoke(member, T(1), subview(all.in, e, m, ALL),
                                              subview(all.weights, l, ALL, ALL), T(0),
                                              subview(all.out, e, m, ALL));
    }
  };
  template <bool IsBlocked>
  void original() const {
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(nodes * orders, Kokkos::AUTO, Kokkos::AUTO),
                         Original<IsBlocked>{*this});
  }
#endif

  /// From the host: a contraction of all nodes for each l.
  void contract() const {
    for (int l = 0; l < orders; ++l) {
      const auto m = components(l);
      KokkosContract::contract<"emk,kn->emn">(Space(), T(1), subview(in, ALL, m, ALL),
                                              subview(weights, l, ALL, ALL), T(0),
                                              subview(out, ALL, m, ALL));
    }
  }

  /// In a kernel whose teams have several nodes each.
  struct InTeams {
    EquivariantLinear all;
    KokkosContract::TeamProblems of_teams;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const auto mine = KokkosContract::problems_of(member, of_teams);
      for (int l = 0; l < orders; ++l) {
        const auto m = components(l);
        KokkosContract::require_success(Product::invoke(member, T(1), subview(all.in, mine, m, ALL),
                                                        subview(all.weights, l, ALL, ALL), T(0),
                                                        subview(all.out, mine, m, ALL)));
      }
    }
  };
  void in_teams() const {
    const auto of = [&](int l) {
      const auto m = components(l);
      return KokkosContract::uses<Product>(subview(in, ALL, m, ALL),
                                           KokkosContract::shared(subview(weights, l, ALL, ALL)),
                                           subview(out, ALL, m, ALL));
    };
    const auto plan = KokkosContract::team_policy(Space(), nodes, of(0), of(1), of(2), of(3));
    Kokkos::parallel_for(plan.policy, InTeams{*this, plan});
  }

  double worst_error() const {
    const EquivariantLinear all = *this;
    return worst_of<Space>(
        nodes * orders * orders, KOKKOS_LAMBDA(int row) {
          double most = 0;
          const int e = row / (orders * orders);
          const int m = row % (orders * orders);
          const int l = m < 1 ? 0 : m < 4 ? 1 : m < 9 ? 2 : 3;
          const int n = all.in.extent_int(2);
          for (int j = 0; j < n; ++j) {
            T sum(0);
            double size = 0;
            for (int k = 0; k < n; ++k) {
              const T term = all.in(e, m, k) * all.weights(l, k, j);
              sum += term;
              size += Kokkos::abs(static_cast<double>(term));
            }
            most = worse(in_bounds(all.out(e, m, j), sum, n, size), most);
          }
          return most;
        });
  }
};

/// Moving least squares: for each point the coefficients x of the basis that fit the values f of
/// its neighbours q best, P^T W P x = P^T W f.
template <class Space, int Neighbours, int Basis>
struct LeastSquares {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Lower = KokkosContract::Uplo::Lower;
  using Matrix = KokkosContract::TeamContract<"pqi,pq,pqj->pij">;
  using Vector = KokkosContract::TeamContract<"pqi,pq,pq->pi">;
  using Factor = KokkosContract::TeamPotrf<Member, Lower>;
  using Solve = KokkosContract::TeamPotrs<Member, Lower>;

  int points;
  Kokkos::View<double* [Neighbours][Basis], Kokkos::LayoutRight, Space> P;
  Kokkos::View<double* [Neighbours], Kokkos::LayoutRight, Space> w, f;
  Kokkos::View<double* [Basis][Basis], Kokkos::LayoutRight, Space> M;
  Kokkos::View<double* [Basis], Kokkos::LayoutRight, Space> x;

  explicit LeastSquares(int count)
      : points(count), P("P", count), w("w", count), f("f", count), M("M", count), x("x", count) {
    fill(P, -1, 1);
    fill(w, 0.1, 1);
    fill(f, -1, 1);
  }
  /// What must move: the matrix need not.
  static constexpr double bytes_of_point = 8.0 * (Neighbours * (Basis + 2) + Basis);
  double bytes() const { return bytes_of_point * points; }
  double flops() const {
    constexpr double q = Neighbours, n = Basis;
    return (q * n + 2 * q * n * n + 2 * q * n + n * n * n / 3 + 2 * n * n) * points;
  }

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  /// Sums by loops over the team's threads, and Kokkos Kernels' factors.
  struct Original {
    LeastSquares all;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      using KokkosBatched::Algo;
      using None = KokkosBatched::Trans::NoTranspose;
      const int p = member.league_rank();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, Basis * Basis), [&](int ij) {
        const int i = ij / Basis;
        const int j = ij % Basis;
        double sum = 0;
        for (int q = 0; q < Neighbours; ++q) sum += all.P(p, q, i) * all.w(p, q) * all.P(p, q, j);
        all.M(p, i, j) = sum;
      });
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, Basis), [&](int i) {
        double sum = 0;
        for (int q = 0; q < Neighbours; ++q) sum += all.P(p, q, i) * all.w(p, q) * all.f(p, q);
        all.x(p, i) = sum;
      });
      member.team_barrier();
      const auto A = subview(all.M, p, ALL, ALL);
      const auto b = subview(all.x, p, ALL);
      KokkosBatched::TeamLU<Member, Algo::LU::Unblocked>::invoke(member, A);
      member.team_barrier();
      KokkosBatched::TeamTrsv<Member, KokkosBatched::Uplo::Lower, None, KokkosBatched::Diag::Unit,
                              Algo::Trsv::Unblocked>::invoke(member, 1.0, A, b);
      member.team_barrier();
      KokkosBatched::TeamTrsv<Member, KokkosBatched::Uplo::Upper, None,
                              KokkosBatched::Diag::NonUnit, Algo::Trsv::Unblocked>::invoke(member,
                                                                                           1.0, A,
                                                                                           b);
    }
  };
  void original() const {
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(points, Kokkos::AUTO), Original{*this});
  }
#endif

  struct OneKernel {
    LeastSquares all;
    KokkosContract::TeamProblems of_teams;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      using KokkosContract::require_success;
      const auto mine = KokkosContract::problems_of(member, of_teams);
      const auto scratch = member.team_scratch(0);
      const auto A =
          KokkosContract::scratch_matrices<double, Basis, Basis>(scratch, mine.second - mine.first);
      const auto P_mine = subview(all.P, mine, ALL, ALL);
      const auto w_mine = subview(all.w, mine, ALL);
      const auto x_mine = subview(all.x, mine, ALL);
      require_success(Matrix::invoke(member, scratch, 1.0, P_mine, w_mine, P_mine, 0.0, A));
      require_success(Vector::invoke(member, scratch, 1.0, P_mine, w_mine,
                                     subview(all.f, mine, ALL), 0.0, x_mine));
      require_success(Factor::invoke(member, A));
      require_success(Solve::invoke(member, A, x_mine));
    }
  };
  void one_kernel() const {
    using KokkosContract::uses;
    constexpr int bytes = KokkosContract::scratch_matrices_bytes<double, Basis, Basis, Space>(1);
    const auto plan = KokkosContract::team_policy(
        Space(), points, uses<Matrix>(P, w, P, M), uses<Vector>(P, w, f, x), uses<Factor>(M),
        uses<Solve>(M, x), KokkosContract::user_scratch{.bytes_per_problem = bytes});
    Kokkos::parallel_for(plan.policy, OneKernel{*this, plan});
  }

  /// The residual of the normal equations.
  double worst_error() const {
    const LeastSquares all = *this;
    return worst_of<Space>(
        points, KOKKOS_LAMBDA(int p) {
          double most = 0;
          for (int i = 0; i < Basis; ++i) {
            double sum = 0, size = 0;
            for (int q = 0; q < Neighbours; ++q) {
              double fit = -all.f(p, q), fit_size = Kokkos::abs(fit);
              for (int j = 0; j < Basis; ++j) {
                fit += all.P(p, q, j) * all.x(p, j);
                fit_size += Kokkos::abs(all.P(p, q, j) * all.x(p, j));
              }
              sum += all.P(p, q, i) * all.w(p, q) * fit;
              size += Kokkos::abs(all.P(p, q, i) * all.w(p, q)) * fit_size;
            }
            most = worse(in_bounds(sum, 0.0, Neighbours + Basis, size), most);
          }
          return most;
        });
  }
};

/// A product a team, as programs written for KokkosBatched have it: n x n matrices, extents at run
/// time; or a matrix times a vector.
template <class Space, bool IsMatrix>
struct SmallProducts {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Matrices = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
  using Others =
      std::conditional_t<IsMatrix, Matrices, Kokkos::View<double**, Kokkos::LayoutRight, Space>>;
  using None = KokkosContract::Trans::NoTranspose;

  int n, problems;
  Matrices a;
  Others b, c;

  SmallProducts(int width, int count) : n(width), problems(count), a("a", count, width, width) {
    if constexpr (IsMatrix) {
      b = Others("b", count, width, width);
      c = Others("c", count, width, width);
    } else {
      b = Others("b", count, width);
      c = Others("c", count, width);
    }
    fill(a, -1, 1);
    fill(b, -1, 1);
  }
  static double bytes_of_problem(double n) { return 8 * (n * n + 2 * (IsMatrix ? n * n : n)); }
  double bytes() const { return bytes_of_problem(n) * problems; }
  double flops() const { return 2.0 * n * n * (IsMatrix ? n : 1) * problems; }

  KOKKOS_FUNCTION static auto part(const Matrices& view, int p) {
    return subview(view, p, ALL, ALL);
  }
  template <class V>
    requires(V::rank() == 2)
  KOKKOS_FUNCTION static auto part(const V& view, int p) {
    return subview(view, p, ALL);
  }

#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
  template <bool IsBlocked>
  struct Original {
    SmallProducts all;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const int p = member.league_rank();
      const auto x = part(all.a, p);
      const auto y = part(all.b, p);
      const auto z = part(all.c, p);
      if constexpr (IsMatrix) {
        OriginalGemm<Member, IsBlocked>::invoke(member, 1.0, x, y, 0.0, z);
      } else {
        using Algo = std::conditional_t<IsBlocked, KokkosBlas::Algo::Gemv::Blocked,
                                        KokkosBlas::Algo::Gemv::Unblocked>;
        KokkosBlas::TeamGemv<Member, KokkosBlas::Trans::NoTranspose, Algo>::invoke(member, 1.0, x,
                                                                                   y, 0.0, z);
      }
    }
  };
  template <bool IsBlocked>
  void original() const {
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(problems, Kokkos::AUTO),
                         Original<IsBlocked>{*this});
  }
#endif

  /// The namespace changed.
  struct Ported {
    SmallProducts all;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const int p = member.league_rank();
      const auto x = part(all.a, p);
      const auto y = part(all.b, p);
      const auto z = part(all.c, p);
      if constexpr (IsMatrix) {
        (void)KokkosContract::TeamGemm<Member, None, None>::invoke(member, 1.0, x, y, 0.0, z);
      } else {
        (void)KokkosContract::TeamGemv<Member, None>::invoke(member, 1.0, x, y, 0.0, z);
      }
    }
  };
  void ported() const {
    Kokkos::parallel_for(Kokkos::TeamPolicy<Space>(problems, Kokkos::AUTO), Ported{*this});
  }

  /// Several problems a team.
  struct Batched {
    SmallProducts all;
    KokkosContract::TeamProblems of_teams;
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const auto mine = KokkosContract::problems_of(member, of_teams);
      const auto x = subview(all.a, mine, ALL, ALL);
      if constexpr (IsMatrix) {
        (void)KokkosContract::TeamGemm<Member, None, None>::invoke(
            member, 1.0, x, subview(all.b, mine, ALL, ALL), 0.0, subview(all.c, mine, ALL, ALL));
      } else {
        (void)KokkosContract::TeamGemv<Member, None>::invoke(
            member, 1.0, x, subview(all.b, mine, ALL), 0.0, subview(all.c, mine, ALL));
      }
    }
  };
  void batched() const {
    using Op = std::conditional_t<IsMatrix, KokkosContract::TeamGemm<Member, None, None>,
                                  KokkosContract::TeamGemv<Member, None>>;
    const auto plan = KokkosContract::team_policy<Op>(Space(), problems, a, b, c);
    Kokkos::parallel_for(plan.policy, Batched{*this, plan});
  }

  double worst_error() const {
    const SmallProducts all = *this;
    return worst_of<Space>(
        problems, KOKKOS_LAMBDA(int p) {
          double most = 0;
          for (int i = 0; i < all.n; ++i) {
            for (int j = 0; j < (IsMatrix ? all.n : 1); ++j) {
              double sum = 0, size = 0;
              for (int k = 0; k < all.n; ++k) {
                const double term = all.a(p, i, k) * element(all.b, p, k, j);
                sum += term;
                size += Kokkos::abs(term);
              }
              most = worse(in_bounds(element(all.c, p, i, j), sum, all.n, size), most);
            }
          }
          return most;
        });
  }
  template <class V>
  KOKKOS_FUNCTION static double element(const V& view, int p, int i, [[maybe_unused]] int j) {
    if constexpr (IsMatrix) {
      return view(p, i, j);
    } else {
      return view(p, i);
    }
  }
};

/// Adds the cases of all programs to a Harness. It has
///   Space, and type_name<T>() for names of cases;
///   program_place, batch_place: where the data of a program or a batch stay, for names of cases;
///   program_bytes: the size of a program's data; batch_size(bytes of a problem): problems;
///   add(name, make, launch): a case that times launch(make());
///   for_algorithms(f): calls f.operator()<IsBlocked>(name) for the algorithms of Kokkos Kernels.
template <class Harness>
class Cases {
 public:
  static void add_all() {
    add_linear<double>();
    add_linear<float>();
    add_least_squares<10>();
    add_least_squares<20>();
    add_products<true>();
    add_products<false>();
  }

 private:
  using Space = typename Harness::Space;

  /// make(n): the program; launch(program). The name of a case is path/who/n.
  template <class Make, class Launch>
  static void add(const std::string& path, const std::string& who, std::initializer_list<int> sizes,
                  const Make& make, const Launch& launch) {
    for (const int n : sizes) {
      Harness::add(path + "/" + who + "/" + std::to_string(n), [=] { return make(n); }, launch);
    }
  }
  template <class Make>
  static void add_originals([[maybe_unused]] const std::string& path,
                            [[maybe_unused]] std::initializer_list<int> sizes,
                            [[maybe_unused]] const Make& make) {
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    Harness::for_algorithms([&]<bool IsBlocked>(const std::string& who) {
      add(path, who, sizes, make, [](const auto& p) { p.template original<IsBlocked>(); });
    });
#endif
  }
  static int programs_of(double bytes) { return static_cast<int>(Harness::program_bytes / bytes); }

  template <class T>
  static void add_linear() {
    using Program = EquivariantLinear<Space, T>;
    const std::string path =
        "Linear/" + Harness::template type_name<T>() + "/right/dynamic/" + Harness::program_place;
    const auto make = [](int n) { return Program(programs_of(Program::bytes_of_node(n)), n); };
    const std::initializer_list<int> sizes = {32, 64, 128};
    add(path, "contract", sizes, make, [](const Program& p) { p.contract(); });
    add(path, "Team", sizes, make, [](const Program& p) { p.in_teams(); });
    add_originals(path, sizes, make);
  }

  template <int Basis>
  static void add_least_squares() {
    using Program = LeastSquares<Space, 3 * Basis, Basis>;
    const std::string path =
        std::string("LeastSquares/double/right/static/") + Harness::program_place;
    const auto make = [](int) { return Program(programs_of(Program::bytes_of_point)); };
    add(path, "Team", {Basis}, make, [](const Program& p) { p.one_kernel(); });
#if defined(KOKKOSCONTRACT_PERF_KOKKOS_KERNELS)
    add(path, "KK-Team", {Basis}, make, [](const Program& p) { p.original(); });
#endif
  }

  template <bool IsMatrix>
  static void add_products() {
    using Program = SmallProducts<Space, IsMatrix>;
    const std::string path = std::string(IsMatrix ? "TeamGemm" : "TeamGemv") +
                             "/double/right/dynamic/" + Harness::batch_place;
    const auto make = [](int n) {
      return Program(n, Harness::batch_size(Program::bytes_of_problem(n)));
    };
    const std::initializer_list<int> sizes = {2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64};
    add(path, "ported", sizes, make, [](const Program& p) { p.ported(); });
    add(path, "Team", sizes, make, [](const Program& p) { p.batched(); });
    add_originals(path, sizes, make);
  }
};

}  // namespace programs

#endif
