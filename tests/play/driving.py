"""Driving the page in a browser: opening it, finding tokens in it, reading what it shows."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import exactformer as ef
from exactformer.model.tokens import Tokens
from exactformer.play.presets import file_of
from exactformer.play.server import PlayServer

from ..cli.browser import Browser

TRIANGLE = Tokens([[1, 0], [1, 1], [0, 3]])
#: JavaScript that is true once the picture and the proof are those of the tokens shown
READY = "!app.busy && !app.pending && app.result && app.proof && !app.proofStale && !app.frame"


def opened(chromium: Browser, server: PlayServer, fragment: str = "", width: int = 1200, ready: str = READY) -> Browser:
    """The page at a fragment, once it is ready."""
    chromium.open(server.url + fragment, width=width)
    chromium.wait(f"!!({ready})", seconds=90)  # the first proof waits for its worker to load
    return chromium


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Waits for something outside the browser."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def fragment_of(tokens: Tokens, more: str = "") -> str:
    """The address's fragment for tokens, written by hand."""
    rows = ";".join(",".join(row) for row in file_of(tokens)["tokens"])
    matrix = ";".join(",".join(row) for row in file_of(tokens)["A"])
    return f"#tokens={rows}&A={matrix}&alpha={tokens.alpha}{more}"


def handle(tab: Browser, i: int) -> tuple[float, float]:
    box = f"document.querySelector('[data-token=\"{i}\"]').getBoundingClientRect()"
    return tab.value(f"{box}.x + {box}.width / 2"), tab.value(f"{box}.y + {box}.height / 2")


def exact_of(row: list[Any]) -> list[Fraction]:
    return [Fraction(x) for x in row]


def limits_shown(tab: Browser) -> list[list[Fraction]]:
    """The limits in the table, exact as on hover."""
    titles = "[...document.querySelectorAll('#table tr')].slice(1).map(row => row.cells[row.cells.length - 1].querySelector('span').title)"
    return [exact_of(title.strip("()").split(", ")) for title in tab.value(titles)]


def verify_shown(tab: Browser, tokens: Tokens) -> None:
    """Layers, follower sets, leaders and limits of the page are the library's."""
    last = tab.value("app.result.exact.length") - 1
    orbit, found = ef.simulate(tokens, layers=last), ef.limit(tokens)
    layers = "app.result.exact.map(l => ({rows: l.num.map(r => r.map(x => `${x}/${l.den}`)), follows: l.follows, leaders: l.leaders}))"
    for k, layer in enumerate(json.loads(tab.value(f"JSON.stringify({layers})"))):
        assert [tuple(exact_of(row)) for row in layer["rows"]] == orbit.tokens(k).rows()
        assert [tuple(C) for C in layer["follows"]] == orbit.follows(k)
        assert tuple(layer["leaders"]) == orbit.leaders_at(k)
    assert limits_shown(tab) == [list(x) for x in found.points]
    assert tab.value("app.proof.leaders") == list(found.leaders)
