"""The report of every certificate of the corpus: it is written, and its verdict is the checker's."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactformer.report.page import section_of, write_page

ACCEPTED = sorted((Path(__file__).parents[2] / "proofs_check" / "corpus" / "accept").rglob("*.jsonl"))


@pytest.mark.filterwarnings("error")
def test_every_accepted_certificate_has_a_page(tmp_path: Path) -> None:
    assert ACCEPTED
    for path in ACCEPTED:
        section = section_of(path)
        assert section.verdict.verdict in ("accepted", "declined"), path.name
        assert "no certificate" not in section.summary.title, f"{path.name}: {section.summary.words}"
        write_page([section], tmp_path / "page.html")
