// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_THIN_HPP
#define KOKKOSCONTRACT_PRODUCT_THIN_HPP

// Products of few rows on a GPU, which would leave most of a tensor core's tile empty. A worker has
// some whole columns in registers, and reads its inputs from their own memory. All workers read the
// same elements of X, each once for its columns. Neighbouring workers read neighbouring elements of
// Y.

#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Tiles.hpp>
#include <KokkosContract/product/Warp.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

struct ThinPlan {
  bool possible = false;
  int rows = 0;
  int cols = 0;
  int sums = 0;
  int width = 1;  // columns of a worker at a time
  int chunk = 1;  // terms whose elements are in flight at a time
};

/// The plan for warps with this number of lanes.
template <int N>
consteval ThinPlan thin_plan(const Nest<N>& nest, int warp_size) {
  ThinPlan plan{};
  plan.rows = static_size(nest, Class::row);
  plan.cols = static_size(nest, Class::col);
  plan.sums = static_size(nest, Class::sum);
  plan.possible = nest.has_x && plan.rows > 0 && plan.rows <= most_rows_of_thin &&
                  plan.cols >= warp_size && plan.sums > 1;
  // One warp has all columns at a time, or else a few of them, because there may be several warps.
  plan.width = plan.cols <= 4 * warp_size ? (plan.cols + warp_size - 1) / warp_size : 2;
  plan.chunk = plan.sums < 4 ? plan.sums : 4;
  return plan;
}

template <class Machine, Nest S, class Acc, class X, class Y, class C, class Output>
struct ThinExecutor : NestOffsets<S> {
  using Of = typename NestOffsets<S>::Of;
  static constexpr ThinPlan plan = thin_plan(S, Machine::warp_size);

  const Output& output;

  KOKKOS_FORCEINLINE_FUNCTION ThinExecutor(const Loops<S>& nest, const Output& to)
      : NestOffsets<S>{nest}, output(to) {}

  /// Prefetches X, by different workers. All workers read X together, element by element, and would
  /// otherwise wait for the memory once for each element.
  KOKKOS_FORCEINLINE_FUNCTION void ask_for(int worker, const X* x) const {
    if (worker >= plan.sums) return;
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < plan.rows; ++r) {
      Machine::ask_for_line(x + this->template offset_in<Of::x, Class::row>(r) +
                            this->template offset_in<Of::x, Class::sum>(worker));
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void columns(int first, int apart, const X* x, const Y* y,
                                           C* c) const {
    Acc sum[plan.rows][plan.width]{};
    const Y* ys[plan.width];
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int q = 0; q < plan.width; ++q) {
      // A column out of bounds is replaced by the last column.
      const int j = first + q * apart < plan.cols ? first + q * apart : plan.cols - 1;
      ys[q] = y + this->template offset_in<Of::y, Class::col>(j);
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int start = 0; start < plan.sums; start += plan.chunk) {
      Acc a[plan.chunk][plan.rows];
      Acc b[plan.chunk][plan.width];
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < plan.chunk; ++s) {
        if (start + s >= plan.sums) continue;
        const std::ptrdiff_t xk = this->template offset_in<Of::x, Class::sum>(start + s);
        const std::ptrdiff_t yk = this->template offset_in<Of::y, Class::sum>(start + s);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int q = 0; q < plan.width; ++q) b[s][q] = convert<Acc>(ys[q][yk]);
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < plan.rows; ++r) {
          a[s][r] = convert<Acc>(x[xk + this->template offset_in<Of::x, Class::row>(r)]);
        }
      }
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int s = 0; s < plan.chunk; ++s) {
        if (start + s >= plan.sums) continue;
        KOKKOSCONTRACT_UNROLL_IN_LANES
        for (int r = 0; r < plan.rows; ++r) {
          KOKKOSCONTRACT_UNROLL_IN_LANES
          for (int q = 0; q < plan.width; ++q) {
            sum[r][q] = multiply_add(sum[r][q], a[s][r], b[s][q]);
          }
        }
      }
    }
    KOKKOSCONTRACT_UNROLL_IN_LANES
    for (int r = 0; r < plan.rows; ++r) {
      C* cr = c + this->template offset_in<Of::c, Class::row>(r);
      KOKKOSCONTRACT_UNROLL_IN_LANES
      for (int q = 0; q < plan.width; ++q) {
        const int j = first + q * apart;
        if (j < plan.cols) {
          output.template put<1, true, true, 0, -1>(
              cr + this->template offset_in<Of::c, Class::col>(j), 1, sum[r][q], 1, nullptr);
        }
      }
    }
  }

  template <Level L>
  KOKKOS_FORCEINLINE_FUNCTION void run(const L& level, const X* x, const Y* y, C* c) const {
    const int problems = this->batch();
    for (int z = 0; z < problems; ++z) {
      const X* xz = x + this->template offset_in<Of::x, Class::batch>(z);
      const Y* yz = y + this->template offset_in<Of::y, Class::batch>(z);
      C* cz = c + this->template offset_in<Of::c, Class::batch>(z);
      ask_for(level.rank(), xz);
      for (int j = level.rank(); j < plan.cols; j += plan.width * level.size()) {
        columns(j, level.size(), xz, yz, cz);
      }
    }
  }
};

struct ThinAlgorithm : AlgorithmDefaults<Way::thin, Way::shared> {
  static constexpr const char* text =
      "thin (few rows, an operand in scratch memory: whole columns)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    return facts.are_team_of_warps() && !facts.indices && thin_plan(nest, facts.warp_size).possible;
  }
  /// It replaces MMA instructions where an operand is in scratch memory.
  template <class Atom, int N>
  static consteval bool is_best(const Nest<N>& nest, const ProductFacts& facts) {
    return (facts.to_scratch || facts.from_scratch) && !facts.of_thread &&
           WarpAlgorithm::fits<Atom>(nest, facts);
  }

  template <ProductChoice, class Call>
  static KOKKOS_FORCEINLINE_FUNCTION int run(const Call& call) {
    const ThinExecutor<level_machine_t<typename Call::L>, Call::nest, typename Call::Acc,
                       typename Call::X, typename Call::Y, typename Call::C, typename Call::Output>
        executor(call.loops, call.output);
    if (!call.multiplies || !executor.counts_parts(1)) return not_taken;
    executor.run(call.level, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
