"""Files of every claim with sizes as parameters, for the search of the costliest one.

A new claim adds its generators here, one row each: `Generator(claim, make, size=(least, most), ..)`. `make` gets one
integer for each parameter and returns the lines of a certificate, which need not be true but are well-formed as far as
the work goes. `test_cost_campaign.py` and `cost_campaign.py` take them from `GENERATORS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import hostile as h
import hostile_boxes as boxes
import hostile_hashes as hashes
import hostile_languages as languages
import hostile_mean_field as mean_fields
import hostile_networks as networks
import hostile_stages as stages
from checker_kit import Lines, header


@dataclass(frozen=True)
class Generator:
    """Certificates of a claim by integers, each within a range; the middle of every range costs a moment."""

    claim: str
    make: Callable[..., Lines]
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)


def generator(claim: str, make: Callable[..., Lines], **ranges: tuple[int, int]) -> Generator:
    return Generator(claim, make, ranges)


def numbers(count: int, digits: int = 1) -> list[list[str]]:
    """Places on a line with denominators of so many digits."""
    return [[f"{2 * k + 2}/{10**digits + 1}"] if digits > 1 else [str(k)] for k in range(count)]


def places(count: int, dim: int, digits: int = 1) -> list[list[str]]:
    """Different points with integers of so many digits."""
    return [[str(10 ** (digits - 1) * (k + 1) + (7 * k * i) % 11) for i in range(dim)] for k in range(count)]


def network_of_scores(tokens: int, dim: int, digits: int) -> Lines:
    one = {"scalar": "1"}
    return h.network(dim, [(None, h.attention(one, one, one))], places(tokens, dim, digits))


def network_of_means(tokens: int, blocks: int) -> Lines:
    part = (None, h.attention(V={"scalar": "1"}, rho="1/3"))
    return h.network(1, [part] * blocks, [[f"1/{p}"] for p in h.primes(tokens)])


def network_of_units(units: int, tokens: int, digits: int) -> Lines:
    biases = [f"-1/{10**digits + 2 * k + 1}" for k in range(units)]
    return h.network(1, [(h.units(biases), None)], numbers(tokens))


def network_of_directions(units: int, tokens: int) -> Lines:
    U = [[str(p), "1"] for p in h.primes(units)]
    W = {"outer": [["1", "1"], ["1"] * units]}
    return h.network(2, [(h.feed_forward(U, units, W), None)], places(tokens, 2))


def network_of_steps(blocks: int, digits: int, tokens: int) -> Lines:
    return h.network(1, [(None, h.attention(rho=f"1/{10**digits + 1}"))] * blocks, numbers(tokens))


def infeasible(tokens: int, digits: int) -> Lines:
    """The same tokens twice, in another order."""
    rows = places(tokens, 2, digits)
    lines = [
        {"sequence": 0, "tokens": rows, "targets": [["1", "1"]]},
        {"sequence": 1, "tokens": rows[::-1], "targets": [["2", "1"]]},
    ]
    return [header("infeasible", 2, condition="measure", sequences=2, witness=[0, 1]), *lines]


def orbit(tokens: int, dim: int, digits: int) -> Lines:
    rows = places(tokens, dim, digits)
    layer = {"layer": 0, "tokens": rows, "follows": [[tokens - 1]] * tokens, "leaders": [tokens - 1]}
    return [header("orbit", dim, tokens=tokens, layers=0), h.system(rows), layer]


def separation(points: int, digits: int) -> Lines:
    """Two sets with weights of one common point, which they do not have."""
    left, right = places(points, 2, digits), places(points, 2, digits)[::-1]
    weights = [[k, f"1/{points}"] for k in range(points)] if points > 1 else [[0, "1"]]
    top = header("separation", 2, left=points, right=points, separated=False)
    return [top, {"left": left}, {"right": right}, {"left_weights": weights, "right_weights": weights}]


def recurrence(rows: int, dim: int) -> Lines:
    """A constant series, and a minor of it that is not one."""
    top = header("recurrence", dim, rows=rows, intercept=False, refuted=0, holds=True) | {"version": [1, 1]}
    one = h.square_one(dim)
    found = {"coefficients": [one], "intercept": ["0"] * dim}
    minor = {"minor": list(range(dim)), "modulus": "2305843009213693951"}
    return [top, {"series": [["3"] * dim] * rows}, found, minor]


def window(length: int) -> Lines:
    top = header("positive-window", 1, degree=1, window=length + 2) | {"version": [1, 1]}
    return [top, {"polynomial": ["-1", "1"]}, {"window": 2, "plus": ["0"], "minus": ["0"]}]


def decisions(tokens: int, layers: int, digits: int) -> Lines:
    return h.decision(places(tokens, 1, digits), "1", layers)


def distant_limit(layer: int) -> Lines:
    first = {"token": 0, "kind": "vertex", "limit": ["7"], "lock": True}
    return h.limit(layer, h.system([["1"], ["1/2"]], alpha="2/3"), first)


def with_a_wrong_limit(lines: Lines) -> Lines:
    """A certificate in stages that goes on with the line of a token."""
    return [*lines, {"token": 0, "kind": "vertex", "limit": [[["7"]]] * lines[0]["dim"]}]


def sphere(layers: int) -> Lines:
    return h.statement("graph-constant-after-n", layers, h.system([["1", "2"], ["3", "1"], ["2", "2"]], alpha="1/7"))


def argmax(inputs: int, hidden: int, bits: int, activation: str = "gelu") -> Lines:
    wide = {**networks.TINY, "hidden": hidden, "activation": activation, "bits": bits}
    return networks.network(networks.inputs(inputs, 2), {"head bias": [1.0, 0.0]}, 2.0**-5, **wide)


def enclosure(inputs: int, length: int, blocks: int) -> Lines:
    wide: dict[str, Any] = {**networks.TINY, "positions": length, "blocks": blocks, "shared": True, "norm": "pre"}
    lines = networks.network(networks.inputs(inputs, length), {}, 2.0**-5, **wide)
    cases = [
        {"case": line["case"], "ids": line["ids"], "at": 0, "centre": ["0", "0"], "radius": "1000"}
        for line in lines
        if "case" in line
    ]
    first = {key: value for key, value in lines[0].items() if key != "at"} | {"claim": "enclosure"}
    return [first, *[line for line in lines[1:] if "case" not in line], *cases]


def recognition(length: int) -> Lines:
    return languages.up_to(length, 1, [(None, languages.attention(languages.HEAD))])


def long_word(length: int, dim: int) -> Lines:
    return languages.word(length, dim, [(None, languages.attention(languages.HEAD))])


def heads(heads: int, blocks: int, inputs: int) -> Lines:
    deep = {**networks.TINY, "dim": heads, "heads": heads, "blocks": blocks, "shared": True}
    return networks.network(networks.inputs(inputs, 2), {"head bias": [1.0, 0.0]}, 2.0**-9, **deep)


def domain(letters: int, blocks: int) -> Lines:
    small = {**networks.TINY, "positions": letters, "blocks": blocks, "shared": True}
    return networks.network(networks.domain(*[[0, 1]] * letters), {"head bias": [1.0, 0.0]}, 2.0**-5, **small)


def no_recogniser(states: int, word: int) -> Lines:
    """A cycle of states, round which a long word leads."""
    top = header("no-recogniser", 1, letters=1, states=states, period=1) | {"version": [1, 2]}
    cycle = {"letters": ["a"], "next": [[(q + 1) % states] for q in range(states)], "accepting": [0], "start": 0}
    return [top, cycle, {"x": [], "u": [0] * word, "p": states, "z": []}]


#: numbers that Python's hash does not tell apart
GENERATORS_BY_HASH: dict[str, Generator] = {
    "tokens by hash": generator("interpolation", hashes.tokens, count=(10, 40_000), blocks=(1, 900)),
    "targets by hash": generator("interpolation", hashes.targets, count=(10, 36_000)),
    "heads by hash": generator("interpolation", hashes.heads, count=(10, 36_000)),
    "directions by hash": generator("interpolation", hashes.directions, units=(10, 20_000)),
    "points by hash": generator("interpolation, softmax", hashes.softmax, count=(10, 36_000), blocks=(1, 900)),
    "denominators by hash": generator(
        "interpolation, softmax", hashes.denominators, count=(10, 20_000), blocks=(1, 2_000)
    ),
    "measures by hash": generator("infeasible", hashes.equal_measures, count=(10, 18_000)),
    "forms by hash": generator("limit", hashes.forms, count=(1, 12_000)),
    "bases by hash": generator("limit, stages", hashes.bases, count=(1, 9_000)),
    "decision by hash": generator("decision", hashes.decision, count=(10, 28_000)),
    "statement by hash": generator("counterexample", hashes.statement, count=(10, 36_000)),
    "one block by hash": generator("counterexample", hashes.one_block, count=(2, 9_000)),
    "letters by hash": generator("recognition", hashes.letters, count=(1, 12_000), blocks=(1, 900)),
}
GENERATORS_OF_MEAN_FIELDS: dict[str, Generator] = {
    "mirrored tokens": generator("counterexample", mean_fields.mirrored, pairs=(1, 20_000), long=(1, 4_000)),
    "cone": generator("counterexample", mean_fields.cone, count=(1, 40_000), long=(1, 4_000)),
    "kernel": generator("counterexample", mean_fields.kernel, count=(1, 9_000), digits=(1, 300)),
    "late time": generator("counterexample", mean_fields.late, time=(1, 10**12), digits=(1, 3_900)),
    "decay": generator("counterexample", mean_fields.decay, digits=(1, 3_900)),
    "plane": generator("counterexample", mean_fields.plane, digits=(1, 3_900)),
    "no real leader": generator("counterexample", h.no_real_leader, exponent=(1, 10**9)),
    "slow steps": generator("counterexample", h.slow_steps, split=(1, 10**14)),
}
FROM = ["1", None]
GENERATORS: dict[str, Generator] = {
    "scores": generator("interpolation", network_of_scores, tokens=(20, 9_000), dim=(1, 20), digits=(1, 60)),
    "means": generator("interpolation", network_of_means, tokens=(10, 9_000), blocks=(1, 200)),
    "units": generator("interpolation", network_of_units, units=(10, 9_000), tokens=(1, 5_000), digits=(1, 60)),
    "directions": generator("interpolation", network_of_directions, units=(10, 9_000), tokens=(10, 9_000)),
    "steps": generator("interpolation", network_of_steps, blocks=(10, 900), digits=(1, 300), tokens=(2, 9_000)),
    "undecided units": generator("interpolation, margin", boxes.undecided, width=(50, 25_000), tokens=(2, 9_000)),
    "cancelling units": generator("interpolation, margin", boxes.cancelling, width=(50, 20_000), tokens=(2, 9_000)),
    "softmax": generator(
        "interpolation, softmax",
        lambda tokens, dim, bits: boxes.scores(tokens, ["1/1000", "1"], dim, bits),
        tokens=(10, 9_000),
        dim=(1, 8),
        bits=(4, 500),
    ),
    "cold softmax": generator(
        "interpolation, softmax", lambda tokens, dim: boxes.scores(tokens, FROM, dim), tokens=(10, 9_000), dim=(2, 8)
    ),
    "softmax of means": generator("interpolation, softmax", boxes.means, tokens=(10, 9_000), blocks=(1, 3_000)),
    "softmax after units": generator("interpolation, softmax", boxes.pieces, width=(10, 6_000), tokens=(5, 9_000)),
    "loss": generator(
        "loss", lambda width, tokens: boxes.pieces(width, tokens, "loss"), width=(10, 6_000), tokens=(5, 9_000)
    ),
    "loss of targets": generator(
        "loss",
        lambda tokens, targets: h.loss(h.network(1, [], numbers(tokens)), numbers(targets)),
        tokens=(10, 9_000),
        targets=(10, 9_000),
    ),
    "infeasible": generator("infeasible", infeasible, tokens=(10, 9_000), digits=(1, 30)),
    "orbit": generator("orbit", orbit, tokens=(10, 9_000), dim=(1, 8), digits=(1, 30)),
    "limit": generator("limit", distant_limit, layer=(100, 60_000)),
    "limit with tables": generator("limit", h.long_table, k0=(10, 60_000), tokens=(2, 3_000)),
    "limit without terms": generator("limit", h.no_terms, count=(10, 6_000)),
    "powers in stages": generator("limit, stages", stages.cancelled_powers, bases=(2, 45), bits=(1_000, 120_000)),
    "bases in stages": generator("limit, stages", stages.many_bases, count=(10, 9_000), terms=(1, 100)),
    "terms in stages": generator("limit, stages", stages.many_terms, count=(10, 6_000), digits=(1, 80)),
    "pairs in stages": generator(
        "limit, stages", lambda **sizes: with_a_wrong_limit(stages.many_pairs(**sizes)), count=(6, 3_000)
    ),
    "renewals": generator(
        "limit, stages",
        lambda **sizes: with_a_wrong_limit(stages.renewed_pairs(**sizes)),
        count=(6, 900),
        stages=(2, 3_000),
    ),
    "long bases": generator(
        "limit, stages",
        lambda **sizes: with_a_wrong_limit(stages.long_bases(**sizes)),
        count=(6, 60),
        digits=(1, 3_900),
    ),
    "chains": generator(
        "limit, stages", lambda **sizes: with_a_wrong_limit(stages.chained(**sizes)), count=(3, 60), digits=(1, 600)
    ),
    "decision": generator("decision", decisions, tokens=(10, 9_000), layers=(1, 1_000), digits=(1, 30)),
    "decision with ties": generator("decision", h.tied_decision, count=(10, 9_000), layers=(1, 1_000)),
    "vertex": generator("vertex", h.vertex, count=(10, 9_000)),
    "points": generator("vertex", h.points_of, dim=(10, 9_000), count=(2, 200)),
    "separation": generator("separation", separation, points=(2, 6_000), digits=(1, 30)),
    "projection": generator("projection", h.projection, dim=(5, 300), digits=(1, 60)),
    "recurrence": generator("recurrence", recurrence, rows=(20, 9_000), dim=(1, 9)),
    "window": generator("positive-window", window, length=(100, 10_000_000)),
    "zero temperature": generator("zero-temperature", h.zero_temperature, dim=(4, 60), digits=(1, 150)),
    "powers of a matrix": generator("zero-temperature", h.more_powers, degree=(100, 20_000)),
    "laplace": generator("laplace", h.laplace, count=(10, 9_000), bits=(10, 5_000)),
    "statement": generator("counterexample", sphere, layers=(100, 10**9)),
    "Frank-Wolfe": generator("counterexample", h.frank_wolfe, layers=(10, 10**9), tokens=(2, 9_000)),
    "Jordan block": generator("counterexample", h.jordan_block, dim=(4, 90), digits=(1, 30)),
    "argmax": generator("argmax", argmax, inputs=(1, 6_000), hidden=(1, 4_000), bits=(32, 480)),
    "enclosure": generator("enclosure", enclosure, inputs=(1, 3_000), length=(2, 300), blocks=(1, 1_000)),
    "heads": generator("argmax", heads, heads=(1, 60), blocks=(1, 1_000), inputs=(1, 3_000)),
    "domain": generator("argmax", domain, letters=(1, 40), blocks=(1, 60)),
    "recognition": generator("recognition", recognition, length=(2, 40)),
    "a long word": generator("recognition", long_word, length=(5, 30_000), dim=(1, 300)),
    "closed states": generator("recognition", languages.guesses, count=(3, 9_000), heads=(1, 10)),
    **GENERATORS_BY_HASH,
    **GENERATORS_OF_MEAN_FIELDS,
    "no recogniser": generator("no-recogniser", no_recogniser, states=(2, 60_000), word=(1, 60_000)),
}
