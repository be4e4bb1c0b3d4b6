"""Measures of scores: rankings, their tops, and cuts after a fixed number of labels."""
