// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Actions of finite-element operators of order p on hexahedra, element by element, by sum
// factorisation, with p + 1 nodes and p + 2 points in each direction.
//
//     Mass      U_e = B^T D_e B V_e; data are read once: one word per point
//     Poisson   with derivatives and a symmetric metric: six words per point
//     Team      this library, teams of a few elements; the 1-D matrices are Tiles of the functor
//     by-hand   FiniteElementByHand.hpp
//     cuBLAS    Mass as batched products through memory, one per direction
//
// Bytes are those that must move: V, the data and U. The number after a name is p.

#include "Cublas.hpp"
#include "FiniteElementByHand.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using KokkosContract::dynamic;
using KokkosContract::keep;
using KokkosContract::pointwise;
using KokkosContract::TeamContract;

template <int N>
using Matrix = KokkosContract::Tile<double, N, N>;
template <std::ptrdiff_t... N>
using Sizes = std::integer_sequence<std::ptrdiff_t, N...>;
/// Elements: N x N x N numbers each, packed.
template <class T, int N>
using Tensors = KokkosContract::Strided<T, Sizes<dynamic, N, N, N>, Sizes<N * N * N, N * N, N, 1>>;
/// Elements in scratch memory.
template <int N>
using Points = decltype(KokkosContract::scratch_tensors<double, N, N, N>(
    std::declval<const Space::scratch_memory_space&>(), 1));

template <int P>
struct Operator {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;
  static constexpr int n3 = nd * nd * nd;
  static constexpr int q3 = nq * nq * nq;
  // Elements of a team, which has a worker for each line of points.
  static constexpr int elements = nq * nq <= 64 ? 128 / (nq * nq) : 1;
  static constexpr int threads_for(int count) { return (count * nq * nq + 31) / 32 * 32; }

  KokkosContract::Tile<double, nq, nd> b;
  Matrix<nq> g;
  // A copy for the transposed steps: if a step uses one matrix twice, a compiler keeps its elements
  // in registers.
  Matrix<nq> g_back;
  const double* v;
  const double* data;
  double* u;
  int count;

  /// A team has `own` elements, from `first` on.
  template <int Elements, class Member>
  static KOKKOS_FUNCTION int first_of(const Member& member) {
    return static_cast<int>(member.league_rank()) * Elements;
  }
  template <int Elements>
  KOKKOS_FUNCTION int own_of(int first) const {
    return count - first < Elements ? count - first : Elements;
  }
  /// The team's elements of an array.
  template <int N, class T>
  static KOKKOS_FUNCTION Tensors<T, N> part(T* all, int first, int own) {
    const int extents[] = {own, N, N, N};
    const std::ptrdiff_t strides[] = {N * N * N, N * N, N, 1};
    return Tensors<T, N>(all + static_cast<std::ptrdiff_t>(first) * N * N * N, extents, strides);
  }
  template <int Elements, int Blocks, class Functor>
  static void launch_teams(const Functor& functor, int bytes) {
    constexpr int threads = threads_for(Elements);
    const Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, Blocks>> policy(
        (functor.count + Elements - 1) / Elements, threads, 1);
    // The functor is in constant memory, where its matrices are operands of the instructions.
    const auto heavy = Kokkos::Experimental::require(
        policy, Kokkos::Experimental::WorkItemProperty::HintHeavyWeight);
    auto with_scratch = heavy;
    with_scratch.set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("finite element", with_scratch, functor);
  }
};

