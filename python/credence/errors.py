# SPDX-License-Identifier: MIT
"""Exceptions and warnings of Credence.

Every failure of the library is an :class:`Error`. It is also the exception of Python that fits best (``ValueError``, ``OSError``,
``MemoryError``, ``TimeoutError``), so that code that knows nothing of Credence can catch it.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings as _warnings


class Error(Exception):
    """A failure of the library.

    Attributes
    ----------
    code : str
        A short name, such as ``"column"`` or ``"damaged"``.
    message : str
        What was found and what was expected.
    place : str
        The file or input, or ``""``.
    line, field : int
        Line and field of the input, or row and column of a table, from 1; 0 where there is none.
    subject : str
        The column, setting or class that it is about, or ``""``.
    hint : str
        What would help, or ``""``.
    """

    code: str
    message: str
    place: str
    line: int
    field: int
    subject: str
    hint: str

    def __init__(self, *arguments: object) -> None:
        # Set here and not in the class, where they would hide those of the exception in one that Ray derives and delegates to it.
        super().__init__(*arguments)
        self.code = self.message = self.place = self.subject = self.hint = ""
        self.line = self.field = 0


class DataError(Error, ValueError):
    """Rows, columns or files that cannot be what they were given as."""


class SettingError(Error, ValueError):
    """A setting, or a combination of settings, that does not fit."""


class ModelFileError(Error, ValueError):
    """Bytes that are no model, or one that is damaged or too new."""


class SystemFailure(Error, OSError):
    """The operating system refused: a file that is not there, a full disk."""


class FileNotFound(SystemFailure, FileNotFoundError):
    """A file or folder that is not there."""


class PermissionDenied(SystemFailure, PermissionError):
    """A file or folder that may not be read or written."""


class IsAFolder(SystemFailure, IsADirectoryError):
    """A folder where a file is expected."""


class OutOfMemory(Error, MemoryError):
    """An allocation failed."""


class DeadlineError(Error, TimeoutError):
    """The deadline of :func:`credence.options` has passed."""


class CredenceWarning(UserWarning):
    """Something that was done, but may not be what was meant."""


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
    is_table = place.startswith("table (") or not place  # one in memory, whose rows Python counts from 0
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
    """Makes the exception of an error of the library; called by the extension module."""
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
    """The exception of the library for rows that there are none of."""
    error = DataError(message)
    error.code, error.message = "empty", message
    return error


_MISSING_WORD = 6  # CRD_LOG_MISSING_WORD


def issue(message: str) -> None:
    """Issues a warning at the line that called the package."""
    depth, frame = 1, sys._getframe(0)
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "credence":
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    _warnings.warn(message, CredenceWarning, stacklevel=depth)


def warn(level: str, code: int, subject: str, message: str) -> None:
    """Issues a warning of the library; called by the extension module. A word taken as missing is a note of the library."""
    if level == "warning" or code == _MISSING_WORD:
        issue(message)
