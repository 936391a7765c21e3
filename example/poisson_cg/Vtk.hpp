// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../Ranks.hpp"
#include "Operator.hpp"

namespace example {

/// Writes the legacy format of ParaView: each element as order^3 hexahedra between its nodes. The
/// first rank writes all elements. Nodes that ranks share are in the file several times.
/// \throws Stopped if the file cannot be written
void write_vtk(const std::string& path, const Ranks& ranks, const Operator& A, int order,
               const DeviceVector& x);

}  // namespace example
