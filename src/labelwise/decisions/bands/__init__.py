"""Three bands of scores for each label: accept, let a person review, reject.

`_review_bands` is the public function, `_band_request` checks what a caller asks for, and
`_solve_bands` finds the bands of checked scores and labels by `search`; the command line calls it
too. `_bands` and `_bands_json` are the result and its file, `_review_queue` puts the cells to
review in order, `_three_states` applies the thresholds, `_review_measures` measures the result, and
`_unseen_review` estimates these measures on new samples. `_certified_bands` finds bands whose rates
are guaranteed there, and `_band_guarantee` is what it states. Other packages use the names that
`labelwise.decisions` lists.
"""
