"""`ef.hunt`: judge a statement on many exact instances, or get a small certified counterexample."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from exactformer.arithmetic.integers import count
from exactformer.arithmetic.short_text import MOST, show
from exactformer.conjectures.campaign import Campaign, CampaignProgress, Tally, conduct
from exactformer.conjectures.given_instance import certifiable, certify_counterexample
from exactformer.conjectures.own import Judge, conjecture
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.source import Source
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import plain_json
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.display.frames import DataFrame, frame
from exactformer.display.html import html, table
from exactformer.display.progress import teller
from exactformer.display.verbs import Certified, Drawn
from exactformer.errors import InvalidInput, Undecided
from exactformer.instances.enumeration import Enumeration
from exactformer.instances.kinds import kind_of, read_instance
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike, write_atomically
from exactformer.io.untyped import AnyInstance
from exactformer.model.tokens import Tokens

#: instances judged unless a budget is given
INSTANCE_BUDGET = 3000


@dataclass(frozen=True, repr=False)
class Finding(Certified, Drawn):
    """A counterexample as it was found, at an index of the campaign; `small` is what shrinking makes of it."""

    statement: Statement
    index: int
    found: AnyInstance

    @cached_property
    def _small(self) -> tuple[AnyInstance, StatementVerdict]:
        return shrink(self.statement, self.found)

    @property
    def small(self) -> AnyInstance:
        """The counterexample none of whose simplifications is one."""
        return self._small[0]

    @property
    def verdict(self) -> StatementVerdict:
        """The false verdict on the small counterexample, with its witness."""
        return self._small[1]

    @property
    def certifiable(self) -> bool:
        """Whether there is a certificate: own statements about data sets or Frank-Wolfe instances have none."""
        return certifiable(self.statement, self.small)

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate: `counterexample` for statements of the catalogue, else the facts as an `orbit`."""
        certify_counterexample(self.statement, self.small, self.verdict, path)
        return Path(path)

    def write(self, prefix: PathLike) -> list[Path]:
        """Writes PREFIX.jsonl (the certificate, where there is one), PREFIX.json (the instance) and PREFIX.tex."""
        certificate, instance, tex = (Path(f"{os.fspath(prefix)}.{end}") for end in ("jsonl", "json", "tex"))
        certificate.parent.mkdir(parents=True, exist_ok=True)
        if self.certifiable:
            self.certify(certificate)
        write_atomically(instance, json.dumps(self.json()["instance"]).encode() + b"\n")
        write_atomically(tex, self.latex().encode())
        return [certificate, instance, tex] if self.certifiable else [instance, tex]

    def json(self) -> JsonObject:
        """The finding as plain data, exact numbers as canonical text."""
        small = kind_of(self.small).json(self.small)
        content = {"finding": self.statement.name, "index": self.index, "instance": small}
        return plain_json(content | {"witness": dict(self.verdict.witness)})

    def __repr__(self) -> str:
        witness = ", ".join(f"{key} {show(value, most=MOST)}" for key, value in self.verdict.witness.items())
        return f"Finding({self.statement.name} is false for {self.small!r}{': ' if witness else ''}{witness})"

    def latex(self) -> str:
        """The counterexample as a LaTeX paragraph."""
        witness = ", ".join(f"{key} {text(value)}" for key, value in self.verdict.witness.items())
        body = kind_of(self.small).latex(self.small)
        words = _escaped(self.statement.words)
        return f"% a counterexample to {self.statement.name}\n\\noindent\\emph{{False:}} {words}\n\\[ {body} \\]\n" + (
            f"\\noindent Witness: {_escaped(witness)}.\n" if witness else ""
        )

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {kind_of(self.small).latex(self.small)}$"

    def _repr_html_(self) -> str:
        rows = [[key, text(value)] for key, value in self.verdict.witness.items()]
        words, small = self.statement.words, repr(self.small)
        instance = html("<p><b>False:</b> {words}</p><p>{small}</p>", words=words, small=small)
        return instance + (table(["witness", ""], rows) if rows else "")


