// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_MACHINE_ATOM_HPP
#define KOKKOSCONTRACT_MACHINE_ATOM_HPP

// MMA instructions. An atom describes one: it computes m x n sums of m x k by k x n elements, and
// gives the elements that each lane of a warp has in its registers. It does not say how a machine
// runs it: that is the machine's multiply_add(atom, sum, x, y). An emulated machine computes any
// atom from its description. A new atom is a struct, a line in the lookup below, and its
// multiply_add in the machine. An atom that is composed of another atom calls the multiply_add of
// that one.

#include <KokkosContract/Way.hpp>
#include <KokkosContract/core/Scalar.hpp>
#include <type_traits>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// The index of an element of X (row, term), of Y (term, column) or of the sums (row, column).
struct AtomPlace {
  int row, col;
};

/// The atom of machines without MMA instructions.
struct NoAtom {
  static constexpr int m = 1, n = 1, k = 1;
};
template <class Atom>
inline constexpr bool is_atom = !std::is_same_v<Atom, NoAtom>;
/// Whether a lane has several neighbouring terms of a row and of a column.
template <class Atom>
inline constexpr bool has_neighbouring_terms = requires { Atom::terms; };
/// The atom, if a lane has one term of a row and of a column: for code that reads single elements.
template <class Atom>
using atom_of_single_terms = std::conditional_t<has_neighbouring_terms<Atom>, NoAtom, Atom>;

/// 8 x 8 sums of doubles.
struct Mma8x8x4 {
  using X = double;
  using Y = double;
  using Acc = double;
  static constexpr int lanes = 32;
  static constexpr int m = 8, n = 8, k = 4;
  static constexpr int x_each = 1, y_each = 1, sum_each = 2;  ///< registers per lane
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int) {
    return {lane / 4, lane % 4};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int) {
    return {lane % 4, lane / 4};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace sum_at(int lane, int r) {
    return {lane / 4, lane % 4 * 2 + r};
  }
};

/// Layout of the sums of atoms of 16 x 8.
template <class T>
struct Sums16x8 {
  using Acc = T;
  static constexpr int lanes = 32;
  static constexpr int m = 16, n = 8;
  static constexpr int sum_each = 4;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace sum_at(int lane, int r) {
    return {lane / 4 + r / 2 * 8, lane % 4 * 2 + r % 2};
  }
};

/// 16 x 8 sums of doubles: two Mma8x8x4, one below the other.
struct Mma16x8x4 : Sums16x8<double> {
  using X = double;
  using Y = double;
  static constexpr int k = 4;
  static constexpr int x_each = 2, y_each = 1;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int r) {
    return {lane / 4 + 8 * r, lane % 4};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int) {
    return {lane % 4, lane / 4};
  }
};

/// 16 x 16 sums of doubles.
struct Mfma16x16x4 {
  using X = double;
  using Y = double;
  using Acc = double;
  static constexpr int lanes = 64;
  static constexpr int m = 16, n = 16, k = 4;
  static constexpr int x_each = 1, y_each = 1, sum_each = 4;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int) {
    return {lane % 16, lane / 16};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int) {
    return {lane / 16, lane % 16};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace sum_at(int lane, int r) {
    return {4 * r + lane / 16, lane % 16};
  }
};

