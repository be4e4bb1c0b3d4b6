"""Choose features: scores of terms, their combinations, and the weights of those that stay."""

from labelwise.features._combine import combine
from labelwise.features._okapi import OkapiWeights
from labelwise.features._selector import TermSelector
from labelwise.features._term_scores import term_scores

__all__ = ["OkapiWeights", "TermSelector", "combine", "term_scores"]
