"""The file of a store: told from any other before it is opened, made whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FORMAT = 1
APPLICATION = int.from_bytes(b"lwst")
_MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 120.0
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
        found BLOB
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
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            if create:
                _make(connection, path)
                # Readers and a second runner go on while one writes; a commit is on the disk.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            _check_version(path, *_numbers(connection))
        except BaseException:
            connection.close()
            raise
    return connection


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
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Say what sqlite found in words that name the file and what is safe."""
    try:
        yield
    except sqlite3.Error as error:
        problem = _problem(error)
        raise StoreError(path, problem) from error


def _problem(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; finished cells are safe, make room and run the study again."
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"is damaged ({error}); nothing was changed."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "is held by another program; finished cells are safe, run the study again."
    return f"cannot be used ({error}); finished cells are safe."
