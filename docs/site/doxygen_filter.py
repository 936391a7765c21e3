# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's view of a header: without the inline namespace and without bases that only the library knows."""
import os
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()

# The invoke of a routine is that of its base, for any arguments. Its comment names them: in lines invoke(alpha, A, ...).
calls = {}  # of each SerialX, to which the other levels refer


def parameter(name):
    if name == "member":
        return "const Member& member"
    if name.endswith("..."):
        return "const auto&... " + name[:-3]
    return "const auto& " + name


def declared(match):
    comment, head, name, level = match.groups()
    lines = re.findall(r"^///     (invoke\(.*)$", comment, flags=re.M)
    found = [call for line in lines for call in re.findall(r"invoke\(([^)]*)\)", line)]
    other = re.search(r"(?:See|as|name of) (Serial\w+)", comment)
    calls[name] = found or (calls.get(other.group(1), []) if other else [])
    body, shapes = "", set()
    for call in calls[name]:
        # Functions of as many parameters cannot be told apart in a page: the comment above has them all.
        shape = (call.count(","), "..." in call)
        if shape in shapes:
            continue
        shapes.add(shape)
        names = ([] if level == "Serial" else ["member"]) + [n.strip() for n in call.split(",")]
        template = "" if level == "Serial" or "class Member" in head else "template <class Member> "
        body += f"  /// Returns a code, see above.\n  {template}static int invoke({', '.join(map(parameter, names))});\n"
    return f"{comment}{head}struct {name} {{\n{body}}};"


text = re.sub(
    r"((?:^///.*\n)+)((?:template <[^;{]*?>\n)?)struct (\w+)\s*:\s*Impl::(Serial|Vector|Team|TeamVector)Entry<[^{};]*\{\s*\};",
    declared, text, flags=re.M)
text = text.replace("inline namespace KOKKOSCONTRACT_ISA {", "")
text = text.replace("}  // namespace KOKKOSCONTRACT_ISA", "")
text = re.sub(r"\s*:\s*(?:public )?Impl::\w+[^{};]*\{\s*\};", " {};", text)
text = re.sub(r"\bImpl::(\w+Tag)\b", r"\1", text)
text = re.sub(r"template <class Space>\s*struct std::tuple_.*?\};", "", text, flags=re.S)
# Two functions that differ in template parameters alone cannot be told apart in a page.
text = re.sub(r"/// In a kernel of the default execution space\.\n.*?\n\}\n", "", text, flags=re.S)
# These words of comments are routines at any level, for which Doxygen would link what KokkosBatched names so; Vector is a
# level.
text = re.sub(r"^(\s*///(?! {5}).*)$", lambda m: re.sub(
    r"(?<![\w:%<])(Vector|LU|QR|SolveLU)\b(?![\w<(:])",
    lambda word: "%Vector" if word[1] == "Vector" else f'@ref KokkosContract::Serial{word[1]} "{word[1]}"', m[1])
    if "`" not in m[1] else m[1], text, flags=re.M)
version = os.environ.get("KOKKOSCONTRACT_DOCS_VERSION", "0.0.0")
for part, value in zip(("_MAJOR", "_MINOR", "_PATCH"), version.split(".")):
    text = text.replace(f"@PROJECT_VERSION{part}@", value)
sys.stdout.write(text.replace("@PROJECT_VERSION@", version))
