// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finite-element operators from a global vector to a global vector, u = A v. They are the operators
// of Perf_FiniteElement.cpp on a cube of n x n x n hexahedra whose 1e7 nodes are numbered row by
// row. One kernel reads each element's values through a list of node numbers, applies the operator,
// and adds the result to u atomically.
//
//     Team      this library
//     by-hand   FiniteElementByHand.hpp
//     libCEED   its backend gpu/cuda/gen, where CMake finds it
//
// Times include setting u to zero. Bytes are those that must move: the data of the points, the list
// and v are read once, and u is written once. The number after a name is p.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "../ShapeFunctions.hpp"
#include "FiniteElementByHand.hpp"
#include "Perf.hpp"
#if defined(KOKKOSCONTRACT_PERF_CEED)
#include "../Ceed.hpp"
#endif

namespace {

using namespace perf;
using KokkosContract::dynamic;
using KokkosContract::TeamContract;

template <std::ptrdiff_t... N>
using Sizes = std::integer_sequence<std::ptrdiff_t, N...>;
/// N x N x N numbers of E elements side by side, "abec": rows of a team's elements follow each
/// other, as they do in the mesh.
template <class T, int E, int N>
using Tensors = KokkosContract::Strided<T, Sizes<N, N, E, N>, Sizes<N * E * N, E * N, N, 1>>;
/// In scratch memory: lanes that take one row each find their numbers in different banks.
template <int E, int N>
using Points =
    KokkosContract::Strided<double, Sizes<N, N, E, N>, Sizes<N * E*(N | 1), E*(N | 1), N | 1, 1>>;

/// *p, which nothing writes: the load may move before a store.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T constant(const T* p) {
  KOKKOS_IF_ON_DEVICE((return __ldg(p);))
  KOKKOS_IF_ON_HOST((return *p;))
}

template <int P>
struct Operator {
  static constexpr int nd = P + 1;
  static constexpr int nq = P + 2;
  static constexpr int n3 = nd * nd * nd;
  static constexpr int q3 = nq * nq * nq;
  // A worker for each line of points.
  static constexpr int elements = nq * nq <= 64 ? 128 / (nq * nq) : 1;
  static constexpr int threads = (elements * nq * nq + 31) / 32 * 32;

  KokkosContract::Tile<double, nq, nd> b;
  KokkosContract::Tile<double, nq, nq> g;
  // A copy for the transposed steps: if a step uses one matrix twice, a compiler keeps its elements
  // in registers.
  KokkosContract::Tile<double, nq, nq> g_back;
  const int* node;     // [team][a][b][e][c]
  const double* data;  // [team][field][x][y][e][z]
  const double* v;
  double* u;
  int teams;

  using AtNodes = Tensors<double, elements, nd>;
  using AtPoints = Tensors<const double, elements, nq>;
  static constexpr int gather_bytes = (elements * n3 * 8 + 63) / 64 * 64;

  /// A team's part of an array.
  template <class Member, class T>
  KOKKOS_FUNCTION T* part(const Member& member, T* all, int words) const {
    return all + static_cast<std::ptrdiff_t>(member.league_rank()) * elements * words;
  }

  /// The values at the nodes, in scratch memory.
  template <class Member>
  KOKKOS_FUNCTION AtNodes gather(const Member& member) const {
    constexpr int words = elements * n3;
    constexpr int steps = (words + threads - 1) / threads;
    auto* const to = static_cast<double*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t{gather_bytes}, std::size_t{64}));
    const int* const from = part(member, node, n3);
    // All numbers are in flight together, and then all values.
    int at[steps];
    double value[steps];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const int i = s * threads + member.team_rank();
      at[s] = i < words ? from[i] : 0;
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) value[s] = v[at[s]];
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const int i = s * threads + member.team_rank();
      if (i < words) to[i] = value[s];
    }
    member.team_barrier();
    return AtNodes(to);
  }

  /// The epilogue of the last contraction.
  struct Scatter {
    const int* node;
    double* u;
    KOKKOS_FUNCTION void operator()(double value, int i, int j, int e, int k) const {
      Kokkos::atomic_add(u + constant(node + ((i * nd + j) * elements + e) * nd + k), value);
    }
  };
  template <class Member>
  KOKKOS_FUNCTION Scatter scatter(const Member& member) const {
    return {part(member, node, n3), u};
  }

  template <int Blocks, class Functor>
  static void launch_teams(const Functor& functor, int bytes) {
    const Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, Blocks>> policy(functor.teams,
                                                                                  threads, 1);
    // The functor is in constant memory, where its matrices are operands of the instructions.
    auto heavy = Kokkos::Experimental::require(
        policy, Kokkos::Experimental::WorkItemProperty::HintHeavyWeight);
    heavy.set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("gather, apply, scatter", heavy, functor);
  }
};

