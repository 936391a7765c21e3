// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of contractions at every level: the element types.
#include "TwoInputs.hpp"

void types(const Right<int*>& codes) {
  using Packs = Right<kc::Pack<double, 4>**>;
  two_inputs<"ik,kj->ij">(codes, Packs{}, Packs{}, Packs{});
  two_inputs<"ik,kj->ij">(codes, Right<double**>{}, Packs{}, Packs{});
  two_inputs<"ik*,kj->ij">(codes, Right<Complex**>{}, Right<Complex**>{}, Right<Complex**>{},
                           Complex{});
  two_inputs<"ik,kj->ij">(codes, Right<double**>{}, Right<Complex**>{}, Left<Complex**>{});
  two_inputs<"ik,kj->ij">(codes, Right<Half**>{}, Right<Half**>{}, Right<Half**>{}, float{});
  two_inputs<"ik,kj->ij">(codes, Right<BHalf[8][8]>{}, Right<BHalf[8][8]>{}, Right<float[8][8]>{},
                          float{});
  two_inputs<"ik,kj->ij">(codes, Right<Half[64][40]>{}, Right<Half[40][64]>{},
                          Right<Half[64][64]>{}, float{});
  two_inputs<"ik,kj->ij">(codes, Right<std::int8_t**>{}, Right<std::int8_t**>{},
                          Right<std::int32_t**>{}, double{});
  two_inputs<"ik,kj->ij">(codes, Right<float**>{}, Right<double**>{}, Right<double**>{}, float{});
}
