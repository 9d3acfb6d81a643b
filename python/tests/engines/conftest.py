# SPDX-License-Identifier: MIT
"""Tables in partitions that every engine is tested with, and the guide's page about engines."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import credence

GUIDE = Path(__file__).parents[2] / "docs" / "engines.md"
PARTITIONS = 9


def rows(count: int = 360) -> pd.DataFrame:
    """Rows with missing cells, weights, codes, dates, texts, and sequences that no partition has whole."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": np.repeat(np.arange(count // 12), 12),
            "time": rng.permutation(count),
            "x": rng.normal(size=count),
            "code": rng.integers(0, 3, count),
            "colour": rng.choice(list("abcd"), count),
            "day": pd.date_range("2024-01-01", periods=count).astype(str),
            "note": [" ".join(rng.choice(["red", "blue", "the", "cat"], 4)) for _ in range(count)],
            "w": rng.integers(0, 4, count),
            "y": rng.choice(["p", "q", "r"], count),
        }
    )
    frame.loc[frame["y"] == "p", "x"] += 2
    frame.loc[::7, "x"] = np.nan
    frame.loc[::11, "colour"] = None
    frame.loc[240:, "colour"] = "z"
    return frame


#: Models of every sort, by the arguments of training.
CASES = {
    "naive": {"ignore": ["id", "time", "note", "w"]},
    "weights": {"ignore": ["id", "time", "note"], "weight": "w"},
    "histogram": {"only": ["x", "code"], "keep_statistics": "histogram", "family": "kernel"},
    "network": {"arcs": "y->code,code->colour,y->x"},
    "searched": {"search": "hill-climb", "only": ["x", "code", "colour"]},
    "text": {"text": "note", "only": ["note", "colour"]},
    "sequence": {"sequence": "id", "only": ["x", "colour"]},
    "times": {"sequence": "id", "time": "time", "only": ["x", "colour"]},
}


def cut(frame: pd.DataFrame, count: int = PARTITIONS) -> list[pd.DataFrame]:
    """The rows in partitions, of which the last is of one row."""
    edges = [*np.linspace(0, len(frame) - 1, count).astype(int), len(frame)]
    return [frame.iloc[begin:end] for begin, end in zip(edges, edges[1:], strict=False)]


#: Partitions that do not agree, or have little in them.
ODD = {
    "words among numbers": [{"x": [1, 2], "y": ["a", "b"]}, {"x": ["u", "3"], "y": ["a", "b"]}, {"x": [1.5, None], "y": ["b", "b"]}],
    "one class a partition": [{"x": [1.0, 2.0], "y": [name] * 2} for name in "abc"],
    "one row a partition": [{"x": [float(i)], "y": ["ab"[i % 2]]} for i in range(8)],
    "a category in one partition": [{"x": ["u", "v"], "y": ["a", "b"]}, {"x": ["w", None], "y": ["a", "b"]}],
    "a column without a cell": [{"x": [None, None], "y": ["a", "b"]}, {"x": [1.0, 2.0], "y": ["a", "b"]}],
    "no row with a target": [{"x": [1.0, 2.0], "y": [None, None]}, {"x": [1.0, 2.0], "y": ["a", "b"]}],
    "an empty partition": [{"x": [1.0, 2.0], "y": ["a", "b"]}, {"x": [], "y": []}],
}


#: The types that the columns of a frame may have.
TYPES = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "pyarrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda frame: frame.astype(dict.fromkeys(("id", "colour", "y"), "category")),
    "strings": lambda frame: frame.astype({"id": "string[pyarrow]", "colour": "string[python]", "day": "string[pyarrow]", "y": "str"}),
}

#: Models of rows, and of sequences, by the arguments of training.
LEARNING = {"rows": {"ignore": ["id", "time", "note", "w"]}, "sequences": {"sequence": "id", "only": ["x", "colour", "code"]}}


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return rows()


@pytest.fixture(scope="session")
def parts(table: pd.DataFrame) -> list[pd.DataFrame]:
    return cut(table)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, cases in (("arguments", CASES), ("odd", ODD), ("typed", TYPES), ("learning", LEARNING)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, cases.values(), ids=cases)


@pytest.fixture(scope="session")
def partitions():
    """A function that cuts a frame into so many partitions, of which the last is of one row."""
    return cut


@pytest.fixture(scope="session")
def fault_of():
    """A function that returns what is told of the error of a call: its class, code, message and row."""

    def run(call: Callable[[], object]) -> tuple:
        with pytest.raises(credence.Error) as raised:
            call()
        return type(raised.value), raised.value.code, raised.value.message, raised.value.line

    return run


@pytest.fixture
def guide_fails():
    """How many examples fail of a section of the guide, and of the docstring of a module."""

    def run(section: str, module: object) -> int:
        text = GUIDE.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert blocks
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, section, str(GUIDE), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test)
        return runner.summarize().failed + doctest.testmod(module).failed

    return run


@pytest.fixture(scope="session")
def one_process(table: pd.DataFrame):
    """The model that one process trains."""

    def train(arguments: dict) -> credence.Model:
        return credence.train(table, "y", **arguments)

    return train
