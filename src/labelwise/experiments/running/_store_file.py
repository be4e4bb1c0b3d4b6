"""The file of a store: told from any other before it is opened, made whole or not at all."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FORMAT = 2
APPLICATION = int.from_bytes(b"lwst")
_MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 5.0
_BUSY_ATTEMPTS = 6
_LONGEST = 2**28  # bytes of one value; a damaged length could ask for any number
# What was found is a value for each name in `measures`, as little-endian 64-bit floats: exact, NaN
# included, and read a million at a time.
_SCHEMA = (
    """CREATE TABLE cells (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL CHECK (status IN ('planned', 'done', 'failed')),
        error TEXT,
        fit_seconds REAL,
        predict_seconds REAL,
        peak_memory INTEGER,
        warnings TEXT,
        versions INTEGER REFERENCES texts (id),
        measures INTEGER REFERENCES texts (id),
        found BLOB,
        checksum INTEGER
    )""",
    # Lists that many cells share, as JSON: versions, and names of measures.
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    """CREATE TABLE plan (
        study TEXT NOT NULL,
        position INTEGER NOT NULL,
        cell INTEGER NOT NULL REFERENCES cells (id),
        dataset TEXT NOT NULL,
        model TEXT NOT NULL,
        split TEXT NOT NULL,
        fold INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (study, position)
    ) WITHOUT ROWID""",
    """CREATE TABLE settings (
        study TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (study, kind, name)
    ) WITHOUT ROWID""",
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, study TEXT NOT NULL)",
)


class StoreError(ValueError):
    """A store that cannot be used as one; the message names the file."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Return a connection to a store, made first if there is none and `create` allows it."""
    check_file(path, create=create)
    with sqlite_errors(path):
        connection = _opened(path, create)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.execute("PRAGMA trusted_schema = OFF")
            if create:
                _make(connection, path)
                # Readers and a second runner go on while one writes; a commit is on the disk.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            _check_version(path, *_numbers(connection))
            _check_schema(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(path: Path, create: bool) -> sqlite3.Connection:
    """Open a database; where nothing can be written, read it as a file that does not change."""
    if create or is_writable(path):
        return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    waiting = path.with_name(f"{path.name}-wal")
    if not waiting.exists() or not waiting.stat().st_size:
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, isolation_level=None)
    # Cells in the log beside the file count, too; sqlite puts both together only by writing.
    with tempfile.TemporaryDirectory() as folder:
        for part in (path, waiting):
            shutil.copyfile(part, Path(folder) / part.name)
        copied = sqlite3.connect(Path(folder) / path.name)
        memory = sqlite3.connect(":memory:", isolation_level=None)
        copied.backup(memory)
        copied.close()
    return memory


def is_writable(path: Path) -> bool:
    """Tell whether sqlite can lock a file and write beside it."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def check_file(path: Path, *, create: bool) -> None:
    """Refuse what is no store, by its first bytes and without opening it as a database."""
    if not path.exists():
        if not create:
            raise StoreError(path, "does not exist.")
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if not path.is_file():
        raise StoreError(path, "must be a file.")
    with path.open("rb") as stream:
        header = stream.read(100)
    if not header and create:
        return
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreError(path, "is no store of a study; it was left as it is.")
    # A runner that was killed while making the file leaves a journal; sqlite puts it right.
    if not path.with_name(f"{path.name}-journal").exists():
        version, application = (int.from_bytes(header[i : i + 4]) for i in (60, 68))
        _check_version(path, application, version)


def _numbers(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the application and the version that a file names."""
    names = ("application_id", "user_version")
    application, version = (connection.execute(f"PRAGMA {n}").fetchone()[0] for n in names)
    return application, version


def _check_version(path: Path, application: int, version: int) -> None:
    if application != APPLICATION:
        raise StoreError(path, "is a database, but no store of a study; it was left as it is.")
    if version > FORMAT:
        raise StoreError(
            path,
            f"was made by a newer labelwise (format {version}, this one knows {FORMAT}); "
            "it was left as it is.",
        )

    if version < FORMAT:
        raise StoreError(
            path,
            f"was made by an older labelwise (format {version}, this one knows {FORMAT}); it was "
            "left as it is, run the study on a new store.",
        )


def _check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse tables of another form, views and triggers, which would run when they are used."""
    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
    if sorted(sql for (sql,) in connection.execute(query)) != sorted(_SCHEMA):
        raise StoreError(path, "is damaged (its tables are not those of a store).")


def _make(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in one transaction, unless somebody has."""
    with transaction(connection, path):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Do all of it or nothing; readers see it when it is done."""
    with sqlite_errors(path):
        _begin(connection, path)
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _begin(connection: sqlite3.Connection, path: Path) -> None:
    """Begin to write; if another program does, say so and wait for it."""
    for n_left in reversed(range(_BUSY_ATTEMPTS)):
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or not n_left:
                raise
            seconds = round(n_left * _BUSY_SECONDS)
            sys.stderr.write(f"{path} is held by {holder(path)}; waiting {seconds} s for it\n")


def holder(path: Path) -> str:
    """Return who locks a store, as far as the system tells."""
    beside = (path, *(path.with_name(f"{path.name}-{part}") for part in ("shm", "wal")))
    inodes = {str(one.stat().st_ino) for one in beside if one.exists()}
    try:
        lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        return "another program"
    # A line: number, kind, kind, kind, process, device:device:inode, start, end.
    found = {line[-4] for line in lines if line[-3].rpartition(":")[2] in inodes}
    others = sorted(found - {str(os.getpid())})
    return f"process {others[0]}" if others else "another program"


def _is_busy(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Say what sqlite found in words that name the file and what is safe."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(path, _problem(error, path)) from error
    except MemoryError as error:
        raise StoreError(path, "is damaged, or larger than the memory.") from error


def _problem(error: sqlite3.Error, path: Path) -> str:
    if not hasattr(error, "sqlite_errorcode") and isinstance(error, sqlite3.OperationalError):
        return "is damaged (a text in it cannot be decoded); nothing was changed."
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; finished cells are safe, make room and run the study again."
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG):
        return f"is damaged ({error}); nothing was changed."
    if _is_busy(error):
        return f"is held by {holder(path)}; finished cells are safe, run the study again."
    return f"cannot be used ({error}); finished cells are safe."
