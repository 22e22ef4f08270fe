"""`exactformer construct`: a transformer that interpolates a data set exactly, and its certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import Options, echo, input_path, json_option, output_path, progress, say, worker_options
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.constructions.methods.table import METHODS, methods_with
from exactformer.errors import InvalidInput, NoConstruction, Reason
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from exactformer.constructions.build_report import BuildReport
    from exactformer.constructions.built_transformer import Built
    from exactformer.io.json_lines import JsonObject
    from exactformer.model.dataset import Dataset

COLUMNS = ("method", "blocks", "bound", "paper_bound", "width", "parameters", "max_bits", "attention_rank", "margin")
SOFT_COLUMNS = ("method", "blocks", "bound", "paper_bound", "width", "parameters", "max_bits", "exact at", "scale")


@click.command("construct")
@click.argument("data", type=input_path)
@click.option(
    "--method",
    type=click.Choice([*METHODS, "all"]),
    default="shallow",
    show_default=True,
    help="How to build it; all builds with every method and compares.",
)
@click.option(
    "--width",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="Units per block (deep, softmax leaders).",
)
@click.option("--groups", type=click.IntRange(min=1), help="At most this many slopes that store the labels (compact).")
@click.option("--robust", is_flag=True, help="Plateaus around every token: a positive margin (shallow, deep).")
@click.option("--balance", is_flag=True, help="Rescale the weights by powers of two to a small norm.")
@click.option("--positions", is_flag=True, help="Append the position of every token as one more coordinate.")
@click.option(
    "--label-targets", type=input_path, help='JSON file {"label": [coordinates], ..} of points for the labels.'
)
@click.option(
    "--attention",
    type=click.Choice(["hardmax", "softmax"]),
    help="Softmax: leaders is exact at every beta >= --beta, shallow and deep at every one.  [default: hardmax]",
)
@click.option(
    "--beta",
    help="Inverse temperature of softmax: the least for leaders (default 1), the only one for temperature.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random choices.")
@worker_options
@click.option("-o", "--output", type=output_path, help="Write the certificate here.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, data: Path, output: Path | None, as_json: bool, **options: OptionValue) -> None:
    """Build a transformer that maps every sequence of DATA exactly onto its targets, and prove it.

    DATA is a data set in JSON, CSV or NPZ, or - for the standard input. If no transformer exists, every reason is
    listed, the certificate proves it, and the exit code is 1. With --workers several processes verify the sequences,
    with --scheduler the workers of a dask cluster.

    \b
    Example:
      exactformer sample random-classes -n 20 -d 3 --seed 1 -o data.json
      exactformer construct data.json --method deep --width 8 -o cert.jsonl
      exactformer check cert.jsonl --data data.json
    """
    from exactformer.model.dataset import Dataset

    _verify_usage(options)
    if options["method"] == "all" and output is not None:
        raise click.UsageError("--method all compares the methods; choose one of them to write a certificate")
    say(f"seed {options['seed']}")
    dataset = Dataset.read(data)
    if options["groups"] is not None and options["groups"] > len(dataset):
        raise click.UsageError(f"--groups: expected at most {len(dataset)}, the sequences, got {options['groups']}")
    for remark in dataset.remarks:
        say(f"{data}: {remark}")
    if options["method"] == "all":
        ctx.exit(_compare(dataset, options, as_json))
    try:
        built = _build(dataset, options["method"], options)
    except NoConstruction as refusal:
        _refuse(refusal, dataset, options, output, as_json)
        ctx.exit(1)
    if output is not None:
        built.certify(output)
    row = built.report.json()
    present(as_json, row, _shown([row]))
    if built.attention == "softmax":
        proved = built.softmax.temperatures if built.softmax is not None else "every temperature, and hardmax"
        say(f"proved for softmax at {proved}", quiet=as_json)
    _remark_on_size(built.report, options)
    if output is not None:
        say(f"wrote {output}", quiet=as_json)


def _remark_on_size(report: BuildReport, options: Options) -> None:
    """Where compact is not what was hoped for: shallow has fewer numbers, or the groups are more than asked for."""
    figures = report.compact
    if figures is None:
        return
    if figures.shallow_parameters < report.parameters:
        say(f"--method shallow needs fewer numbers here: {figures.shallow_parameters}, not {report.parameters}")
    if options["groups"] is not None and figures.groups > options["groups"]:
        say(f"{figures.groups} groups, not {options['groups']}: lattice reduction fills no slope with so many labels")


def _verify_usage(options: Options) -> None:
    """Raises UsageError where options do not fit the method."""
    method, attention = options["method"], options["attention"]
    if options["groups"] is not None and method not in methods_with("groups"):
        raise click.UsageError(f"--groups is for the method {' and '.join(methods_with('groups'))}")
    if options["robust"] and method not in ("all", *methods_with("robust")):
        raise click.UsageError(f"--robust is for the methods {' and '.join(methods_with('robust'))}")
    attentions = ("hardmax", "softmax") if method == "all" else METHODS[method].attentions
    if attention == "softmax" and attention not in attentions:
        raise click.UsageError(f"--attention softmax is for all methods but {method}")
    if attention == "hardmax" and attention not in attentions:
        raise click.UsageError(f"--method {method} is for --attention softmax")
    if attentions == ("softmax",) and options["beta"] is None:
        raise click.UsageError(f"--method {method} is exact at one temperature: give it as --beta, such as --beta 1")
    if options["beta"] is not None and attentions != ("softmax",) and attention != "softmax":
        raise click.UsageError("--beta is the inverse temperature of softmax: add --attention softmax")


def _build(dataset: Dataset, method: str, options: Options) -> Built:
    from exactformer.constructions.pipeline import construct

    with _bar(method) as tell:
        return construct(
            dataset,
            method=method,
            width=options["width"],
            groups=options["groups"],
            robust=options["robust"],
            balance=options["balance"],
            attention=options["attention"],
            beta=options["beta"],
            label_targets=read_label_targets(options["label_targets"]),
            positions=options["positions"],
            seed=options["seed"],
            progress=tell,
            workers=options["workers"],
            scheduler=options["scheduler"],
        )


@contextmanager
def _bar(method: str) -> Iterator[Callable[[str, int, int], None]]:
    """One bar over the percent of the work: finding a coordinate, building, then verifying block by block."""
    start = {"coordinate": 0, "build": 20, "verify": 50}
    with progress(f"construct ({method})", 100) as update:
        share = {"coordinate": 20, "build": 30, "verify": 50}
        yield lambda stage, done, total: update(start[stage] + (done * share[stage]) // total)


def read_label_targets(path: Path | None) -> JsonObject | None:
    """The points of a --label-targets file."""
    if path is None:
        return None
    from exactformer.io.json_lines import read_bytes, strict_json

    value = strict_json(read_bytes(path), str(path))
    if not isinstance(value, dict) or not all(isinstance(point, list) for point in value.values()):
        raise InvalidInput(f'{path}: expected {{"label": [coordinates], ..}}, got {value!r:.60}')
    return value


def _compare(dataset: Dataset, options: Options, as_json: bool) -> int:
    """A row per method; 0 if any of them builds."""
    rows: list[JsonObject] = []
    attention = options["attention"] or "hardmax"
    for method in (known.name for known in METHODS.values() if attention in known.attentions):
        chosen = {**options, "robust": options["robust"] and method in methods_with("robust")}
        if "hardmax" not in METHODS[method].attentions:
            chosen["beta"] = options["beta"] or "1"
        try:
            rows.append(_build(dataset, method, chosen).report.json())
        except NoConstruction as refusal:
            rows.append({"method": method, "feasible": False, "reasons": _reasons(refusal)})
    present(as_json, rows, _shown(rows))
    return 0 if any("blocks" in row for row in rows) else 1


def _shown(rows: list[JsonObject]) -> Shown:
    built = next((row for row in rows if "blocks" in row), None)
    title = "no method applies" if built is None else f"{built['sequences']} sequences in dimension {built['dim']}"
    softmax = built is not None and built.get("attention") == "softmax"
    columns = SOFT_COLUMNS if softmax else COLUMNS
    shown = [{**row, "exact at": _temperatures(row)} for row in rows] if softmax else rows
    table = [[row.get(c, "refused" if c == "blocks" else "-") for c in columns] for row in shown]
    theorem = "2*sum m + 3N" if softmax else "2*sum m + 2N + 1"
    yield AnswerTable(title, columns, table, f"paper_bound = {theorem} blocks, the existence theorem's")
    for row in rows:
        for reason in row.get("reasons", []):
            echo(f"{row['method']}: {reason['why']}", err=True)


def _temperatures(row: JsonObject) -> str:
    """Where the softmax transformer of a row is exact."""
    from exactformer.arithmetic.short_text import show
    from exactformer.io.canonical import from_canonical

    if "beta" not in row:
        return "every beta" if "blocks" in row else "-"
    low, high = show(from_canonical(row["beta"][0])), row["beta"][1]
    return f"beta >= {low}, hardmax" if high is None else f"beta = {low}"


def _refuse(refusal: NoConstruction, dataset: Dataset, options: Options, output: Path | None, as_json: bool) -> None:
    """The reasons on stdout (with --json) or stderr, and the certificate of the first one that has a certificate."""
    certified = [reason for reason in refusal.reasons if reason.sequences]
    if output is not None and certified:  # before the answer, whose reader may have gone
        _certify_refusal(certified[0], dataset, options, output)
    present(as_json, lambda: {"feasible": False, "reasons": _reasons(refusal)}, ())
    if not as_json:
        echo(str(refusal), err=True)
    if output is not None:
        none = f"no certificate: the reason lies in the method, not in the data; {output} was not written"
        say(f"wrote {output}" if certified else none, quiet=as_json and bool(certified))


def _certify_refusal(reason: Reason, dataset: Dataset, options: Options, output: Path) -> None:
    from exactformer.constructions.infeasible_claim import write_infeasible

    data = dataset.with_positions() if options["positions"] else dataset
    write_infeasible(
        output,
        condition=reason.kind,
        witness=reason.sequences,
        tokens=data.tokens,
        offsets=data.offsets,
        targets=None if data.targets is None else data.targets_of,
        labels=data.label_texts,
    )


def _reasons(refusal: NoConstruction) -> list[JsonObject]:
    return [
        {
            "kind": reason.kind,
            "sequences": list(reason.sequences),
            "why": reason.why,
            "no_transformer": reason.absolute,
            **reason.witness,
        }
        for reason in refusal.reasons
    ]
