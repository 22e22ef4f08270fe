"""Densities: a grammar of its own, nothing executed, negative ones refused, tokens where the mass is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.grammar import parse
from exactformer.errors import InvalidInput
from exactformer.studies.mean_field.approx_density import Density


@pytest.mark.parametrize(
    ("text", "dim", "says"),
    [
        ("cos(th)", 2, "values >= 0"),
        ("1-2*x1", 3, "values >= 0"),
        ("sqrt(x1)", 2, "got nan at"),
        ("1/(x1-x1)", 2, "got inf at"),
        ("log(0)", 4, "got -inf at"),
        ("0", 2, "positive total mass"),
        ("0*x1", 3, "positive total mass"),
        ("step(x1-2)", 4, "too concentrated"),
        ("", 2, "expected a density"),
        ("1+", 2, "expected a density"),
        ("x3", 2, "expected a density"),
        ("th", 3, "expected a density"),
        ("x1**x2", 2, "rational exponent"),
        ("__import__('os').system('true')", 2, "expected a density"),
        ("exp", 2, "expected a density"),
        ("(" * 60 + "1" + ")" * 60, 2, "nested"),
        ("1+" * 1500 + "1", 2, "at most 2000 characters"),
    ],
)
def test_what_is_no_density_is_refused(text: str, dim: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactformer.studies.mean_field.approx_density.MOST", 1 << 17)
    with pytest.raises(InvalidInput, match=says) as refused:
        Density(text, dim).tokens(50)
    assert "`density`" in str(refused.value)


def test_words_of_densities_are_no_numbers() -> None:
    for word in ("th", "x1", "exp(1)"):
        with pytest.raises(InvalidInput, match="expected a number such as"):
            parse(word)


def test_every_word_means_what_it_says() -> None:
    x = np.array([[0.6, -0.8]])
    values = {"abs(x2)": 0.8, "step(x1)": 1.0, "step(x2)": 0.0, "exp(x2)": np.exp(-0.8), "log(2)": np.log(2)}
    values |= {"th": 2 * np.pi - np.arccos(0.6), "x2**2": 0.64, "x1^(1/2)": 0.6**0.5, "pi": np.pi, "2-x1*3/2": 1.1}
    for text, value in values.items():
        assert Density(text, 2)(x)[0] == pytest.approx(value), text


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_tokens_follow_the_density(dim: int, seed: int | None) -> None:
    tokens = Density("1+x1/2", dim).tokens(20_000, seed)
    assert np.abs((tokens**2).sum(axis=1) - 1).max() < 1e-12
    close = 1e-4 if seed is None and dim < 4 else 0.02
    assert tokens.mean(axis=0) == pytest.approx([1 / (2 * dim)] + [0.0] * (dim - 1), abs=close)
    assert (tokens**2).mean(axis=0) == pytest.approx([1 / dim] * dim, abs=close)
    half = Density("step(x2)", dim).tokens(500, seed)
    assert (half[:, 1] >= 0).all()


def test_seeds_draw_and_no_seed_places() -> None:
    density = Density.generic(3)
    assert (density.tokens(100) == density.tokens(100)).all()
    assert (density.tokens(100, 5) == density.tokens(100, 5)).all()
    assert np.abs(density.tokens(100, 5) - density.tokens(100, 6)).max() > 0.1


def test_a_spike_found_late_thins_what_was_kept_before(monkeypatch: pytest.MonkeyPatch) -> None:
    density = Density("exp(4*x1)", 4)
    true = density.tokens(50_000, 1)[:, 0].mean()
    monkeypatch.setattr("exactformer.studies.mean_field.approx_density.DRAWN", 16)
    firsts = [density.tokens(8, seed)[:, 0].mean() for seed in range(800)]
    assert np.mean(firsts) == pytest.approx(true, abs=0.015)


@pytest.mark.parametrize("seed", range(6))
def test_drawn_tokens_are_those_that_every_later_bound_keeps(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token met under the bound t stays with the probability t/T under a later bound T, by one number for all."""
    monkeypatch.setattr("exactformer.studies.mean_field.approx_density.DRAWN", 8)
    rng, met, top = np.random.default_rng(seed), list[tuple[Any, float, float]](), 0.0
    kept = list[Any]()
    while len(kept) < 12:
        points = rng.normal(size=(8, 4))
        points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
        values = np.exp(6 * points[:, 0])
        top = max(top, float(values.max()))
        chosen = rng.random(8) * top < values
        met += [(x, u, top) for x, u in zip(points[chosen], rng.random(chosen.sum()), strict=True)]
        kept = [x for x, u, bound in met if u * top <= bound]
    assert Density("exp(6*x1)", 4).tokens(12, seed).tolist() == np.array(kept[:12]).tolist()


def test_the_generic_density_falls_off_along_the_coordinates() -> None:
    for dim in (2, 3, 5):
        points = np.eye(dim)
        weights = np.array([np.cos(1), np.sin(1)]) if dim == 2 else 1 / np.arange(1, dim + 1)
        wanted = 1 + points @ weights / np.linalg.norm(weights) / 2
        assert Density.generic(dim)(points) == pytest.approx(wanted)
        assert Density.generic(dim)(-points) == pytest.approx(2 - wanted)


def test_angles_go_from_zero_to_a_whole_turn() -> None:
    angles = np.array([0.1, 2.0, 3.5, 6.2])
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    assert Density("th", 2)(points) == pytest.approx(angles)
    assert Density("pi", 2)(points) == pytest.approx([np.pi] * 4)
