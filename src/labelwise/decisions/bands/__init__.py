"""Three bands of scores for each label: accept, let a person review, reject.

`_review_bands` is the public function, `_request` checks what a caller asks for, and `_solve` finds
the bands of checked scores and labels. `_frontier` has the hulls of the labels and one frontier for
both ends of the queue, `_sides` searches each end by itself, `_cost` minimises the total cost.
`_result` and `_result_json` are the bands and their file, and `_queue` puts the cells to review in
order. Modules here import `thresholds`, and only `labelwise.decisions` imports them.
"""
