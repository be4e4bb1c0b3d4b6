"""Three bands of scores for each label: accept, let a person review, reject.

`_review_bands` is the public function, and finds the bands by `_band_search`, which searches each
of the `_queue_ends`. `_bands` and `_bands_json` are the result and its file, `_review_queue`
applies it to scores, and `_review_measures` measures what comes of it. Other packages use the names
that `labelwise.decisions` lists.
"""
