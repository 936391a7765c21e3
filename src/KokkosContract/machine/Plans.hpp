// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_PLANS_HPP
#define KOKKOSCONTRACT_MACHINE_PLANS_HPP

// The tables of measured plans: the user's own (CMake's KokkosContract_PLANS), then the one for the
// machine that is compiled for. A table is a header that scripts/tune writes. With
// KOKKOSCONTRACT_PLANS_NONE there are none.

#include <KokkosContract/machine/MeasuredPlan.hpp>

#ifndef KOKKOSCONTRACT_PLANS_NONE
#ifdef KOKKOSCONTRACT_PLANS_USER
#include <KokkosContract/machine/plans/user.hpp>
#endif
#if KOKKOSCONTRACT_VECTOR_BYTES == 32
#include <KokkosContract/machine/plans/host-avx2.hpp>
#endif
#endif

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The row of a table for a product, or null.
template <int N>
consteval const MeasuredPlan* row_of(const MeasuredPlan (&table)[N], const MeasuredPlan& product) {
  constexpr auto equal = [](const char* a, const char* b) {
    for (; *a != '\0' && *a == *b; ++a, ++b) {
    }
    return *a == *b;
  };
  for (const MeasuredPlan& row : table) {
    if (equal(row.product, product.product) && equal(row.type, product.type) &&
        equal(row.workers, product.workers)) {
      return &row;
    }
  }
  return nullptr;
}

/// The measured plan for a product, or null.
consteval const MeasuredPlan* measured_plan([[maybe_unused]] const MeasuredPlan& product) {
  const MeasuredPlan* row = nullptr;
#ifndef KOKKOSCONTRACT_PLANS_NONE
#ifdef KOKKOSCONTRACT_PLANS_USER
  row = row_of(plans::user, product);
#endif
#if KOKKOSCONTRACT_VECTOR_BYTES == 32
  if (row == nullptr) row = row_of(plans::host_avx2, product);
#endif
#endif
  return row;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
