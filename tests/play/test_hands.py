"""What hands do in the page, in a real browser: drag, touch, type, turn, choose, hunt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.model.tokens import Tokens
from exactformer.play.server import PlayServer

from ..cli.browser import Browser
from .driving import READY, exact_of, fragment_of, handle, opened, until, verify_shown


@pytest.mark.slow
def test_every_preset_and_every_dial(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    names = tab.value("app.content.presets.flatMap(g => g.members.map(m => m.name))")
    assert len(names) >= 15
    for name in names:
        tab.value(
            f"{{const s = document.getElementById('preset'); s.value = '{name}'; s.dispatchEvent(new Event('change'))}}"
        )
        tab.wait(f"!!({READY}) && app.state.preset === '{name}'")
        assert tab.value("app.proof.verdict.verdict") == "accepted", name
        assert tab.value("document.getElementById('words').textContent").strip(), name
    tab.value("app.choosePreset('late leader')")
    for k, layer in enumerate((7, 52, 502, 5002, 50002, 500002)):
        tab.value(
            f"{{const d = document.getElementById('dial-range'); d.value = {k}; d.dispatchEvent(new Event('input'))}}"
        )
        tab.wait(f"!!({READY}) && app.proof.leads_from['4'] === {layer}")
    assert "becomes a leader at layer 500,002" in tab.value("document.querySelector('.late').textContent")


def test_leaders_appear_and_vanish_as_alpha_moves(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.value("app.choosePreset('leaders depend on alpha')")
    found = []
    for text in ("1/3", "1/2", "8", "10"):
        tab.value(
            f"{{const f = document.getElementById('alpha'); f.value = '{text}'; f.dispatchEvent(new Event('change'))}}"
        )
        tab.wait(f"!!({READY}) && app.state.alpha === '{text}'")
        found.append(tab.value("app.proof.leaders"))
    assert found == [[2], [0, 2], [0, 2], [2]]


def test_the_ellipse_sets_the_matrix(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.value("document.getElementById('ellipse').click()")
    tab.wait("!!app.ellipse")
    box = tab.value(
        "(() => { const b = document.getElementById('picture').getBoundingClientRect(); return [b.x, b.y]; })()"
    )
    for end in range(3):
        x, y = tab.value(f"app.ellipse.ends[{end}]")
        away = [(-30, 0), (0, 25), (25, -25)][end]
        tab.drag((x + box[0], y + box[1]), (x + box[0] + away[0], y + box[1] + away[1]))
        tab.wait(f"!!({READY})")
    [[a, b], [c, d]] = [exact_of(row) for row in tab.value("app.state.A")]
    assert a > 1
    assert d > 1
    assert b == c < 0
    assert a * d > b * b
    assert all((10 * x).denominator == 1 for x in (a, b, d))
    tab.value("document.getElementById('identity').click()")
    assert tab.value("app.state.A") is None


def test_space_is_turned_and_tokens_move_in_it(chromium: Browser, server: PlayServer) -> None:
    tokens = Tokens([[1, 0, 0], [0, 2, 1], ["-1", "1/2", 1]])
    tab = opened(chromium, server, fragment_of(tokens))
    verify_shown(tab, tokens)
    before = tab.value("app.plane.turn")
    box = tab.value(
        "(() => { const b = document.getElementById('picture').getBoundingClientRect(); return [b.x, b.y]; })()"
    )
    tab.drag((box[0] + 20, box[1] + 20), (box[0] + 90, box[1] + 60))
    assert tab.value("app.plane.turn") != before
    view = tab.value("app.plane.turn")
    assert f"turn={view[0]:g},{view[1]:g}" in tab.value("location.hash")
    tab.press("t", code="KeyT")
    tab.press("r", code="KeyR")
    assert tab.value("app.plane.turn") == pytest.approx([view[0] + 0.1, view[1] + 0.1])
    shown = tab.value("app.plane.turn")
    assert opened(chromium, server, tab.value("location.hash")).value("app.plane.turn") == shown
    tab.value("app.fit()")
    tab.wait(f"!!({READY})")
    assert tab.value("app.state.tokens[1]") == ["0", "2", "1"]
    x, y = handle(tab, 1)
    tab.drag((x, y), (x + 30, y - 40))
    tab.wait(f"!!({READY})")
    assert sum(a != b for a, b in zip(tab.value("app.state.tokens[1]"), ["0", "2", "1"], strict=True)) >= 2
    tab.value("{const s = document.getElementById('dimension'); s.value = '2'; s.dispatchEvent(new Event('change'))}")
    tab.wait(f"!!({READY})")
    assert {len(row) for row in tab.value("app.state.tokens")} == {2}


@pytest.mark.slow
def test_a_hunt_from_the_page(chromium: Browser, server: PlayServer) -> None:
    start = Tokens([[2, 0], [0, 3], [-1, 1]])
    tab = opened(chromium, server, fragment_of(start))
    tab.value("document.getElementById('statements').open = true")
    line = "document.querySelector('[data-statement=every-leader-leads-at-once]')"
    tab.wait(f"{line}?.dataset.verdict === 'true'")
    tab.value(f"[...{line}.querySelectorAll('button')].at(-1).click()")
    tab.wait("app.hunted?.state === 'refuted'", seconds=60)
    tab.wait("!!document.querySelector('#hunt button.main')")
    tab.value("document.querySelector('#hunt button.main').click()")
    tab.wait(f"{line}?.dataset.verdict === 'false'")


def test_a_hunt_is_stopped_from_the_page(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    tab.value("document.getElementById('statements').open = true")
    line = "document.querySelector('[data-statement=graph-stabilises]')"
    tab.wait(f"{line}?.dataset.verdict === 'true'")
    tab.value(f"[...{line}.querySelectorAll('button')].at(-1).click()")
    tab.wait("app.hunted?.state === 'running' && app.hunted.judged > 0 && !!document.querySelector('#hunt progress')")
    tab.value("document.querySelector('#hunt button').click()")
    tab.wait("app.hunted?.state === 'stopped'")


@pytest.mark.slow
def test_surprises_are_tokens(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    seen = set()
    for _ in range(4):
        before = tab.value("app.question")
        tab.press("s", code="KeyS")
        tab.wait(f"app.question > {before} && !!({READY})")
        seen.add(json.dumps(tab.value("app.state.tokens")))
    assert len(seen) >= 3


def test_a_file_is_read_and_a_bad_one_told(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    give = "{{const t = new DataTransfer(); t.items.add(new File([{text}], 'mine.json')); const f = document.getElementById('file'); f.files = t.files; f.dispatchEvent(new Event('change'))}}"
    tab.value(give.format(text=json.dumps('{"tokens": [["0.5", 1], [2, "1/3"]], "alpha": "0.1"}')))
    tab.wait("app.state.alpha === '1/10'")
    assert tab.value("app.state.tokens") == [["1/2", "1"], ["2", "1/3"]]
    for text, words in (
        ('{"tokens": [["sqrt(2)"]]}', "expected a rational number"),
        ('{"tokens": [1, 2]}', "tokens: expected rows of numbers"),
        ('{"tokens": [["1"], ["1", "2"]]}', "different numbers of coordinates"),
        ('{"tokens": [[]]}', "at least one coordinate"),
        ('{"tokens": [["1"]], "alpha": "-1"}', "alpha: expected a positive number"),
        ('{"tokens": [["1", "2"]], "A": [["1"]]}', "A: expected 2 rows of 2 numbers"),
        ('{"tokens": [["1", "2"]], "A": [["1", "2"], ["2", "1"]]}', "leading 2\u2009\u00d7\u20092 minor is negative"),
        ("{", "JSON"),
    ):
        tab.value("document.getElementById('announce').textContent = ''")
        tab.value(give.format(text=json.dumps(text)))
        tab.wait("document.getElementById('announce').textContent.includes('mine.json')")
        assert words in tab.value("document.getElementById('announce').textContent")
        assert tab.value("app.state.tokens") == [["1/2", "1"], ["2", "1/3"]]


@pytest.mark.parametrize(
    ("matrix", "reason"), [("1,2;2,1", "minor is negative"), ("1,1;1,1", "minor is zero"), ("1,2;0,1", "not symmetric")]
)
def test_a_matrix_of_an_address_is_refused_with_the_reason(
    chromium: Browser, server: PlayServer, matrix: str, reason: str
) -> None:
    tab = opened(chromium, server, f"#tokens=1,0;0,1&A={matrix}")
    assert tab.value("app.state.A") is None
    assert reason in tab.value("document.getElementById('matrix-problem').textContent")


def test_by_dragging_alone_float64_ends_elsewhere_and_the_certificate_is_accepted(
    chromium: Browser, server: PlayServer, tmp_path: Path
) -> None:
    """A corner of the square and the token beside it, dragged until it ties; `proofs-check` accepts the certificate."""
    tab = opened(chromium, server)
    tab.value("app.choosePreset('square')")
    tab.wait(READY)
    badge = "document.querySelector('#float-words .badge').textContent"
    assert tab.value(badge) == "agrees"
    for i, (x, y) in ((3, (2.3, 0.9)), (4, (0.4, -0.3))):  # to (13/10, -1/10) and (9/10, -3/10)
        begin, scale = handle(tab, i), tab.value("app.plane.scale")
        tab.drag(begin, (begin[0] + x * scale, begin[1] - y * scale))
        tab.wait(READY)
    assert tab.value("[app.state.tokens[3], app.state.tokens[4]]") == [["13/10", "-1/10"], ["9/10", "-3/10"]]
    assert tab.value(badge) == "ends elsewhere"
    assert tab.value("document.getElementById('departs').textContent").startswith("float64 ends elsewhere")
    assert "in float64 it comes to rest at (1.3, -0.1)" in tab.value("document.getElementById('floats').textContent")
    assert tab.value("app.result.exact[0].follows[4]") == [1, 3]
    tab.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab.value("document.querySelector('#proof button.main').click()")
    tab.wait("document.getElementById('announce').textContent.includes('proofs-check limit.jsonl')")
    path = tmp_path / "limit.jsonl"
    until(lambda: path.exists() and path.read_bytes().endswith(b"}\n"))
    checked = subprocess.run([sys.executable, "-m", "proofs_check", str(path)], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout[:8]) == (0, "accepted")


def test_a_dragged_token_sticks_to_ties(chromium: Browser, server: PlayServer) -> None:
    """Beside a dotted line the token lands on it, and ties; with the box unticked, or a dash too far, on the grid."""
    square = Tokens([[1, 1], [-1, "4/5"], [-1, -1], ["7/5", -1], ["1/2", 0]], alpha="1/2")
    tab = opened(chromium, server, fragment_of(square))
    (x, y), scale = handle(tab, 4), tab.value("app.plane.scale")
    for sticky, off, ties in ((True, 5, True), (True, 30, False), (False, 5, False)):
        tab.value(f"document.getElementById('sticky').checked = {str(sticky).lower()}")
        right = off / scale - 0.55  # to the right of (-1/20, 1/2), where it ties between tokens 0 and 1
        tab.drag((x, y), (x + right * scale, y - 0.5 * scale))
        tab.wait(READY)
        tokens = Tokens(tab.value("app.state.tokens"), alpha="1/2")
        assert (len(ef.simulate(tokens, layers=1).follows(0)[4]) > 1) == ties, (sticky, off, tokens)
        tab.press("z", code="KeyZ", modifiers=2)
        tab.wait(READY)
    assert tab.value("app.hands.lines.length") == 0  # nothing dotted stays


@pytest.mark.parametrize("matrix", [None, [[2, "1/2"], ["1/2", 1]]])
def test_from_tie_to_tie_by_keys(chromium: Browser, server: PlayServer, matrix: list[list[object]] | None) -> None:
    start = Tokens([["3/2", "-1"], ["-7/5", "-1"], ["1/10", "3/2"], ["-1/2", "3/5"], [0, 0]], A=matrix)
    tab = opened(chromium, server, fragment_of(start))
    tab.value("app.hands.focus(4)")
    seen, pairs = set(), set()
    for _ in range(40):
        tab.press("x", code="KeyX")
        tokens = Tokens(tab.value("app.state.tokens"), A=matrix)
        follows = ef.simulate(tokens, layers=1).follows(0)[4]
        assert len(follows) == 2
        assert 4 not in follows
        seen.add(tuple(tab.value("app.state.tokens[4]")))
        pairs.add(follows)
    assert len(pairs) >= 3
    assert len(seen) > 20
    tab.wait(READY)


def test_a_mark_of_a_later_layer_is_taken_by_the_hand(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, fragment_of(Tokens([[2, 0], [-1, 2], [0, "1/2"]]), "&layer=3"))
    box = "document.getElementById('picture').getBoundingClientRect()"
    x, y = tab.value(f"{{const b = {box}, [x, y] = app.plane.screen(app.shown[2]); [b.x + x, b.y + y]}}")
    tab.drag((x, y), (x + tab.value("app.plane.scale"), y))
    assert tab.value("[app.selected, app.state.tokens[2]]") == [2, ["1", "1/2"]]


def test_a_matrix_is_typed_entry_by_entry(chromium: Browser, server: PlayServer) -> None:
    """2, 3, 3, 5 in the order in which it is read: refused at first with the reason, taken when it is definite."""
    tab = opened(chromium, server)
    for k, text in ((1, "3"), (0, "2"), (3, "5")):
        assert tab.value("app.state.A") is None
        field = f"document.querySelectorAll('#matrix input')[{k}]"
        tab.value(f"{field}.value = '{text}'; {field}.dispatchEvent(new Event('change'))")
        words = tab.value("document.getElementById('matrix-problem').textContent")
        assert ("minor is negative" in words) == (k != 3)
    assert tab.value("app.state.A") == [["2", "3"], ["3", "5"]]
    tab.press("z", code="KeyZ", modifiers=2)
    assert tab.value("app.state.A") is None


def test_a_square_that_is_turned_stays_exact(chromium: Browser, server: PlayServer) -> None:
    square = Tokens([[1, 1], [-1, 1], [-1, -1], [1, -1], ["1/2", 0]], alpha="1/2")
    tab = opened(chromium, server, fragment_of(square))
    assert tab.value("document.querySelector('#float-words .badge').textContent") == "agrees"
    tab.value("{const t = document.getElementById('turn'); t.value = '0'; t.dispatchEvent(new Event('change'))}")
    tab.wait(READY)
    assert [exact_of(row) for row in tab.value("app.state.tokens")] == [
        [(3 * x - 4 * y) / 5, (4 * x + 3 * y) / 5] for x, y in square.state.rows()
    ]
    assert tab.value("app.result.exact[0].follows[4]") == [0, 3]
    assert tab.value("document.querySelector('#float-words .badge').textContent") == "ends elsewhere"


def test_typed_numbers_are_exact_and_wrong_ones_refused(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server)
    field = "document.querySelector('#table input')"
    tab.value(f"{field}.value = '0.1'; {field}.dispatchEvent(new Event('change'))")
    assert tab.value("app.state.tokens[0][0]") == "1/10"
    tab.value(f"{field}.value = 'one'; {field}.dispatchEvent(new Event('change'))")
    assert tab.value("app.state.tokens[0][0]") == "1/10"
    assert "one is not a number" in tab.value("document.getElementById('announce').textContent")
    corner = "document.querySelectorAll('#matrix input')[1]"
    tab.value(f"{corner}.value = '2'; {corner}.dispatchEvent(new Event('change'))")
    assert tab.value("app.state.A") is None
    assert "not positive definite" in tab.value("document.getElementById('matrix-problem').textContent")
    tab.value(f"{corner}.value = '1/2'; {corner}.dispatchEvent(new Event('change'))")
    assert tab.value("app.state.A") == [["1", "1/2"], ["1/2", "1"]]


def test_touch_drags_a_token(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, width=400)
    x, y = handle(tab, 2)
    for kind, points in (
        ("touchStart", [(x, y)]),
        ("touchMove", [(x - 30, y + 20)]),
        ("touchMove", [(x - 50, y + 40)]),
        ("touchEnd", []),
    ):
        tab.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": a, "y": b} for a, b in points])
    tab.wait(READY)
    assert exact_of(tab.value("app.state.tokens[2]"))[0] < 0