/// 16 x 8 sums of floats. A lane has Terms neighbouring terms of two rows and of one column. The
/// order of terms is free if both inputs have the same order.
template <class T, int Terms>
struct Mma16x8 : Sums16x8<float> {
  using X = T;
  using Y = T;
  static constexpr int terms = Terms;
  static constexpr int k = 4 * Terms;
  static constexpr int x_each = 2 * Terms, y_each = Terms;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace x_at(int lane, int r) {
    return {lane / 4 + r / Terms * 8, lane % 4 * Terms + r % Terms};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr AtomPlace y_at(int lane, int r) {
    return {lane % 4 * Terms + r, lane / 4};
  }
};
/// Products of TF32 values, which have 11 significant bits.
using Mma16x8x8 = Mma16x8<float, 2>;
/// Exact products of 16-bit floats: half_t or bhalf_t.
template <class T>
using Mma16x8x16 = Mma16x8<T, 4>;

/// Multiplies floats by an atom that takes TF32 values, which have 11 significant bits. Each float
/// is the sum of two such values, to 2^-22 of its value. The smallest of the four products, at
/// 2^-22 of the others, is left out. The sums of a call start from zero and are added to `sum`
/// outside of the instruction, which truncates instead of rounding. Source: H. Ootomo and R.
/// Yokota, Recovering single precision accuracy from Tensor Cores while surpassing the FP32
/// theoretical peak performance, IJHPCA 36 (2022). Infinite values give NaN, and so do values that
/// become infinite when they are rounded.
template <class PartAtom>
struct SplitAtom : PartAtom {
  using Part = PartAtom;
  static constexpr bool splits = true;

  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(float (&sum)[Part::sum_each],
                                                       const float (&x)[Part::x_each],
                                                       const float (&y)[Part::y_each]) {
    float x_high[Part::x_each], x_low[Part::x_each], y_high[Part::y_each], y_low[Part::y_each];
    split<Machine>(x, x_high, x_low);
    split<Machine>(y, y_high, y_low);
    float of_block[Part::sum_each]{};
    Machine::multiply_add(Part{}, of_block, x_low, y_high);
    Machine::multiply_add(Part{}, of_block, x_high, y_low);
    Machine::multiply_add(Part{}, of_block, x_high, y_high);
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Part::sum_each; ++r) sum[r] += of_block[r];
  }

 private:
  template <class Machine, int N>
  KOKKOS_FORCEINLINE_FUNCTION static void split(const float (&x)[N], float (&high)[N],
                                                float (&low)[N]) {
    KOKKOSCONTRACT_UNROLL
    for (int n = 0; n < N; ++n) {
      high[n] = Machine::rounded_to_11_bits(x[n]);
      low[n] = Machine::rounded_to_11_bits(x[n] - high[n]);
    }
  }
};

/// Multiplies floats that are rounded to the 11 significant bits of the atom's inputs.
template <class PartAtom>
struct RoundedAtom : PartAtom {
  using Part = PartAtom;

  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(float (&sum)[Part::sum_each],
                                                       const float (&x)[Part::x_each],
                                                       const float (&y)[Part::y_each]) {
    float x_rounded[Part::x_each], y_rounded[Part::y_each];
    KOKKOSCONTRACT_UNROLL
    for (int n = 0; n < Part::x_each; ++n) x_rounded[n] = Machine::rounded_to_11_bits(x[n]);
    KOKKOSCONTRACT_UNROLL
    for (int n = 0; n < Part::y_each; ++n) y_rounded[n] = Machine::rounded_to_11_bits(y[n]);
    Machine::multiply_add(Part{}, sum, x_rounded, y_rounded);
  }
};

/// Multiplies complex numbers in the layout of real ones, by four real products.
template <class RealAtom>
struct ComplexAtom : RealAtom {
  using Part = RealAtom;
  using X = Kokkos::complex<typename Part::X>;
  using Y = Kokkos::complex<typename Part::Y>;
  using Acc = Kokkos::complex<typename Part::Acc>;

  template <class Machine>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_add(Acc (&sum)[Part::sum_each],
                                                       const X (&x)[Part::x_each],
                                                       const Y (&y)[Part::y_each]) {
    typename Part::Acc real[Part::sum_each], imag[Part::sum_each];
    typename Part::X x_real[Part::x_each], x_imag[Part::x_each], minus_imag[Part::x_each];
    typename Part::Y y_real[Part::y_each], y_imag[Part::y_each];
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Part::sum_each; ++r) {
      real[r] = sum[r].real();
      imag[r] = sum[r].imag();
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Part::x_each; ++r) {
      x_real[r] = x[r].real();
      x_imag[r] = x[r].imag();
      minus_imag[r] = with_sign_flipped(x_imag[r]);
    }
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Part::y_each; ++r) {
      y_real[r] = y[r].real();
      y_imag[r] = y[r].imag();
    }
    Machine::multiply_add(Part{}, real, x_real, y_real);
    Machine::multiply_add(Part{}, imag, x_real, y_imag);
    Machine::multiply_add(Part{}, real, minus_imag, y_imag);
    Machine::multiply_add(Part{}, imag, x_imag, y_real);
    KOKKOSCONTRACT_UNROLL
    for (int r = 0; r < Part::sum_each; ++r) sum[r] = Acc(real[r], imag[r]);
  }
};

