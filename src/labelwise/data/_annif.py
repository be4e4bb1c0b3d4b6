"""Read the files of Annif: short texts, folders of texts, vocabularies and suggestions.

Annif (Suominen, Inkinen, Lehtinen, "Annif and Finto AI: Developing and Implementing Automated
Subject Indexing", 2022) names subjects by URIs, and a vocabulary has the preferred label of each.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelwise._extras import require
from labelwise._io import (
    TEXT_BYTES,
    DataError,
    bound_of,
    decode,
    plain_ending,
    plain_name,
    read_bytes,
    reading,
)
from labelwise._tables import encode_table
from labelwise._validation import NamedMatrix
from labelwise.data._dataset import Dataset
from labelwise.data._file_format import FileFormat, ReadRequest

_PREF_LABEL = "http://www.w3.org/2004/02/skos/core#prefLabel"
_URI = re.compile(r"<([^<>\s]*)>")
# Bytes at the beginning of a tsv file that show whether it is a corpus.
_LOOKED_AT = 2**16
# The tokens of Turtle. Alternatives are tried in this order, and none of them is tried twice at a
# place, so that the time is linear in the length of the file.
_TURTLE = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*+)++)
    |(?P<iri><[^<>"{}|^`\\\s]*+>)
    |(?P<long>"{3}(?:[^"\\]|\\.|"(?!""))*+"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*+'{3})
    |(?P<text>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')
    |(?P<tag>@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)
    |(?P<type>\^\^)
    |(?P<mark>[;,\[\]()]|\.(?!\d))
    |(?P<word>(?:[^\s<>"'\[\]();,.\#^@]|\.(?=[\w:%\\-])|\\.)++)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)


def read_annif(
    path: str | Path,
    vocabulary: str | Path | Mapping[str, str] | None = None,
    *,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read a corpus of Annif: texts with their subjects.

    Parameters
    ----------
    path : str or Path
        A file with a line for each text: the text, a tab, and its subjects as ``<uri>``, separated
        by spaces (``.tsv``, also ``.tsv.gz``); or a folder with a file ``NAME.txt`` for each text,
        and beside it its subjects in ``NAME.tsv`` (``<uri>``, a tab, and the label, one a line) or
        in ``NAME.key`` (one label a line). A text without such a file has no subjects.
    vocabulary : str, Path or mapping of str to str, default=None
        The vocabulary, or its file for `read_vocabulary`: labels are named by preferred labels, and
        are those of the vocabulary that the texts have. Subjects outside of it are refused. After
        the name of a file of Turtle, an at sign and a language may follow, such as "ykl.ttl@fi".
        None names labels by their URIs, or by the labels of a folder.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    Dataset
        The texts in the column "text" of `frame`, and the labels. The ids of a folder are the names
        of its files.

    Raises
    ------
    DataError
        If a file cannot be read, or names a subject that is not in the vocabulary.

    See Also
    --------
    read_suggestions : Read the suggestions of Annif as scores.
    read_vocabulary : Read the preferred labels of subjects.

    Examples
    --------
    >>> from labelwise.data import read_annif
    >>> path = getfixture("tmp_path") / "corpus.tsv"
    >>> _ = path.write_text("ships at sea\t<http://x/1> <http://x/2>\ndark woods\t<http://x/3>\n")
    >>> corpus = read_annif(path, {f"http://x/{i}": f"topic {i}" for i in (1, 2, 3)})
    >>> corpus.label_names
    ('topic 1', 'topic 2', 'topic 3')
    """
    names = _vocabulary(vocabulary, max_bytes)
    return _corpus([Path(path)], names, plain_name(path), max_bytes)


def is_annif(path: str | Path) -> bool:
    r"""Tell whether a file or folder is a corpus of Annif.

    Parameters
    ----------
    path : str or Path
        A file or folder.

    Returns
    -------
    bool
        Whether it is a tsv file whose lines are texts with subjects as ``<uri>``, by its first 64
        KiB; or a folder with txt files that have subjects beside them, or that are its only files.

    See Also
    --------
    read_annif : Read the texts of a corpus.

    Examples
    --------
    >>> from labelwise.data import is_annif
    >>> path = getfixture("tmp_path") / "corpus.tsv"
    >>> _ = path.write_text("ships at sea\t<http://x/1> <http://x/2>\n")
    >>> is_annif(path)
    True
    """
    path = Path(path)
    if path.is_dir():
        names = {file.name.lower().removesuffix(".gz") for file in path.iterdir() if file.is_file()}
        stems = {name.removesuffix(".txt") for name in names if name.endswith(".txt")}
        beside = any({f"{stem}.tsv", f"{stem}.key", f"{stem}.annif"} & names for stem in stems)
        return beside or (bool(stems) and all(name.endswith(".txt") for name in names))
    if plain_ending(path) != ".tsv" or not path.is_file():
        return False
    lines = _first_lines(path)
    ends = [line.rpartition("\t")[1:] for line in lines if line.strip()]
    has_subjects = [bool(_URI.findall(subjects)) for _, subjects in ends]
    return any(has_subjects) and all(
        tab and not _URI.sub("", subjects).strip() for tab, subjects in ends
    )


