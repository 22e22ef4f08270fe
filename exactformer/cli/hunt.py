"""exactformer hunt: judge a conjecture on many exact instances, or refute it with a certified counterexample."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import (
    Options,
    echo,
    input_path,
    interrupt,
    json_option,
    note_input,
    output_path,
    say,
    shows_progress,
    worker_options,
)
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from exactformer.conjectures.campaign import Tally
    from exactformer.conjectures.hunt import Finding, HuntReport
    from exactformer.conjectures.statement import Statement
    from exactformer.io.json_lines import JsonObject


@click.command("hunt")
@click.argument("conjecture", required=False)
@click.option("--list", "list_all", is_flag=True, help="List the statements of the catalogue.")
@click.option("--show", metavar="NAME", help="Show one statement: words, hypotheses, source, status.")
@click.option("--budget", type=click.IntRange(1), default=None, help="Instances to judge (3000).")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed finds the same instances."
)
@worker_options
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="Folder of a resumable campaign.")
@click.option("--shard", metavar="i/N", help="Judge every N-th shard from the i-th on (for batch queues).")
@click.option("--exhaustive", type=click.IntRange(1), metavar="B", help="All tokens with coordinates -B..B instead.")
@click.option(
    "--independent", is_flag=True, help="Draw instances independently, thousands at a time: for large budgets."
)
@click.option("--instance", type=input_path, metavar="FILE", help="Judge this one instance instead, with its witness.")
@click.option("--all", "keep_going", is_flag=True, help="Continue after the first counterexample.")
@click.option(
    "-o", "--output", metavar="PREFIX", help="Write PREFIX.jsonl (certificate), PREFIX.json (instance), PREFIX.tex."
)
@json_option
def command(conjecture: str | None, list_all: bool, show: str | None, as_json: bool, **options: OptionValue) -> int:
    """Judge CONJECTURE (a name of the catalogue, or a FILE.py of your own) on many exact instances.

    A FILE.py is a Python program and is executed: use only files that you trust.

    Exits 1 with a counterexample, 0 if the statement stands on every instance (which is not a proof), 4 if an
    instance stayed undecided. With --instance: 0 true, 1 false, 4 undecided, 3 outside the hypotheses.

    \b
    Example:
      exactformer hunt --list
      exactformer hunt every-leader-leads-at-once --seed 1 -o found
    """
    _say_what_is_executed(conjecture if show is None else show)
    if list_all or show is not None:
        _list(as_json) if show is None else _describe(show, as_json)
        return 0
    if conjecture is None:
        raise click.UsageError("expected a CONJECTURE or a FILE.py; --list names what is there")
    _verify_known(conjecture)
    if options["instance"] is not None:
        from exactformer.cli.hunt_instance import judge_instance

        return judge_instance(conjecture, options["instance"], options["output"], as_json)
    return _hunt(conjecture, as_json, options)


def _say_what_is_executed(name: str | None) -> None:
    if name is not None and name.endswith(".py"):
        say(f"{name} is a Python program: it is executed")


def _list(as_json: bool) -> None:
    """The statements of the catalogue."""
    from exactformer.conjectures.catalogue import catalogue

    known = catalogue().values()
    table = AnswerTable("statements", ("name", "status", "statement"), ((s.name, s.status, s.words) for s in known))
    present(as_json, lambda: list(map(_json, known)), [table])


def _json(s: Statement) -> JsonObject:
    return {"name": s.name, "status": s.status, "source": s.source, "statement": s.words}


def _describe(name: str, as_json: bool) -> None:
    """One statement with its hypotheses."""
    from exactformer.conjectures.source import Source

    _verify_known(name)
    s = Source.of(name).statement()
    hypotheses = [h.words for h in s.hypotheses]
    shown = [
        f"{s.name} ({s.status})\n\n  {s.words}\n\nHypotheses, checked exactly on every instance:",
        *(f"  - {words}" for words in hypotheses),
        f"\nSource: {s.source}",
    ]
    present(as_json, lambda: {**_json(s), "hypotheses": hypotheses}, shown)


def _verify_known(name: str) -> None:
    """A name that is neither a statement nor a file is wrong usage; the nearest names are suggested."""
    from exactformer.conjectures.catalogue import catalogue, nearest_names

    if not name.endswith(".py") and name not in catalogue():
        near = nearest_names(name)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise click.UsageError(f"no statement is called {name!r}.{hint} `exactformer hunt --list` names them all.")


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, 1
    first, slash, last = text.partition("/")
    if not (slash and first.isdigit() and last.isdigit() and int(first) < int(last)):
        raise click.UsageError(f"--shard: expected i/N with 0 <= i < N, such as 0/4, got {text!r}")
    return int(first), int(last)


def _hunt(conjecture: str, as_json: bool, options: Options) -> int:
    from exactformer.conjectures.hunt import INSTANCE_BUDGET, hunt

    if options["independent"] and options["exhaustive"] is not None:
        raise click.UsageError("--independent and --exhaustive exclude each other")
    seed, exhaustive, prefix = options["seed"], options["exhaustive"], _prefix(conjecture, options)
    budget = options["budget"] or (INSTANCE_BUDGET if exhaustive is None else sys.maxsize)
    say(f"seed {seed}")
    try:
        with _terminable(), _bar(conjecture, budget if exhaustive is None else None) as progress:
            report = hunt(
                conjecture,
                budget=budget,
                seed=seed,
                workers=options["workers"],
                store=options["store"],
                scheduler=options["scheduler"],
                shard=_part(options["shard"]),
                exhaustive=exhaustive,
                independent=options["independent"],
                keep_going=options["keep_going"],
                progress=progress,
            )
    except KeyboardInterrupt:
        echo(_kept(options["store"]), err=True)
        raise
    for k, finding in enumerate(report.findings):
        files = [str(path) for path in ([] if prefix is None or k else finding.write(prefix))]
        answer = {**finding.json(), "seed": report.seed, "files": files}
        present(as_json, answer, () if k else _finding_shown(finding, files))
    present(as_json, report.json, _shown(report))
    return report.exit_code


def _kept(store: Path | None) -> str:
    """What an interrupted hunt leaves behind, and how to go on."""
    if store is None:
        return (
            "exactformer: nothing was saved; --store DIR keeps what is judged, so that the same command goes on from it"
        )
    return f"exactformer: every finished shard is saved in {store}; the same command goes on from there"


def _prefix(conjecture: str, options: Options) -> str | None:
    """What the names of the counterexample's files begin with; that they can be written is verified here."""
    if conjecture.endswith(".py"):
        note_input(Path(conjecture))
    if not options["output"]:
        return options["store"] and str(options["store"] / "counterexample")
    prefix = str(options["output"]).removesuffix(".jsonl")  # -o found.jsonl means found.jsonl
    for ending in ("jsonl", "json", "tex"):
        output_path.convert(f"{prefix}.{ending}", None, None)
    return prefix


