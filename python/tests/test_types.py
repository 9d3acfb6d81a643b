# SPDX-License-Identifier: MIT
"""Types: the stub of the extension module is that of its docstrings, and the package passes mypy."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_stub_is_made_of_the_docstrings():
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "python" / "tools" / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    assert (ROOT / "python" / "credence" / "_core.pyi").read_text() == stubs.stub(), "run python/tools/stubs.py anew"


def test_the_package_is_typed():
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-incremental"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
