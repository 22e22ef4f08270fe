"""`exactformer decide`: a proof about a trained network on every input of a finite domain."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import (
    Command,
    given_network,
    json_option,
    network_path,
    note_input,
    output_path,
    progress,
    say,
)
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import InvalidInput

if TYPE_CHECKING:
    from exactformer.evaluate.domain_decision import Decision
    from exactformer.evaluate.hardmax_limit import AtTemperature, HardmaxLimit
    from exactformer.io.json_lines import JsonObject
    from exactformer.model.domain import Domain
    from exactformer.model.network import Network

    Limits = tuple[HardmaxLimit, list[AtTemperature]]

#: what stands beside every answer about a network
REAL = "proved in real arithmetic, not about what a device returns"
#: wrong and undecided inputs that are shown
SHOWN = 10


def language_options(command: Command) -> Command:
    """--language and --begin, for domains of words."""
    begin = click.option("--begin", type=click.IntRange(min=0), metavar="ID", help="For strings: the id before a word.")
    language = click.option("--language", metavar="L", help="For strings: an expression, a name or an automaton file.")
    return language(begin(command))


@click.command("decide")
@click.argument("network", metavar="NETWORK", type=network_path)
@click.option("--domain", required=True, metavar="DOMAIN", help="sum-mod:p, strings:LETTERS:n, or a CSV file.")
@language_options
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@click.option("--bits", type=click.IntRange(32, 480), help="Bits of the certificate (found unless given).")
@click.option("--betas", metavar="B1,B2,..", help="Repeat at these inverse temperatures and in the hardmax limit.")
@click.option("--plot", type=output_path, metavar="FILE", help="Draw margins, or with --betas shares, here.")
@json_option
def command(
    network: Path,
    domain: str,
    language: str | None,
    begin: int | None,
    output: Path | None,
    bits: int | None,
    betas: str | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Prove on which inputs of DOMAIN the trained network in NETWORK gives the right class.

    DOMAIN is sum-mod:p (ids a, b, p; class (a+b) mod p), strings:LETTERS:n with --language (all words up to n letters,
    ids in the order of LETTERS, after --begin ID if given; class 1 in the language, 0 outside), majority:n, copy:n or
    sort:n as train-network has them, or a CSV file with rows id1,..,idn,label and no header. Exits 0 if the network
    is right on every input, 1 if it is wrong on some input, 4 if some input is undecided. If it is wrong, the
    certificate states the true classes of the wrong inputs.

    --betas shows how the decisions change when every softmax is sharpened (scores multiplied by beta): how many are
    right, and from which beta_0 on they are proved to be those of hardmax, for every larger beta at once.

    \b
    Example:
      exactformer train-network sum-mod:5 --dim 16 --heads 2 --seed 1 -o five
      exactformer decide five/network.json --domain sum-mod:5 -o proof.jsonl --plot margins.png
    """
    from exactformer.certificates.network_claims import verify_certifiable

    if plot is not None:
        _verify_picture(plot)
    temperatures = None if betas is None else _betas(betas)
    trained = given_network(network)
    found = read_domain(domain, language, begin)
    if output is not None:
        verify_certifiable(trained)
    decision = decided(trained, found)
    if output is not None:
        write_certificate(decision, output, bits)
    limit = None if temperatures is None else _limit(trained, found, temperatures)
    if plot is not None:
        _plot(decision, limit, plot)
    shown = chain(decision_shown(decision), () if limit is None else _limit_shown(*limit))
    present(as_json, lambda: decision.json() | ({} if limit is None else _limit_json(*limit)), shown)
    return exit_code(decision)


def _betas(text: str) -> list[Fraction]:
    from exactformer.model.temperatures import inverse_temperature

    return [inverse_temperature(beta.strip(), "--betas") for beta in text.split(",")]


def _limit(network: Network, domain: Domain, betas: list[Fraction]) -> Limits:
    """The hardmax limit, and the decisions at every inverse temperature."""
    from exactformer.evaluate.hardmax_limit import hardmax_limit

    with progress("beta_0", len(domain)) as done:
        limit = hardmax_limit(network, domain, progress=done)
    return limit, [limit.at(network, beta) for beta in betas]


def _limit_json(limit: HardmaxLimit, rows: list[AtTemperature]) -> JsonObject:
    return {"temperatures": [row.json() for row in rows], "hardmax": limit.json()}


def _plot(decision: Decision, limit: Limits | None, path: Path) -> None:
    """The margins, or the shares at every temperature."""
    if limit is None:
        from exactformer.report.margin_plot import plot_margins

        plot_margins(decision, path=path)
    else:
        from exactformer.report.hardmax_plot import plot_hardmax_limit

        plot_hardmax_limit(*limit, path=path)
    say(f"wrote {path}")


