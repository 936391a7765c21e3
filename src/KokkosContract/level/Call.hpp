// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_CALL_HPP
#define KOKKOSCONTRACT_LEVEL_CALL_HPP

// A call of a routine at a level: what messages name it, and which of its arguments it writes.

#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/level/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// What messages call a routine, and the first of its arguments that it writes: those behind it are
/// written, too, or are no operands.
struct Signature {
  const char* name;
  int written;
};

template <Workers W, class R>
struct CallOf {
  static constexpr Workers workers = W;
  using Routine = R;

  /// As the caller wrote it: TeamContract<"ik,kj->ij">.
  static consteval Text name() {
    Text text;
    text << (W == Workers::serial   ? "Serial"
             : W == Workers::vector ? "Vector"
             : W == Workers::team   ? "Team"
                                    : "TeamVector")
         << R::signature.name;
    if constexpr (requires { R::string; }) {
      text << "<\"";
      for (std::size_t i = 0; R::string[i] != '\0'; ++i) text << R::string[i];
      text << "\">";
    }
    return text;
  }
};

template <class Routine, class... Arguments>
consteval int first_written() {
  if constexpr (requires { Routine::template first_written<Arguments...>(); }) {
    return Routine::template first_written<Arguments...>();
  } else {
    return Routine::signature.written;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
