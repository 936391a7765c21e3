// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bakeoff.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../MachineBounds.hpp"
#include "ConjugateGradients.hpp"
#include "Problem.hpp"
#include "Solve.hpp"

#ifndef POISSON_BAKEOFF_ORDERS  // CMake knows which of them were compiled
#define POISSON_BAKEOFF_ORDERS 1, 2, 4
#endif

namespace example {
namespace {

template <Form form, int... Orders>
std::vector<ElementOrder> element_orders_of(std::integer_sequence<int, Orders...>) {
  return {element_order<Orders, form>...};
}
std::vector<ElementOrder> compiled_orders(Form form) {
  using Few = std::integer_sequence<int, POISSON_BAKEOFF_ORDERS>;
  switch (form) {
    case Form::mass:
      return element_orders_of<Form::mass>(Few());
    case Form::collocated_poisson:
      return element_orders_of<Form::collocated_poisson>(Few());
    default:
      return element_orders_of<Form::poisson>(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>());
  }
}

/// A mesh, and how often its elements are to be cut.
struct Size {
  Mesh mesh;
  int refinement;
};

/// Refinements of a mesh, or else cubes. From 1000 points on each has about twice as many as the
/// one before. Each rank has an element at least.
std::vector<Size> sizes(const BakeoffOptions& options, int order, const Ranks& ranks) {
  const double most = options.unknowns / options.problem.components;
  std::vector<Size> result;
  if (options.mesh) {
    const auto elements = [&](int refinement) {
      return std::ldexp(options.mesh->size(), 3 * refinement);
    };
    if (const auto only = options.refinement) {
      if (options.problem.components * estimated_unknowns(elements(*only), order) > INT_MAX / 4)
        throw std::invalid_argument("option --refine: too many unknowns");
      return {{*options.mesh, *only}};
    }
    for (int refinement = 0; estimated_unknowns(elements(refinement), order) <= most; ++refinement)
      if (elements(refinement) >= ranks.size()) result.push_back({*options.mesh, refinement});
  } else {
    int before = order == 1 ? 1 : 0;  // one element of order 1 may have no unknowns
    for (double points = 1000; points <= most; points *= 2) {
      const int n = static_cast<int>(std::lround(std::cbrt(points) / order));
      if (n > before && n * n * n >= ranks.size()) result.push_back({curved_box(n), 0});
      before = std::max(before, n);
    }
  }
  return result;
}

struct Measurement {
  int elements = 0, unknowns = 0, iterations = 0;
  double points = 0;  ///< of a compute node: the unknowns of a component
  double nodes = 1;   ///< compute nodes
  double residual = 0;
  double seconds = 0;           ///< time of all iterations
  double apply_seconds = 0;     ///< time of the operator alone
  double exchange_seconds = 0;  ///< time of what the operator exchanges, if nothing else is done
  double bound = 0;             ///< shortest time of all iterations
  double apply_bound = 0;

