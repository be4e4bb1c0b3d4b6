"""Three bands of scores for each label: accept, let a person review, reject.

`_review_bands` is the public function, and finds the bands by `_band_search`, which searches each
of the `_queue_ends`. `_bands` is the result, `_review_queue` applies it to scores, and
`_review_measures` measures what comes of it. Other packages use the names that
`labelwise.decisions` lists.
"""
