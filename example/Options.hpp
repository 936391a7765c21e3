// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of the examples. This header needs only the standard library, and not Kokkos. So a
// program can answer --help, or refuse an option, before it starts a device.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace example {

/// Takes one value of an option. Returns a description of the expected value, or nothing if the
/// value is valid.
using OptionValue = std::function<std::optional<std::string>(std::string_view)>;

/// `--name VALUE...`, with one value also `--name=VALUE`, and without values a switch. `then` is
/// called after the values are read.
struct Option {
  std::string name;
  std::vector<OptionValue> values;
  std::function<void()> then = nullptr;
};

namespace option {

/// A number from `least` to `most`; `target` may be wider than Number, or std::optional.
template <class Number = int, class Target>
OptionValue number(Target& target, Number least = 1,
                   Number most = std::numeric_limits<Number>::max()) {
  return [&target, least, most](std::string_view text) -> std::optional<std::string> {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && last == end && value >= least && value <= most) {  // false for NaN
      target = value;
      return {};
    }
    std::ostringstream expected;
    expected << (std::numeric_limits<Number>::is_integer ? "a whole number" : "a number")
             << " from " << least << " to " << most;
    return expected.str();
  };
}

/// One of a few numbers or words.
template <class Target>
OptionValue one_of(Target& target, std::vector<std::type_identity_t<Target>> choices) {
  return [&target, choices = std::move(choices)](std::string_view text) {
    std::string expected;
    for (const Target& choice : choices) {
      std::ostringstream name_of_choice;
      name_of_choice << choice;
      const std::string name = name_of_choice.str();
      if (text == name) {
        target = choice;
        return std::optional<std::string>();
      }
      expected += (expected.empty() ? "one of " : ", ") + name;
    }
    return std::optional(expected);
  };
}

template <class Target>
OptionValue text(Target& target) {
  return [&target](std::string_view value) {
    target = std::string(value);
    return std::optional<std::string>();
  };
}

}  // namespace option

/// What a command line says besides its options' values.
struct CommandLine {
  bool wants_help = false;
  std::optional<std::string> fault;  // why an option is bad
};

/// Reads a command line, up to --help or a bad option. An option is bad if it is unknown, lacks a
/// value or has a bad one. Kokkos' options are left to Kokkos.
inline CommandLine parse_options(int argc, char* const argv[],
                                 std::initializer_list<Option> options) {
  const auto refuse = [](const std::string& what) { return CommandLine{false, what}; };
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") return {true, {}};
    if (argument.starts_with("--kokkos-")) continue;
    const std::size_t equals = argument.find('=');
    const std::string name(argument.substr(0, equals));
    const Option* known = nullptr;
    for (const Option& option : options)
      if (option.name == name) known = &option;
    const bool attached = equals != argument.npos;
    if (known == nullptr) return refuse("unknown option '" + std::string(argument) + "'");
    const std::size_t count = known->values.size();
    const std::string values = count == 0   ? "no value"
                               : count == 1 ? "a value"
                                            : std::to_string(count) + " values";
    if (attached && count != 1)
      return refuse("option " + name + " takes " + values + (count == 0 ? "" : ", without ="));
    for (const OptionValue& take : known->values) {
      if (!attached && ++i == argc) return refuse("option " + name + " needs " + values);
      const std::string_view value = attached ? argument.substr(equals + 1) : argv[i];
      if (const auto expected = take(value))
        return refuse("option " + name + ": bad value '" + std::string(value) + "', expected " +
                      *expected);
    }
    if (known->then) known->then();
  }
  return {};
}

/// The program's name, without its folder.
inline std::string program_name(const char* path) {
  return std::string(std::string_view(path).substr(std::string_view(path).find_last_of('/') + 1));
}

/// Reads a command line. Returns main()'s result if there is nothing to do: 0 after --help, for
/// which it prints the usage, and 2 after a bad option, which it reports on stderr.
inline std::optional<int> read_options(int argc, char* const argv[], const char* usage,
                                       std::initializer_list<Option> options) {
  const CommandLine line = parse_options(argc, argv, options);
  if (line.fault) {
    std::fprintf(stderr, "%s: %s; see --help\n", program_name(argv[0]).c_str(),
                 line.fault->c_str());
    return 2;
  }
  if (!line.wants_help) return {};
  std::printf("%s", usage);
  return 0;
}

}  // namespace example
