// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PRODUCT_POINTS_HPP
#define KOKKOSCONTRACT_PRODUCT_POINTS_HPP

// How a host multiplies vectors at points by small matrices, "pij,lpj->lpi" or "cpij,lpj->clpi".
// The last index of the batch counts points. Each point has a small static matrix Y, and row l has
// a short vector at each point. The vectors of a row are consecutive in memory, in X and in C.
//
// The lanes of registers are points. The matrices of some points are copied once, so that a
// register has one element of the matrices of its points. The vectors of all rows are then loaded
// from consecutive memory, and rearranged in registers.

#include <KokkosContract/nest/Offsets.hpp>
#include <KokkosContract/product/Algorithm.hpp>
#include <KokkosContract/product/Output.hpp>

namespace KokkosContract {
inline namespace KOKKOSCONTRACT_ISA {
namespace Impl {

/// Lane l of the result is lane from(l) of N registers, whose lanes are counted one register after
/// another. The lanes that come from the first At registers are in `found`, unless At is 1.
template <int At = 1, class T, int W, int N, class From>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> picked(const Vec<T, W> (&in)[N], const Vec<T, W>& found,
                                             const From& from) {
  if constexpr (At == N) {
    return found;
  } else {
    const Vec<T, W> more = shuffled(found, in[At], [](int l) {
      const int lane = From{}(l);
      if (lane / W == At) return W + lane % W;
      return At == 1 ? lane % W : l;
    });
    return picked<At + 1>(in, more, from);
  }
}

/// Lane l of the result is element l * N + Which of the lanes of N registers.
template <int Which, class T, int W, int N>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> every_nth(const Vec<T, W> (&in)[N]) {
  return picked(in, in[0], [](int l) { return l * N + Which; });
}

/// Element l * N + i of all results is lane l of register i. This is result number Which.
template <int Which, class T, int W, int N>
KOKKOS_FORCEINLINE_FUNCTION Vec<T, W> in_turn(const Vec<T, W> (&in)[N]) {
  return picked(in, in[0], [](int l) {
    const int element = Which * W + l;
    return element % N * W + element / N;
  });
}

template <Nest S, class T, class Output>
struct PointExecutor {
  static constexpr int point = S.end(Class::batch) - 1;
  static constexpr int row = S.begin(Class::row);
  static constexpr int first_col = S.begin(Class::col);
  static constexpr int result = S.end(Class::col) - 1;
  static constexpr int term = S.begin(Class::sum);
  static constexpr int terms = static_cast<int>(S.extent[term]);
  static constexpr int results = static_cast<int>(S.extent[result]);
  static constexpr int lanes = native_lanes<T>;
  static constexpr int most_groups = [] {
    const int groups = bytes_of_point_matrices / (terms * results * lanes * int{sizeof(T)});
    return groups > 0 ? groups : 1;
  }();
  using Register = Vec<T, lanes>;
  using Matrix = Register[results][terms];

  const Loops<S>& loops;
  Output output;

  /// Whether the vectors of a row are consecutive, and there are enough rows and points.
  KOKKOS_FORCEINLINE_FUNCTION bool suits() const {
    return loops.template x<point>() == terms && loops.template c<point>() == results &&
           loops.template extent<row>() >= least_rows_of_points &&
           2 * loops.template extent<point>() >= lanes;
  }

  /// Copies the matrices of a group of points, so many of which exist.
  template <bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void copy(Matrix& matrix, const T* y, int points) const {
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < results; ++i) {
      KOKKOSCONTRACT_UNROLL
      for (int k = 0; k < terms; ++k) {
        matrix[i][k] = load<lanes, false, Full>(
            y + i * loops.template y<result>() + k * loops.template y<term>(),
            loops.template y<point>(), points);
      }
    }
  }

  /// The elements of the vectors of so many points that are in register number `at`.
  template <int N>
  static KOKKOS_FORCEINLINE_FUNCTION int elements(int points, int at) {
    const int left = points * N - at * lanes;
    return left < 0 ? 0 : left < lanes ? left : lanes;
  }

  template <bool Full, int... K, int... I>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Matrix& matrix, const T* x, T* c, int points,
                                            std::integer_sequence<int, K...>,
                                            std::integer_sequence<int, I...>) const {
    const Register in[]{load<lanes, true, Full>(x + K * lanes, 1, elements<terms>(points, K))...};
    const Register vector[]{every_nth<K>(in)...};
    Register sum[results];
    KOKKOSCONTRACT_UNROLL
    for (int i = 0; i < results; ++i) {
      sum[i] = matrix[i][0] * vector[0];
      KOKKOSCONTRACT_UNROLL
      for (int k = 1; k < terms; ++k) sum[i] = multiply_add(sum[i], matrix[i][k], vector[k]);
    }
    (output.template put<lanes, true, Full, 0, -1>(c + I * lanes, 1, in_turn<I>(sum),
                                                   elements<results>(points, I), nullptr),
     ...);
  }
  template <bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Matrix& matrix, const T* x, T* c,
                                            int points) const {
    multiply<Full>(matrix, x, c, points, std::make_integer_sequence<int, terms>{},
                   std::make_integer_sequence<int, results>{});
  }

