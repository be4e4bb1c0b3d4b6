"""Samples are matched by their ids in every kind of file, frame and array, or they are refused.

Each kind stores scores and labels with a column of ids, and computes the same value: macro F of the
thresholds that are best for it.
"""

import gzip
import json

import dask.array
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from labelwise.cli import app
from labelwise.decisions import best_thresholds, macro_frontier, micro_frontier
from labelwise.deployment import check_promises, doctor, find_label_errors
from labelwise.measures import evaluate, measure_scores

N = 60
NAMES = ["sea", "sky", "sand"]
IDS = [f"r{i}" for i in range(N)]


def problem():
    draw = np.random.default_rng(3)
    Y = (draw.random((N, 3)) < [0.2, 0.4, 0.6]).astype(np.int64)
    return Y + draw.normal(size=Y.shape), Y


def columns(ids, matrix, names):
    found = {} if ids is None else {"key": list(ids)}
    return found | {name: matrix[:, j] for j, name in enumerate(names)}


# ------------------------------------------------ files, through the commands


def as_csv(path, table):
    content = pd.DataFrame(table).to_csv(index=False).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def as_parquet(path, table):
    pa.parquet.write_table(pa.table(table), path, row_group_size=25)


def as_folder(path, table):
    path.mkdir()
    whole = pa.table(table)
    pa.parquet.write_table(whole.slice(0, 35), path / "part0.parquet")
    pa.parquet.write_table(whole.slice(35), path / "part1.parquet")


def as_npz(path, table):
    matrix = {name: values for name, values in table.items() if name != "key"}
    known = {"label_names": list(matrix)} | ({"ids": table["key"]} if "key" in table else {})
    np.savez(path, matrix=np.column_stack(list(matrix.values())), **known)


def as_json_lines(path, table):
    rows = pd.DataFrame(table).to_dict("records")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


FILES = {
    "csv": ("x.csv", as_csv),
    "csv.gz": ("x.csv.gz", as_csv),
    "parquet": ("x.parquet", as_parquet),
    "folder": ("folder", as_folder),
    "jsonl": ("x.jsonl", as_json_lines),
    "npz": ("x.npz", as_npz),
}


def command(*words):
    done = CliRunner().invoke(app, [*map(str, words)])
    if done.exit_code:
        raise ValueError(str(done.exception))
    return json.loads(done.stdout)


def tuned_files(scores, labels, ids, by_position):
    known = [*(["--ids", "key"] if ids else []), *(["--by-position"] if by_position else [])]
    tuning = ("--maximize", "macro-f", "--shrink", "0", "--json")
    return command("tune", scores, labels, *tuning, *known)["value"]


def evaluated_files(scores, labels, ids, by_position):
    known = [*(["--ids", "key"] if ids else []), *(["--by-position"] if by_position else [])]
    found = command("evaluate", labels, "--scores", scores, "--json", *known)
    return found["measures"]["macro-auc"]["value"]


COMMANDS = {"tune": tuned_files, "evaluate": evaluated_files}


def of_files(kind, function):
    name, write = FILES[kind]

    def value(folder, scores, labels, by_position=False):
        for part, table in {"scores": scores, "labels": labels}.items():
            (folder / part).mkdir(parents=True)
            write(folder / part / name, table)
        # A column of texts is recognised as ids; a name must be in both files.
        ids = "key" in scores and "key" in labels
        paths = folder / "scores" / name, folder / "labels" / name
        return COMMANDS[function](*paths, ids, by_position)

    return value


# ------------------------------------------------------- frames, through Python


def as_pandas(table):
    frame = pd.DataFrame(table)
    return frame.set_index("key") if "key" in table else frame


