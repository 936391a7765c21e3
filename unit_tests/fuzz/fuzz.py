# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes, compiles and runs batches of random cases until the time is over; see scripts/fuzz --help."""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # before the imports from this folder

import cases
import contractions
import dense
import tiles

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path("unit_tests/fuzz")
RUNTIME = ("fuzz/Fuzz", "fuzz/Tensor", "fuzz/Contraction", "fuzz/Dense", "fuzz/Tile", "fuzz/Draw", "fuzz/Main", "Levels",
           "TensorMemory", "ThreadLevel")
ARCHITECTURES = ("native", "x86-64", "x86-64-v3", "x86-64-v4")
NEEDS = {"x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}  # of the processor
ENVIRONMENT = {"OMP_NUM_THREADS": "4", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}
GROUP = 24    # cases of a batch
HUGE = 6      # of one whose calls take seconds
DRAWS = 60    # of each case at each level
LONGEST = 60    # seconds that a batch runs
PATIENCE = 120  # more, and its program hangs


@dataclasses.dataclass(frozen=True)
class Build:
    """How a batch is compiled."""
    arch: str
    optimise: str = "-O1"
    sanitize: bool = False
    cuda: str = ""         # folder of a Kokkos with CUDA

    def compiler(self):
        """With its flags."""
        common = ["-std=c++20", self.optimise, "-Iinclude", "-Isrc", "-Ibuild/fuzz/include", "-Iunit_tests"]
        if self.cuda:
            return ["nvcc", "-x", "cu", "-arch=sm_90", "--extended-lambda", "--diag-error=20011,20012,20013,20014,20015",
                    "-Xcompiler", "-fopenmp", *common, "-isystem", self.kokkos("include"), *self.gtest()]
        command = ["g++", *common, "-fopenmp", f"-march={self.arch}", "-isystem", "/usr/include/kokkos"]
        if self.sanitize:
            command += ["-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                        "-fno-sanitize-recover=undefined"]
        return command

    def libraries(self):
        """None where there are headers only, and nothing is linked."""
        libraries = ["-lgtest", "-lkokkoscontainers", "-lkokkoscore", "-ldl"]
        if not self.cuda:
            return libraries
        folders = [folder for folder in (self.kokkos("lib"), self.kokkos("lib64"))
                   if list(pathlib.Path(folder).glob("libkokkoscore.*"))]
        return ["-L" + folders[0], *libraries, "-lcuda", "-lgomp"] if folders else None

    def kokkos(self, part):
        """Of an installation, or of a folder that holds the headers alone."""
        folder = pathlib.Path(self.cuda)
        return str(folder / part if (folder / part).is_dir() else folder)

    def gtest(self):
        """Where nvcc finds GoogleTest, if not by itself: GTEST_INCLUDE."""
        return ["-isystem", os.environ["GTEST_INCLUDE"]] if "GTEST_INCLUDE" in os.environ else []

    def of_runtime(self):
        """Optimised code is wanted of the library, not of what calls it."""
        return dataclasses.replace(self, optimise="-O1")

    def name(self):
        return "-".join(["cuda" if self.cuda else self.arch, self.optimise.strip("-")] + ["sanitize"] * self.sanitize)

    def runs_here(self):
        needed = NEEDS.get(self.arch)
        return self.libraries() is not None and (
            needed is None or needed in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())


class Late(Exception):
    """The time is over."""


class Fuzzer:
    def __init__(self, options):
        self.options = options
        self.deadline = time.monotonic() + 60 * options.minutes
        self.folder = ROOT / "build" / "fuzz"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.findings = []
        self.batches = self.cases = self.calls = self.elements = 0
        self.worst = 0.0
        self.kinds = collections.Counter()  # calls

    # --- Progress, on a terminal ---

    def tell(self, number, doing):
        if sys.stderr.isatty():
            left = max(0, int(self.left()))
            of = f" of {self.options.batches}" if self.options.batches else ""
            print(f"\r[{self.batches} batches{of} done, {len(self.findings)} failures, {left // 60}:{left % 60:02} left] "
                  f"batch {number} {doing}\033[K", end="", file=sys.stderr, flush=True)

    def tell_nothing(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    # --- Commands where Kokkos is ---

    def left(self):
        return self.deadline - time.monotonic()

    def run(self, command, limit=float("inf")):
        """(status, output); -9 where it took longer than its own limit in seconds."""
        if self.left() <= 0:
            raise Late
        where = [] if self.options.cuda else [str(ROOT / "scripts" / "with-kokkos")]
        process = subprocess.Popen(where + [str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env={**os.environ, **ENVIRONMENT}, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=min(limit, self.left()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            if self.left() <= 0:
                raise Late from None
            return -9, output
        return process.returncode, output

    # --- The part that all batches share ---

    def runtime(self, build):
        """Its folder, with objects; compiled anew where a file that it may depend on has changed."""
        digest = hashlib.sha256(" ".join(build.compiler()).encode())
        for folder in ("include", "src", "unit_tests"):
            for path in sorted((ROOT / folder).rglob("*.[hc]pp")):
                if folder != "unit_tests" or path.suffix == ".hpp":
                    digest.update(path.read_bytes())
        for source in RUNTIME:
            digest.update((ROOT / "unit_tests" / f"{source}.cpp").read_bytes())
        folder = self.folder / f"{build.name()}-{digest.hexdigest()[:12]}"
        if (folder / "complete").exists():
            return folder
        for old in self.folder.glob(f"{build.name()}-*"):
            shutil.rmtree(old)
        folder.mkdir()
        version(self.folder / "include" / "KokkosContract")

        def compile_one(source):
            return self.run([*build.compiler(), "-c", f"unit_tests/{source}.cpp", "-o",
                             folder / (pathlib.Path(source).name + ".o")])
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for code, output in pool.map(compile_one, RUNTIME):
                if code != 0:
                    sys.exit(f"fuzz: the runtime does not compile:\n{output}")
        (folder / "complete").touch()
        return folder

    # --- Batches ---

    def batch_build(self, number):
        """By chance, but the same for the same seed."""
        rng = random.Random(f"{self.options.seed} {number} build")
        arch, optimise = rng.choice(self.options.arch), "-O3" if rng.random() < 0.2 else "-O1"
        return Build(arch, "-O1" if self.options.sanitize else optimise, self.options.sanitize, self.options.cuda)

    def write(self, number, without=()):
        rng = random.Random(f"{self.options.seed} {number}")
        options = cases.Options(half=bool(self.options.cuda), gpu=bool(self.options.cuda))
        turn = number % 8
        kind = (dense.random_routine if turn in (2, 5) else contractions.random_huge if turn == 7 else
                tiles.random_tile if turn in (3, 6) and not options.gpu else contractions.random_contraction)
        batch = [kind(rng, options, f"Case{number}_{i}") for i in range(HUGE if turn == 7 else GROUP)]
        return [case for case in batch if case.name not in without]

    def compile(self, build, number, folder, runtime):
        without = set()
        while True:
            batch = self.write(number, without)
            source = folder / "batch.cpp"
            source.write_text(translation_unit(batch), encoding="utf-8")
            code, output = self.run([*build.compiler(), "-c", source, "-o", folder / "batch.o"])
            if code == 0 and build.libraries() is not None:
                link = ["nvcc"] if build.cuda else build.compiler()
                code, output = self.run([*link, folder / "batch.o", *sorted(runtime.glob("*.o")), *build.libraries(),
                                         "-o", folder / "batch"])
            if code == 0:
                return batch
            names = {name for name in (case_at(source, int(line)) for line in
                                       re.findall(r"batch\.cpp:(\d+):\d+:", output)) if name}
            if not names:
                self.report(f"batch {number} does not compile ({build.name()})", output[:4000], "")
                return []
            for name in sorted(names):
                text = next(case.text for case in batch if case.name == name)
                self.report(f"{name} does not compile ({build.name()})", errors(output), text)
            without |= names

    def one(self, number):
        build = self.batch_build(number)
        folder = self.folder / f"batch{number}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.tell(number, "compiles")
        batch = self.compile(build, number, folder, self.runtime(build.of_runtime()))
        self.cases += len(batch)
        if batch and build.runs_here():
            self.tell(number, "runs")
            self.run_batch(number, build, folder, batch)
        self.batches += 1
        if not self.options.keep:
            shutil.rmtree(folder)

    def run_batch(self, number, build, folder, batch):
        seconds = min(LONGEST, self.left())
        program = [folder / "batch", folder, self.options.seed, self.options.draws, seconds]
        code, output = self.run(program, seconds + PATIENCE)
        if code != 0:
            entry, draw = (folder / "running").read_text(encoding="utf-8").split()
            _, again = self.run(program + [entry, draw], PATIENCE)
            drawn = next((line for line in again.splitlines() if line.startswith("{.data")), "{}")
            entries = [(case, level) for case in batch for level in case.levels]
            case, level = entries[int(entry)]
            self.report(f"{case.name}, {level}: the program ends with status {code} ({build.name()})", output[-3000:],
                        test_of(case, level, drawn, self.command(number)))
        else:
            calls, elements, worst, _ = (folder / "statistics").read_text(encoding="utf-8").split()
            self.calls += int(calls)
            self.elements += int(elements)
            self.worst = max(self.worst, float(worst))
            for line in (folder / "kinds").read_text(encoding="utf-8").splitlines():
                number_of_calls, kind = line.split(" ", 1)
                self.kinds[kind] += int(number_of_calls)
        if (folder / "findings").exists():
            for finding in (folder / "findings").read_text(encoding="utf-8").split("\n\n"):
                self.finding(finding, batch, number, build)

    def finding(self, text, batch, number, build):
        fields = {}
        for line in text.splitlines():
            key, _, value = line.partition(" ")
            fields.setdefault(key, []).append(value)
        if "case" not in fields:
            return
        case = next(case for case in batch if case.name == fields["case"][0])
        level = fields["level"][0]
        self.report(f"{case.name}, {level}: {case.what} ({build.name()})", "\n".join(fields["message"]),
                    test_of(case, level, fields["draw"][0], self.command(number)))

    def command(self, number):
        more = " --sanitize" * self.options.sanitize + f" --cuda {self.options.cuda}" * bool(self.options.cuda)
        return f"scripts/fuzz --seed {self.options.seed} --arch {','.join(self.options.arch)}{more} --batch {number}"

    def report(self, title, messages, test):
        self.findings.append(title)
        self.tell_nothing()
        print(f"=== {title}\n{messages}\n--- as a test, for unit_tests/Test_Fuzz.cpp\n{test}", flush=True)

    def all(self):
        start = time.monotonic()
        numbers = self.options.batch or range(self.options.batches or 10**9)
        try:
            if self.options.jobs == 1:
                for number in numbers:
                    self.one(number)
            else:
                for arch in self.options.arch:  # not two at a time
                    self.runtime(Build(arch, "-O1", self.options.sanitize, self.options.cuda))
                with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                    work = iter(numbers)
                    running = {pool.submit(self.one, n) for n in itertools.islice(work, self.options.jobs)}
                    while running:
                        done, running = concurrent.futures.wait(running,
                                                                return_when=concurrent.futures.FIRST_COMPLETED)
                        for future in done:
                            future.result()
                            running |= {pool.submit(self.one, n) for n in itertools.islice(work, 1)}
        except Late:
            pass
        self.tell_nothing()
        print(f"fuzz: seed {self.options.seed}, {self.cases} cases, {self.calls} calls, {self.elements} elements "
              f"compared, worst error {self.worst:.3f} of the bound, {time.monotonic() - start:.0f} s; "
              f"{len(self.findings)} failures")
        for kind, number_of_calls in sorted(self.kinds.items()):
            print(f"  {number_of_calls} calls: {kind}")
        for title in self.findings:
            print(f"  {title}")
        if self.calls == 0 and all(Build(arch, "-O1", self.options.sanitize, self.options.cuda).runs_here()
                                   for arch in self.options.arch):
            print("fuzz: nothing was compared: the time was over before a batch had been compiled")
            return 1
        return 1 if self.findings else 0


def version(folder):
    """Version.hpp, as CMake writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = re.search(r"^  VERSION (\d+)\.(\d+)\.(\d+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    text = (ROOT / "cmake" / "Version.hpp.in").read_text(encoding="utf-8")
    for key, value in zip(("VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH"), numbers.groups()):
        text = text.replace(f"@PROJECT_{key}@", value)
    (folder / "Version.hpp").write_text(text.replace("@PROJECT_VERSION@", ".".join(numbers.groups())), encoding="utf-8")


def errors(output):
    lines = output.splitlines()
    first = next((i for i, line in enumerate(lines) if "error:" in line), 0)
    return "\n".join(lines[first:first + 12])


def case_at(source, line):
    """The case in which a line of a batch is."""
    found = None
    for text in source.read_text(encoding="utf-8").splitlines()[:line]:
        if text.startswith("struct "):
            found = text.split()[1]
        elif text == "}  // namespace":
            found = None
    return found


def translation_unit(batch):
    entries = ",\n          ".join(entry for case in batch for entry in case.entries())
    return ('#include "fuzz/Fuzz.hpp"\n#include "fuzz/Tile.hpp"\n\nnamespace KokkosContract::Test::Fuzz {\nnamespace {\n\n'
            + "\n".join(case.text for case in batch)
            + "\n}  // namespace\n\nstd::vector<Entry> entries();\nstd::vector<Entry> entries() {\n"
            + f"  return {{{entries}}};\n}}\n\n}}  // namespace KokkosContract::Test::Fuzz\n")


def test_of(case, level, draw, command):
    name = "Found" + hashlib.sha256(f"{case.text} {draw}".encode()).hexdigest()[:8]
    text = case.text.replace(case.name, name)
    return (f"// {command}\n{text}TEST(Fuzz, {name}_) {{\n"
            f"  const Draw draw{draw};\n  check<{name}, {level}Level>(draw);\n}}\n")


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Calls the library with random strings, types, extents, strides, numbers and matrices, and compares\n"
        "with a reference in higher precision and the error bounds of docs/accuracy.md. The same seed gives\n"
        "the same cases. A failure is printed as a test for unit_tests/Test_Fuzz.cpp; the status is then 1.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10, help="a limit, compilation included (default 10)")
    parser.add_argument("--arch", default="native",
                        help=f"instruction sets that batches take in turns, of {', '.join(ARCHITECTURES)}; those that "
                        "this machine lacks are compiled only (default native)")
    parser.add_argument("--sanitize", action="store_true", help="with the address and undefined-behaviour sanitizers")
    parser.add_argument("--cuda", default="", metavar="PREFIX",
                        help="with nvcc, on a GPU, with the Kokkos installed there; compiled only where it has no "
                        "library, as the folder that scripts/check-cuda --print-kokkos names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="batches at a time")
    parser.add_argument("--draws", type=int, default=DRAWS, help="of each case at each level")
    parser.add_argument("--batches", type=int, help="no more than these")
    parser.add_argument("--batch", type=int, action="append", help="this one only")
    parser.add_argument("--keep", action="store_true", help="keep sources and programs, in build/fuzz")
    options = parser.parse_args()
    options.arch = options.arch.split(",")
    for arch in options.arch:
        if arch not in ARCHITECTURES:
            parser.error(f"no such instruction set: {arch}")
    return options


if __name__ == "__main__":
    sys.exit(Fuzzer(arguments()).all())
