"""A small fitted model for each type of scikit-learn that a model file may contain."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomTreesEmbedding,
)
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

import labelwise
from tests.model_register import REGISTER, TEXT_REGISTER, some_data, some_texts

LINEAR = LogisticRegression()
TREES = {"max_depth": 2, "random_state": 0}
BOOSTED = {"max_iter": 2, "min_samples_leaf": 5, "random_state": 0}
# Estimators that take several labels; the next ones take one, the last ones texts.
OF_LABELS = (
    ClassifierChain(LINEAR, order="random", random_state=0),
    DummyClassifier(strategy="stratified", random_state=0),
    DummyRegressor(),
    ExtraTreeClassifier(**TREES),
    ExtraTreeRegressor(**TREES),
    FrozenEstimator(MultinomialNB().fit(*some_data()[:1], some_data()[1][:, 0])),
    KNeighborsClassifier(3, algorithm="brute"),
    MultiOutputClassifier(LinearSVC(random_state=0)),
    OneVsRestClassifier(SGDClassifier(loss="modified_huber", random_state=0)),
    RandomForestClassifier(2, **TREES),
    RidgeClassifier(),
    make_pipeline(
        ColumnTransformer(
            [("one", StandardScaler(), [0, 1]), ("two", MinMaxScaler(), slice(2, 4))]
        ),
        FeatureUnion([("one", PCA(2)), ("two", TruncatedSVD(2))]),
        RandomTreesEmbedding(2, **TREES),
        OneVsRestClassifier(LINEAR),
    ),
    make_pipeline(
        FunctionTransformer(np.log1p, inverse_func=np.expm1, accept_sparse=True),
        MaxAbsScaler(),
        Normalizer(),
        RobustScaler(with_centering=False),
        TfidfTransformer(),
        DecisionTreeClassifier(**TREES),
    ),
    make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5, sparse_output=False),
        KNeighborsTransformer(n_neighbors=3, algorithm="brute"),
        DecisionTreeRegressor(**TREES),
    ),
)
OF_ONE_LABEL = (
    BernoulliNB(),
    ComplementNB(),
    ExtraTreesClassifier(2, **TREES),
    GaussianNB(),
    GridSearchCV(LINEAR, {"C": [1.0]}),
    GradientBoostingClassifier(n_estimators=2, **TREES),
    GradientBoostingClassifier(n_estimators=2, loss="exponential", init="zero", **TREES),
    GradientBoostingRegressor(n_estimators=2, **TREES),
    HistGradientBoostingClassifier(**BOOSTED),
    HistGradientBoostingRegressor(**BOOSTED),
    LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0.0,), scoring="accuracy", use_legacy_attributes=False
    ),
    OneHotEncoder(drop="first", sparse_output=False),
    Perceptron(),
    RandomizedSearchCV(LINEAR, {"C": [1.0]}),
    SGDClassifier(loss="squared_hinge", random_state=0),
    SVC(),
)
OF_TEXTS = (CountVectorizer(), TfidfVectorizer(ngram_range=(1, 2)))


def trusted_models():
    """Return the kind of samples and the fitted model of each name."""
    X, Y = some_data()
    texts, _ = some_texts()
    classes = np.arange(len(X)) % 3
    models = [model.fit(X, Y) for model in OF_LABELS]
    models += [
        model if isinstance(model, GridSearchCV | RandomizedSearchCV) else model.fit(X, Y[:, 0])
        for model in OF_ONE_LABEL
    ]
    models += [
        HistGradientBoostingClassifier(**BOOSTED).fit(X, classes),
        GradientBoostingClassifier(n_estimators=2, learning_rate=0.5, **TREES).fit(X, classes),
    ]
    models += [SVC(kernel="poly").fit(X, classes)]
    models += [LabelBinarizer().fit(classes), LabelEncoder().fit(classes)]
    models += [IsotonicRegression(out_of_bounds="clip").fit(X[:, 0], Y[:, 0])]
    found = {("numbers", f"{model}"[:60]): model for model in models}
    found |= {("texts", f"{model}"): model.fit(texts[:, 0]) for model in OF_TEXTS}
    found |= {("numbers", name): model.fit(X, Y) for name, model in REGISTER.items()}
    found |= {("table", name): model.fit(texts, Y) for name, model in TEXT_REGISTER.items()}
    return found


def saved_models(path):
    """Give the kind of samples, the name and the file of each model."""
    for (kind, name), model in trusted_models().items():
        labelwise.save(model, path)
        yield kind, name, path.read_bytes()


def save_samples(folder):
    """Write the samples that `tests.hostile_models` predicts for."""
    texts = some_texts()[0][:20]
    np.save(folder / "samples_numbers.npy", some_data()[0][:20])
    np.save(folder / "samples_texts.npy", texts[:, 0])
    np.save(folder / "samples_table.npy", texts)
