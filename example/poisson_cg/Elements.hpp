// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "../fused_element_pipeline/Basis.hpp"
#include "../fused_element_pipeline/Refinement.hpp"
#include "Numbering.hpp"

namespace example {

/// What is solved: -div grad u = f with this solution, whose f is a multiple of it.
KOKKOS_INLINE_FUNCTION double exact_solution(double x, double y, double z) {
  return Kokkos::cos(3 * x + 0.7) * Kokkos::sin(2 * y + 0.3) * Kokkos::exp(z);
}
inline constexpr double source_factor = 3 * 3 + 2 * 2 - 1;

/// Hexahedra of order Order: (Order + 1)^3 nodes at Gauss-Lobatto points, the unknowns, and
/// (Order + 2)^3 Gauss points, where integrands are evaluated. All kernels; the host sees
/// functions that start them.
///
/// A team works on a group of elements. On a host these are the lanes of a pack, so that every
/// instruction does the same for all of them; a GPU's team has several small ones in a batch. Both
/// come from one source: the values are packs or numbers, and `e` is a letter of the batch.
template <int Order>
class Elements {
 public:
  using Space = Kokkos::DefaultExecutionSpace;
  using Member = Kokkos::TeamPolicy<Space>::member_type;
  using Vector = Kokkos::View<double*, Space>;

  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  static constexpr int N = Order + 1;  ///< nodes in a direction
  static constexpr int Q = Order + 2;  ///< points in a direction
  static constexpr int lanes = on_host ? KokkosContract::default_pack_length<double, Space> : 1;
  static constexpr int threads = 128;  ///< of a GPU's team
  static constexpr int batch =
      on_host ? 1 : std::max(1, std::min(threads / (Q * Q), 800 / (Q * Q * Q)));
  static constexpr int in_group = lanes * batch;
  using Value = std::conditional_t<on_host, KokkosContract::Pack<double, lanes>, double>;

  Elements(const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering);

  int groups() const { return map_.extent_int(0); }
  Vector new_vector(const std::string& name) const { return Vector(name, nodes_ + 1); }

  /// y += A x of some groups of elements: of all, or of those of one process.
  void apply(const Vector& x, const Vector& y, int first_group, int last_group) const {
    Elements part = *this;
    part.x_ = x;
    part.y_ = y;
    part.first_group_ = first_group;
    run<Apply>(part, last_group - first_group, apply_bytes);
  }
  void apply(const Vector& x, const Vector& y) const { apply(x, y, 0, groups()); }

  /// y += the diagonal of A
  void add_diagonal(const Vector& y) const { start<Diagonal>(y, y); }
  /// y += the integrals of f times each basis function
  void add_load(const Vector& y) const { start<Load>(y, y); }
  /// The L2 norm of x - u, divided by that of u
  double relative_error(const Vector& x) const;

  /// Words of memory that an application has to read, without x and y, for each element: the
  /// metric, and half a word a node for its number.
  static constexpr double words_of_element = 6.0 * Q * Q * Q + 0.5 * N * N * N;
  /// Additions and multiplications of an element.
  static constexpr double flops_of_element = 4.0 * (Q * N * N * N + Q * Q * N * N + Q * Q * Q * N) +
                                             12.0 * Q * Q * Q * Q + 15.0 * Q * Q * Q;

  // --- Kernels. (Public, because CUDA wants them so.) ---

  struct Fill {};
  struct Geometry {};
  struct Pad {};
  struct Apply {};
  struct Diagonal {};
  struct Load {};
  struct Error {};

  template <class Data>
  using Scratch = Kokkos::View<Data, Kokkos::LayoutRight, Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using AtNodes = Scratch<Value[batch][N][N][N]>;
  using AtPoints = Scratch<Value[batch][Q][Q][Q]>;
  using VectorAtPoints = Scratch<Value[batch][3][Q][Q][Q]>;

  static constexpr std::size_t bytes_at_nodes = sizeof(Value) * batch * N * N * N;
  static constexpr std::size_t bytes_at_points = sizeof(Value) * batch * Q * Q * Q;
  static constexpr std::size_t apply_bytes = 4 * (bytes_at_points + 64);
  static constexpr std::size_t setup_bytes = 18 * (bytes_at_points + 64);

