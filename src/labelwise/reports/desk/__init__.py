"""The decision desk: scores and labels as a page on which a point of the frontier is chosen.

`Desk` checks what the caller gives; the other modules collect what the page shows, by the public
functions of `decisions` and `measures`.
"""
