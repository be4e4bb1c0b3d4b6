"""Thresholds that maximise a measure: the public functions, the solver and the result.

`_best_thresholds` checks arguments and `_solve` finds the thresholds of checked curves; estimators
and the command line call `_solve` too. `_fbr` raises thresholds of labels with a low F, `shrinkage`
blends the curves of labels, `_cross_fitting` and `_intervals` estimate the value on new samples,
`_result` is the thresholds, and `_decide_blocks` decides files. The request and the objectives are
in `labelwise.decisions.objectives`.
"""
