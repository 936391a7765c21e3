# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results: what Google Benchmark wrote, and the CSV files of perf_tests/results that pages and charts are made of."""

import collections
import csv
import dataclasses
import io
import json
import math
import pathlib
import statistics

# What a benchmark's name says before its n: CASE/TYPE/LAYOUT/EXTENTS/PLACE/WHO.
FIELDS = ("case", "type", "layout", "extents", "place", "who")
COLUMNS = FIELDS + ("n", "unit", "median", "lowest", "highest", "repetitions")
Key = collections.namedtuple("Key", FIELDS[:-1])

# Whose samples are compared only with each other: of one core, of all, of the build with Kokkos Kernels.
RUNS = {"": "one", "-all": "all", "-kk": "kk"}

# The contractions of TCCG that have something in common.
TCCG_GROUPS = {"1-8": "transformations of an index", "9-11": "of integrals", "12": "a product of square matrices",
               "13-19": "coupled cluster, one large input", "20-30": "coupled cluster, large",
               "31-48": "coupled cluster with triples, C is large"}


@dataclasses.dataclass(frozen=True)
class Rate:
    """Of the repetitions; None what was not kept."""
    median: float | None
    lowest: float | None = None
    highest: float | None = None
    repetitions: int | None = None


def name_to_path(name):
    """(path as FIELDS say, n): those of what the machine can do have no n."""
    parts = name.removesuffix("/real_time").split("/iterations:")[0].split("/")
    if parts[0] == "Machine":
        what, of = parts[1], parts[2] if len(parts) > 2 else ""
        return (f"Machine////{of}/{what}" if what == "triad" else f"Machine/{of}////{what}"), ""
    return "/".join(parts[:-1]), parts[-1]


def size(n):
    """A number where it looks like one; 19-37 does not."""
    return int(n) if n.isdigit() else n


def in_order(sizes):
    """Numbers, and then what is none."""
    return sorted(sizes, key=lambda n: (isinstance(n, str), n))


