// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_DENSE_REFLECTOR_HPP
#define KOKKOSCONTRACT_DENSE_REFLECTOR_HPP

// One Householder reflector H = I - tau v v^H, with v_k = 1, and its application to columns: in
// memory, and in the registers of lanes.

#include <KokkosContract/core/Lanewise.hpp>
#include <KokkosContract/lanes/LaneMatrix.hpp>
#include <KokkosContract/operand/Matrix.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// H^H (alpha, x) = (beta, 0), with v_i = x_i * scale * reciprocal.
template <class Acc>
struct Reflector {
  Acc tau, beta, reciprocal;
  magnitude_t<Acc> scale;

  KOKKOS_FORCEINLINE_FUNCTION Acc tail(const Acc& x) const {
    return times_real(x, scale) * reciprocal;
  }
};

/// Computes -sign(Re alpha) * norm.
template <class Acc>
KOKKOS_FORCEINLINE_FUNCTION Acc opposite(const Acc& alpha, const magnitude_t<Acc>& norm) {
  using R = real_t<Acc>;
  if constexpr (is_complex<scalar_t<Acc>>) {
    const auto opposite_of_lane = [](const scalar_t<Acc>& a, const R& n) {
      return scalar_t<Acc>(a.real() < R(0) ? n : -n);
    };
    return lanewise(opposite_of_lane, alpha, norm);
  } else {
    const auto zero = to_register(Acc(R(0))), size = to_register(norm);
    return from_register<Acc>(select<IsGreater>(zero, to_register(alpha), size, zero - size));
  }
}

/// The reflector of elements x(0) = alpha to x(size - 1), as in LAPACK's larfg. The sign of beta is
/// opposite to that of alpha, so that nothing cancels. H = I if there is nothing to annihilate.
/// Numbers whose squares overflow or underflow are scaled by a power of two.
template <class Acc, class X>
KOKKOS_FORCEINLINE_FUNCTION Reflector<Acc> make_reflector(int size, const X& x) {
  using Real = magnitude_t<Acc>;
  using R = scalar_t<Real>;
  using S = scalar_t<Acc>;
  const Acc alpha = x(0);
  if constexpr (!is_complex<S>) {
    if (size == 1) return {Acc(R(0)), alpha, Acc(R(0)), Real(R(1))};
  }
  Real tail(R(0));
  const auto squares = scaled_squares<Real>([&](const Real& scale) KOKKOSCONTRACT_INLINE_LAMBDA {
    tail = sum_of<Real>(1, size, [&](int i) KOKKOSCONTRACT_INLINE_LAMBDA {
      return squared(times_real(x(i), scale));
    });
    return tail + squared(times_real(alpha, scale));
  });
  const Acc scaled_alpha = times_real(alpha, squares.scale);
  const Acc scaled_beta = opposite(scaled_alpha, squares.scaled_root());
  const Acc difference = scaled_alpha - scaled_beta;
  Reflector<Acc> result{-(difference / scaled_beta), times_real(scaled_beta, squares.unscale),
                        Acc(R(1)) / difference, squares.scale};
  if (!holds_everywhere([](const auto& s) { return s != R(0); }, tail)) {
    // The squares may only underflow in comparison with alpha.
    Real largest(R(0));
    KOKKOSCONTRACT_NO_UNROLL
    for (int i = 1; i < size; ++i) {
      largest = lanewise(Larger{}, largest, lanewise(SumOfParts{}, x(i)));
    }
    const auto unless_done = [](const S& value, const S& otherwise, const S& a, const R& rest) {
      return rest == R(0) && a == S(RealPart{}(a)) ? otherwise : value;
    };
    result.tau = lanewise(unless_done, result.tau, Acc(R(0)), alpha, largest);
    result.beta = lanewise(unless_done, result.beta, alpha, alpha, largest);
    result.reciprocal = lanewise(unless_done, result.reciprocal, Acc(R(0)), alpha, largest);
  }
  return result;
}

