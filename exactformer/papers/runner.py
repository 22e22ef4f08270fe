"""Runs the commands of a row in a folder and compares what came out with what the row says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.papers.index import statements
from exactformer.papers.statement import Fact, PaperCommand, PaperStatement

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject

#: the program of a command -> the module that is it
PROGRAMS = {"exactformer": "exactformer", "proofs-check": "proofs_check"}
#: characters of a value that are shown
SHOWN = 160


@dataclass(frozen=True)
class Done:
    """The exit code of a command and what it wrote."""

    exit_code: int
    out: str
    err: str


Execute = Callable[[tuple[str, ...], Path], Done]


@dataclass(frozen=True)
class Ran:
    """What a command of a row did: the values its facts speak of, and what is not as the row says."""

    command: PaperCommand
    shown: tuple[str, ...]
    wrong: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.wrong

    def json(self) -> JsonObject:
        """As plain data."""
        return {"command": self.command.line, "shown": list(self.shown), "wrong": list(self.wrong)}


def run(name: str | None = None, *, quick: bool = True) -> list[Ran]:
    """What the commands of the rows of a name did, in a folder that is gone afterwards; false where one differs.

    `quick` leaves out the rows that take more than a few seconds.
    """
    from exactformer.papers.inputs import write_inputs

    rows = [row for row in statements(name) if row.quick or not quick]
    with tempfile.TemporaryDirectory(prefix="exactformer-papers-") as place:
        write_inputs(Path(place))
        return [outcome for row in rows for outcome in run_statement(row, Path(place))]


def run_statement(row: PaperStatement, folder: Path, execute: Execute | None = None) -> Iterator[Ran]:
    """The outcome of every command of a row, in order, up to the first that does not do what the row says."""
    for command in row.commands:
        outcome = _outcome(command, (execute or run_program)(_asked(command), folder))
        yield outcome
        if not outcome:
            return


def run_program(argv: tuple[str, ...], folder: Path) -> Done:
    """Runs a command in a process of its own, without a shell, with this interpreter."""
    command = [sys.executable, "-m", PROGRAMS[argv[0]], *argv[1:]]
    environment = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    return Done(done.returncode, done.stdout, done.stderr)


def _asked(command: PaperCommand) -> tuple[str, ...]:
    """The command with --json where its answer is looked at."""
    return (*command.argv, "--json") if command.facts else command.argv


def _outcome(command: PaperCommand, done: Done) -> Ran:
    if done.exit_code != command.exit_code:
        said = (done.err or done.out).strip()[-SHOWN:]
        return Ran(command, (), (f"exit code {done.exit_code}, not {command.exit_code}: {said}",))
    shown, wrong = [f"exit code {done.exit_code}"], []
    answer = _answer(done.out) if command.facts else None
    for fact in command.facts:
        values = values_at(answer, fact.path)
        shown.append(f"{fact.path} = {_short(values)}")
        if not values or not all(fact_holds(value, fact) for value in values):
            wrong.append(f"expected {fact.path} {fact.relation} {json.dumps(fact.value)}, got {_short(values)}")
    return Ran(command, tuple(shown), tuple(wrong))


def _answer(out: str) -> object:
    """The JSON value of an answer; of several lines, as hunts print them, the keys of the first and the last."""
    lines = [json.loads(line) for line in out.splitlines() if line.startswith(("{", "["))]
    if not lines:
        return None
    return lines[0] if len(lines) == 1 else {**lines[0], **lines[-1]}


def values_at(answer: object, path: str) -> list[object]:
    """The values a path leads to, none where it leads nowhere.

    >>> values_at({"rows": [{"a": 1}, {"a": 2}]}, "rows.*.a"), values_at({"rows": []}, "rows.#")
    ([1, 2], [0])
    """
    found = [answer]
    for part in path.split("."):
        found = [value for old in found for value in _step(old, part)]
    return found


def _step(value: object, part: str) -> list[object]:
    if part == "#":
        return [len(value)] if isinstance(value, list | dict) else []
    if isinstance(value, dict):
        return list(value.values()) if part == "*" else [value[part]] if part in value else []
    if not isinstance(value, list):
        return []
    if part == "*":
        return value
    index = int(part)
    return [value[index]] if -len(value) <= index < len(value) else []


def fact_holds(value: object, fact: Fact) -> bool:
    """Whether a value has the relation of a fact; numbers are compared as numbers, `p/q` included.

    >>> fact_holds("1/3", Fact.of("x <= 0.5")), fact_holds([1, 2], Fact.of("x has 2"))
    (True, True)
    >>> fact_holds(None, Fact.of("x < 1"))
    False
    """
    if fact.relation == "has":
        return isinstance(value, str | list) and fact.value in value
    if fact.relation == "==":
        return bool(value == fact.value)
    left, right = _number(value), _number(fact.value)
    if left is None or right is None:
        return False
    return {"<=": left <= right, ">=": left >= right, "<": left < right, ">": left > right}[fact.relation]


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):  # words, nan, infinity
        return None


def _short(values: list[object]) -> str:
    same = len(values) > 1 and all(value == values[0] for value in values)
    text = json.dumps(values[0] if same or len(values) == 1 else values, ensure_ascii=False)
    text = f"{len(values)} times {text}" if same else text
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}.."