def _limit_shown(limit: HardmaxLimit, rows: list[AtTemperature]) -> Shown:
    """The table of temperatures, and the hardmax limit, for a person."""
    said = limit.json()
    cells: list[list[object]] = [
        [row.beta, row.decision.right, row.decision.wrong, row.decision.undecided, row.as_hardmax] for row in rows
    ]
    hard = limit.hardmax
    cells.append(["hardmax", hard.right, hard.wrong, hard.undecided, hard.inputs - hard.undecided])
    columns = ("beta", "right", "wrong", "undecided", "as hardmax")
    yield AnswerTable("with softmax of beta times the scores", columns, cells)
    spread = ", ".join(f"{name} {value}" for name, value in said["beta_0"].items() if name != "found")
    yield f"as hardmax for every beta from beta_0 on: {said['beta_0']['found']} inputs; beta_0 {spread or '-'}"
    equal, unequal = said["inputs_with_equal_scores"], said["inputs_without_equal_scores"]
    rest = hard.inputs - equal - unequal
    yield f"ties of scores: {equal} inputs have one, {unequal} have none, {rest} undecided"


def read_domain(text: str, language: str | None, begin: int | None) -> Domain:
    """The domain that the options of a command name."""
    from exactformer.languages.sequence_tasks import NAMES, sequence_task
    from exactformer.languages.words import words
    from exactformer.model.domain import domain_of

    kind, _, rest = text.partition(":")
    if kind != "strings":
        if language is not None or begin is not None:
            raise click.UsageError("--language and --begin are for strings:LETTERS:n")
        if kind in NAMES and rest:
            return sequence_task(text)
        if kind != "sum-mod":
            note_input(Path(text))
        return domain_of(text)
    letters, _, most = rest.rpartition(":")
    if not letters or not most.isascii() or not most.isdigit() or len(most) > 4:
        raise click.UsageError(f"expected strings:LETTERS:n, such as strings:ab:8, got {text!r:.60}")
    if language is None:
        raise click.UsageError("strings need --language: an expression, a name such as parity, or an automaton file")
    if language.endswith(".json"):
        note_input(Path(language))
    return words(letters, int(most), language, begin=begin)


def decided(network: Network, domain: Domain) -> Decision:
    """The decision, with a progress bar."""
    from exactformer.evaluate.domain_decision import decide_domain

    with progress("inputs", len(domain)) as done:
        return decide_domain(network, domain, progress=done)


def write_certificate(decision: Decision, path: Path, bits: int | None = None) -> None:
    """Writes the certificate of a decision, or says why there is none."""
    from exactformer.certificates.network_claims import is_embedded

    if decision.undecided and not decision.wrong:
        say(f"no certificate: {decision.undecided} inputs are undecided")
        return
    decision.certify(path, bits=bits)
    what = f"the classes of {decision.wrong} wrong inputs" if decision.wrong else f"{decision.inputs} classes"
    say(f"wrote {path}: {what}")
    if not is_embedded(decision.network):
        say("the weights are not in it: give the checker the .f32 file of the network with --weights")


def decision_shown(decision: Decision) -> Shown:
    """The answer for a person."""
    margin = decision.least_margin
    lead = "-" if margin is None else f"{margin[0]:.6g}"
    counts = (decision.inputs, decision.right, decision.wrong, decision.undecided, lead)
    columns = ("inputs", "right", "wrong", "undecided", "least lead")
    yield AnswerTable(decision.domain.name, columns, [counts], REAL)
    places = [*decision.wrong_places()[:SHOWN], *decision.is_undecided.nonzero()[0][:SHOWN]]
    for place in map(int, places):
        shown = decision.shown(place)
        ids = " ".join(map(str, shown["ids"][:24])) + (" .." if len(shown["ids"]) > 24 else "")
        got = "undecided" if shown["argmax"] is None else f"class {shown['argmax']}"
        yield f"ids {ids}: {got}, expected class {shown['label']}"
    if decision.wrong > SHOWN or decision.undecided > SHOWN:
        yield f"the first {SHOWN} of each are shown"


def exit_code(decision: Decision) -> int:
    """0 right on every input, 1 wrong somewhere, 4 undecided somewhere."""
    return 1 if decision.wrong else 4 if decision.undecided else 0


def _verify_picture(path: Path) -> None:
    """Before any work: the ending is that of a picture."""
    from exactformer.report.canvas import FORMATS

    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path}: expected a picture ending in {', '.join(FORMATS)}, got {path.suffix!r}")
