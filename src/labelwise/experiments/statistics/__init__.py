"""Compare methods over data sets: paired values, ranks, tests, and summaries."""
