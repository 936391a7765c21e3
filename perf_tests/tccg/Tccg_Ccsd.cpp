// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCCG's contractions 12 to 20: of coupled cluster with singles and doubles (ccsd), the first part.
#include "Tccg.hpp"

namespace {

using namespace perf;

const Registered registered([] {
  add_tccg<"ac,cb->ab">(12, {5136, 5120, 5136});
  add_tccg<"acd,dbc->ab">(13, {312, 296, 296, 312});
  add_tccg<"cad,dcb->ab">(14, {312, 296, 312, 312});
  add_tccg<"acd,db->abc">(15, {312, 296, 296, 312});
  add_tccg<"ad,bdc->abc">(16, {312, 312, 296, 296});
  add_tccg<"adc,bd->abc">(17, {312, 312, 296, 296});
  add_tccg<"adc,db->abc">(18, {312, 296, 296, 312});
  add_tccg<"adec,ebd->abc">(19, {72, 72, 72, 72, 72});
  add_tccg<"aebf,dfce->abcd">(20, {72, 72, 72, 72, 72, 72});
});

}  // namespace
