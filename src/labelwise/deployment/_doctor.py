"""Checks of scores and labels for faults that make results wrong or weaker than they look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._sigmoids import fit_sigmoids
from labelwise._text import counted, listed, quoted
from labelwise._validation import check_groups, check_instance, check_outcome, dense_targets
from labelwise.data import Dataset
from labelwise.decisions import Thresholds
from labelwise.deployment._label_errors import scored_cells
from labelwise.deployment._promises import NAMES, DecidedSamples, promises_of_rule
from labelwise.measures import reliability

_FEW = 10
# Distinct scores of a label in at least so many samples.
_FEW_DISTINCT, _MANY = 20, 200
# Expected calibration errors: what is doubtful, and how much a sigmoid must lower it.
_CALIBRATION_ERROR, _GAIN = 0.05, 0.5


class Finding(NamedTuple):
    """A fault that was found.

    Attributes
    ----------
    code : str
        Code of the check, as "D03".
    name : str
        Name of the check.
    text : str
        One sentence on what was found.
    """

    code: str
    name: str
    text: str


@dataclass(frozen=True, repr=False)
class Findings:
    """What `doctor` found; prints as a line for each finding.

    Attributes
    ----------
    found : tuple of Finding
        The findings, in the order of their codes.
    n_checks : int
        Number of checks that these inputs allow.

    See Also
    --------
    doctor : Check scores and labels for usual faults.
    """

    found: tuple[Finding, ...]
    n_checks: int

    def __len__(self) -> int:
        return len(self.found)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as dicts, as --json writes them.

        Returns
        -------
        dict
            The number of checks, and code, name and text of each finding.
        """
        found = [one._asdict() for one in self.found]
        return {"n_checks": self.n_checks, "findings": found}

    def __repr__(self) -> str:
        title = f"{counted(self.n_checks, 'check')}, {counted(len(self), 'finding')}"
        found = [f"{one.code} ({one.name}): {one.text}" for one in self.found]
        return "\n".join([title, *found])


class _Inputs(NamedTuple):
    """Checked inputs of the checks."""

    scores: Any  # dense or CSR
    Y: sparse.csc_array
    names: tuple[str, ...]
    missing: sparse.csc_array | None
    thresholds: Any  # None if not given, and then the checks that need them are left out
    groups: Any

    def about(self, labels: np.ndarray, text: str) -> list[str]:
        """Return a sentence with the names of some labels, or nothing without any."""
        names = [name for name, is_one in zip(self.names, labels, strict=True) if is_one]
        return [text.format(listed(names, show=quoted))] if names else []

    @property
    def support(self) -> np.ndarray:
        return np.diff(self.Y.indptr)


