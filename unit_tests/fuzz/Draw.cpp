// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Draw.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace KokkosContract::Test::Fuzz {
namespace {

/// The work limit of a reference.
constexpr double most_products = 60000;

bool is_contraction(const Entry& entry) {
  return entry.description.operation == "contract" || entry.description.operation == "tile";
}

/// Extents that the types fix.
Extents fixed_extents(const Description& description) {
  Extents fixed;
  for (const auto& operand : description.operands) {
    for (std::size_t d = 0; d < operand.extents.size(); ++d) {
      if (operand.extents[d] >= 0) fixed[operand.letters[d]] = operand.extents[d];
    }
  }
  return fixed;
}

/// Whether only inputs have the letter, with strides that the run decides.
bool may_repeat(const Description& description, char letter) {
  if (description.operation != "contract" || !description.marks.empty()) return false;
  for (const auto& operand : description.operands) {
    for (std::size_t d = 0; d < operand.letters.size(); ++d) {
      if (operand.letters[d] != letter) continue;
      const bool loose = operand.form == Form::strided || operand.form == Form::any;
      const bool fixed = (!operand.extents.empty() && operand.extents[d] >= 0) ||
                         (!operand.strides.empty() && operand.strides[d] != -1);
      if (operand.role != Role::input || !loose || fixed) return false;
    }
  }
  return true;
}

std::string letters_that_may_repeat(const Description& description, const Extents& extents) {
  std::string letters;
  for (const auto& [letter, extent] : extents) {
    if (may_repeat(description, letter)) letters += letter;
  }
  return letters;
}

/// Letters of stride 0 with few indices each, or with so many that an int does not count their
/// products, or, rarely, not one of them.
std::map<char, std::int64_t> random_repeats(const Description& description, Extents& extents,
                                            Random& random) {
  std::map<char, std::int64_t> repeats;
  const std::string letters = letters_that_may_repeat(description, extents);
  if (letters.empty()) return repeats;
  if (!description.huge) {
    if (random.integer(0, 2) > 0) return repeats;
    for (const char c : letters) {
      if (random.integer(0, 1) == 0) repeats[c] = random.integer(2, 9);
    }
  } else {
    double rest = 2.2e9;
    for (auto& [letter, extent] : extents) {
      extent = random.integer(1, 4);
      if (letters.find(letter) == std::string::npos) rest /= extent;
    }
    const bool beyond = random.integer(0, 3) == 0;
    const double most = static_cast<double>(KokkosContract::Impl::most_extent);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const double left = static_cast<double>(letters.size() - i);
      const double part =
          left == 1 ? rest : std::pow(rest, 1 / left) * (0.75 + random.integer(0, 9) / 20.);
      repeats[letters[i]] =
          beyond ? random.integer(1, 3) : static_cast<std::int64_t>(std::min(part, most));
      rest /= part;
    }
    if (beyond) {
      static const std::int64_t extents_beyond[] = {0x80000005, 0x7fffffff, 0x7fffffff - 1022,
                                                    0x100000003};
      repeats[letters[random.integer(0, static_cast<int>(letters.size()) - 1)]] =
          extents_beyond[random.integer(0, 3)];
    }
  }
  return repeats;
}

/// Their one element has stride 0.
void set_repeats(const Description& description, Draw& draw) {
  for (std::size_t o = 0; o < description.operands.size(); ++o) {
    const std::string& letters = description.operands[o].letters;
    for (std::size_t d = 0; d < letters.size(); ++d) {
      if (draw.repeats.count(letters[d])) draw.strides[o][d] = 0;
    }
  }
}

int random_extent(Random& random, bool large) {
  static const int small[] = {2, 3, 4, 5, 6, 7, 8, 9, 11, 12};
  static const int medium[] = {13, 15, 16, 17, 19, 23, 24, 25, 29, 31, 32, 33, 37, 40};
  const int kind = random.integer(0, 99);
  if (kind < 3) return 0;
  if (kind < 13) return 1;
  if (large && kind < 18) return random.integer(64, 300);
  if (kind < 50) return medium[random.integer(0, 13)];
  return small[random.integer(0, 9)];
}

/// What extents of one routine have to do with each other.
void constrain(const Description& description, Extents& extents) {
  const auto has = [&](char c) { return extents.count(c) != 0; };
  // m x n matrices: p = min(m, n); least squares have m >= n.
  if (description.operation == "geqrf" || description.operation == "ormqr" ||
      description.operation == "gels") {
    extents['m'] = std::max(extents['m'], extents['n']);
  }
  if (has('w')) extents['w'] = extents['n'] * extents['n'];  // a workspace
  if (has('p')) extents['p'] = std::min(extents['m'], has('n') ? extents['n'] : extents['m']);
}

