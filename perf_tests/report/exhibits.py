# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pages show: each exhibit is a chart and a table of the same lines."""

import dataclasses

# The role of a line. OURS: this library, as the exhibit's use says. BASELINE: this library called otherwise. VARIANT:
# this library on other operands, whose percentages are not comparable. PEER: another library. HAND: reference code
# without a library. MACHINE: what the machine can do.
OURS, BASELINE, VARIANT, PEER, HAND, MACHINE = "ours", "baseline", "variant", "peer", "hand", "machine"
OF_THIS_LIBRARY = (OURS, BASELINE, VARIANT)
REFERENCES = (PEER, HAND, BASELINE)

# What lies along x.
SIZE, ORDER, BLOCK = "n, rows and columns", "order p of the elements", "rows of a block"
CONTRACTION, ORBITALS = "number of the contraction", "occupied and virtual spin orbitals"
PROGRAM = "program"
FUNCTIONS = "functions of the basis, and points"


@dataclasses.dataclass(frozen=True)
class Line:
    label: str
    role: str
    # As in results.FIELDS; `native`: packs as long as a register; * at its end: the best of all that begin so, at each
    # n.
    path: str
    unit: str = ""  # if it is not that of the exhibit


@dataclasses.dataclass(frozen=True)
class Panel:
    title: str
    lines: tuple


@dataclasses.dataclass(frozen=True)
class Exhibit:
    name: str
    source: str  # which file of perf_tests/results
    title: str
    unit: str
    x: str
    panels: tuple
    axis: str = ""  # of y, if it is not the unit
    where: str = ""  # e.g. one core
    chart: bool = True
    use: str = ""  # for the table of all uses; "" if it is not in it
    brief: bool = False  # whether it is in the short one, too
    least: int = 0  # the smallest n of its table

    def __post_init__(self):
        """A row of one kernel has the rates of one kernel only."""
        if "in one kernel" in self.use:
            ours = [line.label for line in self.lines() if line.role == OURS]
            others = [label for label in ours if not label.startswith("one kernel")]
            if others:
                raise ValueError(f"{self.name}: {self.use!r} would count {', '.join(others)}")

    def at(self, title, n):
        """Where a ratio was found, in words."""
        words = {SIZE: f"n = {n}", ORDER: f"p = {n}", BLOCK: f"blocks of {n}", CONTRACTION: f"contraction {n}",
                 ORBITALS: f"{n} orbitals", PROGRAM: f"n = {n}", FUNCTIONS: f"{n} functions"}[self.x]
        return f"{title}, {words}" if title else words

    def has(self, n):
        return not isinstance(n, int) or n >= self.least

    def lines(self):
        return [line for panel in self.panels for line in panel.lines]


COPY = "percent of the rate of a copy"


def cpu(name, title, x, *panels, where="one core", **more):
    return Exhibit(f"cpu-{name}", "cpu", title, more.pop("unit", "GFLOP/s"), x, panels, where=where, **more)


def gpu(name, title, x, *panels, unit="%", **more):
    axis = {"%": COPY, "GDOF/s": "GDOF/s, 10^9 unknowns per second"}.get(unit, "")
    return Exhibit(f"gpu-{name}", "gpu", title, unit, x, panels, axis=axis, **more)


def panel(title, *lines):
    return Panel(title, tuple(Line(*line) for line in lines))


PEAK = ("FMA peak, highest measured", MACHINE, "Machine/double////fma")
PACKS = "Gemm/Pack<double,native>/right/static"

def fe(case, place, ahead=False):
    at = f"FE-{case}/Pack<double,native>/right/packed/{place}"
    asks = [("prefetching the next element's data", OURS, f"{at}/Serial-ahead")] if ahead else []
    return [("calls of this library", OURS, f"{at}/Serial"), *asks, ("reference loops", HAND, f"{at}/hand")]


def dense(case):
    at = f"{case}/Pack<double,native>/right/static/L2"
    titles = {"SolveLU": "two triangular solves", "InverseLU": "inverse from LU", "Gemv": "matrix times vector"}
    return panel(titles[case], ("this library", OURS, f"{at}/Serial"), ("Kokkos Kernels", PEER, f"{at}/KK*"), PEAK)