template <int P>
struct Mass : Operator<P> {
  using Base = Operator<P>;
  static constexpr double words = 2.0 * Base::n3 + Base::q3;
  using Action = TeamContract<"eabc,yb,zc,xa,exyz,xi,zk,yj->eijk">;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    KokkosContract::one_team_per_block(member);
    const int first = Base::template first_of<Base::elements>(member);
    const int own = this->template own_of<Base::elements>(first);
    const auto& b = this->b;
    (void)Action::invoke(member, member.team_scratch(0), 1.0,
                         Base::template part<Base::nd>(this->v, first, own), b, b, b,
                         Base::template part<Base::nq>(this->data, first, own), b, b, b, 0.0,
                         Base::template part<Base::nd>(this->u, first, own));
  }

  void launch() const {
    constexpr int blocks = P <= 3 ? 12 : (P == 7 ? 9 : (P == 8 ? 6 : 8));
    const auto v = Base::template part<Base::nd>(this->v, 0, Base::elements);
    const auto u = Base::template part<Base::nd>(this->u, 0, Base::elements);
    const auto data = Base::template part<Base::nq>(this->data, 0, Base::elements);
    const auto bytes =
        Action::scratch_bytes(v, this->b, this->b, this->b, data, this->b, this->b, this->b, u);
    Base::template launch_teams<Base::elements, blocks>(*this, static_cast<int>(bytes));
  }
};

/// Multiplies by the metric. The derivatives along x are in registers, and those along y and z in
/// scratch memory.
template <int P>
struct Flux {
  static constexpr int q3 = Operator<P>::q3;
  const double* metric;
  Points<P + 2> y_part, z_part;
  KOKKOS_FUNCTION double operator()(double dx, int e, int x, int y, int z) const {
    const double* m = metric + e * 6 * q3 + (x * (P + 2) + y) * (P + 2) + z;
    double& y_of_q = y_part(e, x, y, z);
    double& z_of_q = z_part(e, x, y, z);
    const double dy = y_of_q;
    const double dz = z_of_q;
    y_of_q = m[q3] * dx + m[3 * q3] * dy + m[4 * q3] * dz;
    z_of_q = m[2 * q3] * dx + m[4 * q3] * dy + m[5 * q3] * dz;
    return m[0] * dx + m[q3] * dy + m[2 * q3] * dz;
  }
};

template <int P>
struct Plus {
  Points<P + 2> others;
  KOKKOS_FUNCTION double operator()(double value, int e, int x, int y, int z) const {
    return value + others(e, x, y, z);
  }
};