Extents random_extents(const Description& description, Random& random, bool contraction) {
  const Extents fixed = fixed_extents(description);
  Extents extents = fixed;
  for (const auto& operand : description.operands) {
    for (const char c : operand.letters) {
      if (extents.count(c)) continue;
      extents[c] = contraction ? random_extent(random, true)
                   : c == 'z'  ? random.integer(0, 4)
                               : random_extent(random, false);
    }
  }
  if (!contraction) constrain(description, extents);
  int lanes = 1;
  for (const auto& operand : description.operands) lanes = std::max(lanes, operand.lanes);
  const auto too_large = [&] {
    double work = lanes;
    if (contraction) {
      for (const auto& [letter, extent] : extents) work *= std::max(extent, 1);
    } else {
      double largest = 1;
      for (const auto& operand : description.operands) {
        double elements = 1;
        for (const char c : operand.letters) elements *= std::max(extents.at(c), 1);
        largest = std::max(largest, elements);
      }
      work *= std::pow(largest, 1.5);
    }
    return work > most_products;
  };
  while (too_large()) {
    char largest = 0;
    for (const auto& [letter, extent] : extents) {
      const bool derived = !contraction && (letter == 'p' || letter == 'w');
      if (fixed.count(letter) || derived) continue;
      if (largest == 0 || extent >= extents[largest]) largest = letter;
    }
    if (largest == 0 || extents[largest] <= 1) break;
    extents[largest] = std::max(extents[largest] * 2 / 3, 1);
    if (!contraction) constrain(description, extents);
  }
  return extents;
}

std::vector<std::ptrdiff_t> random_strides(const OperandType& operand,
                                           const std::vector<int>& extents, Random& random) {
  const int rank = static_cast<int>(extents.size());
  std::vector<std::ptrdiff_t> strides(rank);
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  const bool loose = operand.form == Form::strided || operand.form == Form::any;
  if (operand.form == Form::right) std::reverse(order.begin(), order.end());
  if (loose) random.shuffle(order);
  // A dimension whose stride the type says comes first: it is 1.
  std::stable_partition(order.begin(), order.end(),
                        [&](int d) { return !operand.strides.empty() && operand.strides[d] >= 0; });
  std::ptrdiff_t stride = 1;
  const bool fixed_unit = rank > 0 && !operand.strides.empty() && operand.strides[order[0]] == 1;
  if (loose && !fixed_unit && random.integer(0, 2) == 0) stride = random.integer(2, 3);
  for (const int d : order) {
    strides[d] = stride;
    stride *= std::max(extents[d], 1);
    if (loose && random.integer(0, 1) == 0) stride += random.integer(0, 5);
  }
  if (operand.form == Form::any) {
    for (int d = 0; d < rank; ++d) {
      if (!operand.strides.empty() && operand.strides[d] >= 0) continue;
      const int kind = random.integer(0, 9);
      if (kind < 3) strides[d] = -strides[d];
      if (kind == 9 && operand.role == Role::input) strides[d] = 0;
    }
  }
  return strides;
}

std::vector<std::ptrdiff_t> strides_of(const OperandType& operand, const Extents& extents,
                                       Random& random) {
  if (!operand.strides.empty() && std::all_of(operand.strides.begin(), operand.strides.end(),
                                              [](std::ptrdiff_t s) { return s != -1; })) {
    return operand.strides;
  }
  return random_strides(operand, extents_of(operand.letters, extents), random);
}

bool is_integer(Type type) { return type == Type::i8 || type == Type::i16 || type == Type::i32; }
bool is_complex(Type type) { return type == Type::c32 || type == Type::c64; }

/// Numbers that a float holds.
std::complex<double> random_coefficient(Type type, Random& random) {
  switch (random.integer(0, 5)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return -1;
    default:
      if (is_integer(type)) return random.integer(-5, 5);
      const double real = random.number<float>();
      return {real, is_complex(type) && random.integer(0, 2) > 0 ? random.number<float>() : 0.};
  }
}

std::vector<std::complex<double>> random_coefficients(const Description& description,
                                                      const std::optional<double>& given,
                                                      Random& random) {
  if (given) return {*given};
  std::vector<std::complex<double>> values;
  const auto same = random_coefficient(description.coefficients, random);
  const bool all_same = random.integer(0, 2) == 0;
  for (int l = 0; l < description.coefficient_lanes; ++l) {
    values.push_back(all_same ? same : random_coefficient(description.coefficients, random));
  }
  return values;
}

/// Makes one operand disagree with another about a letter, where only the run knows.
void disagree(const Description& description, Draw& draw, Random& random) {
  struct Place {
    int operand, dimension;
  };
  std::vector<Place> places;
  std::map<char, int> count;
  for (const auto& operand : description.operands) {
    if (operand.role == Role::elsewhere) continue;
    for (const char c : operand.letters) ++count[c];
  }
  for (std::size_t o = 0; o < description.operands.size(); ++o) {
    const auto& operand = description.operands[o];
    if (operand.role == Role::elsewhere) continue;
    for (std::size_t d = 0; d < operand.letters.size(); ++d) {
      const bool fixed = !operand.extents.empty() && operand.extents[d] >= 0;
      const bool strides_fixed = !operand.strides.empty() && operand.form != Form::any;
      if (draw.repeats.count(operand.letters[d])) continue;
      if (!fixed && !strides_fixed && count[operand.letters[d]] > 1) {
        places.push_back({static_cast<int>(o), static_cast<int>(d)});
      }
    }
  }
  if (places.empty()) return;
  const Place place = places[random.integer(0, static_cast<int>(places.size()) - 1)];
  draw.wrong_operand = place.operand;
  draw.wrong_dimension = place.dimension;
  auto extents = extents_of(description.operands[place.operand].letters, draw.extents);
  ++extents[place.dimension];
  draw.strides[place.operand] =
      random_strides(description.operands[place.operand], extents, random);
}

}  // namespace

