"""Choose features: scores of terms, their combinations, and the weights of those that stay."""

from labelwise._publishing import publish
from labelwise.features._combine import combine
from labelwise.features._okapi import OkapiWeights
from labelwise.features._okapi import inverse_document_frequency as inverse_document_frequency
from labelwise.features._okapi import okapi_weights as okapi_weights
from labelwise.features._selector import TermSelector
from labelwise.features._selector import check_wishes as check_wishes
from labelwise.features._term_scores import term_scores

__all__ = ["OkapiWeights", "TermSelector", "combine", "term_scores"]

publish(__name__, __all__, globals())
