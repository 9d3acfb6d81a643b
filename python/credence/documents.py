# SPDX-License-Identifier: MIT
"""Documents from folders and files, and mail messages, as tables of texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, Union

from . import _core

__all__ = ["Documents", "documents", "mail", "message"]


Path: TypeAlias = Union[str, "os.PathLike[str]"]
#: A path, several, or a dict of classes and the path, or paths, of their documents.
Sources: TypeAlias = Union[Path, Iterable[Path], Mapping[str, Union[Path, Iterable[Path]]]]


class Documents:
    """The locations of documents, or mail messages, and their classes. :func:`documents` and :func:`mail` create one."""

    __slots__ = ("is_mail", "sources")

    def __init__(self, sources: Sources, is_mail: bool) -> None:
        self.sources: list[tuple[Any, str | None]] = _sources(sources)
        self.is_mail = is_mail

    @property
    def has_classes(self) -> bool:
        """Whether the class of some documents is known."""
        return any(label is not None for _, label in self.sources)

    def __repr__(self) -> str:
        places = ", ".join(os.fspath(place) if label is None else f"{label}={place}" for place, label in self.sources)
        return f"{'mail' if self.is_mail else 'documents'}({places})"


def _sources(sources: Sources) -> list[tuple[Any, str | None]]:
    if isinstance(sources, (str, os.PathLike)):
        return [(sources, None)]
    if isinstance(sources, Mapping):
        return [
            (place, str(label))
            for label, places in sources.items()
            for place in ([places] if isinstance(places, (str, os.PathLike)) else places)
        ]
    if isinstance(sources, Iterable):
        return [(place, None) for place in sources]
    raise TypeError(f"sources: expected paths, or a dict of classes and paths, got {type(sources).__name__}")


def documents(sources: Sources) -> Documents:
    """Read documents: each file of a folder, or each line of a file.

    Parameters
    ----------
    sources
        A path, several, or a dict of classes and the path, or paths, of their documents.

    Returns
    -------
    Documents
        You can pass it instead of a table. Its columns are ``text``, and ``class``, which is the target in training.
    """
    return Documents(sources, False)


def mail(sources: Sources) -> Documents:
    """Read mail messages: each file of a folder (also a Maildir), the messages of an mbox, or a single message.

    Parameters
    ----------
    sources
        A path, several, or a dict of classes and the path, or paths, of their messages: ``{"spam": "junk", "ham": "inbox"}``.

    Returns
    -------
    Documents
        You can pass it instead of a table. Its columns are the fields of messages, each a text, and ``class``. A model trained
        from it has settings suitable for messages, unless you pass others.
    """
    return Documents(sources, True)


def message(content: bytes | str) -> dict[str, str]:
    """Return the texts of a mail message's fields: a row for a model of messages.

    Examples
    --------
    >>> import credence
    >>> credence.message(b"From: a@example.org\\nSubject: Hello\\n\\nHow are you?\\n")["subject"]
    'Hello'
    """
    found: dict[str, str] = _core.mail_texts(content.encode() if isinstance(content, str) else content)
    return found
