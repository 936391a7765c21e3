# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx. scripts/build-docs says where Doxygen's XML is, and the version."""
import os
import warnings

from sphinx.addnodes import desc_signature
from sphinx.domains.cpp import CPPDomain

# Of parts of a concept, which Doxygen writes and Breathe does not know.
warnings.filterwarnings("ignore", module=r"breathe\._parser")

project = "KokkosContract"
author = "The KokkosContract authors"
copyright = author
release = version = os.environ["KOKKOSCONTRACT_DOCS_VERSION"]
extensions = ["myst_parser", "breathe"]
html_theme = "furo"
html_title = f"KokkosContract {release}"
html_theme_options = {"sidebar_hide_name": False}
html_static_path = ["static"]
html_css_files = ["site.css"]
# Quotation marks and dashes in entries are code.
smartquotes = False
html_copy_source = False
html_show_sourcelink = False
myst_heading_anchors = 4
breathe_projects = {"KokkosContract": os.environ["KOKKOSCONTRACT_DOCS_XML"]}
breathe_default_project = "KokkosContract"
breathe_default_members = ("members",)
primary_domain = "cpp"
highlight_language = "text"


class PublicNames(CPPDomain):
    """Without parameters and the invoke of each routine, which would be most of what the search finds."""

    def get_objects(self):
        for found in super().get_objects():
            if not found[2].endswith("Param") and not found[0].endswith("::invoke"):
                yield found


def shorten_contents(app, doctree):
    """"On this page" has names without KokkosContract::, and not the invoke of each routine."""
    for signature in doctree.findall(desc_signature):
        name = signature.get("_toc_name", "").removeprefix("KokkosContract::")
        signature["_toc_name"] = "" if name == "invoke()" else name


def setup(app):
    app.add_domain(PublicNames, override=True)
    app.connect("doctree-read", shorten_contents, priority=100)  # before Sphinx collects the contents
