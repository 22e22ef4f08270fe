"""Tests of `exactformer.studies`."""

from __future__ import annotations

import pytest

from exactformer import studies
from exactformer.conjectures.catalogue import catalogue


def test_studies_are_modules_by_the_papers_words() -> None:
    for name in ("sentiment", "mean_field", "time_delay"):
        assert getattr(studies, name).__name__ == f"exactformer.studies.{name}"
    with pytest.raises(AttributeError, match=r"'exactformer\.studies' has no attribute 'statement'"):
        getattr(studies, "statement")  # noqa: B009


def test_the_statements_of_the_studies_are_in_the_catalogue() -> None:
    found = studies.statements()
    assert len(found) > 5
    assert all(catalogue()[statement.name] is statement for statement in found)
