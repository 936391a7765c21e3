// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LANES_INLANES_HPP
#define KOKKOSCONTRACT_LANES_INLANES_HPP

// Work on a matrix that a group of lanes has loaded. The lanes compute with reciprocals, and store
// the result if all reciprocals were usable. Otherwise the problem in memory is unchanged, and one
// lane solves it there again, by short code.

#include <KokkosContract/lanes/LaneMatrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The lanes that know whether a reciprocal is usable: each lane for its own, or all lanes for all.
enum class Exact { in_each_lane, in_all_lanes };

/// Computes a problem in lanes. compute(exact) returns an info. All lanes call store(stores), which
/// stores if `stores` holds. in_memory() returns an info. z is the problem, or negative. Returns
/// the info if the lane is the first of its group.
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

/// Calls compute_in_lanes for whole columns, distributed over the lanes. put(x, i, j) stores an
/// element, and in_memory() computes a lane's own columns again.
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
