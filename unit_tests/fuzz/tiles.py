# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tiles: letters, shapes, sequences of load, accumulate, for_each, reduce and store."""

import math

from cases import Case, cpp_type, make_operand, operand_extents, run_function, static_letters

MOST_FACTORS = 8
LEVELS = {"Serial": "SerialTile", "Team": "TeamTile", "TeamVector": "TeamVectorTile"}


def random_letters(rng):
    """Output letters, and the shape of a tile along them."""
    output = rng.sample("abcd", rng.choice((1, 2, 2, 2, 3, 4)))
    shape = [rng.choice((1, 2, 3, 4, 5, 8, 8, 16, 16)) for _ in output]
    while math.prod(shape) > 512:
        shape[shape.index(max(shape))] //= 2
    return "".join(output), shape


def random_product(rng, output, is_complex):
    """A string with this output, as (inputs, text)."""
    inputs = [[], []]
    for letter in output:
        for side in rng.choice(((0,), (1,), (0,), (1,), (0, 1))):
            inputs[side].append(letter)
    for letter in rng.sample("efg", rng.choice((0, 1, 1, 1, 2, 2))):
        for side in (0, 1):
            inputs[side].append(letter)
    for own in inputs:
        rng.shuffle(own)
        if own and len(own) < 6 and rng.random() < 0.1:
            own.insert(rng.randrange(len(own) + 1), rng.choice(own))
    if not all(inputs):
        return random_product(rng, output, is_complex)
    inputs = ["".join(own) for own in inputs]
    stars = ["*" * (is_complex and rng.random() < 0.3) for _ in inputs]
    return inputs, ",".join(i + s for i, s in zip(inputs, stars)) + "->" + output


def random_steps(rng, output, is_complex):
    """[(what, products)]; a store that is not the last is followed by no load."""
    steps = [("load", [])] if rng.random() < 0.4 else []
    for _ in range(rng.choice((1, 1, 2, 3))):
        count = rng.choice((1, 1, 2, 3))
        steps.append(("accumulate", [random_product(rng, output, is_complex) for _ in range(count)]))
        if rng.random() < 0.3:
            steps.append(("twist", []))
        if rng.random() < 0.4:
            steps.append(("reduce", []))
        if rng.random() < 0.15:
            steps.append(("store", []))
    while sum(len(products) for _, products in steps) > 3:
        steps = [step for step in steps if step[0] != "accumulate"] + [next(s for s in steps if s[0] == "accumulate")]
    if steps[-1][0] != "store":
        steps.append(("store", []))
    return steps


def random_tile(rng, options, name):
    element = rng.choices(("f64", "f32", "c64", "c32"), (5, 3, 2, 1))[0]
    stored = {"f32": "f64", "f64": "f32", "c32": "c64", "c64": "c32"}[element] if rng.random() < 0.25 else element
    output, shape = random_letters(rng)
    steps = random_steps(rng, output, element.startswith("c"))
    letters = sorted(set(output + "".join(i for _, products in steps for inputs, _ in products for i in inputs)))
    chosen = static_letters(rng, letters, 600)
    always = bool(chosen) and rng.random() < 0.5
    operands = []

    def operand(type_, own, role):
        extents = operand_extents(rng, own, chosen, always)
        operands.append(make_operand(rng, type_, 1, own, extents, role))
        return len(operands) - 1

    number, first = cpp_type(element), []
    for _, products in steps:
        first.append(len(operands))
        for inputs, _ in products:
            for own in inputs:
                operand(element, own, "input")
    c = operand(stored, output, "output")
    total = operand(element, "", "output")
    operands[total].make = f"call.view<{number}>(%s)"
    operands[total].form, operands[total].extents, operands[total].strides = "right", [], []
    made = [o.expression(n) for n, o in enumerate(operands)]

    body, described, factor, has_stored = [], [], 0, False
    for (what, products), begin in zip(steps, first):
        step = f"Step::{what}, {factor}"
        coefficients = [f"call.{which}.as_scalar<{number}>({{}})" for which in ("alpha", "beta")]
        if what == "load":
            body.append(f"code = t.load({coefficients[1].format(factor)}, {made[c]})")
            factor += 1
        elif what == "accumulate":
            strings = ", ".join(f'"{text}"' for _, text in products)
            arguments = []
            for n in range(len(products)):
                arguments += [coefficients[0].format(factor), made[begin + 2 * n], made[begin + 2 * n + 1]]
                factor += 1
            body.append(f"code = add_to<{number}>(t, [&] {{ return t.template accumulate<{strings}>("
                        f"{', '.join(arguments)}); }})")
            step += f", {{{strings}}}, {begin}"
        elif what == "twist":
            body.append("t.for_each(TwistElement{})")
        elif what == "reduce":
            body.append(f"{{ {number} s; t.reduce(AddElement{{}}, s); sum += s; }}")
        else:
            body.append(f"code = t.store({coefficients[0].format(factor)}, {coefficients[1].format(factor)}, {made[c]})")
            factor += 1
            has_stored = True
        described.append(f"{{{step}}}")
    refuses = [what for what, _ in steps].index("store") > max(
        i for i, (what, _) in enumerate(steps) if what == "accumulate")

    shape_text = ", ".join(map(str, shape))
    one = "true" if rng.random() < 0.3 else "false"
    levels = [rng.choice(("Serial", "Team", "Team", "TeamVector"))]
    runs, tiles = [], {}
    view = rng.random() < 0.25
    scratch = "call.scratch_view(p)" if view else "call.scratch(p)"
    for level in levels:
        tile = f'{LEVELS[level]}<{number}, "{output}", Shape<{shape_text}>>'
        tiles[level] = tile
        member = "" if level == "Serial" else "level.member, "
        last = "" if level == "Serial" else ", level.member"
        lines = "".join(f"      if (code == 0) {line};\n" for line in body)
        text = (f"    using Tile = {tile};\n"
                f"    return for_tiles<Tile, {shape_text}>(call.operand[{c}], {one}, [&](const auto& origin, "
                "const auto& extents) {\n"
                f"      Tile t({member}{scratch}, origin, extents);\n      int code = 0;\n      {number} sum{{}};\n"
                f"{lines}      if (code == 0) code = add_sum(sum, {made[total]}(){last});\n      return code;\n    }});\n")
        runs.append(run_function(level, text, options.gpu))
    query = f"  static std::size_t scratch_bytes(const Call&) {{\n    return {tiles[levels[0]]}::scratch_bytes();\n  }}\n"
    struct = (f"struct {name} {{\n  static Description description() {{\n"
              f'    return {{.operation = "tile",\n            .text = "{output}",\n'
              f"            .operands = {{{', '.join(o.description() for o in operands)}}},\n"
              f"            .coefficients = Type::{element},\n            .coefficient_lanes = {MOST_FACTORS},\n"
              f"            .needs_scratch = true,\n            .refuses = {str(refuses).lower()},\n"
              f"            .steps = {{{', '.join(described)}}},\n            .shape = {{{shape_text}}},\n"
              f"            .one_tile = {one},\n            .scratch_view = {str(view).lower()}}};\n  }}\n"
              f"{query}{''.join(runs)}}};\n")
    strings = ", ".join(text for _, products in steps for _, text in products)
    return Case(name, struct, levels, f"{tiles[levels[0]]}: {strings}")
