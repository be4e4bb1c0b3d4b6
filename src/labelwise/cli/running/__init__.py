"""How a command runs: its options, the standard input, a cluster, and exit codes.

Nothing here imports a command or a stage before a command runs.
"""

from labelwise.cli.running._cluster import cluster_client
from labelwise.cli.running._command import (
    command,
    current_settings,
    declared_defaults,
    example_text,
    load_command,
    with_options,
)
from labelwise.cli.running._errors import FAILURES, exit_code, message

__all__ = [
    "FAILURES",
    "cluster_client",
    "command",
    "current_settings",
    "declared_defaults",
    "example_text",
    "exit_code",
    "load_command",
    "message",
    "with_options",
]
