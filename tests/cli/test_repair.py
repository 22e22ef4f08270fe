"""exactformer repair."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from kits.trained_networks import SEQUENCES, TARGETS, trained

import exactformer as ef
from exactformer.cli.main import code
from exactformer.model.dataset import Dataset


def data() -> Dataset:
    return Dataset.of([ef.Sequence.of(x, targets=[y]) for x, y in zip(SEQUENCES, TARGETS.tolist(), strict=True)])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "net.npz", **trained(1e-4))
    (tmp_path / "data.json").write_text(json.dumps(data().json(), default=str))
    cert = tmp_path / "cert.jsonl"
    files = [str(tmp_path / "net.npz"), str(tmp_path / "data.json")]
    assert code(["repair", *files, "-o", str(cert), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == {"residual", "norm2_before", "norm2_after", "units_added", "width"}
    assert answer["width"] == 40 + answer["units_added"]
    assert code(["check", str(cert), "--data", files[1]]) == 0
    assert code(["repair", *files]) == 0
    assert "units added" in capsys.readouterr().out
    assert code(["repair", files[1], files[1], "-o", str(tmp_path / "x.jsonl")]) == 3
    assert code(["repair", str(tmp_path / "absent.npz"), files[1]]) == 3
    assert not (tmp_path / "x.jsonl").exists()


def test_keep_shape_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "net.npz", **trained(1e-4))
    (tmp_path / "data.json").write_text(json.dumps(data().json(), default=str))
    files = [str(tmp_path / "net.npz"), str(tmp_path / "data.json")]
    assert code(["repair", *files, "--keep-shape", "-o", str(tmp_path / "c.jsonl"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["units_added"], answer["width"]) == (0, 40)
    assert code(["check", str(tmp_path / "c.jsonl"), "--data", files[1]]) == 0
