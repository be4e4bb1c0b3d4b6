"""Which sentence says so: labels of sentences, learned from the labels of whole abstracts.

The Hallmarks of Cancer corpus has the labels of every sentence; training sees those of abstracts
only. Each method decides the abstracts and the sentences of a third of the corpus:

- `BagPlugin`, which samples the hidden labels of sentences in rounds (MIML-perf);
- every sentence inherits the labels that a linear model decides for its abstract;
- the contributions of terms of that model (`explain`), summed by sentence: a sentence has a decided
  label if its sum is at least half of the highest sum in the abstract;
- a linear model of abstracts that scores every sentence as a text of its own; an abstract has the
  score of its highest sentence, on which thresholds are tuned (``BagPlugin(training="sums")``, as
  in ``labelwise fit --split-sentences``);
- the same with a model of true sentence labels, which no user has: the ceiling.

The last column is the share of true labels of abstracts whose highest sentence has the label. The
table goes into the docs.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.scored_sets import HOME
from labelwise._io import written_whole
from labelwise._text import markdown_table
from labelwise.data import Bags
from labelwise.decisions import TunedThresholds, best_thresholds
from labelwise.features import TextTerms
from labelwise.learners import LEARNERS, BagPlugin, BinaryRelevance, explain
from labelwise.measures import evaluate
from labelwise.splitting import MultilabelStratifiedKFold, assign

TABLE = Path(__file__).with_name("sentences.md")
MEASURE = "macro-f"
N_FOLDS = 5


class Corpus(NamedTuple):
    """Counts of terms of sentences, the labels of sentences, and the first one of each abstract."""

    counts: sparse.csr_array
    Y: np.ndarray
    starts: np.ndarray

    @property
    def abstracts(self) -> np.ndarray:
        """Labels of the abstracts: those of their sentences."""
        return np.maximum.reduceat(self.Y, self.starts[:-1])

    @property
    def whole_counts(self) -> sparse.csr_array:
        """Counts of terms of the abstracts."""
        sizes = np.arange(self.starts[-1])
        shape = (self.starts.size - 1, self.starts[-1])
        return (
            sparse.csr_array((np.ones(sizes.size), sizes, self.starts), shape=shape) @ self.counts
        )

    def take(self, abstracts: np.ndarray) -> Corpus:
        """Return some abstracts."""
        sizes = np.diff(self.starts)[abstracts]
        rows = np.concatenate([np.arange(*self.starts[i : i + 2]) for i in abstracts])
        return Corpus(self.counts[rows], self.Y[rows], np.concatenate([[0], np.cumsum(sizes)]))


class Decided(NamedTuple):
    """What a method says about abstracts and sentences, and its scores of sentences."""

    abstracts: np.ndarray
    sentences: np.ndarray
    scores: np.ndarray


def read_corpus() -> tuple[Corpus, Corpus]:
    """Return two thirds for training and one for testing; terms are those of the training part."""
    with gzip.open(HOME / "hoc" / "hoc.jsonl.gz", "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    found = [[{p.split("--")[0] for p in one} for one in x["sentence_labels"]] for x in lines]
    names = sorted(set().union(*(one for of in found for one in of)))
    Y = np.array([[name in one for name in names] for of in found for one in of], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(of) for of in found])])
    abstracts = np.maximum.reduceat(Y, starts[:-1])
    is_test = assign(abstracts, 3, method="iterative", random_state=0) == 0
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    sentences = [sentence for x in lines for sentence in x["sentences"]]
    of_training = np.repeat(~is_test, np.diff(starts))
    terms = TextTerms().fit([s for s, used in zip(sentences, of_training, strict=True) if used])
    corpus = Corpus(sparse.csr_array(terms.transform(sentences)), Y, starts)
    return corpus.take(train), corpus.take(test)


def _weights(counts: sparse.csr_array) -> TfidfTransformer:
    return TfidfTransformer(sublinear_tf=True).fit(counts)


def by_bag_plugin(train: Corpus, test: Corpus) -> Decided:
    """Decide by `BagPlugin` of tf-idf weights of sentences."""
    weights = _weights(train.counts)
    model = BagPlugin(maximize=MEASURE, shrink=0.0, random_state=0)
    model.fit(Bags(weights.transform(train.counts), train.starts), train.abstracts)
    bags = Bags(weights.transform(test.counts), test.starts)
    found = model.predict_instances(bags)
    return Decided(model.predict(bags), found.decided, found.scores)


def _linear_model(train: Corpus) -> tuple[Any, TfidfTransformer]:
    """Return a linear model of whole abstracts with tuned thresholds, and its weights."""
    weights = _weights(train.whole_counts)
    model = TunedThresholds(BinaryRelevance(rescale=True), maximize=MEASURE, random_state=0)
    return model.fit(weights.transform(train.whole_counts), train.abstracts), weights


def by_inheritance(train: Corpus, test: Corpus) -> Decided:
    """Give every sentence the labels that are decided for its abstract."""
    model, weights = _linear_model(train)
    decided = model.predict(weights.transform(test.whole_counts))
    sentences = np.repeat(decided, np.diff(test.starts), axis=0)
    return Decided(decided, sentences, sentences.astype(np.float64))


def by_contributions(train: Corpus, test: Corpus) -> Decided:
    """Sum the contributions of the terms of each sentence to the score of its abstract."""
    model, weights = _linear_model(train)
    X = sparse.csr_array(weights.transform(test.whole_counts))
    decided = model.predict(X)
    n_abstracts, n_labels = decided.shape
    abstracts, labels = np.divmod(np.arange(n_abstracts * n_labels), n_labels)
    found = explain(model, X, top=None, cells=(abstracts, labels))
    cells = np.repeat(np.arange(len(found)), np.diff(found.starts))
    shape = (len(found), X.shape[1])
    of_cells = sparse.csr_array(
        (found.contributions, (cells, found.terms.astype(np.int64))), shape=shape
    )
    # A term that several sentences of an abstract have is shared by their counts.
    whole = sparse.csr_array(test.whole_counts)
    scores = np.zeros((test.starts[-1], n_labels))
    for i in range(n_abstracts):
        here = slice(test.starts[i], test.starts[i + 1])
        counts = np.maximum(whole[[i]].toarray(), 1)
        shares = test.counts[here] / counts
        scores[here] = shares @ of_cells[i * n_labels : (i + 1) * n_labels].toarray().T
    highest = np.repeat(np.maximum.reduceat(scores, test.starts[:-1]), np.diff(test.starts), axis=0)
    inherited = np.repeat(decided, np.diff(test.starts), axis=0) == 1
    sentences = inherited & (scores >= highest / 2) & (scores > 0)
    return Decided(decided, sentences.astype(np.int64), scores)


def by_true_labels(train: Corpus, test: Corpus) -> Decided:
    """Fit to sentences with true labels; tune on the highest sentence of held-out abstracts."""
    weights = _weights(train.counts)
    held_out = np.zeros(train.Y.shape)
    for rest, fold in MultilabelStratifiedKFold(N_FOLDS).split(train.starts[:-1], train.abstracts):
        known = train.take(rest)
        model = BinaryRelevance().fit(weights.transform(known.counts), known.Y)
        rows = np.concatenate([np.arange(*train.starts[i : i + 2]) for i in fold])
        held_out[rows] = model.decision_function(weights.transform(train.counts[rows]))
    maxima = np.maximum.reduceat(held_out, train.starts[:-1])
    tuned = best_thresholds(
        maxima, train.abstracts, maximize=MEASURE, shrink="auto", random_state=0
    )
    model = BinaryRelevance().fit(weights.transform(train.counts), train.Y)
    scores = model.decision_function(weights.transform(test.counts))
    of_abstracts = tuned.decide(np.maximum.reduceat(scores, test.starts[:-1]))
    return Decided(of_abstracts, tuned.decide(scores), scores)


def by_model_of_abstracts(train: Corpus, test: Corpus) -> Decided:
    """Fit to whole abstracts, and score sentences as texts of their own."""
    model = next(one for one in LEARNERS if one.name == "bag-sums").build(True, 0)
    model.set_params(maximize=MEASURE).fit(Bags(train.counts, train.starts), train.abstracts)
    bags = Bags(test.counts, test.starts)
    found = model.predict_instances(bags)
    return Decided(model.predict(bags), found.decided, found.scores)


METHODS = {
    "BagPlugin (MIML-perf)": by_bag_plugin,
    "(a) sentences inherit the labels of the abstract": by_inheritance,
    "(b) contributions of terms, summed by sentence": by_contributions,
    "(b') model of abstracts, sentences scored alone": by_model_of_abstracts,
    "(c) trained on true labels of sentences": by_true_labels,
}


def highest_is_right(test: Corpus, scores: np.ndarray) -> float:
    """Return how often the highest sentence of an abstract has a label that the abstract has."""
    right = []
    for start, stop in zip(test.starts[:-1], test.starts[1:], strict=True):
        truth = test.Y[start:stop]
        labels = np.flatnonzero(truth.any(axis=0))
        right += truth[np.argmax(scores[start:stop][:, labels], axis=0), labels].tolist()
    return float(np.mean(right))


def main() -> None:
    """Print the table, and write it to `sentences.md`."""
    if not (HOME / "hoc").is_dir():
        print(f"sentences: no set hoc in {HOME}; set LABELWISE_DATA to its folder.")
        return
    train, test = read_corpus()
    rows = [
        ["", "abstracts: micro F", "macro F", "sentences: micro F", "macro F", "right", "seconds"]
    ]
    for name, method in METHODS.items():
        start = process_time()
        decided = method(train, test)
        seconds = process_time() - start
        parts = [(test.abstracts, decided.abstracts), (test.Y, decided.sentences)]
        values = [
            evaluate(Y, decided=D)[measure] for Y, D in parts for measure in ("micro-f", "macro-f")
        ]
        # Inherited labels point to no sentence.
        right = "" if method is by_inheritance else f"{highest_is_right(test, decided.scores):.3f}"
        rows.append([name, *(f"{value:.3f}" for value in values), right, f"{seconds:.0f}"])
        print("  ".join(rows[-1]), flush=True)
    with written_whole(TABLE) as stream:
        stream.write(f"{markdown_table(rows[0], rows[1:], 1)}\n".encode())


if __name__ == "__main__":
    main()
