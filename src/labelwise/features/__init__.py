"""Make, select and weight features: terms of texts, scores of terms, and Okapi weights.

Features use only shared packages; learners, experiments and the command line import these names.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.features._okapi_weights import OkapiWeights
    from labelwise.features._selector import TermSelector, combine
    from labelwise.features._table_features import TableFeatures, text_representations
    from labelwise.features._term_scores import term_scores
    from labelwise.features._text_terms import TextTerms

__all__ = [
    "OkapiWeights",
    "TableFeatures",
    "TermSelector",
    "TextTerms",
    "combine",
    "term_scores",
    "text_representations",
]

publish(__name__)
