# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random contractions: strings, operands, outputs, functors and kept tensors between the inputs."""

from cases import (CPP_TYPES, DYNAMIC, Case, Operand, cpp_type, make_operand, operand_extents, run_function,
                   static_letters)

# Shapes that users write, beside random ones.
KNOWN = ("ik,kj->ij", "ki,kj->ij", "ik,jk->ji", "ijk,kl->ijl", "bik,bkj->bij", "kib,kjb->ijb", "ij->ji", "ijk->kij",
         "ii->", "ii->i", "ij,j->i", "i,j->ij", "m->m", "lqf,qf->l", "ij,ij->", "xa,yb,zc,abc->xyz", "ij,jk,kl->il",
         "xa,yb,ab->xy", "ij,jk,ki->", "eab,xa,yb->exy", "aebf,dfce->abcd", "i,i->", "->", ",->", "ij,ij->ij",
         "abc,abc->abc", "abcd->abcd", "abc,abc->", "abcd,bcd->a")
# Sums over letters that only inputs have: more products than an int counts.
HUGE = ("ij->", "ij,ij->", "kl,klj->j", "jkl->j", "jkl,kl->j", "ij,ij->i", "kij,kj->ik", "k,kl->", "ijk,kji->", "ij,jk->",
        "kl,kl->", "iij->", "i->", "ji,i->j")


def random_string(rng):
    """(inputs, output) as lists of letters, without stars."""
    if rng.random() < 0.3:
        inputs, output = rng.choice(KNOWN).split("->")
        return inputs.split(","), output
    count = rng.choices((1, 2, 3, 4), (25, 45, 17, 13))[0]
    pool = "abcdefgh"[:rng.randint(1, 4 if count == 1 else 6)]
    inputs = []
    for _ in range(count):
        rank = min(rng.choices((0, 1, 2, 3, 4, 5), (4, 18, 38, 25, 12, 3))[0], len(pool) + 1)
        letters = rng.sample(pool, min(rank, len(pool)))
        if letters and rng.random() < 0.1:
            letters.insert(rng.randrange(len(letters) + 1), rng.choice(letters))
        inputs.append("".join(letters))
    return inputs, random_output(rng, inputs)


def random_output(rng, inputs):
    union = sorted(set("".join(inputs)))
    keep = rng.choice((0.4, 0.6, 0.8))
    output = [c for c in union if rng.random() < keep][:6]
    rng.shuffle(output)
    return "".join(output)


def element_types(rng, options, count):
    """Types of `count` inputs and the output, with lanes: [(name, lanes)]."""
    family = rng.random()
    if family < 0.36:
        return [("f64", 1)] * (count + 1)
    if family < 0.5:
        return [("f32", 1)] * (count + 1)
    if family < 0.58:
        return [("c64", 1)] * (count + 1)
    if family < 0.64:
        return [("c32", 1)] * (count + 1)
    if family < 0.7:
        return [(rng.choice(("i8", "i8", "i16", "i32")), 1) for _ in range(count)] + [("i32", 1)]
    if family < 0.8:  # mixed
        real = [(rng.choice(("f32", "f64")), 1) for _ in range(count + 1)]
        return real
    if family < 0.86:
        mixed = [(rng.choice(("f32", "f64", "c32", "c64")), 1) for _ in range(count)]
        return mixed + [(rng.choice(("c32", "c64")), 1)]
    if family < 0.9 and options.half:
        return [(rng.choice(("f16", "bf16", "f32")), 1) for _ in range(count + 1)]
    lanes = rng.choice((2, 4, 8))
    name = rng.choice(("f64", "f64", "f32", "c64", "i32"))
    return [(name, lanes if rng.random() < 0.75 else 1) for _ in range(count)] + [(name, lanes)]


def coefficient_type(rng, types):
    """(name, lanes) of alpha and beta: they convert to the accumulator."""
    names = [name for name, _ in types]
    lanes = types[-1][1]
    if all(name.startswith("i") for name in names):
        return "i32", 1
    if any(name.startswith("c") for name in names) and rng.random() < 0.7:
        wide = "c64" if "f64" in names or "c64" in names else "c32"
        return wide, lanes if lanes > 1 and rng.random() < 0.3 else 1
    wide = "f64" if "f64" in names or "c64" in names else "f32"
    if lanes > 1 and rng.random() < 0.3 and names[-1] == wide:
        return wide, lanes
    return rng.choice(("f64", wide, "f32")), 1


def wider(name, rng):
    return {"f32": rng.choice(("f32", "f64")), "f64": rng.choice(("f64", "f32")), "c32": rng.choice(("c32", "c64")),
            "c64": rng.choice(("c64", "c32"))}.get(name, name)


