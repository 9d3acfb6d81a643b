# SPDX-License-Identifier: MIT
"""Reports: the command's, but for the command that they state."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import credence

ROWS = "x,c,<kind>\n" + "".join(f"{i % 7 + 4 * (i % 2)},{'uv'[i % 3 == 0]},{'ab'[i % 2]}\n" for i in range(40))


def test_the_report_is_the_commands(tmp_path: Path) -> None:
    command = os.environ.get("CREDENCE")
    if not command:
        pytest.skip("CREDENCE does not name the command")
    table = tmp_path / "rows.csv"
    table.write_text(ROWS)
    shown = subprocess.run([command, "report", table, "--target", "last", "--method", "aode"], capture_output=True, check=True, text=True)
    html = credence.report(table, "last", name="rows.csv", method="aode", output=tmp_path / "report.html")
    assert re.sub("<p>The command:</p>\n<pre>.*?</pre>\n", "", shown.stdout) == html
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["report.html", "rows.csv"]
    assert "<kind>" not in html


def test_arguments_are_checked() -> None:
    table = {"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"]}
    with pytest.raises(ValueError, match="cross_validate"):
        credence.report(table, "y", cross_validate=1)
    with pytest.raises(TypeError, match="colour"):
        credence.report(table, "y", colour="red")
