"""Cost models: predicted seconds of one fit, and for which samples a candidate is not meant.

The constants were measured on one core. Predictions order the candidates and divide a budget; they
need not be exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# A default candidate whose fit would take longer is not tried; the first candidate is tried, but
# not fitted to all rows.
LONGEST_FIT = 600.0
_MOST_ROWS_OF_KERNELS = 5000
# On fewer rows, standard errors are so large that the cheaper candidates are chosen anyway.
_LEAST_ROWS_OF_TREES = 100
# Forests of single labels or pairs take longest, and were not chosen on 120 rows of three sets.
_LEAST_ROWS_OF_FORESTS = 200
_MOST_LABELS_OF_PAIRS = 60


class Size(NamedTuple):
    """Size and kind of the samples that a model is fitted to."""

    n_rows: int
    n_features: int
    n_labels: int
    n_stored: float  # entries of a row that are stored
    is_sparse: bool
    are_counts: bool  # whether all entries are whole numbers of at least 0


def _tree(size: Size) -> float:
    """Predict the seconds of growing one tree for all labels, with √n_features tried in a split.

    A split of sparse rows looks at the stored entries of a feature only, which are few.
    """
    n_tried = math.sqrt(size.n_features)
    n_levels = math.log2(size.n_rows + 2)
    if not size.is_sparse:
        return size.n_rows * n_levels * n_tried * (4e-8 + 2e-9 * size.n_labels)
    of_row = 1e-8 * n_levels * size.n_stored + 3e-8 * n_tried + 1e-7 * size.n_labels
    return 0.001 + size.n_rows * of_row


def logistic(size: Size) -> float:
    """Predict the seconds of logistic regressions at eight penalties on five folds."""
    of_product = 2e-7 if size.is_sparse else 8e-8
    products = of_product * size.n_rows * size.n_stored * (size.n_labels + 10)
    return 0.02 + products + 1.2e-5 * size.n_features * size.n_labels


def quick_linear(size: Size) -> float:
    """Predict the seconds of logistic regressions; on sparse features of machines at one penalty.

    The penalty is chosen by at most 32 labels, from four values.
    """
    if not size.is_sparse:
        return logistic(size)
    entries = size.n_rows * size.n_stored
    n_fits = 6 * size.n_labels + 4 * min(32, size.n_labels)
    return 0.03 + n_fits * (6e-9 * entries + 1e-7 * size.n_rows + 2e-8 * size.n_features)


def naive_bayes(size: Size) -> float:
    """Predict the seconds of quick machines whose features are multiplied for each label."""
    return 2 * quick_linear(size)


def linear_svm(size: Size) -> float:
    """Predict the seconds of linear support vector machines at eight penalties."""
    products = 3e-7 * size.n_rows * size.n_stored * size.n_labels
    return 0.02 + products + 1e-6 * size.n_features * size.n_labels


def kernel_svm(size: Size) -> float:
    """Predict the seconds of support vector machines with a kernel."""
    pairs = float(size.n_rows) ** 2
    per_entry = 7e-10 if size.is_sparse else 9e-11
    return 0.002 * size.n_labels + per_entry * pairs * (size.n_stored + 50) * size.n_labels


def neighbors(size: Size) -> float:
    """Predict the seconds of distances between rows; those of dense rows are quicker.

    Distances are computed once for all folds, and the seconds are those of one of six fits.
    """
    pairs = float(size.n_rows) ** 2 * (0.2 if size.is_sparse else 0.04)
    return 0.005 + pairs * (2e-10 * size.n_stored + 1e-8) + 2e-7 * size.n_rows * size.n_labels


def judging(n_rows: int, n_labels: int, most_scores: int | None = None) -> float:
    """Predict the seconds of tuning thresholds on held-out scores, and of values without folds.

    With `most_scores`, thresholds are tuned on so many scores of each sample.
    """
    if most_scores is None:
        return 0.08 + 4e-7 * n_rows * n_labels
    return judging(n_rows, most_scores) + 2.5e-7 * n_rows * n_labels


def exact_f(size: Size) -> float:
    """Predict the seconds of multinomial regressions of labels and label counts."""
    return (5 if size.is_sparse else 3) * logistic(size)


def chains(size: Size) -> float:
    """Predict the seconds of ten chains of logistic regressions."""
    return 8 * logistic(size)


def forest(size: Size) -> float:
    """Predict the seconds of a forest of 200 trees for all labels."""
    return 0.05 + 200 * _tree(size)


def extra_trees(size: Size) -> float:
    """Predict the seconds of 200 trees with random splits, which are quick on dense rows."""
    return (1.2 if size.is_sparse else 0.35) * forest(size)


def forest_per_label(size: Size) -> float:
    """Predict the seconds of a forest of 100 trees for each label."""
    return size.n_labels * (0.02 + 100 * _tree(size._replace(n_labels=1)))


def label_ranking(size: Size) -> float:
    """Predict the seconds of forests of ten trees for each pair of labels."""
    n_pairs = size.n_labels * (size.n_labels + 1) / 2
    per_pair = 10 * _tree(size._replace(n_labels=1)) / math.sqrt(size.n_labels + 1)
    return n_pairs * (0.01 + per_pair)


def unless_many_rows(size: Size, least: int = _LEAST_ROWS_OF_TREES) -> str:
    """Refuse few rows."""
    return "" if size.n_rows >= least else f"it is for at least {least} rows"


def unless_rows_of_forests(size: Size) -> str:
    """Refuse fewer rows than a forest for each label is tried on."""
    return unless_many_rows(size, _LEAST_ROWS_OF_FORESTS)


def unless_terms(size: Size) -> str:
    """Refuse features that are not sparse."""
    return "" if size.is_sparse else "it is for terms of texts"


def unless_counts(size: Size) -> str:
    """Refuse features that are not counts of terms."""
    return "" if size.is_sparse and size.are_counts else "it is for counts of terms"


def unless_few_rows(size: Size) -> str:
    """Refuse many rows."""
    if size.n_rows <= _MOST_ROWS_OF_KERNELS:
        return ""
    return f"it is for at most {_MOST_ROWS_OF_KERNELS} rows"


def unless_few_pairs(size: Size) -> str:
    """Refuse many labels, and few rows."""
    if size.n_labels <= _MOST_LABELS_OF_PAIRS:
        return unless_rows_of_forests(size)
    return f"it is for at most {_MOST_LABELS_OF_PAIRS} labels"


def never(size: Size) -> str:  # noqa: ARG001
    """Refuse nothing."""
    return ""
