// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The triples energy of CCSD(T), as in example/ccsd_triples: 18 contractions that are added to a
// tile of six indices, then singles and energies. It is compared with the usual method. For each of
// the nine partitions of the indices, OpenBLAS computes a product of matrices, whose elements are
// then added in T3's order. T3 is in memory. N is the number of occupied orbitals, and of virtual
// ones, except for 19 (a ragged case): 37.
#include <cblas.h>

#include "../../example/ccsd_triples/Triples.hpp"
#include "../TriplesPartitions.hpp"
#include "Perf.hpp"

namespace {

using namespace perf;
using triples::Amplitudes;
using triples::Energies;
using triples::Index;
using TileKernel = triples::Kernel<Member>;

/// A part of T3: all of p, and of h the indices of a tile from `origin` on.
struct Part {
  Index origin{}, extent{};
};

// --- Products of matrices -----------------------------------------------------------------------

using namespace t3;

/// By OpenBLAS. The sums of sd2 and sd1 follow each other, so that there is one product for both.
/// T3's fastest index a is that of the products, too.
class Products {
 public:
  Products(const Amplitudes& x, std::size_t elements)
      : x_(x), terms_(x.occupied() + x.virtuals()), t3_("T3", elements), sums_("sums", elements) {
    openblas_set_num_threads(threads());
  }

  Energies operator()(const Part& part) {
    bool first = true;
    for (const Partition& n : partitions) {
      add(n, part, first);
      first = false;
    }
    return energies(part);
  }

 private:
  Amplitudes x_;
  int terms_;
  Storage<double> t3_, sums_;
  std::vector<double> one_, other_;

  void add(const Partition& n, const Part& part, bool first) {
    const auto size = [&](int l) { return part.extent[l]; };
    const auto at = [&](int l, int d) { return part.origin[l] + d; };
    const int rows = size(n.p) * size(n.x) * size(n.y);
    const int cols = size(n.r) * size(n.q) * size(n.z);
    one_.resize(static_cast<std::size_t>(rows) * terms_);
    other_.resize(static_cast<std::size_t>(cols) * terms_);
    const int v = x_.virtuals();
    const int o = x_.occupied();
    double* to = one_.data();
    for (int y = 0; y < size(n.y); ++y) {
      for (int x = 0; x < size(n.x); ++x) {
        for (int p = 0; p < size(n.p); ++p, to += terms_) {
          std::copy_n(&x_.t2_p(0, at(n.p, p), at(n.x, x), at(n.y, y)), v, to);
          std::copy_n(&x_.v2_h(0, at(n.y, y), at(n.x, x), at(n.p, p)), o, to + v);
        }
      }
    }
    to = other_.data();
    for (int z = 0; z < size(n.z); ++z) {
      for (int q = 0; q < size(n.q); ++q) {
        for (int r = 0; r < size(n.r); ++r, to += terms_) {
          std::copy_n(&x_.v2_p(0, at(n.z, z), at(n.q, q), at(n.r, r)), v, to);
          std::copy_n(&x_.t2_h(0, at(n.r, r), at(n.q, q), at(n.z, z)), o, to + v);
        }
      }
    }
    const bool a_in_one = n.is_a_in_one();
    const int m = a_in_one ? rows : cols;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, a_in_one ? cols : rows, terms_, n.sign,
                a_in_one ? one_.data() : other_.data(), terms_,
                a_in_one ? other_.data() : one_.data(), terms_, 0, sums_.data(), m);
    const auto letters = n.letters();
    std::ptrdiff_t stride[6];
    std::ptrdiff_t next = 1;
    for (int l = 5; l >= 0; --l) {
      stride[l] = next;
      next *= size(l);
    }
    const double* from = sums_.data();
    const auto line = [&](double* target) {
      if (first) {
        std::copy_n(from, size(a), target);
      } else {
        for (int d = 0; d < size(a); ++d) target[d] += from[d];
      }
      from += size(a);
    };
    for (int d5 = 0; d5 < size(letters[5]); ++d5) {
      for (int d4 = 0; d4 < size(letters[4]); ++d4) {
        for (int d3 = 0; d3 < size(letters[3]); ++d3) {
          for (int d2 = 0; d2 < size(letters[2]); ++d2) {
            for (int d1 = 0; d1 < size(letters[1]); ++d1) {
              line(t3_.data() + d5 * stride[letters[5]] + d4 * stride[letters[4]] +
                   d3 * stride[letters[3]] + d2 * stride[letters[2]] + d1 * stride[letters[1]]);
            }
          }
        }
      }
    }
  }

