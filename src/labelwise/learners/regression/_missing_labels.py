"""Labels that have truth for the same samples, whose regressions share their products."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from labelwise._validation import is_whole
from labelwise.learners.regression._penalty_path import Splits, penalty_splits

if TYPE_CHECKING:
    from labelwise.learners._training import Targets


class LabelPart(NamedTuple):
    """Some labels that are fitted together, and the samples that have truth for them."""

    labels: np.ndarray
    rows: np.ndarray | None  # None for all samples

    def take(self, array: Any) -> Any:
        """Return the rows of an array that have truth; None stays None."""
        return array if self.rows is None or array is None else array[self.rows]

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

    def penalty_splits(self, cv: Any, X: Any, Y: Any) -> Splits:
        """Return the folds that choose penalties, for X and Y of all samples."""
        if self.rows is None:
            return penalty_splits(cv, X, Y)
        if is_whole(cv):
            # A label may have truth for fewer samples than there are folds.
            return penalty_splits(min(int(cv), self.rows.size), self.take(X), self.take(Y))
        return self.known(penalty_splits(cv, X, Y), X.shape[0])[0]


def labels_by_rows(targets: Targets) -> list[LabelPart]:
    """Return the labels that have both classes, those with truth for the same samples together."""
    if targets.missing is None:
        return [LabelPart(targets.varying, None)] if targets.varying.size else []
    groups: dict[bytes, list[int]] = defaultdict(list)
    for j in targets.varying.tolist():
        start, end = targets.missing.indptr[j : j + 2]
        groups[targets.missing.indices[start:end].tobytes()].append(j)
    return [LabelPart(np.array(labels), targets.rows_with(labels[0])) for labels in groups.values()]
