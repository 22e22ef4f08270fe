"""Workers give what one process gives: processes that die, clusters that lose workers; constructions and checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import worker_jobs
from dask_cluster import Cluster, cluster

import exactformer as ef
from exactformer import parallel as workers
from exactformer.cli.main import code
from exactformer.constructions import verification
from exactformer.constructions.verification import WrongTransformer, verify_encloses, verify_interpolates
from exactformer.errors import SchedulerLost
from exactformer.model.temperatures import Temperatures
from exactformer.parallel import CONNECTIONS, Inline, Workers
from proofs_check.fast import workers as checker_workers


def data_of(count: int, seed: int = 0) -> ef.Dataset:
    rng = np.random.default_rng(seed)
    return ef.Dataset.of(rng.integers(-99, 99, (count, 3, 2)), labels=rng.integers(0, 3, count))


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("dask")) as running:
        for _ in range(2):
            running.add_worker()
        yield running


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small jobs, few of them under way."""
    monkeypatch.setattr(verification, "_ROWS", 30)
    monkeypatch.setattr(checker_workers, "LINES", 16)
    monkeypatch.setattr(workers, "CLUSTER_WINDOW", 3)


@pytest.mark.parametrize("number", [1, 2])
def test_every_job_comes_back_with_its_result(number: int) -> None:
    jobs = range(20)
    assert sorted(Workers(number).results(worker_jobs.power, 3, jobs)) == [(k, k**3) for k in jobs]
    with pytest.raises(ef.InvalidInput, match="three"):
        list(Workers(number).results(worker_jobs.refuse, None, jobs))


def test_jobs_are_drawn_as_workers_become_free() -> None:
    drawn: list[int] = []
    for job, _ in Workers().results(worker_jobs.power, 1, (drawn.append(k) or k for k in range(9))):
        assert drawn == list(range(job + 1))
    assert len(drawn) == 9


@pytest.mark.parametrize("wrong", [0, -1, 1.5])
def test_there_is_at_least_one_worker(wrong: Any) -> None:
    with pytest.raises(ef.InvalidInput, match="one or more workers"):
        Workers(wrong)


def test_jobs_of_workers_that_die_are_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(Workers(2).results(worker_jobs.die_at_first, str(tmp_path), range(3))) == [(0, 0), (1, 1), (2, 2)]
    monkeypatch.setattr(workers, "LOSSES", 1)
    with pytest.raises(ef.Declined, match="died 1 times"):
        list(Workers(2).results(worker_jobs.die, None, range(1)))


class Lost(Inline):
    """Does the first job it is given; then its scheduler is gone."""

    given = 0

    def submit(self, function: Any, shared: object, job: object, /) -> Any:
        self.given += 1
        if self.given == 1:
            return super().submit(function, shared, job)
        future: Any = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize("losses", [CONNECTIONS - 1, CONNECTIONS])
