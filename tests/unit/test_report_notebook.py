"""What a notebook shows: exact, escaped, and cut where it is large."""

from __future__ import annotations

import numpy as np

import exactformer as ef
from exactformer.constructions.families import sample
from exactformer.model.html import ROWS


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


def test_instance_and_weights_as_latex() -> None:
    assert r"\tfrac{7}{5}" in ef.Tokens([["7/5", "1/5"], [1, 1]]).latex()
    big = ef.Tokens(np.arange(60).reshape(30, 2))
    assert r"\vdots" in big._repr_latex_()
    assert r"\vdots" not in big.latex()
    built = ef.construct(sample("one-token", 20, 2))
    assert len(built.transformer._repr_latex_()) < len(built.transformer.latex())


def test_numbers_of_many_thousand_digits_are_shown() -> None:
    tokens = ef.Tokens([[1], ["1/2"]])
    shown = ef.simulate(tokens, layers=20_000)._repr_html_()
    assert "digits)" in shown
    assert len(shown) < 5_000


def test_figures_show_themselves() -> None:
    figure = ef.plot(ef.limit(ef.Tokens([[1, 0], [0, 1], [1, 1]])), layers=1)
    assert figure._repr_png_().startswith(b"\x89PNG")
