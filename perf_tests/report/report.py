#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts and tables of the results.

report.py summarise cpu|gpu|intrepid2 FOLDER  of Google Benchmark's JSON: bars (cpu), tables.txt, charts
report.py commit cpu|gpu|intrepid2 FOLDER     writes what the pages show of it to perf_tests/results, then the pages
report.py commit compile-time FOLDER  the same, of what scripts/compile-time found
report.py commit dealii FOLDER      the same, of what scripts/check-dealii found
report.py commit ceed FOLDER        the same, of what scripts/bench cpu --only ceed found
report.py commit scale FOLDER       the same, of what scripts/bench scale found
report.py pages                     charts and tables in README.md, docs and example from perf_tests/results
report.py check                     whether they are what `pages` would write; needs no Matplotlib
report.py filter                    a filter for Google Benchmark: what the pages show of a CPU

A page has a table, or a chart with its table, between <!-- results: NAME --> and <!-- /results -->; NAME is that of an
exhibit of exhibits.py, with `table` after it if the page is to have no chart and `picture` if no table; or `uses`,
`uses brief`, `peers`, `poisson_cg`, `ceed`, `scale` or `compile-time`.
"""

import datetime
import math
import os
import pathlib
import re
import statistics
import sys
import textwrap

sys.dont_write_bytecode = True  # before the imports from this folder

import bars
import charts
import compile_time
import scale
from exhibits import EXHIBITS, HAND, MACHINE, OF_THIS_LIBRARY, OURS, PEER, REFERENCES
from results import TCCG_GROUPS, Samples, cpu_name, header, in_order, read_csv, read_rows, size

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "example" / "poisson_cg"))
import plot  # noqa: E402  it draws for who runs the example, too
import plot_bakeoff  # noqa: E402

RESULTS = PROJECT / "perf_tests" / "results"
FIGURES = PROJECT / "docs" / "figures"
POISSON = RESULTS / "poisson_cg.csv"
CEED = RESULTS / "ceed.csv"
SCALE = RESULTS / "scale.csv"
COMPILE_TIME = RESULTS / "compile-time.csv"

# What commits results of Google Benchmark.
COMMANDS = {"cpu": "scripts/bench cpu --commit", "gpu": "scripts/bench gpu --commit",
            "intrepid2": "scripts/check-trilinos --commit"}
LOOPS = ("loop", "unit-loop")
NOISE = 0.95


# --- Of a run


def table(key, by_who, run):
    """All rates of one kind of operands, in GFLOP/s."""
    columns = [w for w in LOOPS if w in by_who] + [w for w in by_who if w not in LOOPS]
    lines = [f"{' '.join(key)} ({run})", f"{'n':>4}" + "".join(f"{c:>14}" for c in columns)]
    for n in in_order({n for rates in by_who.values() for n in rates}):
        cells = (by_who[c].get(n) for c in columns)
        lines.append(f"{n:>4}" + "".join(f"{'' if r is None else f'{r / 1e9:.2f}':>14}" for r in cells))
    return "\n".join(lines) + "\n"


def slower_than_loops(by_key):
    """Lines, one for each level and kind of operands."""
    for key, by_who in sorted(by_key.items()):
        for who in ("Serial", "Vector", "Team", "TeamVector", "tile", "stored"):
            faults = []
            for n, rate in sorted(by_who.get(who, {}).items()):
                loop = max((by_who[w][n] for w in LOOPS if n in by_who.get(w, {})), default=0)
                if rate < NOISE * loop:
                    faults.append(f"{n}: {rate / loop:.2f}")
            if faults:
                yield f"  {' '.join(key)} {who}  {', '.join(faults)}"


def summarise(source, folder):
    samples = Samples(folder)
    rates = {run: {key: {who: samples.highest(run, key, who) for who in by_who} for key, by_who in kinds.items()
                   if key.case != "Machine"} for run, kinds in samples.runs.items()}
    tables = [table(key, by_who, run) for run, kinds in rates.items() for key, by_who in sorted(kinds.items())]
    (folder / "tables.txt").write_text("\n".join(tables), encoding="utf-8")
    for run, kinds in samples.runs.items():
        if kinds:
            machine = sorted(samples.machine(run).items())
            print(f"{run}: " + ", ".join(f"{name} {rate / 1e9:.1f}" for name, rate in machine) + " G/s")
    if source == "cpu":
        print(f"\nBars (the worst of each; full tables in {folder}/tables.txt)")
        for row in bars.rows(samples):
            print(row.text())
        faults = list(slower_than_loops(rates["one"]))
        print(f"\nSlower than the faster loop by more than 5 %: {len(faults)} (n: ratio)")
        print("\n".join(faults))
    results = results_of(source, samples)
    print()
    for exhibit in of_device(source):
        if any(results.rate(line.path, exhibit.unit) for line in exhibit.lines() if line.role == OURS):
            print(f"{exhibit.title}, {exhibit.unit}\n" + "\n".join(exhibit_lines(exhibit, results)) + "\n")
    draw_all(source, results, folder / "charts")
    for error in samples.errors:
        print(f"ERROR {error}")
    return 1 if samples.errors else 0


def results_of(source, samples):
    return samples.results(samples.context.get("GPU", "GPU") if source == "gpu" else cpu_name())


def sources_of(device):
    """What is measured in a run of its own, perhaps on another machine, has a file of its own: cpu, cpu-programs."""
    return [source for source in dict.fromkeys(exhibit.source for exhibit in EXHIBITS)
            if source == device or source.startswith(f"{device}-")]


def of_source(source):
    return [exhibit for exhibit in EXHIBITS if exhibit.source == source]


def of_device(device):
    return [exhibit for source in sources_of(device) for exhibit in of_source(source)]


def draw_all(source, results, folder):
    if charts.pyplot is None:
        print("charts: no Matplotlib, none drawn")
        return
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [charts.draw(exhibit, results, folder / exhibit.name) for exhibit in of_device(source) if exhibit.chart]
    print(f"charts: {sum(drawn)} in {folder}")


def shown_paths(source):
    """[(path, unit)] of what the pages show, as exhibits have it."""
    return [(line.path, line.unit or exhibit.unit) for exhibit in of_source(source) for line in exhibit.lines()]


def commit(device, folder):
    samples = Samples(folder)
    if samples.errors:
        sys.exit("not committed: " + "; ".join(samples.errors))
    results = results_of(device, samples)
    RESULTS.mkdir(exist_ok=True)
    for source in sources_of(device):
        ours = {name for exhibit in of_source(source) for line in exhibit.lines() if line.role == OURS
                for name in results.names(line.path)}
        if not ours:  # not measured: the file stays as it is
            continue
        only = f" --only {source.split('-')[1].capitalize()}" if source.startswith("cpu-") else ""
        results.about["command"] = COMMANDS[device].replace(" --commit", f"{only} --commit")
        shown = {(name, unit) for path, unit in shown_paths(source) for name in results.names(path)}
        wanted = lambda name, unit: (name, unit) in shown or (source == device and name.startswith("TCCG/"))
        results.write(RESULTS / f"{source}.csv", wanted)
    if device == "cpu" and (folder / POISSON.name).exists():
        about = {**results.about, "command": COMMANDS[device], "where": "one core"}
        measured = (folder / POISSON.name).read_text(encoding="utf-8")
        POISSON.write_text(header(about) + measured, encoding="utf-8")
    return pages()


# What other scripts found.
FOUND = {"compile-time": {"statistic": "least user time and memory of the largest process",
                          "command": "scripts/compile-time --commit"},
         "ceed": {"where": "one core", "command": "scripts/bench cpu --only ceed --commit"},
         "dealii": {"clock": "CPU time of the process", "command": "scripts/check-dealii --commit"}}


def commit_found(source, folder):
    found = (folder / "found.csv").read_text(encoding="utf-8")
    about = {}  # scale.py says it itself
    if source in FOUND:
        about = {"device": cpu_name(), "date": datetime.date.today().isoformat(), **FOUND[source]}
    (RESULTS / f"{source}.csv").write_text(header(about) + found, encoding="utf-8")
    return pages()


def benchmark_filter():
    paths = [path for source in sources_of("cpu") for path, _ in shown_paths(source) if path[:7] != "Machine"]
    names = [path.rstrip("*").replace("native", "[0-9]+") for path in paths]
    print("^(" + "|".join(["Machine", *dict.fromkeys(names)]) + ")")


# --- Pages


def number(x):
    """As many digits as a reader can use."""
    if x is None:
        return ""
    if x < 9.95:
        return f"{x:.2g}"
    return f"{x:.0f}" if x < 1000 else f"{float(f'{x:.3g}'):.0f}"


def span(values):
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def wrapped(text, indent=""):
    """As lines of at most 120 columns, the later ones with an indent."""
    return "\n".join(textwrap.wrap(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def times(ratio):
    """A ratio, whose 1.0 says that it is not 0.9."""
    return f"{ratio:.2f}" if ratio < 0.995 else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def mean_and_worst(ratios):
    """Of {where in words: ratio}, in words."""
    mean = math.exp(statistics.mean(map(math.log, ratios.values())))
    worst = min(ratios, key=ratios.get)
    return times(mean), f"worst {times(ratios[worst])} at {worst}"


def exhibit_lines(exhibit, results):
    """The table, and what is to be said of it."""
    if exhibit.name.endswith("tccg"):
        return group_lines(exhibit, results)
    if charts.is_of_programs(exhibit):
        return program_lines(exhibit, results)
    rates = {line: results.rate(line.path, line.unit or exhibit.unit) for line in exhibit.lines()}
    rates = {line: {n: rate for n, rate in r.items() if exhibit.has(n)}
             for line, r in rates.items() if r and "" not in r}  # what has no n is in the caption
    sizes = in_order({n for r in rates.values() for n in r})
    lines = [f"| {exhibit.x} | " + " | ".join(map(str, sizes)) + " |", "| --- |" + " --- |" * len(sizes)]
    remarks = []
    for panel in exhibit.panels:
        ours = charts.best_of({line: rates[line] for line in panel.lines if line in rates and not line.unit}, OURS)
        prefix = f"{panel.title}: " if panel.title else ""
        for line in panel.lines:
            if line not in rates:
                continue
            cells = []
            for n in sizes:
                cell = number(rates[line][n].median) if n in rates[line] else ""
                wins = line.role == PEER and cell and charts.is_faster(rates[line][n], ours.get(n))
                cells.append(f"**{cell}**" if wins else cell)
            lines.append(f"| {prefix}{line.label} | " + " | ".join(cells) + " |")
            if line.role in REFERENCES:
                remarks += beside(exhibit, prefix, line.label, line.role, rates[line], ours)
    return lines + ["", *remarks] if remarks else lines


def beside(exhibit, prefix, label, role, peer, ours):
    ratios = {exhibit.at("", n): ours[n] / rate.median for n, rate in peer.items() if n in ours and rate.median}
    if not ratios:
        return
    slower = [n for n, rate in peer.items() if charts.is_faster(rate, ours.get(n))]
    mean, worst = mean_and_worst(ratios)
    text = f"- {prefix}{mean} times as fast as {'the ' if role == HAND else ''}{label}, {worst}"
    if slower:
        text += f"; slower by more than 5 % at {', '.join(map(str, in_order(slower)))}"
    yield wrapped(text, "  ")


def spread(exhibit, results):
    """How far the repetitions of the library's own lines are apart."""
    widths = sorted((r.highest - r.lowest) / r.median for line in exhibit.lines()
                    if line.role in OF_THIS_LIBRARY
                    for n, r in results.rate(line.path, exhibit.unit).items() if exhibit.has(n) and r.lowest is not None)
    if not widths:
        return ""
    percent = lambda part: f"{max(1, 100 * widths[math.ceil(part * len(widths)) - 1]):.0f} %"
    half = f"{percent(0.5)} of the median for half" if percent(0.5) != percent(0.9) else ""
    most = f", and by at most {percent(0.9)} for nine tenths of them" if half else ""
    part = half or f"{percent(0.9)} of the median for nine tenths"
    return f" Lowest and highest repetition differ by at most {part} of this library's rates{most}."


