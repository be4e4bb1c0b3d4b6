"""Three bands of scores for each label: accept, let a person review, reject.

`_review_bands` is the public function, `_band_request` checks what a caller asks for, and
`_solve_bands` finds the bands of checked scores and labels: `_queue_search` for a precision, a
recall or the size of the queue, `_equal_rate` for the highest rate of both, `_review_cost` for the
least cost. `_whole_hulls` has the hulls of the labels and the frontier on which both ends of the
queue lie, `_sides` searches one end by itself for one of the `_side_values`, and `_band_choice` is
what is found. `_bands` and `_bands_json` are the result and its file, and `_review_queue` puts the
cells to review in order. Modules here import `thresholds`; only `labelwise.decisions` imports them.
"""