class Samples:
    """runs[run][Key][who][n]: {counter: [a value for each repetition]}, of the JSON files of a folder."""

    def __init__(self, folder):
        self.runs = {run: {} for run in RUNS.values()}
        self.context = {}
        self.versions = {"compiler": set(), "Kokkos": set()}
        self.errors = []
        for path in sorted(pathlib.Path(folder).glob("Perf_*.json")):
            self.read(path)

    def read(self, path):
        run = next(RUNS[s] for s in sorted(RUNS, key=len, reverse=True) if path.stem.endswith(s))
        text = path.read_text(encoding="utf-8")
        if not text.strip():  # nothing in this one matched the filter
            return
        report = json.loads(text)
        self.context.update(report["context"])
        for name, values in self.versions.items():
            values.add(report["context"].get(name, ""))
        for entry in report["benchmarks"]:
            if entry.get("error_occurred"):
                self.errors.append(f"{path.stem}: {entry['name']}: {entry.get('error_message', '')}")
            elif entry.get("run_type") != "aggregate":
                name, n = name_to_path(entry["run_name"])
                *key, who = name.split("/")
                counters = self.runs[run].setdefault(Key(*key), {}).setdefault(who, {}).setdefault(n, {})
                for counter in ("FLOP/s", "byte/s", "byte/problem", "unknown/s"):
                    if counter in entry:
                        counters.setdefault(counter, []).append(entry[counter])

    def highest(self, run, key, who, counter="FLOP/s"):
        """{n: the highest of the repetitions}, perhaps empty."""
        by_n = self.runs[run].get(Key(*key), {}).get(who, {})
        found = {size(n): max(values[counter]) for n, values in by_n.items() if n and counter in values}
        return {n: found[n] for n in in_order(found)}

    def best(self, run, key, prefix):
        """{n: the highest FLOP/s of those whose name begins so}."""
        result = {}
        for who in self.runs[run].get(Key(*key), {}):
            if who.startswith(prefix):
                for n, rate in self.highest(run, key, who).items():
                    result[n] = max(rate, result.get(n, 0))
        return result

    def machine(self, run):
        """{name: the highest rate}: each executable measures them, and the highest is nearest to an undisturbed one."""
        result = {}
        for key, by_who in self.runs[run].items():
            if key.case == "Machine":
                for who, by_n in by_who.items():
                    counter = "byte/s" if who in ("triad", "copy") else "FLOP/s"
                    result[" ".join(filter(None, (who, key.type, key.place)))] = max(by_n[""][counter])
        return result

    @property
    def pack(self):
        """The type of packs of doubles that are as long as a register."""
        return f"Pack<double,{self.context.get('pack', 8)}>"

    def peak(self, run, element):
        return self.machine(run).get("fma float" if "float" in element else "fma double", 0.0)

    def bound(self, run, key):
        """{n: the lower one of the FMA peak and what only moving the data makes of it}.

        Bandwidth from memory is shared with all of the machine: it differs more from minute to minute than from n to
        n, so the highest of all n bounds each.
        """
        moves = ("Moves", key[1], "right", "static", key[4])
        rates = self.highest(run, moves, "moves")
        bytes_a_second = self.highest(run, moves, "moves", "byte/s")
        fastest = max(bytes_a_second.values(), default=0) if key[4].startswith("memory") else 0
        peak = self.peak(run, key[1])
        return {n: min(peak, rate * max(1, fastest / bytes_a_second[n])) for n, rate in rates.items()}

    def results(self, device):
        """In the units of the pages. What was measured in the build with Kokkos Kernels, too, is taken from there, so
        that all that is compared with them is from one run; what the machine can do is of all builds."""
        values = collections.defaultdict(list)
        copy = self.runs["one"].get(Key("Machine", *4 * [""]), {}).get("copy", {}).get("", {}).get("byte/s")
        for run in RUNS.values():
            for key, by_who in self.runs[run].items():
                for who, by_n in by_who.items():
                    for n, counters in by_n.items():
                        for unit, factor, counter in units(key, copy and statistics.median(copy)):
                            if counter in counters:
                                where = "/".join(key + (who,)), unit, n
                                new = [factor * v for v in counters[counter]]
                                values[where] = values[where] + new if key.case == "Machine" else new
        rates = collections.defaultdict(lambda: collections.defaultdict(dict))
        for (path, unit, n), of_n in values.items():
            rates[path][unit][n] = Rate(statistics.median(of_n), min(of_n), max(of_n), len(of_n))
        add_tccg_groups(rates)
        add_assembly(rates)
        about = {"device": device, "date": self.context["date"][:10], "pack": self.context.get("pack", ""),
                 **{name: ", ".join(sorted(values)) for name, values in self.versions.items()}}
        return Results({name: value for name, value in about.items() if value}, rates)


def units(key, copy):
    """(unit, factor, counter)"""
    yield "GFLOP/s", 1e-9, "FLOP/s"
    yield "GDOF/s", 1e-9, "unknown/s"
    if copy:
        yield "%", 100 / copy, "byte/s"
    if copy or key.place.startswith("memory") or key.case == "Machine":
        yield "GB/s", 1e-9, "byte/s"


def add_tccg_groups(rates):
    """From the contractions, one by one, what tables say of groups."""
    for path in [p for p in rates if p.startswith("TCCG/") and p.endswith("/contract")]:
        ours, peer = rates[path]["GFLOP/s"], rates[path.removesuffix("contract") + "TTGT"]["GFLOP/s"]
        ratios = {n: ours[n].median / peer[n].median for n in ours if n in peer}
        for group in TCCG_GROUPS:
            first, _, last = group.partition("-")
            numbers = [str(n) for n in range(int(first), int(last or first) + 1)]
            for to, unit, values in ((path, "GFLOP/s", {n: r.median for n, r in ours.items()}),
                                     (f"{path}:TTGT", "times", ratios)):
                found = [values[n] for n in numbers if n in values]
                if found:
                    rates[to][f"{unit}, group"][group] = Rate(None, min(found), max(found))
        if ratios:
            mean = math.exp(statistics.mean(map(math.log, ratios.values())))
            rates[f"{path}:TTGT"]["times, geometric mean"]["all"] = Rate(mean)


