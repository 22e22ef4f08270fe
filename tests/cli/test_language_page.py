"""The page of a recogniser in a real browser: its verdicts and arcs are those of the definition in Python."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from kits.random_languages import random_recogniser

from exactformer.cli.main import code
from exactformer.errors import InvalidInput
from exactformer.languages.attend import attend
from exactformer.languages.compiled import compile_language
from exactformer.languages.literature import dyck_1, first, majority, parity
from exactformer.languages.recogniser import Recogniser
from exactformer.report.recogniser_page import write_recogniser_page

from .browser import CHROMIUM, Browser, browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

#: types a word and returns the verdict, and per block with heads how many arcs there are
RUN = """(() => { const input = document.getElementById("typed"); input.value = WORD;
input.dispatchEvent(new Event("input"));
return [document.getElementById("verdict").textContent.split(";")[0],
[...document.querySelectorAll(".block")].map((b) => b.querySelectorAll("path").length)]; })()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


def verify_page(chromium: Browser, recogniser: Recogniser, folder: Path, most: int) -> None:
    write_recogniser_page(recogniser, folder / "page.html")
    chromium.open(folder / "page.html")
    for n in range(most + 1):
        for word in product(recogniser.letters, repeat=n):
            said, arcs = chromium.value(RUN.replace("WORD", json.dumps("".join(word))))
            found = attend(recogniser, word)
            assert said == found.verdict, word
            assert arcs == [sum(len(c) for head in step.follows for c in head) for step in found.steps], word
    assert not chromium.complaints


@pytest.mark.parametrize("make", [first, majority, parity, dyck_1])
def test_recognisers_of_the_literature(make, chromium: Browser, tmp_path: Path) -> None:
    verify_page(chromium, make(), tmp_path, 4)


def test_a_compiled_one_and_a_period(chromium: Browser, tmp_path: Path) -> None:
    verify_page(chromium, compile_language("(ab)*").recogniser, tmp_path, 4)
    verify_page(chromium, compile_language("(aa)*", period=2).recogniser, tmp_path, 6)


@pytest.mark.parametrize("seed", range(4))
def test_random_ones(seed: int, chromium: Browser, tmp_path: Path) -> None:
    verify_page(chromium, random_recogniser(random.Random(seed)), tmp_path, 3)


def test_what_is_typed_wrong_is_said(chromium: Browser, tmp_path: Path) -> None:
    write_recogniser_page(first(), tmp_path / "page.html", word="10")
    chromium.open(tmp_path / "page.html")
    assert chromium.value("document.getElementById('verdict').textContent") == "accept"
    assert chromium.value(RUN.replace("WORD", '"1x"'))[0] == "x is not one of the letters 0 1"
    assert "at most 64 letters are shown, got 65" in chromium.value(RUN.replace("WORD", json.dumps("1" * 65)))[0]
    assert not chromium.complaints


def test_page_and_picture_of_language_attend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, page, picture = (str(tmp_path / name) for name in ("m.jsonl", "m.html", "m.png"))
    compile_language("(ab)*").recogniser.save(model)
    assert code(["language", "attend", model, "abab", "--html", page, "--plot", picture]) == 0
    assert "the minimal automaton" in Path(page).read_text("utf-8")
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    parity().save(model)
    assert code(["language", "attend", model, "01", "--html", page]) == 0  # no automaton, which is no error
    assert "the minimal automaton" not in Path(page).read_text("utf-8")
    assert code(["language", "attend", model, "01" * 40, "--plot", picture]) == 4
    assert "can be read" in capsys.readouterr().err


def test_letters_cannot_break_the_page(chromium: Browser, tmp_path: Path) -> None:
    r = Recogniser(["</script><b>", "b"], [[1], [-1]], [], [1])
    write_recogniser_page(r, tmp_path / "page.html", word=["</script><b>"], title="<i>")
    chromium.open(tmp_path / "page.html")
    assert chromium.value("document.getElementById('verdict').textContent") == "accept"
    assert chromium.value("document.querySelectorAll('b, i').length") == 0
    with pytest.raises(InvalidInput):
        attend(r, "c")
