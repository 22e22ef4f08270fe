"""Reviews as bags of words: labels, the parts of the split, and the distinct words of each with their counts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.studies.sentiment.text import decoded, negated, part_of, text_places

#: words of a review that are kept, the first ones
LENGTH = 128
PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class Reviews:
    """Review k has the words ids[offsets[k]:offsets[k+1]], increasing, so many times as `counts` says.

    `labels` are 1 for positive and 0 for negative; `parts` 0, 1, 2 for train, validation, test.
    """

    words: list[str]
    labels: Array
    parts: Array
    offsets: Array
    ids: Array
    counts: Array
    length: int = LENGTH
    pairs: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def sizes(self) -> Array:
        """The number of distinct words of every review."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(a.nbytes for a in (self.labels, self.parts, self.offsets, self.ids, self.counts))

    @property
    def part_sizes(self) -> list[int]:
        """The number of reviews of the train, validation and test part."""
        return [int((self.parts == p).sum()) for p in range(3)]

    def bag(self, review: int) -> dict[str, int]:
        """The words of one review with their counts."""
        own = slice(self.offsets[review], self.offsets[review + 1])
        pairs = zip(self.ids[own].tolist(), self.counts[own].tolist(), strict=True)
        return {self.words[i]: m for i, m in pairs}

    def of_part(self, *parts: int) -> Array:
        """The indices of the reviews of these parts that have a word at all."""
        return np.flatnonzero(np.isin(self.parts, parts) & (self.sizes > 0))

    def restricted(self, min_count: int) -> Reviews:
        """The reviews over the words that occur at least `min_count` times in the train part, by falling frequency."""
        train = np.repeat(self.parts == 0, self.sizes)
        totals = np.bincount(self.ids[train], weights=self.counts[train], minlength=len(self.words)).astype(np.int64)
        order = np.lexsort((np.arange(len(totals)), -totals))
        order = order[totals[order] >= max(1, min_count)]
        new = np.full(len(totals), -1, dtype=np.int32)
        new[order] = np.arange(len(order), dtype=np.int32)
        ids = new[self.ids]
        kept = ids >= 0
        owner = np.repeat(np.arange(len(self)), self.sizes)[kept]
        rank = np.lexsort((ids[kept], owner))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(self)))])
        words = [self.words[i] for i in order.tolist()]
        ids, counts = ids[kept][rank], self.counts[kept][rank]
        return Reviews(words, self.labels, self.parts, offsets, ids, counts, self.length, self.pairs)


def least_count(train: int) -> int:
    """How often a word must occur among so many train reviews to belong to the vocabulary: 2 to 10 times."""
    return min(10, max(2, train // 2000))


def read_reviews(path: str | os.PathLike[str], *, min_count: int | None = None, pairs: bool = False) -> Reviews:
    """The reviews of a `.bags.xz` file, a folder `aclImdb`, or a CSV or TSV file `label,text`.

    The vocabulary is that of the train part. With `pairs` a word after a negation is a word of its own (`not_good`),
    for which the order of words must be known: InvalidInput for bags.
    """
    from exactformer.studies.sentiment.reviews_file import read_bags
    from exactformer.studies.sentiment.reviews_text import folder_rows, table_rows

    place = Path(path)
    if place.name.lower().endswith(".xz"):
        if pairs:
            raise InvalidInput(
                f"{path}: bags of words have no order, so no word pairs; give the texts, or leave `pairs`"
            )
        found = read_bags(place)
        found = found.restricted(least_count(found.part_sizes[0]) if min_count is None else min_count)
    else:
        rows = folder_rows(place) if place.is_dir() else table_rows(place)
        found = reviews_of(rows, min_count=min_count, pairs=pairs)
    return _usable(found, str(path))


def reviews_of(
    rows: Iterable[tuple[bool, str]],
    *,
    min_count: int | None = None,
    pairs: bool = False,
    part: Callable[[str], int] = part_of,
) -> Reviews:
    """The reviews of (is positive, text) rows, split by hash, over the vocabulary of the train part."""
    labels, parts, texts = [], [], []
    for positive, text in rows:
        found = text_places(decoded(text))
        labels.append(positive)
        parts.append(part(text))
        texts.append([place.word for place in (negated(found) if pairs else found)])
    least = least_count(parts.count(0)) if min_count is None else min_count
    totals = Counter(w for p, listed in zip(parts, texts, strict=True) if p == 0 for w in listed)
    words = sorted((w for w in totals if totals[w] >= least), key=lambda w: (-totals[w], w))
    index = {w: i for i, w in enumerate(words)}
    bags = [Counter([index[w] for w in listed if w in index][:LENGTH]) for listed in texts]
    ids = [i for bag in bags for i in sorted(bag)]
    counts = [bag[i] for bag in bags for i in sorted(bag)]
    return Reviews(
        words,
        np.array(labels, dtype=np.uint8),
        np.array(parts, dtype=np.uint8),
        np.concatenate([[0], np.cumsum([len(bag) for bag in bags], dtype=np.int64)]).astype(np.int64),
        np.array(ids, dtype=np.int32),
        np.array(counts, dtype=np.uint8),
        pairs=pairs,
    )


def _usable(reviews: Reviews, where: str) -> Reviews:
    """The same reviews; InvalidInput unless every part has reviews of words and the train part both labels."""
    for part, name in enumerate(PARTS):
        chosen = reviews.of_part(part)
        if not len(chosen):
            raise InvalidInput(
                f"{where}: expected reviews in all parts, got none in the {name} part"
                f" ({len(reviews)} reviews, {len(reviews.words)} words); give more reviews"
            )
        if part == 0 and len(set(reviews.labels[chosen].tolist())) < 2:
            raise InvalidInput(f"{where}: expected positive and negative reviews, got one label only")
    return reviews
