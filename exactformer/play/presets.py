"""Configurations to begin with: the papers', a tilted square, late leaders, self-ties, small counterexamples."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from random import Random

from exactformer.conjectures.catalogue.late_leaders import late_leader
from exactformer.instances.self_ties import self_tied
from exactformer.instances.token_families import FAMILIES, sample
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject
from exactformer.model.tokens import Tokens
from exactformer.report.gallery import configurations

#: name of a configuration of the gallery -> one line about it
GALLERY = {
    "triangle": "Three leaders; every token ends at one of them, or on a side.",
    "emerging leader": "A token that follows another at first and leads later.",
    "square": "Ties by symmetry: tokens over the middle of a side follow two corners.",
    "clusters without a leader": "Tokens gather at a point where no leader is.",
}
#: rotations of the tilted square
ROTATIONS = 27
#: a refuted statement of the catalogue -> the tokens and alpha of a small counterexample
COUNTEREXAMPLES: dict[str, tuple[list[list[int]], str]] = {
    "leaders-are-initial-vertices": ([[1, 0], [2, 0]], "1"),
    "leader-duplicates": ([[1, 0], [1, 0]], "1"),
    "boundary-with-zero": ([[0], [1], [-1]], "1"),
    "every-token-tends-to-a-leader": ([[1, 0], [1, -1], [1, 1]], "1"),
    "every-leader-leads-at-once": ([[1, 0], [1, 1], [0, 3]], "1"),
    "last-leader-within-n-large-alpha": ([[6, 5], [-6, 5], [2, 6], [-2, 6], [0, 1]], "1"),
    "graph-constant-after-n": ([[1, 0], [1, 1], [0, 20], [-15, 21], [-39, 6], [-49, -25]], "1"),
    "last-leader-within-n": ([[1, 1], [0, 14], [1, 0], [-29, 27], [-116, -26], [-139, -162], [-25, -384]], "1/4"),
    "leaders-grow-with-alpha": ([[1, -2], [1, 0], [-4, -7]], "2"),
    "leaders-shrink-with-alpha": ([[4, 2], [4, 6], [-12, 17]], "1/3"),
    "interior-tokens-never-lead": ([[150, 150], [-150, 150], [151, 149], [-151, 149], [0, 1], [0, 99]], "1"),
}
#: sequences that share points, so that no single point tells them apart
SEQUENCES: JsonObject = {
    "sequences": [
        {"label": "cat", "tokens": [["-1", "1"], ["1", "1"], ["1", "-1"]]},
        {"label": "dog", "tokens": [["-1", "1"], ["1", "1"]]},
        {"label": "cat", "tokens": [["1", "1"], ["1", "-1"], ["-3/2", "-1/2"]]},
        {"label": "bird", "tokens": [["-1", "1"], ["-3/2", "-1/2"]]},
    ]
}
#: the language that the page begins with
LANGUAGE: JsonObject = {"expression": "(ab)*", "word": "abab"}


def presets() -> list[JsonObject]:
    """Groups of configurations, each with a name, a line of words and a token file, or a dial of several."""
    return [
        {"group": "The paper's configurations", "members": _gallery()},
        {"group": "Where float64 ends elsewhere", "members": [_tilted_square()]},
        {"group": "Leaders that come late, and go", "members": [_late_leaders(), _step_matters(), _self_tie()]},
        {"group": "Smallest counterexamples", "members": _counterexamples()},
    ]


def families() -> list[JsonObject]:
    """One instance in the plane of every family whose numbers are short, for a page without a server."""
    return [file_of(sample(name, 9, 2, seed=5)) for name in FAMILIES if not name.startswith("generic")]


def file_of(tokens: Tokens) -> JsonObject:
    """The token file as JSON, numbers as canonical text."""
    content: JsonObject = json.loads(json.dumps(tokens.json(), default=canonical))
    return content


def square_turned(cosine: Fraction, sine: Fraction) -> Tokens:
    """The square (+-1, +-1) and a token over the middle of each side, turned."""
    halves = [(2, 2), (-2, 2), (-2, -2), (2, -2), (1, 0), (0, 1), (-1, 0), (0, -1)]
    plane = [(Fraction(x, 2), Fraction(y, 2)) for x, y in halves]
    return Tokens([(cosine * x - sine * y, sine * x + cosine * y) for x, y in plane], alpha="1/2")


def rotations() -> Iterator[tuple[int, int, int]]:
    """Primitive Pythagorean triples (p, q, r), r increasing: the angles with cosine p/r and sine q/r.

    >>> next(rotations())
    (3, 4, 5)
    """
    r = 1
    while True:
        r += 1
        for p in range(1, r):
            q = math.isqrt(r * r - p * p)
            if p * p + q * q == r * r and math.gcd(p, q) == 1:
                yield p, q, r


def _gallery() -> list[JsonObject]:
    return [{"name": name, "words": GALLERY[name], "file": file_of(z)} for name, z in configurations().items()]


def _tilted_square() -> JsonObject:
    triples = rotations()
    chosen = [next(triples) for _ in range(ROTATIONS)]
    values = [(f"cos = {p}/{r}", square_turned(Fraction(p, r), Fraction(q, r))) for p, q, r in chosen]
    words = (
        "Four tokens tie between two corners each. Exactly, the ties last; float64 breaks some of them at every angle."
    )
    return {"name": "tilted square", "words": words, **_dial("rotation", values), "float": True}


def _late_leaders() -> JsonObject:
    near = [Fraction(1, 10**k) for k in range(1, 7)]
    values = [(f"e = {e}", late_leader(e, Fraction(1, 2), Fraction(1))) for e in near]
    words = "The last token follows the upper pair for ever longer, and then leads: at a layer of the order of 1/e."
    return {"name": "late leader", "words": words, **_dial("e", values)}


def _step_matters() -> JsonObject:
    steps = ("1/4", "1/3", "1/2", "1", "2", "4", "8", "9", "10", "12")
    values = [(f"alpha = {step}", Tokens([[4, 2], [4, 6], [-12, 17]], alpha=step)) for step in steps]
    words = "Token 0 leads for alpha from 1/2 to 8, and neither for smaller nor for larger steps."
    return {"name": "leaders depend on alpha", "words": words, **_dial("alpha", values)}


def _self_tie() -> JsonObject:
    words = "Token 4 ties with itself and with two tokens that move, at layer 0 and again at layer 1."
    return {"name": "self-tie, in space", "words": words, "file": file_of(self_tied(Random(25), Fraction(3)))}


def _counterexamples() -> list[JsonObject]:
    return [
        {"name": name, "words": "", "statement": name, "file": file_of(Tokens(rows, alpha=alpha))}
        for name, (rows, alpha) in COUNTEREXAMPLES.items()
    ]


def _dial(name: str, values: Iterable[tuple[str, Tokens]]) -> JsonObject:
    return {"dial": name, "values": [{"label": label, "file": file_of(tokens)} for label, tokens in values]}
