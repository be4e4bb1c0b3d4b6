"""Read the Reuters-21578 collection, and turn texts into counts of stemmed terms.

The rest of the stage uses `_reuters` (reader) and `_terms` (term counts and tf-idf).
"""
