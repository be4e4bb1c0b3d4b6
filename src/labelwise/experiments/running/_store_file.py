"""The SQLite file of a store: schema, opening, transactions, locks, and error messages."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labelwise._io import DataError

# Since format 3, keys of cells name public modules only.
FORMAT = 3
APPLICATION = int.from_bytes(b"lwst")
_MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 5.0
_BUSY_ATTEMPTS = 6
_UNDECODABLE = "is damaged (a text in it cannot be decoded); nothing was changed."
_MAX_VALUE = 2**28  # bytes; a damaged file could ask for any amount of memory
# Column `found` has a value for each name in `measures`, as little-endian 64-bit floats: these are
# exact, include NaN, and a million of them are read at once.
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
    # Lists that many cells refer to, as JSON: versions, and names of measures.
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


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a store; if the file does not exist, create it or raise, as `create` says."""
    check_file(path, create=create)
    with sqlite_errors(path):
        connection = _opened(path, create)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
            connection.execute("PRAGMA trusted_schema = OFF")
            if create:
                _make(connection, path)
                # Others read while one process writes, and a commit is on the disk when it returns.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            _check_version(path, *_numbers(connection))
            _check_schema(path, connection)
            _check_pages(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _opened(path: Path, create: bool) -> sqlite3.Connection:
    """Open a database; a file that cannot be written is opened as one that never changes."""
    if create or is_writable(path):
        return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    waiting = path.with_name(f"{path.name}-wal")
    if not waiting.exists() or not waiting.stat().st_size:
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, isolation_level=None)
    # The log beside the file has cells as well; sqlite can merge the two only into a copy.
    with tempfile.TemporaryDirectory() as folder:
        for part in (path, waiting):
            shutil.copyfile(part, Path(folder) / part.name)
        copied = sqlite3.connect(Path(folder) / path.name)
        memory = sqlite3.connect(":memory:", isolation_level=None)
        copied.backup(memory)
        copied.close()
    return memory


def is_writable(path: Path) -> bool:
    """Return whether sqlite can lock a file and write files beside it."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def check_file(path: Path, *, create: bool) -> None:
    """Refuse a file that is not a store, by its first bytes, before sqlite opens it."""
    if not path.exists():
        if not create:
            raise DataError(path, "does not exist.")
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if not path.is_file():
        raise DataError(path, "must be a file.")
    with path.open("rb") as stream:
        header = stream.read(100)
    if not header and create:
        return
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise DataError(path, "is not a store of a study; it was not changed.")
    # A process that was killed while it created the file leaves a journal; sqlite repairs that.
    if not path.with_name(f"{path.name}-journal").exists():
        version, application = (int.from_bytes(header[i : i + 4]) for i in (60, 68))
        _check_version(path, application, version)


def _numbers(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the application number and the format version of a database."""
    names = ("application_id", "user_version")
    application, version = (connection.execute(f"PRAGMA {n}").fetchone()[0] for n in names)
    return application, version


def _check_version(path: Path, application: int, version: int) -> None:
    if application != APPLICATION:
        raise DataError(path, "is a database, but not a store of a study; it was not changed.")
    if version > FORMAT:
        raise DataError(
            path,
            f"was written by a newer labelwise (format {version}, this version reads {FORMAT}); "
            "it was not changed.",
        )
    if version < FORMAT:
        raise DataError(
            path,
            f"was written by an older labelwise (format {version}, this version reads {FORMAT}); "
            "it was not changed, run the study on a new store.",
        )


def _check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse other tables, and views and triggers, whose code sqlite would run."""
    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
    if sorted(sql for (sql,) in connection.execute(query)) != sorted(_SCHEMA):
        raise DataError(path, "is damaged (its tables are not those of a store).")


def _check_pages(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse pages that do not fit together: sqlite reads them without the rows that it misses."""
    if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise DataError(path, "is damaged (its pages do not fit together); nothing was changed.")


def _make(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in one transaction, unless they exist."""
    with transaction(connection, path):
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Commit all statements of the block, or roll all of them back if it raises."""
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
    """Begin a transaction; if another process has locked the store, print that and wait."""
    for n_left in reversed(range(_BUSY_ATTEMPTS)):
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or not n_left:
                raise
            seconds = round(n_left * _BUSY_SECONDS)
            sys.stderr.write(
                f"{path} is locked by {lock_owner(path)}; waiting {seconds} s for it\n"
            )


def lock_owner(path: Path) -> str:
    """Return the process that has locked a store, if the system shows it."""
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
    """Turn errors of sqlite into a DataError that names the file and says what is safe."""
    try:
        yield
    except sqlite3.Error as error:
        raise DataError(path, _problem(error, path)) from error
    except UnicodeDecodeError as error:
        # Python fails to decode a message of sqlite that quotes the damaged text.
        raise DataError(path, _UNDECODABLE) from error
    except MemoryError as error:
        raise DataError(path, "is damaged, or too large for the memory.") from error


def _problem(error: sqlite3.Error, path: Path) -> str:
    if not hasattr(error, "sqlite_errorcode") and isinstance(error, sqlite3.OperationalError):
        return _UNDECODABLE
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; finished cells are safe, make room and run the study again."
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG):
        return f"is damaged ({error}); nothing was changed."
    if _is_busy(error):
        return f"is locked by {lock_owner(path)}; finished cells are safe, run the study again."
    return f"cannot be used ({error}); finished cells are safe."
