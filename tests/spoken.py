"""Names for the cases of a test that are the same in every process."""

import re


def spoken(value):
    """A case as text, without the addresses of functions."""
    return re.sub(r"<(function|bound method) ([^>]*?) at 0x[0-9a-f]+>", r"\2", str(value))
