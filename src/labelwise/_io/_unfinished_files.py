"""Unfinished files: locked while they are written, and removed if the writer was killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

fcntl: Any = None
# Windows has no such module: there a killed write leaves its unfinished file.
with suppress(ImportError):
    import fcntl

PART = ".labelwise-{}.part"
_ENDING_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def locked_part(part: Path, mode: int) -> Iterator[BinaryIO]:
    """Yield the stream of a new file, which is locked while it is written."""
    try:
        with os.fdopen(_new_locked(part, mode), "wb") as stream:
            yield stream
    finally:
        part.unlink(missing_ok=True)


def remove_stale_parts(folder: Path) -> None:
    """Remove unfinished files of writers that were killed: those that nobody has locked."""
    if fcntl is None:
        return
    for part in folder.glob(PART.format("*")):
        # A file that cannot be opened or locked belongs to another user, or is being written.
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if _lock(descriptor, wait=False):
                    part.unlink(missing_ok=True)
            finally:
                os.close(descriptor)


@contextmanager
def removed_if_killed(part: Path) -> Iterator[None]:
    """Remove the file before a signal ends the process, unless the program handles the signal.

    Only the main thread can do so; `remove_stale_parts` finds what other threads leave.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _frame: FrameType | None) -> None:
        part.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    taken = [number for number in _ENDING_SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _new_locked(part: Path, mode: int) -> int:
    """Return the descriptor of a new file with a lock on it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        descriptor = os.open(part, flags, mode)
        _lock(descriptor, wait=True)
        # Before it was locked, somebody may have taken it for stale.
        if part.exists():
            return descriptor
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Lock a file and return whether that succeeded; some file systems have no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
