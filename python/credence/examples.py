# SPDX-License-Identifier: MIT
"""Example tables and networks, the same as in the command ``credence example``."""

from __future__ import annotations

from pathlib import Path
from typing import overload

from . import _core

__all__ = ["example"]

# The files are next to the extension module. An editable install has it in another folder than the package's own files.
_FOLDER = Path(_core.__file__).parent / "examples_data"
_ENDINGS = (".csv", ".tsv", ".bif")


@overload
def example(name: str) -> Path: ...
@overload
def example(name: None = None) -> list[str]: ...
def example(name: str | None = None) -> Path | list[str]:
    """Return the path of an example file: a table (CSV, TSV) or a network (BIF). Without a name, list all example names.

    Examples
    --------
    >>> import credence
    >>> credence.train(credence.example("tennis"), target="Play").classes
    ('No', 'Yes')
    """
    files = {path.stem: path for path in sorted(_FOLDER.iterdir()) if path.suffix in _ENDINGS}
    if name is None:
        return list(files)
    if name not in files:
        raise ValueError(f"name: there is no example {name!r}; there are {', '.join(files)}")
    return files[name]
