// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "../fused_element_pipeline/Basis.hpp"
#include "Discretization.hpp"
#include "ElementGroup.hpp"
#include "Elements.hpp"

namespace example {

/// The interpolation P from elements of order Order / 2 to those of order Order on the same mesh,
/// and its transpose. Each is one kernel: gather, contract with the one-dimensional matrix in three
/// directions, scatter. A team works on an ElementGroup.
///
/// A node of the finer order that several elements share belongs to the first of them. This one
/// alone writes the node's value in P, and reads it in P^T, so no weights are needed. P^T skips
/// unknowns that another rank owns.
template <int Order>
class Interpolation {
 public:
  using Space = Kokkos::DefaultExecutionSpace;
  using Member = Kokkos::TeamPolicy<Space>::member_type;

  static constexpr int F = Order + 1;      ///< finer nodes in a direction
  static constexpr int C = Order / 2 + 1;  ///< coarser ones
  static constexpr int fine_nodes = F * F * F, coarse_nodes = C * C * C;
  using Group = ElementGroup<F>;
  static constexpr int lanes = Group::lanes;
  static constexpr int batch = Group::batch;
  static constexpr int threads = Group::threads;
  static constexpr int in_group = Group::elements;
  KOKKOS_FUNCTION static constexpr int scratch_level() { return Group::on_host ? 1 : 0; }
  using Value = Group::Value;

  Interpolation(const Numbering& coarse, const Numbering& fine)
      : unknowns_(fine.unknowns), owned_(fine.owned), several_threads_(Space().concurrency() > 1) {
    const Table table = lagrange(gauss_lobatto_points(Order / 2), gauss_lobatto_points(Order));
    copy_table(table, P_);
    fill_maps(coarse, fine);
  }

  void prolongate(const DeviceVector& coarse, const DeviceVector& fine) const {
    Interpolation kernel = *this;
    kernel.coarse_ = coarse;
    kernel.fine_ = fine;
    run<Prolongate>(kernel, sizeof(Value) * batch * C * C * C +
                                Upwards::scratch_bytes(CoarseNodes(nullptr), P_, P_, P_,
                                                       KokkosContract::elsewhere(0)));
  }

  void restrict_residual(const DeviceVector& b, const DeviceVector& product,
                         const DeviceVector& coarse) const {
    Interpolation kernel = *this;
    kernel.coarse_ = coarse;
    kernel.fine_ = product;
    kernel.b_ = b;
    run<Restrict>(kernel, sizeof(Value) * batch * F * F * F +
                              Downwards::scratch_bytes(FineNodes(nullptr), P_, P_, P_,
                                                       KokkosContract::elsewhere(0)));
  }

  // --- Kernels. They are public because CUDA requires it. ---

  struct Prolongate {};
  struct Restrict {};
  struct FindFirst {};
  struct FillFine {};
  struct FillCoarse {};
  using Upwards = KokkosContract::TeamContract<"eabc,yb,zc,xa->exyz">;
  using Downwards = KokkosContract::TeamContract<"exyz,xa,zc,yb->eabc">;
  template <int M>
  using Lattice =
      KokkosContract::Strided<Value, std::integer_sequence<std::ptrdiff_t, batch, M, M, M>,
                              std::integer_sequence<std::ptrdiff_t, M * M * M, M * M, M, 1>>;
  using CoarseNodes = Lattice<C>;
  using FineNodes = Lattice<F>;

  KOKKOS_FUNCTION void operator()(Prolongate, const Member& team) const {
    using namespace KokkosContract;
    one_team_per_block(team);
    const int group = team.league_rank();
    const auto scratch = team.team_scratch(scratch_level());
    const CoarseNodes v(take<C>(scratch));
    for_each_node<C>(
        team, [&](int i, int l) { lane(v.data()[i], l) = coarse_(coarse_map_(group, i, l)); });
    const auto add = [&](const Value& value, int e, int x, int y, int z) {
      for (int l = 0; l < lanes; ++l) {
        const int node = fine_map_(group, ((e * F + x) * F + y) * F + z, l);
        if (node < unknowns_) fine_(node) += lane(value, l);
      }
    };
    require_success(Upwards::invoke(team, scratch, 1.0, v, P_, P_, P_, elsewhere(add)));
  }

  KOKKOS_FUNCTION void operator()(Restrict, const Member& team) const {
    using namespace KokkosContract;
    one_team_per_block(team);
    const int group = team.league_rank();
    const auto scratch = team.team_scratch(scratch_level());
    const FineNodes r(take<F>(scratch));
    for_each_node<F>(team, [&](int i, int l) {
      const int node = fine_map_(group, i, l);
      lane(r.data()[i], l) = node < owned_ ? b_(node) - fine_(node) : 0;
      if (node < unknowns_) fine_(node) = 0;
    });
    const auto add = [&](const Value& value, int e, int a, int b, int c) {
      for (int l = 0; l < lanes; ++l) {
        double& sum = coarse_(coarse_map_(group, ((e * C + a) * C + b) * C + c, l));
        Group::add(sum, lane(value, l), several_threads_);
      }
    };
    require_success(Downwards::invoke(team, scratch, 1.0, r, P_, P_, P_, elsewhere(add)));
  }

