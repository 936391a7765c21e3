// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_UNMARKEDLETTERS_HPP
#define KOKKOSCONTRACT_NEST_UNMARKEDLETTERS_HPP

// The warning for strings with a letter that occurs once and that no + marks. It is the warning of
// a deprecated function that the user's code calls by name. A compiler does not show the warning of
// a function that the library calls itself if its headers are system headers.

#include <KokkosContract/nest/Parse.hpp>

#define KOKKOSCONTRACT_DEPRECATED_STRING                                                        \
  [[deprecated(                                                                                 \
      "KokkosContract: a letter of the contraction string stands once in all, so it is summed " \
      "over: a typo? If not, write a + before it: from version 0.3 on it does not compile "     \
      "without")]]

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The first letter that a string has once, without a mark; '\0' if there is none.
template <Spec S>
inline constexpr char unmarked_letter = parse(S).lone;

/// The names of a contraction at a level (Entry) whose string has an unmarked letter.
template <class Entry, char UnmarkedLetter>
struct CallsOfString : Entry {
  template <class... Arguments>
  KOKKOSCONTRACT_DEPRECATED_STRING KOKKOSCONTRACT_RETURNS_CODE
      KOKKOS_FORCEINLINE_FUNCTION static int
      invoke(const Arguments&... arguments) {
    return Entry::invoke(arguments...);
  }
};
template <class Entry>
struct CallsOfString<Entry, '\0'> : Entry {};

/// A tile that warns of such strings.
template <class Tile>
class TileOfStrings : public Tile {
 public:
  using Tile::accumulate;
  using Tile::Tile;
  template <Spec... Strings, class... Arguments>
    requires((unmarked_letter<Strings> != '\0') || ...)
  KOKKOSCONTRACT_DEPRECATED_STRING KOKKOSCONTRACT_RETURNS_CODE KOKKOS_FORCEINLINE_FUNCTION int
  accumulate(const Arguments&... arguments) {
    return Tile::template accumulate<Strings...>(arguments...);
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
