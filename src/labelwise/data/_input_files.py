"""The files that `load` would read, without reading them: what a command must not overwrite."""

from __future__ import annotations

from pathlib import Path

from labelwise._io import DataError
from labelwise.data._load import BUNDLED, _files_in, _files_of, _homes
from labelwise.data.arff._layout import xml_beside


def input_files(
    name_or_path: str | Path, data_home: str | Path | None = None, labels: object = None
) -> list[Path]:
    """Return the files behind a name or path, label XML included; none if nothing is found.

    Parameters
    ----------
    name_or_path, data_home, labels
        As for `load`, which says what is wrong with them.
    """
    if name_or_path in BUNDLED:
        return []
    files = _data_files(Path(name_or_path), data_home)
    if not any(".arff" in path.name.lower() for path in files):
        return files
    beside = [xml for path in files if (xml := xml_beside(path)) is not None]
    return [*files, *beside, *([Path(labels)] if isinstance(labels, str | Path) else [])]


def _data_files(path: Path, data_home: str | Path | None) -> list[Path]:
    try:
        if path.is_dir():
            found = _files_in(path)
        elif path.is_file() or path.name != str(path):
            found = [path]
        else:
            found = next(filter(None, (_files_of(h, path.name) for h in _homes(data_home))), [])
    except (DataError, OSError):
        return []
    # A folder of news stands for all of its files.
    return [file for one in found for file in (one.iterdir() if one.is_dir() else [one])]
