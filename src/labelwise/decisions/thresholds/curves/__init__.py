"""Curves of labels: the possible cuts, what each decides and hits, and their concave hulls.

Uses measures and the shared packages; the objectives choose among these cuts.
"""
