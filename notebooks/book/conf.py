"""Sphinx's settings for the site. make_site.py prepares the sources that it reads; no notebook is run."""

import re

project = "heed"
author = ""
project_copyright = "the authors of heed, Apache License 2.0"
extensions = ["myst_nb", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["notebooks", "_extra"]
suppress_warnings = ["myst.header"]  # a chapter may go from ## to ####
language = "en"

myst_heading_anchors = 3  # the glossary's terms; what the annex leads to

nb_execution_mode = "off"
nb_code_prompt_show = "code"
nb_code_prompt_hide = "code"
nb_ipywidgets_js = {}  # a strip needs no widgets' manager from a CDN: its HTML computes by itself
myst_update_mathjax = False  # formulas are MathML before Sphinx sees them

html_theme = "sphinx_book_theme"
html_title = "heed"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_extra_path = ["_extra"]  # the JSON Schemas, under their own addresses
html_css_files = ["heed.css"]
html_js_files = [("heed.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = True  # heed.js has the pages' texts: file:// has no fetch
html_use_index = False
html_theme_options = {
    "logo": {"text": "heed"},
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_source_button": False,
    "navbar_persistent": [],
    "show_toc_level": 2,
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
}

# The library's own pages: docstrings are plain text with `code` in single backticks, not reStructuredText.
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = True


def as_text(app, what, name, found, options, lines) -> None:
    """A docstring's lines as reStructuredText that shows what stands there."""
    for k, line in enumerate(lines):
        parts = re.split(r"(`[^`]+`)", line)
        parts[::2] = [re.sub(r"([\\*_|])", r"\\\1", part) for part in parts[::2]]
        lines[k] = "".join(f"`{part}`" if k % 2 else part for k, part in enumerate(parts))


def setup(app) -> None:
    """Have Sphinx ask for each docstring."""
    app.connect("autodoc-process-docstring", as_text)
