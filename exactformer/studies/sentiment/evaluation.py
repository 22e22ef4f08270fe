"""How good a classifier is, and how true its explanations are: exact decisions on many labelled reviews."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from exactformer.errors import InvalidInput
from exactformer.io.json_lines import JsonObject
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.reviews_file import read_bags
from exactformer.studies.sentiment.reviews_text import folder_rows, table_rows
from exactformer.studies.sentiment.text import part_of
from exactformer.studies.sentiment.trainer import leader_measures
from exactformer.studies.sentiment.votes import Ballot

#: a review: whether it is positive, and its words that the classifier knows
Labelled = tuple[bool, Mapping[str, int]]


@dataclass
class SentimentEvaluation:
    """What exact decisions on labelled reviews show; `declined` had no known word or the value 0."""

    reviews: int = 0
    right: int = 0
    declined: int = 0
    leaders: list[int] = field(default_factory=list)
    initial: list[int] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    tested: int = 0

    def json(self, *, top: int = 15) -> JsonObject:
        """The answer of `exactformer sentiment evaluate`."""
        names = ("only_leaders", "without_leaders", "without_random")
        return {
            "reviews": self.reviews,
            "declined": self.declined,
            "accuracy": round(self.right / max(1, self.reviews), 4),
            "leaders": dict(leader_measures(np.array(self.leaders), np.array(self.initial))) if self.leaders else {},
            "top": [[word, count] for word, count in self.words.most_common(top)],
            "faithfulness": {name: round(self.same[name] / max(1, self.tested), 4) for name in names},
            "faithfulness_reviews": self.tested,
        }


def labelled_reviews(path: str | os.PathLike[str], model: ReviewClassifier, part: int | None = 2) -> list[Labelled]:
    """The reviews of one part (None: all) as the classifier reads them; InvalidInput where there is none."""
    place = Path(path)
    if place.name.lower().endswith(".xz"):
        if model.pairs:
            raise InvalidInput(f"{path}: the model has word pairs, and bags of words have no order; give the texts")
        found = list(_of_bags(place, model, part))
    else:
        rows = folder_rows(place) if place.is_dir() else table_rows(place)
        found = [(label, model.bag(text).counts) for label, text in rows if part is None or part_of(text) == part]
    if not found:
        raise InvalidInput(f"{path}: expected reviews in the part asked for, got none; `part` all takes every review")
    return found


def _of_bags(path: Path, model: ReviewClassifier, part: int | None) -> Iterable[Labelled]:
    reviews = read_bags(path)
    known = np.array([word in model.index for word in reviews.words])
    for k in np.flatnonzero(reviews.parts == part).tolist() if part is not None else range(len(reviews)):
        own = slice(reviews.offsets[k], reviews.offsets[k + 1])
        pairs = zip(
            reviews.ids[own][known[reviews.ids[own]]].tolist(),
            reviews.counts[own][known[reviews.ids[own]]].tolist(),
            strict=True,
        )
        yield bool(reviews.labels[k]), {reviews.words[i]: m for i, m in pairs}


def evaluate(
    model: ReviewClassifier,
    reviews: Sequence[Labelled],
    *,
    sample: int = 1000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> SentimentEvaluation:
    """Exact decisions on all reviews; on `sample` of them also what happens when words are deleted."""
    random = np.random.default_rng(seed)
    chosen = set(random.permutation(len(reviews))[:sample].tolist())
    result = SentimentEvaluation()
    for number, (positive, bag) in enumerate(reviews):
        result.reviews += 1
        ballot = model.ballot(bag) if bag else None
        value = model.value_at(*ballot.mean(model.layers)) if ballot is not None else 0
        if ballot is None or not value:
            result.declined += 1
        else:
            _count(result, bag, ballot, right=(value > 0) == positive)
            if number in chosen and model.layers:
                _delete(result, model, bag, ballot, value > 0, random)
        if progress is not None:
            progress(number + 1)
    return result


def _count(result: SentimentEvaluation, bag: Mapping[str, int], ballot: Ballot, *, right: bool) -> None:
    result.right += right
    starts = ballot.leads_from
    result.leaders.append(sum(start is not None for start in starts))
    result.initial.append(sum(start == 0 for start in starts))
    if right:
        result.words.update(word for word, p in zip(bag, ballot.index.tolist(), strict=True) if starts[p] is not None)


def _delete(
    result: SentimentEvaluation,
    model: ReviewClassifier,
    bag: Mapping[str, int],
    ballot: Ballot,
    positive: bool,
    random: np.random.Generator,
) -> None:
    """Whether the decision stays the same with the leaders alone, without them, without as many random words."""
    leading = {w for w, p in zip(bag, ballot.index.tolist(), strict=True) if ballot.leads_from[p] is not None}
    alone = {word: count for word, count in bag.items() if word in leading}
    others = {word: count for word, count in bag.items() if word not in leading}
    if not alone or not others:
        return
    places = [word for word, count in bag.items() for _ in range(count)]
    gone = set(random.permutation(len(places))[: sum(alone.values())].tolist())
    rest = Counter(word for k, word in enumerate(places) if k not in gone)
    result.tested += 1
    for name, words in (("only_leaders", alone), ("without_leaders", others), ("without_random", rest)):
        result.same[name] += bool(words) and (model.value(words) > 0) == positive