  // [apply]
  /// Element by element y += B^T G^T W G B x, where B interpolates to the points, G differentiates
  /// there, and W is the metric: the transformation of the gradients, times the weights.
  KOKKOS_FUNCTION void operator()(Apply, const Member& team) const {
    using namespace KokkosContract;
    const int group = first_group_ + team.league_rank();
    const auto u = take<AtPoints>(team), gx = take<AtPoints>(team), gy = take<AtPoints>(team),
               gz = take<AtPoints>(team);
    // gx, and gy with gz, are not in use at the beginning and at the end
    const auto v = packed(AtNodes(gx.data()));
    const KokkosContract::Scratch spare{gy.data(), 2 * bytes_at_points};
    const auto B = packed(B_);
    const auto G = packed(G_);
    const Transform transform{&metric_(group, 0, 0, 0, 0, 0), gx.data(), gy.data()};

    gather(team, group, x_, v.data());
    TeamContract<"xa,yb,zc,eabc->exyz">::invoke(team, spare, 1.0, B, B, B, v, 0.0, u);
    TeamContract<"xr,eryz->exyz">::invoke(team, 1.0, G, u, 0.0, gx);
    TeamContract<"yr,exrz->exyz">::invoke(team, 1.0, G, u, 0.0, gy);
    TeamContract<"zr,exyr->exyz">::invoke(team, 1.0, G, u, 0.0, gz, transform);
    TeamContract<"rx,eryz->exyz">::invoke(team, 1.0, G, gx, 0.0, u);
    TeamContract<"ry,exrz->exyz">::invoke(team, 1.0, G, gy, 1.0, u);
    TeamContract<"rz,exyr->exyz">::invoke(team, 1.0, G, gz, 1.0, u);
    TeamContract<"xa,yb,zc,exyz->eabc">::invoke(team, spare, 1.0, B, B, B, u, 0.0, v);
    scatter(team, group, v.data(), y_);
  }

  /// The epilogue of the last derivative, while that is in registers: all three become W times
  /// them. (Of the three the one along z, which comes by the points in the metric's order, nearly.)
  struct Transform {
    const Value* metric;
    Value *gx, *gy;
    KOKKOS_FUNCTION Value operator()(const Value& dz, int e, int x, int y, int z) const {
      constexpr int points = Q * Q * Q;
      const int q = (x * Q + y) * Q + z;
      const Value* w = metric + 6 * points * e + q;
      Value& x_of_q = gx[points * e + q];
      Value& y_of_q = gy[points * e + q];
      const Value dx = x_of_q, dy = y_of_q;
      x_of_q = w[0] * dx + w[points] * dy + w[2 * points] * dz;
      y_of_q = w[points] * dx + w[3 * points] * dy + w[4 * points] * dz;
      return w[2 * points] * dx + w[4 * points] * dy + w[5 * points] * dz;
    }
  };
  // [/apply]

  /// Positions, weights and metric at the points.
  KOKKOS_FUNCTION void operator()(Geometry, const Member& team) const {
    using namespace KokkosContract;
    using Kokkos::ALL;
    const int group = team.league_rank();
    const auto X = Kokkos::subview(corners_, group, ALL, ALL, ALL, ALL, ALL);
    const VectorAtPoints J[3] = {VectorAtPoints(team.team_scratch(scratch_level_)),
                                 VectorAtPoints(team.team_scratch(scratch_level_)),
                                 VectorAtPoints(team.team_scratch(scratch_level_))};
    const auto spare = team.team_scratch(scratch_level_);
    using Interpolate = TeamContract<"xa,yb,zc,eabci->eixyz">;
    Interpolate::invoke(team, spare, 1.0, X1_, X1_, X1_, X, 0.0,
                        Kokkos::subview(position_, group, ALL, ALL, ALL, ALL, ALL));
    Interpolate::invoke(team, spare, 1.0, dX1_, X1_, X1_, X, 0.0, J[0]);
    Interpolate::invoke(team, spare, 1.0, X1_, dX1_, X1_, X, 0.0, J[1]);
    Interpolate::invoke(team, spare, 1.0, X1_, X1_, dX1_, X, 0.0, J[2]);

    for_each_point(team, [&](int e, int x, int y, int z) {
      // x is the third direction of the mesh's hexahedra, z the first.
      const auto cross = [&](int d, int a, int b) -> Value {
        const int i = (d + 1) % 3, j = (d + 2) % 3;
        return J[a](e, i, x, y, z) * J[b](e, j, x, y, z) -
               J[a](e, j, x, y, z) * J[b](e, i, x, y, z);
      };
      Value normal[3][3];  // row d: the gradient of direction d, times det J
      for (int i = 0; i < 3; ++i) {
        normal[0][i] = cross(i, 2, 1);
        normal[1][i] = cross(i, 0, 2);
        normal[2][i] = cross(i, 1, 0);
      }
      Value det = normal[0][0] * J[0](e, 0, x, y, z);
      for (int i = 1; i < 3; ++i) det = det + normal[0][i] * J[0](e, i, x, y, z);
      const Value weight(w_(x) * w_(y) * w_(z));
      weight_(group, e, x, y, z) = weight * det;
      int m = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++m) {
          Value sum = normal[a][0] * normal[b][0];
          for (int i = 1; i < 3; ++i) sum = sum + normal[a][i] * normal[b][i];
          metric_(group, e, m, x, y, z) = weight * sum / det;
        }
    });
  }

