"""Raw texts: `labelwise fit` beside pipelines of scikit-learn made by hand, on fixed test parts.

Settings are chosen on the training rows alone, which are those of the set's train and dev parts.
The pipelines are TfidfVectorizer and OneVsRestClassifier of LinearSVC or LogisticRegression with
their default parameters, and exact thresholds (`best_thresholds`) on scores of five folds.
Seconds are those of one core (`process_time`), also for the time limit of `labelwise fit`, so that
a busy machine changes nothing. A second table has predicted and measured seconds of the quick
linear learner.

Results are kept in texts.csv, one line for each set and method; `BENCH_SETS=hoc,abstracts` measures
some sets and keeps the other lines, `BENCH_ONLY=fit` measures `labelwise fit` alone. The page
texts.md is made of that file.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import labelwise
from benchmarks.scored_sets import HOME
from labelwise._io import written_whole
from labelwise._text import markdown_table
from labelwise._tuning import Certify, Request
from labelwise.cli._inputs import DataSource
from labelwise.cli.commands._fit import fit
from labelwise.cli.running import declared_defaults
from labelwise.data import load
from labelwise.data._reuters import _documents
from labelwise.decisions import best_thresholds
from labelwise.features import text_representations
from labelwise.learners._register import learner_named
from labelwise.learners.selection import _race, _representations, _trials
from labelwise.learners.selection._candidates import size_of
from labelwise.measures import count, f_measure, macro, micro
from labelwise.splitting import MultilabelStratifiedKFold

RESULTS = Path(__file__).with_suffix(".csv")
# Part of the documentation.
PAGE = Path(__file__).with_suffix(".md")
# Seconds of `labelwise fit --time`.
TIMES = {
    "goemotions": 120.0,
    "makupalat": 60.0,
    "reuters21578": 30.0,
    "hoc": 10.0,
    "abstracts": 10.0,
}
# A logistic regression a label takes too long for more labels.
MOST_LABELS = 40
# Fits that are predicted to take longer are not measured.
MOST_SECONDS = 60.0
PARTS = ("TRAIN", "TEST")
PUBLISHED = (
    "goemotions: fine-tuned BERT has a macro F of 0.46 (D. Demszky et al., GoEmotions: A Dataset "
    "of Fine-Grained Emotions, ACL 2020)."
)


class Texts(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: list[list[str]]

    def joined(self, other: Texts) -> Texts:
        """Return these texts, and then others."""
        return Texts(self.texts + other.texts, self.labels + other.labels)

    def matrix(self, names: list[str]) -> np.ndarray:
        """Return a column of 0 and 1 for each name."""
        column = {name: j for j, name in enumerate(names)}
        Y = np.zeros((len(self.texts), len(names)), dtype=np.int64)
        for i, some in enumerate(self.labels):
            Y[i, [column[name] for name in some if name in column]] = 1
        return Y


def read_csv(path: Path) -> Texts:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = [[name for name in row["labels"].split("; ") if name] for row in rows]
    return Texts([row["text"] for row in rows], found)


def goemotions() -> tuple[Texts, Texts]:
    train, dev, test = (read_csv(HOME / f"goemotions/{n}.csv.gz") for n in ("train", "dev", "test"))
    return train.joined(dev), test


def makupalat() -> tuple[Texts, Texts]:
    parts = (read_csv(HOME / f"makupalat/{n}.csv.gz") for n in ("train", "validate", "test"))
    train, dev, test = parts
    return train.joined(dev), test


def reuters21578() -> tuple[Texts, Texts]:
    """Return the documents of the ModApte split with the 90 topics of both parts."""
    paths = sorted((HOME / "reuters21578").glob("reut2-*"))
    news = [doc for path in paths for doc in _documents(path, None)]
    seen = [{name for doc in news if doc.part == part for name in doc.topics} for part in PARTS]
    topics = [sorted({*doc.topics} & seen[0] & seen[1]) for doc in news]
    parts = []
    for part in PARTS:
        kept = [k for k, some in enumerate(topics) if some and news[k].part == part]
        parts.append(Texts([news[k].text for k in kept], [topics[k] for k in kept]))
    return parts[0], parts[1]


def hoc() -> tuple[Texts, Texts]:
    """Return abstracts with the paths of their sentences; every fifth is a test row."""
    with gzip.open(HOME / "hoc/hoc.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    texts = [" ".join(row["sentences"]) for row in rows]
    labels = [sorted({path for some in row["sentence_labels"] for path in some}) for row in rows]
    return _every_fifth(texts, labels)


def abstracts() -> tuple[Texts, Texts]:
    """Return the bundled abstracts, which are generated; every fifth is a test row."""
    data = load("abstracts")
    columns = [data.frame.column(name).to_pylist() for name in data.texts]
    texts = [" ".join(parts) for parts in zip(*columns, strict=True)]
    names = np.array(data.label_names)
    return _every_fifth(texts, [names[row].tolist() for row in data.Y.toarray().astype(bool)])


def _every_fifth(texts: list[str], labels: list[list[str]]) -> tuple[Texts, Texts]:
    rows = np.arange(len(texts))
    train, test = (
        Texts([texts[i] for i in part], [labels[i] for i in part])
        for part in (rows[rows % 5 > 0], rows[rows % 5 == 0])
    )
    return train, test


SETS = {one.__name__: one for one in (goemotions, makupalat, reuters21578, hoc, abstracts)}


def by_command(train: Texts, test: Texts, names: list[str], average: str, time_limit: float):
    """Return the test value of the model that `labelwise fit` writes, its seconds and its name."""
    import pyarrow as pa

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.csv"
        with path.open("w", newline="", encoding="utf-8") as stream:
            lines = csv.writer(stream)
            lines.writerow(["text", "labels"])
            lines.writerows(zip(train.texts, map("; ".join, train.labels), strict=True))
        start = time.process_time()
        source = DataSource(str(path), labels="labels", text="text")
        model_file = Path(folder) / "model.skops"
        asked = declared_defaults(Request, Certify)
        del asked["maximize"]
        fit(
            source=source,
            output=model_file,
            maximize=f"{average}-f",
            asked=asked,
            time=time_limit,
        )
        seconds = time.process_time() - start
        model, size = labelwise.load(model_file), model_file.stat().st_size
    decided = model.predict(pa.table({"text": test.texts}))
    column = {name: j for j, name in enumerate(model.label_names_)}
    whole = np.zeros((len(test.texts), len(names)), dtype=np.int64)
    known = [j for j, name in enumerate(names) if name in column]
    whole[:, known] = decided[:, [column[names[j]] for j in known]]
    value = AVERAGES[average](f_measure, count(test.matrix(names), whole))
    return float(value), seconds, f"{' + '.join(model.best_names_)}, {size / 1e6:.1f} MB"


AVERAGES = {"micro": micro, "macro": macro}


def by_hand(train: Texts, test: Texts, names: list[str], classifier):
    """Return test values with exact thresholds and without, the seconds, and those of one fit."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import cross_val_predict
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline

    Y, truth = train.matrix(names), test.matrix(names)
    pipeline = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(classifier))
    start = time.process_time()
    pipeline.fit(train.texts, Y)
    of_one = time.process_time() - start
    folds = list(MultilabelStratifiedKFold(5).split(Y, Y))
    scores = cross_val_predict(pipeline, train.texts, Y, cv=folds, method="decision_function")
    seconds = time.process_time() - start
    scores_test = pipeline.decision_function(test.texts)
    found = {}
    for average, joined in AVERAGES.items():
        tuned = best_thresholds(scores, Y, maximize=f"{average}-f")
        found[average] = float(joined(f_measure, count(truth, tuned.decide(scores_test))))
    plain = {
        average: float(joined(f_measure, count(truth, (scores_test > 0).astype(np.int64))))
        for average, joined in AVERAGES.items()
    }
    return found, plain, seconds, of_one


