"""Cells of a study: their keys, their records, and the plan that lists them.

A cell is one model on one fold of one split of one data set with one seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise._measuring import measure_named
from labelwise._text import listed
from labelwise._validation import check_groups, check_weights
from labelwise.data import Dataset, load
from labelwise.experiments.running._fingerprint import (
    canonical_form,
    canonical_json,
    code_digest,
    data_fingerprint,
    fingerprint,
)

TRAIN_TEST = "train-test"
_MAX_FOLDS = 1_000_000  # of one split of one data set, over all seeds
Source = Dataset | str | Path | Callable[[], Dataset]


_HEAD, _TAIL = 4_000, 16_000  # characters; the end of a traceback says most


class Cell(NamedTuple):
    """One model on one fold: the key of its settings and code, and their names in the study."""

    key: str  # the hash of the settings, a hyphen, and the digest of the code
    dataset: str
    model: str
    split: str
    fold: int
    seed: int

    @property
    def settings(self) -> str:
        """The part of the key that stays the same if code is edited."""
        return self.key.partition("-")[0]


class CellRecord(NamedTuple):
    """Outcome of a cell: a value for each measure, or the traceback of a failure."""

    key: str
    values: dict[str, float]
    error: str | None
    fit_seconds: float
    predict_seconds: float
    peak_memory: int | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


class FailedCell(NamedTuple):
    """A cell that failed, with its traceback."""

    dataset: str
    model: str
    split: str
    fold: int
    seed: int
    error: str

    @property
    def reason(self) -> str:
        """The last line of the traceback."""
        return (self.error.strip().splitlines() or ["?"])[-1]


@dataclass(frozen=True)
class StudyInputs:
    """Data sets, models, splits and measures by name, as a worker needs them to run cells."""

    sources: Mapping[str, Source]
    digests: Mapping[str, str]  # hash of each data set
    models: Mapping[str, Any]
    splits: Mapping[str, Any]
    measures: Mapping[str, str | Callable[[Any], Any]]
    undefined: str | float
    groups: str | None = None  # column of identifiers whose rows stay in the same fold
    weights: str | None = None  # column of identifiers with the weight of each row


@dataclass(frozen=True)
class StudyPlan:
    """The cells of a study in order, and a text for each data set, model and split."""

    inputs: StudyInputs
    cells: tuple[Cell, ...]
    settings: tuple[tuple[str, str, str], ...]  # kind, name, text

    def with_keys(self, replaced: Mapping[str, str]) -> StudyPlan:
        """Return the plan with other keys for some cells."""
        cells = [cell._replace(key=replaced.get(cell.key, cell.key)) for cell in self.cells]
        return StudyPlan(self.inputs, tuple(cells), self.settings)


def load_source(source: Source) -> Dataset:
    """Return a data set, loaded from its name, its file or its function if need be."""
    if isinstance(source, str | Path):
        return load(source)
    data = source if isinstance(source, Dataset) else source()
    if not isinstance(data, Dataset):
        raise TypeError(f"datasets must be, or return, a Dataset, got {type(data).__name__}.")
    return data


def make_plan(
    sources: Mapping[str, Source],
    models: Mapping[str, Any],
    splits: Mapping[str, Any],
    measures: Mapping[str, Any],
    seeds: tuple[int, ...],
    undefined: str | float,
    groups: str | None = None,
    weights: str | None = None,
) -> StudyPlan:
    """List every cell with its key; one data set at a time is in memory."""
    model_texts = _canonical_forms(models, "models")
    split_texts = _canonical_forms(splits, "splits")
    measure_text = [list(pair) for pair in _canonical_forms(measures, "measures").items()]
    code = {
        (split, model): code_digest((split_texts[split], model_texts[model], measure_text))
        for split, model in product(splits, models)
    }
    # The policy is that of named measures.
    policy = undefined if any(isinstance(one, str) for one in measures.values()) else "nan"
    digests, cells, settings = {}, [], []
    for name, source in sources.items():
        data = load_source(source)
        _check_data(name, data, measures)
        digests[name] = data_fingerprint(data)
        # Keys of studies without groups and weights are those of the releases before.
        units = [] if groups is None else [canonical_form(groups_of(data, groups), "groups")]
        if weights is not None:
            units += ["weights", canonical_form(weights_of(data, weights), "weights")]
        settings.append(("dataset", name, canonical_json([repr(data), digests[name]])))
        for split, fold, seed in _folds_of(data, splits, seeds):
            place = (digests[name], split_texts[split], fold, seed, measure_text, policy, *units)
            common = fingerprint(*place)
            for model, text in model_texts.items():
                key = f"{fingerprint(common, text)}-{code[split, model]}"
                cells.append(Cell(key, name, model, split, fold, seed))
    settings += [("model", name, canonical_json(text)) for name, text in model_texts.items()]
    settings += [("split", name, canonical_json(text)) for name, text in split_texts.items()]
    inputs = StudyInputs(sources, digests, models, splits, measures, undefined, groups, weights)
    return StudyPlan(inputs, tuple(cells), tuple(settings))


def groups_of(data: Dataset, column: str) -> np.ndarray:
    """Return the number of each row's group, from a column of identifiers."""
    return check_groups(_identifiers(data, column, "groups"), data.n_samples)


