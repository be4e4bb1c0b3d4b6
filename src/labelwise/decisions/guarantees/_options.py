"""The arguments that ask for a guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from labelwise._validation import check_share

ACROSS = ("each", "all")
EXPECTATION = "expectation"


class GuaranteeOptions(NamedTuple):
    """Checked arguments: the probability, the labels that it is for, and the split of samples."""

    level: float | str  # "expectation" for a guarantee of the expected value
    across: str
    tuning_share: float

    @property
    def in_expectation(self) -> bool:
        """Whether an expected value is guaranteed, instead of a probability."""
        return self.level == EXPECTATION

    @property
    def alpha(self) -> float:
        """The probability that the guarantee may fail with."""
        return 1.0 - float(self.level)


def check_guarantee(given: Mapping[str, Any]) -> GuaranteeOptions | None:
    """Check the arguments `guarantee`, `across` and `tuning_share`; None without a guarantee."""
    level, across = given["guarantee"], given["across"]
    if across not in ACROSS:
        raise ValueError(f"across must be one of {', '.join(ACROSS)}, got {across!r}.")
    share = check_share(given["tuning_share"], "tuning_share")
    if level is None:
        return None
    if isinstance(level, str) and level != EXPECTATION:
        raise ValueError(f'guarantee must be a probability or "{EXPECTATION}", got {level!r}.')
    if not isinstance(level, str):
        level = check_share(level, "guarantee")
    return GuaranteeOptions(level, across, share)
