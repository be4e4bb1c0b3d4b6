"""sechidis2011, section 4.3: how much estimates of ten folds vary, for each splitting method.

Binary relevance (Table 4) and calibrated label ranking (Table 5) on random forests, with the
conventions of `studies.sechidis2011.mulan`; on Emotions also by an earlier reading of the paper,
with ten trees of scikit-learn and our conventions. Every cell is kept in a store: a run that was
stopped goes on, and more repetitions only add cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import studies
from labelwise.data import load
from labelwise.experiments import Study, summarize
from labelwise.learners import BinaryRelevance, CalibratedLabelRanking
from labelwise.splitting import MultilabelStratifiedKFold
from studies.comparison import Cell, Provenance, Spread, Table, published_cells, rounding
from studies.sechidis2011.mulan import NAME, RANKING, RELEVANCE, Conventions
from studies.sechidis2011.random_trees import IdentifiedForest, WekaForest
from studies.sechidis2011.ranks import (
    FOLDER,
    GROUPS,
    MEASURES,
    METHODS,
    PAPER_METHODS,
    SETS,
    Claim,
    Ranked,
    Spreads,
    claims_table,
    has_alone,
    iterative_is_no_worse,
    ranks_table,
)
from studies.stores import results_of

STORE = studies.STORES / "sechidis2011.sqlite"
# Sets that are measured by the earlier reading, too.
EARLIER = ("Emotions",)
# A set of many labels is measured by a third reading, too.
FEWER_TREES = ("Corel5k",)
# The file has an identifier among its features.
WITH_NAMES = "Genbase"
N_PAPER_RUNS = 5
N_FOLDS = 10


class Runs(NamedTuple):
    """Repetitions that were affordable on a set, and the trees of a forest."""

    n_repetitions: int = N_PAPER_RUNS
    n_trees: int = 100


class Estimates(NamedTuple):
    """One of the two tables: what is measured, and what is said of it."""

    ranked: Ranked
    conventions: Conventions
    runs: Mapping[str, Runs]
    earlier: tuple[str, Callable[[], Any]]

    @property
    def number(self) -> str:
        """Number of the table in the paper."""
        return self.ranked.number


def as_columns(X: Any) -> Any:
    """Return features as forests read them, once for all labels."""
    return sparse.csc_array(X, dtype=np.float32) if sparse.issparse(X) else X.astype(np.float32)


def forests() -> Any:
    """Return binary relevance on random forests of ten trees."""
    trees = RandomForestClassifier(10, max_features="log2")
    return make_pipeline(
        FunctionTransformer(as_columns, accept_sparse=True), BinaryRelevance(trees)
    )


def ranking() -> Any:
    """Return calibrated label ranking on random forests of ten trees."""
    return CalibratedLabelRanking(RandomForestClassifier(10, max_features="log2"))


TABLE_4 = Estimates(
    Ranked(
        "4",
        tuple(GROUPS),
        {
            "random is worst over all sets": Claim(PAPER_METHODS, "all", has_alone("random", max)),
            "iterative is best at many labelsets": Claim(
                PAPER_METHODS, "large", has_alone("iterative", min)
            ),
            "iterative is best at few labelsets": Claim(
                PAPER_METHODS, "small", has_alone("iterative", min)
            ),
            "labelset is best at few labelsets": Claim(
                PAPER_METHODS, "small", has_alone("labelset", min)
            ),
            "iterative is no worse than labelset over all sets": Claim(
                PAPER_METHODS, "all", iterative_is_no_worse
            ),
            "balanced is best of four over all sets": Claim(
                METHODS, "all", has_alone("balanced", min)
            ),
        },
    ),
    RELEVANCE,
    {
        "Scene": Runs(),
        "Emotions": Runs(),
        "Genbase": Runs(),
        "Yeast": Runs(),
        "Medical": Runs(),
        "Bibtex": Runs(1),
        "Enron": Runs(),
        "Corel5k": Runs(1),
    },
    ("forests", forests),
)
# The sets with fewer than 50 labels.
TABLE_5 = Estimates(
    Ranked(
        "5",
        ("small",),
        {
            "random is worst": Claim(PAPER_METHODS, "small", has_alone("random", max)),
            "labelset is best": Claim(PAPER_METHODS, "small", has_alone("labelset", min)),
            "balanced is best of four": Claim(METHODS, "small", has_alone("balanced", min)),
        },
    ),
    RANKING,
    {
        "Scene": Runs(),
        "Emotions": Runs(),
        "Genbase": Runs(),
        "Yeast": Runs(),
        "Medical": Runs(),
    },
    ("ranking", ranking),
)


def folds(methods: Sequence[str] = METHODS) -> dict[str, MultilabelStratifiedKFold]:
    """Return ten folds by each method."""
    return {
        method: MultilabelStratifiedKFold(N_FOLDS, shuffle=True, method=method)
        for method in methods
    }


def measured(table: Estimates, runs: Mapping[str, Runs], store: Any = None) -> list[dict[str, Any]]:
    """Return the rows of all cells; those in the store are not run again."""
    rows: list[dict[str, Any]] = []
    for name, (n_repetitions, n_trees) in runs.items():
        is_named = name == WITH_NAMES
        forest = IdentifiedForest(n_trees) if is_named else WekaForest(n_trees)
        study = Study(
            {name: _with_names if is_named else _source(name)},
            {NAME: table.conventions.model(forest)},
            folds(),
            {NAME: table.conventions.measures},
            seeds=range(n_repetitions),
            name=f"Table {table.number}, {name}, {NAME}",
        )
        rows += _plain(results_of(study, store or STORE).rows())
    return rows


def _plain(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with the names of the paper's measures."""
    return [{**row, "measure": row["measure"].removeprefix(f"{NAME}/")} for row in rows]


