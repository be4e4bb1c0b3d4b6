"""Generate text corpora: term counts with topics, and short texts in English words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._extras import require
from labelwise._tables import encode_table
from labelwise._validation import check_random_state, check_real, check_whole
from labelwise.data._dataset import Dataset

# Tokens drawn at a time: working memory stays near 64 bytes times this, whatever the corpus.
_TOKENS_AT_ONCE = 2**20
_LENGTH_SPREAD = 0.6  # standard deviation of the logarithm of a document's length
# Share of words that are not of a document's subjects.
_GENERAL_SHARE, _OTHER_SHARE = 0.35, 0.12
_MEAN_SUBJECTS, _MOST_SUBJECTS = 1.7, 4
_SENTENCES = (3, 6)


class Vocabulary(NamedTuple):
    """Terms by falling frequency; the first belong to no topic, any other to one topic."""

    frequency: np.ndarray
    topic: np.ndarray  # -1 for common terms

    @property
    def topic_shares(self) -> np.ndarray:
        """Share of each topic: the summed frequency of its terms, normalised."""
        own = self.topic >= 0
        mass: np.ndarray = np.bincount(self.topic[own], weights=self.frequency[own])
        mass /= mass.sum()
        return mass


class Topics(NamedTuple):
    """The topics drawn for all documents; a topic may be drawn twice for one document."""

    drawn: np.ndarray
    starts: np.ndarray

    def labels(self, n_topics: int) -> sparse.csr_array:
        """Return the label matrix of documents and topics."""
        ones = np.ones(self.drawn.size, dtype=bool)
        shape = (self.starts.size - 1, n_topics)
        # Copied, since the next line works in place.
        labels = sparse.csr_array((ones, self.drawn, self.starts), shape=shape, copy=True)
        labels.sum_duplicates()
        return labels


def make_corpus(
    n_documents: int = 2000,
    n_terms: int = 5000,
    n_topics: int = 20,
    *,
    mean_length: float = 100.0,
    mean_topics: float = 1.5,
    focus: float = 0.5,
    common: float = 0.02,
    random_state: Any = None,
) -> Dataset:
    r"""Generate a text corpus as sparse term counts, labelled with topics.

    Parameters
    ----------
    n_documents : int, default=2000
        Number of samples.
    n_terms : int, default=5000
        Number of features.
    n_topics : int, default=20
        Number of labels. Each topic has at least one term, but a rare topic may have no document.
    mean_length : float, default=100.0
        Mean number of tokens of a document, from 1 to 1e6.
    mean_topics : float, default=1.5
        Mean number of topics drawn for a document, from 1 to 1e3: one plus a Poisson number. A
        topic that is drawn twice is one label with twice the weight.
    focus : float, default=0.5
        Probability, from 0 to 1, that a token that is not common is drawn from a topic of its
        document. With 0 the text does not depend on the topics.
    common : float, default=0.02
        Share of the vocabulary, the most frequent terms, that belongs to no topic.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.

    Returns
    -------
    Dataset
        X has the counts as CSR, with columns by falling expected frequency. The feature names
        contain the topic of each term, so that selected terms can be compared with the truth.

    Raises
    ------
    TypeError
        If an argument is not a number, or not a whole number.
    ValueError
        If an argument is out of its range, or there are more topics than terms for them.

    See Also
    --------
    labelwise.features.TextTerms : Count the terms of real texts.

    Notes
    -----
    The r-th most frequent term has the expected frequency :math:`f_r \propto 1 / (r + 2.7)`
    (the law of Zipf and Mandelbrot) over the whole corpus, independent of the topics. The first
    terms are common to all documents; any other term belongs to one topic, and topic t gets terms
    in proportion to 1 / t. A token is drawn by f. If its term is not common, it is, with
    probability `focus`, drawn again by f among the terms of one of the document's topics. A topic
    is as frequent as its terms. Lengths of documents are lognormal.

    Generation takes O(T log n_terms) time for T tokens in all. Tokens are drawn and counted about
    a million at a time, so that little memory is needed in addition to the result.

    Examples
    --------
    >>> from labelwise.data import make_corpus
    >>> corpus = make_corpus(n_documents=100, n_terms=500, n_topics=4, random_state=0)
    >>> corpus
    Dataset 'corpus': 100 samples, 500 features, 4 labels
    >>> corpus.feature_names[0], corpus.label_names[0]
    ('common term 0', 'topic 0')
    """
    n_documents = check_whole(n_documents, "n_documents")
    n_terms, n_topics = check_whole(n_terms, "n_terms"), check_whole(n_topics, "n_topics")
    mean_length = check_real(mean_length, "mean_length", least=1, most=1e6)
    mean_topics = check_real(mean_topics, "mean_topics", least=1, most=1e3)
    focus = check_real(focus, "focus", least=0, most=1)
    n_common = int(n_terms * check_real(common, "common", least=0, most=1))
    if n_terms - n_common < n_topics:
        raise ValueError(
            f"n_topics must be at most the {n_terms - n_common} terms not common, got {n_topics}."
        )
    rng = check_random_state(random_state)

    vocabulary = _make_vocabulary(n_terms, n_topics, n_common, rng)
    topics = _draw_topics(n_documents, vocabulary.topic_shares, mean_topics, rng)
    lengths = _draw_lengths(n_documents, mean_length, rng)
    X = _draw_counts(vocabulary, topics, lengths, focus, rng)
    return Dataset(
        X,
        topics.labels(n_topics),
        "corpus",
        [_term_name(term, topic) for term, topic in enumerate(vocabulary.topic)],
        [f"topic {topic}" for topic in range(n_topics)],
    )


def _make_vocabulary(n_terms: int, n_topics: int, n_common: int, rng: Any) -> Vocabulary:
    weight = 1 / (np.arange(n_terms) + 3.7)
    share = 1 / (1 + np.arange(n_topics))
    topic = np.full(n_terms, -1)
    topic[n_common:] = rng.choice(n_topics, size=n_terms - n_common, p=share / share.sum())
    # One term for each topic; the rarest, so that the shares hardly change.
    topic[-n_topics:] = rng.permutation(n_topics)
    return Vocabulary(weight / weight.sum(), topic)


def _draw_topics(n_documents: int, shares: np.ndarray, mean_topics: float, rng: Any) -> Topics:
    n_drawn = 1 + rng.poisson(mean_topics - 1, size=n_documents)
    starts = np.concatenate(([0], np.cumsum(n_drawn)))
    return Topics(rng.choice(shares.size, size=starts[-1], p=shares), starts)


def _draw_lengths(n_documents: int, mean_length: float, rng: Any) -> np.ndarray:
    # A lognormal number with this location has the wanted mean.
    location = np.log(mean_length) - _LENGTH_SPREAD**2 / 2
    drawn = rng.lognormal(location, _LENGTH_SPREAD, size=n_documents)
    lengths: np.ndarray = np.maximum(1, np.rint(drawn)).astype(np.int64)
    return lengths


def _draw_counts(
    vocabulary: Vocabulary, topics: Topics, lengths: np.ndarray, focus: float, rng: Any
) -> sparse.csr_array:
    """Return the counts of terms in documents, drawn for a block of documents at a time."""
    n_terms = vocabulary.frequency.size
    intervals = TermIntervals(vocabulary)
    block = np.cumsum(lengths) // _TOKENS_AT_ONCE
    rows = []
    for documents in np.split(np.arange(lengths.size), np.flatnonzero(np.diff(block)) + 1):
        owner = np.repeat(documents, lengths[documents])
        terms = _draw_terms(intervals, topics, owner, focus, rng)
        rows.append(_count_tokens(owner - documents[0], terms, (documents.size, n_terms)))
    return sparse.vstack(rows, format="csr")


class TermIntervals:
    """The vocabulary as intervals of [0, 1], one for each term; terms of a topic are adjacent."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.terms = np.argsort(vocabulary.topic, kind="stable")
        self.ends = np.cumsum(vocabulary.frequency[self.terms])
        n_terms_before = np.searchsorted(
            vocabulary.topic[self.terms], np.arange(vocabulary.topic.max() + 2)
        )
        self.topic_starts = np.concatenate(([0.0], self.ends))[n_terms_before]

    def __getitem__(self, place: np.ndarray) -> np.ndarray:
        """Return the term whose interval contains each number."""
        # The last interval ends at 1 up to rounding, so all larger numbers belong to it.
        return self.terms[np.searchsorted(self.ends[:-1], place, side="right")]


