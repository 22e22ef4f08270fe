"""Networks in float64 and in double-double against 400-bit balls, and against the worst points of balls of inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx
from network_by_balls import LAYOUTS, random_network, truth

import exactformer as ef
from exactformer.evaluate.approx_network import ApproxNetwork
from exactformer.evaluate.decisions import enclosed_network
from exactformer.evaluate.network_answer import decide_batch
from exactformer.model.architecture import Architecture

LEVELS = ("float64", "double-double")
IDS, TYPES = [5, 0, 3], [1, 0, 1]


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def of_layout(layout: tuple, rng: np.random.Generator, **keys: object) -> ef.Network:
    norm, emb, fin, activation, causal, head = layout
    classes = {"free": 3, "tied": 6, "none": 4}[head]
    given = {"norm": norm, "embedding_norm": emb, "final_norm": fin, "activation": activation, "causal": causal}
    return random_network(rng, **{"blocks": 2, "head": head, "classes": classes, **given, **keys})


def distance(middle: object, token: int, true: list[arb]) -> float:
    """The Euclidean distance of the midpoint (an array, or a pair of them) from the truth."""
    parts = middle if isinstance(middle, tuple) else (middle,)
    off = [sum((arb(float(p[0, token, c])) for p in parts), arb(0)) - y for c, y in enumerate(true)]
    return float(sum((v * v for v in off), arb(0)).sqrt().upper())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_contained(layout: tuple, level: str) -> None:
    net = of_layout(layout, np.random.default_rng(LAYOUTS.index(layout)), head="none", classes=4)
    found = enclosed_network(net, level).hidden(np.array([IDS]), np.array([TYPES]))
    for i, row in enumerate(truth(net, IDS, TYPES)):
        assert distance(found.middle, i, row) <= found.radius[0, i]
        assert found.radius[0, i] < (1e-6 if level == "float64" else 1e-20)


@pytest.mark.parametrize("level", LEVELS)
def test_shared_and_factorised_networks_are_contained(level: str) -> None:
    keys = {"blocks": 3, "shared": True, "embedding": 3, "norm": "post", "embedding_norm": True}
    net = random_network(np.random.default_rng(7), activation="gelu", head="none", classes=4, **keys)
    found = enclosed_network(net, level).hidden(np.array([IDS]), np.array([TYPES]))
    for i, row in enumerate(truth(net, IDS, TYPES)):
        assert distance(found.middle, i, row) <= found.radius[0, i] < 1e-6


@pytest.mark.parametrize("level", LEVELS)
def test_batches_and_single_positions_agree_with_whole_inputs(level: str) -> None:
    net = of_layout(("pre", True, True, "gelu", False, "none"), np.random.default_rng(1))
    enclosed, ids = enclosed_network(net, level), np.array([IDS, [1, 2, 4], [0, 0, 0]])
    whole = enclosed.hidden(ids, np.zeros_like(ids))
    for row in range(3):
        for at in range(3):
            one = enclosed.hidden(ids[row : row + 1], np.zeros((1, 3), int), at)
            assert one.radius[0, 0] == pytest.approx(whole.radius[row, at], rel=1e-6)
            assert enclosed.a.float64(one.middle)[0, 0] == pytest.approx(enclosed.a.float64(whole.middle)[row, at])


def jacobian(function, x: np.ndarray, scale: np.ndarray, width: float) -> np.ndarray:
    """(output token, coordinate, input token, coordinate) by central differences, inputs in units of `scale`."""
    columns = []
    for j in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[j] = width
        columns.append((function(x + scale * step) - function(x - scale * step)) / (2 * width))
    return np.moveaxis(np.array(columns).reshape(*x.shape, *columns[0].shape), (0, 1), (2, 3))


def worst(J: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Directions e_j of these sizes for which sum_j J_j e_j is long: each along J_j^T y, y the sum, in turn."""
    y = rng.standard_normal(len(J))
    for _ in range(60):
        e = np.einsum("cjd,c->jd", J, y)
        e *= (sizes / np.maximum(np.linalg.norm(e, axis=1), 1e-300))[:, None]
        y = np.einsum("cjd,jd->c", J, e)
    return e


