"""Raw text: `labelwise fit` beside a pipeline of scikit-learn made by hand, on unseen rows.

Short descriptions with tags are generated: words by the law of Zipf, some of them by the tags. The
pipeline by hand is TfidfVectorizer, one logistic regression a tag, and exact thresholds on scores
of five folds. A second, larger set shows how long `labelwise fit` takes.
"""

import csv
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import labelwise
from benchmarks.speedups import record
from labelwise.cli._inputs import DataSource
from labelwise.cli.commands._fit import fit
from labelwise.data import Dataset, make_corpus
from labelwise.decisions import best_thresholds
from labelwise.measures import Counts, f_measure, micro

# Rows to learn from, tags, terms; a third more rows are kept for the test.
SMALL, LARGE = (3000, 40, 8000), (20_000, 200, 30_000)


def make_texts(n_rows: int, n_tags: int, n_terms: int) -> tuple[list[str], Dataset]:
    """Return descriptions of about 25 words, and the corpus that they were written from."""
    corpus = make_corpus(
        n_rows, n_terms, n_tags, mean_length=25, mean_topics=1.8, focus=0.4, random_state=0
    )
    words = [pseudo_word(term) for term in range(n_terms)]
    random = np.random.default_rng(0)
    texts = []
    for i in range(n_rows):
        terms = corpus.X.indices[slice(*corpus.X.indptr[i : i + 2])]
        counts = corpus.X.data[slice(*corpus.X.indptr[i : i + 2])].astype(int)
        tokens = np.repeat(terms, counts)
        random.shuffle(tokens)
        texts.append(" ".join(words[term] for term in tokens))
    return texts, corpus


def pseudo_word(number: int) -> str:
    """Write a number in syllables, so that each term is a word of its own."""
    word = ""
    for _ in range(4):
        number, rest = divmod(number, 90)
        word += "bdfgklmnprstvwxyzh"[rest // 5] + "aeiou"[rest % 5]
    return word


def write_csv(path: Path, texts: list[str], corpus: Dataset) -> None:
    labels = np.array(corpus.label_names)
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream)
        lines.writerow(["description", "tags"])
        Y = corpus.Y.tocsr()
        for i, text in enumerate(texts):
            tags = labels[Y.indices[slice(*Y.indptr[i : i + 2])]]
            lines.writerow([text, "; ".join(tags)])


def fit_by_command(folder: Path, texts: list[str], corpus: Dataset) -> tuple[object, float]:
    """Return the model that `labelwise fit` wrote, and its seconds."""
    write_csv(folder / "texts.csv", texts, corpus)
    start = time.perf_counter()
    source = DataSource(str(folder / "texts.csv"), labels="tags")
    fit(source=source, output=folder / "m.skops", maximize="micro-f")
    return labelwise.load(folder / "m.skops"), time.perf_counter() - start


def micro_f(decided: np.ndarray, Y: np.ndarray) -> float:
    tp = float((decided & Y).sum())
    return float(micro(f_measure, Counts(tp, decided.sum() - tp, Y.sum() - tp, 0.0)))


def compare(n_rows: int, n_tags: int, n_terms: int) -> None:
    """Print micro F on unseen rows, and the time to fit."""
    import pyarrow as pa

    texts, corpus = make_texts(n_rows * 4 // 3, n_tags, n_terms)
    train, test = corpus.take(slice(0, n_rows)), corpus.take(slice(n_rows, None))
    Y, truth = train.Y.toarray().astype(int), test.Y.toarray().astype(bool)
    with tempfile.TemporaryDirectory() as folder:
        model, ours = fit_by_command(Path(folder), texts[:n_rows], train)
    named = dict(
        zip(
            model.label_names_,
            model.predict(pa.table({"description": texts[n_rows:]})).T,
            strict=True,
        )
    )
    decided = np.column_stack(
        [named.get(name, np.zeros(len(truth), int)) for name in test.label_names]
    )
    found = micro_f(decided.astype(bool), truth)
    start = time.perf_counter()
    by_hand = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LogisticRegression()))
    scores = cross_val_predict(by_hand, texts[:n_rows], Y, cv=5, method="decision_function")
    thresholds = best_thresholds(scores, Y)
    by_hand.fit(texts[:n_rows], Y)
    peer = time.perf_counter() - start
    expected = micro_f(
        thresholds.decide(by_hand.decision_function(texts[n_rows:])).astype(bool), truth
    )
    print(
        f"{n_rows:,} texts, {n_tags} tags: labelwise fit {found:.4f} micro F on unseen rows in "
        f"{ours:.1f} s; by hand {expected:.4f} in {peer:.1f} s"
    )
    record(f"texts, {n_rows:,} x {n_tags}: fit", ours, peer)


def main() -> None:
    """Compare on a small set, and time a large one."""
    compare(*SMALL)
    texts, corpus = make_texts(*LARGE)
    with tempfile.TemporaryDirectory() as folder:
        _, seconds = fit_by_command(Path(folder), texts, corpus)
    print(f"{LARGE[0]:,} texts, {LARGE[1]} tags: labelwise fit in {seconds:.0f} s")
