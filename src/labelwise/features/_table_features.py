"""The transformer of tables with numbers, categories and texts to one feature matrix."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from labelwise._extras import require
from labelwise._tables import (
    UNSEEN,
    Categories,
    CategoryColumn,
    Kind,
    NumberColumn,
    as_matrix,
    encode,
    is_text,
    kinds_of,
    numbers,
    plain_table,
    texts,
)
from labelwise._text import listed, quoted
from labelwise._validation import check_names, check_readable, is_frame
from labelwise.features._okapi_weights import OkapiWeights
from labelwise.features._text_terms import TextTerms


class TableFeatures(TransformerMixin, BaseEstimator):
    """Encode a table of numbers, categories and texts as one feature matrix.

    Numbers stay as they are or are scaled, categories become features of 0 and 1, and texts become
    weighted terms.

    As the first step of a pipeline, it makes one model of the encoding and the learner: the model
    takes tables as they are read, and knows new values, texts and orders of columns.

    Parameters
    ----------
    text : str or sequence of str, default=None
        Names of the columns of texts. None recognises them: values of at least three words on
        average, more than half of which are distinct.
    text_transformer : transformer, default=None
        Turns a frame of the text columns into a matrix. None means `TextTerms`, weighted by tf-idf
        with logarithms of counts.
    scale_numbers : bool, default=None
        Whether numbers are scaled to mean 0 and standard deviation 1. None scales them if there are
        texts: weighted terms are between 0 and 1, and a column of larger numbers, such as years,
        would outweigh them in learners that do not scale features.

    Attributes
    ----------
    kinds_ : dict of str to str
        What each column is: "number", "category", "text", "id" or "unused" (it reads like text, and
        `text` names other columns). Identifiers and unused columns are not features.
    categories_ : dict of str to ndarray of str
        The values of each column of categories, in sorted order.
    scales_ : dict of str to (float, float)
        Mean and standard deviation of each column of numbers that is scaled.
    text_transformer_ : transformer
        The transformer, fitted to the texts; missing if there are none.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of str
        Names of the columns of the table, if it was a frame.

    See Also
    --------
    TextTerms : Count the terms of texts.
    labelwise.data.load : Read a table; ``Dataset.frame`` has its columns before encoding.

    Notes
    -----
    A column with two categories is one feature, in which yes, true, t or y is 1, or else the second
    value in sorted order. Other columns of categories are one feature for each value, named
    ``column=value``. A missing category is NaN; a value that `fit` has not seen is 0 in all
    features of its column, with a warning.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from labelwise.features import TableFeatures
    >>> boats = pa.table({"size": [1.5, 2.0, 4.0, 3.0], "colour": ["red", "blue", "red", "green"]})
    >>> encoded = TableFeatures().fit(boats)
    >>> encoded.get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=green', 'colour=red']
    >>> encoded.transform(pa.table({"colour": ["red"], "size": [7.0]}))
    array([[7., 0., 0., 1.]])
    """

    def __init__(
        self,
        *,
        text: str | Sequence[str] | None = None,
        text_transformer: Any = None,
        scale_numbers: bool | None = None,
    ) -> None:
        self.text = text
        self.text_transformer = text_transformer
        self.scale_numbers = scale_numbers

    def fit(self, X: Any, y: Any = None) -> TableFeatures:
        """Learn the kinds of the columns, the categories and the terms.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_columns)
            The table: pandas, polars, pyarrow or any other frame that narwhals reads. Columns of an
            array are called x0, x1 and so on.
        y : array, default=None
            Labels, passed to the transformer of texts.

        Returns
        -------
        TableFeatures
            This object.

        Raises
        ------
        TypeError
            If a column of X has lists.
        ValueError
            If X is neither a frame nor a 2-D array, if a column in `text` is missing, or if no
            column is a feature.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn how to encode a table, and encode it.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_columns)
            The table: pandas, polars, pyarrow or any other frame that narwhals reads. Columns of an
            array are called x0, x1 and so on.
        y : array, default=None
            Labels, passed to the transformer of texts.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_features)
            Features; sparse if there are texts or many categories.

        Raises
        ------
        TypeError
            If a column of X has lists.
        ValueError
            If X is neither a frame nor a 2-D array, if a column in `text` is missing, or if no
            column is a feature.
        """
        table = self._table(X, reset=True)
        names = check_names(table.column_names, "the column names")
        text = [self.text] if isinstance(self.text, str) else self.text
        _check_present(text or (), table)
        self.kinds_ = {name: str(kind) for name, kind in kinds_of(table, text).items()}
        if is_frame(X):
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.categories_ = {
            name: np.array(encode(table.column(name)).values, dtype=np.str_)
            for name in self._columns(Kind.CATEGORY)
        }
        has_texts = bool(self._columns(Kind.TEXT))
        is_scaled = has_texts if self.scale_numbers is None else self.scale_numbers
        scaled = self._columns(Kind.NUMBER) if is_scaled else []
        self.scales_ = {name: _scale(numbers(_numbers(table, name))) for name in scaled}
        parts = [self._encode_columns(table)]
        if has_texts:
            self.text_transformer_ = self._new_text_transformer()
            of_texts = table.select(self._columns(Kind.TEXT))
            parts.append(self.text_transformer_.fit_transform(of_texts, y))
        elif hasattr(self, "text_transformer_"):
            del self.text_transformer_
        return self._joined(parts)

    def transform(self, X: Any) -> Any:
        """Encode a table with the same columns as in `fit`, in any order.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_columns)
            The table; columns that `fit` has not seen are ignored.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_features)
            Features; sparse if there are texts or many categories.

        Raises
        ------
        TypeError
            If a column of X has lists, or a column of numbers has text.
        ValueError
            If a column is missing.
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        _check_present((n for n, kind in self.kinds_.items() if Kind(kind).is_feature), table)
        parts = [self._encode_columns(table)]
        if self._columns(Kind.TEXT):
            parts.append(self.text_transformer_.transform(self._as_texts(table)))
        return self._joined(parts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Get the names of the features: column, column=value or column:term.

        Parameters
        ----------
        input_features : None, default=None
            Ignored.

        Returns
        -------
        ndarray of str of shape (n_features,)
            Names of the columns of the matrix that `transform` returns.
        """
        del input_features
        check_is_fitted(self)
        names: list[str] = []
        for name, kind in self.kinds_.items():
            if kind == Kind.NUMBER:
                names.append(name)
            elif kind == Kind.CATEGORY:
                names += self._categories(name).names
        texts = self._columns(Kind.TEXT)
        if texts:
            terms = self.text_transformer_.get_feature_names_out()
            names += terms.tolist() if len(texts) > 1 else [f"{texts[0]}:{term}" for term in terms]
        return np.array(names, dtype=object)

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Return a frame, or an array with columns called x0, x1 and so on, as an Arrow table."""
        if is_frame(X):
            return plain_table(X)
        require("pyarrow", "TableFeatures")
        import pyarrow as pa

        check_readable(X, "X")
        values = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
        return pa.table({f"x{j}": pa.array(column.tolist()) for j, column in enumerate(values.T)})

    def _columns(self, kind: Kind) -> list[str]:
        return [name for name, found in self.kinds_.items() if found == kind]

    def _categories(self, name: str) -> Categories:
        return Categories(name, tuple(self.categories_[name].tolist()))

    def _encode_columns(self, table: Any) -> Any:
        """Return the features of all columns but texts."""
        columns: list[NumberColumn | CategoryColumn] = []
        unseen: dict[str, Any] = {}
        for name, kind in self.kinds_.items():
            if kind == Kind.NUMBER:
                columns.append(NumberColumn(name, self._scaled(_numbers(table, name), name)))
            elif kind == Kind.CATEGORY:
                categories, values = self._categories(name), _words(table.column(name))
                codes = encode(values, categories.values).numbers
                columns.append(CategoryColumn(categories, codes))
                if (codes == UNSEEN).any():
                    unseen[name] = values.filter(codes == UNSEEN).unique().to_pylist()
        if unseen:
            _warn_of_unseen(unseen)
        return as_matrix(columns, table.num_rows)

    def _scaled(self, column: Any, name: str) -> Any:
        """Return a column of numbers, scaled as in `fit`."""
        if name not in self.scales_:
            return column
        import pyarrow as pa

        mean, deviation = self.scales_[name]
        return pa.array((numbers(column) - mean) / deviation)

    def _as_texts(self, table: Any) -> Any:
        import pyarrow as pa

        return pa.table({name: _words(table.column(name)) for name in self._columns(Kind.TEXT)})

    def _new_text_transformer(self) -> Any:
        if self.text_transformer is not None:
            return clone(self.text_transformer)
        return make_pipeline(TextTerms(), TfidfTransformer(sublinear_tf=True))

    def _joined(self, parts: Sequence[Any]) -> Any:
        used = [part for part in parts if part.shape[1]]
        if not used:
            raise ValueError("X must have a column that is a feature, got identifiers only.")
        return used[0] if len(used) == 1 else sparse.hstack(used, format="csr")

    def _check_loaded(self) -> None:
        """Refuse a loaded model whose columns and categories do not fit together."""
        if not hasattr(self, "kinds_"):
            return
        if not set(self.kinds_.values()) <= {str(kind) for kind in Kind}:
            raise ValueError("kinds_ must be kinds of columns.")
        for name in self._columns(Kind.CATEGORY):
            values: Any = self.categories_.get(name)
            if not isinstance(values, np.ndarray) or (values.ndim, values.dtype.kind) != (1, "U"):
                raise ValueError(f"categories_[{name!r:.50}] must be an array of texts.")
        scales: Any = self.scales_
        if not isinstance(scales, dict) or not all(map(_is_scale, scales.values())):
            raise ValueError("scales_ must be a mean and a deviation above 0 of each column.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def text_representations(text: str | Sequence[str] | None = None) -> dict[str, TableFeatures]:
    """Make encoders of a table with texts that `BestLearner` can compare.

    Parameters
    ----------
    text : str or sequence of str, default=None
        Names of the columns of texts, as in `TableFeatures`.

    Returns
    -------
    dict of str to TableFeatures
        "words": words as they are; "stems": stems without stop words of English; "okapi": words,
        whose counts are scaled by the length of the text; "pairs": words and pairs of successive
        words; "characters": two to five successive characters within words. All but stems need no
        language. Terms occur in at least two texts, and are weighted by tf-idf, with 1 + log of the
        count, or with Okapi's weight of it.

    See Also
    --------
    labelwise.learners.BestLearner : Compares learners on each representation.

    Examples
    --------
    >>> from labelwise.features import text_representations
    >>> list(text_representations(text="title"))
    ['words', 'stems', 'okapi', 'pairs', 'characters']
    """
    terms = {
        "words": TextTerms(stop_words=None, stem=False, min_df=2),
        "stems": TextTerms(min_df=2),
        "pairs": TextTerms(stop_words=None, stem=False, ngram_range=(1, 2), min_df=2),
        "characters": TextTerms(analyzer="char_wb", ngram_range=(2, 5), min_df=2),
    }
    weighted = {
        name: make_pipeline(one, TfidfTransformer(sublinear_tf=True)) for name, one in terms.items()
    }
    weighted["okapi"] = make_pipeline(clone(terms["words"]), OkapiWeights(), TfidfTransformer())
    return {
        name: TableFeatures(text=text, text_transformer=weighted[name])
        for name in ("words", "stems", "okapi", "pairs", "characters")
    }


def _check_present(names: Iterable[str], table: Any) -> None:
    known = set(table.column_names)
    missing = [name for name in names if name not in known]
    if missing:
        noun, are = ("column", "is") if len(missing) == 1 else ("columns", "are")
        raise ValueError(f"X must have the {noun} {listed(missing)}, which {are} missing.")


def _numbers(table: Any, name: str) -> Any:
    column = table.column(name)
    if is_text(column):
        raise TypeError(f"X must have numbers in column {name!r}, as in fit, got text.")
    return column


def _scale(values: np.ndarray) -> tuple[float, float]:
    """Return the mean and the standard deviation of the finite numbers; (0, 1) if there is none."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    # The deviation of equal numbers is 0, or a rounding error.
    mean, deviation = float(finite.mean()), float(finite.std())
    return mean, deviation if deviation > 1e-12 * max(1.0, abs(mean)) else 1.0


def _is_scale(pair: Any) -> bool:
    is_pair = isinstance(pair, tuple) and len(pair) == 2 and all(type(x) is float for x in pair)
    return is_pair and bool(np.isfinite(pair).all()) and pair[1] > 0


def _words(column: Any) -> Any:
    """Return a column as text, as numbers may stand for categories."""
    import pyarrow as pa

    return column if is_text(column) else pa.chunked_array([pa.array(texts(column), pa.string())])


def _warn_of_unseen(unseen: dict[str, list[str]]) -> None:
    found = [f"{quoted(name)} has {listed(values)}" for name, values in unseen.items()]
    warnings.warn(
        f"Values that were not in the training data count as none of the known ones: "
        f"{'; '.join(found)}.",
        UserWarning,
        stacklevel=3,
    )