  double rate() const { return unknowns * (iterations / seconds) / nodes; }
};

/// The shortest of several times. f() returns one, of a rank; the mean of the ranks counts.
template <class F>
double shortest_time(const Ranks& ranks, const F& f) {
  constexpr double enough = 0.2;
  double shortest = std::numeric_limits<double>::max(), all = 0;
  for (int i = 0; i < 3 || all < enough; ++i) {
    double seconds = f() / ranks.size();
    ranks.sum(&seconds, 1);
    shortest = std::min(shortest, seconds);
    all += seconds;
  }
  return shortest;
}

Measurement measure(const Size& size, const ElementOrder& order, const BakeoffOptions& options,
                    const MachineBounds& bounds, const Ranks& ranks) {
  const int components = options.problem.components;
  const auto part = part_of_rank(size.mesh, size.refinement, ranks);
  const Problem problem(*part, order, ranks, components);
  const Operator& A = problem.A;
  const DeviceVector x("x", problem.x.extent(0)), r("r", problem.r.extent(0));
  double counts[2] = {1.0 * part->geometry.extent_int(0), 1.0 / ranks.size_of_node()};
  ranks.sum(counts, 2);
  const auto [elements, nodes] = counts;

  Measurement result;
  // Each application of A belongs to an iteration, also the last one.
  const auto iterate = [&] {
    Kokkos::deep_copy(x, problem.x);
    Kokkos::deep_copy(r, problem.r);
    const ConvergenceHistory history =
        conjugate_gradients(A, Jacobi{problem.inverse_diagonal}, x, r, ranks, 0,
                            options.iterations - 1, [](int, double) {});
    result.iterations = history.applications;
    result.residual = history.residual;
    return history.seconds;
  };
  result.seconds = shortest_time(ranks, iterate);
  const auto time_of = [&](const auto& f) {
    return shortest_time(ranks, [&] {
      Kokkos::fence();
      ranks.wait_for_all();
      const Kokkos::Timer timer;
      f();
      Kokkos::fence();
      return timer.seconds();
    });
  };
  result.apply_seconds = time_of([&] { A.apply(problem.r, x); });
  if (A.exchange().is_needed()) result.exchange_seconds = time_of([&] { A.exchange().sum(x); });
  const Costs costs = A.elements().costs_of_element();
  const auto bound = [&](double words_of_vectors) {
    return bounds.seconds(
        costs.flops * elements,
        sizeof(double) * (costs.words * elements + words_of_vectors * problem.unknowns));
  };
  result.bound = result.iterations * bound(words_of_iteration);
  result.apply_bound = bound(3);
  result.elements = static_cast<int>(elements);
  result.unknowns = static_cast<int>(problem.unknowns);
  result.nodes = nodes;
  result.points = problem.unknowns / components / nodes;
  return result;
}

/// The number of points from which on the rate is a part of the best one.
double points_at(double part, const std::vector<Measurement>& curve) {
  double best = 0;
  for (const Measurement& m : curve) best = std::max(best, m.rate());
  std::size_t i = 0;
  while (curve[i].rate() < part * best) ++i;
  if (i == 0) return curve[0].points;
  const double below = curve[i - 1].rate(), above = curve[i].rate();
  const double t = (part * best - below) / (above - below);
  return curve[i - 1].points * std::pow(curve[i].points / curve[i - 1].points, t);
}

void print(const BakeoffProblem& problem, int order, const Measurement& m, std::FILE* csv) {
  const double gdofs = 1e-9 * m.rate(), percent = 100 * m.bound / m.seconds;
  const double apply_gdofs = 1e-9 * m.unknowns / m.apply_seconds / m.nodes;
  const double apply_percent = 100 * m.apply_bound / m.apply_seconds;
  std::printf("%5d %8d %9.0f %9d %9.1e %10.4f %10.4f %6.1f %% %10.4f %6.1f %%%s\n", order,
              m.elements, m.points, m.unknowns, m.residual, 1e3 * m.seconds / m.iterations, gdofs,
              percent, apply_gdofs, apply_percent,
              remark_on_percent(std::max(percent, apply_percent)));
  std::fflush(stdout);
  if (csv != nullptr)
    std::fprintf(csv, "%s,%d,%d,%.0f,%d,%d,%.6e,%.5f,%.1f,%.5f,%.1f,%.6e,%.10e\n", problem.name,
                 order, m.elements, m.points, m.unknowns, m.iterations, m.seconds, gdofs, percent,
                 apply_gdofs, apply_percent, m.exchange_seconds, m.residual);
}

void print_header(const BakeoffProblem& problem, const MachineBounds& bounds, const Ranks& ranks) {
  std::printf("CEED's %s: %s, %d component%s, %s points in a direction; %d rank%s\n", problem.name,
              problem.form == Form::mass ? "mass" : "Poisson", problem.components,
              problem.components == 1 ? "" : "s",
              problem.form == Form::collocated_poisson ? "p + 1 Gauss-Lobatto" : "p + 2 Gauss",
              ranks.size(), ranks.size() == 1 ? "" : "s");
  bounds.print();
  print_transport(ranks);
  std::printf(
      "Rates are unknowns x iterations / (compute nodes x seconds), 10^9 per second (GDOF/s).\n\n"
      "                 points                      ms an   CG                  operator\n"
      "order elements   a node  unknowns  residual  iteration     GDOF/s of bound     GDOF/s of "
      "bound\n");
}

}  // namespace

void run_bakeoff(const BakeoffOptions& options, const Ranks& ranks) {
  const BakeoffProblem& problem = options.problem;
  std::vector<ElementOrder> orders = compiled_orders(problem.form);
  if (options.order)
    std::erase_if(orders, [&](const ElementOrder& of) { return of.order != *options.order; });
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> csv(nullptr, std::fclose);
  ranks.together([&] {
    if (orders.empty())
      throw std::invalid_argument("option --order: " + std::string(problem.name) +
                                  " was compiled without order " + std::to_string(*options.order) +
                                  " (KokkosContract_BAKEOFF_ORDERS of CMake)");
    for (const ElementOrder& order : orders)
      if (sizes(options, order.order, ranks).empty())
        throw std::invalid_argument("option --unknowns: no mesh has so few");
    if (options.csv.empty() || !ranks.is_first()) return;
    csv.reset(std::fopen(options.csv.c_str(), "w"));
    if (!csv) throw std::runtime_error(options.csv + ": cannot write this file");
    std::fprintf(csv.get(),
                 "problem,order,elements,points,unknowns,iterations,seconds,gdofs,of_bound,"
                 "operator_gdofs,operator_of_bound,exchange_seconds,residual\n");
  });
  const MachineBounds bounds = measure_bounds_of_all(ranks);
  print_header(problem, bounds, ranks);
  for (const ElementOrder& order : orders) {
    std::vector<Measurement> curve;
    for (const Size& size : sizes(options, order.order, ranks)) {
      curve.push_back(measure(size, order, options, bounds, ranks));
      print(problem, order.order, curve.back(), csv.get());
    }
    const auto best =
        std::max_element(curve.begin(), curve.end(),
                         [](const auto& a, const auto& b) { return a.rate() < b.rate(); });
    std::printf("  order %d: best %.4f GDOF/s at %.0f points a node; 80 %% of it from %.0f on\n",
                order.order, 1e-9 * best->rate(), best->points, points_at(0.8, curve));
  }
  ranks.together([&] {
    if (csv && (std::ferror(csv.get()) != 0 || std::fflush(csv.get()) != 0))
      throw std::runtime_error(options.csv + ": cannot write this file");
  });
}

}  // namespace example
