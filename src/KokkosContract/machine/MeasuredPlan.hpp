// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_MEASUREDPLAN_HPP
#define KOKKOSCONTRACT_MACHINE_MEASUREDPLAN_HPP

#include <KokkosContract/Way.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// A row of a table of measured plans, which scripts/tune writes: the fastest way to run a product.
struct MeasuredPlan {
  /// Who runs it: "host", "host team", "gpu thread", "gpu vector" or "gpu team".
  const char* workers = "";
  /// The type of all elements: "double", "float", "complex<double>" or "complex<float>".
  const char* type = "";
  /// The modes as product/Measured.hpp writes them, such as "row 9, col 9 yc, sum 9 x": an extent
  /// (? if it is known at run time only), and the operands in which neighbours along the mode are
  /// neighbours in memory. The second input is y.
  const char* product = "";
  Way way = Way::best;
  TileShape tile{};  ///< no rows: the model's tile
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
