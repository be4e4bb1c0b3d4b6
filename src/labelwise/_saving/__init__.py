"""Write fitted models to files that hold data and no code, and read them back."""

from labelwise._saving._files import load, save

__all__ = ["load", "save"]
