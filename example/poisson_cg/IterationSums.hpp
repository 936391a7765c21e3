// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../Ranks.hpp"
#include "Discretization.hpp"
#include "Exchange.hpp"
#include "SideStream.hpp"

namespace example {

/// Two sums of each iteration, r^T u and u^T A u, as kernels see them. Memory for three iterations
/// is used in turn: this one, the next one, whose r^T u is computed already, and the one after,
/// whose sums are 0.
struct DeviceSums {
  using Space = Kokkos::DefaultExecutionSpace;
  static constexpr int norm = 0, energy = 1;
  struct Values {
    double norm = 0, energy = 0;
  };
  /// What an iteration leaves to the next one.
  struct Last {
    double norm = 0, step = 0;
  };
  static constexpr int slots = 3, words = parts_of_sum * words_of_part;
  template <class Memory>
  using Array = Kokkos::View<double[slots][2][words], Kokkos::LayoutRight, Memory>;

  Array<Space::memory_space> values{"sums"};
  Kokkos::View<Last[slots], Space> last_of{"last"};

  KOKKOS_FUNCTION static int slot(int iteration) { return iteration % slots; }
  /// The sums of all teams. The host adds them up in the same order.
  template <class Memory>
  KOKKOS_FUNCTION static Values add_up(const Array<Memory>& values, int iteration) {
    const int s = slot(iteration);
    Values sums;
    for (int i = 0; i < words; i += words_of_part) {
      sums.norm += values(s, norm, i);
      sums.energy += values(s, energy, i);
    }
    return sums;
  }
  KOKKOS_FUNCTION Values operator()(int iteration) const { return add_up(values, iteration); }
  KOKKOS_FUNCTION Last& last(int iteration) const { return last_of(slot(iteration)); }

  /// Adds what a thread of a team has computed of r^T u.
  template <class Member>
  KOKKOS_FUNCTION void add_norm(int iteration, const Member& team, double of_thread) const {
    team.team_reduce(Kokkos::Sum<double>(of_thread));
    const auto sum = [&](int i) -> double& { return values(slot(iteration), norm, i); };
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { Kokkos::atomic_add(&part_of_sum(sum, team.league_rank()), of_thread); });
  }
  /// Sets the sums to 0. The team's threads share the work.
  template <class Member>
  KOKKOS_FUNCTION void reset(int iteration, const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, words), [&](int i) {
      values(slot(iteration), norm, i) = values(slot(iteration), energy, i) = 0;
    });
  }
};

/// This is how the host sees these sums. It reads them in a stream of its own, so that kernels can
/// run meanwhile.
class IterationSums {
  template <class Array>
  static auto of(const Array& array, int iteration) {
    return Kokkos::subview(array, DeviceSums::slot(iteration), Kokkos::ALL, Kokkos::ALL);
  }

 public:
  using Space = DeviceSums::Space;
  using Values = DeviceSums::Values;

  const DeviceSums& on_device() const { return device_; }
  /// Sets all sums to 0, before the first iteration.
  void reset() const { Kokkos::deep_copy(Space(), device_.values, 0); }
  /// The memory of an iteration's u^T A u.
  DeviceVector energy(int iteration) const {
    return Kokkos::subview(device_.values, DeviceSums::slot(iteration), DeviceSums::energy,
                           Kokkos::ALL);
  }

  /// Starts to read the sums, when the kernels that were started before have ended. They are those
  /// over all ranks for kernels that are started afterwards, unless the host must add them.
  void start_reading(int iteration, const Exchange& exchange) const {
    const auto values = of(device_.values, iteration);
    exchange.add_over_ranks(values.data(), values.size());
    computed_.set(Space());
    computed_.wait(side_.space());
    Kokkos::deep_copy(side_.space(), of(host_, iteration), values);
  }
  /// Waits for the sums over all ranks. Kernels that are started afterwards find them too.
  Values read(int iteration, const Exchange& exchange, const Ranks& ranks) const {
    side_.space().fence();
    const Values found = DeviceSums::add_up(host_, iteration);
    if (!exchange.needs_host_sums()) return found;
    double sums[2] = {found.norm, found.energy};
    ranks.sum(sums, 2);
    const auto parts = of(host_, iteration);
    for (const auto which : {DeviceSums::norm, DeviceSums::energy})
      for (int i = 0; i < DeviceSums::words; ++i) parts(which, i) = i == 0 ? sums[which] : 0;
    Kokkos::deep_copy(Space(), of(device_.values, iteration), parts);
    return {sums[0], sums[1]};
  }

 private:
  DeviceSums device_;
  using Pinned = Kokkos::SharedHostPinnedSpace;
  DeviceSums::Array<Pinned> host_ = Kokkos::create_mirror_view(Pinned(), device_.values);
  SideStream side_;
  Mark computed_;
};

}  // namespace example
