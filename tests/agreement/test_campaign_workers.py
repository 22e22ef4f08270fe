"""One report whatever judges it: one process, two, a dask cluster that loses workers; and a second engine."""

from __future__ import annotations

import importlib
import os
import signal
import sqlite3
import threading
import time
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from dask_cluster import cluster

from exactformer.conjectures.campaign import Campaign, conduct
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.proved_limit import fate
from exactformer.conjectures.source import Source
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.instances.generators import TokenFamily
from exactformer.model.tokens import Tokens
from exactformer.parallel import Workers


def indices(store: Path) -> list[int]:
    rows = sqlite3.connect(store / "campaign.sqlite").execute("SELECT idx FROM verdicts ORDER BY idx").fetchall()
    return [idx for (idx,) in rows]


def test_the_plain_orbit_agrees_with_the_engine() -> None:
    rng = Random(12)
    for _ in range(60):
        tokens = TokenFamily()(rng)
        plain, orbit = PlainOrbit(tokens), simulate(tokens, layers=8)
        for k in (0, 1, 4, 8):
            assert plain[k].follows == orbit.follows(k)
            assert [plain[k].point(i) for i in range(len(tokens))] == orbit.tokens(k).rows()


def test_the_fate_agrees_with_the_limit() -> None:
    rng = Random(13)
    for _ in range(40):
        tokens = TokenFamily()(rng)
        end, proved = fate(tokens), limit(tokens)
        assert end.limits == proved.points
        assert tuple(sorted(end.leads_from)) == proved.leaders


def test_changes_before_and_after_the_plain_layers_are_those_of_the_limit() -> None:
    """Sets that change at early layers, which are run, and again at later ones, which are jumped to."""
    rows = ["-19 17", "3 11", "-2 -6", "-8 18", "11 -5", "7 8", "3 14"]
    tokens = Tokens([[Fraction(int(x), 10) for x in row.split()] for row in rows], alpha="1/32")
    assert fate(tokens).changes == tuple(limit(tokens).timeline.changes) == (13, 14, 24, 33)


def test_two_workers_find_what_one_finds() -> None:
    one, two = (hunt("last-leader-within-n", budget=3000, seed=6, workers=workers) for workers in (1, 2))
    assert one.verdict == "refuted"
    assert one.json() == two.json()
    assert [f.found for f in one.findings] == [f.found for f in two.findings]


def test_a_killed_process_is_replaced(tmp_path: Path) -> None:
    from multiprocessing import active_children

    killed: list[int] = []

    def kill_one() -> None:
        while not killed:
            for child in active_children():
                if child.pid and list((tmp_path / "s" / "shards").glob("0*.json")):
                    os.kill(child.pid, signal.SIGKILL)
                    killed.append(child.pid)
                    return
            time.sleep(0.05)

    thread = threading.Thread(target=kill_one, daemon=True)
    thread.start()
    tally = conduct(Campaign(Source("lemma-5"), 3, 6000), workers=2, store=tmp_path / "s")
    assert tally.judged == 6000
    assert killed
    assert indices(tmp_path / "s") == list(range(6000))


def campaign_with_kills(folder: Path, kills: int, budget: int) -> None:
    """A campaign on a cluster whose workers are killed, one after every shard, and replaced."""
    with cluster(folder) as running:
        for _ in range(2):
            running.add_worker()
        done = threading.Event()
        killed = 0

        def murder() -> None:
            nonlocal killed
            while killed < kills and not done.is_set():
                if len(list((folder / "s" / "shards").glob("0*.json"))) > killed:
                    running.kill_worker()
                    running.add_worker()
                    killed += 1
                time.sleep(0.05)

        thread = threading.Thread(target=murder, daemon=True)
        thread.start()
        tally = conduct(Campaign(Source("lemma-5"), 3, budget), store=folder / "s", scheduler=running.address)
        done.set()
        thread.join()
        assert killed == kills
        assert tally.counts == {"true": budget, "false": 0, "undecided": 0}
        assert indices(folder / "s") == list(range(budget))


def test_a_dask_campaign_survives_the_loss_of_a_worker(tmp_path: Path) -> None:
    campaign_with_kills(tmp_path, 1, 6000)
    assert conduct(Campaign(Source("lemma-5"), 3, 1000)).judged == 1000


def test_independent_draws_are_the_same_on_a_dask_cluster(tmp_path: Path) -> None:
    campaign = Campaign(Source("lemma-6"), 3, 120_000, independent=True)
    with cluster(tmp_path) as running:
        for _ in range(2):
            running.add_worker()
        there = conduct(campaign, store=tmp_path / "s", scheduler=running.address)
    assert there.judged == 120_000
    assert conduct(campaign, store=tmp_path / "s") == there == conduct(campaign)


FATAL = """
import os
import pathlib

class Fatal:
    "Its worker dies when it is fetched."

    def __reduce__(self):
        os._exit(1)

def job(folder, number):
    "Returns at first what cannot be fetched, then kills its worker, then returns 7."
    runs = len(list(pathlib.Path(folder).glob("run-*")))
    pathlib.Path(folder, f"run-{runs}").touch()
    if runs == 1:
        os._exit(1)
    return Fatal() if runs == 0 else 7
"""


def test_a_job_whose_worker_dies_with_the_result_and_then_again_is_done_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask's own executor waits for ever."""
    (tmp_path / "fatal.py").write_text(FATAL)  # the folder in which workers run
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    job = importlib.import_module("fatal").job
    with cluster(tmp_path) as running:
        for _ in range(3):
            running.add_worker()
        found = list(Workers(scheduler=running.address).results(job, str(tmp_path), [1]))
    assert found == [(1, 7)]
    assert len(list(tmp_path.glob("run-*"))) == 3


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_dask_campaign_survives_a_hundred_kills(tmp_path: Path) -> None:
    campaign_with_kills(tmp_path, 100, 120_000)
