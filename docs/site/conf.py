# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx. scripts/build-docs says where Doxygen's XML is, and the version."""
import os
import warnings

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
