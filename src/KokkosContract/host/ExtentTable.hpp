// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_HOST_EXTENTTABLE_HPP
#define KOKKOSCONTRACT_HOST_EXTENTTABLE_HPP

#include <KokkosContract/chain/ContractRoutine.hpp>
#include <stdexcept>
#include <string>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The extents of all letters, collected from the operands.
struct ExtentTable {
  int extent[52]{};
  LetterSet known = 0;

  int& of(char letter) { return extent[std::countr_zero(letter_bit(letter))]; }

  template <class A>
  void read(const Labels& labels, const A& a) {
    for (int i = 0; i < labels.rank; ++i) {
      if (a.extent(i) < 0) {
        throw std::invalid_argument("KokkosContract: index '" + std::string(1, labels.letter[i]) +
                                    "' has an extent above 2^31 - 1024");
      }
      const LetterSet bit = letter_bit(labels.letter[i]);
      int& here = of(labels.letter[i]);
      if ((known & bit) != 0 && here != a.extent(i)) {
        throw std::invalid_argument("KokkosContract: index '" + std::string(1, labels.letter[i]) +
                                    "' has extent " + std::to_string(here) +
                                    " in one operand and " + std::to_string(a.extent(i)) +
                                    " in another");
      }
      here = a.extent(i);
      known |= bit;
    }
  }
  double volume(LetterSet set) const {
    double v = 1;
    for (int i = 0; i < 52; ++i) {
      if ((set >> i & 1) != 0) v *= extent[i];
    }
    return v;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
