// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_LANES_HPP
#define KOKKOSCONTRACT_PRODUCT_LANES_HPP

// Products of interleaved problems on a GPU: neighbours in memory belong to neighbouring problems.
// Each problem belongs to a group of lanes. The result is distributed over the lanes as in a
// LaneMatrix. Its sums stay in registers, and the inputs are read from their own memory. alpha
// multiplies the rows of X.

#include <KokkosContract/lanes/LaneMatrix.hpp>
#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Tiles.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// How groups of lanes run a product.
struct LanePlan {
  bool possible = false;
  int rows = 0;
  int cols = 0;
  int sums = 0;
  LaneGrid grid{1, 1};
};

template <int N>
consteval LanePlan lane_plan(const Nest<N>& nest) {
  LanePlan plan{};
  if (!nest.has_x || nest.of(Class::batch) != 1) return plan;
  const int z = nest.begin(Class::batch);
  const auto is_neighbour = [](std::ptrdiff_t stride) { return stride == 1 || stride == 0; };
  plan.rows = static_size(nest, Class::row);
  plan.cols = static_size(nest, Class::col);
  plan.sums = static_size(nest, Class::sum);
  const int size = plan.rows > plan.cols ? plan.rows : plan.cols;
  plan.possible = nest.c[z] == 1 && is_neighbour(nest.x[z]) && is_neighbour(nest.y[z]) &&
                  plan.rows > 0 && plan.cols > 0 && plan.sums > 0 && size <= most_rows &&
                  plan.sums <= most_rows;
  if (!plan.possible) return plan;
  plan.grid = interleaved_grid(size);
  if (plan.cols == 1) plan.grid = {plan.grid.size(), 1};
  if (plan.rows == 1) plan.grid = {1, plan.grid.size()};
  return plan;
}

template <Nest S, class Acc, class X, class Y, class C, class Output>
struct LaneExecutor : NestOffsets<S> {
  using Of = typename NestOffsets<S>::Of;
  static constexpr LanePlan plan = lane_plan(S);
  static constexpr LaneGrid grid = plan.grid;
  static constexpr int tile_rows = (plan.rows + grid.rows - 1) / grid.rows;
  static constexpr int tile_cols = (plan.cols + grid.cols - 1) / grid.cols;
  /// Number of terms whose elements are read together.
  static constexpr int chunk = plan.sums <= 16 ? plan.sums : 8;

  const Output& output;

  KOKKOS_FORCEINLINE_FUNCTION LaneExecutor(const Loops<S>& nest, const Output& to)
      : NestOffsets<S>{nest}, output(to) {}

  KOKKOS_FORCEINLINE_FUNCTION void one(const auto& group, const X* x, const Y* y, C* c) const {
    const int row = group.lane / grid.cols;
    const int col = group.lane % grid.cols;
    const auto has_row = [&](int r) { return r * grid.rows + row < plan.rows; };
    const auto has_col = [&](int q) { return q * grid.cols + col < plan.cols; };
    const auto for_tile = [&](const auto& f) KOKKOSCONTRACT_INLINE_LAMBDA {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < tile_rows; ++r) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int q = 0; q < tile_cols; ++q) {
          if (!has_row(r) || !has_col(q)) continue;
          f(r, q,
            c[this->template offset_in<Of::c, Class::row>(r * grid.rows + row) +
              this->template offset_in<Of::c, Class::col>(q * grid.cols + col)]);
        }
      }
    };
    // The sums start as beta C, so beta C takes no registers of its own.
    Acc sum[tile_rows][tile_cols]{};
    if (output.reads) {
      for_tile([&](int r, int q, const C& element) KOKKOSCONTRACT_INLINE_LAMBDA {
        sum[r][q] = output.beta * convert<Acc>(element);
      });
    }
    const auto add = [&](int first, int k) KOKKOSCONTRACT_INLINE_LAMBDA {
      if (plan.sums % chunk != 0 && first + k >= plan.sums) return;
      const X* xk = x + this->template offset_in<Of::x, Class::sum>(first + k);
      const Y* yk = y + this->template offset_in<Of::y, Class::sum>(first + k);
      Acc a[tile_rows];
      Acc b[tile_cols];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < tile_rows; ++r) {
        const auto at = this->template offset_in<Of::x, Class::row>(r * grid.rows + row);
        a[r] = has_row(r) ? output.alpha * convert<Acc>(xk[at]) : Acc(0);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int q = 0; q < tile_cols; ++q) {
        const auto at = this->template offset_in<Of::y, Class::col>(q * grid.cols + col);
        b[q] = has_col(q) ? convert<Acc>(yk[at]) : Acc(0);
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int r = 0; r < tile_rows; ++r) {
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int q = 0; q < tile_cols; ++q) sum[r][q] = multiply_add(sum[r][q], a[r], b[q]);
      }
    };
    KOKKOSCONTRACT_NO_UNROLL
    for (int first = 0; first < plan.sums; first += chunk) {
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int k = 0; k < chunk; ++k) add(first, k);
    }
    for_tile([&](int r, int q, C& element)
                 KOKKOSCONTRACT_INLINE_LAMBDA { element = convert<C>(sum[r][q]); });
  }

  /// Returns false, and does nothing, where there are no such groups.
  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION bool run(const L& level, const X* x, const Y* y, C* c) const {
    return for_each_problem<grid.size(), true>(
        level, this->batch(), [&](const auto& group, int z) KOKKOSCONTRACT_INLINE_LAMBDA {
          if (z < 0) return;
          one(group, x + this->template offset_in<Of::x, Class::batch>(z),
              y + this->template offset_in<Of::y, Class::batch>(z),
              c + this->template offset_in<Of::c, Class::batch>(z));
        });
  }
};

struct LaneAlgorithm : AlgorithmDefaults<Way::lanes, Way::shared> {
  static constexpr const char* text =
      "lanes (interleaved problems, in registers of groups of lanes)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return facts.are_team_of_warps() && facts.linear && lane_plan(nest).possible;
  }

  template <ProductChoice, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    const LaneExecutor<Call::nest, typename Call::Acc, typename Call::X, typename Call::Y,
                       typename Call::C, typename Call::Output>
        executor(call.loops, call.output);
    return call.multiplies && executor.run(call.level, call.x, call.y, call.c) ? 0 : not_taken;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