def text(value: object) -> str:
    """A witness as text: exact numbers in canonical form."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=canonical).replace('"', "")


def _escaped(words: str) -> str:
    for sign in "_&%#":
        words = words.replace(sign, f"\\{sign}")
    return words.replace("^", r"\^{}").replace("<", r"$<$").replace(">", r"$>$")


@dataclass(frozen=True, repr=False)
class HuntReport(Certified, Drawn):
    """What a campaign found: `refuted`, `undecided`, or that the statement `stands` on the instances judged."""

    statement: Statement
    seed: int
    tally: Tally

    @property
    def verdict(self) -> Literal["refuted", "stands", "undecided"]:
        """Refuted by a counterexample; undecided if an instance stayed so; else it stands, which is not a proof."""
        if self.tally.counts["false"]:
            return "refuted"
        return "undecided" if self.tally.counts["undecided"] else "stands"

    def __bool__(self) -> bool:
        """Whether the statement stands; an undecided hunt raises, it never becomes False."""
        if self.verdict == "undecided":
            raise Undecided(str(self))
        return self.verdict == "stands"

    @property
    def exit_code(self) -> int:
        """1 refuted, 0 stands, 4 undecided."""
        return {"refuted": 1, "stands": 0, "undecided": 4}[self.verdict]

    @cached_property
    def findings(self) -> list[Finding]:
        """The counterexamples, in the order of their indices."""
        return [Finding(self.statement, index, read_instance(found)) for index, found, _ in self.tally.findings]

    @property
    def counterexample(self) -> Finding | None:
        """The first counterexample, if there is one."""
        return self.findings[0] if self.findings else None

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate of the first counterexample, and returns its path; InvalidInput where there is none.

        That a statement stands on the instances judged proves nothing, so there is nothing to certify.
        """
        if self.counterexample is None:
            raise InvalidInput(f"certify: expected a hunt with a counterexample, got {self}")
        return self.counterexample.certify(path)

    def to_pandas(self) -> DataFrame:
        """A frame with the columns index, counterexample, witness; one row per counterexample, as it was shrunk."""
        rows = ([one.index, one.small, dict(one.verdict.witness)] for one in self.findings)
        return frame(["index", "counterexample", "witness"], rows)

    def json(self) -> JsonObject:
        """The summary as plain data; the same for every number of workers."""
        return {
            "summary": self.statement.name,
            "status": self.statement.status,
            "verdict": self.verdict,
            "seed": self.seed,
            "instances": self.tally.judged,
            **self.tally.counts,
            "nearest": self.tally.nearest,
            "histogram": self.tally.histogram,
        }

    def __str__(self) -> str:
        name, judged, unsettled = self.statement.name, self.tally.judged, self.tally.counts["undecided"]
        if self.verdict == "refuted":
            return f"{name} is refuted: instance {self.tally.findings[0][0]} (seed {self.seed}) is a counterexample"
        if self.verdict == "undecided":
            return f"{name}: {unsettled} of {judged} instances stayed undecided (seed {self.seed})"
        return f"{name} stands on {judged} instances (seed {self.seed}); not a proof"

    def __repr__(self) -> str:
        return f"HuntReport({self})"

    def _repr_html_(self) -> str:
        return html("<p>{text}</p>", text=str(self))


def hunt(
    target: str | Statement | Judge,
    *,
    budget: int = INSTANCE_BUDGET,
    seed: int = 0,
    workers: int = 1,
    store: PathLike | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] = (0, 1),
    exhaustive: int | None = None,
    independent: bool = False,
    keep_going: bool = False,
    progress: CampaignProgress | bool | None = None,
) -> HuntReport:
    """Judges a statement (a name of the catalogue, a file, a Statement, or a function) on `budget` exact instances.

    `seed` alone decides what is found, whatever `workers`, `store` and `scheduler` are. `exhaustive=b` judges
    all small integers up to b in place of a search; `independent=True` draws every instance afresh in place of varying
    near misses, thousands at a time, which is faster by far for most statements about tokens. A script that asks for
    more than one worker needs the usual `if __name__ == "__main__":`, since workers import it.
    Raises InvalidInput for an unknown name, Malformed for a bad file or the store of another campaign.
    `progress=True` says on standard error how far the hunt is.

    >>> hunt("leader-indefinite", budget=500).counterexample.small.state.rows()
    [(Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1))]
    """
    budget, workers, seed = count(budget, "budget", 1), count(workers, "workers", 1), count(seed, "seed")
    if independent and exhaustive is not None:
        raise InvalidInput("independent: expected no `exhaustive`, since all small instances leave nothing to draw")
    if not (isinstance(shard, tuple) and len(shard) == 2 and 0 <= count(shard[0], "shard") < count(shard[1], "shard")):
        raise InvalidInput(f"shard: expected (i, N) with 0 <= i < N, got {shard!r:.60}")
    source = Source.of(target if isinstance(target, (str, Statement)) else conjecture()(target))
    statement = source.statement()
    if source.given is not None and (workers > 1 or scheduler is not None):
        raise InvalidInput("a statement made in Python is judged in one process: save it as a file for more workers")
    space = None if exhaustive is None else _space(statement, exhaustive)
    campaign = Campaign(source, seed, budget, shard, space, keep_going, independent)
    tell = teller(progress, lambda tally, speed: f"{tally.judged:,} of {budget:,} instances, {speed:,.0f} a second")
    return HuntReport(
        statement, seed, conduct(campaign, workers=workers, store=store, scheduler=scheduler, progress=tell)
    )


def _space(statement: Statement, bound: int) -> Enumeration:
    """All small instances, for statements about tokens."""
    from random import Random

    bound = count(bound, "exhaustive", 1)
    if not isinstance(statement.generate(Random(0)), Tokens):
        raise InvalidInput(f"{statement.name}: exhaustive enumeration is for statements about tokens")
    return Enumeration(bound)
