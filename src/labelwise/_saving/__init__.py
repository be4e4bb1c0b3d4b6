"""Save fitted models to files without code, and load them.

Only `save` and `load` are used by others; they are public as `labelwise.save` and `labelwise.load`.
"""

from labelwise._saving._files import load, save

__all__ = ["load", "save"]
