#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what poisson_cg wrote with --problem and --csv: rates against the number of points.

Usage: plot_bakeoff.py RESULTS.csv PICTURE (.svg or .png)

RESULTS may be several such files, one behind the other; lines `# name: value` say what they are of. Of repetitions the
medians count.
"""

import collections
import csv
import math
import pathlib
import statistics
import sys

import plot


def read(path):
    """({name: value}, {problem: {order: [(points, rate)]}}), rates in GDOF/s."""
    about = {}
    rates = collections.defaultdict(list)
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("# "):
            name, _, value = line[2:].partition(": ")
            about[name] = value
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["problem"] != "problem":  # the first line of a further file
            rates[row["problem"], int(row["order"]), int(row["points"])].append(float(row["gdofs"]))
    curves = collections.defaultdict(lambda: collections.defaultdict(list))
    for (problem, order, points), values in sorted(rates.items()):
        curves[problem][order].append((points, statistics.median(values)))
    about["repetitions"] = max(map(len, rates.values()))
    return about, curves


def best_and_limit(curve):
    """(the best rate, the number of points from which on the rate is 80 % of it)"""
    best = max(rate for _, rate in curve)
    i = next(i for i, (_, rate) in enumerate(curve) if rate >= 0.8 * best)
    if i == 0:
        return best, curve[0][0]
    (few, below), (many, above) = curve[i - 1:i + 1]
    return best, few * (many / few) ** ((0.8 * best - below) / (above - below))


def rounded(points):
    """With two digits."""
    unit = 10 ** max(0, math.floor(math.log10(points)) - 1)
    return f"{round(points / unit) * unit:d}"


def table(curves):
    """Lines of Markdown."""
    lines = ["| order p | " + " | ".join(curves) + " |", "| --- |" + " --- |" * len(curves)]
    for order in sorted({order for of_problem in curves.values() for order in of_problem}):
        cells = []
        for of_problem in curves.values():
            best, limit = best_and_limit(of_problem[order]) if order in of_problem else (None, None)
            cells.append("" if best is None else f"{best:.2g}; {rounded(limit)}")
        lines.append(f"| {order} | " + " | ".join(cells) + " |")
    return lines


def caption(about):
    text = ", ".join(about[name] for name in ("device", "where", "date") if name in about)
    spread = f"medians of {about['repetitions']} repetitions" if about["repetitions"] > 1 else "one run"
    return f"{text}: {spread}" if text else spread


def draw(path, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    about, curves = read(path)
    pyplot.rcParams.update({"svg.hashsalt": "bakeoff", "font.size": 9})  # the same picture from the same results
    columns = (len(curves) + 1) // 2
    figure, axes = pyplot.subplots(2, columns, figsize=(10, 6), layout="constrained", sharex=True, squeeze=False)
    titles = {"1": "mass", "2": "mass, 3 components", "3": "Poisson", "4": "Poisson, 3 components",
              "5": "Poisson at the nodes", "6": "Poisson at the nodes, 3 components"}
    colours = pyplot.get_cmap("viridis")
    for i, (problem, of_problem) in enumerate(curves.items()):  # a column for one and three components
        panel = axes[i % 2][i // 2]
        for order, curve in of_problem.items():
            colour = colours((order - 1) / 8)
            panel.semilogx(*zip(*curve), "o-", color=colour, markersize=3, label=f"p = {order}")
            best, limit = best_and_limit(curve)
            panel.plot(limit, 0.8 * best, "v", color=colour, markersize=6, markeredgecolor="black",
                       label="80 % of the best" if order == max(of_problem) else None)
        panel.set_title(f"{problem}: {titles[problem[-1]]}", fontsize=9)
        panel.set_ylim(bottom=0)
        panel.grid(True, alpha=0.3)
    for panel in axes[-1]:
        panel.set_xlabel("points a compute node")
    for row in axes:
        row[0].set_ylabel("GDOF/s: 10^9 unknowns x iterations / s")
    axes[0][0].legend(fontsize=6.5, ncols=2, loc="upper right")
    figure.supxlabel(caption(about), fontsize=7, color="#555555")
    metadata = {"Date": None} if str(picture).endswith(".svg") else {}
    figure.savefig(picture, dpi=100, metadata={**metadata, "Description": f"results {plot.fingerprint(path)}"})
    pyplot.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
