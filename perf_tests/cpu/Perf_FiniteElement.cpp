// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of hexahedral and, with -2D, quadrilateral elements of order N, from values of an
// element to values of an element, on packs of elements. They have N + 1 unknowns and N + 2 points
// in a direction.
//
//     FE-mass       U = B^T D B V by sum factorisation
//     FE-Poisson    U = B^T G^T W G B V, six words of W for each point
//     FE-assembly   M = B^T D B
//
// WHO is one of these: Serial (the library); Serial-ahead, which prefetches the next elements' data
// at each point; hand (loops of fixed length, all in one function); dense (FE-assembly by the
// library, without sum factorisation); libCEED-BACKEND. libCEED gets elements one after another,
// which its blocked backends interleave themselves. Bytes are those that must move: V and D or W
// in, U or M out.
#include <cmath>

#include "../FiniteElement.hpp"
#include "../ShapeFunctions.hpp"
#include "Perf.hpp"
#if defined(KOKKOSCONTRACT_PERF_CEED)
#include "../Ceed.hpp"
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#endif

namespace {

using namespace perf;
using namespace KokkosContract;

constexpr int L = default_pack_length<double, Space>;
using P = Pack<double, L>;

template <class T, int... Extents>
auto packed(T* data) {
  return Kokkos::mdspan<T, Kokkos::extents<int, Extents...>, Kokkos::layout_right>(data);
}

/// Data that all elements share, and a batch of packs of elements.
template <class Element>
struct ElementsOf {
  using H = Element;
  Storage<double> B, G;
  Storage<P> V, D, U;
  int packs, words_of_D, words_of_U;