def ratios(net: ef.Network, level: str, x: np.ndarray, gain: str | None, radius: float, seed: int) -> list[float]:
    """|true move| / bound of every token at the worst points of a ball of inputs that this search finds."""
    rng, enclosed, program = np.random.default_rng(seed), enclosed_network(net, level), ApproxNetwork(net, "float64")
    g = np.ones(x.shape[1]) if gain is None else net.tensors[gain].astype(np.float64)
    start = enclosed.rows(np.array([[0] * len(x)]), np.array([[0] * len(x)]))
    before, sizes = np.full((1, len(x)), radius), np.full(len(x), radius)
    given = replace(start, middle=enclosed.a.exactly(x[None]), gain=gain, before=before, after=0 * before)
    try:
        found = enclosed.run(replace(given, radius=np.abs(g).max() * before))
    except ef.Undecided:
        return []
    middle, J, seen = program.approx_from(x), jacobian(program.approx_from, x, g, max(1e-6, radius / 2)), []
    for i in range(len(x)):
        if np.isfinite(found.radius[0, i]):
            for sign in (1, -1):
                moved = program.approx_from(x + sign * g * worst(J[i], sizes, rng)) - middle
                seen.append(float(np.linalg.norm(moved[i]) / (found.radius[0, i] + 1e-12)))
    return seen


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_point_of_a_ball_of_inputs_leaves_the_bound(layout: tuple, level: str) -> None:
    rng, count = np.random.default_rng(100 + LAYOUTS.index(layout)), 0
    for blocks, gain in ((1, None), (2, None), (1, "wild")):
        net = of_layout(layout, rng, head="none", classes=4, blocks=blocks)
        wild = {n: t * np.float32(2.0) ** rng.integers(-4, 4, t.shape) for n, t in net.tensors.items() if "gain" in n}
        net = ef.Network(net.architecture, {**net.tensors, **{n: t.astype(np.float32) for n, t in wild.items()}})
        names = [n for n in wild if "gain" in n]
        name = str(rng.choice(names)) if gain and names else None
        for radius in (1e-4, 1e-6):
            seen = ratios(net, level, rng.standard_normal((3, 4)), name, radius, 1)
            assert all(ratio <= 1.0 for ratio in seen), seen
            count += len(seen)
    assert count >= 6


def tight(norm: str, activation: str, gain: list[float], **keys: object) -> ef.Network:
    """One token, attention that adds nothing, one unit from one direction into another: bounds lose nothing."""
    sizes = {"dim": 4, "heads": 1, "hidden": 1, "blocks": 1, "vocabulary": 1, "positions": 1, "classes": 4}
    shape = Architecture(**sizes, norm=norm, activation=activation, head="none", **keys)
    tensors = {n: np.zeros(s, np.float32) for n, s in shape.shapes.items()}
    tensors["0.up"][0], tensors["0.down"][:, 0] = [1 / 16, 0, 0, 1 / 16], [4096, 0, 0, -4096]
    for name in (n for n in tensors if "gain" in n):
        tensors[name] = np.array(gain, np.float32)
    return ef.Network(shape, tensors)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_bounds_are_nearly_reached_by_a_unit(level: str, activation: str) -> None:
    seen = ratios(tight("none", activation, [1] * 4), level, np.array([[8, 0.25, 1, 8]]), None, 1e-6, 2)
    assert 0.97 < max(seen) <= 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("where", ["embedding_norm", "final_norm", "post"])
def test_bounds_are_nearly_reached_by_layer_norms_and_what_reads_them(level: str, where: str) -> None:
    """The gain belongs to the LayerNorm that a token comes from: one that is too small would be found here."""
    keys = {} if where == "post" else {where: True}
    net = tight("post" if where == "post" else "none", "gelu", [16, 1, 0.25, -16], **keys)
    seen = ratios(net, level, np.array([[0.0, 1, -1, 0]]), None, 1e-7, 3)
    assert 0.97 < max(seen) <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_slopes_that_change_within_the_ball_count(level: str) -> None:
    """Units at the most curved point of GELU, and units that ReLU switches on within the ball."""
    seen = ratios(tight("none", "gelu", [1] * 4), level, np.zeros((1, 4)), None, 0.5, 6)
    assert 0.9 < max(seen) <= 1
    seen = ratios(tight("none", "relu", [1] * 4), level, np.array([[-0.08, 0, 0, -0.08]]), None, 0.5, 7)
    assert 0.7 < max(seen) <= 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("moving", ["queries", "keys"])
