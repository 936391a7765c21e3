// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCCG's contractions 1 to 11: the transformations of an index (intensli) and of integrals (ao2mo).
#include "Tccg.hpp"

namespace {

using namespace perf;

const Registered registered([] {
  add_tccg<"bda,dc->abc">(1, {312, 312, 24, 312});
  add_tccg<"dca,bd->abc">(2, {312, 24, 296, 312});
  add_tccg<"dbea,ec->abcd">(3, {72, 72, 24, 72, 72});
  add_tccg<"deca,be->abcd">(4, {72, 24, 72, 72, 72});
  add_tccg<"ebad,ce->abcd">(5, {72, 72, 24, 72, 72});
  add_tccg<"efbad,cf->abcde">(6, {48, 32, 24, 32, 48, 32});
  add_tccg<"ecbfa,fd->abcde">(7, {48, 32, 32, 24, 48, 48});
  add_tccg<"efcad,bf->abcde">(8, {48, 24, 32, 32, 48, 32});
  add_tccg<"ea,ebcd->abcd">(9, {72, 72, 72, 72, 72});
  add_tccg<"eb,aecd->abcd">(10, {72, 72, 72, 72, 72});
  add_tccg<"ec,abed->abcd">(11, {72, 72, 72, 72, 72});
});

}  // namespace
