// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCCG's contractions 21 to 30: of coupled cluster with singles and doubles (ccsd), the second
// part.
#include "Tccg.hpp"

namespace {

using namespace perf;

const Registered registered([] {
  add_tccg<"aebf,fdec->abcd">(21, {72, 72, 72, 72, 72, 72});
  add_tccg<"aecf,bfde->abcd">(22, {72, 72, 72, 72, 72, 72});
  add_tccg<"aecf,fbed->abcd">(23, {72, 72, 72, 72, 72, 72});
  add_tccg<"aedf,bfce->abcd">(24, {72, 72, 72, 72, 72, 72});
  add_tccg<"aedf,fbec->abcd">(25, {72, 72, 72, 72, 72, 72});
  add_tccg<"aefb,fdce->abcd">(26, {72, 72, 72, 72, 72, 72});
  add_tccg<"aefc,fbed->abcd">(27, {72, 72, 72, 72, 72, 72});
  add_tccg<"eafb,fdec->abcd">(28, {72, 72, 72, 72, 72, 72});
  add_tccg<"eafc,bfde->abcd">(29, {72, 72, 72, 72, 72, 72});
  add_tccg<"eafd,fbec->abcd">(30, {72, 72, 72, 72, 72, 72});
});

}  // namespace
