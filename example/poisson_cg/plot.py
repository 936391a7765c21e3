#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what poisson_cg wrote with --csv: errors against unknowns, and the rates.

Usage: plot.py RESULTS.csv PICTURE (.svg or .png)
"""

import collections
import csv
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    orders = collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            orders[int(row["order"])].append({key: float(value) for key, value in row.items()})

    plt.rcParams["svg.hashsalt"] = "poisson_cg"  # the same picture from the same results
    figure, (errors, rates) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    colours = plt.get_cmap("viridis")
    for order, rows in sorted(orders.items()):
        colour = colours((order - 1) / 8)
        errors.loglog(
            [row["unknowns"] for row in rows], [row["error"] for row in rows], "o-", color=colour, label=f"p = {order}"
        )
    errors.set_xlabel("unknowns")
    errors.set_ylabel("error in the L2 norm, relative")
    errors.set_title("the error falls with the power p + 1 of the mesh width")
    errors.grid(True, which="major", alpha=0.3)
    errors.legend(fontsize="small")

    last = [(order, rows[-1]) for order, rows in sorted(orders.items())]
    for key, name in (("operator_mdofs", "operator"), ("iteration_mdofs", "CG iteration")):
        rates.plot([order for order, _ in last], [row[key] for _, row in last], "o-", label=name)
    rates.set_xlabel("order p")
    rates.set_ylabel("million unknowns a second")
    rates.set_ylim(bottom=0)
    rates.set_title("speed on the finest mesh")
    rates.grid(True, alpha=0.3)
    rates.legend(fontsize="small")
    figure.savefig(sys.argv[2], metadata={"Date": None} if sys.argv[2].endswith(".svg") else None)


if __name__ == "__main__":
    main()