  // [diagonal]
  /// The diagonal of B^T G^T W G B: six sums over the points, by products of the basis functions'
  /// values and slopes, squared or mixed.
  KOKKOS_FUNCTION void operator()(Diagonal, const Member& team) const {
    using namespace KokkosContract;
    using Kokkos::ALL;
    const int group = team.league_rank();
    const auto v = take<AtNodes>(team);
    const auto spare = team.team_scratch(scratch_level_);
    int m = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b, ++m) {
        const auto factor = [&](int d) {
          return Kokkos::subview(squares_, (a == d) + (b == d), ALL, ALL);
        };
        TeamContract<"xa,yb,zc,exyz->eabc">::invoke(
            team, spare, a == b ? 1.0 : 2.0, factor(0), factor(1), factor(2),
            Kokkos::subview(metric_, group, ALL, m, ALL, ALL, ALL), m == 0 ? 0.0 : 1.0, v);
      }
    scatter(team, group, v.data(), y_);
  }
  // [/diagonal]

  KOKKOS_FUNCTION void operator()(Load, const Member& team) const {
    using namespace KokkosContract;
    using Kokkos::ALL;
    const int group = team.league_rank();
    const auto v = take<AtNodes>(team);
    const auto f = take<AtPoints>(team);
    const auto spare = team.team_scratch(scratch_level_);
    for_each_point(team, [&](int e, int x, int y, int z) {
      f(e, x, y, z) =
          weight_(group, e, x, y, z) * Value(source_factor) * exact_at(group, e, x, y, z);
    });
    TeamContract<"xa,yb,zc,exyz->eabc">::invoke(team, spare, 1.0, B_, B_, B_, f, 0.0, v);
    scatter(team, group, v.data(), y_);
  }

  /// Adds the integral of (share_ x - u)^2.
  KOKKOS_FUNCTION void operator()(Error, const Member& team, double& sum) const {
    using namespace KokkosContract;
    const int group = team.league_rank();
    const auto v = take<AtNodes>(team);
    const auto u = take<AtPoints>(team);
    const auto spare = team.team_scratch(scratch_level_);
    gather(team, group, x_, v.data());
    TeamContract<"xa,yb,zc,eabc->exyz">::invoke(team, spare, share_, B_, B_, B_, v, 0.0, u);
    double sum_of_group = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, batch * Q * Q * Q),
        [&](int i, double& s) {
          const int z = i % Q, y = i / Q % Q, x = i / Q / Q % Q, e = i / Q / Q / Q;
          const Value difference = u.data()[i] - exact_at(group, e, x, y, z);
          const Value square = weight_(group, e, x, y, z) * difference * difference;
          for (int l = 0; l < lanes; ++l) s += lane(square, l);
        },
        sum_of_group);
    Kokkos::single(Kokkos::PerTeam(team), [&] { sum += sum_of_group; });
  }

  /// Nodes and geometry of element i, among the lanes and the batch of its group. The last group is
  /// filled up with copies of the last element, that count for nothing.
  KOKKOS_FUNCTION void operator()(Fill, int i) const {
    const int group = i / in_group, e = i % in_group / lanes, l = i % lanes;
    const int elements = geometry_.extent_int(0);
    const int element = Kokkos::min(i, elements - 1);
    for (int g = 0; g < 27; ++g)
      for (int c = 0; c < 3; ++c)
        lane(corners_(group, e, g / 9, g / 3 % 3, g % 3, c), l) = geometry_(element, g, c);
    constexpr int nodes = N * N * N;
    for (int n = 0; n < nodes; ++n) {
      const auto at = static_cast<std::size_t>(element) * nodes + n;
      map_(group, e * nodes + n, l) = i < elements ? numbers_(at) : nodes_;
    }
  }
  KOKKOS_FUNCTION void operator()(Pad, int i) const {
    const int group = i / in_group, e = i % in_group / lanes, l = i % lanes;
    for (int q = 0; q < Q * Q * Q; ++q) {
      const int x = q / Q / Q, y = q / Q % Q, z = q % Q;
      lane(weight_(group, e, x, y, z), l) = 0;
      for (int m = 0; m < 6; ++m) lane(metric_(group, e, m, x, y, z), l) = 0;
    }
  }

 private:
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto& lane(T& value, [[maybe_unused]] int l) {
    if constexpr (on_host) {
      return value[l];
    } else {
      return value;
    }
  }

  /// The same array, known to be without gaps (a View may be padded).
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static auto packed(const View& view) {
    if constexpr (!on_host) {
      return view;
    } else if constexpr (View::rank() == 2) {
      return KokkosContract::fix_packed<View::static_extent(0), View::static_extent(1)>(view);
    } else {
      return KokkosContract::fix_packed<View::static_extent(0), View::static_extent(1),
                                        View::static_extent(2), View::static_extent(3)>(view);
    }
  }

  /// Scratch memory for values at the nodes or at the points
  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION auto take(const Member& team) const {
    return packed(View(team.team_scratch(scratch_level_)));
  }

  KOKKOS_FUNCTION Value exact_at(int group, int e, int x, int y, int z) const {
    Value result;
    for (int l = 0; l < lanes; ++l) {
      const auto at = [&](int d) { return lane(position_(group, e, d, x, y, z), l); };
      lane(result, l) = exact_solution(at(0), at(1), at(2));
    }
    return result;
  }

  template <class F>
  KOKKOS_FUNCTION static void for_each_point(const Member& team, const F& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch * Q * Q * Q),
                         [&](int i) { f(i / Q / Q / Q, i / Q / Q % Q, i / Q % Q, i % Q); });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void gather(const Member& team, int group, const Vector& x, Value* v) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch * N * N * N), [&](int i) {
      for (int l = 0; l < lanes; ++l) lane(v[i], l) = x(map_(group, i, l));
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void scatter(const Member& team, int group, const Value* v,
                               const Vector& y) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch * N * N * N), [&](int i) {
      for (int l = 0; l < lanes; ++l) {
        if (on_host && !several_threads_) {
          y(map_(group, i, l)) += lane(v[i], l);
        } else {
          Kokkos::atomic_add(&y(map_(group, i, l)), lane(v[i], l));
        }
      }
    });
  }

  /// On a host one thread a team: its lanes are the elements. Scratch memory is the fast one if
  /// that leaves enough for what the contractions keep there.
  template <class Kernel, class Pattern = Kokkos::ParallelForTag>
  static auto policy(Elements& kernel, int league, std::size_t bytes) {
    Kokkos::TeamPolicy<Space, Kernel> policy(league, on_host ? 1 : threads, 1);
    const auto per_team = Kokkos::PerTeam(static_cast<int>(bytes));
    kernel.scratch_level_ = 1;
    if (static_cast<int>(bytes) <= policy.scratch_size_max(0)) {
      kernel.scratch_level_ = 0;
      Kokkos::TeamPolicy<Space, Kernel> fast(league, 1, 1);
      fast.set_scratch_size(0, per_team);
      if (!on_host && fast.team_size_max(kernel, Pattern()) < threads) kernel.scratch_level_ = 1;
    }
    policy.set_scratch_size(kernel.scratch_level_, per_team);
    return policy;
  }
  template <class Kernel>
  static void run(Elements& kernel, int league, std::size_t bytes) {
    Kokkos::parallel_for("Elements", policy<Kernel>(kernel, league, bytes), kernel);
  }
  template <class Kernel>
  void start(const Vector& x, const Vector& y) const {
    Elements kernel = *this;
    kernel.x_ = x;
    kernel.y_ = y;
    run<Kernel>(kernel, groups(), setup_bytes);
  }

  // One-dimensional tables
  DeviceArray<double[Q]> w_;      // weights of the points
  DeviceArray<double[Q][N]> B_;   // basis functions at the points
  DeviceArray<double[Q][Q]> G_;   // derivatives at the points of what has given values there
  DeviceArray<double[Q][3]> X1_;  // the geometry's functions at the points, and derivatives
  DeviceArray<double[Q][3]> dX1_;
  DeviceArray<double[3][Q][N]> squares_;  // B B, B G B, (G B)^2

  // Of all groups of elements
  DeviceArray<Value* [batch][3][3][3][3]> corners_;  // nodes of the geometry
  DeviceArray<Value* [batch][3][Q][Q][Q]> position_;
  DeviceArray<Value* [batch][Q][Q][Q]> weight_;        // w det J
  DeviceArray<Value* [batch][6][Q][Q][Q]> metric_;     // w det J J^-1 J^-T: xx, xy, xz, yy, yz, zz
  DeviceArray<int * [batch * N * N * N][lanes]> map_;  // numbers of the nodes
  DeviceArray<double* [27][3]> geometry_;              // in the constructor
  Kokkos::View<const int*, Space> numbers_;
  int nodes_ = 0;  // entry nodes_ of a vector is that of elements that fill up the last group
  bool several_threads_ = Space().concurrency() > 1;

  // Of a kernel
  Vector x_, y_;
  double share_ = 1;
  int first_group_ = 0;
  int scratch_level_ = 1;
};

