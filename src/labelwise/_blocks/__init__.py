"""Matrices as blocks of rows: arrays, npy, parquet and zarr files, and dask arrays.

`open_blocks` opens scores, labels and decisions side by side, with rows matched by id and labels by
name, and returns `Blocks`: functions of all rows reduce over them, wherever the rows are.
`open_source` opens a single matrix, and `write_blocks` writes one. Measures, splitting, decisions
and the command line import from here; this package imports `_tables`, `_io` and `_validation`.
dask is imported only here, and where the command line starts a cluster.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._blocks._dask import (
        DaskRows as DaskRows,
        open_blocks as open_blocks,
        open_lazily as open_lazily,
    )
    from labelwise._blocks._interface import (
        Blocks as Blocks,
        RowSource as RowSource,
        block_rows as block_rows,
        is_dask as is_dask,
        is_stored as is_stored,
        refuse_in_blocks as refuse_in_blocks,
        rows_together as rows_together,
        warn_of_label_order as warn_of_label_order,
    )
    from labelwise._blocks._matching import MatchedBlocks as MatchedBlocks
    from labelwise._blocks._sources import open_source as open_source, rows_within as rows_within
    from labelwise._blocks._writing import (
        check_block_output as check_block_output,
        write_blocks as write_blocks,
    )

publish(__name__)
