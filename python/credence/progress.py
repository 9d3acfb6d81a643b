# SPDX-License-Identifier: MIT
"""Progress bars of long calls in a notebook or on the terminal, and options of calls.

In a notebook, the bar is an output that is replaced during the call (HTML without scripts). On a terminal, it is a line of
standard error that is rewritten. If there is neither, nothing is written.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from . import _core
from ._html import escape

__all__ = ["ProgressBar", "options"]

_SHOWN_AFTER = 0.5
_BETWEEN = 0.1


def _duration(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    minutes, seconds_left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}:{seconds_left:02d} min"
    return f"{minutes // 60}:{minutes % 60:02d} h"


class ProgressBar:
    """Show the current stage of a call and its progress.

    It is a callable with the arguments ``(stage, done, total)``. The total is 0 if it is unknown.

    Parameters
    ----------
    file : text file, optional
        The file for the progress line; by default standard error, if it is a terminal.
    delay : float
        The time in seconds before the bar appears. Shorter calls show nothing.

    Examples
    --------
    >>> import io
    >>> out = io.StringIO()
    >>> bar = ProgressBar(out, delay=0)
    >>> bar("reading", 3, 4)
    >>> "reading" in out.getvalue() and "75%" in out.getvalue()
    True
    >>> bar.close()
    """

    def __init__(self, file: TextIO | None = None, delay: float = _SHOWN_AFTER) -> None:
        self._file = file
        self._delay = delay
        self._begun = time.monotonic()
        self._stage = ""
        self._stage_begun = self._begun
        self._last = -1.0
        self._length = 0
        self._handle: Any = None
        self._is_notebook = file is None and _is_notebook()
        if file is None and not self._is_notebook and sys.stderr is not None and sys.stderr.isatty():
            self._file = sys.stderr

    def __call__(self, stage: str, done: float, total: float) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._stage_begun = stage, now
        elif now - self._last < _BETWEEN:
            return
        if now - self._begun < self._delay:
            return
        self._last = now
        share = min(max(done / total, 0.0), 1.0) if total > 0 else None
        left = ""
        spent = now - self._stage_begun
        if share is not None and share > 0.05 and spent > 1:
            left = f"{_duration(spent * (1 - share) / share)} left"
        if self._is_notebook:
            self._show(self._html(stage, done, share, left), self._line(stage, done, share, left))
        elif self._file is not None:
            self._write(self._line(stage, done, share, left))

    @staticmethod
    def _amount(done: float, share: float | None) -> str:
        return f"{done:,.0f}" if share is None else f"{100 * share:.0f}%"

    def _line(self, stage: str, done: float, share: float | None, left: str) -> str:
        bar = ""
        if share is not None:
            filled = int(share * 24)
            bar = f" [{'#' * filled}{'.' * (24 - filled)}]"
        return f"{stage}{bar} {self._amount(done, share)} {left}".rstrip()

    def _html(self, stage: str, done: float, share: float | None, left: str) -> str:
        value = "" if share is None else f' value="{share:.4f}" max="1"'
        return (
            '<div style="font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums">'
            f'{escape(stage)} <progress{value} style="vertical-align:middle;width:240px"></progress> '
            f"{self._amount(done, share)} {escape(left)}</div>"
        )

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write("\r" + line + " " * (self._length - len(line)))
        self._file.flush()
        self._length = len(line)

    def _show(self, content: str, line: str) -> None:
        ipython: Any = importlib.import_module("IPython.display")
        bundle = {"text/html": content, "text/plain": line}
        if self._handle is None:
            self._handle = ipython.display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def close(self) -> None:
        """Remove the bar."""
        if self._handle is not None:
            self._show("", "")
            self._handle = None
        if self._file is not None and self._length > 0:
            self._file.write("\r" + " " * self._length + "\r")
            self._file.flush()
            self._length = 0


def _is_notebook() -> bool:
    """Return whether output goes to a notebook: an IPython shell with a kernel."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return shell is not None and getattr(shell, "kernel", None) is not None


@contextmanager
def options(
    *,
    threads: int | None = None,
    deadline: float | None = None,
    progress: bool | Callable[[str, float, float], object] | None = None,
) -> Iterator[None]:
    """Set options for all calls that the current thread makes in a ``with`` block.

    Parameters
    ----------
    threads : int, optional
        The maximum number of threads per call.
    deadline : float, optional
        Seconds after which calls stop with :class:`credence.errors.DeadlineError`.
    progress : bool or callable, optional
        True shows a bar in the notebook or on the terminal. A callable is called with the current stage, the completed amount,
        and the total amount (0 if unknown), at most every 50 ms.

    Examples
    --------
    >>> with options(threads=1, deadline=60.0):
    ...     pass
    """
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise ValueError(f"threads: expected a whole number from 1, got {threads!r}")
    if deadline is not None and (isinstance(deadline, bool) or not isinstance(deadline, (int, float))):
        raise TypeError(f"deadline: expected seconds, got {deadline!r}")
    if deadline is not None and not deadline > 0:
        raise ValueError(f"deadline: expected seconds above 0, got {deadline!r}")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress: expected True, False or a callable, got {type(progress).__name__}")
    bar = ProgressBar() if progress is True else None
    report = bar if bar is not None else progress if callable(progress) else None
    _core.begin_options(threads=threads or 0, deadline=float(deadline or 0), progress=report)
    try:
        yield
    finally:
        _core.end_options()
        if bar is not None:
            bar.close()
