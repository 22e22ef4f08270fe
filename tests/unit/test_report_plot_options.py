"""What `ef.plot` is asked for reaches the picture: layers, axes, titles, stages, the frames of a witness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import exactformer as ef
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.hunt import Finding
from exactformer.conjectures.judgement import Judgement
from exactformer.report.film import Film, film_of

SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


def places(ax: Any) -> set[tuple[float, ...]]:
    """Where something is drawn as a marker."""
    return {tuple(point) for c in ax.collections for point in np.asarray(c.get_offsets()).tolist()}


def finding(**witness: int) -> Finding:
    """A counterexample among tokens that is small already, with this witness."""
    found = Finding(catalogue()["every-leader-leads-at-once"], 0, SPACE)
    found.__dict__["_small"] = (SPACE, Judgement("false", witness))
    return found


def titles(figure: Figure) -> list[str]:
    return [ax.get_title() for ax in figure.axes if ax.get_visible()]


@pytest.mark.parametrize(
    ("witness", "layers"),
    [
        ({"layers": 5, "token": 3}, [0, 4, 5, 6]),
        ({"layer": 3, "token": 1}, [0, 2, 3, 4]),
        ({"layers": 4, "layer": 2}, [0, 3, 4, 5]),
        ({"token": 2}, [0, 1]),
    ],
)
def test_a_witness_is_drawn_at_the_start_and_around_its_layer(witness: dict[str, int], layers: list[int]) -> None:
    figure = ef.plot(finding(**witness), axes=(2, 1), title="mine")
    assert titles(figure) == [f"layer {k}" for k in layers]
    orbit = ef.simulate(SPACE, layers=layers[-1])
    for ax, k in zip(figure.axes, layers, strict=False):
        points = orbit.tokens(k).floats()[:, [2, 1]]
        assert places(ax) >= set(map(tuple, points.tolist()))
        if "token" in witness:
            assert ax.collections[-1].get_offsets().tolist() == [points[witness["token"]].tolist()]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert ("the witness, token" in words[-1]) is ("token" in witness)
    assert figure.get_suptitle().startswith("mine")
    assert "coordinates 2 and 1 of 3" in figure.get_suptitle().replace("\n", " ")


@pytest.mark.parametrize("layer", [0, 2])
def test_a_layer_and_axes_of_an_orbit_are_those_chosen(layer: int) -> None:
    figure = ef.plot(SPACE, layers=3, layer=layer, axes=(2, 0), title="mine")
    assert titles(figure) == [f"layer {layer}"]
    wanted = ef.simulate(SPACE, layers=3).tokens(layer).floats()[:, [2, 0]]
    assert places(figure.axes[0]) >= set(map(tuple, wanted.tolist()))
    graph = ef.plot(SPACE, "graph", layers=3, layer=layer)
    assert titles(graph) == [f"follower graph of layer {layer}"]
    assert titles(ef.plot(SPACE, "graph", layers=3)) == ["follower graph of layer 3"]


def test_axes_and_layers_reach_floats_and_bits() -> None:
    figure = ef.plot(SPACE, "float", layers=3, axes=(2, 0), title="mine")
    assert titles(figure)[:2] == ["exact, layer 3", "float64, layer 3"]
    wanted = set(map(tuple, ef.simulate(SPACE, layers=3).tokens(3).floats()[:, [2, 0]].tolist()))
    assert all(places(ax) >= wanted for ax in figure.axes[:2])
    assert figure.get_suptitle() == "mine \N{EM DASH} coordinates 2 and 0 of 3 (an exact projection)"
    (ax,) = ef.plot(SPACE, "bits", layers=3, title="mine").axes
    assert (len(ax.lines[0].get_xdata()), ax.get_title(), ax.get_xlabel()) == (4, "mine", "layer")
    limit = ef.limit(SPACE)
    assert titles(ef.plot(limit, layers=2)) == ["layer 0", "layer 1", "layer 2"]


def test_an_animation_is_of_the_axes_and_layers_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved: list[tuple[Film, Path, str]] = []
    monkeypatch.setattr(
        "exactformer.report.plot.save_animation", lambda film, path, *, title: saved.append((film, path, title))
    )
    ef.plot(SPACE, layers=4, axes=(2, 0), title="mine", path=tmp_path / "f.GIF")
    ((film, path, title),) = saved
    whole = film_of(ef.simulate(SPACE, layers=4), axes=(2, 0))
    assert (path, title, film.layers) == (tmp_path / "f.GIF", "mine", [0, 1, 2, 3, 4])
    assert all(np.array_equal(a, b) for a, b in zip(film.points, whole.points, strict=True))
    assert list(tmp_path.iterdir()) == []


def test_a_construction_is_drawn_with_its_stages_and_what_was_chosen() -> None:
    data = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]], [[5, "1/2"], [0, 1]]], labels=list("aba"), names=list("xyz"))
    built = ef.construct(data, method="deep", width=2)
    figure = ef.plot(built, title="mine", axes=(1, 0), sequences=["z", "x"], blocks=[0])
    assert titles(figure) == ["input", "after block 0"]
    assert places(figure.axes[0]) == {(0.5, 5.0), (1.0, 0.0), (3.0, 2.0)}
    assert built.stages[0] in [text.get_text() for text in figure.axes[1].texts]
    assert figure.get_suptitle().replace("\n", " ") == "mine \N{EM DASH} 2 of 3 sequences"
    only = ef.plot(built, classes=["b"], blocks=[0])
    assert places(only.axes[0]) == {(0.0, 1.0)}
    (ax,) = ef.plot(built, "bits", title="mine").axes
    assert list(ax.lines[0].get_ydata()) == [block.bits for block in built.transformer]
    assert (ax.get_title(), ax.get_xlabel()) == ("mine", "block")
    (ax,) = ef.plot(built.transformer, title="mine").axes
    assert (ax.get_title(), ax.get_xlabel(), len(ax.lines[0].get_ydata())) == ("mine", "block", len(built.transformer))