def measured_with_fewer_trees(
    names: Sequence[str] = FEWER_TREES, store: Any = None
) -> list[dict[str, Any]]:
    """Return the rows of a repetition of binary relevance with 20 trees."""
    study = Study(
        {name: _source(name) for name in names},
        {NAME: RELEVANCE.model(WekaForest(20))},
        folds(),
        {NAME: RELEVANCE.measures},
        name="Table 4, fewer trees",
    )
    return _plain(results_of(study, store or STORE).rows())


def measured_earlier(
    table: Estimates, names: Sequence[str] = EARLIER, store: Any = None
) -> list[dict[str, Any]]:
    """Return the rows of a repetition by the earlier reading."""
    title, model = table.earlier
    study = Study(
        {name: _source(name) for name in names},
        {title: model()},
        folds(),
        MEASURES,
        name=f"Table {table.number}, earlier reading",
        undefined="nan",
    )
    return results_of(study, store or STORE).rows()


def _source(name: str) -> Callable[[], Any]:
    return partial(load, SETS[name], data_home=studies.HOME)


def _with_names() -> Any:
    """Return Genbase with a number for the name of each protein, which `load` leaves out."""
    data = _source(WITH_NAMES)()
    numbered = np.column_stack([data.X, np.arange(data.n_samples)])
    return replace(data, X=numbered, feature_names=(*data.feature_names, "protein"))


def spreads_of(rows: Sequence[Mapping[str, Any]]) -> Spreads:
    """Return mean and deviation of ten folds, each as the mean over repetitions.

    The squared deviation is divided by the number of folds, as in Mulan, not by one less.
    """
    if not rows:
        return {}
    by_run = summarize(rows, by=("dataset", "split", "seed")).spreads
    grouped: dict[tuple[str, str, str], list[Spread]] = {}
    for (dataset, split, _, measure), one in by_run.items():
        found = Spread(*one)
        by_all = float(np.sqrt((found.n - 1) / found.n)) if found.n else float("nan")
        own = found._replace(deviation=by_all * found.deviation)
        grouped.setdefault((dataset, split, measure), []).append(own)
    return {
        where: Spread(
            float(np.mean([one.mean for one in runs])),
            float(np.mean([one.deviation for one in runs])),
            len(runs),
            sum(one.n_undefined for one in runs),
        )
        for where, runs in grouped.items()
    }


def estimate_cells(
    spreads: Spreads, table: Estimates = TABLE_4, suffix: str = "", shown: Sequence[str] = ()
) -> Iterator[Cell]:
    """Give means and deviations beside the published ones; those of some sets are not judged."""
    path = FOLDER / f"table{table.number}.csv"
    printed = published_cells(path, keys=("dataset", "method", "estimate"))
    for (name, method, measure), found in spreads.items():
        deviation = printed.get((name, method, "deviation", measure), "")
        for estimate, value in (("mean", found.mean), ("deviation", found.deviation)):
            text = printed.get((name, method, estimate, measure), "")
            room = 0.0
            if text not in ("", "NaN"):
                error = _mean_error if estimate == "mean" else _deviation_error
                share = (3 if estimate == "mean" else 2) * error(found.n)
                room = share * float(deviation) + rounding(text)
            where = (f"{name}{suffix}", method, estimate, measure)
            yield Cell(where, text, value, room, "shown" if name in shown else "same")


def _mean_error(n_runs: int) -> float:
    """Return the standard error of the difference of two means, as a share of the deviation."""
    return float(np.sqrt((1 / N_PAPER_RUNS + 1 / n_runs) / N_FOLDS))


def within_deviation(cells: Sequence[Cell], table: Estimates) -> tuple[int, int]:
    """Count the judged means within the published deviation of a fold, and all judged means."""
    printed = published_cells(
        FOLDER / f"table{table.number}.csv", keys=("dataset", "method", "estimate")
    )
    judged = [one for one in cells if one.verdict and one.where[2] == "mean"]
    judged = [one for one in judged if one.published != "NaN"]
    rooms = [float(printed[(*one.where[:2], "deviation", one.where[3])]) for one in judged]
    near = [
        abs(one.difference) <= room + rounding(one.published) + 1e-9
        for one, room in zip(judged, rooms, strict=True)
    ]
    return sum(near), len(near)


