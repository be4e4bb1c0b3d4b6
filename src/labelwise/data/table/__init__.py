"""Read csv and parquet tables: columns, label columns and the files behind them."""