Draw random_draw(const Entry& entry, Random& random) {
  const Description& description = entry.description;
  Draw draw;
  draw.data = random.bits();
  const bool contraction = is_contraction(entry);
  draw.problems = entry.level == "Host" ? 1 : random.integer(1, 3);
  draw.workers =
      entry.configurations[random.integer(0, static_cast<int>(entry.configurations.size()) - 1)];
  draw.extents = random_extents(description, random, contraction);
  draw.repeats = random_repeats(description, draw.extents, random);
  for (const auto& [letter, count] : draw.repeats) draw.extents[letter] = 1;
  for (const auto& operand : description.operands) {
    draw.strides.push_back(strides_of(operand, draw.extents, random));
  }
  set_repeats(description, draw);
  draw.alpha = random_coefficients(description, description.alpha, random);
  draw.beta = random_coefficients(description, description.beta, random);
  if (description.huge) {
    draw.problems = 1;
    for (auto& factor : draw.alpha) factor = random.integer(0, 1) == 0 ? 1 : -2;
    for (auto& factor : draw.beta) factor = random.integer(0, 2) - 1;
  }
  draw.kind = random.integer(0, 999);
  if (description.output == Output::atomic && random.integer(0, 19) > 0) draw.beta = {1.0};
  if (description.huge) return draw;
  const int special = random.integer(0, 29);
  if (KokkosContract::Impl::checked_build) return draw;  // it ends at what comes now
  if (special == 0 && description.refuses) disagree(description, draw, random);
  if (special == 1 && description.needs_scratch) draw.scratch_short = true;
  if (special > 1 && description.scratch_view && random.integer(0, 3) == 0) {
    draw.scratch_stride = random.integer(2, 3);
  }
  return draw;
}

Draw minimised(const Entry& entry, Draw draw, const std::function<bool(const Draw&)>& fails) {
  const Description& description = entry.description;
  const Extents fixed = fixed_extents(description);
  int tries = 0;
  const auto attempt = [&](Draw smaller) {
    if (++tries > 400 || !fails(smaller)) return false;
    draw = std::move(smaller);
    return true;
  };
  // Strides that fit other extents: packed, as far as the types allow.
  const auto repacked = [&](Draw smaller) {
    for (std::size_t o = 0; o < description.operands.size(); ++o) {
      OperandType packed = description.operands[o];
      auto extents = extents_of(packed.letters, smaller.extents);
      if (static_cast<int>(o) == smaller.wrong_operand) ++extents[smaller.wrong_dimension];
      const auto given = packed.strides;
      if (packed.form != Form::left) packed.form = Form::right;
      Random none(1);
      smaller.strides[o] = !given.empty() && std::count(given.begin(), given.end(), -1) == 0
                               ? given
                               : random_strides(packed, extents, none);
    }
    set_repeats(description, smaller);
    return smaller;
  };
  if (description.huge) return draw;  // each call takes long
  Draw smaller = draw;
  smaller.repeats.clear();
  if (!draw.repeats.empty()) attempt(repacked(smaller));
  smaller = draw;
  smaller.problems = 1;
  attempt(smaller);
  for (const Configuration& workers : entry.configurations) {
    if (workers.team >= draw.workers.team) break;
    smaller = draw;
    smaller.workers = workers;
    if (attempt(smaller)) break;
  }
  attempt(repacked(draw));
  for (bool again = true; again && tries < 400;) {
    again = false;
    for (const auto& [letter, extent] : Extents(draw.extents)) {
      if (fixed.count(letter)) continue;
      for (const int less : {1, 2, extent / 2, extent - 1}) {
        if (less < 1 || less >= extent) continue;
        smaller = draw;
        smaller.extents[letter] = less;
        if (!is_contraction(entry)) constrain(description, smaller.extents);
        if (attempt(repacked(smaller))) {
          again = true;
          break;
        }
      }
    }
  }
  for (const double simple : {1., 0.}) {
    smaller = draw;
    std::fill(smaller.beta.begin(), smaller.beta.end(), simple);
    if (!description.beta && description.output != Output::atomic) attempt(smaller);
  }
  smaller = draw;
  std::fill(smaller.alpha.begin(), smaller.alpha.end(), 1.);
  if (!description.alpha) attempt(smaller);
  return draw;
}

}  // namespace KokkosContract::Test::Fuzz
