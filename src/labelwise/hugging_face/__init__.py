"""Thresholds for models of Hugging Face: measures for its trainer, thresholds in `config.json`.

Nothing here imports transformers: a prediction and a configuration are used by their attributes.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.hugging_face._configuration import decide, store_thresholds
    from labelwise.hugging_face._trainer import compute_metrics

__all__ = ["compute_metrics", "decide", "store_thresholds"]

publish(__name__)
