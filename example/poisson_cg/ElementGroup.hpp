// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace example {

/// A team works on a group of elements. On a host these are the lanes of a pack, so that every
/// instruction does the same for all of them. A GPU's team has several small elements in a batch,
/// and a thread for each line of their points. M: points in a direction.
template <int M>
struct ElementGroup {
  using Space = Kokkos::DefaultExecutionSpace;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
  static constexpr int lanes = on_host ? KokkosContract::default_pack_length<double, Space> : 1;
  static constexpr int batch = on_host ? 1 : std::max(1, 128 / (M * M));
  static constexpr int threads = on_host ? 1 : (batch * M * M + 31) / 32 * 32;
  static constexpr int elements = lanes * batch;
  using Value = std::conditional_t<on_host, KokkosContract::Pack<double, lanes>, double>;

  /// An element, and one of its numbers.
  struct Entry {
    std::int64_t element;
    int number;
  };
  /// What entry i of an array of groups belongs to. An element has so many numbers. The array has
  /// the batch's elements one after another, and each number for all lanes.
  template <int numbers>
  KOKKOS_FORCEINLINE_FUNCTION static Entry entry(std::int64_t i) {
    return {i / lanes / numbers * lanes + i % lanes, static_cast<int>(i / lanes % numbers)};
  }
  /// All entries of such an array.
  template <class Kernel, int numbers>
  static auto all_entries(int groups) {
    return Kokkos::Experimental::require(
        Kokkos::RangePolicy<Space, Kernel, Kokkos::IndexType<std::int64_t>>(
            0, static_cast<std::int64_t>(groups) * elements * numbers),
        Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  }

  /// sum += value. Several threads: others may add to this sum at the same time.
  KOKKOS_FORCEINLINE_FUNCTION static void add(double& sum, double value, bool several_threads) {
    if (on_host && !several_threads) {
      sum += value;
    } else {
      Kokkos::atomic_add(&sum, value);
    }
  }
};

/// Lane l of a pack, or a number itself, which is its only lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION auto& lane(T& value, [[maybe_unused]] int l) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    return value[l];
  }
}

}  // namespace example
