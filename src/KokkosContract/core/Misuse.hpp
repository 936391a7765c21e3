// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_CORE_MISUSE_HPP
#define KOKKOSCONTRACT_CORE_MISUSE_HPP

// Handling of a call whose misuse only the run time shows. A release build returns a negative code,
// a checked build ends with a message, and a strict build records the first one for the host
// (machine/Report.hpp). A class Call stands for the call: its `name()` is a Text.

#include <KokkosContract/core/Codes.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

enum class Misuse {
  extents,
  atomic,
  scratch,
  lanes,
  factor,
  workers,
  size,
  overlap,
  repeated,
  memory,
  absent,
  arguments,
  writers
};

/// Characters that are assembled at compile time, or in a kernel. Characters that do not fit are
/// dropped.
struct Text {
  static constexpr int capacity = 511;
  char characters[capacity + 1]{};
  int size = 0;

  KOKKOS_FUNCTION constexpr Text& operator<<(char c) {
    if (size < capacity) characters[size++] = c;
    return *this;
  }
  KOKKOS_FUNCTION constexpr Text& operator<<(const char* text) {
    for (; *text != '\0'; ++text) *this << *text;
    return *this;
  }
  /// Appends an extent or a number, which is not negative.
  KOKKOS_FUNCTION constexpr Text& operator<<(int number) {
    int unit = 1;
    while (number / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) *this << static_cast<char>('0' + number / unit % 10);
    return *this;
  }
};

consteval const char* describe(Misuse misuse) {
  switch (misuse) {
    case Misuse::extents:
      return "two operands disagree about an extent";
    case Misuse::atomic:
      return "an atomic output needs beta == 1";
    case Misuse::scratch:
      return "there is less scratch memory than scratch_bytes() says, or it is a View with gaps";
    case Misuse::lanes:
      return "the pack length is not a multiple of the vector length";
    case Misuse::factor:
      return "sums are integers, and alpha or beta is no value of their type";
    case Misuse::workers:
      return "the team has not as many workers as the tile is for: workers()";
    case Misuse::size:
      return "an extent, or what a team counts as one index, is above 2^31 - 1024";
    case Misuse::overlap:
      return "an operand that is written overlaps another one";
    case Misuse::repeated:
      return "two elements of an operand that is written are at one address, as with a stride of 0";
    case Misuse::memory:
      return "an operand is in memory that the caller cannot reach";
    case Misuse::absent:
      return "some threads of the team do not come to a call of all threads; it does not belong "
             "into TeamThreadRange, single or a condition on which threads differ";
    case Misuse::arguments:
      return "the threads of the team call with different operands; a call of all threads of a "
             "team does not belong into TeamThreadRange";
    default:
      return "another caller is writing the same operand at this time; where all threads of a team "
             "do, the call belongs into TeamThreadRange, or is one of the team";
  }
}

template <class Call, Misuse M>
consteval Text message_of() {
  const Text name = Call::name();
  return Text{} << "KokkosContract: " << name.characters << ": " << describe(M);
}

/// Ends the program. The message is static, so that a GPU has it in its memory.
template <class Call, Misuse M>
KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION void end_program() {
  static constexpr Text message = message_of<Call, M>();
  Kokkos::abort(message.characters);
}

/// Ends the program, with details that only the run time knows.
template <class Call, Misuse M>
KOKKOSCONTRACT_COLD_CODE KOKKOS_FUNCTION void end_program(const Text& details) {
  static constexpr Text message = message_of<Call, M>();
  Text text = message;
  text << ": " << details.characters;
  Kokkos::abort(text.characters);
}

/// Checked builds end the program if the condition does not hold.
template <class Call, Misuse M>
KOKKOS_FORCEINLINE_FUNCTION void require([[maybe_unused]] bool holds) {
  if constexpr (checked_build) {
    if (!holds) end_program<Call, M>();
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
