// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The triples energy of CCSD(T) of a water molecule, compared with PySCF's result, or of random
// amplitudes of any size, for measurements. The 18 contractions of six indices are added to tiles
// that stay in registers. The energies are computed there: T3 is never in memory. Ranks of MPI
// share the tiles; README.md says how.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../Options.hpp"
#include "../Ranks.hpp"
#include "Inputs.hpp"
#include "Triples.hpp"
#include "WorkList.hpp"

#ifndef CCSD_TRIPLES_DATA  // CMake knows the path
#define CCSD_TRIPLES_DATA "water_631g.kct"
#endif

namespace {

using namespace triples;
using Space = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

struct Options {
  InputOptions inputs{CCSD_TRIPLES_DATA};
  int repeat = 5;
  std::string variant = "fused";
  bool ordered = false;
  bool exact = false;

  bool has_sd1() const { return variant != "sd2"; }
  bool has_sd2() const { return variant != "sd1"; }
  bool is_partial() const { return variant == "partial"; }
  void check() const {
    if (has_sd1() && has_sd2() && !is_partial() && variant != "fused")
      throw std::invalid_argument("option --variant: bad value '" + variant + "'");
    const std::string& replicate = inputs.replicate;
    if (replicate != "yes" && replicate != "no" && replicate != "auto")
      throw std::invalid_argument("option --replicate: bad value '" + replicate + "'");
    if (replicate == "no" && !can_spread)
      throw std::invalid_argument("option --replicate: without MPI there are no other ranks");
  }
};

constexpr const char* usage =
    "ccsd_triples [--data FILE] [--scale O V] [--repeat N] [--variant NAME]\n"
    "             [--ordered] [--replicate yes|no|auto] [--memory BYTES] [--exact]\n"
    "  --data FILE   what make_triples.py wrote (default: water in 6-31G)\n"
    "  --scale O V   random amplitudes with O occupied and V virtual spin orbitals instead\n"
    "  --repeat N    the shortest of N times is printed (default 5)\n"
    "  --variant NAME  fused: one kernel (default); partial: sd1 in one, sd2 and the energies in "
    "another;\n"
    "                  sd1, sd2: one kernel with these nine of the terms\n"
    "  --ordered     of random amplitudes too, only i < j < k and a < b < c\n"
    "  --replicate yes|no|auto  each rank has all tensors, or blocks of virtual orbitals that it "
    "gets from\n"
    "                  others; auto: all if they fit (default)\n"
    "  --memory BYTES  memory of a rank for tensors (default: half of its share of the node or "
    "GPU)\n"
    "  --exact         the energies' bits too, as hexadecimal numbers\n";

bool is_close(const char* what, double x, double reference) {
  const double error = std::abs(x - reference);
  const bool passed = error <= 1e-10;
  std::printf("%s %.12f, PySCF's %.12f, difference %.1e <= 1e-10 Hartree  %s\n", what, x, reference,
              error, passed ? "ok" : "FAILED");
  return passed;
}

/// The kernels of a variant, for the tiles of chunks.
class Variant {
 public:
  Variant(const Options& options, const Amplitudes& x, bool ordered)
      : is_partial_(options.is_partial()),
        kernel_{options.has_sd1() ? (options.has_sd2() ? x : without_sd2(x)) : without_sd1(x),
                ordered,
                {}},
        first_{without_sd2(x), ordered, {}},
        second_{without_sd1(x), ordered, {}} {
    kernel_.energy = second_.energy =
        Kokkos::View<Energies*>("energies of tiles", kernel_.tile_count());
    if (is_partial_) {
      const int h = x.occupied(), p = x.held_virtuals();
      first_.t3 = second_.t3 = decltype(first_.t3)(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "T3"), h, h, h, p, p, p);
    }
  }
  const Kernel<Member>& kernel() const { return kernel_; }

  /// Starts the kernels.
  void launch(const Space& space, const Kokkos::View<const int*>& numbers, const Index& shift) {
    if (is_partial_) {
      launch("triples: sd1", first_, space, numbers, shift);
      launch("triples: sd2", second_, space, numbers, shift);
    } else {
      launch("triples", kernel_, space, numbers, shift);
    }
  }

 private:
  template <Part part>
  static void launch(const char* name, Kernel<Member, part>& kernel, const Space& space,
                     const Kokkos::View<const int*>& numbers, const Index& shift) {
    kernel.numbers = numbers;
    kernel.shift = shift;
    // The hint keeps the kernel out of CUDA's constant memory, which has room for one at a time.
    Kokkos::parallel_for(
        name,
        Kokkos::Experimental::require(kernel.policy(space, numbers.extent_int(0)),
                                      Kokkos::Experimental::WorkItemProperty::HintLightWeight),
        kernel);
  }

  bool is_partial_;
  Kernel<Member> kernel_;
  Kernel<Member, Part::first> first_;
  Kernel<Member, Part::second> second_;
};

/// The energies of all ranks' tiles, which are added in order, so that each run gives the same
/// bits.
Energies add_tiles(const example::Ranks& ranks, const Kokkos::View<Energies*>& of_rank) {
  const auto of_tiles = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_rank);
  constexpr std::size_t most = 1 << 20;
  for (std::size_t begin = 0; begin < of_tiles.extent(0); begin += most) {
    // A tile's energy is zero on all ranks but one.
    const std::size_t count = std::min(most, of_tiles.extent(0) - begin);
    ranks.sum(&of_tiles(begin).bracket, static_cast<int>(2 * count));
  }
  Energies sum;
  for (std::size_t tile = 0; tile < of_tiles.extent(0); ++tile) sum = sum + of_tiles(tile);
  return sum;
}

