"""Measures by the names that tables and scorers use, such as "micro-f" and "ndcg-at-5"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np

from labelwise._validation import check_beta
from labelwise.measures import _register as register
from labelwise.measures._register import MeasureRecord
from labelwise.measures._undefined import mean
from labelwise.measures.ranking._mean_over_rankings import RANKINGS

# Words of other packages for those of names here; "" is left out.
_SYNONYMS = {
    **dict.fromkeys(("f1", "fbeta", "fscore", "fmeasure", "f1score"), "f"),
    **dict.fromkeys(("samples", "example", "examples", "instance", "instances"), "sample"),
    **dict.fromkeys(("score", "measure", "index", "roc", "averaged"), ""),
    **dict.fromkeys(("mcc", "phi"), "matthews"),
    "iou": "jaccard",
    "acc": "accuracy",
    "auroc": "auc",
}
_AT_K = re.compile(r".+-at-(\d+)")


@dataclass(frozen=True)
class NamedMeasure:
    """A measure with its average, beta and k chosen.

    Parameters
    ----------
    name : str
        Full name, such as "macro-f".
    needs : {"decided", "scores"}
        Whether the measure is computed from decisions or from scores.
    by : {"all", "label", "sample"}
        What each value of `values_of` belongs to: all cells, one label or one sample.
    values_of : callable
        The values before averaging, from `Counts`, `RankedPositives` or `WeightedPositives`.
    higher_is_better : bool, default=True
        Direction: False for losses.
    takes_beta : bool, default=False
        Whether the measure depends on beta.
    combine_means : callable or None, default=None
        Turns several means into one value, if `values_of` returns several rows.
    k : int, default=1
        The least number of labels that the measure needs.
    empty_is_one : bool, default=False
        Whether the value is 1, by convention, where there are neither positives nor decisions.
    of_top : bool, default=False
        Whether the values come from `TopLabels`.
    needs_propensity : bool, default=False
        Whether the measure needs the propensities of labels.
    meaning : str, default=""
        What the value says, in a sentence for reports.
    """

    name: str
    needs: str
    by: str
    values_of: Callable[[Any], Any]
    higher_is_better: bool = True
    takes_beta: bool = False
    combine_means: Callable[[Any], Any] | None = None
    k: int = 1
    empty_is_one: bool = False
    of_top: bool = False
    needs_propensity: bool = False
    meaning: str = ""

    def under(self, undefined: str | float) -> NamedMeasure:
        """Return the measure for a policy; "skip" and "zero" replace the conventional 1 by NaN."""
        applies = undefined == "zero" or (undefined == "skip" and self.by != "all")
        if not (self.empty_is_one and applies):
            return self
        at_k = self.k if self.of_top else None
        return replace(self, values_of=partial(_nan_where_empty, self.values_of, at_k))

    def averaged(
        self, values: Any, undefined: str | float, weights: np.ndarray | None = None
    ) -> Any:
        """Average the values of `values_of`; `weights` are sample weights, for by="sample"."""
        means = mean(values, undefined, weights)
        return means if self.combine_means is None else self.combine_means(means)


def _nan_where_empty(values_of: Callable[[Any], Any], at_k: int | None, evidence: Any) -> Any:
    """Compute a measure of counts, or of counts at k, NaN without positives and decisions."""
    counts = evidence if at_k is None else evidence.counts(at_k)
    is_empty = np.equal(counts.tp + counts.fp + counts.fn, 0)
    return np.where(is_empty, np.nan, values_of(evidence))


def named_measures(beta: float = 1.0, cutoffs: Iterable[int] = ()) -> dict[str, NamedMeasure]:
    """Return all measures in the order of tables; those at k for each k in `cutoffs`."""
    check_beta(beta)
    cutoffs = tuple(cutoffs)
    measures = [one for record in register.MEASURES for one in _named(record, beta, cutoffs)]
    return {measure.name: measure for measure in measures}


def measure_named(name: str, beta: float = 1.0) -> NamedMeasure:
    """Return one measure; those such as "precision-at-7" exist for every number."""
    at_k = _AT_K.fullmatch(name)
    known = named_measures(beta, [int(at_k[1])] if at_k else [])
    if name not in known:
        at_any_k = [f"{record.name}-at-K" for record in register.MEASURES if record.takes_k]
        names = ", ".join([*named_measures(), *at_any_k])
        meant = did_you_mean(name, named_measures())
        raise ValueError(f"name must be one of {names}, got {name!r}{meant}")
    if beta != 1 and not known[name].takes_beta:
        raise ValueError(f"beta must be 1 for {name}, which has none, got {beta}.")
    return known[name]


def average_and_measure(name: str, input_name: str = "maximize") -> tuple[str, Callable[..., Any]]:
    """Split a name such as "micro-f" into the average and the function of counts.

    Parameters
    ----------
    name : str
        An average ("micro", "macro" or "sample"), a hyphen and the name of a measure of counts.
    input_name : str, default="maximize"
        What error messages call the argument.

    Returns
    -------
    average : str
        The average.
    measure : callable
        The function of counts.

    Raises
    ------
    TypeError
        If the name is not a string.
    ValueError
        If the average or the measure is unknown.

    Examples
    --------
    >>> from labelwise.measures import average_and_measure
    >>> average, measure = average_and_measure("macro-jaccard")
    >>> average, measure.__name__
    ('macro', 'jaccard')
    """
    if not isinstance(name, str):
        raise TypeError(f"{input_name} must be a name such as 'micro-f', got {name!r}.")
    average, _, measure = name.partition("-")
    records = register.averaged_records()
    if average not in RANKINGS or measure not in records:
        full = [f"{average}-{record}" for average in RANKINGS for record in records]
        raise ValueError(
            f"{input_name} must be micro-, macro- or sample- and one of {', '.join(records)}, "
            f"got {name!r}{did_you_mean(name, full)}"
        )
    return average, records[measure].function


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return the end of an error message: ", did you mean 'micro-f'?" for a near miss, else ".".

    The names of other packages are near misses: "f1_micro", "samples-f1", "mcc". An average that
    is missing gives all averages.
    """
    if not isinstance(name, str):
        return "."
    wanted, plain = _plain(name), {_plain(one): one for one in known}
    found = [one for key, one in plain.items() if key == wanted or key[1:] == wanted]
    if not found:
        joined = {"-".join(key): one for key, one in plain.items()}
        close = get_close_matches("-".join(wanted), joined, n=1, cutoff=0.75)
        found = [joined[key] for key in close]
    if not found:
        return "."
    last = f" or {found[-1]!r}" if len(found) > 1 else ""
    first = found[:-1] if len(found) > 1 else found
    return f", did you mean {', '.join(map(repr, first))}{last}?"


