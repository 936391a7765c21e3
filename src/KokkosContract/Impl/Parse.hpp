// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_IMPL_PARSE_HPP
#define KOKKOSCONTRACT_IMPL_PARSE_HPP

#include <KokkosContract/Spec.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

inline constexpr int max_rank = 8;
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

enum class Fault {
  none,
  no_arrow,
  second_arrow,
  bad_character,
  misplaced_star,
  too_many_letters,
  too_many_inputs,
  comma_in_output,
  repeated_in_output,
  unknown_in_output
};

/// What a contraction string says.
struct Parsed {
  Labels input[max_inputs]{};
  int inputs = 1;
  Labels output{};
  Fault fault = Fault::none;
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

template <std::size_t N>
constexpr Parsed parse(const Spec<N>& text) {
  Parsed p{};
  bool in_output = false;
  Labels* operand = &p.input[0];
  const auto fail = [&p](Fault fault) {
    p.fault = fault;
    return p;
  };
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && text[i + 1] == '>') {
      if (in_output) return fail(Fault::second_arrow);
      in_output = true;
      operand = &p.output;
      ++i;
    } else if (c == ',') {
      if (in_output) return fail(Fault::comma_in_output);
      if (p.inputs == max_inputs) return fail(Fault::too_many_inputs);
      operand = &p.input[p.inputs++];
    } else if (c == '*') {
      if (in_output || operand->conjugate) return fail(Fault::misplaced_star);
      operand->conjugate = true;
    } else if (is_letter(c)) {
      if (operand->conjugate) return fail(Fault::misplaced_star);
      if (operand->rank == max_rank) return fail(Fault::too_many_letters);
      operand->letter[operand->rank++] = c;
    } else {
      return fail(Fault::bad_character);
    }
  }
  if (!in_output) return fail(Fault::no_arrow);
  for (int i = 0; i < p.output.rank; ++i) {
    const char c = p.output.letter[i];
    if (p.output.count(c) > 1) return fail(Fault::repeated_in_output);
    bool known = false;
    for (int k = 0; k < p.inputs; ++k) known = known || p.input[k].has(c);
    if (!known) return fail(Fault::unknown_in_output);
  }
  return p;
}

/// The parsed string; a malformed one is a compile-time error that names the fault.
template <Spec S>
struct Parse {
  static constexpr Parsed value = parse(S);
  static_assert(value.fault != Fault::no_arrow,
                "KokkosContract: the contraction string has no '->'");
  static_assert(value.fault != Fault::second_arrow,
                "KokkosContract: the contraction string has more than one '->'");
  static_assert(value.fault != Fault::bad_character,
                "KokkosContract: the contraction string has a character that is not a letter, ',', "
                "'*', a blank or '->'");
  static_assert(value.fault != Fault::misplaced_star,
                "KokkosContract: '*' must follow the letters of an input, once");
  static_assert(value.fault != Fault::too_many_letters,
                "KokkosContract: an operand of the contraction string has more than 8 letters");
  static_assert(value.fault != Fault::too_many_inputs,
                "KokkosContract: the contraction string has more than 8 inputs");
  static_assert(value.fault != Fault::comma_in_output,
                "KokkosContract: the contraction string has more than one output");
  static_assert(value.fault != Fault::repeated_in_output,
                "KokkosContract: a letter stands twice in the output of the contraction string");
  static_assert(value.fault != Fault::unknown_in_output,
                "KokkosContract: a letter of the output stands in no input");
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
