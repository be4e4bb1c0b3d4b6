"""A real cluster of two worker processes: the same results, also if a worker dies."""

import os
import pickle
import signal
import time

import cloudpickle
import dask.array as da
import distributed
import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from labelwise import decisions, measures
from labelwise.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    ExactFPlugin,
    OkapiNeighbors,
)
from tests.decisions.thresholds.test_stored_scores import assert_same
from tests.measures.test_evaluate_blocks import assert_same_evaluation
from tests.schedulers import scheduler_process

RANDOM = np.random.default_rng(11)
Y = RANDOM.random((400, 5)) < 0.3
SCORES = (Y + RANDOM.normal(size=Y.shape)).astype(np.float32).round(2)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def chunks_of(matrix, rows=37):
    return da.from_array(matrix, chunks=(rows, -1))


@pytest.mark.parametrize("name", ["micro-f", "macro-f", "macro-g-mean"])
def test_thresholds_of_a_cluster_are_those_of_one_process(client, name):
    found = decisions.best_thresholds(chunks_of(SCORES), chunks_of(Y, 50), maximize=name)
    assert_same(found, decisions.best_thresholds(SCORES, Y, maximize=name))


def test_evaluations_and_frontiers_of_a_cluster_are_those_of_one_process(client):
    scores, labels = chunks_of(SCORES), chunks_of(Y)
    found = measures.evaluate(labels, scores=scores, decided=scores > 0.5)
    assert_same_evaluation(found, measures.evaluate(Y, scores=SCORES, decided=SCORES > 0.5))
    frontier = decisions.micro_frontier(scores, labels)
    np.testing.assert_array_equal(frontier.hits, decisions.micro_frontier(SCORES, Y).hits)


def test_decisions_of_a_cluster_are_those_of_one_process(client, tmp_path):
    tuned = decisions.best_thresholds(SCORES, Y)
    tuned.decide(chunks_of(SCORES), tmp_path / "decided.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "decided.npy"), tuned.decide(SCORES))


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    mark = tmp_path / "killed"

    def dying(block, block_info=None):
        """Kill the process of the first worker that computes the sixth chunk."""
        if block_info and block_info[None]["chunk-location"][0] == 5 and not mark.exists():
            mark.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    scores = chunks_of(SCORES).map_blocks(dying, dtype=SCORES.dtype)
    found = decisions.best_thresholds(scores, chunks_of(Y))
    assert int(mark.read_text()) != os.getpid()
    assert_same(found, decisions.best_thresholds(SCORES, Y))
    client.wait_for_workers(2, timeout=30)


X = RANDOM.poisson(1.0, (400, 30)).astype(np.float64)
FOREST = RandomForestClassifier(5, random_state=0)
LEARNERS = {
    "regressions": BinaryRelevance(LogisticRegression(), n_jobs=2),
    "a forest for each label": BinaryRelevance(FOREST, n_jobs=2),
    "pairs": CalibratedLabelRanking(LogisticRegression(), n_jobs=2),
    "a forest for each pair": CalibratedLabelRanking(FOREST, random_state=0, n_jobs=2),
    "expected F": ExactFPlugin(penalty=(1.0, 0.1), cv=2, n_jobs=2),
    "neighbours": OkapiNeighbors(n_neighbors=9),
    "one forest": clone(FOREST).set_params(n_jobs=2),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_run_on_the_workers_and_rows_are_sent_once(client, monkeypatch, name):
    learner = LEARNERS[name]
    wanted = clone(learner).fit(X, Y).predict(X[::2])
    task_bytes, scattered = [], []
    submit, scatter = client.submit, client.scatter

    def submitted(function, *, tasks, **options):
        task_bytes.append(len(cloudpickle.dumps(tasks)))
        return submit(function, tasks=tasks, **options)

    def scattered_once(value, **options):
        scattered.append(len(pickle.dumps(value)))
        return scatter(value, **options)

    monkeypatch.setattr(client, "submit", submitted)
    monkeypatch.setattr(client, "scatter", scattered_once)
    with joblib.parallel_config("dask"):
        found = clone(learner).fit(X, Y).predict(X[::2])
    np.testing.assert_array_equal(found, wanted)
    assert task_bytes
    assert max(task_bytes) < X.nbytes / 2
    # One call has X, and others have folds of it or what was learned.
    assert sum(size >= X.nbytes for size in scattered) <= 2


def test_a_scheduler_that_goes_away_gives_one_sentence():
    with scheduler_process() as (address, pid):

        def ending(block, block_info=None):
            if block_info and block_info[None]["chunk-location"][0] == 3:
                os.kill(pid, signal.SIGKILL)
                time.sleep(60)
            return block

        scores = chunks_of(SCORES).map_blocks(ending, dtype=SCORES.dtype)
        with (
            distributed.Client(address, set_as_default=False, timeout=5) as connected,
            connected.as_current(),
            pytest.raises(ConnectionError, match="The dask scheduler went away before"),
        ):
            decisions.best_thresholds(scores, chunks_of(Y))


@pytest.mark.parametrize("n_times", [0, 1])
def test_workers_that_die_of_a_chunk_give_one_sentence(tmp_path, n_times):
    """Workers are killed in the first pass, or in the second, in which they hold shared data."""

    def ending(block, block_info=None):
        if block_info:
            seen = tmp_path / str(block_info[None]["chunk-location"][0])
            if n_times == 0 or seen.exists():
                os.kill(os.getpid(), signal.SIGKILL)
            seen.touch()
        return block

    scores = chunks_of(SCORES).map_blocks(ending, dtype=SCORES.dtype)
    place = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "processes": True}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **place) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
        connected.as_current(),
        pytest.raises(ConnectionError, match="The dask workers died before"),
    ):
        decisions.best_thresholds(scores, chunks_of(Y))


N_CHUNKS, CHUNK = 80, (40_000, 50)


def rows_of_chunk(number):
    """Scores of 8 MB, and labels with one positive in a thousand."""
    random = np.random.default_rng(number)
    labels = random.random(CHUNK, dtype=np.float32) < 0.001
    return random.random(CHUNK, dtype=np.float32) + labels, labels


def test_workers_stay_within_their_memory():
    def chunk_of(part, block_info=None):
        return rows_of_chunk(block_info[None]["chunk-location"][0])[part]

    sizes = ((CHUNK[0],) * N_CHUNKS, (CHUNK[1],))
    kinds = (np.float32, np.bool_)
    scores, labels = (
        da.map_blocks(chunk_of, part, chunks=sizes, dtype=kind, meta=np.empty((0, 0), kind))
        for part, kind in enumerate(kinds)
    )
    place = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "processes": True}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="500MB", **place
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as limited,
        limited.as_current(),
    ):
        before = limited.run(os.getpid)
        tuned = decisions.best_thresholds(scores, labels)
        # 640 MB of scores passed through workers that use about 200 MB without any.
        assert limited.run(os.getpid) == before
    counts = measures.Counts(*np.zeros(4, dtype=np.int64))
    for number in range(N_CHUNKS):
        block, truth = rows_of_chunk(number)
        counted = measures.count(truth, tuned.decide(block))
        counts = measures.Counts(*(a + b.sum() for a, b in zip(counts, counted, strict=True)))
    assert tuned.value == pytest.approx(measures.f_measure(counts), rel=1e-12)
