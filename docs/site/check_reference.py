# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_reference.py XML PAGES: every public name that Doxygen finds must be described, and have an entry in a page.

The entry of a name is in a section with an example (a quoted block of C++). The description of a routine says what the
shapes are, what may overlap, to whom results are visible and what is returned, or names the routine whose description does.
"""
import glob
import os
import re
import sys
import xml.etree.ElementTree as tree

xml, pages = sys.argv[1:3]
faults = []


def text_of(element):
    return "" if element is None else " ".join("".join(element.itertext()).split())


def described(element):
    return text_of(element.find("briefdescription")) + " " + text_of(element.find("detaileddescription"))


# --- What is public
names = {}  # name: description
index = tree.parse(os.path.join(xml, "index.xml")).getroot()
for compound in index.findall("compound"):
    name = compound.findtext("name")
    definition = tree.parse(os.path.join(xml, compound.get("refid") + ".xml")).getroot().find("compounddef")
    inner = re.sub(r"^KokkosContract::", "", name)
    if compound.get("kind") in ("class", "struct", "concept") and re.fullmatch(r"(Experimental::)?\w+", inner):
        names[inner] = described(definition)
    elif name == "KokkosContract":
        for member in definition.iter("memberdef"):
            key = member.findtext("name")
            names[key] = names.get(key, "") + described(member)
    elif compound.get("kind") == "file":
        for member in definition.iter("memberdef"):
            key = member.findtext("name")
            if member.get("kind") == "define" and key.startswith("KOKKOSCONTRACT_VERSION"):
                names[key] = described(member)

# --- What has an entry, and whether there is an example before it in its section
entries = {}
for page in sorted(glob.glob(os.path.join(pages, "*.md"))):
    with open(page, encoding="utf-8") as file:
        sections = re.split(r"^#+ ", file.read(), flags=re.M)
    for section in sections:
        for entry in re.findall(r"^```\{doxygen\w+\} (?:KokkosContract::)?((?:Experimental::)?\w+)", section, flags=re.M):
            entries[entry] = entries.get(entry, False) or "```cpp" in section

for name, description in sorted(names.items()):
    if not description.strip():
        faults.append(f"{name}: no comment in its header")
    if name not in entries:
        faults.append(f"{name}: no entry in {pages}")
    elif not entries[name] and not name.startswith("KOKKOSCONTRACT_"):
        faults.append(f"{name}: no example in the section of its entry")
for name in sorted(set(entries) - set(names)):
    faults.append(f"{name}: an entry in {pages}, but Doxygen finds no such public name")


# --- What the entry of a routine says, by itself or by the entries that it names
facts = {
    "shapes": r"Shapes:|Operands:|Operands, |Operands are|operands, ",
    "what may overlap": r"overlap|in place",
    "to whom results are visible": r"visible",
    "what is returned": r"Returns",
}


def whole(name, seen=()):
    text = names.get(name, "")
    others = set(re.findall(r"Serial\w+", text)) - {name, *seen}
    return " ".join([text, *(whole(other, (*seen, name)) for other in others)])


for name in sorted(names):
    if re.match(r"(Serial|Vector|Team|TeamVector)[A-Z]\w*", name) and name not in ("TeamPlan", "TeamProblems"):
        text = whole(name)
        faults += [f"{name}: its comment does not say {fact}" for fact, words in facts.items() if not re.search(words, text)]

for fault in faults:
    print(f"check_reference: {fault}", file=sys.stderr)
print(f"check_reference: {len(names)} public names, {len(faults)} faults")
sys.exit(1 if faults else 0)
