"""The most memory that this process has held since it was asked to forget."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")
_PEAK_OF_RESIDENT_SET = "5"


def forget_peak() -> None:
    """Let the peak begin anew, where the system can: on Linux."""
    with suppress(OSError):
        _FORGET.write_text(_PEAK_OF_RESIDENT_SET)


def peak_bytes() -> int | None:
    """Return the peak of the resident set, since `forget_peak` on Linux, else since the start."""
    with suppress(OSError, ValueError, IndexError):
        status = _STATUS.read_text()
        return int(status.split("VmHWM:")[1].split(maxsplit=1)[0]) * 1024
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
