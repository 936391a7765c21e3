// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCCG's contractions 31 to 39: of coupled cluster with triples (ccsd_t), the first part.
#include "Tccg.hpp"

namespace {

using namespace perf;

const Registered registered([] {
  add_tccg<"dega,gfbc->abcdef">(31, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"degb,gfac->abcdef">(32, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"degc,gfab->abcdef">(33, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"dfga,gebc->abcdef">(34, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"dfgb,geac->abcdef">(35, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"dfgc,geab->abcdef">(36, {24, 16, 16, 24, 16, 16, 24});
  add_tccg<"efga,gdbc->abcdef">(37, {24, 16, 16, 16, 24, 16, 24});
  add_tccg<"efgb,gdac->abcdef">(38, {24, 16, 16, 16, 24, 16, 24});
  add_tccg<"efgc,gdab->abcdef">(39, {24, 16, 16, 16, 24, 16, 24});
});

}  // namespace
