"""Studies on a dask client; only `submit` is used."""

import os
import signal

import distributed
import pytest

from tests.experiments.small_studies import Frequent, essence, study
from tests.schedulers import scheduler_process


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


class OnlySubmit:
    """A client of which nothing but `submit` can be used."""

    def __init__(self, client):
        self.submit = client.submit


def test_a_cluster_gives_the_same_numbers_and_keeps_failures(client, tmp_path):
    def odd(outcome):
        if outcome.seed and outcome.fold == 1:
            raise ZeroDivisionError("no way")
        return outcome.seed

    parts = {"models": {"m": Frequent()}, "measures": ["micro-f", {"odd": odd}]}
    there = study(**parts).run(tmp_path / "there.sqlite", client=OnlySubmit(client))
    here = study(**parts).run(tmp_path / "here.sqlite")
    assert essence(there) == essence(here)
    assert len(there.failed) == 2
    assert "ZeroDivisionError: no way" in there.failed[0].error


class Ending(Frequent):
    """Ends its process before the eighth fit, if the environment says so."""

    n_fits = 0

    def fit(self, X, Y):
        if Ending.n_fits == 7 and "ENDS" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        Ending.n_fits += 1
        return super().fit(X, Y)


def test_a_scheduler_that_goes_away_leaves_a_store_that_resumes(tmp_path):
    models, store = {"m": Ending()}, tmp_path / "store.sqlite"
    with (
        scheduler_process(ENDS="yes") as (address, _),
        distributed.Client(address, set_as_default=False, timeout=5) as client,
        pytest.raises(ConnectionError, match="cells that were done are in the store"),
    ):
        study(models=models).run(store, client=client)
    Ending.n_fits = 0
    resumed = study(models=models).run(store)
    assert 12 - 7 <= Ending.n_fits < 12  # the last results may not have arrived
    assert essence(resumed) == essence(study(models=models).run(tmp_path / "whole.sqlite"))