def caption(exhibit, results, drawn):
    machine = [f"{line.label}: {number(r.highest)}" for line in exhibit.lines() if line.role == MACHINE
               for n, r in results.rate(line.path, exhibit.unit).items() if n == ""]
    text = f"{exhibit.title}; {exhibit.axis or exhibit.unit}. {charts.conditions(exhibit, results, drawn)}."
    for line in dict.fromkeys(machine):
        text += f" {line}."
    return wrapped(text + spread(exhibit, results))


def group_lines(exhibit, results):
    """Of the groups of TCCG."""
    path = exhibit.panels[0].lines[0].path
    rates = results.rate(path, "GFLOP/s, group")
    times = results.rate(f"{path}:TTGT", "times, group")
    lines = ["| contractions | GFLOP/s | times as fast |", "| --- | --- | --- |"]
    for group, what in TCCG_GROUPS.items():
        where = size(group)
        if where in rates:
            cells = (span((r[where].lowest, r[where].highest)) for r in (rates, times))
            lines.append(f"| {group}, {what} | " + " | ".join(cells) + " |")
    mean, worst = mean_and_worst(in_words(exhibit, ratios_of_tccg(exhibit, results)))
    return lines + ["", f"Geometric mean of the 48: {mean} times as fast, {worst}."]