def doctor(
    scores: Any,
    Y: Any,
    *,
    thresholds: Thresholds | None = None,
    groups: Any = None,
    label_names: Sequence[str] | None = None,
    ids: Any = None,
) -> Findings:
    """Check scores and labels for usual faults, each with a code and a sentence.

    Parameters
    ----------
    scores : array, sparse matrix or frame of shape (n_samples, n_labels)
        Finite scores; higher scores mean likelier labels.
    Y : array, sparse matrix, frame or list of sets of shape (n_samples, n_labels)
        True labels, 0 or 1. NaN where the truth is missing.
    thresholds : Thresholds, default=None
        Thresholds that were tuned on such samples; None leaves out the checks of thresholds.
    groups : array of shape (n_samples,), default=None
        Group of each sample; samples of a group stay together. None leaves out the check of groups.
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
    Findings
        The findings; none if all is well.

    Raises
    ------
    ValueError
        If scores and labels do not belong together.

    See Also
    --------
    find_label_errors : Find labels that are probably wrong.

    Notes
    -----
    The page "Faults that doctor finds" of the documentation says for each code when it is reported,
    and what to do.

    Examples
    --------
    >>> from labelwise.deployment import doctor
    >>> found = doctor([[0.9, 0.1], [0.2, 0.3]], [[1, 0], [0, 0]], label_names=["sea", "Sea "])
    >>> [one.code for one in found.found]
    ['D03', 'D04', 'D10']
    """
    outcome = check_outcome(
        Y, scores=scores, label_names=label_names, allow_missing=True, ids=ids, labels_of="scores"
    )
    n_samples, n_labels = outcome.Y.shape
    if thresholds is not None:
        check_instance(thresholds, Thresholds, "thresholds")
        if len(thresholds) != n_labels:
            raise ValueError(
                f"scores must have the {len(thresholds)} labels of the thresholds, got {n_labels}."
            )
    given = _Inputs(
        outcome.scores,
        outcome.Y,
        outcome.names or tuple(map(str, range(n_labels))),
        outcome.missing,
        thresholds,
        None if groups is None else check_groups(outcome.in_order(groups, "groups"), n_samples),
    )
    needed = {"D06": thresholds, "D07": thresholds, "D08": groups}
    checks = {code: one for code, one in CHECKS.items() if needed.get(code, given) is not None}
    found = [
        Finding(code, name, text) for code, (name, check) in checks.items() for text in check(given)
    ]
    return Findings(tuple(found), len(checks))


def _separated(given: _Inputs) -> Iterator[str]:
    """Find labels whose scores separate positives from negatives without an error."""
    tested, perfect = np.zeros((2, given.support.size), dtype=bool)
    for j, (_, scores, truth) in enumerate(scored_cells(given.scores, given.Y)):
        tested[j] = given.support[j] >= _FEW and not truth.all()
        perfect[j] = tested[j] and scores[truth].min() > scores[~truth].max()
    if perfect.sum() >= tested.sum() // 2:
        yield from given.about(
            perfect,
            "the scores of {} separate positives from negatives without an error, as scores of "
            "training samples do.",
        )


def _copies(given: _Inputs) -> Iterator[str]:
    """Find samples with the same scores and labels."""
    if given.Y.shape[1] < 2:
        return
    scores, n_samples = sparse.csr_array(given.scores), given.Y.shape[0]
    both = Dataset(sparse.hstack([scores, given.Y], format="csr"), given.Y)
    n_copies = both.find_duplicates().n_repeated
    # With coarse scores, different samples have equal rows.
    if n_copies > 0.01 * n_samples and np.unique(scores.data).size > n_samples / 2:
        yield (
            f"{n_copies:,} of {n_samples:,} samples are copies of others in all scores and "
            "labels: copies in training and test parts make values too high."
        )


def _without_positives(given: _Inputs) -> list[str]:
    empty = given.support == 0
    return given.about(empty, "{} have no positives: they cannot be tuned or measured.")


def _few_positives(given: _Inputs) -> list[str]:
    few = (given.support > 0) & (given.support < _FEW)
    return given.about(few, f"{{}} have fewer than {_FEW} positives: their thresholds are noise.")


def _uncalibrated(given: _Inputs) -> Iterator[str]:
    """Compare scores that look like probabilities with the labels."""
    if sparse.issparse(given.scores) or given.missing is not None:
        return
    scores = given.scores.astype(np.float64)
    if scores.min() < 0 or scores.max() > 1:
        yield (
            f"scores lie between {scores.min():.4g} and {scores.max():.4g}: they are not "
            "probabilities, and expected measures and label shift need samples to calibrate on."
        )
        return
    error = reliability(given.Y, scores).error
    Y = dense_targets(given.Y, None).astype(np.float64)
    sigmoids = fit_sigmoids(scores, Y, np.ones(len(Y)), increasing=True)
    fitted = reliability(given.Y, sigmoids.probabilities(scores)).error
    if error > _CALIBRATION_ERROR and fitted < _GAIN * error:
        yield (
            f"probabilities are wrong by {error:.3f} on average, calibrated ones by {fitted:.3f}: "
            "calibration on samples with labels corrects them."
        )


