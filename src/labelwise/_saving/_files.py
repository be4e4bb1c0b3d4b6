"""The file of a model: skops' archive, and beside it who wrote it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise._io import MAX_BYTES, DataError, read_bytes, written_whole
from labelwise._saving._archive import Archive, first_line, open_archive
from labelwise._saving._run_settings import reset_run_settings
from labelwise._saving._soundness import check_sound
from labelwise._saving._trusted import (
    check_trusted,
    foreign_types,
    trusted_names,
    unknown_types,
)
from labelwise._saving._versions import ABOUT, check_versions, versions_here
from labelwise.data import names_data


def save(model: Any, path: str | Path, *, trusted: Sequence[type] = ()) -> None:
    """Write a fitted model to a file from which `load` brings it back, bit for bit.

    The file is a skops archive: arrays, and a description of the objects around them. Nothing is
    pickled. Thresholds, label names and parameters are inside, functions such as ``f_measure`` by
    their name. It is written beside `path` first, and then put in its place.

    Parameters
    ----------
    model : estimator
        Of labelwise, or of scikit-learn with parts of both.
    path : str or Path
        Usually ending in ``.skops``; ``-`` is the standard output.
    trusted : sequence of types
        Other types that may be inside; `load` must then be given them, too.

    Raises
    ------
    TypeError
        If the model holds something that `load` would refuse.

    Examples
    --------
    >>> import tempfile
    >>> import labelwise
    >>> from labelwise.data import make_multilabel
    >>> from labelwise.learners import CalibratedLabelRanking
    >>> data, _ = make_multilabel(random_state=0)
    >>> model = CalibratedLabelRanking(random_state=0).fit(data.X, data.Y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labelwise.save(model, f"{folder}/model.skops")
    ...     again = labelwise.load(f"{folder}/model.skops")
    >>> bool((again.decision_function(data.X) == model.decision_function(data.X)).all())
    True
    """
    from sklearn.base import BaseEstimator
    from skops.io import dumps
    from skops.io.exceptions import UnsupportedTypeException

    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model must be an estimator, got {type(model).__name__}.")
    check_trusted(trusted)
    try:
        stream = io.BytesIO(dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1))
    except (UnsupportedTypeException, RecursionError) as error:
        raise TypeError(f"model cannot be saved: {error}") from error
    unknown = unknown_types(open_archive(Path(path), stream, MAX_BYTES), trusted)
    if unknown:
        raise TypeError(f"model must hold only types that load knows, got {', '.join(unknown)}.")
    with zipfile.ZipFile(stream, "a") as packed:
        packed.writestr(ABOUT, json.dumps(versions_here(), indent=1))
    with written_whole(path) as file:
        file.write(stream.getbuffer())


def load(path: str | Path, *, trusted: Sequence[type] = (), max_bytes: int = MAX_BYTES) -> Any:
    """Return the model of a file that `save` wrote.

    Parameters
    ----------
    path : str or Path
        The file. It is taken for hostile: no code of it runs, types that are neither labelwise's
        nor among the known ones of scikit-learn are refused, and arrays that compiled code reads
        without bounds checks, such as those of trees, are checked first.
    trusted : sequence of types
        Other types that may be inside.
    max_bytes : int, default=4 GiB
        Most bytes that the content may take in memory. It may also take no more than 1100 times
        the size of the file, or 64 MiB if that is more.

    Returns
    -------
    estimator
        The model. Settings of the machine that wrote it are not all kept: `n_jobs` is None if it
        was above the number of cores here, `verbose` is 0 if it was above 50, and `memory` of
        scikit-learn's pipelines, a folder of pickled results, is None.

    Raises
    ------
    DataError
        If the file is not whole, not of `save`, holds other types, or was written by a newer
        labelwise or with a newer scikit-learn. Whatever is wrong with a file, no other error is
        raised.
    """
    path = Path(path)
    check_trusted(trusted)
    try:
        return _loaded(path, trusted, max_bytes)
    except DataError:
        raise
    # Whatever else goes wrong while a file is read, the file is the reason.
    except Exception as error:
        raise DataError(path, f"is no whole model file ({first_line(error)}).") from error


def _loaded(path: Path, trusted: Sequence[type], max_bytes: int) -> Any:
    if names_data(path) and not zipfile.is_zipfile(path):
        raise DataError(path, "is a data set, not a model: read it with labelwise.data.load.")
    content = read_bytes(path, max_bytes)
    n_packed = min(len(content), path.stat().st_size) if path.is_file() else len(content)
    archive = open_archive(path, io.BytesIO(content), max_bytes, n_packed)
    check_versions(path, archive.about)
    unknown = foreign_types(archive, trusted)
    if unknown:
        raise DataError(path, f"holds types that are not trusted: {', '.join(sorted(unknown))}.")
    model = _constructed(archive, trusted)
    try:
        check_sound(model)
    except Exception as error:
        raise DataError(path, f"holds no sound model ({first_line(error)}).") from error
    reset_run_settings(model)
    return model


def _constructed(archive: Archive, trusted: Sequence[type]) -> Any:
    """Return what skops makes of an archive that has been checked."""
    from sklearn.base import BaseEstimator
    from skops.io import load as load_archive
    from skops.io.exceptions import UntrustedTypesFoundException

    # skops gives each node a list of its own of these names: only those that are needed.
    names = sorted(set(trusted_names(trusted)) & {one.type for one in archive.objects})
    try:
        model = load_archive(archive.stream, trusted=names)
    except UntrustedTypesFoundException as error:
        unknown = ", ".join(unknown_types(archive, trusted))
        raise DataError(archive.path, f"holds types that are not trusted: {unknown}.") from error
    if not isinstance(model, BaseEstimator):
        raise DataError(archive.path, f"holds no model but a {type(model).__name__}.")
    return model
