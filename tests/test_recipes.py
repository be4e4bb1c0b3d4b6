"""The recipes run as they stand, where the library of the recipe is installed."""

import os
import re
import shlex
import subprocess
import warnings
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from benchmarks.annif import write_corpus
from labelwise.decisions import best_thresholds
from labelwise.hugging_face import compute_metrics, decide, store_thresholds
from tests.benchmark_sets import HOME
from tests.cli.shell import run_program
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
    "parts_inside_learners": (),
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


def test_a_tiny_model_keeps_its_thresholds_in_its_folder(tmp_path):
    missing = [module for module in ("torch", "transformers") if find_spec(module) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}, which make test-recipes installs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        import torch
        from transformers import BertConfig, BertForSequenceClassification, EvalPrediction

    sizes = {"vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    known = {0: "sea", 1: "ship", 2: "sky"}
    torch.manual_seed(0)
    config = BertConfig(**sizes, intermediate_size=16, id2label=known)
    model = BertForSequenceClassification(config).eval()
    words = torch.randint(0, 50, (80, 12))
    labels = torch.stack([(words == k).any(dim=1) for k in (1, 2, 3)], dim=1).numpy().astype(int)
    with torch.no_grad():
        logits = model(words).logits
    found = compute_metrics(EvalPrediction(predictions=logits.numpy(), label_ids=labels))
    assert found["tuned_micro_f"] >= found["new_samples"]
    tuned = best_thresholds(logits.numpy(), labels, label_names=list(known.values()))
    store_thresholds(model.config, tuned)
    model.save_pretrained(tmp_path)
    again = BertForSequenceClassification.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        sets = decide(again.config, again(words).logits)
    decided = np.asarray(tuned.decide(logits.numpy()))
    assert sets == [[known[j] for j in row.nonzero()[0]] for row in decided]


def test_thresholds_of_a_few_answers_beat_the_answers(tmp_path):
    names = run_recipe("language_models", tmp_path)
    assert names["found"] > names["as_said"]


def test_suggestions_of_annif_become_decisions(tmp_path):
    names = run_recipe("annif", tmp_path)
    assert names["found"] > names["at_limit"]


def test_the_commands_of_the_recipe_run_with_annif_on_link_descriptions(tmp_path, monkeypatch):
    annif = which(os.environ.get("ANNIF", "annif"))
    annif = None if annif is None else str(Path(annif).absolute())
    if annif is None:
        pytest.skip(
            "needs annif, whose command the variable ANNIF names, as make test-recipes does"
        )
    if not (HOME / "makupalat").is_dir():
        pytest.skip(f"needs the set makupalat in {HOME}")
    monkeypatch.setattr("benchmarks.annif.N_TUNING", 300)
    write_corpus(tmp_path)
    (tmp_path / "tune").rename(tmp_path / "tuning")
    (tmp_path / "validate").rename(tmp_path / "new")
    # Some words of a sixth of the texts: Annif reads them in seconds.
    lines = (tmp_path / "train.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "train.tsv").write_text("".join(lines[:2000]), encoding="utf-8")
    shown = (DOCS / "recipes" / "annif.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", shown, re.DOTALL)
    for line in "".join(blocks).splitlines():
        program, *words = shlex.split(line)
        if program == "annif":
            done = subprocess.run([annif, *words], cwd=tmp_path, capture_output=True, text=True)
            if "punkt_tab" in done.stderr:
                pytest.skip("needs the package punkt_tab of NLTK")
            assert done.returncode == 0, done.stderr
        else:
            words += ["--learner", "br"] if words[0] == "fit" else []
            done = run_program(tmp_path, *words)
            assert done.code == 0, done.stderr
    assert len((tmp_path / "decided.csv").read_text(encoding="utf-8").splitlines()) == 399
    assert len((tmp_path / "names.csv").read_text(encoding="utf-8").splitlines()) == 399


def test_onnx_decides_as_the_thresholds_do(tmp_path):
    names = run_recipe("onnx", tmp_path)
    assert np.abs(names["proba"] - names["expected"]).max() < 1e-5
    assert np.array_equal(names["decided"], names["tuned"].decide(names["proba"]))
    assert (names["decided"] == names["tuned"].decide(names["expected"])).mean() > 0.999


def test_mlflow_gives_back_what_was_logged(tmp_path):
    names = run_recipe("mlflow", tmp_path)
    assert np.array_equal(names["again"].values, names["tuned"].values)
    assert names["logged"]["micro-f"] == names["evaluation"]["micro-f"]


def test_parts_inside_learners_have_the_shares_of_all_labels(tmp_path):
    names = run_recipe("parts_inside_learners", tmp_path)
    assert names["pruned"].get_n_leaves() < names["tree"].get_n_leaves()
    assert names["f_of"](names["pruned"], names["prune"]) == max(
        names["f_of"](model, names["prune"]) for model in names["subtrees"]
    )
    assert names["best"].loss_curve_[-1] != names["network"].loss_curve_[-1]
    assert names["ensemble"]["micro-f"] > 0.5
    means = {method: np.mean(values) for method, values in names["ld"].items()}
    assert means["balanced"] <= means["iterative"] < means["random"] / 2
