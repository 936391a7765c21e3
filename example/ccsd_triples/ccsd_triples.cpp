// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The triples energy of CCSD(T) of a water molecule, compared with PySCF's result, or of random
// amplitudes of any size, for measurements. The 18 contractions of six indices are added to tiles
// that stay in registers. The energies are computed there: T3 is never in memory.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "../Options.hpp"
#include "Triples.hpp"

#ifndef CCSD_TRIPLES_DATA  // CMake knows the path
#define CCSD_TRIPLES_DATA "water_631g.kct"
#endif

namespace {

using namespace triples;
using Member = Kokkos::TeamPolicy<>::member_type;

struct Options {
  std::string data = CCSD_TRIPLES_DATA;
  int occupied = 0, virtuals = 0;  // for random amplitudes; 0: read the data
  int repeat = 5;
  std::string variant = "fused";
};

constexpr const char* usage =
    "ccsd_triples [--data FILE] [--scale O V] [--repeat N] [--variant NAME]\n"
    "  --data FILE   what make_triples.py wrote (default: water in 6-31G)\n"
    "  --scale O V   random amplitudes with O occupied and V virtual spin orbitals instead\n"
    "  --repeat N    the shortest of N times is printed (default 5)\n"
    "  --variant NAME  fused: one kernel (default); partial: sd1 in one, sd2 and the energies in "
    "another;\n"
    "                  sd1, sd2: one kernel with these nine of the terms\n";

/// The contents of a file, array by array.
class Reader {
 public:
  explicit Reader(const std::string& name) : file_(name, std::ios::binary) {}
  template <class T>
  T number() {
    T x{};
    file_.read(reinterpret_cast<char*>(&x), sizeof(T));
    return x;
  }
  template <class View>
  void fill(const View& view) {
    fill_packed(view);
  }
  /// Fills a tensor that may have gaps.
  void fill(const Tensor<double****>& x) {
    const Tensor<double****> packed("a tensor of the file", x.extent(0), x.extent(1), x.extent(2),
                                    x.extent(3));
    fill_packed(packed);
    Kokkos::deep_copy(x, packed);
  }
  bool is_good() const { return file_.good(); }