template <int P>
struct Poisson : Operator<P> {
  using Base = Operator<P>;
  static constexpr int nq = Base::nq;
  static constexpr double words = 2.0 * Base::n3 + 6.0 * Base::q3;
  // By measurement on an H200, and so are the blocks below.
  static constexpr int elements = P == 6 ? 1 : Base::elements;
  // Passes over the lines of an element: along y, x, z and, with its values at the points in
  // registers, the derivative along z; along y; along x and its transpose, with the metric in
  // between; along y; and z, x, y.
  using First = TeamContract<"eabc,yb,xa,zc,mz->exym">;
  using AlongX = TeamContract<"emyz,xm,xi->eiyz">;
  using Last = TeamContract<"exym,mz,zk,xi,yj->eijk">;
  std::size_t chain_bytes = 0;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    KokkosContract::one_team_per_block(member);
    const int first = Base::template first_of<elements>(member);
    const int own = this->template own_of<elements>(first);
    const auto& b = this->b;
    const auto& g = this->g;
    const auto& g_back = this->g_back;
    const double* metric = this->data + static_cast<std::ptrdiff_t>(first) * 6 * Base::q3;
    const auto scratch = member.team_scratch(0);
    // One array, so that all are at constant distances.
    const auto all = KokkosContract::scratch_tensors<double, nq, nq, nq>(scratch, 3 * elements);
    const auto points = [&](int i) {
      const int extents[] = {own, nq, nq, nq};
      const std::ptrdiff_t strides[] = {all.stride(0), all.stride(1), all.stride(2), 1};
      return Points<nq>(all.data() + i * elements * strides[0], extents, strides);
    };
    const auto value = points(0);
    const auto z_part = points(1);
    const auto y_part = points(2);
    // The first and the last steps keep their intermediates in the memory of y_part.
    const KokkosContract::Scratch between{y_part.data(), chain_bytes};
    (void)First::invoke(member, between, 1.0, Base::template part<Base::nd>(this->v, first, own), b,
                        b, b, keep<"exyz">(value), g, 0.0, z_part);
    (void)TeamContract<"ym,exmz->exyz">::invoke(member, 1.0, g, value, 0.0, y_part);
    (void)AlongX::invoke(member, scratch, 1.0, value, g,
                         pointwise<"exyz">(Flux<P>{metric, y_part, z_part}), g_back, 0.0, value);
    (void)TeamContract<"my,exmz->exyz">::invoke(member, 1.0, g_back, y_part, 1.0, value);
    (void)Last::invoke(member, between, 1.0, z_part, g_back, pointwise<"exyz">(Plus<P>{value}), b,
                       b, b, 0.0, Base::template part<Base::nd>(this->u, first, own));
  }

  void launch() {
    constexpr int blocks[] = {0, 0, 7, 6, 5, 5, 8, 5, 4};
    constexpr int size = KokkosContract::scratch_tensors_bytes<double, nq, nq, nq>(3 * elements);
    constexpr int two = KokkosContract::scratch_tensors_bytes<double, nq, nq, nq>(2 * elements);
    const int extents[] = {elements, nq, nq, nq};
    const std::ptrdiff_t strides[] = {Points<nq>::shape.stride[0], Points<nq>::shape.stride[1],
                                      Points<nq>::shape.stride[2], 1};
    const Points<nq> any(static_cast<double*>(nullptr), extents, strides);
    const auto nodes = Base::template part<Base::nd>(this->v, 0, elements);
    const auto& b = this->b;
    const auto& g = this->g;
    const auto plus = pointwise<"exyz">(Plus<P>{any});
    chain_bytes = std::max(First::scratch_bytes(nodes, b, b, b, keep<"exyz">(any), g, any),
                           Last::scratch_bytes(any, g, plus, b, b, b, nodes));
    const auto x_bytes =
        AlongX::scratch_bytes(any, g, pointwise<"exyz">(Flux<P>{nullptr, any, any}), g, any);
    const int bytes = std::max(size, two + static_cast<int>(chain_bytes));
    Base::template launch_teams<elements, blocks[P]>(*this, bytes + static_cast<int>(x_bytes));
  }
};

// --- Mass by batched products: one pass over memory for each direction ---

template <int P>
class Passes {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;

 public:
  explicit Passes(const Mass<P>& mass) : mass_(mass), b_("B", nq * nd) {
    const auto host = Kokkos::create_mirror_view(b_);
    for (int q = 0; q < nq; ++q) {
      for (int i = 0; i < nd; ++i) host(q * nd + i) = mass.b(q, i);
    }
    Kokkos::deep_copy(b_, host);
    const auto words = static_cast<std::size_t>(mass.count) * nq * nq * nq;
    const auto raw = Kokkos::view_alloc("pass", Kokkos::WithoutInitializing);
    first_ = Buffer(raw, words);
    second_ = Buffer(raw, words);
  }

  void run() const {
    const int e = mass_.count;
    multiply(false, mass_.v, first_.data(), nd, nq, nd * nd, e);
    multiply(false, first_.data(), second_.data(), nd, nq, nd, e * nq);
    multiply(false, second_.data(), first_.data(), nd, nq, 1, e * nq * nq);
    const double* const data = mass_.data;
    const Buffer values = first_;
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space>(0, e * nq * nq * nq),
        KOKKOS_LAMBDA(int i) { values(i) *= data[i]; });
    multiply(true, first_.data(), second_.data(), nq, nd, 1, e * nq * nq);
    multiply(true, second_.data(), first_.data(), nq, nd, nd, e * nq);
    multiply(true, first_.data(), mass_.u, nq, nd, nd * nd, e);
  }

 private:
  using Buffer = Kokkos::View<double*, Space>;

  /// to[i, r, c] = sum over s of B[r, s] (or B[s, r]) from[i, s, c], for `batch` i and `cols` c.
  void multiply(bool transposed, const double* from, double* to, int sums, int rows, int cols,
                int batch) const {
    const double one = 1;
    const double zero = 0;
    const auto op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto other = transposed ? CUBLAS_OP_N : CUBLAS_OP_T;
    if (cols == 1) {
      cublasDgemm(cublas_, other, CUBLAS_OP_N, rows, batch, sums, &one, b_.data(), nd, from, sums,
                  &zero, to, rows);
    } else {
      cublasDgemmStridedBatched(cublas_, CUBLAS_OP_N, op, cols, rows, sums, &one, from, cols,
                                static_cast<long long>(sums) * cols, b_.data(), nd, 0, &zero, to,
                                cols, static_cast<long long>(rows) * cols, batch);
    }
  }

  const Mass<P>& mass_;
  Cublas cublas_;
  Buffer b_, first_, second_;
};

