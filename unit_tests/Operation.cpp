// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the tests that does not depend on the operation, compiled once.
#include "Operation.hpp"

namespace KokkosContract::Test {

template class StridedTensor<double, Kokkos::DefaultExecutionSpace>;
template void check_case(Random&, const std::string&, DoubleTensor&, std::tuple<DoubleTensor>&,
                         const Start<double>&);
template void check_case(Random&, const std::string&, DoubleTensor&,
                         std::tuple<DoubleTensor, DoubleTensor>&, const Start<double>&);

}  // namespace KokkosContract::Test