template <int P>
struct Mass : Operator<P> {
  using Base = Operator<P>;
  static constexpr int fields = 1;
  using Action = TeamContract<"abec,yb,zc,xa,xyez,xi,zk,yj->ijek">;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    KokkosContract::one_team_per_block(member);
    const auto& b = this->b;
    const typename Base::AtPoints data(this->part(member, this->data, Base::q3));
    const auto values = this->gather(member);
    (void)Action::invoke(member, member.team_scratch(0), 1.0, values, b, b, b, data, b, b, b, 0.0,
                         values, this->scatter(member));
  }

  void launch() const {
    constexpr int blocks = P <= 2 ? 12 : (P == 5 || P == 6 ? 6 : (P == 8 ? 5 : 8));
    const typename Base::AtNodes values(this->u);
    const typename Base::AtPoints data(this->data);
    const auto& b = this->b;
    const auto bytes = Action::scratch_bytes(values, b, b, b, data, b, b, b, values);
    Base::template launch_teams<blocks>(*this, static_cast<int>(bytes) + Base::gather_bytes + 64);
  }
};

template <int P>
struct Poisson : Operator<P> {
  using Base = Operator<P>;
  static constexpr int fields = 6;
  static constexpr int nq = Base::nq;
  static constexpr int elements = Base::elements;
  static constexpr int points_bytes = (elements * nq * nq * (nq | 1) * 8 + 63) / 64 * 64;
  using AtPoints = Points<elements, nq>;

  /// The derivatives, when the last of them is in a register: all three are multiplied by the
  /// metric.
  struct Transform {
    const double* metric;
    AtPoints y, z;
    KOKKOS_FUNCTION double operator()(double dx, int i, int j, int e, int k) const {
      const double* const first = metric + ((i * nq + j) * elements + e) * nq + k;
      double m[6];
#pragma unroll
      for (int c = 0; c < 6; ++c) m[c] = constant(first + c * elements * Base::q3);
      const double dy = y(i, j, e, k);
      const double dz = z(i, j, e, k);
      y(i, j, e, k) = m[1] * dx + m[3] * dy + m[4] * dz;
      z(i, j, e, k) = m[2] * dx + m[4] * dy + m[5] * dz;
      return m[0] * dx + m[1] * dy + m[2] * dz;
    }
  };

  /// Stands between the two products of a line, and adds the result of the other directions.
  template <int Directions>
  struct Plus {
    AtPoints others[Directions];
    KOKKOS_FUNCTION double operator()(double value, int i, int j, int e, int k) const {
      for (const AtPoints& other : others) value += other(i, j, e, k);
      return value;
    }
  };

