"""What a certificate of a limit in stages says, for its page."""

from __future__ import annotations

from exactformer.arithmetic.power_sum import Number, power, written
from exactformer.io.canonical import from_canonical
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import JsonValue


def stages_words(header: JsonObject, stages: list[JsonObject]) -> str:
    """The changes of the follower sets, in words."""
    layers = [header["layer"] + line["time"] for line in stages[1:]]
    if not layers:
        return "The follower sets never change again."
    return f"After layer {header['layer']} the follower sets change at the layers {', '.join(map(str, layers))} only."


def number_of(terms: list[JsonValue]) -> Number:
    """The number of a list of terms [c, [b, e], ..].

    >>> number_of([["1"], ["-1", ["1/2", 3]]])
    Fraction(7, 8)
    """
    total: Number = from_canonical("0")
    for c, *powers in terms:
        value: Number = from_canonical(c)
        for base, e in powers:
            value = value * power(from_canonical(base), e)
        total = total + value
    return written(total)
