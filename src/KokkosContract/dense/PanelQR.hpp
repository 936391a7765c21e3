// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_PANELQR_HPP
#define KOKKOSCONTRACT_DENSE_PANELQR_HPP

// QR by one worker of a host, of matrices that may be large. Panels of a few columns are factored
// one after the other. The reflectors of a panel are applied to other columns C at once, and become
// C - V Y. The columns of V are the vectors of the reflectors, and row j of Y is tau_j times
// (V^T C)_j - sum over i of (V^T V)_ji Y_i. The sum is over i < j for H_n ... H_1 H_0 C, and over
// i > j for H_0 H_1 ... H_n C. So most of the work is in two products with V (C. Puglisi,
// Modification of the Householder method based on the compact WY representation, SIAM J. Sci. Stat.
// Comput. 13, 1992).

#include <KokkosContract/dense/Halves.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

template <class A, class Tau, class Acc>
struct QRFactor;

/// Computes C = X^T Y.
template <class X, class Y, class C>
KOKKOSCONTRACT_SHARED_FUNCTION void multiply_transpose(const X& x, const Y& y, const C& c) {
  using T = typename C::value_type;
  constexpr ProductLabels labels{matrix_labels<Trans::Transpose>(false, 'i', 'k'),
                                 matrix_labels<Trans::NoTranspose>(false, 'k', 'j'),
                                 matrix_labels<Trans::NoTranspose>(false, 'i', 'j')};
  contract_labels<labels>(SerialLevel{}, x, y,
                          Update{own_factor<T, 1>(), own_factor<T, 0>(), c, NoEpilogue{}});
}

/// The reflectors of a panel, in memory of the thread.
template <class T>
struct ReflectorPanel {
  static constexpr int W = host_lanes<T>();
  static constexpr int most_cols = qr_panels.cols_of_wide_panel;
  static constexpr int cols_of_strip = qr_panels.cols_of_strip;
  static constexpr int most_elements = qr_panels.bytes_of_panel / static_cast<int>(sizeof(T));
  static_assert(cols_of_strip % (4 * W) == 0);

  alignas(64) T v[most_elements];
  alignas(64) T products[most_cols * most_cols];  // V^T V
  alignas(64) T strip[most_cols * cols_of_strip];
  T taus[most_cols];
  int rows = 0, cols = 0;

  /// The columns of a panel with so many rows, or fewer than W if there is no room for a panel.
  static int cols_for(int rows) {
    const int room = most_elements / rows / W * W;
    const int cols = rows < qr_panels.rows_of_wide_panel ? qr_panels.cols_of_panel : most_cols;
    return room < cols ? room : cols;
  }

  KOKKOS_FORCEINLINE_FUNCTION int stride() const { return (cols + W - 1) / W * W; }
  KOKKOS_FORCEINLINE_FUNCTION ContiguousRows<T> vectors() {
    return contiguous_rows(v, rows, cols, stride());
  }

  struct Taus {
    using value_type = T;
    T* x;
    T& operator()(int, int k, int) const { return x[k]; }
  };

  /// Factors the columns of A, and stores tau(0), tau(1), ...
  template <class A, class Tau>
  KOKKOS_FORCEINLINE_FUNCTION void factor(const A& a, const Tau& tau) {
    const auto panel = copy_of(a);
    const Taus of_panel{taus};
    QRFactor<decltype(panel), Taus, T>{panel, of_panel}.template factor<W, 4>(0);
    copy(panel, a);
    const int steps = rows < cols ? rows : cols;
    for (int k = 0; k < steps; ++k) tau(k) = taus[k];
  }
  /// Reads the reflectors that are in the columns of A.
  template <class A, class Tau>
  KOKKOS_FORCEINLINE_FUNCTION void read(const A& a, const Tau& tau) {
    copy_of(a);
    for (int k = 0; k < cols; ++k) taus[k] = tau(k);
  }

