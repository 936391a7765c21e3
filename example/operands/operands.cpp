// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of operands: Views of any layout, mdspan, fixed extents, a type of your own.

#include <KokkosContract/Contract.hpp>

#include "../Example.hpp"

using namespace example;
using namespace KokkosContract;
using Kokkos::ALL;

// [own]
/// Every second row of a matrix of 8 columns. A model of Operand.
struct EvenRows {
  static constexpr int rank = 2;
  double* first;
  int rows;

  KOKKOS_FUNCTION double* data() const { return first; }
  KOKKOS_FUNCTION int extent(int i) const { return i == 0 ? rows : 8; }
  KOKKOS_FUNCTION int stride(int i) const { return i == 0 ? 16 : 1; }
  static constexpr std::ptrdiff_t static_extent(int i) { return i == 0 ? dynamic : 8; }
  static constexpr std::ptrdiff_t static_stride(int i) { return i == 0 ? 16 : 1; }
};
// [/own]

// [add_diagonal]
/// Written for mdspan.
template <class Extents, class Layout>
KOKKOS_FUNCTION void add_diagonal(const Kokkos::mdspan<double, Extents, Layout>& a, double& sum) {
  for (int i = 0; i < a.extent(0); ++i) sum += a(i, i);
}
// [/add_diagonal]

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int problems = 16;
  const Array<double***> A("A", problems, 8, 8);
  const Kokkos::View<double** [8], Kokkos::LayoutRight, Kokkos::SharedSpace> C("C", problems, 8);
  const Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::SharedSpace> D("D", problems, 8, 8);
  const Array<double*> e("e", problems), trace("trace", problems);
  for (int p = 0; p < problems; ++p)
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) A(p, i, j) = entry(p, i, j);

  // [fix]
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        using Product = KokkosContract::SerialContract<"ik,kj->ij">;
        // Extents that the compiler knows: loops unroll, sums stay in registers.
        const auto A_p = fix<8, 8>(Kokkos::subview(A, p, ALL, ALL));
        const auto C_p = fix<8, 8>(Kokkos::subview(C, p, ALL, ALL));
        // Another layout, and therefore other strides, needs no other code.
        const auto D_p = fix<8, 8>(Kokkos::subview(D, p, ALL, ALL));
        require_success(Product::invoke(1.0, A_p, A_p, 0.0, C_p));
        require_success(Product::invoke(1.0, C_p, A_p, 0.0, D_p));
      });
  // [/fix]

  // [mdspan]
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        const Kokkos::mdspan<double, Kokkos::extents<int, 8>> row(&C(p, 1, 0));
        Tile<double, 8> sum;  // a thread's own, in registers
        require_success(SerialContract<"+ij->j">::invoke(1.0, EvenRows{&C(p, 0, 0), 4}, 0.0, sum));
        require_success(SerialContract<"j,j->">::invoke(1.0, sum, row, 0.0, Kokkos::subview(e, p)));
      });
  // [/mdspan]

  // [to_mdspan]
  Kokkos::parallel_for(
      problems, KOKKOS_LAMBDA(const int p) {
        // A function that takes an mdspan: of any operand, without a copy.
        add_diagonal(to_mdspan(fix<8, 8>(slice(C, p))), trace(p));
      });
  // [/to_mdspan]
  Kokkos::fence();

  double products = 0, sums = 0, traces = 0;
  for (int p = 0; p < problems; ++p) {
    double s = 0, diagonal = 0;
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) {
        double square = 0, cube = 0;
        for (int k = 0; k < 8; ++k) square += A(p, i, k) * A(p, k, j);
        for (int k = 0; k < 8; ++k) cube += C(p, i, k) * A(p, k, j);
        products = worse(products, std::abs(C(p, i, j) - square));
        products = worse(products, std::abs(D(p, i, j) - cube));
      }
      diagonal += C(p, i, i);
      s += (C(p, 0, i) + C(p, 2, i) + C(p, 4, i) + C(p, 6, i)) * C(p, 1, i);
    }
    sums = worse(sums, std::abs(e(p) - s));
    traces = worse(traces, std::abs(trace(p) - diagonal));
  }
  return check("fixed extents, two layouts", products) +
         check("mdspan, Tile, a type of one's own", sums) +
         check("a function that takes an mdspan", traces);
}
