"""Sphinx's settings for the site. make_site.py prepares the sources that it reads; nothing is executed."""

project = "heed"
author = ""
project_copyright = "the authors of heed, Apache License 2.0"
extensions = ["myst_nb"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["notebooks"]
suppress_warnings = ["myst.header"]  # a chapter may go from ## to ####
language = "en"

myst_heading_anchors = 2  # the glossary's terms

nb_execution_mode = "off"
nb_ipywidgets_js = {}  # a strip needs no widgets' manager from a CDN: its HTML computes by itself
myst_update_mathjax = False  # formulas are MathML before Sphinx sees them

html_theme = "sphinx_book_theme"
html_title = "heed"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["heed.css"]
html_js_files = [("heed.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a summary is fetched, which no browser does on file://
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
