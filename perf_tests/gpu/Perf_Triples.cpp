// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The triples energy of CCSD(T), as in example/ccsd_triples, with random amplitudes of h occupied
// and p virtual spin orbitals.
//
//     fused      all 18 contractions and the energies in one kernel
//     partial    two kernels, between which the nine sd1 are in memory
//     separate   a call of `contract` from the host for each contraction, and a kernel for the
//                energies
//     TTGT       the usual method: products of matrices by cuBLAS, whose elements are then added
//                in T3's order, and a kernel for the energies
//
// N is h, or h-p where they differ: no tile divides 19 and 37.
#include <memory>

#include "../../example/ccsd_triples/Triples.hpp"
#include "../TriplesPartitions.hpp"
#include "Cublas.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using triples::Energies;
using triples::Part;

enum class Variant { fused, partial, separate, ttgt };
using T3 = Kokkos::View<double******, Right>;

// --- Products of matrices by cuBLAS --------------------------------------------------------------

/// Gathers t2[e, p, x, y], followed by v2[m, y, x, p], as a matrix with one column for each p, x,
/// y. v2[e, z, q, r], followed by t2[m, r, q, z], has one for each r, q, z. One product then
/// computes an sd2 and an sd1.
triples::Tensor<double****> gather_one(const triples::Amplitudes& x) {
  const int h = x.occupied(), v = x.virtuals();
  const triples::Tensor<double****> to("one", v + h, v, h, h);
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<4>>({0, 0, 0, 0}, {v + h, v, h, h}),
      KOKKOS_LAMBDA(int n, int p, int i, int j) {
        to(n, p, i, j) = n < v ? x.t2_p(n, p, i, j) : x.v2_h(n - v, j, i, p);
      });
  return to;
}
triples::Tensor<double****> gather_other(const triples::Amplitudes& x) {
  const int h = x.occupied(), v = x.virtuals();
  const triples::Tensor<double****> to("other", v + h, v, v, h);
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<4>>({0, 0, 0, 0}, {v + h, v, v, h}),
      KOKKOS_LAMBDA(int n, int r, int q, int z) {
        to(n, r, q, z) = n < v ? x.v2_p(n, z, q, r) : x.t2_h(n - v, r, q, z);
      });
  return to;
}

/// Adds `sums`, which has the letters of a partition, to T3, or sets T3 to it. Neighbours are
/// neighbours in both.
void add_in_order(const T3& into, const t3::Partition& of, const double* sums, bool is_first) {
  const int h = into.extent_int(0), p = into.extent_int(3);
  Kokkos::Array<std::ptrdiff_t, 6> stride;
  std::ptrdiff_t next = 1;
  for (const int l : of.letters()) {
    stride[l] = next;
    next *= into.extent_int(l);
  }
  constexpr int workers = 256;
  Kokkos::parallel_for(
      Policy(h * h * h, workers), KOKKOS_LAMBDA(const Member& member) {
        const int k = member.league_rank() / h / h, j = member.league_rank() / h % h,
                  i = member.league_rank() % h;
        const double* const from = sums + k * stride[0] + j * stride[1] + i * stride[2];
        double* const to = &into(k, j, i, 0, 0, 0);
        for (int n = member.team_rank(); n < p * p * p; n += workers) {
          const double x = from[n / p / p * stride[3] + n / p % p * stride[4] + n % p * stride[5]];
          to[n] = is_first ? x : to[n] + x;
        }
      });
}

/// All 18 terms, whose inputs are gathered first. In a program the nine products read different
/// blocks of the tensors. Here the blocks are the same, but no product is left out.
class Products {
 public:
  Products(const triples::Amplitudes& x, const T3& t3)
      : t3_(t3),
        one_(gather_one(x)),
        other_(gather_other(x)),
        sums_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "sums"), t3.size()) {}
  void operator()() const {
    const int terms = one_.extent_int(0);
    const int of_one = one_.extent_int(1) * one_.extent_int(2) * one_.extent_int(3);
    const int of_other = other_.extent_int(1) * other_.extent_int(2) * other_.extent_int(3);
    bool is_first = true;
    for (const t3::Partition& n : t3::partitions) {
      const bool a_in_one = n.is_a_in_one();
      const int rows = a_in_one ? of_one : of_other;
      const double zero = 0;
      cublasDgemm(cublas_, CUBLAS_OP_T, CUBLAS_OP_N, rows, a_in_one ? of_other : of_one, terms,
                  &n.sign, (a_in_one ? one_ : other_).data(), terms,
                  (a_in_one ? other_ : one_).data(), terms, &zero, sums_.data(), rows);
      add_in_order(t3_, n, sums_.data(), is_first);
      is_first = false;
    }
  }

 private:
  Cublas cublas_;
  T3 t3_;
  triples::Tensor<double****> one_, other_;
  Kokkos::View<double*> sums_;
};

// --- Benchmarks ---------------------------------------------------------------------------------

