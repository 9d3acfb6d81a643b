# SPDX-License-Identifier: MIT
"""Types of settings as keyword arguments, made of the library's table of settings by python/tools/setting_types.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

__all__ = ["Settings", "SettingsWithoutArcs"]


class SettingsWithoutArcs(TypedDict, total=False):
    """Settings of models, except the arcs of a network. A str is always the text that the command accepts."""

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
    covariance: str | tuple[str, Any] | None
    joint_mixture: str | int | None
    attribute_weights: str | None
    calibration: str | None
    estimator: str | None
    em_starts: str | int | None
    latent_nodes: str | Mapping[str, int] | None
    iterations: str | int | None
    tolerance: str | float | None
    score: str | tuple[str, Any] | None
    ci_test: str | None
    significance: str | float | None
    required_arcs: str | Sequence[str | tuple[str, str]] | None
    forbidden_arcs: str | Sequence[str | tuple[str, str]] | None
    tiers: str | Sequence[str | Sequence[str]] | None
    max_parents: str | int | None
    max_conditioning: str | int | None
    restarts: str | int | None
    states: str | int | None
    order: str | int | None
    topology: str | tuple[str, Any] | None
    forbidden_transitions: str | Sequence[str | tuple[str, str]] | None
    end_probabilities: str | None
    transitions: str | tuple[str, Any] | None
    state_mixture: str | int | None
    unseen_words: str | tuple[str, Any] | None
    term_smoothing: str | float | None
    tf: str | None
    length_normalization: str | float | None
    complement_weights: str | None
    min_df: str | float | None
    max_df: str | float | None
    stop_words: str | Iterable[str] | None
    max_terms: str | int | None
    tokens: str | None
    letter_case: str | None
    stem: str | None
    ngrams: str | int | tuple[int, int] | None
    sparse_bigrams: str | int | None
    hash: str | int | None


class Settings(SettingsWithoutArcs, total=False):
    """Settings of models."""

    search: str | tuple[str, Any] | None
    arcs: str | Sequence[str | tuple[str, str]] | None
