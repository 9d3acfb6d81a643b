# SPDX-License-Identifier: MIT
"""The notebooks run, and what they show is free of scripts."""

import json
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
for name in ("pandas", "sklearn"):
    pytest.importorskip(name)

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.mark.parametrize("name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")))
def test_notebook(name, tmp_path):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    pages = ["".join(data["text/html"]) for data in shown if "text/html" in data]
    assert pages and any("<svg" in page for page in pages) or name == "streams"
    assert "<script" not in json.dumps(pages)
