"""Every short cut of the checker gives what its definition gives, on random input with ties and degenerate cases."""

from __future__ import annotations

import itertools
import json
import math
import random
import string
from fractions import Fraction
from io import BytesIO
from operator import mul
from typing import Any

import pytest

from exactformer.arithmetic.text import integer_ratio
from exactformer.errors import ExactformerError
from proofs_check.core.attention import maximisers
from proofs_check.core.budget import Budget, Limits
from proofs_check.core.caller import amount
from proofs_check.core.certificate import Certificate
from proofs_check.core.feed_forward import ParallelUnit, SumOfUnits
from proofs_check.core.lines import STRING, Lines
from proofs_check.core.numbers import NUMBER, ratio
from proofs_check.core.points import Point, State, bits, linear_form, lowest, plus
from proofs_check.core.verdict import Refusal
from proofs_check.fast import SHORT_CUTS
from proofs_check.fast.short_cuts import (
    NUMBERS,
    along,
    brackets_outside_strings,
    merged,
    read_ratios,
)
from proofs_check.fast.sums_of_units import PiecewiseLinear, QuickFeedForward, moved, turned

RNG = random.Random(12)


@pytest.mark.parametrize("length", range(1, 7))
def test_the_pattern_of_many_numbers_is_that_of_one_between_commas(length: int) -> None:
    # on the oldest Python too: before 3.11.5 possessive groups match what they should not
    for letters in itertools.product("0-12/,", repeat=length):
        text = "".join(letters)
        each = all(NUMBER.fullmatch(part) for part in text.split(","))
        assert (NUMBERS.fullmatch(text) is not None) == each, text


def budget() -> Budget:
    return Budget(Limits())


def outcome(function: Any, *arguments: Any) -> Any:
    """What a function returns, or the verdict with which it refuses."""
    try:
        return function(*arguments)
    except Refusal as refusal:
        return refusal.args[0]


def test_brackets_outside_strings() -> None:
    marks = '[]{}"\\,a'
    for _ in range(3000):
        strings = ["".join(RNG.choices(marks, k=RNG.randrange(5))) for _ in range(3)]
        for text in (json.dumps([strings, {"k": strings[0]}]), '[["a","]"],{}]', "".join(RNG.choices("[]{}1,", k=9))):
            outside = STRING.sub(b"", text.encode())
            wanted = bytes(c for c in outside if c in b"[]{}").replace(b"{", b"[").replace(b"}", b"]")
            assert brackets_outside_strings(text.encode()) == wanted


def test_numbers_are_read_together_as_one_by_one() -> None:
    pool = [
        "0",
        "1",
        "-1",
        "7/2",
        "-22/7",
        "-0",
        "01",
        "2/4",
        "1/1",
        "1/0",
        "3/",
        "/3",
        "+1",
        "1,2",
        "",
        " 1",
        "1e3",
        "1.5",
        "\u0661",
        3,
        None,
    ]
    good = pool[:5]
    for _ in range(5000):
        texts = RNG.choices(good if RNG.random() < 0.5 else pool, k=RNG.randint(1, 4))
        pairs = [outcome(ratio, text, budget()) for text in texts]
        found = outcome(read_ratios, texts, budget())
        if "malformed" in pairs:
            assert found == "malformed", texts
        else:
            assert list(zip(*found, strict=True)) == pairs, texts


def random_state(dim: int) -> State:
    n, common = RNG.randint(1, 7), RNG.choice([1, 2, 15])
    coordinates = [[RNG.randint(-2, 2) for _ in range(n)] for _ in range(dim)]
    return State(coordinates, common, (1,) * n, 8)


def test_scores_along_one_direction_are_all_scores() -> None:
    for _ in range(1500):
        dim = RNG.randint(1, 3)
        left, right = ([RNG.randint(-2, 2) for _ in range(dim)] for _ in range(2))
        state = random_state(dim)
        M = [[a * b for b in right] for a in left]
        groups, of = maximisers(M, state.coordinates)
        short_groups, short_of = along(left, right, state.coordinates)
        assert [groups[g] for g in of] == [short_groups[g] for g in short_of]


