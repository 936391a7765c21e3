// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LANES_INLANES_HPP
#define KOKKOSCONTRACT_LANES_INLANES_HPP

// What routines do with a matrix that a group of lanes has loaded: they compute with reciprocals,
// and store the result if all reciprocals served. Else the problem in memory is as it was, and one
// lane does it again there, by short code.

#include <KokkosContract/lanes/LaneMatrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Who knows that a reciprocal does not serve: each lane of its own, or all lanes of all.
enum class Exact { in_each_lane, in_all_lanes };

/// compute(exact) returns an info; store(stores) is called by all lanes, and stores where `stores`;
/// in_memory() returns an info. z: the problem, or negative. Returns the info where a lane is the
/// first of its group.
template <Exact Known, class M, class Compute, class Store, class InMemory>
KOKKOS_FORCEINLINE_FUNCTION int compute_in_lanes(const M& m, int z, const Compute& compute,
                                                 const Store& store, const InMemory& in_memory) {
  bool exact = true;
  const int info = compute(exact);
  if constexpr (Known == Exact::in_all_lanes) {
    m.group.barrier();
  } else {
    exact = m.group.template all<M::lanes>(exact);
  }
  store(exact && z >= 0);
  if (exact || z < 0 || m.group.lane != 0) return info;
  return in_memory();
}

/// The same for whole columns, of which each lane has some: put(x, i, j) stores an element, and
/// in_memory() does a lane's own columns again.
template <class M, class Columns, class Compute, class Put, class InMemory>
KOKKOS_FORCEINLINE_FUNCTION void compute_columns_in_lanes(const M& m, Columns& columns,
                                                          const Compute& compute, const Put& put,
                                                          const InMemory& in_memory) {
  bool exact = true;
  compute(exact);
  if (m.group.template all<M::lanes>(exact)) {
    columns.for_elements(put);
  } else {
    in_memory();
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
