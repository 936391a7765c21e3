// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSCONTRACT_PERF_FINITEELEMENTBYHAND_HPP
#define KOKKOSCONTRACT_PERF_FINITEELEMENTBYHAND_HPP

// Actions of finite-element operators on a GPU, written without this library: one kernel does
// everything for a few elements. A thread holds a line of a tensor in registers and multiplies it
// by the 1-D matrix. The entries of the matrix are operands of the instructions, because they are
// part of the kernel's arguments. Between directions the tensor is transposed in shared memory, in
// place, at strides that were found by counting bank conflicts. The first and the last direction
// and the quadrature data are read and written in the order of memory.

#include <Kokkos_Core.hpp>

namespace perf::by_hand {

/// B: values of the 1-D shape functions at the points. G: derivatives at the points of the
/// polynomial through the points.
template <int P>
struct Basis {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;
  double b[nq * nd];
  double g[nq * nq];
};

struct Strides {
  int row = 0;
  int plane = 0;
  int element = 0;
};

/// Accesses to shared memory by this number of lanes, 16 of which are served together.
template <class Offset>
constexpr int accesses(int lanes, const Offset& offset) {
  int total = 0;
  for (int first = 0; first < lanes; first += 16) {
    int asked[16]{};
    int most = 0;
    for (int l = first; l < lanes && l < first + 16; ++l) {
      const int count = ++asked[offset(l) % 16];
      most = count > most ? count : most;
    }
    total += most;
  }
  return total;
}

/// Strides of tensors of Planes x Nq rows of Nq, of which lines in all directions are read. The
/// strides of rows and planes of one tensor are found first, and then the distance between tensors.
template <int Planes, int Nd, int Nq, int Elements>
consteval Strides find_strides() {
  Strides best{};
  int fewest = -1;
  const auto try_strides = [&](const Strides& s, int elements) {
    const auto cost = [&](int n1, int stride1, int n2, int stride2) {
      return accesses(elements * n1 * n2, [&](int t) {
        return t / (n1 * n2) * s.element + t / n2 % n1 * stride1 + t % n2 * stride2;
      });
    };
    const int sum = cost(Nd, s.plane, Nd, 1) * 2 * Nq +
                    cost(Nd, s.plane, Nq, s.row) * 2 * (Nd + Nq) + cost(Nq, s.row, Nq, 1) * 2 * Nd;
    if (fewest < 0 || sum < fewest) {
      fewest = sum;
      best = s;
    }
  };
  for (int row = Nq; row < Nq + 3; ++row) {
    for (int plane = Nq * row; plane < Nq * row + 16; ++plane) {
      try_strides({row, plane, Planes * plane}, 1);
    }
  }
  const Strides one = best;
  fewest = -1;
  for (int pad = 0; pad < (Elements > 1 ? 16 : 1); ++pad) {
    try_strides({one.row, one.plane, one.element + pad}, Elements);
  }
  return best;
}

/// to = matrix from, or its transpose: both matrices are stored with Rows rows.
template <bool Transposed, int M, int K>
__device__ __forceinline__ void multiply(const double* matrix, const double (&from)[K],
                                         double (&to)[M]) {
#pragma unroll
  for (int m = 0; m < M; ++m) to[m] = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
#pragma unroll
    for (int m = 0; m < M; ++m)
      to[m] += (Transposed ? matrix[k * M + m] : matrix[m * K + k]) * from[k];
  }
}

template <int N>
__device__ __forceinline__ void load(const double* from, int stride, double (&to)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = from[i * stride];
}
template <int N>
__device__ __forceinline__ void store(double* to, int stride, const double (&from)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i * stride] = from[i];
}

