"""Give scores: models that learn the labels of samples from their features."""

from labelwise.learners._binary_relevance import BinaryRelevance

__all__ = ["BinaryRelevance"]
