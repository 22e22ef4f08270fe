"""Tests of `exactformer.cli.main`."""

from __future__ import annotations

import os

import pytest

from exactformer.cli.main import THREADS, main


@pytest.mark.parametrize("variable", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
@pytest.mark.parametrize(
    ("verb", "given", "wanted"),
    [("demo", None, "1"), ("construct", None, "1"), ("construct", "3", "3"), ("train", None, "1"), ("run", None, None)],
)
def test_verbs_of_small_matrices_take_one_thread_unless_told_otherwise(
    variable: str, verb: str, given: str | None, wanted: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in THREADS:
        monkeypatch.setenv(name, given or "")  # what it was is put back
        if given is None:
            del os.environ[name]
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert os.environ.get(variable) == wanted