def test_maximisers_are_those_of_the_definition() -> None:
    for _ in range(600):
        dim = RNG.randint(1, 3)
        M = [[RNG.randint(-2, 2) for _ in range(dim)] for _ in range(dim)]
        tokens = list(zip(*random_state(dim).coordinates, strict=True))
        groups, of = maximisers(M, list(zip(*tokens, strict=True)))
        for x, g in zip(tokens, of, strict=True):
            scores = [sum(M[r][s] * x[s] * y[r] for r in range(dim) for s in range(dim)) for y in tokens]
            assert groups[g] == tuple(j for j, score in enumerate(scores) if score == max(scores))


def test_merged_tokens_are_counted() -> None:
    for _ in range(600):
        state = random_state(RNG.randint(1, 3))
        found = merged(state, Budget(Limits()))
        tokens = list(zip(*state.coordinates, strict=True))
        kept = list(zip(*found.coordinates, strict=True))
        assert len(set(kept)) == len(kept)
        assert {x: tokens.count(x) for x in tokens} == dict(zip(kept, found.times, strict=True))


def random_unit(dim: int) -> ParallelUnit:
    t, b = (Fraction(RNG.randint(-3, 3), RNG.choice([1, 2, 3, 2**70])) for _ in range(2))
    column = lowest((*[RNG.randint(-3, 3) for _ in range(dim)], RNG.choice([1, 2, 7])))
    return ParallelUnit(*t.as_integer_ratio(), *b.as_integer_ratio(), column)


def test_piecewise_linear_is_the_sum_of_units() -> None:
    for _ in range(400):
        dim = RNG.randint(1, 2)
        units = [random_unit(dim) for _ in range(RNG.randint(1, 6))]
        table, definition = PiecewiseLinear(units, dim, budget()), SumOfUnits(units, dim, budget())
        turns = [-Fraction(u.p, u.q) / Fraction(u.t, u.r) for u in units if u.t]
        for s in [*turns, *[turn + Fraction(1, 2**75) for turn in turns], *[Fraction(k, 3) for k in range(-9, 10)]]:
            (p, q) = s.as_integer_ratio()
            assert table.at([p], q) == definition.at([p], q) == {p: by_hand(units, s, dim)}


def random_part(dim: int, width: int) -> dict[str, Any]:
    """A feed-forward part; small whole numbers among the others, so that steps without a new denominator occur."""

    def number() -> str:
        return str(Fraction(RNG.randint(-4, 4), RNG.choice([1, 1, 1, 2, 3, 2**70])))

    U, W = ([[number() for _ in range(n)] for _ in range(m)] for m, n in ((width, dim), (dim, width)))
    return {"eta": number(), "U": U, "b": [number() for _ in range(width)], "W": W}


def test_few_units_together_are_those_of_every_point() -> None:
    for _ in range(1500):
        dim, width = RNG.randint(1, 3), RNG.randint(1, 2)
        file = Certificate({}, dim, Lines(BytesIO(), budget()), budget(), SHORT_CUTS)
        part = QuickFeedForward(random_part(dim, width), file)
        state = random_state(dim)
        if RNG.random() < 0.5:
            state = State([x[:1] for x in state.coordinates], state.common * 3**40, (1,), 80)
        once = part(state)
        wanted = part.by_points(state)
        assert part.few is not None
        assert dict(zip(once.points(), once.times, strict=True)) == dict(
            zip(wanted.points(), wanted.times, strict=True)
        )
        part.times = 5
        for _ in range(4):
            wanted = part.by_points(wanted)
        assert sorted(part(state).points()) == sorted(wanted.points())


