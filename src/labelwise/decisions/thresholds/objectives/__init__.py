"""Objectives: which cuts are best for a micro or macro average, a cost, or under constraints.

Each objective takes the cuts of all labels and returns one choice; see `_choice`.
"""
