"""What a decision desk is made of: scores, labels and, optionally, texts, slices and a rival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from labelwise._estimators import texts_of
from labelwise._text import check_known, printable
from labelwise._tuning import Problem
from labelwise._validation import (
    Outcome,
    check_groups,
    check_outcome,
    check_random_state,
    check_scores,
    check_weights,
    columns_in_order,
    ids_of,
    is_frame,
    n_rows,
    refuse_sparse,
    rows_of,
    take_rows,
)
from labelwise.decisions import Thresholds
from labelwise.learners import deciding_sentences, explain

# Terms of a cell, and the most characters of them, and of a sentence.
_N_TERMS, _LONGEST_TERMS, _LONGEST_SENTENCE = 3, 120, 300


class Slicing(NamedTuple):
    """A column of groups: its name, the names of the groups, and the group of each sample."""

    name: str
    groups: tuple[str, ...]
    codes: np.ndarray


class Desk:
    """Scores and true labels, to be written as a decision desk by `write_report`.

    On the page, a handle moves along the exact micro frontier of precision and recall, and all
    thresholds and numbers follow. The page also compares the points of common rules, and shows
    each label, samples near the cut, slices of the samples, and a second model.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels. They are those of samples that the model
        was not fitted to. In a sparse matrix, an absent score is never decided.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN, null or a masked cell is a missing label, which counts nowhere;
        samples of which all labels are missing are left out. Columns with names are matched by
        name.
    thresholds : Thresholds, array of shape (n_labels,) or mapping of str to these, default=None
        Thresholds in use, such as those of a model, under their names: the page opens at the first
        of them. Thresholds with a guarantee are marked as certified, with what they guarantee.
    ids : str, dict, False or sequence of shape (n_samples,), default=None
        Ids of the samples, by which they are matched: the name of a column that the arguments have
        beside the labels, or a dict of such names, or of array-likes of ids, by argument. None
        means the index of pandas frames, or the ids of a file that `labelwise.data.read_scores` or
        `read_labels` has read. False matches samples by position if only one argument has ids,
        which is refused otherwise, unless the other one is an array. A sequence has the names of
        the samples in the order of all arguments; samples without ids are numbered from 0.
    texts : sequence of str of shape (n_samples,), default=None
        Texts of the samples, shown beside samples near the cut and suspected label errors.
    slices : sequence of shape (n_samples,), mapping of str to such, or frame, default=None
        Columns of groups of samples. Precision, recall and F are shown for each group.
    versus : array, CSR matrix or frame of shape (n_samples, n_labels), default=None
        Scores of a second model on the same samples.
    tuned_here : sequence of str, default=()
        Names of `thresholds` that were tuned on these samples, but with other scores, such as those
        of other folds; thresholds that were tuned on the same scores are recognised. Their values
        are too good here, so that the page shows what to expect on new samples beside them.
    decided : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels), \
            default=None
        Decisions of a model that has no thresholds, 0 or 1: the page opens at them.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together, in one fold of held-out values, in
        the draws of intervals, and as one unit of the certified line.
    sample_weight : array of shape (n_samples,), default=None
        Weight of each sample, finite and not negative. Weights are whole numbers, because the page
        counts cells: a sample of weight 2 counts as two samples with the same scores and labels,
        and one of weight 0 is left out. Lists of samples have each sample once.
    model : estimator, default=None
        The model of the scores, of a kind that `labelwise.learners.explain` takes: the page shows
        the terms that favour the labels of listed samples, and of a model of texts the sentence
        with the highest score. Labels without names are in the order of the scores.
    X : array, sparse matrix, frame or list of texts, default=None
        The samples, as the model takes them; needed with `model`.
    label_names : sequence of str, default=None
        Names of the labels, in the order of the columns; None takes those of a frame or of sets.
    title : str, default="Decision desk"
        Heading of the page.
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result. It draws bootstrap samples.
        Folds of held-out values, and those on which the amounts of shrinkage and FBR are chosen,
        are always those of seed 0, as in ``labelwise tune``.

    Attributes
    ----------
    n_samples, n_labels : int
        Numbers of labels, and of samples that are not left out.
    label_names : tuple of str or None
        Names of the labels, or None if there are no names.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If scores are not finite, if a label is missing, or if arguments do not have the same
        samples and labels.

    See Also
    --------
    write_report : Write the desk as an HTML page.

    Examples
    --------
    >>> from labelwise.reports import Desk, write_report
    >>> desk = Desk([[0.9, 0.2], [0.6, 0.4], [0.3, 0.1]], [[1, 0], [0, 1], [1, 0]])
    >>> desk
    Desk of 3 samples and 2 labels
    >>> write_report(desk, getfixture("tmp_path") / "report.html")
    """

    def __init__(
        self,
        scores: Any,
        Y: Any,
        thresholds: Any = None,
        ids: Any = None,
        texts: Sequence[str] | None = None,
        slices: Any = None,
        versus: Any = None,
        *,
        tuned_here: Sequence[str] = (),
        decided: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        model: Any = None,
        X: Any = None,
        label_names: Sequence[str] | None = None,
        title: str = "Decision desk",
        random_state: Any = None,
    ) -> None:
        if scores is None:
            raise TypeError("scores must be an array, a CSR matrix or a frame, got None.")
        matched = ids if ids is False or isinstance(ids, str | Mapping) else None
        outcome = check_outcome(
            Y,
            scores=scores,
            decided=decided,
            label_names=label_names,
            allow_missing=True,
            ids=_ids_of(matched, "scores", decided=decided),
            labels_of="scores",
        )
        n_given = outcome.Y.shape[0]
        groups = outcome.in_order(groups, "groups")
        units = None if groups is None else check_groups(groups, n_given)
        weights = _check_weights(outcome.in_order(sample_weight, "sample_weight"), n_given)
        kept = _counted_rows(outcome, weights)
        units, weights = (None if one is None else one[kept] for one in (units, weights))
        if weights is not None and (weights == 1).all():
            weights = None
        of_kept = outcome if kept.size == n_given else outcome.rows(kept)
        self.problem = Problem(of_kept.scores, of_kept.Y, outcome.names, weights, groups=units)
        gaps = np.zeros(outcome.Y.shape[1], dtype=np.int64)
        missing = of_kept.missing
        self.n_missing = gaps if missing is None else self.problem.everyone @ missing
        self.rival = None
        if versus is not None:
            bare = rows_of(versus, _ids_of(matched, "versus"), "versus")[0]
            n_columns = check_scores(bare, input_name="versus").matrix.shape[1]
            if n_columns != outcome.Y.shape[1]:
                n_labels = outcome.Y.shape[1]
                raise ValueError(f"versus has {n_columns} labels but Y has {n_labels}.")
            other = check_outcome(
                Y,
                scores=versus,
                scores_name="versus",
                label_names=outcome.names,
                allow_missing=True,
                ids=_ids_of(matched, "versus"),
            )
            scores_kept = other.scores if kept.size == n_given else other.rows(kept).scores
            self.rival = Problem(scores_kept, of_kept.Y, outcome.names, weights, groups=units)
        self.decided = of_kept.decided
        self.thresholds = _points(thresholds, self.problem)
        self.tuned_here = _names_among(tuned_here, self.thresholds)
        names = ids_of(Y, matched) if matched is ids else ids
        self.ids = _texts(outcome.in_order(names, "ids"), "ids", kept, n_given)
        self.texts = _texts(outcome.in_order(texts, "texts"), "texts", kept, n_given)
        self.slicings = _slicings(slices, outcome, kept)
        self.model, self.X = model, outcome.in_order(X, "X")
        self._label_in_model = _check_model(model, X, self.problem, n_given)
        if X is not None and kept.size < n_given:
            self.X = take_rows(self.X, kept)
        self.title = str(title)
        # Threads must not share a generator: the same seed gives the same page.
        self.seed = int(check_random_state(random_state).randint(2**31))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.problem.n_samples

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.problem.n_labels

    @property
    def label_names(self) -> tuple[str, ...] | None:
        """Names of the labels, or None."""
        return self.problem.names

    def terms(self, rows: np.ndarray, labels: np.ndarray) -> list[str]:
        """List the terms that favour cells most, in words.

        Parameters
        ----------
        rows : ndarray of int of shape (n_cells,)
            Sample of each cell.
        labels : ndarray of int of shape (n_cells,)
            Label of each cell.

        Returns
        -------
        list of str
            Terms of each cell, joined by commas; empty texts without a model.
        """
        if self.model is None:
            return [""] * len(rows)
        cells = rows, self._label_in_model[labels]
        found = explain(self.model, self.X, top=_N_TERMS, cells=cells, in_words=True)
        of_cells = [
            ", ".join(term for term, _ in found.of_cell(cell)) for cell in range(len(found))
        ]
        return [printable(terms, _LONGEST_TERMS) for terms in of_cells]

    def sentences(self, rows: np.ndarray, labels: np.ndarray) -> list[str]:
        """List the sentence with the highest score of cells.

        Parameters
        ----------
        rows : ndarray of int of shape (n_cells,)
            Sample of each cell.
        labels : ndarray of int of shape (n_cells,)
            Label of each cell.

        Returns
        -------
        list of str
            Sentence of each cell; empty texts without a model of texts.
        """
        if self.model is None or not texts_of(self.model, self.X):
            return [""] * len(rows)
        cells = rows, self._label_in_model[labels]
        found = deciding_sentences(self.model, self.X, cells=cells)
        return [printable(one, _LONGEST_SENTENCE) for one in found.sentences]

    def __repr__(self) -> str:
        return f"Desk of {self.n_samples} samples and {self.n_labels} labels"


def _ids_of(ids: Any, scores: str, decided: Any = None) -> Any:
    """Return the ids of the arguments of one call: of labels, of some scores, and of decisions."""
    if not isinstance(ids, Mapping):
        return ids
    names = ["Y", scores, *([] if decided is None else ["decided"])]
    return {name: ids[name] for name in names if name in ids}


def _counted_rows(outcome: Outcome, weights: np.ndarray | None) -> np.ndarray:
    """Return the numbers of the samples that count: with truth for a label, and a weight."""
    rows = outcome.rows_with_truth()
    rows = rows if weights is None else rows[weights[rows] > 0]
    if not rows.size:
        raise ValueError(
            "Y must have a sample with a label that is not missing and a weight above 0, got none."
        )
    return rows


def _check_weights(sample_weight: Any, n_samples: int) -> np.ndarray | None:
    """Return weights that are whole numbers."""
    if sample_weight is None:
        return None
    weights = check_weights(sample_weight, n_samples)
    wrong = np.flatnonzero(weights != np.floor(weights))
    if wrong.size:
        raise ValueError(
            "sample_weight of a desk must be whole numbers, because cells are counted, "
            f"got {weights[wrong[0]]:g} for sample {wrong[0]}."
        )
    return weights.astype(np.int64)


def _check_model(model: Any, X: Any, problem: Problem, n_samples: int) -> np.ndarray:
    """Check a model with its samples, and return the number of each label in the model."""
    if (model is None) != (X is None):
        raise ValueError("model and X must be given together, got one of them.")
    if model is None:
        return np.arange(problem.n_labels)
    if n_rows(X) != n_samples:
        raise ValueError(f"X must have {n_samples} samples, as the scores have, got {n_rows(X)}.")
    names = explain(model, X, cells=([], [])).label_names
    if names is None or problem.names is None:
        return np.arange(problem.n_labels)
    return columns_in_order(problem.names, names, "model")


def _points(thresholds: Any, problem: Problem) -> dict[str, Thresholds | np.ndarray]:
    """Return the given thresholds by name, in the order of the labels."""
    if thresholds is None:
        return {}
    refuse_sparse(thresholds, "thresholds", "Thresholds or one number for each label")
    given = thresholds if isinstance(thresholds, Mapping) else {"": thresholds}
    return {str(name): _in_order(one, problem) for name, one in given.items()}


def _names_among(names: Sequence[str], thresholds: Mapping[str, Any]) -> frozenset[str]:
    """Check names of thresholds."""
    for name in names:
        check_known(name, thresholds, "tuned_here")
    return frozenset(names)


def _in_order(thresholds: Any, problem: Problem) -> Thresholds | np.ndarray:
    """Check thresholds, and bring them into the order of the labels."""
    is_result = isinstance(thresholds, Thresholds)
    if is_result:
        thresholds._refuse_slices("a desk")
    values = np.asarray(thresholds.values if is_result else thresholds, dtype=np.float64)
    if values.shape != (problem.n_labels,) or np.isnan(values).any():
        raise ValueError(
            f"thresholds must be one number for each of {problem.n_labels} labels, "
            f"got shape {values.shape}."
        )
    if not is_result:
        return values
    if thresholds.label_names is None or problem.names is None:
        return thresholds  # type: ignore[no-any-return]
    order = columns_in_order(problem.names, thresholds.label_names, "thresholds")
    return thresholds._of_labels(order, problem.names)  # type: ignore[no-any-return]


def _texts(values: Any, name: str, kept: np.ndarray, n_samples: int) -> tuple[str, ...] | None:
    """Return one text for each sample that is kept."""
    if values is None:
        return None
    if isinstance(values, str):
        raise TypeError(f"{name} must be a sequence with an entry for each sample, got a string.")
    refuse_sparse(values, name, "a sequence with an entry for each sample")
    found = tuple(map(str, values))
    if len(found) != n_samples:
        raise ValueError(f"{name} must have {n_samples} entries, one a sample, got {len(found)}.")
    return found if kept.size == n_samples else tuple(found[i] for i in kept.tolist())


def _slicings(slices: Any, outcome: Outcome, kept: np.ndarray) -> tuple[Slicing, ...]:
    """Return the columns of groups of the samples that are kept."""
    if slices is None:
        return ()
    if isinstance(slices, Mapping):
        columns = {str(name): outcome.in_order(one, "slices") for name, one in slices.items()}
    elif not isinstance(slices, np.ndarray) and is_frame(slices):
        import narwhals as nw

        frame = nw.from_native(outcome.in_order(slices, "slices"), eager_only=True)
        columns = {name: frame[name].to_list() for name in frame.columns}
    else:
        columns = {"group": outcome.in_order(slices, "slices")}
    n_samples = outcome.Y.shape[0]
    return tuple(_slicing(name, values, kept, n_samples) for name, values in columns.items())


def _slicing(name: str, values: Any, kept: np.ndarray, n_samples: int) -> Slicing:
    texts = _texts(values, f"slices {name!r}" if name else "slices", kept, n_samples)
    groups, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return Slicing(name, tuple(groups.tolist()), codes)
