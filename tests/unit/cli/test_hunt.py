"""Tests of `exactformer.cli.hunt`."""

from __future__ import annotations

import click
import pytest

from exactformer.cli import common


@pytest.mark.parametrize(
    ("terminal", "quiet", "drawn"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_bars_are_drawn_on_a_terminal_unless_quiet(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool, drawn: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with click.Context(click.Command("x")) as ctx:
        ctx.meta[common.QUIET] = quiet
        assert common.shows_progress() is drawn
        from exactformer.cli.hunt import _bar

        with _bar("name", 10) as tell:
            assert (tell is not None) is drawn
