"""Promises of deployed rules, and what samples say about them.

A promise is a least value of precision, recall or F (micro average, mean over samples, or one
label), or a largest mean number of decisions. Every such measure is a quotient of two sums over
samples, whose numbers lie between known bounds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelwise._text import as_text, printable
from labelwise._validation import check_groups, check_instance, check_outcome, check_real
from labelwise.decisions import Bands, Thresholds
from labelwise.deployment._quotients import Quotient, terms_of

# Measures of an audit, and of the promises that samples test.
GOALS = ("micro-f", "micro-precision", "micro-recall", "macro-f", "macro-precision", "macro-recall")
_RATES = ("precision", "recall")
# A corrected value is an estimate: it is promised less this much.
_TOLERANCE = 0.05
NAMES = tuple(f"{a}-{m}" for a in ("micro", "sample") for m in ("precision", "recall", "f"))


class Promise(NamedTuple):
    """A least value of a measure, or a largest mean number of decisions.

    Attributes
    ----------
    name : str
        Average and measure, as "micro-precision", "sample-f" or "label-recall"; "decisions" for
        the mean number of decisions.
    limit : float
        The least value, or the largest number of decisions.
    source : {"guarantee", "constraint", "corrected value", "asked"}
        Where the promise comes from.
    label : int or None
        Number of the label, for promises of single labels.
    """

    name: str
    limit: float
    source: str
    label: int | None = None

    def text(self, label_names: tuple[str, ...] | None) -> str:
        """Write the promise in a few words.

        Parameters
        ----------
        label_names : tuple of str or None
            Names of the labels; None for their numbers.

        Returns
        -------
        str
            Words without a full stop.
        """
        if self.name == "decisions":
            return f"at most {self.limit:g} decisions a sample"
        measure = self.name.split("-")[1]
        if self.label is None:
            return f"{self.name} at least {self.limit:.4g}"
        name = label_names[self.label] if label_names else str(self.label)
        return f"{measure} of {printable(name)} at least {self.limit:.4g}"


def records(
    promises: Sequence[Promise], label_names: Any, columns: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a dict for each promise, with its item of each column."""
    return [
        {"promise": one.text(label_names), "measure": one.name, "limit": one.limit}
        | {"source": one.source}
        | {name: column[k] for name, column in columns.items()}
        for k, one in enumerate(promises)
    ]


