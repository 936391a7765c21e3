// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batched contractions of mixed index order, with n in each dimension and several problems per
// team, as team_policy says; z is the batch.
#include <string_view>

#include "Perf.hpp"

namespace {

using namespace perf;

/// T*[N][N]... with R dimensions after the batch.
template <class T, int R, int N>
struct BatchView {
  static auto deduce() {
    if constexpr (R == 2) {
      return std::type_identity<Kokkos::View<T* [N][N], Right, Space>> {};
    } else if constexpr (R == 3) {
      return std::type_identity<Kokkos::View<T* [N][N][N], Right, Space>> {};
    } else {
      return std::type_identity<Kokkos::View<T* [N][N][N][N], Right, Space>> {};
    }
  }
  using type = typename decltype(deduce())::type;
};

constexpr double power(int n, std::size_t e) { return e == 0 ? 1.0 : n * power(n, e - 1); }

/// The problems of a team.
template <class View>
KOKKOS_FUNCTION auto part(const View& view, const Kokkos::pair<int, int>& range) {
  using Kokkos::ALL;
  if constexpr (View::rank() == 3) {
    return Kokkos::subview(view, range, ALL, ALL);
  } else if constexpr (View::rank() == 4) {
    return Kokkos::subview(view, range, ALL, ALL, ALL);
  } else {
    return Kokkos::subview(view, range, ALL, ALL, ALL, ALL);
  }
}

template <class Case, int N>
struct Contraction {
  static constexpr std::string_view letters[] = {Case::a, Case::b, Case::c};
  template <int Operand>
  using View = typename BatchView<double, static_cast<int>(letters[Operand].size()), N>::type;
  View<0> a;
  View<1> b;
  View<2> c;
  KokkosContract::TeamProblems of_teams{};

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto range = KokkosContract::problems_of(member, of_teams);
    (void)Case::Team::invoke(member, 1.0, part(a, range), part(b, range), 0.0, part(c, range));
  }
};

/// The plain sum for each element of a problem, from the strides of each letter in each operand.
/// The output's letters come first.
struct Reference {
  static constexpr int most_letters = 6;
  const double* operand[3];
  int size[3];
  int stride[3][most_letters]{};
  int outputs;  // letters of the output
  int letters;
  int n;

  KOKKOS_FUNCTION int combinations(int count) const {
    int result = 1;
    for (int i = 0; i < count; ++i) result *= n;
    return result;
  }
  KOKKOS_FUNCTION void move(int combination, int first, int last, int (&at)[3]) const {
    for (int l = first; l < last; ++l) {
      for (int k = 0; k < 3; ++k) at[k] += combination % n * stride[k][l];
      combination /= n;
    }
  }
  /// The largest difference; a NaN counts as one.
  KOKKOS_FUNCTION void operator()(int p, double& most) const {
    for (int o = 0; o < combinations(outputs); ++o) {
      int from[3]{};
      move(o, 0, outputs, from);
      double sum = 0;
      for (int s = 0; s < combinations(letters - outputs); ++s) {
        int at[3] = {from[0], from[1], from[2]};
        move(s, outputs, letters, at);
        sum += operand[0][static_cast<std::ptrdiff_t>(p) * size[0] + at[0]] *
               operand[1][static_cast<std::ptrdiff_t>(p) * size[1] + at[1]];
      }
      const double difference =
          Kokkos::abs(sum - operand[2][static_cast<std::ptrdiff_t>(p) * size[2] + from[2]]);
      if (!(difference <= most)) most = difference == difference ? difference : 1.0;
    }
  }
};

