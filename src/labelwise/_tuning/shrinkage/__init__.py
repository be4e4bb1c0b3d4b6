"""Shrinkage of thresholds from those of each label alone towards one common threshold.

Modules here import `curves`, `objectives` and `generalisation._held_out_means`; `_solve` uses them.
"""
