"""The page about one recogniser: type a word, see what every head looks at, block by block, and the verdict."""

from __future__ import annotations

import base64
import io

from exactformer.display.html import Markup, html, json_content
from exactformer.errors import Declined
from exactformer.io.json_lines import JsonObject, PathLike, write_atomically
from exactformer.languages.automaton import Automaton, Word
from exactformer.languages.live_blocks import LiveBlock, SparseForm, live_blocks
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.report.skeleton import page

#: the most states of an automaton that is drawn
STATES = 24


def write_recogniser_page(
    recogniser: Recogniser, output: PathLike, *, word: Word = "", automaton: Automaton | None = None, title: str = ""
) -> None:
    """Writes one self-contained page that runs the recogniser, in exact arithmetic, on the words that are typed.

    It begins with `word`, and shows the automaton beside it where one is given.
    """
    text = " ".join(word) if any(len(a) > 1 for a in recogniser.letters) else "".join(word)
    title = title or "A recogniser"
    body = html(
        "<h1>{title}</h1>{about}"
        '<p class="word"><label for="typed">Word</label><input id="typed" value="{text}" autocomplete="off" '
        'spellcheck="false"><output id="verdict" for="typed"></output></p>'
        '<noscript><p>This page computes in the browser: allow its script.</p></noscript><div id="blocks"></div>'
        '{drawn}<script type="application/json" id="recogniser">{data}</script>',
        title=title,
        about=_about(recogniser),
        text=text,
        drawn="" if automaton is None else _drawn(automaton),
        data=json_content(_data(recogniser, automaton)),
    )
    styles, scripts = ("report.css", "recogniser.css"), ("recogniser.js",)
    write_atomically(output, page(title, body, styles=styles, scripts=scripts).encode())


def _about(r: Recogniser) -> Markup:
    heads = [head for block in r.blocks for head in block.heads]
    return html(
        "<p>{blocks} blocks with {heads} heads, {dim} coordinates, over the letters {letters}. Type a word: an arc "
        "leads from every position to those that a head looks at; the verdict is the sign at the {at} position. All "
        "numbers are exact.</p>",
        blocks=len(r.blocks),
        heads=len(heads),
        dim=r.dim,
        letters=" ".join(r.letters),
        at=r.at,
    )


def _drawn(automaton: Automaton) -> Markup:
    """The automaton as a picture, if it is small enough to be read."""
    from exactformer.report.automaton_plot import draw_automaton

    if len(automaton) > STATES:
        return html("<p>The automaton has {states} states, too many to be drawn.</p>", states=len(automaton))
    buffer = io.BytesIO()
    draw_automaton(automaton).savefig(buffer, format="png", dpi=110)
    return html(
        '<h2>The automaton</h2><p><img class="shown" alt="the minimal automaton" src="data:image/png;base64,{data}">'
        "</p>",
        data=base64.b64encode(buffer.getvalue()).decode(),
    )


def _data(r: Recogniser, automaton: Automaton | None) -> JsonObject:
    """The recogniser as plain data, every number as text."""
    coordinates, blocks = live_blocks(r, whole=True)
    if coordinates != list(range(r.dim)):
        raise Declined("a recogniser on part of its coordinates cannot be shown")
    marks = {name: None if x is None else [str(v) for v in x] for name, x in (("begin", r.begin), ("end", r.end))}
    features = [
        {"coordinate": f.coordinate, "period": [str(v) for v in f.values]}
        if isinstance(f, Periodic)
        else {
            "coordinate": f.coordinate,
            "ratio": [[[str(x), a, b] for x, a, b in p.terms] for p in (f.numerator, f.denominator)],
        }
        for f in r.features
    ]
    return {
        "letters": list(r.letters),
        "tokens": [[str(v) for v in x] for x in r.tokens],
        **marks,
        "features": features,
        "at": r.at,
        "accept": [str(a) for a in r.accept],
        "threshold": str(r.threshold),
        "empty": r.empty,
        "blocks": [_block(block) for block in blocks],
        "automaton": None if automaton is None else automaton.json(),
    }


def _block(block: LiveBlock) -> JsonObject:
    return {
        "eta": str(block.eta),
        "rho": str(block.rho),
        "carried": list(block.carried),
        "units": [[_form(form), str(bias)] for form, bias in block.units],
        "outputs": [[place, _form(form)] for place, form in block.outputs],
        "heads": [
            {
                "mask": head.mask,
                "ties": head.ties,
                **{name: [_form(row) for row in rows] for name, rows in (("Q", head.Q), ("K", head.K), ("V", head.V))},
            }
            for head in block.heads
        ],
    }


def _form(form: SparseForm) -> list[list[object]]:
    return [[c, str(x)] for c, x in form]