  /// Prepares to apply the reflectors.
  KOKKOS_FORCEINLINE_FUNCTION void complete() {
    for (int i = 0; i < cols; ++i) {
      for (int j = i; j < cols; ++j) v[i * stride() + j] = T(i == j ? 1 : 0);
    }
    multiply_transpose(vectors(), vectors(), contiguous_rows(products, cols, cols, most_cols));
  }
  /// Applies them to the columns of C, the first or the last one first.
  template <bool FirstOneFirst, class C>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const C& c) {
    for (int j = 0; j < c.cols(); j += cols_of_strip) {
      const int end = j + cols_of_strip < c.cols() ? j + cols_of_strip : c.cols();
      const auto part = part_of(c, 0, 0, rows, j, end);
      const auto y = contiguous_rows(strip, cols, end - j, cols_of_strip);
      multiply_transpose(vectors(), part, y);
      for (int first = 0; first < end - j; first += 4 * W) solve_registers<FirstOneFirst>(first);
      subtract_apart(vectors(), y, part);
    }
  }

 private:
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION auto copy_of(const A& a) {
    rows = a.rows();
    cols = a.cols();
    const Matrix<ContiguousRows<T>, false> panel{vectors()};
    copy(a, panel);
    return panel;
  }
  template <class From, class To>
  static KOKKOS_FORCEINLINE_FUNCTION void copy(const From& from, const To& to) {
    for (int i = 0; i < from.rows(); ++i) {
      for (int j = 0; j < from.cols(); ++j) to(0, i, j) = from(0, i, j);
    }
  }

  /// Computes 4 registers of each row of Y from V^T C. Columns beyond those of C are not used.
  template <bool FirstOneFirst>
  KOKKOS_FORCEINLINE_FUNCTION void solve_registers(int first) {
    const auto at = [&](int i, int r) { return strip + i * cols_of_strip + first + r * W; };
    for (int step = 0; step < cols; ++step) {
      const int j = FirstOneFirst ? step : cols - 1 - step;
      Vec<T, W> sum[4];
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < 4; ++r) sum[r] = load<W, true, true>(at(j, r), 1, W);
      for (int i = FirstOneFirst ? 0 : j + 1; i < (FirstOneFirst ? j : cols); ++i) {
        const auto factor = Vec<T, W>::splat(products[j * most_cols + i]);
        KOKKOSCONTRACT_UNROLL
        for (int r = 0; r < 4; ++r) sum[r] = sum[r] - factor * load<W, true, true>(at(i, r), 1, W);
      }
      const auto tau = Vec<T, W>::splat(taus[j]);
      KOKKOSCONTRACT_UNROLL
      for (int r = 0; r < 4; ++r) store<W, true, true>(at(j, r), 1, tau * sum[r], W);
    }
  }
};

/// Whether matrix A, or the reflectors in its first `steps` columns, are large enough for panels,
/// and a panel has room.
template <class A>
KOKKOS_FORCEINLINE_FUNCTION bool is_large_for_qr_panels(const A& a, int steps) {
  using Panel = ReflectorPanel<typename A::value_type>;
  return steps >=
             (A::unit_cols ? qr_panels.least_steps_of_rows : qr_panels.least_steps_of_columns) &&
         Panel::cols_for(a.rows()) >= Panel::W;
}

/// Factors matrix A, and stores tau(0), tau(1), ...
template <class A, class Tau>
KOKKOSCONTRACT_SHARED_CODE void factor_qr_by_panels(const A& a, const Tau& tau) {
  ReflectorPanel<typename A::value_type> panel;
  const int cols_of_panel = panel.cols_for(a.rows());
  const int steps = a.rows() < a.cols() ? a.rows() : a.cols();
  for (int k = 0; k < steps; k += cols_of_panel) {
    const int end = k + cols_of_panel < steps ? k + cols_of_panel : steps;
    panel.factor(part_matrix(a, 0, k, a.rows(), k, end),
                 [&](int i) -> auto& { return tau(k + i); });
    if (end == a.cols()) continue;
    panel.complete();
    panel.template apply<true>(part_matrix(a, 0, k, a.rows(), end, a.cols()));
  }
}

/// Applies the reflectors in the first `steps` columns of A to C, the first or the last one first.
template <bool FirstOneFirst, class A, class Tau, class C>
KOKKOSCONTRACT_SHARED_CODE void apply_qr_by_panels(const A& a, const Tau& tau, int steps,
                                                   const C& c) {
  ReflectorPanel<std::remove_const_t<typename A::value_type>> panel;
  const int cols_of_panel = panel.cols_for(a.rows());
  const int panels = (steps + cols_of_panel - 1) / cols_of_panel;
  for (int p = 0; p < panels; ++p) {
    const int k = (FirstOneFirst ? p : panels - 1 - p) * cols_of_panel;
    const int end = k + cols_of_panel < steps ? k + cols_of_panel : steps;
    panel.read(part_matrix(a, 0, k, a.rows(), k, end), [&](int i) { return tau(k + i); });
    panel.complete();
    panel.template apply<FirstOneFirst>(part_matrix(c, 0, k, a.rows(), 0, c.cols()));
  }
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
