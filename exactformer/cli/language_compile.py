"""`exactformer language compile`: weights for a language, proved for all lengths, or the proof that none exist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from exactformer.cli.common import input_path, json_option, note_input, output_path, say
from exactformer.cli.presenter import Shown, present
from exactformer.errors import proof_at

if TYPE_CHECKING:
    from exactformer.languages.automaton import Word
    from exactformer.languages.compiled import Compiled


def _period(ctx: click.Context, param: click.Parameter, value: str) -> int | Literal["any"]:
    """A number of at least 1, or any."""
    if value == "any":
        return "any"
    if not (value.isascii() and value.isdigit() and len(value) < 10) or int(value) < 1:
        raise click.BadParameter(f"expected a number of at least 1, or any, got {value!r:.60}")
    return int(value)


@click.command("compile")
@click.argument("language", metavar="[LANGUAGE]", required=False)
@click.option("--ltl", metavar="FORMULA", help="A formula of temporal logic in place of LANGUAGE.")
@click.option("--at", type=click.Choice(["first", "last"]), default="last", help="Where a formula is read.")
@click.option("--letters", metavar="abc", help="The alphabet; letters of several characters are separated by blanks.")
@click.option("--period", callback=_period, default="1", metavar="m|any", help="The period of features (default 1).")
@click.option("--model", type=input_path, metavar="MODEL", help="If none exists: the word on which MODEL is wrong.")
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(
    language: str | None,
    ltl: str | None,
    at: Literal["first", "last"],
    letters: str | None,
    period: int | Literal["any"],
    model: Path | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Compile LANGUAGE to a transformer that recognises it on words of every length, or prove that none exists.

    LANGUAGE is an expression, a name (dyck-2-2, tomita-4, ..), an automaton file (.json) or a B-RASP program (.brasp).
    The transformer has one past head per block, ties to the last, four coordinates. Languages that count, such as
    (aa)*, have none: the answer is the counter, with exit code 1. --period m allows positional features of period m,
    and any asks for the least m that works. Exits 0 compiled and proved, 1 impossible, 4 too large.

    \b
    Example:
      exactformer language compile "(ab)*" -o proof.jsonl
      exactformer language compile --ltl "b & O a"
      exactformer language compile --ltl "a -> F b" --at first
      exactformer language compile "(aa)*" --period any
    """
    from exactformer.languages.compiled import compile_language
    from exactformer.languages.recogniser import Recogniser

    if (language is None) == (ltl is None):
        raise click.UsageError("expected LANGUAGE or --ltl FORMULA, " + ("got neither" if ltl is None else "not both"))
    if language is not None and language.endswith((".json", ".brasp")):
        note_input(Path(language))
    alphabet = None if letters is None else letters.split() if " " in letters else list(letters)
    given = None if model is None else Recogniser.read(model)
    found = compile_language(language, ltl=ltl, letters=alphabet, period=period, at=at)
    word = None if given is None or found.possible else found.refutation_of(given)
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    present(as_json, lambda: _json(found, word), _shown(found, word))
    return 0 if found.possible else 1


def _json(found: Compiled, word: Word | None) -> dict[str, object]:
    from exactformer.languages.automaton import spell

    return found.json() if word is None else {**found.json(), "word": spell(word)}


def _shown(found: Compiled, word: Word | None) -> Shown:
    """The answer in words."""
    from exactformer.languages.automaton import spell

    answer = found.json()
    if found.possible:
        features = "" if found.period == 1 else f", features of period {found.period}"
        size = f"blocks {answer['blocks']}, heads {answer['heads']}, coordinates {answer['dim']}{features}"
        yield f"compiled: {size}; states of the minimal automaton {answer['automaton_states']}"
        yield f"proved for words of every length (a product of {answer['product_states']} states)"
        return
    x, u, p, z = (answer[key] if answer[key] != "" else "the empty word" for key in ("x", "u", "p", "z"))
    features = {None: "periodic features", 1: "no positional feature"}.get(
        found.period, f"features of period {found.period}"
    )
    yield f"impossible: no recogniser with unique ties and {features} recognises the language"
    yield f"it counts modulo {p}: after x = {x}, reading u = {u} {p} times leads back to the same state"
    yield f"with z = {z}: exactly one of xz and xuz is in the language"
    if "e" in answer:
        yield f"whatever the period: e = {answer['e']}, as long as u, changes nothing on the way"
    yield f"the theorem: {proof_at('languages#theorem-3')}"
    yield "ties to all, and features that are ratios, are outside this statement"
    if word is not None:
        yield f"the model given is wrong on {spell(word)!r}"
