// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../fused_element_pipeline/Basis.hpp"
#include "Discretization.hpp"
#include "ElementGroup.hpp"

namespace example {

using KokkosContract::require_success;

/// Hexahedra of order Order. They have (Order + 1)^3 nodes at Gauss-Lobatto points, and points
/// where the form is integrated. The class has all kernels, and functions of the host that start
/// them.
///
/// A team works on an ElementGroup. Hosts and GPUs have one source: the values are packs or
/// numbers, and `e` is a letter of the batch.
///
/// A vector has all components of a node, then those of the next node. Each component has a team of
/// its own. The teams of a group follow each other, so its data come from memory once.
template <int Order, Form form>
class Elements {
 public:
  using Space = Kokkos::DefaultExecutionSpace;
  using Member = Kokkos::TeamPolicy<Space>::member_type;
  using Vector = DeviceVector;

  static constexpr int N = Order + 1;  ///< nodes in a direction
  static constexpr bool is_mass = form == Form::mass;
  static constexpr bool collocated = form == Form::collocated_poisson;
  static constexpr int Q = collocated ? N : Order + 2;  ///< points in a direction
  static constexpr int words = is_mass ? 1 : 6;         ///< of the form, at a point
  using Group = ElementGroup<Q>;
  static constexpr bool on_host = Group::on_host;
  static constexpr int lanes = Group::lanes;
  static constexpr int batch = Group::batch;
  static constexpr int in_group = Group::elements;
  using Value = Group::Value;

  Elements(const DeviceArray<double* [27][3]>& geometry, const Numbering& numbering,
           int components);

  KOKKOS_FUNCTION int groups() const { return map_.extent_int(0); }
  Vector new_vector(const std::string& name) const { return Vector(name, end_ + components_); }

  /// y += A x over the elements of some groups. Parts of x^T A x are added to the energy, if any.
  void apply(const Space& space, const Vector& x, const Vector& y, int first_group, int last_group,
             const Vector& energy) const {
    Elements part = *this;
    part.x_ = x;
    part.y_ = y;
    part.energy_ = energy;
    part.first_group_ = first_group;
    part.bytes_of_steps_ = bytes_of_steps();
    run<Apply>(part, (last_group - first_group) * components_, apply_bytes(), space);
  }

  /// y += the diagonal of A.
  void add_diagonal(const Vector& y) const { start<Diagonal>(y, y); }
  /// y += the integrals of f times each basis function.
  void add_load(const Vector& y) const { with_points().template start<Load>(y, y); }
  SquaredNorms squared_norms(const Vector& x) const;

  /// Words of memory that an application must read for each element, without x and y. They are the
  /// data of the points, and half a word per node for its number.
  static constexpr double words_of_element = 1.0 * words * Q * Q * Q + 0.5 * N * N * N;
  /// Additions and multiplications of a component of an element.
  static constexpr double flops_of_element =
      (collocated ? 0.0 : 4.0 * (Q * N * N * N + Q * Q * N * N + Q * Q * Q * N)) +
      (is_mass ? 1.0 * Q * Q * Q : 12.0 * Q * Q * Q * Q + 15.0 * Q * Q * Q);

  // --- Kernels. They are public because CUDA requires it. ---

  struct FillMap {};
  struct FillCorners {};
  struct Geometry {};
  struct Pad {};
  struct Apply {};
  struct Diagonal {};
  struct Load {};
  struct Error {};

