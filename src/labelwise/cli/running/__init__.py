"""How a command runs: its options, the standard input, and exit codes.

Nothing here imports a command or a stage before a command runs.
"""

from labelwise.cli.running._command import (
    command as command,
    current_settings as current_settings,
    declared_defaults as declared_defaults,
    example_text as example_text,
    load_command as load_command,
    with_options as with_options,
)
from labelwise.cli.running._errors import (
    FAILURES as FAILURES,
    exit_code as exit_code,
    message as message,
)
