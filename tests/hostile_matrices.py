"""Call public functions and methods with broken sparse matrices, in a process that may be lost.

``python -m tests.hostile_matrices START`` makes the calls from number START on. It writes the
number of each call before it is made, and a line for each matrix that was not refused.
"""

import faulthandler
import importlib
import inspect
import itertools
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold

from labelwise.data import Bags, Dataset, make_multilabel
from labelwise.decisions import (
    CalibratedScores,
    best_thresholds,
    certified_frontier,
    macro_frontier,
    micro_frontier,
    proportion_rule,
    review_bands,
)
from labelwise.deployment import Monitor, plan_audit
from labelwise.experiments import Study, nemenyi_test, paired_values
from labelwise.learners import BinaryRelevance, blend
from labelwise.measures import evaluate, scorer
from labelwise.splitting import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from tests.model_register import REGISTER, TEXT_REGISTER, some_data, some_texts

STAGES = (
    "data",
    "decisions",
    "deployment",
    "experiments",
    "features",
    "learners",
    "measures",
    "reports",
    "splitting",
)
# Classes whose constructors are called by users. The others are results, or estimators, whose
# constructors only store parameters.
MADE_BY_USERS = ("Bags", "Dataset", "Desk", "LinearFractional", "Posterior", "Study")
# Results that the stages do not list, but whose methods users call.
RESULTS = {"decisions": ("CertifiedFrontier", "Frontier", "Guarantee"), "measures": ("Evaluation",)}
# Parameters, and methods with the only parameter, that no matrix is meant for.
NOT_TRIED = ("self", "ax", "client", "input_name")
NOT_CALLED = (
    "experiments.Results.export",
    "experiments.Results.higher_is_better",
    "decisions.Guarantee.lines",
    "reports.Desk.sentences",
    "reports.Desk.terms",
)
# Parameters that are not read, and exist because methods of scikit-learn have them. The splitters
# read only the number of rows of X, and `Bags.of` does not read X unless it is a list of bags.
NOT_READ = {
    "y": ("OkapiWeights", "TableFeatures", "TextTerms", "BagSummary", "SentenceBags"),
    "X": (
        "MultilabelStratifiedKFold",
        "MultilabelStratifiedShuffleSplit",
        "RepeatedMultilabelStratifiedKFold",
        "of",
    ),
}
# Names of the same matrix in messages of functions that several others call.
ALSO_CALLED = {"y": "Y", "Y_train": "Y", "X_test": "X", "proba": "scores", "stratify": "Y"}
# Seconds for one call. Compiling a kernel takes some of them.
LONGEST = 60

COUNTS, LABELS = some_data()
SCORES = 0.1 + 0.8 * np.random.default_rng(0).random(LABELS.shape)
# Matrices by the name of their parameter: each is replaced by broken ones, in any call.
MATRICES = {
    "X": COUNTS,
    "X_test": COUNTS,
    "Y": LABELS,
    "Y_train": LABELS,
    "arrays": LABELS,
    "complete": LABELS,
    "counts": COUNTS,
    "decided": LABELS,
    "joint": np.repeat(SCORES.ravel()[:, None] / 4, 3, axis=1),
    "label_sets": LABELS,
    "new_scores": SCORES,
    "proba": SCORES,
    "samples": LABELS,
    "score_lists": SCORES,
    "scores": SCORES,
    "stratify": LABELS,
    "values": SCORES,
    "versus": SCORES,
    "y": LABELS,
}
# Other arguments by the name of their parameter: they are given where a matrix is tried in the
# place of another argument of the same call. `objects` has more of them.
OTHERS = {
    "scores_of_models": [SCORES],
    "alarm_from": 3.0,
    "answers": [1] * 10,
    "batches": ["1"],
    "beta": 2.0,
    "by": "df",
    "datasets": [],
    "evidence": [[1.0]],
    "denominator": [1, 1, 1, 1],
    "first": "0",
    "groups": np.arange(40) % 20,
    "input_name": "method",
    "k": 2,
    "labels": "y",
    "measure": "f",
    "measures": ["micro-f"],
    "models": {},
    "n_cells": 10,
    "n_draws": 2,
    "name": "micro-auc",
    "numerator": [1, 0, 0, 0],
    "p_empty": np.full(40, 0.1),
    "path": "never-written",
    "promises": ["micro-f"],
    "propensity": 0.5,
    "proportions": 2,
    "rates": np.full((1, 3), 0.5),
    "results": [],
    "rows": COUNTS,
    "second": "1",
    "sizes": [1, 2],
    "splits": [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))],
    "starts": np.arange(41),
    "subsets": np.arange(40) % 2,
    "term_order": [2, 0, 1],
}
# Optional arguments without which another one is not read.
WITH = {
    "measures.evaluate": {"decided": LABELS, "n_bootstrap": 2},
    "deployment.check_promises": {"at_least": {"micro-f": 0.5}},
    "splitting.train_test_split": {"stratify": LABELS},
    "features.TermSelector.fit_transform": {"y": LABELS},
    "experiments.paired_difference": {"pair": ("0", "1")},
    "splitting.MultilabelStratifiedKFold.split": {"y": LABELS},
    "splitting.MultilabelStratifiedShuffleSplit.split": {"y": LABELS},
    "splitting.RepeatedMultilabelStratifiedKFold.split": {"y": LABELS},
}


