"""The page without a server, its other tabs, and in a notebook, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.model.tokens import Tokens
from exactformer.play.page import page
from exactformer.play.presets import file_of
from exactformer.play.server import PlayServer

from ..cli.browser import Browser
from .driving import READY, TRIANGLE, exact_of, opened, until


def test_without_a_server(chromium: Browser, tmp_path: Path) -> None:
    """A file, no network: exact layers, floats beside them, and where proofs come from."""
    path = tmp_path / "play.html"
    path.write_text(page(TRIANGLE), encoding="utf-8")
    assert path.stat().st_size < 300_000
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.open(path)
    chromium.wait("!!app.result")
    assert "exactformer play" in chromium.value("document.getElementById('proof-body').textContent")
    assert chromium.value("app.result.exact[1].leaders") == [0, 2]
    chromium.value("app.showTab('transformers', true)")
    assert chromium.value("document.querySelector('#construction .badge').textContent") == "exact on all sequences"
    chromium.value("app.tabs.transformers.addSequence()")
    assert "exactformer play" in chromium.value("document.getElementById('construction').textContent")
    chromium.value("app.showTab('languages', true)")
    assert chromium.value("document.getElementById('word-verdict').textContent") == "in the language"
    chromium.value("{const f = document.getElementById('word'); f.value = 'b'; f.dispatchEvent(new Event('input'))}")
    assert "exactformer play" in chromium.value("document.getElementById('word-body').textContent")
    assert chromium.complaints == []
    assert not [url for url in chromium.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]


def test_transformers_act_on_the_data(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, "#tab=transformers", ready="app.tabs.transformers.answer?.feasible")
    assert tab.value("document.querySelector('#construction #proof-verdict').textContent").startswith("accepted")
    shown = tab.value("JSON.parse(JSON.stringify(app.state.data))")
    built = ef.construct(
        [line["tokens"] for line in shown["sequences"]], labels=[line["label"] for line in shown["sequences"]]
    )
    ends = [[list(row) for row in built.transformer(line["tokens"]).rows()] for line in shown["sequences"]]
    last = tab.value("app.tabs.transformers.answer.states.at(-1)")
    assert [[exact_of(row) for row in rows] for rows in last] == ends
    assert tab.value("app.tabs.transformers.answer.moments.length") == 3
    box = "document.querySelector('[data-point=\"0,0\"]').getBoundingClientRect()"
    x, y = tab.value(f"{box}.x + 13"), tab.value(f"{box}.y + 13")
    tab.drag((x, y), (x + 40, y + 30))
    assert tab.value("app.state.data.sequences[0].tokens[0]") != shown["sequences"][0]["tokens"][0]
    tab.value(
        "app.tabs.transformers.data = {sequences: [{label: 'a', tokens: [['0', '0']]}, {label: 'b', tokens: [['0', '0']]}]}; app.tabs.transformers.changed()"
    )
    tab.wait("app.tabs.transformers.answer?.feasible === false")
    assert tab.value("document.querySelector('#construction .badge').textContent") == "no transformer exists"
    assert tab.value("document.querySelectorAll('#construction p').length") >= 2


@pytest.mark.parametrize(
    "data",
    [
        '{"sequences":{"length":1}}',
        '{"sequences":[{"label":"a","tokens":"ab"}]}',
        '{"sequences":[{"label":"a","tokens":[["1",[]]]}]}',
        "3",
    ],
)
def test_data_of_an_address_that_are_none_do_no_harm(chromium: Browser, server: PlayServer, data: str) -> None:
    chromium.complaints.clear()
    tab = opened(chromium, server, f"#tab=transformers&data={data}", ready="app.tabs.transformers.answer?.feasible")
    assert len(tab.value("app.state.data.sequences")) == 4
    assert tab.complaints == []


def test_languages_with_their_automaton_and_transformer(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, "#tab=languages&expression=(ab)*&word=aba", ready="app.tabs.languages.answer?.run")
    assert tab.value("document.getElementById('word-verdict').textContent") == "not in the language"
    for key, text in (("expression", "(aa)*"), ("word", "aaaa")):
        tab.value(
            f"{{const f = document.getElementById('{key}'); f.value = '{text}'; f.dispatchEvent(new Event('input'))}}"
        )
    tab.wait("document.getElementById('word-verdict')?.textContent === 'in the language'")
    assert tab.value("document.querySelector('#recogniser-body .badge').textContent") == "no such transformer exists"
    tab.value("{const f = document.getElementById('expression'); f.value = '(a'; f.dispatchEvent(new Event('input'))}")
    tab.wait("!!document.querySelector('#word-body [role=alert]')")
    assert "a" in tab.value("location.hash")


def test_tokens_come_back_to_a_notebook(chromium: Browser) -> None:
    widget = TRIANGLE.play(height=500)
    try:
        assert f'src="{widget.url}"' in widget._repr_html_()
        assert widget.tokens == TRIANGLE
        chromium.open(widget.url)
        chromium.wait(f"!!({READY})")
        chromium.value("app.moveToken(0, ['1/7', '2']); app.setAlpha('1/3'); app.commit()")
        until(lambda: widget.tokens != TRIANGLE)
        assert widget.tokens == Tokens([["1/7", 2], [1, 1], [0, 3]], alpha="1/3")
    finally:
        widget.close()
    assert repr(widget) == "PlayWidget(closed)"
    assert "play()" in TRIANGLE._repr_html_()


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    """Workers do not run the main script again."""
    question = json.dumps(file_of(TRIANGLE))
    (tmp_path / "script.py").write_text(
        "import exactformer as ef, json, urllib.request\nprint('begins')\npage = ef.Tokens([[1, 0]]).play()\n"
        f"asked = urllib.request.Request(page.url + 'api/limit', b'{question}', method='POST')\n"
        "print(json.load(urllib.request.urlopen(asked))['leaders'])\npage.close()\n"
    )
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("begins\n[0, 2]\n", "")


def test_sequences_by_pointer_and_keys(chromium: Browser, server: PlayServer) -> None:
    tab = opened(chromium, server, "#tab=transformers", ready="app.tabs.transformers.answer?.feasible")
    tab.value("document.querySelectorAll('#sequences button')[3].focus()")
    tab.press("Enter")
    assert tab.value("document.querySelectorAll('.sequence').length") == 3
    assert tab.value("document.activeElement.textContent") == "Remove"  # the focus stays in the list
    tab.value("document.querySelector('#sequences input[type=radio]').click()")
    tab.value("document.getElementById('add-point').focus()")
    tab.press("Enter")
    assert tab.value("app.state.data.sequences[0].tokens.length") == 4
    assert tab.value("document.activeElement.dataset.point") == "0,3"
    tab.press("ArrowUp")
    assert tab.value("app.state.data.sequences[0].tokens[3]") == ["3/2", "-9/10"]
    tab.press("Delete")
    assert tab.value("app.state.data.sequences[0].tokens.length") == 3
    tab.wait("app.tabs.transformers.answer?.feasible && app.tabs.transformers.answer.states[0][0].length === 3")
