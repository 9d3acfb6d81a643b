# SPDX-License-Identifier: MIT
"""Classifiers that implement scikit-learn's estimator interface."""

from __future__ import annotations

from ._bayes import BayesClassifier
from ._sequence import SequenceClassifier
from ._text import TextBayesClassifier

__all__ = ["BayesClassifier", "SequenceClassifier", "TextBayesClassifier"]
