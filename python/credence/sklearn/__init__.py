# SPDX-License-Identifier: MIT
"""Classifiers for scikit-learn."""

from __future__ import annotations

from ._bayes import BayesClassifier
from ._sequence import SequenceClassifier

__all__ = ["BayesClassifier", "SequenceClassifier"]
