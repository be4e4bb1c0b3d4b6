"""Files are written whole or not at all, and nothing but files is ever replaced."""

import fcntl
import gzip
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from labelwise._io import check_output, ending_of, same_file, written_whole

PATTERN = ".labelwise-*.part"


def write(path, content=b"new", problem=None):
    with written_whole(path) as stream:
        stream.write(content)
        if problem is not None:
            stream.flush()
            raise problem


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def fifo_that_is_read(path):
    """A named pipe, and the list into which a thread reads what comes out of it."""
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    return reader, found


@pytest.mark.parametrize("problem", [ValueError, OSError, KeyboardInterrupt, SystemExit])
def test_whatever_goes_wrong_the_old_file_stays_and_nothing_else(tmp_path, problem):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(problem):
        write(path, problem=problem("in the middle"))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_made_and_do_not_outlive_a_failure(tmp_path):
    with pytest.raises(ValueError, match="middle"):
        write(tmp_path / "new" / "er" / "file", problem=ValueError("middle"))
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "new" / "er" / "file")
    assert (tmp_path / "new" / "er" / "file").read_bytes() == b"new"


def test_a_link_stays_and_the_file_that_it_names_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to("elsewhere/missing")
    write(dangling)
    assert (tmp_path / "elsewhere" / "missing").read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "elsewhere", "link"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    with written_whole(path) as stream:
        (part,) = tmp_path.glob(PATTERN)
        assert mode_of(part) == 0o600
        stream.write(b"new")
    assert mode_of(path) == mode


