"""Measures of scores: rankings of labels or samples, their top k, and cuts at a fixed rank.

Modules here import `_undefined`, `_counts` and `_count_measures` of the stage, and nothing above.
"""
