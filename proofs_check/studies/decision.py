"""The claim `decision` (FORMAT.md, section 11): the sign of b + <v, mean of all tokens> after K layers.

Token i stands for counts[i] equal tokens, which see equal scores and so move together: a mean over C_i counts every
token of it with its multiplicity.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import repeat
from operator import mul
from typing import NamedTuple

from ..core import caller
from ..core.attention import largest
from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.dynamics import Group, Layer, layers
from ..core.geometry import charge_dots, verify_definite
from ..core.lines import count, entries, exact_keys, has_key, indices
from ..core.numbers import number
from ..core.points import Point, bits, dot, lowest, over_one_denominator, times
from ..core.shapes import read_vector
from ..core.subject import System, system
from ..core.verdict import holds, well_formed


class Decoder(NamedTuple):
    """How many tokens stand at every place, the direction v, the number b, and a name for every place."""

    counts: list[int]
    v: Point
    b: Fraction
    words: list[str]

    def value(self, place: Point, budget: Budget) -> Fraction:
        """b + <v, place>."""
        charge_dots(self.v, [place], budget)
        return self.b + dot(self.v, place)


def decision(file: Certificate) -> str:
    """The value at layer K has the sign stated, the leaders are those stated; if deeper, at every later layer too."""
    n, K, given = file.header["tokens"], file.header["layers"], system(replace(file, data=None))
    holds(len(file.budget.distinct(given.tokens)) == n, "two tokens are equal")
    decoder = read_decoder(file, n)
    if file.data is not None:
        verify_model_is_mine(given, decoder, K, caller.classifier(file.data, file.budget))
    leaders, last = run(given, decoder, K, file)
    value = decoder.value(mean(last.tokens, decoder.counts, file), file.budget)
    stated, positive, deeper = read_decision(file, n)
    holds(value != 0, "the value is 0: there is no decision")
    holds((value > 0) == positive, f"the decision is {'positive' if value > 0 else 'negative'}")
    holds(stated == leaders, f"the leaders are {sorted(leaders)}"[:200])
    if deeper:
        verify_deeper(given, decoder, last, value, file)
    sign, ever = "positive" if positive else "negative", " and at every larger depth" if deeper else ""
    about = f"{sum(decoder.counts)} words at {n} places in Q^{file.dim} after {K} layers{ever}: the decision is {sign}"
    return f"{about}; leaders {sorted(leaders)}"[:400]


def read_decoder(file: Certificate, n: int) -> Decoder:
    """The line of counts, v, b and words."""
    times, v, b, words = file.lines.fields("counts", "v", "b", "words", subject=True)
    counts = [count(m, 1) for m in entries(times, n)]
    for word in entries(words, n):
        whole = type(word) is str and not any("\ud800" <= c <= "\udfff" for c in word)
        well_formed(whole, "a word is a string without lone surrogates")
    return Decoder(counts, read_vector(v, file), number(b, file.budget), words)


def read_decision(file: Certificate, n: int) -> tuple[set[int], bool, bool]:
    """Leaders, sign, and whether every larger depth is meant."""
    row = file.lines.value()
    exact_keys(row, "leaders", "positive", *(("deeper",) if has_key(row, "deeper") else ()))
    well_formed(type(row["positive"]) is bool, '"positive" must be true or false')
    well_formed(row.get("deeper", True) is True, '"deeper" must be true where it stands')
    return set(indices(row["leaders"], n)), row["positive"], "deeper" in row


def run(given: System, decoder: Decoder, K: int, file: Certificate) -> tuple[set[int], Layer]:
    """The tokens whose C_i is what stands at their own place at a layer < K, and layer K."""
    leaders: set[int] = set()
    for k, layer in enumerate(layers(given.A, given.tokens, repeat(given.step, K), file.budget, decoder.counts)):
        file.budget.spend(1000)  # a layer of few tokens is not free, and a short file may ask for many
        if k < K:
            leaders |= at_their_own_place(layer)
    return leaders, layer


def at_their_own_place(layer: Layer) -> set[int]:
    """The tokens that follow only tokens standing where they stand."""
    tokens = layer.tokens
    return {i for i, group in enumerate(layer.follows) if all(tokens[j] == tokens[i] for j in group)}


def mean(places: Sequence[Point], counts: Sequence[int], file: Certificate) -> Point:
    """The mean of the places, each counted with its multiplicity."""
    rows, common = over_one_denominator(places, file.budget)
    size = max(map(bits, rows)) + bits(counts) + common.bit_length()
    file.budget.products(len(rows) * file.dim, size)
    file.budget.divisions(file.dim, size)
    return lowest((*[sum(map(mul, counts, x)) for x in zip(*rows)], common * sum(counts)))


def verify_deeper(given: System, decoder: Decoder, last: Layer, value: Fraction, file: Certificate) -> None:
    """At layer K + t the value is D + r^t (value - D), D that of the limits, which has no sign opposite to `value`."""
    verify_definite(given.A, file.budget)
    leading, centres = at_their_own_place(last), dict[Group, Point]()
    for group in set(last.follows):
        centres[group] = locked_mean(group, leading, given.A, last.tokens, decoder, file)
    limit = decoder.value(mean([centres[group] for group in last.follows], decoder.counts, file), file.budget)
    holds(limit * value >= 0, "the decision is another one at large depth")


def locked_mean(
    group: Group, leading: set[int], A: list[Point], tokens: list[Point], decoder: Decoder, file: Certificate
) -> Point:
    """c, the mean of C_i: its members lead and maximise <A c, .>, so that C_i stays for ever and z_i tends to c."""
    holds(leading.issuperset(group), "a token follows one that does not lead: it is not locked")
    c = mean([tokens[j] for j in group], [decoder.counts[j] for j in group], file)
    charge_dots(c, A, file.budget)
    form = times(A, c)
    rows, _ = over_one_denominator(tokens, file.budget)
    charge_dots(form, tokens, file.budget)
    best = largest([sum(map(mul, form, y)) for y in rows])
    holds(set(group) <= set(best), "a token's leaders do not all maximise <A c, .>: it is not locked")
    return c


def verify_model_is_mine(given: System, decoder: Decoder, K: int, mine: caller.Classifier) -> None:
    """A, a, v, b and the number of layers are the caller's, and every word stands where the caller's model has it."""
    same = (given.A, given.step, K, decoder.v, decoder.b) == (mine.A, mine.step, mine.layers, mine.v, mine.b)
    holds(same, "the model file has another A, alpha, number of layers, v or b")
    for token, words in zip(given.tokens, decoder.words):
        for word in words.split(" "):
            holds(mine.place(word) == token, f"the model file has the word {word!a:.40} elsewhere, or not at all")
