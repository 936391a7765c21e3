#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processor time and memory of compilations, for scripts/compile-time and the pages.

compile_time.py CSV REPETITIONS COMPILER COMMAND...  compiles each unit of build/compile-time, and adds its row to CSV
"""

import collections
import csv
import os
import pathlib
import subprocess
import sys

# Each translation unit of scripts/compile-time, and what the pages say of it. The first two have no kernel, and
# `kernel` has no call.
UNITS = {
    "kokkos": "`Kokkos_Core.hpp` alone",
    "header": "`KokkosContract.hpp` alone",
    "kernel": "a kernel of plain Kokkos",
    "gemm": "`TeamGemm`, static extents",
    "contraction": "`TeamContract` of two inputs, extents at run time",
    "chain": "`TeamContract` of four inputs, static extents",
    "gesv": "`TeamGesv`, static extents",
    "twenty": "20 functions, each a `SerialContract` of another string",
}
COLUMNS = ("unit", "compiler", "seconds", "seconds_over_header", "megabytes")


def compilation(command):
    """(seconds of user time, megabytes at the peak of the largest process) of a command and its children."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return used.ru_utime, used.ru_maxrss * 1024 / 1e6


def measure(path, repetitions, compiler, command):
    header = 0.0
    for unit in UNITS:
        source = f"build/compile-time/{unit}.cpp"
        runs = [compilation([*command, source, "-o", "build/compile-time/unit.o"]) for _ in range(repetitions)]
        seconds, megabytes = map(min, zip(*runs))  # other load only adds
        header = seconds if unit == "header" else header
        over = seconds - header if unit not in ("kokkos", "header") else None
        row = (unit, compiler, f"{seconds:.2f}", "" if over is None else f"{over:.2f}", f"{megabytes:.0f}")
        with open(path, "a", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(row)
        print(f"  {UNITS[unit]:<80} {seconds:6.2f} s {megabytes:6.0f} MB", flush=True)


def table(rows):
    """The lines of a page; rows as results.read_rows has them."""
    cells = collections.defaultdict(dict)
    for row in rows:
        over = row["seconds_over_header"]
        seconds = f"+ {float(over):.1f}" if over else f"{float(row['seconds']):.1f}"
        cells[row["unit"]][row["compiler"]] = f"{seconds} s, {row['megabytes']} MB"
    compilers = list(dict.fromkeys(row["compiler"] for row in rows))
    lines = ["| translation unit | " + " | ".join(compilers) + " |", "| --- |" + " --- |" * len(compilers)]
    for unit, by_compiler in cells.items():
        lines.append(f"| {UNITS[unit]} | " + " | ".join(by_compiler.get(c, "") for c in compilers) + " |")
    return lines


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
