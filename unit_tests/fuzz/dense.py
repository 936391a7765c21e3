# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of the dense linear algebra: routines, tags, types, shapes, batches, shared operands."""

import dataclasses

from cases import DYNAMIC, Case, cpp_type, make_operand, run_function, static_letters
from contractions import random_levels

TRANS = {"N": "Trans::NoTranspose", "T": "Trans::Transpose", "C": "Trans::ConjTranspose"}
UPLO = {"L": "Uplo::Lower", "U": "Uplo::Upper"}
DIAG = {"N": "Diag::NonUnit", "U": "Diag::Unit"}
DIRECT = {"F": "Direct::Forward", "B": "Direct::Backward"}
LANE_FACTORS = ("contract", "set", "syr", "symv", "trsv", "trsm", "trmm")  # take packs as alpha
SIDE = {"L": "Side::Left", "R": "Side::Right"}


def op(trans, row, column):
    """The letters of op(X), for a contraction."""
    return row + column if trans == "N" else column + row + ("*" if trans == "C" else "")


@dataclasses.dataclass
class Call:
    """One call: class without its level, tags, arguments ({0}: operand 0, {const0}: its elements are const, ...)."""
    routine: str
    tags: list
    arguments: list
    bare: bool = False     # no template at Serial
    internal: str = ""     # of the test-only level, where it is not <routine>Routine<tags>
    member: bool = True    # a template argument at the other levels

    def text(self, level, expressions, consts):
        arguments = [a.format(*expressions, **consts) for a in self.arguments]
        if level == "Threads":
            routine = self.internal or self.routine + "Routine" + (f"<{', '.join(self.tags)}>" if self.tags else "")
            return f"KokkosContract::Impl::{routine}::run({', '.join(['level'] + arguments)})"
        if level == "Serial":
            tags = "" if self.bare else f"<{', '.join(self.tags)}>"
            return f"Serial{self.routine}{tags}::invoke({', '.join(arguments)})"
        tags = ", ".join((["Member"] if self.member else []) + self.tags)
        return f"{level}{self.routine}<{tags}>::invoke({', '.join(['level.member'] + arguments)})"


@dataclasses.dataclass
class Routine:
    operation: str
    text: str              # string of a contraction, or tags
    operands: list         # (letters, role); upper-case roles: "tau", "real", "info", "index"
    calls: list
    alpha: object = None   # what it is where the operation gives it
    beta: object = None
    packs: bool = True
    batch: str = "any"     # may have a leading z: "any", "no"
    shared: tuple = ()     # operands that may be without it


ALPHA, BETA = "call.alpha.as<@>()", "call.beta.as<@>()"


