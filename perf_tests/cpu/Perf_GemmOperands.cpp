// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of transposed matrices and of subviews of wider ones, for comparison with the plain
// row-major products of Perf_GemmDouble.cpp.
#include "Gemm.hpp"

namespace {

using namespace perf;

template <class Layout, class OpA, class OpB>
void add_case() {
  for_each_width(SomeWidths{}, []<int N>() {
    add<Who::serial, double, Layout, Extents::fixed, N, OpA, OpB>(N, in_l2);
    add<Who::serial, double, Layout, Extents::dynamic, 0, OpA, OpB>(N, in_l2);
  });
}

const Registered registered([] {
  add_case<Right, Transposed, None>();
  add_case<Right, None, Transposed>();
  add_case<Left, Transposed, None>();
  add_case<Left, None, Transposed>();
  add_case<RightPadded, None, None>();
  add_case<LeftPadded, None, None>();
  add_case<LeftPadded, Transposed, None>();
});

}  // namespace