def program_lines(exhibit, results):
    """A row a program."""
    lines = [f"| {exhibit.x} | n | this library, {exhibit.unit} | the original, {exhibit.unit} | times as fast | worst |",
             "| --- | --- | --- | --- | --- | --- |"]
    ratios = charts.ratios_of_programs(exhibit, results)
    for panel in exhibit.panels:
        if panel.title not in ratios:
            continue
        rates = {line: results.rate(line.path, exhibit.unit) for line in panel.lines}
        ours, peer = (span(charts.best_of(rates, role).values()) for role in (OURS, PEER))
        mean, worst = mean_and_worst({exhibit.at("", n): r for n, r in ratios[panel.title].items()})
        sizes = ", ".join(map(str, in_order(ratios[panel.title])))
        lines.append(f"| {panel.title} | {sizes} | {ours} | {peer} | {mean} | {worst.removeprefix('worst ')} |")
    return lines


def ratios_of_tccg(exhibit, results):
    ours, peer = (results.rate(line.path, "GFLOP/s") for line in exhibit.lines()[:2])
    return {("", n): ours[n].median / peer[n].median for n in ours}


def compared(exhibit, results):
    """([rates of this library], {(role, name) of a reference: {(title of a panel, n): times as fast}})"""
    if exhibit.name.endswith("tccg"):
        groups = results.rate(exhibit.panels[0].lines[0].path, "GFLOP/s, group").values()
        return ([rate for r in groups for rate in (r.lowest, r.highest)],
                {(PEER, exhibit.lines()[1].label): ratios_of_tccg(exhibit, results)})
    ours, ratios = [], {}
    for panel in exhibit.panels:
        rates = {line: results.rate(line.path, exhibit.unit) for line in panel.lines}
        best = charts.best_of(rates, OURS)
        # Without a reference each line is another operation.
        has_reference = any(line.role in REFERENCES for line in panel.lines)
        ours += best.values() if has_reference else [
            r.median for line, of_line in rates.items() if line.role == OURS for r in of_line.values()]
        for role in REFERENCES:
            for name in dict.fromkeys(line.label.split(",")[0] for line in panel.lines if line.role == role):
                named = {line: r for line, r in rates.items() if line.label.startswith(name)}
                found = {(panel.title, n): best[n] / r for n, r in charts.best_of(named, role).items() if n in best}
                ratios.setdefault((role, name), {}).update(found)
    return ours, {reference: found for reference, found in ratios.items() if found}


