"""The request: what thresholds are tuned for, or bands are found for, declared once.

Each field of `Request` that has an `Option` is declared here with its type, default, check and one
line of help. `best_thresholds`, `TunedThresholds`, `BagPlugin`, `BestLearner`, ``labelwise tune``,
``labelwise fit`` and files of thresholds take their options from these fields. A new option is a
field here, its use in the algorithm, and a test; options that exclude each other are listed in
`_EXCLUDING`. `BandRequest` declares the options of `review_bands` in the same way.

The command line reads the declaration for every ``--help``: this file imports numpy and measures
only when a request is built.
"""

from __future__ import annotations

from copy import copy
from dataclasses import InitVar, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from labelwise._tuning.objectives._option_values import (
    Option,
    check_amount,
    check_decisions,
    check_fbr,
    check_rate,
    check_total,
    checked_beta,
    option,
    parse_amount,
    parse_costs,
    parse_count_or_text,
    parse_fbr,
    parse_number_or_word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from labelwise._counts import Counts, Measure
    from labelwise._tuning.objectives._by_label import CostRule
    from labelwise._tuning.objectives._constraints import Limits

AVERAGES = ("micro", "macro", "sample")
EXPECTATION = "expectation"
_ACROSS = ("each", "all", "slices")
_WEIGH = ("sample", "group")
_LIMITS = "min_precision, min_recall or max_decisions"
_PER_SAMPLE = "max_decisions per sample"
_BAND_LIMITS = ("min_precision", "min_recall", "max_review")
_EVENTS = ("a false positive", "a false negative")  # that have a cost
_MACRO, _SAMPLE = 'average="macro"', 'average="sample"'
# The first option of each row excludes all others of the row.
_EXCLUDING = (
    ("shrink", "shared", "fbr", "cost", _LIMITS, _SAMPLE),
    ("fbr", "shared", "cost", _LIMITS, _SAMPLE),
    ("cost", "shared", _LIMITS, _MACRO, _SAMPLE),
    (_SAMPLE, "shared"),
    ("max_decisions", _MACRO),
    ("guarantee", "max_decisions", _PER_SAMPLE),
)


def _check_guarantee(guarantee: Any, _name: str) -> Certify | None:
    if guarantee is None or isinstance(guarantee, Certify):
        return guarantee
    return Certify(guarantee)


@dataclass(frozen=True, eq=False)
class Certify:
    """What is guaranteed on new samples, and on which samples it is tested.

    The argument `guarantee` of `best_thresholds`, `review_bands` and `TunedThresholds` takes such
    an object where more than a probability is to be said.

    Parameters
    ----------
    level : float or "expectation"
        Probability, such as 0.95, with which the constraints hold on new samples of the same
        distribution. With "expectation", the expected mean recall of samples is guaranteed instead.
    across : {"each", "all", "slices"}, default="each"
        With a macro average: whether the probability is that of each label by itself, or that of
        all labels together (Holm's method). With slices and another average, "slices" guarantees
        the constraints in every slice, with the probability for all slices together (Holm's
        method); a slice that cannot be certified is never decided. By default, they are
        guaranteed for all slices on average.
    tuning_share : float, default=0.5
        Share of the samples that thresholds are chosen on. The others, for calibration, only test
        them.
    calibration : pair of scores and Y, or triple of scores, Y and groups, default=None
        Samples for calibration, in the same form as the other samples, which are then all for
        tuning. Groups are required if groups are given there.
    weigh : {"sample", "group"}, default="sample"
        With groups: whether precision and recall count every sample the same, or every group, as
        in "precision where every patient counts the same". A test must stand the errors of the
        largest group; with "group", each group counts as one sample, so that large groups cost no
        power.

    See Also
    --------
    best_thresholds : Tune thresholds, with or without a guarantee.

    Examples
    --------
    >>> from labelwise.decisions import Certify
    >>> Certify(0.95, across="all").across
    'all'
    """

    level: float | str
    across: str = field(
        default="each",
        metadata=option(
            "With macro averages: guarantee each label by itself, or all. With --slices: slices, "
            "to guarantee every slice."
        ),
    )
    tuning_share: float = field(
        default=0.5,
        metadata=option("Share of the samples that a guarantee is not tested on.", kind=float),
    )
    calibration: tuple[Any, ...] | None = None
    weigh: str = field(
        default="sample",
        metadata=option("With --groups: every sample counts the same, or every group."),
    )

    def __post_init__(self) -> None:
        from labelwise._validation import check_share

        if self.across not in _ACROSS:
            raise ValueError(f"across must be one of {', '.join(_ACROSS)}, got {self.across!r}.")
        if self.weigh not in _WEIGH:
            raise ValueError(f"weigh must be one of {', '.join(_WEIGH)}, got {self.weigh!r}.")
        check_share(self.tuning_share, "tuning_share")
        if isinstance(self.level, str):
            if self.level != EXPECTATION:
                raise ValueError(
                    f'guarantee must be a probability or "{EXPECTATION}", got {self.level!r}.'
                )
        else:
            check_share(self.level, "guarantee")

    @property
    def in_expectation(self) -> bool:
        """Whether an expected value is guaranteed, instead of a probability."""
        return self.level == EXPECTATION

    @property
    def alpha(self) -> float:
        """The probability that the guarantee may fail with."""
        return 1.0 - float(self.level)


@dataclass(frozen=True)
class Request:
    """What thresholds are tuned for.

    The fields with an `Option` are what the caller asked for, by the names of the arguments of
    `best_thresholds`. The others are computed from them, and are used by the algorithms.
    Construction checks every option, and refuses options that exclude each other with a TypeError
    or a ValueError. `n_labels` is needed with costs.
    """

    maximize: Any = field(
        default="micro-f",
        metadata=option("micro-f, macro-f, sample-f, micro-jaccard, macro-matthews, ..."),
    )
    average: Any = field(
        default=None,
        metadata=option("How a function is averaged: micro, macro or sample.", in_command=False),
    )
    beta: float = field(
        default=1.0,
        metadata=option(
            "Beta of the F-measure: above 1 favours recall.", check=checked_beta, kind=float
        ),
    )
    cost: Any = field(
        default=None,
        metadata=option(
            "Costs of a false positive and a false negative, e.g. 1,5: the least cost is found; "
            "with --review also of a review, e.g. 1,5,0.1.",
            parse=parse_costs,
        ),
    )
    shared: bool = field(
        default=False,
        metadata=option(
            "One threshold for all labels.", check=lambda value, _: bool(value), kind=bool
        ),
    )
    shrink: Any = field(
        default=0.0,
        metadata=option(
            "Shrinkage from 0 (labels apart) to 1 (one threshold), or auto.",
            check=check_amount,
            parse=parse_amount,
            other_default="auto",
        ),
    )
    fbr: Any = field(
        default=None,
        metadata=option(
            "Raise thresholds of labels with F below this, or auto: to their highest score, or, "
            "with ,0 as in 0.1,0, so that they are never decided. In labelwise fit also nested: "
            "chosen by models of inner folds.",
            check=check_fbr,
            parse=parse_fbr,
        ),
    )
    min_precision: Any = field(
        default=None,
        metadata=option(
            "Lowest micro precision; for macro-..., of each label.", check=check_rate, kind=float
        ),
    )
    min_recall: Any = field(
        default=None,
        metadata=option(
            "Lowest micro recall; for macro-..., of each label.", check=check_rate, kind=float
        ),
    )
    max_decisions: Any = field(
        default=None,
        metadata=option(
            'Most decisions: 500 in total, 2.5 as mean, "3 per sample".',
            check=check_decisions,
            parse=parse_count_or_text,
        ),
    )
    guarantee: Any = field(
        default=None,
        metadata=option(
            "Probability, e.g. 0.95, of --min-precision and --min-recall on new samples.",
            check=_check_guarantee,
            parse=parse_number_or_word,
        ),
    )
    n_labels: InitVar[int | None] = None

    measure: Measure = field(init=False)  # with its beta
    measure_name: str = field(init=False)  # "cost" if costs are minimised
    limits: Limits = field(init=False)
    costs: CostRule | None = field(init=False)
    fbr_amount: Any = field(init=False)  # None without FBR
    fbr_rule: int = field(init=False)
    certify: Certify | None = field(init=False)
    max_rank: int | None = field(init=False)  # only that many highest scores of a sample count

    def __post_init__(self, n_labels: int | None) -> None:
        from labelwise._counts import with_beta
        from labelwise._tuning.objectives._constraints import Limits

        costs = None
        if self.cost is not None:
            from labelwise._tuning.objectives._by_label import CostRule

            costs = CostRule(*_costs_by_label(self.cost, "a pair", _EVENTS, n_labels or 1))
        checked = _checked(self)
        average, measure = _average_and_measure(self.maximize, self.average)
        most, max_rank = checked["max_decisions"], None
        if isinstance(most, str):
            max_rank, most = int(most.split()[0]), None
        name = getattr(measure, "__name__", repr(measure))
        fbr = checked["fbr"]
        amount, rule = fbr if isinstance(fbr, tuple) else (fbr, 1)
        self._set(
            **checked | {"average": average},
            measure=with_beta(measure, checked["beta"]),
            measure_name=name if self.cost is None else "cost",
            # Every rate is at least 0, and one that is not defined is not below it.
            limits=Limits(checked["min_precision"] or None, checked["min_recall"] or None, most),
            costs=costs,
            fbr_amount=amount,
            fbr_rule=rule,
            certify=checked["guarantee"],
            max_rank=max_rank,
        )
        if not isinstance(self.maximize, str):
            _check_measure(self.measure)
        if self.shrink == "auto" and self._excludes_shrinkage():
            self._set(shrink=0.0)
        _check_together(self)

    def _set(self, **values: Any) -> Request:
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    def _excludes_shrinkage(self) -> bool:
        is_given = _given(self)
        return any(is_given[other] for other in _EXCLUDING[0][1:])

    def for_labels(self, chosen: np.ndarray) -> Request:
        """Return the request for the labels that a mask or an array of numbers selects."""
        if self.costs is None:
            return self
        return copy(self)._set(costs=self.costs.of_labels(chosen))

    def for_all_slices(self) -> Request:
        """Return the request with a guarantee for all slices on average."""
        if self.certify is None or self.certify.across != "slices":
            return self
        return copy(self)._set(certify=replace(self.certify, across="each"))

    def for_parts(self, n_samples: float) -> Request:
        """Return the request for parts of `n_samples` samples: decisions are limited per sample."""
        return copy(self)._set(limits=self.limits.per_sample(n_samples))

    @property
    def counts_by(self) -> str:
        """Whether `value` takes counts by "label" or by "sample"."""
        return "sample" if self.average == "sample" else "label"

    def value(self, counts: Counts, weights: np.ndarray | None = None) -> Any:
        """Compute the value of decisions from their counts; the last axis is averaged.

        Labels or samples for which the measure is not defined are left out of a mean. `weights` are
        those of the samples, for a mean over samples.
        """
        from labelwise._counts import mean, measured, micro_of

        if self.costs is not None:
            wrong = self.costs.false_positive * counts.fp + self.costs.false_negative * counts.fn
            return wrong.sum(axis=-1)
        if self.average == "micro":
            return micro_of(self.measure, counts)
        return mean(measured(self.measure, counts), "skip", weights)


@dataclass(frozen=True)
class BandRequest:
    """What bands are found for: the arguments of `review_bands`.

    Construction checks every option, and refuses options that exclude each other with a TypeError
    or a ValueError. `n_labels` is needed with costs.
    """

    min_precision: Any = field(
        default=None,
        metadata=option("Lowest precision of accepted cells.", check=check_rate),
    )
    min_recall: Any = field(
        default=None,
        metadata=option("Lowest recall of cells that are not rejected.", check=check_rate),
    )
    max_review: Any = field(
        default=None,
        metadata=option("Most cells to review: in total, or as mean.", check=check_total),
    )
    cost: Any = field(
        default=None,
        metadata=option("Costs of a false positive, of a false negative and of a review."),
    )
    guarantee: Any = field(
        default=None,
        metadata=option("Probability with which both rates hold.", check=_check_guarantee),
    )
    n_labels: InitVar[int | None] = None

    costs: list[np.ndarray] | None = field(init=False)  # by label, of each event
    certify: Certify | None = field(init=False)

    def __post_init__(self, n_labels: int | None) -> None:
        checked = _checked(self)
        given = [name for name in _BAND_LIMITS if checked[name] is not None]
        if self.cost is not None and given:
            raise ValueError(f"cost does not go together with {given[0]}.")
        if self.cost is None and not given:
            limits = ", ".join(_BAND_LIMITS)
            raise ValueError(f"{limits} or cost must be given, got none.")
        certify = checked["guarantee"]
        if certify is not None:
            if certify.in_expectation or certify.across != "each":
                raise ValueError("guarantee of bands must be a probability, without across.")
            if self.cost is not None or self.max_review is not None:
                other = "max_review" if self.cost is None else "cost"
                raise ValueError(f"guarantee does not go together with {other}.")
        costs = None
        if self.cost is not None:
            costs = _costs_by_label(self.cost, "three costs", (*_EVENTS, "a review"), n_labels or 1)
        for name, value in (checked | {"costs": costs, "certify": certify}).items():
            object.__setattr__(self, name, value)

    def most_reviewed(self, n_samples: int) -> int | None:
        """Return the largest number of cells to review in total; None without a limit."""
        most: int | float | None = self.max_review
        if not isinstance(most, float):
            return most
        # 0.7 must allow 7 cells on 10 samples, whatever 0.7 * 10 rounds to.
        return int(most * n_samples * (1 + 1e-12))

    def for_parts(self, n_samples: int) -> BandRequest:
        """Return the request for parts of `n_samples` samples: reviews are limited per sample."""
        most = self.most_reviewed(n_samples)
        return self if most is None else replace(self, max_review=most / n_samples)


@cache
def options(record: type = Request) -> tuple[Any, ...]:
    """Return the fields of a request, or of a `Certify`, that declare an option."""
    return tuple(one for one in fields(record) if "option" in one.metadata)


def option_of(one: Any) -> Option:
    """Return the declaration of an option, of a field."""
    found: Option = one.metadata["option"]
    return found


def _checked(request: Any) -> dict[str, Any]:
    """Check the options of a request one by one, and return them by name."""
    kind: Any = type(request)
    return {
        one.name: option_of(one).check(getattr(request, one.name), one.name)
        for one in options(kind)
    }


def _average_and_measure(maximize: Any, average: Any) -> tuple[str, Measure]:
    """Return the average and the measure of a name, or of a function and its average."""
    from labelwise._counts import average_and_measure

    if isinstance(maximize, str):
        if average is not None:
            raise ValueError(
                f"maximize={maximize!r} names both measure and average, so average must be None, "
                f"got {average!r}."
            )
        return average_and_measure(maximize)
    if not callable(maximize):
        raise TypeError(
            f"maximize must be a name such as 'micro-f' or a measure of counts, got {maximize!r}."
        )
    if average is not None and average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(AVERAGES)}, got {average!r}.")
    return average or "micro", maximize


