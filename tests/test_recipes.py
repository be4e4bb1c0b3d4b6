"""The recipes run as they stand, where the library of the recipe is installed."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from tests.test_quick_start import DOCS, run_page

NEEDED = {
    "pytorch": ("torch",),
    "hugging_face": ("torch", "transformers"),
    "annif": (),
    "language_models": (),
    "lightgbm": ("lightgbm",),
    "xgboost": ("xgboost",),
    "catboost": ("catboost",),
    "skorch": ("torch", "skorch"),
    "onnx": ("skl2onnx", "onnxruntime"),
    "mlflow": ("mlflow",),
}
# Recipes that compare a cut at 0.5 with tuned thresholds.
LEARN = ("pytorch", "lightgbm", "xgboost", "catboost", "skorch")


def run_recipe(name, folder):
    """What the code of a recipe defines; skipped if a library is missing."""
    missing = [module for module in NEEDED[name] if find_spec(module) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}, which make test-recipes installs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        return run_page(f"recipes/{name}.md", folder, {"__name__": name})


def test_every_recipe_has_a_test():
    assert {path.stem for path in (DOCS / "recipes").glob("*.md")} == {*NEEDED, "index"}


@pytest.mark.parametrize("name", LEARN)
def test_tuned_thresholds_beat_a_cut_at_one_half(name, tmp_path):
    names = run_recipe(name, tmp_path)
    assert names["found"] > names["at_half"]


def test_a_network_stores_its_thresholds_with_its_weights(tmp_path):
    names = run_recipe("pytorch", tmp_path)
    assert np.array_equal(names["stored"]["thresholds"].numpy(), names["tuned"].values)


def test_a_configuration_of_hugging_face_stores_thresholds(tmp_path):
    names = run_recipe("hugging_face", tmp_path)
    assert names["metrics"]["new_samples"] > names["metrics"]["micro_f"]
    assert names["again"].thresholds == names["tuned"].values.tolist()
    decided = np.asarray(names["tuned"].decide(names["logits"]))
    known = np.array(names["names"])
    assert names["sets"] == [known[row == 1].tolist() for row in decided]


def test_thresholds_of_a_few_answers_beat_the_answers(tmp_path):
    names = run_recipe("language_models", tmp_path)
    assert names["found"] > names["as_said"]


def test_suggestions_of_annif_become_decisions(tmp_path):
    names = run_recipe("annif", tmp_path)
    assert names["found"] > names["at_limit"]


def test_onnx_decides_as_the_thresholds_do(tmp_path):
    names = run_recipe("onnx", tmp_path)
    assert np.abs(names["proba"] - names["expected"]).max() < 1e-5
    assert np.array_equal(names["decided"], names["tuned"].decide(names["proba"]))
    assert (names["decided"] == names["tuned"].decide(names["expected"])).mean() > 0.999


def test_mlflow_gives_back_what_was_logged(tmp_path):
    names = run_recipe("mlflow", tmp_path)
    assert np.array_equal(names["again"].values, names["tuned"].values)
    assert names["logged"]["micro-f"] == names["evaluation"]["micro-f"]
