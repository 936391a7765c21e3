// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of high-order finite elements as contractions: equations (4) to (7) of Abdelfattah et
// al., "High-Performance Tensor Contractions for GPUs" (2016). The elements are products of
// intervals. Poisson's equation and fields of vectors are added. Some elements are checked against
// sums over all points and unknowns, and a table shows how fast each operator is.
//
//     B(x, a)   basis function a of an interval at point x; G(x, a) its derivative there
//     D         a number for each point of an element: weight, density, determinant of its map
//     V, U      numbers for each basis function of an element

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "../Example.hpp"
#include "../MachineBounds.hpp"
#include "../Options.hpp"
#include "../fused_element_pipeline/Basis.hpp"
#include "Operations.hpp"

using example::entry, example::Hexahedron, example::Member, example::Quadrilateral, example::Table,
    example::Work;
using Kokkos::ALL, Kokkos::subview;
using KokkosContract::pointwise, KokkosContract::require_success, KokkosContract::team_policy,
    KokkosContract::TeamContract, KokkosContract::uses;

/// Memory that the host and the device can use. An element's numbers are contiguous.
template <class T>
using Array = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::SharedSpace>;

constexpr const char* usage =
    R"(Kernels of finite elements: checks them and prints how fast they are.
  --elements N   how many elements (as many as have 1 GiB of data on a GPU, 64 MiB on a host)
  --repeat N     the best time of so many (5)
The bound is the longer of two times: the operations of sum factorisation at the FMA peak, and
inputs and outputs, each moved once, at the triad bandwidth.
)";
// A GPU needs many teams at a time.
constexpr double default_words = (example::on_host ? 64.0 : 1024.0) * (1 << 20) / sizeof(double);

struct Options {
  int elements = 0, repeat = 5;  // 0: from the size of their data

  int elements_of(int words) const {
    return elements > 0 ? elements : static_cast<int>(default_words / words);
  }
};

/// Kokkos::parallel_for that measures how long each kernel takes.
class Timings {
 public:
  explicit Timings(int repeat) : repeat_(repeat) {}

  /// One team per element, with this much work each.
  template <class Kernel>
  void parallel_for(const std::string& name, const Work& work, const Kokkos::TeamPolicy<>& teams,
                    const Kernel& kernel) {
    const auto launch = [&] { Kokkos::parallel_for(name, teams, kernel); };
    launch();  // to warm up
    rows_.push_back({name, example::shortest_of(repeat_, launch), work, teams.league_size()});
  }

  void print(const example::MachineBounds& bounds) const {
    constexpr int width = 32;
    bounds.print();
    example::print_rates_header(width);
    for (const Row& row : rows_)
      example::print_rates(width, row.name.c_str(), row.seconds, row.work, row.elements, bounds);
  }

 private:
  struct Row {
    std::string name;
    double seconds;
    Work work;
    int elements;
  };
  int repeat_;
  std::vector<Row> rows_;
};

/// Sets element i of view(e, ...) to number(e, i).
template <class View, class Number>
void fill(const View& view, const Number& number) {
  const int size = static_cast<int>(view.size() / view.extent(0));
  double* const data = view.data();
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>(0, view.size()),
      KOKKOS_LAMBDA(std::int64_t i) {
        data[i] = number(static_cast<int>(i / size), static_cast<int>(i % size));
      });
}

/// The elements that are checked. Checking all of them would take much longer than the kernels.
std::set<int> samples(int elements) { return {0, elements / 2, elements - 1}; }

/// The tables of an interval, and a basis of a square or cube that is built from them. i and q
/// number all functions and points, the last direction fastest.
template <int Order>
struct Interval {
  static constexpr int nd = Order + 1, nq = Order + 2;
  Array<double[nq][nd]> B{"B"}, G{"G"};

  Interval() {
    const auto points = example::gauss_legendre(nq).points;
    const auto nodes = example::gauss_lobatto_points(Order);
    const Table value = example::lagrange(nodes, points);
    const Table slope = example::lagrange_derivative(nodes, points);
    for (int q = 0; q < nq; ++q)
      for (int i = 0; i < nd; ++i) {
        B(q, i) = value(q, i);
        G(q, i) = slope(q, i);
      }
  }

  /// Function i at point q in `dims` dimensions, or its derivative along direction d.
  double basis(int dims, int q, int i, int d = -1) const {
    double product = 1;
    for (int k = dims - 1; k >= 0; --k, q /= nq, i /= nd)
      product *= k == d ? G(q % nq, i % nd) : B(q % nq, i % nd);
    return product;
  }
};

/// The largest difference from a reference, relative to the largest number in it.
class Difference {
 public:
  void add(double value, double expected) {
    difference_ = example::worse(difference_, std::abs(value - expected));
    largest_ = example::worse(largest_, std::abs(expected));
  }
  int check(const std::string& what, int order) const {
    return example::check((what + ", order " + std::to_string(order)).c_str(),
                          difference_ / largest_);
  }

