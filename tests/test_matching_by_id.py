"""Samples are matched by their ids in every kind of file, frame and array, or they are refused.

Each kind stores scores and labels with a column of ids, and computes the same value: macro F of the
thresholds that are best for it. Groups, weights, slices and texts in a series of pandas are matched
by its index, and so are labelled samples to calibrate with. Estimators refuse other orders.
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
from labelwise.data import Dataset
from labelwise.decisions import (
    CalibratedLabels,
    CalibratedScores,
    TunedThresholds,
    adapt_thresholds,
    best_thresholds,
    certified_frontier,
    complete_labels,
    confidence_interval,
    corrected_value,
    estimate_propensity,
    macro_frontier,
    micro_frontier,
    review_bands,
)
from labelwise.deployment import (
    Monitor,
    check_promises,
    doctor,
    expect,
    find_label_errors,
    plan_audit,
)
from labelwise.features import TermSelector, term_scores
from labelwise.learners import (
    BestLearner,
    BinaryRelevance,
    ChainEnsemble,
    ExactFPlugin,
    IndependentFPlugin,
    LabelForest,
    blend,
    score_held_out,
    term_curve,
)
from labelwise.measures import evaluate, measure_scores, reliability, scorer
from labelwise.reports import Desk
from labelwise.splitting import (
    MultilabelStratifiedKFold,
    assign,
    compare_splits,
    split_quality,
    train_test_split,
)

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
    "Monitor": lambda S, Y, known: (
        Monitor(RULE, at_least={"micro-f": 0.1}).update(S, Y, **known).to_dict()
    ),
    "complete_labels": lambda S, Y, known: float(
        (np.asarray(complete_labels(S, Y, 0.9, **known)) * [1, 2, 3]).sum()
    ),
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


# ------------------------------------------- values of samples, in a series of pandas

SCORES, TRUTH = (pd.DataFrame(one, IDS, NAMES) for one in problem())
FEATURES = pd.DataFrame(np.abs(SCORES.to_numpy()).round(1), IDS, ["a", "b", "c"])
GROUPS = pd.Series([f"g{i % 9}" for i in range(N)], IDS)
WEIGHTS = pd.Series(np.arange(N) % 3 + 1, IDS)
SLICES = pd.Series(np.where(np.arange(N) % 5 < 2, "north", "south"), IDS)
SLICED = best_thresholds(SCORES, TRUTH, slices=SLICES)
PROMISED = {"micro-f": 0.1}


def desk_of(**known):
    made = Desk(SCORES, TRUTH, **known)
    slicing = [one.codes.tolist() for one in made.slicings]
    weights, units = made.problem.weights, made.problem.groups
    return made.texts, made.ids, slicing, np.ravel(weights).tolist(), np.ravel(units).tolist()


def weights_of_blend(**known):
    found = blend([SCORES, SCORES[::-1] + TRUTH], TRUTH, random_state=0, **known)
    return found.coefficients.tolist(), found.value


OF_SAMPLES = {
    "best_thresholds groups": (
        GROUPS,
        lambda one: best_thresholds(SCORES, TRUTH, shrink="auto", random_state=0, groups=one).value,
    ),
    "best_thresholds weights": (
        WEIGHTS,
        lambda one: best_thresholds(SCORES, TRUTH, sample_weight=one).values.tolist(),
    ),
    "best_thresholds slices": (
        SLICES,
        lambda one: best_thresholds(SCORES, TRUTH, slices=one).slices.values.tolist(),
    ),
    "decide slices": (SLICES, lambda one: SLICED.decide(SCORES, slices=one).to_numpy().tolist()),
    "certified_frontier": (
        GROUPS,
        lambda one: certified_frontier(SCORES, TRUTH, groups=one, random_state=0).recall.tolist(),
    ),
    "confidence_interval": (
        WEIGHTS,
        lambda one: (
            confidence_interval(
                RULE, SCORES, TRUTH, sample_weight=one, n_bootstrap=5, random_state=0
            ).value
        ),
    ),
    "corrected_value": (
        WEIGHTS,
        lambda one: corrected_value(RULE, SCORES, TRUTH, sample_weight=one, random_state=0),
    ),
    "micro_frontier": (
        WEIGHTS,
        lambda one: micro_frontier(SCORES, TRUTH, sample_weight=one).hits.tolist(),
    ),
    "review_bands": (
        WEIGHTS,
        lambda one: review_bands(
            SCORES, TRUTH, min_precision=0.7, min_recall=0.9, sample_weight=one
        ).upper.tolist(),
    ),
    "evaluate weights": (
        WEIGHTS,
        lambda one: evaluate(TRUTH, scores=SCORES, sample_weight=one)["macro-auc"],
    ),
    "evaluate slices": (
        SLICES,
        lambda one: evaluate(TRUTH, scores=SCORES, slices=one).slices["north"]["macro-auc"],
    ),
    "evaluate groups": (
        GROUPS,
        lambda one: str(evaluate(TRUTH, scores=SCORES, groups=one, n_bootstrap=5, random_state=0)),
    ),
    "measure_scores": (
        WEIGHTS,
        lambda one: measure_scores(TRUTH, SCORES, "macro-auc", sample_weight=one),
    ),
    "check_promises": (
        GROUPS,
        lambda one: check_promises(RULE, SCORES, TRUTH, at_least=PROMISED, groups=one).to_dict(),
    ),
    "Monitor": (
        GROUPS,
        lambda one: Monitor(RULE, at_least=PROMISED).update(SCORES, TRUTH, groups=one).to_dict(),
    ),
    "doctor": (GROUPS, lambda one: str(doctor(SCORES, TRUTH, groups=one))),
    "expect": (
        GROUPS,
        lambda one: expect(RULE, SCORES, calibrate=(SCORES, TRUTH, one), random_state=0).to_dict(),
    ),
    "expect scores": (
        SCORES,
        lambda one: expect(RULE, SCORES, calibrate=(one, TRUTH), random_state=0).to_dict(),
    ),
    "adapt_thresholds": (
        SCORES,
        lambda one: adapt_thresholds(
            RULE, SCORES, calibrate=(one, TRUTH)
        ).thresholds.values.tolist(),
    ),
    "plan_audit": (
        SCORES,
        lambda one: plan_audit(RULE, SCORES, 9, calibrate=(one, TRUTH), random_state=0).cells,
    ),
    "plan_audit known": (
        TRUTH.astype(float).mask(np.arange(N)[:, None] >= [10, 20, 30]),
        lambda one: (
            plan_audit(RULE, SCORES, 9, known=one, calibrate=(SCORES, TRUTH), random_state=0).cells
        ),
    ),
    "blend groups": (GROUPS, lambda one: weights_of_blend(groups=one)),
    "blend weights": (WEIGHTS, lambda one: weights_of_blend(sample_weight=one)),
    "Desk texts": (GROUPS, lambda one: desk_of(texts=one)),
    "Desk ids": (GROUPS + "-" + pd.Series(IDS, IDS), lambda one: desk_of(ids=one)),
    "Desk slices": (SLICES, lambda one: desk_of(slices=one)),
    "Desk slices in a frame": (SLICES.to_frame("where"), lambda one: desk_of(slices=one)),
    "Desk groups": (GROUPS, lambda one: desk_of(groups=one)),
    "Desk weights": (WEIGHTS, lambda one: desk_of(sample_weight=one)),
    "assign": (GROUPS, lambda one: assign(TRUTH, 2, groups=one, random_state=0).tolist()),
    "compare_splits": (
        GROUPS,
        lambda one: compare_splits(TRUTH, 2, groups=one, random_state=0).subsets.tolist(),
    ),
    "split_quality": (WEIGHTS - 1, lambda one: split_quality(TRUTH, one).to_dict()),
    "CalibratedScores": (
        WEIGHTS,
        lambda one: CalibratedScores().fit(SCORES, TRUTH, one).predict_proba(SCORES).tolist(),
    ),
}
every_function = pytest.mark.parametrize(
    ("values", "function"), OF_SAMPLES.values(), ids=OF_SAMPLES
)


@every_function
def test_values_of_samples_are_matched_by_their_index(values, function):
    wanted = function(values)
    assert function(values.sample(frac=1, random_state=1)) == wanted


@every_function
def test_values_of_other_samples_are_refused(values, function):
    with pytest.raises(ValueError, match=r"r59|other"):
        function(values.rename({"r59": "other"}))
    counted = values.sample(frac=1, random_state=1).reset_index(drop=True)
    with pytest.raises(ValueError, match=r"no ids|must have the same index"):
        function(counted)


def test_ids_of_columns_match_probabilities_and_complete_labels():
    proba = pl.DataFrame(columns(IDS, 1 / (1 + np.exp(-SCORES.to_numpy())), NAMES))
    truth = pl.DataFrame(columns(IDS, TRUTH.to_numpy(), NAMES))
    error = reliability(truth, proba, ids="key").error
    assert reliability(truth, proba[::-1], ids="key").error == pytest.approx(error)
    written = truth.with_columns(sea=pl.col("sea") * (pl.int_range(N) % 2))
    wanted = estimate_propensity(written, truth, ids="key").tolist()
    assert estimate_propensity(written, truth[::-1], ids="key").tolist() == wanted
    assert wanted[0] < wanted[1]


def test_series_without_an_index_and_arrays_have_the_order_of_the_labels():
    wanted = evaluate(TRUTH, scores=SCORES, sample_weight=WEIGHTS)["macro-auc"]
    for weights in (WEIGHTS.to_numpy(), WEIGHTS.tolist(), pl.Series(WEIGHTS.to_numpy())):
        assert evaluate(TRUTH, scores=SCORES, sample_weight=weights)["macro-auc"] == wanted
    # Frames and the series are parts of one table.
    table = pd.concat([TRUTH, WEIGHTS.rename("times")], axis=1).reset_index(names="key")
    known = {"ids": {"Y": "key", "scores": "key"}, "sample_weight": table["times"]}
    scores = SCORES.sample(frac=1, random_state=1).reset_index(names="key")
    assert evaluate(table[["key", *NAMES]], scores=scores, **known)["macro-auc"] == wanted


def test_scores_and_decisions_are_matched_with_each_other_beside_an_array_of_labels():
    decided = (SCORES > 0.5).astype(int)
    Y = TRUTH.to_numpy()
    wanted = str(evaluate(Y, scores=SCORES, decided=decided))
    assert str(evaluate(Y, scores=SCORES, decided=decided[::-1])) == wanted
    with pytest.raises(ValueError, match="r59"):
        evaluate(Y, scores=SCORES, decided=decided.rename({"r59": "other"}))
    assert str(evaluate(Y, scores=SCORES, decided=decided[::-1], ids=False)) == wanted
    with pytest.raises(ValueError, match="model 2 must have the ids of model 1 in the same order"):
        blend([SCORES, SCORES[::-1]], Y)


def test_files_of_scores_and_decisions_are_matched_beside_labels_without_ids(tmp_path):
    decided = (SCORES > 0.5).astype(int)
    np.save(tmp_path / "labels.npy", np.ascontiguousarray(TRUTH))
    for name, frame in {"scores": SCORES, "same": decided, "other": decided[::-1]}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index_label="key")
        as_parquet(tmp_path / f"{name}.parquet", frame.reset_index(names="key"))

    def measured(decisions):
        files = ("--scores", tmp_path / "scores.csv", "--decided", tmp_path / decisions)
        words = ("evaluate", tmp_path / "labels.npy", *files, "--by-position", "--json")
        return command(*words)["measures"]["micro-f"]

    assert measured("other.csv") == measured("same.csv")
    files = {"scores": tmp_path / "scores.parquet", "decided": tmp_path / "other.parquet"}
    with pytest.raises(ValueError, match=r"other.parquet: must have the same ids as .*scores"):
        evaluate(tmp_path / "labels.npy", **files, ids=["key", False])


# ----------------------------------------------------- estimators, which have one order


def chain():
    return ChainEnsemble(n_chains=2, penalty=1.0, random_state=0)


def tuned():
    return TunedThresholds(BinaryRelevance(penalty=1.0), random_state=0)


FITS = {
    "BinaryRelevance": lambda X, Y, **more: BinaryRelevance(penalty=1.0).fit(X, Y, **more),
    "TunedThresholds": lambda X, Y, **more: tuned().fit(X, Y, **more),
    "BestLearner": lambda X, Y, **more: BestLearner(
        {"br": BinaryRelevance(penalty=1.0)}, random_state=0
    ).fit(X, Y, **more),
    "CalibratedLabels": lambda X, Y, **more: CalibratedLabels(BinaryRelevance(penalty=1.0)).fit(
        X, Y, **more
    ),
    "ExactFPlugin": lambda X, Y, **more: ExactFPlugin(penalty=1.0).fit(X, Y, **more),
    "IndependentFPlugin": lambda X, Y, **more: IndependentFPlugin().fit(X, Y, **more),
    "LabelForest": lambda X, Y, **more: LabelForest(random_state=0).fit(X, Y, **more),
    "ChainEnsemble": lambda X, Y: chain().fit(X, Y),
    "score_held_out": lambda X, Y, **more: score_held_out(
        BinaryRelevance(penalty=1.0).fit(X, TRUTH.to_numpy()), X, Y, **more
    ),
    "scorer": lambda X, Y, **more: scorer("micro-f")(
        BinaryRelevance(penalty=1.0).fit(FEATURES, TRUTH), X, Y, **more
    ),
    "term_scores": lambda X, Y: term_scores(X, Y, "df"),
    "TermSelector": lambda X, Y: TermSelector(2).fit(X, Y),
    "term_curve": lambda X, Y: term_curve(X, Y, TermSelector(), cv=2),
    "Dataset": Dataset,
    "folds": lambda X, Y: [*MultilabelStratifiedKFold(2).split(X, Y)],
    "train_test_split": train_test_split,
}
WEIGHTED = [name for name in FITS if name not in ("ChainEnsemble", *[*FITS][10:])]


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_samples_and_labels_with_the_same_rows_in_another_order_are_refused(fit):
    fit(FEATURES, TRUTH)
    fit(FEATURES, TRUTH.to_numpy())
    for Y in (TRUTH[::-1], TRUTH.rename({"r59": "other"})):
        with pytest.raises(ValueError, match=r"must have the index of .* in the same order"):
            fit(FEATURES, Y)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_with_the_rows_of_the_samples_in_another_order_are_refused(name):
    FITS[name](FEATURES, TRUTH, sample_weight=WEIGHTS)
    with pytest.raises(ValueError, match=r"sample_weight must have the index of .*\.index\]"):
        FITS[name](FEATURES, TRUTH, sample_weight=WEIGHTS[::-1])


def test_rows_that_were_counted_again_go_by_position_as_in_scikit_learn():
    part = TRUTH.iloc[5:50]
    BinaryRelevance(penalty=1.0).fit(FEATURES.iloc[5:50].reset_index(drop=True), part)
    counted = FEATURES.reset_index(drop=True)
    with pytest.raises(ValueError, match="got 59 and 0 as row 0"):
        BinaryRelevance(penalty=1.0).fit(counted, TRUTH.reset_index(drop=True)[::-1])
