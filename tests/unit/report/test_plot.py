"""Tests of `exactformer.report.plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import exactformer as ef
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.hunt import Finding
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.errors import InvalidInput
from exactformer.report.plot import refuted_title


def test_the_title_of_a_dial_is_the_one_chosen() -> None:
    data = ef.sample("random-classes", n=2, d=1, seed=1)
    assert ef.plot(data, title="mine").get_suptitle() == "mine"


def test_figures_show_themselves() -> None:
    figure = ef.plot(ef.limit(ef.Tokens([[1, 0], [0, 1], [1, 1]])), layers=1)
    assert figure._repr_png_().startswith(b"\x89PNG")


# ---------------------------------------------------------------- pages of certificates


def test_the_title_of_a_refutation_says_its_witness() -> None:
    assert refuted_title("All is well.", {"token": 3, "layer": 5}) == "refuted: All is well. Witness: token 3, layer 5"
    assert refuted_title("All is well.", {}) == "refuted: All is well."


# ---------------------------------------------------------------- the mean field


def test_kinds_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    tokens, built = ef.Tokens([[1, 0], [0, 1]]), ef.construct([[[0]], [[1]]], labels=["a", "b"])
    for thing, kind, known in ((tokens, "blocks", "orbit, graph, bits, float"), (built, "orbit", "blocks, bits")):
        with pytest.raises(InvalidInput, match=known):
            ef.plot(thing, kind)
    with pytest.raises(InvalidInput, match="expected tokens"):
        ef.plot(3)
    with pytest.raises(InvalidInput, match='attention="softmax"'):
        ef.plot(built, "temperatures")
    with pytest.raises(InvalidInput, match="expected a construction for 'temperatures'"):
        ef.plot(ef.load(built.certify(tmp_path / "c.jsonl")), "temperatures")


def test_a_finding_is_drawn_at_its_witness() -> None:
    found = ef.hunt("every-leader-leads-at-once", seed=1).counterexample
    assert found is not None
    figure = ef.plot(found)
    assert [ax.get_title() for ax in figure.axes] == ["layer 0", "layer 1", "layer 2"]
    assert figure.get_suptitle().startswith("refuted: ")
    assert any("leader" in text.get_text() for text in figure.legends[0].get_texts())


SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


def places(ax: Any) -> set[tuple[float, ...]]:
    """Where something is drawn as a marker."""
    return {tuple(point) for c in ax.collections for point in np.asarray(c.get_offsets()).tolist()}


def finding(**witness: int) -> Finding:
    """A counterexample among tokens that is small already, with this witness."""
    found = Finding(catalogue()["every-leader-leads-at-once"], 0, SPACE)
    found.__dict__["_small"] = (SPACE, StatementVerdict("false", witness))
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
    assert titles(ef.plot(SPACE, "graph", layers=3)) == ["follower graph of layer 0"]


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


# ---------------------------------------------------------------- in the axes of the user


def user_axes() -> Any:
    figure = Figure(layout="constrained")
    return figure, figure.subplots(1, 2)


@pytest.mark.parametrize("kind", ["graph", "bits"])
def test_a_picture_of_one_panel_is_drawn_in_the_axes_given(kind: str, tmp_path: Path) -> None:
    figure, (left, right) = user_axes()
    tokens = ef.Tokens([[1, 0], [0, 1], [1, 1]])
    assert ef.plot(tokens, kind, ax=left, path=tmp_path / "p.svg", title="mine") is figure
    assert left.has_data()
    assert left.get_title().startswith("mine")
    assert not right.has_data()
    assert b"<svg" in (tmp_path / "p.svg").read_bytes()


def test_a_layer_is_drawn_in_the_axes_given_with_its_legend() -> None:
    _, (left, _) = user_axes()
    ef.plot(ef.Tokens([[1, 0], [0, 1], [1, 1]]), layer=2, ax=left)
    assert left.has_data()
    assert left.get_legend() is not None


def test_several_panels_stand_in_the_place_of_the_axes_given() -> None:
    figure, (left, right) = user_axes()
    ef.plot(ef.construct([[[0]], [[1]]], labels=["a", "b"]), ax=left)
    assert not left.axison
    assert len(figure.subfigs) == 1
    assert len(figure.subfigs[0].axes) >= 2
    ef.plot(ef.Tokens([[1, 0], [0, 1]]))  # the next picture is one of its own
    assert len(figure.subfigs) == 1
    assert right.axison


def test_space_shows_three_coordinates() -> None:
    tokens = ef.sample("generic", n=9, d=4, seed=1)
    figure = ef.plot(tokens, "space", layer=1, axes=(0, 3, 1))
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("coordinate 0", "coordinate 3", "coordinate 1")
    assert "coordinates 0, 3, 1 of 4" in figure.get_suptitle()
    for axes in ((0, 1), (0, 1, 1), (0, 1, 4)):
        with pytest.raises(InvalidInput, match=r"axes: expected three different coordinates from 0\.\.3"):
            ef.plot(tokens, "space", axes=axes)


def test_results_with_one_picture_have_it_here_too(tmp_path: Path) -> None:
    found = ef.languages.compile("a*b")
    drawn = [ef.languages.extract(found.recogniser), ef.languages.attend(found.recogniser, "aab")]
    for thing in drawn:
        assert ef.plot(thing, path=tmp_path / "p.png").axes
        assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "p.png").unlink()
