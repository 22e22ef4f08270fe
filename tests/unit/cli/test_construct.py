"""Tests of `exactformer.cli.construct`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.cli.construct import _remark_on_size

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,1/2,0.5\n"


@pytest.fixture
def csv(tmp_path: Path) -> str:
    (tmp_path / "data.csv").write_text(CSV)
    return str(tmp_path / "data.csv")


def test_remarks_on_the_size_of_compact(csv: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Said of more numbers than shallow has, and of more groups than were asked for; not of as many."""
    report = ef.construct(ef.Dataset.read(csv), method="compact", groups=2).report
    assert report.compact is not None
    shallow, groups = report.compact.shallow_parameters, report.compact.groups
    for extra in (-1, 0, 1):
        _remark_on_size(replace(report, parameters=shallow + extra), {"groups": None})
        words = f"--method shallow needs fewer numbers here: {shallow}, not {shallow + 1}\n"
        assert capsys.readouterr().err == (words if extra > 0 else "")
        _remark_on_size(replace(report, parameters=1), {"groups": groups - extra})
        words = f"{groups} groups, not {groups - 1}: lattice reduction fills no slope with so many labels\n"
        assert capsys.readouterr().err == (words if extra > 0 else "")
    _remark_on_size(ef.construct(ef.Dataset.read(csv)).report, {"groups": None})
    assert capsys.readouterr().err == ""
