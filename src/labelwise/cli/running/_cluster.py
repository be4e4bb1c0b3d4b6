"""The option --cluster: a client of a dask scheduler, or of workers on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from labelwise._extras import require

_CONNECTING_SECONDS = 10
_LOCAL = "local"


@contextmanager
def cluster_client(address: str | None) -> Iterator[Any]:
    """Provide a client of the dask scheduler at an address, or None without an address.

    With the address "local", a scheduler and workers are started, and stopped at the end.
    """
    if address is None:
        yield None
        return
    require("distributed", "--cluster")
    import distributed

    connect: Any = distributed.Client  # which has no types
    if address == _LOCAL:
        start: Any = distributed.LocalCluster
        try:
            cluster = start(dashboard_address="127.0.0.1:0", host="127.0.0.1")
        except RuntimeError as error:
            raise ChildProcessError(
                "A worker of --cluster local died while it started; run the command again."
            ) from error
        with cluster as workers, connect(workers) as client:
            yield client
        return
    try:
        client = connect(address, timeout=_CONNECTING_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(
            "--cluster must be the address of a running dask scheduler, such as "
            f"tcp://host:8786, got {address!r}."
        ) from error
    with client:
        yield client
