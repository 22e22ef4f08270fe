"""How many bits a certificate about a network needs: the arithmetic of the checker, foretold on some inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactformer.errors import Undecided
from exactformer.evaluate.integers import MOST_BITS, IntegerNetwork
from exactformer.model.network import Network

#: bits that are tried, and by how many bits the lead of a class has to exceed what its error allows
_FIRST, _STEP, _SLACK = 48, 16, 8


def bits_that_decide(network: Network, inputs: Iterable[Sequence[int]]) -> int:
    """The fewest bits, of 48, 64, .., at which the checker's arithmetic decides the last output of these inputs.

    The lead must exceed the error by a factor of 2^8, so that inputs like these are decided too. Undecided where the
    most bits of the format do not suffice.
    """
    left, bits = [list(ids) for ids in inputs], _FIRST
    kinds = bool(network.architecture.types)
    while left:
        evaluator = IntegerNetwork(network, bits)
        while left and _is_decided(evaluator, left[-1], kinds):
            left.pop()
        if not left:
            break
        if bits == MOST_BITS:
            raise Undecided(f"{MOST_BITS} bits, the most of a certificate, do not decide the input {left[-1][:12]}")
        bits = min(bits + _STEP, MOST_BITS)
    return bits


def _is_decided(evaluator: IntegerNetwork, ids: list[int], kinds: bool) -> bool:
    try:
        last = evaluator.outputs(ids, [0] * len(ids) if kinds else None)[-1]
    except Undecided:
        return False
    first, second = sorted(last.middle, reverse=True)[:2]
    return first - second > 2 * last.radius << _SLACK
