"""`labelwise check` and `labelwise monitor` test promises on new samples, with exit codes."""

import json

import numpy as np
import pytest

from labelwise.decisions import Thresholds, best_thresholds, review_bands
from labelwise.deployment import Monitor, check_promises
from labelwise.reports import MonitorDisplay
from tests.cli.shell import run_program

NAMES = ("sea", "sky")


def draw(n_samples, seed, right=0.8):
    random = np.random.default_rng(seed)
    scores = random.random((n_samples, 2)).round(6)
    return scores, (random.random(scores.shape) < np.where(scores > 0.5, right, 0.1)).astype(int)


def write(path, matrix, first="id"):
    lines = [",".join((first, *NAMES))]
    lines += [f"r{i}," + ",".join(map(repr, row)) for i, row in enumerate(matrix.tolist())]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path):
    found = best_thresholds(
        *draw(2000, 0), min_precision=0.7, guarantee=0.95, label_names=NAMES, random_state=0
    )
    found.save(tmp_path / "t.json")
    for name, right in {"good": 0.8, "bad": 0.4}.items():
        scores, Y = draw(600, 1, right)
        write(tmp_path / f"{name}_scores.csv", scores)
        write(tmp_path / f"{name}_labels.csv", Y)
    scores, Y = draw(5, 1)
    write(tmp_path / "few_scores.csv", scores)
    write(tmp_path / "few_labels.csv", Y)
    return tmp_path


def files(name):
    return "t.json", f"{name}_scores.csv", f"{name}_labels.csv"


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [("good", 0, "kept"), ("bad", 1, "broken"), ("few", 3, "not enough samples")],
)
def test_the_exit_code_of_a_check_is_its_verdict(folder, name, code, verdict):
    rule = Thresholds.load(folder / "t.json")
    asked = {"micro-precision": 0.6, "micro-f": 0.5}
    words = [word for one in asked.items() for word in ("--at-least", "{}={}".format(*one))]
    done = run_program(folder, "check", *files(name), *words)
    right = {"good": 0.8, "bad": 0.4, "few": 0.8}[name]
    expected = check_promises(rule, *draw(5 if name == "few" else 600, 1, right), at_least=asked)
    assert done.code == code, done
    assert done.stdout == f"{expected!r}\n"
    assert expected.verdict == verdict
    found = json.loads(run_program(folder, "check", *files(name), *words, "--json").stdout)
    assert found["verdict"] == verdict
    assert len(found["promises"]) == len(expected.promises)


@pytest.mark.parametrize("command", [("check",), ("monitor", "--state", "m.json"), ("doctor",)])
def test_errors_of_a_command_that_finds_something_do_not_look_like_findings(folder, command):
    """1 would be a broken promise, an alarm, or a fault."""
    name, *words = command
    paths = ["good_scores.csv", "none.csv"] if name == "doctor" else ["t.json", *files("none")[1:]]
    done = run_program(folder, name, *paths, *words)
    assert (done.code, done.stdout) == (2, "")
    assert "does not exist" in done.stderr
    assert run_program(folder, name, *paths, *words, "--debug").code == 2


def test_constraints_of_bands_are_promises(folder):
    bands = review_bands(*draw(2000, 0), min_precision=0.6, min_recall=0.6, label_names=NAMES)
    bands.save(folder / "b.json")
    done = run_program(folder, "check", "b.json", *files("good")[1:], "--json")
    found = [
        (one["measure"], one["limit"], one["source"]) for one in json.loads(done.stdout)["promises"]
    ]
    assert found == [("micro-precision", 0.6, "constraint"), ("micro-recall", 0.6, "constraint")]


@pytest.mark.parametrize("command", [("check",), ("monitor", "--state", "m.json")])
def test_promises_about_all_labels_are_not_tested_on_some_of_them(folder, command):
    lines = [
        line.rpartition(",")[0] for line in (folder / "good_labels.csv").read_text().splitlines()
    ]
    (folder / "good_labels.csv").write_text("\n".join(lines) + "\n")
    name, *words = command
    done = run_program(folder, name, *files("good"), *words, "--missing-labels", "drop")
    assert (done.code, done.stdout) == (2, "")
    assert "--missing-labels drop cannot leave out labels of the thresholds here" in done.stderr
    assert not (folder / "m.json").exists()


def test_a_monitor_keeps_its_options_and_counts_rows_only_after_everything_is_written(folder):
    words = ("monitor", *files("good"), "--state", "m.json")
    assert run_program(folder, *words, "--level", "0.9").code == 0
    before = (folder / "m.json").read_text()
    for option in (("--level", "0.8"), ("--at-least", "micro-f=0.5")):
        done = run_program(folder, *words, *option)
        assert done.code == 2
        assert "must be given with the first rows only: m.json has them." in done.stderr
    assert run_program(folder, *words, "--plot", "t.json/f.png").code == 2
    assert (folder / "m.json").read_text() == before
    assert json.loads(run_program(folder, *words, "--json").stdout)["level"] == 0.9


def test_groups_are_a_column_of_the_labels(folder):
    lines = (folder / "good_labels.csv").read_text().splitlines()
    grouped = [f"{line},{'patient' if i == 0 else i // 7}" for i, line in enumerate(lines)]
    (folder / "good_labels.csv").write_text("\n".join(grouped) + "\n")
    done = run_program(folder, "check", *files("good"), "--groups", "patient", "--json")
    scores, Y = draw(600, 1)
    rule = Thresholds.load(folder / "t.json")
    expected = check_promises(rule, scores, Y, groups=(np.arange(600) + 1) // 7)
    ends = [[one["low"], one["high"]] for one in json.loads(done.stdout)["promises"]]
    assert ends == expected.intervals.T.tolist()


def test_a_monitor_remembers_its_days_and_raises_an_alarm(folder):
    words = ("--state", "m.json", "--at-least", "micro-precision=0.6")
    done = run_program(folder, "monitor", *files("good"), *words, "--name", "Monday")
    assert done.code == 0, done
    assert "no alarm" in done.stdout
    more = ("--state", "m.json", "--plot", "m.png", "--report", "m.html", "--json")
    done = run_program(folder, "monitor", *files("bad"), *more, "--name", "Tuesday")
    assert done.code == 1, done
    found = json.loads(done.stdout)
    assert (found["alarm"], found["changed_at"], found["n_updates"]) == (True, "Tuesday", 2)
    assert (folder / "m.png").stat().st_size > 1000
    assert "Tuesday" in (folder / "m.html").read_text()
    monitor = Monitor.load(folder / "m.json", Thresholds.load(folder / "t.json"))
    assert monitor.batches == ["Monday", "Tuesday"]
    again = run_program(folder, "monitor", *files("bad"), "--state", "m.json", "--name", "Monday")
    assert again.code == 2
    assert again.stderr == ("labelwise: --name must be that of a new update, got 'Monday' again.\n")


def test_the_figure_shows_the_promises_with_the_most_evidence(folder):
    rule = Thresholds.load(folder / "t.json")
    monitor = Monitor(rule, at_least={"micro-recall": 0.1, "micro-f": 0.1})
    with pytest.raises(ValueError, match="monitor must have an update to draw"):
        MonitorDisplay.from_monitor(monitor)
    for day in range(3):
        monitor.update(*draw(300, day, 0.4))
    display = MonitorDisplay.from_monitor(monitor, max_promises=1)
    assert display.promises == ["micro-precision at least 0.7"]
    np.testing.assert_array_equal(
        display.lines_[0].get_ydata(), [one[0] for one in monitor.evidence]
    )
    assert display.changed_at == monitor.changed_at
