"""Shrinkage of thresholds from those of each label alone towards one common threshold.

Modules here import `_curves`, `objectives` and `problem`; `_solve` and `_fbr` use them.
"""
