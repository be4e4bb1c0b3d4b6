"""The features of a table are those of its definition."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from labelwise._tables import (
    Kind,
    encode_table,
    has_text,
    kinds_of,
    plain_table,
    texts,
)

WORD = st.sampled_from(["red", "blue", "yes", "no", "", "?", None])
ROW = st.tuples(st.none() | st.floats(-3, 3), WORD, WORD, st.booleans())


def slow_features(rows, kinds):
    """Encode a table cell by cell."""
    columns = []
    for name, values in rows.items():
        if kinds[name] is Kind.NUMBER:
            columns.append([np.nan if v is None else float(v) for v in values])
        elif kinds[name] is Kind.CATEGORY:
            known = sorted({v for v in values if v not in (None, "", "?")})
            if len(known) in (0, 2):
                yes = [v for v in known if v in ("yes", "true", "t", "y")]
                known = yes if len(yes) == 1 else known[1:] or [None]
            columns += [
                [np.nan if v in (None, "", "?") else float(v == one) for v in values]
                for one in known
            ]
    return np.array(columns).T


@given(st.lists(ROW, min_size=1, max_size=12))
def test_every_cell_is_encoded_as_defined(cells):
    rows = dict(zip("abcd", map(list, zip(*cells, strict=True)), strict=True))
    schema = pa.schema(
        zip("abcd", [pa.float64(), pa.string(), pa.string(), pa.bool_()], strict=True)
    )
    table = pa.table(rows, schema=schema)
    found = encode_table(table)
    expected = slow_features(rows, kinds_of(table))
    np.testing.assert_array_equal(found.X, expected.reshape(found.X.shape))
    assert len(found.names) == found.X.shape[1]
    assert (found.frame is None) == (Kind.CATEGORY not in kinds_of(table).values())


def test_frames_become_numbers_booleans_and_text():
    import pandas as pd

    frame = pd.DataFrame({"n": [1, 2], "c": pd.Categorical(["x", "y"]), "d": ["2020", "2021"]})
    frame["d"] = pd.to_datetime(frame["d"])
    table = plain_table(frame)
    assert [str(kind) for kind in table.schema.types] == ["int64", "string", "string"]
    assert has_text(frame)
    assert not has_text(frame[["n"]])
    assert texts(pa.chunked_array([[1.0, 2.0, None]])).tolist() == ["1", "2", ""]
    with pytest.raises(TypeError, match="X must have numbers or text in column 'l', got lists"):
        plain_table(pa.table({"l": [[1]]}))


def test_two_features_of_one_name_are_refused():
    table = pa.table({"a": ["x", "y", "z", "x"], "a=x": [1.0, 2.0, 3.0, 1.0]})
    with pytest.raises(ValueError, match="gives 2 features the name 'a=x'"):
        encode_table(table)