def _check_measure(measure: Measure) -> None:
    """Refuse a function of the caller that does not return an array of numbers for arrays."""
    import numpy as np

    from labelwise._counts import Counts, measured

    counts = ([3, 2, 1], [1, 2, 1], [2, 1, 1], [4, 5, 6])
    measured(measure, Counts(*map(np.array, counts)))


def _given(request: Request) -> dict[str, bool]:
    """Return which options are given, by the names in error messages."""
    return {
        "shared": request.shared,
        "shrink": request.shrink != 0,
        "fbr": request.fbr is not None,
        "cost": request.costs is not None,
        "max_decisions": request.limits.max_decisions is not None,
        _PER_SAMPLE: request.max_rank is not None,
        _LIMITS: request.limits.are_set,
        _MACRO: request.average == "macro",
        _SAMPLE: request.average == "sample",
        "guarantee": request.certify is not None,
    }


def _check_together(request: Request) -> None:
    """Refuse options that exclude each other."""
    is_given = _given(request)
    for first, *others in _EXCLUDING:
        for other in others:
            if is_given[first] and is_given[other]:
                raise ValueError(f"{first} does not go together with {other}.")
    if request.shared and request.limits.are_set and request.average != "micro":
        raise ValueError(f'{_LIMITS} with shared=True needs average="micro".')
    _check_certifiable(request)