def routines(rng, is_complex):
    """One random routine with random tags."""
    conj = ("N", "T", "C") if is_complex or rng.random() < 0.2 else ("N", "T")
    a, b = rng.choice(conj), rng.choice(conj)
    t, u, d, s = rng.choice(conj), rng.choice("LU"), rng.choice("NU"), rng.choice("LR")
    q = rng.choice("NC") if is_complex else rng.choice("NTC")
    triangle = f"{s}{u}{t}{d}"
    tri_tags = [SIDE[s], UPLO[u], TRANS[t], DIAG[d]]
    a_side = "mm" if s == "L" else "nn"
    rhs = rng.choice(("n", "nr"))
    info = rng.random() < 0.7

    def with_info(*arguments):
        return list(arguments) + ([f"{{{len(arguments)}}}"] if info else [])

    def info_operand():
        return [("", "info")] if info else []

    lu = Call("LU", [], ["{0}"])
    # What only a second call reads may be const.
    factors, pivots = rng.choice(("{0}", "{const0}")), rng.choice(("{1}", "{const1}"))
    getrf = Call("Getrf", [], ["{0}", "{1}"])
    table = [
        (3, lambda: Routine("contract", f"{op(a, 'm', 'k')},{op(b, 'k', 'n')}->mn",
                            [(op(a, "m", "k").strip("*"), "input"), (op(b, "k", "n").strip("*"), "input"), ("mn", "output")],
                            [Call("Gemm", [TRANS[a], TRANS[b]], [ALPHA, "{0}", "{1}", BETA, "{2}"])], shared=(0, 1))),
        (2, lambda: Routine("contract", f"{op(a, 'm', 'k')},k->m",
                            [(op(a, "m", "k").strip("*"), "input"), ("k", "input"), ("m", "output")],
                            [Call("Gemv", [TRANS[a]], [ALPHA, "{0}", "{1}", BETA, "{2}"])], shared=(0, 1))),
        (1, lambda: Routine("contract", "mn->mn", [("mn", "input"), ("mn", "output")],
                            [Call("Axpy", [], [ALPHA, "{0}", "{1}"], bare=True)], beta=1.0)),
        (1, lambda: Routine("contract", "mn->mn", [("mn", "input"), ("mn", "output")],
                            [Call("Xpay", [], [BETA, "{0}", "{1}"], bare=True)], alpha=1.0)),
        (1, lambda: Routine("contract", "mn,mn->mn", [("mn", "input"), ("mn", "input"), ("mn", "output")],
                            [Call("HadamardProduct", [], ["{0}", "{1}", "{2}"], bare=True)], alpha=1.0, beta=0.0,
                            shared=(0, 1))),
        (1, lambda: Routine("lacgv", "", [("mn", "output")], [Call("Lacgv", [], ["{0}"], bare=True)])),
        (1, lambda: Routine("swap", "", [("mn", "output"), ("mn", "output")],
                            [Call("Swap", [], ["{0}", "{1}"], bare=True)])),
        (1, lambda: Routine("symv", f"{u}{'C' if q == 'C' else 'T'}",
                            [("nn", "input"), ("n", "input"), ("n", "output")],
                            [Call("Symv", [UPLO[u], TRANS["C" if q == "C" else "T"]], [ALPHA, "{0}", "{1}", BETA, "{2}"])],
                            shared=(0, 1))),
        (1, lambda: Routine("add_radial", "", [("mn", "output")],
                            [Call("AddRadial", [], [ALPHA, "{0}"], bare=True)], packs=False)),
        (1, lambda: laswp(rng)),
        (1, lambda: Routine("contract", "n*,n->", [("n", "input"), ("n", "input"), ("", "output")],
                            [Call("Dot", [TRANS["N"]], ["{0}", "{1}", "{2}"])], alpha=1.0, beta=0.0)),
        (1, lambda: Routine("contract", f"mn{'*' if q == 'C' else ''},mn->n",
                            [("mn", "input"), ("mn", "input"), ("n", "output")],
                            [Call("Dot", [TRANS["C" if q == "C" else "T"]], ["{0}", "{1}", "{2}"])], alpha=1.0, beta=0.0,
                            batch="no")),
        (1, lambda: Routine("contract", f"m,n{'*' if q == 'C' else ''}->mn",
                            [("m", "input"), ("n", "input"), ("mn", "output")],
                            [Call("Ger", [TRANS["C" if q == "C" else "T"]], [ALPHA, "{0}", "{1}", "{2}"])], beta=1.0,
                            shared=(0, 1))),
        (1, lambda: Routine("contract", f"{op(a, 'm', 'n')}->mn", [(op(a, "m", "n").strip("*"), "input"), ("mn", "output")],
                            [Call("Copy", [TRANS[a]], ["{0}", "{1}"], internal=f"CopyRoutine<{TRANS[a]}, -1>")],
                            alpha=1.0, beta=0.0)),
        (1, lambda: reshape(rng)),
        (1, lambda: Routine("syr", f"{u}{'C' if q == 'C' else 'T'}", [("n", "input"), ("nn", "output")],
                            [Call("Syr", [UPLO[u], TRANS["C" if q == "C" else "T"]], [ALPHA, "{0}", "{1}"])],
                            shared=(0,))),
        (1, lambda: Routine("set", "A", [("mn", "output")], [Call("Scale", [], [ALPHA, "{0}"], bare=True)])),
        (1, lambda: Routine("set", "S", [("mn", "output")], [Call("Set", [], [ALPHA, "{0}"], bare=True)])),
        (2, lambda: Routine("trsv", f"L{u}{t}{d}", [("nn", "input"), ("n", "output")],
                            [Call("Trsv", tri_tags[1:], [ALPHA, "{0}", "{1}"])], shared=(0,))),
        (4, lambda: Routine("trsm", triangle, [(a_side, "input"), ("mn", "output")],
                            [Call("Trsm", tri_tags, [ALPHA, "{0}", "{1}"])], shared=(0,))),
        (2, lambda: Routine("trmm", triangle, [(a_side, "input"), ("mn", "output")],
                            [Call("Trmm", tri_tags, [ALPHA, "{0}", "{1}"])], shared=(0,))),
        (2, lambda: Routine("trtri", f"-{u}-{d}", [("nn", "output")] + info_operand(),
                            [Call("Trtri", [UPLO[u], DIAG[d]], with_info("{0}"))])),
        (3, lambda: Routine("lu", "", [("mn", "output")] + info_operand(), [Call("LU", [], with_info("{0}"))])),
        (4, lambda: Routine("getrf", "", [("mn", "output"), ("p", "pivots")] + info_operand(),
                            [Call("Getrf", [], with_info("{0}", "{1}"))])),
        (2, lambda: Routine("getrs", t, [("nn", "output"), ("n", "pivots"), (rhs, "output")],
                            [getrf, Call("Getrs", [TRANS[t]], [factors, pivots, "{2}"])])),
        (3, lambda: Routine("gesv", "", [("nn", "output"), ("n", "pivots"), (rhs, "output")] + info_operand(),
                            [Call("Gesv", [], with_info("{0}", "{1}", "{2}"), internal="GesvRoutine<true>")])),
        (2, lambda: Routine("gesv_without_pivoting", "", [("nn", "output"), (rhs, "output")] + info_operand(),
                            [Call("Gesv", ["Algo::Gesv::NoPivoting"], with_info("{0}", "{1}"),
                                  internal="GesvRoutine<false>")])),
        (2, lambda: Routine("solvelu", t, [("nn", "output"), (rhs, "output")],
                            [lu, Call("SolveLU", [TRANS[t]], [factors, "{1}"])])),
        (1, lambda: Routine("inverselu", "", [("nn", "output"), ("w", "work")],
                            [lu, Call("InverseLU", [], ["{0}", "{1}"])])),
        (3, lambda: Routine("potrf", u, [("nn", "output")] + info_operand(),
                            [Call("Potrf", [UPLO[u]], with_info("{0}"))])),
        (2, lambda: Routine("potrs", u, [("nn", "output"), (rhs, "output")],
                            [Call("Potrf", [UPLO[u]], ["{0}"]), Call("Potrs", [UPLO[u]], [factors, "{1}"])])),
        (2, lambda: Routine("pbtrs", u, [("kn", "output"), (rhs, "output")],
                            [Call("Pbtrf", [UPLO[u]], ["{0}"]), Call("Pbtrs", [UPLO[u]], [factors, "{1}"])])),
        # With one diagonal on each side of the main one.
        (2, lambda: Routine("gbtrs", t, [("kn", "output"), ("n", "pivots"), (rhs, "output")],
                            [Call("Gbtrf", [], ["{0}", "{1}", "1", "1"], internal="GbtrfRoutine"),
                             Call("Gbtrs", [TRANS[t]], [factors, pivots, "{2}", "1", "1"])])),
        (2, lambda: Routine("geqrf", "", [("mn", "output"), ("p", "tau")], [Call("Geqrf", [], ["{0}", "{1}"])])),
        (2, lambda: Routine("ormqr", f"{s}{q}", [("mn", "output"), ("p", "tau"), ("mr" if s == "L" else "rm", "output")],
                            [Call("Geqrf", [], ["{0}", "{1}"]),
                             Call("Ormqr", [SIDE[s], TRANS[q]], [factors, pivots, "{2}"])])),
        (2, lambda: Routine("gels", "", [("mn", "output"), ("n", "tau"), (rng.choice(("m", "mr")), "output")]
                            + info_operand(), [Call("Gels", [], with_info("{0}", "{1}", "{2}"))])),
        (2, lambda: norm(rng)),
        (1, lambda: Routine("iamax", "", [("n", "input"), ("", "index")],
                            [Call("Iamax", [], ["{0}", "{1}"], bare=True)], packs=False)),
    ]
    weights, makers = zip(*table)
    return rng.choices(makers, weights)[0]()


