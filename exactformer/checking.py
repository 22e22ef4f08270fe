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
from exactformer.arithmetic.text import NumberLike
from exactformer.certificates.certificate import Certificate
from exactformer.display.html import html
from exactformer.display.verbs import Certified
from exactformer.errors import ExactformerError, InvalidInput, NotAccepted, SchedulerUnreachable
from exactformer.io.canonical import canonical
from exactformer.io.file_kind import file_kind, form_of
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.loading import load
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.parallel import Workers
from proofs_check import Answers, Crew, Limits, Part, Task, task_of
from proofs_check import Verdict as PlainVerdict
from proofs_check import check as run_checker
from proofs_check.core.caller import Sequence as MySequence
from proofs_check.core.points import lowest
from proofs_check.fast.workers import answer, head_of

#: our own files that are not certificates, and what to do with each
_OTHER_KINDS = {
    "tokens": "a token file: exactformer limit proves where its tokens end, and writes a certificate with -o",
    "dataset": "a data set: exactformer construct builds a transformer for it, and writes a certificate with -o",
    "transformer": "a transformer file: exactformer run evaluates it",
}

__all__ = ["EXIT_CODES", "Limits", "Verdict", "check"]

#: verdict -> exit code of every command that checks
EXIT_CODES = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}
#: claims about a data set of sequences; all others are about tokens
DATASET_CLAIMS = ("interpolation", "infeasible")


class Verdict(PlainVerdict):
    """accepted, rejected, malformed or declined, with where and why; true only if accepted."""

    @property
    def accepted(self) -> bool:
        """Whether the claim is proved; every other verdict leaves it open, or says that the file proves nothing."""
        return self.verdict == "accepted"

    def __bool__(self) -> bool:
        return self.accepted

    def __repr__(self) -> str:
        claim = f", claim {self.claim}" if self.claim else ""
        return f"Verdict({self.verdict}{claim}{f' at {self.where}' if self.where else ''}: {self.why:.100})"

    def raise_for_verdict(self) -> Verdict:
        """This verdict if it is accepted; raises NotAccepted with where and why if it is not."""
        if not self.accepted:
            raise NotAccepted(f"{self.verdict}: {self.where}: {self.why}")
        return self

    def json(self) -> JsonObject:
        """The verdict as plain data: verdict, claim, where, why, tier."""
        return {key: getattr(self, key) for key in ("verdict", "claim", "where", "why", "tier")}

    def _repr_html_(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return html("<p><b>{verdict}</b>{place}: {why}</p>", verdict=self.verdict, place=place, why=self.why)


def check(
    certificate: PathLike | Certificate | Certified,
    *,
    data: PathLike | None = None,
    positions: bool = False,
    A: PointsLike | None = None,
    alpha: NumberLike | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    weights: PathLike | None = None,
    plain: bool = False,
) -> Verdict:
    """The verdict of the independent checker: accepted, rejected, malformed or declined, with where and why.

    The certificate is a path, an opened certificate, or a result that has one (`check(built)` writes it, checks the
    file and removes it). A verdict is true only if it is *accepted*; `.raise_for_verdict()` raises otherwise.
    `data` is the file the certificate must be about: JSON, CSV or NPZ (with `positions`, each token's position
    is appended as a coordinate first), tokens in JSON, CSV or NPY with `A` and `alpha`, or the model of a decision.
    With several `workers` the sequences of an interpolation are verified by so many processes, with a `scheduler` by
    the workers of a dask cluster; the verdict is the same. `weights` is the file of the weights of a trained network
    (.f32), where the certificate has only their digest. If `plain`, the checker evaluates its definitions as they
    stand, without short cuts and in this process: slower, and less to read for who doubts; the verdict is the same.
    """
    if plain and (workers != 1 or scheduler is not None):
        raise InvalidInput("expected one process with `plain`, got workers or a scheduler; leave them out")
    beside = None if weights is None else os.fspath(weights)
    limits = limits or Limits()
    crew = workers if scheduler is None else cluster_crew(scheduler, limits)
    with certificate_file(certificate) as path, _readable(path, data, positions, A, alpha) as mine:
        try:
            verdict = run_checker(os.fspath(path), mine, limits, crew, beside, plain)
        except SchedulerUnreachable:
            raise
        except OSError as problem:
            raise InvalidInput(f"cannot read {problem.filename}: {problem.strerror}; check the path") from problem
        other = other_kind(path) if verdict.verdict == "malformed" else None
        why = verdict.why if other is None else f"expected a certificate, got {other}"
        return Verdict(verdict.verdict, verdict.claim, verdict.where, why, verdict.tier, verdict.also)


@contextmanager
def certificate_file(thing: object) -> Iterator[PathLike]:
    """The path of a certificate: as given, of an opened one, or of a temporary file written for a result."""
    if isinstance(thing, (str, os.PathLike)):
        yield thing
    elif isinstance(thing, Certificate):
        yield thing.path
    elif isinstance(thing, Certified):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{type(thing).__name__.lower()}.jsonl"
            thing.certify(path)
            yield path
    else:
        raise InvalidInput(
            "expected the path of a certificate, or a result that has one (construct, repair, limit, simulate, "
            f"a finding of hunt), got {thing!r:.60}"
        )


def other_kind(path: PathLike) -> str | None:
    """What a file is, in words, where it is one of our own files and not a certificate; None otherwise."""
    try:
        return _OTHER_KINDS.get(form_of(path) or type(load(path)).__name__.lower())
    except (ExactformerError, OSError):
        return None


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
        found, texts = self.dataset[j], self.dataset.label_texts
        targets = frozenset(() if found.targets is None else _points(found.targets))
        return _points(found.tokens), targets, None if texts is None else texts[j]


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