template <class Body, int N>
Reference reference_of(const Body& body) {
  std::string all(Body::letters[2]);
  for (const char letter : std::string(Body::letters[0]) + std::string(Body::letters[1])) {
    if (all.find(letter) == std::string::npos) all += letter;
  }
  Reference reference{{body.a.data(), body.b.data(), body.c.data()}};
  for (int k = 0; k < 3; ++k) {
    const auto rank = Body::letters[k].size();
    reference.size[k] = static_cast<int>(power(N, rank));
    for (std::size_t i = 0; i < rank; ++i) {
      reference.stride[k][all.find(Body::letters[k][i])] = static_cast<int>(power(N, rank - 1 - i));
    }
  }
  reference.outputs = static_cast<int>(Body::letters[2].size());
  reference.letters = static_cast<int>(all.size());
  reference.n = N;
  return reference;
}

template <class Case, int N>
void contract(benchmark::State& state) {
  using Body = Contraction<Case, N>;
  double elements = 0;
  for (const auto& operand : Body::letters) elements += power(N, operand.size());
  const auto problems = static_cast<int>(batch_bytes / (8 * elements)) / 4 * 4;
  Body body{typename Body::template View<0>("a", problems),
            typename Body::template View<1>("b", problems),
            typename Body::template View<2>("c", problems)};
  const auto plan =
      KokkosContract::team_policy<typename Case::Team>(Space(), problems, body.a, body.b, body.c);
  body.of_teams = plan;
  fill_random(body.a);
  fill_random(body.b);
  fill_random(body.c);
  const auto launch = [&] { Kokkos::parallel_for(plan.policy, body); };
  launch();
  const Reference reference = reference_of<Body, N>(body);
  double worst = 0;
  Kokkos::parallel_reduce(Kokkos::RangePolicy<Space>(0, std::min(problems, 1000)), reference,
                          Kokkos::Max<double>(worst));
  if (!(worst <= 1e-12)) return state.SkipWithError("wrong result");
  const double flops = 2 * power(N, reference.letters);
  time_launches(state, flops * problems, 8 * elements * problems, launch);
}

struct LastIndex {
  using Team = KokkosContract::TeamContract<"zabc,zcd->zabd">;
  static constexpr std::string_view a = "abc", b = "cd", c = "abd";
};
struct MiddleIndex {
  using Team = KokkosContract::TeamContract<"zabc,zbd->zadc">;
  static constexpr std::string_view a = "abc", b = "bd", c = "adc";
};
struct FirstIndex {
  using Team = KokkosContract::TeamContract<"zabc,zad->zdbc">;
  static constexpr std::string_view a = "abc", b = "ad", c = "dbc";
};
struct TransposedA {
  using Team = KokkosContract::TeamContract<"zki,zkj->zij">;
  static constexpr std::string_view a = "ki", b = "kj", c = "ij";
};
struct TransposedB {
  using Team = KokkosContract::TeamContract<"zik,zjk->zij">;
  static constexpr std::string_view a = "ik", b = "jk", c = "ij";
};
struct TransposedBoth {
  using Team = KokkosContract::TeamContract<"zki,zjk->zji">;
  static constexpr std::string_view a = "ki", b = "jk", c = "ji";
};
struct TwoSums {
  using Team = KokkosContract::TeamContract<"zacd,zbdc->zab">;
  static constexpr std::string_view a = "acd", b = "bdc", c = "ab";
};
/// Contractions of TCCG.
struct RankFour {
  using Team = KokkosContract::TeamContract<"zaebf,zdfce->zabcd">;
  static constexpr std::string_view a = "aebf", b = "dfce", c = "abcd";
};

template <class Case, int N>
void add() {
  add_benchmark("Contract-" + std::string(Case::a) + "," + std::string(Case::b) + "->" +
                    std::string(Case::c) + "/double/right/static/memory/Team/" + std::to_string(N),
                contract<Case, N>);
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 4, 5, 6, 7, 8, 9, 10>{}, []<int N>() {
    add<LastIndex, N>();
    add<MiddleIndex, N>();
    add<FirstIndex, N>();
    add<TransposedA, N>();
    add<TransposedB, N>();
    add<TransposedBoth, N>();
    add<TwoSums, N>();
    if constexpr (N <= 8) add<RankFour, N>();
  });
});

}  // namespace
