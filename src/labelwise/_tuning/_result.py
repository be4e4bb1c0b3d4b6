"""The result of tuning: the rule that decides, and the evidence for it.

`Thresholds` is the rule: a threshold for each label, and limits for each sample. It is saved, and
turns scores into decisions. `Evidence` is what is known about it: the value, the proof that it is
the highest, what constraints reach, what is guaranteed, and the counts of each label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from labelwise._blocks import is_stored
from labelwise._text import as_html, as_text, counted
from labelwise._tuning.guarantees._guarantee import Guarantee
from labelwise._tuning.objectives._constraints import ConstraintCheck
from labelwise._tuning.objectives._request import Request
from labelwise._tuning.problem._decisions import (
    as_given,
    columns_of_labels,
    decided_by_label,
    decisions_at,
)
from labelwise._validation import check_scores

if TYPE_CHECKING:  # pydantic is imported only to read or write a file
    from labelwise._tuning._rule_files import ThresholdFile

# Number of labels in the table of a repr.
_MOST_SHOWN = 20
# What the amounts of shrinkage and FBR mean.
_SHRINK = "0: each label has its own threshold, 1: all labels share one"
_FBR = "thresholds of labels with a lower F are raised"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about tuned thresholds; arrays have one entry for each label.

    `Thresholds.evidence` is such an object.

    Attributes
    ----------
    value : float
        Value of the measure on the tuning data, or the total cost.
    measure : str
        Name of the measure that was maximised, or "cost" if a cost was minimised.
    average : {"micro", "macro", "sample"}
        Average of the measure over labels or samples.
    support : ndarray of shape (n_labels,)
        Number of positives of each label in the tuning data; the sum of their weights if samples
        have weights. Integers, or floats for weights that are not whole numbers.
    decided : ndarray of shape (n_labels,)
        Number of samples in the tuning data for which each label is decided, or the sum of their
        weights.
    n_samples : int
        Number of samples in the tuning data, without those of weight 0.
    beta : float
        Weight of recall in the F-measure: recall counts beta² as much as precision. 1.0 for
        measures that take no beta.
    gap : float or None
        Upper bound of how much higher than `value` the value of any other thresholds that meet the
        constraints can be: 0 if `value` is proven to be the highest, None if no bound is known.
    certificate : float or None
        The λ that proves a micro average without constraints to be the highest: at these
        thresholds every label maximises ``true positives - λ · decisions`` by itself. For the
        F-measure λ is ``F / (1 + beta²)``. None if there is no proof, or if a search proved it.
    shared : bool
        Whether one threshold for all labels was required.
    shrink : float
        Amount of shrinkage between 0 and 1, as given or as chosen by "auto".
    fbr : float or None
        F-measure below which FBR raised the threshold of a label, as given or as chosen by "auto";
        None without FBR.
    interval : tuple of two floats or None
        Confidence interval of the value on new samples (`confidence_interval`), if it
        was stored; None otherwise.
    intervals : ndarray of shape (2, n_labels) or None
        Lower and upper end of the spread of each threshold over resampled samples, as
        `confidence_interval` computes it, if it was stored; None otherwise.
    constraints : tuple of ConstraintCheck
        What each constraint reaches on the tuning data and, by cross-validation, on other data.
    guarantee : Guarantee or None
        What is guaranteed on new samples, if `best_thresholds` was called with `guarantee`.
    adapted : bool
        Whether `adapt_thresholds` chose these thresholds: `value`, `support` and `decided` are
        then expected numbers on the `n_samples` new samples, which had no labels.
    n_missing : int
        Number of missing labels in the tuning data: cells of Y without truth, which count nowhere.
        Rows of which all labels are missing are not in the tuning data.
    weighted : bool
        Whether the samples of the tuning data have weights.
    corrected_value : float
        The cross-validated value: each fold is decided by thresholds tuned on the scores of all
        others. With a guarantee, the value on the samples for calibration. NaN if it is not known:
        `best_thresholds` computes it only with constraints, because it takes the time of tuning
        five times; the function `corrected_value` computes it.
    true_positives : ndarray of shape (n_labels,) or None
        Number of samples in the tuning data for which each label is decided and true, or the sum
        of their weights; None for adapted thresholds and for thresholds from a file.
    request : object or None
        What the thresholds were tuned for, with the arguments of `best_thresholds` as attributes.
        None if it is not known: for adapted thresholds, in model files, and in JSON files of
        earlier releases or of a measure that has no name.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.
    """

    value: float
    measure: str
    average: str
    support: np.ndarray
    decided: np.ndarray
    n_samples: int
    beta: float = 1.0
    gap: float | None = None
    certificate: float | None = None
    shared: bool = False
    shrink: float = 0.0
    fbr: float | None = None
    interval: tuple[float, float] | None = None
    intervals: np.ndarray | None = None
    constraints: tuple[ConstraintCheck, ...] = ()
    guarantee: Guarantee | None = None
    adapted: bool = False
    n_missing: int = 0
    weighted: bool = False
    corrected_value: float = float("nan")
    true_positives: np.ndarray | None = None
    request: Request | None = field(default=None, repr=False)

    # Comparing arrays gives arrays, so that two records are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    @property
    def exact(self) -> bool:
        """Whether `value` is proven to be the highest on the tuning data."""
        return self.gap == 0

    def report(self, label_names: tuple[str, ...] | None = None) -> str:
        """Write what is known about the thresholds, without the table of labels.

        Parameters
        ----------
        label_names : tuple of str or None, default=None
            Names of the labels; None for their numbers.

        Returns
        -------
        str
            The lines.
        """
        beta = "" if self.beta == 1 else f" (beta {self.beta:.6g})"
        reached = f"{self.average} {self.measure}{beta} {self.value:.4f}"
        on = "expected on {} new samples" if self.adapted else "on {} samples"
        title = f"{reached} {on.format(self.n_samples)}"
        return "\n".join([title, *self._notes(None, None, label_names)])

    def _notes(
        self, max_decided: int | None, max_rank: int | None, label_names: tuple[str, ...] | None
    ) -> list[str]:
        """Return lines on the value and why it is the highest, with the limits of the rule."""
        never = int((self.decided == 0).sum())
        low, high = self.interval or (0.0, 0.0)
        notes = [
            (f"on new samples {low:.4f} to {high:.4f}", self.interval is not None),
            ("the highest of all", self.gap == 0 and self.measure != "cost"),
            ("the least of all", self.gap == 0 and self.measure == "cost"),
            (f"at most {self.gap or 0:.2g} below the highest", bool(self.gap)),
            ("one threshold for all labels", self.shared),
            (f"shrink {self.shrink:.3g} ({_SHRINK})", self.shrink > 0),
            (f"fbr {self.fbr or 0:.3g} ({_FBR})", self.fbr is not None),
            (f"{counted(never, 'label')} never decided", never > 0),
            (f"at most {max_decided} labels a sample", max_decided is not None),
            (f"only the {max_rank} highest scores of a sample", max_rank is not None),
            ("samples counted by weight", self.weighted),
            (f"{counted(self.n_missing, 'cell')} without truth not counted", self.n_missing > 0),
        ]
        text = ", ".join(note for note, applies in notes if applies)
        checks = [check.line() for check in self.constraints]
        stated = [] if self.guarantee is None else self.guarantee.lines(label_names)
        return [*([text] if text else []), *self._proof(), *checks, *stated]

    def _proof(self) -> list[str]:
        """Return a line that explains the certificate, or no line."""
        if self.certificate is None:
            return []
        slope = f"{self.certificate:.6g}"
        kept = f"each label maximises true positives - {slope} × decisions"
        return [f"proof by certificate {slope}: {kept}"]

    def _of_labels(self, places: np.ndarray) -> Evidence:
        """Return the evidence of other labels, as `Thresholds._of_labels` does."""
        guarantee, hits = self.guarantee, self.true_positives
        if guarantee is not None and guarantee.needed is not None:
            guarantee = replace(guarantee, needed=_taken(guarantee.needed, places, 0))
        return replace(
            self,
            support=_taken(self.support, places, 0),
            decided=_taken(self.decided, places, 0),
            intervals=None if self.intervals is None else _taken(self.intervals, places, np.inf),
            guarantee=guarantee,
            true_positives=None if hits is None else _taken(hits, places, 0),
            request=self.request if self.request is None or self.request.cost is None else None,
        )

    def __getstate__(self) -> dict[str, Any]:
        # A request can contain functions of the caller, which a file cannot.
        return {**vars(self), "request": None}


