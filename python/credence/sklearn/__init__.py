# SPDX-License-Identifier: MIT
"""Classifiers for scikit-learn."""

from __future__ import annotations

from ._bayes import BayesClassifier
from ._sequence import SequenceClassifier
from ._text import TextBayesClassifier

__all__ = ["BayesClassifier", "SequenceClassifier", "TextBayesClassifier"]