def reshape(rng):
    letters = "abcd"[:rng.randint(1, 4)]
    output = "".join(rng.sample(letters, len(letters)))
    return Routine("contract", f"{letters}->{output}", [(letters, "input"), (output, "output")],
                   [Call("Reshape", [f'"{letters}->{output}"'], ["{0}", "{1}"], member=False)], alpha=1.0, beta=0.0, batch="no")


def laswp(rng):
    """The interchanges that Getrf left."""
    order = rng.choice("FB")
    tag = DIRECT[order]
    call = Call("Laswp", [tag], ["{1}", "{2}"],
                internal=f"PivotRoutine<Side::Left, {tag}, KokkosContract::Impl::FromFirst>")
    return Routine("laswp", order, [("mn", "output"), ("p", "pivots"), ("mr", "output")],
                   [Call("Getrf", [], ["{0}", "{1}"]), call])


def norm(rng):
    kind = rng.choice("FOIMAV")
    tag = {"F": "Frobenius", "O": "One", "I": "Infinity", "M": "Max"}.get(kind)
    if tag:
        call = Call("Norm", [f"Norm::{tag}"], ["{0}", "{1}"], internal=f"NormRoutine<Norm::{tag}, 2>")
        return Routine("norm", kind, [("mn", "input"), ("", "real")], [call])
    name = "Asum" if kind == "A" else "Nrm2"
    which = "KokkosContract::Impl::SumOfParts" if kind == "A" else "Norm::Frobenius"
    call = Call(name, [], ["{0}", "{1}"], bare=True, internal=f"NormRoutine<{which}, 1>")
    return Routine("norm", "A" if kind == "A" else "F", [("n", "input"), ("", "real")], [call])


