// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../Ranks.hpp"
#include "Discretization.hpp"
#include "IterationSums.hpp"
#include "Operator.hpp"

namespace example {

struct ConvergenceHistory {
  int iterations = 0;
  int applications = 0;  ///< of A, one more than iterations
  double residual = 0;   ///< relative, in the norm of the preconditioner
  double seconds = 0;
  std::vector<IterationSums::Values> sums;  ///< r^T u and u^T A u of each application
};

/// The Jacobi preconditioner. It is pointwise: an entry of u = M^-1 r is that of r, times a factor.
struct Jacobi {
  static constexpr bool pointwise = true;
  DeviceVector inverse_diagonal;
  KOKKOS_FUNCTION double operator()(int i) const { return inverse_diagonal(i); }
};

/// Vectors of the iteration: u is M^-1 r, and w is A u. p is the direction, and s is A p. The
/// iteration needs no r if the preconditioner is pointwise.
struct IterationVectors {
  DeviceVector x, r, u, w, p, s;
};

/// A sweep over entries of vectors, by as many teams as run at the same time. Each thread has a sum
/// of its own.
struct TeamSweep {
  using Space = Kokkos::DefaultExecutionSpace;
  using Member = Kokkos::TeamPolicy<Space>::member_type;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  static constexpr int threads = on_host ? 1 : 256;
  // A GPU's teams read near each other at the same time. A thread of a host has a part of its own.
  static constexpr int entries_of_team = 4 * threads;

  /// f(entry, sum) for each entry of the team, and the thread's sum.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static double of_team(const Member& team, int entries, const F& f) {
    const int teams = team.league_size();
    const int part = on_host ? (entries + teams - 1) / teams : entries_of_team;
    double sum = 0;
    for (int begin = team.league_rank() * part; begin < entries; begin += teams * part)
      Kokkos::parallel_for(
          Kokkos::TeamThreadRange(team, begin, begin + part < entries ? begin + part : entries),
          [&](int i) { f(i, sum); });
    return sum;
  }
  template <class Kernel>
  static void run(const char* name, int entries, const Kernel& kernel) {
    const int most = Space().concurrency() / threads;
    const int teams = std::clamp((entries - 1) / entries_of_team + 1, 1, most);
    using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256, 8>>;
    const auto policy = Kokkos::Experimental::require(
        Policy(teams, threads), Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    Kokkos::parallel_for(name, policy, kernel);
  }
};

/// Computes u = M^-1 r and r^T u of the first iteration.
template <class Preconditioner>
struct Begin {
  IterationVectors v;
  Preconditioner inverse;
  DeviceSums sums;
  int unknowns, owned;
  KOKKOS_FUNCTION void operator()(const TeamSweep::Member& team) const {
    const double norm = TeamSweep::of_team(team, unknowns, [&](int i, double& sum) {
      const double u = inverse(i) * v.r(i);
      v.u(i) = u;
      if (i < owned) sum += v.r(i) * u;
    });
    sums.add_norm(0, team, norm);
  }
};

/// All updates of an iteration in one sweep, and for a pointwise preconditioner the next r^T u over
/// the first `owned` entries. w becomes 0 for the next sum over elements. It does nothing once r^T
/// u has reached the last norm.
///
/// The sweep of an iteration with an odd number adds two directions to x, so that the one before
/// need not read and write x.
template <class Preconditioner>
struct Update {
  IterationVectors v;
  Preconditioner inverse;
  DeviceSums sums;
  int iteration;
  double last_norm;
  int unknowns, owned;

  KOKKOS_FUNCTION void operator()(const TeamSweep::Member& team) const {
    const DeviceSums::Values now = sums(iteration);
    if (!(now.norm > last_norm)) return;
    double beta = 0, step_before = 0, step = now.norm / now.energy;
    if (iteration > 0) {
      const DeviceSums::Last before = sums.last(iteration - 1);
      beta = now.norm / before.norm;
      step_before = before.step;
      step = now.norm / (now.energy - beta * now.norm / step_before);
    }
    if (team.league_rank() == 0) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { sums.last(iteration) = {now.norm, step}; });
      sums.reset(iteration + 2, team);
    }
    const double norm = TeamSweep::of_team(team, unknowns, [&](int i, double& sum) {
      const double before = v.p(i), u = v.u(i);
      const double p = u + beta * before, s = v.w(i) + beta * v.s(i);
      v.p(i) = p;
      v.s(i) = s;
      v.w(i) = 0;
      if (iteration % 2 == 1) v.x(i) += step_before * before + step * p;
      if constexpr (Preconditioner::pointwise) {
        const double factor = inverse(i), next = u - step * factor * s;
        v.u(i) = next;
        if (i < owned) sum += next * next / factor;
      } else {
        v.r(i) -= step * s;
      }
    });
    if constexpr (Preconditioner::pointwise) sums.add_norm(iteration + 1, team, norm);
  }
};

/// Adds the last direction to x, if its sweep did not.
struct AddDirection {
  DeviceVector x, p;
  DeviceSums sums;
  int iteration;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) += sums.last(iteration).step * p(i); }
};

