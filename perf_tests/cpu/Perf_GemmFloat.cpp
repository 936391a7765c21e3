// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of float, with the other libraries beside them.
#include "Gemm.hpp"

namespace {

const perf::Registered registered([] { perf::add_products<float>(); });

}  // namespace
