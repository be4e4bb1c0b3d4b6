"""Texts that a model takes, their words, and their sentences as samples of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from labelwise._tables import Kind, plain_table, texts
from labelwise._text import stemmer_of
from labelwise._validation import is_frame
from labelwise.data import split_sentences
from labelwise.features import TextTerms

# Words as `TextTerms` counts them.
_WORD = re.compile(r"\w\w+")


def raw_step(model: Any) -> Any:
    """Return the first step of a model if it takes texts or tables, else None."""
    while True:
        if isinstance(model, Pipeline):
            model = model.steps[0][1]
        elif hasattr(model, "estimator_"):
            model = model.estimator_
        elif hasattr(model, "best_names_"):
            # The best of several learners, each with an encoder of its own.
            model = next(iter(model.estimators_), None)
        else:
            break
    takes_text = hasattr(model, "__sklearn_tags__") and get_tags(model).input_tags.string
    return model if takes_text else None


def texts_of(model: Any, X: Any) -> dict[str, list[str]]:
    """Return the columns of text that a model takes, by their names; none if it takes none."""
    step = raw_step(model)
    if step is None:
        return {}
    if not is_frame(X):
        return {"text": list(X)}
    table = plain_table(X)
    kinds = getattr(step, "kinds_", dict.fromkeys(table.column_names, str(Kind.TEXT)))
    return {name: texts(table.column(name)).tolist() for name in kinds if kinds[name] == Kind.TEXT}


class WordsOfStems:
    """Words of the texts that a model takes, by their stems; `of` makes one if there are stems."""

    def __init__(self, model: Any, X: Any, language: str) -> None:
        self._model, self._X = model, X
        self._stem = stemmer_of(language)
        self._words: dict[tuple[int, str], dict[str, str]] = {}

    @classmethod
    def of(cls, model: Any, X: Any) -> WordsOfStems | None:
        """Return the words of texts if the first step of a model stems them, else None."""
        step = raw_step(model)
        step = getattr(step, "text_transformer_", getattr(step, "encoder_", step))
        step = step.steps[0][1] if hasattr(step, "steps") else step
        if not isinstance(step, TextTerms) or not step.stem or step.analyzer != "word":
            return None
        return None if step.language is None else cls(model, X, step.language)

    def in_words(self, term: str, row: int) -> str:
        """Return a term of stems, which may begin with the name of its column, in words of a row.

        Of several words with the same stem, it is the first one in the text.
        """
        column, mark, stems = term.rpartition(":")
        known = self._words_of(row, column)
        return column + mark + " ".join(known.get(stem, stem) for stem in stems.split(" "))

    @cached_property
    def _columns(self) -> dict[str, list[str]]:
        return texts_of(self._model, self._X)

    def _words_of(self, row: int, column: str) -> dict[str, str]:
        key = row, column
        if key not in self._words:
            known = self._columns
            columns = [known[column]] if column in known else list(known.values())
            words = self._words[key] = {}
            for word in _WORD.findall(" ".join(texts[row] or "" for texts in columns).lower()):
                words.setdefault(self._stem(word), word)
        return self._words[key]


def split_samples(X: Any, names: Sequence[str]) -> tuple[Any, np.ndarray, list[str]]:
    """Return a sample for each sentence, the first one of each text, and the sentences.

    X is a list of texts, or an Arrow table of which `names` are the columns of texts. A sentence is
    in the column of its text, and the others are empty; other columns are those of the row.
    """
    if not is_frame(X):
        found = split_sentences([_text(one) for one in X])
        starts = np.concatenate([[0], np.cumsum([len(of) for of in found])])
        sentences = [sentence for of in found for sentence in of]
        return sentences, starts, sentences
    import pyarrow as pa

    parts = [split_sentences(texts(X.column(name)).tolist()) for name in names]
    of_rows = [
        [(place, sentence) for place, part in enumerate(parts) for sentence in part[i]]
        for i in range(X.num_rows)
    ]
    sizes = [len(of) for of in of_rows]
    placed = [pair for of in of_rows for pair in of]
    table = X.take(np.repeat(np.arange(X.num_rows), sizes))
    for place, name in enumerate(names):
        alone = [sentence if at == place else "" for at, sentence in placed]
        number = table.column_names.index(name)
        table = table.set_column(number, name, pa.array(alone, pa.string()))
    return table, np.concatenate([[0], np.cumsum(sizes)]), [sentence for _, sentence in placed]


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"X must have texts, got {type(value).__name__}.")
    return value or ""