def test_bounds_are_nearly_reached_by_scores(moving: str, level: str) -> None:
    """Two keys with opposite deviations; only the scores, not the values, feel the ball much."""
    sizes = {"dim": 4, "heads": 1, "hidden": 1, "blocks": 1, "vocabulary": 1, "positions": 2, "classes": 4}
    shape = Architecture(**sizes, norm="none", head="none")
    tensors = {n: np.zeros(s, np.float32) for n, s in shape.shapes.items()}
    if moving == "queries":
        tensors["0.qkv"][0, 2], tensors["0.qkv"][4, 1] = 1024, 1
    else:
        tensors["0.qkv_bias"][0], tensors["0.qkv"][4, 2] = 1024, 1
    tensors["0.qkv"][8, 1], tensors["0.out"][0, 0] = 64, 64
    net = ef.Network(shape, tensors)
    seen = ratios(net, level, np.array([[0.0, 1, 0, 0], [0, -1, 0, 0]]), None, 1e-7, 8)
    assert 0.95 < max(seen) <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_bounds_are_nearly_reached_by_values(level: str) -> None:
    shape = Architecture(
        dim=4, heads=2, hidden=1, blocks=1, vocabulary=1, positions=3, classes=4, norm="none", head="none"
    )
    tensors = {n: np.zeros(s, np.float32) for n, s in shape.shapes.items()}
    tensors["0.qkv"][8:12] = 50 * np.eye(4)
    tensors["0.out"] = np.eye(4, dtype=np.float32)
    seen = ratios(ef.Network(shape, tensors), level, np.ones((3, 4)), None, 1e-5, 5)
    assert 0.97 < max(seen) <= 1


def test_keys_that_differ_in_their_low_parts_only_move_scores() -> None:
    """Keys 1 + 2^-57 a, and queries that move by 2^60 times as much: bounds from high parts alone are too small."""
    sizes = {"dim": 4, "heads": 1, "hidden": 1, "blocks": 1, "vocabulary": 2, "positions": 2, "classes": 4}
    shape = Architecture(**sizes, norm="none", head="none")
    tensors = {n: np.zeros(s, np.float32) for n, s in shape.shapes.items()}
    tensors["token"][1, 1] = -1
    tensors["0.qkv"][0, 2], tensors["0.qkv"][4, 1], tensors["0.qkv_bias"][4] = 2.0**60, 2.0**-57, 1
    tensors["0.qkv"][8:] = np.eye(4) * 1024
    tensors["0.out"] = np.eye(4, dtype=np.float32)
    enclosed, radius = enclosed_network(ef.Network(shape, tensors), "double-double"), 2.0**-40
    start, before = enclosed.rows(np.array([[0, 1]]), np.zeros((1, 2), int)), np.array([[radius, 0.0]])
    found, seen = enclosed.run(replace(start, radius=before, before=before), 0), []
    for sign in (1, -1):
        x = [[arb(0), arb(0), sign * arb(radius), arb(0)], [arb(0), arb(-1), arb(0), arb(0)]]
        s = [arb(2) ** 60 * x[0][2] * (1 + arb(2) ** -57 * y[1]) / 2 for y in x]
        w = [(v - s[0]).exp() for v in s]
        mean = [1024 * sum((p * y[c] for p, y in zip(w, x, strict=True)), arb(0)) / sum(w, arb(0)) for c in range(4)]
        seen.append(distance(found.middle, 0, [a + b for a, b in zip(x[0], mean, strict=True)]) / found.radius[0, 0])
    assert 0.4 < max(seen) <= 1


