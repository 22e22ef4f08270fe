"""The classifier: words with embeddings on a grid, a direction v and a bias b; it decides in exact arithmetic."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import identity
from exactformer.arithmetic.state import State
from exactformer.dynamics.hypotheses import form_and_violations, verify_matrix
from exactformer.dynamics.score_form import ScoreForm
from exactformer.errors import Declined, InvalidInput
from exactformer.geometry.points import dot
from exactformer.io.untyped import JsonValue
from exactformer.model.matrix import Row
from exactformer.studies.sentiment.reviews import LENGTH
from exactformer.studies.sentiment.text import decoded, negated, text_places
from exactformer.studies.sentiment.votes import Ballot

if TYPE_CHECKING:
    from exactformer.studies.sentiment.explanation import Explanation


@dataclass(frozen=True)
class Bag:
    """What a classifier reads of a text: known words with counts, the words it does not know, how many it left out."""

    counts: Mapping[str, int]
    unknown: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class ReviewClassifier:
    """D(text) = b + <v, mean of the words after K hardmax layers>; the sign of D is the decision.

    Word i has the embedding embeddings[i]/denominator; v and b are over the same denominator, A is symmetric
    positive definite (the identity unless given), alpha > 0. `about` says how it was trained.
    """

    words: tuple[str, ...]
    embeddings: Array
    v: tuple[int, ...]
    b: int
    denominator: int = 256
    alpha: Fraction = Fraction(3)
    layers: int = 8
    A: tuple[Row, ...] | None = None
    length: int = LENGTH
    pairs: bool = False
    about: Mapping[str, JsonValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (len(self.words), len(self.v))
        if self.embeddings.shape != shape or self.embeddings.dtype != np.int64 or 0 in shape:
            raise InvalidInput(f"embeddings: expected integers of shape {shape}, got {self.embeddings.shape}")
        verify_matrix(form_and_violations(self.matrix)[1])

    @cached_property
    def matrix(self) -> tuple[Row, ...]:
        """The rows of A."""
        return identity(self.dim) if self.A is None else self.A

    @cached_property
    def form(self) -> ScoreForm:
        """The form <A x, y>."""
        return form_and_violations(self.matrix)[0]

    @property
    def dim(self) -> int:
        """The dimension d of the embeddings."""
        return len(self.v)

    @property
    def share(self) -> Fraction:
        """a = alpha/(1 + alpha)."""
        return self.alpha / (1 + self.alpha)

    @property
    def bias(self) -> Fraction:
        """b as a number."""
        return Fraction(self.b, self.denominator)

    @cached_property
    def direction(self) -> tuple[Fraction, ...]:
        """v as numbers."""
        return tuple(Fraction(x, self.denominator) for x in self.v)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of every word."""
        return {word: i for i, word in enumerate(self.words)}

    def without_attention(self) -> ReviewClassifier:
        """The same weights with no layer: D = b + <v, mean of the embeddings>."""
        return replace(self, layers=0)

    def embedding(self, word: str) -> tuple[Fraction, ...]:
        """The embedding of a word as numbers."""
        return tuple(Fraction(x, self.denominator) for x in self.embeddings[self.index[word]].tolist())

    def score(self, word: str) -> Fraction:
        """<v, e> for the embedding e of a word."""
        row = self.embeddings[self.index[word]].tolist()
        return Fraction(dot(self.v, row), self.denominator**2)

    def bag(self, text: str) -> Bag:
        """The known words of a text, the first `length` of them, with counts, in the order of their first places."""
        found = text_places(decoded(text))
        listed = [place.word for place in (negated(found) if self.pairs else found)]
        known = [word for word in listed if word in self.index]
        unknown = tuple(dict.fromkeys(word for word in listed if word not in self.index))
        return Bag(Counter(known[: self.length]), unknown, max(0, len(known) - self.length))

    def ballot(self, bag: Mapping[str, int]) -> Ballot:
        """The exact run on a bag of known words; Declined where there is none."""
        if not bag:
            raise Declined("no word of the text is in the vocabulary of the model: there is nothing to decide on")
        rows = State(self.embeddings[[self.index[word] for word in bag]], self.denominator)
        return Ballot(rows, list(bag.values()), self.form, self.share, self.layers)

    def value(self, bag: Mapping[str, int] | str) -> Fraction:
        """The exact decision value of a text, or of a bag of known words."""
        ballot = self.ballot(self.bag(bag).counts if isinstance(bag, str) else bag)
        return self.value_at(*ballot.mean(self.layers))

    def value_at(self, numerators: Iterable[int | Fraction], denominator: int = 1) -> Fraction:
        """b + <v, x> at a point x = numerators/denominator."""
        total = dot(self.v, numerators)
        return Fraction(total + self.b * denominator) / (self.denominator * denominator)

    def decide(self, text: str) -> str:
        """ "positive" or "negative"; Declined for a text without known words or with the value 0."""
        return decision_of(self.value(text))

    def explain(self, text: str) -> Explanation:
        """The decision on a text with the exact vote of every word."""
        from exactformer.studies.sentiment.explanation import Explanation

        return Explanation(self, text)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ReviewClassifier:
        """The classifier of a model file."""
        from exactformer.studies.sentiment.classifier_file import read_classifier

        return read_classifier(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        from exactformer.studies.sentiment.classifier_file import write_classifier

        write_classifier(self, path)

    def __repr__(self) -> str:
        return f"ReviewClassifier({len(self.words)} words in dimension {self.dim}, {self.layers} layers)"


def decision_of(value: Fraction) -> str:
    """ "positive" or "negative" by the sign of a value; Declined for 0, which decides nothing."""
    if not value:
        raise Declined("the decision value is exactly 0: the model decides neither way")
    return "positive" if value > 0 else "negative"


def classifier_of(
    words: Sequence[str], E: Array, v: Array, b: float, *, bits: int = 8, **about: JsonValue
) -> ReviewClassifier:
    """The classifier whose numbers are the nearest multiples of 2^-bits to the given floats."""
    from exactformer.studies.sentiment.votes import on_grid

    direction = tuple(on_grid(v, bits).tolist())
    return ReviewClassifier(
        tuple(words), on_grid(E, bits), direction, int(on_grid(np.array(b), bits)), 1 << bits, **about
    )
