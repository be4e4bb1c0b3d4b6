"""Parts of `LabelForest`: forests of many labels in few arrays, applied to blocks of samples.

Only `LabelForest` imports from here. The modules import the packed trees of ranking.
"""
