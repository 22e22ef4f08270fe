"""Tests of `exactformer.constructions.methods.compact.slope_memory`."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest

from exactformer.constructions.methods.compact.arcs import Aim, Arcs
from exactformer.constructions.methods.compact.slope_memory import Memory, Piece, _Attempt, _dyadics, _narrowed, _sweeps
from exactformer.constructions.methods.compact.slope_search import LEAST_ROOM, propose_slopes

F = Fraction


TWO = [Aim(F(0), F(2, 5)), Aim(F(1), F(1, 2))]


THREE = Arcs.of({0: 2, 1: 1, 2: 2})


def circle(x: float) -> float:
    """The distance to the nearest even integer."""
    return abs((x + 1) % 2 - 1)


def memory_of(count: int, aims: list[Aim], seed: int, doublings: int = 20) -> Memory:
    rng = np.random.default_rng(seed)
    keys = sorted({int(k) for k in rng.integers(1, 10**9, count)})
    return Memory(keys, 10**9, [aims[int(k)] for k in rng.integers(0, len(aims), len(keys))], doublings, 2, 2)


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(
    ("low", "high"), [(F(1, 3), F(2, 3)), (F(0), F(1)), (F(5, 16), F(3, 8)), (F(999, 1000), F(1)), (F(1, 7), F(1, 6))]
)
def test_dyadic_numbers_of_an_interval_from_the_shortest_on(low: Fraction, high: Fraction) -> None:
    """All p/2^k strictly between, for every k from the least that has any."""
    wanted = []
    k = 0
    while len(wanted) < 4:
        inside = [F(p, 2**k) for p in range(int(low * 2**k), int(high * 2**k) + 2) if low < F(p, 2**k) < high]
        wanted += [(inside[0], F(1, 2**k), len(inside))] if inside else []
        k += 1
    assert list(islice(_dyadics(low, high), 4)) == wanted


def test_a_phase_that_sweeps_an_arc_comes_into_it() -> None:
    """Start, way, theta and room are eighths, so an arc that is met has an odd sixteenth of the way in it."""
    for start, way, theta, room in np.ndindex(16, 41, 16, 6):
        way, room = way - 20, room + 1
        path = [2 * start, *((2 * start + s * (1 if way > 0 else -1)) for s in range(1, 2 * abs(way), 2))]
        met = any(0 < (p - 2 * theta) % 32 < 2 * room for p in path)
        assert _sweeps(start / 8, way / 8, theta / 8, room / 8) == met, (start, way, theta, room)


@pytest.mark.parametrize("seed", range(6))
def test_the_room_of_a_phase_is_narrowed_to_the_nearer_side_of_its_aim(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(200):
        low, high = sorted(rng.uniform(-1, 1, 2))
        phase, centre = rng.uniform(0, 2), float(rng.choice([0.0, 0.3, 0.5, 0.8, 1.0]))
        tolerance = rng.uniform(0.02, 0.2)

        def off(shift: float, phase: float = phase, centre: float = centre) -> float:
            return min(circle(phase + shift - centre), circle(phase + shift + centre))

        first, last = _narrowed(low, high, phase, centre, tolerance)
        middle = (low + high) / 2
        assert low <= first
        assert last <= high
        if off(middle) < tolerance - 1e-9:
            assert first <= middle <= last
        if first <= last:
            assert max(off(first), off(last)) <= tolerance + 1e-9
            assert first == low or math.isclose(off(first), tolerance)
            assert last == high or math.isclose(off(last), tolerance)
        else:
            assert off(middle) > tolerance
            assert off(middle) - tolerance >= (high - low) / 2 - 1e-9, "out of reach from the middle"


# ---------------------------------------------------------------- pieces


def test_a_piece_must_hold_up_to_the_next_key_or_an_eighth_of_its_length() -> None:
    memory = Memory([10, 20, 21, 60, 90], 100, [TWO[0]] * 5, 8, 1, 1)
    assert memory.limit(0, 1) == F(10, 100) + F(10, 800)
    assert memory.limit(0, 2) == F(21, 100), "the next key is nearer than 20/100 + 20/800"
    assert memory.limit(1, 2) == F(21, 100) + F(11, 800)
    assert memory.limit(3, 1) == F(60, 100) + F(39, 800)
    assert memory.limit(2, 3) == memory.limit(4, 1) == F(90, 100)
    assert [memory.key(j) for j in (-1, 0, 4)] == [0, F(1, 10), F(9, 10)]


@pytest.mark.parametrize("value", [F(1, 5), F(1, 2), F(4, 5)])
@pytest.mark.parametrize("start", [0, 3])
def test_slopes_are_sought_up_to_half_the_range_where_there_is_room(value: Fraction, start: int) -> None:
    memory = memory_of(12, TWO, 1)
    origin = memory.key(start - 1)
    before = Piece(origin, value if start else F(0), F(0), 1, memory.key(start))
    attempt = _Attempt(memory, start, 5, before)
    search, width = attempt.search(), memory.limit(start, 5) - origin
    upwards = before.value <= F(1, 2)
    ends = [(search.centre + side * search.half) * attempt.unit for side in (-1, 1)]
    assert ends[0 if upwards else 1] == 0
    steepest = ends[1] if upwards else -ends[0]
    assert steepest <= 1 / (2 * width) < steepest + 2 * attempt.unit
    assert F(1, 4) < 2**attempt.h * width <= 1
    shown = [F(key, search.denominator) for key in search.keys]
    assert shown == [2**attempt.h * (memory.key(j) - origin) for j in range(start, start + 5)]
    assert (list(search.aims), search.free) == (list(memory.aims[start : start + 5]), start > 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_reach_of_a_slope_is_how_many_keys_one_theta_serves(seed: int) -> None:
    """With aims at 0 and 1 alone there is one interval of theta for every key: their intersection, one after another."""
    memory = memory_of(14, TWO, seed)
    before = Piece(memory.key(1), F(1, 3), F(1, 7), 1, memory.key(2))
    attempt = _Attempt(memory, 2, 4, before)
    [proposals] = propose_slopes(attempt.search(), memory.doublings, 1, np.random.default_rng(seed))
    reached = [attempt._reach(proposal) for proposal in proposals]
    assert len(proposals) > 5
    for (mu, theta), (count, low, high) in zip(proposals, reached, strict=True):
        first, last, served = -2.0, 2.0, 0
        for j in range(2, len(memory.numerators)):
            rise = mu * attempt.unit * (memory.key(j) - memory.key(1))
            error = (theta + float(rise * 2**20 % 2) - float(memory.aims[j].centre) + 1) % 2 - 1
            error -= 2 * round((error + (first + last) / 2) / 2)
            tolerance = float(memory.aims[j].tolerance)
            narrowed = max(first, -tolerance - error), min(last, tolerance - error)
            if not 0 <= before.value + rise <= 1 or narrowed[1] - narrowed[0] < LEAST_ROOM:
                break
            (first, last), served = narrowed, served + 1
        assert (count, low, high) == (served, pytest.approx(first), pytest.approx(last))
    piece = attempt.best(proposals)
    assert piece is not None
    found = [
        (*some[:3], proposal.mu) for some, proposal in zip(reached, proposals, strict=True) if attempt.best([proposal])
    ]
    count, low, high, mu = max(found, key=lambda entry: (entry[0], entry[2] - entry[1]))
    assert (piece.count, piece.slope) == (count, mu * attempt.unit), "most keys, and then most room for theta"
    assert memory.serves(piece, 2)
    assert memory.key(1) < piece.cut < min(before.limit, memory.key(2))
    assert (piece.value, piece.limit) == (before.at(piece.cut), memory.limit(2, piece.count))


@pytest.mark.parametrize("value", [F(0), F(1, 2), F(3, 4), F(1)])
def test_a_key_by_itself_takes_at_most_half_of_the_range(value: Fraction) -> None:
    """Its piece ends where it has gone as far behind the key as before it, and stays in [0, 1] until there."""
    for k, aim in enumerate([*TWO, THREE.aim(THREE.order[1])]):
        memory = Memory([400, 401, 900], 1000, [aim] * 3, 5, 1, 1)
        piece = _Attempt(memory, 1, 1, Piece(F(2, 5), value, F(0), 1, F(401, 1000))).alone()
        x = memory.key(1)
        assert memory.serves(piece, 1), k
        assert F(2, 5) < piece.cut < x
        assert piece.limit == min(memory.limit(1, 1), 2 * x - piece.cut) <= 2 * x - piece.cut
        assert abs(piece.slope) * (piece.limit - piece.cut) <= F(1, 2)
        assert (piece.slope >= 0) == (value <= F(1, 2))
        near = _Attempt(Memory([450, 501, 900], 1000, [aim] * 3, 5, 1, 1), 1, 1, Piece(F(9, 20), value, F(0), 1, F(1)))
        assert (near.alone().cut, near.alone().limit) == (F(1, 2), F(502, 1000)), "the key stands just behind its cut"


def test_a_sample_ends_with_the_first_batch_that_serves_all_keys_asked_for() -> None:
    memory = replace(memory_of(14, TWO, 1), batches=9)
    rng, alone = np.random.default_rng(0), np.random.default_rng(0)
    assert memory.sample(3, 2, rng) == 2, "no more than were asked for, though a slope serves more"
    before = Piece(memory.key(2), F(1, 3), F(15, 8), 1, memory.key(3))
    list(propose_slopes(_Attempt(memory, 3, 2, before).search(), memory.doublings, 1, alone))
    assert rng.random() == alone.random(), "one batch was drawn"
    assert memory.group(3, 2, before, np.random.default_rng(0)).count > 2
    assert replace(memory, doublings=6).sample(1, 13, np.random.default_rng(0)) < 13


class Watched(Memory):
    """A memory that remembers what its groups were asked for, and what they reached."""

    def group(self, start: int, wanted: int, before: Piece, rng: np.random.Generator, *, soon: bool = False) -> Piece:
        piece = super().group(start, wanted, before, rng, soon=soon)
        ASKED.append((start, wanted, piece.count))
        return piece


ASKED: list[tuple[int, int, int]] = []


@pytest.mark.parametrize(("wanted", "most"), [(2, None), (4, None), (9, None), (5, 6), (2, 10)])
def test_groups_are_asked_for_what_the_last_ones_reached_or_for_what_is_left(wanted: int, most: int | None) -> None:
    given = memory_of(40, TWO, 5, doublings=14)
    memory = Watched(given.numerators, given.denominator, given.aims, given.doublings, given.batches, given.spare)
    ASKED.clear()
    told: list[tuple[int, int]] = []
    rng = np.random.default_rng(0)
    pieces = memory.write(wanted, most, rng, lambda done, keys: told.append((done, keys)))
    done = 0
    for k, (start, asked, count) in enumerate(ASKED):
        if most is not None and k < most:
            wanted = math.ceil((len(memory.numerators) - done) / (most - k))
        assert (start, asked) == (done, min(wanted, len(memory.numerators) - done))
        done += count
        wanted = max(2, wanted + (count >= wanted + memory.spare) - (count < wanted))
        assert told[k] == (done, len(memory.numerators))
    assert [piece.count for piece in pieces] == [count for *_, count in ASKED]
    assert done == len(memory.numerators)
    assert all(memory.serves(piece, start) for piece, (start, *_) in zip(pieces, ASKED, strict=True))
    for before, after in pairwise(pieces):
        assert after.value == before.at(after.cut)
        assert after.cut < before.limit


def test_a_cut_turns_the_phase_to_theta_even_if_it_turns_it_more_often_than_floats_can_say() -> None:
    memory = Memory([1, 2**1100 // 3, 2**1100 // 2], 2**1100, [Arcs.of({0: 1, 1: 1}).aim(0)] * 3, 1090, 1, 1)
    before = Piece(Fraction(0), Fraction(0), Fraction(1, 7), 1, Fraction(1, 4))
    slope, turns = Fraction(1, 3), 1 << memory.doublings
    cut = _Attempt(memory, 1, 1, before)._cut(slope, 0.5, 0.25)
    assert cut is not None
    assert 0.5 < (before.at(cut) - slope * (cut - memory.key(0))) * turns % 2 < 0.75
    assert memory.key(0) < cut < before.limit
