"""A corpus by its definition: token by token, term by term."""

from collections import Counter

import numpy as np


def count_terms(documents, terms, shape):
    """How often each term occurs in each document, given both for each token."""
    counts = np.zeros(shape)
    for (document, term), n in Counter(zip(documents, terms, strict=True)).items():
        counts[document, term] = n
    return counts


def term_probabilities(frequency, topic, drawn, focus):
    """P(term) in a document, given the topics drawn for it.

    A token is drawn by frequency; if its term is not common, it is with probability `focus` drawn
    again among the terms of one of the topics.
    """
    own = topic >= 0
    proba = np.where(own, (1 - focus) * frequency, frequency)
    drawn_again = focus * frequency[own].sum()
    for t in drawn:
        among = np.where(topic == t, frequency, 0)
        proba += drawn_again / len(drawn) * among / among.sum()
    return proba
