"""Kernels of `OkapiNeighbors`: inner products by term, and label sums over nearest documents.

Only `OkapiNeighbors` imports from here; no module here imports another stage.
"""
