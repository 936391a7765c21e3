# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of the results, GFLOP/s against n, and the page in docs that shows some of them."""

import pathlib
import shutil

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None

PROJECT = pathlib.Path(__file__).resolve().parents[2]
COLORS = {"static": "#0b5fa5", "dynamic": "#56a5e0", "packed": "#7b3fa0", "tile": "#0b5fa5", "stored": "#56a5e0",
          "separate": "#7b3fa0", "libxsmm": "#d1495b", "Eigen": "#2e933c", "OpenBLAS": "#e0942f", "KK": "#8c6d46",
          "loop": "#888888"}
# Those that docs/performance.md shows.
SHOWN = ("Gemm-double-right-L2", "Gemm-double-left-L2", "Gemm-float-right-L2", "Gemm-Pack_double_4-right-L1",
         "Gemm-Pack_double_4-right-L2", "Gemm-Pack_double_4-right-memory", "Fused-Pack_double_4-right-L2", "TCCG-one",
         "TCCG-all")


def curves(results, run, concept, element, layout, regime):
    """(label, colour, line style, {n: rate}) of everything that belongs into one chart."""
    for key, by_who in sorted(results.rates[run].items(), key=lambda item: item[0].extents, reverse=True):
        if (key.concept, key.type, key.layout, key.regime) != (concept, element, layout, regime):
            continue
        for who, rates in by_who.items():
            if who == "Serial":
                yield f"KokkosContract, {key.extents}", COLORS[key.extents], "-", rates
            elif who in ("tile", "stored", "separate"):
                yield f"KokkosContract, {who}", COLORS[who], "-", rates
            elif key.extents == "static" and who in COLORS and (who != "loop" or "unit-loop" not in by_who):
                yield who, COLORS[who], "--", rates
        if key.extents == "static":
            peer = results.best("one", key, "KK") or results.best("kk", key, "KK")
            loops = results.best("one", key, "unit-loop")
            for label, color, rates in (("Kokkos Kernels SIMD" if "Pack" in element else "Kokkos Kernels",
                                         COLORS["KK"], peer), ("loop by hand", COLORS["loop"], loops)):
                if rates:
                    yield label, color, "--", rates


def line_chart(results, run, concept, element, layout, regime):
    found = list(curves(results, run, concept, element, layout, regime))
    sizes = sorted({n for _, _, _, rates in found for n in rates})
    if len(sizes) < 2:
        return None
    figure, axes = pyplot.subplots(figsize=(7, 4.3), layout="constrained")
    bound = results.bound(run, (concept, element, layout, "static", regime)) if concept.startswith("Gemm") else {}
    peak = results.peak(run, element)
    bound = {n: r for n, r in bound.items() if n in sizes} or {n: peak for n in sizes}
    where = {n: i for i, n in enumerate(sizes)}  # equally spaced, so that small n can be told apart
    axes.plot([where[n] for n in sorted(bound)], [bound[n] / 1e9 for n in sorted(bound)], color="black", linewidth=1,
              label="bound: FMA peak, moving the data" if concept.startswith("Gemm") else "bound: FMA peak")
    for label, color, style, rates in found:
        points = sorted(rates)
        axes.plot([where[n] for n in points], [rates[n] / 1e9 for n in points], style, color=color, label=label,
                  marker="o", markersize=3.5, linewidth=2 if style == "-" else 1.2)
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    axes.set_xlabel("n")
    axes.set_ylabel("GFLOP/s")
    axes.set_ylim(bottom=0)
    cores = "all cores" if run == "all" else "one core"
    axes.set_title(f"{concept}, {element}, {layout}, {regime}, {cores}", fontsize=10)
    axes.grid(alpha=0.3)
    figure.legend(fontsize=7.5, ncols=4, loc="outside lower center")
    return figure


def tccg_chart(rates, peer, peak, title):
    """rates: {who: {number: GFLOP/s}}"""
    numbers = sorted(rates.get("contract", {}))
    if not numbers:
        return None
    figure, axes = pyplot.subplots(figsize=(11, 4), layout="constrained")
    for i, (who, label, color) in enumerate((("contract", "KokkosContract", COLORS["static"]),
                                             ("TTGT", f"TTGT with {peer}", COLORS["OpenBLAS"]))):
        axes.bar([n + 0.4 * i - 0.2 for n in numbers], [rates.get(who, {}).get(n, 0) for n in numbers], 0.4, label=label,
                 color=color)
    axes.axhline(peak, color="black", linewidth=1, label="peak")
    axes.set_xticks(numbers, [str(n) for n in numbers], fontsize=7)
    axes.set_xlabel("contraction of the TCCG benchmark")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"TCCG, double, {title}", fontsize=10)
    axes.legend(fontsize=7.5)
    return figure


def tccg_of_run(results, run):
    by_who = next((w for key, w in results.rates[run].items() if key.concept == "TCCG"), {})
    rates = {who: {n: rate / 1e9 for n, rate in values.items()} for who, values in by_who.items()}
    return tccg_chart(rates, "OpenBLAS", results.peak(run, "double") / 1e9, "all cores" if run == "all" else "one core")


def draw(results, folder):
    """{name: path without suffix} of the charts drawn."""
    if pyplot is None:
        print("charts: no Matplotlib, none drawn")
        return {}
    matplotlib.rcParams["svg.hashsalt"] = "KokkosContract"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}

    def save(name, figure):
        if figure is not None:
            drawn[name] = folder / name
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{name}.png", dpi=110)
            pyplot.close(figure)

    for run in ("one", "all"):
        save(f"TCCG-{run}", tccg_of_run(results, run))
        kinds = {(k.concept, k.type, k.layout, k.regime) for k in results.rates[run]
                 if k.concept.startswith(("Gemm", "Fused"))}
        for concept, element, layout, regime in sorted(kinds):
            name = f"{concept}-{element}-{layout}-{regime}".replace("<", "_").replace(">", "").replace(",", "_")
            save(name, line_chart(results, run, concept, element, layout, regime))
    print(f"charts: {len(drawn)} in {folder}")
    return drawn


def commit(drawn, rows, results, cpu):
    """Copies charts to docs/figures and writes docs/performance.md."""
    figures = PROJECT / "docs" / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    shown = [name for name in SHOWN if name in drawn]
    for name in shown:
        for suffix in (".svg", ".png"):
            shutil.copy(f"{drawn[name]}{suffix}", figures / f"{name}{suffix}")
    machine = results.machine["one"]
    rates = ", ".join(f"{name.replace('/', ' ')} {max(r) / 1e9:.0f}" for name, r in sorted(machine.items()))
    lines = [
        "<!-- SPDX-" "License-Identifier: Apache-2.0 WITH LLVM-exception -->",  # in two, or it would count as this file's
        "<!-- Written by scripts/bench cpu --commit-charts -->",
        "# Performance on a CPU",
        "",
        f"Measured on {cpu}, one core unless said otherwise: the fastest of the repetitions of `scripts/bench cpu`.",
        f"The machine in the same run, in GFLOP/s (fma) and GB/s (triad): {rates}.",
        "",
        "| case | bar | measured worst, of its bar | holds |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        verdict, worst = row.cells()
        lines.append(f"| {row.case} | {row.bar} | {worst} | {'yes' if verdict == 'holds' else verdict} |")
    lines.append("")
    for name in shown:
        lines += [f"![{name}](figures/{name}.svg)", ""]
    (PROJECT / "docs" / "performance.md").write_text("\n".join(lines), encoding="utf-8")
    print(f"charts: {len(shown)} copied to docs/figures; docs/performance.md written")