  /// Multiplies the vectors of all rows at so many points by their matrices.
  KOKKOSCONTRACT_INLINE_FUNCTION void run_points(const T* x, const T* y, T* c, int points) const {
    Matrix matrices[most_groups];
    const int whole = points / lanes;
    const int left = points % lanes;
    const std::ptrdiff_t next = lanes * loops.template y<point>();
    for (int g = 0; g < whole; ++g) copy<true>(matrices[g], y + g * next, lanes);
    if (left > 0) copy<false>(matrices[whole], y + whole * next, left);
    const int rows = loops.template extent<row>();
    const std::ptrdiff_t next_x = loops.template x<row>();
    const std::ptrdiff_t next_c = loops.template c<row>();
    const PointExecutor own = *this;  // the compiler knows that no store changes it
    for (int r = 0; r < rows; ++r, x += next_x, c += next_c) {
      for (int g = 0; g < whole; ++g) {
        own.template multiply<true>(matrices[g], x + g * lanes * terms, c + g * lanes * results,
                                    lanes);
      }
      if (left > 0) {
        own.template multiply<false>(matrices[whole], x + whole * lanes * terms,
                                     c + whole * lanes * results, left);
      }
    }
  }

  /// Moves the operands by the digits of `number` in modes First to Last.
  template <int First, int Last>
  KOKKOS_FORCEINLINE_FUNCTION void move(std::ptrdiff_t number, const T*& x, const T*& y,
                                        T*& c) const {
    for_digits<First, Last>(
        number, [&]<int I>() KOKKOSCONTRACT_INLINE_LAMBDA { return loops.template extent<I>(); },
        [&]<int I>(std::ptrdiff_t digit) KOKKOSCONTRACT_INLINE_LAMBDA {
          x += digit * loops.template x<I>();
          y += digit * loops.template y<I>();
          c += digit * loops.template c<I>();
        });
  }

  /// Each worker has a part of the groups of points, over all indices of the batch and the columns
  /// around them.
  template <Level L>
  KOKKOSCONTRACT_INLINE_FUNCTION void run(const L& level, const T* x, const T* y, T* c) const {
    const int points = loops.template extent<point>();
    const std::ptrdiff_t groups = (points + lanes - 1) / lanes;
    const std::ptrdiff_t batches = loops.template product_of_extents<0, point>();
    const std::ptrdiff_t all =
        groups * batches * loops.template product_of_extents<first_col, result>();
    const std::ptrdiff_t end = all * (level.rank() + 1) / level.size();
    for (std::ptrdiff_t at = all * level.rank() / level.size(); at < end;) {
      std::ptrdiff_t outer = at;
      const std::ptrdiff_t first = take_digit(outer, groups);
      std::ptrdiff_t count = groups - first < end - at ? groups - first : end - at;
      if (count > most_groups) count = most_groups;
      const std::ptrdiff_t begin = first * lanes;
      const T* xb = x + begin * terms;
      const T* yb = y + begin * loops.template y<point>();
      T* cb = c + begin * results;
      move<0, point - 1>(take_digit(outer, batches), xb, yb, cb);
      move<first_col, result - 1>(outer, xb, yb, cb);
      const std::ptrdiff_t left = points - begin;
      run_points(xb, yb, cb, static_cast<int>(left < count * lanes ? left : count * lanes));
      at += count;
    }
  }
};

struct PointAlgorithm : AlgorithmDefaults<Way::points, Way::tiles> {
  static constexpr const char* text =
      "points (small static matrices at points times vectors there)";

  template <class Atom, int N>
  static consteval bool fits(const Nest<N>& nest, const ProductFacts& facts) {
    if (facts.gpu || !facts.blocks || facts.atomic || facts.indices || !nest.has_x) return false;
    if (nest.of(Class::batch) == 0 || nest.of(Class::row) != 1 || nest.of(Class::col) == 0 ||
        nest.of(Class::sum) != 1) {
      return false;
    }
    const int point = nest.end(Class::batch) - 1;
    const int result = nest.end(Class::col) - 1;
    const int term = nest.begin(Class::sum);
    const auto is_short = [&](int mode) {
      return nest.extent[mode] >= 2 && nest.extent[mode] <= most_elements_of_point_vector;
    };
    const auto may_be = [](std::ptrdiff_t stride, std::ptrdiff_t value) {
      return stride == dynamic || stride == value;
    };
    return is_short(result) && is_short(term) && nest.c[result] == 1 && nest.x[term] == 1 &&
           may_be(nest.c[point], nest.extent[result]) && may_be(nest.x[point], nest.extent[term]);
  }
  template <class Atom, int N>
  static consteval bool is_best(const Nest<N>&, const ProductFacts& facts) {
    return facts.bytes * least_lanes_of_points <= KOKKOSCONTRACT_VECTOR_BYTES;
  }

  template <ProductChoice, class Call>
  static KOKKOSCONTRACT_INLINE_FUNCTION int run(const Call& call) {
    const PointExecutor<Call::nest, typename Call::Acc, typename Call::Output> executor{
        call.loops, call.output};
    if (!call.multiplies || !executor.suits()) return not_taken;
    executor.run(call.level, call.x, call.y, call.c);
    return 0;
  }
};

}  // namespace Impl
}  // namespace KOKKOSCONTRACT_ISA
}  // namespace KokkosContract

#endif