/// The node numbers, element by element.
struct PerElement {
  const double* v;
  double* u;
  template <int N>
  __device__ __forceinline__ void read(std::size_t first, int stride, double (&to)[N]) const {
    load(v + first, stride, to);
  }
  template <int N>
  __device__ __forceinline__ void write(std::size_t first, int stride,
                                        const double (&from)[N]) const {
    store(u + first, stride, from);
  }
};
/// The nodes of all elements in one vector, through their numbers. Results are added to u.
struct Indexed {
  const double* v;
  double* u;
  const int* node;
  template <int N>
  __device__ __forceinline__ void read(std::size_t first, int stride, double (&to)[N]) const {
    int at[N];
#pragma unroll
    for (int i = 0; i < N; ++i) at[i] = __ldg(node + first + i * stride);
#pragma unroll
    for (int i = 0; i < N; ++i) to[i] = __ldg(v + at[i]);
  }
  template <int N>
  __device__ __forceinline__ void write(std::size_t first, int stride,
                                        const double (&from)[N]) const {
#pragma unroll
    for (int i = 0; i < N; ++i) atomicAdd(u + __ldg(node + first + i * stride), from[i]);
  }
};

/// Launch of the operators of order P with this many elements and threads per block. At least
/// `Blocks` blocks fit on an SM.
template <int P, int Elements, int Threads, int Blocks>
struct Launch {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;
  static constexpr int n3 = nd * nd * nd;
  static constexpr int q3 = nq * nq * nq;
  static constexpr int order = P;
  static constexpr int elements = Elements;
  static constexpr int threads = Threads;
  static constexpr int blocks = Blocks;
};

/// Positions of this thread's lines: at (a, c) in the first and last step, then at (a, y), then at
/// (y, z).
template <class L>
struct Lines {
  int element1, a, c;
  int element2, a2, y2;
  int element3, y, z;
  bool has1, has2, has3;
  __device__ __forceinline__ Lines(int t, int elements)
      : element1(t / (L::nd * L::nd)),
        a(t / L::nd % L::nd),
        c(t % L::nd),
        element2(t / (L::nd * L::nq)),
        a2(t / L::nq % L::nd),
        y2(t % L::nq),
        element3(t / (L::nq * L::nq)),
        y(t / L::nq % L::nq),
        z(t % L::nq),
        has1(element1 < elements),
        has2(element2 < elements),
        has3(element3 < elements) {}
  __device__ __forceinline__ int global() const { return element1 * L::n3 + a * L::nd * L::nd + c; }
  __device__ __forceinline__ int shared1(const Strides& s) const {
    return element1 * s.element + a * s.plane + c;
  }
  __device__ __forceinline__ int shared2(const Strides& s) const {
    return element2 * s.element + a2 * s.plane + y2 * s.row;
  }
  __device__ __forceinline__ int shared3(const Strides& s) const {
    return element3 * s.element + y * s.row + z;
  }
};

/// U_e = B^T D_e B V_e. The quadrature data are loaded from the start: to registers, or (Staged) to
/// shared memory.
template <class L, bool Staged, class Nodes>
__global__ __launch_bounds__(L::threads,
                             L::blocks) void mass(const __grid_constant__ Basis<L::order> basis,
                                                  const Nodes nodes,
                                                  const double* __restrict__ data, int count) {
  constexpr int nd = L::nd;
  constexpr int nq = L::nq;
  constexpr Strides s = find_strides<nd, nd, nq, L::elements>();
  extern __shared__ double shared[];
  const int first = static_cast<int>(blockIdx.x) * L::elements;
  const int elements = count - first < L::elements ? count - first : L::elements;
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first_node = static_cast<std::size_t>(first) * L::n3;
  data += static_cast<std::size_t>(first) * L::q3;
  const Lines<L> at(thread, elements);
  const int point = at.element3 * L::q3 + at.y * nq + at.z;
  double* copy = shared + L::elements * s.element;
  double d[nq];
  if constexpr (Staged) {
    for (int i = thread; i < elements * L::q3; i += L::threads) {
      const auto to = static_cast<unsigned>(__cvta_generic_to_shared(copy + i));
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(data + i));
    }
  }
  double dof[nd];
  double value[nq];
  if (at.has1) nodes.read(first_node + at.global(), nd, dof);
  if constexpr (!Staged) {
    if (at.has3) load(data + point, nq * nq, d);
  }
  if (at.has1) {
    multiply<false>(basis.b, dof, value);
    store(shared + at.shared1(s), s.row, value);
  }
  __syncthreads();
  if (at.has2) {
    load(shared + at.shared2(s), 1, dof);
    multiply<false>(basis.b, dof, value);
    store(shared + at.shared2(s), 1, value);
  }
  if constexpr (Staged) asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (at.has3) {
    load(shared + at.shared3(s), s.plane, dof);
    multiply<false>(basis.b, dof, value);
    if constexpr (Staged) load(copy + point, nq * nq, d);
#pragma unroll
    for (int x = 0; x < nq; ++x) value[x] *= d[x];
    multiply<true>(basis.b, value, dof);
    store(shared + at.shared3(s), s.plane, dof);
  }
  __syncthreads();
  if (at.has2) {
    load(shared + at.shared2(s), 1, value);
    multiply<true>(basis.b, value, dof);
    store(shared + at.shared2(s), 1, dof);
  }
  __syncthreads();
  if (at.has1) {
    load(shared + at.shared1(s), s.row, value);
    multiply<true>(basis.b, value, dof);
    nodes.write(first_node + at.global(), nd, dof);
  }
}

