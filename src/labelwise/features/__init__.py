"""Select and weight terms: scores of terms, combinations of scores, and Okapi weights.

Features use only `_validation`; learners, experiments and the command line import these names.
"""

from labelwise._publishing import publish
from labelwise.features._combine import combine
from labelwise.features._okapi import OkapiWeights
from labelwise.features._okapi import inverse_document_frequency as inverse_document_frequency
from labelwise.features._okapi import okapi_weights as okapi_weights
from labelwise.features._selector import TermSelector
from labelwise.features._selector import check_parameters as check_parameters
from labelwise.features._term_scores import term_scores

__all__ = ["OkapiWeights", "TermSelector", "combine", "term_scores"]

publish(__name__, __all__, globals())
