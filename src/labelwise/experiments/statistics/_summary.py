"""Mean and standard deviation of what was measured repeatedly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from labelwise._text import as_text
from labelwise.experiments.statistics._tidy_rows import KEYS, REPEATED, is_tidy, tidy_columns


class Spread(NamedTuple):
    """Mean and standard deviation of n values, NaN if one of them is undefined."""

    mean: float
    deviation: float
    n: int
    n_undefined: int


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """Mean ± standard deviation for each group of rows; prints as a table.

    Parameters
    ----------
    by : tuple of str
        Columns that make the groups; the measure is always the last.
    spreads : mapping of tuple to Spread
        One for each group, in the order of their first rows.
    """

    by: tuple[str, ...]
    spreads: dict[tuple[str, ...], Spread]

    def __repr__(self) -> str:
        rows = [
            [" / ".join(group), f"{one.mean:.4f} ± {one.deviation:.4f}", f"{one.n}"]
            for group, one in self.spreads.items()
        ]
        undefined = sum(one.n_undefined for one in self.spreads.values())
        notes = [f"{undefined} values are undefined; NaN where one is."] if undefined else []
        table = as_text([[" / ".join(self.by), "mean ± deviation", "n"], *rows])
        return "\n\n".join([table, *notes])


def summarize(rows: Any, *, by: str | Sequence[str] | None = None) -> Summary:
    """Return mean and standard deviation of each measure for each group of tidy rows.

    Parameters
    ----------
    rows : Results, sequence of mappings, or frame
        Rows of a study, with the columns `measure` and `value`.
    by : str or sequence of str, optional
        Columns that make the groups, beside the measure; by default all that tell cells apart
        except fold and seed.

    Returns
    -------
    Summary
        Deviations are those of a sample, with n - 1; of a single value there is none (NaN). One
        undefined value makes both undefined, and the summary says how many there are.

    Examples
    --------
    >>> from labelwise.experiments import summarize
    >>> rows = [dict(dataset="d", fold=i, measure="micro-f", value=v) for i, v in enumerate([1, 3])]
    >>> summarize(rows)
    dataset / measure  mean ± deviation  n
    d / micro-f         2.0000 ± 1.4142  2
    """
    if not is_tidy(rows):
        raise TypeError("rows must be mappings or a frame with the columns measure and value.")
    columns = tidy_columns(rows)
    if by is None:
        by = [name for name in KEYS if name in columns and name not in REPEATED]
    names = (*([by] if isinstance(by, str) else by), "measure")
    unknown = [name for name in names if name not in columns]
    if unknown:
        raise ValueError(f"by must name columns of the rows, got {unknown[0]!r}.")
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for *group, value in zip(*(columns[name] for name in names), columns["value"], strict=True):
        groups[tuple(map(str, group))].append(np.nan if value is None else float(value))
    return Summary(names, {group: _spread(values) for group, values in groups.items()})


def _spread(values: list[float]) -> Spread:
    numbers = np.array(values)
    deviation = float(numbers.std(ddof=1)) if numbers.size > 1 else float("nan")
    return Spread(float(numbers.mean()), deviation, numbers.size, int(np.isnan(numbers).sum()))