/// The Laplacian with a symmetric metric of 6 words per point, stored component by component. Its
/// derivatives are taken at the points. Fetched: the metric is prefetched to L2 from the start.
template <class L, bool Fetched, class Nodes>
__global__ __launch_bounds__(L::threads,
                             L::blocks) void poisson(const __grid_constant__ Basis<L::order> basis,
                                                     const Nodes nodes,
                                                     const double* __restrict__ data, int count) {
  constexpr int nd = L::nd;
  constexpr int nq = L::nq;
  constexpr int square = nq * nq;
  constexpr Strides s = find_strides<nq, nq, nq, L::elements>();
  extern __shared__ double shared[];
  double* shared_y = shared + L::elements * s.element;
  double* shared_z = shared_y + L::elements * s.element;
  const int first = static_cast<int>(blockIdx.x) * L::elements;
  const int elements = count - first < L::elements ? count - first : L::elements;
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t first_node = static_cast<std::size_t>(first) * L::n3;
  data += static_cast<std::size_t>(first) * 6 * L::q3;
  if constexpr (Fetched) {
    constexpr int line = 16;
    for (int i = thread * line; i < elements * 6 * L::q3; i += L::threads * line) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i));
    }
  }
  const Lines<L> at(thread, elements);
  const double* metric = data + at.element3 * 6 * L::q3 + at.y * nq + at.z;
  double dof[nd];
  double value[nq];
  if (at.has1) {
    nodes.read(first_node + at.global(), nd, dof);
    multiply<false>(basis.b, dof, value);
    store(shared + at.shared1(s), s.row, value);
  }
  __syncthreads();
  if (at.has2) {
    load(shared + at.shared2(s), 1, dof);
    multiply<false>(basis.b, dof, value);
    store(shared + at.shared2(s), 1, value);
  }
  __syncthreads();
  // This thread's lines along x, y and z. The derivative along x stays in its registers.
  const int at_x = at.shared3(s);
  const int at_y = at.element3 * s.element + at.y * s.plane + at.z;
  const int at_z = at.element3 * s.element + at.y * s.plane + at.z * s.row;
  double along_x[nq];
  if (at.has3) {
    load(shared + at_x, s.plane, dof);
    multiply<false>(basis.b, dof, value);
    store(shared + at_x, s.plane, value);
    multiply<false>(basis.g, value, along_x);
  }
  __syncthreads();
  if (at.has3) {
    double derivative[nq];
    load(shared + at_y, s.row, value);
    multiply<false>(basis.g, value, derivative);
    store(shared_y + at_y, s.row, derivative);
    load(shared + at_z, 1, value);
    multiply<false>(basis.g, value, derivative);
    store(shared_z + at_z, 1, derivative);
  }
  __syncthreads();
  if (at.has3) {
#pragma unroll
    for (int x = 0; x < nq; ++x) {
      double m[6];
      load(metric + x * square, L::q3, m);
      double& y_part = shared_y[at_x + x * s.plane];
      double& z_part = shared_z[at_x + x * s.plane];
      const double g[3] = {along_x[x], y_part, z_part};
      along_x[x] = m[0] * g[0] + m[1] * g[1] + m[2] * g[2];
      y_part = m[1] * g[0] + m[3] * g[1] + m[4] * g[2];
      z_part = m[2] * g[0] + m[4] * g[1] + m[5] * g[2];
    }
  }
  __syncthreads();
  if (at.has3) {
    double sum[nq];
    load(shared_y + at_y, s.row, value);
    multiply<true>(basis.g, value, sum);
    store(shared_y + at_y, s.row, sum);
    load(shared_z + at_z, 1, value);
    multiply<true>(basis.g, value, sum);
    store(shared_z + at_z, 1, sum);
  }
  __syncthreads();
  if (at.has3) {
    multiply<true>(basis.g, along_x, value);
#pragma unroll
    for (int x = 0; x < nq; ++x) {
      value[x] += shared_y[at_x + x * s.plane] + shared_z[at_x + x * s.plane];
    }
    multiply<true>(basis.b, value, dof);
    store(shared + at_x, s.plane, dof);
  }
  __syncthreads();
  if (at.has2) {
    load(shared + at.shared2(s), 1, value);
    multiply<true>(basis.b, value, dof);
    store(shared + at.shared2(s), 1, dof);
  }
  __syncthreads();
  if (at.has1) {
    load(shared + at.shared1(s), s.row, value);
    multiply<true>(basis.b, value, dof);
    nodes.write(first_node + at.global(), nd, dof);
  }
}