def marks_of(rng, inputs, output, types):
    """Functors and kept tensors between the inputs: (before, labels, kept type or None)."""
    if rng.random() > (0.15 if len(inputs) < 3 else 0.4) or types[0][0].startswith("i"):
        return []
    marks, before, available = [], 0, ""
    for _ in range(rng.choice((1, 1, 2))):
        if before >= len(inputs):
            break
        end = rng.randint(before + 1, len(inputs))
        letters = sorted(set(available + "".join(inputs[before:end])))
        rest = set("".join(inputs[end:]) + output)
        labels = [c for c in letters if c in rest or rng.random() < 0.15]
        # What the output needs from here has to stay.
        if any(c in output and c not in "".join(inputs[end:]) and c not in labels for c in letters):
            break
        rng.shuffle(labels)
        labels = "".join(labels)[:6]
        if any(c in output and c not in "".join(inputs[end:]) and c not in labels for c in letters):
            break
        kept = rng.random() < 0.5
        marks.append((end, labels, kept))
        before, available = end, labels
    return marks


def random_contraction(rng, options, name, only_level=None):
    inputs, output = random_string(rng)
    types = element_types(rng, options, len(inputs))
    if any(n.startswith("c") for n, _ in types) or rng.random() < 0.05:
        stars = [rng.random() < 0.3 for _ in inputs]
    else:
        stars = [False] * len(inputs)
    uses = "".join(inputs) + output
    marked = ["".join("+" * (uses.count(c) == 1) + c for c in i) for i in inputs]
    string = ",".join(i + "*" * s for i, s in zip(marked, stars)) + "->" + output
    letters = sorted(set("".join(inputs)))
    marks = marks_of(rng, inputs, output, types)
    host = not marks and len(inputs) < 3 and rng.random() < 0.12
    # For which the compiler unrolls loops; it takes long.
    chosen = static_letters(rng, letters, 600 if len(inputs) > 2 or marks else 2000)
    all_static = bool(chosen) and len(chosen) == len(letters) and rng.random() < 0.6

    kind = rng.random()
    how = "plain" if kind < 0.65 else "atomic" if kind < 0.78 else "epilogue" if kind < 0.92 else "elsewhere"
    if host and how in ("epilogue", "elsewhere"):
        how = "plain"
    if how == "atomic" and (types[-1][1] > 1 or types[-1][0] in ("f16", "bf16")):
        how = "plain"
    if types[-1][0].startswith("i") and how == "elsewhere":
        how = "epilogue"

    def operand(element, letters_, role, atomic=False):
        extents = operand_extents(rng, letters_, chosen, all_static)
        return make_operand(rng, element[0], element[1], letters_, extents, role, atomic)

    operands = [operand(t, i, "input") for t, i in zip(types, inputs)]
    operands.append(operand(types[-1], output, "output", how == "atomic"))
    arguments = [o.expression(n) for n, o in enumerate(operands[:-1])]
    description_marks = []
    shift = 0
    for before, labels, kept in marks:
        if kept:
            scalar = types[-1] if types[-1][1] > 1 else (wider(types[-1][0], rng), 1)
            extra = operand(scalar, labels, "kept")
            argument = f'keep<"{labels}">({extra.expression(len(operands))})'
            description_marks.append(f'{{{before}, "{labels}", {len(operands)}}}')
            operands.append(extra)
        else:
            argument = f'pointwise<"{labels}">(Twist{{}})'
            description_marks.append(f'{{{before}, "{labels}"}}')
        arguments.insert(before + shift, argument)
        shift += 1
    scratch = len(inputs) > 2 or bool(marks)
    view = scratch and rng.random() < 0.2
    last = operands[len(inputs)].expression(len(inputs))
    epilogue = ""
    if how == "epilogue":
        epilogue = ", Twist{}"
    elif how == "elsewhere":
        rank = len(output)
        element = cpp_type(*types[-1])
        operands.append(make_operand(rng, types[-1][0], types[-1][1], output, [DYNAMIC] * rank, "elsewhere", False))
        operands[-1].form, operands[-1].strides = "strided", []
        operands[-1].make = f"call.view<{element}{'*' * rank}, Kokkos::LayoutStride>(%s)"
        epilogue = f", Elsewhere{{{operands[-1].expression(len(operands) - 1)}}}"

    coefficient, coefficient_lanes = coefficient_type(rng, types)
    if how == "atomic":
        coefficient_lanes = 1
    number = cpp_type(coefficient, coefficient_lanes)
    static_serial = scratch and all(all(e != DYNAMIC for e in o.extents) and (o.extents or not o.letters)
                                    for o in operands[:len(inputs) + 1])
    levels = ["Host"] if host else random_levels(rng, options)
    runs = []
    for level in levels:
        call = arguments[:]
        own_scratch = scratch and not (level == "Serial" and static_serial and rng.random() < 0.5)
        first = ["call.scratch_view(p)" if view else "call.scratch(p)"] if own_scratch else []
        call = first + [f"call.alpha.as<{number}>()"] + call + [f"call.beta.as<{number}>()", last + epilogue]
        if level == "Host":
            front = [f'contract<"{string}">(Kokkos::DefaultExecutionSpace()']
            text = "    " + ", ".join(front + call) + ");\n    return 0;\n"
        elif level == "Threads":
            text = f'    return KokkosContract::Impl::ContractRoutine<"{string}">::run(level, ' + ", ".join(call) + ");\n"
        elif level == "Serial":
            text = f'    return SerialContract<"{string}">::invoke(' + ", ".join(call) + ");\n"
        else:
            text = f'    return {level}Contract<"{string}">::invoke(level.member, ' + ", ".join(call) + ");\n"
        runs.append(run_function(level, text, options.gpu))

    body = [f"struct {name} {{\n  static Description description() {{\n    return {{.operation = \"contract\",\n",
            f'            .text = "{string}",\n            .operands = {{',
            ", ".join(o.description() for o in operands), "},\n"]
    if description_marks:
        body.append(f"            .marks = {{{', '.join(description_marks)}}},\n")
    body.append(f"            .output = Output::{how},\n            .coefficients = Type::{coefficient},\n"
                f"            .coefficient_lanes = {coefficient_lanes},\n"
                f"            .needs_scratch = {str(scratch).lower()},\n"
                f"            .scratch_view = {str(view).lower()}}};\n  }}\n")
    if scratch:
        collective = "Team" if any(level not in ("Serial", "Vector") for level in levels) else "Serial"
        query = ", ".join(a.replace(", p)", ", 0)") for a in arguments + [last])
        body.append("  static std::size_t scratch_bytes(const Call& call) {\n"
                    f'    return {collective}Contract<"{string}">::scratch_bytes({query});\n  }}\n')
    body += runs + ["};\n"]
    return Case(name, "".join(body), levels, string)