def in_words(exhibit, ratios):
    return {exhibit.at(title, n): ratio for (title, n), ratio in ratios.items()}


def uses(all_results, brief):
    """The rates to expect of each use, a line each."""
    lines = ["| where | use | this library | times as fast as others, geometric mean and worst |",
             "| --- | --- | --- | --- |"]
    for exhibit in EXHIBITS:
        if exhibit.use and (exhibit.brief or not brief):
            ours, ratios = compared(exhibit, all_results[exhibit.source])
            peers = [f"{name}: {', '.join(mean_and_worst(in_words(exhibit, found)))}"
                     for (_, name), found in ratios.items()]
            unit = "% of the rate of a copy" if exhibit.unit == "%" else exhibit.unit
            where = "CPU" if exhibit.source.startswith("cpu") else "GPU"
            lines.append(
                f"| {where} | {exhibit.use} | {span(ours)} {unit} | {'; '.join(peers)} |")
    return lines


def peers(all_results):
    """The sizes at which other libraries are faster, a line for each library and use."""
    lines = ["| where | use | other library | this library, times as fast | the other one is more than 5 % faster at |",
             "| --- | --- | --- | --- | --- |"]
    for exhibit in EXHIBITS:
        if exhibit.use:
            _, ratios = compared(exhibit, all_results[exhibit.source])
            for (role, name), found in ratios.items():
                if role == PEER:
                    mean, worst = mean_and_worst(in_words(exhibit, found))
                    titles = dict.fromkeys(title for title, _ in found)
                    at = "; ".join(filter(None, (slower_at(exhibit, title, found) for title in titles))) or "no size"
                    lines.append(f"| {exhibit.source.split('-')[0].upper()} | {exhibit.use} | {name} | {mean}, {worst} | {at} |")
    return lines


