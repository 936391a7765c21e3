// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_LEVEL_CALL_HPP
#define KOKKOSCONTRACT_LEVEL_CALL_HPP

// A call of a routine at a level: its name in messages, and the arguments that it writes.

#include <KokkosContract/core/Misuse.hpp>
#include <KokkosContract/level/Level.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The name of a routine in messages, and the first argument that it writes. Each later argument is
/// written, too, or is not an operand.
struct Signature {
  const char* name;
  int written;
};

template <Workers W, class R>
struct CallOf {
  static constexpr Workers workers = W;
  using Routine = R;

  /// The name as the caller writes it: TeamContract<"ik,kj->ij">.
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
