// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the tests that does not depend on the operation, compiled once.
#include "Operation.hpp"

namespace KokkosContract::Test {

template class StridedTensor<double, Kokkos::DefaultExecutionSpace>;
template void check_configurations(const Start<double>&, double, double,
                                   const FunctionRef<void(int, int)>&);
template void check_case(Random&, const std::string&, DoubleTensor&, std::tuple<DoubleTensor>&,
                         const Start<double>&);
template void check_case(Random&, const std::string&, DoubleTensor&,
                         std::tuple<DoubleTensor, DoubleTensor>&, const Start<double>&);

void check_everywhere(const TensorsOfKernel& all, const std::vector<Configuration>& configurations,
                      const FunctionRef<std::vector<int>(const Configuration&)>& launch,
                      const FunctionRef<void(const std::vector<int>&)>& check) {
  for (const Configuration& configuration : configurations) {
    SCOPED_TRACE(configuration.text());
    all.restore();
    const auto codes = launch(configuration);
    if (codes.empty()) continue;
    for (TensorMemory* tensor : all.tensors) tensor->download();
    check(codes);
    for (TensorMemory* tensor : all.tensors) EXPECT_TRUE(tensor->guards_unchanged());
    if (testing::Test::HasFailure()) return;  // one failing case is enough
  }
}

}  // namespace KokkosContract::Test
