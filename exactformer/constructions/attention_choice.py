"""Which attention a construction is for: hardmax, or softmax and at which temperatures."""

from __future__ import annotations

from dataclasses import dataclass

from exactformer.arithmetic.text import NumberLike
from exactformer.errors import InvalidInput
from exactformer.model.temperatures import Temperatures, inverse_temperature

#: methods whose attention is uniform: the same weights serve softmax at every temperature
UNIFORM = ("shallow", "deep", "compact", "extraction")


@dataclass(frozen=True)
class AttentionChoice:
    """ "hardmax" or "softmax"; `temperatures` is None where every temperature is covered.

    >>> AttentionChoice.of("leaders", "softmax", None).temperatures
    Temperatures(low=Fraction(1, 1), high=None)
    """

    kind: str
    temperatures: Temperatures | None

    @classmethod
    def of(cls, method: str, attention: str | None, beta: NumberLike | None) -> AttentionChoice:
        """The attention of a method; InvalidInput where the method has no such attention or beta is missing."""
        kind = attention or ("softmax" if method == "temperature" else "hardmax")
        if kind not in ("hardmax", "softmax"):
            raise InvalidInput(f"expected attention hardmax or softmax, got {attention!r}")
        chosen = None if beta is None else inverse_temperature(beta)
        if kind == "hardmax":
            if method == "temperature":
                raise InvalidInput("method temperature is for attention softmax: leave out the attention")
            if chosen is not None:
                raise InvalidInput("beta is the inverse temperature of softmax: add attention softmax, or leave it out")
            return cls(kind, None)
        if method == "paper":
            raise InvalidInput(
                "method paper is built for hardmax only: choose leaders, shallow, deep or temperature for softmax"
            )
        if method == "temperature":
            if chosen is None:
                raise InvalidInput("method temperature is exact at one temperature: give beta, a rational number > 0")
            return cls(kind, Temperatures(chosen, chosen))
        return cls(kind, Temperatures.of(1 if chosen is None else chosen, None) if method not in UNIFORM else None)
