"""Options that commands share: --json, --quiet, --force and --debug of the running command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Settings(NamedTuple):
    """The shared options as the user typed them; a command need not have all of them."""

    json: bool = False
    quiet: bool = False
    force: bool = False
    debug: bool = False


_CURRENT: ContextVar[Settings] = ContextVar("settings")


def current_settings() -> Settings:
    """Return the shared options of the running command; all are off outside of a command."""
    return _CURRENT.get(Settings())


@contextmanager
def settings_in_use(settings: Settings) -> Iterator[None]:
    """Make these the options of the running command until the end of the context."""
    token = _CURRENT.set(settings)
    try:
        yield
    finally:
        _CURRENT.reset(token)