def test_tents_keep_the_denominator_and_the_length() -> None:
    """The tent 2z - 4 relu(z - 1/2): a thousand times on one token in one denominator, by definition all the same."""
    tent = {"eta": "2", "U": [["1"]], "b": ["-1/2"], "W": [["-4"]]}
    part = QuickFeedForward(tent, Certificate({}, 1, Lines(BytesIO(), budget()), budget(), SHORT_CUTS))
    assert part.few is not None
    z, common = 3**150, 5**105
    state, left = part.few.steps(State([[z]], common, (1,), common.bit_length()), 1000)
    assert (left, state.common) == (0, common)
    x = Fraction(z, common)
    for _ in range(1000):
        x = min(2 * x, 2 - 2 * x)
    assert Fraction(state.coordinates[0][0], common) == x


def test_linear_forms() -> None:
    for _ in range(300):
        state = random_state(3)
        u = [RNG.randint(-1, 1) for _ in range(3)]
        wanted = [sum(map(mul, u, x)) for x in zip(*state.coordinates, strict=True)]
        assert linear_form(u, state.coordinates) == wanted


def by_hand(units: list[ParallelUnit], s: Fraction, dim: int) -> tuple[int, ...]:
    total = [Fraction(0)] * dim
    for t, r, p, q, column in units:
        active = max(Fraction(t, r) * s + Fraction(p, q), Fraction(0))
        total = [x + active * Fraction(n, column[-1]) for x, n in zip(total, column[:-1], strict=True)]
    common = math.lcm(*[x.denominator for x in total])
    return lowest((*[int(x * common) for x in total], common))


def test_bits() -> None:
    assert [bits([0]), bits([1, -4]), bits([7, -8])] == [0, 3, 4]


#: texts that both the package and --data read, or both refuse
TEXTS = [
    "7",
    " 7",
    "7 ",
    "+7",
    "-7",
    ".5",
    "5.",
    "-.5",
    "0.5",
    "1 / 2",
    "2/4",
    "1/2 ",
    "-3/6",
    "1e3",
    "1E-3",
    "5.e2",
    ".5e1",
    "1e20000",
    "0x1",
    "",
    ".",
    "e5",
    "1/0",
    "1/-2",
    "1_0",
    "nan",
    "1e99999",
    "--1",
    "1//2",
    "\u0661",
    "1.5/2",
    "\t4\n",
]


def as_constructed(text: str) -> Any:
    """The number that `construct` reads; expressions such as sqrt(2) or 1/-2 are for certificates of other kinds."""
    try:
        pair = integer_ratio(text.strip())
    except ExactformerError:
        return "malformed"
    return Fraction(*pair) if pair else "malformed"


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"<{text}>")
def test_the_caller_s_numbers_are_those_that_construct_reads(text: str) -> None:
    assert outcome(amount, text, budget()) == as_constructed(text)


def test_random_texts_of_numbers() -> None:
    for _ in range(3000):
        text = "".join(RNG.choices(string.digits[:3] + " ./+-eE", k=RNG.randint(1, 6)))
        assert outcome(amount, text, budget()) == as_constructed(text), text


def point(rng: random.Random, dim: int) -> Point:
    """A random point in lowest terms, often over a small or a common denominator."""
    return lowest((*(rng.randint(-9, 9) for _ in range(dim)), rng.choice((1, 1, 2, 6, 10, 100, rng.randint(1, 60)))))


def test_steps_along_a_table_are_sums_in_lowest_terms() -> None:
    rng = random.Random(5)
    for _ in range(20_000):
        dim = rng.randint(1, 3)
        slope, other = point(rng, dim), point(rng, dim)
        assert turned(slope, other) == plus(other, slope)
        p, q = rng.choice((1, 10, slope[-1], rng.randint(-99, 99))) * rng.randint(1, 9), rng.randint(1, 100)
        assert moved(other, slope, p, q) == plus(slope, other, p, q)