  ElementsOf(int n, int of_D, int of_U)
      : B("B", H::nq * H::nd),
        G("G", H::nq * H::nq),
        V(random_storage<P>("V", static_cast<std::size_t>(n) * H::unknowns)),
        D(random_storage<P>("D", static_cast<std::size_t>(n) * of_D)),
        U(random_storage<P>("U", static_cast<std::size_t>(n) * of_U)),
        packs(n),
        words_of_D(of_D),
        words_of_U(of_U) {
    const ShapeFunctions shape(H::nd, H::nq);
    std::copy(shape.values.begin(), shape.values.end(), B.data());
    std::copy(shape.slopes_of_points.begin(), shape.slopes_of_points.end(), G.data());
  }
  const P* v(int p) const { return V.data() + static_cast<std::ptrdiff_t>(p) * H::unknowns; }
  const P* d(int p) const { return D.data() + static_cast<std::ptrdiff_t>(p) * words_of_D; }
  P* u(int p) const { return U.data() + static_cast<std::ptrdiff_t>(p) * words_of_U; }
};
template <int Order>
using Elements = ElementsOf<Hexahedron<Order>>;

/// The data that the next pack of elements will read and write. Each point prefetches a part of it.
template <int Order, int WordsAPoint>
struct Next {
  const P *V, *D, *U;
  Next(const Elements<Order>& e, int p) {
    const int next = std::min(p + 1, e.packs - 1);
    V = e.v(next), D = e.d(next), U = e.u(next);
  }
  KOKKOS_FORCEINLINE_FUNCTION void ask(int q) const {
    constexpr int points = Hexahedron<Order>::points;
    for (int i = 0; i < WordsAPoint; ++i) prefetch<2>(D + i * points + q);
    if (q < Hexahedron<Order>::unknowns) {
      prefetch<2>(V + q);
      prefetch<2>(U + q);
    }
  }
};
struct NothingNext {
  template <class Elements>
  NothingNext(const Elements&, int) {}
  KOKKOS_FORCEINLINE_FUNCTION void ask(int) const {}
};

// --- Mass ---

struct Mass {
  static constexpr const char* name = "FE-mass";
  template <int Order>
  static Elements<Order> elements(int packs) {
    return {packs, Hexahedron<Order>::points, Hexahedron<Order>::unknowns};
  }
  template <int Order>
  static constexpr double flops = Hexahedron<Order>::mass_flops;
};

template <int Order, class AndAsk>
struct Weigh {
  const P* D;
  AndAsk next;
  KOKKOS_FORCEINLINE_FUNCTION P operator()(const P& value, int x, int y, int z) const {
    constexpr int nq = Order + 2;
    const int q = (x * nq + y) * nq + z;
    next.ask(q);
    return value * D[q];
  }
};

template <int Order, class AndAsk>
struct MassByCall {
  using H = Hexahedron<Order>;
  Elements<Order> e;
  void operator()(const Member&, int p) const {
    constexpr int nd = H::nd, nq = H::nq;
    const auto B = packed<const double, nq, nd>(e.B.data());
    (void)SerialContract<"xa,yb,zc,abc,xi,yj,zk->ijk">::invoke(
        1.0, B, B, B, packed<const P, nd, nd, nd>(e.v(p)),
        pointwise<"xyz">(Weigh<Order, AndAsk>{e.d(p), AndAsk(e, p)}), B, B, B, 0.0,
        packed<P, nd, nd, nd>(e.u(p)));
  }
};
template <int Order>
using MassByLibrary = MassByCall<Order, NothingNext>;
template <int Order>
using MassAhead = MassByCall<Order, Next<Order, 1>>;

/// A pack as the compiler's own vector.
typedef double Register  // NOLINT(modernize-use-using)
    __attribute__((vector_size(sizeof(P)), may_alias));
const Register* registers(const P* p) { return reinterpret_cast<const Register*>(p); }
Register* registers(P* p) { return reinterpret_cast<Register*>(p); }

template <int Order>
struct MassByHand {
  Elements<Order> e;
  void operator()(const Member&, int p) const {
    mass_by_hand<Order>(e.B.data(), registers(e.v(p)), registers(e.d(p)), registers(e.u(p)));
  }
};

struct MassInPlane {
  static constexpr const char* name = "FE-mass-2D";
  template <int Order>
  static ElementsOf<Quadrilateral<Order>> elements(int packs) {
    return {packs, Quadrilateral<Order>::points, Quadrilateral<Order>::unknowns};
  }
  template <int Order>
  static constexpr double flops = Quadrilateral<Order>::mass_flops;
};
template <int Order>
struct MassInPlaneByCall {
  using H = Quadrilateral<Order>;
  ElementsOf<H> e;
  void operator()(const Member&, int p) const {
    constexpr int nd = H::nd, nq = H::nq;
    const auto B = packed<const double, nq, nd>(e.B.data());
    const P* const D = e.d(p);
    const auto weigh = [D](const P& value, int x, int y) { return value * D[x * nq + y]; };
    (void)SerialContract<"xa,yb,ab,xi,yj->ij">::invoke(1.0, B, B, packed<const P, nd, nd>(e.v(p)),
                                                       pointwise<"xy">(weigh), B, B, 0.0,
                                                       packed<P, nd, nd>(e.u(p)));
  }
};
template <int Order>
struct MassInPlaneByHand {
  ElementsOf<Quadrilateral<Order>> e;
  void operator()(const Member&, int p) const {
    mass_by_hand_in_plane<Order>(e.B.data(), registers(e.v(p)), registers(e.d(p)),
                                 registers(e.u(p)));
  }
};

// --- Poisson ---

struct Poisson {
  static constexpr const char* name = "FE-Poisson";
  template <int Order>
  static Elements<Order> elements(int packs) {
    return {packs, 6 * Hexahedron<Order>::points, Hexahedron<Order>::unknowns};
  }
  template <int Order>
  static constexpr double flops = Hexahedron<Order>::poisson_flops;
};

/// All three derivatives, when the last of them is in a register.
template <int Order, class AndAsk>
struct Transform {
  const P* W;
  P *gx, *gy;
  AndAsk next;
  KOKKOS_FORCEINLINE_FUNCTION P operator()(const P& dz, int x, int y, int z) const {
    constexpr int nq = Order + 2, points = nq * nq * nq;
    const int q = (x * nq + y) * nq + z;
    next.ask(q);
    const P* w = W + q;
    const P dx = gx[q], dy = gy[q];
    gx[q] = w[0] * dx + w[points] * dy + w[2 * points] * dz;
    gy[q] = w[points] * dx + w[3 * points] * dy + w[4 * points] * dz;
    return w[2 * points] * dx + w[4 * points] * dy + w[5 * points] * dz;
  }
};

template <int Order, class AndAsk>
struct PoissonByCalls {
  using H = Hexahedron<Order>;
  Elements<Order> e;
  void operator()(const Member&, int p) const {
    constexpr int nd = H::nd, nq = H::nq;
    P memory[4][H::points];
    const auto B = packed<const double, nq, nd>(e.B.data());
    const auto G = packed<const double, nq, nq>(e.G.data());
    const auto at_points = [&](int i) { return packed<P, nq, nq, nq>(memory[i]); };
    const auto u = at_points(0), gx = at_points(1), gy = at_points(2), gz = at_points(3);
    (void)SerialContract<"xa,yb,zc,abc->xyz">::invoke(1.0, B, B, B,
                                                      packed<const P, nd, nd, nd>(e.v(p)), 0.0, u);
    (void)SerialContract<"xr,ryz->xyz">::invoke(1.0, G, u, 0.0, gx);
    (void)SerialContract<"yr,xrz->xyz">::invoke(1.0, G, u, 0.0, gy);
    // This derivative is the last, because it visits the points nearly in the order of W.
    (void)SerialContract<"zr,xyr->xyz">::invoke(
        1.0, G, u, 0.0, gz, Transform<Order, AndAsk>{e.d(p), memory[1], memory[2], AndAsk(e, p)});
    (void)SerialContract<"rx,ryz->xyz">::invoke(1.0, G, gx, 0.0, u);
    (void)SerialContract<"ry,xrz->xyz">::invoke(1.0, G, gy, 1.0, u);
    (void)SerialContract<"rz,xyr->xyz">::invoke(1.0, G, gz, 1.0, u);
    (void)SerialContract<"xa,yb,zc,xyz->abc">::invoke(1.0, B, B, B, u, 0.0,
                                                      packed<P, nd, nd, nd>(e.u(p)));
  }
};
template <int Order>
using PoissonByLibrary = PoissonByCalls<Order, NothingNext>;
template <int Order>
using PoissonAhead = PoissonByCalls<Order, Next<Order, 6>>;

template <int Order>
struct PoissonByHand {
  Elements<Order> e;
  void operator()(const Member&, int p) const {
    poisson_by_hand<Order>(e.B.data(), e.G.data(), registers(e.v(p)), registers(e.d(p)),
                           registers(e.u(p)));
  }
};

// --- Assembly ---

struct Assembly {
  static constexpr const char* name = "FE-assembly";
  template <int Order>
  static Elements<Order> elements(int packs) {
    using H = Hexahedron<Order>;
    return {packs, H::points, H::unknowns * H::unknowns};
  }
  template <int Order>
  static constexpr double flops = Hexahedron<Order>::assembly_flops;
};

template <int Order>
struct AssemblyByLibrary {
  using H = Hexahedron<Order>;
  using Assemble = SerialContract<"xi,xl,yj,ym,zk,zn,xyz->ijklmn">;
  Elements<Order> e;
  Storage<P> memory;
  explicit AssemblyByLibrary(const Elements<Order>& given)
      : e(given), memory("memory", [&] {
          const auto b = B();
          return Assemble::scratch_bytes(b, b, b, b, b, b, D(0), M(0)) / sizeof(P) + 1;
        }()) {}
  auto B() const { return packed<const double, H::nq, H::nd>(e.B.data()); }
  auto D(int p) const { return packed<const P, H::nq, H::nq, H::nq>(e.d(p)); }
  auto M(int p) const { return packed<P, H::nd, H::nd, H::nd, H::nd, H::nd, H::nd>(e.u(p)); }
  void operator()(const Member&, int p) const {
    const auto b = B();
    (void)Assemble::invoke(memory, 1.0, b, b, b, b, b, b, D(p), 0.0, M(p));
  }
};

struct AssemblyInPlane {
  static constexpr const char* name = "FE-assembly-2D";
  template <int Order>
  static ElementsOf<Quadrilateral<Order>> elements(int packs) {
    using H = Quadrilateral<Order>;
    return {packs, H::points, H::unknowns * H::unknowns};
  }
  template <int Order>
  static constexpr double flops = Quadrilateral<Order>::assembly_flops;
};
template <int Order>
struct AssemblyInPlaneByLibrary {
  using H = Quadrilateral<Order>;
  ElementsOf<H> e;
  void operator()(const Member&, int p) const {
    constexpr int nd = H::nd, nq = H::nq;
    const auto B = packed<const double, nq, nd>(e.B.data());
    (void)SerialContract<"xi,xk,yj,yl,xy->ijkl">::invoke(
        1.0, B, B, B, B, packed<const P, nq, nq>(e.d(p)), 0.0, packed<P, nd, nd, nd, nd>(e.u(p)));
  }
};

/// (D B), and B^T times that, by a batched product of matrices.
template <class H>
struct DenseAssembly {
  ElementsOf<H> e;
  Storage<double> B;
  Storage<P> DB;
  explicit DenseAssembly(const ElementsOf<H>& given)
      : e(given), B("B", H::points * H::unknowns), DB("DB", H::points * H::unknowns) {
    for (int q = 0; q < H::points; ++q)
      for (int i = 0; i < H::unknowns; ++i) {
        double product = 1;
        for (int x = q, a = i, n = 1; n < H::points; n *= H::nq, x /= H::nq, a /= H::nd)
          product *= e.B(x % H::nq * H::nd + a % H::nd);
        B(q * H::unknowns + i) = product;
      }
  }
  void operator()(const Member&, int p) const {
    constexpr int n = H::unknowns, points = H::points;
    const auto all = packed<const double, points, n>(B.data());
    const auto weighted = packed<P, points, n>(DB.data());
    (void)SerialContract<"q,qi->qi">::invoke(1.0, packed<const P, points>(e.d(p)), all, 0.0,
                                             weighted);
    (void)SerialContract<"qi,qj->ij">::invoke(1.0, all, weighted, 0.0, packed<P, n, n>(e.u(p)));
  }
};
template <int Order>
using AssemblyByDense = DenseAssembly<Hexahedron<Order>>;
template <int Order>
using AssemblyInPlaneByDense = DenseAssembly<Quadrilateral<Order>>;

// --- Runs ---

/// Whether two variants agree on a few packs.
template <class Operator, int Order, template <int> class Body, template <int> class Other>
bool is_right() {
  const auto one = Operator::template elements<Order>(2);
  const auto two = Operator::template elements<Order>(2);
  run_batch(2, 1, Body<Order>(one));
  run_batch(2, 1, Other<Order>(two));
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < one.U.size(); ++i)
    for (int l = 0; l < L; ++l) {
      largest = std::max(largest, std::abs(two.U(i)[l]));
      difference = std::max(difference, std::abs(one.U(i)[l] - two.U(i)[l]));
    }
  return difference <= 1e-12 * largest;
}