struct Product {
  DeviceVector a, b;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += a(i) * b(i); }
};
/// Computes r^T u of an iteration.
struct Norm {
  IterationVectors v;
  DeviceSums sums;
  int iteration, owned;
  KOKKOS_FUNCTION void operator()(const TeamSweep::Member& team) const {
    sums.add_norm(iteration, team, TeamSweep::of_team(team, owned, Product{v.r, v.u}));
  }
};

/// Words of vectors that an iteration moves at least, for each unknown. They are 9 for p, s, w, u
/// and Jacobi's diagonal, and 1 for x, which every second iteration reads and writes. A u reads u
/// and adds to w.
inline constexpr double words_of_iteration = 9 + 1 + 3;

/// Conjugate gradients of Chronopoulos and Gear, whose iteration has one sum over the ranks. The
/// kernels of an iteration are A u and one sweep. The host waits once for sums, after it has
/// started the sweep where it can.
template <class Preconditioner>
class ConjugateGradients {
 public:
  ConjugateGradients(const Operator& A, const Preconditioner& inverse, const DeviceVector& x,
                     const DeviceVector& r, const IterationSums& sums)
      : A_(A), inverse_(inverse), sums_(sums) {
    const auto [u, w, p, s] = A.new_vectors<4>("CG");
    v_ = {x, r, u, w, p, s};
    sums_.reset();
  }

  /// See conjugate_gradients.
  template <class Progress>
  ConvergenceHistory solve(const Ranks& ranks, double tolerance, int most_iterations,
                           const Progress& progress) const {
    ConvergenceHistory history;
    double first = 0, last = 0;
    begin();
    for (int i = 0;; ++i) {
      A_.apply(v_.u, v_.w, sums_.energy(i), [&] { sums_.start_reading(i, A_.exchange()); });
      // The sweep finds out whether the sums are small enough, so the host starts it before it
      // knows.
      const bool is_ahead = !A_.exchange().needs_host_sums() && i > 0 && i < most_iterations;
      if (is_ahead) update(i, last);
      history.sums.push_back(sums_.read(i, A_.exchange(), ranks));
      const double norm = history.sums.back().norm;
      if (i == 0) {
        first = norm;
        last = tolerance * tolerance * first;
      }
      history.applications = i + 1;
      history.iterations = i;
      history.residual = first > 0 ? std::sqrt(norm / first) : 0;
      if (i > 0) progress(i, history.residual);
      if (!(norm > last) || i == most_iterations) break;
      if (!is_ahead) update(i, last);
      if constexpr (!Preconditioner::pointwise) precondition(i + 1);
    }
    if (history.iterations % 2 == 1) add_direction(history.iterations - 1);
    Kokkos::fence();
    return history;
  }

 private:
  using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>;

  void begin() const {
    if constexpr (Preconditioner::pointwise) {
      TeamSweep::run(
          "CG: begin", A_.unknowns(),
          Begin<Preconditioner>{v_, inverse_, sums_.on_device(), A_.unknowns(), A_.owned()});
    } else {
      precondition(0);
    }
  }
  void update(int iteration, double last_norm) const {
    TeamSweep::run("CG: update", A_.unknowns(),
                   Update<Preconditioner>{v_, inverse_, sums_.on_device(), iteration, last_norm,
                                          A_.unknowns(), A_.owned()});
  }
  void precondition(int iteration) const {
    inverse_.apply(v_.r, v_.u);
    TeamSweep::run("CG: norm", A_.owned(), Norm{v_, sums_.on_device(), iteration, A_.owned()});
  }
  void add_direction(int iteration) const {
    Kokkos::parallel_for("CG: last direction", Range(0, A_.unknowns()),
                         AddDirection{v_.x, v_.p, sums_.on_device(), iteration});
  }

  const Operator& A_;
  Preconditioner inverse_;
  IterationVectors v_;
  const IterationSums& sums_;
};

/// Solves A x = b for the unknowns of A, by conjugate gradients from x = 0 with r = b on entry.
/// They stop when the residual has fallen by `tolerance`, in the norm of the preconditioner.
///
/// A preconditioner that is not pointwise has apply(r, u). Other entries of the vectors stay zero,
/// or are not read, and what becomes of r is unspecified. progress(iteration, residual) is called
/// after each iteration. Several solutions can use the same sums, one after the other.
template <class Preconditioner, class Progress>
ConvergenceHistory conjugate_gradients(const Operator& A, const Preconditioner& inverse,
                                       const DeviceVector& x, const DeviceVector& r,
                                       const Ranks& ranks, double tolerance, int most_iterations,
                                       const Progress& progress,
                                       const IterationSums& sums = IterationSums()) {
  const ConjugateGradients<Preconditioner> iteration(A, inverse, x, r, sums);
  Kokkos::fence();
  ranks.wait_for_all();
  const Kokkos::Timer timer;
  ConvergenceHistory history = iteration.solve(ranks, tolerance, most_iterations, progress);
  history.seconds = timer.seconds();
  return history;
}

}  // namespace example