class Problem {
 public:
  Problem(int h, int p, Variant variant) : variant_(variant) {
    x_ = triples::random_amplitudes(h, p);
    whole_ = {x_, false, {}};
    whole_.energy = Kokkos::View<Energies*>("energies of tiles", whole_.tile_count());
    if (variant != Variant::fused) {
      t3_ = T3(Kokkos::view_alloc(Kokkos::WithoutInitializing, "T3"), h, h, h, p, p, p);
    }
    if (variant == Variant::ttgt) products_ = std::make_unique<Products>(x_, t3_);
    first_ = {triples::without_sd2(x_), false, {}, t3_};
    const auto rest = triples::without_sd1(x_);
    second_ = {variant == Variant::partial ? rest : triples::without_sd2(rest), false,
               whole_.energy, t3_};
  }
  void launch() const {
    if (variant_ == Variant::fused) {
      Kokkos::parallel_for("triples", whole_.policy(), whole_);
      return;
    }
    if (variant_ == Variant::partial) {
      Kokkos::parallel_for("triples: sd1", first_.policy(), first_);
    } else if (variant_ == Variant::separate) {
      contract_each();
    } else {
      (*products_)();
    }
    Kokkos::parallel_for("triples: energies", second_.policy(), second_);
  }
  Energies energies() const {
    const auto of_tiles = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole_.energy);
    Energies sum;
    for (std::size_t tile = 0; tile < of_tiles.extent(0); ++tile) sum = sum + of_tiles(tile);
    return sum;
  }
  double flops() const {
    const double h = x_.occupied();
    const double p = x_.virtuals();
    return 2 * h * h * h * p * p * p * (9 + 9 * h + 9 * p);
  }

 private:
  Variant variant_;
  triples::Amplitudes x_;
  T3 t3_;
  std::unique_ptr<Products> products_;
  triples::Kernel<Member> whole_;
  triples::Kernel<Member, Part::first> first_;
  triples::Kernel<Member, Part::second> second_;

  void contract_each() const {
    using KokkosContract::contract;
    const Space space;
    const auto &T2 = x_.t2_p, &V2 = x_.v2_p, &V1 = x_.v2_h, &T1 = x_.t2_h;
    contract<"eaij,ekcb->kjicba">(space, -1., T2, V2, 0., t3_);
    contract<"mjia,mbck->kjicba">(space, -1., V1, T1, 1., t3_);
    contract<"eajk,eicb->kjicba">(space, -1., T2, V2, 1., t3_);
    contract<"mkja,mbci->kjicba">(space, -1., V1, T1, 1., t3_);
    contract<"eaik,ejcb->kjicba">(space, 1., T2, V2, 1., t3_);
    contract<"mkia,mbcj->kjicba">(space, 1., V1, T1, 1., t3_);
    contract<"ebij,ekca->kjicba">(space, 1., T2, V2, 1., t3_);
    contract<"mjib,mack->kjicba">(space, 1., V1, T1, 1., t3_);
    contract<"ebjk,eica->kjicba">(space, 1., T2, V2, 1., t3_);
    contract<"mkjb,maci->kjicba">(space, 1., V1, T1, 1., t3_);
    contract<"ebik,ejca->kjicba">(space, -1., T2, V2, 1., t3_);
    contract<"mkib,macj->kjicba">(space, -1., V1, T1, 1., t3_);
    contract<"ecij,ekba->kjicba">(space, -1., T2, V2, 1., t3_);
    contract<"mjic,mabk->kjicba">(space, -1., V1, T1, 1., t3_);
    contract<"ecjk,eiba->kjicba">(space, -1., T2, V2, 1., t3_);
    contract<"mkjc,mabi->kjicba">(space, -1., V1, T1, 1., t3_);
    contract<"ecik,ejba->kjicba">(space, 1., T2, V2, 1., t3_);
    contract<"mkic,mabj->kjicba">(space, 1., V1, T1, 1., t3_);
  }
};

bool agree(const Energies& x, const Energies& y) {
  const auto close = [](double a, double b) {
    return b != 0 && std::abs(a - b) <= 1e-10 * std::abs(b);
  };
  return close(x.bracket, y.bracket) && close(x.parentheses, y.parentheses);
}

void run(benchmark::State& state, int h, int p, Variant variant) {
  const Problem problem(h, p, variant);
  problem.launch();
  const Energies found = problem.energies();
  {
    // Freed before anything is timed: T3 may take most of the memory.
    const Problem other(h, p, variant == Variant::fused ? Variant::separate : Variant::fused);
    other.launch();
    if (!agree(found, other.energies())) return state.SkipWithError("wrong result");
  }
  const double bytes =
      8. * h * p * (2. * p * p * h + 2. * h * h * p);  // approximate size of the amplitudes
  time_launches(state, problem.flops(), bytes, [&] { problem.launch(); });
}

const Registered registered([] {
  constexpr struct {
    int h, p;
  } sizes[] = {{16, 16}, {24, 24}, {32, 32}, {40, 40}, {19, 37}};
  for (const auto& [h, p] : sizes) {
    const std::string n = std::to_string(h) + (h == p ? "" : "-" + std::to_string(p));
    const auto add = [h = h, p = p, n](const char* who, Variant variant) {
      add_benchmark("Triples/double/left/dynamic/memory/" + std::string(who) + "/" + n,
                    [=](benchmark::State& state) { run(state, h, p, variant); });
    };
    add("fused", Variant::fused);
    add("partial", Variant::partial);
    add("separate", Variant::separate);
    add("TTGT", Variant::ttgt);
  }
});

}  // namespace
