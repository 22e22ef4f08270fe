"""The short cuts, each with the lemma by which it gives what its definition gives; tests compare the two.

Those of feed-forward parts are in `sums_of_units`.

| short cut | definition |
| --- | --- |
| `brackets_outside_strings` | `lines.outside_strings` |
| `read_ratios` | `numbers.ratios`, one by one |
| `counted`, `merged` | the same layers without them |
| `along` | `attention.maximisers`, from all scores |
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from ..core.budget import Budget
from ..core.lines import SQUARE, outside_strings
from ..core.numbers import Ratios
from ..core.points import Coordinates, Followers, Point, State, linear_form
from ..core.verdict import Json, Refusal, well_formed

# ---- reading ----

NO_MARK = bytes(set(range(256)) - set(b'"[]{}'))
# a possessive group is faster and matches the same, but wrongly in Python before 3.11.5
POSSESSIVE = "+" if sys.version_info >= (3, 11, 5) else ""
NUMBER = f"0|-?+[1-9][0-9]*+(?:/(?:[2-9][0-9]*+|1[0-9]++))?{POSSESSIVE}"
NUMBERS = re.compile(f"(?:{NUMBER})(?:,(?:{NUMBER}))*{POSSESSIVE}")


def brackets_outside_strings(text: bytes) -> bytes:
    """The brackets of a JSON text that do not stand inside strings, all as square ones.

    Lemma: without backslashes every quote opens or closes a string, so a bracket stands inside one if and only if an
    odd number of quotes precedes it; taking out two neighbouring quotes changes no such parity.
    """
    if b"\\" in text:
        return outside_strings(text)
    return b"".join(text.translate(SQUARE, NO_MARK).replace(b'""', b"").split(b'"')[::2])


def read_ratios(texts: list[Json], budget: Budget) -> Ratios:
    """Numerators and denominators of canonical numbers, at least one, all matched at once.

    Lemma: a number has no comma. If the texts joined by commas are numbers joined by commas, and there are as many
    commas as joints, then every text is a number. JSON reads integers as Python does.
    """
    try:
        joined = ",".join(texts)
    except TypeError:
        raise Refusal("malformed", "a number must be a string in canonical form") from None
    if len(joined) > budget.limits.digits:
        budget.within(max(map(len, texts)), "digits")
    canonical = NUMBERS.fullmatch(joined) is not None and joined.count(",") == len(texts) - 1
    well_formed(canonical, "a number is not in canonical form")
    if "/" not in joined:
        return tuple(json.loads(f"[{joined}]")), (1,) * len(texts)
    pairs = json.loads(f"[{','.join([text if '/' in text else text + '/1' for text in texts])}]".replace("/", ","))
    above, below = tuple(pairs[::2]), tuple(pairs[1::2])
    well_formed(max(map(math.gcd, above, below)) == 1, "a fraction is not in lowest terms")
    return above, below


# ---- attention ----


def counted(tokens: Iterable[Point], times: Sequence[int]) -> dict[Point, int]:
    """How often every point stands among tokens that stand there so many times.

    Lemma: the image of a token depends on the token and on how often every point occurs, not on the order, and equal
    tokens have equal images; the claim is about the set of outputs. So equal tokens may be kept as one.
    """
    if len(times) == sum(times):
        return Counter(tokens)
    found: dict[Point, int] = {}
    for x, more in zip(tokens, times):
        found[x] = found.get(x, 0) + more
    return found


def merged(state: State, budget: Budget) -> State:
    """The same tokens, equal ones kept as one."""
    if len(state.times) == 1:
        return state
    tokens = list(zip(*state.coordinates))
    if len(budget.distinct(tokens)) == len(tokens):
        return state
    found = counted(tokens, state.times)
    return State(list(zip(*found)), state.common, tuple(found.values()), state.bits)


def along(left: Sequence[int], right: Sequence[int], coordinates: Coordinates) -> Followers:
    """C_i for the scores <left, x_j> * <right, x_i>.

    Lemma: the maximisers of c * t_j over j are those of t_j for c > 0, those of -t_j for c < 0, and all j for c = 0.
    """
    tails, heads = linear_form(left, coordinates), linear_form(right, coordinates)
    highest, smallest = max(tails), min(tails)
    everything = tuple(range(len(tails)))
    above = tuple([j for j, tail in enumerate(tails) if tail == highest])
    below = tuple([j for j, tail in enumerate(tails) if tail == smallest])
    return Followers([everything, above, below], [(head > 0) + 2 * (head < 0) for head in heads])