  KOKKOS_FUNCTION void operator()(FindFirst, std::int64_t i) const {
    Kokkos::atomic_min(&first_(fine_numbers_.data()[i]), i);
  }
  KOKKOS_FUNCTION void operator()(FillFine, std::int64_t i) const {
    const auto [element, n] = Group::template entry<fine_nodes>(i);
    int node = fine_end_;
    if (element < elements_) {
      const std::int64_t at = element * fine_nodes + n;
      const int number = fine_numbers_.data()[at];
      if (first_(number) == at) node = number;
    }
    fine_map_.data()[i] = node;
  }
  KOKKOS_FUNCTION void operator()(FillCoarse, std::int64_t i) const {
    const auto [element, n] = Group::template entry<coarse_nodes>(i);
    coarse_map_.data()[i] =
        element < elements_ ? coarse_numbers_.data()[element * coarse_nodes + n] : coarse_end_;
  }

 private:
  template <int M>
  KOKKOS_FORCEINLINE_FUNCTION static Value* take(const Space::scratch_memory_space& scratch) {
    constexpr std::size_t bytes = sizeof(Value) * batch * M * M * M;
    return static_cast<Value*>(scratch.get_shmem_aligned(bytes + 0, alignof(Value) + 0));
  }

  /// Calls f(node, lane), node counting through the batch.
  template <int M, class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_node(const Member& team, const Function& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch * M * M * M), [&](int i) {
      for (int l = 0; l < lanes; ++l) f(i, l);
    });
    team.team_barrier();
  }

  template <class Kernel>
  void run(const Interpolation& kernel, std::size_t bytes) const {
    using Policy = Kokkos::TeamPolicy<Space, Kernel, Kokkos::LaunchBounds<threads>>;
    auto policy =
        Kokkos::Experimental::require(Policy(fine_map_.extent_int(0), threads, 1),
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    policy.set_scratch_size(scratch_level(), Kokkos::PerTeam(static_cast<int>(bytes + 64)));
    Kokkos::parallel_for("Transfer", policy, kernel);
  }

  void fill_maps(const Numbering& coarse, const Numbering& fine) {
    const auto numbers = static_cast<std::int64_t>(fine.of_element.size());
    const int elements = static_cast<int>(numbers / fine_nodes);
    const int groups = (elements + in_group - 1) / in_group;
    fine_map_ = decltype(fine_map_)(uninitialized("fine map"), groups);
    coarse_map_ = decltype(coarse_map_)(uninitialized("coarse map"), groups);
    Interpolation kernel = *this;
    kernel.fine_numbers_ = fine.of_element;
    kernel.coarse_numbers_ = coarse.of_element;
    kernel.first_ = decltype(first_)(uninitialized("first"), fine.nodes);
    kernel.elements_ = elements;
    kernel.fine_end_ = fine.nodes;
    kernel.coarse_end_ = coarse.nodes;
    Kokkos::deep_copy(Space(), kernel.first_, std::numeric_limits<std::int64_t>::max());
    Kokkos::parallel_for(
        "Transfer: first",
        Kokkos::RangePolicy<Space, FindFirst, Kokkos::IndexType<std::int64_t>>(0, numbers), kernel);
    Kokkos::parallel_for("Transfer: fine map",
                         Group::template all_entries<FillFine, fine_nodes>(groups), kernel);
    Kokkos::parallel_for("Transfer: coarse map",
                         Group::template all_entries<FillCoarse, coarse_nodes>(groups), kernel);
  }

  KokkosContract::Tile<double, F, C> P_;  // coarser basis functions at the finer nodes
  DeviceArray<int * [batch * F * F * F][lanes]> fine_map_;    // the nodes that belong to an element
  DeviceArray<int * [batch * C * C * C][lanes]> coarse_map_;  // all nodes of an element
  int unknowns_, owned_;
  bool several_threads_;

  // What fills the maps
  NodeNumbers fine_numbers_, coarse_numbers_;
  Kokkos::View<std::int64_t*, Space> first_;  // the first of all elements' nodes that is a node
  int elements_ = 0, fine_end_ = 0, coarse_end_ = 0;

  // Arguments of a kernel
  DeviceVector coarse_, fine_;
  Kokkos::View<const double*, Space> b_;
};

}  // namespace example
