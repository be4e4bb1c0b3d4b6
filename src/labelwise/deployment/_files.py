"""Files of plans and monitors as JSON, and lists of cells that a person has filled in.

Importing pydantic takes 0.06 seconds, so that this file is imported only to read or write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
_ANSWERS, _ANSWERS_ARE = ("1", "0", "?", ""), "1, 0, ? (not sure) or empty"
# Other words for answers, in lower case.
_WORDS = {
    **dict.fromkeys(("1.0", "yes", "y", "true"), "1"),
    **dict.fromkeys(("0.0", "no", "n", "false"), "0"),
    **{"unsure": "?", "nan": "", "none": ""},
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
    batches: list[str]
    limits: Floats
    largest_group: Annotated[int, Field(ge=1)]
    n_samples: Wholes
    evidence: list[Number]
    values: list[Number]
    state: list[Number]

    @model_validator(mode="after")
    def _check(self) -> Self:
        since = np.array(self.state[2 * len(self.state) // 3 :])
        n_updates = len(self.batches)
        lengths = [len(self.n_samples), len(self.values), len(self.evidence)]
        if lengths != [n_updates, *[n_updates * self.limits.size] * 2]:
            raise ValueError("lists must have an item for each update and promise.")
        if np.isnan(self.state).any() or not np.isin(since, np.arange(n_updates or 1)).all():
            raise ValueError("state must have the capital and the update of each bet.")
        return self


def answers_of(cells: Sequence[tuple[str, str]], answers: Any) -> list[str]:
    """Return "1", "0", "?" or "" for each cell (a row and a label), from a sequence or a file."""
    if isinstance(answers, str | Path):
        found = read_answers(Path(answers), set(cells).__contains__, "the cells of the plan")
        return [found.get(cell, "") for cell in cells]
    given = list(answers)
    if len(given) != len(cells):
        raise ValueError(
            f"answers must have one answer for each of {len(cells)} cells, got {len(given)}."
        )
    words = list(map(_word, given))
    for i, word in enumerate(words, 1):
        if word not in _ANSWERS:
            raise ValueError(
                f"answers must be {_ANSWERS_ARE}, got {given[i - 1]!r:.50} of cell {i}."
            )
    return words


def known_answers(path: Path, rows: Sequence[str], labels: Sequence[str]) -> np.ndarray:
    """Return the answers of a list as a matrix, with NaN where there is none."""
    known = np.full((len(rows), len(labels)), np.nan)
    row_numbers, label_numbers = (
        {name: i for i, name in enumerate(names)} for names in (rows, labels)
    )
    found = read_answers(
        path,
        lambda cell: cell[0] in row_numbers and cell[1] in label_numbers,
        "rows and labels of the scores",
    )
    for (row, label), answer in found.items():
        if answer in ("0", "1"):
            known[row_numbers[row], label_numbers[label]] = float(answer)
    return known


def read_answers(
    path: Path, is_cell: Callable[[tuple[str, str]], bool], cells: str
) -> dict[tuple[str, str], str]:
    """Read the answers of a filled list, by row and label: "1", "0", "?" or "" for each.

    Cells that are none are refused; `cells` says for the message which there are.
    The row is in the column "id" or "row", or else in the first column.
    """
    from labelwise._tables import read_frame

    texts = ["id", "row", "label", "answer"]
    table = read_frame(path, texts)
    names = table.column_names
    for name in ("label", "answer"):
        if name not in names:
            raise DataError(path, f"has no column {quoted(name)}, which a list of cells has.")
    of_row = next((one for one in ("id", "row") if one in names), names[0])
    if of_row not in texts:
        table = read_frame(path, [*texts, of_row])
    columns = (table.column(name).to_pylist() for name in (of_row, "label", "answer"))
    found: dict[tuple[str, str], str] = {}
    for number, (row, label, answer) in enumerate(zip(*columns, strict=True), 1):
        if (row, label) in found:
            raise DataError(path, f"has {quoted(label)} of {quoted(row)} twice, in row {number}.")
        if not is_cell((row, label)):
            raise DataError(path, f"must have {cells}, got {quoted(label)} of {quoted(row)}.")
        found[row, label] = _word(answer)
        if found[row, label] not in _ANSWERS:
            raise DataError(
                path, f"must have answers {_ANSWERS_ARE}, got {answer!r:.50} in row {number}."
            )
    return found


def _word(answer: Any) -> str:
    """Return the answer that a word stands for, or the word itself."""
    word = str(answer).strip().lower()
    return _WORDS.get(word, word)
