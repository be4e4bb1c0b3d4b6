"""Parts of `OkapiNeighbors`: inner products by term, label sums over nearest documents, term sets.

Only `OkapiNeighbors` imports from here; no module here imports another stage.
"""
