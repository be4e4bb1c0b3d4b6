"""Read the Reuters-21578 collection, and turn texts into counts of stemmed terms."""
