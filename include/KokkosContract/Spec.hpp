// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SPEC_HPP
#define KOKKOSCONTRACT_SPEC_HPP

#include <KokkosContract/Impl/Config.hpp>
#include <cstddef>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A contraction string as a template argument: `TeamContract<"ijk,kl->ijl">`.
///
/// Grammar: INPUT {"," INPUT} "->" OUTPUT, where an operand is a list of letters (a-z, A-Z), one
/// per dimension, in any order; an empty list is rank 0. `*` after an input's letters conjugates
/// it. Blanks are ignored. At most 8 letters per operand and 8 inputs. A letter that is absent from
/// the output is summed over; a letter twice in one input takes its diagonal. Every fault in a
/// string is a compile-time error that names it.
template <std::size_t N>
struct Spec {
  char text[N]{};

  consteval Spec(const char (&string)[N]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < N; ++i) text[i] = string[i];
  }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
