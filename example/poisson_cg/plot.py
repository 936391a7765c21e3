#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what poisson_cg wrote with --csv: errors against unknowns, and rates against the order.

Usage: plot.py RESULTS.csv PICTURE (.svg or .png)

RESULTS may be several such files, one behind the other; lines `# name: value` say what they are of. Of repetitions the
medians count. Rates are those of one mesh of each order, of about as many unknowns, so that they can be compared.
"""

import collections
import csv
import hashlib
import math
import pathlib
import statistics
import sys


def read(path):
    """({name: value}, {(order, unknowns): {column: [a value for each repetition]}})"""
    about = {}
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("# "):
            name, _, value = line[2:].partition(": ")
            about[name] = value
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["order"] != "order":  # the first line of a further file
            for column, value in row.items():
                rows[int(row["order"]), int(row["unknowns"])][column].append(float(value))
    return about, rows


def rates(rows):
    """[(order, unknowns, error, operator, iteration)], rates as (median, lowest, highest)."""
    meshes = collections.defaultdict(list)
    for order, unknowns in rows:
        meshes[order].append(unknowns)
    common = min(map(max, meshes.values()))
    for order in sorted(meshes):
        unknowns = min(meshes[order], key=lambda n: abs(math.log(n / common)))
        row = rows[order, unknowns]
        spread = lambda values: (statistics.median(values), min(values), max(values))
        yield order, unknowns, row["error"][0], spread(row["operator_mdofs"]), spread(row["iteration_mdofs"])


def caption(about, rows):
    chosen = list(rates(rows))
    repetitions = max(len(rows[order, unknowns]["error"]) for order, unknowns, *_ in chosen)
    text = ", ".join(about[name] for name in ("device", "where", "date") if name in about)
    spread = f"medians of {repetitions} repetitions, bands from lowest to highest" if repetitions > 1 else "one run"
    return f"{text}: {spread}" if text else spread


def fingerprint(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]


def draw(path, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    about, rows = read(path)
    of_iteration = 1e-8  # as poisson_cg has it
    pyplot.rcParams.update({"svg.hashsalt": "poisson_cg", "font.size": 9})  # the same picture from the same results
    figure, (errors, speed) = pyplot.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    colours = pyplot.get_cmap("viridis")
    for order in sorted({order for order, _ in rows}):
        unknowns = sorted(n for p, n in rows if p == order)
        values = [rows[order, n]["error"][0] for n in unknowns]
        colour = colours((order - 1) / 8)
        errors.loglog(unknowns, values, "o-", color=colour, markersize=4, label=f"p = {order}")
        # Through the last error that is one of the elements.
        last = max((i for i, error in enumerate(values) if error > of_iteration), default=0)
        ends = unknowns[0], unknowns[last] * 1.3
        slope = [values[last] * (n / unknowns[last]) ** (-(order + 1) / 3) for n in ends]
        errors.loglog(ends, slope, "--", color="black", linewidth=0.8,
                      label=None if order > 1 else "slope -(p + 1) / 3")
    errors.axhspan(errors.get_ylim()[0], of_iteration, color="#888888", alpha=0.15, linewidth=0,
                   label="errors of the iteration, too")
    errors.set_xlabel("unknowns N")
    errors.set_ylabel("error in the L2 norm, relative")
    errors.set_title("The error falls with N to the power -(p + 1) / 3", fontsize=10)
    errors.grid(True, which="major", alpha=0.3)
    errors.set_ylim(top=100 * errors.get_ylim()[1])  # room for the names
    errors.legend(fontsize=7, ncols=3, loc="upper center", columnspacing=1, handlelength=1.7)

    chosen = list(rates(rows))
    orders = [order for order, *_ in chosen]
    for i, (name, colour) in enumerate((("operator", "#0b5fa5"), ("CG iteration", "#7b3fa0")), 3):
        speed.plot(orders, [mesh[i][0] for mesh in chosen], "o-", color=colour, label=name)
        speed.fill_between(orders, [mesh[i][1] for mesh in chosen], [mesh[i][2] for mesh in chosen], color=colour,
                           alpha=0.15, linewidth=0)
    speed.set_xlabel("order p of the elements")
    speed.set_ylabel("million unknowns per second")
    speed.set_ylim(bottom=0)
    counts = [n for _, n, *_ in chosen]
    speed.set_title(f"Speed with {min(counts):,} to {max(counts):,} unknowns".replace(",", " "), fontsize=10)
    speed.grid(True, alpha=0.3)
    speed.legend(fontsize=7.5)
    figure.supxlabel(caption(about, rows), fontsize=7, color="#555555")
    metadata = {"Date": None} if str(picture).endswith(".svg") else {}
    figure.savefig(picture, dpi=100, metadata={**metadata, "Description": f"results {fingerprint(path)}"})
    pyplot.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