def _first_lines(path: Path) -> list[str]:
    """Return the whole lines at the beginning of a file."""
    with path.open("rb") as plain:
        is_gzip = plain.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if is_gzip else path.open("rb") as stream:
            content = stream.read(_LOOKED_AT)
            is_whole = not stream.read(1)
    except (OSError, EOFError, zlib.error):
        return []
    text = content.decode("utf-8", errors="replace")
    return text.split("\n") if is_whole else text.split("\n")[:-1]


def _read(paths: Sequence[Path], request: ReadRequest) -> Dataset:
    labels = request.labels
    if labels is not None and not isinstance(labels, str | Path):
        raise TypeError(f"labels must be the vocabulary of a corpus of Annif, got {labels!r}.")
    names = _vocabulary(labels or None, request.max_bytes)
    return _corpus(paths, names, request.name, request.max_bytes)


# Before tables, whose ending its files have.
ANNIF = FileFormat("a corpus of Annif", (), _read, uses=frozenset({"labels"}), recognises=is_annif)


def _corpus(
    paths: Sequence[Path], names: Mapping[str, str] | None, name: str, max_bytes: int | None
) -> Dataset:
    """Read a corpus, or a training and a test file."""
    require("pyarrow", "a table of texts")
    import pyarrow as pa

    path, train, test = paths[0], None, None
    with reading(path, max_bytes) as bound:
        parts = [
            list(_folder(one, max_bytes) if one.is_dir() else _short_texts(one, max_bytes))
            for one in paths
        ]
        documents = [doc for part in parts for doc in part]
        if not all(parts):
            raise DataError(paths[[len(part) for part in parts].index(0)], "has no texts.")
        if len(parts) == 2:
            train, test = np.split(np.arange(len(documents)), [len(parts[0])])
        known = _known(path, {one for doc in documents for one in doc.subjects}, names)
        labels = sorted(set(known.values()))
        place = {label: j for j, label in enumerate(labels)}
        sets = [sorted({place[known[one]] for one in doc.subjects}) for doc in documents]
        starts = np.concatenate(([0], np.cumsum([len(one) for one in sets])))
        columns = np.array([j for one in sets for j in one], dtype=np.int64)
        shape = (len(documents), len(labels))
        Y = sparse.csr_array((np.ones(columns.size, dtype=bool), columns, starts), shape=shape)
        table = pa.table({"text": pa.array([doc.text for doc in documents], pa.string())})
        found = encode_table(table, ["text"], bound.check)
    ids = {"id": np.array([doc.name for doc in documents])} if path.is_dir() else {}
    return Dataset(
        found.X,
        sparse.csc_array(Y),
        name,
        found.names,
        labels,
        train,
        test,
        ids=ids,
        frame=found.frame,
        texts=found.texts,
    )


def read_vocabulary(
    path: str | Path, *, language: str = "en", max_bytes: int | None = None
) -> dict[str, str]:
    """Read the preferred label of each subject of a vocabulary.

    Parameters
    ----------
    path : str or Path
        A file with a line for each subject, ``<uri>``, a tab and its label (``.tsv``); or SKOS in
        Turtle (``.ttl``), of which the triples with skos:prefLabel are read; also as ``.gz``.
    language : str, default="en"
        Language of the labels of Turtle. A subject without a label in this language has the one
        without a language, or else the first one in the order of languages.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    dict of str to str
        Label of each URI. If several subjects have the same label, the URI follows in brackets.

    Raises
    ------
    DataError
        If the file is neither, or has no preferred label.

    See Also
    --------
    read_annif : Read the texts of a corpus.
    """
    path = Path(path)
    with reading(path, max_bytes):
        text = _text(path, max_bytes)
        is_turtle = path.name.lower().removesuffix(".gz").endswith(".ttl")
        found = _turtle_labels(path, text, language) if is_turtle else dict(_pairs(path, text))
        if not found:
            raise DataError(path, "has no preferred labels of subjects.")
    n_subjects = Counter(found.values())
    return {
        uri: f"{label} ({uri})" if n_subjects[label] > 1 else label for uri, label in found.items()
    }