def gpu_gemm(element, peer_levels=True):
    at = f"Gemm/{element}/right/static/memory"
    lines = [("Team, static extents", OURS, f"{at}/Team")]
    if peer_levels:
        lines += [("Team, extents at run time", OURS, f"Gemm/{element}/right/dynamic/memory/Team"),
                  ("Vector, a problem per team thread", OURS, f"{at}/Vector"),
                  ("Serial, interleaved (LayoutLeft)", OURS, f"Gemm/{element}/left/static/memory/Serial")]
    lines += [("cuBLAS, strided batch", PEER, f"{at}/cuBLAS")]
    if peer_levels:
        lines += [("Kokkos Kernels, TeamGemm", PEER, f"{at}/KK-Team"),
                  ("Kokkos Kernels, TeamVectorGemm", PEER, f"{at}/KK-TeamVector"),
                  ("Kokkos Kernels, SerialGemm, interleaved", PEER, f"Gemm/{element}/left/static/memory/KK-Serial")]
    return panel("", *lines)


def gpu_team(*cases):
    return panel("", *((label, OURS, f"{case}/double/right/static/memory/Team") for label, case in cases))


def gpu_fe(case):
    at = f"FE-{case}/double/right/static/memory"
    peers = [("cuBLAS, one kernel per step", PEER, f"{at}/cuBLAS")] if case == "Mass" else []
    return panel(case, ("calls of this library", OURS, f"{at}/Team"), ("reference kernel", HAND, f"{at}/by-hand"),
                 *peers)


def gpu_global(case):
    at = f"GatherScatter-{case}/double/right/static/memory"
    return panel(case, ("calls of this library", OURS, f"{at}/Team"), ("reference kernel", HAND, f"{at}/by-hand"),
                 ("libCEED, gpu/cuda/gen", PEER, f"{at}/libCEED"))


def tccg(peer):
    at = "TCCG/double/left/dynamic/memory"
    return ("contract", OURS, f"{at}/contract"), (f"transposing and {peer}", PEER, f"{at}/TTGT")


def programs(linear, least_squares, products):
    """A panel a program: this library, and the calls of Kokkos Kernels that it replaces."""
    cases = [("linear layers of MACE, double", f"Linear/double/right/dynamic/{linear}", "contract"),
             ("linear layers of MACE, float", f"Linear/float/right/dynamic/{linear}", "contract"),
             ("moving least squares", f"LeastSquares/double/right/static/{least_squares}", "Team")]
    for name in ("TeamGemm", "TeamGemv"):
        cases += [(f"{name}, {how}", f"{name}/double/right/dynamic/{products}", who)
                  for how, who in (("namespace changed", "ported"), ("several problems a team", "Team"))]
    return [panel(title, ("this library", OURS, f"{at}/{who}"), ("the original calls", PEER, f"{at}/KK*"))
            for title, at, who in cases]


FUSED = "Fused/Pack<double,native>/right/static"
SOLVER = "BlockSolver/Pack<double,native>/right/static/L2"
GPU_FUSED = "Fused-stored/double/right/static/memory"
GPU_TRIPLES = "Triples/double/left/dynamic/memory"
GPU_SOLVER = "BlockSolver/double/interleaved/static/memory"

