"""Cross-validation splits: searches are cut short here, too, where kernels run as plain Python."""

from tests.splitting.conftest import few_trials_without_compiled_kernels  # noqa: F401
