// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The triples energy of CCSD(T), as in example/ccsd_triples, with random amplitudes of h occupied
// and p virtual spin orbitals: all 18 contractions and the energies in one kernel (fused); in two,
// between which the nine sd1 are in memory (partial); each contraction by a call of `contract`
// from the host, and a kernel for the energies (separate). N is h, or h-p where they differ: no
// tile divides 19 and 37. cuBLAS' rate is in the rows of Tile.
#include "../../example/ccsd_triples/Triples.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using triples::Energies;
using triples::Part;

enum class Variant { fused, partial, separate };

class Problem {
 public:
  Problem(int h, int p, Variant variant) : variant_(variant) {
    x_ = triples::random_amplitudes(h, p);
    whole_ = {x_, false, {}};
    whole_.energy = Kokkos::View<Energies*>("energies of tiles", whole_.tile_count());
    if (variant != Variant::fused) {
      t3_ = decltype(t3_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "T3"), h, h, h, p, p, p);
    }
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
    } else {
      contract_each();
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
  Kokkos::View<double******, Right> t3_;
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
    // Gone before anything is timed: T3 may be most of the memory.
    const Problem other(h, p, variant == Variant::fused ? Variant::separate : Variant::fused);
    other.launch();
    if (!agree(found, other.energies())) return state.SkipWithError("wrong result");
  }
  const double bytes = 8. * h * p * (2. * p * p * h + 2. * h * h * p);  // of the amplitudes, about
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
  }
});

}  // namespace