  // Up to the derivative along z, which keeps the values at the points, too.
  using First = TeamContract<"abec,yb,xa,zc,mz->xyem">;
  // All steps along x, on lines in registers. The last steps then begin with the transposed step
  // along z, and otherwise with the one along x.
  using AlongX = TeamContract<"myez,xm,xi->iyez">;
  using LastFromZ = TeamContract<"xyem,mz,zk,xi,yj->ijek">;
  using LastFromX = TeamContract<"myez,mx,xi,zk,yj->ijek">;
  /// By measurement: for the orders in between, the registers do not suffice for both products
  /// along x.
  static constexpr bool all_of_x_at_once = P <= 2 || P >= 6;
  using Last = std::conditional_t<all_of_x_at_once, LastFromZ, LastFromX>;
  using PlusOthers = Plus<all_of_x_at_once ? 1 : 2>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    KokkosContract::one_team_per_block(member);
    const auto& b = this->b;
    const auto& g = this->g;
    const double* const metric = this->part(member, this->data, 6 * Base::q3);
    constexpr int arrays = all_of_x_at_once ? 2 : 4;
    char* const memory =
        static_cast<char*>(member.team_scratch(0).get_shmem_aligned(arrays * points_bytes, 64));
    const auto points = [&](int i) {
      return AtPoints(reinterpret_cast<double*>(memory + i * points_bytes));
    };
    const auto u = points(0);
    const auto values = this->gather(member);
    const auto begin = [&](const KokkosContract::Scratch& between, const AtPoints& y,
                           const AtPoints& z) {
      (void)First::invoke(member, between, 1.0, values, b, b, b, KokkosContract::keep<"xyez">(u), g,
                          0.0, z);
      (void)TeamContract<"ym,xmez->xyez">::invoke(member, 1.0, g, u, 0.0, y);
      return Transform{metric, y, z};
    };
    const auto end = [&](const KokkosContract::Scratch& between, const AtPoints& from,
                         const PlusOthers& plus) {
      const auto& back = all_of_x_at_once ? this->g_back : g;
      (void)Last::invoke(member, between, 1.0, from, back, KokkosContract::pointwise<"xyez">(plus),
                         b, b, b, 0.0, values, this->scatter(member));
    };
    if constexpr (all_of_x_at_once) {
      // The first and the last steps keep their intermediates in the memory of y.
      const auto z = points(1);
      char* const rest = memory + 2 * points_bytes + Base::gather_bytes;
      const KokkosContract::Scratch between{rest, chain_bytes()};
      const AtPoints y(reinterpret_cast<double*>(rest));
      const auto transform = KokkosContract::pointwise<"xyez">(begin(between, y, z));
      (void)AlongX::invoke(member, between, 1.0, u, g, transform, this->g_back, 0.0, u);
      (void)TeamContract<"my,xmez->xyez">::invoke(member, 1.0, this->g_back, y, 1.0, u);
      end(between, z, {u});
    } else {
      // The first steps keep them in the later memory of x and y, and the last steps in the memory
      // of z and the values.
      const auto x = points(1);
      const auto y = points(2);
      const auto z = points(3);
      const auto transform = begin({memory + points_bytes, 2 * points_bytes}, y, z);
      (void)TeamContract<"xm,myez->xyez">::invoke(member, 1.0, g, u, 0.0, x, transform);
      (void)TeamContract<"my,xmez->xyez">::invoke(member, 1.0, g, y, 0.0, u);
      (void)TeamContract<"mz,xyem->xyez">::invoke(member, 1.0, g, z, 0.0, y);
      end({memory + 3 * points_bytes, chain_bytes()}, x, {u, y});
    }
  }

  /// Memory of the intermediates of the first and the last steps.
  KOKKOS_FUNCTION std::size_t chain_bytes() const {
    const AtPoints u(nullptr);
    const typename Base::AtNodes values(this->u);
    const auto& b = this->b;
    const std::size_t first =
        First::scratch_bytes(values, b, b, b, KokkosContract::keep<"xyez">(u), this->g, u);
    const std::size_t last = Last::scratch_bytes(
        u, this->g, KokkosContract::pointwise<"xyez">(PlusOthers{}), b, b, b, values);
    return first > last ? first : last;
  }

  void launch() const {
    constexpr int blocks = P <= 2 ? 8 : (P <= 5 ? 6 : (P == 6 ? 4 : 5));
    const int chains = static_cast<int>(chain_bytes());
    const auto larger = [](int i, int j) { return i > j ? i : j; };
    constexpr int gathered = Base::gather_bytes;
    const int bytes = all_of_x_at_once ? 2 * points_bytes + gathered + larger(chains, points_bytes)
                                       : 3 * points_bytes + larger(chains, points_bytes + gathered);
    Base::template launch_teams<blocks>(*this, bytes + 128);
  }
};

using Vector = Kokkos::View<double*, Space>;

/// n x n x n elements of order P, `side` of them side by side in all arrays.
template <int P>
struct Mesh {
  static constexpr int nd = P + 1;
  int side;
  int n = static_cast<int>(215.0 / P + 0.5);
  int row = n * P + 1;
  int nodes = row * row * row;
  int elements = n * n * n;
  int teams = (elements + side - 1) / side;

  /// Offset of point (i, j, k) of N x N x N of an element, in field f.
  template <int N>
  KOKKOS_FUNCTION std::int64_t at(int e, int point, int f = 0, int fields = 1) const {
    const std::int64_t team = e / side;
    return ((team * fields + f) * N * N + point / N) * side * N + e % side * N + point % N;
  }
  /// The number of a node, or `nodes` for elements that fill up the last team.
  KOKKOS_FUNCTION int number(int e, int node) const {
    if (e >= elements) return nodes;
    const int x = e % n * P + node % nd;
    const int y = e / n % n * P + node / nd % nd;
    const int z = e / n / n * P + node / nd / nd;
    return (z * row + y) * row + x;
  }
};

