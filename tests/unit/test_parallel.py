"""Tests of `exactformer.parallel`."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
import worker_jobs

import exactformer as ef
from exactformer import parallel as workers
from exactformer.parallel import Inline


class Dying(Inline):
    """Its worker dies at every job as often as told, and then does it."""

    def __init__(self, times: dict[object, int]) -> None:
        self.left, self.given = dict(times), 0

    def submit(self, function: Any, shared: object, job: object, /) -> Any:
        self.given += 1
        assert self.given < 50
        if not self.left[job]:
            return super().submit(function, shared, job)
        self.left[job] -= 1
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("died"))
        return future


@pytest.mark.parametrize("window", [1, 2, 5])
def test_the_deaths_of_every_job_are_counted_by_themselves(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LOSSES", 3)
    crew = Dying({2: 3, 4: 0, 5: 3, 6: 2})
    done = workers._Work(worker_jobs.power, iter([2, 4, 5, 6]), window).done_by(crew, 2)
    assert sorted(done) == [(2, 4), (4, 16), (5, 25), (6, 36)]
    assert crew.given == 4 + 3 + 3 + 2
    with pytest.raises(ef.Declined, match="died 3 times"):
        list(workers._Work(worker_jobs.power, iter([2, 4, 5]), window).done_by(Dying({2: 1, 4: 4, 5: 2}), 2))


def test_one_process_is_this_one_and_several_are_others() -> None:
    assert workers.ALONE.alone
    with workers.Workers()._crew() as crew:
        assert isinstance(crew, Inline)
    with workers.Workers(2)._crew() as crew:
        assert isinstance(crew, workers.Processes)
        assert not workers.Workers(2).alone
        folder = crew._folder.name
        shared = crew.share({"one": 1})
        assert os.path.dirname(shared) == folder
        assert workers._with_file(lambda value, job: value["one"] + job, shared, 2) == 3
    assert not os.path.exists(folder)


def test_one_process_draws_a_job_when_the_one_before_it_is_taken() -> None:
    drawn = []
    jobs = (drawn.append(k) or k for k in range(5))
    found = workers.Workers().results(worker_jobs.power, 2, jobs)
    assert (next(found), drawn) == ((0, 0), [0])
    assert (next(found), drawn) == ((1, 1), [0, 1])


def test_an_error_of_a_job_is_raised_where_results_are_read() -> None:
    with pytest.raises(ZeroDivisionError):
        list(workers.Workers().results(divmod, 1, [0]))


@pytest.mark.parametrize(("parent", "said", "status"), [("os.getppid()", "alive\n", 0), ("0", "", 1)])
def test_a_worker_lives_as_long_as_its_coordinator(parent: str, said: str, status: int) -> None:
    program = (
        "import os, signal, time\nfrom exactformer.parallel import _worker_starts\n"
        f"_worker_starts({parent})\ntime.sleep(0.3)\n"
        "assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN\nprint('alive')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == (said, status)


def test_there_is_at_least_one_worker() -> None:
    with pytest.raises(ef.InvalidInput, match="one or more workers, got 0"):
        workers.Workers(0)
    with pytest.raises(ef.InvalidInput, match=r"one or more workers, got 1\.5"):
        workers.Workers(1.5)  # type: ignore[arg-type]
