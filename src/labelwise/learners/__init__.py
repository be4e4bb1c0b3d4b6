"""Give scores: models that learn the labels of samples from their features."""

from labelwise.learners._binary_relevance import BinaryRelevance
from labelwise.learners._calibrated_ranking import CalibratedLabelRanking

__all__ = ["BinaryRelevance", "CalibratedLabelRanking"]