  // Arrays in scratch memory. The rows of a GPU's points have an odd length, so that threads that
  // take one row each find their numbers in different banks.
  template <std::ptrdiff_t... Sizes>
  using Integers = std::integer_sequence<std::ptrdiff_t, Sizes...>;
  template <int M, int Row = M>
  using Lattice = KokkosContract::Strided<Value, Integers<batch, M, M, M>,
                                          Integers<M * M * Row, M * Row, Row, 1>>;
  using AtNodes = Lattice<N>;
  using AtPoints = Lattice<Q, on_host ? Q : Q | 1>;
  using VectorAtPoints = Kokkos::View<Value[batch][3][Q][Q][Q], Kokkos::LayoutRight,
                                      Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  // There is room for a number of each thread, too.
  static constexpr std::size_t bytes_at_nodes =
      std::max(sizeof(Value) * batch * N * N * N, sizeof(double) * Group::threads);
  static constexpr std::size_t bytes_at_points =
      sizeof(Value) * batch * Q * AtPoints::static_stride(1);
  // Nine arrays at the points, and two of three components between the steps of a contraction.
  // Their extents are those of the points or of the geometry's three nodes.
  static constexpr int most = std::max(Q, 3);
  static constexpr std::size_t setup_bytes =
      18 * (sizeof(Value) * batch * most * most * (most | 1) + 64);

  using Interpolate = KokkosContract::TeamContract<"eabc,yb,zc,xa->exyz">;
  using Integrate = KokkosContract::TeamContract<"exyz,xa,zc,yb->eabc">;
  // Steps of an application that are one call each. Those of a mass matrix go along y, x and z to
  // the points, and back.
  using MassSteps = KokkosContract::TeamContract<"eabc,yb,xa,zc,zt,xr,ys->erst">;
  // Those of Poisson's equation go along y, x and z; x; z, x and y.
  using FirstSteps = KokkosContract::TeamContract<"eabc,yb,xa,zc,rz->exyr">;
  using AlongX = KokkosContract::TeamContract<"eryz,xr,xs->esyz">;
  using LastSteps = KokkosContract::TeamContract<"exyr,rz,zc,xa,yb->eabc">;
  /// Scratch memory of an application, after v, or with gy and after it.
  std::size_t bytes_of_steps() const {
    using namespace KokkosContract;
    const AtPoints u(nullptr);
    const AtNodes v(nullptr);
    const auto f = pointwise<"exyz">(0);
    if constexpr (is_mass) {
      return MassSteps::scratch_bytes(v, B_, B_, B_, f, back_, back_, back_, v);
    } else {
      const auto along_x = bytes_at_points + AlongX::scratch_bytes(u, G_, f, back_, u);
      if constexpr (collocated) return along_x;
      const auto first = FirstSteps::scratch_bytes(v, B_, B_, B_, keep<"exyz">(u), G_, u);
      const auto last = LastSteps::scratch_bytes(u, G_, f, B_, B_, B_, v);
      return std::max(along_x, std::max(first, last));
    }
  }
  std::size_t apply_bytes() const {
    return (is_mass ? 0 : 2 * bytes_at_points) + bytes_at_nodes + bytes_of_steps() + 64;
  }

  /// What a team works on.
  struct Task {
    int group, component;
  };
  KOKKOS_FUNCTION Task task_of(const Member& team) const {
    const int rank = team.league_rank();
    return {first_group_ + rank / components_, rank % components_};
  }

  /// Adds B^T W B x to y, element by element. B interpolates to the points. W has the weights.
  KOKKOS_FUNCTION void operator()(Apply, const Member& team) const
    requires is_mass
  {
    using namespace KokkosContract;
    one_team_per_block(team);
    const Task task = task_of(team);
    prefetch_words(team, task);
    const auto scratch = team.team_scratch(scratch_level<Apply>());
    const auto v = take<AtNodes>(scratch);
    gather(team, v, task);
    const std::size_t first_word = words_of(task.group);
    const Value* const next_words = next_words_of(task);
    Value energy(0);
    const auto times_weight = [&](const Value& value, int e, int x, int y, int z) {
      const int q = ((e * Q + x) * Q + y) * Q + z;
      if constexpr (on_host) prefetch<2>(next_words + q);
      const Value result = constant_words_(first_word + q) * value;
      energy = energy + value * result;
      return result;
    };
    require_success(MassSteps::invoke(team, scratch, 1.0, v, B_, B_, B_,
                                      pointwise<"exyz">(times_weight), back_, back_, back_, 0.0, v,
                                      scatter(task)));
    keep_energy(team, energy, v);
    team.team_barrier();
    join_energies(team, v);
    team.team_barrier();
    add_energies(team, v);
  }

