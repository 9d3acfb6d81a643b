# SPDX-License-Identifier: MIT
"""Exceptions and warnings of Credence.

Every library error is an :class:`Error`. It is also a subclass of the most suitable Python exception (``ValueError``,
``OSError``, ``MemoryError``, ``TimeoutError``), so code that does not import Credence can catch it.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings as _warnings


class Error(Exception):
    """The base class of all library errors.

    Attributes
    ----------
    code : str
        A short name, such as ``"column"`` or ``"damaged"``.
    message : str
        The actual and the expected input.
    place : str
        The file or input, or ``""``.
    line, field : int
        Line and field of the input, or row and column of a table, from 1; 0 if not applicable.
    subject : str
        The column, setting or class with the error, or ``""``.
    hint : str
        How to fix it, or ``""``.
    """

    code: str
    message: str
    place: str
    line: int
    field: int
    subject: str
    hint: str

    def __init__(self, *arguments: object) -> None:
        # Set on the instance: class attributes would hide the values in a class that Ray derives and that delegates to the exception.
        super().__init__(*arguments)
        self.code = self.message = self.place = self.subject = self.hint = ""
        self.line = self.field = 0


class DataError(Error, ValueError):
    """Invalid rows, columns or files."""


class SettingError(Error, ValueError):
    """An invalid setting, or an invalid combination of settings."""


class ModelFileError(Error, ValueError):
    """Bytes that are not a model, or a model that is damaged or too new."""


class SystemFailure(Error, OSError):
    """An operating system error, such as a missing file or a full disk."""


class FileNotFound(SystemFailure, FileNotFoundError):
    """A file or folder that does not exist."""


class PermissionDenied(SystemFailure, PermissionError):
    """A file or folder without permission to read or write."""


class IsAFolder(SystemFailure, IsADirectoryError):
    """A folder instead of the expected file."""


class OutOfMemory(Error, MemoryError):
    """A failed memory allocation."""


class DeadlineError(Error, TimeoutError):
    """The deadline of :func:`credence.options` has passed."""


class CredenceWarning(UserWarning):
    """A warning: the call succeeded, but the result may not be as intended."""


_SETTING_CODES = {12, 13, 22}
_FILE_CODES = {16, 17, 18}
_SYSTEM_CLASSES = {
    errno.ENOENT: FileNotFound,
    errno.EACCES: PermissionDenied,
    errno.EPERM: PermissionDenied,
    errno.EISDIR: IsAFolder,
}


def _sentence(message: str, place: str, line: int, field: int, hint: str) -> str:
    where = place
    is_table = place.startswith("table (") or not place  # a table in memory, whose rows Python counts from 0
    if line:
        where += (", " if where else "") + (f"row {line - 1} (from 0)" if is_table else f"line {line}")
    if field and not is_table:
        where += f", field {field}" if where else f"field {field}"
    text = f"{where}: {message}" if where else message
    return f"{text} ({hint})" if hint else text


def make_error(
    status: int,
    code: str,
    system_error: int,
    line: int,
    field: int,
    place: str,
    subject: str,
    message: str,
    hint: str,
) -> Error:
    """Create the exception for a library error; called by the extension module."""
    text = _sentence(message or code, place, line, field, hint)
    error: Error
    if status == 2:
        error = OutOfMemory(text)
    elif status == 5:
        error = _SYSTEM_CLASSES.get(system_error, SystemFailure)(system_error, text or os.strerror(system_error))
    elif status == 24:
        error = DeadlineError(text)
    elif status in _SETTING_CODES:
        error = SettingError(text)
    elif status in _FILE_CODES:
        error = ModelFileError(text)
    elif status == 4:
        error = Error(text)
    else:
        error = DataError(text)
    error.code, error.message, error.place = code, message, place
    error.line, error.field, error.subject, error.hint = line, field, subject, hint
    return error


def no_rows(message: str) -> DataError:
    """Create the library's exception for a table without rows."""
    error = DataError(message)
    error.code, error.message = "empty", message
    return error


_MISSING_WORD = 6  # CRD_LOG_MISSING_WORD


def issue(message: str) -> None:
    """Issue a warning at the line that called the package."""
    depth, frame = 1, sys._getframe(0)
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "credence":
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    _warnings.warn(message, CredenceWarning, stacklevel=depth)


def warn(level: str, code: int, subject: str, message: str) -> None:
    """Issue a library warning; called by the extension module.

    The library logs a word that it treats as missing only as a note. Python issues a warning for it, too.
    """
    if level == "warning" or code == _MISSING_WORD:
        issue(message)
