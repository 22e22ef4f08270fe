"""Why a text was decided as it was: the exact vote of every word, who follows whom, the leaders, a certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.display.html import table
from exactformer.display.verbs import Certified, Listed
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.studies.sentiment.classifier import ReviewClassifier, decision_of
from exactformer.studies.sentiment.text import TextPlace, decoded, negated, text_places

if TYPE_CHECKING:
    from exactformer.studies.sentiment.counterfactual import Counterfactual


@dataclass(frozen=True)
class ExplainedWord:
    """A word of a review: how often it occurs, its weight u, its score <v, e>, whom it follows at the last layer.

    `leads_from` is the first layer at which it follows its own position alone, None where there is none.
    """

    word: str
    count: int
    weight: Fraction
    score: Fraction
    follows: tuple[int, ...]
    leads_from: int | None

    @property
    def vote(self) -> Fraction:
        """weight * score; the votes and the bias add up to the decision value."""
        return self.weight * self.score


@dataclass(frozen=True)
class WordRow:
    """A line of the leader table: `leader` and `followers` are indices of words, None and () for sums and the bias."""

    label: str
    leader: int | None
    start: int | None
    score: Fraction | None
    weight: Fraction | None
    vote: Fraction
    followers: tuple[int, ...]

    def decimals(self) -> list[str]:
        """Score, weight and vote, rounded to four places; empty where there is none."""
        return ["" if x is None else f"{float(x):+.4f}" for x in (self.score, self.weight, self.vote)]


class Explanation(Listed, Certified):
    """The exact decision on a text: value = bias + sum of the votes of its words.

    Proof: mathematics/sentiment#w.
    """

    def __init__(self, model: ReviewClassifier, text: str) -> None:
        self.model, self.text = model, decoded(text)
        bag = model.bag(text)
        self.counts, self.unknown, self.left_out = dict(bag.counts), bag.unknown, bag.left_out
        self.ballot = model.ballot(self.counts)
        self.value = model.value_at(*self.ballot.mean(model.layers))

    @property
    def decision(self) -> str:
        """ "positive" or "negative"; Declined where the value is 0."""
        return decision_of(self.value)

    @property
    def bias(self) -> Fraction:
        """The bias b of the model."""
        return self.model.bias

    @cached_property
    def words(self) -> tuple[ExplainedWord, ...]:
        """The distinct known words in the order of their first places."""
        leads = [self.ballot.leads_from[p] for p in self.ballot.index.tolist()]
        last = self.follows(max(0, self.model.layers - 1))
        return tuple(
            ExplainedWord(word, count, self.ballot.word_share(i), self.model.score(word), last[i], leads[i])
            for i, (word, count) in enumerate(self.counts.items())
        )

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """The words that lead at some layer below K, the largest vote first; equal embeddings lead together."""
        found = [i for i, word in enumerate(self.words) if word.leads_from is not None]
        return tuple(sorted(found, key=lambda i: (-abs(self.words[i].vote), i)))

    def follows(self, layer: int) -> list[tuple[int, ...]]:
        """Whom every word follows at a layer: the words at the positions of C_i."""
        sets, index = self.ballot.follows(layer), self.ballot.index.tolist()
        at: list[list[int]] = [[] for _ in range(len(sets))]
        for word, position in enumerate(index):
            at[position].append(word)
        followed = [tuple(sorted(w for q in sets[p].tolist() for w in at[q])) for p in range(len(sets))]
        return [followed[p] for p in index]

    @cached_property
    def same_from(self) -> int | None:
        """The depth from which on the decision is proved to be the same at every depth, None where it is not."""
        limit = self.ballot.limit_mean()
        if limit is None or not self.value or self.model.value_at(limit) * self.value < 0:
            return None
        same = 0
        for depth, mean in enumerate(self.ballot.earlier_means()):
            value = self.model.value_at(*mean)  # signs are compared: the product of two long numbers takes its time
            if not value or (value > 0) != (self.value > 0):
                same = depth + 1
        return same

    def counterfactual(self, *, budget: int = 2000) -> Counterfactual:
        """The smallest set of words without which the decision is another one."""
        from exactformer.studies.sentiment.counterfactual import counterfactual

        return counterfactual(self.model, self.counts, budget=budget)

    def places(self) -> Iterator[tuple[TextPlace, int | None]]:
        """The places of all words in `text`, each with the index of its word, None where it took no part."""
        found = text_places(self.text)
        index, seen = {word: i for i, word in enumerate(self.counts)}, 0
        for place in negated(found) if self.model.pairs else found:
            known = place.word in self.model.index
            seen += known
            yield place, index[place.word] if known and seen <= self.model.length else None

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `decision`, of every larger depth too where locks alone prove that."""
        from exactformer.studies.sentiment.claims import write_decision

        model, ballot = self.model, self.ballot
        words = [
            " ".join(w for w, p in zip(self.counts, ballot.index, strict=True) if p == q)
            for q in range(len(ballot.weights))
        ]
        decision = self.decision == "positive"
        write_decision(
            path,
            system=(model.matrix, model.alpha, ballot.engine.initial.rows()),
            layers=model.layers,
            counts=ballot.weights.tolist(),
            words=words,
            decoder=(model.direction, model.bias),
            leaders=[p for p, start in enumerate(ballot.leads_from) if start is not None],
            positive=decision,
            deeper=self.same_from is not None and ballot.locked_plainly(),
        )
        return Path(path)

    def json(self) -> JsonObject:
        """The answer as data, numbers as exact scalars."""
        return {
            "decision": self.decision,
            "value": self.value,
            "bias": self.bias,
            "words": [
                {"word": w.word, "count": w.count, "weight": w.weight, "score": w.score, "follows": list(w.follows)}
                for w in self.words
            ],
            "leaders": [
                {"word": i, "from_layer": self.words[i].leads_from, "vote": self.words[i].vote} for i in self.leaders
            ],
            "unknown": list(self.unknown),
            "left_out": self.left_out,
            "layers": [[list(members) for members in self.follows(k)] for k in range(self.model.layers)],
            "same_from_depth": self.same_from,
        }

    def rows(self, most: int | None = None) -> list[WordRow]:
        """The leaders with their votes, at most so many by name, then all other words and the bias: they add up."""
        leaders = self.leaders[:most]
        listed = [self._row(i) for i in leaders]
        more = [self.words[i] for i in self.leaders[len(leaders) :]]
        if more:
            listed.append(_total(f"{len(more)} more leaders", more))
        rest = [word for word in self.words if word.leads_from is None]
        return [*listed, _total("all other words", rest), WordRow("bias", None, None, None, None, self.bias, ())]

    def _row(self, i: int) -> WordRow:
        word = self.words[i]
        followers = tuple(j for j, other in enumerate(self.words) if i in other.follows and j != i)
        return WordRow(word.word, i, word.leads_from, word.score, word.weight, word.vote, followers)

    def __repr__(self) -> str:
        leaders = ", ".join(self.words[i].word for i in self.leaders[:6])
        return f"Explanation({self.decision}, value {float(self.value):+.4f}, leaders: {leaders})"

    def _repr_html_(self) -> str:
        shown = [[row.label, "" if row.start is None else row.start, *row.decimals()] for row in self.rows(most=20)]
        shown.append(["decision value", "", "", "", f"{float(self.value):+.4f}"])
        return table(["leader", "from layer", "score", "weight", "vote"], shown)


def _total(label: str, words: list[ExplainedWord]) -> WordRow:
    weight, vote = (sum(values, Fraction(0)) for values in ((w.weight for w in words), (w.vote for w in words)))
    return WordRow(label, None, None, None, weight, vote, ())
