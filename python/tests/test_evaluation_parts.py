# SPDX-License-Identifier: MIT
"""Evaluations of parts, merged in their order, are those of all rows: every score with the same bits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import credence
from credence._evaluation_parts import evaluate_part, merge_parts

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def _rows(count: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    label = random.choice(["a", "b", "c"], count, p=[0.5, 0.3, 0.2]).astype(object)
    frame = pd.DataFrame(
        {
            "x": random.normal(size=count) + (label == "a"),
            "c": random.choice(["u", "v", "w"], count),
            "w": random.choice([0, 1, 2.5, 0.3], count),
            "y": label,
        }
    )
    frame.loc[3, "y"] = None
    return frame


def _sequences(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    rows, state = [], "A"
    for sequence in range(30):
        for time in range(int(random.integers(1, 9))):
            state = str(random.choice(["A", "B", "O"])) if random.random() < 0.4 else state
            shown = "p" if state == "A" else str(random.choice(["p", "q", "r"]))
            rows.append((sequence, time, shown, random.normal() + (state == "B"), state if random.random() < 0.9 else None))
    return pd.DataFrame(rows, columns=["s", "t", "o", "z", "state"])


def _same(left: object, right: object, path: str = "") -> None:
    assert type(left) is type(right), path
    if isinstance(left, dict):
        assert list(left) == list(right), path
        for name in left:
            _same(left[name], right[name], f"{path}/{name}")
    elif isinstance(left, (list, tuple)):
        assert len(left) == len(right), path
        for index, (one, other) in enumerate(zip(left, right)):
            _same(one, other, f"{path}[{index}]")
    else:
        assert left == right or (left != left and right != right), (path, left, right)


COSTS = {
    "a": {"a": 0, "b": 1, "c": 2},
    "b": {"a": 1, "b": 0, "c": 1},
    "c": {"a": 3, "b": 1, "c": 0},
    "zz": {"a": 1, "b": 1, "c": 1},
}


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(
    "questions",
    [{}, {"per_row": True, "cost": COSTS}, {"per_row": True, "reject": 0.5}, {"smoothing": "m:2", "top_k": 2}, {"threshold_curves": 20, "positive": "a"}],
)
def test_rows(weight: str | None, questions: dict[str, object]) -> None:
    train, test = _rows(200, 1), _rows(200, 2)
    test.loc[5, "y"] = "zz"
    test.loc[7, "c"] = "unseen"
    model = credence.train(train, "y", weight=weight)
    for table in (test, train):
        whole = model.evaluate(table, **questions)
        for cuts in ([0, 200], [0, 1, 2, 100, 100, 200], [0, 0, 80, 200]):
            parts = [evaluate_part(model, table.iloc[a:b], **questions) for a, b in zip(cuts, cuts[1:])]
            merged = merge_parts(model, parts, kind=table.iloc[:0], **questions)
            _same(whole._data, merged._data)
            _same(whole.facts, merged.facts)
            assert repr(whole) == repr(merged)
            pd.testing.assert_frame_equal(whole.curve("a"), merged.curve("a"))
            if "per_row" in questions:
                pd.testing.assert_frame_equal(whole.per_row, merged.per_row)
    assert whole.facts["is_learned"]


@pytest.mark.parametrize("questions", [{}, {"decoding": "posterior", "top_k": 2}])
def test_sequences(questions: dict[str, object]) -> None:
    table = _sequences(1)
    train, test = table[table.s < 15], table[table.s >= 15].copy()
    test.loc[test.index[3], "o"] = "new"
    hidden = credence.train_sequences(train.drop(columns="state"), None, sequence="s", time="t", states=2)
    for model in (credence.train_sequences(train, "state", sequence="s", time="t"), hidden):
        whole = model.evaluate(test, **questions)
        for cuts in ([15, 30], [15, 15, 16, 20, 30]):
            parts = [
                evaluate_part(model, test[(test.s >= a) & (test.s < b)], **questions) for a, b in zip(cuts, cuts[1:])
            ]
            merged = merge_parts(model, parts, kind=test.iloc[:0], **questions)
            _same(whole._data, merged._data)
            assert repr(whole) == repr(merged)


def test_classes_of_sequences() -> None:
    table = _sequences(1)
    table["kind"] = np.where(table.s % 2 == 0, "even", "odd")
    table = table.drop(columns="state")
    model = credence.train_sequences(table, "kind", sequence="s", time="t", states=2)
    whole = model.evaluate(table)
    parts = [evaluate_part(model, table[(table.s >= a) & (table.s < a + 10)]) for a in (0, 10, 20)]
    _same(whole._data, merge_parts(model, parts, kind=table.iloc[:0])._data)


def test_labelings() -> None:
    train, test = _rows(200, 1), _rows(200, 2)
    model = credence.train(train.drop(columns="y"), latent_class={"group": 3})
    whole = model.evaluate(test, true_labels="y")
    parts = [evaluate_part(model, test.iloc[a:b], true_labels="y") for a, b in ((0, 1), (1, 1), (1, 90), (90, 200))]
    _same(whole._data, merge_parts(model, parts, kind=test.iloc[:0], true_labels="y")._data)


def test_what_is_refused() -> None:
    train = _rows(50, 1)
    model = credence.train(train, "y")
    part = evaluate_part(model, train)
    with pytest.raises(ValueError, match="importance"):
        evaluate_part(model, train, importance=True)
    with pytest.raises(credence.Error, match="rule"):
        merge_parts(model, [part], reject=0.5)
    with pytest.raises(credence.Error, match="damaged"):
        merge_parts(model, [part[:40] + b"?" + part[41:]])
    with pytest.raises(credence.Error, match="true class"):
        merge_parts(model, [])
