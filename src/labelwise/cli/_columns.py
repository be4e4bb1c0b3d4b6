"""Columns of a data set: what each became, and those that are not features.

A command says in one line what the columns became. Columns of groups and of weights are taken out
of the features, and one that looks like groups is remarked on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from labelwise._text import counted, listed, quoted
from labelwise.cli._inputs import group_column, weights_of_texts
from labelwise.cli._outputs import note

if TYPE_CHECKING:
    import numpy as np

    from labelwise.data import Dataset

# Columns of categories that the line about columns names.
_MOST_NAMED = 3
# A column of groups repeats: blocks of rows on average, and groups at least.
_LEAST_BLOCK, _LEAST_GROUPS = 2, 10
# Labels differ between the values of a number if chance gives such differences more rarely.
_LEAST_P = 0.001


class ColumnsUsed(NamedTuple):
    """What each column of the data became."""

    numbers: int
    texts: list[str]
    ids: list[str]
    categories: dict[str, int]  # number of values of each column of categories
    groups: str | None = None
    weights: str | None = None

    @classmethod
    def of(
        cls,
        rows: Dataset,
        fitted: Any = None,
        groups: str | None = None,
        weights: str | None = None,
    ) -> ColumnsUsed:
        """Return the columns of a data set, by the encoding of a table, else by their names.

        `fitted` is the model that encodes the table, if there is one already.
        """
        ids = [name for name in rows.ids if name not in (groups, weights)]
        if rows.frame is not None:
            kinds, categories = _of_table(rows, fitted)
            ids += [name for name, kind in kinds.items() if kind == "id" and name not in ids]
            n_numbers = sum(kind == "number" for kind in kinds.values())
            return cls(n_numbers, list(rows.texts), ids, categories, groups, weights)
        # An attribute of several values has features named attribute=value.
        before = Counter(name.split("=")[0] for name in rows.feature_names if "=" in name)
        categories = {name: n_values for name, n_values in before.items() if n_values > 1}
        n_numbers = len(rows.feature_names) - sum(categories.values())
        return cls(n_numbers, [], ids, categories, groups, weights)

    def in_words(self) -> str:
        """Return one line, such as "columns: 12 numbers, 1 text, 3 categories of 'colour'"."""
        parts = [
            counted(n, noun)
            for n, noun in (
                (self.numbers, "number"),
                (len(self.texts), "text"),
                (len(self.ids), "id"),
            )
            if n
        ]
        most = sorted(self.categories, key=lambda name: -self.categories[name])
        parts += [
            f"{self.categories[name]:,} categories of {quoted(name)}" for name in most[:_MOST_NAMED]
        ]
        rest = most[_MOST_NAMED:]
        if rest:
            n_values = sum(self.categories[name] for name in rest)
            parts.append(f"{n_values:,} categories of {counted(len(rest), 'other column')}")
        if self.groups is not None:
            parts.append(f"groups by {quoted(self.groups)}")
        if self.weights is not None:
            parts.append(f"weights by {quoted(self.weights)}")
        return f"columns: {', '.join(parts)}"


def _of_table(rows: Dataset, fitted: Any) -> tuple[dict[str, str], dict[str, int]]:
    """Return the kind of each column of a table, and the number of values of its categories."""
    from labelwise._estimators import raw_step
    from labelwise._tables import kinds_of

    if fitted is not None:
        encoder = raw_step(fitted)
        kinds = getattr(encoder, "kinds_", {})  # none if only texts are encoded
        found = getattr(encoder, "categories_", {})
        return dict(kinds), {name: len(values) for name, values in found.items()}
    table = rows.frame
    found = {name: str(kind) for name, kind in kinds_of(table, rows.texts).items()}
    names = [name for name, kind in found.items() if kind == "category"]
    return found, {name: len(table.column(name).unique()) for name in names}


def without_columns(
    rows: Dataset, groups: str | None, weights: str | None
) -> tuple[Dataset, dict[str, np.ndarray]]:
    """Return the data without columns of options as features, and their values of each row."""
    import numpy as np

    values: dict[str, np.ndarray] = {}
    dropped: list[int] = []
    if groups is not None:
        values["groups"], places = group_column(rows, groups)
        dropped += places
    if weights is not None:
        found, places = group_column(rows, weights, "weights")
        values["sample_weight"] = weights_of_texts(found)
        dropped += places
    if not dropped:
        return rows, values
    kept = np.setdiff1d(np.arange(len(rows.feature_names)), dropped)
    names = tuple(rows.feature_names[j] for j in kept)
    return replace(rows, X=rows.X[:, kept], feature_names=names), values


def note_of_blocks(rows: Dataset) -> None:
    """Remark on columns whose values come in blocks of rows, as those of patients do.

    Rows of a block are alike, so that rows of other folds show a model its test samples. Numbers
    are remarked on only if rows of a block have similar labels: rows may be sorted by a number.
    """
    import numpy as np

    found, blocks = list[str](), list[np.ndarray]()
    for name, codes in _columns_of_codes(rows):
        if (of_rows := _blocks_of(codes)) is not None:
            found.append(f"{quoted(name)} ({of_rows[-1] + 1:,} values)")
            blocks.append(of_rows)
    for name, numbers in _number_columns(rows):
        of_rows = _blocks_of(numbers)
        if of_rows is None or not (numbers % 1 == 0).all() or not _labels_differ(rows.Y, of_rows):
            continue
        # A number of a patient, such as the age, has the blocks of the patients.
        if not any(np.array_equal(of_rows, others) for others in blocks):
            found.append(f"{quoted(name)} ({of_rows[-1] + 1:,} values)")
            blocks.append(of_rows)
    if found:
        verb = "repeats" if len(found) == 1 else "repeat"
        note(
            f"{listed(found, show=str)} {verb} in blocks of rows: if rows of a value belong "
            "together, as those of a patient, name the column by --groups in labelwise split and "
            "fit, so that they are in the same fold and the column is not a feature."
        )


def _blocks_of(codes: np.ndarray) -> np.ndarray | None:
    """Return the block of each row, from 0, if each of many values has one block of rows."""
    import numpy as np

    changes = codes[1:] != codes[:-1]
    n_blocks = 1 + np.count_nonzero(changes)
    if not _LEAST_GROUPS <= n_blocks <= codes.size / _LEAST_BLOCK:
        return None
    return np.append(0, np.cumsum(changes)) if np.unique(codes).size == n_blocks else None


def _labels_differ(Y: Any, blocks: np.ndarray) -> bool:
    """Return whether labels of rows of a block are more alike than by chance.

    This is the F-test of an analysis of variance, with the sums of squares of all labels. Labels
    depend on each other, so that the degrees of freedom are those of one label.
    """
    import numpy as np
    from scipy import sparse
    from scipy.special import fdtrc

    if Y is None:
        return False
    positive = sparse.csr_array(Y == 1, dtype=np.float64)
    n_rows, n_blocks = blocks.size, int(blocks[-1]) + 1
    members = sparse.csr_array((np.ones(n_rows), (blocks, np.arange(n_rows))))
    of_mean = (positive.sum(axis=0) ** 2).sum() / n_rows
    of_blocks = ((members @ positive).power(2).sum(axis=1) / np.bincount(blocks)).sum()
    between, within = of_blocks - of_mean, positive.sum() - of_blocks
    if within <= 0:
        return bool(between > 0)
    degrees = n_blocks - 1, n_rows - n_blocks
    return bool(fdtrc(*degrees, between / degrees[0] / (within / degrees[1])) < _LEAST_P)


def _number_columns(rows: Dataset) -> Iterator[tuple[str, np.ndarray]]:
    """Yield columns of numbers without gaps."""
    import numpy as np
    from scipy import sparse

    if rows.frame is not None:
        from labelwise._tables import kinds_of, numbers

        kinds = kinds_of(rows.frame, rows.texts)
        for name in (name for name, kind in kinds.items() if str(kind) == "number"):
            values = np.asarray(numbers(rows.frame.column(name)))
            if np.isfinite(values).all():
                yield name, values
    elif rows.bags is None and not sparse.issparse(rows.X):
        for name, values in zip(rows.feature_names, np.asarray(rows.X).T, strict=True):
            if "=" not in name and np.isfinite(values).all():
                yield name, values


def _columns_of_codes(rows: Dataset) -> Iterator[tuple[str, np.ndarray]]:
    """Yield columns of identifiers and of categories, with a number for each value of a row."""
    import numpy as np
    from scipy import sparse

    for name, values in rows.ids.items():
        yield name, np.unique(np.asarray(values), return_inverse=True)[1]
    if rows.bags is not None:
        return
    places: dict[str, list[int]] = {}
    for j, name in enumerate(rows.feature_names):
        if "=" in name:
            places.setdefault(name.split("=")[0], []).append(j)
    for name, columns in places.items():
        part = rows.X[:, columns]
        dense = part.toarray() if sparse.issparse(part) else np.asarray(part)
        if len(columns) > 1:
            yield name, dense.argmax(axis=1)