  // [apply]
  /// Adds B^T G^T W G B x to y, element by element. B interpolates to the points, and G
  /// differentiates there. W is the metric: the transformation of the gradients, times the weights.
  /// B is the identity if the points are the nodes.
  KOKKOS_FUNCTION void operator()(Apply, const Member& team) const
    requires(!is_mass)
  {
    using namespace KokkosContract;
    one_team_per_block(team);
    const Task task = task_of(team);
    prefetch_words(team, task);
    // v is before gy, so that the first and the last steps have the memory from there on.
    const auto scratch = team.team_scratch(scratch_level<Apply>());
    const auto u = take<AtPoints>(scratch), gz = take<AtPoints>(scratch);
    const auto v = take<AtNodes>(scratch);
    const auto gy = take<AtPoints>(scratch);
    const KokkosContract::Scratch from_gy{gy.data(), bytes_of_steps_},
        behind_gy{gy.data() + bytes_at_points / sizeof(Value), bytes_of_steps_ - bytes_at_points};
    const std::size_t first_word = words_of(task.group);
    const Value* const next_words = next_words_of(task);
    // While a derivative along x is in registers, all three derivatives are multiplied by W.
    Value energy(0);
    const auto transform = [&](const Value& dx, int e, int x, int y, int z) {
      const int q = ((e * 6 * Q + x) * Q + y) * Q + z;
      const auto w = [&](int m) { return constant_words_(first_word + (q + m * Q * Q * Q)); };
      if constexpr (on_host) {
        // A core prefetches what it needs next. A GPU's team has requested all of its own words.
        for (int m = 0; m < 6; ++m) prefetch<2>(next_words + q + m * Q * Q * Q);
      }
      const Value dy = gy(e, x, y, z), dz = gz(e, x, y, z);
      const Value to_y = w(1) * dx + w(3) * dy + w(4) * dz;
      const Value to_z = w(2) * dx + w(4) * dy + w(5) * dz;
      const Value to_x = w(0) * dx + w(1) * dy + w(2) * dz;
      gy(e, x, y, z) = to_y;
      gz(e, x, y, z) = to_z;
      energy = energy + dx * to_x + dy * to_y + dz * to_z;
      return to_x;
    };

    if constexpr (collocated) {
      gather(team, u, task);
      require_success(TeamContract<"exyr,zr->exyz">::invoke(team, 1.0, u, G_, 0.0, gz));
    } else {
      // Lines of points along z are kept in u and differentiated while they are in registers.
      gather(team, v, task);
      require_success(
          FirstSteps::invoke(team, from_gy, 1.0, v, B_, B_, B_, keep<"exyz">(u), G_, 0.0, gz));
    }
    require_success(TeamContract<"yr,exrz->exyz">::invoke(team, 1.0, G_, u, 0.0, gy));
    require_success(
        AlongX::invoke(team, behind_gy, 1.0, u, G_, pointwise<"exyz">(transform), back_, 0.0, u));
    keep_energy(team, energy, v);
    require_success(TeamContract<"ry,exrz->exyz">::invoke(team, 1.0, G_, gy, 1.0, u));
    join_energies(team, v);
    const auto add_others = [&](const Value& from_z, int e, int x, int y, int z) {
      return from_z + u(e, x, y, z);
    };
    if constexpr (collocated) {
      const auto add_to_y = [&](const Value& from_z, int e, int x, int y, int z) {
        scatter(task)(add_others(from_z, e, x, y, z), e, x, y, z);
      };
      require_success(TeamContract<"exyr,rz->exyz">::invoke(team, 1.0, gz, G_, 0.0, u, add_to_y));
    } else {
      require_success(LastSteps::invoke(team, from_gy, 1.0, gz, G_, pointwise<"exyz">(add_others),
                                        B_, B_, B_, 0.0, v, scatter(task)));
    }
    add_energies(team, v);
  }
  // [/apply]

