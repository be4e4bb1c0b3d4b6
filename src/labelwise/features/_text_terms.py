"""The transformer of texts to term counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelwise._text import check_language, stemmer_of, stop_words_of
from labelwise._validation import check_names, check_real, check_whole, is_frame, is_whole
from labelwise.features._term_counts import TermCounts, count_characters, count_words


class TextTerms(TransformerMixin, BaseEstimator):
    """Count the terms of texts: words without stop words, reduced to their stems.

    Words are sequences of at least two letters or digits, in lower case. Words of more than 100
    characters are ignored. The terms are those of the texts in `fit`; other terms of new texts are
    not counted.

    Parameters
    ----------
    language : str or None, default="english"
        Language of the stop words and of the Snowball stemmer, such as "german". None means no stop
        words and no stemming.
    analyzer : {"word", "char_wb"}, default="word"
        Whether terms are successive words, or successive characters within words, which are then
        all that is between blanks, with a blank at both ends. Characters are neither stemmed nor
        removed, and need no language.
    stop_words : "auto", collection of str or None, default="auto"
        Words to remove, in lower case. "auto" means the list of the language: that of scikit-learn
        for English, and lists of function words for Dutch, French, German, Italian, Portuguese,
        Spanish and Swedish. There is no list for other languages. None removes no words.
    stem : bool, default=True
        Whether to reduce words to their stems.
    ngram_range : tuple of (int, int), default=(1, 1)
        Smallest and largest number of successive words, or characters, in a term.
    min_df : int or float, default=1
        Ignore terms that occur in fewer texts: a number of texts, or a share of them as a float.
    max_df : int or float, default=1.0
        Ignore terms that occur in more texts: a number of texts, or a share of them as a float.

    Attributes
    ----------
    terms_ : list of ndarray of str
        The terms of each text column, in sorted order.
    n_features_in_ : int
        Number of text columns.
    feature_names_in_ : ndarray of str
        Names of the text columns, if X was a frame.

    See Also
    --------
    TableFeatures : Texts beside numbers and categories.
    OkapiWeights : Weight counts by the length of the text.
    sklearn.feature_extraction.text.TfidfTransformer : Weight counts by tf-idf.

    Notes
    -----
    Without stemming and stop words, terms and counts are those of
    `sklearn.feature_extraction.text.CountVectorizer`, except for words of more than 100 characters.
    Each distinct word is stemmed, or split into characters, once. Stems are computed by PyStemmer
    if it is installed, else by snowballstemmer. In contrast to a `CountVectorizer` with a stemmer
    as its tokenizer, a fitted `TextTerms` has no Python function among its attributes, and
    `labelwise.save` can store it.

    References
    ----------
    M. F. Porter, "Snowball: A Language for Stemming Algorithms", 2001.

    Examples
    --------
    >>> from labelwise.features import TextTerms
    >>> terms = TextTerms().fit(["The sailors are sailing.", "A sailor's boats; boats!"])
    >>> terms.get_feature_names_out().tolist()
    ['boat', 'sail', 'sailor']
    >>> terms.transform(["Boats and planes"]).toarray()
    array([[1., 0., 0.]])
    """

    def __init__(
        self,
        language: str | None = "english",
        *,
        analyzer: str = "word",
        stop_words: Collection[str] | str | None = "auto",
        stem: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: float = 1,
        max_df: float = 1.0,
    ) -> None:
        self.language = language
        self.analyzer = analyzer
        self.stop_words = stop_words
        self.stem = stem
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df

    def fit(self, X: Any, y: Any = None) -> TextTerms:
        """Learn the terms of texts.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts. Each column has its own terms. None and NaN are empty texts.
        y : None, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        TextTerms
            This object.

        Raises
        ------
        TypeError
            If X is a single string, or a value is not a string.
        ValueError
            If a parameter is out of range, or no term is left.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_array:
        """Learn the terms of texts, and count them.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts. Each column has its own terms. None and NaN are empty texts.
        y : None, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        csr_array of float64 of shape (n_texts, n_terms)
            Number of occurrences of each term in each text.

        Raises
        ------
        TypeError
            If X is a single string, or a value is not a string.
        ValueError
            If a parameter is out of range, or no term is left.
        """
        del y
        self._check_parameters()
        texts = _text_columns(X)
        counted = [self._count(column, self._limits(len(column))) for column in texts.columns]
        if not any(terms for terms, _ in counted):
            raise ValueError("X must have a term in at least min_df texts, got none.")
        self.terms_ = [np.array(terms, dtype=np.str_) for terms, _ in counted]
        self.n_features_in_ = len(texts.columns)
        if texts.names is not None:
            self.feature_names_in_ = np.array(texts.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return _joined([counts for _, counts in counted])

    def transform(self, X: Any) -> sparse.csr_array:
        """Count the terms of texts that are known from `fit`.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts, with the same columns as in `fit`.

        Returns
        -------
        csr_array of float64 of shape (n_texts, n_terms)
            Number of occurrences of each term in each text.

        Raises
        ------
        TypeError
            If X is a single string, or a value is not a string.
        ValueError
            If X has other columns than in `fit`.
        """
        check_is_fitted(self)
        self._check_parameters()
        texts = _text_columns(X, getattr(self, "feature_names_in_", None))
        if len(texts.columns) != self.n_features_in_:
            raise ValueError(
                f"X has {len(texts.columns)} columns of texts, but TextTerms was fitted to "
                f"{self.n_features_in_}."
            )
        blocks = [
            self._count_known(column, terms)
            for column, terms in zip(texts.columns, self.terms_, strict=True)
        ]
        return _joined(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Get the terms; with several columns, in the form column:term.

        Parameters
        ----------
        input_features : None, default=None
            Ignored.

        Returns
        -------
        ndarray of str of shape (n_terms,)
            Names of the columns of the matrix that `transform` returns.
        """
        del input_features
        check_is_fitted(self)
        if len(self.terms_) == 1:
            return self.terms_[0].astype(object)
        columns = getattr(self, "feature_names_in_", range(len(self.terms_)))
        return np.array(
            [
                f"{column}:{term}"
                for column, terms in zip(columns, self.terms_, strict=True)
                for term in terms
            ],
            dtype=object,
        )

    def _count(self, texts: Sequence[str], limits: tuple[float, float]) -> TermCounts:
        """Count the terms of texts that occur in a number of texts within limits."""
        if self.analyzer == "char_wb":
            return count_characters(texts, self.ngram_range, limits)
        language = self.language
        is_auto = isinstance(self.stop_words, str)
        stopped = stop_words_of(language) if is_auto else self.stop_words or ()
        stem = stemmer_of(language) if self.stem and language is not None else str
        removed = frozenset(stopped)
        return count_words(
            texts, self.ngram_range, limits, lambda word: "" if word in removed else stem(word)
        )

    def _count_known(self, texts: Sequence[str], terms: np.ndarray) -> sparse.csr_array:
        known = {term: column for column, term in enumerate(terms.tolist())}
        found = self._count(texts, (1, np.inf))
        columns = np.array([known.get(term, -1) for term in found.terms], dtype=np.int64)
        kept = np.flatnonzero(columns >= 0)
        counts = found.counts[:, kept]
        # Terms of both are sorted, so that the columns of a row stay in order.
        parts = counts.data, columns[kept][counts.indices], counts.indptr
        return sparse.csr_array(parts, shape=(len(texts), terms.size))

    def _limits(self, n_texts: int) -> tuple[float, float]:
        low, high = (
            limit if is_whole(limit) else limit * n_texts for limit in (self.min_df, self.max_df)
        )
        return low, high

    def _check_parameters(self) -> None:
        check_language(self.language, "language")
        if self.analyzer not in ("word", "char_wb"):
            raise ValueError(f'analyzer must be "word" or "char_wb", got {self.analyzer!r}.')
        if isinstance(self.stop_words, str) and self.stop_words != "auto":
            raise TypeError(
                f'stop_words must be a collection of words, "auto" or None, got '
                f"{self.stop_words!r}."
            )
        smallest, largest = self.ngram_range
        check_whole(smallest, "ngram_range[0]")
        check_whole(largest, "ngram_range[1]", least=smallest)
        for limit, name in ((self.min_df, "min_df"), (self.max_df, "max_df")):
            check_real(limit, name, least=0, most=np.inf if is_whole(limit) else 1)

    def _check_loaded(self) -> None:
        """Refuse a loaded model whose terms are not distinct texts."""
        for terms in getattr(self, "terms_", []):
            is_text = isinstance(terms, np.ndarray) and terms.ndim == 1 and terms.dtype.kind == "U"
            if not is_text or len(set(terms.tolist())) != terms.size:
                raise ValueError("terms_ must be arrays of distinct texts.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


class _Texts(NamedTuple):
    """Columns of texts, and their names if they came in a frame."""

    columns: list[list[str]]
    names: tuple[str, ...] | None


def _text_columns(X: Any, wanted: Sequence[str] | None = None) -> _Texts:
    """Return the texts of each column, those of a frame in the wanted order."""
    if isinstance(X, str | bytes):
        raise TypeError("X must be a sequence of texts, got one string.")
    if is_frame(X):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        names = check_names(frame.columns if wanted is None else wanted, "the column names")
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise ValueError(f"X must have the text column {missing[0]!r}, which is missing.")
        return _Texts([_checked(frame[name].to_list(), name) for name in names], names)
    values = np.asarray(X, dtype=object)
    if values.ndim not in (1, 2):
        raise ValueError(f"X must be texts, or rows of texts, got {values.ndim} dimensions.")
    values = values.reshape(len(values), -1)
    return _Texts([_checked(values[:, j].tolist(), j) for j in range(values.shape[1])], None)


def _checked(values: list[Any], column: Any) -> list[str]:
    """Return texts, empty where a value is missing; refuse values that are not texts."""
    if not all(type(value) is str for value in values):
        values = [_text(value, row, column) for row, value in enumerate(values)]
    return values


def _text(value: Any, row: int, column: Any) -> str:
    is_missing = value is None or value != value or type(value).__name__ == "NAType"
    if is_missing or isinstance(value, str):
        return "" if is_missing else str(value)
    raise TypeError(f"X must be texts, got {type(value).__name__} at row {row}, column {column!r}.")


def _joined(blocks: Sequence[sparse.csr_array]) -> sparse.csr_array:
    """Join the counts of columns, with 32-bit indices if they suffice.

    Solvers of scikit-learn, such as that of LinearSVC, refuse 64-bit indices.
    """
    counts = sparse.hstack(blocks, format="csr")
    kind = sparse.get_index_dtype(maxval=max(counts.nnz, *counts.shape))
    parts = (counts.data, counts.indices.astype(kind), counts.indptr.astype(kind))
    return sparse.csr_array(parts, shape=counts.shape)
