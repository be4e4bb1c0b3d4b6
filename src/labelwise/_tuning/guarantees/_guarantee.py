"""The statement that certified thresholds carry: what is guaranteed, and on which evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelwise._text import counted, listed, printable

_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Guarantee:
    """A guarantee of precision or recall on new samples of the same distribution.

    `Evidence.guarantee` and `BandEvidence.guarantee` are such objects if `best_thresholds` or
    `review_bands` was called with `guarantee`.

    Attributes
    ----------
    level : float or "expectation"
        Probability, over the samples given, that the constraints hold on new samples. With
        "expectation", the expected recall is guaranteed instead.
    average : {"micro", "macro", "sample"}
        Whether the constraints are on the micro average, on each label, or on the mean over
        samples.
    across : {"each", "all", "slices"}
        With "macro": whether the level holds for each label by itself, or for all together. With
        "slices", the constraints hold in every decided slice, with the level for all together.
    min_precision, min_recall : float or None
        The constraints.
    precision, recall : float
        Micro precision and recall on the calibration samples (with "sample", the mean over
        samples); NaN if not defined.
    value : float
        Value of the measure on the calibration samples; of bands, the cells to review for 1,000
        of them.
    f_bound : float or None
        Lower bound of micro F on new samples, which holds with probability `level` by itself.
        Only for the average "micro" and numbers as level.
    n_tuning, n_calibration : int
        Number of samples that the thresholds were chosen on, and that they were tested on.
    needed : ndarray of int or None
        With "macro", how many more decisions without an error each label needs to be certified, of
        shape (n_labels,); with slices those of the labels of one slice after another. With
        ``across="slices"``, about how many more samples each slice needs, of shape (n_slices,);
        2**31 if no number is enough. 0 for certified labels or slices.
    weigh : {"sample", "group"}
        Whether every sample counts the same in the rates, or every group.
    n_groups : int or None
        Number of groups of the calibration samples; None without groups.

    See Also
    --------
    best_thresholds : Tune thresholds, with or without a guarantee.
    """

    level: float | str
    average: str
    across: str
    min_precision: float | None
    min_recall: float | None
    precision: float
    recall: float
    value: float
    f_bound: float | None
    n_tuning: int
    n_calibration: int
    needed: np.ndarray | None = None
    weigh: str = "sample"
    n_groups: int | None = None

    def lines(self, label_names: tuple[str, ...] | None) -> list[str]:
        """Write the guarantee and the evidence for it.

        Parameters
        ----------
        label_names : tuple of str or None
            Names of the labels; None for their numbers.

        Returns
        -------
        list of str
            The lines.
        """
        alike = ", where every group counts the same" if self.weigh == "group" else ""
        lines = [f"guaranteed on new samples{self._how_sure()}: {self._what()}{alike}"]
        groups = "" if self.n_groups is None else f" of {counted(self.n_groups, 'group')}"
        is_known = self.precision == self.precision  # NaN without decisions
        reached = f"precision {self.precision:.4f}" if is_known else "no decision"
        lines.append(
            f"tested on {self.n_calibration:,} samples{groups}, {reached} "
            f"and recall {self.recall:.4f} there; thresholds chosen on {self.n_tuning:,} others"
        )
        if self.f_bound is not None:
            lines.append(
                f"micro F on new samples at least {self.f_bound:.4f}{self._how_sure()}{alike}"
            )
        return [*lines, *self._failed_lines(label_names)]

    def _how_sure(self) -> str:
        if isinstance(self.level, str):
            return " in expectation"
        return f" with probability {self.level:g}"

    def _what(self) -> str:
        kind = {"micro": "micro ", "macro": "", "sample": "mean "}[self.average]
        limits = {"precision": self.min_precision, "recall": self.min_recall}
        rates = " and ".join(
            f"{kind}{name} at least {limit:g}" for name, limit in limits.items() if limit
        )
        if self.across == "slices":
            return f"{rates} in every decided slice"
        if self.average != "macro":
            return rates
        whose = "every decided label" if self.across == "all" else "each decided label by itself"
        return f"{rates} of {whose}"

    def _slice_lines(self, names: tuple[str, ...], failed: np.ndarray) -> list[str]:
        """Say which slices hold, and which do not."""
        needed = np.asarray(self.needed)
        held = listed([printable(names[j]) for j in np.flatnonzero(needed == 0)], show=str)
        lines = [f"certified slices: {held}"]
        if failed.size:
            more = [
                f"{printable(names[j])} ({needed[j]:,})"
                if needed[j] < 2**31
                else f"{printable(names[j])} (no number is enough)"
                for j in failed
            ]
            lines.append(
                "slices that could not be certified and are never decided (in brackets, about the "
                f"further samples needed): {listed(more, _MOST_NAMED, show=str)}"
            )
        return lines

    def _failed_lines(self, label_names: tuple[str, ...] | None) -> list[str]:
        if self.needed is None:
            return []
        if self.across == "slices":
            names = label_names or tuple(map(str, range(self.needed.size)))
            return self._slice_lines(names, np.flatnonzero(self.needed))
        if not self.needed.any():
            return []
        failed = np.flatnonzero(self.needed)
        names = label_names or tuple(map(str, range(self.needed.size)))
        shown = listed(
            [f"{printable(names[j])} ({self.needed[j]})" for j in failed], _MOST_NAMED, show=str
        )
        several = f"{failed.size} labels could not be certified and are never decided"
        said = (
            "1 label could not be certified and is never decided" if failed.size == 1 else several
        )
        return [f"{said} (in brackets, the further decisions without an error needed): {shown}"]