def read_suggestions(
    folder: str | Path,
    vocabulary: str | Path | Mapping[str, str] | None = None,
    *,
    max_bytes: int | None = None,
) -> NamedMatrix:
    """Read the suggestions that ``annif index`` wrote, as scores.

    Parameters
    ----------
    folder : str or Path
        A folder with a file ``NAME.annif`` of suggestions for each text: ``<uri>``, label and score
        with tabs between them, one a line.
    vocabulary : str, Path or mapping of str to str, default=None
        As in `read_annif`; the labels are all those of the vocabulary. None means those that are
        suggested, named by their URIs.
    max_bytes : int, default=None
        Refuse a file if its unpacked content, or an array built from it, takes more bytes. None
        means 64 times the size of the file, but at least 1 GiB, and at most half of the memory.

    Returns
    -------
    NamedMatrix
        Scores as CSR of shape (n_texts, n_labels), in the order of the file names, which are the
        ids; a subject that is not suggested has no score and is never decided. Functions that take
        scores and labels match them by id and by name; labels that only the truth has get no score.

    Raises
    ------
    DataError
        If the folder has no such files, or a line is not a suggestion.

    See Also
    --------
    read_annif : Read the texts of a corpus, and their subjects.
    labelwise.decisions.best_thresholds : Tune thresholds on scores.
    """
    folder = Path(folder)
    names = _vocabulary(vocabulary, max_bytes)
    paths = sorted(folder.glob("*.annif"))
    if not paths:
        raise DataError(folder, "has no files *.annif.")
    rows: list[list[tuple[str, float]]] = []
    for path in paths:
        with reading(path, max_bytes):
            rows.append(list(_suggestions(path, _text(path, max_bytes))))
    known = _known(folder, {uri for row in rows for uri, _ in row}, names)
    labels = sorted(set(known.values() if names is None else names.values()))
    place = {label: j for j, label in enumerate(labels)}
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    columns = np.array([place[known[uri]] for row in rows for uri, _ in row], dtype=np.int64)
    values = np.array([score for row in rows for _, score in row])
    matrix = sparse.csr_array((values, columns, starts), shape=(len(rows), len(labels)))
    matrix.sort_indices()
    ids = tuple(path.stem for path in paths)
    return NamedMatrix(matrix, tuple(labels), ids, source=folder, has_label_lists=True)


class _IndexedText(NamedTuple):
    name: str
    text: str
    subjects: list[str]


def _text(path: Path, max_bytes: int | None) -> str:
    return decode(read_bytes(path, max_bytes))[0]


def _short_texts(path: Path, max_bytes: int | None) -> Iterator[_IndexedText]:
    """Yield the texts of a file with a line each."""
    content = _text(path, max_bytes)
    bound_of(path, max_bytes).check(content.count("\n") * 3 * TEXT_BYTES, "its texts")
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        text, tab, subjects = line.rstrip("\r").rpartition("\t")
        if not tab:
            raise DataError(path, f"line {number} must have a text, a tab and subjects.")
        found = _URI.findall(subjects)
        if not found and subjects.strip():
            raise DataError(path, f"line {number} must have subjects as <uri> after the tab.")
        yield _IndexedText("", text, found)


def _folder(folder: Path, max_bytes: int | None) -> Iterator[_IndexedText]:
    """Yield the texts of a folder, in the order of their names."""
    texts = [*folder.glob("*.txt"), *folder.glob("*.txt.gz")]
    for name, path in sorted((plain_name(path), path) for path in texts):
        subjects: list[str] = []
        beside = [folder / f"{name}{end}" for end in (".tsv", ".tsv.gz", ".key", ".key.gz")]
        found = next((file for file in beside if file.exists()), None)
        if found is not None and plain_ending(found) == ".tsv":
            subjects = [uri for uri, _ in _pairs(found, _text(found, max_bytes))]
        elif found is not None:
            lines = _text(found, max_bytes).splitlines()
            subjects = [line.strip() for line in lines if line.strip()]
        yield _IndexedText(name, _text(path, max_bytes), subjects)


