"""Labels that are probably wrong, by scores of a model that has not seen them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelwise._error_chances import chances_of_errors
from labelwise._text import as_text, printable
from labelwise._validation import check_outcome, check_real, check_whole, ids_of

_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class LabelErrors:
    """Cells whose label is probably wrong, likeliest first; prints as a table.

    `find_label_errors` returns such objects.

    Attributes
    ----------
    rows, labels : ndarray of int of shape (n_cells,)
        Row and label number of each cell.
    scores : ndarray of shape (n_cells,)
        Score of each cell.
    truth : ndarray of int of shape (n_cells,)
        The label as given, 0 or 1.
    chance : ndarray of shape (n_cells,)
        Estimated probability that the given label is wrong.
    n_errors : ndarray of shape (n_labels,)
        Estimated number of wrong labels, of each label.
    label_names : tuple of str
        Names of the labels; "0", "1", ... if they have none.
    ids : tuple of str or None, default=None
        Ids of all samples, in the order of `Y`; None if they have none.

    See Also
    --------
    find_label_errors : Find labels that are probably wrong.
    """

    rows: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    truth: np.ndarray
    chance: np.ndarray
    n_errors: np.ndarray
    label_names: tuple[str, ...]
    ids: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.rows.size

    def columns(self) -> dict[str, list[Any]]:
        """Return the list as columns of a table.

        Returns
        -------
        dict of str to list
            The columns "id" (or "row"), "label", "score", "truth", "chance" and "n_errors", the
            estimated number of wrong cells of the label.
        """
        rows = self.rows.tolist()
        first = {"row": rows} if self.ids is None else {"id": [self.ids[i] for i in rows]}
        return {
            **first,
            "label": [self.label_names[j] for j in self.labels.tolist()],
            "score": self.scores.tolist(),
            "truth": self.truth.tolist(),
            "chance": [float(f"{one:.6g}") for one in self.chance.tolist()],
            "n_errors": [float(f"{self.n_errors[j]:.6g}") for j in self.labels.tolist()],
        }

    def __repr__(self) -> str:
        title = f"{self.n_errors.sum():,.0f} wrong labels are to be expected; the likeliest:"
        shown = [
            [printable(row), printable(label), f"{score:.4g}", str(y), f"{chance:.3f}"]
            for row, label, score, y, chance, _ in zip(*self.columns().values(), strict=True)
        ][:_MOST_SHOWN]
        more = len(self) - len(shown)
        table = as_text([["row", "label", "score", "truth", "chance"], *shown])
        return "\n".join([title, "", table, *([f"... and {more:,} more"] if more else [])])


def find_label_errors(
    scores: Any,
    Y: Any,
    *,
    n_cells: int = 1000,
    error_rate: float = 0.05,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
) -> LabelErrors:
    """Find labels that are probably wrong, the likeliest first.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They must come from a model that was not
        fitted to these labels, for instance by cross-validation: a model repeats the errors that
        it was fitted to.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. They may have errors; NaN where the truth is missing.
    n_cells : int, default=1000
        Most cells of the list.
    error_rate : float, default=0.05
        Share of the positives of a label that are assumed to be lost, and as many added wrongly.
        It scales the chances; the order of the list hardly depends on it.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    LabelErrors
        Cells with their chances, and the expected number of errors of each label.

    Raises
    ------
    ValueError
        If scores and labels do not belong together, or if an argument has a wrong value.

    Notes
    -----
    Let p be the probability of a label at a score, by isotonic regression of the given labels. If a
    positive is lost with probability a, and a negative becomes positive with probability b, a
    given 0 is wrong with probability ``p a / (p a + (1 - p) (1 - b))`` and a given 1 with
    ``(1 - p) b / ((1 - p) b + p (1 - a))``. The rates cannot be known from scores and labels alone:
    a is `error_rate`, and b is such that as many labels are added as lost. So the chances of lost
    and of added labels, and those of rare and of frequent labels, can be compared.

    References
    ----------
    C. Northcutt, L. Jiang, I. Chuang, "Confident Learning: Estimating Uncertainty in Dataset
    Labels", 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from labelwise.deployment import find_label_errors
    >>> random = np.random.default_rng(0)
    >>> Y = random.random((500, 3)) < 0.3
    >>> scores = Y + random.normal(scale=0.2, size=Y.shape)
    >>> wrong = Y.copy()
    >>> wrong[[3, 8], [1, 2]] ^= True
    >>> found = find_label_errors(scores, wrong)
    >>> sorted(zip(found.rows[:2].tolist(), found.labels[:2].tolist()))
    [(3, 1), (8, 2)]
    """
    n_cells = check_whole(n_cells, "n_cells")
    rate = check_real(error_rate, "error_rate", least=1e-6, most=0.49)
    outcome = check_outcome(
        Y, scores=scores, label_names=label_names, allow_missing=True, ids=ids, labels_of="scores"
    )
    n_labels = outcome.Y.shape[1]
    parts, n_errors = [], np.zeros(n_labels)
    for j, (rows, values, truth) in enumerate(scored_cells(outcome.scores, outcome.Y)):
        chance = chances_of_errors(values, truth, rate)
        n_errors[j] = chance.sum()
        best = np.argsort(-chance, kind="stable")[:n_cells]
        found = (values[best].astype(np.float64), truth[best], chance[best])
        parts.append((rows[best], np.full(best.size, j), *found))
    rows, labels, values, truth, chance = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((labels, rows, -chance))[:n_cells]
    order = order[chance[order] > 0]
    cells = (part[order] for part in (rows, labels, values, truth.astype(np.int64), chance))
    names = outcome.names or tuple(map(str, range(n_labels)))
    return LabelErrors(*cells, n_errors, names, ids_of(Y, ids))  # type: ignore[call-arg, arg-type]


def scored_cells(
    scores: Any, Y: sparse.csc_array
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the rows of the cells of each label that have a score, the scores and the labels."""
    columns = sparse.csc_array(scores) if sparse.issparse(scores) else None
    every = np.arange(Y.shape[0])
    for j in range(Y.shape[1]):
        truth = np.zeros(every.size, dtype=bool)
        truth[Y.indices[slice(*Y.indptr[j : j + 2])]] = True
        if columns is None:
            yield every, scores[:, j], truth
        else:
            part = slice(*columns.indptr[j : j + 2])
            yield columns.indices[part], columns.data[part], truth[columns.indices[part]]