def slower_at(exhibit, title, ratios):
    """The sizes of one panel at which this library is slower, in words."""
    sizes = [str(n) for n in in_order({n for (t, n), ratio in ratios.items() if t == title and ratio < NOISE})]
    return exhibit.at(title, ", ".join(sizes)) if sizes else ""


def poisson_lines(page):
    about, rows = plot.read(POISSON)
    lines = [image(page, "poisson_cg", "errors and rates of poisson_cg"), "", plot.caption(about, rows), "",
             "| order p | unknowns | error | operator, 10^6 unknowns per second | CG iteration |",
             "| --- | --- | --- | --- | --- |"]
    for order, unknowns, error, operator, iteration in plot.rates(rows):
        lines.append(f"| {order} | {unknowns} | {error:.1e} | {number(operator[0])} | {number(iteration[0])} |")
    return lines


def ceed_lines(page):
    about, curves = plot_bakeoff.read(CEED)
    text = (f"The best rate of an iteration in GDOF/s, and the number of points from which on 80 % of it are reached. "
            f"{plot_bakeoff.caption(about)}.")
    return [image(page, "ceed", "rates of CEED's bake-off problems over the number of points"), "", wrapped(text), "",
            *plot_bakeoff.table(curves)]


def scale_lines(page):
    about, rows = read_rows(SCALE)
    return [image(page, "scale", "rates of several ranks beside that of one"), "", wrapped(scale.remarks(about, rows)), "",
            *scale.table(rows)]


def compile_time_lines():
    about, rows = read_rows(COMPILE_TIME)
    text = (f"User time in seconds; a time with + is in addition to that of `KokkosContract.hpp` alone. "
            f"{about['device']}, {about['date']}: {about['statistic']}.")
    return [wrapped(text), "", *compile_time.table(rows)]


def image(page, name, text):
    return f"![{text}]({os.path.relpath(FIGURES / name, page.parent)}.svg)"