 private:
  double difference_ = 0, largest_ = 1e-300;
};

// --- Two dimensions ---

template <int Order, int nd = Order + 1, int nq = Order + 2>
int square(const Interval<Order>& interval, const Options& options, Timings& timings) {
  constexpr int n = nd * nd, points = nq * nq;
  const std::string order = ", order " + std::to_string(Order);
  const int elements = options.elements_of(points + 2 * n);
  const int matrices = options.elements_of(points + n * n);
  const auto B = interval.B;
  const Array<double* [nq][nq]> D("D", elements);
  const Array<double* [nd][nd]> V("V", elements), U("U", elements);
  const Array<double* [nd][nd][nd][nd]> M("M", matrices);
  fill(D, KOKKOS_LAMBDA(int e, int q) { return 1.5 + entry(e, q); });
  fill(V, KOKKOS_LAMBDA(int e, int i) { return entry(i, e); });
  using Element = Quadrilateral<Order>;
  const Work assembly{Element::assembly_flops, points + n * n};
  const Work action{Element::mass_flops, points + 2 * n};

  // [two-dimensions]
  // (4) M(i, j; k, l) = sum over x, y of B(x, i) B(x, k) B(y, j) B(y, l) D(x, y)
  using Assemble = TeamContract<"xi,xk,yj,yl,xy->ijkl">;
  // (6) U(i, j) = sum of B(x, i) B(y, j) D(x, y) B(x, k) B(y, l) V(k, l)
  using Act = TeamContract<"xi,yj,xy,xk,yl,kl->ij">;
  const auto D_0 = subview(D, 0, ALL, ALL);
  const auto V_0 = subview(V, 0, ALL, ALL);
  const auto M_0 = subview(M, 0, ALL, ALL, ALL, ALL);
  const Kokkos::DefaultExecutionSpace space;
  timings.parallel_for(
      "(4) mass matrix in 2-D" + order, assembly,
      team_policy<Assemble>(space, matrices, B, B, B, B, D_0, M_0).policy,
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        require_success(Assemble::invoke(team, team.team_scratch(0), 1.0, B, B, B, B,
                                         subview(D, e, ALL, ALL), 0.0,
                                         subview(M, e, ALL, ALL, ALL, ALL)));
      });
  timings.parallel_for(
      "(6) its action in 2-D" + order, action,
      team_policy<Act>(space, elements, B, B, D_0, B, B, V_0, V_0).policy,
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        require_success(Act::invoke(team, team.team_scratch(0), 1.0, B, B, subview(D, e, ALL, ALL),
                                    B, B, subview(V, e, ALL, ALL), 0.0, subview(U, e, ALL, ALL)));
      });
  // [/two-dimensions]

  Difference assembled, acted;
  const auto mass = [&](int e, int i, int k) {
    double sum = 0;
    for (int q = 0; q < points; ++q)
      sum += interval.basis(2, q, i) * interval.basis(2, q, k) * (&D(e, 0, 0))[q];
    return sum;
  };
  for (const int e : samples(matrices))
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) assembled.add((&M(e, 0, 0, 0, 0))[i * n + k], mass(e, i, k));
  for (const int e : samples(elements))
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += mass(e, i, k) * (&V(e, 0, 0))[k];
      acted.add((&U(e, 0, 0))[i], sum);
    }
  return assembled.check("(4) mass matrix in 2-D", Order) +
         acted.check("(6) its action in 2-D", Order);
}

// --- Three dimensions ---

/// Multiplies the value at a point by a number of the point.
template <class View>
struct Times {
  View factor;
  template <class... Indices>
  KOKKOS_FUNCTION double operator()(double value, int x, int y, int z, Indices...) const {
    return value * factor(x, y, z);
  }
};

