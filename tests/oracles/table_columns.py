"""What the columns of a table become, one cell at a time."""

import math

_YES = {"yes", "true", "t", "y"}


def expected_features(columns):
    """Return features (name -> cells) and identifiers (name -> text) of columns of cells."""
    features, ids = {}, {}
    for name, cells in columns.items():
        known = [cell for cell in cells if cell not in (None, "", "?")]
        values = sorted(set(known)) if known and isinstance(known[0], str) else None
        if values is None:
            features[name] = [math.nan if cell in (None, "", "?") else cell for cell in cells]
        elif len(values) == len(known):
            ids[name] = ["" if cell is None else cell for cell in cells]
        elif len(values) == 2:
            said = [value for value in values if value.lower() in _YES]
            one = said[0] if len(said) == 1 else values[1]
            features[name] = [_is(cell, one, known) for cell in cells]
        else:
            for value in values:
                features[f"{name}={value}"] = [_is(cell, value, known) for cell in cells]
    return features, ids


def _is(cell, value, known):
    return float(cell == value) if cell in known else math.nan
