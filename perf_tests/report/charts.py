# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws exhibits."""

import hashlib
import json
import math
import statistics

from exhibits import BASELINE, HAND, MACHINE, OF_THIS_LIBRARY, OURS, PEER, PROGRAM

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    # The same picture from the same results.
    matplotlib.rcParams.update({"svg.hashsalt": "KokkosContract", "font.size": 9})
except ImportError:
    pyplot = None

OUR_COLORS = ("#0b5fa5", "#4aa3df", "#7b3fa0", "#1b9e8a", "#274060", "#a070d0")
PEER_COLORS = {"Kokkos Kernels": "#b5651d", "cuBLAS": "#d1495b", "libxsmm": "#d1495b", "Eigen": "#2e933c",
               "OpenBLAS": "#e0942f", "LAPACK": "#e0942f", "libCEED": "#d1495b", "transposing": "#e0942f"}
FASTER = "a peer is faster by more than 5 %"
PEER_STYLES = ("--", (0, (5, 1, 1, 1)), (0, (1, 1)))


def peer_color(label):
    return next((c for name, c in PEER_COLORS.items() if label.startswith(name)), "#d1495b")


def conditions(exhibit, results, drawn=True):
    """What a picture says above the names of its lines, and a caption where a picture is drawn or not."""
    repetitions = max((r.repetitions or 0 for line in exhibit.lines() if line.role == OURS
                       for r in results.rate(line.path, exhibit.unit).values()), default=0)
    bars = "error bars" if is_bars(exhibit) or is_of_programs(exhibit) else "bands"
    spread = f"medians of {repetitions} repetitions"
    if exhibit.chart and drawn:
        spread += f", {bars} from lowest to highest" + (" of all sizes" if is_of_programs(exhibit) else "")
    if not repetitions:
        spread = results.about.get("statistic", "")
    where = f", {exhibit.where}" if exhibit.where else ""
    return f"{results.about['device']}{where}, {results.about['date']}: {spread}"


def is_bars(exhibit):
    return exhibit.name == "cpu-tccg"  # its numbers are names


def is_of_programs(exhibit):
    return exhibit.x == PROGRAM


def fingerprint(exhibit, results):
    """Of all that the picture shows, so that a test can tell whether it is that of these results."""
    shown = [exhibit.title, exhibit.unit, exhibit.x, exhibit.axis, conditions(exhibit, results)]
    for panel in exhibit.panels:
        for line in panel.lines:
            rates = results.rate(line.path, exhibit.unit)
            shown.append([panel.title, line.label, line.role,
                          [[str(n), f"{r.median} {r.lowest} {r.highest}"] for n, r in rates.items()]])
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def draw(exhibit, results, path, suffixes=(".svg", ".png")):
    """Writes `path` with each suffix; nothing where there is nothing to show."""
    if not any(results.rate(line.path, exhibit.unit) for line in exhibit.lines() if line.role == OURS):
        return False
    if is_of_programs(exhibit):
        save(draw_programs(exhibit, results), exhibit, results, path, suffixes)
        return True
    bars = is_bars(exhibit)
    width = 11 if bars else 3.9 * len(exhibit.panels) + (3.6 if len(exhibit.panels) == 1 else 1)
    figure, all_axes = pyplot.subplots(1, len(exhibit.panels), figsize=(width, 4.9), layout="constrained",
                                       squeeze=False, sharey=exhibit.unit != "GDOF/s")
    for axes, panel in zip(all_axes[0], exhibit.panels):
        (draw_bars if bars else draw_panel)(axes, panel, exhibit.unit, results)
        axes.set_xlabel(exhibit.x)
        axes.set_title(panel.title, fontsize=9)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.25, axis="y")
    all_axes[0][0].set_ylabel(exhibit.axis or exhibit.unit)
    figure.suptitle(exhibit.title, fontsize=10.5, fontweight="bold")
    entries = {}  # panels share labels
    for axes in all_axes[0]:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    names = sorted(entries, key=lambda label: label == FASTER)
    figure.legend([entries[n] for n in names], names, fontsize=7.5, ncols=3, loc="outside lower center", frameon=False,
                  title=conditions(exhibit, results), title_fontsize=7)
    save(figure, exhibit, results, path, suffixes)
    return True


def save(figure, exhibit, results, path, suffixes):
    for suffix in suffixes:
        metadata = {"Date": None} if suffix == ".svg" else {}
        metadata["Description"] = f"results {fingerprint(exhibit, results)}"
        figure.savefig(f"{path}{suffix}", dpi=100, metadata=metadata)
    pyplot.close(figure)


def ratios_of_programs(exhibit, results):
    """{program: {n: times as fast as its original}}"""
    found = {}
    for panel in exhibit.panels:
        rates = {line: results.rate(line.path, exhibit.unit) for line in panel.lines}
        ours, peer = (best_of(rates, role) for role in (OURS, PEER))
        ratios = {n: ours[n] / peer[n] for n in ours if n in peer}
        if ratios:
            found[panel.title] = ratios
    return found


