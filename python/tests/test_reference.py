# SPDX-License-Identifier: MIT
"""The documentation is built without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
for name in ("furo", "myst_parser", "sklearn"):
    pytest.importorskip(name)


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="nothing of it runs in the module")
def test_documentation(tmp_path):
    pages = Path(__file__).parents[1] / "docs"
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "trees", pages, tmp_path / "html"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "html" / "api.html").exists()
