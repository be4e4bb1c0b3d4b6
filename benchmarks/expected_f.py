"""Deciding for expected F: the general rule beside NumPy and its only package, and growth.

The sizes are those of mediamill (12,914 test samples, 101 labels, at most 20 of them together) and
of delicious (3,185 test samples, 983 labels). The package example-wise-f1-maximizer asks for
NumPy 1.24; ``pip install --no-deps example-wise-f1-maximizer`` brings what is compared here.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.growth import show_growth
from benchmarks.speedups import record
from benchmarks.timing import fastest, most_memory
from labelwise.decisions import (
    make_consistent,
    maximize_expected_f,
    maximize_expected_f_independent,
)

PEER = "example_wise_f1_maximizer"


def make_joint(n_samples: int, n_labels: int, n_sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return estimates of P(y_label = 1, s_y = s) around four labels a sample, and of P(none)."""
    random = np.random.default_rng(0)
    counts = random.poisson(random.uniform(2, 7, (n_samples, 1)), (n_samples, 50))
    sizes = np.stack([(counts == s).mean(axis=1) for s in range(n_sizes + 1)], axis=1)
    shares = random.gamma(0.05 if n_labels < 500 else 5 / n_labels, size=(n_samples, n_labels))
    shares /= shares.sum(axis=1, keepdims=True)
    chance = np.minimum(1, shares[:, :, None] * np.arange(1, n_sizes + 1))
    chance *= sizes[:, None, 1:]
    return chance, sizes[:, 0]


def make_proba(n_samples: int, n_labels: int) -> np.ndarray:
    """Return probabilities as of a model for labels with a long tail, three to a sample."""
    random = np.random.default_rng(0)
    frequency = 1 / np.arange(5, n_labels + 5)
    frequency *= 3 / frequency.sum()
    on = random.random((n_samples, n_labels)) < frequency
    noise = 1.2 * random.standard_normal((n_samples, n_labels))
    odds = np.log(np.minimum(frequency, 0.9)) + noise + 3 * on
    return 1 / (1 + np.exp(-odds))


