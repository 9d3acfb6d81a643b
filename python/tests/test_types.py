# SPDX-License-Identifier: MIT
"""Types: the stub of the extension module is that of its docstrings, and the package passes mypy."""

import importlib
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import credence

_train = importlib.import_module("credence.train")
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


def test_the_types_of_settings_are_those_of_the_library():
    spec = importlib.util.spec_from_file_location("setting_types", ROOT / "python" / "tools" / "setting_types.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    written = (ROOT / "python" / "credence" / "_setting_types.py").read_text()
    assert written == tool.setting_types(), "run python/tools/setting_types.py anew"


def test_options_of_reading_are_typed():
    from credence import _reader_options, _types

    assert set(_types.ReadingOptions.__annotations__) == set(_reader_options.OPTIONS)
    assert set(_types.ColumnOptions.__annotations__) - set(_reader_options.OPTIONS) == set(_train._READING) - INTERNAL


#: Arguments of readers that no public function takes.
INTERNAL = {"detect_formats", "skip_unlabeled", "with_parts"}

PROGRAM = """
import credence
from credence import BayesClassifier

model = credence.train("a.csv", "y", smoothing=1, ignore=["id"], categorical="zip", missing=["-9"], prior={True: 0.5, False: 0.5})
reveal_type(model.predict({"x": 1.0}))
reveal_type(model.predict("a.csv"))
reveal_type(model.explain({"x": 1.0}))
reveal_type(model.evaluate("a.csv"))
reveal_type(model.rows)
reveal_type(credence.evaluate("a.csv", "y", cross_validate=5).accuracy)
reveal_type(credence.Network.learn("a.csv").query("y"))
reveal_type(BayesClassifier(method="naive", smoothing=0.5, class_weight="balanced").fit([[1.0], [2.0]], [0, 1]).predict([[1.0]]))
"""
REVEALED = ["RowPrediction", "Table", "Explanation", "Evaluation", "int", "float", "Answer", "ndarray"]
WRONG = [
    'credence.train("a.csv", "y", smothing="m:1")',
    'credence.train("a.csv", "y", smoothing=["m:1"])',
    'credence.train("a.csv", ["y"])',
    'credence.train("a.csv", "y", ignor="id")',
    'credence.evaluate("a.csv", "y", crossvalidate=5)',
    'credence.compare("a.csv", "y", fold=5)',
    'credence.load("m").predict("a.csv", smothing=1)',
    'credence.load("m").update("a.csv", smoothing=1)',
    'credence.Network.learn("a.csv", scor="bic")',
    'credence.Network({"a": 2})',
    'credence.BayesClassifier(method="naive", smothing=1)',
    'credence.schema("a.csv", targt="y")',
]


def test_mypy_knows_results_and_rejects_wrong_arguments(tmp_path):
    pytest.importorskip("mypy")
    lines = [line for line in PROGRAM.strip().split("\n")] + WRONG
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nfollow_imports_for_stubs = True\n[mypy-sklearn.*,scipy.*,joblib.*]\nignore_missing_imports = True\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-incremental", "--config-file", tmp_path / "mypy.ini", tmp_path / "program.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    found = done.stdout.split("\n")
    revealed = [line.partition("Revealed type is ")[2] for line in found if "Revealed type" in line]
    assert len(revealed) == len(REVEALED), done.stdout + done.stderr
    for shown, expected in zip(revealed, REVEALED, strict=True):
        assert expected in shown and "Any | " not in shown
    first = len(lines) - len(WRONG) + 1
    rejected = {int(line.split(":")[1]) for line in found if ": error:" in line and "program.py" in line}
    assert rejected == set(range(first, len(lines) + 1)), done.stdout


def _public():
    names = {name: getattr(credence, name) for name in credence.__all__}
    for name, value in names.items():
        if not inspect.isclass(value):
            yield name, value
            continue
        for member in dir(value):
            found = inspect.getattr_static(value, member)
            found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
            if not member.startswith("_") and inspect.isfunction(found) and found.__module__.startswith("credence"):
                yield f"{name}.{member}", found
        if issubclass(value, (credence.BayesClassifier, credence.SequenceClassifier)):
            yield name, value.__init__


def test_no_parameter_of_a_public_function_is_any():
    pytest.importorskip("sklearn")
    for name, function in _public():
        for parameter, annotation in getattr(inspect.unwrap(function), "__annotations__", {}).items():
            assert parameter == "return" or annotation != "Any", f"{name}: {parameter}"


def test_signatures_list_the_options():
    parameters = inspect.signature(credence.train).parameters
    assert {"ignore", "categorical", "missing", "separator", "smoothing", "alpha", "weight"} <= set(parameters)
    assert parameters["ignore"].annotation == "ColumnNames | None"
    assert not {"Any", "TYPE_CHECKING", "annotations", "find_spec", "sklearn"} & set(dir(credence))
