"""Read csv and parquet tables: files, feature columns, label columns.

`_table` contains the reader; the command line also reads matrices by `Tables`, `numbers` and
`texts`.
"""