def numpy_decisions(joint: np.ndarray, p_empty: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decide sample by sample as one would in NumPy: all numbers of labels by one sort."""
    n_labels, n_sizes = joint.shape[1:]
    weights = 2 / (np.arange(1, n_sizes + 1)[:, None] + np.arange(1, n_labels + 1))
    decided = np.zeros(joint.shape[:2], dtype=np.int8)
    value = np.empty(len(joint))
    for i, table in enumerate(joint):
        gain = table @ weights
        order = np.argsort(-gain, axis=0)
        of_number = np.take_along_axis(gain, order, axis=0).cumsum(axis=0).diagonal()
        k = int(of_number.argmax())
        value[i] = max(p_empty[i], of_number[k])
        if of_number[k] > p_empty[i]:
            decided[i, order[: k + 1, k]] = 1
    return decided, value


def peer_decisions(joint: np.ndarray, p_empty: np.ndarray) -> list[np.ndarray]:
    """Call the package at its fastest: weights made once, and no more labels than sizes."""
    from example_wise_f1_maximizer.meta_estimator import create_gfm_weight_matrix, gfm

    n_sizes = joint.shape[2]
    weights = create_gfm_weight_matrix(n_sizes)
    return [gfm(p, q, weights, n_sizes) for p, q in zip(joint, p_empty, strict=True)]


@contextmanager
def cores(n_cores: int) -> Iterator[None]:
    """Let joblib count so many cores."""
    before = os.environ.get("LOKY_MAX_CPU_COUNT")
    os.environ["LOKY_MAX_CPU_COUNT"] = str(n_cores)
    try:
        yield
    finally:
        del os.environ["LOKY_MAX_CPU_COUNT"]
        if before is not None:
            os.environ["LOKY_MAX_CPU_COUNT"] = before


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def compare_general() -> None:
    """Print the times of the general rule beside the others."""
    joint, p_empty = make_joint(12_914, 101, 20)
    cold, (decided, value) = timed(lambda: maximize_expected_f(joint, p_empty))
    np.testing.assert_allclose(value, numpy_decisions(joint, p_empty)[1], rtol=1e-12)
    rows = {"ours, two cores": fastest(lambda: maximize_expected_f(joint, p_empty), 7)}
    with cores(1):
        rows["ours, one core"] = fastest(lambda: maximize_expected_f(joint, p_empty), 5)
    rows["NumPy, sample by sample"] = fastest(lambda: numpy_decisions(joint, p_empty), 2)
    if importlib.util.find_spec(PEER):
        rows["example-wise-f1-maximizer"] = fastest(lambda: peer_decisions(joint, p_empty), 2)
    else:
        print(f"expected_f: {PEER} is not installed, see the top of this file.")
    ours = rows["ours, two cores"]
    table = Table("who", title="Highest expected F, 12,914 x 101 x 20 (fastest of several runs)")
    for heading in ("seconds", "times ours"):
        table.add_column(heading, justify="right")
    for who, seconds in rows.items():
        table.add_row(who, f"{seconds:.3f}", f"{seconds / ours:.1f}")
        if not who.startswith("ours"):
            record(f"expected F / {who}", ours, seconds)
    Console().print(table)
    memory = most_memory(lambda: maximize_expected_f(joint, p_empty)) / decided.size
    print(
        f"First call {cold:.2f} s. Memory beside the input {memory:.1f} bytes a decision. ", end=""
    )
    print(f"Mean value {value.mean():.3f}, mean labels {decided.sum(axis=1).mean():.1f}.")
    nearest = fastest(lambda: make_consistent(joint, p_empty), 3)
    print(f"make_consistent on the same: {nearest:.2f} s.")


def time_independent() -> None:
    """Print the time of the rule for independent labels."""
    proba = make_proba(3_185, 983)
    cold, (decided, value) = timed(lambda: maximize_expected_f_independent(proba))
    ours = fastest(lambda: maximize_expected_f_independent(proba), 7)
    with cores(1):
        alone = fastest(lambda: maximize_expected_f_independent(proba), 5)
    memory = most_memory(lambda: maximize_expected_f_independent(proba)) / decided.size
    print(f"Independent labels, 3,185 x 983: {ours:.3f} s, on one core {alone:.3f} s. ", end="")
    print(
        f"First call {cold:.2f} s. Memory beside the input {memory:.1f} bytes a decision. ", end=""
    )
    print(f"Mean value {value.mean():.3f}, mean labels {decided.sum(axis=1).mean():.1f}.")


def grow() -> None:
    """Show how the times grow with samples and labels, each over three decades."""
    sizes = {
        ("general, 20 sizes", "samples"): [(n, 100) for n in (20, 200, 2_000, 20_000)],
        ("general, 20 sizes", "labels"): [(50, m) for m in (10, 100, 1_000, 10_000)],
        ("independent", "samples"): [(n, 1_000) for n in (10, 100, 1_000, 10_000)],
        ("independent", "labels"): [(200, m) for m in (10, 100, 1_000, 10_000)],
    }
    make = {"general, 20 sizes": general_call, "independent": independent_call}
    curves = {
        (rule, what): {size[what == "labels"]: make[rule](*size) for size in grown}
        for (rule, what), grown in sizes.items()
    }
    show_growth("Expected F", curves, repeats=7)


def general_call(n_samples: int, n_labels: int) -> Callable[[], Any]:
    joint, p_empty = make_joint(n_samples, n_labels, 20)
    return lambda: maximize_expected_f(joint, p_empty)


def independent_call(n_samples: int, n_labels: int) -> Callable[[], Any]:
    proba = make_proba(n_samples, n_labels)
    return lambda: maximize_expected_f_independent(proba)


def main() -> None:
    """Compare, then show the growth."""
    compare_general()
    time_independent()
    grow()


if __name__ == "__main__":
    main()
