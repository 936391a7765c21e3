// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_HALVES_HPP
#define KOKKOSCONTRACT_DENSE_HALVES_HPP

// Common steps of algorithms by one worker of a host that divide a matrix into halves, of which
// they compute products.

#include <KokkosContract/dense/BlockLU.hpp>
#include <KokkosContract/dense/Choose.hpp>
#include <KokkosContract/dense/CopiedPanel.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Whether one worker of a host processes a matrix A, and right-hand sides B, by halves.
template <DenseRoutine R, class A, class Acc, class B = A>
inline constexpr bool is_halved =
    is_host_blocked<Acc, typename A::value_type, typename B::value_type>() &&
    dense_choice<R, SerialLevel, A, B>.way == DenseWay::halves;

/// The part of problem z in rows i to i_end - 1 and columns j to j_end - 1, with run-time extents.
/// All parts have one type.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto part_matrix(const A& a, int z, int i, int i_end, int j,
                                             int j_end) {
  const auto part = part_of(a, z, i, i_end, j, j_end);
  using Part = std::remove_const_t<decltype(part)>;
  return Matrix<Part, false, false, A::reverses_rows, A::reverses_cols>{part};
}

/// Problem z of A, with run-time extents. Its strides are 1 or known at run time, so that matrices
/// of many shapes have one type.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION auto run_time_matrix(const A& a, int z) {
  constexpr StaticShape<2> shape{
      {dynamic, dynamic}, {A::row_stride == 1 ? 1 : dynamic, A::col_stride == 1 ? 1 : dynamic}};
  const auto all = part_of(a, z, 0, a.rows(), 0, a.cols());
  const int extents[] = {a.rows(), a.cols()};
  const std::ptrdiff_t strides[] = {all.template stride<0>(), all.template stride<1>()};
  using Operand = strided_t<std::remove_pointer_t<decltype(all.data())>, shape>;
  return Matrix<Operand, false, false, A::reverses_rows, A::reverses_cols>{
      Operand(all.data(), extents, strides)};
}

/// The size of the first of two parts of n rows or columns, which are more than one panel. It is
/// about n / 2, in whole panels.
template <int Panel>
KOKKOS_FORCEINLINE_FUNCTION int first_half(int n) {
  return (n / 2 + Panel - 1) / Panel * Panel;
}

/// Adds a product as add_product_of does, in one function for all callers.
template <int Factor, class X, class Y, class C>
KOKKOSCONTRACT_SHARED_FUNCTION void add_apart(const X& x, const Y& y, const C& c) {
  add_product_of<Factor>(SerialLevel{}, x, y, c);
}
template <class X, class Y, class C>
KOKKOS_FORCEINLINE_FUNCTION void subtract_apart(const X& x, const Y& y, const C& c) {
  add_apart<-1>(x, y, c);
}

/// Calls f(rows) for matrix B, or for copies of parts of it, whose columns are neighbours in
/// memory.
template <class B, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_contiguous_rows(const B& b, const F& f) {
  if constexpr (B::unit_cols) {
    f(b);
  } else {
    for (int j = 0; j < b.cols(); j += cols_of_solved_copy) {
      const int next = b.cols() - j < cols_of_solved_copy ? b.cols() : j + cols_of_solved_copy;
      with_copied_rows(part_matrix(b, 0, 0, b.rows(), j, next), f);
    }
  }
}

/// Computes B = alpha B for an operand B, along its neighbours in memory.
template <class B, class Acc>
KOKKOSCONTRACT_SHARED_FUNCTION void scale_at_once(const B& b, Acc alpha) {
  constexpr int inner = B::shape.stride[0] == 1 ? 0 : 1;
  const int count = b.template extent<inner>();
  const std::ptrdiff_t stride = b.template stride<inner>();
  for (int j = 0; j < b.template extent<1 - inner>(); ++j) {
    typename B::value_type* line = b.data() + j * b.template stride<1 - inner>();
    for (int i = 0; i < count; ++i) line[i * stride] *= alpha;
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
