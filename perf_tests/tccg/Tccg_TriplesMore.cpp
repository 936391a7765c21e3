// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCCG's contractions 40 to 48: of coupled cluster with triples (ccsd_t), the second part.
#include "Tccg.hpp"

namespace {

using namespace perf;

const Registered registered([] {
  add_tccg<"gdab,efgc->abcdef">(40, {24, 16, 16, 16, 24, 16, 24});
  add_tccg<"gdac,efgb->abcdef">(41, {24, 16, 16, 16, 24, 16, 24});
  add_tccg<"gdbc,efga->abcdef">(42, {24, 16, 16, 16, 24, 16, 24});
  add_tccg<"geab,dfgc->abcdef">(43, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"geac,dfgb->abcdef">(44, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"gebc,dfga->abcdef">(45, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"gfab,degc->abcdef">(46, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"gfac,degb->abcdef">(47, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"gfbc,dega->abcdef">(48, {24, 16, 16, 24, 16, 16, 24});
});

}  // namespace