RULE = best_thresholds(*problem())
FRAMES = {"pandas": as_pandas, "polars": pl.DataFrame, "arrow": pa.table}
FUNCTIONS = {
    "measure_scores": lambda S, Y, known: measure_scores(Y, S, "macro-auc", **known),
    "find_label_errors": lambda S, Y, known: find_label_errors(S, Y, **known).n_errors.tolist(),
    "doctor": lambda S, Y, known: [one.code for one in doctor(S, Y, **known).found],
    "check_promises": lambda S, Y, known: check_promises(
        RULE, S, Y, at_least={"micro-f": 0.1}, **known
    ).to_dict(),
    "best_thresholds": lambda S, Y, known: best_thresholds(S, Y, maximize="macro-f", **known).value,
    "evaluate": lambda S, Y, known: evaluate(Y, scores=S, **known)["macro-auc"],
    "macro_frontier": lambda S, Y, known: macro_frontier(S, Y, **known).recall.tolist(),
    "micro_frontier": lambda S, Y, known: micro_frontier(S, Y, **known).hits.tolist(),
}


def of_frames(kind, function):
    def value(folder, scores, labels, by_position=False):
        known = {"ids": False} if by_position else {}
        given = {
            name: "key" if "key" in one else False
            for name, one in (("scores", scores), ("Y", labels))
            if by_position or "key" in one
        }
        if kind != "pandas" and given:
            known["ids"] = given
        return FUNCTIONS[function](FRAMES[kind](scores), FRAMES[kind](labels), known)

    return value


def of_dask(function):
    """Dask arrays have no column of ids: the ids of their rows are given beside them."""

    def value(folder, scores, labels, by_position=False):
        arrays, known = [], {}
        given = {"scores": scores, "Y": labels}
        for table in given.values():
            cells = [values for name, values in table.items() if name != "key"]
            arrays.append(dask.array.from_array(np.column_stack(cells), chunks=(25, 3)))
        if "key" in scores or "key" in labels:
            known["ids"] = {name: one.get("key", False) for name, one in given.items()}
            if not by_position:
                known["ids"] = {name: ids for name, ids in known["ids"].items() if ids is not False}
        return FUNCTIONS[function](*arrays, known)

    return value


WAYS = {
    **{f"{function} {kind}": of_files(kind, function) for kind in FILES for function in COMMANDS},
    **{
        f"{function} {kind}": of_frames(kind, function) for kind in FRAMES for function in FUNCTIONS
    },
    **{f"{function} dask": of_dask(function) for function in FUNCTIONS},
}
every_way = pytest.mark.parametrize("value", WAYS.values(), ids=WAYS)


@pytest.fixture
def expected(value, tmp_path):
    """The value of samples in the same order, with their ids."""
    scores, Y = problem()
    return value(tmp_path / "same", columns(IDS, scores, NAMES), columns(IDS, Y, NAMES))


@every_way
def test_samples_in_another_order_give_the_same_value_or_are_refused(value, expected, tmp_path):
    scores, Y = problem()
    order = np.random.default_rng(1).permutation(N)
    shuffled = columns(np.array(IDS)[order].tolist(), scores[order], NAMES)
    try:
        found = value(tmp_path / "shuffled", shuffled, columns(IDS, Y, NAMES))
    except ValueError as error:
        assert "order" in str(error)  # noqa: PT017
        return
    assert found == expected


@every_way
def test_other_ids_are_refused(value, tmp_path):
    scores, Y = problem()
    others = [*IDS[:-1], "r999"]
    with pytest.raises(ValueError, match=r"r999|r59"):
        value(tmp_path / "others", columns(others, scores, NAMES), columns(IDS, Y, NAMES))


@every_way
def test_ids_on_one_side_are_refused_unless_positions_are_asked_for(value, expected, tmp_path):
    scores, Y = problem()
    for name, sides in {"scores": (IDS, None), "labels": (None, IDS)}.items():
        tables = columns(sides[0], scores, NAMES), columns(sides[1], Y, NAMES)
        with pytest.raises(ValueError, match=r"(?i)ids|position|index"):
            value(tmp_path / name, *tables)
        assert value(tmp_path / f"{name} by position", *tables, by_position=True) == expected


@every_way
@pytest.mark.parametrize("ids", [IDS, None], ids=["with ids", "without ids"])
@pytest.mark.parametrize("names", [["ID", "row", "CA"], ["CA", "index", "id"]], ids=" ".join)
def test_labels_called_like_ids_stay_labels(value, expected, tmp_path, ids, names):
    scores, Y = problem()
    found = value(tmp_path / "named", columns(ids, scores, names), columns(ids, Y, names))
    assert found == expected
