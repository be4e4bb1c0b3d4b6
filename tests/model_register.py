"""A small model of every public estimator, and of each kind of scikit-learn's that is checked."""

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomTreesEmbedding
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from labelwise.data import make_multilabel
from labelwise.decisions import CalibratedLabels, TunedThresholds
from labelwise.features import OkapiWeights, TermSelector
from labelwise.learners import (
    BagPlugin,
    BagSummary,
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    IndependentFPlugin,
    OkapiNeighbors,
    ReverseMultilabel,
    SubmodularMultilabel,
)

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
LINEAR = LogisticRegression()
REGISTER = {
    "BagPlugin": BagPlugin(BinaryRelevance(penalty=0.1), cv=2, n_iter=1, random_state=0),
    "BagSummary": make_pipeline(BagSummary(), BinaryRelevance(penalty=0.1)),
    "BinaryRelevance": BinaryRelevance(penalty=0.1),
    "BinaryRelevance of trees": BinaryRelevance(TREE),
    "CalibratedLabelRanking": CalibratedLabelRanking(
        RandomForestClassifier(2, max_depth=2), random_state=0
    ),
    "CalibratedLabelRanking of models": CalibratedLabelRanking(LINEAR),
    "CalibratedLabels": CalibratedLabels(BinaryRelevance(LINEAR), cv=2),
    "CalibratedLabels by sigmoids": CalibratedLabels(OkapiNeighbors(3), method="sigmoid", cv=2),
    "ExactFPlugin": ExactFPlugin(penalty=0.1),
    "IndependentFPlugin": IndependentFPlugin(BinaryRelevance(penalty=0.1)),
    "OkapiNeighbors": OkapiNeighbors(3),
    "OkapiWeights": make_pipeline(OkapiWeights(), OkapiNeighbors(3, weighted=True)),
    "ReverseMultilabel": ReverseMultilabel(penalty=1.0, tol=0.1),
    "SubmodularMultilabel": SubmodularMultilabel(penalty=1.0, share_of_pairs=1.0, tol=0.1),
    "TermSelector": make_pipeline(TermSelector(3, cut=0), BinaryRelevance(MultinomialNB())),
    "TunedThresholds": TunedThresholds(BinaryRelevance(TREE), cv=2, random_state=0),
    "forest": RandomForestClassifier(2, max_depth=2, random_state=0),
    "neighbors": BinaryRelevance(KNeighborsClassifier(3, algorithm="brute")),
    "neighbors of several labels": KNeighborsClassifier(3, algorithm="brute", weights="distance"),
    "graph of neighbors": make_pipeline(
        KNeighborsTransformer(n_neighbors=3, algorithm="brute"), BinaryRelevance(LINEAR)
    ),
    "one-hot": make_pipeline(
        OneHotEncoder(handle_unknown="ignore", min_frequency=3), BinaryRelevance(LINEAR)
    ),
    "paths of trees": make_pipeline(
        RandomTreesEmbedding(2, max_depth=2, random_state=0), BinaryRelevance(LINEAR)
    ),
    "several": OneVsRestClassifier(SGDClassifier(loss="modified_huber", random_state=0)),
    "support vectors": BinaryRelevance(SVC()),
    "support vectors of a line": BinaryRelevance(SVC(kernel="linear")),
    "trees": BinaryRelevance(ExtraTreesClassifier(2, max_depth=2, random_state=0)),
}


def some_data(is_sparse=False):
    data, _ = make_multilabel(40, n_features=4, n_labels=3, random_state=0)
    counts = np.round(3 * np.abs(data.X))
    return sparse.csr_matrix(counts) if is_sparse else counts, data.Y.toarray().astype(int)