def _deviation_error(n_runs: int) -> float:
    """Return the relative error of the difference of two deviations, ours and the paper's."""
    return float(np.sqrt((1 / N_PAPER_RUNS + 1 / n_runs) / (2 * (N_FOLDS - 1))))


def table_4(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return means and deviations of ten folds, with their ranks and the paper's claims."""
    return estimates(TABLE_4, quick=quick, repetitions=repetitions)


def table_5(*, quick: bool = False, repetitions: int | None = None) -> Table:
    """Return the same for calibrated label ranking."""
    return estimates(TABLE_5, quick=quick, repetitions=repetitions)


def estimates(table: Estimates, *, quick: bool, repetitions: int | None) -> Table:
    """Return a table; a quick one has a repetition of a set."""
    runs = {QUICK: Runs(1)} if quick else dict(table.runs)
    if repetitions is not None:
        runs = {name: one._replace(n_repetitions=repetitions) for name, one in runs.items()}
    rows = measured(table, runs)
    spreads = spreads_of(rows)
    earlier = [] if quick else measured_earlier(table)
    fewer = [] if quick or table is not TABLE_4 else measured_with_fewer_trees()
    cells = [
        *estimate_cells(spreads, table),
        *estimate_cells(spreads_of(earlier), table, TEN_TREES, EARLIER),
        *estimate_cells(spreads_of(fewer), table, TWENTY_TREES, FEWER_TREES),
    ]
    name, title = f"table{table.number}", f"Table {table.number}"
    keys = ("dataset", "method", "estimate", "measure")
    others = (ranks_table(spreads, table.ranked), claims_table(spreads, table.ranked))
    made = Provenance.of_rows(rows + earlier + fewer)
    words = _words(table, runs, within_deviation(cells, table))
    return Table("sechidis2011", name, title, words, keys, cells, others, made)


def _words(table: Estimates, runs: Mapping[str, Runs], near: tuple[int, int]) -> str:
    model = "Binary relevance" if table is TABLE_4 else "Calibrated label ranking"
    lacking = " Not measured: ImageCLEF2010." if table is TABLE_4 else ""
    by_runs: dict[Runs, list[str]] = {}
    for name, one in runs.items():
        by_runs.setdefault(one, []).append(name)
    counted = "; ".join(
        f"{', '.join(names)}: {n} of {n_trees} trees"
        for (n, n_trees), names in sorted(by_runs.items(), reverse=True)
    )
    return (
        f"Mean and standard deviation of ten folds; the paper has {N_PAPER_RUNS} repetitions. "
        f"{model} on random forests, grown as in Weka. A mean may be off by three standard errors "
        "of the difference of two means, and a deviation by two of its own; squared deviations are "
        "divided by the number of folds, as in Mulan. With the published deviation of a fold as "
        f"the tolerance of means, {near[0]} of {near[1]} would agree. NaN is where a fold has a "
        f"label without positives. `balanced` is ours.{lacking}\n\n"
        f"Repetitions: {counted}. Measured by the conventions of "
        "Mulan, the library of the paper's authors: a label is decided at a "
        "probability of 0.5 or, in label ranking, at as many votes as the virtual label; a model "
        "of two labels with a probability of 0.5 votes for the first; the "
        "score in label ranking is the share of votes; of labels with equal scores the last one "
        "is ranked higher, and of samples with equal scores the first one; Genbase has the names "
        "of its samples; a node tries int(log2(features) + 1) features. The number of trees, the "
        "names of Genbase and the order of equal samples were chosen with the published numbers in "
        "sight. Rows with the note *ten trees* are an earlier reading, one repetition: ten "
        "trees of scikit-learn that try log2(features), and ties that count against the model. "
        "They are not judged."
        + (f"\n\n{BIBTEX_WORDS}\n\n{FEWER_WORDS}" if table is TABLE_4 else "")
    )


TEN_TREES = ", ten trees"
TWENTY_TREES = ", 20 trees"
FEWER_WORDS = (
    "Rows with the note *20 trees* are another reading of Corel5k, one repetition, with 20 trees "
    "instead of 100. It was found on one fold, with the published numbers in sight. They are not "
    "judged."
)
QUICK = "Emotions"
BIBTEX_WORDS = (
    "On Bibtex the published Hamming loss cannot be that of such forests: .0308 of 159 labels are "
    "4.9 errors in a row, and a row has 2.4 labels. Whoever decides nothing makes 2.4 errors, and "
    "a vote of the majority of trees decides little on labels of about 1 % of the rows."
)
