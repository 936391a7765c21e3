# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library is to reach on one core (all cores where that is said), as ratios within one run.

Of repetitions the fastest counts, for every benchmark alike: on a shared machine the others measure its neighbours.
"""

import collections
import dataclasses
import math

from results import part, ratio

COMPLEX = "complex<double>"
# Its algorithms for n x n Views of static extents: the one made for packs, and the faster one at each n.
KOKKOS_KERNELS = (("KK-blocked", "blocked"), ("KK", "the better algorithm"))


@dataclasses.dataclass
class Row:
    case: str
    bar: str
    values: dict  # where (n, or a name): (measured, to be reached)

    def worst(self):
        return min(self.values.items(), key=lambda item: item[1][0] / item[1][1])

    def missed(self):
        return [where for where, (measured, bar) in self.values.items() if measured < bar]

    def cells(self):
        """Verdict, and the worst as text."""
        if not self.values:
            return "no data", ""
        where, (measured, bar) = self.worst()
        missed = self.missed()
        text = f"{measured:.2f} of {bar:.2f} at {where}"
        if missed:
            text += f"; missed at {len(missed)} of {len(self.values)}"
        return "missed" if missed else "holds", text

    def text(self):
        verdict, worst = self.cells()
        kinds = collections.defaultdict(list)
        for where in self.missed():
            kind, _, n = str(where).rpartition(" ")
            kinds[kind].append(n)
        lines = [f"  {verdict:8} {self.case}: {self.bar}", f"{'':11}{worst}"]
        lines += [f"{'':13}{kind or 'n'}: {' '.join(ns)}" for kind, ns in kinds.items()]
        return "\n".join(line for line in lines if line.strip())


def against(values, bar):
    """bar: a number, or a function of n that returns None where there is none."""
    wanted = bar if callable(bar) else lambda n: bar
    return {n: (value, wanted(n)) for n, value in values.items() if wanted(n) is not None}


def joined(**parts):
    """Several kinds in one row: `kind n`."""
    return {f"{kind} {n}": v for kind, values in parts.items() for n, v in values.items()}


def gemm(element, layout="right", extents="static", regime="L2", concept="Gemm"):
    return (concept, element, layout, extents, regime)


def packs(results):
    peak = results.peak("one", results.pack)
    of_peak = lambda key: part(results.highest("one", key, "Serial"), peak)
    small = {3: 0.55, 4: 0.65, 5: 0.75}
    yield Row("packs, static, L1", "0.55, 0.65, 0.75 of the FMA peak at n = 3, 4, 5, 0.85 from 6 to 12",
              against(of_peak(gemm(results.pack, regime="L1")), lambda n: small.get(n, 0.85 if 6 <= n <= 12 else None)))
    bound = results.bound("one", gemm(results.pack))
    yield Row("packs, static, L2, n <= 5", "0.9 of min(FMA peak, moves-only)",
              against(ratio(results.highest("one", gemm(results.pack), "Serial"), bound),
                      lambda n: 0.9 if n <= 5 else None))
    yield Row("packs, static, L2, n >= 6", "0.85 of the FMA peak",
              against(of_peak(gemm(results.pack)), lambda n: 0.85 if n >= 6 else None))
    peak_kk = results.peak("kk", results.pack)
    for prefix, name in KOKKOS_KERNELS:
        peer = results.best("kk", gemm(results.pack), prefix)
        yield Row("packs, static, L2", f"3 x Kokkos Kernels' SIMD, {name}, where that is under 0.75 of the FMA peak",
                  against(ratio(results.highest("kk", gemm(results.pack), "Serial"), peer),
                          lambda n, peer=peer: 3 if 3 * peer[n] < 0.75 * peak_kk else None))
    rates = lambda **kind: results.highest("one", gemm(results.pack, **kind), "Serial")
    dynamic = {regime: against(ratio(rates(extents="dynamic", regime=regime), rates(regime=regime)),
                               lambda n: 0.8 if n >= 5 else None) for regime in ("L1", "L2")}
    yield Row("packs, dynamic, n >= 5", "0.8 of static", joined(**dynamic))


def ordinary(results):
    kinds = [(e, l) for e in ("double", "float") for l in ("right", "left")]
    for extents, bar in (("static", 1.0), ("dynamic", 0.7)):
        values = {f"{e} {l}": against(ratio(results.highest("one", gemm(e, l, extents), "Serial"),
                                            results.highest("one", gemm(e, l), "libxsmm")), bar) for e, l in kinds}
        yield Row(f"row-major and column-major, {extents}, L2", f"{bar} x libxsmm", joined(**values))
    values = {}
    for key in results.runs["one"]:
        if key.type == "double" and key.case.startswith("Gemm") and (
                key.case != "Gemm" or key.layout.endswith("padded")):
            plain = results.highest("one", gemm("double", extents=key.extents), "Serial")
            values[f"{key.case} {key.layout} {key.extents}"] = against(
                ratio(results.highest("one", key, "Serial"), plain), 0.7)
    yield Row("transposed and strided operands, L2", "0.7 of row-major", joined(**values))


def streaming(results):
    values = {}
    for run, regime in (("one", "memory"), ("all", "memory-all")):
        for element in (results.pack, "double"):
            bound = results.bound(run, gemm(element, regime=regime))
            values[f"{element} {regime}"] = against(
                ratio(results.highest(run, gemm(element, regime=regime), "Serial"), bound),
                lambda n: 0.9 if n <= 8 else None)
    yield Row("streaming, packs and ordinary, n <= 8", "0.9 of the bound from the bandwidth", joined(**values))


def fused(results):
    key = ("Fused", results.pack, "right", "static", "L2")
    for prefix, name in KOKKOS_KERNELS:
        yield Row("fused on packs, L2, n <= 8", f"3 x Kokkos Kernels' SIMD, {name}, to n = 6, 2.5 x from 7",
                  against(ratio(results.highest("kk", key, "tile"), results.best("kk", key, prefix)),
                          lambda n: 3 if n <= 6 else (2.5 if n <= 8 else None)))
    peak = results.peak("one", results.pack)
    yield Row("fused on packs, L2, n >= 8", "0.55 of the FMA peak, 0.65 from n = 16",
              against(part(results.highest("one", key, "tile"), peak),
                      lambda n: None if n < 8 else (0.55 if n < 16 else 0.65)))
    for who in ("tile", "stored"):
        values = {}
        ratios = []
        for element in (results.pack, "double"):
            key = ("Fused", element, "right", "static", "memory-all")
            bytes_ratio = ratio(*(results.highest("all", key, w, "byte/problem") for w in ("separate", who)))
            ratios += [f"{r:.2f}" for r in bytes_ratio.values()]
            for kind in (who, f"{who}-ahead"):
                values[f"{element} {kind}"] = against(
                    ratio(results.highest("all", key, kind), results.highest("all", key, "separate")),
                    lambda n, r=bytes_ratio: 2.2 if who == "tile" else 0.85 * r[n])
        text, factors = ("2.2 x", "not stored") if who == "tile" else ("0.85 of the byte ratio", "stored")
        yield Row(f"fused against four kernels, streaming, all cores, factors {factors}",
                  f"{text} (byte ratio {', '.join(sorted(set(ratios)))})", joined(**values))


def complex_numbers(results):
    peak = results.peak("one", "double")
    values = {}
    for element, real in ((f"Pack<{COMPLEX},4>", results.pack), (COMPLEX, "double")):
        for regime in ("L1", "L2"):
            real_part = part(results.highest("one", gemm(real, regime=regime), "Serial"), peak)
            complex_part = part(results.highest("one", gemm(element, regime=regime), "Serial"), peak)
            values[f"{element} {regime}"] = {n: (p, real_part[n] - 0.1) for n, p in complex_part.items()
                                             if real_part.get(n, 0) > 0.1}
    yield Row("complex, packs and ordinary, static", "the real figures, as parts of the FMA peak, less 0.1",
              joined(**values))


def tccg(results):
    for run, cores in (("one", "one core"), ("all", "all cores")):
        key = ("TCCG", "double", "left", "dynamic", "memory" if run == "one" else "memory-all")
        values = ratio(results.highest(run, key, "contract"), results.highest(run, key, "TTGT"))
        yield Row(f"TCCG, {cores}, each", "0.7 x TTGT with OpenBLAS", against(values, 0.7))
        mean = math.exp(sum(map(math.log, values.values())) / len(values)) if values else 0
        yield Row(f"TCCG, {cores}, geometric mean of {len(values)}", "1.0 x TTGT with OpenBLAS",
                  {"all": (mean, 1.0)} if values else {})


def native_packs(results, concept):
    """The keys of a concept's packs in L2, which are as long as a register."""
    return [key for key in results.runs["kk"] if key.case == concept and key.place == "L2"]


