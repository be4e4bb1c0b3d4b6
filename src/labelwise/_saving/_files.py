"""Save models to files and load them: the public functions, and the versions in a file."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise import __version__
from labelwise._extras import require
from labelwise._io import MAX_BYTES, DataError, first_line, read_bytes, written_whole
from labelwise._saving._archive import ABOUT, Archive, open_archive
from labelwise._saving._skops import skops_io
from labelwise._saving._trusted import check_trusted, untrusted_types

FORMAT = "labelwise model"
VERSION = 2


def save(model: Any, path: str | Path, *, trusted: Sequence[type] = ()) -> None:
    """Write a fitted model to a file that `load` reads.

    The loaded model predicts bit for bit the same. The file is a skops archive: arrays, and a
    description of the objects around them, without pickles and without code. It contains
    thresholds, label names and parameters; functions such as ``f_measure`` are stored by name. If
    writing fails, a file that was at `path` before stays as it was.

    Parameters
    ----------
    model : estimator
        Estimator of labelwise or scikit-learn, which may contain others of both.
    path : str or Path
        Path of the file, usually with the ending ``.skops``; ``-`` is the standard output.
    trusted : sequence of types, default=()
        Further types that the model may contain. `load` needs the same types.

    Raises
    ------
    TypeError
        If the model is not an estimator, or contains a type that `load` would refuse.
    ValueError
        If `load` would refuse the model for another reason, such as a `FunctionTransformer` whose
        function takes further arguments. The file is not written then.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : Read a model from a file.

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

    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model must be an estimator, got {type(model).__name__}.")
    check_trusted(trusted)
    require("skops", "a model file")
    skops = skops_io()
    try:
        stream = io.BytesIO(skops.dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1))
    except (skops.exceptions.UnsupportedTypeException, RecursionError) as error:
        raise TypeError(f"model cannot be saved: {error}") from error
    try:
        archive = open_archive(Path(path), stream, MAX_BYTES)
        unknown = untrusted_types(archive, trusted)
        if not unknown:
            _sound_model(archive)
    except Exception as error:
        told = f"model cannot be saved, because load would refuse it: {error}"
        raise ValueError(told) from error
    if unknown:
        raise TypeError(
            f"model must contain only types that load knows, got {', '.join(unknown)}: give them "
            "by trusted, or save such a part by its own library or as ONNX."
        )
    with zipfile.ZipFile(stream, "a") as packed:
        packed.writestr(ABOUT, json.dumps(_versions_here(), indent=1))
    with written_whole(path) as file:
        file.write(stream.getbuffer())


def load(path: str | Path, *, trusted: Sequence[type] = (), max_bytes: int = MAX_BYTES) -> Any:
    """Read a fitted model from a file that `save` wrote.

    The file need not come from a trusted source: no code in it runs, types that are neither
    labelwise's nor among the known types of scikit-learn are refused, and arrays that compiled
    code reads without bounds checks, such as those of trees, are checked first.

    Parameters
    ----------
    path : str or Path
        Path of the file.
    trusted : sequence of types, default=()
        Further types that the model may contain.
    max_bytes : int, default=4 GiB
        Largest size of the content in memory. The content may also take at most 1100 times the
        size of the file, or 64 MiB if that is more.

    Returns
    -------
    estimator
        The model. Some settings depend on the machine and are reset: `n_jobs` is None if it was
        above the number of cores here, `verbose` is 0 if it was above 50, and `memory` of
        scikit-learn's pipelines, a folder of pickled results, is None.

    Raises
    ------
    DataError
        If the file is damaged, was not written by `save`, contains other types, or was written
        by a newer version of labelwise or with a newer version of scikit-learn. Every fault of a
        file raises this error.

    See Also
    --------
    save : Write a model to a file.
    labelwise.data.load : Read a data set.

    Examples
    --------
    >>> import tempfile
    >>> import labelwise
    >>> from labelwise.features import TermSelector
    >>> model = TermSelector(1, cut=0).fit([[1, 0], [0, 1], [1, 1]], [[1], [0], [1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labelwise.save(model, f"{folder}/selector.skops")
    ...     labelwise.load(f"{folder}/selector.skops").transform([[3, 4]]).shape
    (1, 1)
    """
    path = Path(path)
    check_trusted(trusted)
    require("skops", "a model file")
    try:
        return _loaded(path, trusted, max_bytes)
    except DataError:
        raise
    # The arguments are checked above, so that any other error comes from the file.
    except Exception as error:
        raise DataError(
            path,
            f"is not a model file, or is truncated ({first_line(error)}); data sets are read by "
            "labelwise.data.load.",
        ) from error


