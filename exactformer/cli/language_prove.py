"""`exactformer language prove`: whether a recogniser recognises a language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from exactformer.cli.common import input_path, json_option, note_input, output_path, progress, say, worker_options
from exactformer.cli.presenter import Shown, present

if TYPE_CHECKING:
    from exactformer.languages.automaton import Automaton
    from exactformer.languages.prove import Recognition

EXITS = {"all lengths": 0, "up to n": 0, "refuted": 1, "declined": 4}


@click.command("prove")
@click.argument("model", metavar="MODEL", type=input_path)
@click.argument("language", metavar="[LANGUAGE]", required=False)
@click.option("--ltl", metavar="FORMULA", help="A formula of temporal logic in place of LANGUAGE.")
@click.option("--at", type=click.Choice(["first", "last"]), default="last", help="Where a formula is read.")
@click.option("--up-to", type=click.IntRange(min=0), metavar="n", help="Words of at most n letters only.")
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@click.option("--store", type=output_path, metavar="FILE", help="Save progress here, and resume from it.")
@click.option(
    "--most", type=click.IntRange(min=1), metavar="N", help="Try at most this many words (default 1,000,000)."
)
@worker_options
@json_option
def command(
    model: Path,
    language: str | None,
    ltl: str | None,
    at: Literal["first", "last"],
    up_to: int | None,
    output: Path | None,
    store: Path | None,
    most: int | None,
    workers: int,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Prove that MODEL recognises LANGUAGE on words of every length, or give a shortest word on which it does not.

    LANGUAGE is an expression over the letters of MODEL, a name (parity, dyck-2-2, tomita-4, ..), an automaton file
    (.json) or a B-RASP program (.brasp).
    All lengths are decided for heads with unique ties (first, last) and periodic features. For other heads the answer
    is declined, with the reason; --up-to n then tries all words up to a length. Exits 0 proved, 1 refuted, 4
    declined.

    \b
    Example:
      exactformer language prove model.jsonl "(ab)*" -o proof.jsonl
      exactformer language prove model.jsonl majority --up-to 12
    """
    from exactformer.languages.bounded import MOST_WORDS, plan_of, words_of
    from exactformer.languages.prove import prove
    from exactformer.languages.recogniser import Recogniser
    from exactformer.parallel import Workers

    if store is not None and up_to is None:
        raise click.UsageError("--store keeps words that were tried: give --up-to n with it")
    if (language is None) == (ltl is None):
        raise click.UsageError("expected LANGUAGE or --ltl FORMULA, " + ("got neither" if ltl is None else "not both"))
    recogniser = Recogniser.read(model)
    target = _meant(language, ltl, at, recogniser.letters, up_to)
    total = None if up_to is None else words_of(plan_of(recogniser, target), recogniser, up_to)
    with progress("words", total) as done:
        found = prove(
            recogniser,
            target,
            up_to=up_to,
            most_words=MOST_WORDS if most is None else most,
            workers=Workers(workers, scheduler),
            store=store,
            progress=done,
        )
    present(as_json, found.json, _shown(found, len(target)))
    if output is not None and found.verdict != "declined":
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    return EXITS[found.verdict]


def _meant(
    language: str | None, ltl: str | None, at: Literal["first", "last"], letters: tuple[str, ...], up_to: int | None
) -> Automaton:
    """The automaton of the language or of the formula, over the letters of the recogniser."""
    from exactformer.languages.named import language as read_language
    from exactformer.languages.program_automaton import automaton_of_program
    from exactformer.languages.temporal import program_of_formula

    if ltl is not None:
        return automaton_of_program(program_of_formula(ltl, letters, at=at))
    if str(language).endswith((".json", ".brasp")):
        note_input(Path(str(language)))
    return read_language(str(language), letters=letters, up_to=up_to)


def _shown(found: Recognition, states: int) -> Shown:
    """The answer in words."""
    from exactformer.languages.automaton import spell

    how = {
        "product": f"a product of {found.product_states} states",
        "prefixes": f"{found.words} words along shared prefixes",
        "counts": f"{found.words} words, one per number of each letter",
        "words": f"{found.words} words one by one",
        "pumping": "by pumping a counter of the language",
        None: "",
    }[found.plan]
    against = f"the language of an automaton with {states} states"
    if found.verdict == "all lengths":
        yield f"proved for words of every length: it recognises {against} ({how})"
    elif found.verdict == "up to n":
        yield f"proved for words of at most {found.up_to} letters: it recognises {against} ({how})"
    elif found.counterexample is not None:
        word = spell(found.counterexample)
        said, member = found.recogniser.verdict(found.counterexample), found.target.accepts(found.counterexample)
        which = ", a shortest such word," if found.is_shortest else ""
        yield f"refuted: on {word!r}{which} the verdict is {said}"
        yield f"the word is {'' if member else 'not '}in the language ({how})"
    else:
        yield f"declined: {found.why}"
