# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random cases are made of: element types, operands as C++, the structs that Fuzz.hpp describes."""

import dataclasses
import random

LEVELS = ("Serial", "Vector", "Team", "TeamVector", "Threads")
CPP_TYPES = {
    "f32": "float", "f64": "double", "c32": "Kokkos::complex<float>", "c64": "Kokkos::complex<double>",
    "f16": "Kokkos::Experimental::half_t", "bf16": "Kokkos::Experimental::bhalf_t",
    "i8": "std::int8_t", "i16": "std::int16_t", "i32": "std::int32_t",
}
DYNAMIC = -1


@dataclasses.dataclass
class Options:
    half: bool = False     # 16-bit floats are types of their own
    gpu: bool = False


def cpp_type(name, lanes=1):
    return CPP_TYPES[name] if lanes == 1 else f"Pack<{CPP_TYPES[name]}, {lanes}>"


def dynamic_text(numbers):
    return ", ".join("dynamic" if n == DYNAMIC else str(n) for n in numbers)


@dataclasses.dataclass
class Operand:
    """One operand: what the run has to know of it, and the expression that makes it."""
    type: str
    lanes: int
    letters: str
    form: str
    role: str
    make: str              # a member of Call: "view<double**, Kokkos::LayoutRight>(%s)"
    extents: list = dataclasses.field(default_factory=list)
    strides: list = dataclasses.field(default_factory=list)

    def expression(self, number, problem="p"):
        return self.make % f"{number}, {problem}"

    def as_const(self, number):
        """The same elements, which the call may only read."""
        value = cpp_type(self.type, self.lanes)
        return self.expression(number).replace(f"<{value}", f"<const {value}", 1)

    def description(self):
        parts = [f"Type::{self.type}", str(self.lanes), f'"{self.letters}"', f"Form::{self.form}",
                 f"Role::{self.role}"]
        if self.extents or self.strides:
            parts.append("{" + ", ".join(map(str, self.extents)) + "}")
        if self.strides:
            parts.append("{" + ", ".join(map(str, self.strides)) + "}")
        return "{" + ", ".join(parts) + "}"


def stars(extents):
    """The data type of a View: dynamic extents, then static ones."""
    return "*" * extents.count(DYNAMIC) + "".join(f"[{e}]" for e in extents if e != DYNAMIC)


def random_strides(rng, extents, signed, repeated):
    """Static strides: any order, gaps."""
    order = list(range(len(extents)))
    rng.shuffle(order)
    strides, stride = [0] * len(extents), 1 if rng.random() < 0.6 else 2
    for d in order:
        strides[d] = stride
        stride = stride * max(extents[d], 1) + (rng.randint(0, 3) if rng.random() < 0.4 else 0)
    if signed:
        strides = [-s if rng.random() < 0.3 else 0 if repeated and rng.random() < 0.1 else s for s in strides]
        strides = [s if s != -1 else 1 for s in strides]  # -1 is "dynamic"
    return strides


def make_operand(rng, element, lanes, letters, extents, role, atomic=False):
    """An operand of these letters; extents: static or DYNAMIC, one each."""
    const = "const " if role == "input" and rng.random() < 0.8 else ""
    value = const + cpp_type(element, lanes)
    rank = len(letters)
    static = [e for e in extents if e != DYNAMIC]
    all_static = rank > 0 and len(static) == rank
    trailing = extents[rank - len(static):] == static  # as a View can have them
    layouts = {"right": "Kokkos::LayoutRight", "left": "Kokkos::LayoutLeft", "strided": "Kokkos::LayoutStride"}
    form = rng.choice(("right", "right", "left", "strided", "strided"))

    def operand(form_, make, fixed=extents, strides=()):
        return Operand(element, lanes, letters, form_, role, make, list(fixed) if static else [], list(strides))

    if atomic:
        return operand(form, f"call.atomic<{value}{stars([DYNAMIC] * rank)}, {layouts[form]}>(%s)", [DYNAMIC] * rank)
    fixed = dynamic_text(extents)
    kind = rng.random()
    if not static:
        if kind < 0.6 or rank == 0:
            return operand(form, f"call.view<{value}{stars(extents)}, {layouts[form]}>(%s)")
        if kind < 0.7:
            layout = {"right": "right", "left": "left", "strided": "stride"}[form]
            return operand(form, f"call.mdspan<{value}, Kokkos::dextents<int, {rank}>, Kokkos::layout_{layout}>(%s)")
        strides = [DYNAMIC] * rank
        if kind < 0.85:
            strides[rng.randrange(rank)] = 1
        form = "any" if strides.count(1) == 0 or rng.random() < 0.5 else "strided"
        make = f"call.strided<{value}, Numbers<{fixed}>, Numbers<{dynamic_text(strides)}>>(%s)"
        return operand(form, make, strides=strides if 1 in strides else ())
    if kind < 0.35 and trailing and 0 not in extents:  # C++ has no arrays of none
        return operand(form, f"call.view<{value}{stars(extents)}, {layouts[form]}>(%s)")
    if kind < 0.65:
        view = f"call.view<{value}{'*' * rank}, {layouts[form]}>(%s)"
        return operand(form, f"fix<{fixed}>({view})")
    if kind < 0.75 and all_static:
        return operand("right", f"fix_packed<{fixed}>(call.view<{value}{'*' * rank}, Kokkos::LayoutRight>(%s))")
    if all_static:
        strides = random_strides(rng, extents, rng.random() < 0.4, role == "input")
        make = f"call.strided<{value}, Numbers<{fixed}>, Numbers<{dynamic_text(strides)}>>(%s)"
        return operand("any", make, strides=strides)
    make = f"call.strided<{value}, Numbers<{fixed}>, Numbers<{dynamic_text([DYNAMIC] * rank)}>>(%s)"
    return operand("any", make)


STATIC_EXTENTS = (1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 8, 9, 10, 12, 13, 16, 17, 20, 33)


def static_letters(rng, letters, most):
    """Which letters the types fix, and how: {} where none are; the product stays below `most`."""
    style = rng.random()
    if style < 0.4:
        return {}
    chosen = {c: rng.choice(STATIC_EXTENTS) for c in letters if style < 0.7 or rng.random() < 0.5}
    if chosen and rng.random() < 0.02:
        chosen[rng.choice(sorted(chosen))] = 0

    def product():
        total = 1
        for c in letters:
            total *= max(chosen.get(c, 1), 1)
        return total
    while product() > most:
        largest = max(chosen, key=chosen.get)
        chosen[largest] = max(chosen[largest] // 2, 1)
    return chosen


def operand_extents(rng, letters, chosen, always):
    """Static extents of one operand: those chosen, unless it leaves them to the run."""
    if not always and rng.random() < 0.25:
        return [DYNAMIC] * len(letters)
    return [chosen.get(c, DYNAMIC) if always or rng.random() < 0.9 else DYNAMIC for c in letters]


@dataclasses.dataclass
class Case:
    name: str
    text: str              # of the struct
    levels: list           # at which it can be called
    what: str              # string or routine, in words

    def entries(self):
        return [f'entry<{self.name}, {level}Level>("{self.name}")' for level in self.levels]


def member_of(level):
    return "level.member"


def run_function(level, body, gpu):
    function = "" if level in ("Threads", "Host") else "KOKKOS_FUNCTION "
    name = "" if level in ("Serial", "Host") else " level"
    return f"  {function}static int run(const {level}Level&{name}, const Call& call, int p) {{\n{body}  }}\n"