def _loaded(path: Path, trusted: Sequence[type], max_bytes: int) -> Any:
    from labelwise._saving._loaded_model import reset_run_settings

    _check_kind(path)
    content = read_bytes(path, max_bytes)
    n_packed = min(len(content), path.stat().st_size) if path.is_file() else len(content)
    archive = open_archive(path, io.BytesIO(content), max_bytes, n_packed)
    _check_versions(path, archive.about)
    unknown = untrusted_types(archive, trusted)
    if unknown:
        raise DataError(path, f"contains types that are not trusted: {', '.join(unknown)}.")
    model = _sound_model(archive)
    reset_run_settings(model)
    return model


def _check_kind(path: Path) -> None:
    """Refuse names, and devices, which may have no end, before gigabytes of them are read."""
    if not path.exists():
        raise DataError(path, "does not exist; data sets are read by labelwise.data.load.")
    if path.is_char_device() or path.is_block_device():
        raise DataError(path, "is a device, not a model file.")


def _sound_model(archive: Archive) -> Any:
    """Return the model that skops builds from an archive of trusted types, its parts checked."""
    from sklearn.base import BaseEstimator

    from labelwise._saving._loaded_model import add_new_parameters, check_sound

    # skops copies the list of trusted names for each node, so that it should be short.
    names = sorted({one.type for one in archive.objects})
    model = skops_io().load(archive.stream, trusted=names)
    if not isinstance(model, BaseEstimator):
        raise DataError(archive.path, f"contains no model but a {type(model).__name__}.")
    try:
        add_new_parameters(model)
        check_sound(model)
    except Exception as error:
        raise DataError(archive.path, f"contains no sound model ({first_line(error)}).") from error
    return model


def _versions_here() -> dict[str, Any]:
    """Return the format and the versions that `save` writes into a file."""
    import sklearn

    return {
        "format": FORMAT,
        "version": VERSION,
        "labelwise": __version__,
        "scikit-learn": sklearn.__version__,
    }


def _check_versions(path: Path, about: Any) -> None:
    """Refuse files that `save` did not write, and files of other versions of the format."""
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(path, f"contains no {FORMAT}.")
    version = about.get("version")
    if type(version) is not int or version < 1:
        raise DataError(path, f"has version {version!r:.50}, but must have a whole number.")
    if version < VERSION:
        raise DataError(
            path,
            f"has version {version}, of before the first release: fit the model again and save it.",
        )
    here = _versions_here()
    if version > VERSION:
        raise DataError(
            path,
            f"has version {version}, but labelwise {__version__} knows none above {VERSION}: "
            f"load it with labelwise {str(about.get('labelwise'))[:20]}.",
        )
    for name in ("labelwise", "scikit-learn"):
        written = str(about.get(name))[:20]
        # Releases that differ in the third number have the same attributes of models.
        if _release(path, name, written) > _release(path, name, here[name]):
            raise DataError(
                path, f"was written with {name} {written}, which is newer than {here[name]} here."
            )


def _release(path: Path, name: str, version: str) -> tuple[int, ...]:
    found = re.match(r"(\d{1,9})\.(\d{1,9})", version)
    if found is None:
        raise DataError(path, f"has {version!r} as its version of {name}.")
    return tuple(map(int, found.groups()))
