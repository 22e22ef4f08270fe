"""Fixtures of several files of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits.rocq_files import ATTENTION, FORMS, certificate

from exactformer.certificates.rocq import write_rocq


@pytest.fixture
def exported(tmp_path: Path) -> tuple[Path, Path]:
    blocks = [{"feed_forward": ff, "self_attention": ATTENTION} for ff in FORMS]
    blocks.append({"feed_forward": None, "self_attention": None})
    sequences = [
        {"tokens": [["1", "2/3"], ["1", "2/3"]], "targets": [["0", "-5"]], "label": "a"},
        {"tokens": [["-1", "10"]], "targets": [["8", "1/9"], ["0", "0"]], "label": "b"},
    ]
    cert = certificate(tmp_path / "cert.jsonl", blocks, sequences)
    write_rocq(cert, tmp_path / "cert.v")
    return cert, tmp_path / "cert.v"