/// Copies a table to the device.
template <class View>
void copy_table(const Table& table, const View& view) {
  const auto host = Kokkos::create_mirror_view(view);
  for (int i = 0; i < table.rows(); ++i)
    for (int j = 0; j < table.columns(); ++j) host(i, j) = table(i, j);
  Kokkos::deep_copy(view, host);
}

template <int Order>
Elements<Order>::Elements(const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering)
    : w_("w"),
      B_("B"),
      G_("G"),
      X1_("X1"),
      dX1_("dX1"),
      squares_("squares"),
      nodes_(numbering.nodes) {
  const Quadrature rule = gauss_legendre(Q);
  const auto nodes = gauss_lobatto_points(Order);
  const Table basis = lagrange(nodes, rule.points), slope = lagrange_derivative(nodes, rule.points);
  copy_table(basis, B_);
  copy_table(lagrange_derivative(rule.points, rule.points), G_);
  copy_table(lagrange({-1, 0, 1}, rule.points), X1_);
  copy_table(lagrange_derivative({-1, 0, 1}, rule.points), dX1_);
  const auto w = Kokkos::create_mirror_view(w_);
  const auto squares = Kokkos::create_mirror_view(squares_);
  for (int q = 0; q < Q; ++q) {
    w(q) = rule.weights[q];
    for (int i = 0; i < N; ++i) {
      squares(0, q, i) = basis(q, i) * basis(q, i);
      squares(1, q, i) = basis(q, i) * slope(q, i);
      squares(2, q, i) = slope(q, i) * slope(q, i);
    }
  }
  Kokkos::deep_copy(w_, w);
  Kokkos::deep_copy(squares_, squares);

  const int elements = geometry.extent_int(0);
  const int groups = (elements + in_group - 1) / in_group;
  const auto without = [](const std::string& name) {
    return Kokkos::view_alloc(name, Kokkos::WithoutInitializing);
  };
  corners_ = decltype(corners_)(without("corners"), groups);
  position_ = decltype(position_)(without("position"), groups);
  weight_ = decltype(weight_)(without("weight"), groups);
  metric_ = decltype(metric_)(without("metric"), groups);
  map_ = decltype(map_)(without("map"), groups);
  geometry_ = geometry;
  numbers_ = Kokkos::create_mirror_view_and_copy(Space(), numbering.map());
  Kokkos::parallel_for("Elements: fill", Kokkos::RangePolicy<Space, Fill>(0, groups * in_group),
                       *this);
  run<Geometry>(*this, groups, setup_bytes);
  Kokkos::parallel_for("Elements: pad",
                       Kokkos::RangePolicy<Space, Pad>(elements, groups * in_group), *this);
  geometry_ = {};
  numbers_ = {};
  corners_ = {};
}

template <int Order>
double Elements<Order>::relative_error(const Vector& x) const {
  Elements kernel = *this;
  kernel.x_ = x;
  const auto square = [&](double share) {
    kernel.share_ = share;
    double sum = 0;
    Kokkos::parallel_reduce("Elements: error",
                            policy<Error, Kokkos::ParallelReduceTag>(kernel, groups(), setup_bytes),
                            kernel, sum);
    return sum;
  };
  return std::sqrt(square(1) / square(0));
}

}  // namespace example
