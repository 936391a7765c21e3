// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Test_MeasuredPlans: tiles that the model does not choose.
#ifndef KOKKOSCONTRACT_MACHINE_PLANS_USER_HPP
#define KOKKOSCONTRACT_MACHINE_PLANS_USER_HPP

#include <KokkosContract/machine/MeasuredPlan.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl::plans {

inline constexpr MeasuredPlan user[] = {
    {"host", "double", "row 7, col 11 yc, sum 5 x", Way::tiles, {5, 1}},
    {"host", "float", "row 7, col 11 yc, sum 5 x", Way::tiles, {2, 2}},
    {"host", "double", "row ?, col ? yc, sum ? x", Way::tiles, {3, 1}},
    {"host team", "double", "row 7, col 11 yc, sum 5 x", Way::tiles, {1, 3}},
    {"host", "double", "row 8, col 8 yc, sum 8 x", Way::warps},  // not for a host
    {"gpu team", "double", "row 8, col 8 yc, sum 8 x", Way::shared, {4, 2}},
    {"gpu vector", "double", "row 8, col 8 yc, sum 8 x", Way::shared, {2, 1}},
};

}  // namespace Impl::plans
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
