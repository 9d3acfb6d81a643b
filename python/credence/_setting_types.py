# SPDX-License-Identifier: MIT
"""Types of settings as keyword arguments, made of the library's table of settings by python/tools/setting_types.py."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Settings", "SettingsBesideStructure"]


class SettingsBesideStructure(TypedDict, total=False):
    """Settings of models, except the structure of a network. A str is always the text that the command accepts."""

    alpha: float | None
    smoothing: str | tuple[str, Any] | float | None
    prior: str | Mapping[Any, float] | Sequence[float] | tuple[str, Any] | None
    variance: str | None
    pool_variance: str | None
    min_sd: str | float | None
    family: str | Mapping[str, str] | None
    histogram: str | tuple[str, Any] | None
    bandwidth: str | float | None
    mixture: str | int | tuple[str, Any] | None
    student: str | float | None
    method: str | tuple[str, Any] | None
    joint: str | Sequence[str | Sequence[str]] | None
    normal: str | tuple[str, Any] | None
    exponents: str | None
    calibration: str | None
    estimator: str | tuple[str, Any] | None
    hidden: str | Mapping[str, int] | None
    iterations: str | int | None
    tolerance: str | float | None
    score: str | tuple[str, Any] | None
    test: str | None
    significance: str | float | None
    required: str | Sequence[str | tuple[str, str]] | None
    forbidden: str | Sequence[str | tuple[str, str]] | None
    tiers: str | Sequence[str | Sequence[str]] | None
    max_parents: str | int | None
    max_conditioning: str | int | None
    restarts: str | int | None
    states: str | int | None
    order: str | int | None
    topology: str | tuple[str, Any] | None
    ends: str | None
    transitions: str | tuple[str, Any] | None
    components: str | int | None
    unseen_words: str | tuple[str, Any] | None
    term_smoothing: str | float | None
    tf: str | None
    length: str | float | None
    complement_weights: str | None
    min_df: str | float | None
    max_df: str | float | None
    stop_words: str | Iterable[str] | None
    vocabulary: str | int | None
    tokens: str | None
    letter_case: str | None
    stem: str | None
    ngrams: str | int | tuple[int, int] | None
    sparse_bigrams: str | int | None
    hash: str | int | None


class Settings(SettingsBesideStructure, total=False):
    """Settings of models."""

    structure: str | Sequence[str | tuple[str, str]] | tuple[str, Any] | Network | os.PathLike[str] | None
