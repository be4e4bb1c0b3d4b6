"""`labelwise fit`: a model from a data set, in a file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from labelwise import _saving
from labelwise._text import printable
from labelwise.cli._outputs import Outputs
from labelwise.cli._parts import check_part, part_of
from labelwise.cli._progress import working
from labelwise.cli.commands._describe import parse_labels
from labelwise.cli.commands._learners import Plan, plan
from labelwise.data import Dataset, input_files, load
from labelwise.decisions import TunedThresholds
from labelwise.learners import BagPlugin

# Of a warning.
_LONGEST = 1000


class FitWishes(NamedTuple):
    """The options of the command, as they were typed."""

    learner: str | None = None
    maximize: str | None = None
    beta: float = 1.0
    seed: int = 0
    jobs: int | None = None
    part: str | None = None
    verbose: bool = False


def run_fit(
    data: str,
    output: Path,
    wishes: FitWishes,
    *,
    labels: str | None = None,
    bags: str | None = None,
    data_home: Path | None = None,
    max_bytes: int | None = None,
) -> None:
    """Learn from a data set, write the model, and say what was done."""
    name, chosen = _planned(wishes, "br")
    check_part(wishes.part)
    outputs = Outputs([output], inputs=input_files(data, data_home, labels))
    with working("reading"):
        columns = parse_labels(labels)
        whole = load(data, data_home=data_home, labels=columns, bags=bags, max_bytes=max_bytes)
        rows = part_of(whole, wishes.part or ("all" if whole.train is None else "train"))
    if whole.bags is not None:
        name, chosen = _planned(wishes, "bags")
    _check_learnable(whole, rows, chosen.model)
    with working(f"learning {name}"), told_warnings():
        fitted = chosen.model.fit(rows.samples, _label_frame(rows))
    # Names of both sides travel with the model: `labelwise predict` goes by them.
    fitted.feature_names_ = np.array(rows.feature_names, dtype=np.str_)
    fitted.label_names_ = tuple(rows.label_names)
    with working("writing"):
        _saving.save(fitted, output)
    outputs.say(f"{rows!r}{'' if rows is whole else f', a part of {len(whole):,}'}")
    outputs.say(f"learner: {name}, decides {_in_words(chosen, fitted)}")
    outputs.say_written(output)


def _planned(wishes: FitWishes, default: str) -> tuple[str, Plan]:
    """Return the learner that was asked for, or the default, and what is fitted."""
    settings = {"random_state": wishes.seed, "n_jobs": wishes.jobs, "verbose": int(wishes.verbose)}
    name = wishes.learner or default
    return name, plan(name, wishes.maximize, wishes.beta, settings)


@contextmanager
def told_warnings() -> Iterator[None]:
    """Tell each warning once, as a line on the error stream."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        sys.stderr.write(f"labelwise: note: {printable(' '.join(text.split()), _LONGEST)}\n")


def check_features(data: Dataset, X: Any, model: Any) -> None:
    """Refuse bags and missing values where the model cannot take them."""
    if data.bags is not None and not isinstance(model, BagPlugin):
        raise ValueError(
            f"{data.name!r} holds bags of rows, and this learner takes single rows (bags does not)."
        )
    values = X.data if sparse.issparse(X) else X
    if np.isfinite(values.sum()) or get_tags(model).input_tags.allow_nan:
        return
    places = np.flatnonzero(~np.isfinite(values))
    if places.size:
        where = "" if sparse.issparse(X) else f", first in row {places[0] // X.shape[1]}"
        raise ValueError(
            f"{data.name!r} has {places.size:,} missing or infinite values{where}, "
            "which this learner cannot take (br-forest can)."
        )


def _check_learnable(whole: Dataset, rows: Dataset, model: Any) -> None:
    if rows.Y is None:
        raise ValueError(f"The labels of {whole.name!r} are unknown: nothing to learn from.")
    if 0 in rows.Y.shape:
        raise ValueError(f"{whole.name!r} must have a row and a label, got {rows.Y.shape}.")
    check_features(whole, rows.X, model)


def _label_frame(data: Dataset) -> Any:
    """Return the labels as a frame, from whose columns learners take names."""
    import pyarrow as pa

    columns = {
        name: data.Y[:, [j]].toarray().ravel().astype(np.int8)
        for j, name in enumerate(data.label_names)
    }
    return pa.table(columns)


def _in_words(chosen: Plan, fitted: Any) -> str:
    if isinstance(fitted, BagPlugin):
        return f"at {chosen.rule}: {fitted.thresholds_.value:.4f}"
    if not isinstance(fitted, TunedThresholds):
        return chosen.rule
    value = fitted.corrected_value_
    unseen = "" if np.isnan(value) else f", {value:.4f} without its optimism"
    return f"at {chosen.rule}: {fitted.value_:.4f} on held-out scores{unseen}"
