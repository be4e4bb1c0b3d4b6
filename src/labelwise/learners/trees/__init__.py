"""Packed trees, on which `CalibratedLabelRanking` and `LabelForest` stand."""
