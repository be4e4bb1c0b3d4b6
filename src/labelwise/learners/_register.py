"""The register of learners: one name, one model, for `BestLearner` and for the command line.

`labelwise learners` lists it, `labelwise fit --learner` and the candidates of `BestLearner` build
learners from it. A learner is registered by a line in `LEARNERS`. Its class is imported when it is
built, because scikit-learn's forests take long to import.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from labelwise.learners.selection import _costs as costs
from labelwise.learners.selection._candidates import Build, RegisteredLearner


def scaled(model: Any, is_sparse: bool) -> Any:
    """Return a model of scaled features; sparse features, usually of texts, stay as they are."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if is_sparse:
        return model
    # The transformer must not turn rows into a frame.
    scaler = StandardScaler(with_mean=False).set_output(transform="default")
    return make_pipeline(scaler, model)


def _own(
    class_name: str, *, is_seeded: bool = False, is_scaled: bool = False, **params: Any
) -> Build:
    """Return a builder of a learner of this package with some parameters."""

    def build(is_sparse: bool, seed: int | None) -> Any:
        from labelwise import learners

        seeds = {"random_state": seed} if is_seeded else {}
        model = getattr(learners, class_name)(**params, **seeds)
        return scaled(model, is_sparse) if is_scaled else model

    return build