def _near_a_half(given: _Inputs) -> Iterator[str]:
    """Find thresholds that are not clearly better than 0.5 on these samples."""
    if sparse.issparse(given.scores) or given.scores.min() < 0 or given.scores.max() > 1:
        return
    Y = given.Y.toarray()
    hits = []
    for decided in (given.thresholds._decide(given.scores) == 1, given.scores >= 0.5):
        wrong = (decided != Y).sum(axis=1)
        hits.append(2.0 * (decided & Y).sum(axis=1) - wrong)
    gain = hits[0] - hits[1]
    spread = gain.std() / np.sqrt(max(len(gain), 1))
    if abs(gain.mean()) <= 2 * spread:
        yield "the tuned thresholds are not clearly better than 0.5 on these samples."


def _certificate(given: _Inputs) -> Iterator[str]:
    """Say whether these samples could certify the constraints of thresholds without a guarantee."""
    rule = given.thresholds
    if rule.evidence.guarantee:
        return
    samples = DecidedSamples(rule, given.scores, given.Y, given.groups)
    units = "samples" if given.groups is None else "groups"
    for promise in promises_of_rule(rule):
        if promise.source != "constraint" or promise.name not in NAMES:
            continue
        numbers = samples.quotient(promise).bets(1.0, np.array([promise.limit]))[0](slice(None))
        # Bets on numbers of mean m and mean square v need about 2 log(1 / alpha) v / m² of them.
        mean, square = numbers.mean(), np.mean(numbers**2)
        needed = 2 * np.log(1 / 0.05) * square / mean**2 if mean > 0 else np.inf
        if needed > len(numbers) / 2:
            many = f"about {2 * needed:,.0f} would" if np.isfinite(needed) else "no number would"
            yield (
                f"min_{promise.name.split('-')[1]} {promise.limit:g} cannot be guaranteed by these "
                f"{len(numbers):,} {units} with probability 0.95; {many} be enough at these "
                "thresholds."
            )


def _groups(given: _Inputs) -> Iterator[str]:
    """Find groups of several samples that tuning did not know of."""
    sizes = np.bincount(given.groups)
    if (
        given.thresholds is not None
        and sizes.max() > 1
        and given.thresholds.evidence.n_groups is None
    ):
        yield (
            f"{(sizes > 1).sum():,} groups have several samples, the largest {sizes.max():,}, and "
            "the thresholds were tuned without groups: give groups to tuning and splitting."
        )


def _coarse(given: _Inputs) -> list[str]:
    """Find labels whose scores have few distinct values."""
    if given.Y.shape[0] < _MANY:
        return []
    cells = scored_cells(given.scores, given.Y)
    n_values = np.array([np.unique(scores).size for _, scores, _ in cells])
    return given.about(
        (n_values > 1) & (n_values <= _FEW_DISTINCT),
        f"the scores of {{}} have at most {_FEW_DISTINCT} distinct values, as confidences of "
        "language models do: only few thresholds are possible.",
    )


def _similar_names(given: _Inputs) -> Iterator[str]:
    """Find names that differ only by case or blanks."""
    alike: dict[str, list[str]] = {}
    for name in given.names:
        alike.setdefault("".join(name.split()).casefold(), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            yield f"the label names {listed(names, show=quoted)} differ only by case or blanks."


# Checks by their codes, with the names under which they are shown.
CHECKS = {
    "D01": ("training scores", _separated),
    "D02": ("copies", _copies),
    "D03": ("no positives", _without_positives),
    "D04": ("few positives", _few_positives),
    "D05": ("calibration", _uncalibrated),
    "D06": ("thresholds near 0.5", _near_a_half),
    "D07": ("certificate", _certificate),
    "D08": ("groups", _groups),
    "D09": ("coarse scores", _coarse),
    "D10": ("label names", _similar_names),
}
