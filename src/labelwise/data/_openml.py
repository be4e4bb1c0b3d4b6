"""Download benchmark sets from OpenML into the user's cache, as files that `load` reads."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from pathlib import Path

from labelwise._io import DataError

OPENML_IDS = {
    "birds": 40588,
    "emotions": 40589,
    "enron": 40590,
    "genbase": 40591,
    "image": 40592,
    "reuters": 40594,
    "scene": 40595,
    "slashdot": 40596,
    "yeast": 40597,
}


def fetch(name: str, cache: Path) -> Path:
    """Download a set into its folder of the cache and return the folder.

    The folder is created only after the whole set has been downloaded and parsed once.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=cache) as unfinished:
        folder = Path(unfinished) / name
        try:
            _download(name, Path(unfinished), folder)
        # scikit-learn raises many kinds of errors for a bad answer; to the user all mean the same.
        except Exception as error:
            raise DataError(
                name,
                f"is not in {cache} and could not be fetched from OpenML as number "
                f"{OPENML_IDS[name]} ({type(error).__name__}: {error}); put its folder there, or "
                "give data_home= or LABELWISE_DATA.",
            ) from error
        if not (cache / name).exists():
            folder.rename(cache / name)
    return cache / name


def _download(name: str, room: Path, folder: Path) -> None:
    """Let scikit-learn fetch and check the set; store its ARFF file and an XML file of labels."""
    from urllib.parse import urlparse
    from xml.sax.saxutils import quoteattr

    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # retries and cache misses are not the user's concern
        found = fetch_openml(
            data_id=OPENML_IDS[name], data_home=room, as_frame=False, parser="liac-arff"
        )
    place = urlparse(found.details["url"]).path.lstrip("/")
    folder.mkdir()
    shutil.move(room / "openml" / "openml.org" / f"{place}.gz", folder / f"{name}.arff.gz")
    labels = "".join(f"<label name={quoteattr(label)}/>" for label in found.target_names)
    (folder / f"{name}.xml").write_text(f"<labels>{labels}</labels>", encoding="utf-8")
