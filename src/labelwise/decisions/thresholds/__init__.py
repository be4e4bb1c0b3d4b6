"""Thresholds that maximise a measure: the request, the curves, the objectives and the result.

`_best_thresholds` is the public function, `_request` checks what a caller asks for, and `_solve`
finds the thresholds of checked scores and labels; estimators and the command line call `_solve`
too. `_fbr` raises thresholds of labels with a low F, `_constant_labels` adds labels that are not
tuned, `_result` and `_result_json` are the thresholds and their file. `curves` lists where a label
can be cut, `objectives` chooses among these cuts, `shrinkage` blends the curves of labels, and
`generalisation` estimates the value on new samples. Other packages use the names that
`labelwise.decisions` lists.
"""
