"""The how-to on training: its code and its commands, on the data it makes, with sequences held out."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.cli.main import code

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "train.md").read_text(encoding="utf-8")


def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    _, made, trained, stuck = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(made, names)
    exec(trained, names)
    for line in re.findall(r"^exactformer ((?:repair|check|run) .*)$", PAGE, flags=re.MULTILINE)[:3]:
        assert code([*line.split(), "--json"]) == 0, line
        answer = json.loads(capsys.readouterr().out.splitlines()[-1])
        if line.startswith("repair"):
            assert 0 < answer["units_added"] <= 18
            assert 0 < Fraction(answer["residual"]) < 1
    assert Fraction(answer["accuracy"]) > Fraction(2, 3)  # of the sequences held out
    names["ef"] = ef
    exec(stuck, names)
    above, star = names["mine"], names["star"]
    assert star.loss.json() == "0"  # type: ignore[attr-defined]
    assert above.loss.low > 0  # type: ignore[attr-defined]