template <class Operator, int Order, template <int> class Body, template <int> class Other>
void run(benchmark::State& state, Regime regime) {
  if (!is_right<Operator, Order, Body, Other>()) return state.SkipWithError("wrong result");
  auto of_one = Operator::template elements<Order>(1);
  const double bytes =
      sizeof(P) * (1.0 * decltype(of_one)::H::unknowns + of_one.words_of_D + of_one.words_of_U);
  const auto elements = Operator::template elements<Order>(batch_size(regime, bytes));
  time_batch(state, elements.packs, {Operator::template flops<Order> * L, bytes},
             Body<Order>(elements));
}

template <class Operator, int Order, class Run>
void add_run(const std::string& who, const Run& run) {
  for (const Regime regime : {in_l2, in_memory}) {
    add_benchmark(std::string(Operator::name) + "/" + type_name<P>() + "/right/packed/" +
                      regime_name(regime) + "/" + who + "/" + std::to_string(Order),
                  run, regime);
  }
}
template <class Operator, int Order, template <int> class Body, template <int> class Other>
void add(const std::string& who) {
  add_run<Operator, Order>(who, run<Operator, Order, Body, Other>);
}

#if defined(KOKKOSCONTRACT_PERF_CEED)
/// [field][element][node] of packs of [field][node].
Storage<double> unpacked(const P* packs, int count, int fields, int size) {
  Storage<double> all("unpacked", static_cast<std::size_t>(count) * L * fields * size);
  for (int f = 0; f < fields; ++f)
    for (int p = 0; p < count; ++p)
      for (int l = 0; l < L; ++l)
        for (int i = 0; i < size; ++i) {
          const int from = fields == 6 ? CeedAction::field_order[static_cast<std::size_t>(f)] : f;
          all(((static_cast<std::size_t>(f) * count + p) * L + l) * size + i) =
              packs[(static_cast<std::size_t>(p) * fields + from) * size + i][l];
        }
  return all;
}

