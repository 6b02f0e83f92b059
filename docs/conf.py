# SPDX-License-Identifier: GPL-2.0
"""Sphinx's settings; `make docs` runs it on a copy with the generated parts."""
import os

project = "simgpu"
copyright = "the simgpu maintainers"
version = release = os.environ.get("SIMGPU_VERSION", "")
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
# Pages that others include, and examples with texts of their own.
exclude_patterns = ["generated", "examples", "man"]
html_theme = "furo"
html_title = "simgpu"
html_theme_options = {"top_of_page_button": None}
html_static_path = ["static"]
html_css_files = ["simgpu.css"]
# Commands are copied without their prompts and without what they print.
copybutton_prompt_text = r"\$ |# "
copybutton_prompt_is_regexp = True
html_show_sourcelink = False
# Headings can be linked to, as other viewers of Markdown have them.
myst_heading_anchors = 3
primary_domain = "c"