def predicted_seconds(train: Texts, names: list[str]) -> list[tuple[str, float, float]]:
    """Return predicted and measured seconds of the quick linear learner on each representation."""
    import pyarrow as pa

    Y = train.matrix(names)
    Y = Y[:, Y.sum(axis=0) > 0]
    table = pa.table({"text": train.texts})
    splits = list(MultilabelStratifiedKFold(5).split(Y, Y))
    quick, found = learner_named("br", ""), []
    for name, encoder in text_representations("text").items():
        X = encoder.fit_transform(table)
        predicted = quick.seconds(size_of(X, Y.shape[1]))
        if predicted > MOST_SECONDS:
            continue
        start = time.process_time()
        quick.build(True, 0).fit_scoring_folds(X, Y, splits)
        found.append((name, predicted, time.process_time() - start))
    return found


def measured(name: str) -> list[dict[str, str]]:
    """Return a line for each method on a set."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    train, test = SETS[name]()
    names = sorted({label for some in train.labels for label in some})
    lines = []

    def add(method: str, found: dict[str, float], seconds: float, note: str = "") -> None:
        values = {average: f"{found[average]:.4f}" for average in AVERAGES}
        line = {"set": name, "method": method, **values, "seconds": f"{seconds:.1f}", "note": note}
        print(line, flush=True)
        lines.append(line)

    micro_f, micro_s, micro_n = by_command(train, test, names, "micro", TIMES[name])
    macro_f, macro_s, macro_n = by_command(train, test, names, "macro", TIMES[name])
    note = f"micro: {micro_n}; macro: {macro_n}"
    method = f"labelwise fit --time {TIMES[name]:.0f}"
    add(method, {"micro": micro_f, "macro": macro_f}, max(micro_s, macro_s), note)
    if os.environ.get("BENCH_ONLY") == "fit":
        return lines
    machines = {"LinearSVC": LinearSVC()}
    if len(names) <= MOST_LABELS:
        machines["LogisticRegression"] = LogisticRegression()
    for kind, classifier in machines.items():
        found, plain, seconds, of_one = by_hand(train, test, names, classifier)
        add(f"{kind}, exact thresholds", found, seconds)
        add(f"{kind}, at 0", plain, of_one)
    for of, predicted, took in predicted_seconds(train, names):
        line = {"set": name, "method": f"br/{of}, predicted {predicted:.1f} s", "micro": ""}
        lines.append({**line, "macro": "", "seconds": f"{took:.1f}", "note": ""})
        print(lines[-1], flush=True)
    return lines


FIELDS = ("set", "method", "micro", "macro", "seconds", "note")


def page(lines: list[dict[str, str]]) -> str:
    """Return the page of the documentation: values, and predicted beside measured seconds."""
    values = [line for line in lines if line["micro"]]
    costs = [line for line in lines if not line["micro"]]
    heads = ["set", "method", "micro F", "macro F", "seconds", "note"]
    of_costs = [[line["set"], line["method"], line["seconds"]] for line in costs]
    parts = [
        markdown_table(heads, ([line[field] for field in FIELDS] for line in values), 2),
        PUBLISHED,
        markdown_table(["set", "candidate", "measured seconds"], of_costs, 2),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure the sets, or those named in BENCH_SETS, and write the page."""
    if not HOME.is_dir():
        print(f"texts: no benchmark sets in {HOME}; set LABELWISE_DATA to their folder.")
        return
    for module in (_race, _representations, _trials):
        # Other work on the machine changes nothing.
        module.perf_counter = time.process_time
    chosen = os.environ.get("BENCH_SETS", ",".join(SETS)).split(",")
    lines: list[dict[str, str]] = []
    if RESULTS.is_file():
        with RESULTS.open(newline="", encoding="utf-8") as stream:
            lines = list(csv.DictReader(stream))
    for name in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = measured(name)
        new = {line["method"] for line in found}
        is_all = os.environ.get("BENCH_ONLY") != "fit"
        kept = [line for line in lines if line["set"] == name and line["method"] not in new]
        others = [line for line in lines if line["set"] != name]
        lines = others + found + ([] if is_all else kept)
        lines.sort(key=lambda line: list(SETS).index(line["set"]))
        with RESULTS.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        with written_whole(PAGE) as stream:
            stream.write(page(lines).encode())
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
