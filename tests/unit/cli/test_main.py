"""Tests of `exactformer.cli.main`."""

from __future__ import annotations

import os

import pytest

from exactformer.cli.main import main


@pytest.mark.parametrize(
    ("verb", "given", "wanted"),
    [("demo", None, "1"), ("construct", None, "1"), ("construct", "3", "3"), ("run", None, None)],
)
def test_verbs_of_small_matrices_take_one_thread_unless_told_otherwise(
    verb: str, given: str | None, wanted: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")  # what it was is put back
    if given is None:
        del os.environ["OPENBLAS_NUM_THREADS"]
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert os.environ.get("OPENBLAS_NUM_THREADS") == wanted
