"""Read the arguments of a study from a TOML file of unknown origin, without running its code.

`Study.read` and `labelwise compare` use this package; it creates estimators and splitters of
scikit-learn and labelwise, and loads data sets.
"""