EXHIBITS = [
    cpu("fe", "Operators of finite elements on packs of elements, in L2", ORDER,
        panel("mass", *fe("mass", "L2"), PEAK), panel("Poisson", *fe("Poisson", "L2"), PEAK),
        use="action of mass and Poisson operators, L2"),
    cpu("fe-memory", "Operators of finite elements on packs of elements, from memory", ORDER,
        panel("mass", *fe("mass", "memory", ahead=True)), panel("Poisson", *fe("Poisson", "memory", ahead=True)),
        use="action of mass and Poisson operators, from memory"),
    cpu("assembly", "Element matrices on packs of elements, in L2", ORDER,
        *(panel(d, ("sum factorisation", OURS, f"{at}/Serial"), ("dense products B^T (D B)", BASELINE, f"{at}/dense"))
          for d, at in (("3-D", "FE-assembly/Pack<double,native>/right/packed/L2"),
                        ("2-D", "FE-assembly-2D/Pack<double,native>/right/packed/L2"))), chart=False),
    Exhibit("libceed", "libceed", "libCEED on a CPU, on the same operators", "GFLOP/s", ORDER, tuple(
        panel(f"{case}, {'in L2' if place == 'L2' else 'from memory'}",
              ("libCEED", PEER, f"FE-{case}/Pack<double,native>/right/packed/{place}/libCEED-xsmm"),
              ("this library, times as fast", OURS,
               f"FE-{case}/Pack<double,native>/right/packed/{place}/Serial:libCEED", "times"))
        for place in ("L2", "memory") for case in ("mass", "Poisson")), where="one core", chart=False),
    Exhibit("gpu-ceed", "gpu-ceed", "CEED's BP3 and BP5 with 8 million unknowns", "GDOF/s", ORDER, tuple(
        panel(f"{problem}, {what}", *((label, role, f"{problem}-{part}/double/right/static/memory/{who}")
                                      for label, role, who in (("poisson_cg", OURS, "poisson_cg"),
                                                               ("libCEED, gpu/cuda/gen", PEER, "libCEED"))))
        for problem in ("BP3", "BP5")
        for what, part in (("an iteration", "iteration"), ("the operator", "operator"))), chart=False),
    Exhibit("intrepid2", "intrepid2", "Functions of Intrepid2 from the host", "GFLOP/s", FUNCTIONS, tuple(
        panel(f"{function}, {cells} cells",
              *((label, role, f"Intrepid2-{function}/double/right/dynamic/{cells}/{who}") for label, role, who in (
                  ("contract", OURS, "contract"), ("Intrepid2", PEER, "Intrepid2"))))
        for function in ("contractFieldFieldScalar", "contractFieldFieldVector", "contractDataFieldScalar",
                         "contractDataFieldVector", "contractDataFieldTensor", "multiplyMeasure",
                         "HGRADtransformGRAD")
        for cells in (20, 1000)), where="one core", chart=False),
    Exhibit("dealii", "dealii", "The operator of step-64 of deal.II's tutorial, an application", "MDoF/s", ORDER, tuple(
        panel(title, *((label, role, f"Helmholtz/double/static/packed/{place}/{who}") for label, role, who in (
            ("this library, Portable, a cell a call", VARIANT, "portable-cell"),
            ("this library, Portable, packs of cells", OURS, "portable-packs"),
            ("this library, MatrixFree, packs of cells", OURS, "host-packs"),
            ("deal.II, Portable::FEEvaluation", PEER, "dealii-portable"),
            ("deal.II, FEEvaluation", PEER, "dealii-host"))))
        for title, place in (("curved", "curved"), ("cubes", "cube"))), where="one core", chart=False,
        axis="MDoF/s, 10^6 unknowns a second"),
    cpu("gemm-packs", "C = A B on packs, in L2", SIZE,
        panel("", ("SerialGemm, static extents", OURS, f"{PACKS}/L2/Serial"),
              ("SerialGemm, extents at run time", OURS, "Gemm/Pack<double,native>/right/dynamic/L2/Serial"),
              ("Kokkos Kernels, its better algorithm", PEER, f"{PACKS}/L2/KK*"),
              ("reference loop", HAND, f"{PACKS}/L2/unit-loop"), PEAK,
              ("a = b + c, the same bytes", MACHINE, "Moves/Pack<double,native>/right/static/L2/moves")),
        use="products on packs, L2"),
    cpu("gemm-memory", "C = A B on packs, from memory", SIZE,
        panel("", ("SerialGemm, static extents", OURS, f"{PACKS}/memory/Serial"),
              ("Kokkos Kernels, its better algorithm", PEER, f"{PACKS}/memory/KK*"),
              ("a = b + c, the same bytes", MACHINE, "Moves/Pack<double,native>/right/static/memory/moves")),
        unit="GB/s", use="products on packs, from memory"),
    cpu("gemm", "C = A B, row-major doubles, in L2", SIZE,
        panel("", ("SerialGemm, static extents", OURS, "Gemm/double/right/static/L2/Serial"),
              ("SerialGemm, extents at run time", OURS, "Gemm/double/right/dynamic/L2/Serial"),
              ("libxsmm", PEER, "Gemm/double/right/static/L2/libxsmm"),
              ("Eigen, fixed sizes", PEER, "Gemm/double/right/static/L2/Eigen"),
              ("OpenBLAS", PEER, "Gemm/double/right/static/L2/OpenBLAS"),
              ("reference loop", HAND, "Gemm/double/right/static/L2/unit-loop"), PEAK,
              ("a = b + c, the same bytes", MACHINE, "Moves/double/right/static/L2/moves")),
        use="products of row-major doubles, L2"),
    cpu("fused", "Product, LU and solve of n x n systems on packs, in L2", SIZE,
        panel("", ("one kernel, factors not stored", OURS, f"{FUSED}/L2/tile"),
              ("one kernel, factors stored", OURS, f"{FUSED}/L2/stored"),
              ("one kernel per step", BASELINE, f"{FUSED}/L2/separate"),
              ("Kokkos Kernels, its better algorithm", PEER, f"{FUSED}/L2/KK*"),
              ("reference loops", HAND, f"{FUSED}/L2/loop"), PEAK),
        use="product, LU and solve in one kernel on packs, L2", brief=True),
    cpu("dense", "Solves, inverses and matrix-vector products on packs, in L2", SIZE,
        dense("SolveLU"), dense("InverseLU"), dense("Gemv"), use="solves, inverses, Gemv on packs, L2"),
    cpu("factor", "Factorisations and products with a triangle on packs, in L2", SIZE,
        panel("", *((f"Serial{case}", OURS, f"{case}/Pack<double,native>/right/static/L2/Serial")
                    for case in ("Getrf", "Potrf", "Geqrf", "Trmm")), PEAK)),
    Exhibit("cpu-lapack", "cpu-lapack", "Routines of doubles with extents at run time, beside OpenBLAS", "GFLOP/s", SIZE,
            tuple(panel(case, *((label, role, f"{case}/double/{at}") for label, role, at in (
                ("contiguous rows", OURS, "right/dynamic/L3/Serial"),
                ("contiguous columns", OURS, "left/dynamic/L3/Serial"),
                ("OpenBLAS, contiguous columns", PEER, "left/dynamic/L3/OpenBLAS"))))
                  for case in ("Gemm", "Getrf", "Potrf", "Geqrf", "Trsm", "Trmm", "Trtri", "InverseLU")),
            where="one core", chart=False, use="dense routines of 8 to 256 rows, extents at run time"),
    cpu("block-solver", "Block-tridiagonal systems on packs, factor and solve, in L2", BLOCK,
        panel("", ("this library", OURS, f"{SOLVER}/Team"),
              ("Kokkos Kernels, its better algorithm", PEER, f"{SOLVER}/KK*"),
              ("LAPACK of OpenBLAS, line by line", PEER, f"{SOLVER}/LAPACK"), PEAK),
        use="block-tridiagonal systems on packs, L2"),
    cpu("tccg", "The 48 contractions of TCCG by contract", CONTRACTION,
        Panel("", tuple(Line(*line) for line in (*tccg("OpenBLAS"), PEAK))),
        use="large contractions by contract"),
    Exhibit("cpu-programs", "cpu-programs", "Parts of other programs, times as fast as with Kokkos Kernels", "GFLOP/s",
            PROGRAM, tuple(programs("L3", "L3", "L2")), where="one core"),
    gpu("fe", "Operators of finite elements, element by element", ORDER, gpu_fe("Mass"), gpu_fe("Poisson"),
        use="action of mass and Poisson operators"),
    gpu("fe-rate", "The same, unknowns per second", ORDER,
        gpu_team(*((case, f"FE-{case}") for case in ("Mass", "Poisson"))),
        unit="GDOF/s", chart=False),
    gpu("global", "Operators of finite elements, from global vector to global vector", ORDER, gpu_global("Mass"),
        gpu_global("Poisson"), unit="GDOF/s",
        use="mass and Poisson operators, from global vector to global vector"),
    gpu("global-bound", "The same, rate of the data moved", ORDER,
        gpu_team(*((case, f"GatherScatter-{case}") for case in ("Mass", "Poisson"))),
        chart=False),
    gpu("assembly", "Element matrices by sum factorisation", ORDER,
        panel("", *(line for d in (2, 3) for at in (f"FE-assembly-{d}D/double/right/static/memory/Team",) for line in (
            (f"{d}-D, {COPY}", OURS, at), (f"{d}-D, times as fast as cuBLAS", OURS, f"{at}:cuBLAS", "times")))),
        chart=False),
    gpu("gemm", "Batches of C = A B, double, inside a kernel", SIZE, gpu_gemm("double"),
        use="batches of products of doubles", brief=True),
    gpu("port-gemm", "A port of KokkosBatched::TeamGemm, n x n doubles", SIZE,
        panel("", ("KokkosBatched::TeamGemm", PEER, "Gemm/double/right/static/memory/KK-Team"),
              ("TeamGemm, extents at run time", OURS, "Gemm/double/right/dynamic/memory/Team"),
              ("TeamGemm, static extents", OURS, "Gemm/double/right/static/memory/Team")), chart=False),
    gpu("gemm-float", "Batches of C = A B, float, inside a kernel", SIZE, gpu_gemm("float", False),
        use="batches of products of floats"),
    gpu("gemm-large", "Batches of C = A B of 32 rows and more, inside a kernel", SIZE,
        *(panel(element, ("TeamContract", OURS, f"Gemm/{element}/right/static/memory/Team"),
                ("cuBLAS, strided batch", PEER, f"Gemm/{element}/right/static/memory/cuBLAS"))
          for element in ("double", "float")), chart=False, least=32),
    gpu("contract", "Batches of other contractions, double, by TeamContract", SIZE,
        panel("", ("complex<double>, C = A B", OURS, "Gemm/complex<double>/right/static/memory/Team"),
              *((s, OURS, f"Contract-{s}/double/right/static/memory/Team") for s in (
                  "abc,cd->abd", "abc,bd->adc", "abc,ad->dbc", "ki,kj->ij", "ik,jk->ij", "ki,jk->ji", "acd,bdc->ab",
                  "aebf,dfce->abcd"))), chart=False),
    gpu("fused", "Product, LU and solve of n x n systems", SIZE,
        panel("", ("one kernel, factors not stored", VARIANT, "Fused/double/right/static/memory/Team"),
              ("one kernel, factors stored", OURS, f"{GPU_FUSED}/Team"),
              ("one kernel per step, factors stored", BASELINE, f"{GPU_FUSED}/Separate"),
              ("Kokkos Kernels, one kernel, factors stored", PEER, f"{GPU_FUSED}/KK-Team")),
        use="product, LU and solve in one kernel, factors stored", brief=True),
    gpu("solve", "Batches of factorisations and triangular solves, double", SIZE,
        gpu_team(("LU", "LU"), ("Trsv", "Trsv"), ("Trsm, n right-hand sides", "Trsm")), use="LU, Trsv, Trsm"),
    gpu("dense", "Batches of the other small dense routines, double, Team", SIZE,
        gpu_team(*((label, label.split(",")[0]) for label in (
            "Potrf", "Potrs", "Getrf", "Getrs", "Gesv", "Geqrf", "Gels, n x n", "InverseLU", "Trtri",
            "Trmm, n columns"))),
        chart=False),
    Exhibit("gpu-factor", "gpu-factor", "Batches of factorisations and solves of more than 32 rows, double, Team", "%",
            SIZE, (gpu_team(*((case, case) for case in ("Potrf", "Potrs", "Getrf", "Getrs", "Gesv"))),), axis=COPY,
            chart=False),
    Exhibit("gpu-types", "gpu-types", "Batches of C = A B, half_t, inside a kernel", "%", SIZE,
            (panel("", ("TeamContract, static extents", OURS, "Gemm/half/right/static/memory/Team"),
                   ("cuBLAS, strided batch", PEER, "Gemm/half/right/static/memory/cuBLAS")),), axis=COPY, chart=False,
            use="batches of products of half_t"),
    Exhibit("gpu-types-large", "gpu-types", "Large products by contract, of half_t and of floats as TF32", "GFLOP/s", SIZE,
            tuple(panel(f"{title}, {layouts}", ("contract", OURS, f"Large/{element}/{layouts}/dynamic/memory/contract"),
                        ("cuBLAS", PEER, f"Large/{element}/{layouts}/dynamic/memory/cuBLAS"))
                  for title, element in (("half_t", "half"), ("TF32", "tf32"))
                  for layouts in ("right-right", "left-right", "right-left", "left-left")), chart=False),
    gpu("block-solver", "Block-tridiagonal systems on packs of 32 lines, factor and solve", BLOCK,
        panel("", ("this library", OURS, f"{GPU_SOLVER}/Team*"),
              ("Kokkos Kernels, its best number of threads", PEER, f"{GPU_SOLVER}/KK-Team*")),
        unit="GFLOP/s", use="block-tridiagonal systems on packs"),
    gpu("block-solver-bound", "The same, rate of the data moved", BLOCK,
        panel("", ("this library", OURS, f"{GPU_SOLVER}/Team*")), chart=False),
    gpu("tccg", "The 48 contractions of TCCG by contract", CONTRACTION,
        Panel("", tuple(Line(*line) for line in tccg("cuBLAS"))), unit="GFLOP/s", chart=False,
        use="large contractions by contract"),
    gpu("triples", "E[T] and E(T) of CCSD(T), eighteen contractions", ORBITALS,
        panel("", ("one kernel", OURS, f"{GPU_TRIPLES}/fused"),
              ("two kernels with T3 in memory between them", BASELINE, f"{GPU_TRIPLES}/partial"),
              ("one contract per contraction, then a kernel", BASELINE, f"{GPU_TRIPLES}/separate"),
              ("products of matrices by cuBLAS, then kernels", PEER, f"{GPU_TRIPLES}/TTGT"),
              ("cuBLAS, DGEMM of 4096 rows", MACHINE, "Machine/double////cublas")),
        unit="GFLOP/s", chart=False, use="eighteen contractions and energies of CCSD(T) in one kernel"),
    Exhibit("gpu-programs", "gpu-programs", "Parts of other programs, times as fast as with Kokkos Kernels", "GFLOP/s",
            PROGRAM, tuple(programs("memory", "memory", "memory"))),
]