def draw_programs(exhibit, results):
    """A bar a program, from 1: the geometric mean of its sizes, and the worst and the best of them."""
    found = ratios_of_programs(exhibit, results)
    means = [math.exp(statistics.mean(map(math.log, ratios.values()))) for ratios in found.values()]
    spread = [[mean - min(ratios.values()) for mean, ratios in zip(means, found.values())],
              [max(ratios.values()) - mean for mean, ratios in zip(means, found.values())]]
    figure, axes = pyplot.subplots(figsize=(8.6, 1.5 + 0.4 * len(found)), layout="constrained")
    axes.barh(list(found), [mean - 1 for mean in means], 0.62, left=1, xerr=spread, color=OUR_COLORS[0],
              error_kw={"linewidth": 0.8, "ecolor": "#333333", "capsize": 2})
    for y, mean in enumerate(means):
        axes.annotate(f"{mean:.2g}", (max(mean, 1), y), xytext=(3, 5), textcoords="offset points", fontsize=7)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.axvline(1, color="black", linewidth=1.1)
    axes.invert_yaxis()
    axes.grid(alpha=0.25, axis="x")
    axes.set_xlabel("times as fast as the original")
    figure.suptitle(exhibit.title, fontsize=10.5, fontweight="bold")
    figure.supxlabel(conditions(exhibit, results), fontsize=7)
    return figure


def draw_machine(axes, line, rates, where):
    """A black line: the highest of what has no n, above which nothing is shown, or one for each n."""
    if set(rates) == {""}:
        peak = rates[""].highest
        axes.axhline(peak, color="black", linewidth=1.1, label=f"{line.label}: {peak:.0f}")
        axes.set_ylim(top=1.06 * peak)
        return
    points = [n for n in where if n in rates]
    at = [where[n] for n in points]
    axes.plot(at, [rates[n].median for n in points], color="black", linewidth=1.1, linestyle="--", label=line.label)
    draw_band(axes, at, [rates[n] for n in points], "black")


def draw_band(axes, at, rates, color):
    if all(r.lowest is not None for r in rates):
        axes.fill_between(at, [r.lowest for r in rates], [r.highest for r in rates], color=color, alpha=0.12,
                          linewidth=0)


def draw_panel(axes, panel, unit, results):
    all_rates = {line: results.rate(line.path, unit) for line in panel.lines}
    sizes = sorted({n for line, rates in all_rates.items() for n in rates if line.role != MACHINE})
    where = {n: i for i, n in enumerate(sizes)}  # equally spaced, so that small n can be told apart
    ours = best_of(all_rates, OURS)
    our_colors = iter(OUR_COLORS)
    used = {}
    for line, rates in all_rates.items():
        if not rates:
            continue
        if line.role == MACHINE:
            continue
        points = [n for n in sizes if n in rates]
        at, medians = [where[n] for n in points], [rates[n].median for n in points]
        if line.role in OF_THIS_LIBRARY:
            color, style = next(our_colors), "-." if line.role == BASELINE else "-"
        elif line.role == HAND:
            color, style = "#888888", ":"
        else:
            color = peer_color(line.label)
            style = PEER_STYLES[used.get(color, 0) % len(PEER_STYLES)]
        used[color] = used.get(color, 0) + 1
        axes.plot(at, medians, linestyle=style, color=color, label=line.label, marker="o", markersize=3.5,
                  linewidth=1.9 if line.role in OF_THIS_LIBRARY else 1.3,
                  zorder=3 if line.role in OF_THIS_LIBRARY else 2)
        draw_band(axes, at, [rates[n] for n in points], color)
        if line.role == PEER:
            faster = [n for n in points if is_faster(rates[n], ours.get(n))]
            axes.plot([where[n] for n in faster], [rates[n].median for n in faster], linestyle="", marker="o",
                      markersize=9, markerfacecolor="none", markeredgecolor=color, zorder=4,
                      label=FASTER if faster else None)
    for line, rates in all_rates.items():
        if line.role == MACHINE and rates:
            draw_machine(axes, line, rates, where)
    if unit == "%":
        axes.axhline(100, color="black", linewidth=1.1, label="each word moved once at the rate of a copy")
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])


def draw_bars(axes, panel, unit, results):
    lines = [line for line in panel.lines if line.role != MACHINE]
    for i, line in enumerate(lines):
        rates = results.rate(line.path, unit)
        numbers = sorted(n for n in rates if isinstance(n, int))
        medians = [rates[n].median for n in numbers]
        spread = [[m - rates[n].lowest for m, n in zip(medians, numbers)],
                  [rates[n].highest - m for m, n in zip(medians, numbers)]]
        axes.bar([n + 0.4 * (i - 0.5) for n in numbers], medians, 0.4, label=line.label, yerr=spread,
                 color=OUR_COLORS[0] if line.role == OURS else peer_color(line.label),
                 error_kw={"linewidth": 0.6, "ecolor": "#333333"})
    for line in panel.lines:
        if line.role == MACHINE:
            draw_machine(axes, line, results.rate(line.path, unit), {})
    axes.set_xticks(numbers, [str(n) for n in numbers], fontsize=6.5)
    axes.set_xlim(numbers[0] - 0.7, numbers[-1] + 0.7)


def is_faster(peer, ours):
    return ours is not None and ours < 0.95 * peer.median


def best_of(all_rates, role):
    """{n: the highest median of lines of this role}"""
    best = {}
    for line, rates in all_rates.items():
        if line.role == role:
            for n, rate in rates.items():
                best[n] = max(rate.median or 0, best.get(n, 0))
    return best
