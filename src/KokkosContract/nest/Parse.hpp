// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_NEST_PARSE_HPP
#define KOKKOSCONTRACT_NEST_PARSE_HPP

#include <KokkosContract/Operand.hpp>
#include <KokkosContract/Spec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr int max_inputs = 8;

/// The letters of one operand, outermost dimension first.
struct Labels {
  char letter[max_rank]{};
  int rank = 0;
  bool conjugate = false;

  constexpr int count(char c) const {
    int n = 0;
    for (int i = 0; i < rank; ++i) n += letter[i] == c;
    return n;
  }
  constexpr bool has(char c) const { return count(c) > 0; }
};

enum class StringFault {
  none,
  no_arrow,
  second_arrow,
  bad_character,
  misplaced_star,
  misplaced_plus,
  too_many_letters,
  too_many_inputs,
  comma_in_output,
  repeated_in_output,
  unknown_in_output
};

/// The content of a contraction string.
struct Parsed {
  Labels input[max_inputs]{};
  int inputs = 1;
  Labels output{};
  char summed[max_inputs * max_rank]{};  // letters that a + marks
  int marks = 0;
  char lone = '\0';  // with several inputs: a letter that occurs once in all, without a mark
  StringFault fault = StringFault::none;

  constexpr int count(char c) const {
    int n = output.count(c);
    for (int k = 0; k < inputs; ++k) n += input[k].count(c);
    return n;
  }
  constexpr bool is_marked(char c) const {
    for (int i = 0; i < marks; ++i) {
      if (summed[i] == c) return true;
    }
    return false;
  }
};

consteval bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <std::size_t N>
consteval Parsed parse(const Spec<N>& text) {
  Parsed p{};
  bool in_output = false;
  Labels* operand = &p.input[0];
  const auto fail = [&p](StringFault fault) {
    p.fault = fault;
    return p;
  };
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && text[i + 1] == '>') {
      if (in_output) return fail(StringFault::second_arrow);
      in_output = true;
      operand = &p.output;
      ++i;
    } else if (c == ',') {
      if (in_output) return fail(StringFault::comma_in_output);
      if (p.inputs == max_inputs) return fail(StringFault::too_many_inputs);
      operand = &p.input[p.inputs++];
    } else if (c == '*') {
      if (in_output || operand->conjugate) return fail(StringFault::misplaced_star);
      operand->conjugate = true;
    } else if (c == '+') {
      if (in_output || !is_letter(text[i + 1]) || p.marks == max_inputs * max_rank) {
        return fail(StringFault::misplaced_plus);
      }
      p.summed[p.marks++] = text[i + 1];
    } else if (is_letter(c)) {
      if (operand->conjugate) return fail(StringFault::misplaced_star);
      if (operand->rank == max_rank) return fail(StringFault::too_many_letters);
      operand->letter[operand->rank++] = c;
    } else {
      return fail(StringFault::bad_character);
    }
  }
  if (!in_output) return fail(StringFault::no_arrow);
  for (int i = 0; i < p.output.rank; ++i) {
    const char c = p.output.letter[i];
    if (p.output.count(c) > 1) return fail(StringFault::repeated_in_output);
    bool known = false;
    for (int k = 0; k < p.inputs; ++k) known = known || p.input[k].has(c);
    if (!known) return fail(StringFault::unknown_in_output);
  }
  for (int i = 0; i < p.marks; ++i) {
    if (p.count(p.summed[i]) != 1) return fail(StringFault::misplaced_plus);
  }
  for (int k = 0; k < p.inputs; ++k) {
    for (int i = 0; i < p.input[k].rank; ++i) {
      const char c = p.input[k].letter[i];
      if (p.inputs > 1 && p.lone == '\0' && p.count(c) == 1 && !p.is_marked(c)) p.lone = c;
    }
  }
  return p;
}

// Checked builds are strict, and all will be from version 0.3 on (UnmarkedLetters.hpp).
#if defined(KOKKOSCONTRACT_STRICT_STRINGS) || defined(KOKKOSCONTRACT_CHECKED)
inline constexpr bool strict_strings = true;
#else
inline constexpr bool strict_strings = false;
#endif

/// Its name appears in a compiler's error.
template <char Letter>
struct letter_stands_once {
  static_assert(Letter == '\0',
                "KokkosContract: a letter of the contraction string stands once in all, so it is "
                "summed over: a typo? Write a + before it if not");
  static constexpr bool value = true;
};

/// The parsed string; a malformed one is a compile-time error that names the fault.
template <Spec S>
struct Parse {
  static constexpr Parsed value = parse(S);
  static_assert(value.fault != StringFault::no_arrow,
                "KokkosContract: the contraction string has no '->'");
  static_assert(value.fault != StringFault::second_arrow,
                "KokkosContract: the contraction string has more than one '->'");
  static_assert(value.fault != StringFault::bad_character,
                "KokkosContract: the contraction string has a character that is not a letter, ',', "
                "'*', '+', a blank or '->'");
  static_assert(value.fault != StringFault::misplaced_star,
                "KokkosContract: '*' must follow the letters of an input, once");
  static_assert(value.fault != StringFault::misplaced_plus,
                "KokkosContract: '+' stands before a letter of an input that is in no other place "
                "of the contraction string");
  static_assert(letter_stands_once < strict_strings ? value.lone : '\0' > ::value);
  static_assert(value.fault != StringFault::too_many_letters,
                "KokkosContract: an operand of the contraction string has more than 8 letters");
  static_assert(value.fault != StringFault::too_many_inputs,
                "KokkosContract: the contraction string has more than 8 inputs");
  static_assert(value.fault != StringFault::comma_in_output,
                "KokkosContract: the contraction string has more than one output");
  static_assert(value.fault != StringFault::repeated_in_output,
                "KokkosContract: a letter stands twice in the output of the contraction string");
  static_assert(value.fault != StringFault::unknown_in_output,
                "KokkosContract: a letter of the output stands in no input");
};

/// The letters of a functor. The rank is -1 if the text is not a list of letters that each occur
/// once.
template <std::size_t N>
consteval Labels functor_labels(const Spec<N>& text) {
  Labels labels{};
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    if (text[i] == ' ') continue;
    if (!is_letter(text[i]) || labels.has(text[i]) || labels.rank == max_rank) {
      labels.rank = -1;
      return labels;
    }
    labels.letter[labels.rank++] = text[i];
  }
  return labels;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
