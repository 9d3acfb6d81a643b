# SPDX-License-Identifier: MIT
"""What the user guide and the docstrings show is what happens."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import credence

GUIDE = Path(__file__).parents[1] / "docs"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
NEEDS = {"tables": ["pandas"], "tutorial": ["pandas", "sklearn"], "scikit-learn": ["sklearn", "scipy"]}


ENGINES = ("dask", "ray", "spark")  # tests/engines runs what their modules and the page about them show


@pytest.mark.parametrize("page", sorted({path.stem for path in GUIDE.glob("*.md")} - {"engines"}))
def test_page(page, tmp_path, monkeypatch):
    for name in NEEDS.get(page, []):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    text = (GUIDE / f"{page}.md").read_text()
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not blocks:
        return
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, str(GUIDE / f"{page}.md"), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    report = []
    runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


MODULES = [
    module.name
    for module in pkgutil.walk_packages(credence.__path__, "credence.", onerror=lambda name: None)
    if "_core" not in module.name and module.name.split(".")[1] not in ENGINES
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, tmp_path, monkeypatch):
    if ".sklearn" in name:
        pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert result.failed == 0