  /// Positions, weights and metric at the points. It leaves out what has no memory.
  KOKKOS_FUNCTION void operator()(Geometry, const Member& team) const {
    using namespace KokkosContract;
    using Kokkos::ALL;
    const int group = team.league_rank();
    const auto X = Kokkos::subview(corners_, group, ALL, ALL, ALL, ALL, ALL);
    const auto scratch = team.team_scratch(scratch_level<Geometry>());
    const VectorAtPoints J[3] = {VectorAtPoints(scratch), VectorAtPoints(scratch),
                                 VectorAtPoints(scratch)};
    using ToPoints = TeamContract<"xa,yb,zc,eabci->eixyz">;
    if (position_.data() != nullptr)
      require_success(ToPoints::invoke(team, scratch, 1.0, X1_, X1_, X1_, X, 0.0,
                                       Kokkos::subview(position_, group, ALL, ALL, ALL, ALL, ALL)));
    require_success(ToPoints::invoke(team, scratch, 1.0, dX1_, X1_, X1_, X, 0.0, J[0]));
    require_success(ToPoints::invoke(team, scratch, 1.0, X1_, dX1_, X1_, X, 0.0, J[1]));
    require_success(ToPoints::invoke(team, scratch, 1.0, X1_, X1_, dX1_, X, 0.0, J[2]));

    for_each_point(team, [&](int e, int x, int y, int z) {
      // x is the third direction of the mesh's hexahedra, and z the first.
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
      if (weight_.data() != nullptr) weight_(group, e, x, y, z) = weight * det;
      if (is_mass || words_.data() == nullptr) return;
      int m = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++m) {
          Value sum = normal[a][0] * normal[b][0];
          for (int i = 1; i < 3; ++i) sum = sum + normal[a][i] * normal[b][i];
          words_(group, e, m, x, y, z) = weight * sum / det;
        }
    });
  }