def _with(matrix, **changed):
    for name, value in changed.items():
        setattr(matrix, name, value)
    return matrix


def _at(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def _first_list(matrix, columns, values):
    matrix.rows[0], matrix.data[0] = columns, values
    return matrix


# Each changes a part of a sound matrix to what the constructor of scipy would refuse.
COMPRESSED = {
    "index beyond": lambda A: _with(A, indices=_at(A.indices, 1, 10**6)),
    "index at the end": lambda A: _with(A, indices=_at(A.indices, -1, max(A.shape))),
    "negative index": lambda A: _with(A, indices=_at(A.indices, 1, -1)),
    "float indices": lambda A: _with(A, indices=A.indices + 0.5),
    "unsigned indices": lambda A: _with(A, indices=A.indices.astype(np.uint64) - np.uint64(1)),
    "float pointers": lambda A: _with(A, indptr=A.indptr + 0.25),
    "long pointer": lambda A: _with(A, indptr=_at(A.indptr, 1, 10**6)),
    "long last pointer": lambda A: _with(A, indptr=_at(A.indptr, -1, 10**6)),
    "falling pointers": lambda A: _with(A, indptr=_at(A.indptr, -2, 0)),
    "negative pointer": lambda A: _with(A, indptr=_at(A.indptr, 1, -5)),
    "first pointer": lambda A: _with(A, indptr=_at(A.indptr, 0, 1)),
    "last pointer 0": lambda A: _with(A, indptr=_at(A.indptr, -1, 0)),
    "few pointers": lambda A: _with(A, indptr=A.indptr[:-2]),
    "many pointers": lambda A: _with(A, indptr=np.append(A.indptr, A.indptr[-1])),
    "few indices": lambda A: _with(A, indices=A.indices[:-3]),
    "few values": lambda A: _with(A, data=A.data[:-3]),
    "values in two dimensions": lambda A: _with(A, data=np.stack([A.data, A.data])),
    "no values": lambda A: _with(A, data=None),
}
FAULTS = {
    "csr": COMPRESSED,
    "csc": {name: COMPRESSED[name] for name in list(COMPRESSED)[::3]},
    "bsr": {name: COMPRESSED[name] for name in ("index beyond", "few values", "few pointers")},
    "coo": {
        "row beyond": lambda A: _with(A, coords=(_at(A.coords[0], 0, 10**6), A.coords[1])),
        "negative column": lambda A: _with(A, coords=(A.coords[0], _at(A.coords[1], 0, -1))),
        "float rows": lambda A: _with(A, coords=(A.coords[0] + 0.5, A.coords[1])),
        "few values": lambda A: _with(A, data=A.data[:-3]),
        "few rows": lambda A: _with(A, coords=(A.coords[0][:-3], A.coords[1])),
    },
    "lil": {
        "column beyond": lambda A: _first_list(A, [10**6], [1]),
        "few values": lambda A: _first_list(A, [0, 1], [1]),
    },
    "dia": {
        "few offsets": lambda A: _with(A, offsets=A.offsets[:-1]),
        "float offsets": lambda A: _with(A, offsets=A.offsets + 0.5),
    },
    "dok": {"column beyond": lambda A: A._dict.update({(0, 10**6): 1.0}) or A},
}
OF_MATRICES = [(kind, fault) for kind, faults in FAULTS.items() for fault in faults]
# In the place of an argument that is not a matrix.
OF_OTHERS = [("csr", "long pointer"), ("coo", "row beyond")]


def broken(dense, kind, fault, form):
    """A sparse "array" or "matrix" whose parts were changed after it was made."""
    return FAULTS[kind][fault](getattr(sparse, f"{kind}_{form}")(dense.astype(np.float64)))


def public_callables():
    """Yield each public function, class and method that takes arguments, with its path."""
    for stage in STAGES:
        module = importlib.import_module(f"labelwise.{stage}")
        for name in (*module.__all__, *RESULTS.get(stage, ())):
            found = getattr(module, name)
            if not callable(found):
                continue
            if not inspect.isclass(found) or name in MADE_BY_USERS:
                yield f"{stage}.{name}", found
            if not inspect.isclass(found):
                continue
            for method, function in inspect.getmembers(found, callable):
                origin = str(getattr(function, "__module__", None))
                is_ours = origin.startswith(("labelwise", "sklearn"))
                if is_ours and not method.startswith(("_", "set_", "get_")):
                    yield f"{stage}.{name}.{method}", function


def tried_parameters(path, function):
    """The parameters that a matrix may be given to: without a default, or of any type."""
    for name, parameter in inspect.signature(function).parameters.items():
        is_array = "Any" in str(parameter.annotation) or name in ("X", "y")
        is_given = parameter.default is parameter.empty or is_array
        is_read = name not in NOT_TRIED and not set(path.split(".")) & set(NOT_READ.get(name, ()))
        if is_given and is_read and parameter.kind is not parameter.VAR_KEYWORD:
            yield name


def objects():
    """Objects to call methods of, or to pass to parameters, by the name of their class."""
    data, posterior = make_multilabel(40, n_features=4, n_labels=3, random_state=0)
    made = [
        Bags(COUNTS, np.arange(41)),
        Dataset(COUNTS, LABELS),
        posterior,
        best_thresholds(SCORES, LABELS),
        certified_frontier(SCORES, LABELS, random_state=0),
        macro_frontier(SCORES, LABELS),
        micro_frontier(SCORES, LABELS),
        proportion_rule(SCORES, LABELS),
        review_bands(SCORES, LABELS, min_precision=0.5, min_recall=0.5),
        plan_audit(best_thresholds(SCORES, LABELS), SCORES, 10, random_state=0),
        Monitor(best_thresholds(SCORES, LABELS), at_least={"micro-f": 0.5}).update(SCORES, LABELS),
        paired_values(SCORES, higher_is_better=True),
        nemenyi_test(SCORES, higher_is_better=True),
        evaluate(LABELS, decided=LABELS),
        Study([data], {"model": BinaryRelevance()}, {"folds": KFold(2)}, ["micro-f"]),
        CalibratedScores().fit(SCORES, LABELS),
        blend([SCORES], LABELS, random_state=0),
        MultilabelStratifiedKFold(2),
        MultilabelStratifiedShuffleSplit(2),
        RepeatedMultilabelStratifiedKFold(2, n_repeats=1),
    ]
    for register, (X, y) in ((REGISTER, some_data()), (TEXT_REGISTER, some_texts())):
        for model in register.values():
            part = model.steps[0][1] if hasattr(model, "steps") else model
            if type(part).__module__.startswith("labelwise"):
                made.append(clone(part).fit(X, y))
    by_class = {}
    for one in made:
        by_class.setdefault(type(one).__name__, []).append(one)
    return by_class


def entries():
    """Yield (path, parameter, function of its argument) for all that a matrix may be given to."""
    known = objects()
    (thresholds,), (dataset,) = known["Thresholds"], known["Dataset"]
    arguments = {**MATRICES, **OTHERS, "thresholds": thresholds, "dataset": dataset}
    arguments |= {"data": dataset, "method": "0", "model": known["BinaryRelevance"][0]}
    arguments |= {"selector": known["TermSelector"][0], "plan": known["AuditPlan"][0]}
    arguments["monitor"] = known["Monitor"][0]
    for path, function in public_callables():
        names = list(tried_parameters(path, function))
        if not names or path in NOT_CALLED:
            continue
        _, kind, *method = path.split(".")
        is_of_bags = kind in ("BagDisplay", "InstanceDisplay")
        arguments["estimator"] = known["BagPlugin" if is_of_bags else "LabelForest"][0]
        is_of_object = "self" in inspect.signature(function).parameters
        for owner in known[kind] if method and is_of_object else [None]:
            if owner is None:
                call = function
            elif not hasattr(owner, method[0]):
                continue  # depends on the parameters of the estimator
            else:
                call = getattr(clone(owner) if method[0].startswith("fit") else owner, method[0])
            for name in names:
                yield path, name, _call_with(call, name, {**arguments, **WITH.get(path, {})}, path)
    for path, score in (("scorer(name)", scorer("micro-f")), ("scorer()", scorer())):
        model = known["BinaryRelevance"][1]
        yield path, "X", lambda A, score=score, model=model: score(model, A, LABELS)
        yield path, "Y", lambda A, score=score, model=model: score(model, COUNTS, A)


def _call_with(function, name, arguments, path):
    parameters = inspect.signature(function).parameters
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    given = {
        other: arguments[other]
        for other, parameter in parameters.items()
        if other != name
        and parameter.kind not in several
        and (parameter.default is parameter.empty or other in WITH.get(path, {}))
    }

    def call(matrix):
        if name in parameters and parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            return function(matrix, LABELS, **given)
        found = function(**given, **{name: matrix})
        return list(found) if inspect.isgenerator(found) else found

    return call


def cases():
    """Yield the calls to try: path, parameter, function of the argument, and the fault."""
    forms = itertools.cycle(("array", "matrix", "matrix", "array", "matrix"))
    for path, name, call in entries():
        for kind, fault in OF_MATRICES if name in MATRICES else OF_OTHERS:
            yield path, name, call, (kind, fault, next(forms))


def problem_with(call, name, matrix):
    """Return what is wrong with the answer to a broken matrix, or None if it is refused."""
    try:
        call(matrix)
    except (TypeError, ValueError) as error:
        said = str(error)
        names = {name, ALSO_CALLED.get(name, name)}
        is_named = any(re.search(rf"\b{word}\b", said) for word in names)
        if name in MATRICES and not (is_named and said.endswith(".") and "\n" not in said):
            return f"refused without a sentence that names {name}: {said!r}"
        return None
    except Exception as error:
        return f"failed by {error!r}"
    return "accepted"


def problems():
    """Return a line for each call that did not refuse its matrix, and for each lost process."""
    found, start = [], 0
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", "OMP_NUM_THREADS": "1"}
    while True:
        tried = subprocess.run(
            [sys.executable, "-m", "tests.hostile_matrices", str(start)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            cwd=Path(__file__).parents[1],
            env=environment,
        )
        lines = tried.stdout.splitlines()
        found += [line for line in lines if line.startswith("broken")]
        if tried.returncode == 0 and lines[-1:] == ["done"]:
            return found
        last = next((line for line in reversed(lines) if line.startswith("trying")), None)
        found.append(f"lost at {last} (status {tried.returncode}): {tried.stderr[-500:]}")
        if last is None:
            return found
        # The calls after those with this parameter of the same function.
        start = int(last.split()[2])


def tell(*words):
    """Write a line at once: the next moment may be the last."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(start):
    """Make all calls from a number on."""
    warnings.simplefilter("ignore")
    mpl.use("Agg")
    all_cases = list(cases())
    ends = {case[:3]: number + 1 for number, case in enumerate(all_cases)}
    for number, (path, name, call, fault) in enumerate(all_cases[start:], start):
        tell("trying", number, ends[path, name, call], path, name, *fault)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        problem = problem_with(call, name, broken(MATRICES.get(name, LABELS), *fault))
        if problem:
            tell("broken", path, name, *fault, ":", problem)
    faulthandler.cancel_dump_traceback_later()
    tell("done")


if __name__ == "__main__":
    main(int(sys.argv[1]))
