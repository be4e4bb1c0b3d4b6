"""Parse ARFF text: the header, the rows, and the arrays that are built from them.

`labelwise.data._arff` reads whole files by these modules, which know nothing of data sets.
"""
