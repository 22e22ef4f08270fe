"""Tests of `exactformer.studies.sentiment.families`."""

from __future__ import annotations

import pytest

from exactformer.studies.sentiment.families import BLAME, COMMON, PRAISE, sample_reviews


def test_generated_reviews_alternate_and_are_of_eight_to_thirty_words() -> None:
    found = list(sample_reviews(400, 9))
    assert [label for label, _ in found] == [k % 2 == 0 for k in range(400)]
    lengths, own, other = [], 0, 0
    for label, text in found:
        words = text.removeprefix("The ").partition(" in no. ")[0].split()
        lengths.append(len(words))
        assert set(words) <= {*PRAISE, *BLAME, *COMMON}
        praise, blame = (sum(w in kind for w in words) for kind in (PRAISE, BLAME))
        own, other = own + (praise if label else blame), other + (blame if label else praise)
    assert (min(lengths), max(lengths)) == (8, 30)
    assert own / sum(lengths) == pytest.approx(0.2, abs=0.02)
    assert other / sum(lengths) == pytest.approx(0.06, abs=0.015)
    assert list(sample_reviews(3, 9)) == found[:3] != list(sample_reviews(3, 10))
