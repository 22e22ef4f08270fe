"""Tests of `exactformer.cli.sentiment_explain`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_kit import asked

from exactformer.cli.sentiment_explain import _followers, _note
from exactformer.studies.sentiment import load

TEXT = "A wonderful, touching film: I loved it. The ending is boring, boring, and the plot a waste of time."


def test_titles_notes_and_followers_of_a_decision(capsys: pytest.CaptureFixture[str]) -> None:
    unknown = [f"zz{a}{b}q" for a in "abcde" for b in "vwxyz"]
    text = " ".join([TEXT, *unknown])
    found = load().explain(text)
    assert list(found.unknown) == unknown
    _, (shown,), _, _ = asked(capsys, "sentiment", "explain", text)
    count = sum(found.counts.values())
    assert count > len(found.counts)
    words = f"{found.decision}: decision value {float(found.value):+.4f}, exact; {count} words, "
    assert shown.title == f"{words}{len(found.leaders)} leaders"
    assert f"unknown words: {' '.join(unknown[:20])}" == " ".join(_note(found).splitlines()[-1].split())
    assert ("the same at every depth from" in _note(found)) is (found.same_from is not None)
    short = replace(load(), length=3).explain("wonderful film, boring plot, wonderful ending")
    assert "left out after the first 3: 3 words" in _note(short)
    names = [word.word for word in found.words]
    assert len(names) >= 3
    for many in (0, 1, 11, 12, 13, 20):
        followers = tuple(k % len(names) for k in range(many))
        more = f" .. ({many})" if many > 12 else ""
        assert _followers(found, followers) == " ".join(names[i] for i in followers[:12]) + more
