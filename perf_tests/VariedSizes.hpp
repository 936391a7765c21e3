// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_VARIED_SIZES_HPP
#define KOKKOSCONTRACT_PERF_VARIED_SIZES_HPP

// Common parts of the benchmarks of problems of different sizes on a host and on a GPU: C = A B, C
// = L U, C x = f. The matrices follow each other, or are padded to the largest size.

#include <KokkosContract.hpp>
#include <Kokkos_Core.hpp>

namespace perf {

/// Problem p has size(p) unknowns. With padding it has the room of the largest one, Most: its
/// matrices continue as the identity and its vectors as zero.
template <class MemorySpace, int Most>
struct VariedSizes {
  using Numbers = Kokkos::View<double*, MemorySpace>;
  using Offsets = Kokkos::View<int*, MemorySpace>;
  template <class Data>
  using Part =
      Kokkos::View<Data, Kokkos::LayoutRight, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  bool padded;
  int problems;
  Offsets size, matrix, vector;
  Numbers A, B, C, f, x;
  double flops = 0, bytes = 0;  // without padding: A, B and f are read, C and x written

  /// Sizes from Least to Most, all equally often.
  VariedSizes(int count, int least, bool pad)
      : padded(pad),
        problems(count),
        size("size", count),
        matrix("matrix", count),
        vector("vector", count) {
    const auto n = Kokkos::create_mirror_view(size);
    const auto m = Kokkos::create_mirror_view(matrix);
    const auto v = Kokkos::create_mirror_view(vector);
    int matrices = 0, vectors = 0;
    for (int p = 0; p < count; ++p) {
      n(p) = least +
             static_cast<int>(2654435761u * static_cast<unsigned>(p) >> 8) % (Most - least + 1);
      m(p) = matrices;
      v(p) = vectors;
      const int width = pad ? Most : n(p);
      matrices += width * width;
      vectors += width;
      const double size_p = n(p);
      flops += (2 + 2.0 / 3) * size_p * size_p * size_p + 2 * size_p * size_p;
      bytes += 8 * (3 * size_p * size_p + 2 * size_p);
    }
    Kokkos::deep_copy(size, n);
    Kokkos::deep_copy(matrix, m);
    Kokkos::deep_copy(vector, v);
    A = Numbers("A", matrices);
    B = Numbers("B", matrices);
    C = Numbers("C", matrices);
    f = Numbers("f", vectors);
    x = Numbers("x", vectors);
  }

  KOKKOS_FUNCTION static double entry(int p, int i, int j, int which) {
    unsigned hash = static_cast<unsigned>(p);
    for (const int index : {i, j, which}) {
      hash = (hash ^ static_cast<unsigned>(index)) * 2654435761u;
      hash ^= hash >> 15;
    }
    return 2.0 * hash / 4294967296.0 - 1;
  }
  KOKKOS_FUNCTION static double element(int p, int n, int i, int j, int which) {
    const double diagonal = i == j ? 1 : 0;
    return i < n && j < n ? 2 * diagonal + entry(p, i, j, which) / n : diagonal;
  }

  template <class ExecutionSpace>
  void fill(const ExecutionSpace& space) const {
    const VariedSizes self = *this;
    Kokkos::parallel_for(
        "fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, problems), KOKKOS_LAMBDA(int p) {
          const int n = self.size(p), width = self.padded ? Most : n;
          for (int i = 0; i < width; ++i) {
            for (int j = 0; j < width; ++j) {
              self.A(self.matrix(p) + i * width + j) = element(p, n, i, j, 0);
              self.B(self.matrix(p) + i * width + j) = element(p, n, i, j, 1);
            }
            self.f(self.vector(p) + i) = i < n ? entry(p, i, 0, 2) : 0;
          }
        });
    space.fence();
  }

  /// The largest component of f - A B x.
  template <class ExecutionSpace>
  double residual(const ExecutionSpace& space) const {
    const VariedSizes self = *this;
    double worst = 0;
    Kokkos::parallel_reduce(
        "residual", Kokkos::RangePolicy<ExecutionSpace>(space, 0, problems),
        KOKKOS_LAMBDA(int p, double& most) {
          const int n = self.size(p);
          for (int i = 0; i < n; ++i) {
            double sum = entry(p, i, 0, 2);
            for (int k = 0; k < n; ++k)
              for (int j = 0; j < n; ++j)
                sum -= element(p, n, i, k, 0) * element(p, n, k, j, 1) * self.x(self.vector(p) + j);
            if (!(Kokkos::abs(sum) <= most)) most = Kokkos::abs(sum);
          }
        },
        Kokkos::Max<double>(worst));
    return worst;
  }

  /// Calls f(A, B, C, f, x) for problem p.
  template <bool Padded, class F>
  KOKKOS_FORCEINLINE_FUNCTION void with_operands(int p, const F& function) const {
    const std::ptrdiff_t m = matrix(p);
    const std::ptrdiff_t v = vector(p);
    if constexpr (Padded) {
      using M = Part<double[Most][Most]>;
      using V = Part<double[Most]>;
      function(M(A.data() + m), M(B.data() + m), M(C.data() + m), V(f.data() + v), V(x.data() + v));
    } else {
      const int n = size(p);
      using M = Part<double**>;
      using V = Part<double*>;
      function(M(A.data() + m, n, n), M(B.data() + m, n, n), M(C.data() + m, n, n),
               V(f.data() + v, n), V(x.data() + v, n));
    }
  }
};

}  // namespace perf

#endif
