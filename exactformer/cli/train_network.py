"""`exactformer train-network`: train a small network on a finite domain, then prove what it learnt."""

from __future__ import annotations

import csv
import io
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import json_option, make_folder, progress, say
from exactformer.cli.decide import decided, decision_shown, exit_code, language_options, read_domain, write_certificate
from exactformer.cli.presenter import present
from exactformer.cli.train import going_on, may_go_on

if TYPE_CHECKING:
    from exactformer.evaluate.domain_decision import Decision
    from exactformer.model.architecture import Architecture
    from exactformer.model.domain import Domain
    from exactformer.training.network_training import NetworkRun

#: kind of task -> layers, dim, heads, norm and activation unless they are given
_USUAL: dict[str, tuple[int, int, int, str, str]] = {
    "sum-mod": (1, 64, 4, "none", "relu"),
    "strings": (2, 32, 2, "pre", "gelu"),
    "majority": (2, 32, 2, "pre", "gelu"),
}
_OTHERS = (2, 64, 4, "pre", "gelu")
#: what is written into the folder
NETWORK, WEIGHTS, CERTIFICATE, HISTORY, MARGINS = (
    "network.json", "network.f32", "certificate.jsonl", "history.csv", "margins.png",
)  # fmt: skip
FILES = (NETWORK, WEIGHTS, CERTIFICATE, HISTORY, MARGINS)


@click.command("train-network")
@click.argument("task", metavar="TASK|CSV")
@language_options
@click.option("--layers", type=click.IntRange(min=1), help="Blocks.")
@click.option("--dim", type=click.IntRange(min=1), help="Width; a block has four times as many units.")
@click.option("--heads", type=click.IntRange(min=1), help="Heads per block.")
@click.option("--norm", type=click.Choice(["pre", "post", "none"]), help="Where LayerNorm stands in a block.")
@click.option("--activation", type=click.Choice(["relu", "gelu", "gelu_tanh"]), help="gelu is the form with erf.")
@click.option(
    "--causal/--no-causal",
    default=True,
    show_default=True,
    help="Whether a token sees only itself and those before it.",
)
@click.option("--epochs", type=click.IntRange(min=1), help="At most this many epochs (default: 6,000 steps).")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the start.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="A folder.")
@json_option
def command(
    task: str,
    language: str | None,
    begin: int | None,
    causal: bool,
    epochs: int | None,
    seed: int,
    output: Path,
    as_json: bool,
    **given: int | str | None,
) -> int:
    """Train a small network on TASK, then prove on which inputs of its domain it is right.

    TASK is sum-mod:p, strings:LETTERS:n with --language, majority:n, copy:n, sort:n (n numbers below n), or a CSV file
    with rows id1,..,idn,label. The output folder contains network.json with its weights, history.csv, margins.png and
    certificate.jsonl. If interrupted, the same command resumes where it stopped. Exits 0 if the network is proved
    right on every input, 1 if it is wrong on some input, 4 if some input is undecided. Needs PyTorch.

    \b
    Example:
      exactformer train-network sum-mod:5 --dim 16 --heads 2 --seed 1 -o five
      exactformer check five/certificate.jsonl
    """
    from exactformer.training.network_training import train_network
    from exactformer.training.softmax_training import require_torch

    domain = task_domain(task, language, begin)
    shape = _architecture(task, domain, given, causal)
    require_torch("training", "")
    say(f"seed {seed}")
    make_folder(output, *FILES)
    resume = going_on(output)
    with may_go_on(), progress("steps", 100) as update:
        run = train_network(
            domain,
            shape,
            epochs=epochs,
            seed=seed,
            resume=resume,
            progress=lambda done, total: update(100 * done // total),
        )
        decision = decided(run.network, domain)
    _write(run, decision, output, resume)
    answer = {"epochs": run.epochs, "accuracy": run.approx_accuracy, "decision": decision.json()}
    words = f"{run.epochs} epochs, accuracy in floats {run.approx_accuracy:.6g}"
    present(as_json, answer, chain([words], decision_shown(decision)))
    say(f"wrote {output}")
    return exit_code(decision)


def task_domain(text: str, language: str | None, begin: int | None) -> Domain:
    """The domain of a task; words begin with an id of their own unless --begin names one."""
    kind, _, rest = text.partition(":")
    if kind == "strings" and begin is None:
        begin = len(rest.rpartition(":")[0])
    return read_domain(text, language, begin)


def _architecture(task: str, domain: Domain, given: dict[str, int | str | None], causal: bool) -> Architecture:
    """The shape that the options say, and what is usual for the task where they say nothing."""
    from exactformer.training.network_training import small_architecture

    names = ("layers", "dim", "heads", "norm", "activation")
    usual = dict(zip(names, _USUAL.get(task.partition(":")[0], _OTHERS), strict=True))
    chosen = {name: usual[name] if given[name] is None else given[name] for name in names}
    return small_architecture(domain, causal=causal, **chosen)  # type: ignore[arg-type]


def _write(run: NetworkRun, decision: Decision, output: Path, resume: Path) -> None:
    """The network, its history, the certificate and the picture; then the interrupted training is forgotten."""
    import shutil

    from exactformer.io.json_lines import write_atomically
    from exactformer.report.margin_plot import plot_margins

    run.network.save(output / NETWORK)
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(["step", "approx_loss", "approx_accuracy"])
    table.writerows(run.history)
    write_atomically(output / HISTORY, buffer.getvalue().encode())
    (output / CERTIFICATE).unlink(missing_ok=True)  # that of another training
    write_certificate(decision, output / CERTIFICATE)
    plot_margins(decision, path=output / MARGINS)
    shutil.rmtree(resume, ignore_errors=True)
