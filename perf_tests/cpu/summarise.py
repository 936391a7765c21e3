#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summarises the results of scripts/bench.

Usage: summarise.py [--commit-charts] FOLDER

Prints the bars that the library is to reach, with the worst measured figure of each, and where a level is slower than
the loop written by hand on the same operands. Writes all rates to FOLDER/tables.txt and charts to FOLDER/charts;
--commit-charts copies the charts to docs/figures and writes docs/performance.md.
"""

import pathlib
import sys

sys.dont_write_bytecode = True  # before the imports from this folder

import bars
import charts
from results import Results, cpu_name

LOOPS = ("loop", "unit-loop")
NOISE = 0.95


def table(key, by_who, run):
    """All rates of one kind of operands, in GFLOP/s."""
    columns = [w for w in LOOPS if w in by_who] + [w for w in by_who if w not in LOOPS]
    lines = [f"{' '.join(key)} ({run})", f"{'n':>4}" + "".join(f"{c:>14}" for c in columns)]
    for n in sorted({n for rates in by_who.values() for n in rates}):
        cells = (by_who[c].get(n) for c in columns)
        lines.append(f"{n:>4}" + "".join(f"{'' if r is None else f'{r / 1e9:.2f}':>14}" for r in cells))
    return "\n".join(lines) + "\n"


def slower_than_loops(results):
    """Lines, one for each level and kind of operands."""
    for key, by_who in sorted(results.rates["one"].items()):
        for who in ("Serial", "Vector", "Team", "TeamVector", "tile", "stored"):
            faults = []
            for n, rate in sorted(by_who.get(who, {}).items()):
                loop = max((by_who[w][n] for w in LOOPS if n in by_who.get(w, {})), default=0)
                if rate < NOISE * loop:
                    faults.append(f"{n}: {rate / loop:.2f}")
            if faults:
                yield f"  {' '.join(key)} {who}  {', '.join(faults)}"


def main():
    arguments = sys.argv[1:]
    commit = "--commit-charts" in arguments
    arguments = [a for a in arguments if a != "--commit-charts"]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder = pathlib.Path(arguments[0])
    results = Results(folder)
    tables = [table(key, by_who, run) for run, kinds in results.rates.items() for key, by_who in sorted(kinds.items())]
    (folder / "tables.txt").write_text("\n".join(tables), encoding="utf-8")

    machine = {run: rates for run, rates in results.machine.items() if rates}
    for run, rates in machine.items():
        print(f"{run}: " + ", ".join(f"{name} {max(r) / 1e9:.1f}" for name, r in sorted(rates.items())) + " G/s")
    rows = bars.rows(results)
    print("\nBars (the worst of each; full tables in " + str(folder / "tables.txt") + ")")
    for row in rows:
        print(row.text())
    faults = list(slower_than_loops(results))
    print(f"\nSlower than the faster loop by more than 5 %: {len(faults)} (n: ratio)")
    print("\n".join(faults))
    drawn = charts.draw(results, folder / "charts")
    if commit:
        charts.commit(drawn, rows, results, cpu_name())
    for error in results.errors:
        print(f"ERROR {error}")
    return 1 if results.errors else 0


if __name__ == "__main__":
    sys.exit(main())
