"""Settings of the documentation."""

import sys
from pathlib import Path
from typing import Any

from labelwise import __version__

ROOT = Path(__file__).parents[1]
# The studies are not part of the package.
sys.path.insert(0, str(ROOT))

project = "labelwise"
author = "the labelwise developers"
copyright = "2026, the labelwise developers"  # noqa: A001  (Sphinx calls it so)
release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
# Nothing is fetched while building: references to others stay plain.
intersphinx_mapping: dict[str, tuple[str, None]] = {}
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "labelwise"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
}
# Pages without a section have nothing to list beside them; tables of studies need the width.
html_sidebars = {
    name: []
    for name in (
        *("index", "install", "quick_start", "guarantees"),
        *("mathematics", "limits", "studies/*"),
    )
}
# Names in single backticks are shown as code.
default_role = "literal"
toc_object_entries_show_parents = "hide"
html_show_sourcelink = False
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    # The figure is there; its object says nothing.
    "ignore_repr_types": r"Display",
}


def draw_studies(app: Any) -> None:
    """Draw the figures of the studies from their measured tables."""
    from studies.olsson2006 import plots as olsson2006_plots
    from studies.yardstick import plots as yardstick_plots

    folder = Path(app.srcdir) / "generated" / "studies"
    olsson2006_plots.draw_all(folder / "olsson2006")
    yardstick_plots.draw_all(folder / "yardstick")


def setup(app: Any) -> None:
    """Have what pages show drawn before they are read."""
    app.connect("builder-inited", draw_studies)
