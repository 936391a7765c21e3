// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_MEASURED_HPP
#define KOKKOSCONTRACT_PRODUCT_MEASURED_HPP

// How the tables of measured plans (machine/Plans.hpp) name a product.

#include <KokkosContract/machine/Plans.hpp>
#include <KokkosContract/product/Algorithm.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The modes of a nest in words, such as "row 9, col 9 yc, sum 9 x". Text that is too long for any
/// table is cut.
struct ProductText {
  static constexpr int most = 160;
  char text[most + 1]{};
  int size = 0;

  constexpr void add(char letter) {
    if (size < most) text[size++] = letter;
  }
  constexpr void add(const char* word) {
    for (; *word != '\0'; ++word) add(*word);
  }
  constexpr void add(std::ptrdiff_t number) {
    if (number >= 10) add(number / 10);
    add(static_cast<char>('0' + number % 10));
  }
};
template <int N>
consteval ProductText text_of_product(const Nest<N>& nest) {
  ProductText text{};
  const char* names[] = {"batch ", "row ", "col ", "sum "};
  for (int k = 0; k < classes; ++k) {
    const Class in{k};
    for (int i = nest.begin(in); i < nest.end(in); ++i) {
      text.add(i > 0 ? ", " : "");
      text.add(names[k]);
      if (nest.extent[i] == dynamic) {
        text.add('?');
      } else {
        text.add(nest.extent[i]);
      }
      if (nest.x[i] != 1 && nest.y[i] != 1 && nest.c[i] != 1) continue;
      text.add(' ');
      if (nest.has_x && nest.x[i] == 1) text.add('x');
      if (nest.y[i] == 1) text.add('y');
      if (nest.c[i] == 1) text.add('c');
    }
  }
  return text;
}

/// How the tables name the callers.
consteval const char* text_of_workers(const Callers& callers) {
  if (!callers.gpu) return callers.single_worker ? "host" : "host team";
  if (callers.single_worker) return "gpu thread";
  return callers.of_thread ? "gpu vector" : "gpu team";
}

/// How the tables name a type, or "" if they do not know it.
template <class T>
consteval const char* text_of_type() {
  if (std::is_same_v<T, double>) return "double";
  if (std::is_same_v<T, float>) return "float";
  if (std::is_same_v<T, Kokkos::complex<double>>) return "complex<double>";
  if (std::is_same_v<T, Kokkos::complex<float>>) return "complex<float>";
  return "";
}

/// The measured plan for a product, or one without workers.
template <int N>
consteval MeasuredPlan measured_plan(const Nest<N>& nest, const ProductFacts& facts) {
  if (facts.type[0] == '\0' || facts.plain || facts.indices) return {};
  const ProductText text = text_of_product(nest);
  const MeasuredPlan* row =
      measured_plan({text_of_workers(facts), facts.type, text.text, Way::best});
  return row == nullptr ? MeasuredPlan{} : *row;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
