"""Cells: what a study is made of, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from labelwise.data import Dataset, load
from labelwise.experiments.running._fingerprint import (
    canonical_form,
    canonical_json,
    data_fingerprint,
    fingerprint,
)
from labelwise.measures import measure_named

TRAIN_TEST = "train-test"
_FOLDS_MOST = 1_000_000  # of one split of one data set
Source = Dataset | str | Path | Callable[[], Dataset]


class Cell(NamedTuple):
    """One model on one fold: its key, and what people call it."""

    key: str
    dataset: str
    model: str
    split: str
    fold: int
    seed: int


class CellRecord(NamedTuple):
    """What became of a cell: values by measure, or the traceback of a failure."""

    key: str
    values: dict[str, float]
    error: str | None
    fit_seconds: float
    predict_seconds: float
    peak_memory: int | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


@dataclass(frozen=True)
class StudyInputs:
    """All that a worker must know beside the cells."""

    sources: Mapping[str, Source]
    digests: Mapping[str, str]  # of the data sets
    models: Mapping[str, Any]
    splits: Mapping[str, Any]
    measures: Mapping[str, str | Callable[[Any], Any]]
    undefined: str | float


@dataclass(frozen=True)
class StudyPlan:
    """The cells of a study in their order, and the settings behind its names."""

    inputs: StudyInputs
    cells: tuple[Cell, ...]
    settings: tuple[tuple[str, str, str], ...]  # kind, name, text


def load_source(source: Source) -> Dataset:
    """Return the data set that a study was given, or was told where to find."""
    if isinstance(source, str | Path):
        return load(source)
    data = source if isinstance(source, Dataset) else source()
    if not isinstance(data, Dataset):
        raise TypeError(f"datasets must give a Dataset, got {type(data).__name__}.")
    return data


def make_plan(
    sources: Mapping[str, Source],
    models: Mapping[str, Any],
    splits: Mapping[str, Any],
    measures: Mapping[str, Any],
    seeds: tuple[int, ...],
    undefined: str | float,
) -> StudyPlan:
    """Return every cell with its key; each data set is read once for it, and let go."""
    model_texts = _canonical_forms(models, "models")
    split_texts = _canonical_forms(splits, "splits")
    measure_text = [list(pair) for pair in _canonical_forms(measures, "measures").items()]
    digests, cells, settings = {}, [], []
    for name, source in sources.items():
        data = load_source(source)
        _check_data(name, data, measures)
        digests[name] = data_fingerprint(data)
        settings.append(("dataset", name, canonical_json([repr(data), digests[name]])))
        for split, fold, seed in _folds_of(data, splits, seeds):
            place = (digests[name], split_texts[split], fold, seed, measure_text, undefined)
            common = fingerprint(*place)
            for model, text in model_texts.items():
                cells.append(Cell(fingerprint(common, text), name, model, split, fold, seed))
    settings += [("model", name, canonical_json(text)) for name, text in model_texts.items()]
    settings += [("split", name, canonical_json(text)) for name, text in split_texts.items()]
    inputs = StudyInputs(sources, digests, models, splits, measures, undefined)
    return StudyPlan(inputs, tuple(cells), tuple(settings))


def _canonical_forms(objects: Mapping[str, Any], input_name: str) -> dict[str, Any]:
    return {name: canonical_form(one, f"{input_name}[{name!r}]") for name, one in objects.items()}


def _folds_of(
    data: Dataset, splits: Mapping[str, Any], seeds: tuple[int, ...]
) -> Iterator[tuple[str, int, int]]:
    """Give split, fold and seed; the fixed split of the data is one fold."""
    # What a splitter needs for counting its folds at most; labels are not counted by.
    rows = np.zeros((data.n_samples, 1))
    for name, split in splits.items():
        fixed = isinstance(split, str)
        if fixed and (data.train is None or data.test is None):
            raise ValueError(f"splits[{name!r}]: {data.name!r} has no fixed train and test rows.")
        n_folds = 1 if fixed else split.get_n_splits(rows)
        if n_folds * len(seeds) > _FOLDS_MOST:
            raise ValueError(
                f"splits[{name!r}] must have at most {_FOLDS_MOST:,} folds over all seeds, got "
                f"{n_folds * len(seeds):,} of {data.name!r}."
            )
        for seed in seeds:
            for fold in range(n_folds):
                yield name, fold, seed


def _check_data(name: str, data: Dataset, measures: Mapping[str, Any]) -> None:
    if data.Y is None:
        raise ValueError(f"datasets[{name!r}] must have labels, but they are unknown.")
    for measure in measures.values():
        if isinstance(measure, str) and measure_named(measure).k > data.n_labels:
            raise ValueError(f"{measure} needs more than the {data.n_labels} labels of {name!r}.")