template <class Operator, int Order>
struct ActionByCeed {
  using H = Hexahedron<Order>;
  Storage<double> data, v, u;
  CeedAction apply;
  ActionByCeed(const std::string& backend, const Elements<Order>& e)
      : data(unpacked(e.d(0), e.packs, e.words_of_D / H::points, H::points)),
        v(unpacked(e.v(0), e.packs, 1, H::unknowns)),
        u("u", v.size()),
        apply(backend, CEED_MEM_HOST, ShapeFunctions(H::nd, H::nq),
              {e.packs * L, nullptr, e.packs * L * H::unknowns, e.words_of_D / H::points,
               data.data()},
              v.data(), u.data()) {}
};

/// Checks libCEED's result, and with it the others.
template <class Operator, int Order, template <int> class Body>
void run_ceed(benchmark::State& state, const std::string& backend, Regime regime) {
  using H = Hexahedron<Order>;
  {
    const auto elements = Operator::template elements<Order>(2);
    run_batch(2, 1, Body<Order>(elements));
    const ActionByCeed<Operator, Order> ceed(backend, elements);
    ceed.apply();
    const auto expected = unpacked(elements.u(0), 2, 1, H::unknowns);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected(i)));
      difference = std::max(difference, std::abs(expected(i) - ceed.u(i)));
    }
    if (!(difference <= 1e-11 * largest)) return state.SkipWithError("wrong result");
  }
  auto of_one = Operator::template elements<Order>(1);
  const double bytes = sizeof(P) * (1.0 * H::unknowns + of_one.words_of_D + of_one.words_of_U);
  const int packs = batch_size(regime, bytes);
  const ActionByCeed<Operator, Order> ceed(backend, Operator::template elements<Order>(packs));
  for (auto _ : state) ceed.apply();
  count(state, packs, {Operator::template flops<Order> * L, bytes});
}

