"""The command line: a thin door over the stages. Parse, call, print."""

from labelwise.cli._app import app, main

__all__ = ["app", "main"]