def block(page, words, all_results):
    """What stands between the markers."""
    name, *options = words
    if name == "uses":
        return uses(all_results, "brief" in options)
    if name == "peers":
        return peers(all_results)
    if name == "compile-time":
        return compile_time_lines()
    if name == "poisson_cg":
        return poisson_lines(page) if not options else poisson_lines(page)[:1]
    if name == "ceed":
        return ceed_lines(page)
    if name == "scale":
        return scale_lines(page)
    exhibit = next((e for e in EXHIBITS if e.name == name), None)
    if exhibit is None:
        sys.exit(f"{page}: no exhibit is named {name}")
    results = all_results[exhibit.source]
    if "picture" in options:
        return [image(page, name, exhibit.title), "", caption(exhibit, results, True)]
    drawn = exhibit.chart and not options
    lines = [image(page, name, exhibit.title), ""] if drawn else []
    return [*lines, caption(exhibit, results, drawn), "", *exhibit_lines(exhibit, results)]


def pages_of_results(all_results):
    """(page, its text, its text as the results make it)"""
    for pattern in ("README.md", "docs/*.md", "example/*/README.md"):
        for page in sorted(PROJECT.glob(pattern)):
            text = page.read_text(encoding="utf-8")
            made = re.sub(
                r"(<!-- results: ([^>]*) -->\n).*?(<!-- /results -->)",
                lambda m, page=page: m[1] + "\n".join(block(page, m[2].split(), all_results)) + "\n" + m[3], text,
                flags=re.S)
            yield page, text, made


def figures(all_results):
    """{name: (its fingerprint, a function that draws it)}"""
    made = {"poisson_cg": (plot.fingerprint(POISSON), lambda path: plot.draw(POISSON, f"{path}.svg"))}
    if CEED.exists():
        made["ceed"] = (plot.fingerprint(CEED), lambda path: plot_bakeoff.draw(CEED, f"{path}.svg"))
    if SCALE.exists():
        made["scale"] = (plot.fingerprint(SCALE), lambda path: scale.draw(SCALE, f"{path}.svg"))
    for exhibit in EXHIBITS:
        if exhibit.chart:
            results = all_results[exhibit.source]
            made[exhibit.name] = (charts.fingerprint(exhibit, results),
                                  lambda path, e=exhibit, r=results: charts.draw(e, r, path, suffixes=(".svg",)))
    return made


def read_all():
    return {source: read_csv(RESULTS / f"{source}.csv") for source in {exhibit.source for exhibit in EXHIBITS}}


def pages():
    all_results = read_all()
    for page, text, made in pages_of_results(all_results):
        if made != text:
            page.write_text(made, encoding="utf-8")
            print(f"{page.relative_to(PROJECT)}: written")
    if charts.pyplot is None:
        print("charts: no Matplotlib, none drawn")
        return 1
    for name, (_, draw) in figures(all_results).items():
        draw(FIGURES / name)
    print(f"charts: in {FIGURES.relative_to(PROJECT)}")
    return 0


def check():
    all_results = read_all()
    faults = [f"{page.relative_to(PROJECT)} is not what perf_tests/results makes of it"
              for page, text, made in pages_of_results(all_results) if made != text]
    expected = figures(all_results)
    for name, (fingerprint, _) in expected.items():
        path = FIGURES / f"{name}.svg"
        if not path.exists() or f"results {fingerprint}" not in path.read_text(encoding="utf-8"):
            faults.append(f"docs/figures/{name}.svg is not of perf_tests/results")
    faults += [f"docs/figures/{path.name}: nothing draws it" for path in sorted(FIGURES.iterdir())
               if path.stem not in expected or path.suffix != ".svg"]
    print("\n".join(faults) or "pages and charts are those of perf_tests/results")
    if faults:
        print("scripts/bench pages makes them anew")
    return 1 if faults else 0


def main():
    command, *rest = sys.argv[1:] or [""]
    if command in ("summarise", "commit") and len(rest) == 2 and rest[0] in COMMANDS:
        return {"summarise": summarise, "commit": commit}[command](rest[0], pathlib.Path(rest[1]))
    if command == "commit" and len(rest) == 2 and rest[0] in (*FOUND, "scale"):
        return commit_found(rest[0], pathlib.Path(rest[1]))
    if command in ("pages", "check", "filter") and not rest:
        return {"pages": pages, "check": check, "filter": benchmark_filter}[command]()
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
