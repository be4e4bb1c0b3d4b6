"""Files of plans and monitors as JSON, and lists of cells that a person has filled in.

Importing pydantic takes 0.06 seconds, so that this file is imported only to read or write.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from labelwise._io import DataError
from labelwise._json_files import Floats, JsonFile, Names, Number, Wholes
from labelwise._text import quoted
from labelwise.deployment._promises import GOALS, NAMES

# Fields of `CellTotals`, each with a number for each of three states and each label.
_N_TOTALS = 7
_AtLeast = dict[
    Annotated[str, Field(pattern=f"^({'|'.join({*GOALS, *NAMES})})$")],
    Annotated[float, Field(ge=0, le=1)],
]
# Words of answers, in lower case.
_WORDS = {
    **dict.fromkeys(("1", "1.0", "yes", "y", "true"), "1"),
    **dict.fromkeys(("0", "0.0", "no", "n", "false"), "0"),
    **dict.fromkeys(("?", "unsure"), "?"),
    **dict.fromkeys(("", "nan", "none"), ""),
}


class PlanFile(JsonFile):
    """A file of a plan: the fields of `AuditPlan`."""

    form = "labelwise audit"
    later: ClassVar[Mapping[int, Mapping[str, Any]]] = {1: {}}

    ids: list[str]
    labels: Wholes
    scores: Floats
    states: Wholes
    guesses: Floats
    weights: Floats
    totals: Floats
    label_names: Names | None
    goal: Annotated[str, Field(pattern=f"^({'|'.join(GOALS)})$")]
    beta: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    promises: _AtLeast

    @model_validator(mode="after")
    def _check(self) -> Self:
        drawn = (self.labels, self.scores, self.states, self.guesses, self.weights)
        if any(len(part) != len(self.ids) for part in drawn):
            raise ValueError("ids, labels, scores, states, guesses and weights must be as long.")
        n_labels, rest = divmod(self.totals.size, 3 * _N_TOTALS)
        if rest or not n_labels or (self.totals < 0).any() or np.isinf(self.totals).any():
            raise ValueError("totals must be finite numbers, not negative, of each label.")
        if self.label_names is not None and len(self.label_names) != n_labels:
            raise ValueError(f"label_names must be those of {n_labels} labels.")
        places = (self.labels < n_labels).all() and (self.states < 3).all()
        if not places or not ((self.weights > 0) & (self.weights < np.inf)).all():
            raise ValueError("drawn cells must have a label, a state and a weight.")
        if not ((self.guesses > 0) & (self.guesses < 1)).all():
            raise ValueError("guesses must be above 0 and below 1.")
        return self


class MonitorFile(JsonFile):
    """A file of a monitor: what it watches, and the evidence; lists of lists are flat."""

    form = "labelwise monitor"
    later: ClassVar[Mapping[int, Mapping[str, Any]]] = {1: {}}

    thresholds: Floats
    level: Annotated[float, Field(ge=0.5, lt=1)]
    at_least: _AtLeast
    tolerance: Annotated[float, Field(ge=0, le=1)]
    batches: list[str]
    n_samples: Wholes
    evidence: list[Number]
    values: list[Number]
    state: list[Number]

    @model_validator(mode="after")
    def _check(self) -> Self:
        since = np.array(self.state[2 * len(self.state) // 3 :])
        if len(self.n_samples) != len(self.batches) or len(self.values) != len(self.evidence):
            raise ValueError("lists must have an item for each update.")
        if (
            np.isnan(self.state).any()
            or not np.isin(since, np.arange(len(self.batches) or 1)).all()
        ):
            raise ValueError("state must have the capital and the update of each bet.")
        return self


def answers_of(cells: Mapping[str, list[Any]], answers: Any) -> np.ndarray:
    """Return "1", "0", "?" or "" for each cell of a list, from a sequence or a file."""
    if isinstance(answers, str | Path):
        return _from_file(cells, Path(answers))
    given, n_cells = list(answers), len(cells["id"])
    if len(given) != n_cells:
        raise ValueError(
            f"answers must have one answer for each of {n_cells} cells, got {len(given)}."
        )
    return np.array([_word(one, f"of cell {i}") for i, one in enumerate(given, 1)], dtype=object)


def _word(answer: Any, whose: str) -> str:
    found = _WORDS.get(str(answer).strip().lower())
    if found is None:
        raise ValueError(
            f"answers must be 0, 1, empty, or ? if not sure, got {str(answer)!r:.50} {whose}."
        )
    return found


def read_answers(path: Path, first: str | None = None) -> dict[str, list[str]]:
    """Read the columns of a filled list as texts: id (or row), label, answer, and perhaps cell.

    Answers are "1", "0", "?" or "".
    """
    from labelwise._tables import read_frame

    table = read_frame(path, ["cell", "id", "row", "label", "answer"])
    for name in ("label", "answer", *([first] if first else [])):
        if name not in table.column_names:
            raise DataError(path, f"has no column {quoted(name)}, which a list of cells has.")
    columns = {
        name: ["" if one is None else str(one) for one in table.column(name).to_pylist()]
        for name in table.column_names
    }
    answers = [_word(one, f"in row {i} of {path}") for i, one in enumerate(columns["answer"], 1)]
    return {**columns, "answer": answers}


def _from_file(expected: Mapping[str, list[Any]], path: Path) -> np.ndarray:
    """Read answers, and match them by the number of the cell; refuse another id or label."""
    columns = read_answers(path, "cell")
    wanted = dict(enumerate(zip(expected["id"], expected["label"], strict=True), 1))
    ids: list[Any] = columns.get("id") or [None] * len(columns["cell"])
    found = np.full(len(wanted), "", dtype=object)
    for number, given, label, answer in zip(
        columns["cell"], ids, columns["label"], columns["answer"], strict=True
    ):
        cell = int(number) if number.isdigit() else 0
        if cell not in wanted:
            raise DataError(path, f"must have each cell of the plan once, got {number!r:.50}.")
        row, name = wanted.pop(cell)
        if (given or row, label) != (row, name):
            raise DataError(
                path,
                f"must have the cells of the plan: cell {number} is label {quoted(name)} of "
                f"{quoted(row)}, got {quoted(label)} of {quoted(given or row)}.",
            )
        found[cell - 1] = answer
    return found
