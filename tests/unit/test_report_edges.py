"""Pictures and pages at their edges: moved floats, tokens that merge, votes of nothing, rows that just fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.colors import to_hex

import exactformer as ef
from exactformer.atlas.page import _entry
from exactformer.atlas.running import Done, run_statement
from exactformer.atlas.statement import PaperCommand, PaperStatement
from exactformer.dynamics.families import sample
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block
from exactformer.report.accounts import account_of
from exactformer.report.canvas import new_figure, set_heading
from exactformer.report.float_plot import departure_of, draw_departure
from exactformer.report.geometry_plot import draw_moves
from exactformer.report.palette import COLOURS, NEUTRAL
from exactformer.report.review_page import _bar
from exactformer.report.weights import block_weights


def test_a_limit_says_from_which_power_its_closed_form_is_positive(tmp_path: Path) -> None:
    ef.limit(sample("metastable-ties", 5, 2, 4)).certify(tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    wanted = {
        line["token"]: f"closed form, positive from k = {line['from']}" if "from" in line else "locked"
        for line in lines
        if "token" in line
    }
    ((_, _, rows),) = account_of(tmp_path / "c.jsonl").tables
    assert {row[0]: row[5] for row in rows} == wanted
    assert wanted[4] == "closed form, positive from k = 1"


def test_floats_are_drawn_where_they_are_and_exact_tokens_where_they_are() -> None:
    tokens = ef.Tokens([[1, 2], [-1, 6], [-4, -4], [4, -4]])
    departure = departure_of(ef.simulate(tokens, layers=2))
    floats = replace(departure.floats, points=[points + np.array([[0.25, -0.5]]) for points in departure.floats.points])
    left, middle, _ = draw_departure(replace(departure, floats=floats)).axes
    exact, moved = departure.exact.points[2], floats.points[2]
    drawn = [{tuple(p) for c in ax.collections for p in np.asarray(c.get_offsets()).tolist()} for ax in (left, middle)]
    assert drawn[0] >= set(map(tuple, exact.tolist()))
    assert not drawn[0] & set(map(tuple, moved.tolist()))
    assert drawn[1] >= set(map(tuple, moved.tolist())) | set(map(tuple, exact.tolist()))
    arrows = [(text.xyann, text.xy) for text in middle.texts if not text.get_text()]
    assert [tuple(map(tuple, arrow)) for arrow in arrows] == [
        (tuple(start), tuple(end)) for start, end in zip(moved.tolist(), exact.tolist(), strict=True)
    ]


def test_tokens_are_grey_before_a_map_and_coloured_once_behind_it() -> None:
    before = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [3.0, 1.0]])
    after = np.array([[1.0, 0.0], [2.0, 2.0], [2.0, 2.0], [5.0, 4.0]])
    (ax,) = draw_moves({"a map": (before, after)}).axes
    drawn = {
        to_hex(c.get_facecolor()[0]).upper(): c.get_offsets().tolist() for c in ax.collections if len(c.get_facecolor())
    }
    assert drawn == {NEUTRAL: before.tolist(), COLOURS[4]: [[1, 0], [2, 2], [5, 4]]}
    assert ax.get_xlim()[1] > 5
    assert ax.get_ylim()[1] > 4


def test_the_title_of_a_dial_is_the_one_chosen() -> None:
    data = ef.sample("random-classes", n=2, d=1, seed=1)
    assert ef.plot(data, title="mine").get_suptitle() == "mine"


def test_votes_of_nothing_are_not_positive() -> None:
    assert 'class="no"' in _bar(0.0)
    assert 'width="0.0"' in _bar(0.0)


def test_twelve_numbers_and_twelve_rows_are_shown_whole() -> None:
    for count in (11, 12, 13):
        layer = FeedForward(1, Dense([[k] * 2 for k in range(count)]), list(range(count)), Dense([[1] * count] * 2))
        shown = block_weights(Block(layer))
        assert shown.count("in all") == (3 if count > 12 else 0)
        assert ("more rows" in shown) is (count > 12)


def test_headings_are_as_long_as_their_figure_is_wide() -> None:
    for width, height in ((2, 6), (6, 2)):
        figure = new_figure(width, height)
        set_heading(figure, "word " * 30)
        lengths = [len(line) for line in figure.get_suptitle().split("\n")]
        assert int(13.5 * width) - 5 < max(lengths) <= int(13.5 * width)


def row_of(words: str, *facts: str, **options: str) -> PaperStatement:
    command = PaperCommand.of("exactformer hunt x", *facts)
    return PaperStatement("p", "k", "name", words, "validated", words, "ours", commands=(command,), **options)


def test_sentences_of_the_atlas_begin_large_and_end_in_one_dot() -> None:
    for words in ("all is well", "all is well."):
        said, outcome, command = _entry(row_of(words)).split("\n\n")
        assert said == "**name** (validated). All is well."
        assert outcome.startswith("*All is well.* (")
        assert command == "    $ exactformer hunt x"
    assert "*All is well.* Rocq: `T.thm`. Beyond it: more. (" in _entry(
        row_of("all is well", theorem="T.thm", beyond="more")
    )


def test_values_that_agree_are_counted(tmp_path: Path) -> None:
    row = row_of("w", "rows.*.a == 7", "rows.*.b >= 1", "rows.#  == 3")
    out = json.dumps({"rows": [{"a": 7, "b": 1}, {"a": 7, "b": 2}, {"a": 7, "b": 3}]})
    (ran,) = run_statement(row, tmp_path, lambda argv, folder: Done(0, out, ""))
    assert ran.shown == ("exit code 0", "rows.*.a = 3 times 7", "rows.*.b = [1, 2, 3]", "rows.# = 3")
    assert not ran.wrong
