"""Read the 22 SGML files of Reuters-21578 with the ModApte split, as counts of stemmed terms.

The data set consists of the documents with ``TOPICS="YES"`` and ``LEWISSPLIT`` TRAIN or TEST that
have at least one of the topics that occur in both parts: 90 topics, 7770 training and 3019 test
documents (some copies lack one of the training documents). The files are Latin-1. Of a document
without markup (``UNPROC``) the whole text is used; other documents have a title and a body.

D. D. Lewis, "Reuters-21578 Text Categorization Test Collection, Distribution 1.0", 1997.

C. Apté, F. Damerau, S. M. Weiss, "Automated Learning of Decision Rules for Text Categorization",
ACM Transactions on Information Systems, 1994.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._io import DataError, bound_of, read_bytes, reading
from labelwise._text import WordNumbers, stemmer_of, stop_words_of
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest

# A word of two letters and the space after it take this many times their length in memory.
_WORD_GROWTH = 20
# Letters of any alphabet, with apostrophes inside; digits are not letters.
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    """Read the folder of the collection, the only path, as counts of terms with label names sorted.

    Documents have the order of the files, and ``ids["newid"]`` has their numbers.
    """
    with reading(paths[0], request.max_bytes):
        return _read_folder(paths[0], request.max_bytes)


REUTERS = FileFormat("the Reuters-21578 collection", (".sgm",), _read, is_folder=True)


def _read_folder(folder: Path, max_bytes: int | None) -> Dataset:
    found = [*folder.glob("reut2-*.sgm"), *folder.glob("reut2-*.sgm.gz")]
    # A file that is there both plain and as gzip is read once.
    paths = {path.name.removesuffix(".gz"): path for path in found}
    if not paths:
        raise DataError(folder, "has no files reut2-*.sgm or reut2-*.sgm.gz.")
    news = [doc for name in sorted(paths) for doc in _documents(paths[name], max_bytes)]
    in_train, in_test = (
        {topic for doc in news if doc.part == part for topic in doc.topics}
        for part in ("TRAIN", "TEST")
    )
    topics = in_train & in_test
    if not topics:
        raise DataError(folder, "has no topic that occurs in training and test documents.")
    return _dataset([doc for doc in news if not topics.isdisjoint(doc.topics)], topics)


class _Document(NamedTuple):
    newid: str
    part: str
    topics: list[str]
    text: str


def _dataset(news: Sequence[_Document], topics: set[str]) -> Dataset:
    counts, terms = count_terms(doc.text for doc in news)
    parts = np.array([doc.part for doc in news])
    return Dataset(
        counts,
        [topics.intersection(doc.topics) for doc in news],
        "reuters21578",
        terms,
        sorted(topics),
        np.flatnonzero(parts == "TRAIN"),
        np.flatnonzero(parts == "TEST"),
        ids={"newid": [doc.newid for doc in news]},
    )


def _documents(path: Path, max_bytes: int | None) -> Iterator[_Document]:
    """Yield the documents of a file that belong to the ModApte split."""
    bound = bound_of(path, max_bytes)
    content = read_bytes(path, bound.max_bytes).decode("latin-1")
    bound.check(len(content) * _WORD_GROWTH, "its words")
    start = content.find("<REUTERS ")
    if start < 0:
        raise DataError(path, "has no <REUTERS> document.")
    while start >= 0:
        following = content.find("<REUTERS ", start + 1)
        document = content[start : following if following >= 0 else len(content)]
        try:
            attributes = _attributes(document)
            if attributes["TOPICS"] == "YES" and attributes["LEWISSPLIT"] in ("TRAIN", "TEST"):
                yield _parsed(document, attributes)
        except ValueError as error:
            line = content.count("\n", 0, start) + 1
            raise DataError(path, f"has a document {error}.", line) from error
        start = following


def _attributes(document: str) -> dict[str, str]:
    """Return the attributes, name="value", of the opening tag of a document."""
    tag = document.partition(">")[0]
    parts = tag.removeprefix("<REUTERS ").split('"')
    names = (name.strip(" =\r\n") for name in parts[::2])
    attributes = dict(zip(names, parts[1::2], strict=False))
    for name in ("TOPICS", "LEWISSPLIT", "NEWID"):
        if name not in attributes:
            raise ValueError(f"without {name}")
    if "</REUTERS>" not in document:
        raise ValueError("without end")
    return attributes


def _parsed(document: str, attributes: dict[str, str]) -> _Document:
    topics = _inside(document, "<TOPICS>", "</TOPICS>")
    text = _inside(document, "<TEXT", "</TEXT>")
    if topics is None or text is None:
        raise ValueError("without TOPICS or TEXT")
    title, body = _inside(text, "<TITLE>", "</TITLE>"), _inside(text, "<BODY>", "</BODY>")
    if title is None and body is None:
        # Without markup the text is all that follows the opening tag.
        body = text.partition(">")[2]
    words = _unescaped(f"{title or ''}\n{body or ''}")
    names = [topic.strip().removeprefix("<D>") for topic in topics.split("</D>")[:-1]]
    return _Document(attributes["NEWID"], attributes["LEWISSPLIT"], names, words)


def _inside(text: str, opening: str, closing: str) -> str | None:
    """Return the text between two tags, None unless both occur."""
    start = text.find(opening)
    end = text.find(closing, start)
    return text[start + len(opening) : end] if 0 <= start < end else None


def _unescaped(text: str) -> str:
    """Expand entities; marks such as &#3; contain no letters and can stay."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def count_terms(texts: Iterable[str]) -> tuple[sparse.csr_array, tuple[str, ...]]:
    """Count how often each stemmed English word occurs in each text, in one pass over the texts.

    Words are sequences of at least two letters, in lower case, and may contain apostrophes. Stop
    words are removed, and the other words are reduced to their stems; those of more than 100
    letters are not stemmed. Columns are the sorted terms, which are returned, too.
    """
    stop_words, stem = stop_words_of("english"), stemmer_of("english")
    words = WordNumbers(lambda word: "" if len(word) < 2 or word in stop_words else stem(word))
    seen, indptr = words.of_texts(_WORD.findall(text.lower()) for text in texts)
    terms = sorted(words.of_terms)
    column = np.empty(len(terms), dtype=np.int64)
    column[[words.of_terms[term] for term in terms]] = np.arange(len(terms))
    ones, shape = np.ones(seen.size, dtype=np.int64), (indptr.size - 1, len(terms))
    counts = sparse.csr_array((ones, column[seen], indptr), shape=shape)
    counts.sum_duplicates()
    return counts, tuple(terms)
