"""Names for the cases of a test that are the same in every process."""

import re


def spoken(value):
    """A case as text, without the addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
