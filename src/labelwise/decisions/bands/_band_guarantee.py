"""The statement that certified bands carry: what is guaranteed, and on which evidence."""

from __future__ import annotations

from typing import NamedTuple


class BandGuarantee(NamedTuple):
    """A guarantee of the precision and recall of bands on new samples.

    `Bands.guarantee` is such an object if `review_bands` was called with `guarantee`.

    Attributes
    ----------
    level : float
        Probability, over the samples given, that all rates below hold on new samples of the same
        distribution.
    min_precision : float or None
        Guaranteed share of positives among the accepted cells; it also holds if the share is not
        defined because no cell is accepted.
    min_recall : float or None
        Guaranteed share of the positives that are accepted or reviewed.
    precision : float
        Precision of the accepted cells of the calibration samples; NaN if none is accepted.
    recall : float
        Recall of the accepted and reviewed cells of the calibration samples.
    review_per_1000 : float
        Number of cells to review for 1,000 calibration samples.
    n_tuning : int
        Number of samples that the bands were chosen on.
    n_calibration : int
        Number of other samples, that they were tested on.

    See Also
    --------
    review_bands : Find the bands of scores that a person reviews.
    """

    level: float
    min_precision: float | None
    min_recall: float | None
    precision: float
    recall: float
    review_per_1000: float
    n_tuning: int
    n_calibration: int

    def lines(self) -> list[str]:
        """Write the guarantee and the evidence for it.

        Returns
        -------
        list of str
            The lines.
        """
        rates = {"precision of accepted cells": self.min_precision, "recall": self.min_recall}
        what = " and ".join(
            f"{name} at least {rate:g}" for name, rate in rates.items() if rate is not None
        )
        is_known = self.precision == self.precision  # NaN if no cell is accepted
        precision = f"precision {self.precision:.4f}" if is_known else "no cell accepted"
        return [
            f"guaranteed on new samples with probability {self.level:g}: {what}",
            f"tested on {self.n_calibration} samples, {precision} and recall {self.recall:.4f} "
            f"there; bands chosen on {self.n_tuning} others",
        ]