def table_of(promises: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> str:
    """Return the table of records, with the columns that are shown in their formats."""
    shown = {"promise": "", "source": "", **shown}
    head = ["from" if name == "source" else name.replace("_", " ") for name in shown]
    rows = [
        ["-" if one[name] is None else format(one[name], form) for name, form in shown.items()]
        for one in promises
    ]
    return as_text([head, *rows])


def beta_of(rule: Any, use: str) -> float:
    """Check a deployed rule, and return the beta that it was tuned for."""
    if isinstance(rule, Bands):
        return 1.0
    check_instance(rule, Thresholds, "thresholds")
    rule._refuse_slices(use)
    return float(rule.evidence.beta)


def check_at_least(at_least: Any, names: Collection[str]) -> dict[str, float]:
    """Return checked promises by name."""
    if not isinstance(at_least, Mapping):
        raise TypeError(f"at_least must be a dict of names and limits, got {at_least!r:.80}.")
    for name in at_least:
        if name not in names:
            raise ValueError(f"at_least must name one of {', '.join(names)}, got {name!r:.80}.")
    return {
        str(name): check_real(limit, f"at_least of {name}", least=0, most=1)
        for name, limit in at_least.items()
    }


def promised_rates(rule: Thresholds | Bands) -> dict[str, float]:
    """Return the guaranteed micro rates of a rule by name, if samples count the same in them."""
    guarantee = rule.evidence.guarantee
    if guarantee is None or guarantee.weigh == "group":
        return {}
    found = promises_of_rule(rule)
    return {one.name: one.limit for one in found if one.source == "guarantee" and one.name in GOALS}


def promises_of(
    rule: Thresholds | Bands,
    at_least: Mapping[str, float] | None,
    *,
    macro: bool = False,
) -> tuple[Promise, ...]:
    """Return the promises of a rule, and those that are asked for in addition.

    Promises of macro averages are left out unless `macro` says that they can be tested.
    """
    beta_of(rule, "a test of promises")  # refuses what is not a rule
    names = (*NAMES, *GOALS[3:]) if macro else NAMES
    asked = {} if at_least is None else check_at_least(at_least, names)
    stored = promises_of_rule(rule)
    kept = [one for one in stored if one.name not in asked and (macro or one.name != "macro-f")]
    kept += [Promise(name, limit, "asked") for name, limit in asked.items()]
    if not kept:
        raise ValueError(
            "thresholds must have a guarantee, a constraint or a corrected value of samples "
            "without weights, or at_least must name a measure with its least value, got neither."
        )
    return tuple(kept)


def promises_of_rule(rule: Thresholds | Bands) -> list[Promise]:
    """Return what a rule promises: guarantees first, then constraints and the corrected value.

    Promises about samples that count by weight are left out: new samples have no weights.
    """
    if isinstance(rule, Bands):
        proven = rule.evidence.guarantee
        source = "guarantee" if proven else "constraint"
        given = {
            one: getattr(proven or rule.evidence.request, f"min_{one}", None) for one in _RATES
        }
        return [Promise(f"micro-{one}", limit, source) for one, limit in given.items() if limit]
    evidence, guarantee = rule.evidence, rule.evidence.guarantee
    if evidence.weighted:
        return []
    limits = []
    if guarantee is not None:
        given = {one: getattr(guarantee, f"min_{one}") for one in _RATES}
        limits += [(guarantee.average, one, limit, "guarantee") for one, limit in given.items()]
        limits.append(("micro", "f", guarantee.f_bound or None, "guarantee"))
    for check in evidence.constraints:
        scale = evidence.n_samples if check.name == "max_decisions" else 1
        measure = check.name.removeprefix("min_")
        limits.append((evidence.average, measure, check.limit / max(scale, 1), "constraint"))
    if math.isfinite(evidence.corrected_value) and evidence.measure == "f_measure":
        value = max(evidence.corrected_value - _TOLERANCE, 0.0)
        limits.append((evidence.average, "f", value, "corrected value"))
    found: dict[str, list[Promise]] = {}
    for average, measure, limit, source in limits:
        by_label = average == "macro" and measure in _RATES
        name = f"{'label' if by_label else average}-{measure}"
        name = "decisions" if measure == "max_decisions" else name
        if limit is not None:
            # Labels that are never decided promise nothing.
            labels = np.flatnonzero(rule.values < np.inf).tolist() if by_label else [None]
            found.setdefault(name, [Promise(name, limit, source, j) for j in labels])
    return [one for some in found.values() for one in some]


class DecidedSamples:
    """Labelled samples as a rule decides them, of which promises are measured.

    The number of a group is the sum over its samples, and no group is assumed to be larger than
    `largest`; or the mean, for a guarantee in which every group counts the same.
    """

    def __init__(
        self, rule: Thresholds | Bands, scores: Any, Y: Any, groups: Any, ids: Any = None
    ) -> None:
        self._beta = beta_of(rule, "a test of promises")
        outcome = check_outcome(
            Y,
            scores=scores,
            label_names=rule.label_names,
            allow_missing=True,
            ids=ids,
            labels_of="scores",
        )
        self.n_samples, self.n_labels = outcome.Y.shape
        if self.n_labels != len(rule):
            raise ValueError(
                f"scores must have the {len(rule)} labels of the rule, got {self.n_labels}."
            )
        guarantee = rule.evidence.guarantee
        self._alike = guarantee is not None and guarantee.weigh == "group"
        if self._alike and groups is None:
            raise ValueError(
                "groups must be given: these thresholds guarantee a rate in which every group "
                "counts the same."
            )
        each, groups = np.arange(self.n_samples), outcome.in_order(groups, "groups")
        self._unit = each if groups is None else check_groups(groups, self.n_samples)
        self._sizes = np.bincount(self._unit)
        self.n_units, self.largest = self._sizes.size, int(self._sizes.max())
        decided = replace(rule, label_names=None).decide(outcome.scores)
        # Cells that are decided, and those that are not rejected: a person finds those to review.
        # Cells without truth have no score here, so that they count nowhere.
        parts = (sparse.csc_array(part).astype(np.int8) for part in (decided == 1, decided != 0))
        self._cells = [outcome.Y, *parts]
        decidable = len(rule)
        if isinstance(rule, Thresholds):
            decidable = min(rule.max_decided or decidable, int((rule.values < np.inf).sum()))
        self._most = max(decidable, 1), len(rule)

    def quotient(self, promise: Promise) -> Quotient:
        """Return the measure of a promise on these samples."""
        found = self._of_samples(promise)
        above, below = (np.bincount(self._unit, part) for part in found[:2])
        if promise.source == "guarantee" and self._alike:
            return found._replace(above=above / self._sizes, below=below / self._sizes)
        return found._replace(
            above=above,
            below=below,
            most_above=found.most_above * self.largest,
            most_below=found.most_below * self.largest,
            scale=found.scale * self._sizes.mean() ** 2,
        )

    def _of_samples(self, promise: Promise) -> Quotient:
        """Return the measure of a promise as if each sample was a unit."""
        of_label = promise.label is not None
        cells = [one[:, [promise.label]] for one in self._cells] if of_label else self._cells
        most, n_labels = (1, 1) if of_label else self._most
        truth, accepted, kept = cells
        decided, positives, hits, found = (
            np.asarray(part.sum(axis=1), np.float64).ravel()
            for part in (accepted, truth, truth.multiply(accepted), truth.multiply(kept))
        )
        if promise.name == "decisions":
            every = np.full(decided.size, float(most))
            return Quotient(most - decided, every, most, most, most, most)
        average, measure = promise.name.split("-")
        terms = terms_of(measure, self._beta)
        above, below = terms.sums(np.stack([positives - found, hits, found - hits]), decided)
        if average == "sample":
            # F of an empty truth met by an empty decision is 1; other empty rows are left out.
            counted = ((below > 0) | (measure == "f")).astype(np.float64)
            shares = np.divide(above, below, out=np.ones(below.size), where=below > 0)
            return Quotient(shares * counted, counted, 1.0, 1.0)
        # At most `most` labels of a sample are decided, or found in a review.
        highest, most_below = terms.positive[0].max(), terms.sums([n_labels, 0, 0], most)[1]
        return Quotient(above, below, highest * most, most_below, highest)
