"""Decisions of several models together: the best model, the mean of probabilities, and `blend`.

All choices are made on tuning samples that no model was fitted to, and measured on other samples.

- goemotions: squared-hinge machines of words, of words and pairs, and of characters, fitted to the
  training part; tuned on the dev part, measured on the test part.
- rcv1subset1: regressions, squared-hinge machines and neighbours; a third of the samples each for
  fitting, tuning and measuring, five holdouts.
- ptbxl: the scores of a network, and regressions and neighbours of these scores, fitted to half of
  the validation part; tuned on the other half, measured on the test part, five halves.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.real_scores import scored_rows
from benchmarks.scored_sets import HOME
from benchmarks.texts import read_csv
from labelwise._io import written_whole
from labelwise.data import load
from labelwise.decisions import CalibratedScores, best_thresholds
from labelwise.learners import BinaryRelevance, blend
from labelwise.measures import evaluate
from labelwise.splitting import assign

MEASURES = ("micro-f", "macro-f")
N_HOLDOUTS = 5
HEADS = ("set", "measure", "best model", "mean", "blend", "blend: value to expect")
# Part of the documentation.
PAGE = Path(__file__).with_suffix(".md")


class Scored(NamedTuple):
    """Scores by model, and labels, of the samples for tuning, and of those for measuring."""

    scores: dict[str, np.ndarray]
    Y: np.ndarray
    new_scores: dict[str, np.ndarray]
    truth: np.ndarray


def goemotions() -> Iterator[Scored]:
    """Yield scores of three representations of texts."""
    train, dev, test = (read_csv(HOME / f"goemotions/{n}.csv.gz") for n in ("train", "dev", "test"))
    names = sorted({name for some in train.labels for name in some})
    terms = {
        "words": TfidfVectorizer(sublinear_tf=True),
        "pairs": TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        "characters": TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 5), min_df=3, sublinear_tf=True
        ),
    }
    scores: dict[str, np.ndarray] = {}
    new_scores: dict[str, np.ndarray] = {}
    for name, vectorizer in terms.items():
        model = BinaryRelevance(loss="squared_hinge")
        model.fit(vectorizer.fit_transform(train.texts), train.matrix(names))
        for part, found in ((dev, scores), (test, new_scores)):
            found[name] = model.decision_function(vectorizer.transform(part.texts))
    yield Scored(scores, dev.matrix(names), new_scores, test.matrix(names))


def rcv1subset1() -> Iterator[Scored]:
    """Yield scores of three learners."""
    data = load("rcv1subset1", data_home=HOME)
    X, Y = data.X.tocsr(), data.Y.toarray().astype(np.int64)
    models = {
        "regressions": BinaryRelevance(),
        "machines": BinaryRelevance(loss="squared_hinge"),
        "neighbors": KNeighborsClassifier(30, metric="cosine", weights="distance"),
    }
    for number in range(N_HOLDOUTS):
        part = assign(Y, 3, random_state=number)
        yield _fitted(models, *((X[part == k], Y[part == k]) for k in range(3)))


def ptbxl() -> Iterator[Scored]:
    """Yield scores of a network, and of two models of the network's scores."""
    data = scored_rows("ptbxl")
    is_first = data.slices == "validation"
    X, Y = data.scores.astype(np.float64), data.Y.astype(np.int64)
    X = logit(np.clip(X, 1e-6, 1 - 1e-6))
    models = {
        "regressions": BinaryRelevance(standardize=True),
        "neighbors": KNeighborsClassifier(30, weights="distance"),
    }
    for number in range(N_HOLDOUTS):
        part = np.full(len(Y), 2)
        part[is_first] = assign(Y[is_first], 2, random_state=number)
        found = _fitted(models, *((X[part == k], Y[part == k]) for k in range(3)))
        yield found._replace(
            scores={"network": X[part == 1], **found.scores},
            new_scores={"network": X[part == 2], **found.new_scores},
        )


SETS = {one.__name__: one for one in (goemotions, rcv1subset1, ptbxl)}


def _fitted(models: dict[str, Any], *parts: tuple[Any, np.ndarray]) -> Scored:
    """Return the scores of models of the first part for the second and the third."""
    (X, Y), *others = parts
    scores = []
    fitted = {name: model.fit(X, Y) for name, model in models.items()}
    for X_other, _ in others:
        scores.append({name: _scores(model, X_other) for name, model in fitted.items()})
    return Scored(scores[0], others[0][1], scores[1], others[1][1])


def _scores(model: Any, X: Any) -> np.ndarray:
    """Return decision values, or the probabilities of class 1."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    proba = model.predict_proba(X)
    if isinstance(proba, np.ndarray):
        return proba
    # A label with one class in training has one column.
    columns = [
        one[:, -1] if kinds[-1] == 1 else np.zeros(len(one))
        for one, kinds in zip(proba, model.classes_, strict=True)
    ]
    return np.column_stack(columns)


def values(data: Scored, measure: str) -> list[float]:
    """Return the values on new samples of the best model, the mean and the blend."""

    def on_new(decided: Any) -> float:
        return float(evaluate(data.truth, decided=decided)[measure])

    found = blend(data.scores, data.Y, maximize=measure, random_state=0)
    # The leaderboard is sorted by corrected value.
    best = next(name for name in found.leaderboard.candidate if name in data.scores)
    alone = blend({best: data.scores[best]}, data.Y, maximize=measure, random_state=0)
    models = {
        name: CalibratedScores(method="sigmoid").fit(scores, data.Y)
        for name, scores in data.scores.items()
    }
    mean, new_mean = (
        np.mean([model.predict_proba(part[name]) for name, model in models.items()], axis=0)
        for part in (data.scores, data.new_scores)
    )
    tuned = best_thresholds(mean, data.Y, maximize=measure, shrink="auto", random_state=0)
    decided = (
        alone.decide({best: data.new_scores[best]}),
        tuned.decide(new_mean),
        found.decide(data.new_scores),
    )
    return [*map(on_new, decided), found.value]


def main() -> None:
    """Measure all sets, or those named in BENCH_SETS."""
    if not HOME.is_dir():
        print(f"blend: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    chosen = os.environ.get("BENCH_SETS", ",".join(SETS)).split(",")
    lines = [f"| {' | '.join(HEADS)} |", f"|---|---|{'--:|' * (len(HEADS) - 2)}"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Y has ")
        for name in chosen:
            rows: dict[str, list[list[float]]] = {measure: [] for measure in MEASURES}
            for data in SETS[name]():
                for measure in MEASURES:
                    rows[measure].append(values(data, measure))
            for measure, found in rows.items():
                cells = " | ".join(f"{one:.4f}" for one in np.nanmean(found, axis=0))
                lines.append(f"| {name} | {measure} | {cells} |")
                print(lines[-1], flush=True)
    if chosen == list(SETS):
        text = "\n".join(lines)
        with written_whole(PAGE) as stream:
            stream.write(f"{text}\n".encode())
        print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