/// Multiplies C x W columns of M, from j on, by I - tau v v^H. v(i) is 1 for i = k, and is not read
/// for smaller i.
template <int C, int W, bool Full, class M, class Acc, class V>
KOKKOS_FORCEINLINE_FUNCTION void reflect(const M& m, int z, int k, int j, int count, const Acc& tau,
                                         const V& v) {
  const auto get = [&](int i, int c) KOKKOSCONTRACT_INLINE_LAMBDA {
    return load_columns<Acc, W, Full>(m, z, i, j + c * W, count);
  };
  const auto put = [&](int i, int c, const register_t<Acc, W>& x) KOKKOSCONTRACT_INLINE_LAMBDA {
    store_columns<Acc, W, Full>(m, z, i, j + c * W, count, x);
  };
  register_t<Acc, W> sum[C];
  KOKKOSCONTRACT_UNROLL
  for (int c = 0; c < C; ++c) sum[c] = get(k, c);
  for (int i = k + 1; i < m.rows(); ++i) {
    const auto factor = splat<W>(conjugate_if<true>(v(i)));
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) sum[c] = sum[c] + factor * get(i, c);
  }
  KOKKOSCONTRACT_UNROLL
  for (int c = 0; c < C; ++c) {
    sum[c] = splat<W>(tau) * sum[c];
    put(k, c, get(k, c) - sum[c]);
  }
  for (int i = k + 1; i < m.rows(); ++i) {
    const auto factor = splat<W>(v(i));
    KOKKOSCONTRACT_UNROLL
    for (int c = 0; c < C; ++c) put(i, c, get(i, c) - factor * sum[c]);
  }
}

/// Applies the reflector to columns first to end - 1: W columns per register, Several registers at
/// once.
template <int W, int Several = 4, class M, class Acc, class V>
KOKKOS_FORCEINLINE_FUNCTION void reflect_columns(const M& m, int z, int k, int first, int end,
                                                 const Acc& tau, const V& v) {
  int j = first;
  if constexpr (Several > 1) {
    for (; j + Several * W <= end; j += Several * W) {
      reflect<Several, W, true>(m, z, k, j, W, tau, v);
    }
  }
  for (; j + W <= end; j += W) reflect<1, W, true>(m, z, k, j, W, tau, v);
  if constexpr (W > 1) {
    if (j < end) reflect<1, W, false>(m, z, k, j, end - j, tau, v);
  }
}

/// Step P of a QR factorisation in registers. It computes the reflector of column P, stores it
/// there and applies it to the columns after it, as in QRFactor. Returns tau. `exact` becomes false
/// if numbers would have to be scaled; then the result is not usable.
template <int P, class M>
KOKKOS_FORCEINLINE_FUNCTION typename M::value_type reflect_tiles(M& m, bool& exact) {
  using T = typename M::value_type;
  using R = real_t<T>;
  constexpr LaneGrid grid = M::grid;
  constexpr int r0 = P / grid.rows;
  constexpr int c0 = P / grid.cols;
  const int row = m.row();
  // Column P from row P on, in all lanes. Elements above row P do not take part.
  T v[M::tile_rows];
  R squares(0);
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int r = r0; r < M::tile_rows; ++r) {
    v[r] = m.get_in_row(r, P);
    const R square = squared(v[r]);
    if (r > r0 || row > P % grid.rows) squares = squares + square;
  }
  T alpha = v[r0];
  if constexpr (grid.rows > 1) alpha = m.group.from(alpha, M::lane_at(P % grid.rows, m.col()));
  const R tail = RealPart{}(m.sum_over_rows(T(squares)));
  const R sum = tail + squared(alpha);
  bool is_safe = true;
  const R reciprocal_norm = short_inverse_root(sum, is_safe);
  const bool is_done = (tail == R(0)) & (alpha == T(RealPart{}(alpha)));
  // Zeros may be squares that underflow, unless the column has only alpha.
  exact = exact & (is_safe | ((P + 1 == M::n) & is_done));  // without branches between shuffles
  const bool is_negative = RealPart{}(alpha) < R(0);
  const R beta = sum * (is_negative ? reciprocal_norm : -reciprocal_norm);
  const R reciprocal_beta = is_negative ? reciprocal_norm : -reciprocal_norm;
  const T difference = alpha - T(beta);
  bool unused = true;
  T reciprocal = short_reciprocal(difference, unused);
  T tau = times_real(-difference, reciprocal_beta);
  reciprocal = choose(is_done, T(0), reciprocal);
  tau = choose(is_done, T(0), tau);
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int r = r0; r < M::tile_rows; ++r) {
    v[r] = v[r] * reciprocal;
    if (r == r0 && row <= P % grid.rows) v[r] = T(row == P % grid.rows ? 1 : 0);
  }
  KOKKOSCONTRACT_UNROLL_IN_LANES
  for (int c = c0; c < M::tile_cols; ++c) {
    T product(0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      product = product + conjugate_if<true>(v[r]) * m.tile[r][c];
    }
    product = conjugate_if<true>(tau) * m.sum_over_rows(product);
    if (c == c0 && m.col() <= P % grid.cols) product = T(0);
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) m.tile[r][c] = m.tile[r][c] - v[r] * product;
  }
  if (m.col() == P % grid.cols) {
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = r0; r < M::tile_rows; ++r) {
      if (r > r0 || row > P % grid.rows) m.tile[r][c0] = v[r];
      if (r == r0 && row == P % grid.rows) m.tile[r][c0] = is_done ? alpha : T(beta);
    }
  }
  return tau;
}

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
