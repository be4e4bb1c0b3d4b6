"""The page of a split: its quality beside that of other methods, its subsets, its worst labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labelwise._text import counted
from labelwise.reports.overviews._blocks import (
    MOST_ROWS,
    Block,
    KeyNumber,
    PageSection,
    number_column,
    overview_page,
    table,
    text_column,
)
from labelwise.reports.page import Page
from labelwise.splitting import SplitComparison, SplitQuality

_EXPLAIN = (
    "Smaller is better for all four. LD is the mean distance of the odds of labels in the subsets "
    "from those in all samples, ED the mean distance of the sizes of the subsets from those "
    "wanted. "
    "FZ is the number of subsets that lack a label, FLZ that of pairs of subset and label without "
    "positives."
)
# Name, heading and format of the measures of a split.
_MEASURES = (
    ("ld", "LD (labels)", "number"),
    ("ed", "ED (sizes)", "number"),
    ("fz", "FZ", "whole"),
    ("flz", "FLZ", "whole"),
)


def quality_page(quality: SplitQuality) -> Page:
    """Arrange the quality of one split as a page."""
    return _split_page(quality, {"this split": quality}, "this split")


def comparison_page(compared: SplitComparison) -> Page:
    """Arrange the qualities of several methods as a page."""
    return _split_page(compared.quality, compared.qualities, compared.chosen)


def _split_page(found: SplitQuality, all_found: Mapping[str, SplitQuality], chosen: str) -> Page:
    n_subsets = len(found.sizes)
    numbers = [
        KeyNumber("LD", found.ld, "number", "distance of label odds"),
        KeyNumber("ED", found.ed, "number", "distance of sizes, in samples"),
        KeyNumber("FZ", found.fz, "whole", f"of {n_subsets:,} subsets lack a label"),
        KeyNumber("FLZ", found.flz, "whole", f"of {n_subsets * found.n_labels:,} pairs are empty"),
        KeyNumber("smallest subset", min(found.sizes), "whole", "samples"),
        KeyNumber("largest subset", max(found.sizes), "whole", "samples"),
    ]
    blocks = [_method_table(all_found, chosen)] if len(all_found) > 1 else []
    methods = PageSection("quality", "Quality", "Quality of the split", [_EXPLAIN], numbers, blocks)
    subsets = PageSection("subsets", "Subsets", "Subsets", (), (), [_subset_table(found)])
    sections = [methods, subsets]
    if len(found.label_names):
        explain = (
            "The odds of a label should be the same in every subset. Labels with the largest "
            "distance come first; a subset without positives cannot test the label."
        )
        labels = [_label_table(all_found, chosen)]
        sections.append(
            PageSection("labels", "Labels", "Labels, the worst first", [explain], (), labels)
        )
    samples = counted(sum(found.sizes), "sample")
    summary = f"{samples}, {counted(found.n_labels, 'label')}, {counted(n_subsets, 'subset')}."
    return overview_page("Split", summary, sections)


def _method_table(found: Mapping[str, SplitQuality], chosen: str) -> Block:
    names = [f"{name} (chosen)" if name == chosen else name for name in found]
    columns = [text_column("method", "method", names)]
    for key, head, show in _MEASURES:
        values = [getattr(one, key) for one in found.values()]
        best = [value == min(values) for value in values]
        columns.append(number_column(key, head, values, show, best=best))
    return table("Methods on these samples", columns, len(names))


def _subset_table(found: SplitQuality) -> Block:
    n_subsets = len(found.sizes)
    columns = [
        text_column("subset", "subset", list(map(str, range(n_subsets)))),
        number_column("samples", "samples", found.sizes, "whole", bar=True),
    ]
    if len(found.label_names):
        positives = np.asarray(found.positives)
        columns += [
            number_column("positives", "positives", positives.sum(axis=0), "whole"),
            number_column(
                "lacking", "labels without positives", (positives == 0).sum(axis=0), "whole"
            ),
        ]
    return table("Samples and positives of each subset", columns, n_subsets)


def _label_table(found: Mapping[str, SplitQuality], chosen: str) -> Block:
    one = found[chosen]
    worst_first = np.argsort(-np.nan_to_num(one.label_ld, nan=-1.0, posinf=np.inf), kind="stable")
    order = worst_first[:MOST_ROWS]
    positives = np.asarray(one.positives)[order]
    columns = [
        text_column("label", "label", [one.label_names[j] for j in order]),
        number_column("positives", "positives", positives.sum(axis=1), "whole"),
        number_column("least", "fewest in a subset", positives.min(axis=1), "whole"),
        number_column("most", "most in a subset", positives.max(axis=1), "whole"),
        number_column("ld", f"LD, {chosen}", np.asarray(one.label_ld)[order]),
    ]
    for name, other in found.items():
        if name != chosen:
            columns.append(number_column(f"ld-{name}", f"LD, {name}", other.label_ld[order]))
    more = len(one.label_names) - order.size
    note = f"{more:,} better labels are not listed." if more else ""
    return table("Labels", columns, order.size, sort="-ld", note=note)
