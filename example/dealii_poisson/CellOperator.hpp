// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosContract.hpp>

namespace example {

using KokkosContract::require_success;

/// The operator B^T (G^T W G + m) B of a cell with (degree + 1)^3 basis functions and as many
/// points. B has the values of the basis functions of a line at its points, G differentiates at the
/// points. The last index of a lattice is x, as in deal.II's numbering of a cell.
///
/// A point has seven words: xx, xy, xz, yy, yz, zz of the symmetric W, and m.
template <int degree>
struct CellOperator {
  static constexpr int n = degree + 1, points = n * n * n, words = 7;
  KokkosContract::Tile<double, n, n> B, G;

  template <class Value>
  using Lattice = Kokkos::mdspan<Value, Kokkos::extents<int, n, n, n>>;

  /// The words of one cell, or of as many as Value has lanes. `next` are those of the next cells,
  /// which are asked to come into the second-level cache.
  template <class Value>
  struct WordsOfPoints {
    const Value *w, *next;

    void transform(int q, Value& dx, Value& dy, Value& dz) const {
      for (int m = 0; m < words; ++m) KokkosContract::prefetch<2>(next + m * points + q);
      const auto W = [&](int m) { return w[m * points + q]; };
      const Value x = dx, y = dy, z = dz;
      dx = W(0) * x + W(1) * y + W(2) * z;
      dy = W(1) * x + W(3) * y + W(4) * z;
      dz = W(2) * x + W(4) * y + W(5) * z;
    }
    Value mass(int q) const { return w[6 * points + q]; }
  };

  /// Words of which the first six are the same at all points of a cell, but for the points' weights
  template <class Value>
  struct WordsOfCells {
    const Value *w, *m, *next_m;
    const double* weights;

    void transform(int q, Value& dx, Value& dy, Value& dz) const {
      KokkosContract::prefetch<2>(next_m + q);
      const Value x = dx * weights[q], y = dy * weights[q], z = dz * weights[q];
      dx = w[0] * x + w[1] * y + w[2] * z;
      dy = w[1] * x + w[3] * y + w[4] * z;
      dz = w[2] * x + w[4] * y + w[5] * z;
    }
    Value mass(int q) const { return m[q]; }
  };

  // [cells]
  /// The operator of one cell, or of as many as Value has lanes, replaces v by its product with v.
  template <class Value, template <class> class Words>
  void apply(Value* v_data, const Words<Value>& words_at) const {
    using namespace KokkosContract;
    Value memory[4][points];
    const Lattice<Value> v(v_data), u(memory[0]), gx(memory[1]), gy(memory[2]), t(memory[3]);
    // While a derivative along z is in registers, all three become W times them.
    const auto transform = [&](const Value& dz, int z, int y, int x) {
      Value result = dz;
      words_at.transform((z * n + y) * n + x, gx(z, y, x), gy(z, y, x), result);
      return result;
    };
    const auto add_mass = [&](const Value& from_z, int z, int y, int x) {
      return from_z + words_at.mass((z * n + y) * n + x) * u(z, y, x);
    };
    const auto add_others = [&](const Value& from_x, int z, int y, int x) {
      return from_x + t(z, y, x);
    };
    require_success(SerialContract<"cba,yb,zc,xa,rx->zyr">::invoke(1.0, v, B, B, B, keep<"zyx">(u),
                                                                   G, 0.0, gx));
    require_success(SerialContract<"yr,zrx->zyx">::invoke(1.0, G, u, 0.0, gy));
    require_success(SerialContract<"ryx,zr,zs->syx">::invoke(1.0, u, G, pointwise<"zyx">(transform),
                                                             G, 0.0, t, add_mass));
    require_success(SerialContract<"ry,zrx->zyx">::invoke(1.0, G, gy, 1.0, t));
    require_success(SerialContract<"zyr,rx,xa,zc,yb->cba">::invoke(
        1.0, gx, G, pointwise<"zyx">(add_others), B, B, B, 0.0, v));
  }
  // [/cells]

  /// The operator of one cell by a team, in the memory that deal.II gives it: for the values and
  /// the three derivatives at the points, and for one number a point more. x_at(i) reads, and
  /// y_add(i, value) adds, what belongs to basis function i.
  template <class Member, class Data, class Source, class Add>
  KOKKOS_FUNCTION void apply(const Member& team, const Data& shared, const double* w_data,
                             const Source& x_at, const Add& y_add) const {
    using namespace KokkosContract;
    double* const gradients = shared.gradients.data();
    const Lattice<double> u(shared.values.data()), t(shared.scratch_pad.data()), gx(gradients),
        gy(gradients + points), gz(gradients + 2 * points);
    const Kokkos::mdspan<const double, Kokkos::extents<int, words, n, n, n>> w(w_data);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, points),
                         [&](int i) { gx.data_handle()[i] = x_at(i); });
    team.team_barrier();
    require_success(TeamContract<"zc,cba->zba">::invoke(team, 1.0, B, gx, 0.0, gy));
    require_success(TeamContract<"yb,zba->zya">::invoke(team, 1.0, B, gy, 0.0, t));
    require_success(TeamContract<"xa,zya->zyx">::invoke(team, 1.0, B, t, 0.0, u));

    require_success(TeamContract<"xr,zyr->zyx">::invoke(team, 1.0, G, u, 0.0, gx));
    require_success(TeamContract<"yr,zrx->zyx">::invoke(team, 1.0, G, u, 0.0, gy));
    const auto transform = [&](double dz, int z, int y, int x) {
      const double dx = gx(z, y, x), dy = gy(z, y, x);
      gx(z, y, x) = w(0, z, y, x) * dx + w(1, z, y, x) * dy + w(2, z, y, x) * dz;
      gy(z, y, x) = w(1, z, y, x) * dx + w(3, z, y, x) * dy + w(4, z, y, x) * dz;
      t(z, y, x) = w(6, z, y, x) * u(z, y, x);
      return w(2, z, y, x) * dx + w(4, z, y, x) * dy + w(5, z, y, x) * dz;
    };
    require_success(TeamContract<"zr,ryx->zyx">::invoke(team, 1.0, G, u, 0.0, gz, transform));

    require_success(TeamContract<"rz,ryx->zyx">::invoke(team, 1.0, G, gz, 1.0, t));
    require_success(TeamContract<"ry,zrx->zyx">::invoke(team, 1.0, G, gy, 1.0, t));
    require_success(TeamContract<"rx,zyr->zyx">::invoke(team, 1.0, G, gx, 1.0, t));
    require_success(TeamContract<"xa,zyx->zya">::invoke(team, 1.0, B, t, 0.0, gx));
    require_success(TeamContract<"yb,zya->zba">::invoke(team, 1.0, B, gx, 0.0, gy));
    const auto scatter = [&](double value, int c, int b, int a) {
      y_add((c * n + b) * n + a, value);
    };
    require_success(
        TeamContract<"zc,zba->cba">::invoke(team, 1.0, B, gy, KokkosContract::elsewhere(scatter)));
  }
};

}  // namespace example
