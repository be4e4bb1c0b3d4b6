"""Write files atomically: the new content replaces the old one when all has been written.

The bytes go to an unfinished file beside the target, which is locked while it is written. A write
that is killed leaves such a file; the next write to the folder removes those that nobody has
locked.
"""

from __future__ import annotations

import gzip
import os
import secrets
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from labelwise._io._reading import plain_ending

fcntl: Any = None
# Windows has no such module: there a killed write leaves its unfinished file.
with suppress(ImportError):
    import fcntl

STDOUT = "-"
# Files of text that are also written packed, such as ``scores.csv.gz``.
_PACKED = (".csv", ".json", ".jsonl", ".svm")
PART = ".labelwise-{}.part"
_ENDING_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_REFUSED = {stat.S_ISDIR: "folder", stat.S_ISSOCK: "socket", stat.S_ISBLK: "block device"}
# Output to a pipe or a device is collected first: in memory up to this size, then in a file.
_IN_MEMORY = 2**26


@contextmanager
def written_whole(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a binary stream whose bytes become the content of `path` if no error occurs.

    The bytes go to an unfinished file in the same folder, which is flushed to the disk and then
    renamed: readers see the old content or the new one, and an exception, Ctrl-C or a signal that
    ends the process leaves the old one and nothing else. Missing folders are made.

    - A symbolic link stays, and the file that it names is replaced.
    - The new file has the mode and, if allowed, the owner of the old one; a file that did not
      exist has the mode that the umask gives.
    - A pipe or a character device is not replaced: it gets the bytes when all are written.
    - ``-``, and any other name of the standard output, is the standard output.
    - The content of a file whose name ends in ``.gz`` is packed by gzip.
    - Folders, sockets and block devices are refused.

    Raises
    ------
    OSError
        If the file cannot be written, with the path and the reason of the system.
    """
    check_output(path)
    try:
        if is_stream(path):
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as content:
                with _packed(content, path) as stream:
                    yield stream
                content.seek(0)
                _send(content, path)  # type: ignore[arg-type]
        else:
            target = Path(os.path.realpath(path))
            with _made(target.parent), _replaced(target) as part, _packed(part, path) as stream:
                yield stream
    except BrokenPipeError:
        # A reader that closed the pipe is not an error: the command line ends without a message.
        raise
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror or error}).") from error


def check_output(path: str | Path) -> None:
    """Refuse a path that `written_whole` could not write, before any work is done."""
    if goes_to_stdout(path):
        if not hasattr(sys.stdout, "buffer"):
            raise OSError(f"{path} cannot be written: the standard output takes no bytes.")
        return
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        _check_folder(path)
        return
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror}).") from error
    for is_kind, kind in _REFUSED.items():
        if is_kind(mode):
            raise OSError(f"{path} cannot be written: it is a {kind}.")
    if not os.access(path, os.W_OK):
        raise OSError(f"{path} cannot be written: it is read-only.")
    if stat.S_ISREG(mode):
        _check_folder(path)


def goes_to_stdout(path: str | Path) -> bool:
    """Return whether a path is ``-`` or another name of what the standard output is."""
    if os.fspath(path) == STDOUT:
        return True
    if sys.stdout is None:
        return False
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1))
    except OSError:
        return False


def is_stream(path: str | Path) -> bool:
    """Return whether a path is the standard output, a pipe or a character device."""
    return goes_to_stdout(path) or Path(path).is_fifo() or Path(path).is_char_device()


def ending_of(path: str | Path, default: str) -> str:
    """Return the ending of a path in lower case, the default for a stream without one.

    Of a packed file of text it is the ending before ``.gz``.
    """
    ending = Path(path).suffix.lower()
    if ending == ".gz" and plain_ending(path) in _PACKED:
        ending = plain_ending(path)
    return default if not ending and is_stream(path) else ending


def same_file(path: str | Path, other: str | Path) -> bool:
    """Return whether two paths name one file, also by links of either kind; it need not exist."""
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def _check_folder(path: str | Path) -> None:
    """Refuse a file if its folder, or the nearest one that exists, is not writable."""
    parents = Path(os.path.realpath(path)).parents
    folder = next(parent for parent in parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"{path} cannot be written: {folder} is not a folder that can be written to.")


def _send(content: BinaryIO, path: str | Path) -> None:
    """Copy finished content to the standard output, a pipe or a character device."""
    if goes_to_stdout(path):
        sys.stdout.flush()
        shutil.copyfileobj(content, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    # Neither create nor truncate: the path may have become another file since it was checked.
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    with os.fdopen(descriptor, "wb") as stream:
        shutil.copyfileobj(content, stream)


def _packed(stream: Any, path: str | Path) -> AbstractContextManager[Any]:
    """Return a context whose stream packs what is written, if the path ends in ``.gz``."""
    if Path(path).suffix.lower() != ".gz":
        return nullcontext(stream)
    # Without a name and a time, equal content gives equal files.
    return gzip.GzipFile("", "wb", fileobj=stream, mtime=0)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make the missing folders of a file, and remove them again if it is not written."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for one in missing:
            # Somebody else may have put something there meanwhile.
            with suppress(OSError):
                one.rmdir()
        raise


@contextmanager
def _replaced(target: Path) -> Iterator[BinaryIO]:
    """Yield the stream of an unfinished file that replaces `target` at the end."""
    remove_stale_parts(target.parent)
    old = target.stat() if target.exists() else None
    part = target.with_name(PART.format(secrets.token_hex(8)))
    with removed_if_killed(part):
        # Nobody may read in the meantime what is private at the end.
        with locked_part(part, 0o666 if old is None else 0o600) as stream:
            yield stream
            stream.flush()
            if old is not None:
                _keep_mode_and_owner(stream.fileno(), old)
            os.fsync(stream.fileno())
            part.replace(target)
        _flush_folder(target.parent)


def _keep_mode_and_owner(descriptor: int, old: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    # Only root may give files away; the group may be one of the user's own.
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _flush_folder(folder: Path) -> None:
    """Make a rename last through a loss of power, where folders can be flushed."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
