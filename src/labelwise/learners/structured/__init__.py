"""Structured hinge loss of `ReverseMultilabel` and `SubmodularMultilabel`: model, solver, kernels.

Only these two learners import from here; the modules import measures, splitting and the check of
penalties from the regression folder.
"""
