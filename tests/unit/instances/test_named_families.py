"""Tests of `exactformer.instances.named_families`."""

from __future__ import annotations

import pytest

import exactformer as ef
from exactformer.errors import InvalidInput


def test_samples_have_a_seed() -> None:
    assert ef.sample("generic", n=3, d=2, seed=4) == ef.sample("generic", n=3, d=2, seed=4)
    assert ef.sample("nested", n=3, d=2, seed=4) == ef.sample("nested", n=3, d=2, seed=4)
    assert ef.sample("generic", n=3, d=2, seed=4) != ef.sample("generic", n=3, d=2, seed=5)
    with pytest.raises(InvalidInput, match="no family is called"):
        ef.sample("nothing")
