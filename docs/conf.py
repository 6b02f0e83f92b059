# SPDX-License-Identifier: GPL-2.0
"""Sphinx's settings; `make docs` runs it on a copy with the generated parts."""
import os

project = "simgpu"
copyright = "the simgpu maintainers"
version = release = os.environ.get("SIMGPU_VERSION", "")
extensions = ["myst_parser"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
# Pages that others include, and examples with texts of their own.
exclude_patterns = ["generated", "examples", "man"]
html_theme = "alabaster"
html_theme_options = {
    "description": "A simulated GPU with processes as tenants",
    "fixed_sidebar": True,
    "page_width": "1100px",
    "sidebar_width": "260px",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sourcelink = False
# Headings can be linked to, as other viewers of Markdown have them.
myst_heading_anchors = 3
primary_domain = "c"