template <int Order, int nd = Order + 1, int nq = Order + 2>
int cube(const Interval<Order>& interval, const Options& options, Timings& timings) {
  constexpr int n = nd * nd * nd, points = nq * nq * nq;
  const std::string order = ", order " + std::to_string(Order);
  const int elements = options.elements_of(points + 6 * n);
  const int matrices = options.elements_of(points + n * n);
  const auto B = interval.B;
  const Array<double* [nq][nq][nq]> D("D", elements);
  const Array<double* [nd][nd][nd]> V("V", elements), U("U", elements);
  const Array<double* [nd][nd][nd][3]> V3("V3", elements), U3("U3", elements);
  const Array<double* [nd][nd][nd][nd][nd][nd]> M("M", matrices);
  fill(D, KOKKOS_LAMBDA(int e, int q) { return 1.5 + entry(e, q); });
  fill(V, KOKKOS_LAMBDA(int e, int i) { return entry(i, e); });
  fill(V3, KOKKOS_LAMBDA(int e, int i) { return entry(i, e, 1); });
  using Element = Hexahedron<Order>;
  const Work assembly{Element::assembly_flops, points + n * n};
  const Work action{Element::mass_flops, points + 2 * n};
  const Work action_on_vectors{3 * Element::mass_flops, points + 6 * n};

  // [mass]
  // (5) M(i, j, k; l, m, n) = sum over x, y, z of B(x, i) B(x, l) B(y, j) B(y, m) ... D(x, y, z)
  using Assemble = TeamContract<"xi,xl,yj,ym,zk,zn,xyz->ijklmn">;
  // (7) U = B^T D B V; the product with D is done while B V is in registers
  using Act = TeamContract<"xa,yb,zc,abc,xi,yj,zk->ijk">;
  // U = B^T D B V for a field of vectors, whose components are v
  using ActOnVectors = TeamContract<"xa,yb,zc,abcv,xi,yj,zk->ijkv">;
  using Weigh = Times<decltype(subview(D, 0, ALL, ALL, ALL))>;

  const auto D_0 = subview(D, 0, ALL, ALL, ALL);
  const auto V_0 = subview(V, 0, ALL, ALL, ALL);
  const auto V3_0 = subview(V3, 0, ALL, ALL, ALL, ALL);
  const auto M_0 = subview(M, 0, ALL, ALL, ALL, ALL, ALL, ALL);
  const Kokkos::DefaultExecutionSpace space;
  timings.parallel_for(
      "(5) mass matrix in 3-D" + order, assembly,
      team_policy<Assemble>(space, matrices, B, B, B, B, B, B, D_0, M_0).policy,
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        require_success(Assemble::invoke(team, team.team_scratch(0), 1.0, B, B, B, B, B, B,
                                         subview(D, e, ALL, ALL, ALL), 0.0,
                                         subview(M, e, ALL, ALL, ALL, ALL, ALL, ALL)));
      });
  timings.parallel_for(
      "(7) its action in 3-D" + order, action,
      team_policy<Act>(space, elements, B, B, B, V_0, B, B, B, V_0)
          .policy.set_scratch_size(
              0, Kokkos::PerTeam(
                     Act::scratch_bytes(B, B, B, V_0, pointwise<"xyz">(Weigh{D_0}), B, B, B, V_0))),
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const Weigh weigh{subview(D, e, ALL, ALL, ALL)};
        require_success(Act::invoke(team, team.team_scratch(0), 1.0, B, B, B,
                                    subview(V, e, ALL, ALL, ALL), pointwise<"xyz">(weigh), B, B, B,
                                    0.0, subview(U, e, ALL, ALL, ALL)));
      });
  timings.parallel_for(
      "(7) on vectors" + order, action_on_vectors,
      team_policy<ActOnVectors>(space, elements, B, B, B, V3_0, B, B, B, V3_0)
          .policy.set_scratch_size(
              0, Kokkos::PerTeam(ActOnVectors::scratch_bytes(
                     B, B, B, V3_0, pointwise<"xyzv">(Weigh{D_0}), B, B, B, V3_0))),
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const Weigh weigh{subview(D, e, ALL, ALL, ALL)};
        require_success(ActOnVectors::invoke(
            team, team.team_scratch(0), 1.0, B, B, B, subview(V3, e, ALL, ALL, ALL, ALL),
            pointwise<"xyzv">(weigh), B, B, B, 0.0, subview(U3, e, ALL, ALL, ALL, ALL)));
      });
  // [/mass]

  Difference assembled, acted, acted_on_vectors;
  const auto mass = [&](int e, int i, int k) {
    double sum = 0;
    for (int q = 0; q < points; ++q)
      sum += interval.basis(3, q, i) * interval.basis(3, q, k) * (&D(e, 0, 0, 0))[q];
    return sum;
  };
  for (const int e : samples(matrices))
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        assembled.add((&M(e, 0, 0, 0, 0, 0, 0))[i * n + k], mass(e, i, k));
  for (const int e : samples(elements))
    for (int i = 0; i < n; ++i) {
      double sum = 0, sums[3] = {};
      for (int k = 0; k < n; ++k) {
        const double m = mass(e, i, k);
        sum += m * (&V(e, 0, 0, 0))[k];
        for (int v = 0; v < 3; ++v) sums[v] += m * (&V3(e, 0, 0, 0, 0))[3 * k + v];
      }
      acted.add((&U(e, 0, 0, 0))[i], sum);
      for (int v = 0; v < 3; ++v) acted_on_vectors.add((&U3(e, 0, 0, 0, 0))[3 * i + v], sums[v]);
    }
  return assembled.check("(5) mass matrix in 3-D", Order) +
         acted.check("(7) its action in 3-D", Order) +
         acted_on_vectors.check("(7) on a field of vectors", Order);
}

