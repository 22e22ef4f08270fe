"""Which attention a construction is for: hardmax, or softmax and at which temperatures."""

from __future__ import annotations

from dataclasses import dataclass

from exactformer.arithmetic.text import NumberLike
from exactformer.constructions.methods.table import METHODS
from exactformer.errors import InvalidInput
from exactformer.model.temperatures import Temperatures, inverse_temperature


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
        known = METHODS[method]
        kind = attention or known.attentions[0]
        if kind not in ("hardmax", "softmax"):
            raise InvalidInput(f"expected attention hardmax or softmax, got {attention!r}")
        chosen = None if beta is None else inverse_temperature(beta)
        if kind == "hardmax":
            if kind not in known.attentions:
                raise InvalidInput(f"method {method} is for attention softmax: leave out the attention")
            if chosen is not None:
                raise InvalidInput("beta is the inverse temperature of softmax: add attention softmax, or leave it out")
            return cls(kind, None)
        if kind not in known.attentions:
            raise InvalidInput(
                f"method {method} is built for hardmax only: choose leaders, shallow, deep or temperature for softmax"
            )
        if known.attentions == ("softmax",):
            if chosen is None:
                raise InvalidInput(f"method {method} is exact at one temperature: give beta, a rational number > 0")
            return cls(kind, Temperatures(chosen, chosen))
        return cls(kind, Temperatures.of(1 if chosen is None else chosen, None) if not known.uniform else None)
