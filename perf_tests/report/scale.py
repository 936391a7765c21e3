#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures example/poisson_cg and example/ccsd_triples on several ranks, and shows how their rates scale.

scale.py run --poisson PROGRAM --triples PROGRAM [OPTION...] RESULTS.csv   measures; the programs are those of the examples
    --ranks 1,2        numbers of ranks (default: 1, 2, 4 and 8, as far as there are GPUs, or else cores)
    --points N         unknowns a rank of the weak scaling; the strong one has four times as many (default: 10^7 on a
                       GPU, 5 * 10^5 on a core)
    --orbitals 24,32   occupied and virtual spin orbitals, the same number (default: 24,32,40 on a GPU, 12,16 on a core)
    --mpirun COMMAND   what starts several ranks; the number of them follows (default: mpirun -n)
    --within COMMAND   what all commands are arguments of (default: none)
scale.py show RESULTS.csv                     prints the tables
scale.py draw RESULTS.csv PICTURE (.svg or .png)

Each result is compared with that of one rank: the residual of 50 iterations, and all bits of the energies.
"""

import argparse
import collections
import csv
import datetime
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # before the imports from this folder
from results import header, read_rows

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "example" / "poisson_cg"))
import plot  # noqa: E402
import plot_bakeoff  # noqa: E402

ORDERS = (2, 4, 8)
FIELDS = ("program", "scaling", "size", "ranks", "unknowns", "seconds", "rate", "exchange_seconds", "result", "transport")
ITERATIONS = 50
TOLERANCE = 1e-6  # of residuals, relative: sums are rounded differently


# --- Measure


def of_smi(*arguments):
    """What nvidia-smi prints; nothing where there is none."""
    try:
        return subprocess.run(["nvidia-smi", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def gpus():
    return of_smi("-L").count("GPU ")


def machine():
    """{name: value}"""
    about = {"device": "cores of one processor", "date": datetime.date.today().isoformat(),
             "command": "scripts/bench scale --commit"}
    if gpus() > 0:
        about["device"] = of_smi("--query-gpu=name", "--format=csv,noheader").splitlines()[0]
        link = re.search(r"^\S*GPU0\s.*?(NV\d+|PIX|PXB|PHB|NODE|SYS)", of_smi("topo", "-m"), re.M)
        if link:
            about["link"] = re.sub(r"^NV(\d+)$", r"\1 links of NVLink", link.group(1))
    return about


def cube(unknowns, order):
    """(box, refinement) of about as many unknowns, the same number for each of the orders."""
    elements = max(ORDERS) * max(2, round(unknowns ** (1 / 3) / max(ORDERS))) // order
    refinement = 0
    while elements % 2 == 0 and elements > 16:
        elements //= 2
        refinement += 1
    return elements, refinement


class Programs:
    def __init__(self, options):
        self.options = options

    def run(self, program, ranks, *arguments):
        start = [*shlex.split(self.options.mpirun), str(ranks)] if ranks > 1 else []
        threads = max(1, (os.cpu_count() or 1) // ranks) if gpus() else 1
        command = [*shlex.split(self.options.within), "env", f"OMP_NUM_THREADS={threads}", "OMP_PROC_BIND=false", *start,
                   program, *map(str, arguments)]
        print("scale:", shlex.join(command), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"scale: status {done.returncode}\n{done.stdout}")
        return done.stdout

    def poisson(self, ranks, order, *arguments):
        """Its lines, and what it says of the exchange."""
        folder = pathlib.Path(self.options.results).resolve().parent
        with tempfile.NamedTemporaryFile(suffix=".csv", dir=folder) as file:
            text = self.run(self.options.poisson, ranks, "--problem", "bp3", "--order", order, "--csv", file.name, *arguments)
            rows = list(csv.DictReader(pathlib.Path(file.name).read_text(encoding="utf-8").splitlines()))
        found = re.search(r"exchange by ([^(\n]*)", text)
        return rows, found.group(1).strip() if found else ""

    def triples(self, ranks, orbitals):
        """(seconds, rate in GFLOP/s, the energies' bits)"""
        text = self.run(self.options.triples, ranks, "--scale", orbitals, orbitals, "--exact")
        found = re.search(r"([\d.]+) ms +([\d.]+) GFLOP/s\nexactly (.*)", text)
        return 1e-3 * float(found.group(1)), float(found.group(2)), found.group(3)


def of_poisson(programs, scaling, ranks, order, *arguments):
    """A row of results for each mesh."""
    rows, transport = programs.poisson(ranks, order, *arguments)
    for row in rows:
        seconds, unknowns = float(row["seconds"]) / int(row["iterations"]), int(row["unknowns"])
        yield {"program": "poisson_cg", "scaling": scaling, "size": order, "ranks": ranks, "unknowns": unknowns,
               "seconds": f"{seconds:.6e}", "rate": f"{1e-9 * unknowns / seconds:.4f}",
               "exchange_seconds": row["exchange_seconds"], "result": row["residual"], "transport": transport}


def of_cube(programs, scaling, ranks, order, unknowns):
    box, refinement = cube(unknowns, order)
    return next(of_poisson(programs, scaling, ranks, order, "--box", box, "--refine", refinement,
                           "--iterations", ITERATIONS))


def of_triples(programs, ranks, orbitals):
    seconds, rate, bits = programs.triples(ranks, orbitals)
    return {"program": "ccsd_triples", "scaling": "strong", "size": orbitals, "ranks": ranks, "unknowns": "",
            "seconds": f"{seconds:.6e}", "rate": f"{rate:.1f}", "exchange_seconds": "", "result": bits, "transport": ""}


def check(row, one):
    """Compares a result with that of one rank."""
    if row["program"] == "ccsd_triples":
        good = row["result"] == one["result"]
    else:
        good = abs(float(row["result"]) / float(one["result"]) - 1) <= TOLERANCE
    if not good:
        sys.exit(f"scale: {row['program']} {row['size']} on {row['ranks']} ranks: {row['result']}, on one: {one['result']}")


def measure(options):
    programs = Programs(options)
    processors = gpus() or os.cpu_count() or 1
    ranks_of = [n for n in (1, 2, 4, 8) if n <= processors]
    if options.ranks:
        ranks_of = sorted({1, *map(int, options.ranks.split(","))})
    points = options.points or (10**7 if gpus() else 500000)
    orbitals_of = options.orbitals or ("24,32,40" if gpus() else "12,16")
    with open(options.results, "w", encoding="utf-8", newline="") as file:
        file.write(header(machine()))
        out = csv.DictWriter(file, FIELDS, lineterminator="\n")
        out.writeheader()

        def write(row):
            out.writerow(row)
            file.flush()

        for orbitals in map(int, orbitals_of.split(",")):
            one = None
            for ranks in ranks_of:
                row = of_triples(programs, ranks, orbitals)
                one = one or row
                check(row, one)
                write(row)
        for order in ORDERS:
            one = None
            for ranks in ranks_of:
                row = of_cube(programs, "strong", ranks, order, 4 * points)
                one = one or row
                check(row, one)
                write(row)
            for ranks in ranks_of:
                row = of_cube(programs, "weak", ranks, order, ranks * points)
                if ranks > 1:
                    check(row, of_cube(programs, "weak", 1, order, ranks * points))
                write(row)
        for ranks in ranks_of:
            for row in of_poisson(programs, "curve", ranks, ORDERS[1], "--unknowns", ranks * points):
                write(row)


# --- Show


def rates(rows):
    """{(program, scaling): {size: {ranks: row}}} without curves."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        if row["scaling"] != "curve":
            found[row["program"], row["scaling"]][int(row["size"])][int(row["ranks"])] = row
    return found


def gain(of_ranks, ranks):
    """How many times the rate of one rank."""
    return float(of_ranks[ranks]["rate"]) / float(of_ranks[1]["rate"])


def limits(rows):
    """{ranks: (order, the number of unknowns a rank from which on the rate is 80 % of the best)}"""
    curves = collections.defaultdict(list)
    for row in rows:
        if row["scaling"] == "curve":
            ranks = int(row["ranks"])
            curves[ranks, int(row["size"])].append((int(row["unknowns"]) / ranks, float(row["rate"])))
    return {ranks: (order, plot_bakeoff.best_and_limit(sorted(curve))[1]) for (ranks, order), curve in curves.items()}


NAMES = {("poisson_cg", "weak"): "poisson_cg, weak", ("poisson_cg", "strong"): "poisson_cg, strong",
         ("ccsd_triples", "strong"): "ccsd_triples"}
UNITS = {"poisson_cg": "GDOF/s", "ccsd_triples": "TFLOP/s"}


def table(rows):
    """Lines of Markdown."""
    lines = ["| program | size | ranks | rate | times one rank | efficiency | exchange, part of an iteration |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    found = rates(rows)
    for kind in NAMES:
        for size, of_ranks in sorted(found[kind].items()):
            for ranks, row in sorted(of_ranks.items()):
                program = kind[0]
                scale = 1 if program == "poisson_cg" else 1e-3
                what = f"{size} orbitals"
                if row["unknowns"]:
                    millions = 1e-6 * int(row["unknowns"])
                    what = f"p = {size}, {millions:.{0 if millions > 1 else 2}f} million"
                exchange = ""
                if ranks > 1 and row["exchange_seconds"]:
                    exchange = f"{100 * float(row['exchange_seconds']) / float(row['seconds']):.1f} %"
                times = gain(of_ranks, ranks)
                lines.append(f"| {NAMES[kind]} | {what} | {ranks} | {float(row['rate']) * scale:.3g} {UNITS[program]} | "
                             f"{times:.2f} | {times / ranks:.3f} | {exchange} |")
    return lines


def remarks(about, rows):
    """Sentences below the table."""
    text = ", ".join(about[name] for name in ("device", "link", "date") if name in about)
    transports = sorted({row["transport"] for row in rows if row["transport"]})
    if transports:
        text += f". Ranks exchange by {', '.join(transports)}"
    text += f". Each rank has a {'GPU' if 'link' in about else 'core'}. Each result was compared with that of one rank."
    for ranks, (order, limit) in sorted(limits(rows).items()):
        text += (f" On {ranks} rank{'s' if ranks > 1 else ''}, 80 % of the best rate are reached from "
                 f"{plot_bakeoff.rounded(limit)} unknowns a rank on (order {order}).")
    return text


def draw(path, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    about, rows = read_rows(pathlib.Path(path))
    pyplot.rcParams.update({"svg.hashsalt": "scale", "font.size": 9})  # the same picture from the same results
    figure, axes = pyplot.subplots(1, len(NAMES), figsize=(10, 3.4), layout="constrained", squeeze=False)
    found = rates(rows)
    for panel, (kind, name) in zip(axes[0], NAMES.items()):
        most = 1
        for size, of_ranks in sorted(found[kind].items()):
            label = f"p = {size}" if kind[0] == "poisson_cg" else f"{size} orbitals"
            panel.plot(sorted(of_ranks), [gain(of_ranks, ranks) for ranks in sorted(of_ranks)], "o-", markersize=4, label=label)
            most = max(most, *of_ranks)
        panel.plot([1, most], [1, most], "--", color="#888888", linewidth=1, label="ideal")
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("ranks")
        panel.set_xticks([2 ** i for i in range(most.bit_length())])
        panel.set_ylim(bottom=0)
        panel.grid(True, alpha=0.3)
        panel.legend(fontsize=7)
    axes[0][0].set_ylabel("times the rate of one rank")
    figure.supxlabel(", ".join(about[n] for n in ("device", "link", "date") if n in about), fontsize=7, color="#555555")
    metadata = {"Date": None} if str(picture).endswith(".svg") else {}
    figure.savefig(picture, dpi=100, metadata={**metadata, "Description": f"results {plot.fingerprint(path)}"})
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", usage=__doc__)
    run.add_argument("--poisson", required=True)
    run.add_argument("--triples", required=True)
    run.add_argument("--ranks")
    run.add_argument("--points", type=int)
    run.add_argument("--orbitals")
    run.add_argument("--mpirun", default="mpirun -n")
    run.add_argument("--within", default="")
    run.add_argument("results")
    show = verbs.add_parser("show", usage=__doc__)
    show.add_argument("results")
    drawing = verbs.add_parser("draw", usage=__doc__)
    drawing.add_argument("results")
    drawing.add_argument("picture")
    options = parser.parse_args()
    if options.verb == "run":
        measure(options)
    elif options.verb == "show":
        about, rows = read_rows(pathlib.Path(options.results))
        print("\n".join([*table(rows), "", remarks(about, rows)]))
    else:
        draw(options.results, options.picture)


if __name__ == "__main__":
    main()
