// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_PLANS_HOST_AVX2_HPP
#define KOKKOSCONTRACT_MACHINE_PLANS_HOST_AVX2_HPP

// Measured by scripts/tune on 2026-11-30: AMD EPYC.

#include <KokkosContract/machine/MeasuredPlan.hpp>

// clang-format off
namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl::plans {

inline constexpr MeasuredPlan host_avx2[] = {
    // ik,kj->ij 16,16,16 complex<double> serial right: 1.05 times the model's choice, tiles; 1.01 times tiles 1 x 2
    {"host", "complex<double>", "row 16, col 16 yc, sum 16 x", Way::tiles, {1, 3}},
    // ij->ji 12,12 double serial right: 1.09 times the model's choice, tiles; 1.01 times tiles 4 x 1
    {"host", "double", "row 12 y, col 12 c", Way::tiles, {6, 1}},
    // ij->ji 16,16 double serial right: 1.08 times the model's choice, tiles; 1.02 times tiles 2 x 2
    {"host", "double", "row 16 y, col 16 c", Way::tiles, {6, 1}},
    // ij->ji 8,8 double serial right: 1.08 times the model's choice, tiles; 1.00 times tiles 4 x 1
    {"host", "double", "row 8 y, col 8 c", Way::tiles, {2, 1}},
    // ik,jk->ij 8,8,8 double serial right: 1.07 times the model's choice, tiles; 1.00 times tiles 2 x 2
    {"host", "double", "row 8, col 8 c, sum 8 xy", Way::tiles, {3, 2}},
    // ik,kj->ij 9,9,9 float serial right: 1.06 times the model's choice, tiles; 1.06 times that
    {"host", "float", "row 9, col 9 yc, sum 9 x", Way::tiles, {5, 2}},
};

}  // namespace Impl::plans
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
