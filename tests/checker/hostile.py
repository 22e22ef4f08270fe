"""Certificates under a megabyte that would like to cost hours or gigabytes: few bytes, much work, long numbers.

A case is a name and the lines of a certificate (or its bytes); `families` draws random ones of the same kinds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import hostile_networks
from checker_kit import Lines, body, header

ZERO: dict[str, Any] = {"zero": True}
Case = tuple[str, Lines]


def primes(count: int, start: int = 2) -> list[int]:
    """The first `count` primes from `start` on."""
    top = max(100, 20 * (count + start))
    sieve = bytearray([1]) * top
    for p in range(2, int(top**0.5) + 1):
        if sieve[p]:
            sieve[p * p :: p] = bytes(len(range(p * p, top, p)))
    return [p for p in range(max(2, start), top) if sieve[p]][:count]


def network(dim: int, blocks: list[Any], tokens: list[list[str]]) -> Lines:
    """An interpolation certificate with some targets: what it costs does not depend on whether it is true."""
    first = header("interpolation", dim, attention="hardmax", blocks=len(blocks), sequences=1)
    numbered = [{"block": b, "feed_forward": ff, "self_attention": sa} for b, (ff, sa) in enumerate(blocks)]
    return [first, *numbered, {"sequence": 0, "tokens": tokens, "targets": [["0"] * dim]}]


def attention(V: Any = ZERO, Q: Any = ZERO, K: Any = ZERO, rho: str = "1") -> dict[str, Any]:
    return {"rho": rho, "V": V, "Q": Q, "K": K}


def system(tokens: list[list[str]], A: Any = None, alpha: str = "1") -> dict[str, Any]:
    dim = len(tokens[0])
    identity = [[str(int(i == j)) for j in range(dim)] for i in range(dim)]
    return {"A": A or identity, "alpha": alpha, "tokens": tokens}


def statement(name: str, layers: int, line: Any) -> Lines:
    n, dim = len(line["tokens"]), len(line["tokens"][0])
    return [header("counterexample", dim, statement=name, tokens=n, layers=layers), line]


def limit(layer: int, line: Any, *more: Any) -> Lines:
    return [header("limit", len(line["tokens"][0]), tokens=len(line["tokens"]), layer=layer), line, *more]


def square(dim: int, digits: int) -> list[list[str]]:
    """A matrix of long integers, not all alike."""
    return [[str(7 ** (digits * (1 + (i * j) % 3)) % 10**digits + i + j + 1) for j in range(dim)] for i in range(dim)]


def zero_temperature(dim: int, digits: int) -> Lines:
    """The lines before anything is seen to be wrong."""
    top = header("zero-temperature", dim, degree=1, multiplicity=1) | {"version": [1, 1]}
    M = square(dim, digits)
    return [top, {"V": M, "Q": M, "K": M[::-1]}, {"polynomial": ["0", "1"], "low": "0"}, {"eigenvectors": M[:1]}]


def jordan_block(dim: int, digits: int) -> Lines:
    """A matrix with as many powers as dimensions."""
    top = header("counterexample", dim, statement="meanfield-jordan-block", multiplicity=dim) | {"version": [1, 1]}
    one = [[str(int(i == j)) for j in range(dim)] for i in range(dim)]
    return [top, {"V": square(dim, digits), "B": one}, {"eigenvalue": "1/3", "generalised": one}]


def laplace(count: int, bits: int) -> Lines:
    """Tokens with different scores."""
    top = header("laplace", 2, tokens=count, bits=bits) | {"version": [1, 1]}
    places = [[["3/5", "4/5"], ["4/5", "3/5"], ["-5/13", "12/13"]][k % 3] for k in range(count)]
    subject = {"A": [["1", "0"], ["0", "1"]], "tokens": places, "x": ["1", "1/7"]}
    return [top, subject, {"beta": "100", "bound": "1/1000"}]


def named() -> Iterator[Case]:
    """The cases by hand, each of a few hundred bytes to a megabyte."""
    yield "limit with a distant layer", limit(60_000, system([["1"], ["1/2"]], alpha="2/3"))
    yield "limit with a very distant layer", limit(10**14, system([["1"]]))
    yield (
        "statement with a distant layer",
        statement("graph-constant-after-n", 10**12, system([["1", "2"], ["3", "1"], ["2", "2"]], alpha="1/1000003")),
    )
    yield "limit with a long table", long_table(60_000)
    yield "limit with a long table and many tokens", long_table(20_000, 300)
    yield (
        "orbit of many tokens",
        statement("leader-indefinite", 0, system([[str(k), "1"] for k in range(35_000)], [["-1", "0"], ["0", "-1"]])),
    )
    yield (
        "orbit with a long common denominator",
        statement("leader-indefinite", 0, system([[f"1/{p}", "1"] for p in primes(8_000)], [["-1", "0"], ["0", "-1"]])),
    )
    yield (
        "attention with a long common denominator",
        network(
            2, [(None, attention(Q={"scalar": "1"}, K={"scalar": "1"}))], [[f"1/{p}", str(p)] for p in primes(9_000)]
        ),
    )
    yield (
        "mean with a long common denominator",
        network(1, [(None, attention(V={"scalar": "1"}))] * 40, [[f"1/{p}"] for p in primes(11_000)]),
    )
    yield (
        "many tokens by all scores",
        network(2, [(None, attention(Q={"scalar": "1"}, K={"scalar": "1"}))], [[str(k), "1"] for k in range(60_000)]),
    )
    yield "elimination", projection(330)
    yield "elimination of long numbers", projection(90, 100)
    yield "outer product", network(6_000, [(feed_forward(outer(6_000, 6_000), 6_000, ZERO), None)], [["1"] * 6_000])
    yield (
        "outer product of long numbers",
        network(1_200, [(feed_forward(outer(1_200, 1_200, 300), 1_200, ZERO), None)], [["1"] * 1_200]),
    )
    yield "zero matrix of many entries", network(100_000, [(feed_forward(ZERO, 20_000, ZERO), None)], [["1"] * 100_000])
    yield "multiple of a large identity", network(60_000, [(None, attention(V={"scalar": "1"}))], [["1"] * 60_000])
    yield (
        "units in many directions",
        network(
            2,
            [
                (
                    feed_forward(
                        [[str(p), "1"] for p in primes(20_000)], 20_000, {"outer": [["1", "1"], ["1"] * 20_000]}
                    ),
                    None,
                )
            ],
            [[str(k), str(k)] for k in range(20_000)],
        ),
    )
    yield (
        "breakpoints with long denominators",
        network(1, [(units([f"-1/{p}" for p in primes(9_000)]), None)], [["1/3"]]),
    )
    yield (
        "pieces with long denominators",
        network(1, [(units(["-1"] * 9_000, [f"1/{p}" for p in primes(9_000)]), None)], [["2"]]),
    )
    yield (
        "one long breakpoint among many",
        network(1, [(units([f"-1/1{'0' * 3_900}", *[f"-{k}" for k in range(1, 50_000)]]), None)], [["1/3"]]),
    )
    yield "blocks that scale", network(1, [(None, attention(rho=f"1/{7**400}"))] * 1_500, [["1"], ["2"]])
    yield (
        "blocks that scale many tokens",
        network(1, [(None, attention(rho=f"1/{7**30}"))] * 1_000, [[str(k)] for k in range(20_000)]),
    )
    yield "tall scores", network(300, [(None, attention(Q=[["1"] * 300] * 350, K=[["1"] * 300] * 350))], [["1"] * 300])
    yield (
        "value matrix and many tokens",
        network(200, [(None, attention(V=[["1"] * 200] * 200))], [[str(k), *["0"] * 199] for k in range(800)]),
    )
    many = [[str(k)] for k in range(40_000)]
    yield "loss of many tokens and many targets", loss(network(1, [], many), many)
    units_of_loss = [(units(["1"] * 9_000), attention())] * 3
    yield "loss with many bits", loss(network(1, units_of_loss, [["1"]]), [["0"]], 150_000)
    yield "matrices with long entries", zero_temperature(40, 150)
    yield "powers of a matrix", jordan_block(60, 8)
    yield "exponentials of many bits", laplace(2_000, 2_000)
    soft = {"version": [1, 1], "attention": "softmax", "beta": ["1", "1"], "bits": 6}
    yield "boxes of many tokens and many targets", softened(network(1, [], many[:30_000]), soft, many[:30_000])
    near = [[str(Fraction(k, 3_000))] for k in range(2_700)]
    ones = attention(*[{"scalar": "1"}] * 3)
    yield "exponentials of few bits", softened(network(1, [(None, ones)], near), soft)
    plane = network(2, [(None, ones)], [[x, str(k)] for k, (x,) in enumerate(near)])
    yield "hulls of many tokens", softened(plane, {**soft, "beta": ["1", None]}, [["0", "0"]])
    yield "more powers than dimensions", more_powers(12_000)
    yield "more generalised eigenvectors than dimensions", more_eigenvectors(12_000)
    yield "a margin over many undecided units", skew_margin(9_000)
    yield "a distant exponent", no_real_leader(10**9)
    yield "decision with many layers", decision([[str(k)] for k in range(20_000)], "0", 1_000)
    yield "decision with very many layers", decision([["1"], ["2"]], "1", 10**9)
    yield "decision of 9,000 tokens", decision([[f"{k + 1}/{p}"] for k, p in enumerate(primes(9_000, 20_000))], "1", 5)
    yield "decision of 9,000 tokens with equal scores", tied_decision(9_000, 1)
    yield "combination with long weights", vertex(5_000)
    yield "points with long denominators", points_of(11_000, 8)
    yield "one point with a long denominator", points_of(9_000, 1)
    yield "one token with a long denominator", network(9_000, [], [[f"1/{p}" for p in primes(9_000)]])
    yield "many layers of Frank-Wolfe", frank_wolfe(10**9)
    yield "many tokens of Frank-Wolfe", frank_wolfe(1, 30_000)
    yield "a distant split", slow_steps(10**14)
    yield "forms without a term", no_terms(4_000)
    window = header("positive-window", 1, degree=1, window=12_000_000) | {"version": [1, 1]}
    yield "a distant window", [window, {"polynomial": ["-1", "1"]}]
    yield from hostile_networks.named()


def no_terms(count: int) -> Lines:
    """Tokens at the origin, every one with a closed form of its own that has no term, and the same set."""
    rows = [{"token": i, "kind": "vertex", "limit": ["0"], "form": [], "from": 1} for i in range(count)]
    return limit(0, system([["0"]] * count), *rows, {"leaders": []})


def loss(lines: Lines, targets: list[list[str]], bits: int = 64) -> Lines:
    """The same network and tokens in a claim about the loss."""
    more = {"version": [1, 1], "claim": "loss", "attention": "softmax", "beta": ["1", "1"], "bits": bits, "eps": "1/3"}
    return [{**lines[0], **more, "below": "1"}, *lines[1:-1], {**lines[-1], "targets": targets}]


def softened(lines: Lines, keys: dict[str, Any], targets: list[list[str]] | None = None) -> Lines:
    """The same network and tokens with softmax at a range of temperatures."""
    return [{**lines[0], **keys}, *lines[1:-1], {**lines[-1], "targets": targets or [["0"]]}]


def more_powers(degree: int) -> Lines:
    """One vector, which x^degree - 1 annihilates, and so many images of it."""
    top = header("zero-temperature", 1, degree=degree, multiplicity=1) | {"version": [1, 1]}
    polynomial = ["-1", *["0"] * (degree - 1), "1"]
    one = [["1"]]
    return [top, {"V": one, "Q": one, "K": one}, {"polynomial": polynomial, "low": "1"}, {"eigenvectors": one}]


def more_eigenvectors(count: int) -> Lines:
    """A Jordan block, and so many vectors that it annihilates in the end."""
    top = header("counterexample", 2, statement="meanfield-jordan-block", multiplicity=count) | {"version": [1, 1]}
    matrices = {"V": [["1", "1"], ["0", "1"]], "B": [["1", "0"], ["0", "1"]]}
    return [top, matrices, {"eigenvalue": "1", "generalised": [["1", str(k)] for k in range(count)]}]


def no_real_leader(exponent: int) -> Lines:
    """A pair that leads, and a power of 1 + x that nobody needs."""
    top = header("counterexample", 3, statement="meanfield-complex-pair", rational=False) | {"version": [1, 1]}
    matrices = {"V": [["0", "-1", "0"], ["1", "0", "0"], ["0", "0", "-1"]], "B": square_one(3)}
    form = {"bound": "-1/2", "form": [*square_one(3)[:2], ["0", "0", "-1"]], "subspace": [["0", "0", "1"]]}
    shown = {"above": ["1", "0", "0"], "polynomial": ["1"] * 4, "scale": "1", "exponent": exponent}
    return [top, matrices, form, shown]


def square_one(dim: int) -> list[list[str]]:
    """The identity."""
    return [[str(int(i == j)) for j in range(dim)] for i in range(dim)]


def skew_margin(width: int) -> Lines:
    """Units of x - y, which no translate notices, and boxes in which every one of them is undecided."""
    ones = ["1"] * width
    biases = [str(-k) for k in range(1, width + 1)]
    part = {"eta": "0", "U": {"outer": [ones, ["1", "-1"]]}, "b": biases, "W": {"outer": [["1", "1"], ones]}}
    top, *rest = network(2, [(part, None)], [[str(k), str(k + 5)] for k in range(width)])
    return [top | {"version": [1, 1]}, {"margin": "100000"}, *rest]


def decision(tokens: list[list[str]], a: str, layers: int) -> Lines:
    """Words at these places, and so many layers."""
    top = header("decision", 1, tokens=len(tokens), layers=layers) | {"version": [1, 1]}
    words = {"counts": [1] * len(tokens), "v": ["1"], "b": "0", "words": ["a"] * len(tokens)}
    return [top, system(tokens, [[a]]), words, {"leaders": [1], "positive": True}]


def tied_decision(count: int, layers: int) -> Lines:
    """Tokens that all follow all of them, though their scores are not zero."""
    places = [["1", str(k)] for k in range(count)]
    lines = decision(places, "1", layers)
    matrix = [["1", "0"], ["0", "0"]]
    return [lines[0] | {"dim": 2}, lines[1] | {"A": matrix}, lines[2] | {"v": ["1", "0"]}, lines[3]]


def feed_forward(U: Any, width: int, W: Any) -> dict[str, Any]:
    return {"eta": "0", "U": U, "b": ["1"] * width, "W": W}


def outer(rows: int, columns: int, digits: int = 1) -> dict[str, Any]:
    return {
        "outer": [[str(10**digits - 1 - k) for k in range(rows)], [str(10**digits - 1 - k) for k in range(columns)]]
    }


def units(biases: list[str], weights: list[str] | None = None) -> dict[str, Any]:
    ones = ["1"] * len(biases)
    return {"eta": "1", "U": {"outer": [ones, ["1"]]}, "b": biases, "W": {"outer": [["1"], weights or ones]}}


def long_table(k0: int, tokens: int = 2) -> Lines:
    """Two positions; a closed form of a locked token, with a positivity test from a distant layer."""
    places = [["2"], *[["1"]] * (tokens - 1)]
    form = [{"base": "1", "power": 0, "vector": ["2"]}, {"base": "1/2", "power": 0, "vector": ["-1"]}]
    follower = {"kind": "vertex", "limit": ["2"], "form": form, "from": k0}
    rows = [{"token": i, **follower} for i in range(1, tokens)]
    return limit(
        0, system(places), {"token": 0, "kind": "vertex", "limit": ["2"], "lock": True}, *rows, {"leaders": [0]}
    )


def projection(dim: int, digits: int = 1) -> Lines:
    """A positive definite matrix of many entries."""
    rng = random.Random(dim)
    A = [["0"] * dim for _ in range(dim)]
    for i in range(dim):
        for j in range(i):
            A[i][j] = A[j][i] = str(rng.randrange(1, 10**digits))
        A[i][i] = str(dim * 10**digits)
    weights = [[0, "1"]]
    top, origin = header("projection", dim, points=1), ["0"] * dim
    return [top, {"A": A, "points": [origin]}, {"projection": origin, "weights": weights}]


def vertex(count: int) -> Lines:
    found = primes(count)
    points = [["0"], *[[f"1/{p}"] for p in found]]
    weights = [[k + 1, f"1/{p}"] for k, p in enumerate(found)]
    return [header("vertex", 1, points=len(points), vertex=False), {"points": points, "point": 0}, {"weights": weights}]


def points_of(dim: int, count: int) -> Lines:
    row = [f"1/{p}" for p in primes(dim)]
    top = header("vertex", dim, points=count, vertex=True)
    return [top, {"points": [row] * count, "point": 0}, {"normal": ["1"] * dim}]


def frank_wolfe(layers: int, tokens: int = 2) -> Lines:
    top = header("counterexample", 1, statement="frank-wolfe-negative", tokens=tokens, layers=layers)
    line = {"B": [["1"]], "tokens": [["3"], ["-1"], *[[str(-k)] for k in range(2, tokens)]]}
    return [top, line, {"zero": [[0, "1/4"], [1, "3/4"]], "lambda": "1", "token": 0}]


def slow_steps(split: int) -> Lines:
    top = header("counterexample", 1, statement="exponentially-fast", tokens=3)
    line = {"B": [["1"]], "tokens": [["-2"], ["1"], ["2"]], "step": {"c": "1/3", "q": "1/3"}}
    inside = [{"token": 1, "weights": [[0, "1/4"], [2, "3/4"]]}]
    return [top, line, {"token": 1, "split": split, "inside": inside}]


def sealed_small(lines: Lines) -> bytes:
    """The certificate, which has less than a megabyte."""
    from checker_kit import seal

    raw = seal(body(lines))
    assert len(raw) < 1_000_000, len(raw)
    return raw


def drawn(rng: random.Random) -> Case:
    """A random case of a random kind: sizes, lengths of numbers and depths are drawn over their orders of magnitude."""
    kind = rng.choice(sorted(KINDS))
    return kind, KINDS[kind](rng)


def size(rng: random.Random, low: int, high: int) -> int:
    """An integer drawn over the orders of magnitude."""
    return int(low * (high / low) ** rng.random())


def numbers(rng: random.Random, count: int, digits: int) -> list[str]:
    """Fractions with different denominators, of so many digits."""
    return [f"{rng.randrange(1, 10) * 2}/{10**digits + 2 * k + 1}" for k in range(count)]


def canonical(texts: list[str]) -> list[str]:
    return [str(Fraction(text)) for text in texts]


def random_tokens(rng: random.Random, budget: int, dim: int) -> list[list[str]]:
    digits = size(rng, 1, 400)
    count = max(1, min(20_000, budget // (2 * digits + 8) // dim))
    flat = canonical(numbers(rng, count * dim, digits))
    return [flat[k * dim : (k + 1) * dim] for k in range(count)]


def random_network(rng: random.Random) -> Lines:
    dim, depth = size(rng, 1, 12), size(rng, 1, 300)
    part = attention(
        *[rng.choice([ZERO, {"scalar": "1"}, {"scalar": "1/7"}]) for _ in range(3)],
        rho=canonical(numbers(rng, 1, size(rng, 1, 800)))[0],
    )
    return network(dim, [(None, part)] * depth, random_tokens(rng, size(rng, 1000, 300_000), dim))


def random_units(rng: random.Random) -> Lines:
    digits = size(rng, 1, 300)
    count = min(20_000, 300_000 // (4 * digits + 16))
    biases, weights = (canonical(numbers(rng, count, digits)) for _ in range(2))
    return network(
        1, [(units(biases, rng.choice([None, weights])), None)] * size(rng, 1, 2), random_tokens(rng, 20_000, 1)
    )


def random_orbit(rng: random.Random) -> Lines:
    dim = size(rng, 1, 5)
    tokens = random_tokens(rng, size(rng, 100, 200_000), dim)
    line = system(tokens, alpha=rng.choice(["1", "1/3", f"1/{10**60 + 1}"]))
    layers = size(rng, 1, 10**6)
    if rng.random() < 0.5:
        return statement("graph-constant-after-n", layers, line)
    ends = [{"token": i, "kind": "vertex", "limit": place, "lock": True} for i, place in enumerate(tokens)]
    return limit(layers, line, *ends, {"leaders": []})


def random_points(rng: random.Random) -> Lines:
    dim = size(rng, 1, 300)
    points = random_tokens(rng, 400_000, dim)
    top = header("vertex", dim, points=len(points), vertex=True)
    return [top, {"points": points, "point": 0}, {"normal": points[-1]}]


KINDS: dict[str, Callable[[random.Random], Lines]] = {
    "network": random_network,
    "units": random_units,
    "orbit": random_orbit,
    "points": random_points,
    "table": lambda rng: long_table(size(rng, 10, 60_000), size(rng, 2, 200)),
    "projection": lambda rng: projection(size(rng, 5, 60), size(rng, 1, 50)),
}
