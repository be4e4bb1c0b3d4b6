"""Frontiers: the best trade-offs between precision and recall, as micro and as macro averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelwise._curves import Cuts, FrontierSteps, frontier_steps, hulls_of
from labelwise._tuning.problem._problem import check_curves
from labelwise._validation import refuse_sparse
from labelwise.measures import Counts, precision, recall


@dataclass(frozen=True, eq=False, repr=False)
class _Vertices:
    """Vertices of a frontier, with the hull edges of all labels in the order of their slope."""

    label_names: tuple[str, ...] | None
    _steps: FrontierSteps
    _n_edges: np.ndarray  # number of hull edges up to each vertex

    def __len__(self) -> int:
        return self._n_edges.size

    def thresholds(self, vertex: int) -> np.ndarray:
        """Return the thresholds that reach a vertex.

        Parameters
        ----------
        vertex : int
            Number of the vertex, from 0.

        Returns
        -------
        ndarray of shape (n_labels,)
            One threshold for each label.

        Raises
        ------
        IndexError
            If there is no such vertex.

        Examples
        --------
        >>> from labelwise.decisions import micro_frontier
        >>> frontier = micro_frontier([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> frontier.thresholds(1)
        array([0.75, 0.3 ])
        """
        refuse_sparse(vertex, "vertex", "the number of a vertex")
        n_edges = int(self._n_edges[vertex])
        return np.asarray(self._steps.hulls.thresholds[self._steps.places(n_edges)])


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(_Vertices):
    """Best trade-offs between micro precision and micro recall.

    `micro_frontier` returns such objects. The frontier is the concave envelope of the points
    (decisions, true positives) that all threshold vectors reach. The object has its vertices, from
    no decision at all to the fewest decisions that include every positive; ``len(frontier)`` is
    the number of vertices.

    Attributes
    ----------
    decided : ndarray of shape (n_vertices,)
        Number of decisions of all labels at each vertex, in rising order from 0; integers, or
        sums of weights that are not whole numbers.
    hits : ndarray of shape (n_vertices,)
        Number of true positives of all labels at each vertex, in rising order from 0.
    label_names : tuple of str or None
        Names of the labels, or None if the data had no names.
    counts : Counts
        Counts of all labels together at each vertex, four arrays of shape (n_vertices,).
    precision : ndarray of shape (n_vertices,)
        Micro precision at each vertex; NaN where nothing is decided.
    recall : ndarray of shape (n_vertices,)
        Micro recall at each vertex; NaN if there are no positives.

    See Also
    --------
    micro_frontier : Find the frontier of scores and labels.
    """

    decided: np.ndarray
    hits: np.ndarray

    @property
    def counts(self) -> Counts:
        """Counts of all labels together at each vertex."""
        return Counts(*(cells[self._n_edges] for cells in self._steps.counts))

    @property
    def precision(self) -> np.ndarray:
        """Micro precision at each vertex; NaN where nothing is decided."""
        return np.asarray(precision(self.counts))

    @property
    def recall(self) -> np.ndarray:
        """Micro recall at each vertex; NaN if there are no positives."""
        return np.asarray(recall(self.counts))

    def __repr__(self) -> str:
        return (
            f"Frontier: {len(self)} vertices, up to {self.hits[-1]} of "
            f"{self._steps.n_positive} positives with {self.decided[-1]} decisions"
        )


def micro_frontier(
    scores: Any,
    Y: Any,
    *,
    label_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    ids: Any = None,
) -> Frontier:
    """Find the best trade-offs between micro precision and micro recall.

    With one threshold for each label, D decisions and TP true positives of all labels, the points
    (D, TP) of all threshold vectors lie on or under a concave line. The vertices of this line are
    returned, each with thresholds that reach it. No thresholds reach more true positives with as
    few decisions as a vertex has.

    Parameters
    ----------
    scores : array, sparse matrix, frame, path or dask array of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. float32 stays float32. In a sparse
        matrix, an absent score is never decided. A path (npy, parquet file or folder, zarr) and a
        dask array are read in blocks of rows.
    Y : array, sparse matrix, frame, list of sets, path or dask array
        True labels, 0 or 1. If scores and Y both have column names, columns are matched by name.
        Rows are matched by ids if both have them: an index of pandas frames that is more than a
        count from 0, or `ids`. NaN, null or a masked cell is a missing label, which counts nowhere.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. A sample of weight 2 counts as two samples.
        Decisions and true positives are then sums of weights.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    Frontier
        Vertices from no decision to the fewest decisions that include every positive; further
        decisions would only add false positives.

    Raises
    ------
    ValueError
        If scores are not finite, or if scores and Y do not have the same samples and labels.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.

    Notes
    -----
    The concave hull of each label's curve of (decisions, true positives) takes one sort of its
    scores. The edges of all hulls in the order of falling slope form the frontier:
    O(n_samples · n_labels · log n_samples). A quotient of two linear functions of TP and D with a
    positive denominator that rises with TP and falls with D, such as the F-measure, has its
    maximum over all threshold vectors at a vertex. Pillai et al. leave these curves to future work
    (pillai2012, section 5).

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012
    (pillai2012).

    Examples
    --------
    >>> from labelwise.decisions import micro_frontier
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]]
    >>> frontier = micro_frontier(scores, [[1, 0], [0, 1], [1, 0]])
    >>> frontier.hits, frontier.decided
    (array([0, 2, 3]), array([0, 2, 4]))
    >>> frontier.thresholds(1)
    array([0.75, 0.3 ])
    """
    curves = check_curves(scores, Y, label_names, sample_weight=sample_weight, ids=ids)
    steps = frontier_steps(hulls_of(curves.frontier_cuts()))
    n_edges = steps.vertices
    return Frontier(curves.names, steps, n_edges, steps.decided[n_edges], steps.hits[n_edges])


@dataclass(frozen=True, eq=False, repr=False)
class MacroFrontier(_Vertices):
    """Best trade-offs between macro precision and macro recall.

    `macro_frontier` returns such objects. ``len(frontier)`` is the number of vertices.

    Attributes
    ----------
    precision : ndarray of shape (n_vertices,)
        Macro precision at each vertex, in falling order: the mean over the labels with positives.
    recall : ndarray of shape (n_vertices,)
        Macro recall at each vertex, in rising order: the mean over the labels with positives.
    label_names : tuple of str or None
        Names of the labels, or None if the data had no names.

    See Also
    --------
    macro_frontier : Find the frontier of scores and labels.
    """

    precision: np.ndarray
    recall: np.ndarray

    def __repr__(self) -> str:
        first, last = (f"({self.precision[k]:.4f}, {self.recall[k]:.4f})" for k in (0, -1))
        return f"MacroFrontier: {len(self)} vertices, (precision, recall) from {first} to {last}"


def macro_frontier(
    scores: Any,
    Y: Any,
    *,
    label_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    ids: Any = None,
) -> MacroFrontier:
    r"""Find the best trade-offs between macro precision and macro recall.

    With one threshold for each label, the points (macro recall, macro precision) of all threshold
    vectors lie on or under a concave line. The vertices of this line are returned, each with
    thresholds that reach it. For every weight of recall, the vertices include the thresholds with
    the highest weighted sum of macro precision and macro recall.

    Parameters
    ----------
    scores : array, sparse matrix, frame, path or dask array of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. float32 stays float32. In a sparse
        matrix, an absent score is never decided. A path (npy, parquet file or folder, zarr) and a
        dask array are read in blocks of rows.
    Y : array, sparse matrix, frame, list of sets, path or dask array
        True labels, 0 or 1. If scores and Y both have column names, columns are matched by name.
        Rows are matched by ids if both have them: an index of pandas frames that is more than a
        count from 0, or `ids`. NaN, null or a masked cell is a missing label, which counts nowhere.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. A sample of weight 2 counts as two samples.
    ids : str, dict or False, default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array.

    Returns
    -------
    MacroFrontier
        Vertices from the highest macro precision to the highest macro recall.

    Raises
    ------
    ValueError
        If scores are not finite, if scores and Y do not have the same samples and labels, or if Y
        has no positives.

    See Also
    --------
    micro_frontier : The same for the counts of all labels together.
    best_thresholds : Find the thresholds with the highest macro F, also for several beta.

    Notes
    -----
    Both averages are means over the labels with positives, and every such label decides a sample,
    so that its precision is defined. If none of its positives has a score, both are 0. Labels
    without positives decide nothing.

    The macro averages are sums over labels whose thresholds do not depend on each other. The
    frontier of a sum is the sum of the frontiers: the edges of the concave hulls of all labels in
    the order of their slope. The time is O(n_samples · n_labels · log n_samples).

    Thresholds with the highest macro F for a beta lie on or under this line; sweeping beta, as
    Pillai et al. propose for such curves (pillai2012, section 5), therefore gives trade-offs that
    are never better, and often worse.

    References
    ----------
    I. Pillai, G. Fumera, F. Roli, "F-Measure Optimisation in Multi-label Classifiers", ICPR 2012
    (pillai2012).

    Examples
    --------
    >>> from labelwise.decisions import macro_frontier
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]]
    >>> frontier = macro_frontier(scores, [[1, 0], [0, 1], [1, 0]])
    >>> frontier.precision.round(4), frontier.recall
    (array([1.    , 0.8333]), array([0.75, 1.  ]))
    """
    curves = check_curves(scores, Y, label_names, sample_weight=sample_weight, ids=ids)
    # A cut with the highest weighted sum of both is a vertex of (decisions, true positives), too.
    cuts = hulls_of(curves.cuts_of_all())
    n_counted = np.count_nonzero(cuts.positives)
    if n_counted == 0:
        raise ValueError("Y has no positives: there is no recall.")
    steps = frontier_steps(hulls_of(_rates(cuts)))
    first = steps.hulls.starts[:-1]
    n_edges = steps.vertices
    lost = steps.hulls.decided[first].sum() + steps.decided[n_edges]
    found = steps.hulls.hits[first].sum() + steps.hits[n_edges]
    return MacroFrontier(curves.names, steps, n_edges, 1 - lost / n_counted, found / n_counted)


def _rates(cuts: Cuts) -> Cuts:
    """Return cuts with 1 - precision instead of decisions and recall instead of true positives.

    Cuts of a label are sorted by these. The cut without decisions is left out, unless it is the
    only one of its label.
    """
    is_alone = np.diff(cuts.starts) == 1
    of_cut = cuts.labels
    kept = np.flatnonzero((cuts.decided > 0) | is_alone[of_cut])
    labels, decided, hits = of_cut[kept], cuts.decided[kept], cuts.hits[kept]
    positives = cuts.positives[labels]
    wrong = np.where(positives > 0, 1.0, 0.0)
    np.divide(decided - hits, decided, out=wrong, where=decided > 0)
    found = np.divide(hits, positives, out=np.zeros(kept.size), where=positives > 0)
    order = np.lexsort((-found, wrong, labels))
    starts = np.concatenate(([0], np.cumsum(np.bincount(labels, minlength=is_alone.size))))
    rest = (cuts.lows[kept][order], cuts.thresholds[kept][order], cuts.positives, cuts.n_samples)
    return Cuts(starts, wrong[order], found[order], *rest)
