"""Tests of `exactformer.constructions.rotation`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.disjoint_sets import Rotation
from exactformer.constructions.projection_to_line import along
from exactformer.constructions.rotation import rotation_layers

F = Fraction


@pytest.mark.parametrize("inside", [False, True])
def test_rotations_lift_what_is_below_their_gap_and_leave_room_where_they_are_asked_to(inside: bool) -> None:
    """Over the scale 2: the first rotation turns at 3, the second, of coordinates that all have risen, at 17."""
    line = along(State.of([["-1/2", 9], ["3/2", 0], ["5/2", 1], [4, 0]]), ((1, 0), 0))
    turns = (Rotation(3, 5, 10, 7, 1), Rotation(17, 22, 16, -4, None), Rotation(None, None, 0, 6, None))
    for k, (layer, turn) in enumerate(zip(rotation_layers(line, turns, inside=inside), turns, strict=True)):
        assert layer is not None
        if turn.at is None or turn.gap is None or turn.successor is None:
            assert list(layer.apply([F(5), F(2)])) == [F(5) + F(turn.shift, 2), F(2)]
            continue
        room = F(2, 5) * turn.gap if inside else F(0)
        below = [F(-1), F(turn.at), turn.at + room]
        above = [turn.successor - room, F(turn.successor), F(turn.successor + 9)]
        for s, lift in [*((s, turn.lift) for s in below), *((s, 0) for s in above)]:
            after = [(s + lift + turn.shift) / 2, F(2) if k else F(0)]
            assert list(layer.apply([s / 2, F(2)])) == after
