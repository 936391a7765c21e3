// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random cases of the library's calls. A case is a struct that scripts/fuzz writes:
//   struct Case {
//     static Description description();                      // what is called, with which operands
//     static std::size_t scratch_bytes(const Call&);         // of a chain
//     static int run(const Team&, const Call&, int problem);  // the call, for each level that it
//     has
//   };
// All that only the run decides is a Draw. check() runs one and compares; it is all that a test of
// a finding needs.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Call.hpp"
#include "Levels.hpp"
#include "Reference.hpp"

namespace KokkosContract::Test::Fuzz {

// --- Callers ------------------------------------------------------------------------------------

using Member = Test::Detail::Member;
using SerialLevel = SerialCaller;
using VectorLevel = VectorCaller<Member>;
using TeamLevel = TeamCaller<Member>;
using TeamVectorLevel = TeamVectorCaller<Member>;
using ThreadsLevel = ThreadLevel;
/// Host-level calls.
struct HostLevel {};

// --- What a case is -----------------------------------------------------------------------------

enum class Type { f32, f64, c32, c64, f16, bf16, i8, i16, i32 };
enum class Form {
  right,
  left,     // packed, as Views of these layouts are
  strided,  // any order, gaps
  any       // negative strides too, and of inputs zero
};
enum class Role { input, output, kept, elsewhere, info };

/// The facts of an operand's types. -1 in extents and strides: the draw decides.
struct OperandType {
  Type type;
  int lanes;
  std::string letters;
  Form form;
  Role role = Role::input;
  std::vector<int> extents = {};
  std::vector<std::ptrdiff_t> strides = {};
};
/// A functor or a kept tensor between inputs of a contraction, after `before` inputs.
struct Mark {
  int before;
  std::string labels;
  int kept = -1;  // number of the operand
};
/// A step of a tile. Each of its factors is a lane of alpha or beta, from `factor` on.
struct Step {
  enum What { load, accumulate, twist, reduce, store } what;
  int factor = 0;
  std::vector<std::string> products = {};  // strings of accumulate
  int first = 0;                           // operand of the first input; each product has two
};
enum class Output { plain, atomic, epilogue, elsewhere };

struct Description {
  std::string operation;  // "contract", or a routine
  std::string text;       // string of a contraction; tags of a routine
  std::vector<OperandType> operands;
  std::vector<Mark> marks = {};
  Output output = Output::plain;
  Type coefficients = Type::f64;
  int coefficient_lanes = 1;
  bool needs_scratch = false;
  std::optional<double> alpha = {}, beta = {};  // if the operation gives them
  bool refuses = true;           // refuses operands that disagree; calls in sequence do not
  bool huge = false;             // more products than an int counts, by letters of stride 0
  std::vector<Step> steps = {};  // of a tile
  std::vector<int> shape = {};   // of a tile
  bool one_tile = false;         // which begins at a third of each extent; else all tiles
  bool scratch_view = false;     // scratch memory is a View
};

// --- What a run decides -------------------------------------------------------------------------

struct Draw {
  std::uint64_t data = 1;  // seed of the elements
  int problems = 1;
  Configuration workers{1, 1};
  Extents extents;
  /// Letters of stride 0 in all inputs, whose single index is called with this large extent.
  std::map<char, std::int64_t> repeats = {};
  std::vector<std::vector<std::ptrdiff_t>> strides;  // strides of each operand
  std::vector<std::complex<double>> alpha, beta;     // of each lane
  int kind = 0;                                      // of matrices
  int wrong_operand = -1, wrong_dimension = 0;       // its extent disagrees: the call must refuse
  bool scratch_short = false;                        // less than scratch_bytes
  int scratch_stride = 1;                            // of a View of scratch memory

  /// The draw as C++: a Draw's initialiser.
  std::string text() const;
};

// --- Entries ------------------------------------------------------------------------------------

/// A case at one level, without its types.
struct Entry {
  std::string name, level;
  Description description;
  std::function<std::size_t(const Call&)> scratch_bytes;
  std::function<std::vector<int>(const Configuration&, int problems, const Call&,
                                 const std::vector<Watched>&)>
      launch;
  std::function<int(const Call&, const ThreadLevel&, int problem)> thread;  // Threads only
  std::vector<Configuration> configurations;
};

namespace Detail {

template <class Caller>
struct LevelOf;
template <>
struct LevelOf<SerialLevel> {
  using type = Test::Serial;
};
template <>
struct LevelOf<VectorLevel> {
  using type = Test::Vector;
};
template <>
struct LevelOf<TeamLevel> {
  using type = Test::Team;
};
template <>
struct LevelOf<TeamVectorLevel> {
  using type = Test::TeamVector;
};
template <>
struct LevelOf<ThreadsLevel> {
  using type = Test::Threads;
};

/// On a host each level's kernel is compiled once, in Fuzz.cpp, and calls the case by address.
template <class Caller>
using Run = int (*)(const Caller&, const Call&, int problem);
template <class Caller>
std::vector<int> launch_by_address(Run<Caller> run, const Configuration& configuration,
                                   int problems, const Call& call,
                                   const std::vector<Watched>& watched);
template <>
std::vector<int> launch_by_address(Run<HostLevel> run, const Configuration& configuration,
                                   int problems, const Call& call,
                                   const std::vector<Watched>& watched);

/// On a device the kernel contains the case.
template <class Case>
struct Kernel {
  Call call;
  template <class Caller>
  KOKKOS_FUNCTION int operator()(const Caller& caller, int problem) const {
    return Case::run(caller, call, problem);
  }
};

template <class Case, class Caller>
std::vector<int> launch(const Configuration& configuration, int problems, const Call& call,
                        const std::vector<Watched>& watched) {
  if constexpr (Test::Detail::on_host() || std::is_same_v<Caller, HostLevel>) {
    return launch_by_address<Caller>(&Case::run, configuration, problems, call, watched);
  } else {
    return LevelOf<Caller>::type::launch(configuration, problems, Kernel<Case>{call}, watched);
  }
}

}  // namespace Detail

template <class Case, class Caller>
Entry entry(const std::string& name) {
  Entry entry;
  entry.name = name;
  entry.description = Case::description();
  if constexpr (requires(const Call& call) { Case::scratch_bytes(call); }) {
    entry.scratch_bytes = &Case::scratch_bytes;
  }
  entry.launch = &Detail::launch<Case, Caller>;
  if constexpr (std::is_same_v<Caller, ThreadsLevel>) {
    entry.thread = [](const Call& call, const ThreadLevel& level, int problem) {
      return Case::run(level, call, problem);
    };
  }
  if constexpr (std::is_same_v<Caller, HostLevel>) {
    entry.level = "Host";
    entry.configurations = {{1, 1}};
  } else {
    entry.level = Detail::LevelOf<Caller>::type::name;
    entry.configurations = Detail::LevelOf<Caller>::type::configurations();
  }
  return entry;
}

// --- Checks -------------------------------------------------------------------------------------

struct Statistics {
  long calls = 0, elements = 0;
  long double worst = 0;              // error in units of its bound
  std::map<std::string, long> kinds;  // calls of each kind; one call may be of several
};

/// Runs one draw. A fault fails the running test.
void check(const Entry& entry, const Draw& draw, Statistics& statistics);
template <class Case, class Caller>
void check(const Draw& draw) {
  Statistics statistics;
  check(entry<Case, Caller>("Case"), draw, statistics);
}

}  // namespace KokkosContract::Test::Fuzz
