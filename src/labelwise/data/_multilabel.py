"""Generate data with dependent labels and a known posterior distribution of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from labelwise._poisson_binomial import counts_of_others
from labelwise._validation import (
    check_labels,
    check_random_state,
    check_real,
    check_whole,
    refuse_sparse,
)
from labelwise.data._dataset import Dataset


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """True distribution of the labels of each sample, given its features.

    Parameters
    ----------
    groups : array of shape (n_samples, n_groups)
        Probability P(z | x) of each hidden group for each sample; rows sum to 1.
    rates : array of shape (n_groups, n_labels)
        Probability P(y_j = 1 | z) of each label in each group.

    Attributes
    ----------
    groups : ndarray of shape (n_samples, n_groups)
        Probability of each group for each sample.
    rates : ndarray of shape (n_groups, n_labels)
        Probability of each label in each group.
    marginals : ndarray of shape (n_samples, n_labels)
        Probability P(y_j = 1 | x_i) of each label.
    joint : ndarray of shape (n_samples, n_labels, n_labels)
        Probability that label j is positive and the sample has s labels, at ``[i, j, s - 1]``.
    p_empty : ndarray of shape (n_samples,)
        Probability that the sample has no label.

    Raises
    ------
    ValueError
        If an argument is not 2-D, has values outside [0, 1], the shapes disagree, or a row of
        `groups` does not sum to 1.

    See Also
    --------
    make_multilabel : Generate data with this posterior.

    Notes
    -----
    A sample belongs to a hidden group z with probability P(z | x), and within a group the labels
    are independent. So each probability is a mixture over groups, computed without sampling or
    enumeration:

        P(y | x) = Σ_z P(z | x) Π_j P(y_j | z).

    With n samples, m labels and K groups, `joint` takes O(K m² log m + n K m²) time and has n m²
    numbers. It is computed at the first access, and then stored.

    Examples
    --------
    >>> from labelwise.data import Posterior
    >>> posterior = Posterior(groups=[[0.5, 0.5]], rates=[[1.0, 0.0], [0.0, 1.0]])
    >>> posterior.marginals
    array([[0.5, 0.5]])
    >>> posterior.probability([[1, 1]])  # never both, though each is as probable as not
    array([0.])
    """

    groups: Any
    rates: Any

    def __post_init__(self) -> None:
        groups = _check_probabilities(self.groups, "groups")
        rates = _check_probabilities(self.rates, "rates")
        if groups.shape[1] != rates.shape[0]:
            raise ValueError(f"groups has {groups.shape[1]} columns for {rates.shape[0]} rates.")
        # Rounding in a sum of K probabilities stays far below this.
        off = np.abs(groups.sum(axis=1) - 1) > 1e-9
        if off.any():
            i = int(np.argmax(off))
            raise ValueError(f"groups must sum to 1, got {groups[i].sum():g} in row {i}.")
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "rates", rates)

    def __repr__(self) -> str:
        n_groups, n_labels = self.rates.shape
        return f"Posterior of {len(self)} samples: {n_labels} labels, {n_groups} groups"

    def __len__(self) -> int:
        return int(self.groups.shape[0])

    def take(self, rows: Any) -> Posterior:
        """Select samples, in the order in which they are given.

        Parameters
        ----------
        rows : slice, array of int or array of bool of shape (n_samples,)
            Numbers of the samples, or a mask of them.

        Returns
        -------
        Posterior
            The distribution of the labels of these samples.
        """
        refuse_sparse(rows, "rows", "row numbers, booleans or a slice")
        return Posterior(self.groups[rows], self.rates)

    @cached_property
    def marginals(self) -> np.ndarray:
        """Probability P(y_j = 1 | x_i) of each label, of shape (n_samples, n_labels)."""
        marginals: np.ndarray = self.groups @ self.rates
        return marginals

    @cached_property
    def joint(self) -> np.ndarray:
        """Probability P(y_j = 1, s_y = s | x_i) at ``[i, j, s - 1]``.

        s_y is the number of labels of the sample. These probabilities and `p_empty` suffice to
        compute the decision with the highest expected F-measure.

        References
        ----------
        K. Dembczyński, A. Jachnik, W. Kotłowski, W. Waegeman, E. Hüllermeier, "Optimizing the
        F-Measure in Multi-Label Classification: Plug-in Rule Approach versus Structured Loss
        Minimization", ICML 2013, section 3 (dembczynski2013).
        """
        n_groups, n_labels = self.rates.shape
        by_group = np.empty((n_groups, n_labels, n_labels))
        for z, rates in enumerate(self.rates):
            by_group[z] = rates[:, None] * counts_of_others(rates)
        mixed = self.groups @ by_group.reshape(n_groups, n_labels**2)
        joint: np.ndarray = mixed.reshape(-1, n_labels, n_labels)
        return joint

    @cached_property
    def p_empty(self) -> np.ndarray:
        """Probability that the sample has no label, of shape (n_samples,)."""
        p_empty: np.ndarray = self.groups @ (1 - self.rates).prod(axis=1)
        return p_empty

    def probability(self, label_sets: Any) -> np.ndarray:
        """Compute the probability of a label set for each sample.

        Parameters
        ----------
        label_sets : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
            The label set of each sample; or one row, which is used for all samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The probability P(y | x_i) of the label set.

        Raises
        ------
        ValueError
            If there is neither one row nor one for each sample.
        """
        n_labels = self.rates.shape[1]
        names = tuple(map(str, range(n_labels)))
        rows = check_labels(label_sets, label_names=names, input_name="label_sets").matrix.toarray()
        if rows.shape[0] not in (1, len(self)):
            raise ValueError(f"label_sets has {rows.shape[0]} rows for {len(self)} samples.")
        by_group = np.ones((rows.shape[0], self.rates.shape[0]))
        for j in range(n_labels):
            by_group *= np.where(rows[:, j, None], self.rates[:, j], 1 - self.rates[:, j])
        probability: np.ndarray = (self.groups * by_group).sum(axis=1)
        return probability

    def sample(self, n_draws: int, random_state: Any = None) -> np.ndarray:
        """Draw labels from the posterior.

        Parameters
        ----------
        n_draws : int
            Number of draws for each sample.
        random_state : int, RandomState or None, default=None
            Seed of the random numbers; the same int gives the same result.

        Returns
        -------
        ndarray of bool of shape (n_draws, n_samples, n_labels)
            The labels.
        """
        n_draws = check_whole(n_draws, "n_draws")
        rng = check_random_state(random_state)
        # The last bound is 1 up to rounding; a draw above it would belong to no group.
        bounds = np.cumsum(self.groups, axis=1)[:, :-1]
        draws = np.empty((n_draws, len(self), self.rates.shape[1]), dtype=bool)
        for draw in draws:
            z = (rng.random_sample((len(self), 1)) >= bounds).sum(axis=1)
            draw[:] = rng.random_sample(draw.shape) < self.rates[z]
        return draws


def make_multilabel(
    n_samples: int = 1000,
    n_features: int = 20,
    n_labels: int = 6,
    *,
    n_groups: int | None = None,
    cardinality: float | None = None,
    separation: float = 2.0,
    noise: float = 0.05,
    random_state: Any = None,
) -> tuple[Dataset, Posterior]:
    """Generate data with dependent labels, and the true posterior of the labels.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_features : int, default=20
        Number of features.
    n_labels : int, default=6
        Number of labels.
    n_groups : int, default=None
        Number of hidden groups. None means the number of labels, but at least 8.
    cardinality : float, default=None
        Mean number of labels of a sample, rounded to a multiple of 1 / n_groups. None means 2, but
        at most a third of the labels. Each label occurs in a group if the cardinality suffices.
    separation : float, default=2.0
        Root mean square distance between the means of two groups, from 0 to 1e6; within a group
        the features have unit variance. With 0 the labels do not depend on the features.
    noise : float, default=0.05
        From 0 (the group determines the labels) to 1 (the labels are independent of everything).
    random_state : int, RandomState or None, default=None
        Seed of the random numbers; the same int gives the same result.

    Returns
    -------
    dataset : Dataset
        Features and labels.
    posterior : Posterior
        True distribution P(y | x) of the labels of every sample.

    Raises
    ------
    TypeError
        If an argument is not a number, or not a whole number.
    ValueError
        If an argument is out of its range.

    Notes
    -----
    Each sample belongs to a hidden group z, and all groups are equally probable. Its features are
    normal around the mean of the group, x | z ~ N(μ_z, I). Its labels are independent within the
    group, and dependent if x leaves the group uncertain. Each group has some labels; popular labels
    (the first ones) belong to more groups. A label follows the group with probability
    1 - `noise` and is otherwise drawn at the mean rate of all labels:

        P(y_j = 1 | z) = (1 - noise) [z has j] + noise · cardinality / n_labels.

    Since ``P(z | x) ∝ exp(μ_z·x - |μ_z|²/2)``, the best decision for any measure can be computed.

    Examples
    --------
    >>> from labelwise.data import make_multilabel
    >>> dataset, posterior = make_multilabel(n_samples=300, random_state=0)
    >>> dataset
    Dataset 'multilabel': 300 samples, 20 features, 6 labels
    >>> posterior.joint.shape, posterior.p_empty.shape
    ((300, 6, 6), (300,))
    """
    n_samples = check_whole(n_samples, "n_samples")
    n_features = check_whole(n_features, "n_features")
    n_labels = check_whole(n_labels, "n_labels")
    n_groups = max(8, n_labels) if n_groups is None else check_whole(n_groups, "n_groups")
    mean = min(2.0, n_labels / 3) if cardinality is None else cardinality
    mean = check_real(mean, "cardinality", least=0, most=n_labels)
    separation = check_real(separation, "separation", least=0, most=1e6)
    noise = check_real(noise, "noise", least=0, most=1)
    rng = check_random_state(random_state)

    owns = _owned_labels(n_groups, n_labels, round(mean * n_groups), rng)
    rates = (1 - noise) * owns + noise * owns.mean()
    means = rng.standard_normal((n_groups, n_features)) * separation / np.sqrt(2 * n_features)
    z = rng.randint(n_groups, size=n_samples)
    X = means[z] + rng.standard_normal((n_samples, n_features))
    Y = rng.random_sample((n_samples, n_labels)) < rates[z]
    return Dataset(X, Y, "multilabel"), Posterior(group_probabilities(X, means), rates)


def group_probabilities(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return P(z | x) for equally probable groups with unit variance around their means."""
    # |x|² is the same for all groups, and leaves the exponent.
    exponent = X @ means.T - (means**2).sum(axis=1) / 2
    exponent -= exponent.max(axis=1, keepdims=True)
    likelihood: np.ndarray = np.exp(exponent)
    likelihood /= likelihood.sum(axis=1, keepdims=True)
    return likelihood


def _owned_labels(n_groups: int, n_labels: int, n_owned: int, rng: Any) -> np.ndarray:
    """Draw which group has which label: `n_owned` cells, more of them for the first labels."""
    # The largest keys log w + Gumbel are a draw without replacement with weights w.
    keys = rng.gumbel(size=(n_groups, n_labels)) - np.log1p(np.arange(n_labels)) / 2
    is_best = keys == keys.max(axis=0)
    best_cells_first = np.lexsort((-keys.ravel(), ~is_best.ravel()))
    owns = np.zeros(n_groups * n_labels, dtype=bool)
    owns[best_cells_first[:n_owned]] = True
    return owns.reshape(n_groups, n_labels)


def _check_probabilities(values: Any, input_name: str) -> np.ndarray:
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 2 or checked.size == 0:
        raise ValueError(f"{input_name} must be 2-D and not empty, got shape {checked.shape}.")
    if not ((checked >= 0) & (checked <= 1)).all():
        raise ValueError(f"{input_name} must have probabilities from 0 to 1.")
    return checked
