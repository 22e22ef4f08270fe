"""Tests of `exactformer.io.file_kind`."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactformer.io.file_kind import file_kind, form_of


@pytest.mark.parametrize(
    ("start", "kind"),
    [(b"\x93NUMPY", "npy"), (b"PK\x03\x04", "npz"), (b" {", "json"), (b"[1]", "json"), (b"1,2", "csv"), (b"", "csv")],
)
def test_the_first_bytes_tell_the_kind_of_the_standard_input(
    start: bytes, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactformer.io.json_lines._standard_input", lambda: start)
    assert file_kind("-") == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((f"t{ending}", "csv") for ending in (".csv", ".TSV", ".tab", ".txt")),
        *((f"t{ending}", "json") for ending in (".json", ".jsonl", "")),
        ("t.npy", "npy"),
        ("t.NPZ", "npz"),
    ],
)
def test_the_ending_of_a_name_tells_the_kind(name: str, kind: str) -> None:
    assert file_kind(name) == kind


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"version": [1, 0], "exactformer": "transformer"}', "transformer"),
        ('\ufeff\n { "exactformer" : "network",', "network"),
        ('{"x": {"exactformer": "certificate"}}', None),
        ('[{"exactformer": "certificate"}]', None),
        ("", None),
    ],
)
def test_the_form_is_seen_from_the_first_bytes(tmp_path: Path, text: str, form: str | None) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert form_of(tmp_path / "file") == form