@contextmanager
def _terminable() -> Iterator[None]:
    """A batch queue's SIGTERM ends a campaign as Ctrl-C does: workers go, the store stays whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _shown(report: HuntReport) -> Shown:
    tally = report.tally
    most = max(*tally.histogram, 1)
    bins = [(f"{k / 10:.1f}-{(k + 1) / 10:.1f}", n, "#" * -(-40 * n // most)) for k, n in enumerate(tally.histogram)]
    counts = ", ".join(f"{outcome} {n}" for outcome, n in tally.counts.items())
    yield AnswerTable(str(report), ("nearness", "instances", ""), bins, counts)
    for index, why in tally.undecided[:3]:
        echo(f"instance {index} is undecided: {why}", err=True)


def _finding_shown(finding: Finding, files: list[str]) -> Shown:
    from exactformer.conjectures.hunt import text

    content = finding.json()
    yield f"counterexample, from instance {finding.index}:"
    for key, value in content["instance"].items():
        if key not in ("exactformer", "version"):
            yield f"  {key} = {text(value)}"
    if content["witness"]:
        yield "  witness: " + ", ".join(f"{key} {text(value)}" for key, value in content["witness"].items())
    yield from (f"  wrote {path}" for path in files)


@contextmanager
def _bar(name: str, total: int | None) -> Iterator[Callable[[Tally, float], None] | None]:
    """A progress bar with rate, verdict counts and the nearest miss, if stderr is a terminal."""
    if not shows_progress():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"), TimeElapsedColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total, note="")

        def tell(tally: Tally, rate: float) -> None:
            counts = " ".join(f"{outcome} {n}" for outcome, n in tally.counts.items())
            note = f"{tally.judged} judged, {rate:.0f}/s, {counts}, nearest {tally.nearest:.3f}"
            bar.update(task, completed=tally.judged, note=note)

        yield tell