def block_solver(results):
    for key in native_packs(results, "BlockSolver"):
        measured = results.highest("kk", key, "Team")
        yield Row(f"block-tridiagonal lines, {key.type}, L2",
                  "2 x Kokkos Kernels, the better algorithm, to n = 8, 1.6 x at 16",
                  against(ratio(measured, results.best("kk", key, "KK")),
                          lambda n: 2 if n <= 8 else (1.6 if n == 16 else None)))
        # Straight lines between the sizes that are multiples of four: no size is to fall out of line.
        smooth = {}
        for n in measured:
            low, high = max((m for m in measured if m % 4 == 0 and m < n), default=0), 4 * -(-n // 4)
            if n % 4 and low in measured and high in measured:
                along = (n - low) / (high - low)
                smooth[n] = (1 - along) * measured[low] + along * measured[high]
        yield Row(f"block-tridiagonal lines, {key.type}, L2", "1 / 1.15 of the line through n = 4, 8, 12, 16",
                  against(ratio(measured, smooth), 1 / 1.15))


def small_dense(results):
    peak = results.peak("kk", "double")
    values = {}
    for concept in ("Gemv", "InverseLU", "SolveLU"):
        for key in native_packs(results, concept):
            peer = results.best("kk", key, "KK")
            values[concept] = against(ratio(results.highest("kk", key, "Serial"), peer),
                                      lambda n, peer=peer: 3 if peer[n] < 0.6 * peak else None)
    yield Row("small dense routines on packs, L2",
              "3 x Kokkos Kernels, the better algorithm, where that is under 0.6 of the FMA peak", joined(**values))


def small_products(results):
    """Beside the better one of what is compared with, so that no size is to fall back."""
    for prefix, name in (("loop", "plain loops"), ("KK", "Kokkos Kernels, the better algorithm")):
        values = {}
        for key in results.runs["kk"]:
            if key.case.startswith("Small-") and key.extents == "static":
                measured = results.highest("kk", key, "Serial")
                values[f"{key.case} {key.type}"] = against(ratio(measured, results.best("kk", key, prefix)), 1.0)
        yield Row("products of up to 6 rows, static, L1", f"1.0 x {name}", joined(**values))


def varied_sizes(results):
    values = {}
    for regime in ("L2", "memory"):
        key = lambda extents: ("VariedSizes", "double", "right", extents, regime)
        values[regime] = against(ratio(results.highest("one", key("dynamic"), "varied"),
                                       results.highest("one", key("static"), "padded")), 1.0)
    yield Row("sizes from 2 to n in one batch", "1.0 x padding to n", joined(**values))


def rows(results):
    parts = (packs, ordinary, streaming, fused, complex_numbers, block_solver, small_dense, small_products,
             varied_sizes, tccg)
    return [row for part in parts for row in part(results)]