def test_the_mode_of_a_new_file_is_that_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "file")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "file") == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives away")
def test_a_file_that_root_replaces_keeps_its_owner(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


def test_a_pipe_gets_the_bytes_and_stays_a_pipe(tmp_path):
    reader, found = fifo_that_is_read(tmp_path / "pipe")
    write(tmp_path / "pipe")
    reader.join()
    assert found == [b"new"]
    assert (tmp_path / "pipe").is_fifo()


def test_a_pipe_gets_nothing_of_what_is_not_finished(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    # Without a reader, an open for writing would wait for ever.
    with pytest.raises(ValueError, match="middle"):
        write(tmp_path / "pipe", problem=ValueError("middle"))


def own_device(path, minor):
    """A character device of the tests' own: 3 takes everything, 7 has no space left."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        with path.open("wb"):
            return path
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")


def test_a_device_is_written_to_and_stays_a_device(tmp_path):
    device = own_device(tmp_path / "sink", 3)
    write(device)
    assert device.is_char_device()


def test_a_full_device_is_reported_in_one_sentence(tmp_path):
    device = own_device(tmp_path / "full", 7)
    with pytest.raises(OSError, match=r"full cannot be written \(No space left on device\)\.$"):
        write(device)


def test_folders_and_sockets_are_refused_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder cannot be written: it is a folder"):
        check_output(tmp_path / "folder")
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(OSError, match="socket cannot be written: it is a socket"):
            check_output(Path("socket"))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file is not a folder that can be written to"):
        check_output(tmp_path / "file" / "deep" / "out")
    check_output(tmp_path / "new" / "folder" / "out")


def test_a_read_only_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda what, _: what != path)
    with pytest.raises(OSError, match="it is read-only"), written_whole(path):
        pass
    assert path.read_bytes() == b"old"


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="a cannot be written"):
        check_output(tmp_path / "a")


def test_links_of_either_kind_are_the_same_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    (tmp_path / "soft").symlink_to(path)
    os.link(path, tmp_path / "hard")
    assert same_file(path, tmp_path / "." / "file")
    assert same_file(path, tmp_path / "soft")
    assert same_file(tmp_path / "hard", tmp_path / "soft")
    assert same_file(tmp_path / "missing", tmp_path / "." / "missing")
    assert not same_file(path, tmp_path / "missing")


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path):
    path = tmp_path / ("x" * 255)
    write(path)
    assert path.read_bytes() == b"new"


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    stale, live = (tmp_path / PATTERN.replace("*", word) for word in ("stale", "live"))
    stale.write_bytes(b"x" * 1000)
    with live.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        write(tmp_path / "file")
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "file", live])


def test_writers_of_one_folder_do_not_disturb_each_other(tmp_path):
    problems = []

    def write_often(number):
        try:
            for _ in range(50):
                write(tmp_path / f"file-{number}", b"x" * 100)
        except OSError as error:
            problems.append(error)

    threads = [threading.Thread(target=write_often, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"file-{number}" for number in range(4)]


def test_content_is_on_the_disk_before_the_name_is(tmp_path, monkeypatch):
    events = []
    flush, rename = os.fsync, Path.replace

    def seen_flush(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        size = os.fstat(descriptor).st_size
        events.append("folder" if is_folder else f"{size} bytes")
        flush(descriptor)

    def seen_rename(part, target):
        events.append("rename")
        return rename(part, target)

    monkeypatch.setattr(os, "fsync", seen_flush)
    monkeypatch.setattr(Path, "replace", seen_rename)
    write(tmp_path / "file", b"x" * 10)
    assert events == ["10 bytes", "rename", "folder"]


WRITES_AND_WAITS = """
    import sys, time
    from labelwise._io import written_whole
    with written_whole(sys.argv[1]) as stream:
        stream.write(b"x" * 100_000)
        stream.flush()
        print("begun", flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_a_writer_that_is_ended_leaves_the_old_file(tmp_path, number):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    program = [sys.executable, "-c", textwrap.dedent(WRITES_AND_WAITS), str(path)]
    with started(program, number) as writer:
        assert writer.stdout.readline() == b"begun\n"
        assert len(list(tmp_path.iterdir())) == 2
        writer.send_signal(number)
    assert writer.returncode == -number
    assert path.read_bytes() == b"old"
    if number == signal.SIGKILL:
        write(path)  # nobody can clean up after that but the next writer
    assert list(tmp_path.iterdir()) == [path]


def started(program, number):
    """Start a program that the signal ends, also if the tests run where it is ignored (nohup)."""
    can_be_ignored = number != signal.SIGKILL
    before = signal.signal(number, signal.default_int_handler) if can_be_ignored else None
    try:
        return subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    finally:
        if can_be_ignored:
            signal.signal(number, before)


def test_a_program_that_handles_a_signal_goes_on_handling_it(tmp_path):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with written_whole(tmp_path / "file") as stream:
            signal.raise_signal(signal.SIGTERM)
            stream.write(b"new")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]
    assert (tmp_path / "file").read_bytes() == b"new"


def run_writer(path, **options):
    program = (
        "import sys\nfrom labelwise._io import written_whole\n"
        "print('before')\n"
        "with written_whole(sys.argv[1]) as stream:\n    stream.write(b'new')\n"
        "print('after')\n"
    )
    return subprocess.run([sys.executable, "-c", program, str(path)], check=True, **options)


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/proc/self/fd/1"])
def test_every_name_of_the_standard_output_is_the_standard_output(tmp_path, name):
    if name.startswith("/") and not Path(name).exists():
        pytest.skip(f"{name} is not here")
    done = run_writer(name, capture_output=True, cwd=tmp_path)
    assert done.stdout == b"before\nnewafter\n"
    with (tmp_path / "out").open("wb") as out:
        out.write(b"above\n")
        out.flush()
        run_writer(name, stdout=out, cwd=tmp_path)
    assert (tmp_path / "out").read_bytes() == b"above\nbefore\nnewafter\n"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_name_that_ends_in_gz_gets_packed_content_that_is_the_same_each_time(tmp_path):
    content = b"row,label\n" * 1000
    for name in ("first.csv.gz", "second.csv.GZ"):
        write(tmp_path / name, content)
    packed = (tmp_path / "first.csv.gz").read_bytes()
    assert len(packed) < len(content) / 10
    assert gzip.decompress(packed) == content
    assert (tmp_path / "second.csv.GZ").read_bytes() == packed


def test_a_pipe_that_is_named_gz_gets_packed_content(tmp_path):
    path = tmp_path / "pipe.csv.gz"
    reader, found = fifo_that_is_read(path)
    write(path)
    reader.join()
    assert gzip.decompress(found[0]) == b"new"


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.CSV.gz", ".csv"), ("a.jsonl.gz", ".jsonl"), ("a.b.svm.gz", ".svm"), ("a.png.gz", ".gz")],
)
def test_only_text_is_written_packed(name, ending):
    assert ending_of(name, ".csv") == ending