def weights_of(data: Dataset, column: str) -> np.ndarray:
    """Return the weight of each row, from a column of identifiers."""
    texts = _identifiers(data, column, "weights")
    try:
        weights = np.array(texts, dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"weights must name a column of numbers, got {column!r}: {error}."
        ) from None
    return check_weights(weights, data.n_samples, "weights")


def _identifiers(data: Dataset, column: str, argument: str) -> list[str]:
    if column not in data.ids:
        known = listed(list(data.ids)) if data.ids else "none"
        raise ValueError(
            f"{argument} must name a column of identifiers of {data.name!r}, which has {known}, "
            f"got {column!r}."
        )
    return list(data.ids[column])


def _canonical_forms(objects: Mapping[str, Any], input_name: str) -> dict[str, Any]:
    return {name: canonical_form(one, f"{input_name}[{name!r}]") for name, one in objects.items()}


def _folds_of(
    data: Dataset, splits: Mapping[str, Any], seeds: tuple[int, ...]
) -> Iterator[tuple[str, int, int]]:
    """Yield split, fold and seed; the training and test samples of the data are one fold."""
    # Splitters count their folds by the number of rows, without features and labels.
    rows = np.zeros((data.n_samples, 1))
    for name, split in splits.items():
        fixed = isinstance(split, str)
        if fixed and (data.train is None or data.test is None):
            raise ValueError(f"splits[{name!r}]: {data.name!r} has no training and test samples.")
        n_folds = 1 if fixed else split.get_n_splits(rows)
        if n_folds * len(seeds) > _MAX_FOLDS:
            raise ValueError(
                f"splits[{name!r}] must have at most {_MAX_FOLDS:,} folds over all seeds, got "
                f"{n_folds * len(seeds):,} for {data.name!r}."
            )
        for seed in seeds:
            for fold in range(n_folds):
                yield name, fold, seed


def _check_data(name: str, data: Dataset, measures: Mapping[str, Any]) -> None:
    if data.Y is None:
        raise ValueError(f"datasets[{name!r}] must have labels, got a data set without.")
    for measure in measures.values():
        if isinstance(measure, str) and measure_named(measure).k > data.n_labels:
            raise ValueError(
                f"{measure} needs more labels than the {data.n_labels} of datasets[{name!r}]."
            )


def storable_text(text: str, most: int = _HEAD + _TAIL) -> str:
    """Escape NUL and lone surrogates; leave out the middle of a text longer than `most`."""
    head = most * _HEAD // (_HEAD + _TAIL)
    if len(text) > most:
        left_out = f"\n... {len(text) - most:,} characters left out ...\n"
        text = text[:head] + left_out + text[len(text) - (most - head) :]
    return encodable(text)


def encodable(text: str) -> str:
    """Escape NUL and lone surrogates, as in the source code of Python."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
