// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "Operands.hpp"

namespace KokkosContract::Test::Fuzz {

// --- Kernels of the host, by address ------------------------------------------------------------

namespace Detail {
namespace {
template <class Caller>
struct ByAddress {
  Run<Caller> run;
  const Call* call;
  KOKKOS_FUNCTION int operator()(const Caller& caller, int problem) const {
    return run(caller, *call, problem);
  }
};
}  // namespace

template <class Caller>
std::vector<int> launch_by_address(Run<Caller> run, const Configuration& configuration,
                                   int problems, const Call& call,
                                   const std::vector<Watched>& watched) {
  if constexpr (Test::Detail::on_host()) {
    return LevelOf<Caller>::type::launch(configuration, problems, ByAddress<Caller>{run, &call},
                                         watched);
  } else {
    throw std::logic_error("an address of the host");
  }
}
template <>
std::vector<int> launch_by_address(Run<HostLevel> run, const Configuration&, int problems,
                                   const Call& call, const std::vector<Watched>&) {
  std::vector<int> codes;
  for (int p = 0; p < problems; ++p) {
    try {
      codes.push_back(run({}, call, p));
    } catch (const std::invalid_argument&) {
      codes.push_back(-1);
    }
  }
  Kokkos::fence();
  return codes;
}

template std::vector<int> launch_by_address(Run<SerialLevel>, const Configuration&, int,
                                            const Call&, const std::vector<Watched>&);
template std::vector<int> launch_by_address(Run<VectorLevel>, const Configuration&, int,
                                            const Call&, const std::vector<Watched>&);
template std::vector<int> launch_by_address(Run<TeamLevel>, const Configuration&, int, const Call&,
                                            const std::vector<Watched>&);
template std::vector<int> launch_by_address(Run<TeamVectorLevel>, const Configuration&, int,
                                            const Call&, const std::vector<Watched>&);
template std::vector<int> launch_by_address(Run<ThreadsLevel>, const Configuration&, int,
                                            const Call&, const std::vector<Watched>&);

}  // namespace Detail

// --- Operands -----------------------------------------------------------------------------------

int Operands::lanes() const {
  int lanes = 1;
  for (const auto& operand : description.operands) lanes = std::max(lanes, operand.lanes);
  return std::max(lanes, description.coefficient_lanes);
}

void expect_within(const Dense<Wide>& got, const Expected<Wide>& expected, Statistics& statistics,
                   const std::string& what) {
  const auto result = within_bounds(got, expected);
  EXPECT_TRUE(result) << what;
  statistics.elements += static_cast<long>(expected.value.size());
  if (result) statistics.worst = std::max(statistics.worst, margin(got, expected).ratio);
}

namespace {

/// Integers so small that no sum overflows.
int most_of(const Description& description, const Extents& extents) {
  long double terms = 1;
  int inputs = 0;
  for (const auto& [letter, extent] : extents) terms *= std::max(extent, 1);
  for (const auto& operand : description.operands) inputs += operand.role == Role::input;
  const long double most = std::pow(0x1p27L / terms, 1.0L / std::max(inputs, 1));
  return std::clamp(static_cast<int>(most), 1, 127);
}

void build(Operands& operands, Random& random) {
  const Description& description = operands.description;
  const Draw& draw = operands.draw;
  const int most = most_of(description, draw.extents);
  for (std::size_t o = 0; o < description.operands.size(); ++o) {
    const auto& type = description.operands[o];
    auto extents = extents_of(type.letters, draw.extents);
    if (static_cast<int>(o) == draw.wrong_operand) ++extents[draw.wrong_dimension];
    operands.tensors.push_back(make_tensor(
        random, type.type, type.lanes, Arranged(extents, draw.strides[o]), draw.problems, most));
  }
}

Coefficient coefficient(const std::vector<std::complex<double>>& values) {
  Coefficient result{};
  for (int l = 0; l < most_lanes; ++l) {
    const auto& value = values[std::min<std::size_t>(l, values.size() - 1)];
    result.real[l] = value.real();
    result.imag[l] = value.imag();
  }
  return result;
}

/// The code of a call that has to refuse its operands; 0: it does not.
int refusal(const Operands& o) {
  for (const auto& [letter, count] : o.draw.repeats) {
    if (count > KokkosContract::Impl::most_extent) return KokkosContract::Impl::extent_too_large;
  }
  if (o.draw.wrong_operand >= 0) return -1;
  if (o.description.output == Output::atomic && o.draw.beta[0] != 1.0) return -2;
  return 0;
}

/// Counts a call under each kind that it is of.
void count(const Entry& entry, const Operands& o, Statistics& statistics) {
  const Description& description = entry.description;
  const Draw& draw = o.draw;
  const auto is = [&](bool holds, const std::string& kind) {
    if (holds) ++statistics.kinds[kind];
  };
  const auto any_zero = [](const auto& factors) {
    return std::find(factors.begin(), factors.end(), 0.0) != factors.end();
  };
  const bool contraction = description.operation == "contract";
  const bool tile = description.operation == "tile";
  is(contraction && !description.huge, "contractions and products");
  is(tile, "tiles");
  is(!contraction && !tile, "dense routines");
  is(description.huge, "more than 2^31 products or extents beyond an int");
  is(!description.huge && !draw.repeats.empty(), "letters of stride 0 in all inputs");
  is(draw.workers.team > 1, "teams of several threads");
  is(tile && draw.workers.team > 1, "tiles of several threads");
  is(!tile && description.coefficient_lanes > 1 && (any_zero(draw.alpha) || any_zero(draw.beta)),
     "zeros in lanes of factors");
  is(draw.scratch_stride > 1, "scratch Views with gaps");
  is(refusal(o) != 0 || draw.scratch_short, "refused calls");
}

bool may_change(const Operands& o, int number) {
  switch (o.description.operands[number].role) {
    case Role::input:
      return false;
    case Role::output:
      return o.description.output != Output::elsewhere;
    case Role::kept: {
      bool any = false;
      for (const auto& alpha : o.draw.alpha) any |= alpha != 0.0;
      return any;
    }
    default:
      return true;
  }
}

}  // namespace

void check(const Entry& entry, const Draw& draw, Statistics& statistics) {
  const Description& description = entry.description;
  const Operation& operation = description.operation == "contract" ? contraction()
                               : description.operation == "tile"
                                   ? tile()
                                   : dense_routine(description.operation);
  SCOPED_TRACE(entry.name + ", " + entry.level + ", " + description.operation + " " +
               description.text + text_of_extents(draw.extents) + ", " + draw.workers.text());
  Random random(draw.data);
  Operands operands{description, draw, {}, {}};
  build(operands, random);
  if (draw.wrong_operand < 0) operation.fill(operands, random);
  operands.before.resize(operands.tensors.size());
  for (std::size_t o = 0; o < operands.tensors.size(); ++o) {
    for (int i = 0; i < draw.problems * operands.lanes(); ++i) {
      operands.before[o].push_back(
          operands.is(static_cast<int>(o), i / operands.lanes(), i % operands.lanes()));
    }
  }

  Call call{};
  call.alpha = coefficient(draw.alpha);
  call.beta = coefficient(draw.beta);
  std::vector<Watched> watched;
  for (std::size_t o = 0; o < operands.tensors.size(); ++o) {
    call.operand[o] = operands.tensors[o]->place();
    for (std::size_t d = 0; d < description.operands[o].letters.size(); ++d) {
      const auto repeat = draw.repeats.find(description.operands[o].letters[d]);
      if (repeat != draw.repeats.end()) call.operand[o].extent[d] = repeat->second;
    }
    if (may_change(operands, static_cast<int>(o))) {
      watched.push_back(operands.tensors[o]->watched());
    }
  }
  std::size_t bytes = entry.scratch_bytes ? entry.scratch_bytes(call) : 0;
  if (draw.scratch_short && bytes > 0) --bytes;
  const int stride = draw.scratch_stride;
  const int elements = (static_cast<int>(bytes) + stride - 1) / stride;
  StridedTensor<std::int8_t> memory(random, Arranged({elements}, {stride}), draw.problems);
  call.memory = reinterpret_cast<char*>(memory.data());
  call.memory_bytes = bytes;
  call.memory_distance = memory.distance();
  call.scratch_stride = stride;

  const auto codes = entry.launch(draw.workers, draw.problems, call, watched);
  if (codes.empty()) return;  // the backend has no such team
  ++statistics.calls;
  count(entry, operands, statistics);
  memory.download();
  EXPECT_TRUE(memory.guards_unchanged()) << "scratch memory of " << bytes << " bytes";
  for (auto& tensor : operands.tensors) tensor->download();
  const int refused = refusal(operands);
  const int refusal_code = entry.level == "Host" ? -1 : refused;  // there it throws
  const bool short_of_scratch = codes[0] == -3 && (draw.scratch_short || draw.scratch_stride > 1);
  for (std::size_t o = 0; o < operands.tensors.size(); ++o) {
    const Tensor& tensor = *operands.tensors[o];
    const bool fixed =
        refused != 0 || short_of_scratch || !may_change(operands, static_cast<int>(o));
    EXPECT_TRUE(fixed ? tensor.unchanged() : tensor.guards_unchanged()) << "operand " << o;
  }
  if (refused != 0) {
    // A call with two faults names either.
    const int expected = short_of_scratch ? -3 : refusal_code;
    for (const int code : codes) EXPECT_EQ(code, expected) << "the call must be refused";
    return;
  }
  if (short_of_scratch) return;
  operation.verify(operands, codes, statistics);

  if (entry.thread && random.integer(0, 7) == 0 && !testing::Test::HasFailure()) {
    check_barriers(
        [&](const ThreadLevel& level, int problem) { return entry.thread(call, level, problem); },
        watched,
        [&] {
          for (auto& tensor : operands.tensors) tensor->restore();
        },
        false);
  }
}

// --- Text ---------------------------------------------------------------------------------------

std::string Draw::text() const {
  std::ostringstream text;
  text.precision(17);
  const auto numbers = [&](const std::vector<std::complex<double>>& values) {
    text << "{";
    for (std::size_t i = 0; i < values.size(); ++i) {
      text << (i ? ", " : "") << "{" << values[i].real() << ", " << values[i].imag() << "}";
    }
    text << "}";
  };
  text << "{.data = " << data << "u, .problems = " << problems << ", .workers = {" << workers.team
       << ", " << workers.vector << "}, .extents = {";
  const char* comma = "";
  for (const auto& [letter, extent] : extents) {
    text << comma << "{'" << letter << "', " << extent << "}";
    comma = ", ";
  }
  text << "}, .repeats = {";
  comma = "";
  for (const auto& [letter, count] : repeats) {
    text << comma << "{'" << letter << "', " << count << "}";
    comma = ", ";
  }
  text << "}, .strides = {";
  for (std::size_t o = 0; o < strides.size(); ++o) {
    text << (o ? ", " : "") << "{";
    for (std::size_t d = 0; d < strides[o].size(); ++d) text << (d ? ", " : "") << strides[o][d];
    text << "}";
  }
  text << "}, .alpha = ";
  numbers(alpha);
  text << ", .beta = ";
  numbers(beta);
  text << ", .kind = " << kind << ", .wrong_operand = " << wrong_operand
       << ", .wrong_dimension = " << wrong_dimension
       << ", .scratch_short = " << (scratch_short ? "true" : "false")
       << ", .scratch_stride = " << scratch_stride << "}";
  return text.str();
}

}  // namespace KokkosContract::Test::Fuzz
