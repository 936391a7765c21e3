// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_TCCG_HPP
#define KOKKOSCONTRACT_PERF_TCCG_HPP

// The 48 contractions of the TCCG benchmark v0.1 (github.com/HPAC/tccg; P. Springer, P. Bientinesi,
// Design of a high-performance GEMM-like tensor-tensor multiplication, ACM Trans. Math. Softw. 44,
// 2018) at the sizes that its generator gives for double. Column-major. Two benchmarks of each:
//   contract   KokkosContract::contract
//   TTGT       transpose, gemm (OpenBLAS), transpose

#include "Perf.hpp"

namespace perf {

/// A column-major contraction C = A B: the letters of its operands, the extents of a, b, c, ...
struct Contraction {
  std::string a, b, c;
  std::vector<int> extents;

  int extent(char letter) const { return extents[static_cast<std::size_t>(letter - 'a')]; }
  /// Of an operand, or of any set of letters.
  std::size_t elements(const std::string& letters) const {
    std::size_t result = 1;
    for (const char letter : letters) result *= static_cast<std::size_t>(extent(letter));
    return result;
  }
};

using ContractionKernel = void (*)(const Contraction&, double* a, double* b, double* c);

/// Both benchmarks of contraction `number`.
void add_tccg(int number, const Contraction& contraction, ContractionKernel kernel);

template <int R>
auto tccg_view(const Contraction& contraction, const std::string& letters, double* data) {
  using V = Kokkos::View<typename Data<double, R, 0>::dynamic, Left, Kokkos::HostSpace,
                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return V(data, contraction.extent(letters[I])...);
  }(std::make_index_sequence<R>{});
}

template <KokkosContract::Spec S>
struct TccgLetters {
  static constexpr int find(char wanted) {
    int i = 0;
    while (S[i] != wanted) ++i;
    return i;
  }
  static constexpr int comma = find(',');
  static constexpr int arrow = find('-');
  static constexpr int a = comma;
  static constexpr int b = arrow - comma - 1;
  static constexpr int c = find('\0') - arrow - 2;
};

template <KokkosContract::Spec S>
void tccg_contract(const Contraction& x, double* a, double* b, double* c) {
  using Rank = TccgLetters<S>;
  const Space space;
  KokkosContract::contract<S>(space, 1.0, tccg_view<Rank::a>(x, x.a, a),
                              tccg_view<Rank::b>(x, x.b, b), 0.0, tccg_view<Rank::c>(x, x.c, c));
  space.fence();
}

template <KokkosContract::Spec S>
void add_tccg(int number, const std::vector<int>& extents) {
  using Rank = TccgLetters<S>;
  std::string text;
  for (std::size_t i = 0; S[i] != '\0'; ++i) text += S[i];
  add_tccg(number,
           {text.substr(0, Rank::a), text.substr(Rank::comma + 1, Rank::b),
            text.substr(Rank::arrow + 2), extents},
           tccg_contract<S>);
}

}  // namespace perf

#endif
