"""Parts of `CalibratedLabelRanking`: pairs of labels, and forests of all pairs in few arrays.

`CalibratedLabelRanking` and `LabelForest` import from here; no module here imports another stage.
"""
