"""Figures for notebooks and papers, one class each: numbers are stored, and `plot` draws them."""
