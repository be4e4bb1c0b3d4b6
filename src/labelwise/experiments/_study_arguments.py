"""Checks of the arguments of a study: data sets, models, splits, measures, seeds, timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labelwise._io import plain_name
from labelwise._validation import check_names, check_real, check_whole
from labelwise.data import Dataset
from labelwise.experiments.running._cells import TRAIN_TEST, Source
from labelwise.experiments.running._storable_text import encodable
from labelwise.measures import measure_named

ANY_CODE = "any-code"  # keep cells, whatever code computed them
_TIMEOUT_RANGE = (0.1, 1e7)  # seconds


def check_timeout(timeout: Any) -> float | None:
    """Return the time limit of a cell in seconds, or None for no limit."""
    least, most = _TIMEOUT_RANGE
    return None if timeout is None else check_real(timeout, "timeout", least=least, most=most)


def check_datasets(datasets: Any) -> dict[str, Source]:
    """Return data sets, or where to load them from, by name."""
    if isinstance(datasets, Mapping):
        named = {encodable(str(name)): source for name, source in datasets.items()}
    elif isinstance(datasets, str | Path | Dataset) or not isinstance(datasets, Sequence):
        raise TypeError(f"datasets must be a sequence or a mapping, got {datasets!r}.")
    else:
        names = check_names([_name_of(source) for source in datasets], "names of datasets")
        named = dict(zip(names, datasets, strict=True))
    if not named:
        raise ValueError("datasets must have at least one entry, got none.")
    for name, source in named.items():
        if not isinstance(source, Dataset | str | Path) and not callable(source):
            raise TypeError(
                f"datasets[{name!r}] must be a Dataset, a name, a path or a function, "
                f"got {source!r}."
            )
    return named


def _name_of(source: Any) -> str:
    if isinstance(source, str | Path):
        return plain_name(source)
    return encodable(str(getattr(source, "name", getattr(source, "__name__", source))))


def check_models(models: Any) -> dict[str, Any]:
    """Return estimators by name."""
    return _check_objects(models, "models", ("get_params", "fit"))


def check_splits(splits: Any) -> dict[str, Any]:
    """Return splitters by name; "train-test" stands for the rows that come with the data."""
    return _check_objects(splits, "splits", ("split", "get_n_splits"), TRAIN_TEST)


def _check_objects(
    objects: Any, input_name: str, methods: Sequence[str], word: str | None = None
) -> dict[str, Any]:
    """Return objects by name; each has the methods, or equals the word."""
    if not isinstance(objects, Mapping):
        raise TypeError(f"{input_name} must be a mapping of names to objects, got {objects!r}.")
    if not objects:
        raise ValueError(f"{input_name} must have at least one entry, got none.")
    for name, one in objects.items():
        lacking = [method for method in methods if not hasattr(one, method)]
        if (isinstance(one, type) or lacking) and (word is None or one != word):
            needed = f"an object with {' and '.join(methods)}" + (f" or {word!r}" if word else "")
            raise TypeError(f"{input_name}[{name!r}] must be {needed}, got {one!r}.")
    return {encodable(str(name)): one for name, one in objects.items()}


def check_measures(measures: Any) -> dict[str, Any]:
    """Return names of known measures, and functions, by the name of the value in the results."""
    if isinstance(measures, str) or not isinstance(measures, Sequence | Mapping):
        raise TypeError(f"measures must be a sequence or a mapping, got {measures!r}.")
    parts = [measures] if isinstance(measures, Mapping) else measures
    pairs = [
        pair
        for part in parts
        for pair in (part.items() if isinstance(part, Mapping) else [(part, part)])
    ]
    check_names([name for name, _ in pairs], "names of measures")
    if not pairs:
        raise ValueError("measures must have at least one entry, got none.")
    for name, measure in pairs:
        if isinstance(measure, str):
            measure_named(measure)
        elif not callable(measure):
            raise TypeError(f"measures[{name!r}] must be a name or a function, got {measure!r}.")
    return {encodable(str(name)): measure for name, measure in pairs}


def check_directions(lower_is_better: Any, measures: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether higher values are better, by the names of measures where this is known.

    None says nothing of the functions among the measures; a sequence of names says that higher
    values of all others are better. A name such as "cost/part" is one of the values of a function.
    """
    known = {
        name: measure_named(one).higher_is_better
        for name, one in measures.items()
        if isinstance(one, str)
    }
    if lower_is_better is None:
        return known
    if isinstance(lower_is_better, str) or not isinstance(lower_is_better, Sequence):
        raise TypeError(f"lower_is_better must be a sequence of names, got {lower_is_better!r}.")
    names = [encodable(str(name)) for name in lower_is_better]
    for name in names:
        if name not in measures and name.split("/")[0] not in measures:
            raise ValueError(
                f"lower_is_better must name measures of the study ({', '.join(measures)}), "
                f"got {name!r}."
            )
        if known.get(name, False):
            raise ValueError(
                f"lower_is_better must not name {name!r}, of which higher values are better."
            )
    own = {name: True for name in measures if name not in known}
    return own | known | dict.fromkeys(names, False)


def check_resume(resume: Any) -> None:
    """Refuse what is neither a bool nor the word for keeping cells of any code."""
    if resume not in (True, False, ANY_CODE):
        raise ValueError(f"resume must be True, False or {ANY_CODE!r}, got {resume!r}.")


def check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return distinct whole numbers from 0 to 2**32 - 1."""
    if isinstance(seeds, str) or not isinstance(seeds, Sequence | range):
        raise TypeError(f"seeds must be a sequence of whole numbers, got {seeds!r}.")
    checked = tuple(check_whole(seed, "seeds", least=0) for seed in seeds)
    if not checked or len(set(checked)) < len(checked) or max(checked) >= 2**32:
        raise ValueError(f"seeds must be distinct numbers below 2**32, got {list(seeds)}.")
    return checked