def _taken(part: np.ndarray, places: np.ndarray, filling: float) -> np.ndarray:
    """Return the last axis in another order, with a filling where a place is -1."""
    kept = (
        part[..., np.maximum(places, 0)]
        if part.shape[-1]
        else np.zeros((*part.shape[:-1], places.size), part.dtype)
    )
    return np.where(places < 0, np.array(filling, dtype=part.dtype), kept)


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds:
    """One threshold for each label, and the value that the thresholds reach.

    `best_thresholds` and `scan_thresholds` return such objects, and `Thresholds.load` reads them
    from a file. A label is decided for a sample if its score is at least the threshold.

    Attributes
    ----------
    values : ndarray of float64 of shape (n_labels,)
        The thresholds, in the order of the columns of the scores that they were tuned on. inf
        decides no sample, -inf decides every sample that has a score.
    label_names : tuple of str or None
        Names of the labels in the order of `values`, or None if the tuning data had no names.
    max_decided : int or None
        The most labels that are decided for a sample: of those that reach their thresholds, the
        highest scores are kept. None for no limit. Set by `best_thresholds` with `guarantee`.
    max_rank : int or None
        How many labels of a sample can be decided: those with its highest scores, if they reach
        their thresholds; None for all. Set by `best_thresholds` with `max_decisions` per row.
    evidence : Evidence
        What is known about the thresholds: value and corrected value, proof, constraints,
        guarantee, and the counts of each label.

    See Also
    --------
    best_thresholds : Find the thresholds with the highest value of a measure.
    TunedThresholds : Tune thresholds around a scikit-learn estimator.

    Examples
    --------
    >>> from labelwise.decisions import best_thresholds
    >>> scores = [[0.9, 0.2], [0.6, 0.4], [0.3, 0.1], [0.2, 0.3]]
    >>> tuned = best_thresholds(scores, [[1, 0], [0, 1], [1, 0], [0, 0]])
    >>> tuned.values, round(tuned.value, 4), tuned.evidence.exact
    (array([0.25, 0.35]), 0.8571, True)
    """

    values: np.ndarray
    evidence: Evidence
    label_names: tuple[str, ...] | None = None
    max_decided: int | None = None
    max_rank: int | None = None

    # Comparing arrays gives arrays, so that two Thresholds are equal only if they are one object.
    __hash__: ClassVar[Any] = object.__hash__

    @property
    def value(self) -> float:
        """Value of the measure on the tuning data, or the total cost."""
        return self.evidence.value

    def decide(
        self,
        scores: Any,
        output: str | Path | None = None,
        *,
        ids: str | Sequence[str] | None = None,
        by_position: bool = False,
    ) -> Any:
        """Decide each label for the samples whose score is at least its threshold.

        Parameters
        ----------
        scores : array, sparse matrix, frame, path or dask array of shape (n_samples, n_labels)
            Finite scores; higher scores mean likelier labels. A path names an npy or parquet file,
            a folder of parquet files, or a zarr array, which is read in blocks of rows. In a sparse
            matrix, an absent score is never decided. The columns of a frame are matched by name if
            the thresholds have label names. Those of an array have the order of `values` and
            `label_names`, which is that of the scores that the thresholds were tuned on.
        output : str, Path or None, default=None
            File to write the decisions to, block by block, with the ending .parquet, .npy or
            .zarr; they are int8. It appears only once it is complete. Ids of the rows are written
            along to parquet files.
        ids : str or sequence of str, default=None
            Name of the column of ids, or several names of which the file has one. Only for a
            parquet file of scores. None finds the column.
        by_position : bool, default=False
            For a file of scores: whether labels are matched by position if only the thresholds or
            only the file has names. They are refused otherwise.

        Returns
        -------
        ndarray of int8 of shape (n_samples, n_labels), csr_array of bool, frame or dask array
            1 where a label is decided, with rows and columns as in the scores; sparse if the
            scores are sparse, a frame of the same library, with the same columns and index, if the
            scores are a frame, and a dask array, of which nothing is computed yet, if they are one.
            With `output`, the counts of what was written: a named tuple of `by_label` (decisions of
            each column), `n_rows` and `n_without` (rows without a decision).

        Raises
        ------
        ValueError
            If the scores are not finite, if their labels are not those of the thresholds, or if the
            output has another ending.
        DataError
            If a file cannot be read.

        Notes
        -----
        If `max_decided` or `max_rank` limits the labels of a sample, the first ones in the
        order of `label_names` are taken among equal scores, whatever the order of the columns.

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> tuned.decide([[0.8, 0.1], [0.7, 0.35]])
        array([[1, 0],
               [0, 1]], dtype=int8)
        """
        if output is not None or is_stored(scores):
            from labelwise._tuning._decide_blocks import decide_stored

            return decide_stored(
                self.decide, self.label_names, len(self), scores, output, ids, by_position
            )
        checked = check_scores(scores, n_labels=len(self))
        columns = columns_of_labels(
            self.label_names, len(self), checked.names, checked.matrix.shape[1]
        )
        return as_given(decided_by_label(self._decide, checked.matrix, columns), scores)

    def _decide(self, scores: Any) -> Any:
        """Decide checked scores whose columns have the order of the labels."""
        return decisions_at(scores, self.values, self.max_decided, self.max_rank)

    def save(self, path: str | Path) -> None:
        """Write the thresholds to a JSON file.

        The file appears only once it is complete; an error leaves an existing file unchanged.

        Parameters
        ----------
        path : str or Path
            File to write; missing folders are created, and ``-`` is the standard output.

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from labelwise.decisions import Thresholds, best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [0, 1]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "thresholds.json"
        ...     tuned.save(path)
        ...     Thresholds.load(path).values
        array([0.75, 0.3 ])
        """
        from labelwise._tuning._rule_files import write_rule

        write_rule(self.to_dict(), path)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file that `save` writes.

        Returns
        -------
        dict
            The keys of the file in their order, with lists, numbers and strings as values, which
            `json.dumps` can write. Infinite numbers and NaN are the strings "inf", "-inf" and
            "nan".

        Examples
        --------
        >>> from labelwise.decisions import best_thresholds
        >>> tuned = best_thresholds([[0.9, 0.2], [0.6, 0.4]], [[1, 0], [1, 0]])
        >>> tuned.to_dict()["values"]
        ['-inf', 'inf']
        """
        from labelwise._tuning._rule_files import ThresholdFile, rule_content

        return rule_content(ThresholdFile, vars(self.evidence) | vars(self))

    @staticmethod
    def load(path: str | Path) -> Thresholds:
        """Read thresholds from a JSON file that `save` has written.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        Thresholds
            The thresholds with all attributes.

        Raises
        ------
        DataError
            If the file cannot be read, is larger than 128 MiB, or is not a file of thresholds that
            this release or an earlier one has written.
        """
        from labelwise._tuning._rule_files import ThresholdFile, read_rule

        return Thresholds._of_file(read_rule(path, ThresholdFile))

    @staticmethod
    def _of_file(found: ThresholdFile) -> Thresholds:
        """Build thresholds from the validated content of a file."""
        named = dict(found)
        rule = {one.name: named.pop(one.name) for one in fields(Thresholds) if one.name in named}
        return Thresholds(evidence=Evidence(**named), **rule)

    def _of_labels(
        self, places: np.ndarray, label_names: tuple[str, ...] | None, **evidence: Any
    ) -> Thresholds:
        """Return the thresholds of some of the labels, in any order, and of new ones.

        Parameters
        ----------
        places : ndarray of int of shape (n_labels,)
            Number that each label has in these thresholds; -1 for a new label, which is never
            decided.
        label_names : tuple of str or None
            Names of the labels; None for their numbers.
        **evidence : object
            Fields of the evidence to replace.

        Returns
        -------
        Thresholds
            The thresholds, with the evidence of these labels.
        """
        return replace(
            self,
            values=_taken(self.values, places, np.inf),
            label_names=label_names,
            evidence=replace(self.evidence._of_labels(places), **evidence),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "evidence" not in state:
            # Until 0.3.0, thresholds in model files had the fields of the evidence themselves.
            known = {one.name for one in fields(Evidence)}
            evidence = Evidence(**{name: state[name] for name in known & set(state)})
            renamed = {"max_decided": "most_per_row", "max_rank": "top_per_row"}
            limits = {name: state.get(old) for name, old in renamed.items()}
            kept = {name: state[name] for name in ("values", "label_names")}
            state = {**kept, **limits, "evidence": evidence}
        vars(self).update(state)

    def _check_loaded(self) -> None:
        """Refuse thresholds of a model file unless there is one number for each label."""
        check_thresholds(self, len(self.values))

    def __len__(self) -> int:
        return self.values.size

    def __repr__(self) -> str:
        table = as_text(self._rows())
        return "\n".join([*self._above(), "", table, *self._more()])

    def _repr_html_(self) -> str:
        above = "".join(f"<p>{escape(line)}</p>" for line in self._above())
        below = "".join(f"<p>{line}</p>" for line in self._more())
        return f"{above}{as_html(self._rows())}{below}"

    def _above(self) -> list[str]:
        """Return the lines above the table."""
        title, *_ = self.evidence.report().splitlines()
        notes = self.evidence._notes(self.max_decided, self.max_rank, self.label_names)
        return [f"Thresholds of {len(self)} labels: {title}", *notes]

    def _rows(self) -> list[list[str]]:
        """Return the table of the first labels, with its heading."""
        names = self.label_names or range(len(self))
        support, decided = self.evidence.support, self.evidence.decided
        rows = [
            [str(name), f"{self.values[j]:.6g}", _number(support[j]), _number(decided[j])]
            for j, name in enumerate(names[:_MOST_SHOWN])
        ]
        return [["label", "threshold", "support", "decided"], *rows]

    def _more(self) -> list[str]:
        more = len(self) - _MOST_SHOWN
        return [f"... and {more} more"] if more > 0 else []


def _number(count: Any) -> str:
    """Return a count as text; a sum of weights may have decimals."""
    return f"{count:.6g}" if isinstance(count, float) else f"{count}"


def check_thresholds(thresholds: Any, n_labels: int) -> None:
    """Refuse loaded thresholds unless they have one number for each of `n_labels` labels."""
    if type(thresholds) is not Thresholds:
        raise ValueError(f"thresholds must be Thresholds, got {type(thresholds).__name__}")
    values: Any = thresholds.values
    if type(thresholds.evidence) is not Evidence:
        raise ValueError("evidence must be Evidence")
    names: Any = thresholds.label_names
    if not isinstance(values, np.ndarray) or values.dtype != np.float64:
        raise ValueError("values must be an array of numbers")
    if values.shape != (n_labels,) or np.isnan(values).any():
        raise ValueError(f"values must be one number for each of {n_labels} labels")
    if names is not None and (type(names) is not tuple or len(names) != n_labels):
        raise ValueError(f"label_names must be those of {n_labels} labels")
