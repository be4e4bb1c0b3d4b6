"""Thresholds for a measure: the request, the curves, the objectives, and the result.

`_best_thresholds` checks the arguments, `_solve` finds the thresholds for a checked request, and
`_result` holds them. `curves` lists where a label can be cut, `objectives` chooses among these,
`shrinkage` blends the curves of labels, and `generalisation` estimates the value on new samples.
"""
