"""Ranks of positives: how many scores of a ranking lie above each of them.

All ranking measures use them; `_score_gaps` also serves the cuts of thresholds.
"""
