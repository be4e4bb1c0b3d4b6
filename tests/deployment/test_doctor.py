"""The doctor finds each planted fault by its code, and nothing in clean data."""

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from labelwise.decisions import Thresholds, best_thresholds
from labelwise.deployment import doctor
from labelwise.deployment._doctor import CHECKS
from tests.cli.shell import run, run_program

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"


def draw(seed, n_samples=600, n_labels=3):
    """Calibrated probabilities and labels without a fault."""
    random = np.random.default_rng(seed)
    x = random.normal(-1.0, 1.5, size=(n_samples, n_labels))
    return expit(x), (random.random(x.shape) < expit(x)).astype(np.int64)


def codes(*arguments, **options):
    return [one.code for one in doctor(*arguments, **options).found]


@pytest.mark.parametrize("seed", range(6))
def test_clean_data_have_no_findings(seed):
    scores, Y = draw(seed)
    rule = best_thresholds(scores, Y)
    groups = np.arange(len(Y))
    found = doctor(scores, Y, thresholds=rule, groups=groups, label_names=["a", "b", "c"])
    assert found.found == ()
    assert repr(found) == "10 checks, 0 findings"


def test_each_fault_has_its_code(tmp_path):
    scores, Y = draw(1)
    assert codes(0.5 * scores + 0.5 * Y, Y)[:1] == ["D01"]
    copied = np.arange(600) % 400
    assert codes(scores[copied], Y[copied]) == ["D02"]
    empty, few = Y.copy(), Y.copy()
    empty[:, 1] = 0
    few[np.flatnonzero(Y[:, 1])[7:], 1] = 0
    assert "D03" in codes(scores, empty)
    assert "D04" in codes(scores, few)
    assert codes(scores**4, Y) == ["D05"]
    assert codes(10 * scores, Y) == ["D05"]
    half = replace(best_thresholds(scores, Y), values=np.full(3, 0.5))
    assert codes(scores, Y, thresholds=half) == ["D06"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tight = best_thresholds(scores, Y, min_precision=0.6, random_state=0)
    found = doctor(scores, Y, thresholds=tight)
    assert [one.code for one in found.found] == ["D07"]
    assert "min_precision 0.6 cannot be guaranteed by these 600 samples" in found.found[0].text
    groups = np.arange(600) // 5
    assert codes(scores, Y, groups=groups, thresholds=best_thresholds(scores, Y)) == ["D08"]
    known = best_thresholds(scores, Y, groups=groups)
    known.save(tmp_path / "t.json")
    for one in (known, Thresholds.load(tmp_path / "t.json")):
        assert codes(scores, Y, groups=groups, thresholds=one) == []
    assert codes(scores.round(1), Y) == ["D09"]
    assert codes(scores, Y, label_names=["sea", "Sea ", "sky"]) == ["D10"]


def test_the_page_says_of_each_code_when_it_is_found_and_what_to_do():
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    titles = [section.partition("\n")[0] for section in sections]
    assert titles == [f"{code}: {name}" for code, (name, _) in CHECKS.items()]
    assert all("\n\n**What to do.** " in section for section in sections)


def test_checks_that_need_more_inputs_are_left_out():
    assert doctor(*draw(2)).n_checks == 7
    with pytest.raises(ValueError, match="scores must have the 2 labels of the thresholds, got 3"):
        doctor(*draw(2), thresholds=best_thresholds(*draw(2, n_labels=2)))


def test_a_command_lists_findings_and_ends_with_a_code(tmp_path):
    scores, Y = draw(3)
    names = ("sea", "sky", "sand")
    best_thresholds(scores, Y, label_names=names).save(tmp_path / "t.json")
    for name, matrix in {"scores": scores, "coarse": scores.round(1), "labels": Y}.items():
        lines = [f"r{i}," + ",".join(map(repr, row)) for i, row in enumerate(matrix.tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(("id", *names)), *lines]) + "\n")
    assert run("doctor", tmp_path / "scores.csv", tmp_path / "labels.csv").startswith("7 checks")
    done = run_program(tmp_path, "doctor", "coarse.csv", "labels.csv", "--json")
    assert done.code == 1
    found = json.loads(done.stdout)
    assert [one["code"] for one in found["findings"]] == ["D09"]
    done = run_program(tmp_path, "doctor", "scores.csv", "labels.csv", "--thresholds", "t.json")
    assert (done.code, done.stdout) == (0, "9 checks, 0 findings\n")
    lines = (tmp_path / "labels.csv").read_text().splitlines()
    grouped = [f"{line},{'patient' if i == 0 else i // 7}" for i, line in enumerate(lines)]
    (tmp_path / "labels.csv").write_text("\n".join(grouped) + "\n")
    words = ("--thresholds", "t.json", "--groups", "patient")
    done = run_program(tmp_path, "doctor", "scores.csv", "labels.csv", *words)
    assert done.code == 1
    assert "D08" in done.stdout
