"""Thresholds for a measure: the request, the curves, the objectives and the result.

`_best_thresholds` checks the arguments, `_solve` finds the thresholds for a checked request, and
`_result` is what the caller gets. `curves` lists the possible cuts of each label, `objectives`
chooses among them, `shrinkage` blends the curves of labels, and `generalisation` estimates the
value on new samples.
"""
