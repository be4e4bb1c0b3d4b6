"""Regressions of labels, each from the samples that have truth for it.

Labels that have truth for the same samples share their products with X.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from labelwise._validation import is_whole, take_rows
from labelwise.learners.regression._log_loss import Tasks
from labelwise.learners.regression._penalty_path import (
    RegressionProblem,
    Splits,
    fit_regressions,
    penalty_splits,
)

if TYPE_CHECKING:
    from labelwise._estimators import LabelTarget


class LabelRegressions(NamedTuple):
    """Linear models of all labels; those of labels with one class have no weights."""

    coefficients: np.ndarray  # (n_labels, n_features)
    intercepts: np.ndarray  # (n_labels,); -1 or 1 for labels with one class
    penalties: np.ndarray  # (n_labels,); NaN for labels with one class
    # (n_tested, n_varying): scores of the test samples of the problem's folds, fold after fold, by
    # the models of their training samples; NaN for missing labels
    held_out: np.ndarray


def fit_label_regressions(
    problem: RegressionProblem, targets: LabelTarget, cv: Any, groups: Any = None
) -> LabelRegressions:
    """Fit a linear model to each label, from the samples that have truth for it.

    If the problem has no folds, those of `cv` choose penalties, and keep groups together.
    """
    n_labels, n_features = targets.constants.size, problem.X.shape[1]
    n_tested = sum(len(test) for _, test in problem.splits)
    fitted = LabelRegressions(
        np.zeros((n_labels, n_features)),
        2 * targets.constants - 1,
        np.full(n_labels, np.nan),
        np.full((n_tested, targets.varying.size), np.nan),
    )
    for part in _labels_by_rows(targets):
        labels = targets.matrix[:, part.labels]
        of_part, tested = part.problem(problem, labels, cv, groups)
        tasks = Tasks(part.take(labels), np.ones(part.labels.size, dtype=np.intp))
        found = fit_regressions(of_part, tasks)
        fitted.coefficients[part.labels] = found.coefficients.T
        fitted.intercepts[part.labels] = found.intercepts
        fitted.penalties[part.labels] = found.penalties
        columns = np.searchsorted(targets.varying, part.labels)
        fitted.held_out[np.ix_(tested, columns)] = found.held_out
    return fitted


class LabelPart(NamedTuple):
    """Some labels that are fitted together, and the samples that have truth for them."""

    labels: np.ndarray
    rows: np.ndarray | None  # None for all samples

    def take(self, array: Any) -> Any:
        """Return the rows of an array that have truth; None stays None."""
        return array if self.rows is None or array is None else array[self.rows]

    def problem(
        self, problem: RegressionProblem, Y: Any, cv: Any, groups: Any
    ) -> tuple[RegressionProblem, np.ndarray]:
        """Return the problem of the samples that have truth, and which test samples they are.

        The second item is as in `known`. `Y` are these labels of all samples.
        """
        splits, tested = self.known(problem.splits, problem.X.shape[0])
        keeps_margins = len(splits) > 0
        if not splits and len(problem.penalties) > 1:
            splits = self.penalty_splits(cv, problem.X, Y, groups)
        taken = problem._replace(
            X=self.take(problem.X),
            sample_weight=self.take(problem.sample_weight),
            splits=splits,
            keeps_margins=keeps_margins,
        )
        return taken, tested

    def known(self, splits: Splits, n_samples: int) -> tuple[Splits, np.ndarray]:
        """Return splits of the samples that have truth, with numbers among these.

        Splits of which a part is empty are left out. The second item says where the test samples
        are among those of the given splits.
        """
        if self.rows is None:
            return splits, np.arange(sum(len(test) for _, test in splits))
        place = np.full(n_samples, -1)
        place[self.rows] = np.arange(self.rows.size)
        found, tested, n_before = [], [np.zeros(0, dtype=np.intp)], 0
        for train, test in splits:
            parts = [place[part][place[part] >= 0] for part in (train, test)]
            if all(part.size for part in parts):
                found.append((parts[0], parts[1]))
                tested.append(n_before + np.flatnonzero(place[test] >= 0))
            n_before += len(test)
        return found, np.concatenate(tested)

    def penalty_splits(self, cv: Any, X: Any, Y: Any, groups: Any) -> Splits:
        """Return the folds that choose penalties, for X and Y of all samples."""
        if self.rows is None:
            return penalty_splits(cv, X, Y, groups)
        if is_whole(cv):
            # A label may have truth for fewer samples than there are folds.
            n_folds = min(int(cv), self.rows.size)
            some = None if groups is None else take_rows(groups, self.rows)
            return penalty_splits(n_folds, self.take(X), self.take(Y), some)
        return self.known(penalty_splits(cv, X, Y, groups), X.shape[0])[0]


def _labels_by_rows(targets: LabelTarget) -> list[LabelPart]:
    """Return the labels that have both classes, those with truth for the same samples together."""
    if targets.missing is None:
        return [LabelPart(targets.varying, None)] if targets.varying.size else []
    groups: dict[bytes, list[int]] = defaultdict(list)
    for j in targets.varying.tolist():
        start, end = targets.missing.indptr[j : j + 2]
        groups[targets.missing.indices[start:end].tobytes()].append(j)
    return [LabelPart(np.array(labels), targets.rows_with(labels[0])) for labels in groups.values()]
