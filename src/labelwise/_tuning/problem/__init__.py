"""The tuning problem: checked scores and labels, their groups and copies, and decisions on them.

Modules here import `_curves` and the packages below it, and are used by the other rooms. They know
nothing about what is maximised.
"""