def random_routine(rng, options, name):
    element = rng.choices(("f64", "f32", "c64", "c32"), (5, 3, 2, 2))[0]
    routine = routines(rng, element.startswith("c"))
    lanes = rng.choice((2, 4, 8)) if routine.packs and rng.random() < 0.25 else 1
    batch = routine.batch == "any" and rng.random() < 0.3
    shared = [n for n in routine.shared if batch and rng.random() < 0.3]
    if routine.operation == "contract" and len(shared) == routine.text.count(",") + 1:
        shared.pop()  # the reference takes its extents from the inputs
    letters = sorted(set("".join(l for l, _ in routine.operands)) - set("pw"))
    chosen = static_letters(rng, letters, 1500)
    tall = routine.operation in ("geqrf", "ormqr", "gels")  # no fewer rows than columns
    bound = any(letter in "pw" for own, _ in routine.operands for letter in own)
    if tall or (bound and len({"m", "n"} & set(chosen)) == 1):
        chosen = {}
    if tall and rng.random() < 0.4:
        n = rng.choice((1, 2, 3, 5, 8, 12))
        chosen = {"n": n, "m": n + rng.choice((0, 0, 1, 4))}
    band = {"pbtrs": (1, 2, 3, 4, 6, 9, 12), "gbtrs": (4, 5, 8)}.get(routine.operation)
    if band:
        chosen["k"] = rng.choice(band)  # rows that hold the band
    if {"m", "n"} <= set(chosen):
        chosen["p"] = min(chosen["m"], chosen["n"])
    chosen = {c: e for c, e in chosen.items() if c in letters + ["p"]}
    always = bound or tall or band is not None or rng.random() < 0.7

    operands, expressions, consts = [], [], {}
    for number, (own, role) in enumerate(routine.operands):
        kind, own_lanes = element, lanes
        integer = role in ("pivots", "info", "index")
        all_letters = ("z" if batch and number not in shared else "") + own
        if integer:
            kind, own_lanes = "i32", 1
            if lanes > 1:
                all_letters += "l"
        elif role == "real":
            kind = {"c64": "f64", "c32": "f32"}.get(element, element)
            if rng.random() < 0.3:
                kind = "f64"
        extents = [chosen.get(c, DYNAMIC) if always or rng.random() < 0.6 else DYNAMIC for c in all_letters]
        if "l" in all_letters and integer:
            extents[-1] = lanes
        runtime_role = {"info": "info", "input": "input"}.get(role, "output")
        operand = make_operand(rng, kind, own_lanes, all_letters, extents, runtime_role)
        operands.append(operand)
        expression = operand.expression(number)
        consts[f"const{number}"] = operand.as_const(number)
        expressions.append(f"shared({expression})" if number in shared else expression)

    if element.startswith("c"):
        coefficient = rng.choice((element, element, {"c64": "f64", "c32": "f32"}[element]))
    else:
        coefficient = element
    pack_alpha = lanes > 1 and coefficient == element and rng.random() < 0.6 and routine.operation in LANE_FACTORS
    coefficient_lanes = lanes if pack_alpha else 1
    number_type = cpp_type(coefficient, coefficient_lanes)

    text = routine.text
    if routine.operation == "contract" and batch:
        inputs, output = text.split("->")
        inputs = ["" if n in shared else "z" for n in range(inputs.count(",") + 1)], inputs.split(",")
        text = ",".join(z + i for z, i in zip(*inputs)) + "->z" + output
    levels = random_levels(rng, options)
    runs = []
    for level in levels:
        calls = [c.text(level, expressions, consts).replace("@", number_type) for c in routine.calls]
        if len(calls) == 1:
            body = f"    return {calls[0]};\n"
        else:
            body = f"    const int code = {calls[0]};\n    if (code < 0) return code;\n" + \
                   f"    const int next = {calls[1]};\n    return next != 0 ? next : code;\n"
            if routine.operation == "inverselu":
                body = f"    const int code = {calls[0]};\n    const int next = {calls[1]};\n" + \
                       "    return next != 0 ? next : code;\n"
        runs.append(run_function(level, body, options.gpu))
    given = "".join(f"            .{n} = {v},\n" for n, v in (("alpha", routine.alpha), ("beta", routine.beta))
                    if v is not None)
    struct = (f"struct {name} {{\n  static Description description() {{\n"
              f'    return {{.operation = "{routine.operation}",\n            .text = "{text}",\n'
              f"            .operands = {{{', '.join(o.description() for o in operands)}}},\n"
              f"            .coefficients = Type::{coefficient},\n            .coefficient_lanes = {coefficient_lanes},\n"
              f"{given}            .refuses = {str(len(routine.calls) == 1).lower()}}};\n  }}\n{''.join(runs)}}};\n")
    names = "+".join(c.routine for c in routine.calls)
    return Case(name, struct, levels, f"{names} {routine.text}")