// --- Plain sums for a few elements ---

/// The worst difference from U of the elements e = 0, step, 2 step, ..., relative to the largest
/// number of an element. The reference sums over all nodes and points at once.
template <int P, bool WithMetric>
double worst_difference(const Operator<P>& op, int step) {
  constexpr int nd = P + 1;
  constexpr int nq = P + 2;
  constexpr int n3 = nd * nd * nd;
  constexpr int q3 = nq * nq * nq;
  constexpr int fields = WithMetric ? 3 : 1;
  using Table = Kokkos::View<double[nq][nd], Right, Space>;
  const Table b("B");
  const Table db("derivatives");
  const auto host_b = Kokkos::create_mirror_view(b);
  const auto host_db = Kokkos::create_mirror_view(db);
  for (int q = 0; q < nq; ++q) {
    for (int i = 0; i < nd; ++i) {
      host_b(q, i) = op.b(q, i);
      host_db(q, i) = 0;
      for (int m = 0; m < nq; ++m) host_db(q, i) += op.g(q, m) * op.b(m, i);
    }
  }
  Kokkos::deep_copy(b, host_b);
  Kokkos::deep_copy(db, host_db);
  const int checked = (op.count + step - 1) / step;
  const Kokkos::View<double***, Space> values("values", checked, fields, q3);
  const double* const v = op.v;
  const double* const data = op.data;
  const double* const u = op.u;
  const auto shape = KOKKOS_LAMBDA(int d, int q, int n)->double {
    const int at[] = {q / (nq * nq), q / nq % nq, q % nq};
    const int node[] = {n / (nd * nd), n / nd % nd, n % nd};
    double product = 1;
    for (int k = 0; k < 3; ++k) {
      product *= WithMetric && k == d ? db(at[k], node[k]) : b(at[k], node[k]);
    }
    return product;
  };
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, checked * q3), KOKKOS_LAMBDA(int i) {
        const int c = i / q3;
        const int q = i % q3;
        const std::size_t e = static_cast<std::size_t>(c) * step;
        double sum[3] = {};
        for (int d = 0; d < fields; ++d) {
          for (int n = 0; n < n3; ++n) sum[d] += shape(d, q, n) * v[e * n3 + n];
        }
        if (!WithMetric) {
          values(c, 0, q) = data[e * q3 + q] * sum[0];
        } else {
          constexpr int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
          for (int d = 0; d < fields; ++d) {
            double flux = 0;
            for (int k = 0; k < 3; ++k) {
              flux += data[(e * 6 + component[d][k]) * q3 + q] * sum[k];
            }
            values(c, d, q) = flux;
          }
        }
      });
  double worst = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Space>(0, checked * n3),
      KOKKOS_LAMBDA(int i, double& most) {
        const int c = i / n3;
        const int n = i % n3;
        double sum = 0;
        double size = 0;
        for (int d = 0; d < fields; ++d) {
          for (int q = 0; q < q3; ++q) {
            const double term = shape(d, q, n) * values(c, d, q);
            sum += term;
            size += Kokkos::abs(term);
          }
        }
        const double difference =
            Kokkos::abs(sum - u[static_cast<std::size_t>(c) * step * n3 + n]) / size;
        // A NaN is an error, too.
        if (!(difference <= most)) most = difference <= 1 ? difference : 1.0;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

enum class Who { team, by_hand, cublas };

template <class Op, int P, bool WithMetric, Who W>
void run(benchmark::State& state) {
  constexpr int nd = P + 1;
  constexpr int nq = P + 2;
  // The count is no multiple of any team's elements.
  const int count = static_cast<int>(batch_bytes / (8 * Op::words)) / 2 * 2 + 1;
  const auto raw = Kokkos::view_alloc("elements", Kokkos::WithoutInitializing);
  using Array = Kokkos::View<double*, Space>;
  const Array v(raw, static_cast<std::size_t>(count) * nd * nd * nd);
  const Array u(raw, v.extent(0));
  const Array data(raw, static_cast<std::size_t>(count) * nq * nq * nq * (WithMetric ? 6 : 1));
  fill_random(v);
  fill_random(data);
  Kokkos::deep_copy(u, std::numeric_limits<double>::quiet_NaN());
  Op op{};
  by_hand::Basis<P> basis{};
  for (int q = 0; q < nq; ++q) {
    for (int i = 0; i < nd; ++i) op.b(q, i) = basis.b[q * nd + i] = 1.0 / (1 + q + 2 * i) - 0.2;
    for (int m = 0; m < nq; ++m) op.g(q, m) = basis.g[q * nq + m] = 1.0 / (2 + 2 * q + m) - 0.1;
    for (int m = 0; m < nq; ++m) op.g_back(q, m) = op.g(q, m);
  }
  op.v = v.data();
  op.data = data.data();
  op.u = u.data();
  op.count = count;
  const auto time = [&](const auto& launch) {
    launch();
    const double error = worst_difference<P, WithMetric>(op, count / 64);
    if (!(error <= 1e-13)) {
      state.SkipWithError("wrong result");
      return;
    }
    // Six or twelve products of lines, two flops per term.
    const double interpolations = 2.0 * 2 * nd * nq * (nd * nd + nd * nq + nq * nq);
    const double derivatives = WithMetric ? 2.0 * 6 * nq * nq * nq * nq : 0;
    time_launches(state, (interpolations + derivatives) * count, 8 * Op::words * count, launch);
    state.counters["unknown/s"] =
        benchmark::Counter(1.0 * P * P * P * count, benchmark::Counter::kIsIterationInvariantRate);
  };
  if constexpr (W == Who::team) {
    time([&] { op.launch(); });
  } else if constexpr (W == Who::cublas) {
    const Passes<P> passes(op);
    time([&] { passes.run(); });
  } else if constexpr (WithMetric) {
    time([&] { by_hand::launch_poisson(basis, by_hand::PerElement{op.v, op.u}, op.data, count); });
  } else {
    time([&] { by_hand::launch_mass(basis, by_hand::PerElement{op.v, op.u}, op.data, count); });
  }
}

template <class Op, int P, bool WithMetric, Who W>
void add(const std::string& what, const std::string& who) {
  add_benchmark(what + "/double/right/static/memory/" + who + "/" + std::to_string(P),
                run<Op, P, WithMetric, W>);
}

using Orders = std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8>;

const Registered registered([] {
  for_each_width(Orders{}, []<int P>() {
    add<Mass<P>, P, false, Who::team>("FE-Mass", "Team");
    add<Mass<P>, P, false, Who::by_hand>("FE-Mass", "by-hand");
    add<Mass<P>, P, false, Who::cublas>("FE-Mass", "cuBLAS");
    add<Poisson<P>, P, true, Who::team>("FE-Poisson", "Team");
    add<Poisson<P>, P, true, Who::by_hand>("FE-Poisson", "by-hand");
  });
});

}  // namespace