/// Computes sum += x y by an atom on a machine.
template <class Machine, class Atom>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(Atom, typename Atom::Acc (&sum)[Atom::sum_each],
                                              const typename Atom::X (&x)[Atom::x_each],
                                              const typename Atom::Y (&y)[Atom::y_each]) {
  if constexpr (requires { typename Atom::Part; }) {
    Atom::template multiply_add<Machine>(sum, x, y);
  } else {
    Machine::multiply_add(Atom{}, sum, x, y);
  }
}

// --- Lookup -------------------------------------------------------------------------------------

/// Sets of MMA instructions. Each machine has one set (Machine::Instructions).
struct NvidiaMatrixInstructions {};
struct AmdMatrixInstructions {};

/// The atoms of a set for these types: one for products of a few tiles of one warp (atom), and one
/// for products of a whole block (block_atom).
template <class Set, class Acc, class X, class Y>
struct AtomsIn {
  using atom = NoAtom;
  using block_atom = NoAtom;
};
template <>
struct AtomsIn<NvidiaMatrixInstructions, double, double, double> {
  using atom = Mma8x8x4;
  using block_atom = Mma16x8x4;
};
template <>
struct AtomsIn<NvidiaMatrixInstructions, float, float, float> {
  using atom = SplitAtom<Mma16x8x8>;
  using block_atom = SplitAtom<Mma16x8x8>;
};
template <class T>
  requires(sizeof(T) == 2 && is_short_float<T>)
struct AtomsIn<NvidiaMatrixInstructions, float, T, T> {
  using atom = Mma16x8x16<T>;
  using block_atom = Mma16x8x16<T>;
};
template <>
struct AtomsIn<AmdMatrixInstructions, double, double, double> {
  using atom = Mfma16x16x4;
  using block_atom = Mfma16x16x4;
};
template <class Set>
struct AtomsIn<Set, Kokkos::complex<double>, Kokkos::complex<double>, Kokkos::complex<double>> {
  using real = typename AtomsIn<Set, double, double, double>::block_atom;
  using atom = NoAtom;
  using block_atom = std::conditional_t<is_atom<real>, ComplexAtom<real>, NoAtom>;
};

/// The atom that a call of this accuracy has in place of an atom.
template <Accuracy A, class Atom>
struct WithAccuracy {
  using type = Atom;
};
template <Accuracy A, class Part>
  requires(A != Accuracy::full)
struct WithAccuracy<A, SplitAtom<Part>> {
  using type = RoundedAtom<Part>;
};
template <Accuracy A, class Atom>
using with_accuracy_t = typename WithAccuracy<A, Atom>::type;

/// The atom of a machine for these types. It is NoAtom if the machine, or the GPU that code is
/// compiled for, has none.
template <class Machine, class Acc, class X, class Y, Accuracy A = Accuracy::full>
using atom_for =
    with_accuracy_t<A,
                    typename std::conditional_t<Machine::has_matrix_cores,
                                                AtomsIn<typename Machine::Instructions, Acc, X, Y>,
                                                AtomsIn<void, Acc, X, Y>>::atom>;
template <class Machine, Accuracy A, class Acc, class X, class Y>
using block_atom_for =
    with_accuracy_t<A,
                    typename std::conditional_t<Machine::has_matrix_cores,
                                                AtomsIn<typename Machine::Instructions, Acc, X, Y>,
                                                AtomsIn<void, Acc, X, Y>>::block_atom>;

/// Number of neighbouring columns that a lane has of a row of sums.
template <class Atom>
consteval int cols_of_lane() {
  int count = 1;
  if constexpr (is_atom<Atom>) {
    const AtomPlace first = Atom::sum_at(0, 0);
    while (count < Atom::sum_each && Atom::sum_at(0, count).row == first.row &&
           Atom::sum_at(0, count).col == first.col + count) {
      ++count;
    }
  }
  return count;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