 private:
  template <class View>
  void fill_packed(const View& view) {
    const auto host = Kokkos::create_mirror_view(view);
    file_.read(reinterpret_cast<char*>(host.data()),
               static_cast<std::streamsize>(host.span() * sizeof(double)));
    Kokkos::deep_copy(view, host);
  }
  std::ifstream file_;
};

struct Reference {
  bool is_there = false;
  Energies energies;
};

bool read_file(const std::string& name, Amplitudes& x, Reference& reference) {
  Reader reader(name);
  char magic[8];
  for (char& c : magic) c = reader.number<char>();
  const auto version = reader.number<unsigned>();
  const auto order = reader.number<unsigned>();
  if (!reader.is_good() || std::memcmp(magic, "KCTRIPLE", 8) != 0 || version != 1 || order != 0) {
    std::printf("%s is no file of make_triples.py\n", name.c_str());
    return false;
  }
  const auto o = static_cast<int>(reader.number<unsigned>());
  const auto v = static_cast<int>(reader.number<unsigned>());
  (void)reader.number<unsigned>();
  (void)reader.number<unsigned>();
  std::printf("Hartree-Fock energy    %.12f\n", reader.number<double>());
  std::printf("CCSD correlation       %.12f\n", reader.number<double>());
  reference.is_there = true;
  reference.energies.bracket = reader.number<double>();
  reference.energies.parentheses = reader.number<double>();
  x = allocate(o, v);
  reader.fill(x.e_occupied);
  reader.fill(x.e_virtual);
  reader.fill(x.t1);
  reader.fill(x.t2_p);
  reader.fill(x.v2_p);
  reader.fill(x.t2_h);
  // The file has v2[h_c, h_b, p_a, m]; the summed index becomes the fastest.
  Tensor<double****> v2("v2[h, h, p, m]", o, o, v, o);
  reader.fill(v2);
  const auto to = x.v2_h;
  Kokkos::parallel_for(
      Kokkos::MDRangePolicy<Kokkos::Rank<4>>({0, 0, 0, 0}, {o, o, v, o}),
      KOKKOS_LAMBDA(int c, int b, int a, int m) { to(m, c, b, a) = v2(c, b, a, m); });
  reader.fill(x.v2_s);
  if (!reader.is_good()) std::printf("%s is too short\n", name.c_str());
  return reader.is_good();
}

bool is_close(const char* what, double x, double reference) {
  const double error = std::abs(x - reference);
  const bool passed = error <= 1e-10;
  std::printf("%s %.12f, PySCF's %.12f, difference %.1e <= 1e-10 Hartree  %s\n", what, x, reference,
              error, passed ? "ok" : "FAILED");
  return passed;
}

int run(const Options& options) {
  Amplitudes x;
  Reference reference;
  if (options.occupied > 0) {
    x = random_amplitudes(options.occupied, options.virtuals);
  } else if (!read_file(options.data, x, reference)) {
    return 1;
  }
  const bool ordered = reference.is_there;
  const double o = x.occupied();
  const double v = x.virtuals();
  std::printf("%d occupied and %d virtual spin orbitals, %s\n", x.occupied(), x.virtuals(),
              ordered ? "i < j < k and a < b < c" : "random amplitudes, all triples");

  const std::string& variant = options.variant;
  const bool has_sd1 = variant != "sd2", has_sd2 = variant != "sd1";
  const bool is_partial = variant == "partial";
  if (has_sd1 && has_sd2 && !is_partial && variant != "fused") {
    std::fputs(usage, stderr);
    return 1;
  }
  Kernel<Member> kernel{has_sd1 ? (has_sd2 ? x : without_sd2(x)) : without_sd1(x), ordered, {}};
  kernel.energy = Kokkos::View<Energies*>("energies of tiles", kernel.tile_count());
  Kernel<Member, Part::first> first{without_sd2(x), ordered, {}};
  Kernel<Member, Part::second> second{without_sd1(x), ordered, kernel.energy};
  if (is_partial) {
    const int h = x.occupied(), p = x.virtuals();
    first.t3 = second.t3 =
        decltype(first.t3)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "T3"), h, h, h, p, p, p);
  }
  double shortest = 0;
  for (int n = 0; n < options.repeat; ++n) {
    const Kokkos::Timer timer;
    if (is_partial) {
      Kokkos::parallel_for("triples: sd1", first.policy(), first);
      Kokkos::parallel_for("triples: sd2", second.policy(), second);
    } else {
      Kokkos::parallel_for("triples", kernel.policy(), kernel);
    }
    Kokkos::fence();
    const double seconds = timer.seconds();
    shortest = n == 0 || seconds < shortest ? seconds : shortest;
  }
  // The tiles are added in order, so that each run gives the same bits.
  const auto energies = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.energy);
  Energies sum;
  for (std::size_t tile = 0; tile < energies.extent(0); ++tile) sum = sum + energies(tile);
  std::printf("E[T] %.12f  E(T) %.12f  %.3f ms", sum.bracket, sum.parentheses, 1e3 * shortest);
  if (!ordered) {
    const double operations =
        2 * o * o * o * v * v * v * (9 + (has_sd1 ? 9 * o : 0) + (has_sd2 ? 9 * v : 0));
    std::printf("  %.1f GFLOP/s", 1e-9 * operations / shortest);
  }
  std::printf("\n");
  if (!reference.is_there || !has_sd1 || !has_sd2) return 0;
  const bool bracket = is_close("E[T]", sum.bracket, reference.energies.bracket);
  const bool parentheses = is_close("E(T)", sum.parentheses, reference.energies.parentheses);
  return bracket && parentheses ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace example::option;
  Options options;
  if (const auto status = example::read_options(
          argc, argv, usage,
          {{"--data", {text(options.data)}},
           {"--scale", {number(options.occupied, 1, 999), number(options.virtuals, 1, 999)}},
           {"--repeat", {number(options.repeat, 1, 999)}},
           {"--variant", {text(options.variant)}}}))
    return *status;
  const Kokkos::ScopeGuard guard(argc, argv);
  return run(options);
}
