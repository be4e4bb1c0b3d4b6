"""The file of a model: skops' archive, and beside it who wrote it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise._io import written_whole
from labelwise._saving._archive import Archive, open_archive
from labelwise._saving._soundness import check_sound
from labelwise._saving._trusted import foreign_types, trusted_names, unknown_types
from labelwise._saving._versions import ABOUT, check_versions, versions_here
from labelwise.data._files import MAX_BYTES, DataError, read_bytes


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
        nor among the known ones of scikit-learn are refused, and whatever a model walks along
        without looking, such as trees, is checked.
    trusted : sequence of types
        Other types that may be inside.
    max_bytes : int
        Most bytes that the file may hold, packed or unpacked.

    Raises
    ------
    DataError
        If the file is not whole, not of `save`, holds other types, or was written by a newer
        labelwise or with a newer scikit-learn.
    """
    path = Path(path)
    stream = io.BytesIO(read_bytes(path, max_bytes))
    archive = open_archive(path, stream, max_bytes)
    check_versions(path, archive.about)
    model = _constructed(archive, trusted)
    try:
        check_sound(model)
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise DataError(path, f"holds no sound model ({_first_line(error)}).") from error
    return model


def _constructed(archive: Archive, trusted: Sequence[type]) -> Any:
    """Return what skops makes of an archive that has been checked."""
    from sklearn.base import BaseEstimator
    from skops.io import load as load_archive
    from skops.io.exceptions import UntrustedTypesFoundException

    foreign = foreign_types(archive, trusted)
    try:
        if foreign:
            raise UntrustedTypesFoundException(foreign)
        model = load_archive(archive.stream, trusted=trusted_names(trusted))
    except UntrustedTypesFoundException as error:
        names = ", ".join(unknown_types(archive, trusted))
        raise DataError(archive.path, f"holds types that are not trusted: {names}.") from error
    # Whatever is wrong with a file, it is the file.
    except Exception as error:
        raise DataError(archive.path, f"is no whole model ({_first_line(error)}).") from error
    if not isinstance(model, BaseEstimator):
        raise DataError(archive.path, f"holds no model but a {type(model).__name__}.")
    return model


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
