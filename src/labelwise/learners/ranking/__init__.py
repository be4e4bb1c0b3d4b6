"""Parts of `CalibratedLabelRanking`: pairs of labels, and forests of all pairs in few arrays.

Only `CalibratedLabelRanking` imports from here; no module here imports another stage.
"""