def _draw_terms(
    intervals: TermIntervals, topics: Topics, owner: np.ndarray, focus: float, rng: Any
) -> np.ndarray:
    """Return a term for each token, given the document of each token."""
    place = rng.random_sample(owner.size)
    start, end = intervals.topic_starts[[0, -1]]
    focused = np.flatnonzero((place >= start) & (rng.random_sample(owner.size) < focus))
    document = owner[focused]
    n_drawn = topics.starts[document + 1] - topics.starts[document]
    chosen = topics.starts[document] + (rng.random_sample(focused.size) * n_drawn).astype(np.int64)
    topic = topics.drawn[chosen]
    # Given that its term is not common, the number is uniform there: it serves as the second draw.
    fraction = (place[focused] - start) / (end - start)
    width = intervals.topic_starts[topic + 1] - intervals.topic_starts[topic]
    place[focused] = intervals.topic_starts[topic] + fraction * width
    return intervals[place]


def _count_tokens(
    documents: np.ndarray, terms: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Count the terms of each document, given the document and the term of each token."""
    cells, counts = np.unique(documents * shape[1] + terms, return_counts=True)
    starts = np.searchsorted(cells, np.arange(shape[0] + 1) * shape[1])
    # 32-bit indices: half the memory, and all that liblinear takes.
    columns, starts = (cells % shape[1]).astype(np.int32), starts.astype(np.int32)
    return sparse.csr_array((counts.astype(np.float64), columns, starts), shape=shape)


def _term_name(term: int, topic: int) -> str:
    return f"common term {term}" if topic < 0 else f"topic {topic} term {term}"


class Subject(NamedTuple):
    """The words of a subject, each list with blanks between them."""

    nouns: str
    verbs: str


SUBJECTS = {
    "astronomy": Subject(
        "star planet comet orbit telescope galaxy moon eclipse nebula satellite spectrum horizon",
        "orbits eclipses illuminates attracts",
    ),
    "economics": Subject(
        "market price trade bank tax wage debt currency tariff industry merchant budget",
        "finances taxes exports regulates",
    ),
    "geology": Subject(
        "rock mineral volcano fault glacier crystal sediment basalt crust quarry fossil lava",
        "erodes uplifts fractures buries",
    ),
    "history": Subject(
        "king empire treaty battle archive dynasty siege chronicle monastery crown revolt province",
        "conquers inherits records besieges",
    ),
    "medicine": Subject(
        "patient disease vaccine fever surgeon hospital infection symptom therapy nurse lung dose",
        "heals infects diagnoses vaccinates",
    ),
    "music": Subject(
        "melody violin choir opera rhythm sonata orchestra piano singer chord concert drum",
        "accompanies composes rehearses performs",
    ),
    "navigation": Subject(
        "ship harbour compass captain chart voyage anchor lighthouse coast sail cargo tide",
        "sails steers anchors charts",
    ),
    "zoology": Subject(
        "bird whale insect mammal nest herd predator feather larva reptile burrow migration",
        "hunts feeds migrates nests",
    ),
}
_GENERAL = Subject(
    "study method region result source number century group theory origin example account",
    "describes compares explains shows",
)


def make_abstracts(n_documents: int = 600, random_state: Any = None) -> Dataset:
    """Generate short texts in English words, labelled with the subjects that they are about.

    Sentences follow one pattern, and their words are drawn from the subjects of the document, from
    general words, and now and then from another subject.
    """
    require("pyarrow", "a table of texts")
    import pyarrow as pa

    n_documents = check_whole(n_documents, "n_documents")
    rng = check_random_state(random_state)
    names = list(SUBJECTS)
    frequency = 1 / np.arange(2, len(names) + 2)
    Y = np.zeros((n_documents, len(names)), dtype=bool)
    rows: dict[str, list[str]] = {"title": [], "abstract": []}
    for i in range(n_documents):
        n_subjects = min(1 + rng.poisson(_MEAN_SUBJECTS - 1), _MOST_SUBJECTS)
        chosen = rng.choice(len(names), n_subjects, replace=False, p=frequency / frequency.sum())
        Y[i, chosen] = True
        writer = _Writer([names[j] for j in chosen], rng)
        rows["title"].append(writer.title())
        rows["abstract"].append(writer.abstract())
    ids = {"id": [f"doc{i:04}" for i in range(n_documents)]}
    X, feature_names, _, texts, frame, _ = encode_table(pa.table(rows), list(rows))
    return Dataset(X, Y, "abstracts", feature_names, names, ids=ids, frame=frame, texts=texts)


class _Writer:
    """Writes sentences about some subjects."""

    def __init__(self, subjects: list[str], rng: Any) -> None:
        self._subjects, self._rng = subjects, rng

    def title(self) -> str:
        return f"The {self._noun()} and the {self._noun()}: {self._article(self._noun())}"

    def abstract(self) -> str:
        n_sentences = self._rng.randint(*_SENTENCES)
        return " ".join(self._sentence() for _ in range(n_sentences))

    def _sentence(self) -> str:
        verb = self._rng.choice(self._word().verbs.split())
        return (
            f"The {self._noun()} of the {self._noun()} {verb} {self._article(self._noun())} "
            f"near the {self._noun()}."
        )

    def _noun(self) -> str:
        nouns = self._word().nouns.split()
        # Words are the rarer the later they are in the list.
        return nouns[int(len(nouns) * self._rng.random_sample() ** 1.5)]

    def _word(self) -> Subject:
        chance = self._rng.random_sample()
        if chance < _GENERAL_SHARE:
            return _GENERAL
        others = list(SUBJECTS) if chance < _GENERAL_SHARE + _OTHER_SHARE else self._subjects
        return SUBJECTS[others[self._rng.randint(len(others))]]

    def _article(self, noun: str) -> str:
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
