"""`SentenceBags`: texts as bags of their sentences, each encoded as a sample of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import split_samples
from labelwise._tables import Kind, kinds_of, plain_table
from labelwise._text import listed
from labelwise._validation import check_readable, is_frame, refuse_sparse
from labelwise.data import Bags
from labelwise.features import TextTerms


# Bags cannot be put into a frame, whatever the configuration of output.
class SentenceBags(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn each text into a bag of its sentences, encoded as features.

    As the first step of a pipeline, it lets a `BagPlugin` learn from texts, and name the sentence
    that a label comes from.

    Parameters
    ----------
    encoder : transformer, default=None
        Encodes sentences: a list of texts, or a frame if the texts are columns of a frame. None
        means `labelwise.features.TextTerms`.
    text : str or sequence of str, default=None
        Names of the columns of texts, if X is a frame; other columns are not used. None recognises
        them, as `labelwise.features.TableFeatures` does.

    Attributes
    ----------
    encoder_ : transformer
        The encoder, fitted to the sentences.
    feature_names_in_ : ndarray of str
        Names of the columns of texts, if X had columns.

    See Also
    --------
    BagPlugin : Classify bags by models of their rows.
    labelwise.data.split_sentences : The rule by which texts are split.

    Notes
    -----
    If there are several columns of texts, the sentences of a sample are those of the first column,
    then those of the second, and so on. A sentence is encoded in its column, and the other columns
    are empty.

    Examples
    --------
    >>> from labelwise.learners import SentenceBags
    >>> bags = SentenceBags().fit_transform(["The sea is calm. Ships sail.", "Dark woods."])
    >>> bags.sizes.tolist(), bags[1].toarray().astype(int).tolist()
    ([2, 1], [[0, 1, 0, 0, 0, 1]])
    """

    def __init__(self, encoder: Any = None, *, text: str | Sequence[str] | None = None) -> None:
        self.encoder = encoder
        self.text = text

    def fit(self, X: Any, y: Any = None) -> SentenceBags:
        """Fit the encoder to the sentences.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts. All columns of an array are texts, called x0, x1 and so on.
        y : object, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        SentenceBags
            The fitted transformer itself.

        Raises
        ------
        TypeError
            If X is a single text, or has other values than texts.
        ValueError
            If X is a frame without columns of texts, or lacks one that `text` names.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Bags:  # noqa: ARG002
        """Fit the encoder to the sentences, and encode them.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts. All columns of an array are texts, called x0, x1 and so on.
        y : object, default=None
            Ignored; present for scikit-learn's convention.

        Returns
        -------
        Bags
            The encoded sentences of each text.

        Raises
        ------
        TypeError
            If X is a single text, or has other values than texts.
        ValueError
            If X is a frame without columns of texts, or lacks one that `text` names.
        """
        table = _as_table(X)
        if table is not None:
            self.feature_names_in_ = np.array(self._text_names(table, X), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        samples, starts = self._samples(X)
        self.encoder_ = TextTerms() if self.encoder is None else clone(self.encoder)
        return Bags(self.encoder_.fit_transform(samples), starts)

    def transform(self, X: Any) -> Bags:
        """Encode the sentences of texts.

        Parameters
        ----------
        X : sequence of str, or frame or array of str of shape (n_texts, n_columns)
            The texts, as in `fit`.

        Returns
        -------
        Bags
            The encoded sentences of each text.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If `fit` has not been called.
        TypeError
            If X is a single text, or has other values than texts.
        ValueError
            If X lacks a column of texts.
        """
        check_is_fitted(self)
        samples, starts = self._samples(X)
        return Bags(self.encoder_.transform(samples), starts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the features of a sentence.

        Parameters
        ----------
        input_features : None, default=None
            Ignored.

        Returns
        -------
        ndarray of str of shape (n_features,)
            Names that the encoder gives.
        """
        check_is_fitted(self)
        return np.asarray(self.encoder_.get_feature_names_out(input_features), dtype=object)

    def _samples(self, X: Any) -> tuple[Any, np.ndarray]:
        """Return the sentences and the first one of each text."""
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        table = _as_table(X)
        if (table is not None) != bool(names):
            raise TypeError(
                "X must have columns in transform if it had some in fit, or else texts."
            )
        if table is None:
            return split_samples(X, ())[:2]
        missing = [name for name in names if name not in table.column_names]
        if missing:
            raise ValueError(f"X must have the column {listed(missing)}, which is missing.")
        return split_samples(table.select(names), names)[:2]

    def _text_names(self, table: Any, X: Any) -> list[str]:
        """Return the names of the columns of texts; all columns of an array are texts."""
        text = [self.text] if isinstance(self.text, str) else self.text
        if text is None and not is_frame(X):
            text = table.column_names
        kinds = kinds_of(table, text)
        names = [name for name, kind in kinds.items() if kind == Kind.TEXT]
        missing = [name for name in text or () if name not in kinds]
        if missing or not names:
            wanted = listed(missing) if missing else "of texts"
            raise ValueError(f"X must have the column {wanted}, got {listed(list(kinds))}.")
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _as_table(X: Any) -> Any:
    """Return a frame, or a 2-D array with columns called x0, x1 and so on, as an Arrow table."""
    refuse_sparse(X, "X", "a sequence of texts, or a frame")
    if isinstance(X, np.ndarray):
        check_readable(X, "X")
        if X.ndim == 1:
            return None
        import pyarrow as pa

        return pa.table(
            {f"x{j}": pa.array(list(map(_text, column))) for j, column in enumerate(X.T)}
        )
    return plain_table(X) if is_frame(X) else None


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"X must have texts, got {type(value).__name__}.")
    return value or ""
