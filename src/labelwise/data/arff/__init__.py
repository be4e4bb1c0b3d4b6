"""Read ARFF files: header, attribute types, rows, and the arrays built from them.

`_arff` is the only module that the rest of the stage uses, except `xml_beside` of `_layout`.
"""
