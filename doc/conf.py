"""How Sphinx builds the site. ``doc/CONTRIBUTING.rst`` has the commands."""

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path

# Pictures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

from docutils.nodes import SkipNode
from docutils.utils.math import MathError, latex2mathml
from sphinx.errors import ExtensionError
from sphinx.util.logging import getLogger
from sphinx_gallery.sorting import ExplicitOrder

import skholder
from skholder.cli import main

LOGGER = getLogger(__name__)

project = "skholder"
author = "The skholder developers"
project_copyright = author
version = release = skholder.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
# The recipe is no page.
exclude_patterns = ["_build", "_templates", "conda-recipe"]
templates_path = ["_templates"]
default_role = None

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "skholder"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
# Pages without pages below them need no list of these.
_ALONE = "index getting_started which_tool theory comparison whats_new citation demo"
html_sidebars = {page: [] for page in [*_ALONE.split(), "auto_examples/index"]}
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "logo": {"text": "skholder"},
}

# The order in which a stranger would ask.
GALLERY = [
    "plot_audit.py",
    "plot_regression_audit.py",
    "plot_explain_row.py",
    "plot_clean_table.py",
    "plot_posterior.py",
    "plot_gamma_path.py",
    "plot_influence.py",
    "plot_leverage.py",
    "plot_wrong_model.py",
    "plot_any_model.py",
    "plot_density_audit.py",
    "plot_wide_table.py",
    "plot_count_data.py",
    "plot_own_model.py",
    "plot_student_noise.py",
    "plot_detectors.py",
    "plot_pipeline.py",
    "plot_search.py",
    "plot_groups.py",
    "plot_gate.py",
    "plot_compare.py",
    "plot_beyond_memory.py",
]
# "-D plot_gallery=1" runs the scripts and shows their pictures.
plot_gallery = "False"
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(?:^|[/\\])(?!plot_)[^/\\]*\.py$",
    "nested_sections": False,
    "within_subsection_order": ExplicitOrder(GALLERY),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}


def _mathml(node, as_block):
    try:
        return latex2mathml.tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        LOGGER.warning("formula: %s", error, location=node)
        return ""


def _inline_math(translator, node):
    translator.body.append(_mathml(node, as_block=False))
    raise SkipNode


def _block_math(translator, node):
    translator.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>\n')
    raise SkipNode


def _skip_member(app, what, name, thing, skip, options):
    """Leave out what scikit-learn gives to every estimator; its own site has it."""
    if re.fullmatch(r"set_\w+_request|get_metadata_routing", name):
        return True
    home = getattr(thing, "__module__", None) or ""
    return True if home.startswith("sklearn") else None


def _write_demo(app, error):
    """Run ``skholder demo`` and keep its report in the built site."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / "demo_report"
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(printed):
        code = main(["demo", "--out", place])
        page = (Path(place) / "report.html").read_text("utf-8") if code == 0 else ""
    if code != 0:
        raise ExtensionError(f"skholder demo ended with code {code}")
    folder.mkdir(exist_ok=True)
    (folder / "report.html").write_text(page, encoding="utf-8")


def setup(app):
    """Register what this file adds to Sphinx."""
    # MathML needs neither a script from a network nor LaTeX.
    app.add_html_math_renderer("mathml", (_inline_math, None), (_block_math, None))
    app.connect("autodoc-skip-member", _skip_member)
    app.connect("build-finished", _write_demo)