  Energies energies(const Part& part) const {
    const double* d = t3_.data();
    const auto at = [&](int l, int n) { return part.origin[l] + n; };
    double bracket = 0;
    double parentheses = 0;
    for (int dk = 0; dk < part.extent[k]; ++dk) {
      for (int dj = 0; dj < part.extent[j]; ++dj) {
        for (int di = 0; di < part.extent[i]; ++di) {
          const int hk = at(k, dk), hj = at(j, dj), hi = at(i, di);
          for (int pc = 0; pc < part.extent[c]; ++pc) {
            for (int pb = 0; pb < part.extent[b]; ++pb) {
              const double e = x_.e_occupied(hk) + x_.e_occupied(hj) + x_.e_occupied(hi) -
                               x_.e_virtual(pc) - x_.e_virtual(pb);
#pragma omp simd reduction(+ : bracket, parentheses)
              for (int pa = 0; pa < part.extent[a]; ++pa) {
                const auto& t = x_.t1;
                const auto& v = x_.v2_s;
                const double s = -t(pa, hk) * v(hj, hi, pc, pb) - t(pa, hi) * v(hk, hj, pc, pb) +
                                 t(pa, hj) * v(hk, hi, pc, pb) + t(pb, hk) * v(hj, hi, pc, pa) +
                                 t(pb, hi) * v(hk, hj, pc, pa) - t(pb, hj) * v(hk, hi, pc, pa) -
                                 t(pc, hk) * v(hj, hi, pb, pa) - t(pc, hi) * v(hk, hj, pb, pa) +
                                 t(pc, hj) * v(hk, hi, pb, pa);
                const double ratio = d[pa] / (e - x_.e_virtual(pa));
                bracket += d[pa] * ratio;
                parentheses += (d[pa] + s) * ratio;
              }
              d += part.extent[a];
            }
          }
        }
      }
    }
    return {bracket, parentheses};
  }
};

// --- Benchmarks ---------------------------------------------------------------------------------

/// The tiles of the first `parts` parts.
struct Problem {
  TileKernel kernel;
  int teams;
  std::vector<Part> parts;

  Problem(int o, int v, int most_parts) : kernel{triples::random_amplitudes(o, v), false, {}} {
    const int of_part = kernel.tiles(c) * kernel.tiles(b) * kernel.tiles(a);
    teams = std::min(most_parts * of_part, kernel.tile_count());
    kernel.energy = Kokkos::View<Energies*>("energies of tiles", teams);
    for (int n = 0; n < teams / of_part; ++n) {
      Part part{{0, 0, 0, 0, 0, 0}, {0, 0, 0, v, v, v}};
      int rest = n;
      for (int l = i; l >= k; --l) {
        const int width = TileKernel::Shape::extent(l);
        part.origin[l] = rest % kernel.tiles(l) * width;
        part.extent[l] = std::min(width, o - part.origin[l]);
        rest /= kernel.tiles(l);
      }
      parts.push_back(part);
    }
  }

  std::size_t elements(const Part& part) const {
    std::size_t n = 1;
    for (const int extent : part.extent) n *= static_cast<std::size_t>(extent);
    return n;
  }
  Work work() const {
    double flops = 0;
    for (const Part& part : parts) {
      flops +=
          18.0 * static_cast<double>(elements(part)) * (kernel.x.occupied() + kernel.x.virtuals());
    }
    return {flops, 0};
  }

  Energies by_tiles() const {
    Kokkos::parallel_for("triples", kernel.policy(teams), kernel);
    Kokkos::fence();
    Energies sum;
    for (int n = 0; n < teams; ++n) sum = sum + kernel.energy(n);
    return sum;
  }
};

bool agree(const Energies& x, const Energies& y) {
  const auto close = [](double one, double other) {
    return std::abs(one - other) <= 1e-10 * std::abs(other);
  };
  return close(x.bracket, y.bracket) && close(x.parentheses, y.parentheses);
}

template <class Run>
void time_triples(benchmark::State& state, const Problem& problem, const Run& run) {
  for (auto _ : state) {
    Energies result = run();
    benchmark::DoNotOptimize(result);
  }
  const Work work = problem.work();
  count(state, 1, work);
  // Measured next to it: the machine's clock may change between benchmarks.
  state.counters["of peak"] =
      benchmark::Counter(work.flops / fma_rate(), benchmark::Counter::kIsIterationInvariantRate);
}

void add(int o, int v, int most_parts) {
  const auto name = [&](const char* who) {
    return std::string("Triples/double/left/dynamic/L2/") + who + "/" + std::to_string(o);
  };
  add_benchmark(name("TeamTile"), [=](benchmark::State& state) {
    const Problem problem(o, v, most_parts);
    Products products(problem.kernel.x, problem.elements(problem.parts[0]));
    Energies expected;
    for (const Part& part : problem.parts) expected = expected + products(part);
    if (!agree(problem.by_tiles(), expected)) return state.SkipWithError("wrong energies");
    time_triples(state, problem, [&] { return problem.by_tiles(); });
  });
  add_benchmark(name("TTGT"), [=](benchmark::State& state) {
    const Problem problem(o, v, most_parts);
    Products products(problem.kernel.x, problem.elements(problem.parts[0]));
    time_triples(state, problem, [&] {
      Energies sum;
      for (const Part& part : problem.parts) sum = sum + products(part);
      return sum;
    });
  });
}

const Registered registered([] {
  add(16, 16, 64);
  add(24, 24, 8);
  add(32, 32, 4);
  add(19, 37, 2);
});

}  // namespace