def test_a_scheduler_lost_too_often_is_said(losses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    crews, jobs, found = list[Inline](), list(range(10)), list[Any]()

    def crew(_: Workers) -> AbstractContextManager[Inline]:
        crews.append(Lost() if len(crews) < losses else Inline())
        return nullcontext(crews[-1])

    monkeypatch.setattr(Workers, "_crew", crew)
    given_up = losses == CONNECTIONS
    with pytest.raises(SchedulerLost) if given_up else nullcontext():
        for answer in Workers().results(pow, 2, jobs):
            found.append(answer)
    assert len(crews) == CONNECTIONS
    assert sorted(found) == [(job, 2**job) for job in (jobs[:CONNECTIONS] if given_up else jobs)]


def test_two_processes_verify_what_one_does(tmp_path: Path, small_parts: None) -> None:
    data, told = data_of(60), list[tuple[str, int, int]]()
    for number in (1, 2):
        built = ef.construct(data, workers=number, progress=lambda *step: told.append(step))
        built.certify(tmp_path / f"{number}.jsonl")
        assert told[-1] == ("verify", 180, 180)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    for wrong in (0, 31, 59):
        labels = [label if j != wrong else str((int(label) + 1) % 3) for j, label in enumerate(data.label_texts or [])]
        other = ef.Dataset(data.tokens, data.offsets, labels)
        targets = ef.construct(other).targets
        with pytest.raises(WrongTransformer, match=f"sequence {wrong} "):
            verify_interpolates(built.transformer, data, targets, workers=Workers(2))


def test_two_processes_enclose_what_one_does() -> None:
    data = data_of(4)
    one, two = (ef.construct(data, method="leaders", attention="softmax", workers=number) for number in (1, 2))
    assert one.softmax == two.softmax
    other = ef.construct(ef.Dataset(data.tokens, data.offsets, list("abcd"))).targets
    with pytest.raises(WrongTransformer):
        verify_encloses(one.transformer, data, other, Temperatures.of(1, None), workers=Workers(2))


def test_a_cluster_constructs_and_checks(tmp_path: Path, dask: Cluster, small_parts: None) -> None:
    """Each of its two workers is lost on the way, and replaced."""
    data, path = data_of(120), tmp_path / "cert.jsonl"
    lost: list[str] = []

    def lose(stage: str, done: int, total: int) -> None:
        if stage == "verify" and not lost:
            lost.append(stage)
            dask.kill_worker()
            dask.add_worker()

    built = ef.construct(data, scheduler=dask.address, progress=lose)
    built.certify(path)
    assert lost
    assert built.transformer == ef.construct(data).transformer
    settled = checker_workers.settled
    with pytest.MonkeyPatch.context() as patch:

        def lose_one(*given: Any) -> bool:
            if len(lost) == 1:
                dask.kill_worker()
                dask.add_worker()
                lost.append("check")
            return settled(*given)

        patch.setattr(checker_workers, "settled", lose_one)
        assert ef.check(path, scheduler=dask.address) == ef.check(path)
    assert lost == ["verify", "check"]


def test_a_cluster_gives_the_verdict_of_one_process(
    tmp_path: Path, dask: Cluster, small_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, path, mine = data_of(70), tmp_path / "cert.jsonl", tmp_path / "data.npz"
    here: list[int] = []
    run_part = checker_workers.run_part
    monkeypatch.setattr(checker_workers, "run_part", lambda task, part: here.append(part.first) or run_part(task, part))
    ef.construct(data).certify(path)
    lines = path.read_text().splitlines(keepends=True)
    for wrong in (None, 20, 69):
        tokens = data.tokens.array.copy()
        labels = np.array(data.labels)
        if wrong is not None:
            tokens[3 * wrong, 0] += 1
        np.savez(mine, tokens=tokens, offsets=data.offsets, labels=labels)
        here.clear()
        found = ef.check(path, data=mine, scheduler=dask.address)
        assert len(here) == (0 if wrong is None else 1)  # this process looks at the doubtful part alone
        assert found == ef.check(path, data=mine) == ef.check(path, data=mine, workers=2)
        assert found.verdict == ("accepted" if wrong is None else "rejected")
    spoilt = json.loads(lines[40])
    spoilt["targets"] = [["7", "7"]]
    lines[40] = json.dumps(spoilt, separators=(",", ":")) + "\n"
    path.write_text("".join(lines))
    found = ef.check(path, scheduler=dask.address)
    assert found == ef.check(path)
    assert (found.verdict, found.where) == ("rejected", "line 41")


def test_the_commands_take_workers_and_a_scheduler(
    tmp_path: Path, dask: Cluster, small_parts: None, capsys: pytest.CaptureFixture[str]
) -> None:
    data, path = tmp_path / "data.npz", str(tmp_path / "cert.jsonl")
    given = data_of(40)
    np.savez(data, tokens=given.tokens.array, offsets=given.offsets, labels=np.array(given.labels))
    answers = []
    for who in ([], ["--workers", "2"], ["--scheduler", dask.address]):
        assert code(["construct", str(data), "-o", path, "--json", *who]) == 0
        assert code(["check", path, "--data", str(data), *who]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("command", ["construct", "check"])
def test_no_scheduler_is_wrong_usage(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "TIMEOUT", 1)
    monkeypatch.setattr(checker_workers, "LINES", 2)
    path = str(tmp_path / "file.json")
    assert code(["sample", "random-classes", "-n", "9", "-d", "2", "-o", path]) == 0
    if command == "check":
        assert code(["construct", path, "-o", str(tmp_path / "cert.jsonl")]) == 0
        path = str(tmp_path / "cert.jsonl")
    assert code([command, path, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no dask scheduler answers" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["nonsense", "tcp://host", "tcp://host:port", "", "host:1/x"])
def test_what_is_no_address_is_said_at_once(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ef.SchedulerUnreachable, match="such as tcp://host:8786"):
        list(Workers(scheduler=address).results(worker_jobs.power, 1, [1]))
