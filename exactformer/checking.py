"""The door to the independent checker: `ef.check`.

The checker reads certificates and JSON only. Data in CSV, NPZ or NPY are read here, exactly: sequences are handed to it
one by one, everything else as a temporary JSON file; whether they are the data of the certificate is for the checker to
say. On a cluster, workers verify parts of the sequence lines with the checker of their own machine.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import JsonObject, NumberLike, canonical
from exactformer.errors import InvalidInput, SchedulerUnreachable
from exactformer.model.dataset import Dataset
from exactformer.model.file_kind import file_kind
from exactformer.model.json_lines import PathLike
from exactformer.workers import Workers
from proofs_check import Answers, Crew, Limits, Part, Task, Verdict, task_of
from proofs_check import check as run_checker
from proofs_check.caller import Sequence as MySequence
from proofs_check.points import lowest
from proofs_check.workers import answer, head_of

__all__ = ["EXIT_CODES", "Limits", "Verdict", "check"]

#: verdict -> exit code of every command that checks
EXIT_CODES = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}
#: claims about a data set of sequences; all others are about tokens
DATASET_CLAIMS = ("interpolation", "infeasible")


def check(
    certificate: PathLike,
    *,
    data: PathLike | None = None,
    positions: bool = False,
    A: PointsLike | None = None,
    alpha: NumberLike | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    scheduler: str | None = None,
) -> Verdict:
    """The verdict of the independent checker: accepted, rejected, malformed or declined, with where and why.

    `data` is the file the certificate must be about: JSON, CSV or NPZ (with `positions`, each token's position
    is appended as a coordinate first), tokens in JSON, CSV or NPY with `A` and `alpha`, or the model of a decision.
    With several `workers` the sequences of an interpolation are verified by so many processes, with a `scheduler` by
    the workers of a dask cluster; the verdict is the same.
    """
    limits = limits or Limits()
    crew = workers if scheduler is None else cluster_crew(scheduler, limits)
    with _readable(certificate, data, positions, A, alpha) as mine:
        try:
            return run_checker(os.fspath(certificate), mine, limits, crew)
        except SchedulerUnreachable:
            raise
        except OSError as problem:
            raise InvalidInput(f"cannot read {problem.filename}: {problem.strerror}; check the path") from problem


@contextmanager
def _readable(
    certificate: PathLike, data: PathLike | None, positions: bool, A: PointsLike | None, alpha: NumberLike | None
) -> Iterator[str | Sequences | None]:
    """The path of the data as JSON, of a temporary file if they are something else; or their sequences."""
    if data is None:
        yield None
        return
    changed = positions or A is not None or alpha is not None
    if file_kind(data) == "json" and Path(data).suffix.lower() != ".xz" and str(data) != "-" and not changed:
        yield os.fspath(data)
        return
    is_model = Path(data).suffix.lower() == ".xz"
    if not is_model and _about_sequences(certificate):
        yield Sequences(_dataset(data, positions))
        return
    content = _model(data) if is_model else _tokens(data, A, alpha)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps(content, default=canonical), encoding="utf-8")
        yield os.fspath(path)


def _dataset(path: PathLike, positions: bool) -> Dataset:
    dataset = Dataset.read(path)
    return dataset.with_positions() if positions else dataset


class Sequences(Sequence[MySequence]):
    """The sequences of a data set as the checker compares them, each made when it is asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, j: Any) -> Any:
        """Tokens, targets (none for labels), label; of a slice, a list of them."""
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(len(self)))]
        found = self.dataset[j]
        return _points(found.tokens), frozenset(() if found.targets is None else _points(found.targets)), found.label


def _points(state: State) -> list[tuple[int, ...]]:
    """The points as the checker writes them: integers over a denominator, in lowest terms."""
    return [lowest((*row, state.denominator)) for row in state.array.tolist()]


# ---- on a cluster ----


def cluster_crew(scheduler: str, limits: Limits) -> Crew:
    """The workers of a dask scheduler: each reads the lines before the sequences once, then verifies parts."""

    def crew(task: Task, found: Iterator[Part]) -> Answers:
        budget, mine, head = task.subject.file.budget, task.subject.mine, head_of(task)
        jobs = ((part, budget.spent, _of_part(mine, part)) for part in found)
        for (part, *_), said in Workers(scheduler=scheduler).results(answer_to, (head, limits), jobs):
            yield part, said

    return crew


def _of_part(mine: Sequence[MySequence] | None, part: Part) -> Sequence[MySequence] | None:
    return None if mine is None else mine[part.first : part.first + part.size]


def answer_to(shared: tuple[bytes, Limits], job: tuple[Part, int, Sequence[MySequence] | None]) -> bytes:
    """The checker's answer to a part, on whatever machine this is."""
    part, spent, mine = job
    with _ONE:
        task = _task(*shared)
        task.subject.mine = None if mine is None else dict(enumerate(mine, part.first))
        return answer(task, part, spent)


#: a task verifies one part at a time; threads of a worker would share it
_ONE = Lock()
_task = lru_cache(maxsize=1)(task_of)


def _tokens(path: PathLike, A: PointsLike | None, alpha: NumberLike | None) -> JsonObject:
    from exactformer.model.tokens import Tokens

    return Tokens.read(path, A=A, alpha=alpha).json()


def _model(path: PathLike) -> JsonObject:
    from exactformer.studies.sentiment.classifier_file import model_json, read_classifier

    return model_json(read_classifier(path))


def _about_sequences(certificate: PathLike) -> bool:
    """Whether the header says so; a file without a readable header is left to the checker."""
    try:
        with open(certificate, "rb") as file:
            header = json.loads(file.readline(100_000))
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(header, dict) and (header.get("claim") in DATASET_CLAIMS or "sequences" in header)
