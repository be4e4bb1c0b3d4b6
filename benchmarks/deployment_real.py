"""Expectations, monitors and lists of label errors on benchmark sets, beside other packages.

Expected values are compared with those of random halves of ten sets, beside CBPE of NannyML. Link
descriptions of makupalat drift with the years: a linear model of texts before 2016 is tuned on
others of these years, and expected and watched from then on, beside RiskMonitoring of MAPIE. Errors
planted in labels are searched for, beside cleanlab. A package that is not installed is left out
and named. The tables go into the docs.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from benchmarks import real_scores
from benchmarks.deployment import chest_halves
from benchmarks.guarantees_real import scored_rows
from benchmarks.scored_sets import HOME, fitted_scores
from benchmarks.texts import Texts, read_csv
from labelwise._io import written_whole
from labelwise.data import load
from labelwise.decisions import Thresholds, best_thresholds
from labelwise.deployment import Monitor, expect, find_label_errors
from labelwise.learners import BinaryRelevance
from labelwise.measures import count, f_measure, macro, micro, precision

TABLE = Path(__file__).with_name("deployment.md")
SETS = (
    *("ptbxl", "yeast", "scene", "enron", "slashdot", "ohsumed", "bibtex", "tmc2007-500"),
    "reuters21578",
)
# Labels with fewer positives in a half have no F to compare with.
LEAST_POSITIVES = 10
# Random halves of each set in the table of expectations; BENCH_DRAWS sets another number.
N_HALVES = 20
# Classes of makupalat with so many texts before 2016; the promise, and the texts of an update.
LEAST_TEXTS, PROMISED, BATCH = 100, 0.5, 50


class Part(NamedTuple):
    """Scores and labels of some rows."""

    scores: np.ndarray
    Y: np.ndarray


def halves(name: str, number: int) -> tuple[Part, Part]:
    """Return the rows to tune on, and the others; a patient is in one of both."""
    is_real = name in ("nih-chestxray", "ptbxl")
    rows = real_scores.scored_rows(name) if is_real else scored_rows(name)
    first, second = (
        Part(one.scores, np.asarray(one.Y).astype(np.int64)) for one in rows.split(number)
    )
    return first, second


# ------------------------------------------------ makupalat, by year


def years() -> dict[str, Part]:
    """Return scores of frequent classes: rows to tune on, of the same years, and later ones.

    Classes are those of the first two levels; a text of a class below belongs to its ancestor.
    """
    with (HOME / "makupalat" / "hierarchy.csv").open(encoding="utf-8") as stream:
        parents = {row["label"]: row["parent"] for row in csv.DictReader(stream)}

    def upper_class(label: str) -> str:
        parent = parents[label]
        return upper_class(parent) if parent and parents[parent] else label

    texts = []
    for part in ("train", "validate", "test"):
        found = read_csv(HOME / "makupalat" / f"{part}.csv.gz")
        texts.append(Texts(found.texts, [[*map(upper_class, some)] for some in found.labels]))
    times = Counter(name for some in texts[0].labels for name in set(some))
    names = sorted(name for name, n_texts in times.items() if n_texts >= LEAST_TEXTS)
    before, of_2016, later = ((np.array(one.texts, object), one.matrix(names)) for one in texts)
    order = np.random.default_rng(0).permutation(len(before[0]))
    fitted, *others = np.split(order, [len(order) // 2, 3 * len(order) // 4])
    terms = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(before[0][fitted])
    model = BinaryRelevance(LogisticRegression(solver="liblinear", C=10))
    model.fit(terms.transform(before[0][fitted]), before[1][fitted])
    tuning, same = ((before[0][rows], before[1][rows]) for rows in others)
    parts = {"tuning": tuning, "before 2016": same, "2016": of_2016, "after 2016": later}
    return {
        name: Part(model.predict_proba(terms.transform(some)), Y)
        for name, (some, Y) in parts.items()
    }


# ------------------------------------------------ expectations


def cbpe(tuned: Thresholds, known: Part, new: Part, labels: np.ndarray) -> np.ndarray | None:
    """Return F of some labels as estimated by NannyML; None if it is missing."""
    if find_spec("nannyml") is None:
        return None
    # It would send statistics of its use.
    os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"
    import nannyml
    import pandas as pd

    def frame(part: Part, j: int) -> pd.DataFrame:
        decided = tuned.decide(part.scores)[:, j].astype(int)
        return pd.DataFrame({"proba": part.scores[:, j], "decided": decided, "truth": part.Y[:, j]})

    found = []
    for j in labels:
        estimator = nannyml.CBPE(
            problem_type="classification_binary",
            y_pred_proba="proba",
            y_pred="decided",
            y_true="truth",
            metrics=["f1"],
            chunk_number=1,
        )
        estimator.fit(frame(known, j))
        result = estimator.estimate(frame(new, j).drop(columns="truth"))
        found.append(result.filter(period="analysis").to_df(multilevel=False)["f1_value"].iloc[0])
    return np.array(found, dtype=np.float64)


def expect_row(name: str, parts: Iterable[tuple[Part, Part]], *, adapt: bool = False) -> str:
    """Return the line of a set: mean values, errors, and how often ranges contain the values."""
    values, found, of_labels, of_peer, doubts = [], [], [], [], []
    for number, (known, new) in enumerate(parts):
        tuned = best_thresholds(*known)
        one = expect(tuned, new.scores, calibrate=known, adapt=adapt, random_state=number)
        counts = count(new.Y, tuned.decide(new.scores))
        truth = {"micro-f": micro(f_measure, counts)}
        truth["macro-f"] = macro(f_measure, counts, undefined="skip")
        values.append(list(truth.values()))
        found.append([(one.values[key], *one.intervals[key]) for key in truth])
        frequent = [part.Y.sum(axis=0) >= LEAST_POSITIVES for part in (known, new)]
        labels = np.flatnonzero(frequent[0] & frequent[1])
        of_label = np.asarray(f_measure(counts))[labels]
        of_labels.append(np.abs(one.label_values["f"][labels] - of_label).mean())
        doubts.append(len(one.doubts))
        if number == 0 and not adapt:
            peer = cbpe(tuned, known, new, labels)
            of_peer += [] if peer is None else [np.nanmean(np.abs(peer - of_label))]
    true, (expected, low, high) = np.array(values), np.moveaxis(np.array(found), 2, 0)
    errors = np.sqrt(((expected - true) ** 2).mean(axis=0))
    inside = ((low <= true) & (true <= high)).mean(axis=0)
    widths = (high - low).mean(axis=0)
    averages = " | ".join(
        f"{true[:, k].mean():.3f} | {expected[:, k].mean():.3f} | {errors[k]:.3f} | "
        f"{widths[k]:.3f} | {inside[k]:.0%}"
        for k in range(2)
    )
    return (
        f"| {name} | {len(new.Y):,} | {averages} | {np.mean(of_labels):.3f} | "
        f"{f'{of_peer[0]:.3f}' if of_peer else ''} | {np.mean(doubts):.1f} |"
    )


def expect_lines(by_year: dict[str, Part], n_halves: int) -> Iterator[str]:
    """Yield the table of expectations."""
    yield (
        "| set | rows | micro F | expected | error | width | in range | macro F | expected | "
        "error | width | in range | error of a label | NannyML | doubts |"
    )
    yield "|---" + "|--:" * 14 + "|"
    for name in ("nih-chestxray", *SETS):
        # The first halves chose the constants of expect.
        yield expect_row(name, (halves(name, 100 + k) for k in range(n_halves)))
    tuning = by_year["tuning"]
    for year in ("before 2016", "2016", "after 2016"):
        yield expect_row(f"makupalat, {year}", [(tuning, by_year[year])])
    later = [(tuning, by_year["after 2016"])]
    yield expect_row("makupalat, after 2016, adapted", later, adapt=True)


# ------------------------------------------------ drift


def drift_lines(by_year: dict[str, Part]) -> Iterator[str]:
    """Yield the table of monitors of a guaranteed precision, as texts of later years arrive."""
    yield "| years | texts | precision | evidence | alarm from | alarm | MAPIE's bound | alarm |"
    yield "|---|--:|--:|--:|--:|---|--:|---|"
    tuned = best_thresholds(
        *by_year["tuning"], min_precision=PROMISED, guarantee=0.95, random_state=0
    )
    monitor = Monitor(tuned)
    cells: list[np.ndarray] = []
    for year in ("before 2016", "2016", "after 2016"):
        scores, Y = by_year[year]
        for batch in np.array_split(np.arange(len(Y)), max(1, len(Y) // BATCH)):
            monitor.update(scores[batch], Y[batch])
        decided = tuned.decide(scores).astype(bool)
        cells.append(Y[decided])
        peer = mapie_bound(np.concatenate(cells))
        words = ["", ""] if peer is None else [f"{peer:.3f}", _yes(peer > 1 - PROMISED)]
        promise = [one.name for one in monitor.promises].index("micro-precision")
        value = float(micro(precision, count(Y, tuned.decide(scores))))
        yield (
            f"| {year} | {len(Y):,} | {value:.3f} | {monitor.evidence[-1][promise]:.2f} | "
            f"{monitor.threshold:.2f} | {_yes(monitor.alarms[promise] >= 0)} | "
            f"{words[0]} | {words[1]} |"
        )


def mapie_bound(truth: np.ndarray) -> float | None:
    """Return the largest lower bound of 1 - precision by MAPIE; None if it is missing."""
    if find_spec("mapie") is None:
        return None
    from mapie.exchangeability_testing import RiskMonitoring

    peer = RiskMonitoring(risk="precision", threshold=1 - PROMISED, warn=False)
    peer.update(truth, np.ones_like(truth))
    return float(np.max(peer.online_risk_lower_bound_sequence_history))


def _yes(is_true: bool) -> str:
    return "yes" if is_true else "no"


# ------------------------------------------------ planted label errors


def planted(Y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Lose 5 % of the positives, and add as many wrong ones to the same labels."""
    positives = np.argwhere(Y == 1)
    lost = positives[random.choice(len(positives), len(positives) // 20, replace=False)]
    noisy = Y.copy()
    for j in lost[:, 1]:
        noisy[random.choice(np.flatnonzero(Y[:, j] == 0)), j] = 1
    noisy[lost[:, 0], lost[:, 1]] = 0
    return noisy


def held_out_scores(X: np.ndarray | sparse.csr_array, noisy: np.ndarray) -> np.ndarray:
    """Return held-out probabilities of logistic regressions that were fitted to noisy labels."""
    scores = np.zeros(noisy.shape)
    for train, test in KFold(5, shuffle=True, random_state=0).split(noisy):
        scores[test] = fitted_scores(X[train], noisy[train], X[test])
    return scores


def suspects_of_cleanlab(scores: np.ndarray, noisy: np.ndarray) -> np.ndarray | None:
    """Rank cells by cleanlab: its issues first, by self-confidence; None if it is missing."""
    if find_spec("cleanlab") is None:
        return None
    from cleanlab.multilabel_classification.filter import find_multilabel_issues_per_class

    given = [np.flatnonzero(row).tolist() for row in noisy]
    issues = np.asarray(find_multilabel_issues_per_class(given, scores, n_jobs=1))
    confidence = np.where(noisy == 1, scores, 1 - scores)
    return np.argsort((confidence + 10 * ~issues).ravel(), kind="stable")


def suspect_lines() -> Iterator[str]:
    """Yield the share of planted errors among as many listed cells."""
    yield "| set | planted | listed by | share found |"
    yield "|---|--:|---|--:|"
    random = np.random.default_rng(0)
    for name in ("yeast", "nih-chestxray", "reuters21578"):
        if name == "nih-chestxray":
            scores, Y = (np.concatenate(part) for part in zip(*chest_halves(), strict=True))
            noisy = planted(Y, random)
        else:
            data = load(name, data_home=HOME)
            # Labels that hardly occur have no held-out scores.
            Y = data.Y.toarray().astype(np.int64)
            Y = Y[:, Y.sum(axis=0) >= LEAST_POSITIVES]
            noisy = planted(Y, random)
            X = sparse.csr_array(data.X) if sparse.issparse(data.X) else data.X
            scores = held_out_scores(X, noisy)
        wrong = (noisy != Y).ravel()
        n_wrong = int(wrong.sum())
        found = find_label_errors(scores, noisy, n_cells=n_wrong)
        confidence = np.where(noisy == 1, 1 - scores, scores).ravel()
        ranked = {
            "chance": found.rows * Y.shape[1] + found.labels,
            "confidence": np.argsort(-confidence, kind="stable"),
            "cleanlab": suspects_of_cleanlab(scores, noisy),
        }
        for way, cells in ranked.items():
            if cells is not None:
                share = wrong[cells[:n_wrong]].mean()
                yield f"| {name} | {n_wrong:,} | {way} | {share:.1%} |"


def main() -> None:
    """Measure all of it, and write the tables."""
    if not HOME.is_dir():
        print(f"deployment_real: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    for peer in ("nannyml", "mapie", "cleanlab"):
        if find_spec(peer) is None:
            print(f"deployment_real: {peer} is not installed and left out.")
    by_year = years()
    tables = {
        "deployment_drift": drift_lines(by_year),
        "deployment_errors": suspect_lines(),
        "deployment_expect": expect_lines(by_year, int(os.environ.get("BENCH_DRAWS", N_HALVES))),
    }
    for name, lines in tables.items():
        written = []
        for line in lines:
            print(line, flush=True)
            written.append(line)
        with written_whole(TABLE.with_stem(name)) as stream:
            stream.write(("\n".join(written) + "\n").encode())


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels without positives
        main()
