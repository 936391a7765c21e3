// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_SPEC_HPP
#define KOKKOSCONTRACT_SPEC_HPP

#include <KokkosContract/core/Config.hpp>
#include <cstddef>
#include <cstdint>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {

/// A contraction string as a template argument: `TeamContract<"ijk,kl->ijl">`.
///
/// Grammar: INPUT {"," INPUT} "->" OUTPUT. An operand is a list of letters (a-z, A-Z), one per
/// dimension, in any order. An empty list is rank 0. `*` after an input's letters conjugates it.
/// Blanks are ignored. There are at most 8 letters per operand and 8 inputs. A letter that is
/// absent from the output is summed over. A letter that occurs twice in one input takes its
/// diagonal.
///
/// A `+` may stand before a letter that occurs in one input alone, "ik,k+lj->ij", to say that this
/// sum is intended. With several inputs it is required in checked builds, with
/// KOKKOSCONTRACT_STRICT_STRINGS, and from version 0.3 on. Other builds warn. Every fault in a
/// string is a compile-time error that names it.
template <std::size_t N>
struct Spec {
  static constexpr std::size_t capacity = 96;
  static_assert(N <= capacity, "KokkosContract: a contraction string has at most 95 characters");

#if defined(__NVCC__)
  // The characters, eight to a word. nvcc cannot name a kernel whose template arguments contain an
  // array.
  std::uint64_t w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0, w8 = 0, w9 = 0,
                w10 = 0, w11 = 0;

  consteval Spec(const char (&text)[N]) {  // NOLINT(google-explicit-constructor)
    std::uint64_t word[capacity / 8]{};
    for (std::size_t i = 0; i < N; ++i) {
      word[i / 8] |= std::uint64_t{static_cast<unsigned char>(text[i])} << i % 8 * 8;
    }
    w0 = word[0], w1 = word[1], w2 = word[2], w3 = word[3], w4 = word[4], w5 = word[5];
    w6 = word[6], w7 = word[7], w8 = word[8], w9 = word[9], w10 = word[10], w11 = word[11];
  }

  /// Constructs from the words themselves. nvcc writes a Spec like this in the code that it
  /// generates.
  KOKKOS_FUNCTION constexpr Spec(std::uint64_t a0, std::uint64_t a1, std::uint64_t a2,
                                 std::uint64_t a3, std::uint64_t a4, std::uint64_t a5,
                                 std::uint64_t a6, std::uint64_t a7, std::uint64_t a8,
                                 std::uint64_t a9, std::uint64_t a10, std::uint64_t a11)
      : w0(a0),
        w1(a1),
        w2(a2),
        w3(a3),
        w4(a4),
        w5(a5),
        w6(a6),
        w7(a7),
        w8(a8),
        w9(a9),
        w10(a10),
        w11(a11) {}

  /// Character i; '\0' from the end on.
  KOKKOS_FUNCTION constexpr char operator[](std::size_t i) const {
    const std::uint64_t word[] = {w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11};
    return i < N ? static_cast<char>(word[i / 8] >> i % 8 * 8 & 0xff) : '\0';
  }
#else
  // The characters as an array, which compilers print as the string in their messages.
  char characters[N]{};

  consteval Spec(const char (&text)[N]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }

  /// Character i; '\0' from the end on.
  KOKKOS_FUNCTION constexpr char operator[](std::size_t i) const {
    return i < N ? characters[i] : '\0';
  }
#endif
  static KOKKOS_FUNCTION constexpr std::size_t size() { return N; }
};

}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
