"""Learners: estimators that learn to score and decide the labels of samples.

One file for each public learner; the folders contain the parts that learners share. Learners import
decisions and the stages below, and are used by experiments, reports and the command line.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.learners._bag_plugin import BagPlugin
    from labelwise.learners._bag_summary import BagSummary
    from labelwise.learners._best_learner import BestLearner
    from labelwise.learners._binary_relevance import BinaryRelevance
    from labelwise.learners._blend import Blend as Blend, blend
    from labelwise.learners._calibrated_ranking import CalibratedLabelRanking
    from labelwise.learners._chain_ensemble import ChainEnsemble
    from labelwise.learners._deciding_sentences import (
        DecidingSentences as DecidingSentences,
        deciding_sentences,
    )
    from labelwise.learners._exact_f import ExactFPlugin
    from labelwise.learners._explain import Explanation as Explanation, explain
    from labelwise.learners._held_out import HeldOut as HeldOut, score_held_out
    from labelwise.learners._independent_f import IndependentFPlugin
    from labelwise.learners._label_forest import LabelForest
    from labelwise.learners._okapi_neighbors import OkapiNeighbors
    from labelwise.learners._register import LEARNERS
    from labelwise.learners._reverse_multilabel import ReverseMultilabel
    from labelwise.learners._sampled_f import SampledFPlugin
    from labelwise.learners._sentence_bags import SentenceBags
    from labelwise.learners._submodular_multilabel import SubmodularMultilabel
    from labelwise.learners._term_curve import TermCurve as TermCurve, term_curve
    from labelwise.learners.selection._leaderboard import Leaderboard as Leaderboard
    from labelwise.learners.trees._packed_trees import Forests as Forests

__all__ = [
    "LEARNERS",
    "BagPlugin",
    "BagSummary",
    "BestLearner",
    "BinaryRelevance",
    "CalibratedLabelRanking",
    "ChainEnsemble",
    "ExactFPlugin",
    "IndependentFPlugin",
    "LabelForest",
    "OkapiNeighbors",
    "ReverseMultilabel",
    "SampledFPlugin",
    "SentenceBags",
    "SubmodularMultilabel",
    "blend",
    "deciding_sentences",
    "explain",
    "score_held_out",
    "term_curve",
]

publish(__name__)
