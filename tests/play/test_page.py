"""The page in a real browser: what it shows is the library's answer; addresses, keys, small screens."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import exactformer as ef
from exactformer.instances.token_families import FAMILIES, sample
from exactformer.model.tokens import Tokens
from exactformer.play.page import checker
from exactformer.play.presets import file_of
from exactformer.play.server import PlayServer

from ..cli.browser import Browser
from .driving import READY, TRIANGLE, exact_of, fragment_of, handle, limits_shown, opened, verify_shown


def test_loads_without_complaint_and_asks_only_its_server(chromium: Browser, server: PlayServer) -> None:
    chromium.complaints.clear()
    chromium.requests.clear()
    tab = opened(chromium, server)
    assert tab.complaints == []
    asked = [url for url in tab.requests if not url.startswith(("about:", "data:", "blob:"))]
    assert asked
    assert all(url.startswith(server.url) for url in asked)
    assert tab.value("document.querySelector('#proof-verdict').textContent") == "accepted by the independent checker"
    assert tab.value("document.querySelector('#proof-leaders').textContent") == "Leaders: 0 and 2."
    assert "Token 0 becomes a leader at layer 1." in tab.value("document.querySelector('#proof-body').textContent")


@pytest.mark.skipif(not checker(), reason="the script is not built here: `make verified` with js_of_ocaml")
def test_the_page_checks_the_certificate_itself(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.value("document.querySelector('#check-here').click()")
    said = "document.querySelector('#announce').textContent"
    tab.wait(f"{said}.includes('in this browser')")
    assert "in this browser: accepted: each of 3 tokens in Q^2 tends to a limit" in tab.value(said)
    assert tab.complaints == []


def test_dragging_changes_the_limit_that_is_shown(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    before = limits_shown(tab)
    assert before == [list(x) for x in ef.limit(TRIANGLE).points]
    x, y = handle(tab, 2)
    tab.drag((x, y), (x - 60, y + 90))
    tab.wait(READY)
    moved = tab.value("app.state.tokens[2]")
    assert exact_of(moved) != [0, 3]
    assert all((10 * z).denominator == 1 for z in exact_of(moved))  # on the grid of tenths
    now = Tokens([[1, 0], [1, 1], moved])
    assert limits_shown(tab) == [list(x) for x in ef.limit(now).points]
    assert limits_shown(tab) != before
    tab.press("z", code="KeyZ", modifiers=2)
    tab.wait(READY)
    assert limits_shown(tab) == before
    tab.press("z", code="KeyZ", modifiers=2 | 8)
    tab.wait(READY)
    assert tab.value("app.state.tokens[2]") == moved


def configurations(count: int) -> list[Tokens]:
    names = [name for name in FAMILIES if not name.startswith("generic")]
    return [sample(names[k % len(names)], 3 + k % 6, 2 + k % 2, 100 + k) for k in range(count)]


def test_the_page_shows_the_librarys_answer(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.complaints.clear()
    for tokens in configurations(6):
        tab.value(f"app.load({json.dumps(file_of(tokens))})")
        tab.wait(READY)
        verify_shown(tab, tokens)
    assert tab.complaints == []


@pytest.mark.slow
def test_fifty_configurations(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    for tokens in configurations(50):
        tab.value(f"app.load({json.dumps(file_of(tokens))})")
        tab.wait(READY)
        verify_shown(tab, tokens)


def test_the_address_reproduces_the_page(chromium: Browser, server: PlayServer) -> None:
    tokens = Tokens([["1/3", 2], [-1, "7/5"], [0, "-1/2"]], A=[[2, "1/2"], ["1/2", 1]], alpha="3/4")
    tab = opened(chromium, server, fragment_of(tokens, "&layer=7&float=yes&grid=12"))
    verify_shown(tab, tokens)
    assert tab.value("[app.state.layer, app.state.float, app.state.grid, app.state.alpha]") == [7, True, 12, "3/4"]
    tab.value("app.moveToken(0, ['1/12', '-2']); app.commit()")
    address = tab.value("location.href")
    state = tab.value("JSON.stringify(app.state)")
    tab.open(address)
    tab.wait(READY)
    assert tab.value("JSON.stringify(app.state)") == state
    assert "1/12,-2" in address


@pytest.mark.parametrize(
    "fragment",
    [
        "#tokens=1,x;2",
        "#tokens=1,2;3&A=1&alpha=0&layer=-4&grid=0",
        "#%%%&tokens=",
        "#data={&tab=elsewhere",
        "#preset=nothing",
    ],
)
def test_an_address_that_cannot_be_read_does_no_harm(chromium: Browser, server: PlayServer, fragment: str) -> None:
    tab = opened(chromium, server, fragment)
    assert tab.value("app.state.tokens") == [["1", "0"], ["1", "1"], ["0", "3"]]
    assert tab.complaints == []


def test_keyboard_alone(chromium: Browser, server: PlayServer) -> None:
    """From the first key to another limit without a pointer: focus, move, add, mirror, layers, delete, undo."""
    tab = opened(chromium, server)
    for _ in range(40):
        tab.press("Tab")
        if tab.value("document.activeElement.dataset?.token") == "0":
            break
    assert tab.value("document.activeElement.dataset.token") == "0"
    assert tab.value("getComputedStyle(document.activeElement.nextSibling).stroke") != "none"  # the focus is visible
    assert "token 0 at (1, 0)" in tab.value("document.activeElement.getAttribute('aria-label')")
    tab.press("ArrowRight")
    tab.press("ArrowUp", modifiers=8)
    assert tab.value("app.state.tokens[0]") == ["11/10", "1"]
    tab.press("n", code="KeyN")
    assert tab.value("app.state.tokens.length") == 4
    added = exact_of(tab.value("app.state.tokens[3]"))
    tab.press("m", code="KeyM")
    assert exact_of(tab.value("app.state.tokens[4]")) == [-added[0], added[1]]
    tab.press(".", code="Period")
    assert tab.value("app.state.layer") == 1
    tab.press("Delete")
    assert tab.value("app.state.tokens.length") == 4
    tab.press("f", code="KeyF")
    tab.wait("document.getElementById('float').checked")
    tab.wait(READY)
    rows = tab.value("app.state.tokens")
    assert limits_shown(tab) == [list(x) for x in ef.limit(Tokens(rows)).points]
    for _ in range(6):
        tab.press("z", code="KeyZ", modifiers=2)
    assert tab.value("app.state.tokens") == [["1", "0"], ["1", "1"], ["0", "3"]]


def test_every_control_has_a_name(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    unnamed = (
        "[...document.querySelectorAll('button, input, select, [tabindex]')].filter(e => !(e.textContent.trim() || "
        "e.getAttribute('aria-label') || e.labels?.length || e.id === 'picture')).map(e => e.outerHTML)"
    )
    assert tab.value(unnamed) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_fits_the_screen(chromium: Browser, server: PlayServer, width: int) -> None:
    tab = opened(chromium, server, width=width)
    for name in ("transformers", "languages", "tokens"):
        tab.value(f"app.showTab('{name}', true)")
        assert tab.value("document.documentElement.scrollWidth") <= width
    assert tab.value("document.getElementById('stage').getBoundingClientRect().width") > 0.4 * width


def test_statements_with_their_witness_lit(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.value("document.getElementById('statements').open = true")
    tab.wait("!!app.statements")
    line = "document.querySelector('[data-statement=every-leader-leads-at-once]')"
    tab.wait(f"{line}?.dataset.verdict === 'false'")
    tab.value(f"{line}.querySelector('button').click()")
    assert tab.value("[...app.lit]") == [0]
    assert tab.value("app.state.layer") == 1


def test_two_hundred_tokens(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, fragment_of(sample("integer-grid", 200, 2, 3)))
    assert tab.value("document.querySelectorAll('[data-token]').length") == 200
    assert tab.value("app.result.exact.length") == 41


@pytest.mark.slow
def test_a_long_session_with_long_numbers(chromium: Browser, server: PlayServer) -> None:
    """The budget of work is that of one question of the worker, not of all that is ever drawn."""
    long = ef.Tokens([[Fraction(3**1200 + k, 7**1200), k] for k in range(1, 9)])
    tab = opened(chromium, server, fragment_of(long, "&layer=1"))
    tab.complaints.clear()
    tab.value("for (let k = 0; k < 400; k++) app.render()")
    assert tab.complaints == []
