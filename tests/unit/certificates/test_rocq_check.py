"""Tests of `exactformer.certificates.rocq_check`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from exactformer.certificates import rocq_check
from exactformer.certificates.rocq_check import PACKAGES, build_theories, run_coqc


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("@echo it goes; exit 2", "Error 2"),
        ("@echo why >&2; exit 2", "why"),
        ("@echo a warning >&2", None),
        ("@true", None),
    ],
)
def test_theories_are_built_where_make_says_so(recipe: str, said: str | None, tmp_path: Path) -> None:
    (tmp_path / "theories").mkdir()
    (tmp_path / "theories" / "a.v").write_text("")
    (tmp_path / "Makefile").write_text(f"theories:\n\t{recipe}\n.PHONY: theories\n")
    told: list[str] = []
    found = build_theories(tmp_path, told.append)
    assert (found is None) == (said is None)
    assert said is None or said in (found or "")
    assert len(told) == 1
    (tmp_path / "theories" / "a.vo").write_text("")
    assert build_theories(tmp_path, told.append) is None
    assert len(told) == 1


@pytest.mark.parametrize(
    ("code", "said", "proved", "why"),
    [
        (0, "", True, "the kernel accepted the proof"),
        (1, 'Error: has type "true = true" while\n it is expected to have type "false = true".', False, "refused Qed"),
        (1, "Error: Cannot find a physical path", None, "could not read the file: Error: Cannot find"),
    ],
)
def test_what_coqc_says_is_the_verdict(
    code: int, said: str, proved: bool | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theories").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "_CoqProject").write_text("")
    (tmp_path / "said").write_text(said)
    coqc = tmp_path / "bin" / "coqc"
    coqc.write_text(f"#!/bin/sh\n/bin/cat {tmp_path}/said >&2\nexit {code}\n")
    coqc.chmod(0o755)
    (tmp_path / "c.v").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    told: list[str] = []
    verdict = run_coqc(tmp_path / "c.v", tmp_path, told.append)
    assert verdict.proved is proved
    assert why in verdict.why
    assert told == ["coqc checks the proof"]
    assert "no theories in" in run_coqc(tmp_path / "c.v", tmp_path / "bin").why
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = run_coqc(tmp_path / "c.v", tmp_path)
    assert (missing.proved, missing.why) == (None, f"coqc is not installed; on Debian 12: apt-get install {PACKAGES}")


def test_a_proof_that_was_not_checked_is_no_proof() -> None:
    assert [bool(rocq_check.RocqVerdict(proved, "")) for proved in (True, False, None)] == [True, False, False]


def test_theories_older_than_their_source_are_built_again(tmp_path: Path) -> None:
    (tmp_path / "theories").mkdir()
    (tmp_path / "_CoqProject").write_text("")
    source, compiled, told = tmp_path / "theories" / "A.v", tmp_path / "theories" / "A.vo", list[str]()
    source.write_text("")
    (tmp_path / "Makefile").write_text(".PHONY: theories\ntheories:\n\t@echo made > made\n")
    for age, built in ((None, True), (-10, True), (0, False), (10, False)):
        told.clear()
        compiled.unlink(missing_ok=True)
        if age is not None:
            compiled.write_text("")
            os.utime(compiled, ns=(source.stat().st_mtime_ns + age * 10**9,) * 2)
        (tmp_path / "made").unlink(missing_ok=True)
        assert rocq_check.build_theories(tmp_path, told.append) is None
        assert (tmp_path / "made").exists() is built
        assert bool(told) is built
    (tmp_path / "Makefile").write_text(".PHONY: theories\ntheories:\n\t@echo no such theory >&2; false\n")
    compiled.unlink()
    assert "no such theory" in (rocq_check.build_theories(tmp_path, told.append) or "")
