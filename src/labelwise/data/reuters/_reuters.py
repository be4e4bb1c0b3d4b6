"""Read Reuters-21578, Distribution 1.0: 22 SGML files, split as by Apté and others (ModApte)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelwise._io import DataError, bound_of, read_bytes, reading
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest
from labelwise.data.reuters._terms import count_terms

# A word of two letters, with the space after it, takes so many times its length.
_WORD_GROWTH = 20


def read_reuters(folder: str | Path, *, max_bytes: int | None = None) -> Dataset:
    """Return the Reuters-21578 news of the ModApte split as counts of terms.

    Kept are the documents with ``TOPICS="YES"`` and ``LEWISSPLIT`` TRAIN or TEST that have at
    least one of the topics that occur in both parts: 90 topics, 7770 and 3019 documents (some
    copies lack one of the training documents).

    Parameters
    ----------
    folder : str or Path
        Where the files ``reut2-000.sgm`` to ``reut2-021.sgm`` are, plain or as ``.sgm.gz``.
    max_bytes : int, optional
        A file that unpacks to more is refused. By default 64 times the size of the file, but at
        least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        X holds counts, as CSR, of the stems of the words in title and body (see
        `count_terms`); ``tf_idf(X, train)`` weighs them. Label names are the topics, sorted;
        documents stand as in the files, and ``ids["newid"]`` holds their numbers.

    Raises
    ------
    DataError
        If the folder has no such files, or one of them is not what it should be, with the line.

    Notes
    -----
    The files are Latin-1. Of the entities only ``&lt;``, ``&gt;`` and ``&amp;`` are expanded. A
    document that is not marked up (``UNPROC``) counts whole.

    References
    ----------
    D. D. Lewis, Reuters-21578 text categorization test collection, Distribution 1.0, 1997.
    C. Apté, F. Damerau and S. M. Weiss, Automated learning of decision rules for text
    categorization, 1994.

    Examples
    --------
    >>> from labelwise.data import read_reuters, tf_idf
    >>> reuters = read_reuters("reuters21578")        # doctest: +SKIP
    >>> X = tf_idf(reuters.X, reuters.train)          # doctest: +SKIP
    """
    with reading(folder, max_bytes):
        return _read_folder(Path(folder), max_bytes)


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    return read_reuters(paths[0], max_bytes=request.max_bytes)


REUTERS = FileFormat("the Reuters-21578 collection", (".sgm",), _read, is_folder=True)


def _read_folder(folder: Path, max_bytes: int | None) -> Dataset:
    found = [*folder.glob("reut2-*.sgm"), *folder.glob("reut2-*.sgm.gz")]
    # A file may lie there packed and unpacked: it is read once.
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
    """Give the documents of a file that ModApte uses."""
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
    """Return what the opening tag says, name="value" for each attribute, of a whole document."""
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
        # Not marked up: all that follows the rest of the opening tag.
        body = text.partition(">")[2]
    words = _unescaped(f"{title or ''}\n{body or ''}")
    names = [topic.strip().removeprefix("<D>") for topic in topics.split("</D>")[:-1]]
    return _Document(attributes["NEWID"], attributes["LEWISSPLIT"], names, words)


def _inside(text: str, opening: str, closing: str) -> str | None:
    """Return what stands between two tags, None if they are not both there."""
    start = text.find(opening)
    end = text.find(closing, start)
    return text[start + len(opening) : end] if 0 <= start < end else None


def _unescaped(text: str) -> str:
    """Return the text with its characters; marks such as &#3; hold no letters and may stay."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
