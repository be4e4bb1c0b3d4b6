"""Read ARFF files: header, attribute types, rows, and the arrays built from them."""
