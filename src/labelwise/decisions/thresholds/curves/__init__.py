"""Curves of labels: all possible cuts with their decisions and hits, and the concave hulls.

Modules here import measures, splitting and shared packages, and are used by `objectives`,
`shrinkage`, `generalisation` and the modules of `thresholds`. They know nothing about what is
maximised.
"""
