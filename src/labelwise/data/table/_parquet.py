"""Read parquet files; the memory that they need is computed before they are decoded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labelwise._io import Bound, DataError

# Arrow takes 10 kB for a column, however small: a few bytes in the file.
_MOST_COLUMNS = 2**16
# Bytes that Arrow needs for a value of a nested column or of text: an index and offsets.
_PLACE_BYTES = 12


def read_parquet(bound: Bound, content: bytearray) -> Any:
    """Return the table of a parquet file, with text columns dictionary-encoded.

    parquet stores a run of equal values once, so a few bytes may represent any number of rows. The
    footer contains the number of rows, and dictionary encoding avoids copies of the text.
    """
    import pyarrow as pa
    from pyarrow import parquet

    source = pa.BufferReader(pa.py_buffer(content))
    with parquet.ParquetFile(source) as file:
        metadata, schema = file.metadata, file.schema
        check_width(bound.path, metadata.num_columns)
        bound.check(_table_bytes(file), "its columns")
    leaves = [schema.column(number) for number in range(metadata.num_columns)]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    with parquet.ParquetFile(source, metadata=metadata, read_dictionary=texts) as file:
        table = file.read()
    # Text that is not UTF-8 would be found out only when it is used.
    table.validate(full=True)
    return table


def check_width(path: str | Path, n_columns: int) -> None:
    """Refuse a table with too many columns, since Arrow needs much memory for each."""
    if n_columns > _MOST_COLUMNS:
        problem = (
            f"has {n_columns} columns, more than {_MOST_COLUMNS}: write it as svmlight or ARFF."
        )
        raise DataError(path, problem)


def decoded_bytes(table: Any) -> int:
    """Return the bytes that the text of a table takes without dictionary encoding."""
    from pyarrow import compute as pc

    n_bytes = 0
    for column in table.columns:
        for chunk in column.chunks:
            values = _innermost(chunk)
            if _is_coded_text(values.type):
                lengths = pc.binary_length(values.dictionary)
                n_bytes += pc.sum(pc.take(lengths, values.indices)).as_py() or 0
    return n_bytes


def decoded(column: Any) -> Any:
    """Return a column without dictionary encoding; lists stay lists."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_list(kind) and pa.types.is_dictionary(kind.value_type):
        return column.cast(pa.list_(kind.value_type.value_type))
    if pa.types.is_large_list(kind) and pa.types.is_dictionary(kind.value_type):
        return column.cast(pa.large_list(kind.value_type.value_type))
    return column


def _innermost(array: Any) -> Any:
    """Return the values inside of lists."""
    import pyarrow as pa

    while pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        array = array.values
    return array


def _is_coded_text(kind: Any) -> bool:
    import pyarrow as pa

    if not pa.types.is_dictionary(kind):
        return False
    of = kind.value_type
    return bool(
        pa.types.is_string(of)
        or pa.types.is_large_string(of)
        or pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
    )


def _table_bytes(file: Any) -> float:
    """Return the bytes of the columns by the footer: values times their width, or their pages."""
    metadata, kinds = file.metadata, file.schema_arrow.types
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    n_rows = sum(group.num_rows for group in groups)
    n_bytes = n_rows * sum(_value_bytes(kind) for kind in kinds)
    n_bytes += _PLACE_BYTES * _n_nested_values(file, groups)
    n_page_bytes: int = sum(group.total_byte_size for group in groups)
    return max(float(n_bytes), n_page_bytes)


def _n_nested_values(file: Any, groups: Sequence[Any]) -> int:
    """Count the values inside lists, of which a row may have any number."""
    leaves = [file.schema.column(number) for number in range(file.metadata.num_columns)]
    nested = [number for number, leaf in enumerate(leaves) if leaf.max_repetition_level]
    if not nested:
        return 0
    # To ask a damaged footer about a column ends the process, unless the column was found to be
    # whole before. Scanning decodes it in little memory, and raises an error if it is not.
    file.scan_contents(columns=nested)
    return sum(group.column(number).num_values for group in groups for number in nested)


def _value_bytes(kind: Any) -> float:
    try:
        return kind.bit_width / 8  # type: ignore[no-any-return]
    except ValueError:  # text, lists and so on
        return _PLACE_BYTES
