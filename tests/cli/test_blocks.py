"""Commands on folders and large files print what they print for the same rows in memory."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from labelwise._blocks import block_rows
from labelwise.cli import app
from labelwise.cli.running import exit_code
from labelwise.data import DataError
from tests.blocks.row_files import WRITERS
from tests.cli.shell import notes, refusal, run
from tests.schedulers import scheduler_process

RANDOM = np.random.default_rng(21)
Y = RANDOM.random((300, 4)) < 0.3
SCORES = (Y + RANDOM.normal(size=Y.shape)).round(2)
BY_BLOCKS = "rows that are read in blocks are not cross-validated"


@pytest.fixture
def files(tmp_path):
    """Scores, labels and decisions as folders of parquet files, and as single files."""
    matrices = {"scores": SCORES, "labels": Y.astype(np.int8), "decided": SCORES > 0.6}
    found = {}
    for name, matrix in matrices.items():
        found[name] = WRITERS["folder"](tmp_path, name, matrix)
        columns = [f"label_{j}" for j in range(4)]
        frame = pd.DataFrame(matrix.astype(float), columns=columns)
        frame.to_parquet(tmp_path / f"{name}.parquet", index=False)
    return tmp_path, found


LEFT_OUT = ("on new ", "trusted", "Expect ", "Do not rely", "not tuned on", "by position")


def comparable(text):
    """The lines of a report without those about new samples and about how rows are matched."""
    return [line for line in text.splitlines() if not any(word in line for word in LEFT_OUT)]


@pytest.mark.parametrize("options", [(), ("--maximize", "macro-f"), ("--min-precision", "0.6")])
def test_tuning_a_folder_prints_the_report_of_one_file(files, options):
    folder, parts = files
    found = run("tune", parts["scores"], parts["labels"], *options)
    whole = (folder / "scores.parquet", folder / "labels.parquet", "--shrink", "0")
    wanted = run("tune", *whole, *options)
    assert BY_BLOCKS in found
    assert comparable(found) == comparable(wanted)


@pytest.mark.parametrize("ending", ["parquet", "npy"])
def test_a_file_above_a_quarter_of_the_memory_is_read_in_blocks(files, monkeypatch, ending):
    folder, _ = files
    np.save(folder / "scores.npy", SCORES)
    np.save(folder / "labels.npy", Y)
    paths = (folder / f"scores.{ending}", folder / f"labels.{ending}")
    whole, blocks = folder / "whole.json", folder / "blocks.json"
    monkeypatch.setattr("labelwise._io.memory_bytes", lambda: 5 * SCORES.nbytes)
    assert BY_BLOCKS not in run("tune", *paths, "--shrink", "0", "-o", whole)
    monkeypatch.setattr("labelwise._io.memory_bytes", lambda: SCORES.nbytes)
    assert BY_BLOCKS in run("tune", *paths, "-o", blocks)
    found, expected = json.loads(blocks.read_text()), json.loads(whole.read_text())
    # Rows that are read in blocks are not cross-validated.
    assert (found.pop("corrected_value"), expected.pop("corrected_value") > 0) == ("nan", True)
    assert found == expected


def test_max_bytes_bounds_the_blocks_of_a_folder(files, monkeypatch):
    _, parts = files
    asked = []

    def rows(n_rows):
        asked.append(n_rows)
        return block_rows(n_rows)

    monkeypatch.setattr("labelwise._blocks.block_rows", rows)
    paths = (parts["scores"], parts["labels"])
    assert run("tune", *paths, "--max-bytes", "330") == run("tune", *paths)
    assert asked == [10, None]  # four scores of eight bytes a row


def test_deciding_a_folder_writes_the_decisions_of_one_file(files):
    folder, parts = files
    thresholds = folder / "thresholds.json"
    run("tune", folder / "scores.parquet", folder / "labels.parquet", "-o", thresholds)
    by_blocks, whole = folder / "blocks.parquet", folder / "whole.parquet"
    run("decide", thresholds, parts["scores"], "-o", by_blocks)
    run("decide", thresholds, folder / "scores.parquet", "-o", whole)
    found = pd.read_parquet(by_blocks)
    assert found.pop("id").is_unique  # the ids of the folder
    pd.testing.assert_frame_equal(found, pd.read_parquet(whole))


def test_evaluating_folders_prints_the_table_of_files(files):
    folder, parts = files
    found = run(
        "evaluate", parts["labels"], "--scores", parts["scores"], "--decided", parts["decided"]
    )
    whole = {name: folder / f"{name}.parquet" for name in parts}
    wanted = run(
        "evaluate", whole["labels"], "--scores", whole["scores"], "--decided", whole["decided"]
    )
    assert comparable(found) == comparable(wanted)


def test_measures_of_labels_are_written_from_blocks(files):
    folder, parts = files
    output = folder / "labels.csv"
    run("evaluate", parts["labels"], "--decided", parts["decided"], "-o", output)
    assert list(pd.read_csv(output)["positives"]) == Y.sum(axis=0).tolist()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--shrink", "0.5"), "--shrink needs all rows in memory"),
        (("--plot", "figure.png"), "--plot needs all rows in memory"),
        (("--bootstrap", "20"), "--bootstrap needs all rows in memory"),
        (("--missing-labels", "drop"), "--missing-labels needs all rows in memory"),
        (("--max-bytes", "31"), "a row would take 32 bytes, more than max_bytes=31 bytes"),
    ],
)
def test_what_needs_all_rows_is_refused_in_one_sentence(
    files, monkeypatch, capsys, options, problem
):
    folder, parts = files
    monkeypatch.chdir(folder)
    shown = refusal(monkeypatch, capsys, "tune", parts["scores"], parts["labels"], *options)
    assert problem in shown


def test_a_cluster_prints_the_reports_of_one_process(files):
    _, parts = files
    tune = ("tune", parts["scores"], parts["labels"])
    measure = ("evaluate", parts["labels"], "--scores", parts["scores"])
    here = [run(*command) for command in (tune, measure)]
    with scheduler_process() as (address, _):
        there = [run(*command, "--cluster", address) for command in (tune, measure)]
    assert "ranking-loss" in there[1]
    assert there == here


def test_workers_of_this_machine_are_started_and_stopped(files):
    _, parts = files
    report = run("tune", parts["scores"], parts["labels"], "--cluster", "local")
    assert BY_BLOCKS in report


def test_splitting_a_folder_writes_the_subsets_of_one_file(files):
    folder, parts = files
    by_blocks, whole = folder / "blocks.csv", folder / "whole.csv"
    options = ("--folds", "3", "--labels", "label_*")
    shown = run("split", parts["labels"], *options, "-o", by_blocks)
    wanted = run("split", folder / "labels.parquet", *options, "-o", whole)
    assert by_blocks.read_text() == whole.read_text()
    assert "300 rows, 4 labels" in shown
    assert table_row(shown, "auto (chosen)") == table_row(wanted, "auto (chosen)")
    assert table_row(shown, "random") == table_row(wanted, "random")


def table_row(shown, method):
    """The numbers of a method in the table of a split."""
    return next(line.split() for line in shown.splitlines() if line.startswith(method))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--folds", "301"), "--folds must be from 2 to the number of rows, 300, got 301"),
        (("--groups", "label_0"), "--groups needs all rows in memory"),
        (("--labels", "2"), "--labels must name the columns of an input that is read in blocks"),
        (("--labels", "sea,sky"), "has no column of numbers 'sea'"),
    ],
)
def test_splits_that_cannot_be_made_in_blocks_are_refused(
    files, monkeypatch, capsys, options, problem
):
    shown = refusal(monkeypatch, capsys, "split", files[1]["labels"], *options)
    assert problem in shown


def test_columns_that_are_no_labels_are_refused_with_the_option_that_names_labels(
    files, monkeypatch, capsys
):
    shown = refusal(monkeypatch, capsys, "split", files[1]["scores"], "--folds", "3")
    assert "Y must contain only 0 and 1" in shown
    assert shown.endswith("; --labels names the columns that are labels.\n")


def folder_of(folder, name, columns):
    """Two parquet files of some columns."""
    path = folder / name
    path.mkdir()
    frame = pd.DataFrame(columns)
    frame[:100].to_parquet(path / "a.parquet", index=False)
    frame[100:].to_parquet(path / "b.parquet", index=False)
    return path


def with_ids(matrix, ids, name="doc", order=slice(None)):
    columns = {} if ids is None else {name: np.asarray(ids)[order]}
    return columns | {f"label_{j}": matrix[order, j] for j in range(4)}


ORDER = np.random.default_rng(3).permutation(300)
IDS = {"text": [f"r{i:03d}" for i in range(300)], "numbers": list(range(1000, 1300))}
COMMANDS = {
    "tune": lambda scores, Y: ["tune", scores, Y, "--maximize", "macro-f"],
    "evaluate": lambda scores, Y: ["evaluate", Y, "--scores", scores],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("kind", "options"), [("text", ()), ("numbers", ("--ids", "doc"))])
def test_rows_of_folders_go_by_id_and_never_by_position_in_silence(
    tmp_path, monkeypatch, capsys, command, kind, options
):
    ids, labels = IDS[kind], Y.astype(np.int8)
    scores = folder_of(tmp_path, "scores", with_ids(SCORES, ids))
    same = folder_of(tmp_path, "same", with_ids(labels, ids))
    turned = folder_of(tmp_path, "turned", with_ids(labels, ids, order=ORDER))
    none = folder_of(tmp_path, "none", with_ids(labels, None))
    expected = run(*command(scores, same), *options)
    assert notes(*command(scores, same), *options) == [f"{scores} read in blocks."]
    shown = refusal(monkeypatch, capsys, *command(scores, turned), *options)
    assert f"must have the same ids as {turned}, in the same order to be read in" in shown
    assert "sort both by their ids" in shown
    if kind == "text":
        shown = refusal(monkeypatch, capsys, *command(scores, none))
        assert f"{none}: has no ids and {scores} has ('doc')" in shown
        found = run(*command(scores, none), "--by-position")
        assert found == expected
        assert notes(*command(scores, none), "--by-position")[1] == (
            f"rows of {scores} are matched with those of {none} by position."
        )


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize("differing", ["ids", "labels"])
def test_other_ids_or_labels_are_errors_of_files(tmp_path, command, is_folder, differing):
    def written(name, columns):
        folder = folder_of(tmp_path, name, columns)
        if is_folder:
            return folder
        pd.read_parquet(folder).to_parquet(tmp_path / f"{name}.parquet", index=False)
        return tmp_path / f"{name}.parquet"

    columns = with_ids(Y.astype(np.int8), IDS["text"])
    changed = {"ids": {"doc": IDS["numbers"]}, "labels": {"fog": columns["label_0"]}}
    others = columns | changed[differing]
    words = command(written("s", with_ids(SCORES, IDS["text"])), written("y", others))
    done = CliRunner().invoke(app, list(map(str, words)))
    assert isinstance(done.exception, DataError)
    assert exit_code(done.exception) == 1


def test_ids_may_have_another_name_in_each_folder(tmp_path):
    scores = folder_of(tmp_path, "scores", with_ids(SCORES, IDS["numbers"], "key"))
    labels = folder_of(tmp_path, "labels", with_ids(Y.astype(np.int8), IDS["numbers"], "nr"))
    assert BY_BLOCKS in run("tune", scores, labels, "--ids", "nr,key")


def test_splitting_a_folder_leaves_out_the_column_of_ids(tmp_path):
    labels = folder_of(tmp_path, "labels", with_ids(Y.astype(np.int8), IDS["numbers"], "key"))
    assert "300 rows, 4 labels" in run("split", labels, "--folds", "3", "--ids", "key")
    states = folder_of(
        tmp_path, "states", {name: Y[:, j].astype(int) for j, name in enumerate(("CA", "ID", "NY"))}
    )
    assert "300 rows, 3 labels" in run("split", states, "--folds", "3")


def test_the_report_says_that_rows_in_blocks_are_not_cross_validated_and_not_shrunk(files):
    _, parts = files
    words = ("tune", parts["scores"], parts["labels"])
    assert f"not known, {BY_BLOCKS}, so that --shrink auto is 0" in run(*words)
    assert "--shrink auto" not in run(*words, "--shrink", "0")
    record = json.loads(run(*words, "--json"))
    assert record["unseen_value"] is None
    assert record["unseen_reason"] == f"{BY_BLOCKS}, so that --shrink auto is 0"
    assert record["shrink"] == 0
