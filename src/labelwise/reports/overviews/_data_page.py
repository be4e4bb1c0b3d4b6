"""The page of a `Dataset`: label frequencies, label sets, pairs of labels, and duplicates."""

from __future__ import annotations

import numpy as np

from labelwise._text import counted, printable
from labelwise._validation import check_labels
from labelwise.data import Dataset
from labelwise.reports.overviews._blocks import (
    MOST_ROWS,
    Block,
    KeyNumber,
    PageSection,
    axis,
    number_column,
    overview_page,
    table,
    text_column,
)
from labelwise.reports.page import Page, packed

_MAP_LABELS = 25
_MOST_PAIRS = 300
_MOST_DUPLICATES = 500
_NAMES_OF_A_SET = 12


def data_page(dataset: Dataset) -> Page:
    """Arrange the statistics of a data set as a page."""
    duplicates = _duplicate_section(dataset)
    if dataset.Y is None or not dataset.n_samples or not dataset.n_labels:
        numbers = [
            KeyNumber("samples", dataset.n_samples),
            KeyNumber("features", dataset.n_features),
            KeyNumber("labels", dataset.n_labels),
        ]
        unknown = "There are no known labels to describe."
        first = PageSection("overview", "Overview", "Overview", [unknown], numbers)
        return overview_page(dataset.name, f"{dataset!r}.", [first, duplicates])
    profile = dataset.label_profile()
    sections = [
        _overview(dataset, profile.mean_imbalance),
        _label_section(dataset, profile.counts, profile.imbalance),
        _label_set_section(dataset),
        _pair_section(dataset),
        duplicates,
    ]
    return overview_page(dataset.name, f"{dataset!r}.", sections)


def _overview(dataset: Dataset, mean_imbalance: float) -> PageSection:
    found = dataset.describe()
    texts = f"and {counted(len(dataset.texts), 'text')}" if dataset.texts else ""
    numbers = [
        KeyNumber("samples", found.n_samples),
        KeyNumber("features", found.n_features, "whole", texts),
        KeyNumber("labels", found.n_labels, "whole", f"{found.n_labels_unused:,} without samples"),
        KeyNumber("labels per sample", found.cardinality, "number", "cardinality"),
        KeyNumber("density", found.density, "number", "labels per sample / labels"),
        KeyNumber("mean imbalance", mean_imbalance, "number", "most frequent : label"),
        KeyNumber(
            "distinct label sets",
            found.n_label_sets,
            "whole",
            _per_sample(found.label_sets_per_sample),
        ),
        KeyNumber("without labels", found.n_without_labels, "whole", "samples"),
    ]
    if dataset.train is not None and dataset.test is not None:
        numbers += [
            KeyNumber("training part", dataset.train.size, "whole", "samples"),
            KeyNumber("test part", dataset.test.size, "whole", "samples"),
        ]
    return PageSection("overview", "Overview", "Overview", [found.advice], numbers)


def _per_sample(value: float) -> str:
    return f"{value:.3g} per sample"


def _label_section(dataset: Dataset, n_positives: np.ndarray, imbalance: np.ndarray) -> PageSection:
    order = np.argsort(-n_positives, kind="stable")
    n_labels, counts = order.size, n_positives[order]
    present = counts[counts > 0]
    curve = {
        "kind": "curve",
        "title": "Samples of each label, from the most frequent to the rarest",
        "x": axis("rank of the label", np.arange(1, present.size + 1), log=True),
        "y": axis("samples", present, log=True),
        "note": "Both axes are logarithmic.",
    }
    kept = order[:MOST_ROWS]
    columns = [
        text_column("label", "label", [dataset.label_names[j] for j in kept]),
        number_column("samples", "samples", n_positives[kept], "whole", bar=True),
        number_column("share", "share of samples", n_positives[kept] / dataset.n_samples, "share"),
        number_column("imbalance", "imbalance ratio", imbalance[kept]),
    ]
    for name, rows in (("train", dataset.train), ("test", dataset.test)):
        if rows is not None:
            part = np.diff(check_labels(dataset.Y[rows], allow_missing=True).matrix.indptr)
            columns.append(number_column(name, f"in {name}", part[kept], "whole"))
    note = f"{n_labels - kept.size:,} rarer labels are not listed." if kept.size < n_labels else ""
    blocks = [curve] if present.size > 1 else []
    blocks.append(table("Labels", columns, kept.size, sort="-samples", note=note))
    explain = (
        "The imbalance ratio of a label is the number of samples of the most frequent label for "
        "each sample of this one."
    )
    return PageSection("labels", "Labels", "Frequency of labels", [explain], (), blocks)


