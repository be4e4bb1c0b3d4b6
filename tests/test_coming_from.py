"""The pages for users of other packages run, beside the other package if it is installed."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from tests.test_quick_start import DOCS, run_page

# The module of each package; None for programs that are no Python packages, or not run here.
PEERS = {
    "scikit_multilearn": "skmultilearn",
    "iterative_stratification": "iterstrat",
    "mulan_meka": None,
    "libmultilabel": "libmultilabel",
    "mapie": "mapie",
    "annif": None,
}


@pytest.fixture(scope="module")
def names(request, tmp_path_factory):
    """What the code of a page has defined."""
    name, with_peer = request.param
    if with_peer and find_spec(PEERS[name]) is None:
        pytest.skip(f"{PEERS[name]} is not installed (extra bench)")
    with warnings.catch_warnings():
        if with_peer:  # other packages warn of their own
            warnings.simplefilter("ignore")
        folder = tmp_path_factory.mktemp(name)
        return run_page(f"coming_from/{name}.md", folder, {"__name__": name}, with_peer)


def page(name):
    """Run a test with what the page defines: without the other package, and with it."""
    peers = (False, True) if PEERS[name] else (False,)
    ids = ["alone", "beside"]
    cases = [pytest.param((name, peer), id=ids[peer]) for peer in peers]
    return pytest.mark.parametrize("names", cases, indirect=True)


def test_there_is_a_page_for_each_package():
    found = {path.stem for path in (DOCS / "coming_from").glob("*.md")}
    assert found == {*PEERS, "index"}


@page("scikit_multilearn")
def test_parts_and_predictions_replace_those_of_scikit_multilearn(names):
    assert names["X_train"].shape[0] == names["Y_train"].shape[0] == 300
    assert names["X_test"].shape[0] == names["Y_test"].shape[0] == 100
    assert np.bincount(names["subsets"]).sum() == 400
    for name in ("binary_relevance", "tuned_chain", "neighbours"):
        right = names[name].predict(names["X_test"]) == names["Y_test"]
        assert right.mean() > 0.5, name
    assert names["label_sets"][names["number"].ravel()].tolist() == names["Y_train"].tolist()
    assert names["proba"].shape == names["Y_test"].shape


@page("iterative_stratification")
def test_folds_replace_those_of_iterative_stratification(names):
    sizes = np.bincount(names["folds"])
    assert sizes.tolist() == [80] * 5
    if "theirs" in names:
        ours = names["split_quality"](names["Y"], names["folds"]).ld
        folds = np.empty(400, int)
        for fold, rows in enumerate(names["theirs"]):
            folds[rows] = fold
        assert ours <= names["split_quality"](names["Y"], folds).ld


@page("mulan_meka")
def test_files_of_meka_are_read_and_evaluated(names):
    assert names["music"].label_names == ("sad", "loud")
    assert names["results"]["test_micro-f"].mean() > 0.8
    assert np.allclose(names["shares"].mean(axis=0), names["music"].Y.mean(axis=0))


@page("libmultilabel")
def test_linear_models_decide_as_those_of_libmultilabel(names):
    assert names["found"]["macro-f"] > 0.5
    if "their_scores" in names:
        # Only the intercept differs: LibMultiLabel penalises it.
        same = (names["scores"] > 0) == (np.asarray(names["their_scores"]) > 0)
        assert same.mean() > 0.99


@page("mapie")
def test_guarantees_replace_those_of_mapie(names):
    assert names["found"]["sample-recall"] >= 0.8
    if "their_decisions" in names:
        theirs = names["evaluate"](names["Y"][2000:], decided=names["their_decisions"])
        assert theirs["sample-recall"] >= 0.8


@page("annif")
def test_suggestions_of_annif_get_thresholds(names):
    assert names["thresholds"].value == 1
    assert names["scores"].values.nnz == 4
