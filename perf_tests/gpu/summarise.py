# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Percent of the memory bound from the JSON of Perf_Gpu: a table, and charts."""

import argparse
import collections
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cpu"))
from charts import PROJECT, pyplot, tccg_chart  # noqa: E402

COLORS = {"Team": "#0b5fa5", "Vector": "#56a5e0", "Serial": "#7b3fa0", "cuBLAS": "#d1495b", "KK-Team": "#8c6d46",
          "KK-TeamVector": "#c0a070", "KK-Serial": "#e0942f"}
# Factorisations, solves and pipelines.
SOLVES = {"LU": "#0b5fa5", "Trsv": "#56a5e0", "Trsm": "#7b3fa0", "Fused": "#e0942f", "Fused-stored": "#d1495b"}


def read(path):
    """(context, copy bandwidth, {(concept, type, layout, extents): {who: {n: (percent, GFLOP/s)}}}, {"double": GFLOP/s
    of cuBLAS, ...})"""
    report = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    samples = collections.defaultdict(list)
    for entry in report["benchmarks"]:
        name = entry["run_name"].split("/iterations")[0]
        if entry.get("error_occurred"):
            sys.exit(f"{name}: {entry['error_message']}")
        if entry.get("run_type") != "aggregate":
            samples[name].append((entry["byte/s"], entry["FLOP/s"]))
    median = {name: [statistics.median(x) for x in zip(*values)] for name, values in samples.items()}
    if "Machine/copy" not in median:
        sys.exit("the bound needs Machine/copy of the same run")
    copy = median["Machine/copy"][0]
    table = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, (rate, flops) in median.items():
        if not name.startswith("Machine/"):
            *key, _, who, n = name.split("/")
            table[tuple(key)][who][int(n)] = (100 * rate / copy, flops / 1e9)
    peaks = {name.split("/")[-1]: flops / 1e9 for name, (_, flops) in median.items() if "/cublas/" in name}
    return report["context"], copy, table, peaks


def print_table(copy, table):
    print(f"copy: {copy / 1e9:.0f} GB/s; percent of the bound that moving each word once at this rate makes")
    for key, by_who in table.items():
        for who, values in by_who.items():
            print(f"{'/'.join(key)} {who}")
            print("  " + " ".join(f"{n}:{percent:.0f}" for n, (percent, _) in sorted(values.items())))
    by_who = tccg_rates(table)
    if by_who:
        ratios = {n: by_who["contract"][n] / by_who["TTGT"][n] for n in sorted(by_who["contract"])}
        print("TCCG, contract against TTGT with cuBLAS")
        print("  " + " ".join(f"{n}:{ratio:.2f}" for n, ratio in ratios.items()))
        print(f"  geometric mean {math.exp(statistics.mean(map(math.log, ratios.values()))):.2f}")


def tccg_rates(table):
    """{who: {number: GFLOP/s}}"""
    by_who = next((w for key, w in table.items() if key[0] == "TCCG"), {})
    return {who: {n: rate for n, (_, rate) in values.items()} for who, values in by_who.items()}


def draw_chart(path, title, curves):
    """curves: {label: (color, line style, {n: (percent, GFLOP/s)})}"""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.5), layout="constrained")
    sizes = sorted({n for _, _, values in curves.values() for n in values})
    where = {n: i for i, n in enumerate(sizes)}
    for label, (color, style, values) in curves.items():
        points = sorted(values)
        axes.plot([where[n] for n in points], [values[n][0] for n in points], marker="o", markersize=3, color=color,
                  label=label, linestyle=style)
    axes.axhline(100, color="black", linewidth=1, label="memory bound")
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    axes.set_xlabel("n")
    axes.set_ylabel("percent of the memory bound")
    axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.3)
    figure.legend(fontsize=7.5, ncols=4, loc="outside lower center")
    save(figure, path)


def save(figure, path):
    figure.savefig(f"{path}.svg", metadata={"Date": None})
    figure.savefig(f"{path}.png", dpi=110)
    pyplot.close(figure)


def draw(table, peaks, folder, title):
    folder.mkdir(parents=True, exist_ok=True)
    for element in ("double", "float"):
        curves = {}
        for (concept, kind, layout, extents), by_who in table.items():
            if concept != "Gemm" or kind != element:
                continue
            for who, values in by_who.items():
                ours = not who.startswith(("cuBLAS", "KK"))
                label = f"{who}, {extents}" + (", interleaved" if layout == "left" else "") if ours else who
                style = "-" if ours and extents == "static" else "--"
                curves[label] = (COLORS.get(who, "#888888"), style, values)
        if curves:
            draw_chart(folder / f"gpu-Gemm-{element}", f"batched n x n C = A B, {element}, {title}", curves)
    curves = {}
    for (concept, kind, _, extents), by_who in table.items():
        if concept in SOLVES and kind == "double" and extents == "static":
            for who, values in by_who.items():
                style = "-" if who == "Team" else ("--" if who.startswith("KK") else ":")
                curves[concept if who == "Team" else f"{concept}, {who}"] = (SOLVES[concept], style, values)
    if curves:
        draw_chart(folder / "gpu-Solve-double", f"batches of n x n problems, double, {title}", curves)
    figure = tccg_chart(tccg_rates(table), "cuBLAS", peaks.get("double", 0), title)
    if figure is not None:
        save(figure, folder / "gpu-TCCG")
    print(f"charts in {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json")
    parser.add_argument("--charts", default=None, help="folder for the charts, e.g. docs/figures")
    options = parser.parse_args()
    context, copy, table, peaks = read(options.json)
    print_table(copy, table)
    if pyplot is None:
        print("charts: no Matplotlib, none drawn")
    elif options.charts:
        draw(table, peaks, PROJECT / options.charts, f"{context.get('GPU', 'GPU')}, {context['date'][:10]}")


if __name__ == "__main__":
    main()
