"""Films that glide and panels of blocks, from plain data: pictures, notes at points, names of targets, legends."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import exactformer as ef
from exactformer.report.animation import glide, save_animation
from exactformer.report.block_plot import draw_blocks
from exactformer.report.canvas import frame, panels
from exactformer.report.film import Film, film_of
from exactformer.report.float_plot import departure_of
from exactformer.report.gallery import configurations
from exactformer.report.graph_plot import draw_graph
from exactformer.report.growth_plot import orbit_bits
from exactformer.report.orbit_plot import draw_orbit, telling_frames
from exactformer.report.palette import COLOURS, NEUTRAL, Style, follower_style, leader_style
from exactformer.report.passage import Passage
from exactformer.report.scenes import orbit_stage
from exactformer.report.svg import Scene, draw_frame

EMERGING = configurations()["emerging leader"]


def shown(
    moments: Sequence[Sequence[Sequence[Sequence[int]]]],
    groups: Sequence[str],
    goals: Sequence[tuple[str, Sequence[int]]] = (),
    classes: Sequence[str] | None = None,
) -> Passage:
    """The passage of sequences of plane points: `moments[k][j]` are the tokens of sequence j."""
    states = [[ef.State.of(sequence) for sequence in moment] for moment in moments]
    points = [[state.floats() for state in moment] for moment in states]
    names = [str(j) for j in range(len(groups))]
    targets = [(name, np.array([place], float)) for name, place in goals]
    return Passage(points, states, names, list(groups), list(classes or dict.fromkeys(groups)), targets, "")


def test_a_gliding_film_keeps_the_numbers_of_chosen_layers() -> None:
    film = film_of(ef.simulate(EMERGING, layers=9), layers=[0, 4, 9])
    slow = glide(film, 3)
    assert slow.layers == [0, 0, 0, 4, 4, 4, 9]
    for k, share in ((1, 1 / 3), (2, 2 / 3)):
        assert np.allclose(slow.points[k], (1 - share) * film.points[0] + share * film.points[1])
    assert [slow.leaders(at) for at in (0, 3, 6)] == [film.leaders(at) for at in range(3)]


SPACE = ef.Tokens([[1, 2, -3], [-1, 6, 5], [-4, -4, 3], [0, 4, -1], [4, -4, 2]], [[2, 1, 0], [1, 2, 0], [0, 0, 1]], 1)


def test_layers_of_a_film_lie_in_one_plane_whichever_are_chosen() -> None:
    orbit = ef.simulate(SPACE, layers=6)
    whole, part = film_of(orbit), film_of(orbit, layers=[3, 6])
    assert part.words == whole.words == "principal projection from dimension 3 (rounded)"
    for at, layer in enumerate((3, 6)):
        assert np.array_equal(part.points[at], whole.points[layer])
        assert not np.allclose(whole.points[layer], whole.points[0])


@pytest.mark.parametrize("axes", [None, (2, 0)])
def test_floats_that_round_nothing_have_the_film_of_the_exact_orbit(axes: tuple[int, int] | None) -> None:
    orbit = ef.simulate(SPACE, layers=6)
    found = departure_of(orbit, axes=axes)
    assert found.floats.leads_from == found.exact.leads_from == orbit.leads_from
    assert len(set(orbit.leads_from.values())) > 1
    assert (found.floats.layers, found.floats.words) == (found.exact.layers, found.exact.words)
    assert [list(map(tuple, sets)) for sets in found.floats.follows] == [
        list(map(tuple, sets)) for sets in found.exact.follows
    ]
    for k in range(7):
        assert np.array_equal(found.floats.points[k], found.exact.points[k])
        if axes is not None:
            assert np.array_equal(found.exact.points[k], orbit.tokens(k).floats()[:, [2, 0]])
    assert (found.distances, found.wrong) == ([0.0] * 7, [0] * 7)


@pytest.mark.parametrize(("count", "pictures"), [(400, 5), (401, 2)])
def test_few_tokens_glide_and_many_jump(
    count: int, pictures: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    circle = np.column_stack([np.cos(np.arange(count)), np.sin(np.arange(count))])
    film = Film([3, 8], [circle, 2 * circle], [[(0,)] * count] * 2, {0: 0})
    asked: list[tuple[int, Path, int, str]] = []

    def titles(figure: Figure, show: Callable[[int], None], frames: int, path: Path, *, frames_per_second: int) -> None:
        show(frames - 1)
        asked.append((frames, path, frames_per_second, figure.axes[0].get_title()))

    monkeypatch.setattr("exactformer.report.animation.save_frames", titles)
    save_animation(film, tmp_path / "f.gif", frames_per_second=5, title="mine")
    assert asked == [(pictures, tmp_path / "f.gif", 5, "mine \N{EM DASH} layer 8")]


def test_stages_are_named_where_there_is_one_for_every_block() -> None:
    passage = shown([[[[0, 0], [1, 3]]], [[[1, 0], [1, 3]]], [[[2, 0], [1, 4]]], [[[2, 5], [1, 5]]]], ["a"])
    figure = draw_blocks(passage, ["spread", "split", "join"])
    assert [[text.get_text() for text in ax.texts] for ax in figure.axes[:4]] == [[], ["spread"], ["split"], ["join"]]
    for stages in (["spread", "split"], ["spread", "split", "join", "rest"]):
        assert all(not ax.texts for ax in draw_blocks(passage, stages).axes)
    chosen = draw_blocks(passage, ["spread", "split", "join"], blocks=[2, 0])
    assert [ax.get_title() for ax in chosen.axes] == ["input", "after block 0", "after block 2"]
    assert [[text.get_text() for text in ax.texts] for ax in chosen.axes] == [[], ["spread"], ["join"]]


def test_points_that_stand_close_say_no_numbers() -> None:
    same = [[0, 0], [100, 0], [100, 100], [104, 100]]
    ax = draw_blocks(shown([[same, same, same[1:]]] * 2, ["a", "b", "b"]), blocks=[0]).axes[0]
    assert {tuple(text.xy): text.get_text() for text in ax.texts} == {(0, 0): "×2", (100, 0): "×3"}
    far = [[0, 0], [100, 0], [100, 100], [140, 100]]
    ax = draw_blocks(shown([[far, far, far[1:]]] * 2, ["a", "b", "b"]), blocks=[0]).axes[0]
    assert {tuple(text.xy): text.get_text() for text in ax.texts} == {
        (0, 0): "×2", (100, 0): "×3", (100, 100): "×3", (140, 100): "×3",
    }  # fmt: skip


def test_only_a_coordinate_that_differs_has_numbers() -> None:
    for points, empty in (([[0, 1], [5, 1]], "y"), ([[2, 0], [2, 7]], "x"), ([[0, 0], [5, 7]], "")):
        (ax, *_) = draw_blocks(shown([[points]] * 2, ["a"]), blocks=[0]).axes
        bare = [name for name, ticks in (("x", ax.get_xticks()), ("y", ax.get_yticks())) if not len(ticks)]
        assert "".join(bare) == empty


@pytest.mark.parametrize("count", [14, 15])
def test_up_to_fourteen_targets_and_points_are_named(count: int) -> None:
    names = [f"label {j}" for j in range(count)]
    ends = [[[10 * j, j * j]] * 2 for j in range(count)]
    passage = shown([ends, ends], names, [(name, (10 * j, j * j)) for j, name in enumerate(names)])
    ax = draw_blocks(passage).axes[1]
    words = {text.get_text(): tuple(text.xy) for text in ax.texts}
    assert words == ({name: (10 * j, j * j) for j, name in enumerate(names)} if count == 14 else {})
    crosses = [tuple(c.get_offsets()[0]) for c in ax.collections if to_hex(c.get_facecolor()[0]) == "#222222"]
    assert crosses == [(10 * j, j * j) for j in range(count)]
    pairs = [*ends, *ends]
    twice = draw_blocks(shown([pairs, pairs], names * 2), blocks=[0]).axes[0]
    assert len(twice.texts) == (14 if count == 14 else 0)


def test_the_legend_has_the_labels_that_are_there_and_at_most_twenty() -> None:
    passage = shown([[[[0, 0]], [[1, 3]]]] * 2, ["c", "a"], [("a", (1, 3))], classes=["a", "b", "c"])
    handles = draw_blocks(passage).legends[0]
    assert [text.get_text() for text in handles.get_texts()] == ["a", "c", "target", "×n: n sequences"]
    faces = [line.get_markerfacecolor() for line in handles.legend_handles[:2]]
    assert faces == [COLOURS[0], COLOURS[2]]
    names = [f"{j:02}" for j in range(22)]
    many = shown([[[[j, j * j]] for j in range(22)]] * 2, names)
    words = [text.get_text() for text in draw_blocks(many).legends[0].get_texts()]
    assert words == [*names[:20], "target", "×n: n sequences"]
    long = shown([[[[0, 0]], [[1, 3]]]] * 2, ["x" * 14, "y" * 15], [("x" * 14, (0, 0)), ("y" * 15, (1, 3))])
    notes = [text.get_text() for text in draw_blocks(long).axes[1].texts]
    assert notes == ["x" * 14, f"{'y' * 12}.."]


@pytest.mark.parametrize("sign", [1, -1])
def test_points_on_one_place_have_a_picture_around_them(sign: int) -> None:
    (ax,) = panels(1)[1]
    frame(ax, [np.array([[4.0 * sign, 3.0], [4.0 * sign, 5.0]])], equal=False)
    assert np.allclose([ax.get_xlim(), ax.get_ylim()], [(4 * sign - 0.2, 4 * sign + 0.2), (2.8, 5.2)])
    frame(ax, [np.array([[4.0 * sign, 8.0 * sign]])])
    assert np.allclose(ax.get_xlim(), (4 * sign - 0.36, 4 * sign + 0.36))
    assert np.allclose(ax.get_ylim(), (8 * sign - 0.36, 8 * sign + 0.36))


def test_bits_of_a_layer_are_those_of_its_points_in_lowest_terms() -> None:
    orbit = ef.simulate(ef.Tokens([[4, 0], [0, 8], [2, 2]], alpha=1), layers=5)
    bits = []
    for k in range(6):
        numbers = [x for row in orbit.tokens(k).rows() for x in row]
        common = math.lcm(*(x.denominator for x in numbers))
        bits.append(max(common, *(abs(int(x * common)) for x in numbers)).bit_length())
    assert orbit_bits(orbit) == bits == [4, 4, 5, 6, 7, 8]


def test_panels_of_an_orbit_are_named_by_its_layers_and_trails_end_there() -> None:
    orbit = ef.simulate(SPACE, layers=9)
    film = film_of(orbit, layers=[0, 2, 5, 9], axes=(2, 0))
    figure = draw_orbit(film, title="mine")
    assert [ax.get_title() for ax in figure.axes] == ["layer 0", "layer 2", "layer 5", "layer 9"]
    assert figure.get_suptitle().replace("\n", " ") == f"mine \N{EM DASH} {film.words}"
    for at, ax in enumerate(figure.axes):
        trails = [c for c in ax.collections if isinstance(c, LineCollection)]
        paths = [path.vertices.tolist() for c in trails for path in c.get_paths()]
        assert paths == ([[film.points[k][i].tolist() for k in range(at + 1)] for i in range(5)] if at else [])
    assert [ax.get_title() for ax in draw_orbit(film, [3, 1]).axes] == ["layer 9", "layer 2"]


def test_telling_frames_count_moves_in_every_direction() -> None:
    """One token goes left by 18: a third of it at once, a half after four layers, two thirds and more after six."""
    places = np.cumsum([0, -6, -1, -1, -1, -1, -6, -1, -1])
    film = Film(list(range(9)), [np.array([[x, 0.0], [20.0, 5.0]]) for x in places], [[(0,), (1,)]] * 9, {})
    assert telling_frames(film) == [0, 1, 6, 8]
    assert telling_frames(film, 3) == [0, 4, 8]
    assert telling_frames(film, 9) == list(range(9))
    assert [ax.get_title() for ax in draw_orbit(film).axes] == ["layer 0", "layer 1", "layer 6", "layer 8"]


def test_a_tie_shows_four_colours_that_differ() -> None:
    """Ranks 0 and 7 have one colour: five ranks of four colours are four slices, and six colours four of them."""
    assert follower_style([0, 7, 1, 2, 3]) == Style("circle", COLOURS[:4])
    assert follower_style([5, 4, 3, 2, 1, 0]) == Style("circle", COLOURS[5:1:-1])
    assert follower_style([None, 2, None]) == Style("circle", (NEUTRAL, COLOURS[2]))
    assert follower_style([3, 3]) == follower_style([3]) == Style("diamond", (COLOURS[3],))
    assert follower_style([0, 7]) == Style("circle", COLOURS[:1])


def test_trails_are_drawn_up_to_a_number_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    film = film_of(ef.simulate(SPACE, layers=2), axes=(0, 1))
    for most, drawn in ((5, True), (4, False)):
        monkeypatch.setattr("exactformer.report.orbit_plot.TRAILS", most)
        (ax,) = draw_orbit(film, [2]).axes
        assert any(isinstance(c, LineCollection) for c in ax.collections) is drawn


def test_norms_that_hardly_differ_fill_a_twentieth_of_the_largest() -> None:
    (ax,) = draw_graph(ef.simulate(ef.Tokens([[10, 0], [0, "101/10"]]), layers=0)).axes
    reach = 0.62 * 0.05 * 10.1
    assert np.allclose(ax.get_ylim(), [10.05 - reach, 10.05 + reach])


def test_twelve_leaders_of_many_are_in_the_legend_of_a_page() -> None:
    quarter = [(25, 0), (24, 7), (20, 15), (15, 20)]
    circle = [(x * c - y * s, x * s + y * c) for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in quarter]
    stage = orbit_stage(ef.simulate(ef.Tokens(circle), layers=1))
    assert stage.legend == [
        *((leader_style(i), f"leader {i}; its followers share the colour") for i in range(12)),
        (follower_style([None]), "follows no leader yet"),
    ]


def test_stars_of_a_frame_lie_on_top_of_its_other_points() -> None:
    star, disc = leader_style(0), follower_style([1])
    points = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    scene = Scene(["a", "b"], [points] * 2, [[disc, disc, star], [star, disc, disc]], [points[:0]] * 2, ["x", "y", "z"])
    for at, order in ((0, ["0", "1", "2"]), (1, ["1", "2", "0"])):
        assert re.findall(r'data-token="(\d)"', draw_frame(scene, at)) == order