def _label_set_section(dataset: Dataset) -> PageSection:
    profile = dataset.label_profile()
    sizes = profile.sizes
    ends = (-0.6, sizes.size - 0.4)
    chart = {
        "kind": "columns",
        "title": "Samples by their number of labels",
        "x": {**axis("labels of a sample", [], full=ends), "first": 0},
        "y": axis("samples", sizes, full=(0.0, float(sizes.max(initial=1)))),
        "note": "",
    }
    names = [_set_name(dataset.label_names, labels) for labels in profile.label_sets]
    columns = [
        text_column("labels", "label set", names),
        number_column("size", "labels", [len(labels) for labels in profile.label_sets], "whole"),
        number_column("samples", "samples", profile.label_set_counts, "whole", bar=True),
    ]
    explain = (
        f"{counted(profile.n_label_sets, 'distinct label set')}; the most frequent are listed."
    )
    blocks = [chart, table("Label sets", columns, len(names), sort="-samples")]
    return PageSection("label-sets", "Label sets", "Label sets", [explain], (), blocks)


def _set_name(label_names: tuple[str, ...], labels: tuple[int, ...]) -> str:
    if not labels:
        return "(no label)"
    shown = ", ".join(printable(label_names[j], 40) for j in labels[:_NAMES_OF_A_SET])
    more = len(labels) - _NAMES_OF_A_SET
    return f"{shown} and {more:,} more" if more > 0 else shown


def _pair_section(dataset: Dataset) -> PageSection:
    pairs = dataset.co_occurrence()
    names = pairs.label_names[:_MAP_LABELS]
    n = len(names)
    heat = {
        "kind": "heat",
        "title": "Labels that occur together",
        "names": list(map(printable, names)),
        "shares": packed(pairs.shares[:n, :n], np.float64),
        "counts": packed(pairs.counts[:n, :n], np.float64),
        "note": "The stronger the colour, the more samples of the label of the row also have the "
        f"label of the column. The {n} most frequent labels are shown.",
    }
    found = pairs.pairs(_MOST_PAIRS)
    columns = [
        text_column("first", "label", [pair.first for pair in found]),
        text_column("second", "with", [pair.second for pair in found]),
        number_column(
            "together", "samples with both", [p.together for p in found], "whole", bar=True
        ),
        number_column("of-first", "share of the first", [p.share_of_first for p in found], "share"),
        number_column(
            "of-second", "share of the second", [p.share_of_second for p in found], "share"
        ),
        number_column("lift", "lift", [pair.lift for pair in found]),
    ]
    explain = (
        "Lift is how often two labels occur together, compared with two independent labels of the "
        "same frequencies: 1 means independent."
    )
    blocks: list[Block] = [heat] if n > 1 else []
    blocks.append(table("Most frequent pairs", columns, len(found), sort="-together"))
    return PageSection("pairs", "Pairs of labels", "Pairs of labels", [explain], (), blocks)


def _duplicate_section(dataset: Dataset) -> PageSection:
    found = dataset.find_duplicates()
    numbers = [
        KeyNumber("repeated samples", found.n_repeated, "whole", "features of an earlier sample"),
        KeyNumber(
            "contradictions", found.contradicting.size, "whole", "equal features, other labels"
        ),
    ]
    explain = "Two samples are equal if all their features are."
    repeated = np.flatnonzero(found.first != np.arange(found.first.size))
    pairs = [("Samples with the features of an earlier one", repeated, found.first[repeated])]
    if found.n_test is not None:
        note = f"of {found.n_test:,} test samples"
        numbers.append(KeyNumber("test in training", found.leaked.size, "whole", note))
        explain += " A test sample that is in training makes a model look better than it is."
        pairs.insert(0, ("Test samples in the training part", found.leaked, found.leaked_from))
    blocks = [
        _equal_table(title, rows, others, found.contradicting)
        for title, rows, others in pairs
        if rows.size
    ]
    return PageSection("duplicates", "Duplicates", "Duplicates", [explain], numbers, blocks)


def _equal_table(
    title: str, rows: np.ndarray, others: np.ndarray, contradicting: np.ndarray
) -> Block:
    """Return a table of samples that are equal to others."""
    n_rows = min(rows.size, _MOST_DUPLICATES)
    differs = np.isin(rows[:n_rows], contradicting)
    columns = [
        number_column("row", "sample", rows[:n_rows], "whole"),
        number_column("other", "equal to sample", others[:n_rows], "whole"),
        text_column("labels", "labels", ["differ" if one else "equal" for one in differs]),
    ]
    more = rows.size - n_rows
    return table(title, columns, n_rows, note=f"{more:,} more are not listed." if more else "")
