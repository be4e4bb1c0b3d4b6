"""Compare methods over data sets: paired values, average ranks, tests, and summaries.

The modules take results, tidy rows, frames or arrays, and know nothing of studies and stores.
"""
