"""Tests of `exactformer.io.process_lock`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from exactformer.errors import Malformed
from exactformer.io.process_lock import _locked, only_process


def test_only_one_process_holds_a_lock(tmp_path: Path) -> None:
    with only_process(tmp_path / "lock", wait=0) as mine:
        assert mine
        with only_process(tmp_path / "lock", wait=0) as second:
            assert not second
    with only_process(tmp_path / "lock", wait=0) as again:
        assert again
    with pytest.raises(Malformed, match="delete it"):  # a lock that cannot be had is none that another process has
        only_process(tmp_path / "absent" / "lock", wait=0).__enter__()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        assert _locked(connection, tmp_path)
        with pytest.raises(Malformed, match="within a transaction"):
            _locked(connection, tmp_path)


def test_one_process_holds_a_lock_until_it_is_done(tmp_path: Path) -> None:
    with only_process(tmp_path / "lock", wait=0) as first, only_process(tmp_path / "lock", wait=0) as second:
        assert (first, second) == (True, False)
    with only_process(tmp_path / "lock", wait=0) as third:
        assert third
