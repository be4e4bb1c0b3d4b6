"""How a command runs: the options that commands share, the standard input, and exit codes.

Nothing here imports a command or a stage before a command runs.
"""

from labelwise.cli.running._command import command, example_text
from labelwise.cli.running._failures import FAILURES, exit_code, message
from labelwise.cli.running._settings import current_settings

__all__ = ["FAILURES", "command", "current_settings", "example_text", "exit_code", "message"]
