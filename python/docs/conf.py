# SPDX-License-Identifier: MIT
"""Sphinx: the user guide and the reference of the Python package. `sphinx-build -W python/docs build/python/docs`."""

import credence

project = "Credence for Python"
copyright = "the authors of Credence"
version = release = credence.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
html_theme = "furo"
exclude_patterns = ["_build"]
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": True}
napoleon_google_docstring = False
myst_enable_extensions = ["colon_fence"]
# Labels of scikit-learn's own documentation, in docstrings that are inherited from it; and attributes of several classes.
suppress_warnings = ["ref.python", "ref.ref", "ref.term"]
