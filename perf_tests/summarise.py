#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summarises the results of scripts/bench: each level against the loop written by hand on the same operands.

Usage: summarise.py RESULT.json...

For each kind of operands a table: GFLOP/s of the loops (`loop`: the sum innermost; `unit-loop`: the unit-stride index
innermost), and how many times as fast as the faster of the two each level of the library is, from the medians of one
run. Marks:  !  slower than the loop   ?  less than 5 % slower, which may be noise
Ends with the two things that the project asks for: no level slower than the loop, and Serial at static extents at least
twice as fast as the plain loop at n = 8.
"""

import collections
import json
import statistics
import sys

LOOPS = ("loop", "unit-loop")
NEEDED_AT_8 = 2.0
NOISE = 0.95


def read(paths):
    """{(concept, type, layout, extents): {size: {who: median FLOP/s}}}, the machine's rates, and errors."""
    samples = collections.defaultdict(list)
    errors = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not text.strip():  # nothing in this one matched the filter
            continue
        report = json.loads(text)
        for entry in report["benchmarks"]:
            if entry.get("error_occurred"):
                errors.append(f"{entry['name']}: {entry.get('error_message', '')}")
            elif entry.get("run_type") != "aggregate":
                rate = entry.get("FLOP/s", entry.get("byte/s", 0.0))
                samples[entry["run_name"]].append(rate)
    groups = collections.defaultdict(lambda: collections.defaultdict(dict))
    machine = {}
    for name, rates in samples.items():
        parts = name.split("/")
        median = statistics.median(rates)
        if parts[0] == "Machine":
            machine["/".join(parts[1:3])] = median
        else:
            groups[tuple(parts[:4])][int(parts[5])][parts[4]] = median
    return groups, machine, errors


def in_order(groups):
    seen = []
    for sizes in groups.values():
        for rates in sizes.values():
            seen += [who for who in rates if who not in seen]
    return [w for w in LOOPS if w in seen] + [w for w in seen if w not in LOOPS]


def mark(ratio):
    return " " if ratio >= 1 else ("?" if ratio >= NOISE else "!")


def print_group(key, sizes, columns, faults):
    columns = [c for c in columns if any(c in rates for rates in sizes.values())]
    print(f"\n{' '.join(key)}")
    print(f"{'n':>4}" + "".join(f"{c:>12}" for c in columns))
    for size in sorted(sizes):
        rates = sizes[size]
        best = max((rates[w] for w in LOOPS if w in rates), default=None)
        line = f"{size:>4}"
        for who in columns:
            if who not in rates:
                line += f"{'':>12}"
            elif who in LOOPS or best is None:
                line += f"{rates[who] / 1e9:>11.2f} "
            else:
                ratio = rates[who] / best
                line += f"{rates[who] / 1e9:>6.1f}{ratio:>5.2f}{mark(ratio)}"
                if ratio < 1:
                    faults.append((" ".join(key) + f" {who}", ratio, size))
        print(line)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    groups, machine, errors = read(sys.argv[1:])
    print("One core: " + ", ".join(f"{name} {rate / 1e9:.1f} G/s" for name, rate in sorted(machine.items())))
    print("Loops: GFLOP/s. Levels: GFLOP/s, and the ratio to the faster loop.")
    columns = in_order(groups)
    faults = []
    for key in sorted(groups):
        print_group(key, groups[key], columns, faults)

    print("\nSerial products against the loops at n = 8 with static extents (asked for: 2 times the plain loop):")
    for key in sorted(groups):
        rates = groups[key].get(8, {})
        if key[3] in ("static", "packed") and {"Serial", "loop", "unit-loop"} <= rates.keys():
            ratios = {w: rates["Serial"] / rates[w] for w in LOOPS}
            flag = "" if min(ratios.values()) >= NEEDED_AT_8 else "   <-- below 2"
            text = ", ".join(f"{r:.2f} x {w}" for w, r in ratios.items())
            print(f"  {' '.join(key)}: {rates['Serial'] / 1e9:.1f} GFLOP/s = {text}{flag}")
    slower = [f for f in faults if f[1] < NOISE]
    print(f"\nSlower than the faster loop: {len(slower)} (and {len(faults) - len(slower)} by less than 5 %)")
    lines = collections.defaultdict(list)
    for name, ratio, size in slower:
        lines[name].append(f"n = {size}: {ratio:.2f}")
    for name, texts in sorted(lines.items()):
        print(f"  {name}  {', '.join(texts)}")
    for error in errors:
        print(f"ERROR {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
