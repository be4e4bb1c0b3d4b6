"""Thresholds on the suggestions of Annif, beside Annif's own limit and threshold.

Annif's tf-idf backend is trained on Finnish link descriptions of makupalat (1,209 classes) without
3,000 of them, and suggests up to 100 classes for each of these, for each text of 2016 (validate)
and of later years (test). Annif decides the suggestions above one threshold, at most `limit` for
each text; both are chosen on the first two parts, as ``annif optimize`` does. Thresholds of
labelwise are tuned on the same suggestions, also after dividing them by the highest score of their
text, and on the scores of linear support vector machines of the same texts. All are measured on the
test texts; the table goes into the docs.

Annif is not a dependency: the environment variable ANNIF names its command, of an environment of
its own. NLTK must find its package punkt_tab. The suggestions are kept on disk.
"""

from __future__ import annotations

import csv
import gzip
import os
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline

from benchmarks.scored_sets import HOME, cache_home
from labelwise._io import written_whole
from labelwise._text import markdown_table
from labelwise.data import read_annif, read_suggestions, read_vocabulary
from labelwise.decisions import best_thresholds, corrected_value
from labelwise.features import TextTerms
from labelwise.learners import BinaryRelevance
from labelwise.measures import evaluate

TABLE = Path(__file__).with_name("annif.md")
N_TUNING = 3000
PARTS = ("tune", "validate", "test")
URIS = "http://urn.fi/URN:NBN:fi:au:ykl:"
PROJECT = """[tfidf-fi]
name=tf-idf
language=fi
backend=tfidf
vocab=ykl(en)
analyzer=snowball(finnish)
limit=100
"""