/// Compares u with the sum over all elements, computed by sums over all nodes and points at once.
/// Returns the worst difference, relative to the size of the terms.
template <int P, int Fields>
double worst_difference(const Operator<P>& op, const Mesh<P>& mesh) {
  constexpr int nd = P + 1;
  constexpr int nq = P + 2;
  constexpr int n3 = nd * nd * nd;
  constexpr int q3 = nq * nq * nq;
  constexpr int derivatives = Fields == 1 ? 1 : 3;
  // 0: values of the shape functions, 1: derivatives
  const Kokkos::View<double[2][nq][nd], Right, Space> table("shape functions");
  const auto host = Kokkos::create_mirror_view(table);
  for (int q = 0; q < nq; ++q) {
    for (int i = 0; i < nd; ++i) {
      host(0, q, i) = op.b(q, i);
      for (int m = 0; m < nq; ++m) host(1, q, i) += op.g(q, m) * op.b(m, i);
    }
  }
  Kokkos::deep_copy(table, host);
  const auto shape = KOKKOS_LAMBDA(int d, int q, int n) {
    return table(Fields > 1 && d == 0, q / (nq * nq), n / (nd * nd)) *
           table(Fields > 1 && d == 1, q / nq % nq, n / nd % nd) *
           table(Fields > 1 && d == 2, q % nq, n % nd);
  };
  const double* const v = op.v;
  const double* const data = op.data;
  const double* const u = op.u;
  const Kokkos::View<double***, Right, Space> flux("flux", mesh.elements, derivatives, q3);
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      Range(0, std::int64_t{mesh.elements} * q3), KOKKOS_LAMBDA(std::int64_t t) {
        const int e = static_cast<int>(t / q3);
        const int q = static_cast<int>(t % q3);
        double gradient[derivatives] = {};
        for (int n = 0; n < n3; ++n) {
          for (int d = 0; d < derivatives; ++d)
            gradient[d] += shape(d, q, n) * v[mesh.number(e, n)];
        }
        constexpr int component[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        for (int d = 0; d < derivatives; ++d) {
          flux(e, d, q) = 0;
          for (int k = 0; k < derivatives; ++k) {
            flux(e, d, q) +=
                data[mesh.template at<nq>(e, q, component[d][k], Fields)] * gradient[k];
          }
        }
      });
  const Vector sum("sum", mesh.nodes);
  const Vector size("size", mesh.nodes);
  Kokkos::parallel_for(
      Range(0, std::int64_t{mesh.elements} * n3), KOKKOS_LAMBDA(std::int64_t t) {
        const int e = static_cast<int>(t / n3);
        const int n = static_cast<int>(t % n3);
        double own_sum = 0;
        double own_size = 0;
        for (int q = 0; q < q3; ++q) {
          for (int d = 0; d < derivatives; ++d) {
            const double term = shape(d, q, n) * flux(e, d, q);
            own_sum += term;
            own_size += Kokkos::abs(term);
          }
        }
        Kokkos::atomic_add(&sum(mesh.number(e, n)), own_sum);
        Kokkos::atomic_add(&size(mesh.number(e, n)), own_size);
      });
  double worst = 0;
  Kokkos::parallel_reduce(
      Range(0, mesh.nodes),
      KOKKOS_LAMBDA(std::int64_t n, double& most) {
        const double difference = Kokkos::abs(sum(n) - u[n]) / size(n);
        // A NaN is an error, too.
        if (!(difference <= most)) most = difference <= 1 ? difference : 1.0;
      },
      Kokkos::Max<double>(worst));
  return worst;
}

enum class Who { team, by_hand, ceed };

#if defined(KOKKOSCONTRACT_PERF_CEED)
constexpr auto ceed_backend = "/gpu/cuda/gen";

/// [field][element][point], as libCEED requires, from data in the order of Mesh::at.
template <int P>
Vector data_for_ceed(const Vector& data, const Mesh<P>& mesh, int fields) {
  constexpr int nq = P + 2;
  constexpr int q3 = nq * nq * nq;
  const Vector all(Kokkos::view_alloc("data", Kokkos::WithoutInitializing), data.size());
  for (int f = 0; f < fields; ++f) {
    const int from = fields == 6 ? CeedAction::field_order[static_cast<std::size_t>(f)] : f;
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
            0, std::int64_t{mesh.elements} * q3),
        KOKKOS_LAMBDA(std::int64_t t) {
          all(f * std::int64_t{mesh.elements} * q3 + t) = data(mesh.template at<nq>(
              static_cast<int>(t / q3), static_cast<int>(t % q3), from, fields));
        });
  }
  Kokkos::fence();
  return all;
}
#endif