def _check_certifiable(request: Request) -> None:
    """Refuse a guarantee of nothing, and constraints on the mean over samples without one."""
    limits, certify = request.limits, request.certify
    if certify is None:
        if limits.are_set and request.average == "sample":
            raise ValueError(f"{_SAMPLE} does not go together with {_LIMITS} without guarantee.")
        return
    if limits.min_precision is None and limits.min_recall is None:
        raise ValueError("guarantee needs min_precision or min_recall.")
    if certify.across == "all" and request.average != "macro":
        raise ValueError(f'across="all" needs {_MACRO}, got "{request.average}".')
    if certify.across == "slices" and request.average == "macro":
        raise ValueError('across="slices" needs average="micro" or "sample", got "macro".')
    if certify.across == "slices" and certify.in_expectation:
        raise ValueError(f'across="slices" does not go together with "{EXPECTATION}".')
    is_of_recall = limits.min_recall is not None and limits.min_precision is None
    if certify.in_expectation and not (request.average == "sample" and is_of_recall):
        raise ValueError(f'guarantee="{EXPECTATION}" needs {_SAMPLE} and only min_recall.')


def _costs_by_label(cost: Any, kind: str, events: Sequence[str], n_labels: int) -> list[np.ndarray]:
    """Return the cost of each event by label, from numbers or sequences with one for each label."""
    import numpy as np

    if not isinstance(cost, tuple | list) or len(cost) != len(events):
        raise TypeError(
            f"cost must be {kind}, of {', of '.join(events[:-1])} and of {events[-1]}, "
            f"numbers or a sequence for each label, got {cost!r}."
        )
    parts = [np.asarray(part, dtype=np.float64) for part in cost]
    for part in parts:
        if part.shape not in ((), (n_labels,)):
            raise ValueError(f"cost must have {n_labels} numbers by label, got shape {part.shape}.")
        if not (np.isfinite(part) & (part >= 0)).all():
            raise ValueError(f"cost must be finite and not negative, got {part.min()}.")
    return [np.broadcast_to(part, (n_labels,)) for part in parts]