@pytest.mark.parametrize("level", [*LEVELS, "integers"])
def test_winners_and_leads_are_the_true_ones(level: str) -> None:
    for seed, layout in enumerate(LAYOUTS):
        if layout[-1] == "none":
            continue
        net = of_layout(layout, np.random.default_rng(seed), blocks=1)
        rows = truth(net, IDS, [0, 0, 0])
        for at in range(3):
            seen = net(IDS, at=at, level=level)
            order = sorted(range(len(rows[at])), key=lambda c: -float(rows[at][c].mid()))
            if seen.argmax is not None:
                assert seen.argmax == order[0]
            lead = rows[at][order[0]] - rows[at][order[1]]
            assert (
                arb(float(seen.gap[0])) * (1 - arb(2) ** -50) - 1e-300
                <= lead
                <= arb(float(seen.gap[1])) * (1 + arb(2) ** -50) + 1e-300
            )
            assert all(abs(y - _arb(c)) <= _arb(seen.radius) for y, c in zip(rows[at], seen.centre, strict=True))


def _arb(q: object) -> arb:
    from flint import fmpq

    return arb(fmpq(q.numerator, q.denominator))


def test_near_ties_ask_the_next_level_and_ties_are_never_decided() -> None:
    net = of_layout(("pre", False, True, "gelu", True, "free"), np.random.default_rng(9), blocks=1)
    heads = {k: np.array(net.tensors[k]) for k in ("head", "head_bias")}
    heads["head"][1] = heads["head"][0]
    heads["head_bias"][:] = [0, 0, -50]
    levels = {}
    for exponent, expected in ((-10, "float64"), (-60, "double-double"), (-120, "integers"), (None, None)):
        heads["head_bias"][1] = 0 if exponent is None else 2.0**exponent
        seen = ef.Network(net.architecture, {**net.tensors, **heads})(IDS)
        levels[exponent] = seen.argmax
        assert seen.argmax == (None if exponent is None else 1)
        assert seen.level == (expected or seen.level)


def test_batches_decide_as_single_inputs_do() -> None:
    net = of_layout(("post", True, False, "gelu", False, "free"), np.random.default_rng(4))
    net = ef.Network(net.architecture, net.tensors, read="first")
    ids = np.array([[a, b, c] for a in range(6) for b in range(6) for c in range(2)])
    found = decide_batch(net, ids)
    for row in range(0, len(ids), 7):
        seen = net(ids[row])
        assert (seen.argmax if seen.argmax is not None else -1) == (found.argmax[row] if found.decided[row] else -1)
        assert found.low[row] == pytest.approx(float(seen.gap[0]), rel=1e-3)
        assert found.low[row] <= found.high[row]
    assert found.decided.all()


@pytest.mark.parametrize("norm", ["none", "pre", "post"])
def test_numbers_beyond_float64_are_never_taken_for_a_bound(norm: str) -> None:
    """Weights near the largest float32 in several blocks: infinite or not a number in floats, so undecided there."""
    rng = np.random.default_rng(6)
    for scale in (1e38, 1e-38):
        net = random_network(rng, blocks=4, norm=norm, activation="gelu", causal=False, head="free", classes=3)
        net = ef.Network(
            net.architecture, {n: (t * scale if t.ndim == 2 else t).clip(-3e38, 3e38) for n, t in net.tensors.items()}
        )
        for level in LEVELS:
            try:
                seen = net(IDS, at=0, level=level)
            except ef.Undecided:
                continue
            true = truth(net, IDS, [0, 0, 0])[0]
            if all(bool(y.rad() < 1e-30 * (1 + abs(y.mid()))) for y in true):
                assert all(abs(y - _arb(c)) <= _arb(seen.radius) for y, c in zip(true, seen.centre, strict=True))


def test_uncertain_scores_leave_no_bound() -> None:
    net = of_layout(("none", False, False, "relu", False, "none"), np.random.default_rng(2), blocks=1)
    enclosed = enclosed_network(net, "float64")
    start = enclosed.rows(np.array([IDS]), np.array([TYPES]))
    wide = np.ones((1, 3))
    with pytest.raises(ef.Undecided, match="after block 1"):
        enclosed.run(replace(start, radius=wide, before=wide))