// By measurement on an H200.
template <int P>
struct MassLaunch;
template <>
struct MassLaunch<1> : Launch<1, 14, 128, 1> {};
template <>
struct MassLaunch<2> : Launch<2, 8, 128, 1> {};
template <>
struct MassLaunch<3> : Launch<3, 10, 256, 1> {};
template <>
struct MassLaunch<4> : Launch<4, 3, 128, 1> {};
template <>
struct MassLaunch<5> : Launch<5, 2, 128, 1> {};
template <>
struct MassLaunch<6> : Launch<6, 1, 64, 1> {};
template <>
struct MassLaunch<7> : Launch<7, 1, 96, 8> {};
template <>
struct MassLaunch<8> : Launch<8, 1, 128, 6> {};

template <int P>
struct PoissonLaunch;
template <>
struct PoissonLaunch<1> : Launch<1, 14, 128, 1> {};
template <>
struct PoissonLaunch<2> : Launch<2, 8, 128, 1> {};
template <>
struct PoissonLaunch<3> : Launch<3, 5, 128, 1> {};
template <>
struct PoissonLaunch<4> : Launch<4, 3, 128, 1> {};
template <>
struct PoissonLaunch<5> : Launch<5, 2, 128, 1> {};
template <>
struct PoissonLaunch<6> : Launch<6, 1, 64, 1> {};
template <>
struct PoissonLaunch<7> : Launch<7, 1, 96, 1> {};
template <>
struct PoissonLaunch<8> : Launch<8, 1, 128, 4> {};

template <class L, class Kernel, class Nodes>
void launch(const Kernel& kernel, int bytes, const Basis<L::order>& basis, const Nodes& nodes,
            const double* data, int count) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<(count + L::elements - 1) / L::elements, L::threads, bytes,
           Kokkos::Cuda().cuda_stream()>>>(basis, nodes, data, count);
}

template <int P, class Nodes>
void launch_mass(const Basis<P>& basis, const Nodes& nodes, const double* data, int count) {
  using L = MassLaunch<P>;
  constexpr bool staged = P == 7;
  constexpr Strides s = find_strides<L::nd, L::nd, L::nq, L::elements>();
  constexpr int words = L::elements * (s.element + (staged ? L::q3 : 0));
  launch<L>(mass<L, staged, Nodes>, words * 8, basis, nodes, data, count);
}

template <int P, class Nodes>
void launch_poisson(const Basis<P>& basis, const Nodes& nodes, const double* data, int count) {
  using L = PoissonLaunch<P>;
  constexpr Strides s = find_strides<L::nq, L::nq, L::nq, L::elements>();
  launch<L>(poisson<L, (P > 2), Nodes>, 3 * L::elements * s.element * 8, basis, nodes, data, count);
}

}  // namespace perf::by_hand

#endif