template <int Order, int nd = Order + 1, int nq = Order + 2>
int poisson(const Interval<Order>& interval, const Options& options, Timings& timings) {
  constexpr int n = nd * nd * nd, points = nq * nq * nq;
  const auto B = interval.B, G = interval.G;
  const int elements = options.elements_of(9 * points + 2 * n);
  // The metric of each point: a symmetric 3 x 3 matrix
  const Array<double* [3][3][nq][nq][nq]> W("W", elements);
  const Array<double* [nd][nd][nd]> V("V", elements), U("U", elements);
  fill(
      W, KOKKOS_LAMBDA(int e, int i) {
        const int d = i / points / 3, c = i / points % 3;
        return (d == c ? 2 : 0) + entry(e, i % points, d * c + d + c);
      });
  fill(V, KOKKOS_LAMBDA(int e, int i) { return entry(i, e); });
  const Work work{Hexahedron<Order>::direct_poisson_flops, 9 * points + 2 * n};

  // [poisson]
  // U = sum over directions d, c of G_d^T W(d, c) G_c V, where G_c differentiates along c
  using ScratchSpace = Member::scratch_memory_space;
  using Gradient = Kokkos::View<double[3][nq][nq][nq], ScratchSpace>;
  using Differentiate = TeamContract<"xa,yb,zc,abc->xyz">;
  using Transform = TeamContract<"dcxyz,cxyz->dxyz">;
  using Integrate = TeamContract<"xa,yb,zc,xyz->abc">;
  const auto V_0 = subview(V, 0, ALL, ALL, ALL);
  const auto point_data = subview(W, 0, 0, 0, ALL, ALL, ALL);  // has the shape of a derivative
  const auto plan = team_policy(Kokkos::DefaultExecutionSpace(), elements,
                                uses<Differentiate>(B, B, B, V_0, point_data),
                                uses<Integrate>(B, B, B, point_data, V_0),
                                KokkosContract::user_scratch{2 * Gradient::shmem_size()});
  timings.parallel_for(
      "Poisson in 3-D, order " + std::to_string(Order), work, plan.policy,
      KOKKOS_LAMBDA(const Member& team) {
        const int e = team.league_rank();
        const Gradient gradient(team.team_scratch(0)), flux(team.team_scratch(0));
        const auto scratch = team.team_scratch(0);
        const auto V_e = subview(V, e, ALL, ALL, ALL);
        const auto U_e = subview(U, e, ALL, ALL, ALL);
        for (int d = 0; d < 3; ++d) {
          require_success(Differentiate::invoke(team, scratch, 1.0, d == 0 ? G : B, d == 1 ? G : B,
                                                d == 2 ? G : B, V_e, 0.0,
                                                subview(gradient, d, ALL, ALL, ALL)));
        }
        require_success(Transform::invoke(team, 1.0, subview(W, e, ALL, ALL, ALL, ALL, ALL),
                                          gradient, 0.0, flux));
        for (int d = 0; d < 3; ++d) {
          require_success(Integrate::invoke(team, scratch, 1.0, d == 0 ? G : B, d == 1 ? G : B,
                                            d == 2 ? G : B, subview(flux, d, ALL, ALL, ALL),
                                            d == 0 ? 0.0 : 1.0, U_e));
        }
      });
  // [/poisson]

  Difference acted;
  for (const int e : samples(elements))
    for (int i = 0; i < n; ++i) {
      double action = 0;
      for (int k = 0; k < n; ++k)
        for (int d = 0; d < 3; ++d)
          for (int c = 0; c < 3; ++c)
            for (int q = 0; q < points; ++q)
              action += interval.basis(3, q, i, d) * (&W(e, d, c, 0, 0, 0))[q] *
                        interval.basis(3, q, k, c) * (&V(e, 0, 0, 0))[k];
      acted.add((&U(e, 0, 0, 0))[i], action);
    }
  return acted.check("Poisson's equation in 3-D", Order);
}

template <int Order>
int all(const Options& options, Timings& timings) {
  const Interval<Order> interval;
  return square(interval, options, timings) + cube(interval, options, timings) +
         poisson(interval, options, timings);
}

int main(int argc, char* argv[]) {
  using example::option::number;
  Options options;
  if (const auto status = example::read_options(
          argc, argv, usage,
          {{"--elements", {number(options.elements)}}, {"--repeat", {number(options.repeat)}}}))
    return *status;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  Timings timings(options.repeat);
  const example::MachineBounds bounds = example::measure_machine_bounds();
  const int failed = all<1>(options, timings) + all<3>(options, timings);
  timings.print(example::measure_machine_bounds_again(bounds));
  return failed == 0 ? 0 : 1;
}
