"""The how-to on training: its code and its commands, on data made here, with sequences held out."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "train.md").read_text(encoding="utf-8")


def write_csv(path: Path, seed: int, count: int) -> None:
    """Three labels: noisy tokens around a corner each."""
    rng = np.random.default_rng(seed)
    lines = ["sequence,label,x1,x2,x3"]
    for j in range(count):
        kind = j % 3
        for _ in range(rng.integers(3, 7)):
            token = 0.8 * np.eye(3)[kind] + 0.4 * rng.normal(size=3)
            lines.append(",".join([f"s{j}", "abc"[kind], *(f"{v:.4f}" for v in token)]))
    path.write_text("\n".join(lines) + "\n")


def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "train.csv", 0, 18)
    write_csv(tmp_path / "test.csv", 1, 30)
    trained, stuck = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(trained, names)
    points = names["points"]
    (tmp_path / "points.json").write_text(json.dumps(points))
    (tmp_path / "train.json").write_text(json.dumps(ef.Dataset.read("train.csv").json(), default=str))
    for line in re.findall(r"^    exactformer (.*)$", PAGE, flags=re.MULTILINE)[:3]:
        assert code([*line.split(), "--json"]) == 0, line
        answer = json.loads(capsys.readouterr().out.splitlines()[-1])
        if line.startswith("repair"):
            assert 0 < answer["units_added"] <= 18
            assert 0 < Fraction(answer["residual"]) < 1
    assert Fraction(answer["accuracy"]) > Fraction(2, 3)  # of the sequences held out
    exec(stuck, names)
    above, star = names["mine"], names["star"]
    assert star.loss.json() == "0"  # type: ignore[attr-defined]
    assert above.loss.low > 0  # type: ignore[attr-defined]
