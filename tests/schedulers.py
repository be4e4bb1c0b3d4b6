"""A dask scheduler with one worker in a process of its own, which a test may kill."""

import os
import subprocess
import sys
from contextlib import contextmanager

import dask

# Its settings must be there before some are replaced: otherwise all of them are removed afterwards.
import distributed  # noqa: F401

PROGRAM = """
import asyncio
from distributed import Scheduler, Worker

async def serve():
    async with Scheduler(
        host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0"
    ) as scheduler:
        async with Worker(scheduler.address, nthreads=1, dashboard=False):
            print(scheduler.address, flush=True)
            await asyncio.sleep(600)

asyncio.run(serve())
"""
# A client gives up soon after its scheduler is gone.
SOON = {"distributed.comm.timeouts.connect": "2s", "distributed.comm.retry.count": 0}


@contextmanager
def scheduler_process(**variables):
    """Provide the address and the process id of a scheduler with further environment variables."""
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    environment = {**os.environ, **variables}
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, env=environment, **quiet) as server, dask.config.set(SOON):
        try:
            yield server.stdout.readline().strip(), server.pid
        finally:
            server.kill()
