"""`deciding_sentences`: the sentence of a text that decided each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelwise._estimators import score_matrix, split_samples, texts_of
from labelwise._tables import plain_table
from labelwise._validation import check_readable, is_frame, refuse_sparse
from labelwise.learners._explain import cells_of


class DecidingSentences(NamedTuple):
    """The sentence with the highest score of each cell: a sample and a label.

    Attributes
    ----------
    samples : ndarray of int of shape (n_cells,)
        Row of each cell in X.
    labels : ndarray of int of shape (n_cells,)
        Number of the label of each cell.
    sentences : list of str
        The sentence of each cell.
    numbers : ndarray of int of shape (n_cells,)
        Number of each sentence in its text, from 0.
    scores : ndarray of float64 of shape (n_cells,)
        Score of each sentence as a text of its own.

    See Also
    --------
    deciding_sentences : Find the sentence that decided each label.
    """

    samples: np.ndarray
    labels: np.ndarray
    sentences: list[str]
    numbers: np.ndarray
    scores: np.ndarray


def deciding_sentences(model: Any, X: Any, *, cells: Any = None) -> DecidingSentences:
    """Find the sentence that decided each label of texts.

    Parameters
    ----------
    model : estimator
        A fitted model of texts with scores, such as a pipeline that begins with
        `labelwise.features.TextTerms`, `labelwise.features.TableFeatures` or `SentenceBags`.
    X : list of texts, or frame
        The samples, as ``model.predict`` takes them.
    cells : pair of int arrays, default=None
        Samples and labels of the cells. None means all labels that the model decides.

    Returns
    -------
    DecidingSentences
        A sentence for each cell, the first one of equal scores.

    Raises
    ------
    TypeError
        If the model takes no texts.
    ValueError
        If `cells` are not samples of X and labels of the model.

    See Also
    --------
    explain : Find the terms that contributed most to each decision.
    labelwise.data.split_sentences : The rule by which texts are split.

    Notes
    -----
    The model scores every sentence as a text of its own: on abstracts with known labels of
    sentences, this names the right sentence more often than the contributions of its terms do. If
    there are several columns of texts, numbers go on from one to the next. Columns of numbers and
    categories are those of the sample.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from labelwise.features import TextTerms
    >>> from labelwise.learners import BinaryRelevance, deciding_sentences
    >>> texts = ["a calm sea", "the sea is blue", "hills and woods", "dark woods"]
    >>> model = make_pipeline(TextTerms(), BinaryRelevance(penalty=0.1))
    >>> model = model.fit(texts, [[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> deciding_sentences(model, ["Calm woods. A sea!"], cells=([0, 0], [0, 1])).sentences
    ['A sea!', 'Calm woods.']
    """
    refuse_sparse(model, "model", "a fitted estimator")
    check_readable(X, "X")
    check_is_fitted(model)
    names = list(texts_of(model, X))
    if not names:
        raise TypeError("model must take texts, which have sentences, got a model of features.")
    n_labels = np.atleast_2d(model.predict(X[:1])).shape[1]
    samples, labels = cells_of(model, X, cells, n_labels)
    if not samples.size:
        nothing = np.zeros(0, dtype=np.intp)
        return DecidingSentences(samples, labels, [], nothing, np.zeros(0))
    used, place = np.unique(samples, return_inverse=True)
    some = plain_table(X).take(used) if is_frame(X) else [X[i] for i in used.tolist()]
    parts, starts, sentences = split_samples(some, names)
    scores = score_matrix(model, parts, n_labels)
    highest = [
        scores[starts[i] : starts[i + 1], j].argmax()
        for i, j in zip(place.tolist(), labels.tolist(), strict=True)
    ]
    numbers = np.array(highest, dtype=np.intp)
    found = starts[place] + numbers
    chosen = [sentences[i] for i in found.tolist()]
    return DecidingSentences(samples, labels, chosen, numbers, scores[found, labels])
