"""Generate data: labels with a known posterior, bags of digits, text corpora.

Each generator has a file of its own; `_bundled` lists the sets that `load` generates by name. The
generators import only `Dataset` from this stage.
"""
