# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assemble.py PROJECT FOLDER: puts the Markdown pages of the project together as the source of the site.

The pages keep the links with which they are read in the repository: a link to a page leads to that page of the site,
one to another file to a page that shows the file. A link that leads nowhere is a fault.
"""
import os
import posixpath
import re
import shutil
import sys

project, folder = map(os.path.abspath, sys.argv[1:3])
shutil.rmtree(folder, ignore_errors=True)
faults = []

# Pages of the project, and where they are in the site.
site = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "README.md": "index.md",
}
for base in ("docs", "example"):
    for path, _, names in os.walk(os.path.join(project, base)):
        for name in names:
            page = os.path.relpath(os.path.join(path, name), project)
            if name.endswith(".md"):
                site[page] = page[5:] if base == "docs" else "project/" + page.replace("README", "index")
shown = {}  # files that have a page to show them


def write(name, text):
    target = os.path.join(folder, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def destination(page, link):
    """The link of `page` as the site has it."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return link
    path, hash_mark, anchor = link.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    absolute = os.path.join(project, file)
    if os.path.isdir(absolute) and os.path.exists(os.path.join(absolute, "README.md")):
        file = posixpath.join(file, "README.md")
    elif not os.path.isfile(absolute):
        faults.append(f"{page}: link to {link}, which is no file")
        return link
    if file in site:
        target = site[file]
    elif re.search(r"\.(svg|png)$", file):
        target = file[5:] if file.startswith("docs/") else file
        os.makedirs(os.path.join(folder, os.path.dirname(target)), exist_ok=True)
        shutil.copy(absolute, os.path.join(folder, target))
    else:
        target = shown[file] = f"source/{file}.md"
    return posixpath.relpath(target, posixpath.dirname(site[page]) or ".") + hash_mark + anchor


def with_links_of_site(page, text):
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"<!--.*?-->\n?", "", parts[i], flags=re.S)
        parts[i] = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({destination(page, m[1])})", parts[i])
    return "".join(parts)


for page, target in site.items():
    if page == "README.md":
        continue
    with open(os.path.join(project, page), encoding="utf-8") as file:
        text = with_links_of_site(page, file.read())
    if re.match(r"project/example/.+/", target):  # a page of one example, to which links lead
        text = "---\norphan: true\n---\n\n" + text
    write(target, text)

languages = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".cmake": "cmake"}
for file, target in shown.items():
    name = os.path.basename(file)
    language = "cmake" if name == "CMakeLists.txt" else languages.get(os.path.splitext(file)[1], "text")
    write(target, f"---\norphan: true\n---\n\n# {file}\n\n```{{literalinclude}} {name}\n:language: {language}\n```\n")
    shutil.copy(os.path.join(project, file), os.path.join(folder, os.path.dirname(target), name))

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
