"""Tests of `exactformer.display.html`."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.display.html import (
    DIGITS,
    FOLD,
    ROWS,
    Markup,
    cell,
    download,
    html,
    join,
    json_content,
    number,
    point_text,
    short,
    table,
)
from exactformer.display.plain_text import visible
from exactformer.instances.dataset_families import sample

F = Fraction


# ---------------------------------------------------------------- pages


def test_numbers_on_pages_are_folded_and_cut_where_they_are_long() -> None:
    fits, folds = F(10 ** (FOLD - 1)), F(10**FOLD)
    assert (short(fits), short(folds), short(-fits)) == (str(10 ** (FOLD - 1)), "~1e+12", "~-1e+11")
    longest = F(10 ** (DIGITS - 1))
    assert number(longest) == "1" + "0" * (DIGITS - 1)
    assert number(10 * longest) == f"~inf ({DIGITS + 1} digits)"
    assert number(F(-1, 10 ** (DIGITS - 1))) == f"~-0 ({DIGITS + 1} digits)"
    assert point_text([F(1, 2), -3]) == "(1/2, -3)"
    assert cell(-(10**DIGITS)) == f"~-1.0000000e+{DIGITS}"
    assert cell(F(1, 2)) == '<span class="number">1/2</span>'
    assert cell((F(1, 2), F(3))) == '<span class="number">(1/2, 3)</span>'
    assert cell(folds) == f'<details class="number"><summary>~1e+12</summary>{10**FOLD}</details>'
    assert cell((F(1), folds)) == f'<details class="number"><summary>(1, ~1e+12)</summary>(1, {10**FOLD})</details>'
    assert (cell("<"), cell(Markup("<")), cell(5), cell(None)) == ("&lt;", "<", "5", "None")
    assert (cell(10 ** (DIGITS - 1)), cell(10**5000)) == ("1" + "0" * (DIGITS - 1), "~1.0000000e+5000")
    assert short(from_text("sqrt(2)")) == "~1.41421"


def test_tables_and_links_on_pages() -> None:
    assert table(["a", "b"], [[1, "<"]]) == (
        '<div class="scroll"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>&lt;</td></tr></table></div>'
    )
    assert table(["", ""], [[1, 2]], name="n&m") == (
        '<div class="scroll"><table data-table="n&amp;m"><tr><td>1</td><td>2</td></tr></table></div>'
    )
    assert download("a.txt", b"hi" * 600, "text/plain").startswith(
        '<a download="a.txt" href="data:text/plain;base64,aGlo'
    )
    assert download("a.txt", b"hi" * 600).endswith(">a.txt</a> (1,200 bytes)")
    assert join([html("<b>{x}</b>", x=1), html("{y:.2f}", y=0.5)]) == "<b>1</b>0.50"
    assert html("{m}{t}", m=Markup("<i>"), t="<i>") == "<i>&lt;i&gt;"
    assert visible("tab\there", keep="\t") == "tab\there"
    assert visible("tab\there") == "tab\\there"


# ---------------------------------------------------------------- shown


def test_no_text_ends_a_script() -> None:
    text = json_content({"label": "</script><b>"})
    assert "<" not in text
    assert json.loads(text) == {"label": "</script><b>"}


def test_tables_say_how_many_rows_they_leave_out() -> None:
    for count, words in ((40, None), (41, "1 more rows."), (100, "60 more rows.")):
        shown = table(["n"], [[k] for k in range(count)])
        assert shown.count("<tr>") == min(count, 40) + 1
        assert (words in shown) if words else "more rows" not in shown
    assert short(F(10**20 + 1, 3 * 10**20)) == "~0.333333"
    assert all(a < b for a, b in pairwise([len(short(F(10**k))) for k in (1, 5, 11)]))


def test_large_results_are_cut() -> None:
    orbit = ef.simulate(ef.Tokens(np.random.default_rng(1).standard_normal((500, 2))), layers=30)
    shown = orbit._repr_html_()
    assert shown.count("<tr>") == ROWS + 1
    assert f"{500 - ROWS} more rows" in shown
    assert len(shown) < 100_000


def test_limit_shows_exact_points() -> None:
    shown = ef.limit(ef.Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))._repr_html_()
    assert "(6/5, 3/5)" in shown
    assert "projection" in shown


def test_data_set_and_construction() -> None:
    data = ef.Dataset.of([ef.Sequence.of([[0]], label="<b>"), ef.Sequence.of([[1], [2]], label="y")])
    assert "&lt;b&gt;" in data._repr_html_()
    assert "shallow" in ef.construct(data)._repr_html_()
    assert "2 sequences of 1..2 tokens in dimension 1" in data._repr_html_()
    assert "3 sequences" in sample("random-targets", 3, 2)._repr_html_()


def test_numbers_of_many_thousand_digits_are_shown() -> None:
    tokens = ef.Tokens([[1], ["1/2"]])
    shown = ef.simulate(tokens, layers=20_000)._repr_html_()
    assert "digits)" in shown
    assert len(shown) < 5_000


def test_numbers_in_a_page() -> None:
    assert number(Fraction(-3, 2)) == "-3/2"
    assert number(Fraction(10**500)).endswith("(501 digits)")
    assert "<details" in cell(Fraction(10**30 + 1, 7))
    assert str(10**30 + 1) in cell(Fraction(10**30 + 1, 7))
    assert cell("<b>") == "&lt;b&gt;"
    assert cell(Markup("<b>x</b>")) == "<b>x</b>"
    assert "5 more rows" in table(["n"], [[k] for k in range(45)])
