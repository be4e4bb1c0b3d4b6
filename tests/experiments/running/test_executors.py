"""Studies on a dask client; only `submit` is used."""

import distributed
import pytest

from tests.experiments.small_studies import Frequent, essence, study


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
