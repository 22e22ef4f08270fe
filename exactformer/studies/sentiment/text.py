"""From a review to its words: one cleaning rule, standard library only.

HTML entities are decoded, tags become blanks, letters lower case, typographic apostrophes `'`. Words are
`[a-z]+(?:'[a-z]+)?` without a final `'s`; one-letter words and stop words are left out, negations are kept.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_APOSTROPHES = str.maketrans("\u2019\x92`", "'''")

_STOP = """
a about above after again all am an and any are as at be because been before being below between both but by can could
d did do does doing down during each few for from further had has have having he he'd he'll her here hers herself him
himself his how i i'd i'll i'm i've if in into is it its it'd it'll itself just ll m me more most my myself of off on
once only or other our ours ourselves out over own re s same she she'd she'll should so some such t than that the
their theirs them themselves then there these they they'd they'll they're they've this those through to too under
until up us ve very was we we'd we'll we're we've were what when where which while who whom why will with would you
you'd you'll you're you've your yours yourself yourselves also one br
"""
STOP = frozenset(_STOP.split())
NEGATIONS = frozenset({"not", "no", "never", "nor", "cannot", "without", "hardly", "neither"})
#: share of the reviews in the train part, and in train and validation together
TRAIN, SEEN = 0.6, 0.7


class TextPlace(NamedTuple):
    """A word and where it stands in the decoded text: text[start:stop]."""

    word: str
    start: int
    stop: int


def decoded(text: str) -> str:
    """The text with HTML entities decoded: what is shown, and what the places of words refer to."""
    return html.unescape(text)


def text_places(text: str) -> Iterator[TextPlace]:
    """The words of a decoded text in order, with their places.

    >>> [p.word for p in text_places("<b>Wasn't</b> it the director\u2019s BEST film?")]
    ["wasn't", 'director', 'best', 'film']
    """
    low, at = _lowered(_without_tags(text))
    for found in _WORD.finditer(low.translate(_APOSTROPHES)):
        word, start, stop = found.group(), found.start(), found.end()
        if word.endswith("'s"):
            word, stop = word[:-2], stop - 2
        if word not in STOP and len(word) > 1:
            yield TextPlace(word, at[start] if at else start, at[stop] if at else stop)


def words(text: str) -> list[str]:
    """The words of a review, in order."""
    return [place.word for place in text_places(decoded(text))]


def negated(found: Iterable[TextPlace]) -> Iterator[TextPlace]:
    """The same places; a word right after a negation becomes `not_word`.

    >>> [p.word for p in negated(text_places("not good, never a dull moment"))]
    ['not', 'not_good', 'never', 'not_dull', 'moment']
    """
    before = False
    for place in found:
        yield place._replace(word=f"not_{place.word}") if before else place
        before = place.word in NEGATIONS or place.word.endswith("n't")


def part_of(text: str) -> int:
    """0, 1 or 2, the train, validation or test part, by the SHA-256 of the raw text: equal texts are in one part."""
    share = int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8], 16) / 2**32
    return 0 if share < TRAIN else 1 if share < SEEN else 2


def _without_tags(text: str) -> str:
    """The text with blanks in place of tags; what follows the last `>` has none, and is not searched for them."""
    cut = text.rfind(">") + 1
    return _TAG.sub(lambda tag: " " * len(tag.group()), text[:cut]) + text[cut:]


def _lowered(text: str) -> tuple[str, list[int]]:
    """The text in lower case, and for every character where it came from (nothing: from its own place).

    >>> _lowered("Spaß")
    ('spass', [0, 1, 2, 3, 3, 4])
    """
    low = text.casefold()
    if len(low) == len(text):
        return low, []
    parts = [character.casefold() for character in text]  # a sharp s becomes two characters
    return "".join(parts), [i for i, part in enumerate(parts) for _ in part] + [len(text)]