/// Two streams of a GPU, or the only one of a host.
std::vector<Space> streams_of_device() {
  if (on_host<Member>) return {Space()};
  return Kokkos::Experimental::partition_space(Space(), std::vector<int>{1, 1});
}

/// Computes the tiles that this rank gets. Returns how many. A GPU begins with a chunk while it
/// ends the one before.
int compute_tiles(const WorkList& work, Counter& counter, Inputs& inputs, Variant& variant,
                  const std::vector<Space>& streams) {
  int tiles = 0;
  const std::size_t chunks = work.chunks.size();
  for (std::size_t turn = 0;; ++turn) {
    const Space& stream = streams[turn % streams.size()];
    stream.fence();
    const auto n = static_cast<std::size_t>(counter.next());
    if (n >= chunks) break;
    const Chunk& chunk = work.chunks[n];
    if (!inputs.is_replicated()) Kokkos::fence();  // the other chunk reads blocks, too
    variant.launch(stream, work.numbers_of(chunk), inputs.hold(chunk.block));
    tiles += chunk.end - chunk.begin;
  }
  Kokkos::fence();
  return tiles;
}

void print_shares(const example::Ranks& ranks, int tiles, const Inputs& inputs) {
  double bytes = inputs.fetched_bytes();
  ranks.sum(&bytes, 1);
  std::printf("%d to %d tiles a rank", static_cast<int>(ranks.min(tiles)),
              static_cast<int>(ranks.max(tiles)));
  if (!inputs.is_replicated()) std::printf(", %.3f MB fetched", 1e-6 * bytes);
  std::printf("\n");
}

void print_problem(const example::Ranks& ranks, const Inputs& inputs, bool ordered) {
  const Amplitudes& x = inputs.held();
  if (const File::Header* of = inputs.header()) {
    std::printf("Hartree-Fock energy    %.12f\n", of->hartree_fock);
    std::printf("CCSD correlation       %.12f\n", of->ccsd);
  }
  std::printf("%d occupied and %d virtual spin orbitals, %s%s\n", x.occupied(), x.virtuals(),
              inputs.header() ? "" : "random amplitudes, ",
              ordered ? "i < j < k and a < b < c" : "all triples");
  const Blocks& blocks = inputs.blocks();
  if (!inputs.is_replicated())
    std::printf("%d rank(s), each with room for %d of %d blocks of %d virtual orbitals\n",
                ranks.size(), blocks.slots, blocks.count(), blocks.length);
  else if (ranks.size() > 1)
    std::printf("%d ranks, each with all tensors\n", ranks.size());
}

int run(const example::Ranks& ranks, const Options& options) {
  ranks.together([&] { options.check(); });
  Inputs inputs(ranks, options.inputs, TileShape<Member>::p);
  const Amplitudes& x = inputs.held();
  const bool ordered = options.ordered || inputs.header() != nullptr;
  print_problem(ranks, inputs, ordered);
  std::unique_ptr<Variant> variant;
  std::unique_ptr<WorkList> work;
  ranks.together([&] {
    variant = std::make_unique<Variant>(options, x, ordered);
    work = std::make_unique<WorkList>(variant->kernel(), inputs.blocks().length, ranks.size());
  });
  const std::vector<Space> streams = streams_of_device();
  Counter counter(ranks);
  double shortest = 0;
  int tiles = 0;
  for (int n = 0; n < options.repeat; ++n) {
    Kokkos::deep_copy(variant->kernel().energy, Energies{});
    counter.restart();
    const Kokkos::Timer timer;
    tiles = compute_tiles(*work, counter, inputs, *variant, streams);
    ranks.wait_for_all();
    const double seconds = timer.seconds();
    shortest = n == 0 || seconds < shortest ? seconds : shortest;
  }
  const Energies sum = add_tiles(ranks, variant->kernel().energy);
  std::printf("E[T] %.12f  E(T) %.12f  %.3f ms", sum.bracket, sum.parentheses, 1e3 * shortest);
  if (!ordered) {
    const double o = x.occupied(), v = x.virtuals();
    const double operations =
        2 * o * o * o * v * v * v *
        (9 + (options.has_sd1() ? 9 * o : 0) + (options.has_sd2() ? 9 * v : 0));
    std::printf("  %.1f GFLOP/s", 1e-9 * operations / shortest);
  }
  std::printf("\n");
  if (options.exact) std::printf("exactly %a %a\n", sum.bracket, sum.parentheses);
  if (ranks.size() > 1) print_shares(ranks, tiles, inputs);
  if (!inputs.header() || !options.has_sd1() || !options.has_sd2()) return 0;
  const Energies& reference = inputs.header()->reference;
  const bool bracket = is_close("E[T]", sum.bracket, reference.bracket);
  const bool parentheses = is_close("E(T)", sum.parentheses, reference.parentheses);
  return bracket && parentheses ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace example::option;
  const example::Ranks ranks(argc, argv);
  return ranks.run([&] {
    Options options;
    InputOptions& inputs = options.inputs;
    if (const auto status = ranks.read_options(
            argc, argv, usage,
            {{"--data", {text(inputs.data)}},
             {"--scale", {number(inputs.occupied, 1, 999), number(inputs.virtuals, 1, 999)}},
             {"--repeat", {number(options.repeat, 1, 999)}},
             {"--variant", {text(options.variant)}},
             {"--replicate", {text(inputs.replicate)}},
             {"--memory", {number(inputs.memory, 1.0, 1e18)}},
             {"--ordered", {}, [&] { options.ordered = true; }},
             {"--exact", {}, [&] { options.exact = true; }}}))
      return *status;
    const Kokkos::ScopeGuard guard(argc, argv);
    return run(ranks, options);
  });
}