def _plain(name: str) -> tuple[str, ...]:
    """Return the words of a name, the average first, with the words of other packages replaced."""
    words = [_SYNONYMS.get(word, word) for word in re.split(r"[-_ ]+", name.lower())]
    words = [word for word in words if word]
    return (*(word for word in words if word in RANKINGS), *(w for w in words if w not in RANKINGS))


def _named(record: MeasureRecord, beta: float, cutoffs: tuple[int, ...]) -> Iterator[NamedMeasure]:
    """Yield the measures of a record: one for each average, or one for each k."""
    values_of, combine = record.function, record.combine_means
    if record.takes_beta and combine is not None:
        combine = partial(combine, beta=beta)
    elif record.takes_beta:
        values_of = partial(values_of, beta=beta)
    if record.average is None:
        names = {average: f"{average}-{record.name}" for average in RANKINGS}
    else:
        names = {record.average: record.name}
    named = [
        NamedMeasure(
            name,
            record.needs,
            RANKINGS[average],
            values_of,
            record.higher_is_better,
            record.takes_beta,
            combine,
            empty_is_one=record.empty_is_one,
            of_top=record.of_top,
            needs_propensity=record.needs_propensity,
            meaning=record.meaning,
        )
        for average, name in names.items()
    ]
    if not record.takes_k:
        yield from named
        return
    for k in cutoffs:
        for one in named:
            yield replace(one, name=f"{one.name}-at-{k}", values_of=partial(values_of, k=k), k=k)
