"""Tests of `exactformer.display.plain_text`."""

from __future__ import annotations

import pytest

from exactformer.display.html import html
from exactformer.display.plain_text import visible


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\u200b", "\u202e", "\ufeff", "\ud800", "\ue000", "\u2028", "\u2029"]
)
def test_every_character_that_cannot_be_seen_is_written_as_an_escape(character: str) -> None:
    shown = visible(f"a{character}b")
    assert shown.isascii()
    assert shown.isprintable()
    assert shown not in ("ab", f"a{character}b")
    assert character not in html("<b>{text}</b>", text=f"a{character}b")
    assert visible("naïve 猫 \n", keep="\n") == "naïve 猫 \n"
