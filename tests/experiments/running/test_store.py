"""Stores (`_store`, `_store_file`) that are foreign, damaged, locked, or on read-only media."""

import re
import shutil
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from labelwise.data import DataError
from labelwise.experiments import read_results
from labelwise.experiments.running import _store_file as store_file
from tests.experiments.small_studies import essence, study


def damaged(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xa5" * (len(content) - len(content) // 2)
    path.write_bytes(content)


def newer(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def older(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()


def executed(*statements):
    """Change a store by SQL, as damage to its pages would."""

    def change(path):
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return change


def foreign(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cells (id INTEGER)")
    connection.close()


def text(path):
    path.write_text("a,b\n1,2\n" * 100)


def cut(path):
    path.write_bytes(path.read_bytes()[:50])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damaged, "is damaged"),
        (newer, "was written by a newer labelwise"),
        (older, "was written by an older labelwise"),
        (foreign, "is a database, but not a store"),
        (text, "is not a store of a study"),
        (cut, "is not a store of a study"),
    ],
)
def test_a_file_that_is_no_sound_store_is_refused_and_left_alone(tmp_path, change, message):
    store = tmp_path / "s.sqlite"
    study(seeds=range(5)).run(store)
    change(store)
    before = store.read_bytes()
    for attempt in (lambda: study().run(store), lambda: read_results(store)):
        with pytest.raises(DataError, match=message):
            attempt()
        assert store.read_bytes() == before


def test_a_missing_store_is_not_made_by_reading(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_results(tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()


LATER = "UPDATE cells SET {} WHERE id = (SELECT max(id) FROM cells)"


@pytest.mark.parametrize(
    "change",
    [
        LATER.format("found = CAST(substr(found, 9) || substr(found, 1, 8) AS BLOB)"),
        LATER.format("found = zeroblob(length(found))"),
        LATER.format("found = substr(found, 1, 8)"),
        LATER.format("found = NULL"),
        LATER.format("found = 'text'"),
        LATER.format("fit_seconds = 1e9"),
        LATER.format("status = 'failed'"),
        LATER.format("status = 'done', measures = 99"),
        LATER.format("measures = versions, versions = measures"),
        LATER.format("checksum = NULL"),
        "UPDATE texts SET text = replace(text, 'micro-f', 'macro-f')",
        "UPDATE plan SET model = 'plain' WHERE model = 'shifted'",
        "UPDATE plan SET cell = cell + 1 WHERE position = 1",
        "UPDATE plan SET fold = 2 - fold",
        "DELETE FROM cells WHERE id = (SELECT max(id) FROM cells)",
    ],
)
def test_a_cell_that_is_not_what_was_written_is_named_and_not_read(tmp_path, change):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    executed(change)(store)
    with pytest.raises(DataError, match=r"s.sqlite: is damaged \(the cell study / ") as found:
        read_results(store)
    assert "\n" not in str(found.value)


def test_a_text_that_is_none_is_damage(tmp_path):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    executed("UPDATE plan SET dataset = CAST(x'ff1b5b' AS TEXT) WHERE position = 0")(store)
    with pytest.raises(DataError, match=r"is damaged .a text in it cannot be decoded") as found:
        read_results(store)
    assert str(found.value).isprintable()


def test_a_store_with_changed_bytes_is_read_as_written_or_refused(tmp_path):
    store, changed = tmp_path / "s.sqlite", tmp_path / "changed.sqlite"
    study(seeds=(0,)).run(store)
    whole, content = essence(read_results(store)), store.read_bytes()
    random = np.random.default_rng(0)
    for n_changes in random.integers(1, 33, size=300):
        bytes_ = np.frombuffer(content, dtype=np.uint8).copy()
        # Half of the changes are in the first page, which describes the tables.
        end = random.choice([4096, bytes_.size])
        bytes_[random.integers(100, end, n_changes)] = random.integers(0, 256, n_changes)
        changed.write_bytes(bytes_.tobytes())
        with suppress(DataError):
            assert essence(read_results(changed)) == whole


def test_rows_that_sqlite_no_longer_finds_are_damage(tmp_path):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    with sqlite3.connect(store) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'plan'"
        page = connection.execute(query).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    content = bytearray(store.read_bytes())
    # The header of a page has the number of its rows in bytes 3 and 4.
    content[(page - 1) * size + 4] -= 1
    store.write_bytes(content)
    with pytest.raises(DataError, match=r"is damaged \(its pages do not fit together\)"):
        read_results(store)


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE texts",),
        ("DROP TABLE plan", "CREATE VIEW plan AS SELECT 1 AS study FROM cells"),
        ("CREATE TRIGGER t AFTER UPDATE ON cells BEGIN DELETE FROM plan; END",),
    ],
)
def test_other_tables_views_and_triggers_are_refused(tmp_path, statements):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    executed(*statements)(store)
    for attempt in (lambda: study().run(store), lambda: read_results(store)):
        with pytest.raises(DataError, match="its tables are not those of a store"):
            attempt()


@pytest.mark.parametrize("is_running", [False, True])
def test_a_store_on_read_only_media_is_read_with_its_log(tmp_path, monkeypatch, is_running):
    store = tmp_path / "s.sqlite"
    expected = study().run(store)
    media = tmp_path / "media"
    media.mkdir()
    held = sqlite3.connect(store)
    if is_running:  # what a runner has written last stands in the log beside
        study(name="second", seeds=(7,)).run(store)
        held.execute("SELECT count(*) FROM cells").fetchall()
        study(name="third", seeds=(8,)).run(store)
        expected = read_results(store)
    for part in tmp_path.glob("s.sqlite*"):
        if not part.name.endswith("-shm"):
            shutil.copy(part, media)
    held.close()
    before = {path.name: path.read_bytes() for path in media.iterdir()}
    monkeypatch.setattr(store_file, "is_writable", lambda _: False)
    assert essence(read_results(media / "s.sqlite")) == essence(expected)
    assert {path.name: path.read_bytes() for path in media.iterdir()} == before


def test_a_locked_store_is_reported_at_once_and_waited_for(tmp_path, monkeypatch, capsys):
    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    monkeypatch.setattr(store_file, "_BUSY_SECONDS", 0.05)
    held = sqlite3.connect(store, isolation_level=None, check_same_thread=False)
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(DataError, match=r"is locked by .*; finished cells are safe"):
        study(seeds=(1,)).run(store)
    said = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r".*s.sqlite is locked by .*; waiting \d+ s for it", said[0])
    monkeypatch.setattr(store_file, "_BUSY_SECONDS", 1.0)
    later = threading.Timer(0.2, held.rollback)
    later.start()
    assert not study(seeds=(1,)).run(store).failed
    later.join()
    held.close()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="locks are found in /proc")
def test_the_process_that_locks_a_store_is_named(tmp_path):
    import subprocess
    import sys

    store = tmp_path / "s.sqlite"
    study(seeds=(0,)).run(store)
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, store],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        other.stdout.readline()
        assert store_file.lock_owner(store) == f"process {other.pid}"
        other.stdin.close()