def _pairs(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield URI and label of each line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        first, *rest = line.rstrip("\r").split("\t")
        uri = _URI.fullmatch(first.strip())
        if uri is None:
            raise DataError(path, f"line {number} must begin with a subject as <uri>.")
        yield uri.group(1), rest[0].strip() if rest else ""


def _suggestions(path: Path, text: str) -> Iterator[tuple[str, float]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("\t")
        uri = _URI.fullmatch(cells[0].strip())
        try:
            score = float(cells[-1])
        except ValueError:
            score = float("nan")
        if uri is None or len(cells) < 3 or not np.isfinite(score):
            raise DataError(path, f"line {number} must be <uri>, label and score, with tabs.")
        yield uri.group(1), score


def _vocabulary(
    given: str | Path | Mapping[str, str] | None, max_bytes: int | None
) -> Mapping[str, str] | None:
    """Return a vocabulary, which may be given as a file with an at sign and a language after it."""
    if given is None or isinstance(given, Mapping):
        return given
    if isinstance(given, str) and "@" in given and not Path(given).exists():
        path, _, language = given.rpartition("@")
        return read_vocabulary(path, language=language, max_bytes=max_bytes)
    return read_vocabulary(given, max_bytes=max_bytes)


def _known(path: Path, subjects: set[str], names: Mapping[str, str] | None) -> dict[str, str]:
    """Return the label of each subject, which a file names by URI or by label."""
    if names is None:
        return {one: one for one in subjects}
    labels = set(names.values())
    unknown = sorted(one for one in subjects if one not in names and one not in labels)
    if unknown:
        raise DataError(
            path, f"has the subject {unknown[0]!r:.100}, which is not in the vocabulary."
        )
    return {one: names.get(one, one) for one in subjects}


class _Triple(NamedTuple):
    """A triple whose object is a text with a language ("" for none)."""

    subject: str
    predicate: str
    text: str
    language: str


def _turtle_labels(path: Path, text: str, language: str) -> dict[str, str]:
    """Return the preferred label of each subject in the language, or else in another one."""
    found: dict[str, dict[str, str]] = {}
    for triple in _texts_of_turtle(path, text):
        if triple.subject and triple.predicate == _PREF_LABEL:
            found.setdefault(triple.subject, {}).setdefault(triple.language, triple.text)
    return {
        uri: by_language.get(language, by_language[min(by_language)])
        for uri, by_language in found.items()
    }


def _texts_of_turtle(path: Path, text: str) -> Iterator[_Triple]:
    """Yield the triples of Turtle whose objects are texts; blank nodes and lists are skipped."""
    prefixes: dict[str, str] = {}
    subject = predicate = ""
    n_terms = depth = 0  # terms of the statement so far, and brackets that are open
    directive: list[str] = []  # PREFIX or BASE and what follows
    for kind, term, language in _terms(path, text):
        if kind == "mark" and term in "[(":
            depth += 1
            if depth == 1:
                n_terms += 1
                subject = "" if n_terms == 1 else subject
        elif kind == "mark" and term in "])":
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif kind == "mark":
            n_terms = {".": 0, ";": 1, ",": 2}[term]
            directive = [] if term == "." else directive
        elif kind == "directive":
            directive = [term]
        elif directive:
            directive.append(term)
            if directive[0] == "prefix" and len(directive) == 3:
                prefixes[directive[1]] = term[1:-1]
            # The form without @ has no full stop at its end.
            directive = (
                [] if len(directive) == (3 if directive[0] == "prefix" else 2) else directive
            )
        else:
            n_terms += 1
            if n_terms == 1:
                subject = _iri(term, kind, prefixes)
            elif n_terms == 2:
                predicate = _iri(term, kind, prefixes)
            elif kind == "text":
                yield _Triple(subject, predicate, term, language)


def _terms(path: Path, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, content and language of each term and mark."""
    literal: str | None = None
    is_type = False
    for kind, token in _tokens(path, text):
        if literal is not None:
            language = token[1:].lower() if kind == "tag" else ""
            # A text with a type, such as a date, is not a label.
            yield ("typed" if kind == "type" else "text"), literal, language
            literal, is_type = None, kind == "type"
            if kind in ("tag", "type"):
                continue
        if is_type:
            is_type = False
        elif kind in ("text", "long"):
            width = 3 if kind == "long" else 1
            literal = _unescaped(token[width:-width])
        elif kind == "tag" or token.upper() in ("PREFIX", "BASE"):
            yield "directive", token.lstrip("@").lower(), ""
        else:
            yield kind, token, ""


def _tokens(path: Path, text: str) -> Iterator[tuple[str, str]]:
    end = 0
    for match in _TURTLE.finditer(text):
        if match.start() != end:
            break
        end = match.end()
        if match.lastgroup != "space":
            yield str(match.lastgroup), match.group()
    if end != len(text):
        line = text.count("\n", 0, end) + 1
        raise DataError(path, f"is not Turtle from line {line} on.")


def _iri(token: str, kind: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI of a token: in brackets, or a prefix and a name; other words as they are."""
    if kind == "iri":
        return token[1:-1]
    prefix, colon, name = token.partition(":")
    base = prefixes.get(f"{prefix}{colon}")
    return token if base is None else base + re.sub(r"\\(.)", r"\1", name)


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        if code[0] in "uU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number < 0x110000 else "\ufffd"
        return _ESCAPES.get(code, code)

    return _ESCAPE.sub(character, text)