template <template <int> class Op, int P, Who who>
void run(benchmark::State& state) {
  constexpr int nd = P + 1;
  constexpr int nq = P + 2;
  constexpr int n3 = nd * nd * nd;
  constexpr int fields = Op<P>::fields;
  const Mesh<P> mesh{who == Who::team ? Op<P>::elements : 1};
  const std::size_t elements = static_cast<std::size_t>(mesh.teams) * mesh.side;
  const auto raw = Kokkos::view_alloc("elements", Kokkos::WithoutInitializing);
  const Kokkos::View<int*, Space> node(raw, elements * n3);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, static_cast<int>(elements)), KOKKOS_LAMBDA(int e) {
        for (int i = 0; i < n3; ++i) node(mesh.template at<nd>(e, i)) = mesh.number(e, i);
      });
  const Vector v(raw, mesh.nodes + 1);
  const Vector u(raw, mesh.nodes + 1);
  const Vector data(raw, elements * nq * nq * nq * fields);
  fill_random(v);
  fill_random(data);
  Op<P> op{};
  by_hand::Basis<P> basis{};
  const ShapeFunctions shape(nd, nq);
  std::copy(shape.values.begin(), shape.values.end(), basis.b);
  std::copy(shape.slopes_of_points.begin(), shape.slopes_of_points.end(), basis.g);
  for (int q = 0; q < nq; ++q) {
    for (int i = 0; i < nd; ++i) op.b(q, i) = basis.b[q * nd + i];
    for (int m = 0; m < nq; ++m) op.g(q, m) = op.g_back(q, m) = basis.g[q * nq + m];
  }
  op.node = node.data();
  op.v = v.data();
  op.data = data.data();
  op.u = u.data();
  op.teams = mesh.teams;
#if defined(KOKKOSCONTRACT_PERF_CEED)
  Vector of_points;
  std::optional<CeedAction> ceed;
  if constexpr (who == Who::ceed) {
    of_points = data_for_ceed(data, mesh, fields);
    ceed.emplace(
        ceed_backend, CEED_MEM_DEVICE, shape,
        CeedAction::Elements{mesh.elements, node.data(), mesh.nodes + 1, fields, of_points.data()},
        v.data(), u.data());
  }
#endif
  const auto apply = [&] {
#if defined(KOKKOSCONTRACT_PERF_CEED)
    if constexpr (who == Who::ceed) return (*ceed)();
#endif
    Kokkos::deep_copy(Space(), u, 0.0);
    if constexpr (who == Who::team) {
      op.launch();
    } else if constexpr (fields == 1) {
      by_hand::launch_mass(basis, by_hand::Indexed{op.v, op.u, op.node}, op.data, mesh.elements);
    } else {
      by_hand::launch_poisson(basis, by_hand::Indexed{op.v, op.u, op.node}, op.data, mesh.elements);
    }
  };
  apply();
  const double error = worst_difference<P, fields>(op, mesh);
  if (!(error <= 1e-13)) {
    state.SkipWithError("wrong result");
    return;
  }
  // Six or twelve products of lines, two flops per term.
  const double interpolations = 2.0 * 2 * nd * nq * (nd * nd + nd * nq + nq * nq);
  const double derivatives = fields == 1 ? 0 : 2.0 * 6 * nq * nq * nq * nq;
  const double bytes = mesh.elements * (8.0 * fields * nq * nq * nq + 4.0 * n3) + 16.0 * mesh.nodes;
  time_launches(state, (interpolations + derivatives) * mesh.elements, bytes, apply);
  state.counters["unknown/s"] =
      benchmark::Counter(mesh.nodes, benchmark::Counter::kIsIterationInvariantRate);
}

template <template <int> class Op, int P>
void add(const std::string& what) {
  const auto add_one = [&](const std::string& who, auto function) {
    const std::string name =
        "GatherScatter-" + what + "/double/right/static/memory/" + who + "/" + std::to_string(P);
    // More iterations than in other benchmarks: some take a fifth of a millisecond.
    register_benchmark(name, function)
        ->UseManualTime()
        ->Iterations(20)
        ->Repetitions(5)
        ->Unit(benchmark::kMillisecond);
  };
  add_one("Team", run<Op, P, Who::team>);
  add_one("by-hand", run<Op, P, Who::by_hand>);
#if defined(KOKKOSCONTRACT_PERF_CEED)
  if (CeedAction::has(ceed_backend)) add_one("libCEED", run<Op, P, Who::ceed>);
#endif
}

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>{}, []<int P>() {
    add<Mass, P>("Mass");
    add<Poisson, P>("Poisson");
  });
});

}  // namespace
