// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of double, compared with other libraries.
#include "Gemm.hpp"

namespace {

const perf::Registered registered([] { perf::add_products<double>(); });

}  // namespace
