// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_REGISTRY_HPP
#define KOKKOSCONTRACT_PERF_REGISTRY_HPP

// How the files of a benchmark executable tell its main what they have.

#include <utility>
#include <vector>

namespace perf {

/// A file's benchmarks: `add` is called by main when Kokkos runs.
struct Registered {
  explicit Registered(void (*add)()) { list().push_back(add); }
  static std::vector<void (*)()>& list() {
    static std::vector<void (*)()> functions;
    return functions;
  }
};

/// Calls f.operator()<N>() for each N.
template <int... N, class F>
void for_each_width(std::integer_sequence<int, N...>, const F& f) {
  (f.template operator()<N>(), ...);
}

}  // namespace perf

#endif
