"""Objectives: choose the best cuts for a micro or macro average, a cost, or under constraints.

Each objective takes cuts (or the problem, if it needs more than the cuts of each label) and returns
a `Choice`; `_choice` defines both interfaces. Modules here import `_curves`, measures and the room
`problem`, and are used by the other rooms of decisions.
"""