def write_corpus(folder: Path) -> None:
    """Write makupalat in Annif's formats: a file for training, folders for the other parts."""
    with (HOME / "makupalat" / "hierarchy.csv").open(encoding="utf-8") as stream:
        names = {row["label"]: row["name"] for row in csv.DictReader(stream)}
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{_uri(label)}\t{name}\n" for label, name in names.items()]
    (folder / "ykl.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "projects.cfg").write_text(PROJECT, encoding="utf-8")
    for part in ("train", "validate", "test"):
        path = HOME / "makupalat" / f"{part}.csv.gz"
        with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
            rows = [(row["text"], row["labels"].split("; ")) for row in csv.DictReader(stream)]
        if part != "train":
            _write_folder(folder / part, rows, names)
            continue
        order = np.random.default_rng(0).permutation(len(rows))
        _write_folder(folder / "tune", [rows[i] for i in order[:N_TUNING]], names)
        lines = [
            f"{' '.join(rows[i][0].split())}\t{' '.join(map(_uri, rows[i][1]))}\n"
            for i in order[N_TUNING:]
        ]
        (folder / "train.tsv").write_text("".join(lines), encoding="utf-8")


def _write_folder(folder: Path, rows: list[tuple[str, list[str]]], names: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for number, (text, labels) in enumerate(rows):
        (folder / f"{number:04d}.txt").write_text(text, encoding="utf-8")
        subjects = "".join(f"{_uri(label)}\t{names[label]}\n" for label in labels)
        (folder / f"{number:04d}.tsv").write_text(subjects, encoding="utf-8")


def _uri(label: str) -> str:
    return f"<{URIS}{label.removeprefix('ykl:')}>"


def run_annif(folder: Path) -> None:
    """Train Annif, and write its suggestions."""
    command = which(os.environ.get("ANNIF", "annif"))
    if command is None:
        raise FileNotFoundError("annif is not installed; the variable ANNIF names its command.")
    for words in (
        ["load-vocab", "--language", "en", "ykl", "ykl.tsv"],
        ["train", "tfidf-fi", "train.tsv"],
        *(["index", "tfidf-fi", "--limit", "100", part] for part in PARTS),
    ):
        subprocess.run([command, *words], cwd=folder, check=True)


def class_names(folder: Path) -> list[str]:
    """Return the URIs of all classes of the vocabulary."""
    return sorted(read_vocabulary(folder / "ykl.tsv"))


def read_part(folder: Path, part: str) -> tuple[sparse.csr_array, np.ndarray]:
    """Return scores and labels of a part, with a column for each class of the vocabulary."""
    place = {name: j for j, name in enumerate(class_names(folder))}
    found, truth = read_suggestions(folder / part), read_annif(folder / part)
    scores = sparse.coo_array(found.values)
    columns = np.array([place[name] for name in found.label_names])[scores.coords[1]]
    Y = np.zeros((len(truth), len(place)), dtype=np.int64)
    Y[:, [place[name] for name in truth.label_names]] = truth.Y.toarray()
    cells = (scores.data, (scores.coords[0], columns))
    return sparse.csr_array(cells, shape=Y.shape), Y


def by_limit(scores: sparse.csr_array, limit: int, threshold: float) -> sparse.csr_array:
    """Decide as Annif does: the suggestions from a threshold on, at most `limit` for each text."""
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort((-scores.data, rows))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size) - scores.indptr[rows[order]]
    decided = (rank < limit) & (scores.data >= threshold)
    cells = decided[decided], (rows[decided], scores.indices[decided])
    return sparse.csr_array(cells, shape=scores.shape)


def main() -> None:
    """Print the table, and write it to `annif.md`."""
    folder = cache_home() / "annif"
    if not (folder / "test" / "0000.annif").exists():
        if not (HOME / "makupalat").is_dir():
            print(f"annif: no set makupalat in {HOME}; set LABELWISE_DATA to its folder.")
            return
        write_corpus(folder)
        run_annif(folder)
    tune, validate, (new_scores, new_Y) = (read_part(folder, part) for part in PARTS)
    scores = sparse.csr_array(sparse.vstack([tune[0], validate[0]]))
    Y = np.vstack([tune[1], validate[1]])
    grid = [(limit, t) for limit in range(1, 16) for t in np.arange(0, 1, 0.05)]
    values = {pair: evaluate(Y, decided=by_limit(scores, *pair))["micro-f"] for pair in grid}
    best = max(values, key=values.__getitem__)
    methods = {
        "Annif, limit 10": (values[10, 0.0], by_limit(new_scores, 10, 0.0)),
        f"Annif, limit {best[0]} and threshold {best[1]:.2f}": (
            values[best],
            by_limit(new_scores, *best),
        ),
    }
    most = {"shrink": "auto", "max_decisions": "2 per sample"}
    for name, options, change in (
        ("one threshold", {"shared": True}, sparse.csr_array),
        ("a threshold for each class, shrunk, at most 2 for each text", most, sparse.csr_array),
        ("the same, scores relative to the highest of the text", most, relative),
    ):
        tuned = best_thresholds(change(scores), Y, random_state=0, **options)
        expected = corrected_value(tuned, change(scores), Y, random_state=0)
        methods[name] = expected, tuned.decide(change(new_scores))
    own, own_new = linear_scores(folder)
    tuned = best_thresholds(own, Y, shrink="auto", random_state=0)
    expected = corrected_value(tuned, own, Y, random_state=0)
    methods["linear model of labelwise, shrunk thresholds"] = expected, tuned.decide(own_new)
    rows = []
    for name, (expected, decided) in methods.items():
        found = evaluate(new_Y, decided=decided)
        shown = [found[one] for one in ("micro-f", "micro-precision", "micro-recall")]
        rows.append([name, *(f"{value:.3f}" for value in (expected, *shown))])
        print("  ".join(rows[-1]), flush=True)
    heading = ["", "F expected", "micro F of test texts", "precision", "recall"]
    with written_whole(TABLE) as stream:
        stream.write(f"{markdown_table(heading, rows, 1)}\n".encode())


def linear_scores(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of a linear model of the training texts, for tuning and for test texts."""
    train, *parts = (read_annif(folder / name) for name in ("train.tsv", *PARTS))
    place = {name: j for j, name in enumerate(class_names(folder))}
    model = make_pipeline(
        TextTerms("finnish"),
        TfidfTransformer(sublinear_tf=True),
        BinaryRelevance(loss="squared_hinge", penalty=1e-4),
    )
    model.fit(train.frame["text"].to_pylist(), train.Y)
    scored = []
    for part in parts:
        scores = np.full((len(part), len(place)), -1e3)  # classes without a training text
        columns = [place[name] for name in train.label_names]
        scores[:, columns] = model.decision_function(part.frame["text"].to_pylist())
        scored.append(scores)
    return np.vstack(scored[:2]), scored[2]


def relative(scores: sparse.csr_array) -> sparse.csr_array:
    """Divide scores by the highest one of their row."""
    highest = scores.max(axis=1).toarray().ravel()
    divisors = np.repeat(np.where(highest > 0, highest, 1.0), np.diff(scores.indptr))
    return sparse.csr_array((scores.data / divisors, scores.indices, scores.indptr), scores.shape)


if __name__ == "__main__":
    main()
