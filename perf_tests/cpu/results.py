# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the results of scripts/bench."""

import collections
import json
import pathlib

Key = collections.namedtuple("Key", "concept type layout extents regime")

# Whose results are compared only with each other: of one core, of all, of the build with Kokkos Kernels.
RUNS = {"": "one", "-all": "all", "-kk": "kk"}


class Results:
    """rates[run][Key][who][n]: FLOP/s; machine[run][name]: rates; extra: other counters.

    Of repetitions the fastest counts, for every benchmark alike. On a shared machine the others measure its neighbours:
    the rates of a benchmark have two modes, a factor of two apart, and the median is in either by chance.
    """

    def __init__(self, folder):
        self.rates = {run: {} for run in RUNS.values()}
        self.extra = {run: {} for run in RUNS.values()}
        self.machine = {run: {} for run in RUNS.values()}
        self.errors = []
        self.dates = []
        for path in sorted(pathlib.Path(folder).glob("Perf_*.json")):
            self.read(path)

    def read(self, path):
        run = next(RUNS[s] for s in sorted(RUNS, key=len, reverse=True) if path.stem.endswith(s))
        text = path.read_text(encoding="utf-8")
        if not text.strip():  # nothing in this one matched the filter
            return
        samples = collections.defaultdict(list)
        report = json.loads(text)
        self.dates.append(report["context"]["date"])
        for entry in report["benchmarks"]:
            name = entry["run_name"].removesuffix("/real_time").removesuffix("/iterations:1")
            if entry.get("error_occurred"):
                self.errors.append(f"{path.stem}: {entry['name']}: {entry.get('error_message', '')}")
            elif entry.get("run_type") != "aggregate":
                samples[name].append(entry)
        for name, entries in samples.items():
            highest = lambda counter: max(e[counter] for e in entries)
            if name.startswith("Machine/"):
                rate = highest("byte/s") if "triad" in name else highest("FLOP/s")
                self.machine[run].setdefault(name.removeprefix("Machine/"), []).append(rate)
                continue
            *key, who, n = name.split("/")
            self.rates[run].setdefault(Key(*key), {}).setdefault(who, {})[int(n)] = highest("FLOP/s")
            if "byte/problem" in entries[0]:
                self.extra[run].setdefault(Key(*key), {}).setdefault(who, {})[int(n)] = highest("byte/problem")

    def rate(self, run, key, who):
        """{n: FLOP/s}, perhaps empty."""
        return self.rates[run].get(Key(*key), {}).get(who, {})

    def best(self, run, key, prefix):
        """{n: the highest FLOP/s of those whose name begins so}."""
        result = {}
        for who, rates in self.rates[run].get(Key(*key), {}).items():
            if who.startswith(prefix):
                for n, rate in rates.items():
                    result[n] = max(rate, result.get(n, 0))
        return result

    def peak(self, run, element):
        """Measured by each executable of the run: the highest is nearest to an undisturbed one."""
        return max(self.machine[run].get("fma/float" if "float" in element else "fma/double", [0.0]))

    def bound(self, run, key):
        """{n: the lower one of the FMA peak and the moves-only kernel}."""
        peak = self.peak(run, key[1])
        moves = self.rate(run, ("Moves", key[1], "right", "static", key[4]), "moves")
        return {n: min(peak, rate) for n, rate in moves.items()}


def ratio(a, b):
    """a / b for the n that both have."""
    return {n: a[n] / b[n] for n in sorted(a.keys() & b.keys()) if b[n]}


def part(rates, peak):
    """Of the peak; nothing where that was not measured, because a filter left it out."""
    return {n: rate / peak for n, rate in rates.items()} if peak else {}


def cpu_name():
    """With family, model and vector instructions: a virtual machine's CPU may have a name that says little."""
    facts = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    vectors = [name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in facts.get("flags", "").split()]
    details = [f"{what} {facts[what]}" for what in ("cpu family", "model") if what in facts] + vectors[:1]
    return f"{facts.get('model name', 'unknown CPU')} ({', '.join(details)})"