def random_huge(rng, options, name):
    """A contraction whose operands may have any strides."""
    string = rng.choice(HUGE)
    inputs, output = string.split("->")
    inputs = inputs.split(",")
    uses = string.replace(",", "")
    text = ",".join("".join("+" * (uses.count(c) == 1) + c for c in i) for i in inputs) + "->" + output
    stored = rng.choice(("f64", "f64", "c64"))
    operands = []
    for own in inputs + [output]:
        is_output = len(operands) == len(inputs)
        element = stored if is_output else rng.choice((stored, stored, "f64", "f32"))
        value = ("" if is_output else "const ") + cpp_type(element)
        make = f"call.view<{value}{'*' * len(own)}, Kokkos::LayoutStride>(%s)"
        operands.append(Operand(element, 1, own, "strided", "output" if is_output else "input", make))
    number = cpp_type(stored)
    call = [f"call.alpha.as<{number}>()"] + [o.expression(n) for n, o in enumerate(operands)]
    call.insert(-1, f"call.beta.as<{number}>()")
    level = rng.choice(("Serial", "Vector", "Team", "TeamVector", "Host"))
    if level == "Host":
        body = f'    contract<"{text}">(Kokkos::DefaultExecutionSpace(), {", ".join(call)});\n    return 0;\n'
    else:
        member = [] if level == "Serial" else ["level.member"]
        body = f'    return {level}Contract<"{text}">::invoke({", ".join(member + call)});\n'
    struct = (f'struct {name} {{\n  static Description description() {{\n    return {{.operation = "contract",\n'
              f'            .text = "{text}",\n'
              f"            .operands = {{{', '.join(o.description() for o in operands)}}},\n"
              f"            .coefficients = Type::{stored},\n            .huge = true}};\n  }}\n"
              f"{run_function(level, body, options.gpu)}}};\n")
    return Case(name, struct, [level], f"huge {text}")


def random_levels(rng, options):
    levels = ["Serial", "Vector", "Team", "TeamVector"] + ([] if options.gpu else ["Threads"])
    weights = (4, 1, 2, 1, 3)[:len(levels)]
    if rng.random() < 0.7:
        return rng.choices(levels, weights)
    return sorted(set(rng.choices(levels, weights, k=2)), key=levels.index)