  // [diagonal]
  /// The diagonal of B^T W B, or of B^T G^T W G B. That is six sums over the points, with products
  /// of the basis functions' values and slopes, squared or mixed.
  KOKKOS_FUNCTION void operator()(Diagonal, const Member& team) const {
    using namespace KokkosContract;
    using Kokkos::ALL;
    const Task task = task_of(team);
    const auto scratch = team.team_scratch(scratch_level<Diagonal>());
    const auto v = take<AtNodes>(scratch);
    const auto add_sum = [&](double factor, int m, int along_x, int along_y, int along_z) {
      const auto square = [&](int slopes) { return Kokkos::subview(squares_, slopes, ALL, ALL); };
      require_success(Integrate::invoke(
          team, scratch, factor, Kokkos::subview(words_, task.group, ALL, m, ALL, ALL, ALL),
          square(along_x), square(along_z), square(along_y), 0.0, v, scatter(task)));
    };
    if constexpr (is_mass) {
      add_sum(1, 0, 0, 0, 0);
    } else {
      int m = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++m) {
          const auto slopes = [&](int d) { return (a == d) + (b == d); };
          add_sum(a == b ? 1 : 2, m, slopes(0), slopes(1), slopes(2));
        }
    }
  }
  // [/diagonal]

  KOKKOS_FUNCTION void operator()(Load, const Member& team) const {
    using namespace KokkosContract;
    const Task task = task_of(team);
    const auto scratch = team.team_scratch(scratch_level<Load>());
    const auto v = take<AtNodes>(scratch);
    const auto f = take<AtPoints>(scratch);
    for_each_point(team, [&](int e, int x, int y, int z) {
      const Value factor(is_mass ? 1 : source_factor);
      f(e, x, y, z) = weight_(task.group, e, x, y, z) * factor * exact_at(task, e, x, y, z);
    });
    require_success(Integrate::invoke(team, scratch, 1.0, f, B_, B_, B_, 0.0, v, scatter(task)));
  }

  /// Adds the integral of (share_ x - u)^2.
  KOKKOS_FUNCTION void operator()(Error, const Member& team, double& sum) const {
    const Task task = task_of(team);
    const auto scratch = team.team_scratch(scratch_level<Error>());
    const auto u = take<AtPoints>(scratch);
    const auto v = take<AtNodes>(scratch);
    gather(team, v, task);
    require_success(Interpolate::invoke(team, scratch, share_, v, B_, B_, B_, 0.0, u));
    double sum_of_group = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, batch * Q * Q * Q),
        [&](int i, double& s) {
          const int z = i % Q, y = i / Q % Q, x = i / Q / Q % Q, e = i / Q / Q / Q;
          const Value difference = u(e, x, y, z) - exact_at(task, e, x, y, z);
          const Value square = weight_(task.group, e, x, y, z) * difference * difference;
          for (int l = 0; l < lanes; ++l) s += lane(square, l);
        },
        sum_of_group);
    Kokkos::single(Kokkos::PerTeam(team), [&] { sum += sum_of_group; });
  }

  // Nodes and geometry of elements, among the lanes and the batch of their group. The last group is
  // filled up with copies of the last element, which do not count.
  static constexpr int element_nodes = N * N * N, coordinates = 27 * 3;
  KOKKOS_FUNCTION void operator()(FillMap, std::int64_t i) const {
    const auto [element, node] = Group::template entry<element_nodes>(i);
    map_.data()[i] = element < geometry_.extent_int(0)
                         ? components_ * numbers_.data()[element * element_nodes + node]
                         : end_;
  }
  KOKKOS_FUNCTION void operator()(FillCorners, std::int64_t i) const {
    const auto [element, number] = Group::template entry<coordinates>(i);
    const std::int64_t last = geometry_.extent_int(0) - 1;
    lane(corners_.data()[i / lanes], static_cast<int>(i % lanes)) =
        geometry_.data()[(element < last ? element : last) * coordinates + number];
  }
  KOKKOS_FUNCTION void operator()(Pad, int i) const {
    const int group = i / in_group, e = i % in_group / lanes, l = i % lanes;
    for (int q = 0; q < Q * Q * Q; ++q) {
      const int x = q / Q / Q, y = q / Q % Q, z = q % Q;
      if (weight_.data() != nullptr) lane(weight_(group, e, x, y, z), l) = 0;
      if (words_.data() == nullptr) continue;
      for (int m = 0; m < words; ++m) lane(words_(group, e, m, x, y, z), l) = 0;
    }
  }

 private:
  /// A GPU's shared memory is for the kernel that must be fast.
  template <class Kernel>
  static KOKKOS_INLINE_FUNCTION constexpr int scratch_level() {
    return !on_host && std::is_same_v<Kernel, Apply> ? 0 : 1;
  }
  using ScratchMemory = Space::scratch_memory_space;

  /// Takes memory for values at the nodes or at the points.
  template <class Array>
  KOKKOS_FORCEINLINE_FUNCTION static Array take(const ScratchMemory& scratch) {
    constexpr std::size_t bytes =
        std::is_same_v<Array, AtNodes>
            ? bytes_at_nodes
            : sizeof(Value) * Array::static_extent(0) * Array::static_stride(0);
    return Array(static_cast<Value*>(scratch.get_shmem_aligned(bytes + 0, alignof(Value) + 0)));
  }

  KOKKOS_FUNCTION Value exact_at(const Task& task, int e, int x, int y, int z) const {
    Value result;
    for (int l = 0; l < lanes; ++l) {
      const auto at = [&](int d) { return lane(position_(task.group, e, d, x, y, z), l); };
      lane(result, l) = exact_solution(at(0), at(1), at(2), task.component);
    }
    return result;
  }

  template <class F>
  KOKKOS_FUNCTION static void for_each_point(const Member& team, const F& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch * Q * Q * Q),
                         [&](int i) { f(i / Q / Q / Q, i / Q / Q % Q, i / Q % Q, i % Q); });
    team.team_barrier();
  }

  KOKKOS_FUNCTION static constexpr std::size_t words_of(int group) {
    return static_cast<std::size_t>(group) * batch * words * Q * Q * Q;
  }
  /// The words of all elements of a group.
  using Words =
      KokkosContract::Strided<const Value, Integers<batch * words * Q * Q * Q>, Integers<1>>;
  /// A GPU's team requests its words before it reads x, so they are in L2 when it needs them.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_words(const Member& team, const Task& task) const {
    if constexpr (!on_host)
      KokkosContract::prefetch<2>(team, Words(constant_words_.data() + words_of(task.group)));
  }
  /// The words of the group that the next team works on.
  KOKKOS_FUNCTION const Value* next_words_of(const Task& task) const {
    const int next = task.component + 1 < components_ ? task.group : task.group + 1;
    return constant_words_.data() + words_of(next < groups() ? next : task.group);
  }

  /// Sets v to the values of x_ at the nodes. A GPU's thread waits once for the numbers of its
  /// nodes, and once for their values.
  template <class Array>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Member& team, const Array& v,
                                          const Task& task) const {
    constexpr int nodes = batch * N * N * N;
    const auto value_of = [&](int i) -> Value& {
      return v.data()[i / N * Array::static_stride(2) + i % N];
    };
    if constexpr (on_host) {
      for (int i = 0; i < nodes; ++i)
        for (int l = 0; l < lanes; ++l)
          lane(value_of(i), l) = x_(constant_map_(task.group, i, l) + task.component);
    } else {
      constexpr int of_thread = (nodes + Group::threads - 1) / Group::threads;
      const auto number = [&](int k) { return k * Group::threads + team.team_rank(); };
      int node[of_thread];
      for (int k = 0; k < of_thread; ++k)
        node[k] = constant_map_(task.group, number(k) < nodes ? number(k) : nodes - 1, 0);
      double value[of_thread];
      for (int k = 0; k < of_thread; ++k) value[k] = x_(node[k] + task.component);
      for (int k = 0; k < of_thread; ++k)
        if (number(k) < nodes) value_of(number(k)) = value[k];
    }
    team.team_barrier();
  }

  /// The epilogue of a contraction whose result is added to y_.
  KOKKOS_FORCEINLINE_FUNCTION auto scatter(const Task& task) const {
    return [this, task](const Value& value, int e, int a, int b, int c) {
      for (int l = 0; l < lanes; ++l) {
        const int node = constant_map_(task.group, ((e * N + a) * N + b) * N + c, l);
        double& y = y_(node + task.component);
        Group::add(y, lane(value, l), several_threads_);
      }
    };
  }

  // The threads of a team add up what they have computed of x^T A x, if it is wanted. A host's only
  // thread does so in the first step. There is a barrier after each of the first two steps, which
  // most kernels have anyway. Meanwhile the sums are in the memory of values at the nodes.

  static constexpr int joined_energies = 16;
  KOKKOS_FORCEINLINE_FUNCTION void keep_energy(const Member& team, const Value& of_thread,
                                               const AtNodes& memory) const {
    if (energy_.data() == nullptr) return;
    double sum = 0;
    for (int l = 0; l < lanes; ++l) sum += lane(of_thread, l);
    if constexpr (on_host) {
      Group::add(part_of_sum(energy_, team.league_rank()), sum, several_threads_);
    } else {
      memory.data()[team.team_rank()] = sum;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void join_energies(const Member& team, const AtNodes& memory) const {
    if (on_host || energy_.data() == nullptr || team.team_rank() >= joined_energies) return;
    Value sum(0);
    for (int t = team.team_rank(); t < Group::threads; t += joined_energies)
      sum = sum + memory.data()[t];
    memory.data()[team.team_rank()] = sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_energies(const Member& team, const AtNodes& memory) const {
    if (on_host || energy_.data() == nullptr || team.team_rank() != 0) return;
    Value sum(0);
    for (int t = 0; t < joined_energies; ++t) sum = sum + memory.data()[t];
    Group::add(part_of_sum(energy_, team.league_rank()), lane(sum, 0), several_threads_);
  }

  /// The kernels are arguments of a launch, which a GPU has in constant memory, so the matrices are
  /// operands of its instructions. Without the hint Kokkos copies large ones to a buffer of its
  /// own, and the host waits for the kernel before that used it.
  // The numbers of teams of a multiprocessor are found by measurement.
  template <class Kernel>
  static auto policy(int league, std::size_t bytes, const Space& space = {}) {
    // Kokkos sums over the threads of a GPU's team only if their number is a power of two.
    constexpr int team_size =
        std::is_same_v<Kernel, Error>
            ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(Group::threads)))
            : Group::threads;
    constexpr int teams = Q == 5 ? 5 : Q < 8 ? 6 : 4;
    using Policy = Kokkos::TeamPolicy<Space, Kernel, Kokkos::LaunchBounds<team_size, teams>>;
    auto policy =
        Kokkos::Experimental::require(Policy(space, league, team_size, 1),
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    policy.set_scratch_size(scratch_level<Kernel>(), Kokkos::PerTeam(static_cast<int>(bytes)));
    return policy;
  }
  template <class Kernel>
  static void run(const Elements& kernel, int league, std::size_t bytes, const Space& space = {}) {
    Kokkos::parallel_for("Elements", policy<Kernel>(league, bytes, space), kernel);
  }
  template <class Kernel>
  void start(const Vector& x, const Vector& y) const {
    Elements kernel = *this;
    kernel.x_ = x;
    kernel.y_ = y;
    run<Kernel>(kernel, groups() * components_, setup_bytes);
  }

  /// Computes positions, weights and metric at the points, where there is memory for them.
  void compute_geometry();
  /// These elements with positions and weights of the points. An application needs neither, so they
  /// are there only while the kernels run that do.
  Elements with_points() const;

  // One-dimensional tables
  DeviceArray<double[Q]> w_;              // weights of the points
  KokkosContract::Tile<double, Q, N> B_;  // basis functions at the points
  KokkosContract::Tile<double, Q, Q> G_;  // derivatives at the points, from values at the points
  // A copy of B_ or G_ for the transposed steps: a GPU's compiler keeps in registers what a step
  // uses twice.
  std::conditional_t<is_mass, decltype(B_), decltype(G_)> back_;
  DeviceArray<double[Q][3]> X1_;  // the geometry's functions at the points, and derivatives
  DeviceArray<double[Q][3]> dX1_;
  DeviceArray<double[3][Q][N]> squares_;  // B B, B G B, (G B)^2

  // Data of all groups of elements
  DeviceArray<Value* [batch][3][3][3][3]> corners_;   // nodes of the geometry, while it is computed
  DeviceArray<Value* [batch][3][Q][Q][Q]> position_;  // see with_points()
  DeviceArray<Value* [batch][Q][Q][Q]> weight_;       // w det J, see with_points()
  // The words of the form: w det J, or w det J J^-1 J^-T: xx, xy, xz, yy, yz, zz
  DeviceArray<Value* [batch][words][Q][Q][Q]> words_;
  DeviceArray<int * [batch * N * N * N][lanes]> map_;  // first entries of the nodes
  // Constant arrays, for kernels that only read them: their loads need not wait for stores
  template <class Array>
  using Constant = Kokkos::View<typename Array::const_data_type, Kokkos::LayoutRight, Space,
                                Kokkos::MemoryTraits<Kokkos::RandomAccess>>;
  Constant<DeviceArray<Value*>> constant_words_;
  Constant<decltype(map_)> constant_map_;
  DeviceArray<double* [27][3]> geometry_;
  NodeNumbers numbers_;  // only in the constructor
  int components_ = 1;
  int end_ = 0;  // entries from here on are for elements that fill up the last group
  bool several_threads_ = Space().concurrency() > 1;

  // Arguments of a kernel
  Constant<Vector> x_;
  Vector y_;
  Vector energy_;
  double share_ = 1;
  int first_group_ = 0;
  std::size_t bytes_of_steps_ = 0;
};

/// Memory of a view that a kernel fills.
inline auto uninitialized(const std::string& name) {
  return Kokkos::view_alloc(name, Kokkos::WithoutInitializing);
}
template <class Array>
void copy_table(const Table& table, const Array& array) {
  for (int i = 0; i < table.rows(); ++i)
    for (int j = 0; j < table.columns(); ++j) array(i, j) = table(i, j);
}
template <class... Traits>
void copy_table(const Table& table, const Kokkos::View<Traits...>& view) {
  const auto host = Kokkos::create_mirror_view(view);
  copy_table<decltype(host)>(table, host);
  Kokkos::deep_copy(view, host);
}

template <int Order, Form form>
Elements<Order, form>::Elements(const DeviceArray<double* [27][3]>& geometry,
                                const Numbering& numbering, int components)
    : w_("w"),
      X1_("X1"),
      dX1_("dX1"),
      squares_("squares"),
      components_(components),
      end_(components * numbering.nodes) {
  const Quadrature rule = collocated ? gauss_lobatto(Q) : gauss_legendre(Q);
  const auto nodes = gauss_lobatto_points(Order);
  const Table basis = lagrange(nodes, rule.points), slope = lagrange_derivative(nodes, rule.points);
  copy_table(basis, B_);
  copy_table(lagrange_derivative(rule.points, rule.points), G_);
  if constexpr (is_mass) {
    back_ = B_;
  } else {
    back_ = G_;
  }
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

  const int groups = (geometry.extent_int(0) + in_group - 1) / in_group;
  map_ = decltype(map_)(uninitialized("map"), groups);
  constant_map_ = map_;
  geometry_ = geometry;
  numbers_ = numbering.of_element;
  Kokkos::parallel_for("Elements: map", Group::template all_entries<FillMap, element_nodes>(groups),
                       *this);
  numbers_ = {};
  if constexpr (is_mass) {
    weight_ = decltype(weight_)(uninitialized("weight"), groups);
    words_ = decltype(words_)(weight_.data(), groups);
  } else {
    words_ = decltype(words_)(uninitialized("words"), groups);
  }
  constant_words_ = DeviceArray<Value*>(words_.data(), words_.size());
  compute_geometry();
}

template <int Order, Form form>
void Elements<Order, form>::compute_geometry() {
  corners_ = decltype(corners_)(uninitialized("corners"), groups());
  Kokkos::parallel_for("Elements: corners",
                       Group::template all_entries<FillCorners, coordinates>(groups()), *this);
  run<Geometry>(*this, groups(), setup_bytes);
  const Kokkos::RangePolicy<Space, Pad> padding(geometry_.extent_int(0), groups() * in_group);
  Kokkos::parallel_for("Elements: pad",
                       Kokkos::Experimental::require(
                           padding, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
                       *this);
  corners_ = {};
}

template <int Order, Form form>
Elements<Order, form> Elements<Order, form>::with_points() const {
  Elements result = *this;
  result.position_ = decltype(position_)(uninitialized("position"), groups());
  if constexpr (!is_mass) {
    result.weight_ = decltype(weight_)(uninitialized("weight"), groups());
    result.words_ = {};
  }
  result.compute_geometry();
  return result;
}

template <int Order, Form form>
SquaredNorms Elements<Order, form>::squared_norms(const Vector& x) const {
  Elements kernel = with_points();
  kernel.x_ = x;
  // The solution is the difference to x times 0.
  const auto square = [&](double share) {
    kernel.share_ = share;
    double sum = 0;
    Kokkos::parallel_reduce("Elements: error", policy<Error>(groups() * components_, setup_bytes),
                            kernel, sum);
    return sum;
  };
  return {square(1), square(0)};
}

}  // namespace example
