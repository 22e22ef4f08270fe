"""What the atlas says of one statement, figure or table of a paper, and the commands that show it."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactformer.errors import InvalidInput

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject

#: the status of a statement
STATUSES = (
    "machine-checked",
    "certified on instances",
    "validated",
    "refuted",
    "reproduced",
    "exceeded",
    "analogous",
    "not reproduced",
    "unread",
)
#: how the statement is known to us
SOURCES = {
    "read": "read in public text",
    "code": "read in the code, the saved histories or the figures that its authors published",
    "second-hand": "known from a summary by others",
    "recalled": "known from memory: the wording was not read again",
    "ours": "our own statement, beside what the paper says",
    "none": "could not be read",
}
RELATIONS = ("==", "<=", ">=", "<", ">", "has")


@dataclass(frozen=True)
class Fact:
    """A relation between a value of a JSON answer and a constant.

    The path has keys and indices separated by dots; `*` stands for every entry, `#` for the number of entries.

    >>> Fact.of("layers.*.follows.0.# >= 1")
    Fact(path='layers.*.follows.0.#', relation='>=', value=1)
    """

    path: str
    relation: str
    value: object

    @classmethod
    def of(cls, text: str) -> Fact:
        """The fact that a line says; the constant is JSON, or the text itself."""
        parts = text.split(maxsplit=2)
        if len(parts) != 3 or parts[1] not in RELATIONS:
            raise InvalidInput(f"expected PATH RELATION VALUE with one of {', '.join(RELATIONS)}, got {text!r}")
        try:
            value = json.loads(parts[2])
        except ValueError:
            value = parts[2]
        return cls(parts[0], parts[1], value)


@dataclass(frozen=True)
class PaperCommand:
    """A command as a list of arguments, the exit code it must have, and what its answer must say."""

    argv: tuple[str, ...]
    exit_code: int = 0
    facts: tuple[Fact, ...] = ()

    @classmethod
    def of(cls, line: str, *facts: str, code: int = 0) -> PaperCommand:
        """The command of a line as one types it.

        >>> PaperCommand.of("exactformer limit square.json", "leaders == [0, 1]").argv
        ('exactformer', 'limit', 'square.json')
        """
        return cls(tuple(shlex.split(line)), code, tuple(map(Fact.of, facts)))

    @property
    def line(self) -> str:
        """The command as one types it."""
        return shlex.join(self.argv)


@dataclass(frozen=True)
class PaperStatement:
    """One row of the atlas.

    `words` says it in our words, `outcome` what came of it (how many instances, which one refutes it, by how much),
    `beyond` what the package adds; `theorem` is the name of the machine-checked theorem. The commands are run in
    order; some of them prepare, some check certificates. A row that takes more than a few seconds is not `quick`.
    """

    paper: str
    key: str
    name: str
    words: str
    status: str
    outcome: str
    source: str
    beyond: str = ""
    theorem: str = ""
    commands: tuple[PaperCommand, ...] = ()
    quick: bool = True

    @property
    def main(self) -> PaperCommand | None:
        """The command that shows the status: the last but those that check its certificate, where there is another."""
        ours = [command for command in self.commands if command.argv[0] == "exactformer"]
        shows = [command for command in ours if command.argv[1] != "check"] or ours
        return shows[-1] if shows else None

    def json(self) -> JsonObject:
        """As plain data: the contract's keys first."""
        return {
            "paper": self.paper,
            "statement": self.name,
            "status": self.status,
            "command": None if self.main is None else self.main.line,
            "key": self.key,
            "words": self.words,
            "outcome": self.outcome,
            "beyond": self.beyond or None,
            "known": SOURCES[self.source],
            "theorem": self.theorem or None,
            "commands": [command.line for command in self.commands],
        }


@dataclass(frozen=True)
class Paper:
    """A paper, its rows, and the statements known to us that no command shows yet."""

    number: str
    nickname: str
    title: str
    authors: str
    read: str
    statements: tuple[PaperStatement, ...]
    left: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Where it stands."""
        return f"https://arxiv.org/abs/{self.number}"


def unread(paper: str, key: str, name: str, words: str) -> PaperStatement:
    """A row of what could not be read: no command shows it."""
    return PaperStatement(paper, key, name, words, "unread", "nothing is claimed about it", "none")


def hunted(name: str, instances: int) -> tuple[PaperCommand, ...]:
    """The hunt after which a statement stands on so many exact instances."""
    line = f"exactformer hunt {name} --budget {instances} --seed 1"
    return (PaperCommand.of(line, "verdict == stands", f"true == {instances}", "undecided == 0"),)


def refuted(name: str, found: str, part: str = "tokens") -> tuple[PaperCommand, ...]:
    """The hunt that finds a counterexample with these tokens (or another part), and the checker that accepts it."""
    facts = ("verdict == refuted", f"instance.{part} == {found}")
    return (
        PaperCommand.of(f"exactformer hunt {name} --seed 1 -o {name}", *facts, code=1),
        accepted(f"{name}.jsonl", "counterexample"),
    )


def accepted(certificate: str, claim: str) -> PaperCommand:
    """The checker accepts a certificate."""
    return PaperCommand.of(f"proofs-check {certificate}", "verdict == accepted", f"claim == {claim}")
