"""The tuning problem: checked scores and labels, their groups and copies, and decisions on them.

Modules here import `_curves`, measures and splitting, and are used by the other rooms of decisions.
They know nothing about what is maximised.
"""
