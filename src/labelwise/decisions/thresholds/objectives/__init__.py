"""Objectives: choose the best cuts for a micro or macro average, a cost, or under constraints.

Each objective takes cuts (or the problem, if it needs more than the cuts of each label) and returns
a `Choice`; `_choice` defines both interfaces. Modules here import `curves` and measures, and are
used by `shrinkage`, `generalisation` and the modules of `thresholds`.
"""
