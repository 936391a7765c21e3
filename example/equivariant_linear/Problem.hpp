// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What all versions compute: out(e, m, n) = sum over k of in(e, m, k) weights(l, k, n), for each
// node e and each l, where m runs over the 2 l + 1 components of l.

#include <Kokkos_Core.hpp>

namespace example {

struct Options {
  int channels = 128, nodes = 0, repeat = 5;  // 0 nodes: by default_bytes
};

inline constexpr int orders = 4;  // l = 0, ..., 3

/// Where the components of l are among all of a node.
KOKKOS_INLINE_FUNCTION Kokkos::pair<int, int> components(int l) {
  return {l * l, (l + 1) * (l + 1)};
}

template <class T>
struct Layers {
  using Space = Kokkos::DefaultExecutionSpace;
  using Array = Kokkos::View<T***, Kokkos::LayoutRight, Space>;

  Array in;       // (node, components of all l, channel)
  Array weights;  // (l, channel, channel)
  Array out;      // as `in`

  Layers(int nodes, int channels)
      : in("in", nodes, orders * orders, channels),
        weights("weights", orders, channels, channels),
        out("out", nodes, orders * orders, channels) {
    fill(in);
    fill(weights);
  }
  int nodes() const { return in.extent_int(0); }
  int channels() const { return in.extent_int(2); }

  static void fill(const Array& view) {
    Kokkos::parallel_for(
        "fill", view.extent_int(0), KOKKOS_LAMBDA(int e) {
          for (int m = 0; m < view.extent_int(1); ++m)
            for (int k = 0; k < view.extent_int(2); ++k)
              view(e, m, k) = static_cast<T>(Kokkos::sin(1.0 + e + 2.3 * m + 5.7 * k));
        });
  }

  /// The largest difference between `out` and a plain sum in doubles; NaN if there is one.
  double error() const {
    double worst = 0;
    const Layers all = *this;
    Kokkos::parallel_reduce(
        "error", nodes(),
        KOKKOS_LAMBDA(int e, double& most) {
          for (int l = 0; l < orders; ++l)
            for (int m = components(l).first; m < components(l).second; ++m)
              for (int n = 0; n < all.out.extent_int(2); ++n) {
                double sum = -static_cast<double>(all.out(e, m, n));
                for (int k = 0; k < all.in.extent_int(2); ++k)
                  sum += static_cast<double>(all.in(e, m, k)) * all.weights(l, k, n);
                if (!(Kokkos::abs(sum) <= most)) most = Kokkos::abs(sum);
              }
        },
        Kokkos::Max<double>(worst));
    return worst;
  }
};

/// Written for KokkosBatched, with Kokkos Kernels: only where it was found.
void multiply_with_kokkos_kernels(const Layers<double>& layers);
void multiply_with_kokkos_kernels(const Layers<float>& layers);

}  // namespace example
