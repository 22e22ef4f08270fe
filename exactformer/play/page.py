"""The page as one file: markup, style and scripts in one, without network access."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

from exactformer import __version__
from exactformer.conjectures.catalogue import catalogue
from exactformer.display.html import Markup, asset, html, json_content
from exactformer.dynamics.hypotheses import form_and_violations
from exactformer.errors import Declined, InvalidInput
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, strict_json
from exactformer.model.tokens import Tokens
from exactformer.play.api import answered
from exactformer.play.presets import COUNTEREXAMPLES, LANGUAGE, SEQUENCES, families, file_of, presets
from exactformer.report.skeleton import content_policy
from exactformer.verified import script

#: what the page can show: tokens, their coordinates, and characters of a number (state.js and numbers.js say the same)
MOST_TOKENS, MOST_COORDINATES, DIGITS = 500, 50, 4000
#: modules of the page in the order in which they need one another; the first two are the JavaScript checker's
SHARED = ("budget", "fractions")
MODULES = (
    "numbers",
    "layers",
    "matrices",
    "ties",
    "state",
    "palette",
    "picture",
    "plane",
    "scene",
    "server",
    "dom",
    "hands",
    "gif",
    "outputs",
    "asks",
    "panels",
    "controls",
    "transformers",
    "languages",
    "main",
)


def page(tokens: Tokens | None = None, *, served: bool = False) -> str:
    """The page, beginning with the given tokens; `served` by a server it may ask it for proofs.

    A served page also carries the checker proved correct, where that is built, to check these proofs in the browser.

    >>> "connect-src" in page(), "connect-src" in page(served=True)
    (False, True)
    """
    style, main = asset(_text("style.css")), asset(script_of_page())
    content = {
        "served": served,
        "version": __version__,
        "start": None if tokens is None else file_of(tokens),
        "presets": presets(),
        "families": families(),
        "sequences": SEQUENCES,
        "answers": {} if served else _answers(),
        "statements": {name: catalogue()[name].words for name in COUNTEREXAMPLES},
    }
    return html(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<title>exactformer play</title><link rel="icon" href="data:,"><style>{style}</style></head><body>{body}'
        '<script type="application/json" id="content">{content}</script>{checker}<script>{script}</script>'
        "</body></html>\n",
        policy=policy_of(served=served),
        style=style,
        body=Markup(_text("body.html")),
        content=json_content(content),
        checker=html("<script>{checker}</script>", checker=asset(checker())) if served and checker() else "",
        script=main,
    )


@cache
def checker() -> str:
    """The checker proved correct as JavaScript; nothing where it is not built."""
    try:
        return script()
    except Declined:
        return ""


@cache
def policy_of(*, served: bool) -> str:
    """The Content-Security-Policy: the page's own script and style, a worker and pictures made of them, no network."""
    scripts = [script_of_page(), *([checker()] if served and checker() else [])]
    policy = content_policy(asset(_text("style.css")), *map(asset, scripts))
    policy = policy.replace("img-src data:", "img-src data: blob:") + "; worker-src blob:; media-src blob:"
    return policy + "; connect-src 'self'" if served else policy


def read_playable(content: bytes) -> Tokens:
    """The tokens of a file that the page sends; InvalidInput or Malformed before anything large is made of it."""
    where = "the tokens of the page"
    file = strict_json(content, where)
    rows = file.get("tokens") if isinstance(file, dict) else None
    if isinstance(rows, list):
        if len(rows) > MOST_TOKENS:
            raise InvalidInput(f"{where}: expected at most {MOST_TOKENS}, got {len(rows)}")
        if max((len(row) for row in rows if isinstance(row, list)), default=0) > MOST_COORDINATES:
            raise InvalidInput(f"{where}: expected at most {MOST_COORDINATES} coordinates of each")
    return Tokens.of_bytes(content, where)


def verify_playable(tokens: Tokens) -> None:
    """Raises InvalidInput for what the page cannot show: algebraic or long numbers, many tokens, A not definite."""
    if not tokens.is_rational:
        raise InvalidInput("expected rational numbers, got algebraic ones; the page computes with fractions")
    if len(tokens) > MOST_TOKENS:
        raise InvalidInput(f"expected at most {MOST_TOKENS} tokens, got {len(tokens)}; the page can show no more")
    if tokens.dim > MOST_COORDINATES:
        raise InvalidInput(f"expected at most {MOST_COORDINATES} coordinates, got {tokens.dim}; the page shows no more")
    rows = (*tokens.state.rows(), *tokens.A, (tokens.alpha,))
    if max(len(str(canonical(x))) for row in rows for x in row) > DIGITS:
        raise InvalidInput(f"expected numbers of at most {DIGITS} digits; the page reads no longer ones")
    _, violations = form_and_violations(tokens.A)
    if violations:
        raise InvalidInput(f"A: expected a symmetric positive definite matrix, got another one; {violations[0].why}")


@cache
def _answers() -> JsonObject:
    """What a server would say to the data and the language that the page begins with."""
    asked = {"construct": SEQUENCES, "language": LANGUAGE}
    return {name: json.loads(answered(name, json.dumps(body).encode(), {})) for name, body in asked.items()}


@cache
def script_of_page() -> str:
    """All modules in one script, which is its own worker as well; each is a function of (module, require)."""
    checker = resources.files("proofs_check").joinpath("js")
    texts = {name: checker.joinpath(f"{name}.js").read_text("utf-8") for name in SHARED}
    texts |= {name: _text(f"{name}.js") for name in MODULES}
    for name, text in texts.items():
        unknown = set(re.findall(r"require\('\./(\w+)\.js'\)", text)) - set(texts)
        if unknown or "</script" in text:
            raise ValueError(f"{name}.js: unknown modules {unknown}, or the end of a script in it")
    parts = ",\n".join(f"{name}(module, require) {{\n{text}}}" for name, text in texts.items())
    return _LOADER.replace("PARTS", parts)


_LOADER = """(() => {
'use strict';
const loaded = {};
const modules = {
PARTS
};
function require(path) {
  const name = path.slice(2, -3);
  if (!loaded[name]) {
    loaded[name] = { exports: {} };
    modules[name](loaded[name], require);
  }
  return loaded[name].exports;
}
if (typeof document !== 'undefined') require('./main.js').begin(document.currentScript.textContent);
else {
  const { compute } = require('./layers.js');
  self.onmessage = (event) => self.postMessage(compute(event.data));
}
})();
"""


def _text(name: str) -> str:
    return resources.files("exactformer.play").joinpath(f"assets/{name}").read_text("utf-8")