def add_assembly(rates):
    """How many times as fast as cuBLAS, whose dense products have more operations for the same bytes."""
    for path in [p for p in rates if p.startswith("FE-assembly") and p.endswith("/Team")]:
        ours, peer = (rates[p]["%"] for p in (path, path.removesuffix("Team") + "cuBLAS"))
        rates[f"{path}:cuBLAS"]["times"] = {n: Rate(ours[n].median / peer[n].median) for n in ours if n in peer}


class Results:
    """about: {"device": ..., "date": ...}; rates[path][unit][n]: Rate."""

    def __init__(self, about, rates):
        self.about = about
        self.rates = rates

    def rate(self, path, unit):
        """{n: Rate}, perhaps empty; n is a number where it looks like one. Of several names the best at each n."""
        found = {}
        for name in self.names(path):
            for n, rate in self.rates[name].get(unit, {}).items():
                where = size(n)
                if where not in found or (rate.median or 0) > found[where].median:
                    found[where] = rate
        return found

    def names(self, path):
        """Those in `rates` that a path of an exhibit stands for."""
        path = path.replace("native", self.about.get("pack", ""))
        if path.endswith("*"):
            return [name for name in self.rates if name.startswith(path[:-1])]
        return [path] if path in self.rates else []

    def write(self, path, wanted):
        """Of what `wanted` takes: a predicate of (path, unit)."""
        text = io.StringIO()
        text.write(header(self.about))
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name, by_unit in sorted(self.rates.items()):
            for unit, rates in sorted(by_unit.items()):
                if wanted(name, unit):
                    for n, r in sorted(rates.items(), key=lambda item: (len(item[0]), item[0])):
                        cells = ("" if v is None else f"{v:.4g}" for v in (r.median, r.lowest, r.highest))
                        writer.writerow((*name.split("/"), n, unit, *cells, r.repetitions or ""))
        path.write_text(text.getvalue(), encoding="utf-8")


def header(about):
    # In two, or it would count as this file's.
    licence = "SPDX-" "License-Identifier: Apache-2.0 WITH LLVM-exception"
    lines = [licence, *(f"{n}: {v}" for n, v in about.items())]
    return "".join(f"# {line}\n" for line in lines)


def read_rows(path):
    """(about, the rows as dictionaries)"""
    about = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("# ") and not line.startswith("# SPDX"):
            name, _, value = line[2:].partition(": ")
            about[name] = value
    return about, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def read_csv(path):
    about, rows = read_rows(path)
    rates = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        number = lambda column: float(row[column]) if row[column] else None
        rates["/".join(row[f] for f in FIELDS)][row["unit"]][row["n"]] = Rate(
            number("median"), number("lowest"), number("highest"), row["repetitions"] and int(row["repetitions"]))
    return Results(about, rates)


def ratio(a, b):
    """a / b for the n that both have."""
    return {n: a[n] / b[n] for n in sorted(a.keys() & b.keys()) if b[n]}


def part(rates, peak):
    """Of the peak; nothing where that was not measured, because a filter left it out."""
    return {n: rate / peak for n, rate in rates.items()} if peak else {}


def cpu_name():
    """A virtual machine's CPU may have a name that says little."""
    facts = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    flags = facts.get("flags", "").split()
    vectors = [name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags]
    family = facts.get("cpu family", "")
    zen = {"25": "Zen 4" if "avx512f" in flags else "Zen 3", "26": "Zen 5"}
    known = facts.get("vendor_id") == "AuthenticAMD" and family in zen
    details = [zen[family] if known else f"cpu family {family}, model {facts.get('model', '')}", *vectors[:1]]
    return f"{facts.get('model name', 'unknown CPU')} ({', '.join(details)})"