template <class Operator, int Order, template <int> class Body>
void add_ceed() {
#if defined(__GLIBC__)
  // libCEED allocates in each call. Freed memory stays with the process; otherwise the system would
  // clear pages most of the time.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
  for (const std::string name : {"opt", "avx", "xsmm"}) {
    const std::string backend = "/cpu/self/" + name + "/blocked";
    if (threads() > 1 || !CeedAction::has(backend)) continue;
    add_run<Operator, Order>("libCEED-" + name, [backend](benchmark::State& state, Regime regime) {
      run_ceed<Operator, Order, Body>(state, backend, regime);
    });
  }
}
#endif

const Registered registered([] {
  for_each_width(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8>{}, []<int Order>() {
    add<Mass, Order, MassByLibrary, MassByHand>("Serial");
    add<Mass, Order, MassAhead, MassByHand>("Serial-ahead");
    add<Mass, Order, MassByHand, MassByLibrary>("hand");
    add<MassInPlane, Order, MassInPlaneByCall, MassInPlaneByHand>("Serial");
    add<MassInPlane, Order, MassInPlaneByHand, MassInPlaneByCall>("hand");
    add<Poisson, Order, PoissonByLibrary, PoissonByHand>("Serial");
    add<Poisson, Order, PoissonAhead, PoissonByHand>("Serial-ahead");
    add<Poisson, Order, PoissonByHand, PoissonByLibrary>("hand");
    add<AssemblyInPlane, Order, AssemblyInPlaneByLibrary, AssemblyInPlaneByDense>("Serial");
    add<AssemblyInPlane, Order, AssemblyInPlaneByDense, AssemblyInPlaneByLibrary>("dense");
#if defined(KOKKOSCONTRACT_PERF_CEED)
    add_ceed<Mass, Order, MassByLibrary>();
    add_ceed<Poisson, Order, PoissonByLibrary>();
#endif
  });
  for_each_width(std::integer_sequence<int, 1, 2, 3, 4>{}, []<int Order>() {
    add<Assembly, Order, AssemblyByLibrary, AssemblyByDense>("Serial");
    add<Assembly, Order, AssemblyByDense, AssemblyByLibrary>("dense");
  });
});

}  // namespace
