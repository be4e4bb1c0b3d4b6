"""Blocks of rows of npy, parquet and zarr files, of arrays, and of dask arrays.

`_sources` opens one matrix, `_matched_blocks` reads scores, labels and decisions side by side, and
`_dask_blocks` does the same where the chunks of dask arrays are. Modules here import `_validation`
and `_io`, and are used by the functions of the engine.
"""