def _linear(**params: Any) -> Build:
    """Return a builder of linear models; sparse features, usually of texts, are not scaled."""

    def build(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
        from labelwise.learners import BinaryRelevance

        # Inside the learner, not in a pipeline, because it then scores folds while it is fitted.
        return BinaryRelevance(standardize=not is_sparse, compact=is_sparse, **params)

    return build


def _quick_linear(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from labelwise.learners import BinaryRelevance

    if is_sparse:
        # On texts, machines are quicker than logistic regressions, and their order is better.
        return BinaryRelevance(loss="squared_hinge", **_ON_TEXTS)
    return BinaryRelevance(rescale=True, standardize=True)


def _bag_sums(is_sparse: bool, seed: int | None) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline

    from labelwise.learners import BagPlugin, BinaryRelevance

    model: Any = BinaryRelevance(standardize=True)
    if is_sparse:
        # Counts of terms, the sums of which are those of whole texts.
        model = make_pipeline(TfidfTransformer(sublinear_tf=True), BinaryRelevance(penalty=1e-4))
    return BagPlugin(model, training="sums", random_state=seed)


# Arguments of linear machines on terms of texts.
_ON_TEXTS: dict[str, Any] = {"rescale": True, "share_penalty": True, "compact": True}


def _naive_bayes(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from labelwise.learners import BinaryRelevance

    return BinaryRelevance(loss="naive_bayes_hinge", **_ON_TEXTS)


def _kernel_svm(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.svm import SVC

    from labelwise.learners import BinaryRelevance

    return scaled(BinaryRelevance(SVC(C=10.0)), is_sparse)


_N_NEIGHBORS = 10
# Four of five folds have as many rows as there are neighbours.
_ROWS_OF_NEIGHBORS = 13


def _neighbors(*, per_label: bool) -> Build:
    """Return a builder of nearest neighbours, for all labels together or for each."""

    def build(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
        from sklearn.neighbors import KNeighborsClassifier

        from labelwise.learners import BinaryRelevance

        nearest = KNeighborsClassifier(_N_NEIGHBORS, weights="distance", algorithm="brute")
        return scaled(BinaryRelevance(nearest) if per_label else nearest, is_sparse)

    return build


def _forest(class_name: str, n_trees: int, **params: Any) -> Build:
    """Return a builder of a `LabelForest` of a class of forests in scikit-learn."""

    def build(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
        from sklearn import ensemble

        from labelwise.learners import LabelForest

        return LabelForest(getattr(ensemble, class_name)(n_trees, random_state=seed), **params)

    return build


def _boosting(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
    from sklearn.ensemble import HistGradientBoostingClassifier

    from labelwise.learners import BinaryRelevance

    boosting = HistGradientBoostingClassifier(
        learning_rate=0.05,
        max_iter=150,
        max_leaf_nodes=15,
        min_samples_leaf=5,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )
    return BinaryRelevance(boosting)


# Arguments with which a package prints nothing.
_QUIET: dict[str, dict[str, Any]] = {"lightgbm": {"verbose": -1}, "catboost": {"verbose": False}}


def _installed(module: str, class_name: str) -> Build:
    """Return a builder of a model for each label by a package that may not be installed."""

    def build(is_sparse: bool, seed: int | None) -> Any:  # noqa: ARG001
        from labelwise.learners import BinaryRelevance

        if find_spec(module) is None:
            raise ValueError(f"candidates names {module!r}, which is not installed.")
        kind = getattr(import_module(module), class_name)
        return BinaryRelevance(kind(random_state=seed, **_QUIET.get(module, {})))

    return build


_HALF = "each label at a probability of 0.5"
_HIGHEST_F = "the label set of highest expected F of each sample"
_BOOSTED = "binary relevance: boosted trees a label, by {}"
LEARNERS = (
    RegisteredLearner(
        "auto",
        "BestLearner",
        "the best of several learners, or the mean of the best few, on held-out samples",
        "as the best learner does",
        _own("BestLearner", is_seeded=True, blend=True),
    ),
    RegisteredLearner(
        "br",
        "BinaryRelevance",
        "binary relevance: a logistic regression a label; on texts a linear machine",
        _HALF,
        _quick_linear,
        seconds=costs.quick_linear,
        is_linear=True,
        is_for_texts=True,
    ),
    RegisteredLearner(
        "br-svm",
        "BinaryRelevance",
        "binary relevance: a linear support vector machine a label",
        "each label at a score of 0",
        _linear(loss="squared_hinge"),
        seconds=costs.linear_svm,
        is_linear=True,
    ),
    RegisteredLearner(
        "br-nb",
        "BinaryRelevance",
        "binary relevance: a linear machine a label, on terms weighted by naive Bayes",
        _HALF,
        _naive_bayes,
        seconds=costs.naive_bayes,
        refusal=costs.unless_terms,
        is_linear=True,
        is_for_texts=True,
    ),
    RegisteredLearner(
        "br-kernel-svm",
        "BinaryRelevance",
        "binary relevance: a support vector machine with a Gaussian kernel a label",
        "each label at a score of 0",
        _kernel_svm,
        seconds=costs.kernel_svm,
        refusal=costs.unless_few_rows,
    ),
    RegisteredLearner(
        "br-forest",
        "LabelForest",
        "binary relevance: a random forest of 100 trees a label",
        _HALF,
        _forest("RandomForestClassifier", 100, joint=False),
        seconds=costs.forest_per_label,
        refusal=costs.unless_rows_of_forests,
    ),
    RegisteredLearner(
        "br-knn",
        "BinaryRelevance",
        "binary relevance: the 10 nearest neighbours that have the label or lack it",
        _HALF,
        _neighbors(per_label=True),
        least_rows=_ROWS_OF_NEIGHBORS,
    ),
    RegisteredLearner(
        "knn",
        "sklearn.neighbors.KNeighborsClassifier",
        "the 10 nearest neighbours, weighted by their distance, for all labels",
        _HALF,
        _neighbors(per_label=False),
        seconds=costs.neighbors,
        least_rows=_ROWS_OF_NEIGHBORS,
    ),
    RegisteredLearner(
        "forest",
        "LabelForest",
        "one random forest of 200 trees for all labels",
        _HALF,
        _forest("RandomForestClassifier", 200),
        seconds=costs.forest,
        refusal=costs.unless_many_rows,
    ),
    RegisteredLearner(
        "extra-trees",
        "LabelForest",
        "200 extremely randomised trees for all labels",
        _HALF,
        _forest("ExtraTreesClassifier", 200),
        seconds=costs.extra_trees,
        refusal=costs.unless_many_rows,
    ),
    RegisteredLearner(
        "lfp",
        "IndependentFPlugin",
        "highest expected F of each sample, labels taken as independent",
        _HIGHEST_F,
        _own("IndependentFPlugin", is_scaled=True),
        "sample-f",
    ),
    RegisteredLearner(
        "efp",
        "ExactFPlugin",
        "highest expected F of each sample, by regressions of label and label count",
        _HIGHEST_F,
        _own("ExactFPlugin", is_scaled=True),
        "sample-f",
        seconds=costs.exact_f,
        refusal=costs.unless_many_rows,
    ),
    RegisteredLearner(
        "sfp",
        "SampledFPlugin",
        "highest expected F of each sample, from label sets drawn by chains",
        _HIGHEST_F,
        _own("SampledFPlugin", is_seeded=True, is_scaled=True),
        "sample-f",
        seconds=costs.chains,
        refusal=costs.unless_many_rows,
    ),
    RegisteredLearner(
        "chains",
        "ChainEnsemble",
        "chains of logistic regressions, each label given the features and earlier labels",
        _HALF,
        _own("ChainEnsemble", is_seeded=True, is_scaled=True),
    ),
    RegisteredLearner(
        "clr",
        "CalibratedLabelRanking",
        "calibrated label ranking: votes of a forest for each pair of labels",
        "the labels with more votes than the virtual one",
        _own("CalibratedLabelRanking", is_seeded=True),
        seconds=costs.label_ranking,
        refusal=costs.unless_few_pairs,
    ),
    RegisteredLearner(
        "okapi",
        "OkapiNeighbors",
        "the 30 nearest documents by Okapi weights, for counts of terms",
        "the labels with half of the neighbours' weight",
        _own("OkapiNeighbors", n_neighbors=30),
        takes_counts=True,
        seconds=costs.neighbors,
        refusal=costs.unless_counts,
    ),
    RegisteredLearner(
        "bags",
        "BagPlugin",
        "bags of rows: logistic regressions of rows, a bag decided by its highest score",
        "thresholds tuned for macro-f on held-out bags",
        _own("BagPlugin", is_seeded=True),
        "macro-f",
    ),
    RegisteredLearner(
        "bag-sums",
        "BagPlugin",
        "bags of rows: a model of the sums of bags, such as whole texts, that scores rows",
        "thresholds tuned for micro-f on held-out bags",
        _bag_sums,
        takes_counts=True,
    ),
    RegisteredLearner(
        "rml",
        "ReverseMultilabel",
        "structured support vector machine, trained on the F of each sample",
        "each label at a score of 0, learned for the F of samples",
        _own("ReverseMultilabel", is_seeded=True, is_scaled=True),
        "sample-f",
    ),
    RegisteredLearner(
        "sml",
        "SubmodularMultilabel",
        "the same with gains for pairs of labels, decided by minimum cuts",
        "the label set of highest score, learned for the F of samples",
        _own("SubmodularMultilabel", is_seeded=True, is_scaled=True),
        "sample-f",
    ),
    RegisteredLearner(
        "br-boosting",
        "BinaryRelevance",
        _BOOSTED.format("scikit-learn"),
        _HALF,
        _boosting,
    ),
    # `labelwise.save` does not write the trees of other packages, because compiled code would
    # follow their arrays unchecked: these are tried only if they are named in `BestLearner`.
    *(
        RegisteredLearner(
            name,
            "BinaryRelevance",
            f"{_BOOSTED.format(package)}; models cannot be saved",
            _HALF,
            build,
            is_saved=False,
        )
        for name, package, build in (
            ("lightgbm", "LightGBM", _installed("lightgbm", "LGBMClassifier")),
            ("xgboost", "XGBoost", _installed("xgboost", "XGBClassifier")),
            ("catboost", "CatBoost", _installed("catboost", "CatBoostClassifier")),
        )
    ),
)


def learner_named(name: str, must: str) -> RegisteredLearner:
    """Return the learner of a name; an error begins with `must`, such as "estimator must be"."""
    known = {one.name: one for one in LEARNERS}
    if name not in known:
        raise ValueError(f"{must} one of {', '.join(known)}, got {name!r}.")
    return known[name]


def probability_models(seed: int | None) -> list[Any]:
    """Return the default candidates that give probabilities without a choice of penalties.

    They suit models that are fitted many times, and take dense and sparse rows.
    """
    names = ("knn", "forest", "extra-trees")
    return [learner_named(name, "").build(False, seed) for name in names]
